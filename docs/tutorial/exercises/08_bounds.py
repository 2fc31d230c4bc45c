"""Exercise 8: two kernels become one.  `gain` and `relu` together read and write the array twice.

As it stands `fused` does only half of it.  `tilec test exercises/08_bounds.py` says when it is right; then ask
`tilec report` what `gain`, `relu` and `fused` must move.
"""

import triton
import triton.language as tl


# tilec: call small --grid cdiv(n,BLOCK) --device interp --check --compare out=x*factor+bias
#     n=1000 x=randn(fp32,n) out=empty(fp32,n) factor=2.0 bias=0.5 BLOCK=64
@triton.jit
def gain(x, out, factor, bias, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) * factor + bias, mask=i < n)


# tilec: call small --grid cdiv(n,BLOCK) --device interp --check --compare out=x*(x>0)
#     n=1000 x=randn(fp32,n) out=empty(fp32,n) BLOCK=64
@triton.jit
def relu(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.maximum(tl.load(x + i, mask=i < n), 0.0), mask=i < n)


# tilec: call small --grid cdiv(n,BLOCK) --device interp --check --compare out=(x*factor+bias)*(x*factor+bias>0)
#     n=1000 x=randn(fp32,n) out=empty(fp32,n) factor=2.0 bias=0.5 BLOCK=64
@triton.jit
def fused(x, out, factor, bias, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) * factor + bias, mask=i < n)
