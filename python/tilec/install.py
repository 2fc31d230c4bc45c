"""Makes `import triton` mean tilec: tilec.install(), or `python -m tilec program.py`.

A finder in front of all others answers for `triton` and everything below it, so that it does not
matter whether Triton is installed.  The modules are tilec's own under a second name; only `triton`
itself is a module of its own, with the version of the language that it has.
"""

import importlib
import importlib.machinery
import os
import re
import sys

def _version():
    """The release of Triton whose names and rules are followed, or what programs are to be told that
    refuse releases for faults which tilec has not.
    """
    told = os.environ.get("TILEC_TRITON_VERSION") or "3.6.0"
    if not re.fullmatch(r"\d+\.\d+(\.\d+)?", told):
        raise ValueError(f"TILEC_TRITON_VERSION is a release like 3.6.0, not {told!r}")
    return told


TRITON_VERSION = _version()

_PACKAGES = {"triton": "tilec.as_triton"}


def _ours(name):
    """tilec's name of a module of Triton."""
    return _PACKAGES.get(name) or "tilec" + name[len("triton"):]


def _alias_what_is_loaded():
    """Give modules that came with others their second name now: a later import would load that, and
    put the module where a package has a function or an object of the same name.
    """
    for name in list(sys.modules):
        if name.startswith("tilec."):
            sys.modules.setdefault("triton" + name[len("tilec"):], sys.modules[name])


class _Loader:
    """Gives the module that tilec has, as it is."""

    def create_module(self, spec):
        module = importlib.import_module(_ours(spec.name))
        _alias_what_is_loaded()
        self.kept = module.__spec__, getattr(module, "__loader__", None)
        return module

    def exec_module(self, module):
        # the import wrote Triton's spec into it; the module goes on as what it was
        module.__spec__, module.__loader__ = self.kept


class _Finder:
    """Answers for `triton` and `triton.*`."""

    def find_spec(self, name, path=None, target=None):
        if name != "triton" and not name.startswith("triton."):
            return None
        if name != "triton" and not self._has(_ours(name)):
            return None
        spec = importlib.machinery.ModuleSpec(name, _Loader(), origin="tilec", is_package=True)
        spec.submodule_search_locations = []
        return spec

    @staticmethod
    def _has(name):
        import importlib.util

        try:
            return name in sys.modules or importlib.util.find_spec(name) is not None
        except ModuleNotFoundError:
            return False

    def find_distributions(self, context=None):
        """importlib.metadata.version("triton") is asked by packages that want to know."""
        if context is not None and context.name in (None, "triton"):
            yield _distribution()


def _distribution():
    import importlib.metadata as metadata

    class TritonDistribution(metadata.Distribution):
        def read_text(self, filename):
            if filename in ("METADATA", "PKG-INFO"):
                return f"Metadata-Version: 2.1\nName: triton\nVersion: {TRITON_VERSION}\n"
            return None

        def locate_file(self, path):
            return path

    return TritonDistribution()


def installed():
    """Does `import triton` mean tilec?"""
    return any(isinstance(finder, _Finder) for finder in sys.meta_path)


def install():
    """Make `import triton`, and every module below it, mean tilec in this process.

    Call it before the first import of triton; one that is already loaded is an error, for what was
    imported from it stays the other one.
    """
    if installed():
        return
    loaded = sys.modules.get("triton")
    if loaded is not None and not hasattr(loaded, "__tilec_module__"):
        raise RuntimeError("another triton is loaded already: call tilec.install() before whatever "
                           "imports it, or start the program with `python -m tilec`")
    sys.meta_path.insert(0, _Finder())


def inherit():
    """Let processes that this one starts, by multiprocessing too, get the same triton: Python runs
    sitecustomize.py of a folder of ours at their start.
    """
    import os
    import site

    package = os.path.dirname(os.path.abspath(__file__))
    here, parent = os.path.join(package, "_site"), os.path.dirname(package)
    paths = [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p and p != here]
    if parent not in paths + site.getsitepackages() + [site.getusersitepackages()]:
        paths.append(parent)
    os.environ["PYTHONPATH"] = os.pathsep.join([here] + paths)
    os.environ["TILEC_INSTALL"] = "1"
