"""Rows that begin at any place of a line of the cache, and are stored in the cache."""

import triton
import triton.language as tl


@triton.jit
def rows(x, y, out, also, n, pitch, at, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + row * pitch + c, mask=c < n, other=2)
    w = tl.load(y + c, mask=c < n)
    tl.store(out + at + row * pitch + c, v + w, mask=c < n)
    tl.store(also + row * pitch + c, v - w, mask=c < n)


@triton.jit
def whole_rows(x, out, pitch, at, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    tl.store(out + at + row * pitch + c, tl.load(x + row * pitch + c) + c.to(x.dtype.element_ty))


@triton.jit
def tiles(x, out, m, n, pitch, at, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, BLOCK)
    inside = (r < m)[:, None] & (c < n)[None, :]
    v = tl.load(x + r[:, None] * pitch + c[None, :], mask=inside, other=1)
    tl.store(out + at + r[:, None] * pitch + c[None, :], v + v, mask=inside)
