"""Addresses of which numbers are digits: heads that a program's number is divided into, rounds from the
last on, and a first round that stands in front of its loop."""

import triton
import triton.language as tl


@triton.jit
def by_heads(q, out, batch, head, step, H, T, scale, D: tl.constexpr, BLOCK: tl.constexpr):
    pid = tl.program_id(1)
    q += (pid // H).to(tl.int64) * batch + (pid % H).to(tl.int64) * head
    t = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    d = tl.arange(0, D)
    at = t[:, None] * step + d[None, :]
    v = tl.load(q + at, mask=t[:, None] < T, other=0.0) * scale
    tl.store(out + (pid * T + t[:, None]) * D + d[None, :], v * v, mask=t[:, None] < T)


@triton.jit
def by_three(x, w, out, B, H, T, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    b = pid // (H * B)
    rest = pid % (H * B)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + ((b * B + rest // H) * H + rest % H) * BLOCK + c)
    tl.store(out + pid * BLOCK + c, tl.exp(v) * tl.load(w + rest % H))


@triton.jit
def by_chain(x, out, H, T, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    t = pid % T
    h = pid // T % H
    b = pid // (H * T)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + ((b * T + t) * H + h) * BLOCK + c)
    tl.store(out + pid * BLOCK + c, tl.exp(v))


@triton.jit
def heads_that_share(x, out, H, T, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + (pid // H * (H // 2) + pid % H // 2) * BLOCK + c)
    tl.store(out + pid * BLOCK + c, v * v)


@triton.jit
def other_divisor(x, out, H, G, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + (pid // H * G + pid % G) * BLOCK + c)
    tl.store(out + pid * BLOCK + c, v * v)


@triton.jit
def overlapping_heads(x, out, H, apart, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + pid // H * apart + pid % H * BLOCK + c)
    tl.store(out + pid * BLOCK + c, v * v)


@triton.jit
def instance_norm(x, w, b, out, C, HW, eps, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    base = pid * HW
    s = tl.zeros((BLOCK,), dtype=tl.float32)
    squares = tl.zeros((BLOCK,), dtype=tl.float32)
    for i in range(0, HW, BLOCK):
        o = i + tl.arange(0, BLOCK)
        v = tl.load(x + base + o, mask=o < HW, other=0.0)
        s += v
        squares += v * v
    mean = tl.sum(s) / HW
    rstd = tl.rsqrt(tl.sum(squares) / HW - mean * mean + eps)
    scale = tl.load(w + pid % C)
    shift = tl.load(b + pid % C)
    for i in range(0, HW, BLOCK):
        o = i + tl.arange(0, BLOCK)
        v = tl.load(x + base + o, mask=o < HW, other=0.0)
        tl.store(out + base + o, (v - mean) * rstd * scale + shift, mask=o < HW)


@triton.jit
def embedded(tokens, table, place, scale, out, T, D, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    token = tl.load(tokens + row)
    by = tl.load(scale)
    for i in range(0, D, BLOCK):
        o = i + tl.arange(0, BLOCK)
        e = tl.load(table + token * D + o, mask=o < D)
        p = tl.load(place + row % T * D + o, mask=o < D)
        tl.store(out + row * D + o, e * by + p, mask=o < D)


@triton.jit
def advantages(reward, value, done, out, T, gamma, decay):
    row = tl.program_id(0)
    grown = 0.0
    after = tl.load(value + row * (T + 1) + T)
    for i in range(T):
        t = T - 1 - i
        v = tl.load(value + row * (T + 1) + t)
        alive = 1.0 - tl.load(done + row * T + t).to(tl.float32)
        delta = tl.load(reward + row * T + t) + gamma * after * alive - v
        grown = delta + gamma * decay * alive * grown
        tl.store(out + row * T + t, grown)
        after = v


@triton.jit
def next_and_last(x, out, T, stride):
    row = tl.program_id(0)
    last = tl.load(x + row * stride + T)
    s = 0.0
    for t in range(T):
        v = tl.load(x + row * stride + t)
        s = tl.sin(s + v) * last
        tl.store(out + row * T + t, s)


@triton.jit
def both_ways(x, keep, out, T):
    row = tl.program_id(0)
    for i in range(T):
        k = tl.load(keep + i)
        a = tl.load(x + row * T + i, mask=k != 0, other=0.0)
        b = tl.load(x + row * T + T - 1 - i, mask=k == 0, other=0.0)
        tl.store(out + row * T + i, a * a + tl.exp(b))


@triton.jit
def stored_both_ways(x, out, T):
    for i in range(T):
        v = tl.load(x + i)
        tl.store(out + i, v, mask=i % 2 == 0)
        tl.store(out + T - 1 - i, v * v, mask=i % 2 != 0)


@triton.jit
def smoothed_columns(x, decay, out, T, C, BLOCK: tl.constexpr):
    c = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = c < C
    a = tl.sigmoid(tl.load(decay + c, mask=inside, other=0.0))
    s = tl.load(x + c, mask=inside, other=0.0)
    tl.store(out + c, s, mask=inside)
    for t in range(1, T):
        s = a * s + (1 - a) * tl.load(x + t * C + c, mask=inside, other=0.0)
        tl.store(out + t * C + c, s, mask=inside)


@triton.jit
def first_of_four(x, out, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    row = tl.program_id(0) * 4
    s = tl.load(x + row * BLOCK + c)
    tl.store(out + row * BLOCK + c, s)
    for t in range(1, 4):
        s = tl.sin(s) * tl.load(x + (row + t) * BLOCK + c)
        tl.store(out + (row + t) * BLOCK + c, s)


@triton.jit
def first_again(x, out, T, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    s = tl.load(x + c)
    tl.store(out + c, s)
    for t in range(0, T):
        s += tl.load(x + t * BLOCK + c)
        tl.store(out + t * BLOCK + c, s)


@triton.jit
def first_of_every_second(x, out, T, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    s = tl.load(x + c)
    tl.store(out + c, s)
    for t in range(1, T, 2):
        s = tl.sin(s) * tl.load(x + t * BLOCK + c)
        tl.store(out + t * BLOCK + c, s)


@triton.jit
def latent(q, kv, out, T, scale, R: tl.constexpr, P: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0)
    r = tl.arange(0, R)
    p = tl.arange(0, P)
    t = tl.arange(0, BLOCK)
    row = t[:, None] * (R + P)
    c = tl.load(kv + row + r[None, :], mask=t[:, None] < T, other=0.0)
    k = tl.load(kv + row + R + p[None, :], mask=t[:, None] < T, other=0.0)
    s = tl.sum(c * tl.load(q + i * (R + P) + r)[None, :], axis=1)
    s = (s + tl.sum(k * tl.load(q + i * (R + P) + R + p)[None, :], axis=1)) * scale
    s = tl.where((t < T) & (t <= i), s, float("-inf"))
    e = tl.exp(s - tl.max(s, axis=0))
    tl.store(out + i * R + r, tl.sum((e / tl.sum(e, axis=0))[:, None] * c, axis=0))


@triton.jit
def turned_divisor(x, out, heads, stride):
    """Heads are told by quotient and remainder: where `heads` is negative they overlap."""
    pid = tl.program_id(0)
    value = tl.load(x + 20 + pid // heads * stride + pid % heads)
    tl.store(out + pid, value * value)


@triton.jit
def rows_of_heads(x, out, heads, rows, BLOCK: tl.constexpr):
    """No mask: as many programs along axis 0 as rows of a head have room for."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    pid = tl.program_id(1)
    head = pid // heads * (heads * rows * 8) + pid % heads * (rows * 8)
    place = head + at[:, None] * 8 + tl.arange(0, 8)[None, :]
    value = tl.load(x + place)
    tl.store(out + pid * (rows * 8) + at[:, None] * 8 + tl.arange(0, 8)[None, :], tl.exp(value))
