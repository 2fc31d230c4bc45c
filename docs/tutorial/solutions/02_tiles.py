"""A solution of exercise 2: where nothing is loaded, `other` says what it counts as."""

import triton
import triton.language as tl


# tilec: call ten --grid cdiv(n,BLOCK) --device interp --check --compare out[0]=x[0] --compare out[1:]=x[1:]-x[:-1]
#     n=10 x=arange(fp32,n)*arange(fp32,n)+5 out=empty(fp32,n) BLOCK=4
# tilec: call thousand --call ten n=1000 x=randn(fp32,n) BLOCK=64
@triton.jit
def difference(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    here = tl.load(x + i, mask=inside)
    before = tl.load(x + i - 1, mask=inside & (i > 0), other=0.0)
    tl.store(out + i, here - before, mask=inside)
