# run: kernel x:i32[8]=iota out:i32[3]
# lower: refused x:*fp32
"""R253: the function of a reduction works on single elements, but programs ask for dtypes and shapes
through tiles of one."""
import triton
import triton.language as tl


@triton.jit
def promoted(a, b):
    z = a + tl.zeros((1,), tl.int1)
    if z.dtype.is_floating():
        return a * b
    return a | b


@triton.jit
def through_a_tile(a, b):
    big = tl.zeros((64,), tl.int32) + a  # needed by nothing
    tl.static_assert(big.shape == (64,))
    z = tl.arange(0, 1) + a[None]
    return tl.sum(tl.reshape(z, (1, 1)).ravel(), 0) + b


@triton.jit
def inner(a):
    return a.reshape(1).item()


@triton.jit
def promote(x):
    return x + tl.zeros((1,), tl.int1)


@triton.jit
def is_floating(x):
    return promote(x).dtype.is_floating()


@triton.jit
def outer(a, b):
    if is_floating(a):
        return a
    return tl.maximum(inner(a), inner(b))


@triton.jit
def kernel(x, out):
    v = tl.load(x + tl.arange(0, 8))
    tl.static_assert(promote(tl.program_id(0)).shape == (1,))
    tl.store(out, tl.reduce(v, 0, promoted))
    tl.store(out + 1, tl.reduce(v, 0, through_a_tile))
    tl.store(out + 2, tl.max(tl.associative_scan(v, 0, outer), 0))


@triton.jit
def tiled(a, b):
    return tl.sum(tl.full((4,), a, tl.float32)) + b


@triton.jit
def refused(x):
    v = tl.load(x + tl.arange(0, 8))
    tl.store(x, tl.reduce(v, 0, tiled))
