# run: kernel grid=1 out:i32[8]
# run: shadows grid=1 out:fp32[4]
# lower: unknown p:*i32
# lower: reduction p:*i32 n:i32
"""R2: a star import of a module of the language brings all of its names, in front of Python's own;
other modules are not read."""
import triton
from os.path import *
from triton.language import *
from triton.language.extra.libdevice import *
from triton import *

where = constexpr(3)


@triton.jit
def kernel(out):
    at = arange(0, 8)
    x = full((8,), cdiv(7, 2), dtype=int32)
    store(out + at, x + at, mask=at < where)


@triton.jit
def shadows(out):
    for i in range(4):
        store(out + i, pow(2.0, i.to(float32)))


@triton.jit
def unknown(p):
    store(p, basename(p))
    store(p, _semantic)


@triton.jit
def reduction(p, n):
    store(p, max(n, 3))
