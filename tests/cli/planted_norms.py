# planted_norms.py - mistakes in norms, softmaxes, gradients and what packs numbers, beside their right twins; see planted_norms.txt
import triton
import triton.language as tl


@triton.jit
def eps_place_wrong(x, out, n, eps, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + row * n + c, mask=c < n, other=0.0)
    ms = tl.sum(v * v, axis=0) / n
    tl.store(out + row * n + c, v * (tl.rsqrt(ms) + eps), mask=c < n)


@triton.jit
def eps_place(x, out, n, eps, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + row * n + c, mask=c < n, other=0.0)
    ms = tl.sum(v * v, axis=0) / n
    tl.store(out + row * n + c, v * tl.rsqrt(ms + eps), mask=c < n)


@triton.jit
def bn_stats_wrong(x, mean, var, n, C, B: tl.constexpr):
    ch = tl.program_id(0)
    s = 0.0
    q = 0.0
    for i in range(0, n, B):
        at = i + tl.arange(0, B)
        v = tl.load(x + at * C + ch, mask=at < n, other=0.0)
        s += tl.sum(v, 0)
        q += tl.sum(v * v, 0)
    m = s / n
    tl.store(mean + ch, m)
    tl.store(var + ch, q / n - m)


@triton.jit
def bn_stats(x, mean, var, n, C, B: tl.constexpr):
    ch = tl.program_id(0)
    s = 0.0
    q = 0.0
    for i in range(0, n, B):
        at = i + tl.arange(0, B)
        v = tl.load(x + at * C + ch, mask=at < n, other=0.0)
        s += tl.sum(v, 0)
        q += tl.sum(v * v, 0)
    m = s / n
    tl.store(mean + ch, m)
    tl.store(var + ch, q / n - m * m)


@triton.jit
def ln_uncentred_wrong(x, g, b, out, n, eps, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    ok = c < n
    v = tl.load(x + row * n + c, mask=ok, other=0.0)
    mean = tl.sum(v, 0) / n
    d = tl.where(ok, v - mean, 0.0)
    rstd = 1 / tl.sqrt(tl.sum(d * d, 0) / n + eps)
    y = v * rstd * tl.load(g + c, mask=ok) + tl.load(b + c, mask=ok)
    tl.store(out + row * n + c, y, mask=ok)


@triton.jit
def ln_uncentred(x, g, b, out, n, eps, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    ok = c < n
    v = tl.load(x + row * n + c, mask=ok, other=0.0)
    mean = tl.sum(v, 0) / n
    d = tl.where(ok, v - mean, 0.0)
    rstd = 1 / tl.sqrt(tl.sum(d * d, 0) / n + eps)
    y = d * rstd * tl.load(g + c, mask=ok) + tl.load(b + c, mask=ok)
    tl.store(out + row * n + c, y, mask=ok)


@triton.jit
def l2norm_wrong(x, out, n, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + row * n + c, mask=c < n, other=0.0)
    s = tl.sum(v * v, 0)
    tl.store(out + row * n + c, v / (s + 1e-12), mask=c < n)


@triton.jit
def l2norm(x, out, n, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + row * n + c, mask=c < n, other=0.0)
    s = tl.sum(v * v, 0)
    tl.store(out + row * n + c, v / tl.sqrt(s + 1e-12), mask=c < n)


@triton.jit
def adam_wrong(p, g, m, v, lr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    ok = i < n
    d = tl.load(g + i, mask=ok)
    a = 0.9 * tl.load(m + i, mask=ok) + 0.1 * d
    b = 0.999 * tl.load(v + i, mask=ok) + 0.001 * d * d
    tl.store(m + i, a, mask=ok)
    tl.store(v + i, b, mask=ok)
    tl.store(p + i, tl.load(p + i, mask=ok) - lr * a / (b + 1e-8), mask=ok)


@triton.jit
def adam(p, g, m, v, lr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    ok = i < n
    d = tl.load(g + i, mask=ok)
    a = 0.9 * tl.load(m + i, mask=ok) + 0.1 * d
    b = 0.999 * tl.load(v + i, mask=ok) + 0.001 * d * d
    tl.store(m + i, a, mask=ok)
    tl.store(v + i, b, mask=ok)
    tl.store(p + i, tl.load(p + i, mask=ok) - lr * a / (tl.sqrt(b) + 1e-8), mask=ok)


@triton.jit
def sm_bwd_wrong(y, dy, dx, n, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    ok = c < n
    p = tl.load(y + row * n + c, mask=ok, other=0.0)
    g = tl.load(dy + row * n + c, mask=ok, other=0.0)
    tl.store(dx + row * n + c, p * g - tl.sum(p * g, 0), mask=ok)


@triton.jit
def sm_bwd(y, dy, dx, n, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    ok = c < n
    p = tl.load(y + row * n + c, mask=ok, other=0.0)
    g = tl.load(dy + row * n + c, mask=ok, other=0.0)
    tl.store(dx + row * n + c, p * (g - tl.sum(p * g, 0)), mask=ok)


@triton.jit
def softmax_no_max_wrong(x, out, n, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + row * n + c, mask=c < n, other=-float("inf"))
    e = tl.exp(v)
    tl.store(out + row * n + c, e / tl.sum(e, axis=0), mask=c < n)


@triton.jit
def softmax_no_max(x, out, n, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + row * n + c, mask=c < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * n + c, e / tl.sum(e, axis=0), mask=c < n)


@triton.jit
def softmax_rows_wrong(x, out, h, w, BH: tl.constexpr, BW: tl.constexpr):
    r = tl.program_id(0) * BH + tl.arange(0, BH)
    c = tl.arange(0, BW)
    m = (r[:, None] < h) & (c[None, :] < w)
    v = tl.load(x + r[:, None] * w + c[None, :], mask=m, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0)[None, :])
    tl.store(out + r[:, None] * w + c[None, :], e / tl.sum(e, 0)[None, :], mask=m)


@triton.jit
def softmax_rows(x, out, h, w, BH: tl.constexpr, BW: tl.constexpr):
    r = tl.program_id(0) * BH + tl.arange(0, BH)
    c = tl.arange(0, BW)
    m = (r[:, None] < h) & (c[None, :] < w)
    v = tl.load(x + r[:, None] * w + c[None, :], mask=m, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 1)[:, None])
    tl.store(out + r[:, None] * w + c[None, :], e / tl.sum(e, 1)[:, None], mask=m)


@triton.jit
def attn_no_scale_wrong(q, k, v, out, n, scale, B: tl.constexpr, D: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    d = tl.arange(0, D)
    c = tl.arange(0, B)
    Q = tl.load(q + r[:, None] * D + d[None, :])
    m = tl.full((B,), -float("inf"), tl.float32)
    l = tl.zeros((B,), tl.float32)
    acc = tl.zeros((B, D), tl.float32)
    for s in range(0, n, B):
        K = tl.load(k + (s + c)[:, None] * D + d[None, :])
        V = tl.load(v + (s + c)[:, None] * D + d[None, :])
        S = tl.dot(Q, tl.trans(K))
        new = tl.maximum(m, tl.max(S, 1))
        p = tl.exp(S - new[:, None])
        a = tl.exp(m - new)
        l = l * a + tl.sum(p, 1)
        acc = acc * a[:, None] + tl.dot(p, V)
        m = new
    tl.store(out + r[:, None] * D + d[None, :], acc / l[:, None])


@triton.jit
def attn_no_scale(q, k, v, out, n, scale, B: tl.constexpr, D: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    d = tl.arange(0, D)
    c = tl.arange(0, B)
    Q = tl.load(q + r[:, None] * D + d[None, :])
    m = tl.full((B,), -float("inf"), tl.float32)
    l = tl.zeros((B,), tl.float32)
    acc = tl.zeros((B, D), tl.float32)
    for s in range(0, n, B):
        K = tl.load(k + (s + c)[:, None] * D + d[None, :])
        V = tl.load(v + (s + c)[:, None] * D + d[None, :])
        S = tl.dot(Q, tl.trans(K)) * scale
        new = tl.maximum(m, tl.max(S, 1))
        p = tl.exp(S - new[:, None])
        a = tl.exp(m - new)
        l = l * a + tl.sum(p, 1)
        acc = acc * a[:, None] + tl.dot(p, V)
        m = new
    tl.store(out + r[:, None] * D + d[None, :], acc / l[:, None])


@triton.jit
def nibble_wrong(p, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    b = tl.load(p + i, mask=i < n, other=0)
    lo = b & 0xF
    hi = b & 0xF0
    tl.store(out + 2 * i, lo.to(tl.float32), mask=i < n)
    tl.store(out + 2 * i + 1, hi.to(tl.float32), mask=i < n)


@triton.jit
def nibble(p, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    b = tl.load(p + i, mask=i < n, other=0)
    lo = b & 0xF
    hi = (b & 0xF0) >> 4
    tl.store(out + 2 * i, lo.to(tl.float32), mask=i < n)
    tl.store(out + 2 * i + 1, hi.to(tl.float32), mask=i < n)


@triton.jit
def scan_blocks_wrong(x, out, n, B: tl.constexpr):
    row = tl.program_id(0)
    for s in range(0, n, B):
        c = s + tl.arange(0, B)
        v = tl.load(x + row * n + c, mask=c < n, other=0.0)
        tl.store(out + row * n + c, tl.cumsum(v, 0), mask=c < n)


@triton.jit
def scan_blocks(x, out, n, B: tl.constexpr):
    row = tl.program_id(0)
    carry = 0.0
    for s in range(0, n, B):
        c = s + tl.arange(0, B)
        v = tl.load(x + row * n + c, mask=c < n, other=0.0)
        tl.store(out + row * n + c, tl.cumsum(v, 0) + carry, mask=c < n)
        carry += tl.sum(v, 0)


@triton.jit
def sround_wrong(x, out, seed, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    u = tl.rand(seed, tl.program_id(0))
    tl.store(out + i, tl.floor(v + u).to(tl.int8), mask=i < n)


@triton.jit
def sround(x, out, seed, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    u = tl.rand(seed, i)
    tl.store(out + i, tl.floor(v + u).to(tl.int8), mask=i < n)


@triton.jit
def top2_wrong(x, out, n, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + row * n + c, mask=c < n, other=-float("inf"))
    a = tl.max(v, 0)
    v = tl.where(v == a, 0.0, v)
    b = tl.max(v, 0)
    tl.store(out + row * 2, a)
    tl.store(out + row * 2 + 1, b)


@triton.jit
def top2(x, out, n, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + row * n + c, mask=c < n, other=-float("inf"))
    a = tl.max(v, 0)
    v = tl.where(v == a, -float("inf"), v)
    b = tl.max(v, 0)
    tl.store(out + row * 2, a)
    tl.store(out + row * 2 + 1, b)


@triton.jit
def ln_row_gain_wrong(x, g, out, n, eps, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    ok = c < n
    v = tl.load(x + row * n + c, mask=ok, other=0.0)
    rstd = 1 / tl.sqrt(tl.sum(v * v, 0) / n + eps)
    tl.store(out + row * n + c, v * rstd * tl.load(g + row), mask=ok)


@triton.jit
def ln_row_gain(x, g, out, n, eps, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    ok = c < n
    v = tl.load(x + row * n + c, mask=ok, other=0.0)
    rstd = 1 / tl.sqrt(tl.sum(v * v, 0) / n + eps)
    tl.store(out + row * n + c, v * rstd * tl.load(g + c, mask=ok), mask=ok)
