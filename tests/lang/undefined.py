# lower: kernel p:*fp32 n:i32
import triton
import triton.language as tl

SIZE = 4


@triton.jit
def kernel(p, n):
    offs = tl.arange(0, n)
    BLOCK = 16
    more = tl.arange(0, BLOCK)
    x = tl.load(p + offset)
    y = x + offset + mroe
    z = tl.arrange(0, 4)
    tl.store(p + more, SIZE + y)
