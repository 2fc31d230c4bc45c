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
def depthwise_rounds(x, w, out, H, W, C, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    """3x3 in loops; masks speak of nothing but the element."""
    plane = tl.program_id(0)
    i = tl.arange(0, BLOCK_H)[:, None]
    j = tl.arange(0, BLOCK_W)[None, :]
    total = tl.zeros([BLOCK_H, BLOCK_W], tl.float32)
    for a in range(3):
        for b in range(3):
            r, c = i + a - 1, j + b - 1
            inside = (r >= 0) & (r < H) & (c >= 0) & (c < W)
            total += tl.load(x + plane * H * W + r * W + c, mask=inside, other=0.0) * tl.load(w + plane % C * 9 + a * 3 + b)
    tl.store(out + plane * H * W + i * W + j, total, mask=(i < H) & (j < W))


@triton.jit
def not_the_last_lanes(x, w, out, n, taps, BLOCK: tl.constexpr):
    """The mask speaks of the lane, too: elements may be such that nobody may read."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    for k in range(taps):
        inside = (at + k < n) & (at < n - 2)
        total += tl.load(x + at + k, mask=inside, other=0.0) * tl.load(w + k)
    tl.store(out + at, total, mask=at < n)


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


@triton.jit
def valid(x, w, out, n, taps, BLOCK: tl.constexpr):
    """As many results as windows fit into a row, a row a program."""
    row = tl.program_id(1)
    count = n - taps + 1
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    for k in range(taps):
        total += tl.load(w + k) * tl.load(x + row * n + at + k, mask=at < count, other=0.0)
    tl.store(out + row * count + at, total, mask=at < count)


@triton.jit
def causal(x, w, out, steps, channels, TAPS: tl.constexpr, BLOCK_T: tl.constexpr, BLOCK_C: tl.constexpr):
    """Along time, each channel with weights of its own, and a gate."""
    t = tl.program_id(0) * BLOCK_T + tl.arange(0, BLOCK_T)[:, None]
    c = tl.program_id(1) * BLOCK_C + tl.arange(0, BLOCK_C)[None, :]
    total = tl.zeros([BLOCK_T, BLOCK_C], tl.float32)
    for k in tl.static_range(TAPS):
        inside = (t >= k) & (t < steps) & (c < channels)
        a = tl.load(x + (t - k) * channels + c, mask=inside, other=0.0)
        total += a * tl.load(w + c * TAPS + k, mask=c < channels, other=0.0)
    tl.store(out + t * channels + c, total * tl.sigmoid(total), mask=(t < steps) & (c < channels))


@triton.jit
def filtered(x, w, out, H, W, RADIUS: tl.constexpr, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    """Of an image, in blocks, by loops in both directions."""
    i = tl.program_id(0) * BLOCK_H + tl.arange(0, BLOCK_H)[:, None]
    j = tl.program_id(1) * BLOCK_W + tl.arange(0, BLOCK_W)[None, :]
    total = tl.zeros([BLOCK_H, BLOCK_W], tl.float32)
    for di in range(0, 2 * RADIUS + 1):
        for dj in range(0, 2 * RADIUS + 1):
            y, z = i + di - RADIUS, j + dj - RADIUS
            inside = (y >= 0) & (y < H) & (z >= 0) & (z < W)
            total += tl.load(w + di * (2 * RADIUS + 1) + dj) * tl.load(x + y * W + z, mask=inside, other=0.0)
    tl.store(out + i * W + j, total, mask=(i < H) & (j < W))


@triton.jit
def by_lane(x, w, out, n, BLOCK: tl.constexpr):
    """What a lane does depends on where in its program it is: its neighbour's neighbour may be in another one."""
    lanes = tl.arange(0, BLOCK)
    at = tl.program_id(0) * BLOCK + lanes
    left = tl.load(x + at - 1, mask=(at >= 1) & (at < n), other=0.0)
    here = tl.load(x + at, mask=at < n, other=0.0)
    tl.store(out + at, left * here * tl.load(w + lanes), mask=at < n)


@triton.jit
def by_program(x, scale, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    left = tl.load(x + at - 1, mask=(at >= 1) & (at < n), other=0.0)
    here = tl.load(x + at, mask=at < n, other=0.0)
    tl.store(out + at, (here - left) * (here - left) * tl.load(scale + tl.program_id(0)), mask=at < n)


@triton.jit
def normed(x, out, n, BLOCK: tl.constexpr):
    """Differences by how large all of the program's are."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    left = tl.load(x + at - 1, mask=(at >= 1) & (at < n), other=0.0)
    d = tl.where(at < n, tl.load(x + at, mask=at < n, other=0.0) - left, 0.0)
    tl.store(out + at, d / tl.sqrt(tl.sum(d * d, axis=0) + 1), mask=at < n)


@triton.jit
def noisy(x, out, seed, n, BLOCK: tl.constexpr):
    """Random numbers of a lane's place, and the place itself."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    left = tl.load(x + at - 1, mask=(at >= 1) & (at < n), other=0.0)
    right = tl.load(x + at + 1, mask=at + 1 < n, other=0.0)
    tl.store(out + at, left * right * tl.rand(seed, at) + tl.sin(at * right), mask=at < n)


@triton.jit
def unmasked(x, out, BLOCK: tl.constexpr):
    """Nothing says where the windows end."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at) * tl.load(x + at + 2))


@triton.jit
def beyond(x, out, n, BLOCK: tl.constexpr):
    """Rows of which windows reach into the next one."""
    at = tl.arange(0, BLOCK)
    row = x + tl.program_id(0) * n
    tl.store(out + tl.program_id(0) * n + at, tl.load(row + at, mask=at < n) * tl.load(row + at + 1, mask=at < n), mask=at < n)


@triton.jit
def sharpened(x, out, n, W: tl.constexpr, BLOCK: tl.constexpr):
    """A width that is known: neighbours above and below in a flat image."""
    i, j = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)[:, None], tl.arange(0, W)[None, :]
    total = 5 * tl.load(x + i * W + j, mask=i < n, other=0.0)
    total -= tl.load(x + (i - 1) * W + j, mask=(i >= 1) & (i < n), other=0.0)
    total -= tl.load(x + (i + 1) * W + j, mask=i + 1 < n, other=0.0)
    total -= tl.load(x + i * W + j - 1, mask=(i < n) & (j >= 1), other=0.0)
    total -= tl.load(x + i * W + j + 1, mask=(i < n) & (j + 1 < W), other=0.0)
    tl.store(out + i * W + j, total * total, mask=i < n)


@triton.jit
def causal_gated(x, w, out, n, BLOCK: tl.constexpr):
    """A convolution of what went before, times its own sigmoid: values of many ranks are moved."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    for k in tl.static_range(4):
        total += tl.load(w + k) * tl.load(x + at - 3 + k, mask=(at - 3 + k >= 0) & (at < n), other=0.0)
    tl.store(out + at, total * tl.sigmoid(total), mask=at < n)


@triton.jit
def dilated(x, out, n, step, BLOCK: tl.constexpr):
    """Of windows whose taps lie apart as a launch says."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    for k in tl.static_range(-1, 2):
        read = at + k * step
        total += (k + 2) * tl.load(x + read, mask=(read >= 0) & (read < n), other=0.0)
    tl.store(out + at, total, mask=at < n)


@triton.jit
def first_tap_apart(x, w, out, n, taps, BLOCK: tl.constexpr):
    """Round 0 stands in front of the loop."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.load(w) * tl.load(x + at, mask=at < n, other=0.0)
    for k in range(1, taps):
        total += tl.load(w + k) * tl.load(x + at - k, mask=(at >= k) & (at < n), other=0.0)
    tl.store(out + at, total, mask=at < n)


@triton.jit
def overlapping(x, y, H, W, OH, OW, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    """The largest of windows of 3 x 3 in steps of 2, in two loops."""
    image = tl.program_id(0)
    oh = tl.program_id(1) * BLOCK_H + tl.arange(0, BLOCK_H)
    ow = tl.arange(0, BLOCK_W)
    best = tl.full((BLOCK_H, BLOCK_W), -float("inf"), tl.float32)
    for i in range(3):
        for j in range(3):
            ih = oh * 2 + i - 1
            iw = ow * 2 + j - 1
            ok = ((ih >= 0) & (ih < H))[:, None] & ((iw >= 0) & (iw < W))[None, :]
            v = tl.load(x + image * H * W + ih[:, None] * W + iw[None, :], mask=ok, other=-float("inf"))
            best = tl.maximum(best, v)
    ok = (oh < OH)[:, None] & (ow < OW)[None, :]
    tl.store(y + image * OH * OW + oh[:, None] * OW + ow[None, :], best, mask=ok)
