"""Lesson 10: attention (10_attention.md)."""

import triton
import triton.language as tl


# tilec: call small --grid cdiv(nq,BQ) --device cpu,sim
#     D=32 nq=100 nk=150 q=randn(fp32,(nq,D)) k=randn(fp32,(nk,D)) v=randn(fp32,(nk,D)) out=empty(fp32,(nq,D))
#     scale=D**-0.5 BQ=32 BK=64
# tilec: call even --call small q=zeros(fp32,(nq,D)) v=arange(fp32,(nk,1))+zeros(fp32,(1,D)) --device cpu
#     --compare out=(nk-1)/2
@triton.jit
def attention(q, k, v, out, nq, nk, scale, D: tl.constexpr, BQ: tl.constexpr, BK: tl.constexpr):
    """out = softmax(scale * q @ k.T) @ v, without the matrix of weights in memory."""
    rows = tl.program_id(0) * BQ + tl.arange(0, BQ)
    d = tl.arange(0, D)
    queries = tl.load(q + rows[:, None] * D + d[None, :], mask=(rows < nq)[:, None], other=0.0)

    largest = tl.full((BQ,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((BQ,), dtype=tl.float32)
    result = tl.zeros((BQ, D), dtype=tl.float32)
    for first in range(0, nk, BK):
        at = first + tl.arange(0, BK)
        keys = tl.load(k + at[None, :] * D + d[:, None], mask=(at < nk)[None, :], other=0.0)
        scores = tl.dot(queries, keys) * scale
        scores = tl.where((at < nk)[None, :], scores, -float("inf"))

        larger = tl.maximum(largest, tl.max(scores, axis=1))
        weights = tl.exp(scores - larger[:, None])
        shrink = tl.exp(largest - larger)  # what was added up so far was relative to a smaller maximum
        values = tl.load(v + at[:, None] * D + d[None, :], mask=(at < nk)[:, None], other=0.0)
        total = total * shrink + tl.sum(weights, axis=1)
        result = result * shrink[:, None] + tl.dot(weights, values)
        largest = larger

    tl.store(out + rows[:, None] * D + d[None, :], result / total[:, None], mask=(rows < nq)[:, None])
