"""Rows that lie one behind the other, where memory says each begins: what is stored as it was loaded, each
element once, and what only looks so."""

import triton
import triton.language as tl


@triton.jit
def packed_softmax(score, starts, out, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    begin = tl.load(starts + row)
    end = tl.load(starts + row + 1)
    at = begin + tl.arange(0, BLOCK)
    s = tl.load(score + at, mask=at < end, other=float("-inf"))
    s = tl.where(s > 0, s, 0.2 * s)
    e = tl.exp(s - tl.max(s, axis=0))
    tl.store(out + at, e / tl.sum(e, axis=0), mask=at < end)


@triton.jit
def packed_steps(x, starts, out, D, BLOCK: tl.constexpr):
    begin = tl.load(starts + tl.program_id(0))
    end = tl.load(starts + tl.program_id(0) + 1)
    d = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    h = tl.zeros((BLOCK,), dtype=tl.float32)
    for t in range(begin, end):
        h = 0.5 * h + tl.load(x + t * D + d, mask=d < D, other=0.0)
        tl.store(out + t * D + d, tl.sin(h), mask=d < D)


@triton.jit
def packed_in_passes(x, starts, out, BLOCK: tl.constexpr):
    begin = tl.load(starts + tl.program_id(0))
    end = tl.load(starts + tl.program_id(0) + 1)
    total = 0.0
    for i in range(begin, end, BLOCK):
        at = i + tl.arange(0, BLOCK)
        v = tl.load(x + at, mask=at < end, other=0.0)
        total += tl.sum(v * v)
    for i in range(begin, end, BLOCK):
        at = i + tl.arange(0, BLOCK)
        v = tl.load(x + at, mask=at < end, other=0.0)
        tl.store(out + at, v * tl.rsqrt(total + 1e-3), mask=at < end)


@triton.jit
def into_the_next(x, starts, out, BLOCK: tl.constexpr):
    begin = tl.load(starts + tl.program_id(0))
    end = tl.load(starts + tl.program_id(0) + 1)
    at = begin + tl.arange(0, BLOCK)
    v = tl.load(x + at)
    tl.store(out + at, v * tl.sum(v, axis=0), mask=at < end)


@triton.jit
def stored_by_some(x, starts, out, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.load(starts + row // 2) + tl.arange(0, BLOCK)
    v = tl.load(x + at)
    if row % 2 == 0:
        tl.store(out + at, v * v)


@triton.jit
def taken_by_some(x, starts, out, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if row % 2 == 0:
        at = tl.load(starts + row // 2) + tl.arange(0, BLOCK)
        v = tl.load(x + at)
        tl.store(out + at, v * v)


@triton.jit
def taken_or_not(x, starts, keep, out, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.load(starts + row // 2) + tl.arange(0, BLOCK)
    if tl.load(keep + row) != 0:
        v = tl.load(x + at)
        tl.store(out + at, v * v)


@triton.jit
def read_by_more(x, starts, out, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    begin = tl.load(starts + row)
    end = tl.load(starts + row + 1)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for i in range(begin, end + BLOCK, BLOCK):
        total += tl.load(x + i + tl.arange(0, BLOCK))
    for i in range(begin, end, BLOCK):
        tl.store(out + i + tl.arange(0, BLOCK), total * total)


@triton.jit
def turned(x, starts, out, D: tl.constexpr):
    begin = tl.load(starts + tl.program_id(0))
    r = tl.arange(0, D)[:, None]
    c = tl.arange(0, D)[None, :]
    v = tl.load(x + begin + c * D + r)
    tl.store(out + begin + r * D + c, v * v)


@triton.jit
def causal_rows(x, out, T, scale, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    t = pid % T
    x += pid * T
    out += pid * T
    top = -float("inf")
    total = 0.0
    for i in range(0, t + 1, BLOCK):
        o = i + tl.arange(0, BLOCK)
        v = tl.load(x + o, mask=o <= t, other=-float("inf")) * scale
        new = tl.maximum(top, tl.max(v, 0))
        total = total * tl.exp(top - new) + tl.sum(tl.exp(v - new), 0)
        top = new
    for i in range(0, T, BLOCK):
        o = i + tl.arange(0, BLOCK)
        v = tl.load(x + o, mask=o <= t, other=-float("inf")) * scale
        tl.store(out + o, tl.exp(v - top) / total, mask=o < T)


@triton.jit
def steps_of_its_place(x, out, T, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    o = tl.arange(0, BLOCK)
    h = tl.zeros((BLOCK,), dtype=tl.float32)
    for t in range(0, pid % T + 1):
        h = tl.sin(h) + tl.load(x + (pid // T * T + t) * BLOCK + o)
    tl.store(out + pid * BLOCK + o, h)
