# lower: endless p:*i32 n:i32
# lower: long p:*i32
"""What would take forever is refused."""
import triton
import triton.language as tl


@triton.jit
def count(x, N: tl.constexpr):
    return count(x, N + 1)


@triton.jit
def endless(p, n):
    tl.store(p, count(n, 0))


@triton.jit
def long(p):
    for i in tl.static_range(1 << 20):
        pass
    t: tl.constexpr = (1,) * (1 << 20)
