"""triton.runtime.cache: small files kept between runs, by key.

Compiled code is kept by the core, in a cache of its own; here are results of tuning, and what
programs store that know this interface of Triton.
"""

import os


from .. import knobs


def default_cache_dir():
    return knobs.cache.dir


def default_dump_dir():
    return knobs.cache.dump_dir


def default_override_dir():
    return knobs.cache.override_dir


class CacheManager:
    """Files that belong to `key`; `override` and `dump` choose other folders."""

    def __init__(self, key, override=False, dump=False):
        self.key = key

    def get_file(self, filename):
        raise NotImplementedError

    def put(self, data, filename, binary=True):
        raise NotImplementedError

    def get_group(self, filename):
        raise NotImplementedError

    def put_group(self, filename, group):
        raise NotImplementedError


class FileCacheManager(CacheManager):
    """One folder a key.  A file is written beside its place and moved there, so that others see all
    of it or nothing.
    """

    def __init__(self, key, override=False, dump=False):
        super().__init__(key, override, dump)
        self.cache_dir = default_override_dir() if override else \
            default_dump_dir() if dump else default_cache_dir()
        self.cache_dir = os.path.join(self.cache_dir, key)
        self.lock_path = os.path.join(self.cache_dir, "lock")

    def _make_path(self, filename):
        return os.path.join(self.cache_dir, filename)

    def has_file(self, filename):
        return os.path.exists(self._make_path(filename))

    def get_file(self, filename):
        """Its path, or None."""
        return self._make_path(filename) if self.has_file(filename) else None

    def put(self, data, filename, binary=True):
        """Store bytes or text; its path."""
        path = self._make_path(filename)
        partial = f"{path}.{os.getpid()}.partial"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(partial, "wb") as file:
            file.write(data if isinstance(data, bytes) else str(data).encode())
        os.replace(partial, path)
        return path

    def get_group(self, filename):
        """{name: path} of a group that is complete, or None."""
        import json

        path = self.get_file(f"__grp__{filename}")
        if path is None:
            return None
        with open(path) as file:
            paths = json.load(file)["child_paths"]
        return paths if all(os.path.exists(path) for path in paths.values()) else None

    def put_group(self, filename, group):
        import json

        return self.put(json.dumps({"child_paths": group}), f"__grp__{filename}", binary=False)


class RemoteCacheBackend:
    """A store on another machine for one key, which a program provides: knobs.cache.remote_manager_class."""

    def __init__(self, key):
        pass

    def get(self, filenames):
        """{name: bytes} of those that are there."""
        raise NotImplementedError

    def put(self, filename, data):
        raise NotImplementedError


class RedisRemoteCacheBackend(RemoteCacheBackend):
    """A server of Redis, by the package of that name."""

    def __init__(self, key):
        import redis

        self._key, self._format = key, knobs.redis.key_format
        self._server = redis.Redis(host=knobs.redis.host, port=knobs.redis.port)

    def _name(self, filename):
        return self._format.format(key=self._key, filename=filename)

    def get(self, filenames):
        found = self._server.mget([self._name(name) for name in filenames])
        return {name: data for name, data in zip(filenames, found) if data is not None}

    def put(self, filename, data):
        self._server.set(self._name(filename), data)


class RemoteCacheManager(CacheManager):
    """What the remote store has is brought to a file of this machine when it is asked for."""

    def __init__(self, key, override=False, dump=False):
        super().__init__(key, override, dump)
        self._store = (knobs.cache.remote_manager_class or RemoteCacheBackend)(key)
        self._files = FileCacheManager(key, override=override, dump=dump)

    def _bring(self, filenames):
        found = self._store.get(filenames)
        return {name: self._files.put(data, name) for name, data in found.items()}

    def get_file(self, filename):
        return self._bring([filename]).get(filename)

    def put(self, data, filename, binary=True):
        data = data if isinstance(data, bytes) else str(data).encode()
        self._store.put(filename, data)
        return self._files.put(data, filename)

    def get_group(self, filename):
        import json

        path = self.get_file(f"__grp__{filename}")
        if path is None:
            return None
        with open(path) as file:
            names = json.load(file)["children"]
        group = self._bring(names)
        return group if len(group) == len(names) else None

    def put_group(self, filename, group):
        import json

        return self.put(json.dumps({"children": sorted(group)}), f"__grp__{filename}")


def _manager_class():
    return knobs.cache.manager_class or FileCacheManager


def get_cache_manager(key):
    return _manager_class()(key)


def get_override_manager(key):
    return _manager_class()(key, override=True)


def get_dump_manager(key):
    return _manager_class()(key, dump=True)


def triton_key():
    """Changes with the version of the package."""
    import hashlib

    from .. import __version__

    return hashlib.sha256(f"tilec {__version__}".encode()).hexdigest()
