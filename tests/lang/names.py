# lower: kernel p:*fp32 n:i32
# lower: after_if p:*fp32 n:i32
# lower: after_loop p:*fp32 n:i32
# lower: imported p:*fp32
# lower: dtypes p:*fp32
# lower: rebound p:*fp32 n=3
"""R3, R7, R14, R118, R126: names that are not there, and why."""
import triton
import triton.language as tl
import numpy as np
from .helpers import clip
from somewhere.ops import scale

SIZE = 4


@triton.jit
def kernel(p, n):
    offs = tl.arange(0, n)
    BLOCK = 16
    more = tl.arange(0, BLOCK)
    x = tl.load(p + offset)
    y = x + offset + mroe
    z = tl.arrange(0, 4)
    w = tl.laod(p) + tl.arange(0, 4).smu(0)
    tl.store(p + more, SIZE + y)
    tl.store(p, abs(n))


@triton.jit
def after_if(p, n):
    if n > 0:
        x = 1
    tl.store(p, x)
    tl.store(p, x)


@triton.jit
def after_loop(p, n):
    for i in range(n):
        x = i
    tl.store(p, x)
    tl.store(p, i)


@triton.jit
def imported(p):
    x = clip(tl.load(p))
    tl.store(p, scale(x) + np.pi)


@triton.jit
def rebound(p, n: tl.constexpr):
    n = 4
    n += 1
    tl.store(p + tl.arange(0, n), tl.load(p + str(n)))


@triton.jit
def dtypes(p):
    tl.store(p, tl.load(p).to(float33))
    tl.store(p, tl.load(p).wavelet())
