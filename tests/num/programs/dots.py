"""Products of tiles of every dtype, in blocks of any extent."""

import triton
import triton.language as tl


@triton.jit
def dots_kernel(a, b, c, M, N, K, am, ak, bk, bn, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                BLOCK_K: tl.constexpr):
    """c += a @ b, summed in its dtype; c is dense.  Grid: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    at = rows[:, None] * N + columns[None, :]
    total = tl.load(c + at, mask=inside, other=0)
    for first in range(0, K, BLOCK_K):
        depth = first + tl.arange(0, BLOCK_K)
        x = tl.load(a + rows[:, None] * am + depth[None, :] * ak,
                    mask=(rows[:, None] < M) & (depth[None, :] < K), other=0)
        y = tl.load(b + depth[:, None] * bk + columns[None, :] * bn,
                    mask=(depth[:, None] < K) & (columns[None, :] < N), other=0)
        total = tl.dot(x, y, total, input_precision="ieee")
    tl.store(c + at, total, mask=inside)
