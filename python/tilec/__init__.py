"""tilec: kernels of the Triton language for NumPy and PyTorch, on CPUs and NVIDIA GPUs."""

from . import errors, knobs, language, runtime
from .device import use_device
from .tuning import Config, autotune, heuristics

__version__ = "0.1.0"
__tilec_module__ = "triton"
