"""Transposed convolutions: the element that a lane reads is a quotient of its number, where nothing is left."""

import triton
import triton.language as tl


@triton.jit
def by_quotients(x, w, out, n, length, stride, pad, taps, BLOCK: tl.constexpr):
    channel = tl.program_id(1)
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    s = tl.zeros([BLOCK], tl.float32)
    for k in range(taps):
        t = o + pad - k
        i = t // stride
        ok = (t >= 0) & (t % stride == 0) & (i < n) & (o < length)
        s += tl.load(x + channel * n + i, mask=ok, other=0.0) * tl.load(w + channel * taps + k)
    tl.store(out + channel * length + o, s, mask=o < length)


@triton.jit
def in_both_directions(x, w, out, H, W, rows, columns, BLOCK: tl.constexpr):
    o = tl.program_id(0)
    p = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    s = tl.zeros([BLOCK], tl.float32)
    for a in tl.static_range(3):
        t = o + 1 - a
        for b in tl.static_range(3):
            u = p + 1 - b
            ok = (t >= 0) & (t % 2 == 0) & (t // 2 < H) & (u >= 0) & (u % 2 == 0) & (u // 2 < W)
            s += tl.load(x + t // 2 * W + u // 2, mask=ok & (p < columns), other=0.0) * tl.load(w + a * 3 + b)
    tl.store(out + o * columns + p, tl.sin(s), mask=p < columns)


@triton.jit
def by_the_element(x, w, out, n, length, taps, BLOCK: tl.constexpr):
    """The mask says that the quotient is not negative; each of so many lanes reads three channels."""
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    c = tl.arange(0, 4)
    s = tl.zeros([BLOCK, 4], tl.float32)
    for k in range(taps):
        i = (o - k) // 3
        ok = (i >= 0) & ((o - k) % 3 == 0) & (i < n) & (o < length)
        s += tl.load(x + i[:, None] * 4 + c[None, :], mask=ok[:, None], other=0.0) * tl.load(w + k)
    tl.store(out + o[:, None] * 4 + c[None, :], s, mask=(o < length)[:, None])


@triton.jit
def nearest(x, w, out, n, length, taps, BLOCK: tl.constexpr):
    """Something is left: several lanes read one element by one tap."""
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    s = tl.zeros([BLOCK], tl.float32)
    for k in range(taps):
        i = (o + k) // 2
        s += tl.load(x + i, mask=(i < n) & (o < length), other=0.0) * tl.load(w + k)
    tl.store(out + o, s, mask=o < length)


@triton.jit
def other_rest(x, w, out, n, length, taps, BLOCK: tl.constexpr):
    """What is left of another number says nothing."""
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    s = tl.zeros([BLOCK], tl.float32)
    for k in range(taps):
        i = (o + k) // 2
        ok = ((o + k) % 3 == 0) & (i < n) & (o < length)
        s += tl.load(x + i, mask=ok, other=0.0) * tl.load(w + k)
    tl.store(out + o, s, mask=o < length)


@triton.jit
def knows_its_program(x, scale, out, n, length, taps, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    s = tl.zeros([BLOCK], tl.float32)
    for k in range(taps):
        t = o - k
        ok = (t >= 0) & (t % 2 == 0) & (t // 2 < n) & (o < length)
        s += tl.load(x + t // 2, mask=ok, other=0.0) * tl.load(scale + tl.program_id(0))
    tl.store(out + o, s, mask=o < length)


@triton.jit
def by_its_number(x, out, n, length, taps, BLOCK: tl.constexpr):
    """What a lane hands on goes by its number, and by what it reads there."""
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    s = tl.zeros([BLOCK], tl.float32)
    for k in range(taps):
        t = o - k
        ok = (t >= 0) & (t % 2 == 0) & (t // 2 < n) & (o < length)
        v = tl.load(x + t // 2, mask=ok, other=0.0)
        s += tl.where(o % 3 == 0, v * v, v * (o + k).to(tl.float32))
    tl.store(out + o, s, mask=o < length)
