# lower: kernel p:*i32 out:*i32
# run: kernel p:i32[6]=1,2,3,4,5,6 out:i32[30]
# run: pairs out:fp32[8]
"""R254: scans; the earlier element comes first."""
import triton
import triton.language as tl


@triton.jit
def last(a, b):
    return b


@triton.jit
def linear(a, x, b, y):
    return a * b, b * x + y


@triton.jit
def kernel(p, out):
    offs = tl.arange(0, 6)
    x = tl.load(p + offs)
    tl.store(out + offs, tl.cumsum(x, 0))
    tl.store(out + 6 + offs, tl.cumprod(x))
    tl.store(out + 12 + offs, x.cumsum(reverse=True))
    tl.store(out + 18 + offs, tl.cumsum(x.reshape(2, 3), axis=1).reshape(6))
    tl.store(out + 24 + offs, tl.associative_scan(x, 0, last))


@triton.jit
def pairs(out):
    i = tl.arange(0, 4)
    a, x = tl.associative_scan((i + 1.0, i + 0.0), 0, linear)
    tl.store(out + i, a)
    tl.store(out + 4 + i, x)
