"""Windows over rows of which each is a program's, with no lanes along them."""

import triton
import triton.language as tl


@triton.jit
def filtered_rows(x, w, out, H, W, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for i in range(3):
        for j in range(3):
            r, c = row + i - 1, columns + j - 1
            inside = (r >= 0) & (r < H) & (c >= 0) & (c < W)
            total += tl.load(x + r * W + c, mask=inside, other=0.0) * tl.load(w + i * 3 + j)
    tl.store(out + row * W + columns, total, mask=columns < W)


@triton.jit
def of_channels(x, w, scale, out, H, W, K: tl.constexpr, BLOCK: tl.constexpr):
    """Depthwise; what is handed on is not linear, and goes by the row, too."""
    row, plane = tl.program_id(0), tl.program_id(1)
    columns = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for i in tl.static_range(K):
        for j in tl.static_range(K):
            r, c = row + i - K // 2, columns + j - K // 2
            inside = (r >= 0) & (r < H) & (c >= 0) & (c < W)
            total += tl.load(x + plane * H * W + r * W + c, mask=inside, other=0.0) * tl.load(w + i * K + j)
    total = tl.sigmoid(total) * tl.load(scale + row)
    tl.store(out + plane * H * W + row * W + columns, total, mask=columns < W)


@triton.jit
def causal_steps(x, w, out, T, C, taps, BLOCK: tl.constexpr):
    """Steps of time are programs, channels are lanes."""
    t = tl.program_id(0)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for k in range(taps):
        v = tl.load(x + (t - k) * C + c, mask=(t >= k) & (t < T) & (c < C), other=0.0)
        total += v * tl.load(w + k)
    tl.store(out + t * C + c, total * total, mask=(t < T) & (c < C))


@triton.jit
def up_and_down(x, out, H, W, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    above = tl.load(x + (row - 1) * W + c, mask=(row >= 1) & (row < H) & (c < W), other=0.0)
    here = tl.load(x + row * W + c, mask=(row < H) & (c < W), other=0.0)
    below = tl.load(x + (row + 1) * W + c, mask=(row + 1 < H) & (c < W), other=0.0)
    tl.store(out + row * W + c, tl.exp(above - here) * below, mask=(row < H) & (c < W))


@triton.jit
def normed_rows(x, out, H, W, BLOCK: tl.constexpr):
    """Each row less the one above, over the size of the difference."""
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    above = tl.load(x + (row - 1) * W + c, mask=(row >= 1) & (c < W), other=0.0)
    here = tl.load(x + row * W + c, mask=(row < H) & (c < W), other=0.0)
    d = here - above
    tl.store(out + row * W + c, d * tl.rsqrt(tl.sum(d * d, axis=0) + 1.0), mask=(row < H) & (c < W))


@triton.jit
def inner_rows(x, out, H, W, BLOCK: tl.constexpr):
    """From the second to the last but one: more rows are read than there are programs."""
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    inside = c < W
    a = tl.load(x + row * W + c, mask=inside, other=0.0)
    b = tl.load(x + (row + 1) * W + c, mask=inside, other=0.0)
    d = tl.load(x + (row + 2) * W + c, mask=inside, other=0.0)
    tl.store(out + row * W + c, a * d - b * b, mask=inside)


@triton.jit
def wrapped_rows(x, out, H, W, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    a = tl.load(x + row * W + c, mask=c < W, other=0.0)
    b = tl.load(x + (row + 1) % H * W + c, mask=c < W, other=0.0)
    tl.store(out + row * W + c, a * b, mask=c < W)
