"""Flat indices that are told apart by // and %: the parts of one say which it is, where none is
missing, none is negative, and no two lanes, rounds or programs have the same."""

import triton
import triton.language as tl


@triton.jit
def batch_norm(x, w, b, out, N, C, HW, eps, BLOCK: tl.constexpr):
    c = tl.program_id(0)
    count = N * HW
    s = tl.zeros([BLOCK], tl.float32)
    for k in range(0, count, BLOCK):
        i = k + tl.arange(0, BLOCK)
        n = i // HW
        p = i % HW
        s += tl.load(x + n * (C * HW) + c * HW + p, mask=i < count, other=0.0)
    mean = tl.sum(s) / count
    q = tl.zeros([BLOCK], tl.float32)
    for k in range(0, count, BLOCK):
        i = k + tl.arange(0, BLOCK)
        v = tl.load(x + (i // HW) * (C * HW) + c * HW + i % HW, mask=i < count, other=0.0)
        d = tl.where(i < count, v - mean, 0.0)
        q += d * d
    scale = tl.load(w + c) * tl.rsqrt(tl.sum(q) / count + eps)
    shift = tl.load(b + c) - mean * scale
    for k in range(0, count, BLOCK):
        i = k + tl.arange(0, BLOCK)
        at = (i // HW * C + c) * HW + i % HW
        v = tl.load(x + at, mask=i < count, other=0.0)
        tl.store(out + at, v * scale + shift, mask=i < count)


@triton.jit
def channels_last(x, out, total, C, HW, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < total
    v = tl.load(x + (i // (C * HW) * C + i % C) * HW + i // C % HW, mask=inside, other=0.0)
    tl.store(out + i, v * v * v, mask=inside)


@triton.jit
def shuffled(x, out, total, H, W, R: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < total
    column = i % (W * R)
    row = i // (W * R) % (H * R)
    c = i // (W * R * H * R)
    at = ((c * R * R + row % R * R + column % R) * H + row // R) * W + column // R
    v = tl.load(x + at, mask=inside)
    tl.store(out + i, v * tl.sigmoid(v), mask=inside)


@triton.jit
def padded_rows(x, out, total, W, stride, BLOCK: tl.constexpr):
    """Rows that are `stride` apart: where that is less than W they overlap."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i // W * stride + i % W, mask=i < total)
    tl.store(out + i, tl.exp(v), mask=i < total)


@triton.jit
def tile_of_columns(x, out, total, W, C, BLOCK: tl.constexpr, CHANNELS: tl.constexpr):
    """Pixels along one dimension of a tile, channels along the other."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    c = tl.arange(0, CHANNELS)
    inside = (i < total)[:, None] & (c < C)[None, :]
    at = ((i // W)[:, None] * C + c[None, :]) * W + (i % W)[:, None]
    v = tl.load(x + at, mask=inside, other=0.0)
    tl.store(out + i[:, None] * C + c[None, :], v * v, mask=inside)


@triton.jit
def one_before(x, out, total, W, stride, BLOCK: tl.constexpr):
    """-1 % W is -1: what is divided may be negative."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + 1 + (i - 1) // W * stride + (i - 1) % W, mask=i < total)
    tl.store(out + i, v * v, mask=i < total)


@triton.jit
def two_divisors(x, out, total, W, V, stride, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i // W * stride + i % V, mask=i < total)
    tl.store(out + i, v * v, mask=i < total)


@triton.jit
def of_all_images(x, w, out, total, H, W, BLOCK: tl.constexpr):
    """The number of the image is missing: they meet."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < total)
    tl.store(out + i, v * tl.load(w + i // W % H * W + i % W, mask=i < total), mask=i < total)


@triton.jit
def tiles_that_overlap(x, out, total, W, BLOCK: tl.constexpr):
    """Programs begin where half of the one before is done."""
    i = tl.program_id(0) * (BLOCK // 2) + tl.arange(0, BLOCK)
    v = tl.load(x + i // W * W + i % W, mask=i < total)
    tl.store(out + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), v * v, mask=i < total)


@triton.jit
def crossed_parts(x, out, total, W, stride, BLOCK: tl.constexpr):
    """Quotients along one dimension, remainders along the other: of different lanes."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    at = (i // W)[:, None] * stride + (i % W)[None, :]
    inside = (i < total)[:, None] & (i < total)[None, :]
    v = tl.load(x + at, mask=inside, other=0.0)
    tl.store(out + i, tl.sum(v * v, axis=1), mask=i < total)


@triton.jit
def rounds_that_overlap(x, out, N, C, HW, BLOCK: tl.constexpr):
    c = tl.program_id(0)
    count = N * HW
    s = tl.zeros([BLOCK], tl.float32)
    for k in range(0, count, BLOCK // 2):
        i = k + tl.arange(0, BLOCK)
        v = tl.load(x + (i // HW * C + c) * HW + i % HW, mask=i < count, other=0.0)
        s += v * v
    tl.store(out + c, tl.sum(s))
