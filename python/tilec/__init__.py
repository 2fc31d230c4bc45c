"""tilec: kernels of the Triton language for NumPy and PyTorch, on CPUs and NVIDIA GPUs."""

from . import errors, knobs, language, runtime
from .device import use_device
from .errors import TritonError
from .jit import JITFunction, jit
from .kernel import KernelInterface
from .language.constants import cdiv
from .tuning import Config, autotune, heuristics
from .wrappers import MockTensor, TensorWrapper, reinterpret

__version__ = "0.1.0"
__tilec_module__ = "triton"
