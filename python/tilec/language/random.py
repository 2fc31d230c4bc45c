"""triton.language.random: the same names as triton.language."""

from .core import *
from .marker import missing as _missing

__tilec_module__ = "triton.language.random"
N_ROUNDS_DEFAULT = 10
__getattr__ = _missing("triton.language.random", lambda: globals())
