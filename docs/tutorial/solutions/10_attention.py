"""A solution of exercise 10: scores of keys behind the query count as minus infinity."""

import triton
import triton.language as tl


# tilec: call even --grid cdiv(n,BQ) --device interp --check --compare out=v/2
#     D=16 n=100 q=zeros(fp32,(n,D)) k=randn(fp32,(n,D)) v=arange(fp32,(n,1))+zeros(fp32,(1,D))
#     out=empty(fp32,(n,D)) scale=D**-0.5 BQ=32 BK=32
# tilec: call last --call even q=ones(fp32,(n,D))*10 k=arange(fp32,(n,1))+zeros(fp32,(1,D)) v=randn(fp32,(n,D))
#     --compare out=v
@triton.jit
def causal(q, k, v, out, n, scale, D: tl.constexpr, BQ: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BQ + tl.arange(0, BQ)
    d = tl.arange(0, D)
    queries = tl.load(q + rows[:, None] * D + d[None, :], mask=(rows < n)[:, None], other=0.0)

    largest = tl.full((BQ,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((BQ,), dtype=tl.float32)
    result = tl.zeros((BQ, D), dtype=tl.float32)
    for first in range(0, n, BK):
        at = first + tl.arange(0, BK)
        keys = tl.load(k + at[None, :] * D + d[:, None], mask=(at < n)[None, :], other=0.0)
        scores = tl.dot(queries, keys) * scale
        scores = tl.where(at[None, :] <= rows[:, None], scores, -float("inf"))

        larger = tl.maximum(largest, tl.max(scores, axis=1))
        weights = tl.exp(scores - larger[:, None])
        shrink = tl.exp(largest - larger)
        values = tl.load(v + at[:, None] * D + d[None, :], mask=(at < n)[:, None], other=0.0)
        total = total * shrink + tl.sum(weights, axis=1)
        result = result * shrink[:, None] + tl.dot(weights, values)
        largest = larger

    tl.store(out + rows[:, None] * D + d[None, :], result / total[:, None], mask=(rows < n)[:, None])
