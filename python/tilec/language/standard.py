"""triton.language.standard: the same names as triton.language, and functions for tl.reduce."""

from .core import *
from .core import _log2
from .marker import missing as _missing

__tilec_module__ = "triton.language.standard"
_explain = _missing("triton.language.standard", lambda: globals())


def __getattr__(name):
    """Those of combine.py are jit functions: made when they are asked for."""
    if name.startswith("_") and not name.startswith("__"):
        from . import combine

        if hasattr(combine, name):
            return getattr(combine, name)
    return _explain(name)
