"""triton.runtime.jit: kernels under Triton's name of the module."""

from ..jit import *
from ..jit import JITFunction, jit
from ..kernel import KernelInterface
from ..language.constants import ConstexprFunction, constexpr_function
from ..wrappers import MockTensor, TensorWrapper, reinterpret

from .._utils import canonicalize_dtype, type_canonicalisation_dict

JITCallable = JITFunction


def mangle_type(arg, specialize=False):
    """What a signature calls the type of an argument."""
    if hasattr(arg, "dtype"):
        return "*" + canonicalize_dtype(arg.dtype)
    if arg is None or isinstance(arg, str):
        return "constexpr"
    if isinstance(arg, bool):
        return "u1"
    if isinstance(arg, float):
        return "fp32"
    return "i32" if -2**31 <= arg < 2**31 else "u64" if arg >= 2**63 else "i64"
