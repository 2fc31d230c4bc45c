"""Attention, softmax(q k^T scale) v, without the matrix of all scores: a program holds a block of
queries, walks over the keys, and keeps each row's running maximum and sum of weights.

    python -m tilec attention.py
"""

import numpy as np
import triton
import triton.language as tl

import arrays


@triton.jit
def attention_kernel(q, k, v, out, scale, n, CAUSAL: tl.constexpr, DIM: tl.constexpr,
                     BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """q, k, v, out: [heads, n, DIM], contiguous.  Program (i, h) does block i of head h."""
    block = tl.program_id(0)
    first = tl.program_id(1) * n * DIM
    rows = block * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.arange(0, BLOCK_N)
    dim = tl.arange(0, DIM)
    place = rows[:, None] * DIM + dim[None, :]
    queries = tl.load(q + first + place, mask=rows[:, None] < n, other=0.0)
    # exp2 is the faster exponential: log2(e) goes into the scale
    queries = (queries * (scale * 1.4426950408889634)).to(queries.dtype)
    highest = tl.full((BLOCK_M,), -float("inf"), tl.float32)
    weight_sum = tl.zeros((BLOCK_M,), dtype=tl.float32)
    total = tl.zeros((BLOCK_M, DIM), dtype=tl.float32)
    end = n
    if CAUSAL:
        end = tl.minimum(n, (block + 1) * BLOCK_M)
    for start in range(0, end, BLOCK_N):
        at = start + columns
        here = at < n
        keys = tl.load(k + first + dim[:, None] + at[None, :] * DIM, mask=here[None, :], other=0.0)
        scores = tl.dot(queries, keys)
        seen = here[None, :]
        if CAUSAL:
            seen = seen & (at[None, :] <= rows[:, None])
        scores = tl.where(seen, scores, -1.0e30)
        higher = tl.maximum(highest, tl.max(scores, axis=1))
        weights = tl.exp2(scores - higher[:, None])
        shrink = tl.exp2(highest - higher)
        values = tl.load(v + first + at[:, None] * DIM + dim[None, :], mask=here[:, None], other=0.0)
        total = tl.dot(weights.to(values.dtype), values, total * shrink[:, None])
        weight_sum = weight_sum * shrink + tl.sum(weights, axis=1)
        highest = higher
    result = (total / weight_sum[:, None]).to(out.dtype.element_ty)
    tl.store(out + first + place, result, mask=rows[:, None] < n)


def attention(q, k, v, scale, causal):
    heads, n, dim = q.shape
    out = arrays.empty_like(q)
    attention_kernel[(triton.cdiv(n, 32), heads)](q, k, v, out, scale, n, CAUSAL=causal, DIM=dim,
                                                  BLOCK_M=32, BLOCK_N=32)
    return out


def reference(q, k, v, scale, causal):
    q, k, v = (arrays.to_numpy(x).astype(np.float64) for x in (q, k, v))
    scores = q @ k.transpose(0, 2, 1) * scale
    if causal:
        scores = np.where(np.tri(q.shape[1], dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True) @ v


def main():
    q, k, v = (arrays.randn(4, 200, 64, dtype="float16") for _ in range(3))
    for causal in (False, True):
        arrays.check(f"attention, {'causal' if causal else 'full'}",
                     attention(q, k, v, 0.125, causal), reference(q, k, v, 0.125, causal), 0.01)


if __name__ == "__main__":
    main()
