# planted_formulas.py - formulas that lack a factor, a summand or a power, beside their right twins; see planted_formulas.txt
import triton
import triton.language as tl


@triton.jit
def dist_wrong(a, b, out, n, m, D: tl.constexpr, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    c = tl.program_id(1) * B + tl.arange(0, B)
    d = tl.arange(0, D)
    x = tl.load(a + r[:, None] * D + d[None, :], mask=r[:, None] < n, other=0.0)
    y = tl.load(b + c[:, None] * D + d[None, :], mask=c[:, None] < m, other=0.0)
    s = tl.sum(x * x, 1)[:, None] + tl.sum(y * y, 1)[None, :] - tl.dot(x, tl.trans(y))
    tl.store(out + r[:, None] * m + c[None, :], tl.sqrt(tl.maximum(s, 0.0)), mask=(r[:, None] < n) & (c[None, :] < m))


@triton.jit
def dist(a, b, out, n, m, D: tl.constexpr, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    c = tl.program_id(1) * B + tl.arange(0, B)
    d = tl.arange(0, D)
    x = tl.load(a + r[:, None] * D + d[None, :], mask=r[:, None] < n, other=0.0)
    y = tl.load(b + c[:, None] * D + d[None, :], mask=c[:, None] < m, other=0.0)
    s = tl.sum(x * x, 1)[:, None] + tl.sum(y * y, 1)[None, :] - 2 * tl.dot(x, tl.trans(y))
    tl.store(out + r[:, None] * m + c[None, :], tl.sqrt(tl.maximum(s, 0.0)), mask=(r[:, None] < n) & (c[None, :] < m))


@triton.jit
def res_norm_wrong(x, r, g, out, n, eps, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    ok = c < n
    v = tl.load(x + row * n + c, mask=ok, other=0.0)
    u = tl.load(r + row * n + c, mask=ok, other=0.0)
    h = v + u
    ms = tl.sum(h * h, 0) / n
    tl.store(out + row * n + c, v * tl.rsqrt(ms + eps) * tl.load(g + c, mask=ok), mask=ok)


@triton.jit
def res_norm(x, r, g, out, n, eps, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    ok = c < n
    v = tl.load(x + row * n + c, mask=ok, other=0.0)
    u = tl.load(r + row * n + c, mask=ok, other=0.0)
    h = v + u
    ms = tl.sum(h * h, 0) / n
    tl.store(out + row * n + c, h * tl.rsqrt(ms + eps) * tl.load(g + c, mask=ok), mask=ok)


@triton.jit
def kaxis_wrong(q, k, out, n, D: tl.constexpr, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    c = tl.arange(0, B)
    d = tl.arange(0, D)
    Q = tl.load(q + r[:, None] * D + d[None, :])
    m = tl.full((B,), -float("inf"), tl.float32)
    for s in range(0, n, B):
        K = tl.load(k + c[:, None] * D + d[None, :])
        m = tl.maximum(m, tl.max(tl.dot(Q, tl.trans(K)), 1))
    tl.store(out + r, m)


@triton.jit
def kaxis(q, k, out, n, D: tl.constexpr, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    c = tl.arange(0, B)
    d = tl.arange(0, D)
    Q = tl.load(q + r[:, None] * D + d[None, :])
    m = tl.full((B,), -float("inf"), tl.float32)
    for s in range(0, n, B):
        K = tl.load(k + (s + c)[:, None] * D + d[None, :])
        m = tl.maximum(m, tl.max(tl.dot(Q, tl.trans(K)), 1))
    tl.store(out + r, m)


@triton.jit
def var2_wrong(x, out, n, B: tl.constexpr):
    row = tl.program_id(0)
    s = 0.0
    q = 0.0
    for i in range(0, n, B):
        c = i + tl.arange(0, B)
        v = tl.load(x + row * n + c, mask=c < n, other=0.0)
        s += tl.sum(v, 0)
        q += tl.sum(v * v, 0)
    tl.store(out + row, q / n - s * s / n)


@triton.jit
def var2(x, out, n, B: tl.constexpr):
    row = tl.program_id(0)
    s = 0.0
    q = 0.0
    for i in range(0, n, B):
        c = i + tl.arange(0, B)
        v = tl.load(x + row * n + c, mask=c < n, other=0.0)
        s += tl.sum(v, 0)
        q += tl.sum(v * v, 0)
    tl.store(out + row, q / n - (s / n) * (s / n))


@triton.jit
def exp_scale_wrong(x, out, n, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + row * n + c, mask=c < n, other=-float("inf"))
    m = tl.max(v, 0)
    e = tl.exp2((v - m) * 0.6931472)
    tl.store(out + row * n + c, e / tl.sum(e, 0), mask=c < n)


@triton.jit
def exp_scale(x, out, n, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + row * n + c, mask=c < n, other=-float("inf"))
    m = tl.max(v, 0)
    e = tl.exp2((v - m) * 1.442695)
    tl.store(out + row * n + c, e / tl.sum(e, 0), mask=c < n)
