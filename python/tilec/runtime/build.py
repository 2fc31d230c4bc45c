"""triton.runtime.build: extensions of Python from C, compiled when a program runs.

tilec itself compiles none; programs do that build on this part of Triton.
"""

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sysconfig
import tempfile

from .cache import get_cache_manager, triton_key


def platform_key():
    """Changes with the machine's kind and the version of Python."""
    from platform import architecture, machine, system

    return ",".join([machine(), system(), *architecture(), str(sysconfig.get_config_var("SOABI"))])


def _build(name, src, srcdir, library_dirs=(), include_dirs=(), libraries=(), ccflags=()):
    """Compile the file `src` into a shared library in `srcdir`; its path."""
    compiler = os.environ.get("CC") or next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if compiler is None:
        raise RuntimeError("no C compiler was found: install one, or name it in the environment variable CC")
    path = os.path.join(srcdir, name + sysconfig.get_config_var("EXT_SUFFIX"))
    folders = (sysconfig.get_paths()["include"], srcdir, *include_dirs)
    subprocess.check_call([compiler, src, "-O3", "-shared", "-fPIC", "-Wno-psabi", "-o", path,
                           *(f"-l{library}" for library in libraries), *(f"-L{folder}" for folder in library_dirs),
                           *(f"-I{folder}" for folder in folders), *ccflags])
    return path


def _compiled(src, name, library_dirs, include_dirs, libraries, ccflags):
    """The bytes of the library."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, f"{name}.c")
        with open(path, "w") as file:
            file.write(src)
        made = _build(name, path, folder, library_dirs or (), include_dirs or (), libraries or (), ccflags or ())
        with open(made, "rb") as file:
            return file.read()


def _loaded(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise RuntimeError(f"{path} is no extension of Python")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _kept(src, name, library_dirs, include_dirs, libraries, ccflags):
    """(the manager of the cache, the file's name in it)"""
    told = [triton_key(), platform_key(), src, *(library_dirs or ()), *(include_dirs or ()), *(libraries or ()),
            *(ccflags or ())]
    key = hashlib.sha256("\0".join(told).encode()).hexdigest()
    return get_cache_manager(key), name + sysconfig.get_config_var("EXT_SUFFIX")


def compile_so_from_src(src, name, library_dirs=None, include_dirs=None, libraries=None, ccflags=None):
    """The path of a shared library of the text `src`, from the cache where it is there."""
    how = (library_dirs, include_dirs, libraries, ccflags)
    cache, file = _kept(src, name, *how)
    return cache.get_file(file) or cache.put(_compiled(src, name, *how), file, binary=True)


def compile_module_from_src(src, name, library_dirs=None, include_dirs=None, libraries=None, ccflags=None):
    """The extension `name` of the text `src`, from the cache where it is there and can be loaded."""
    how = (library_dirs, include_dirs, libraries, ccflags)
    cache, file = _kept(src, name, *how)
    path = cache.get_file(file)
    if path is not None:
        try:
            return _loaded(name, path)
        except (RuntimeError, ImportError):
            pass  # it is made anew
    return _loaded(name, cache.put(_compiled(src, name, *how), file, binary=True))


def _text(path):
    with open(path) as file:
        return file.read()


def compile_so_from_file(src_path, name, *args, **kwargs):
    return compile_so_from_src(_text(src_path), name, *args, **kwargs)


def compile_module_from_file(src_path, name, *args, **kwargs):
    return compile_module_from_src(_text(src_path), name, *args, **kwargs)
