"""A solution of exercise 5: lanes behind the row add 0 to both sums."""

import triton
import triton.language as tl


# tilec: call full --grid x.shape(0) --device interp --check
#     --compare out=(x-x.mean(1,keepdims=True))/(x.var(1,keepdims=True)+eps)**0.5
#     x=randn(fp32,4x64)+3 out=empty_like(x) n=x.shape(1) eps=1e-5 BLOCK=64
# tilec: call tail --call full x=randn(fp32,9x50)+3
@triton.jit
def normalise(x, out, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    k = tl.arange(0, BLOCK)
    inside = k < n
    v = tl.load(x + row * n + k, mask=inside, other=0.0)
    mean = tl.sum(v, axis=0) / n
    centred = tl.where(inside, v - mean, 0.0)
    variance = tl.sum(centred * centred, axis=0) / n
    tl.store(out + row * n + k, centred / tl.sqrt(variance + eps), mask=inside)
