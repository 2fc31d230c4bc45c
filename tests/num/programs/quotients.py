"""A row divided by one number, or by one for each half of it."""

import triton
import triton.language as tl


@triton.jit
def by_one(x, s, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    by = tl.load(s + row)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=-float("inf")).to(tl.float32)
    q = v / by
    tl.store(out + row * n + i, q, mask=i < n)


@triton.jit
def by_two(x, s, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0) * 2 + tl.arange(0, 2)
    by = tl.load(s + row)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=float("inf")).to(tl.float32)
    tl.store(out + row[:, None] * n + i[None, :], v[None, :] / by[:, None], mask=(i < n)[None, :])


@triton.jit
def by_either(x, y, s, out, n, BLOCK: tl.constexpr):
    """One of three ways for each element, with a quotient and a function each."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + i, mask=i < n, other=0.0)
    b = tl.load(y + i, mask=i < n, other=0.0)
    by = tl.load(s + i, mask=i < n, other=1.0)
    q = tl.where(a < b, a / by, tl.where(a == b, 2.0 + b / by, 4.0 - (a - b) / by))
    tl.store(out + i, q + tl.where(a < b, tl.sqrt(a), -tl.sqrt(b)), mask=i < n)
