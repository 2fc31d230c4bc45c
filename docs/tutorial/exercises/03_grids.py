"""Exercise 3: a frame.  Elements of an image that are fewer than `wide` from an edge become 0, the others stay.

As it stands the kernel copies the image.  `tilec test exercises/03_grids.py` says when it is right.
"""

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
    tl.store(out + at, v, mask=inside)  # tl.where(condition, a, b) takes a or b, element by element
