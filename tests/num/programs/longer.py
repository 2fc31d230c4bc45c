"""Loops that add up what they reduce along their counter, in the ways in which people write them."""

import triton
import triton.language as tl


@triton.jit
def masked_kernel(a, x, y, M, K, am, ak, BM: tl.constexpr, BK: tl.constexpr):
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    total = tl.zeros((BM,), y.dtype.element_ty)
    for k in range(0, K, BK):
        d = k + tl.arange(0, BK)
        t = tl.load(a + r[:, None] * am + d[None, :] * ak,
                    mask=(r[:, None] < M) & (d[None, :] < K), other=0)
        v = tl.load(x + d, mask=d < K, other=0)
        total += tl.sum(t.to(y.dtype.element_ty) * v.to(y.dtype.element_ty)[None, :], 1)
    tl.store(y + r, total, mask=r < M)


@triton.jit
def walking_kernel(a, x, y, M, K, am, ak, BM: tl.constexpr, BK: tl.constexpr):
    """By pointers that go on, and what is left of a row."""
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, BK)
    p = a + r[:, None] * am + d[None, :] * ak
    q = x + d
    total = tl.zeros((BM,), y.dtype.element_ty)
    for k in range(0, tl.cdiv(K, BK)):
        left = K - k * BK
        t = tl.load(p, mask=(r[:, None] < M) & (d[None, :] < left), other=0)
        v = tl.load(q, mask=d < left, other=0)
        total += tl.sum(t.to(y.dtype.element_ty) * v.to(y.dtype.element_ty)[None, :], 1)
        p += BK * ak
        q += BK
    tl.store(y + r, total, mask=r < M)


@triton.jit
def shifted_kernel(a, x, y, M, K, am, ak, BM: tl.constexpr, BK: tl.constexpr):
    """What masks leave out counts, and the loop begins further on."""
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    total = tl.full((BM,), 5, y.dtype.element_ty)
    for k in range(3, K, BK):
        d = k + tl.arange(0, BK)
        t = tl.load(a + r[:, None] * am + d[None, :] * ak,
                    mask=(r[:, None] < M) & (d[None, :] < K), other=2)
        v = tl.load(x + d, mask=d < K, other=-3)
        total += tl.sum(t.to(y.dtype.element_ty) * v.to(y.dtype.element_ty)[None, :], 1)
    tl.store(y + r, total, mask=r < M)


@triton.jit
def largest_kernel(a, x, y, M, K, am, ak, BM: tl.constexpr, BK: tl.constexpr):
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    total = tl.full((BM,), -100, y.dtype.element_ty)
    for k in range(0, K, BK):
        d = k + tl.arange(0, BK)
        t = tl.load(a + r[:, None] * am + d[None, :] * ak,
                    mask=(r[:, None] < M) & (d[None, :] < K), other=-90)
        v = tl.load(x + d, mask=d < K, other=0)
        total = tl.maximum(total, tl.max((t + v[None, :]).to(y.dtype.element_ty), 1))
    tl.store(y + r, total, mask=r < M)


@triton.jit
def numbered_kernel(a, x, y, M, K, am, ak, BM: tl.constexpr, BK: tl.constexpr):
    """Rounds that see their own number, or a part of their index: nothing becomes longer."""
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    total = tl.zeros((BM,), y.dtype.element_ty)
    for k in range(0, K, BK):
        d = k + tl.arange(0, BK)
        t = tl.load(a + r[:, None] * am + d[None, :] * ak,
                    mask=(r[:, None] < M) & (d[None, :] < K), other=0)
        v = tl.load(x + tl.arange(0, BK), mask=tl.arange(0, BK) < K, other=0)
        total += tl.sum((t * v[None, :] + (k // BK)).to(y.dtype.element_ty), 1)
    tl.store(y + r, total, mask=r < M)


@triton.jit
def whole_kernel(a, x, y, M, K, am, ak, BM: tl.constexpr, BK: tl.constexpr):
    """No masks along the row, of which BK is a part; two sums, one of squares of one row."""
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    total = tl.zeros((BM,), y.dtype.element_ty)
    squares = tl.sum(tl.zeros((BK,), y.dtype.element_ty), 0)
    for k in range(0, K, BK):
        d = k + tl.arange(0, BK)
        t = tl.load(a + r[:, None] * am + d[None, :] * ak, mask=r[:, None] < M, other=1)
        v = tl.load(x + d).to(y.dtype.element_ty)
        total += tl.sum(t.to(y.dtype.element_ty) * v[None, :], 1)
        squares += tl.sum(v * v, 0)
    tl.store(y + r, total + squares, mask=r < M)


@triton.jit
def tile_kernel(a, x, y, M, K, am, ak, BM: tl.constexpr, BK: tl.constexpr):
    """A tile of sums, which is reduced behind the loop."""
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    total = tl.zeros((BM, BK), y.dtype.element_ty)
    for k in range(0, K, BK):
        d = k + tl.arange(0, BK)
        t = tl.load(a + r[:, None] * am + d[None, :] * ak,
                    mask=(r[:, None] < M) & (d[None, :] < K), other=0)
        v = tl.load(x + d, mask=d < K, other=0)
        total += t.to(y.dtype.element_ty) * v.to(y.dtype.element_ty)[None, :]
    tl.store(y + r, tl.sum(total, 1), mask=r < M)
