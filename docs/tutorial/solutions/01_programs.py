"""A solution of exercise 1: the element i of x goes to n - 1 - i."""

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
    tl.store(out + n - 1 - i, v, mask=inside)
