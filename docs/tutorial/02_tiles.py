"""Lesson 2: tiles and masks (02_tiles.md)."""

import triton
import triton.language as tl


# tilec: call ten --grid cdiv(n,BLOCK)
#     n=10 x=arange(fp32,n)*arange(fp32,n) out=empty(fp32,n) BLOCK=4
# tilec: call ones --call ten n=1000 x=ones(fp32,n) BLOCK=64 --compare out[1:-1]=1
@triton.jit
def smooth(x, out, n, BLOCK: tl.constexpr):
    """Each element becomes the mean of itself and its neighbours, as many as there are."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    has_left = inside & (i > 0)
    has_right = i < n - 1
    left = tl.load(x + i - 1, mask=has_left, other=0.0)
    here = tl.load(x + i, mask=inside, other=0.0)
    right = tl.load(x + i + 1, mask=has_right, other=0.0)
    count = 1 + has_left.to(tl.int32) + has_right.to(tl.int32)
    tl.store(out + i, (left + here + right) / count, mask=inside)
