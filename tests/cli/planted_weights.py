"""Weights, places and limits that do not belong together; planted_weights.txt has the commands."""

import triton
import triton.language as tl


@triton.jit
def assoc_scan_of_wrong(a1, b1, a2, b2):
    return a1 * a2, b1 + a2 * b2


@triton.jit
def assoc_scan_wrong(a, b, h, T, D, BT: tl.constexpr, BD: tl.constexpr):
    d = tl.program_id(0) * BD + tl.arange(0, BD)
    t = tl.arange(0, BT)
    offs = t[:, None] * D + d[None, :]
    mask = (t[:, None] < T) & (d[None, :] < D)
    av = tl.load(a + offs, mask=mask, other=1.0)
    bv = tl.load(b + offs, mask=mask, other=0.0)
    _, hv = tl.associative_scan((av, bv), 0, assoc_scan_of_wrong)
    tl.store(h + offs, hv, mask=mask)


@triton.jit
def assoc_scan_of(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def assoc_scan(a, b, h, T, D, BT: tl.constexpr, BD: tl.constexpr):
    d = tl.program_id(0) * BD + tl.arange(0, BD)
    t = tl.arange(0, BT)
    offs = t[:, None] * D + d[None, :]
    mask = (t[:, None] < T) & (d[None, :] < D)
    av = tl.load(a + offs, mask=mask, other=1.0)
    bv = tl.load(b + offs, mask=mask, other=0.0)
    _, hv = tl.associative_scan((av, bv), 0, assoc_scan_of)
    tl.store(h + offs, hv, mask=mask)


@triton.jit
def rmsnorm_rows_wrong(x, w, y, M, N, eps, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.arange(0, BN)
    mask = (rows < M)[:, None] & (cols < N)[None, :]
    v = tl.load(x + rows[:, None] * N + cols[None, :], mask=mask, other=0.0)
    ms = tl.sum(v * v, axis=1) / BM
    r = tl.rsqrt(ms + eps)
    wv = tl.load(w + cols, mask=cols < N, other=0.0)
    tl.store(y + rows[:, None] * N + cols[None, :], v * r[:, None] * wv[None, :], mask=mask)


@triton.jit
def rmsnorm_rows(x, w, y, M, N, eps, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.arange(0, BN)
    mask = (rows < M)[:, None] & (cols < N)[None, :]
    v = tl.load(x + rows[:, None] * N + cols[None, :], mask=mask, other=0.0)
    ms = tl.sum(v * v, axis=1) / N
    r = tl.rsqrt(ms + eps)
    wv = tl.load(w + cols, mask=cols < N, other=0.0)
    tl.store(y + rows[:, None] * N + cols[None, :], v * r[:, None] * wv[None, :], mask=mask)


@triton.jit
def cross_entropy_grad_wrong(x, y, lse, V, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x += row * V
    t = tl.load(y + row)
    l = tl.load(lse + row)
    for i in range(0, V, BLOCK):
        cols = i + tl.arange(0, BLOCK)
        v = tl.load(x + cols, mask=cols < V, other=float("-inf"))
        p = tl.exp(v - l)
        p = tl.where(tl.arange(0, BLOCK) == t, p - 1.0, p)
        tl.store(x + cols, p / n, mask=cols < V)


@triton.jit
def cross_entropy_grad(x, y, lse, V, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x += row * V
    t = tl.load(y + row)
    l = tl.load(lse + row)
    for i in range(0, V, BLOCK):
        cols = i + tl.arange(0, BLOCK)
        v = tl.load(x + cols, mask=cols < V, other=float("-inf"))
        p = tl.exp(v - l)
        p = tl.where(cols == t, p - 1.0, p)
        tl.store(x + cols, p / n, mask=cols < V)


@triton.jit
def rope_wrong(q, cos, sin, H, D, HD: tl.constexpr):
    t = tl.program_id(0)
    c = tl.arange(0, HD)
    cv = tl.load(cos + t * HD + c)
    sv = tl.load(sin + t * HD + c)
    for h in range(0, H):
        p = q + t * H * D + h * D
        x1 = tl.load(p + c)
        x2 = tl.load(p + c + HD)
        tl.store(p + c, x1 * cv - x2 * sv)
        tl.store(p + c + HD, x2 * cv - x1 * sv)


@triton.jit
def rope(q, cos, sin, H, D, HD: tl.constexpr):
    t = tl.program_id(0)
    c = tl.arange(0, HD)
    cv = tl.load(cos + t * HD + c)
    sv = tl.load(sin + t * HD + c)
    for h in range(0, H):
        p = q + t * H * D + h * D
        x1 = tl.load(p + c)
        x2 = tl.load(p + c + HD)
        tl.store(p + c, x1 * cv - x2 * sv)
        tl.store(p + c + HD, x2 * cv + x1 * sv)


@triton.jit
def moe_topk_wrong(x, w, idx, E, K: tl.constexpr, EB: tl.constexpr):
    t = tl.program_id(0)
    e = tl.arange(0, EB)
    v = tl.load(x + t * E + e, mask=e < E, other=-float("inf"))
    for k in tl.static_range(K):
        m = tl.max(v, axis=0)
        i = tl.argmax(v, axis=0)
        tl.store(w + t * K + k, m)
        tl.store(idx + t * K + k, i)
        v = tl.where(v == i, -float("inf"), v)


@triton.jit
def moe_topk(x, w, idx, E, K: tl.constexpr, EB: tl.constexpr):
    t = tl.program_id(0)
    e = tl.arange(0, EB)
    v = tl.load(x + t * E + e, mask=e < E, other=-float("inf"))
    for k in tl.static_range(K):
        m = tl.max(v, axis=0)
        i = tl.argmax(v, axis=0)
        tl.store(w + t * K + k, m)
        tl.store(idx + t * K + k, i)
        v = tl.where(e == i, -float("inf"), v)


@triton.jit
def maxpool2d_wrong(x, y, H, Wd, OH, OW, BW: tl.constexpr):
    c = tl.program_id(0)
    oh = tl.program_id(1)
    ow = tl.arange(0, BW)
    m = tl.zeros((BW,), tl.float32)
    for i in range(2):
        for j in range(2):
            v = tl.load(x + (c * H + oh * 2 + i) * Wd + ow * 2 + j, mask=ow < OW,
                    other=-float("inf"))
            m = tl.maximum(m, v)
    tl.store(y + (c * OH + oh) * OW + ow, m, mask=ow < OW)


@triton.jit
def maxpool2d(x, y, H, Wd, OH, OW, BW: tl.constexpr):
    c = tl.program_id(0)
    oh = tl.program_id(1)
    ow = tl.arange(0, BW)
    m = tl.full((BW,), -float("inf"), tl.float32)
    for i in range(2):
        for j in range(2):
            v = tl.load(x + (c * H + oh * 2 + i) * Wd + ow * 2 + j, mask=ow < OW,
                    other=-float("inf"))
            m = tl.maximum(m, v)
    tl.store(y + (c * OH + oh) * OW + ow, m, mask=ow < OW)


@triton.jit
def fla_intra_attn_wrong(q, k, v, o, T, KD, BT: tl.constexpr, BK: tl.constexpr):
    it = tl.program_id(0)
    bh = tl.program_id(1)
    base = bh * T * KD
    t = it * BT + tl.arange(0, BT)
    d = tl.arange(0, BK)
    offs = t[:, None] * KD + d[None, :]
    qv = tl.load(q + base + offs)
    kv = tl.load(k + base + offs)
    vv = tl.load(v + base + offs)
    A = tl.dot(qv, tl.trans(kv))
    i = tl.arange(0, BT)
    A = tl.where(i[:, None] <= i[:, None], A, 0.0)
    tl.store(o + base + offs, tl.dot(A.to(tl.float16), vv))


@triton.jit
def fla_intra_attn(q, k, v, o, T, KD, BT: tl.constexpr, BK: tl.constexpr):
    it = tl.program_id(0)
    bh = tl.program_id(1)
    base = bh * T * KD
    t = it * BT + tl.arange(0, BT)
    d = tl.arange(0, BK)
    offs = t[:, None] * KD + d[None, :]
    qv = tl.load(q + base + offs)
    kv = tl.load(k + base + offs)
    vv = tl.load(v + base + offs)
    A = tl.dot(qv, tl.trans(kv))
    i = tl.arange(0, BT)
    A = tl.where(i[:, None] >= i[None, :], A, 0.0)
    tl.store(o + base + offs, tl.dot(A.to(tl.float16), vv))


@triton.jit
def adamw_wrong(p, g, m, v, n, lr, b1, b2, eps, wd, c1, c2, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    pv = tl.load(p + offs, mask=mask)
    gv = tl.load(g + offs, mask=mask)
    mv = tl.load(m + offs, mask=mask)
    vv = tl.load(v + offs, mask=mask)
    mv = b1 * mv + (1 - b1) * gv
    vv = b2 * vv + (1 - b1) * gv * gv
    pv = pv * (1 - lr * wd) - lr * (mv / c1) / (tl.sqrt(vv / c2) + eps)
    tl.store(p + offs, pv, mask=mask)
    tl.store(m + offs, mv, mask=mask)
    tl.store(v + offs, vv, mask=mask)


@triton.jit
def adamw(p, g, m, v, n, lr, b1, b2, eps, wd, c1, c2, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    pv = tl.load(p + offs, mask=mask)
    gv = tl.load(g + offs, mask=mask)
    mv = tl.load(m + offs, mask=mask)
    vv = tl.load(v + offs, mask=mask)
    mv = b1 * mv + (1 - b1) * gv
    vv = b2 * vv + (1 - b2) * gv * gv
    pv = pv * (1 - lr * wd) - lr * (mv / c1) / (tl.sqrt(vv / c2) + eps)
    tl.store(p + offs, pv, mask=mask)
    tl.store(m + offs, mv, mask=mask)
    tl.store(v + offs, vv, mask=mask)


@triton.jit
def jsd_beta_wrong(x, y, out, n, beta, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    lx = tl.load(x + offs, mask=mask, other=0.0)
    ly = tl.load(y + offs, mask=mask, other=0.0)
    q = tl.exp(lx)
    p = tl.exp(ly)
    m = beta * p + (1 - beta) * p
    lm = tl.log(m)
    tl.store(out + offs, beta * p * (ly - lm) + (1 - beta) * q * (lx - lm), mask=mask)


@triton.jit
def jsd_beta(x, y, out, n, beta, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    lx = tl.load(x + offs, mask=mask, other=0.0)
    ly = tl.load(y + offs, mask=mask, other=0.0)
    q = tl.exp(lx)
    p = tl.exp(ly)
    m = beta * p + (1 - beta) * q
    lm = tl.log(m)
    tl.store(out + offs, beta * p * (ly - lm) + (1 - beta) * q * (lx - lm), mask=mask)


@triton.jit
def int8_zero_point_wrong(x, q, n, scale, zp, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    v = tl.load(x + i, mask=m, other=0.0)
    r = tl.floor(v / scale + 0.5) + zp
    r = tl.minimum(tl.maximum(r, -128.0), 127.0)
    tl.store(q + i, r.to(tl.uint8), mask=m)


@triton.jit
def int8_zero_point(x, q, n, scale, zp, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    v = tl.load(x + i, mask=m, other=0.0)
    r = tl.floor(v / scale + 0.5) + zp
    r = tl.minimum(tl.maximum(r, 0.0), 255.0)
    tl.store(q + i, r.to(tl.uint8), mask=m)


@triton.jit
def stochastic_round_wrong(x, q, n, seed, scale, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    v = tl.load(x + i, mask=m, other=0.0) * scale
    u = tl.rand(seed, i)
    f = tl.floor(v)
    r = f + tl.where(u < v - f, 1.0, 0.0)
    r = tl.minimum(tl.maximum(r, -128.0), 128.0)
    tl.store(q + i, r.to(tl.int8), mask=m)


@triton.jit
def stochastic_round(x, q, n, seed, scale, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    v = tl.load(x + i, mask=m, other=0.0) * scale
    u = tl.rand(seed, i)
    f = tl.floor(v)
    r = f + tl.where(u < v - f, 1.0, 0.0)
    r = tl.minimum(tl.maximum(r, -128.0), 127.0)
    tl.store(q + i, r.to(tl.int8), mask=m)


@triton.jit
def ema_rows_wrong(x, y, T, D, a, BD: tl.constexpr):
    d = tl.program_id(0) * BD + tl.arange(0, BD)
    m = d < D
    s = tl.load(x + d, mask=m, other=0.0)
    for t in range(0, T):
        v = tl.load(x + t * D + d, mask=m, other=0.0)
        s = a * v + (1 + a) * s
        tl.store(y + t * D + d, s, mask=m)


@triton.jit
def ema_rows(x, y, T, D, a, BD: tl.constexpr):
    d = tl.program_id(0) * BD + tl.arange(0, BD)
    m = d < D
    s = tl.load(x + d, mask=m, other=0.0)
    for t in range(0, T):
        v = tl.load(x + t * D + d, mask=m, other=0.0)
        s = a * v + (1 - a) * s
        tl.store(y + t * D + d, s, mask=m)


@triton.jit
def rmsprop_wrong(p, g, v, n, lr, a, eps, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    k = i < n
    pv = tl.load(p + i, mask=k)
    gv = tl.load(g + i, mask=k)
    vv = tl.load(v + i, mask=k)
    vv = a * vv + (1 - a) * gv
    tl.store(v + i, vv, mask=k)
    tl.store(p + i, pv - lr * gv / (tl.sqrt(vv) + eps), mask=k)


@triton.jit
def rmsprop(p, g, v, n, lr, a, eps, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    k = i < n
    pv = tl.load(p + i, mask=k)
    gv = tl.load(g + i, mask=k)
    vv = tl.load(v + i, mask=k)
    vv = a * vv + (1 - a) * gv * gv
    tl.store(v + i, vv, mask=k)
    tl.store(p + i, pv - lr * gv / (tl.sqrt(vv) + eps), mask=k)


@triton.jit
def kmeans_assign_wrong(x, c, out, N, KK, BN: tl.constexpr, BK: tl.constexpr, DD: tl.constexpr):
    i = tl.program_id(0) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    d = tl.arange(0, DD)
    xv = tl.load(x + i[:, None] * DD + d[None, :], mask=i[:, None] < N, other=0.0)
    cv = tl.load(c + k[:, None] * DD + d[None, :], mask=k[:, None] < KK, other=0.0)
    dist = tl.sum(cv * cv, 1)[None, :] - 2.0 * tl.dot(xv, tl.trans(cv))
    tl.store(out + i, tl.argmin(dist, 1), mask=i < N)


@triton.jit
def kmeans_assign(x, c, out, N, KK, BN: tl.constexpr, BK: tl.constexpr, DD: tl.constexpr):
    i = tl.program_id(0) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    d = tl.arange(0, DD)
    xv = tl.load(x + i[:, None] * DD + d[None, :], mask=i[:, None] < N, other=0.0)
    cv = tl.load(c + k[:, None] * DD + d[None, :], mask=k[:, None] < KK, other=0.0)
    dist = tl.sum(cv * cv, 1)[None, :] - 2.0 * tl.dot(xv, tl.trans(cv))
    dist = tl.where(k[None, :] < KK, dist, float("inf"))
    tl.store(out + i, tl.argmin(dist, 1), mask=i < N)


@triton.jit
def least_weight_wrong(x, out, V, p, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + r * V + c, mask=c < V, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    w = e / tl.sum(e, 0)
    least = tl.min(tl.where(w > p, w, 0.0), 0)
    tl.store(out + r, least)


@triton.jit
def least_weight(x, out, V, p, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + r * V + c, mask=c < V, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    w = e / tl.sum(e, 0)
    least = tl.min(tl.where(w > p, w, float("inf")), 0)
    tl.store(out + r, least)


@triton.jit
def one_hot_of_greatest_wrong(x, out, V, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + r * V + c, mask=c < V, other=-float("inf"))
    m = tl.max(v, 0)
    tl.store(out + r * V + c, tl.where(c == m, 1.0, 0.0), mask=c < V)


@triton.jit
def one_hot_of_greatest(x, out, V, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + r * V + c, mask=c < V, other=-float("inf"))
    m = tl.max(v, 0)
    tl.store(out + r * V + c, tl.where(v == m, 1.0, 0.0), mask=c < V)


@triton.jit
def outside_of_picture_wrong(x, out, W, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    left = c - 3
    v = tl.load(x + r * W + left, mask=(left >= 0) & (left < W), other=0.0)
    v = tl.where((left < 0) & (left >= W), -1.0, v)
    tl.store(out + r * W + c, v, mask=c < W)


@triton.jit
def outside_of_picture(x, out, W, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    left = c - 3
    v = tl.load(x + r * W + left, mask=(left >= 0) & (left < W), other=0.0)
    v = tl.where((left < 0) | (left >= W), -1.0, v)
    tl.store(out + r * W + c, v, mask=c < W)


@triton.jit
def fused_linear_relu_wrong(x, w, b, y, M, N, KD, BM: tl.constexpr, BN: tl.constexpr,
        BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, KD // BK):
        rk = k * BK + tl.arange(0, BK)
        xv = tl.load(x + rm[:, None] * KD + rk[None, :], mask=(rm[:, None] < M) & (rk[None,
                :] < KD), other=0.0)
        wv = tl.load(w + rn[None, :] * KD + rk[:, None], mask=(rn[None, :] < N) & (rk[:,
                None] < KD), other=0.0)
        acc += tl.dot(xv, wv)
    acc += tl.load(b + rn, mask=rn < N, other=0.0)[None, :]
    tl.store(y + rm[:, None] * N + rn[None, :], tl.maximum(acc, 0.0).to(tl.float16), mask=(rm[:,
            None] < M) & (rn[None, :] < N))


@triton.jit
def fused_linear_relu(x, w, b, y, M, N, KD, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, KD // BK + 1):
        rk = k * BK + tl.arange(0, BK)
        xv = tl.load(x + rm[:, None] * KD + rk[None, :], mask=(rm[:, None] < M) & (rk[None,
                :] < KD), other=0.0)
        wv = tl.load(w + rn[None, :] * KD + rk[:, None], mask=(rn[None, :] < N) & (rk[:,
                None] < KD), other=0.0)
        acc += tl.dot(xv, wv)
    acc += tl.load(b + rn, mask=rn < N, other=0.0)[None, :]
    tl.store(y + rm[:, None] * N + rn[None, :], tl.maximum(acc, 0.0).to(tl.float16), mask=(rm[:,
            None] < M) & (rn[None, :] < N))
