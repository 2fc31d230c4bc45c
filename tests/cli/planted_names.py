"""Dimensions of two names, choices, and formulas that lack a part; planted_names.txt has the commands."""

import triton
import triton.language as tl


@triton.jit
def paged(q, kc, vc, table, lens, o, scale, NB, D: tl.constexpr, PAGE: tl.constexpr):
    b = tl.program_id(0)
    d = tl.arange(0, D)
    t = tl.arange(0, PAGE)
    n = tl.load(lens + b)
    qv = tl.load(q + b * D + d) * scale
    m = -float("inf")
    l = 0.0
    acc = tl.zeros([D], tl.float32)
    for j in range(0, tl.cdiv(n, PAGE)):
        page = tl.load(table + b * NB + j)
        ok = j * PAGE + t < n
        a = page * PAGE * D + t[:, None] * D + d[None, :]
        k = tl.load(kc + a, mask=ok[:, None], other=0.0)
        s = tl.sum(qv[None, :] * k, 1)
        s = tl.where(ok, s, -float("inf"))
        mn = tl.maximum(m, tl.max(s))
        p = tl.exp(s - mn)
        r = tl.exp(m - mn)
        l = l * r + tl.sum(p)
        v = tl.load(vc + a, mask=ok[:, None], other=0.0)
        acc = acc * r + tl.sum(p[:, None] * v, 0)
        m = mn
    tl.store(o + b * D + d, acc / l)


@triton.jit
def paged_sum_axis(q, kc, vc, table, lens, o, scale, NB, D: tl.constexpr, PAGE: tl.constexpr):
    b = tl.program_id(0)
    d = tl.arange(0, D)
    t = tl.arange(0, PAGE)
    n = tl.load(lens + b)
    qv = tl.load(q + b * D + d) * scale
    m = -float("inf")
    l = 0.0
    acc = tl.zeros([D], tl.float32)
    for j in range(0, tl.cdiv(n, PAGE)):
        page = tl.load(table + b * NB + j)
        ok = j * PAGE + t < n
        a = page * PAGE * D + t[:, None] * D + d[None, :]
        k = tl.load(kc + a, mask=ok[:, None], other=0.0)
        s = tl.sum(qv[None, :] * k, 1)
        s = tl.where(ok, s, -float("inf"))
        mn = tl.maximum(m, tl.max(s))
        p = tl.exp(s - mn)
        r = tl.exp(m - mn)
        l = l * r + tl.sum(p)
        v = tl.load(vc + a, mask=ok[:, None], other=0.0)
        acc = acc * r + tl.sum(p[None, :] * v, 1)
        m = mn
    tl.store(o + b * D + d, acc / l)


@triton.jit
def assign(x, c, a, N, K, D: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    n = tl.program_id(0) * BN + tl.arange(0, BN)
    d = tl.arange(0, D)
    xv = tl.load(x + n[:, None] * D + d[None, :], mask=n[:, None] < N, other=0.0)
    best = tl.full([BN], float("inf"), tl.float32)
    who = tl.zeros([BN], tl.int32)
    for k0 in range(0, K, BK):
        k = k0 + tl.arange(0, BK)
        cv = tl.load(c + k[:, None] * D + d[None, :], mask=k[:, None] < K, other=0.0)
        dist = tl.sum(cv * cv, 1)[None, :] - 2 * tl.dot(xv, tl.trans(cv))
        dist = tl.where(k[None, :] < K, dist, float("inf"))
        m, i = tl.min(dist, 1, return_indices=True)
        who = tl.where(m < best, k0 + i, who)
        best = tl.minimum(best, m)
    tl.store(a + n, who, mask=n < N)


@triton.jit
def assign_dotsq(x, c, a, N, K, D: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    n = tl.program_id(0) * BN + tl.arange(0, BN)
    d = tl.arange(0, D)
    xv = tl.load(x + n[:, None] * D + d[None, :], mask=n[:, None] < N, other=0.0)
    best = tl.full([BN], float("inf"), tl.float32)
    who = tl.zeros([BN], tl.int32)
    for k0 in range(0, K, BK):
        k = k0 + tl.arange(0, BK)
        cv = tl.load(c + k[:, None] * D + d[None, :], mask=k[:, None] < K, other=0.0)
        dist = tl.sum(xv * xv, 1)[None, :] - 2 * tl.dot(xv, tl.trans(cv))
        dist = tl.where(k[None, :] < K, dist, float("inf"))
        m, i = tl.min(dist, 1, return_indices=True)
        who = tl.where(m < best, k0 + i, who)
        best = tl.minimum(best, m)
    tl.store(a + n, who, mask=n < N)


@triton.jit
def softmax_bwd(dy, y, dx, N, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    m = c < N
    g = tl.load(dy + r * N + c, mask=m, other=0.0)
    p = tl.load(y + r * N + c, mask=m, other=0.0)
    s = tl.sum(g * p, 0)
    tl.store(dx + r * N + c, p * (g - s), mask=m)


@triton.jit
def softmax_bwd_p_minus(dy, y, dx, N, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    m = c < N
    g = tl.load(dy + r * N + c, mask=m, other=0.0)
    p = tl.load(y + r * N + c, mask=m, other=0.0)
    s = tl.sum(g * p, 0)
    tl.store(dx + r * N + c, p * g - s, mask=m)


@triton.jit
def ln_bwd_dx(dy, x, w, mean, rstd, dx, N, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    m = c < N
    g = tl.load(dy + r * N + c, mask=m, other=0.0)
    v = tl.load(x + r * N + c, mask=m, other=0.0)
    ww = tl.load(w + c, mask=m, other=0.0)
    mu = tl.load(mean + r)
    rs = tl.load(rstd + r)
    xh = tl.where(m, (v - mu) * rs, 0.0)
    wg = g * ww
    c1 = tl.sum(xh * wg, 0) / N
    c2 = tl.sum(wg, 0) / N
    tl.store(dx + r * N + c, (wg - (xh * c1 + c2)) * rs, mask=m)


@triton.jit
def ln_bwd_dx_c2_nodiv(dy, x, w, mean, rstd, dx, N, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    m = c < N
    g = tl.load(dy + r * N + c, mask=m, other=0.0)
    v = tl.load(x + r * N + c, mask=m, other=0.0)
    ww = tl.load(w + c, mask=m, other=0.0)
    mu = tl.load(mean + r)
    rs = tl.load(rstd + r)
    xh = tl.where(m, (v - mu) * rs, 0.0)
    wg = g * ww
    c1 = tl.sum(xh * wg, 0) / N
    c2 = tl.sum(wg, 0)
    tl.store(dx + r * N + c, (wg - (xh * c1 + c2)) * rs, mask=m)


@triton.jit
def welford(x, mo, vo, N, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    mean = 0.0
    m2 = 0.0
    cnt = 0.0
    for o in range(0, N, BLOCK):
        c = o + tl.arange(0, BLOCK)
        m = c < N
        v = tl.load(x + r * N + c, mask=m, other=0.0)
        nb = tl.sum(m.to(tl.float32))
        mb = tl.sum(v) / nb
        d = tl.where(m, v - mb, 0.0)
        m2b = tl.sum(d * d)
        delta = mb - mean
        tot = cnt + nb
        mean = mean + delta * nb / tot
        m2 = m2 + m2b + delta * delta * cnt * nb / tot
        cnt = tot
    tl.store(mo + r, mean)
    tl.store(vo + r, m2 / N)


@triton.jit
def welford_no_delta2(x, mo, vo, N, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    mean = 0.0
    m2 = 0.0
    cnt = 0.0
    for o in range(0, N, BLOCK):
        c = o + tl.arange(0, BLOCK)
        m = c < N
        v = tl.load(x + r * N + c, mask=m, other=0.0)
        nb = tl.sum(m.to(tl.float32))
        mb = tl.sum(v) / nb
        d = tl.where(m, v - mb, 0.0)
        m2b = tl.sum(d * d)
        delta = mb - mean
        tot = cnt + nb
        mean = mean + delta * nb / tot
        m2 = m2 + m2b
        cnt = tot
    tl.store(mo + r, mean)
    tl.store(vo + r, m2 / N)


@triton.jit
def splitk(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPLIT: tl.constexpr):
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    pk = tl.program_id(2)
    rm = pm * BM + tl.arange(0, BM)
    rn = pn * BN + tl.arange(0, BN)
    rk = pk * BK + tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, tl.cdiv(K, BK * SPLIT)):
        kk = k * BK * SPLIT + rk
        x = tl.load(a + rm[:, None] * K + kk[None, :], mask=(rm[:, None] < M) & (kk[None, :] < K), other=0.0)
        y = tl.load(b + kk[:, None] * N + rn[None, :], mask=(kk[:, None] < K) & (rn[None, :] < N), other=0.0)
        acc += tl.dot(x, y)
    tl.atomic_add(c + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def splitk_no_pk(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPLIT: tl.constexpr):
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    pk = tl.program_id(2)
    rm = pm * BM + tl.arange(0, BM)
    rn = pn * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, tl.cdiv(K, BK * SPLIT)):
        kk = k * BK * SPLIT + rk
        x = tl.load(a + rm[:, None] * K + kk[None, :], mask=(rm[:, None] < M) & (kk[None, :] < K), other=0.0)
        y = tl.load(b + kk[:, None] * N + rn[None, :], mask=(kk[:, None] < K) & (rn[None, :] < N), other=0.0)
        acc += tl.dot(x, y)
    tl.atomic_add(c + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def combine(m_in, l_in, a_in, o, S: tl.constexpr, D: tl.constexpr):
    b = tl.program_id(0)
    s = tl.arange(0, S)
    d = tl.arange(0, D)
    m = tl.load(m_in + b * S + s)
    l = tl.load(l_in + b * S + s)
    a = tl.load(a_in + (b * S + s[:, None]) * D + d[None, :])
    mx = tl.max(m, 0)
    w = tl.exp(m - mx)
    num = tl.sum(w[:, None] * a, 0)
    den = tl.sum(w * l, 0)
    tl.store(o + b * D + d, num / den)


@triton.jit
def combine_max_l(m_in, l_in, a_in, o, S: tl.constexpr, D: tl.constexpr):
    b = tl.program_id(0)
    s = tl.arange(0, S)
    d = tl.arange(0, D)
    m = tl.load(m_in + b * S + s)
    l = tl.load(l_in + b * S + s)
    a = tl.load(a_in + (b * S + s[:, None]) * D + d[None, :])
    mx = tl.max(l, 0)
    w = tl.exp(m - mx)
    num = tl.sum(w[:, None] * a, 0)
    den = tl.sum(w * l, 0)
    tl.store(o + b * D + d, num / den)


@triton.jit
def upsample(x, y, H, W, OH, OW, BLOCK: tl.constexpr):
    oh = tl.program_id(0)
    ow = tl.arange(0, BLOCK)
    m = ow < OW
    sx = (ow.to(tl.float32) + 0.5) * W / OW - 0.5
    sy = (oh.to(tl.float32) + 0.5) * H / OH - 0.5
    sx = tl.minimum(tl.maximum(sx, 0.0), W - 1.0)
    sy = tl.minimum(tl.maximum(sy, 0.0), H - 1.0)
    x0 = sx.to(tl.int32)
    y0 = sy.to(tl.int32)
    x1 = tl.minimum(x0 + 1, W - 1)
    y1 = tl.minimum(y0 + 1, H - 1)
    fx = sx - x0
    fy = sy - y0
    a = tl.load(x + y0 * W + x0, mask=m)
    b = tl.load(x + y0 * W + x1, mask=m)
    c = tl.load(x + y1 * W + x0, mask=m)
    d = tl.load(x + y1 * W + x1, mask=m)
    top = a * (1 - fx) + b * fx
    bot = c * (1 - fx) + d * fx
    tl.store(y + oh * OW + ow, top * (1 - fy) + bot * fy, mask=m)


@triton.jit
def upsample_same_w(x, y, H, W, OH, OW, BLOCK: tl.constexpr):
    oh = tl.program_id(0)
    ow = tl.arange(0, BLOCK)
    m = ow < OW
    sx = (ow.to(tl.float32) + 0.5) * W / OW - 0.5
    sy = (oh.to(tl.float32) + 0.5) * H / OH - 0.5
    sx = tl.minimum(tl.maximum(sx, 0.0), W - 1.0)
    sy = tl.minimum(tl.maximum(sy, 0.0), H - 1.0)
    x0 = sx.to(tl.int32)
    y0 = sy.to(tl.int32)
    x1 = tl.minimum(x0 + 1, W - 1)
    y1 = tl.minimum(y0 + 1, H - 1)
    fx = sx - x0
    fy = sy - y0
    a = tl.load(x + y0 * W + x0, mask=m)
    b = tl.load(x + y0 * W + x1, mask=m)
    c = tl.load(x + y1 * W + x0, mask=m)
    d = tl.load(x + y1 * W + x1, mask=m)
    top = a * (1 - fx) + b * fx
    bot = c * (1 - fx) + d * (1 - fx)
    tl.store(y + oh * OW + ow, top * (1 - fy) + bot * fy, mask=m)


@triton.jit
def argmax_rows(x, o, N, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    best = -float("inf")
    at = 0
    for s in range(0, N, BLOCK):
        c = s + tl.arange(0, BLOCK)
        v = tl.load(x + r * N + c, mask=c < N, other=-float("inf"))
        m, i = tl.max(v, 0, return_indices=True)
        at = tl.where(m > best, s + i, at)
        best = tl.maximum(best, m)
    tl.store(o + r, at)


@triton.jit
def argmax_rows_lt(x, o, N, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    best = -float("inf")
    at = 0
    for s in range(0, N, BLOCK):
        c = s + tl.arange(0, BLOCK)
        v = tl.load(x + r * N + c, mask=c < N, other=-float("inf"))
        m, i = tl.max(v, 0, return_indices=True)
        at = tl.where(m < best, s + i, at)
        best = tl.maximum(best, m)
    tl.store(o + r, at)


@triton.jit
def argmax_rows_best_0(x, o, N, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    best = 0.0
    at = 0
    for s in range(0, N, BLOCK):
        c = s + tl.arange(0, BLOCK)
        v = tl.load(x + r * N + c, mask=c < N, other=-float("inf"))
        m, i = tl.max(v, 0, return_indices=True)
        at = tl.where(m > best, s + i, at)
        best = tl.maximum(best, m)
    tl.store(o + r, at)


@triton.jit
def argmax_rows_always(x, o, N, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    best = -float("inf")
    at = 0
    for s in range(0, N, BLOCK):
        c = s + tl.arange(0, BLOCK)
        v = tl.load(x + r * N + c, mask=c < N, other=-float("inf"))
        m, i = tl.max(v, 0, return_indices=True)
        at = s + i
        best = tl.maximum(best, m)
    tl.store(o + r, at)


@triton.jit
def ls_loss(x, y, loss, V, eps, ignore, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    t = tl.load(y + r)
    c = tl.arange(0, BLOCK)
    mk = c < V
    v = tl.load(x + r * V + c, mask=mk, other=-float("inf"))
    m = tl.max(v, 0)
    lse = m + tl.log(tl.sum(tl.exp(v - m), 0))
    sx = tl.sum(tl.where(mk, v, 0.0), 0)
    tv = tl.sum(tl.where(c == t, v, 0.0), 0)
    l = (1 - eps) * (lse - tv) + eps * (lse - sx / V)
    l = tl.where(t == ignore, 0.0, l)
    tl.store(loss + r, l)


@triton.jit
def ls_loss_lse_exp(x, y, loss, V, eps, ignore, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    t = tl.load(y + r)
    c = tl.arange(0, BLOCK)
    mk = c < V
    v = tl.load(x + r * V + c, mask=mk, other=-float("inf"))
    m = tl.max(v, 0)
    lse = m + tl.sum(tl.exp(v - m), 0)
    sx = tl.sum(tl.where(mk, v, 0.0), 0)
    tv = tl.sum(tl.where(c == t, v, 0.0), 0)
    l = (1 - eps) * (lse - tv) + eps * (lse - sx / V)
    l = tl.where(t == ignore, 0.0, l)
    tl.store(loss + r, l)


@triton.jit
def w8a16(a, w, s, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        kk = k + rk
        x = tl.load(a + rm[:, None] * K + kk[None, :], mask=(rm[:, None] < M) & (kk[None, :] < K), other=0.0)
        q = tl.load(w + rn[None, :] * K + kk[:, None], mask=(rn[None, :] < N) & (kk[:, None] < K), other=0)
        acc += tl.dot(x, q.to(x.dtype))
    sc = tl.load(s + rn, mask=rn < N, other=0.0)
    acc = acc * sc[None, :]
    tl.store(c + rm[:, None] * N + rn[None, :], acc.to(c.dtype.element_ty), mask=(rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def w8a16_scale_in_loop(a, w, s, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        kk = k + rk
        x = tl.load(a + rm[:, None] * K + kk[None, :], mask=(rm[:, None] < M) & (kk[None, :] < K), other=0.0)
        q = tl.load(w + rn[None, :] * K + kk[:, None], mask=(rn[None, :] < N) & (kk[:, None] < K), other=0)
        acc += tl.dot(x, q.to(x.dtype))
        sc = tl.load(s + rn, mask=rn < N, other=0.0)
        acc = acc * sc[None, :]
    tl.store(c + rm[:, None] * N + rn[None, :], acc.to(c.dtype.element_ty), mask=(rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def gru_like(x, h0, o, T, D: tl.constexpr):
    b = tl.program_id(0)
    d = tl.arange(0, D)
    h = tl.load(h0 + b * D + d)
    for t in range(T):
        v = tl.load(x + (b * T + t) * D + d)
        z = tl.sigmoid(v)
        h = z * h + (1 - z) * v
        tl.store(o + (b * T + t) * D + d, h)


@triton.jit
def gru_like_zz(x, h0, o, T, D: tl.constexpr):
    b = tl.program_id(0)
    d = tl.arange(0, D)
    h = tl.load(h0 + b * D + d)
    for t in range(T):
        v = tl.load(x + (b * T + t) * D + d)
        z = tl.sigmoid(v)
        h = z * h + (1 + z) * v
        tl.store(o + (b * T + t) * D + d, h)


@triton.jit
def gru_like_x_first(x, h0, o, T, D: tl.constexpr):
    b = tl.program_id(0)
    d = tl.arange(0, D)
    h = tl.load(h0 + b * D + d)
    for t in range(T):
        v = tl.load(x + b * T * D + d)
        z = tl.sigmoid(v)
        h = z * h + (1 - z) * v
        tl.store(o + (b * T + t) * D + d, h)


@triton.jit
def bn_stats(x, mean, var, N, C, eps, BN: tl.constexpr, BC: tl.constexpr):
    c = tl.program_id(0) * BC + tl.arange(0, BC)
    s = tl.zeros([BC], tl.float32)
    q = tl.zeros([BC], tl.float32)
    for i in range(0, N, BN):
        n = i + tl.arange(0, BN)
        v = tl.load(x + n[:, None] * C + c[None, :], mask=(n[:, None] < N) & (c[None, :] < C), other=0.0).to(tl.float32)
        s += tl.sum(v, 0)
        q += tl.sum(v * v, 0)
    mu = s / N
    tl.store(mean + c, mu, mask=c < C)
    tl.store(var + c, q / N - mu * mu, mask=c < C)


@triton.jit
def bn_stats_div_C(x, mean, var, N, C, eps, BN: tl.constexpr, BC: tl.constexpr):
    c = tl.program_id(0) * BC + tl.arange(0, BC)
    s = tl.zeros([BC], tl.float32)
    q = tl.zeros([BC], tl.float32)
    for i in range(0, N, BN):
        n = i + tl.arange(0, BN)
        v = tl.load(x + n[:, None] * C + c[None, :], mask=(n[:, None] < N) & (c[None, :] < C), other=0.0).to(tl.float32)
        s += tl.sum(v, 0)
        q += tl.sum(v * v, 0)
    mu = s / C
    tl.store(mean + c, mu, mask=c < C)
    tl.store(var + c, q / N - mu * mu, mask=c < C)


@triton.jit
def attn_row(q, k, v, o, T, scale, D: tl.constexpr, B: tl.constexpr):
    t = tl.program_id(0)
    d = tl.arange(0, D)
    qv = tl.load(q + t * D + d) * scale
    m = -float("inf")
    l = 0.0
    acc = tl.zeros([D], tl.float32)
    for j in range(0, t + 1, B):
        n = j + tl.arange(0, B)
        ok = n <= t
        kk = tl.load(k + n[:, None] * D + d[None, :], mask=ok[:, None], other=0.0)
        s = tl.where(ok, tl.sum(kk * qv[None, :], 1), -float("inf"))
        mn = tl.maximum(m, tl.max(s))
        r = tl.exp(m - mn)
        p = tl.exp(s - mn)
        vv = tl.load(v + n[:, None] * D + d[None, :], mask=ok[:, None], other=0.0)
        acc = acc * r + tl.sum(p[:, None] * vv, 0)
        l = l * r + tl.sum(p)
        m = mn
    tl.store(o + t * D + d, acc / l)


@triton.jit
def attn_row_sum_p_vv(q, k, v, o, T, scale, D: tl.constexpr, B: tl.constexpr):
    t = tl.program_id(0)
    d = tl.arange(0, D)
    qv = tl.load(q + t * D + d) * scale
    m = -float("inf")
    l = 0.0
    acc = tl.zeros([D], tl.float32)
    for j in range(0, t + 1, B):
        n = j + tl.arange(0, B)
        ok = n <= t
        kk = tl.load(k + n[:, None] * D + d[None, :], mask=ok[:, None], other=0.0)
        s = tl.where(ok, tl.sum(kk * qv[None, :], 1), -float("inf"))
        mn = tl.maximum(m, tl.max(s))
        r = tl.exp(m - mn)
        p = tl.exp(s - mn)
        vv = tl.load(v + n[:, None] * D + d[None, :], mask=ok[:, None], other=0.0)
        acc = acc * r + tl.sum(p[None, :] * vv, 1)
        l = l * r + tl.sum(p)
        m = mn
    tl.store(o + t * D + d, acc / l)


@triton.jit
def attn_row_kk_k(q, k, v, o, T, scale, D: tl.constexpr, B: tl.constexpr):
    t = tl.program_id(0)
    d = tl.arange(0, D)
    qv = tl.load(q + t * D + d) * scale
    m = -float("inf")
    l = 0.0
    acc = tl.zeros([D], tl.float32)
    for j in range(0, t + 1, B):
        n = j + tl.arange(0, B)
        ok = n <= t
        kk = tl.load(k + n[:, None] * D + d[None, :], mask=ok[:, None], other=0.0)
        s = tl.where(ok, tl.sum(kk * qv[:, None], 1), -float("inf"))
        mn = tl.maximum(m, tl.max(s))
        r = tl.exp(m - mn)
        p = tl.exp(s - mn)
        vv = tl.load(v + n[:, None] * D + d[None, :], mask=ok[:, None], other=0.0)
        acc = acc * r + tl.sum(p[:, None] * vv, 0)
        l = l * r + tl.sum(p)
        m = mn
    tl.store(o + t * D + d, acc / l)


@triton.jit
def decays(g, o, T, BT: tl.constexpr):
    i = tl.program_id(0) * BT + tl.arange(0, BT)
    v = tl.load(g + i, mask=i < T, other=0.0)
    w = tl.where(i[:, None] >= i[None, :], tl.exp(v[:, None] - v[None, :]), 0.0)
    j = tl.arange(0, BT)
    tl.store(o + i[:, None] * BT + j[None, :], w, mask=i[:, None] < T)
