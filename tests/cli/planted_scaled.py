"""Sums that do not follow their maximum, products, choices, and formulas of which nothing is said.

planted_scaled.txt has the commands.
"""

import triton
import triton.language as tl


@triton.jit
def flash_fwd_wrong(q, k, v, o, lse, scale, H, T, BM: tl.constexpr, BN: tl.constexpr,
        DD: tl.constexpr):
    pid = tl.program_id(0)
    bh = tl.program_id(1)
    base = bh * T * DD
    rm = pid * BM + tl.arange(0, BM)
    rn = tl.arange(0, BN)
    rd = tl.arange(0, DD)
    qv = tl.load(q + base + rm[:, None] * DD + rd[None, :], mask=rm[:, None] < T, other=0.0)
    m = tl.full((BM,), float("-inf"), tl.float32)
    l = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, DD), tl.float32)
    for s in range(0, T, BN):
        n = s + rn
        kv = tl.load(k + base + n[None, :] * DD + rd[:, None], mask=n[None, :] < T, other=0.0)
        qk = tl.dot(qv, kv) * scale
        qk = tl.where(n[None, :] < T, qk, float("-inf"))
        mn = tl.maximum(m, tl.max(qk, 1))
        p = tl.exp(qk - mn[:, None])
        al = tl.exp(m - mn)
        l = l * al + tl.sum(p, 1)
        acc = acc * l[:, None]
        vv = tl.load(v + base + n[:, None] * DD + rd[None, :], mask=n[:, None] < T, other=0.0)
        acc = tl.dot(p.to(vv.dtype), vv, acc)
        m = mn
    acc = acc / l[:, None]
    tl.store(o + base + rm[:, None] * DD + rd[None, :], acc.to(tl.float16), mask=rm[:, None] < T)
    tl.store(lse + bh * T + rm, m + tl.log(l), mask=rm < T)


@triton.jit
def flash_fwd(q, k, v, o, lse, scale, H, T, BM: tl.constexpr, BN: tl.constexpr, DD: tl.constexpr):
    pid = tl.program_id(0)
    bh = tl.program_id(1)
    base = bh * T * DD
    rm = pid * BM + tl.arange(0, BM)
    rn = tl.arange(0, BN)
    rd = tl.arange(0, DD)
    qv = tl.load(q + base + rm[:, None] * DD + rd[None, :], mask=rm[:, None] < T, other=0.0)
    m = tl.full((BM,), float("-inf"), tl.float32)
    l = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, DD), tl.float32)
    for s in range(0, T, BN):
        n = s + rn
        kv = tl.load(k + base + n[None, :] * DD + rd[:, None], mask=n[None, :] < T, other=0.0)
        qk = tl.dot(qv, kv) * scale
        qk = tl.where(n[None, :] < T, qk, float("-inf"))
        mn = tl.maximum(m, tl.max(qk, 1))
        p = tl.exp(qk - mn[:, None])
        al = tl.exp(m - mn)
        l = l * al + tl.sum(p, 1)
        acc = acc * al[:, None]
        vv = tl.load(v + base + n[:, None] * DD + rd[None, :], mask=n[:, None] < T, other=0.0)
        acc = tl.dot(p.to(vv.dtype), vv, acc)
        m = mn
    acc = acc / l[:, None]
    tl.store(o + base + rm[:, None] * DD + rd[None, :], acc.to(tl.float16), mask=rm[:, None] < T)
    tl.store(lse + bh * T + rm, m + tl.log(l), mask=rm < T)


@triton.jit
def softmax_online_wrong(x, out, C, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    m = -float("inf")
    s = 0.0
    for start in range(0, C, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * C + cols, mask=cols < C, other=-float("inf"))
        mn = tl.maximum(m, tl.max(v, axis=0))
        s = s * tl.exp(mn - m) + tl.sum(tl.exp(v - mn), axis=0)
        m = mn
    for start in range(0, C, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * C + cols, mask=cols < C, other=-float("inf"))
        tl.store(out + row * C + cols, tl.exp(v - m) / s, mask=cols < C)


@triton.jit
def softmax_online(x, out, C, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    m = -float("inf")
    s = 0.0
    for start in range(0, C, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * C + cols, mask=cols < C, other=-float("inf"))
        mn = tl.maximum(m, tl.max(v, axis=0))
        s = s * tl.exp(m - mn) + tl.sum(tl.exp(v - mn), axis=0)
        m = mn
    for start in range(0, C, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * C + cols, mask=cols < C, other=-float("inf"))
        tl.store(out + row * C + cols, tl.exp(v - m) / s, mask=cols < C)


@triton.jit
def z_loss_wrong(x, z, V, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    m = -float("inf")
    s = 0.0
    for i in range(0, V, BLOCK):
        c = i + tl.arange(0, BLOCK)
        v = tl.load(x + r * V + c, mask=c < V, other=-float("inf"))
        mn = tl.maximum(m, tl.max(v, 0))
        s = s * tl.exp(m - mn) + tl.sum(tl.exp(v - mn), 0)
    lse = m + tl.log(s)
    tl.store(z + r, lse * lse)


@triton.jit
def z_loss(x, z, V, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    m = -float("inf")
    s = 0.0
    for i in range(0, V, BLOCK):
        c = i + tl.arange(0, BLOCK)
        v = tl.load(x + r * V + c, mask=c < V, other=-float("inf"))
        mn = tl.maximum(m, tl.max(v, 0))
        s = s * tl.exp(m - mn) + tl.sum(tl.exp(v - mn), 0)
        m = mn
    lse = m + tl.log(s)
    tl.store(z + r, lse * lse)


@triton.jit
def rwkv_wkv_wrong(k, v, w, u, o, T, C, BC: tl.constexpr):
    b = tl.program_id(0)
    c = tl.program_id(1) * BC + tl.arange(0, BC)
    m = c < C
    wv = tl.load(w + c, mask=m, other=0.0)
    uv = tl.load(u + c, mask=m, other=0.0)
    al = tl.zeros((BC,), tl.float32)
    be = tl.zeros((BC,), tl.float32)
    ep = tl.full((BC,), -1e38, tl.float32)
    for t in range(0, T):
        off = (b * T + t) * C + c
        kt = tl.load(k + off, mask=m, other=0.0)
        vt = tl.load(v + off, mask=m, other=0.0)
        tau = tl.maximum(uv + kt, ep)
        e1 = tl.exp(ep - tau)
        e2 = tl.exp(uv + kt - tau)
        tl.store(o + off, (e1 * al + e2 * vt) / (e1 * be + e2), mask=m)
        nep = tl.maximum(wv + ep, kt)
        e1 = tl.exp(wv + ep - nep)
        e2 = tl.exp(kt - nep)
        al = e1 * al + e2 * vt
        be = e1 * be + e2
        ep = tau


@triton.jit
def rwkv_wkv(k, v, w, u, o, T, C, BC: tl.constexpr):
    b = tl.program_id(0)
    c = tl.program_id(1) * BC + tl.arange(0, BC)
    m = c < C
    wv = tl.load(w + c, mask=m, other=0.0)
    uv = tl.load(u + c, mask=m, other=0.0)
    al = tl.zeros((BC,), tl.float32)
    be = tl.zeros((BC,), tl.float32)
    ep = tl.full((BC,), -1e38, tl.float32)
    for t in range(0, T):
        off = (b * T + t) * C + c
        kt = tl.load(k + off, mask=m, other=0.0)
        vt = tl.load(v + off, mask=m, other=0.0)
        tau = tl.maximum(uv + kt, ep)
        e1 = tl.exp(ep - tau)
        e2 = tl.exp(uv + kt - tau)
        tl.store(o + off, (e1 * al + e2 * vt) / (e1 * be + e2), mask=m)
        nep = tl.maximum(wv + ep, kt)
        e1 = tl.exp(wv + ep - nep)
        e2 = tl.exp(kt - nep)
        al = e1 * al + e2 * vt
        be = e1 * be + e2
        ep = nep


@triton.jit
def sliding_window_wrong(q, k, v, o, scale, T, WIN, BM: tl.constexpr, BN: tl.constexpr,
        DD: tl.constexpr):
    pid = tl.program_id(0)
    base = tl.program_id(1) * T * DD
    rm = pid * BM + tl.arange(0, BM)
    rd = tl.arange(0, DD)
    qv = tl.load(q + base + rm[:, None] * DD + rd[None, :], mask=rm[:, None] < T, other=0.0)
    m = tl.full((BM,), float("-inf"), tl.float32)
    l = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, DD), tl.float32)
    for s in range(0, (pid + 1) * BM, BN):
        n = s + tl.arange(0, BN)
        kv = tl.load(k + base + n[None, :] * DD + rd[:, None], mask=n[None, :] < T, other=0.0)
        qk = tl.dot(qv, kv) * scale
        d = rm[:, None] - n[None, :]
        qk = tl.where((d >= 0) | (d < WIN), qk, -1.0e30)
        mn = tl.maximum(m, tl.max(qk, 1))
        p = tl.exp(qk - mn[:, None])
        al = tl.exp(m - mn)
        l = l * al + tl.sum(p, 1)
        vv = tl.load(v + base + n[:, None] * DD + rd[None, :], mask=n[:, None] < T, other=0.0)
        acc = acc * al[:, None] + tl.dot(p.to(tl.float16), vv)
        m = mn
    tl.store(o + base + rm[:, None] * DD + rd[None, :], (acc / l[:, None]).to(tl.float16),
            mask=rm[:, None] < T)


@triton.jit
def sliding_window(q, k, v, o, scale, T, WIN, BM: tl.constexpr, BN: tl.constexpr, DD: tl.constexpr):
    pid = tl.program_id(0)
    base = tl.program_id(1) * T * DD
    rm = pid * BM + tl.arange(0, BM)
    rd = tl.arange(0, DD)
    qv = tl.load(q + base + rm[:, None] * DD + rd[None, :], mask=rm[:, None] < T, other=0.0)
    m = tl.full((BM,), float("-inf"), tl.float32)
    l = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, DD), tl.float32)
    for s in range(0, (pid + 1) * BM, BN):
        n = s + tl.arange(0, BN)
        kv = tl.load(k + base + n[None, :] * DD + rd[:, None], mask=n[None, :] < T, other=0.0)
        qk = tl.dot(qv, kv) * scale
        d = rm[:, None] - n[None, :]
        qk = tl.where((d >= 0) & (d < WIN), qk, -1.0e30)
        mn = tl.maximum(m, tl.max(qk, 1))
        p = tl.exp(qk - mn[:, None])
        al = tl.exp(m - mn)
        l = l * al + tl.sum(p, 1)
        vv = tl.load(v + base + n[:, None] * DD + rd[None, :], mask=n[:, None] < T, other=0.0)
        acc = acc * al[:, None] + tl.dot(p.to(tl.float16), vv)
        m = mn
    tl.store(o + base + rm[:, None] * DD + rd[None, :], (acc / l[:, None]).to(tl.float16),
            mask=rm[:, None] < T)


@triton.jit
def quant_rows_wrong(x, q, s, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    v = tl.load(x + row * N + cols, mask=mask, other=0.0)
    a = tl.max(tl.abs(v), axis=0)
    sc = tl.maximum(a, 1e-8) / 127.0
    y = tl.math.rint(v / sc) if False else tl.floor(v / sc + 0.5)
    tl.store(q + row * N + cols, y.to(tl.int8), mask=mask)
    tl.store(s + row, a)


@triton.jit
def quant_rows(x, q, s, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    v = tl.load(x + row * N + cols, mask=mask, other=0.0)
    a = tl.max(tl.abs(v), axis=0)
    sc = tl.maximum(a, 1e-8) / 127.0
    y = tl.math.rint(v / sc) if False else tl.floor(v / sc + 0.5)
    tl.store(q + row * N + cols, y.to(tl.int8), mask=mask)
    tl.store(s + row, sc)


@triton.jit
def softmax_bwd_wrong(y, dy, dx, N, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    m = c < N
    a = tl.load(y + r * N + c, mask=m, other=0.0)
    g = tl.load(dy + r * N + c, mask=m, other=0.0)
    s = tl.sum(a * g, axis=0)
    tl.store(dx + r * N + c, g * (a - s), mask=m)


@triton.jit
def softmax_bwd(y, dy, dx, N, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    m = c < N
    a = tl.load(y + r * N + c, mask=m, other=0.0)
    g = tl.load(dy + r * N + c, mask=m, other=0.0)
    s = tl.sum(a * g, axis=0)
    tl.store(dx + r * N + c, a * (g - s), mask=m)


@triton.jit
def cumsum_rev_wrong(x, y, T, H, BT: tl.constexpr):
    h = tl.program_id(0)
    t = tl.program_id(1) * BT + tl.arange(0, BT)
    v = tl.load(x + t * H + h, mask=t < T, other=0.0)
    z = tl.sum(v, axis=0)
    c = z - tl.cumsum(v, axis=0) + z
    tl.store(y + t * H + h, c, mask=t < T)


@triton.jit
def cumsum_rev(x, y, T, H, BT: tl.constexpr):
    h = tl.program_id(0)
    t = tl.program_id(1) * BT + tl.arange(0, BT)
    v = tl.load(x + t * H + h, mask=t < T, other=0.0)
    z = tl.sum(v, axis=0)
    c = z - tl.cumsum(v, axis=0) + v
    tl.store(y + t * H + h, c, mask=t < T)


@triton.jit
def fft_butterfly_wrong(xr, xi, wr, wi, yr, yi, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    ar = tl.load(xr + i, mask=m)
    ai = tl.load(xi + i, mask=m)
    br = tl.load(xr + i + n, mask=m)
    bi = tl.load(xi + i + n, mask=m)
    cr = tl.load(wr + i, mask=m)
    ci = tl.load(wi + i, mask=m)
    tr = br * cr - bi * ci
    ti = br * ci + bi * ci
    tl.store(yr + i, ar + tr, mask=m)
    tl.store(yi + i, ai + ti, mask=m)
    tl.store(yr + i + n, ar - tr, mask=m)
    tl.store(yi + i + n, ai - ti, mask=m)


@triton.jit
def fft_butterfly(xr, xi, wr, wi, yr, yi, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    ar = tl.load(xr + i, mask=m)
    ai = tl.load(xi + i, mask=m)
    br = tl.load(xr + i + n, mask=m)
    bi = tl.load(xi + i + n, mask=m)
    cr = tl.load(wr + i, mask=m)
    ci = tl.load(wi + i, mask=m)
    tr = br * cr - bi * ci
    ti = br * ci + bi * cr
    tl.store(yr + i, ar + tr, mask=m)
    tl.store(yi + i, ai + ti, mask=m)
    tl.store(yr + i + n, ar - tr, mask=m)
    tl.store(yi + i + n, ai - ti, mask=m)


@triton.jit
def softcap_attn_wrong(q, k, o, cap, scale, T, BM: tl.constexpr, BN: tl.constexpr,
        DD: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.arange(0, BN)
    rd = tl.arange(0, DD)
    qv = tl.load(q + rm[:, None] * DD + rd[None, :])
    kv = tl.load(k + rn[None, :] * DD + rd[:, None])
    s = tl.dot(qv, kv) * scale
    e = tl.exp(2 * s / cap)
    t = (e - 1) / (e + 1)
    s = t
    tl.store(o + rm[:, None] * T + rn[None, :], s)


@triton.jit
def softcap_attn(q, k, o, cap, scale, T, BM: tl.constexpr, BN: tl.constexpr, DD: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.arange(0, BN)
    rd = tl.arange(0, DD)
    qv = tl.load(q + rm[:, None] * DD + rd[None, :])
    kv = tl.load(k + rn[None, :] * DD + rd[:, None])
    s = tl.dot(qv, kv) * scale
    e = tl.exp(2 * s / cap)
    t = (e - 1) / (e + 1)
    s = cap * t
    tl.store(o + rm[:, None] * T + rn[None, :], s)


@triton.jit
def rope_half_bug_wrong(x, cos, sin, y, H, D, HD: tl.constexpr):
    t = tl.program_id(0)
    h = tl.program_id(1)
    i = tl.arange(0, HD)
    c = tl.load(cos + t * HD + i)
    s = tl.load(sin + t * HD + i)
    o = (t * H + h) * D
    a = tl.load(x + o + i)
    b = tl.load(x + o + HD + i)
    tl.store(y + o + i, a * c - a * s)
    tl.store(y + o + HD + i, b * c + a * s)


@triton.jit
def rope_half_bug(x, cos, sin, y, H, D, HD: tl.constexpr):
    t = tl.program_id(0)
    h = tl.program_id(1)
    i = tl.arange(0, HD)
    c = tl.load(cos + t * HD + i)
    s = tl.load(sin + t * HD + i)
    o = (t * H + h) * D
    a = tl.load(x + o + i)
    b = tl.load(x + o + HD + i)
    tl.store(y + o + i, a * c - b * s)
    tl.store(y + o + HD + i, b * c + a * s)


@triton.jit
def flash_no_div_wrong(x, y, D, t, BD: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BD)
    v = tl.load(x + r * D + c, mask=c < D, other=-float("inf"))
    v = v / t
    e = tl.exp(v - tl.max(v, 0))
    tl.store(y + r * D + c, e / tl.max(e, 0), mask=c < D)


@triton.jit
def flash_no_div(x, y, D, t, BD: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BD)
    v = tl.load(x + r * D + c, mask=c < D, other=-float("inf"))
    v = v / t
    e = tl.exp(v - tl.max(v, 0))
    tl.store(y + r * D + c, e / tl.sum(e, 0), mask=c < D)


@triton.jit
def focal_loss_wrong(x, t, out, n, alpha, gamma, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    v = tl.load(x + i, mask=m, other=0.0)
    y = tl.load(t + i, mask=m, other=0)
    p = tl.sigmoid(v)
    pt = tl.where(y == 1, p, 1 - p)
    a = tl.where(y == 1, alpha, alpha)
    l = -a * tl.exp(gamma * tl.log(1 - pt + 1e-6)) * tl.log(pt + 1e-6)
    tl.store(out + i, l, mask=m)


@triton.jit
def focal_loss(x, t, out, n, alpha, gamma, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    v = tl.load(x + i, mask=m, other=0.0)
    y = tl.load(t + i, mask=m, other=0)
    p = tl.sigmoid(v)
    pt = tl.where(y == 1, p, 1 - p)
    a = tl.where(y == 1, alpha, 1 - alpha)
    l = -a * tl.exp(gamma * tl.log(1 - pt + 1e-6)) * tl.log(pt + 1e-6)
    tl.store(out + i, l, mask=m)


@triton.jit
def desc_transpose_wrong(x, y, M, N, B: tl.constexpr):
    xd = tl.make_tensor_descriptor(x, [M, N], [N, 1], [B, B])
    yd = tl.make_tensor_descriptor(y, [N, M], [M, 1], [B, B])
    i = tl.program_id(0) * B
    j = tl.program_id(1) * B
    v = xd.load([i, j])
    yd.store([j, i], v)


@triton.jit
def desc_transpose(x, y, M, N, B: tl.constexpr):
    xd = tl.make_tensor_descriptor(x, [M, N], [N, 1], [B, B])
    yd = tl.make_tensor_descriptor(y, [N, M], [M, 1], [B, B])
    i = tl.program_id(0) * B
    j = tl.program_id(1) * B
    v = xd.load([i, j])
    yd.store([j, i], v.T)


@triton.jit
def var_two_pass_wrong(x, v, N, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    s = 0.0
    for k in range(0, N, BLOCK):
        c = k + tl.arange(0, BLOCK)
        s += tl.sum(tl.load(x + r * N + c, mask=c < N, other=0.0), 0)
    mu = s / N
    q = 0.0
    for k in range(0, N, BLOCK):
        c = k + tl.arange(0, BLOCK)
        d = tl.where(c < N, tl.load(x + r * N + c, mask=c < N, other=0.0) - s, 0.0)
        q += tl.sum(d * d, 0)
    tl.store(v + r, q / N)


@triton.jit
def var_two_pass(x, v, N, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    s = 0.0
    for k in range(0, N, BLOCK):
        c = k + tl.arange(0, BLOCK)
        s += tl.sum(tl.load(x + r * N + c, mask=c < N, other=0.0), 0)
    mu = s / N
    q = 0.0
    for k in range(0, N, BLOCK):
        c = k + tl.arange(0, BLOCK)
        d = tl.where(c < N, tl.load(x + r * N + c, mask=c < N, other=0.0) - mu, 0.0)
        q += tl.sum(d * d, 0)
    tl.store(v + r, q / N)


@triton.jit
def expert_count_offsets_wrong(ids, off, n, EB: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(ids + i, mask=i < n, other=0)
    e = tl.arange(0, EB)
    c = tl.sum((v[None, :] == e[:, None]).to(tl.int32), 1)
    tl.store(off + e, tl.cumsum(c, 0) - c)


@triton.jit
def expert_count_offsets(ids, off, n, EB: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(ids + i, mask=i < n, other=-1)
    e = tl.arange(0, EB)
    c = tl.sum((v[None, :] == e[:, None]).to(tl.int32), 1)
    tl.store(off + e, tl.cumsum(c, 0) - c)


@triton.jit
def token_shift_wrong(x, y, T, D, BD: tl.constexpr):
    b = tl.program_id(0)
    t = tl.program_id(1)
    d = tl.arange(0, BD)
    v = tl.load(x + (b * T + t - 1) * D + d, mask=(b * T + t > 0) & (d < D), other=0.0)
    tl.store(y + (b * T + t) * D + d, v, mask=d < D)


@triton.jit
def token_shift(x, y, T, D, BD: tl.constexpr):
    b = tl.program_id(0)
    t = tl.program_id(1)
    d = tl.arange(0, BD)
    v = tl.load(x + (b * T + t - 1) * D + d, mask=(t > 0) & (d < D), other=0.0)
    tl.store(y + (b * T + t) * D + d, v, mask=d < D)


@triton.jit
def prefix_blocks_wrong(x, sums, y, n, BLOCK: tl.constexpr):
    p = tl.program_id(0)
    i = p * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    base = 0.0
    for k in range(0, p):
        base += tl.load(sums + p)
    tl.store(y + i, tl.cumsum(v, 0) + base, mask=i < n)


@triton.jit
def prefix_blocks(x, sums, y, n, BLOCK: tl.constexpr):
    p = tl.program_id(0)
    i = p * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    base = 0.0
    for k in range(0, p):
        base += tl.load(sums + k)
    tl.store(y + i, tl.cumsum(v, 0) + base, mask=i < n)
