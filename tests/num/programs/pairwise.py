"""Each row of one matrix with each column of another, put together along what they share."""

import triton
import triton.language as tl


@triton.jit
def max_plus_kernel(a, b, c, M, N, K, am, ak, bk, bn, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                BLOCK_K: tl.constexpr, LEAST: tl.constexpr):
    """c = the largest a[i, k] + b[k, j]: a product in which `max` adds, and `+` multiplies."""
    rows = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    best = tl.full((BLOCK_M, BLOCK_N), LEAST, c.dtype.element_ty)
    for k in range(0, K, BLOCK_K):
        depth = k + tl.arange(0, BLOCK_K)
        p = tl.load(a + rows[:, None] * am + depth[None, :] * ak,
                    mask=(rows[:, None] < M) & (depth[None, :] < K), other=LEAST)
        q = tl.load(b + depth[:, None] * bk + columns[None, :] * bn,
                    mask=(depth[:, None] < K) & (columns[None, :] < N), other=0)
        both = tl.max(p[:, :, None] + q[None, :, :], 1)
        best = tl.maximum(best, both).to(best.dtype)
    tl.store(c + rows[:, None] * N + columns[None, :], best,
             mask=(rows[:, None] < M) & (columns[None, :] < N))


@triton.jit
def extremes_kernel(a, b, low, high, am, ak, bk, bn, M: tl.constexpr, N: tl.constexpr,
                    K: tl.constexpr):
    """The smallest and the largest product, without masks."""
    p = tl.load(a + tl.arange(0, M)[:, None] * am + tl.arange(0, K)[None, :] * ak)
    q = tl.load(b + tl.arange(0, K)[:, None] * bk + tl.arange(0, N)[None, :] * bn)
    both = p[:, :, None] * q[None, :, :]
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(low + at, tl.min(both, 1))
    tl.store(high + at, tl.max(both, 1))


@triton.jit
def distance_kernel(a, b, c, M, N, K, am, ak, bk, bn, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                    BLOCK_K: tl.constexpr):
    """c = the sum of |a[i, k] - b[k, j]|."""
    rows = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_M, BLOCK_N), c.dtype.element_ty)
    for k in range(0, K, BLOCK_K):
        depth = k + tl.arange(0, BLOCK_K)
        p = tl.load(a + rows[:, None] * am + depth[None, :] * ak,
                    mask=(rows[:, None] < M) & (depth[None, :] < K), other=0)
        q = tl.load(b + depth[:, None] * bk + columns[None, :] * bn,
                    mask=(depth[:, None] < K) & (columns[None, :] < N), other=0)
        total += tl.sum(tl.abs(p[:, :, None] - q[None, :, :]), 1)
    tl.store(c + rows[:, None] * N + columns[None, :], total,
             mask=(rows[:, None] < M) & (columns[None, :] < N))


@triton.jit
def nearest_kernel(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                   BLOCK_K: tl.constexpr):
    """Which k is nearest: the first of those for which |a[i, k] - b[k, j]| is least."""
    rows = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    p = tl.load(a + rows[:, None] * K + depth[None, :],
                mask=(rows[:, None] < M) & (depth[None, :] < K), other=1e30)
    q = tl.load(b + depth[:, None] * N + columns[None, :],
                mask=(depth[:, None] < K) & (columns[None, :] < N), other=0)
    nearest = tl.argmin(tl.abs(p[:, :, None] - q[None, :, :]), 1)
    tl.store(c + rows[:, None] * N + columns[None, :], nearest,
             mask=(rows[:, None] < M) & (columns[None, :] < N))
