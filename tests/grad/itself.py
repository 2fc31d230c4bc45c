"""What a kernel leaves in an array, differentiated by what it found there."""

import triton
import triton.language as tl


@triton.jit
def turned_heads(q, k, cos, sin, length, heads, q_row, k_row, HALF: tl.constexpr):
    """Rotary embedding of all heads of a token, in place."""
    token = tl.program_id(0)
    at = (token % length) * HALF + tl.arange(0, HALF)
    c = tl.load(cos + at)
    s = tl.load(sin + at)
    for head in range(heads):
        p = q + token * q_row + head * 2 * HALF + tl.arange(0, HALF)
        a = tl.load(p)
        b = tl.load(p + HALF)
        tl.store(p, a * c - b * s)
        tl.store(p + HALF, b * c + a * s)
    p = k + token * k_row + tl.arange(0, HALF)
    a = tl.load(p)
    b = tl.load(p + HALF)
    tl.store(p, a * c - b * s)
    tl.store(p + HALF, b * c + a * s)


@triton.jit
def faded(h, x, rate, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    old = tl.load(h + at, mask=inside, other=0.0)
    tl.store(h + at, old * rate + tl.load(x + at, mask=inside, other=0.0), mask=inside)


@triton.jit
def softmax(x, row, n, BLOCK: tl.constexpr):
    """Of x the gradient takes what is there now."""
    at = tl.arange(0, BLOCK)
    p = x + tl.program_id(0) * row + at
    v = tl.load(p, mask=at < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(p, e / tl.sum(e, 0), mask=at < n)


@triton.jit
def squared(x, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n)
    tl.store(x + at, v * v, mask=at < n)


@triton.jit
def part_of_it(x, n, BLOCK: tl.constexpr):
    """More is read than written: what is not keeps its gradient, and gets more."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n, other=0.0)
    tl.store(x + at, v - tl.sum(v, 0) / BLOCK, mask=at < n - 1)


@triton.jit
def begun_anew(x, n, BLOCK: tl.constexpr):
    """The first row is not read: it has no gradient, and would keep one."""
    at = tl.arange(0, BLOCK)
    v = tl.load(x + n + at, mask=at < n)
    tl.store(x + n + at, v * 2.0, mask=at < n)
    tl.store(x + at, tl.zeros([BLOCK], tl.float32), mask=at < n)
