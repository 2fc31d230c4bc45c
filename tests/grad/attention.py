"""Attention, by tiles that hold all keys, and by loops over them."""

import triton
import triton.language as tl
from triton.language.extra import libdevice


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


@triton.jit
def bias_attention(Q, K, V, Bias, Out, N, sm_scale, softcap, window, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """Softcap, bias and a window to the left: rows behind the end see no key at all."""
    pid, h = tl.program_id(0), tl.program_id(1)
    m = pid * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    base = h * N * D
    q = tl.load(Q + base + m[:, None] * D + d[None, :], mask=m[:, None] < N, other=0.0)
    m_i = tl.full([BM], float("-inf"), dtype=tl.float32)
    l_i = tl.zeros([BM], dtype=tl.float32)
    acc = tl.zeros([BM, D], dtype=tl.float32)
    lo = tl.maximum(0, pid * BM - window) // BN * BN
    hi = tl.minimum(N, (pid + 1) * BM)
    for start in range(lo, hi, BN):
        n = start + tl.arange(0, BN)
        k = tl.load(K + base + n[None, :] * D + d[:, None], mask=n[None, :] < N, other=0.0)
        v = tl.load(V + base + n[:, None] * D + d[None, :], mask=n[:, None] < N, other=0.0)
        s = tl.dot(q, k, input_precision="ieee") * sm_scale
        s = softcap * libdevice.tanh(s / softcap)
        s += tl.load(Bias + h * N * N + m[:, None] * N + n[None, :], mask=(m[:, None] < N) & (n[None, :] < N), other=0.0)
        keep = (m[:, None] >= n[None, :]) & (m[:, None] - n[None, :] < window) & (n[None, :] < N)
        s = tl.where(keep, s, float("-inf"))
        m_new = tl.maximum(m_i, tl.max(s, 1))
        safe = tl.where(m_new == float("-inf"), 0.0, m_new)
        p = tl.exp(s - safe[:, None])
        alpha = tl.exp(m_i - safe)
        l_i = l_i * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p, v, input_precision="ieee")
        m_i = m_new
    acc = acc / l_i[:, None]
    tl.store(Out + base + m[:, None] * D + d[None, :], acc, mask=m[:, None] < N)
