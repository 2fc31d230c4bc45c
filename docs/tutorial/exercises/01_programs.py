"""Exercise 1: write `x` backwards, so that out[0] is the last element of x.

As it stands the kernel copies.  `tilec test exercises/01_programs.py` says when it is right.
"""

import triton
import triton.language as tl


# tilec: call ten --grid cdiv(n,BLOCK) --device interp --check --compare out=x[::-1]
#     n=10 x=arange(fp32,n) out=empty(fp32,n) BLOCK=4
# tilec: call thousand --call ten n=1000 BLOCK=64
@triton.jit
def backwards(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    v = tl.load(x + i, mask=inside)
    tl.store(out + i, v, mask=inside)  # where does the element i of x go?
