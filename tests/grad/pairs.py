"""The smaller and the larger of two, both of which are taken, and divisors that several have."""

import triton
import triton.language as tl


@triton.jit
def larger_and_smaller(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + i, mask=i < n, other=0.0)
    b = tl.load(y + i, mask=i < n, other=0.0)
    high = tl.maximum(a, b)
    low = tl.minimum(b, a)
    tl.store(out + i, high * high + tl.exp(low) - a * 0.5, mask=i < n)


@triton.jit
def taken_off(x, y, out, n, BLOCK: tl.constexpr):
    """Of which one part is taken off, and what is handed on is negative."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + i, mask=i < n, other=0.0)
    b = tl.load(y + i, mask=i < n, other=0.0)
    d = tl.minimum(a, b) - 2 * tl.maximum(a, b)
    tl.store(out + i, d * d * b - a, mask=i < n)


@triton.jit
def of_two_pairs(x, y, z, out, n, BLOCK: tl.constexpr):
    """x is in two pairs; only one of them has both."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + i, mask=i < n, other=0.0)
    b = tl.load(y + i, mask=i < n, other=0.0)
    c = tl.load(z + i, mask=i < n, other=0.0)
    tl.store(out + i, tl.maximum(a, b) * 3 + tl.minimum(a, b) * c + tl.maximum(a, c) * b, mask=i < n)


@triton.jit
def overlaps(p, g, out, n, eps, BLOCK: tl.constexpr):
    """How much of two intervals is common, less what lies between them; sums of programs."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    a = tl.load(p + 2 * i, mask=m, other=0.0).to(tl.float32)
    b = tl.load(p + 2 * i + 1, mask=m, other=0.0).to(tl.float32)
    c = tl.load(g + 2 * i, mask=m, other=0.0).to(tl.float32)
    d = tl.load(g + 2 * i + 1, mask=m, other=0.0).to(tl.float32)
    common = tl.maximum(tl.minimum(b, d) - tl.maximum(a, c), 0.0)
    around = tl.maximum(b, d) - tl.minimum(a, c)
    union = b - a + d - c - common
    value = common / (union + eps) - (around - union) / (around + eps)
    tl.store(out + tl.program_id(0), tl.sum(tl.where(m, value, 0.0), axis=0))
