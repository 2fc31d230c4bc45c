"""Arrays of PyTorch where it is installed, else of NumPy, under the few names that these programs
use: on a GPU, where PyTorch has one.  EXAMPLES_ARRAYS=numpy takes NumPy in any case.
"""

import os

import numpy as np

try:
    if os.environ.get("EXAMPLES_ARRAYS") == "numpy":
        raise ImportError("not wanted")
    import torch
except ImportError:
    torch = None

LIBRARY = "PyTorch" if torch else "NumPy"
DEVICE = "cuda" if torch and torch.cuda.is_available() else "cpu"
_random = np.random.default_rng(0)


def from_numpy(array):
    """The library's array of these elements."""
    return torch.from_numpy(array).to(DEVICE) if torch else array


def to_numpy(array):
    return array.detach().float().cpu().numpy() if torch else array.astype(np.float32)


def rand(*shape, dtype="float32"):
    return from_numpy(_random.random(shape, dtype=np.float32).astype(dtype))


def randn(*shape, dtype="float32"):
    return from_numpy(_random.standard_normal(shape, dtype=np.float32).astype(dtype))


def zeros(*shape, dtype="float32"):
    return from_numpy(np.zeros(shape, dtype))


def empty_like(array):
    return torch.empty_like(array) if torch else np.empty_like(array)


def strides(array):
    """In elements."""
    return array.stride() if torch else tuple(s // array.itemsize for s in array.strides)


def check(name, got, want, tolerance):
    """Stop where `got` differs from the float64 reference `want`; say by how much it may."""
    difference = np.abs(to_numpy(got) - want).max()
    assert difference <= tolerance, f"{name}: differs by {difference}"
    print(f"{name}: within {tolerance:g} of the reference ({LIBRARY}, {DEVICE})")
