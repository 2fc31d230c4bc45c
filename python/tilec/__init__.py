"""tilec: kernels of the Triton language for NumPy and PyTorch, on CPUs and NVIDIA GPUs.

    import tilec, tilec.language as tl

    @tilec.jit
    def kernel(x, n, BLOCK: tl.constexpr): ...

    kernel[(grid,)](array, n, BLOCK=1024)

tilec.install(), or `python -m tilec program.py`, makes `import triton` mean this package;
docs/python.md explains both.  PyTorch and NumPy are used where the program has loaded them.
"""

import os as _os

from . import errors, knobs, language
from . import jit as _jit
from ._core import VERSION as __version__
from .device import check_accesses, synchronize, use_device
from .errors import (AccessFault, AssertionFault, CheckWarning, CompilationError,
                     InterpreterError, OutOfResources, RaceFault, SyncFault, TritonError)
from .install import install
from .kernel import KernelInterface
from .language.constants import cdiv, constexpr_function, next_power_of_2
from .language.core import _aggregate as aggregate, must_use_result
from .profile import profile
from .reproduced import repro
from .tuning import Autotuner, Config, Heuristics, autotune, heuristics
from .wrappers import MockTensor, TensorWrapper, reinterpret

JITFunction = _jit.JITFunction
jit = _jit.jit  # instead of the module of this name, which is loaded by now
__tilec_module__ = "triton"


def set_allocator(allocator):
    """Triton's way to give kernels workspace: tilec's need none, so that nothing happens."""
    if allocator is not None and not callable(allocator):
        raise TypeError(f"an allocator is a function, f(size, alignment, stream), not {allocator!r}")


if _os.environ.get("TILEC_CUDA_AS"):
    from . import cuda_as as _cuda_as

    _cuda_as.begin(_cuda_as.wanted())

_LATER = ("backends", "compiler", "pytest_plugin", "runtime", "testing", "tools", "torch")


def __getattr__(name):
    """Modules that `import tilec` does not load, when they are asked for; grad, and triton.compile."""
    import importlib

    if name in _LATER:
        return importlib.import_module(f"{__name__}.{name}")
    if name == "AsyncCompileMode":
        return importlib.import_module(f"{__name__}.async_compile").AsyncCompileMode
    if name == "grad":
        return importlib.import_module(f"{__name__}.derived").grad
    if name == "compile":
        return importlib.import_module(f"{__name__}.compiler").compile
    raise AttributeError(f"module `{__name__}` has no `{name}`")
