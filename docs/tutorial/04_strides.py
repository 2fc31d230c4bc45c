"""Lesson 4: strides and two dimensions (04_strides.md)."""

import triton
import triton.language as tl


# tilec: call copy --grid cdiv(h,BH),cdiv(w,BW) --compare out=x
#     h=64 w=96 x=randn(fp32,(h,w)) out=empty(fp32,(h,w)) BH=32 BW=32
#     x_row=x.stride(0) x_column=x.stride(1) out_row=out.stride(0) out_column=out.stride(1)
# tilec: call transpose --call copy --compare out=arange(fp32,(w,1))+1000*arange(fp32,(1,h))
#     x=1000*arange(fp32,(h,1))+arange(fp32,(1,w)) out=empty(fp32,(w,h))
#     out_row=out.stride(1) out_column=out.stride(0)
# tilec: call every-second --call copy x=randn(fp32,(2*h,2*w))[::2,::2]
@triton.jit
def copy(x, out, h, w, x_row, x_column, out_row, out_column, BH: tl.constexpr, BW: tl.constexpr):
    """The element [i, j] of out becomes that of x, wherever these lie in memory."""
    i = tl.program_id(0) * BH + tl.arange(0, BH)
    j = tl.program_id(1) * BW + tl.arange(0, BW)
    inside = (i < h)[:, None] & (j < w)[None, :]
    v = tl.load(x + i[:, None] * x_row + j[None, :] * x_column, mask=inside)
    tl.store(out + i[:, None] * out_row + j[None, :] * out_column, v, mask=inside)
