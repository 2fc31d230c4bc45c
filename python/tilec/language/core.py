"""triton.language.core: every name of the language, made from the compiler's own tables."""

import math as _python_math

from . import _names
from .aggregates import aggregate as _aggregate, aggregate_replace as _aggregate_replace
from .constants import cdiv as _cdiv, unwrap as _unwrap
from .constants import constexpr, constexpr_function, constexpr_type
from .marker import Builtin as _Builtin, BuiltinClass as _BuiltinClass, missing as _missing
from .types import DTYPES as _DTYPES, dtype_of as _dtype_of, get_int_dtype as _get_int_dtype
from .types import (base_type, base_value, block_type, const, dtype, pi32_t, pointer_type, tensor,
                    tensor_descriptor, tensor_descriptor_type, tuple_type, void)

__tilec_module__ = "triton.language"

TRITON_MAX_TENSOR_NUMEL = 1 << 24  # MAX_TILE of src/ir/ir.h
TRITON_BUILTIN = "__triton_builtin__"
CONSTEXPR_0 = constexpr(0)


class tuple(tuple, metaclass=_BuiltinClass):
    """A tuple of values, as in kernels: indexed by constexprs, too."""

    def __getitem__(self, key):
        return super().__getitem__(_unwrap(key))


class PropagateNan:
    """Whether minimum, maximum and clamp give NaN where one operand is NaN."""

    NONE = "none"
    ALL = "all"
    __tilec_module__ = "triton.language.PropagateNan"


# what calls outside of kernels do, of those that may be called there
_ON_HOST = {"cdiv": _cdiv, "_log2": lambda i: _python_math.frexp(_unwrap(i))[1] - 1,
            "get_int_dtype": _get_int_dtype, "aggregate_replace": _aggregate_replace, "_unwrap_if_constexpr": _unwrap}

# names of Triton that the compiler refuses as unknown; here so that files which import them load
_NOT_HERE = ("extern_elementwise", "slice")


def _install():
    """Each row of the table that no class or function above has."""
    here = globals()
    for long_name, made in _DTYPES.items():
        here[long_name] = made
    for name, where, parameters in _names.BUILTINS:
        if "tl" in where.split():
            here.setdefault(name, _Builtin("triton.language." + name, parameters, _ON_HOST.get(name)))
    for name in _NOT_HERE:
        here.setdefault(name, _Builtin("triton.language." + name))


_install()


def str_to_ty(name, constants=None):
    """The type that a signature means by "fp32", "*i8", "*kfp16"."""
    return _dtype_of(name)


# --- decorators of those who extend Triton -----------------------------------------------------


def builtin(fn):
    """A function written against Triton's compiler: it can be imported, not compiled here."""
    return _Builtin("triton.language." + fn.__name__)


extern = builtin


def is_builtin(fn):
    return getattr(fn, TRITON_BUILTIN, False)


def must_use_result(fn, why=True):
    """Decorator, bare or with a text: the compiler warns where a kernel drops the result."""
    if isinstance(fn, str):
        return lambda function: must_use_result(function, fn)
    fn._must_use_result = why
    return fn


__getattr__ = _missing("triton.language", lambda: globals())
