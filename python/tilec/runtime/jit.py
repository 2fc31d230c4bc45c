"""triton.runtime.jit: kernels under Triton's name of the module."""

from ..jit import *
from ..jit import JITFunction, jit
from ..kernel import KernelInterface
from ..language.constants import ConstexprFunction, constexpr_function
from ..wrappers import MockTensor, TensorWrapper, reinterpret

JITCallable = JITFunction
