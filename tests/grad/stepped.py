"""Windows in steps that are known only at run time, or that are moved by what is."""
import triton
import triton.language as tl


@triton.jit
def strided(x, w, y, n, m, taps, stride, dilation, pad, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), tl.float32)
    for k in range(taps):
        i = o * stride + k * dilation - pad
        acc += tl.load(w + k) * tl.load(x + i, mask=(o < m) & (i >= 0) & (i < n), other=0.0)
    tl.store(y + o, acc, mask=o < m)


@triton.jit
def by_channels(x, w, y, C, H, W, OH, OW, sh, sw, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    """3 x 3 of each channel by itself."""
    image = tl.program_id(0)
    oh = tl.program_id(1) * BLOCK_H + tl.arange(0, BLOCK_H)
    ow = tl.arange(0, BLOCK_W)
    acc = tl.zeros((BLOCK_H, BLOCK_W), tl.float32)
    for i in range(3):
        for j in range(3):
            ih = oh * sh + i - 1
            iw = ow * sw + j - 1
            ok = ((ih >= 0) & (ih < H))[:, None] & ((iw >= 0) & (iw < W))[None, :]
            ok = ok & (oh < OH)[:, None] & (ow < OW)[None, :]
            v = tl.load(x + image * H * W + ih[:, None] * W + iw[None, :], mask=ok, other=0.0)
            acc += v * tl.load(w + image % C * 9 + i * 3 + j)
    out = image * OH * OW + oh[:, None] * OW + ow[None, :]
    tl.store(y + out, acc, mask=(oh < OH)[:, None] & (ow < OW)[None, :])


@triton.jit
def overlapping_means(x, y, H, W, OH, OW, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    """Means of 3 x 3 in steps of 2 by 3, with a border of one."""
    image = tl.program_id(0)
    oh = tl.program_id(1) * BLOCK_H + tl.arange(0, BLOCK_H)
    ow = tl.arange(0, BLOCK_W)
    total = tl.zeros((BLOCK_H, BLOCK_W), tl.float32)
    inside = (oh < OH)[:, None] & (ow < OW)[None, :]
    for i in tl.static_range(3):
        for j in tl.static_range(3):
            ih = oh * 2 + i - 1
            iw = ow * 3 + j - 1
            ok = ((ih >= 0) & (ih < H))[:, None] & ((iw >= 0) & (iw < W))[None, :] & inside
            total += tl.load(x + image * H * W + ih[:, None] * W + iw[None, :], mask=ok, other=0.0)
    tl.store(y + image * OH * OW + oh[:, None] * OW + ow[None, :], total / 9, mask=inside)


@triton.jit
def soft_largest(x, y, n, m, stride, r, SIZE: tl.constexpr, BLOCK: tl.constexpr):
    """No mask says that windows begin at 0: their numbers are never less."""
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    s = tl.zeros((BLOCK,), tl.float32)
    for k in range(SIZE):
        i = o * stride + k
        s += tl.exp(r * tl.load(x + i, mask=(o < m) & (i < n), other=-float("inf")))
    tl.store(y + o, tl.log(s / SIZE) / r, mask=o < m)


@triton.jit
def dilated(x, wf, wg, y, T, C, dilation, BLOCK_T: tl.constexpr, BLOCK_C: tl.constexpr, K: tl.constexpr):
    """Gated, causal."""
    t = tl.program_id(0) * BLOCK_T + tl.arange(0, BLOCK_T)
    c = tl.arange(0, BLOCK_C)
    f = tl.zeros((BLOCK_T, BLOCK_C), tl.float32)
    g = tl.zeros((BLOCK_T, BLOCK_C), tl.float32)
    for k in tl.static_range(K):
        s = t - k * dilation
        ok = (s >= 0)[:, None] & (t < T)[:, None] & (c < C)[None, :]
        v = tl.load(x + s[:, None] * C + c[None, :], mask=ok, other=0.0)
        f += v * tl.load(wf + k * C + c, mask=c < C, other=0.0)[None, :]
        g += v * tl.load(wg + k * C + c, mask=c < C, other=0.0)[None, :]
    e = tl.exp(2.0 * f)
    z = (e - 1.0) / (e + 1.0) * tl.sigmoid(g)
    tl.store(y + t[:, None] * C + c[None, :], z, mask=(t < T)[:, None] & (c < C)[None, :])


@triton.jit
def read_beside(x, y, n, m, stride, BLOCK: tl.constexpr):
    """What the mask numbers is one less than what is read."""
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), tl.float32)
    for k in range(3):
        i = o * stride + k - 1
        acc += (k + 1) * tl.load(x + i + 1, mask=(o < m) & (i >= 0) & (i < n), other=0.0)
    tl.store(y + o, acc * acc, mask=o < m)


@triton.jit
def of_two_steps(x, y, n, m, stride, BLOCK: tl.constexpr):
    """Windows that step otherwise, of one array."""
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), tl.float32)
    for k in range(3):
        i = o * stride + k
        j = o * (stride + 1) + k
        a = tl.load(x + i, mask=(o < m) & (i < n), other=0.0)
        acc += a * tl.load(x + j, mask=(o < m) & (j < n), other=0.0)
    tl.store(y + o, acc, mask=o < m)


@triton.jit
def known_by_memory(x, steps, y, n, m, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    stride = tl.load(steps)
    acc = tl.zeros((BLOCK,), tl.float32)
    for k in range(3):
        i = o * stride + k
        acc += tl.load(x + i, mask=(o < m) & (i < n), other=0.0)
    tl.store(y + o, acc * acc, mask=o < m)


@triton.jit
def weighed_by_place(x, y, n, m, stride, BLOCK: tl.constexpr):
    """What is handed on knows the window, the element, and the round."""
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), tl.float32)
    for k in range(4):
        i = o * stride + k - 2
        v = tl.load(x + i, mask=(o < m) & (i >= 0) & (i < n), other=0.0)
        acc += v * v * (i + 2 * o + 3 * k)
    tl.store(y + o, acc / (o + 1), mask=o < m)
