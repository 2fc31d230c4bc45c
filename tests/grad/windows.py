"""Convolutions and stencils by shifted loads, pooling, interpolation."""

import triton
import triton.language as tl


@triton.jit
def convolution(x, w, out, n, TAPS: tl.constexpr, BLOCK: tl.constexpr):
    """The same length: zeros beyond both ends."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    for k in tl.static_range(TAPS):
        here = at + k - TAPS // 2
        total += tl.load(w + k) * tl.load(x + here, mask=(here >= 0) & (here < n), other=0.0)
    tl.store(out + at, total, mask=at < n)


@triton.jit
def convolution_loop(x, w, out, n, taps, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    for k in range(taps):
        total += tl.load(w + k) * tl.load(x + at - k, mask=(at >= k) & (at < n), other=0.0)
    tl.store(out + at, total, mask=at < n)


@triton.jit
def depthwise(x, w, bias, out, H, W, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    """3x3, a channel a program."""
    channel = tl.program_id(0)
    i = tl.arange(0, BLOCK_H)[:, None]
    j = tl.arange(0, BLOCK_W)[None, :]
    total = tl.zeros([BLOCK_H, BLOCK_W], tl.float32) + tl.load(bias + channel)
    for di in tl.static_range(3):
        for dj in tl.static_range(3):
            y, z = i + di - 1, j + dj - 1
            inside = (y >= 0) & (y < H) & (z >= 0) & (z < W)
            total += tl.load(w + channel * 9 + di * 3 + dj) * tl.load(x + channel * H * W + y * W + z, mask=inside, other=0.0)
    tl.store(out + channel * H * W + i * W + j, total, mask=(i < H) & (j < W))


@triton.jit
def laplace(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK) + 1
    inside = at < n - 1
    left = tl.load(x + at - 1, mask=inside)
    right = tl.load(x + at + 1, mask=inside)
    tl.store(out + at, left - 2 * tl.load(x + at, mask=inside) + right, mask=inside)


@triton.jit
def average_pool(x, out, H, W, BLOCK: tl.constexpr):
    """2x2, a row of results a program."""
    j = tl.arange(0, BLOCK)
    inside = j < W // 2
    row = x + 2 * tl.program_id(0) * W + 2 * j
    total = tl.load(row, mask=inside) + tl.load(row + 1, mask=inside)
    total += tl.load(row + W, mask=inside) + tl.load(row + W + 1, mask=inside)
    tl.store(out + tl.program_id(0) * (W // 2) + j, total * 0.25, mask=inside)


@triton.jit
def largest_pool(x, out, n, BLOCK: tl.constexpr):
    """Of three neighbours, by steps of two."""
    j = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = 2 * j + 2 < n
    most = tl.load(x + 2 * j, mask=inside, other=0.0)
    for k in tl.static_range(1, 3):
        most = tl.maximum(most, tl.load(x + 2 * j + k, mask=inside, other=0.0))
    tl.store(out + j, most, mask=inside)


@triton.jit
def resampled(x, out, n, m, BLOCK: tl.constexpr):
    """n numbers as m, straight lines between."""
    j = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    place = j * ((n - 1) / (m - 1))
    left = tl.minimum(tl.floor(place).to(tl.int32), n - 2)
    part = place - left
    a, b = tl.load(x + left, mask=j < m), tl.load(x + left + 1, mask=j < m)
    tl.store(out + j, a + part * (b - a), mask=j < m)


@triton.jit
def warped(x, places, out, n, m, BLOCK: tl.constexpr):
    """At places that are differentiated by, too."""
    j = tl.arange(0, BLOCK)
    place = tl.load(places + j, mask=j < m, other=0.0)
    left = tl.floor(place).to(tl.int32)
    part = place - left
    a, b = tl.load(x + left, mask=j < m), tl.load(x + left + 1, mask=j < m)
    tl.store(out + j, a + part * (b - a), mask=j < m)
