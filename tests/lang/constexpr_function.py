# run: kernel out:i32[8] N=40
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


@triton.jit
def refused(out, n):
    tl.store(out, log2(n))
    tl.store(out, endless(1))
