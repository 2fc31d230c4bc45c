"""Fills the modules that have nothing but functions of the language."""

from . import _names
from .marker import Builtin, missing


def fill(namespace, module, places=(), libdevice=False):
    """Put into `namespace`, that of Triton's `module`, the functions visible at one of `places`, and
    those of libdevice; an unknown name is explained.
    """
    for name, where, parameters in _names.BUILTINS:
        if not set(places).isdisjoint(where.split()):
            namespace.setdefault(name, Builtin(f"{module}.{name}", parameters))
    for name in _names.LIBDEVICE if libdevice else ():
        namespace.setdefault(name, Builtin(f"{module}.{name}", "*args"))
    namespace["__tilec_module__"] = module
    namespace["__getattr__"] = missing(module, lambda: namespace)
