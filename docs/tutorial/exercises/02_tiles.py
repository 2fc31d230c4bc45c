"""Exercise 2: how much does each element differ from the one before it?  out[0] is x[0].

As it stands the kernel reads x[-1], which is not there.  `tilec test exercises/02_tiles.py` says when it is right.
"""

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
    before = tl.load(x + i - 1, mask=inside)  # what is it for i = 0?
    tl.store(out + i, here - before, mask=inside)
