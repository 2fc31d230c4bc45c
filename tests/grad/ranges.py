"""Accesses of which one lies behind all that another reaches within a row, as masks and lengths say."""

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def partly_turned(x, cos, sin, out, H, D, R, HALF: tl.constexpr, BLOCK: tl.constexpr):
    """Pairs of the first R elements, and the rest as it is."""
    t = tl.program_id(0)
    at = (t * H + tl.program_id(1)) * D
    i = tl.arange(0, HALF)
    inside = i < R // 2
    c = tl.load(cos + t * (R // 2) + i, mask=inside)
    s = tl.load(sin + t * (R // 2) + i, mask=inside)
    a = tl.load(x + at + i, mask=inside)
    b = tl.load(x + at + R // 2 + i, mask=inside)
    tl.store(out + at + i, a * c - b * s, mask=inside)
    tl.store(out + at + R // 2 + i, b * c + a * s, mask=inside)
    rest = R + tl.arange(0, BLOCK)
    tl.store(out + at + rest, tl.load(x + at + rest, mask=rest < D), mask=rest < D)


@triton.jit
def first_and_rest(x, out, D, R: tl.constexpr, BLOCK: tl.constexpr):
    t = tl.program_id(0)
    i = tl.arange(0, R)
    a = tl.load(x + t * D + i)
    tl.store(out + t * D + i, a * a)
    rest = tl.arange(0, BLOCK)
    inside = (rest >= R) & (rest < D)
    tl.store(out + t * D + rest, tl.load(x + t * D + rest, mask=inside), mask=inside)


@triton.jit
def two_and_rest(x, out, D, R, FIRST: tl.constexpr, BLOCK: tl.constexpr):
    t = tl.program_id(0)
    i = tl.arange(0, FIRST)
    a = tl.load(x + t * D + i, mask=i < R)
    b = tl.load(x + t * D + R + i, mask=i < R)
    tl.store(out + t * D + i, a * b, mask=i < R)
    tl.store(out + t * D + R + i, a + b, mask=i < R)
    rest = 2 * R + tl.arange(0, BLOCK)
    tl.store(out + t * D + rest, tl.load(x + t * D + rest, mask=rest < D), mask=rest < D)


@triton.jit
def into_the_rest(x, out, D, R, FIRST: tl.constexpr, BLOCK: tl.constexpr):
    """The first ones go on to R + 1."""
    t = tl.program_id(0)
    i = tl.arange(0, FIRST)
    a = tl.load(x + t * D + i, mask=i < R + 1)
    tl.store(out + t * D + i, a, mask=i < R + 1)
    rest = R + tl.arange(0, BLOCK)
    tl.store(out + t * D + rest, tl.load(x + t * D + rest, mask=rest < D), mask=rest < D)


@triton.jit
def gates_of_steps(gates, c0, out, T, H, BLOCK: tl.constexpr):
    """Four gates of H units behind each other, for each step."""
    b = tl.program_id(0)
    j = tl.arange(0, BLOCK)
    inside = j < H
    c = tl.load(c0 + b * H + j, mask=inside, other=0.0)
    for t in range(T):
        p = gates + (b * T + t) * 4 * H + j
        i = tl.sigmoid(tl.load(p, mask=inside, other=0.0))
        f = tl.sigmoid(tl.load(p + H, mask=inside, other=0.0))
        g = libdevice.tanh(tl.load(p + 2 * H, mask=inside, other=0.0))
        o = tl.sigmoid(tl.load(p + 3 * H, mask=inside, other=0.0))
        c = f * c + i * g
        tl.store(out + (b * T + t) * H + j, o * libdevice.tanh(c), mask=inside)


@triton.jit
def means_of_four(x, out, row, means, K: tl.constexpr, BLOCK: tl.constexpr):
    """The mask says a number of means, and with that how far a row is read."""
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = at < means
    part = at[:, None] * K + tl.arange(0, K)[None, :]
    a = tl.load(x + tl.program_id(0) * row + part, mask=inside[:, None], other=0.0)
    tl.store(out + tl.program_id(0) * means + at, tl.sum(a * a, axis=1) / K, mask=inside)
