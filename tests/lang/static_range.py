# run: kernel out:i32[8] N=3
# run: down out:i32[4]
# run: far out:i32[2]
# lower: refused out:*i32 n:i32
"""R128: static_range repeats its body with a constexpr."""
import triton
import triton.language as tl


@triton.jit
def kernel(out, N: tl.constexpr):
    for i in tl.static_range(N):
        j: tl.constexpr = i * 2
        if j == 2:
            tl.store(out + i, 100)
        else:
            tl.store(out + i, j)
        last = i
    tl.store(out + 7, last)
    tl.store(out + 6, i)


@triton.jit
def down(out):
    for i in tl.static_range(3, 0, -1):
        x = tl.full((i,), i, tl.int32)
        tl.store(out + tl.arange(0, i), x)


BIG = tl.constexpr(2**126 - 1 + 2**126)


@triton.jit
def far(out):
    for i in tl.static_range(2**126, BIG, 2**126):
        tl.store(out, i // 2**126)
    t: tl.constexpr = (5, 6, 7)
    u: tl.constexpr = t[1::BIG]
    tl.store(out + 1, u[0])


@triton.jit
def refused(out, n):
    for i in tl.static_range(0, n):
        pass
    for i in tl.static_range(0, 10, 0):
        pass
