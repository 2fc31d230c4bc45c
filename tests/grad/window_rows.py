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


@triton.jit
def rows_of_images(x, w, out, H, W, C, BLOCK: tl.constexpr):
    """3x3 of channels that lie last, a pixel a program: rows of all images behind each other."""
    row = tl.program_id(0)
    column = tl.program_id(1)
    c = tl.program_id(2) * BLOCK + tl.arange(0, BLOCK)
    n = row // H
    i = row - n * H
    s = tl.zeros([BLOCK], tl.float32)
    for di in range(3):
        for dj in range(3):
            y = i + di - 1
            z = column + dj - 1
            inside = (y >= 0) & (y < H) & (z >= 0) & (z < W) & (c < C)
            v = tl.load(x + ((n * H + y) * W + z) * C + c, mask=inside, other=0.0)
            s += v * tl.load(w + (di * 3 + dj) * C + c, mask=c < C, other=0.0)
    tl.store(out + (row * W + column) * C + c, s, mask=c < C)


@triton.jit
def columns_of_images(x, w, out, H: tl.constexpr, W, C: tl.constexpr, BLOCK: tl.constexpr):
    """The same by tiles of columns and channels, the row by a remainder."""
    row = tl.program_id(0)
    n = row // H
    i = row % H
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    c = tl.arange(0, C)
    s = tl.zeros([BLOCK, C], tl.float32)
    for u in tl.static_range(-1, 2):
        for v in tl.static_range(-1, 2):
            inside = (i + u >= 0) & (i + u < H) & (j + v >= 0) & (j + v < W)
            at = n * H * W * C + (i + u) * W * C + (j + v)[:, None] * C + c[None, :]
            t = tl.load(x + at, mask=inside[:, None], other=0.0)
            s += t * tl.load(w + (u * 3 + v + 4) * C + c)[None, :]
    tl.store(out + (row * W + j)[:, None] * C + c[None, :], s, mask=(j < W)[:, None])


@triton.jit
def rows_across_images(x, out, H, W, BLOCK: tl.constexpr):
    """No mask says where the row's image ends: windows go on in the next one."""
    row = tl.program_id(0)
    j = tl.arange(0, BLOCK)
    at = (row // H * H + row % H) * W + j
    a = tl.load(x + at, mask=j < W, other=0.0)
    b = tl.load(x + at + W, mask=(j < W) & (row + 1 < tl.num_programs(0)), other=0.0)
    tl.store(out + row * W + j, a * b, mask=j < W)


@triton.jit
def token_shift(x, last, mix, out, T, C, BLOCK: tl.constexpr):
    """Each step and the one before, in front of the first one a state: a branch chooses."""
    pid = tl.program_id(0)
    t = pid % T
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    m = c < C
    now = tl.load(x + pid * C + c, mask=m, other=0.0)
    if t == 0:
        before = tl.load(last + (pid // T) * C + c, mask=m, other=0.0)
    else:
        before = tl.load(x + (pid - 1) * C + c, mask=m, other=0.0)
    r = tl.load(mix + c, mask=m, other=0.0)
    tl.store(out + pid * C + c, now + (before - now) * r * r, mask=m)


@triton.jit
def but_the_first(x, out, T, C, BLOCK: tl.constexpr):
    """Nothing stands in front of the first one, and a branch has no other arm."""
    t = tl.program_id(0)
    at = tl.program_id(2) * T * C
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    before = tl.zeros([BLOCK], tl.float32)
    if t != 0:
        before = tl.load(x + at + (t - 1) * C + c, mask=c < C, other=0.0)
    now = tl.load(x + at + t * C + c, mask=c < C, other=0.0)
    tl.store(out + at + t * C + c, tl.exp(now) * before, mask=c < C)


@triton.jit
def arms_that_differ(x, w, out, T, C, BLOCK: tl.constexpr):
    """A scalar is chosen, without a mask, and divided by in an arm, which stays one."""
    t = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    scale = tl.load(w + t)
    if t >= 2:
        scale = tl.load(w + t - 2) + 1.0
    shift = tl.load(w)
    if C > 5:
        shift = tl.load(w + t // (C - 5))
    tl.store(out + t * C + c, tl.load(x + t * C + c, mask=c < C, other=0.0) * scale + shift, mask=c < C)


@triton.jit
def chain_of_arms(x, out, T, C, BLOCK: tl.constexpr):
    """One of three steps, by two branches of which one stands in an arm of the other."""
    t = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    m = c < C
    if t == 0:
        v = tl.load(x + c, mask=m, other=0.0)
    elif t == 1:
        v = tl.load(x + (t - 1) * C + c, mask=m, other=0.0) * 2.0
    else:
        v = tl.load(x + (t - 2) * C + c, mask=m, other=0.0) * 3.0
    tl.store(out + t * C + c, v * tl.load(x + t * C + c, mask=m, other=0.0), mask=m)
