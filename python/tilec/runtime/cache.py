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
        return {name: path for name, path in paths.items() if os.path.exists(path)}

    def put_group(self, filename, group):
        import json

        return self.put(json.dumps({"child_paths": group}), f"__grp__{filename}", binary=False)


class RemoteCacheBackend:
    """A store on another machine: there is none here."""


class RedisRemoteCacheBackend(RemoteCacheBackend):
    """A store on another machine: there is none here."""


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
