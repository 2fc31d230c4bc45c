# run: constants out:fp64[5]
# run: inside out:fp64[5]
# lower: wrong out:*fp32
"""R25: the limits of dtypes, which Python computes outside of kernels."""
import numpy as np
import torch
import triton
import triton.language as tl
from torch import finfo

LOWEST = tl.constexpr(torch.finfo(torch.float32).min)
GREATEST = tl.constexpr(torch.finfo(torch.float8_e4m3fn).max)
INT = tl.constexpr(torch.iinfo(torch.int16).min + np.iinfo(np.uint8).max)
DTYPE: tl.constexpr = torch.half
HIP = tl.constexpr(bool(torch.version.hip))


@triton.constexpr_function
def tiny_of(t):
    return torch.finfo(t).tiny


@triton.jit
def constants(out):
    tl.store(out, LOWEST)
    tl.store(out + 1, GREATEST)
    tl.store(out + 2, INT)
    tl.store(out + 3, tiny_of(tl.float16))
    tl.store(out + 4, tiny_of(DTYPE))
    tl.static_assert(not HIP)


@triton.jit
def inside(out):
    tl.store(out, finfo(torch.float8_e4m3fnuz).max)
    tl.store(out + 1, torch.finfo(torch.bfloat16).eps)
    tl.store(out + 2, torch.finfo(torch.float8_e5m2).max + torch.finfo(torch.float16).bits)
    SMALLEST: tl.constexpr = torch.iinfo(torch.int64).min
    tl.store(out + 3, SMALLEST // 2)
    tl.store(out + 4, torch.finfo(torch.float64).smallest_normal * 2.0)


@triton.jit
def wrong(out):
    a = torch.finfo(torch.int32).max
    b = torch.iinfo(torch.int32).eps
    c = torch.float32
