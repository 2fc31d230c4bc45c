"""Exercise 4: the outer sum, out[i, j] = a[i] + b[j], of vectors and an output with any strides.

As it stands the kernel takes them for vectors without gaps, and rows of `out` for w elements that follow each other.
`tilec test exercises/04_strides.py` says when it is right.
"""

import triton
import triton.language as tl


# tilec: call plain --grid cdiv(h,BH),cdiv(w,BW) --device interp --check --compare out=a+b
#     h=20 w=30 a=arange(fp32,(h,1)) b=randn(fp32,(1,w)) out=empty(fp32,(h,w)) BH=8 BW=16
#     a_stride=a.stride(0) b_stride=b.stride(1) out_row=out.stride(0) out_column=out.stride(1)
# tilec: call gaps --call plain a=arange(fp32,(3*h,1))[::3] b=randn(fp32,(1,w))[:,::-1]
# tilec: call part --call plain out=zeros(fp32,(h,2*w))[:,:w]
# tilec: call columns --call plain a=arange(fp32,(1,h)) a_stride=1 b=randn(fp32,(w,1)) b_stride=1
#     out=empty(fp32,(w,h)) out_row=out.stride(1) out_column=out.stride(0)
@triton.jit
def outer(a, b, out, h, w, a_stride, b_stride, out_row, out_column, BH: tl.constexpr, BW: tl.constexpr):
    i = tl.program_id(0) * BH + tl.arange(0, BH)
    j = tl.program_id(1) * BW + tl.arange(0, BW)
    inside = (i < h)[:, None] & (j < w)[None, :]
    left = tl.load(a + i, mask=i < h, other=0.0)
    right = tl.load(b + j, mask=j < w, other=0.0)
    tl.store(out + i[:, None] * w + j[None, :], left[:, None] + right[None, :], mask=inside)
