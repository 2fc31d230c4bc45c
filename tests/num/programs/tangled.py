"""Values that are used again and again by those that are made of them: each has thousands of millions of ways
back to what was loaded."""

import triton
import triton.language as tl


@triton.jit
def folded(y, LINKS: tl.constexpr):
    """Each number is mirrored at 1, 2, 3 .. where it is below."""
    for k in tl.static_range(1, LINKS + 1):
        y = tl.where(y > k, y, 2 * k - y)
    return y


@triton.jit
def rounds_kernel(x, out, n, LINKS: tl.constexpr, B: tl.constexpr):
    total = 0
    for k in range(0, n, B):
        i = k + tl.arange(0, B)
        total += tl.sum(folded(tl.load(x + i, mask=i < n, other=0), LINKS) * (i < n), 0)
    tl.store(out, total)


@triton.jit
def address_kernel(x, out, n, LINKS: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    y = folded(i, LINKS)
    tl.store(out + i, tl.load(x + y, mask=(i < n) & (y < n)), mask=(i < n) & (y < n))


@triton.jit
def atomic_kernel(x, out, n, LINKS: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    y = tl.load(x + i, mask=i < n, other=0)
    for _ in tl.static_range(LINKS):
        y = tl.fma(y, y, y)
    tl.atomic_add(out + i, y, mask=i < n)


@triton.jit
def share_kernel(x, out, n, LINKS: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    y = tl.load(x + i, mask=i < n, other=0)
    for _ in tl.static_range(LINKS):
        y = tl.fma(y, y, y)
    y = tl.exp(y)
    tl.store(out + i, y / tl.sum(tl.where(i < n, y, 0), 0), mask=i < n)


@triton.jit
def mean_kernel(x, out, n, LINKS: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    y = tl.load(x + i, mask=i < n, other=0)
    for _ in tl.static_range(LINKS):
        y = tl.fma(y, y, y)
    tl.store(out + tl.program_id(0), tl.sum(y, 0) / B)


@triton.jit
def folded_mask_kernel(x, out, n, LINKS: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    y = i
    for k in tl.static_range(1, LINKS + 1):
        y = tl.where(y > k, y, 2 * k - y)
    tl.store(out, tl.sum(tl.load(x + i, mask=y < n), 0))
