"""triton.language: what kernels call `tl`.

    core.py         all names; marker.py what functions are to Python, constants.py constexpr,
                    types.py dtypes, _names.py the compiler's tables
    math.py, extra/ names of their own modules
"""

from . import core, extra, math, random, standard, target_info
from .core import *
from .core import _log2, _unwrap_if_constexpr
from .extra import libdevice
from .marker import missing as _missing

__tilec_module__ = "triton.language"
__all__ = [n for n in core.__dict__ if not n.startswith("_")] + ["extra", "math", "target_info"]
__getattr__ = _missing("triton.language", lambda: __all__)
