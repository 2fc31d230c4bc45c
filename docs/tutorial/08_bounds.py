"""Lesson 8: what bounds a kernel (08_bounds.md)."""

import triton
import triton.language as tl


# tilec: call small --grid cdiv(n,BLOCK)
#     n=10000 x=rand(fp32,n) out=empty_like(x) STEPS=4 BLOCK=1024
# tilec: call large --call small n=4194304
@triton.jit
def steps(x, out, n, STEPS: tl.constexpr, BLOCK: tl.constexpr):
    """STEPS multiplications and additions for each element that is read and written."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    for _ in tl.static_range(STEPS):
        v = v * v - 0.5
    tl.store(out + i, v, mask=i < n)
