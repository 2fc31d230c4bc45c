"""Lesson 3: grids (03_grids.md)."""

import triton
import triton.language as tl


# tilec: call small --grid cdiv(w,BW),cdiv(h,BH)
#     h=5 w=10 out=empty(i32,5x10) BH=2 BW=4
@triton.jit
def who(out, h, w, BH: tl.constexpr, BW: tl.constexpr):
    """out[y, x] = ten times the program's number along y, and its number along x."""
    y = tl.program_id(1) * BH + tl.arange(0, BH)
    x = tl.program_id(0) * BW + tl.arange(0, BW)
    inside = (y < h)[:, None] & (x < w)[None, :]
    tl.store(out + y[:, None] * w + x[None, :], tl.program_id(1) * 10 + tl.program_id(0), mask=inside)


# tilec: call small --grid 2 --compare out=x*2
#     n=20 x=arange(fp32,n) out=empty(fp32,n) BLOCK=4
# tilec: call large --call small --grid 8 n=100000 BLOCK=1024
@triton.jit
def double(x, out, n, BLOCK: tl.constexpr):
    """However many programs there are, they share the work."""
    step = tl.num_programs(0) * BLOCK
    for first in range(tl.program_id(0) * BLOCK, n, step):
        i = first + tl.arange(0, BLOCK)
        tl.store(out + i, 2 * tl.load(x + i, mask=i < n), mask=i < n)
