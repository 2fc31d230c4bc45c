"""tilec: kernels of the Triton language for NumPy and PyTorch, on CPUs and NVIDIA GPUs."""

from . import errors, language
