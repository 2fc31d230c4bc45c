"""triton.language.standard: the same names as triton.language."""

from .core import *
from .core import _log2
from .marker import missing as _missing

__tilec_module__ = "triton.language.standard"
__getattr__ = _missing("triton.language.standard", lambda: globals())
