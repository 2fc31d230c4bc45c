"""Lesson 5: reductions and softmax (05_softmax.md)."""

import triton
import triton.language as tl


# tilec: call rows --grid x.shape(0) --compare out=x.sum(1)
#     x=randn(fp32,64x781) out=empty(fp32,64) n=x.shape(1) BLOCK=1024
@triton.jit
def sum_of_rows(x, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    k = tl.arange(0, BLOCK)
    values = tl.load(x + row * n + k, mask=k < n, other=0.0)
    tl.store(out + row, tl.sum(values, axis=0))


# tilec: call rows --grid x.shape(0)
#     x=randn(fp32,64x781) out=empty_like(x) n=x.shape(1) BLOCK=1024
# tilec: call even --call rows x=zeros(fp32,4x10) --compare out=0.1
# tilec: call big --call rows x=randn(fp32,64x781)*100
@triton.jit
def softmax(x, out, n, BLOCK: tl.constexpr):
    """out[i, k] = exp(x[i, k]) / sum of exp(x[i, :]), for rows of up to BLOCK elements."""
    row = tl.program_id(0)
    k = tl.arange(0, BLOCK)
    inside = k < n
    values = tl.load(x + row * n + k, mask=inside, other=-float("inf"))
    weights = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * n + k, weights / tl.sum(weights, axis=0), mask=inside)


# tilec: call rows --grid x.shape(0) --compare out=x.max(1)
#     x=randn(fp32,8x5000) out=empty(fp32,8) n=x.shape(1) BLOCK=1024
@triton.jit
def max_of_long_rows(x, out, n, BLOCK: tl.constexpr):
    """Rows of any length, BLOCK elements at a time."""
    row = tl.program_id(0)
    largest = tl.full((BLOCK,), -float("inf"), dtype=tl.float32)
    for first in range(0, n, BLOCK):
        k = first + tl.arange(0, BLOCK)
        largest = tl.maximum(largest, tl.load(x + row * n + k, mask=k < n, other=-float("inf")))
    tl.store(out + row, tl.max(largest, axis=0))
