"""Lanes behind the end of a row, where slopes are infinite: no gradient comes from them."""

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def log_scaled(x, w, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < n, other=0.0)
    tl.store(out + at, tl.log(a * tl.load(w)), mask=at < n)


@triton.jit
def ratio(x, w, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < n, other=0.0)
    tl.store(out + at, tl.load(w) / a, mask=at < n)


@triton.jit
def entropy(x, out, row, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    a = tl.load(x + tl.program_id(0) * row + at, mask=at < row, other=0.0)
    p = a / tl.sum(a, axis=0)
    tl.store(out + tl.program_id(0), -tl.sum(tl.where(at < row, p * tl.log(p), 0.0), axis=0))


@triton.jit
def rooted(x, w, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < n, other=0.0)
    tl.store(out + at, tl.sqrt(a * tl.load(w)), mask=at < n)


@triton.jit
def softminus(x, w, out, row, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < row, other=-float("inf"))
    s = tl.load(w) * a
    tl.store(out + at, tl.exp(s - tl.max(s, axis=0)), mask=at < row)


@triton.jit
def product(a, w, b, out, rows, BLOCK: tl.constexpr):
    """A product over rows, some of which are not there."""
    i, j = tl.arange(0, BLOCK)[:, None], tl.arange(0, BLOCK)[None, :]
    x = tl.load(a + i * BLOCK + j, mask=i < rows, other=0.0)
    y = tl.dot(x, tl.load(w + i * BLOCK + j))
    tl.store(out + i * BLOCK + j, tl.log(y * y) + tl.load(b + j), mask=i < rows)


@triton.jit
def nothing_came(x, w, out, n, BLOCK: tl.constexpr):
    """A mean, of elements that are not 0."""
    at = tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < n, other=float("inf")) * tl.load(w)
    tl.store(out + at, 1 / a + tl.exp(-a), mask=at < n)


@triton.jit
def directions(x, w, out, rows, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Rows of length 1, of a tile that has more of them than there are."""
    i, j = tl.arange(0, ROWS)[:, None], tl.arange(0, BLOCK)[None, :]
    a = tl.load(x + i * BLOCK + j, mask=i < rows, other=0.0)
    length = tl.sqrt(tl.sum(a * a, axis=1))
    tl.store(out + i * BLOCK + j, a / length[:, None] * tl.load(w + j), mask=i < rows)


@triton.jit
def by_row(x, out, row, BLOCK: tl.constexpr):
    """Of rows without a length nothing is stored."""
    at = tl.arange(0, BLOCK)
    a = tl.load(x + tl.program_id(0) * row + at, mask=at < row, other=0.0)
    total = tl.sum(a, axis=0)
    tl.store(out + tl.program_id(0), tl.sqrt(total), mask=total > 0)


@triton.jit
def by_sums(x, out, n, row, BLOCK: tl.constexpr):
    """Where a sum has a root."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    s = tl.zeros((BLOCK,), tl.float32)
    for k in range(n):
        s += tl.load(x + k * row + i, mask=i < row, other=0.0)
    tl.store(out + i, tl.sqrt(s), mask=(i < row) & (s > 0))


@triton.jit
def by_other(x, y, out, n, BLOCK: tl.constexpr):
    """What is stored is said by another array."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    wanted = tl.load(y + i, mask=i < n, other=-1)
    a = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(out + i, libdevice.acos(a) / a, mask=(i < n) & (wanted >= 0))


@triton.jit
def first_part(x, out, n, m, BLOCK: tl.constexpr):
    """More is loaded than stored."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(out + i, tl.sqrt(a), mask=i < m)


@triton.jit
def keys_in_one_tile(q, k, out, T, D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK: tl.constexpr):
    """Rows behind the last one are 0, and have keys: their softmax is of numbers."""
    i = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    j = tl.arange(0, BLOCK)
    d = tl.arange(0, D)
    a = tl.load(q + i[:, None] * D + d[None, :], mask=i[:, None] < T, other=0.0)
    b = tl.load(k + j[:, None] * D + d[None, :], mask=j[:, None] < T, other=0.0)
    s = tl.where(j[None, :] < T, tl.dot(a, tl.trans(b), input_precision="ieee"), float("-inf"))
    p = tl.exp(s - tl.max(s, axis=1)[:, None])
    p = p / tl.sum(p, axis=1)[:, None]
    tl.store(out + i[:, None] * D + d[None, :], tl.dot(p, b, input_precision="ieee"), mask=i[:, None] < T)


@triton.jit
def rows_without_keys(q, k, out, T, D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK: tl.constexpr):
    """Rows behind the last one have no keys: nothing comes of them."""
    i = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    j = tl.arange(0, BLOCK)
    d = tl.arange(0, D)
    a = tl.load(q + i[:, None] * D + d[None, :], mask=i[:, None] < T, other=0.0)
    b = tl.load(k + j[:, None] * D + d[None, :], mask=j[:, None] < T, other=0.0)
    s = tl.dot(a, tl.trans(b), input_precision="ieee")
    s = tl.where((i[:, None] < T) & (j[None, :] < T) & (j[None, :] <= i[:, None]), s, float("-inf"))
    p = tl.exp(s - tl.max(s, axis=1)[:, None])
    p = p / tl.sum(p, axis=1)[:, None]
    tl.store(out + i[:, None] * D + d[None, :], tl.dot(p, b, input_precision="ieee"), mask=i[:, None] < T)
