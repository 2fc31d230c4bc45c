"""Attention, by tiles that hold all keys, and by loops over them."""

import triton
import triton.language as tl


@triton.jit
def scores(q, k, length, D: tl.constexpr, BLOCK: tl.constexpr, scale):
    i, d = tl.arange(0, BLOCK), tl.arange(0, D)
    at = i[:, None] * D + d[None, :]
    inside = (i < length)[:, None]
    return tl.dot(tl.load(q + at, mask=inside, other=0.0), tl.trans(tl.load(k + at, mask=inside, other=0.0))) * scale


@triton.jit
def weigh(out, v, s, length, D: tl.constexpr, BLOCK: tl.constexpr):
    i, d = tl.arange(0, BLOCK), tl.arange(0, D)
    at = i[:, None] * D + d[None, :]
    weights = tl.exp(s - tl.max(s, axis=1)[:, None])
    weights = weights / tl.sum(weights, axis=1)[:, None]
    values = tl.load(v + at, mask=(i < length)[:, None], other=0.0)
    tl.store(out + at, tl.dot(weights, values), mask=(i < length)[:, None])


@triton.jit
def causal(q, k, v, out, length, scale, D: tl.constexpr, BLOCK: tl.constexpr):
    s = scores(q, k, length, D, BLOCK, scale)
    i = tl.arange(0, BLOCK)
    seen = (i[:, None] >= i[None, :]) & (i[None, :] < length)
    weigh(out, v, tl.where(seen, s, -1e30), length, D, BLOCK)


@triton.jit
def windowed(q, k, v, bias, out, length, scale, WINDOW: tl.constexpr, D: tl.constexpr, BLOCK: tl.constexpr):
    """Near keys only, with a bias for each distance."""
    i = tl.arange(0, BLOCK)
    away = i[:, None] - i[None, :]
    seen = (away >= 0) & (away < WINDOW) & (i[None, :] < length)
    s = scores(q, k, length, D, BLOCK, scale) + tl.load(bias + away, mask=seen, other=0.0)
    weigh(out, v, tl.where(seen, s, -1e30), length, D, BLOCK)


@triton.jit
def capped(q, k, v, out, length, scale, cap, D: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    s = cap * (2 * tl.sigmoid(scores(q, k, length, D, BLOCK, scale) * 2 / cap) - 1)
    weigh(out, v, tl.where((i < length)[None, :], s, -1e30), length, D, BLOCK)


@triton.jit
def linear(q, k, v, out, length, D: tl.constexpr, BLOCK: tl.constexpr):
    """Without a softmax: keys and values are summed first."""
    i, d = tl.arange(0, BLOCK), tl.arange(0, D)
    state = tl.zeros([D, D], tl.float32)
    for start in range(0, length, BLOCK):
        at = (start + i)[:, None] * D + d[None, :]
        inside = (start + i < length)[:, None]
        keys = tl.load(k + at, mask=inside, other=0.0)
        state = tl.dot(tl.trans(keys), tl.load(v + at, mask=inside, other=0.0), state)
    for start in range(0, length, BLOCK):
        at = (start + i)[:, None] * D + d[None, :]
        inside = (start + i < length)[:, None]
        tl.store(out + at, tl.dot(tl.load(q + at, mask=inside, other=0.0), state), mask=inside)


@triton.jit
def flash(q, k, v, out, length, scale, D: tl.constexpr, BLOCK: tl.constexpr):
    """Keys by a loop, with a maximum that grows."""
    i, d = tl.arange(0, BLOCK), tl.arange(0, D)
    at = (tl.program_id(0) * BLOCK + i)[:, None] * D + d[None, :]
    queries = tl.load(q + at)
    most = tl.full([BLOCK], -float("inf"), tl.float32)
    total, result = tl.zeros([BLOCK], tl.float32), tl.zeros([BLOCK, D], tl.float32)
    for start in range(0, length, BLOCK):
        there = (start + i)[:, None] * D + d[None, :]
        s = tl.dot(queries, tl.trans(tl.load(k + there))) * scale
        higher = tl.maximum(most, tl.max(s, axis=1))
        weights, fade = tl.exp(s - higher[:, None]), tl.exp(most - higher)
        total = total * fade + tl.sum(weights, axis=1)
        result = result * fade[:, None] + tl.dot(weights, tl.load(v + there))
        most = higher
    tl.store(out + at, result / total[:, None])
