# run: kernel out:i32[8] N=40
# run: asked out:i32[8]
# lower: refused out:*i32 n:i32
"""R12: plain Python at compile time."""
import triton
import triton.language as tl

BASE = 3


@triton.constexpr_function
def log2(n):
    r = 0
    while n > 1:
        n = n // 2
        r += 1
    return r


@triton.constexpr_function
def squares(n):
    total = ()
    for i in range(n):
        total = total + (i * i + BASE,)
    return total


@triton.constexpr_function
def same(x):
    return x


@triton.constexpr_function
def endless(x):
    while True:
        x = x + 1
    return x


@triton.jit
def kernel(out, N: tl.constexpr):
    K: tl.constexpr = log2(N)
    tl.store(out + tl.arange(0, K), tl.full((K,), K, tl.int32))
    tl.store(out + 6, squares(4)[3])
    T: tl.constexpr = same(tl.int8)
    tl.store(out + 7, tl.full((), 300, T))


# what is known of a tile, a pointer and a descriptor
@triton.constexpr_function
def element(x):
    if isinstance(x, tl.tensor_descriptor):
        return x.dtype
    if isinstance(x, tl.tensor) and x.dtype.is_ptr():
        return x.dtype.element_ty
    return x.type.scalar


@triton.constexpr_function
def extent(xs, i):
    return xs[i].shape[0] if hasattr(xs[i], "shape") else len(xs)


@triton.constexpr_function
def rows(d):
    return d.block_shape[0]


@triton.jit
def asked(out):
    i = tl.arange(0, 8)
    v = i.to(tl.float16)
    d = tl.make_tensor_descriptor(out, [2, 4], [4, 1], [2, 4])
    same: tl.constexpr = element(v) == tl.float16 and element(out) == tl.int32 and element(d) == tl.int32
    n: tl.constexpr = extent((v, d), 0)
    tl.store(out + i, i * n + rows(d) * same)


@triton.jit
def refused(out, n):
    tl.store(out, log2(n))
    tl.store(out, same(n))
    tl.store(out, rows(n))
    tl.store(out, endless(1))
