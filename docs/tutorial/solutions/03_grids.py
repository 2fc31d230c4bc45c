"""A solution of exercise 3: a condition on rows and one on columns, put together."""

import triton
import triton.language as tl


# tilec: call small --grid cdiv(w,BW),cdiv(h,BH) --device interp --check
#     --compare out[2:-2,2:-2]=image[2:-2,2:-2] --compare out[:2]=0 --compare out[-2:]=0
#     --compare out[:,:2]=0 --compare out[:,-2:]=0
#     h=6 w=9 wide=2 image=rand(fp32,(h,w))+1 out=empty(fp32,(h,w)) BH=2 BW=4
# tilec: call large --call small h=100 w=90 BH=16 BW=32
@triton.jit
def frame(image, out, h, w, wide, BH: tl.constexpr, BW: tl.constexpr):
    y = tl.program_id(1) * BH + tl.arange(0, BH)
    x = tl.program_id(0) * BW + tl.arange(0, BW)
    inside = (y < h)[:, None] & (x < w)[None, :]
    at = y[:, None] * w + x[None, :]
    v = tl.load(image + at, mask=inside)
    rows = (y >= wide) & (y < h - wide)
    columns = (x >= wide) & (x < w - wide)
    tl.store(out + at, tl.where(rows[:, None] & columns[None, :], v, 0.0), mask=inside)
