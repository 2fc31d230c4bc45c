"""A later set of kernels as projects write them, none of them written with its gradient in mind."""

import triton
import triton.language as tl


@triton.jit
def group_norm_nhwc(x, w, b, y, mean, rstd, HW, C, G, eps, BP: tl.constexpr, BG: tl.constexpr):
    """The first pass adds up the address in another order than the last."""
    n = tl.program_id(0) // G
    g = tl.program_id(0) % G
    per = C // G
    c = tl.arange(0, BG)
    cm = c < per
    base = n * HW * C + g * per
    s = tl.zeros([BG], tl.float32)
    s2 = tl.zeros([BG], tl.float32)
    for p0 in range(0, HW, BP):
        p = p0 + tl.arange(0, BP)
        v = tl.load(x + base + p[:, None] * C + c[None, :], mask=(p < HW)[:, None] & cm[None, :], other=0.0)
        s += tl.sum(v, axis=0)
        s2 += tl.sum(v * v, axis=0)
    count = HW * per
    mu = tl.sum(s, axis=0) / count
    var = tl.sum(s2, axis=0) / count - mu * mu
    r = 1.0 / tl.sqrt(var + eps)
    tl.store(mean + tl.program_id(0), mu)
    tl.store(rstd + tl.program_id(0), r)
    ww = tl.load(w + g * per + c, mask=cm, other=0.0)
    bb = tl.load(b + g * per + c, mask=cm, other=0.0)
    for p0 in range(0, HW, BP):
        p = p0 + tl.arange(0, BP)
        ok = (p < HW)[:, None] & cm[None, :]
        at = base + p[:, None] * C + c[None, :]
        v = tl.load(x + at, mask=ok, other=0.0)
        tl.store(y + at, (v - mu) * r * ww[None, :] + bb[None, :], mask=ok)


@triton.jit
def ctc_alpha(logp, labels, nll, T, C, S: tl.constexpr, L, BS: tl.constexpr):
    b = tl.program_id(0)
    s = tl.arange(0, BS)
    n = 2 * L + 1
    lab = tl.load(labels + b * L + s // 2, mask=(s % 2 == 1) & (s < n), other=0)
    prev2 = tl.load(labels + b * L + s // 2 - 1, mask=(s % 2 == 1) & (s > 1) & (s < n), other=0)
    skip = (s % 2 == 1) & (s > 1) & (lab != prev2)
    NEG = -1e30
    a = tl.where(s < 2, tl.load(logp + b * T * C + lab), NEG)
    a = tl.where(s < n, a, NEG)
    for t in range(1, T):
        e = tl.load(logp + (b * T + t) * C + lab)
        i1 = tl.maximum(s - 1, 0)
        i2 = tl.maximum(s - 2, 0)
        a1 = tl.where(s > 0, tl.gather(a, i1, 0), NEG)
        a2 = tl.where(skip, tl.gather(a, i2, 0), NEG)
        m = tl.maximum(tl.maximum(a, a1), a2)
        a = m + tl.log(tl.exp(a - m) + tl.exp(a1 - m) + tl.exp(a2 - m)) + e
        a = tl.where(s < n, a, NEG)
    last = tl.where((s == n - 1) | (s == n - 2), a, NEG)
    m = tl.max(last, axis=0)
    tl.store(nll + b, -(m + tl.log(tl.sum(tl.exp(last - m), axis=0))))


@triton.jit
def wkv4(k, v, w, u, y, T, C, BC: tl.constexpr):
    b = tl.program_id(0)
    c = tl.program_id(1) * BC + tl.arange(0, BC)
    m = c < C
    ww = -tl.exp(tl.load(w + c, mask=m, other=0.0))
    uu = tl.load(u + c, mask=m, other=0.0)
    num = tl.zeros([BC], tl.float32)
    den = tl.zeros([BC], tl.float32)
    o = tl.full([BC], -1e38, tl.float32)
    for t in range(T):
        kk = tl.load(k + (b * T + t) * C + c, mask=m, other=0.0)
        vv = tl.load(v + (b * T + t) * C + c, mask=m, other=0.0)
        q = tl.maximum(o, uu + kk)
        e1 = tl.exp(o - q)
        e2 = tl.exp(uu + kk - q)
        tl.store(y + (b * T + t) * C + c, (e1 * num + e2 * vv) / (e1 * den + e2), mask=m)
        q = tl.maximum(o + ww, kk)
        e1 = tl.exp(o + ww - q)
        e2 = tl.exp(kk - q)
        num = e1 * num + e2 * vv
        den = e1 * den + e2
        o = q


@triton.jit
def kl_temperature_rounds(student, teacher, loss, V, T, stride, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    ms = -float("inf")
    mt = -float("inf")
    ds = 0.0
    dt = 0.0
    for i in range(0, V, BLOCK):
        c = i + tl.arange(0, BLOCK)
        s = tl.load(student + r * stride + c, mask=c < V, other=-float("inf")) / T
        t = tl.load(teacher + r * stride + c, mask=c < V, other=-float("inf")) / T
        ns = tl.maximum(ms, tl.max(s))
        nt = tl.maximum(mt, tl.max(t))
        ds = ds * tl.exp(ms - ns) + tl.sum(tl.exp(s - ns))
        dt = dt * tl.exp(mt - nt) + tl.sum(tl.exp(t - nt))
        ms = ns
        mt = nt
    ls = ms + tl.log(ds)
    lt = mt + tl.log(dt)
    acc = 0.0
    for i in range(0, V, BLOCK):
        c = i + tl.arange(0, BLOCK)
        s = tl.load(student + r * stride + c, mask=c < V, other=0.0) / T
        t = tl.load(teacher + r * stride + c, mask=c < V, other=0.0) / T
        p = tl.exp(t - lt)
        acc += tl.sum(tl.where(c < V, p * ((t - lt) - (s - ls)), 0.0))
    tl.store(loss + r, acc * T * T)


@triton.jit
def att_inner(acc, l, m, q, kp, vp, lo, hi, start, qs, N, BM: tl.constexpr, BN: tl.constexpr, DIAG: tl.constexpr):
    kp = tl.advance(kp, (0, lo))
    vp = tl.advance(vp, (lo, 0))
    for n in range(lo, hi, BN):
        k = tl.load(kp, boundary_check=(1,), padding_option="zero")
        s = tl.dot(q, k, input_precision="ieee") * qs
        c = n + tl.arange(0, BN)
        if DIAG:
            r = start * BM + tl.arange(0, BM)
            s = tl.where((r[:, None] >= c[None, :]) & (c < N)[None, :], s, -1.0e6)
        new = tl.maximum(m, tl.max(s, 1))
        p = tl.math.exp2(s - new[:, None])
        a = tl.math.exp2(m - new)
        l = l * a + tl.sum(p, 1)
        v = tl.load(vp, boundary_check=(0,), padding_option="zero")
        acc = acc * a[:, None] + tl.dot(p, v, input_precision="ieee")
        m = new
        kp = tl.advance(kp, (0, BN))
        vp = tl.advance(vp, (BN, 0))
    return acc, l, m


@triton.jit
def att_causal_blocks(q, k, v, o, lse, N, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    i = tl.program_id(0)
    h = tl.program_id(1)
    base = h * N * D
    qp = tl.make_block_ptr(q + base, (N, D), (D, 1), (i * BM, 0), (BM, D), (1, 0))
    kp = tl.make_block_ptr(k + base, (D, N), (1, D), (0, 0), (D, BN), (0, 1))
    vp = tl.make_block_ptr(v + base, (N, D), (D, 1), (0, 0), (BN, D), (1, 0))
    op = tl.make_block_ptr(o + base, (N, D), (D, 1), (i * BM, 0), (BM, D), (1, 0))
    m = tl.zeros([BM], tl.float32) - float("inf")
    l = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    qs = scale * 1.44269504
    qq = tl.load(qp, boundary_check=(0,), padding_option="zero")
    acc, l, m = att_inner(acc, l, m, qq, kp, vp, 0, i * BM, i, qs, N, BM, BN, False)
    acc, l, m = att_inner(acc, l, m, qq, kp, vp, i * BM, (i + 1) * BM, i, qs, N, BM, BN, True)
    acc = acc / l[:, None]
    r = i * BM + tl.arange(0, BM)
    tl.store(lse + h * N + r, m + tl.math.log2(l), mask=r < N)
    tl.store(op, acc, boundary_check=(0,))


@triton.jit
def att_window_gqa(q, k, v, o, lse, N, G, window, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    i = tl.program_id(0)
    h = tl.program_id(1)
    kv = h // G
    r = i * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    qq = tl.load(q + h * N * D + r[:, None] * D + d[None, :], mask=(r < N)[:, None], other=0.0)
    m = tl.full([BM], -1e30, tl.float32)
    l = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    lo = tl.maximum(0, i * BM - window + 1) // BN * BN
    hi = tl.minimum(N, (i + 1) * BM)
    for n in range(lo, hi, BN):
        c = n + tl.arange(0, BN)
        kk = tl.load(k + kv * N * D + c[None, :] * D + d[:, None], mask=(c < N)[None, :], other=0.0)
        s = tl.dot(qq, kk, input_precision="ieee") * scale
        ok = (c[None, :] <= r[:, None]) & (r[:, None] - c[None, :] < window)
        s = tl.where(ok, s, -1e30)
        new = tl.maximum(m, tl.max(s, 1))
        p = tl.where(ok, tl.exp(s - new[:, None]), 0.0)
        a = tl.exp(m - new)
        l = l * a + tl.sum(p, 1)
        vv = tl.load(v + kv * N * D + c[:, None] * D + d[None, :], mask=(c < N)[:, None], other=0.0)
        acc = acc * a[:, None] + tl.dot(p, vv, input_precision="ieee")
        m = new
    tl.store(lse + h * N + r, m + tl.log(l), mask=r < N)
    tl.store(o + h * N * D + r[:, None] * D + d[None, :], acc / l[:, None], mask=(r < N)[:, None])


@triton.jit
def online_by_lanes(x, y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    m = tl.full([BLOCK], -1e30, tl.float32)
    s = tl.zeros([BLOCK], tl.float32)
    for i in range(0, N, BLOCK):
        c = i + lanes
        v = tl.load(x + row * N + c, mask=c < N, other=-1e30)
        new = tl.maximum(m, v)
        s = s * tl.exp(m - new) + tl.exp(v - new)
        m = new
    top = tl.max(m, axis=0)
    total = tl.sum(s * tl.exp(m - top), axis=0)
    for i in range(0, N, BLOCK):
        c = i + lanes
        v = tl.load(x + row * N + c, mask=c < N, other=-1e30)
        tl.store(y + row * N + c, tl.exp(v - top) / total, mask=c < N)


@triton.jit
def att_cosine(q, k, v, tau, o, N, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """Swin's second attention: a clamped temperature is learnt, and no maximum has a gradient."""
    h = tl.program_id(1)
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    qq = tl.load(q + (h * N + m[:, None]) * D + d[None, :], mask=m[:, None] < N, other=0.0)
    qq = qq / tl.sqrt(tl.sum(qq * qq, axis=1) + 1e-6)[:, None]
    t = tl.exp(tl.minimum(tl.load(tau + h), 4.6))
    top = tl.full([BM], -float("inf"), tl.float32)
    den = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for n0 in range(0, N, BN):
        n = n0 + tl.arange(0, BN)
        kk = tl.load(k + (h * N + n[:, None]) * D + d[None, :], mask=n[:, None] < N, other=0.0)
        kk = kk / tl.sqrt(tl.sum(kk * kk, axis=1) + 1e-6)[:, None]
        vv = tl.load(v + (h * N + n[:, None]) * D + d[None, :], mask=n[:, None] < N, other=0.0)
        s = tl.where(n[None, :] < N, tl.dot(qq, tl.trans(kk)) * t, -float("inf"))
        new = tl.maximum(top, tl.max(s, axis=1))
        p = tl.exp(s - new[:, None])
        fade = tl.exp(top - new)
        den = den * fade + tl.sum(p, axis=1)
        acc = acc * fade[:, None] + tl.dot(p, vv)
        top = new
    tl.store(o + (h * N + m[:, None]) * D + d[None, :], acc / den[:, None], mask=m[:, None] < N)
