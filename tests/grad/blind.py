"""Kernels that were written without a look at the rules: losses, norms, gates, windows, scans, graphs,
recurrences and attention as they are found in the wild, and some that have no gradient."""

import triton
import triton.language as tl


@triton.jit
def jsd(X, Y, loss, n_cols, beta, inv_n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * n_cols
    Y += row * n_cols
    loss += row * n_cols
    for i in range(0, n_cols, BLOCK):
        o = i + tl.arange(0, BLOCK)
        m = o < n_cols
        x = tl.load(X + o, mask=m, other=float("-inf")).to(tl.float32)
        y = tl.load(Y + o, mask=m, other=float("-inf")).to(tl.float32)
        q = tl.exp(x)
        p = tl.exp(y)
        mix = beta * p + (1 - beta) * q
        log_mix = tl.log(mix)
        l = beta * p * (y - log_mix) + (1 - beta) * q * (x - log_mix)
        tl.store(loss + o, l * inv_n, mask=m)


@triton.jit
def poly_entropy(logits, labels, loss, stride, n_cols, eps, smoothing, zscale, ignore, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    label = tl.load(labels + row)
    base = logits + row * stride
    if label == ignore:
        tl.store(loss + row, 0.0)
        return
    m = float("-inf")
    d = 0.0
    total = 0.0
    for i in range(0, n_cols, BLOCK):
        o = i + tl.arange(0, BLOCK)
        x = tl.load(base + o, mask=o < n_cols, other=float("-inf")).to(tl.float32)
        total += tl.sum(tl.where(o < n_cols, x, 0.0))
        new = tl.maximum(m, tl.max(x))
        d = d * tl.exp(m - new) + tl.sum(tl.exp(x - new))
        m = new
    lse = m + tl.log(d)
    picked = tl.load(base + label).to(tl.float32)
    ce = lse - (1 - smoothing) * picked - smoothing * total / n_cols
    pt = tl.exp(picked - lse)
    tl.store(loss + row, ce + eps * (1 - pt) + zscale * lse * lse)


@triton.jit
def dice(x, t, loss, H, W, smooth, BH: tl.constexpr, BW: tl.constexpr):
    img = tl.program_id(0)
    inter = tl.zeros((BH, BW), dtype=tl.float32)
    union = tl.zeros((BH, BW), dtype=tl.float32)
    for h in range(0, H, BH):
        for w in range(0, W, BW):
            r = h + tl.arange(0, BH)[:, None]
            c = w + tl.arange(0, BW)[None, :]
            m = (r < H) & (c < W)
            at = img * H * W + r * W + c
            p = tl.sigmoid(tl.load(x + at, mask=m, other=float("-inf")))
            g = tl.load(t + at, mask=m, other=0.0)
            inter += p * g
            union += p + g
    i = tl.sum(tl.sum(inter, axis=1), axis=0)
    u = tl.sum(tl.sum(union, axis=1), axis=0)
    tl.store(loss + img, 1 - (2 * i + smooth) / (u + smooth))


@triton.jit
def welford(mean_a, m2_a, w_a, mean_b, m2_b, w_b):
    d = mean_b - mean_a
    w = w_a + w_b
    r = tl.where(w == 0.0, 0.0, w_b / w)
    return mean_a + d * r, m2_a + m2_b + d * d * w_a * r, w


@triton.jit
def welford_norm(x, out, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    o = tl.arange(0, BLOCK)
    m = o < n
    v = tl.load(x + row * n + o, mask=m, other=0.0)
    mean, m2, w = tl.reduce((v, tl.zeros_like(v), m.to(tl.float32)), 0, welford)
    tl.store(out + row * n + o, (v - mean) * tl.rsqrt(m2 / w + eps), mask=m)


@triton.jit
def welford_loop(x, out, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    mean = tl.zeros((BLOCK,), dtype=tl.float32)
    m2 = tl.zeros((BLOCK,), dtype=tl.float32)
    count = tl.zeros((BLOCK,), dtype=tl.float32)
    for i in range(0, n, BLOCK):
        o = i + tl.arange(0, BLOCK)
        v = tl.load(x + row * n + o, mask=o < n, other=0.0)
        count += tl.where(o < n, 1.0, 0.0)
        d = v - mean
        mean = tl.where(o < n, mean + d / count, mean)
        m2 = tl.where(o < n, m2 + d * (v - mean), m2)
    total = tl.sum(mean * count) / n
    dev = mean - total
    var = (tl.sum(m2) + tl.sum(count * dev * dev)) / n
    tl.store(out + row, var)


@triton.jit
def clamped_swiglu(x, out, n, alpha, limit, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    o = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    m = o < n
    g = tl.load(x + row * n * 2 + o * 2, mask=m).to(tl.float32)
    u = tl.load(x + row * n * 2 + o * 2 + 1, mask=m).to(tl.float32)
    g = tl.minimum(g, limit)
    u = tl.clamp(u, -limit, limit)
    tl.store(out + row * n + o, (u + 1) * g * tl.sigmoid(alpha * g), mask=m)


@triton.jit
def moe_gate(logits, weights, experts, E: tl.constexpr, K: tl.constexpr):
    row = tl.program_id(0)
    e = tl.arange(0, E)
    x = tl.load(logits + row * E + e)
    total = 0.0
    for k in tl.static_range(K):
        best = tl.max(x, axis=0)
        at = tl.argmax(x, axis=0)
        if k == 0:
            top = best
        w = tl.exp(best - top)
        total += w
        tl.store(weights + row * K + k, w)
        tl.store(experts + row * K + k, at)
        x = tl.where(e == at, float("-inf"), x)


@triton.jit
def mamba_conv(x, w, b, out, T, C, dilation, TAPS: tl.constexpr, BT: tl.constexpr):
    c = tl.program_id(0)
    t = tl.program_id(1) * BT + tl.arange(0, BT)
    acc = tl.zeros((BT,), dtype=tl.float32) + tl.load(b + c)
    for k in tl.static_range(TAPS):
        s = t - (TAPS - 1 - k) * dilation
        acc += tl.load(w + c * TAPS + k) * tl.load(x + c * T + s, mask=(s >= 0) & (t < T), other=0.0)
    tl.store(out + c * T + t, acc * tl.sigmoid(acc), mask=t < T)


@triton.jit
def response_norm(x, out, C, HW, size, alpha, beta, k, BLOCK: tl.constexpr):
    c = tl.program_id(0)
    o = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    m = o < HW
    s = tl.zeros((BLOCK,), dtype=tl.float32)
    for d in range(-(size // 2), size // 2 + 1):
        cc = c + d
        v = tl.load(x + cc * HW + o, mask=m & (cc >= 0) & (cc < C), other=0.0)
        s += v * v
    v = tl.load(x + c * HW + o, mask=m, other=0.0)
    tl.store(out + c * HW + o, v * tl.exp(-beta * tl.log(k + alpha * s / size)), mask=m)


@triton.jit
def gumbel_softmax(x, out, n, tau, seed, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    o = tl.arange(0, BLOCK)
    m = o < n
    u = tl.rand(seed, row * n + o)
    g = -tl.log(-tl.log(u + 1e-10) + 1e-10)
    v = tl.load(x + row * n + o, mask=m, other=float("-inf"))
    y = tl.softmax((v + g) / tau)
    tl.store(out + row * n + o, y, mask=m)


@triton.jit
def sparsemax(x, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    o = tl.arange(0, BLOCK)
    v = tl.load(x + row * n + o, mask=o < n, other=-1e9)
    s = tl.sort(v, descending=True)
    cs = tl.cumsum(s, 0)
    k = (o + 1).to(tl.float32)
    inside = 1 + k * s > cs
    size = tl.sum(inside.to(tl.float32))
    tau = (tl.sum(tl.where(inside, s, 0.0)) - 1) / size
    tl.store(out + row * n + o, tl.maximum(v - tau, 0.0), mask=o < n)


@triton.jit
def survival(hazard, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    o = tl.arange(0, BLOCK)
    h = tl.load(hazard + row * n + o, mask=o < n, other=0.0)
    keep = 1 - tl.sigmoid(h)
    s = tl.cumprod(keep, axis=0)
    tl.store(out + row * n + o, s / keep * tl.sigmoid(h), mask=o < n)


@triton.jit
def segment(s1, f1, s2, f2):
    return tl.where(f2 != 0, s2, s1 + s2), f1 | f2


@triton.jit
def segment_sums(x, flag, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    o = tl.arange(0, BLOCK)
    v = tl.load(x + row * n + o, mask=o < n, other=0.0)
    f = tl.load(flag + row * n + o, mask=o < n, other=1)
    s, _ = tl.associative_scan((v, f), 0, segment)
    tl.store(out + row * n + o, s, mask=o < n)


@triton.jit
def csr(ptr, col, val, x, y, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    begin = tl.load(ptr + r)
    end = tl.load(ptr + r + 1)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for i in range(begin, end, BLOCK):
        o = i + tl.arange(0, BLOCK)
        m = o < end
        acc += tl.load(val + o, mask=m, other=0.0) * tl.load(x + tl.load(col + o, mask=m, other=0), mask=m, other=0.0)
    tl.store(y + r, tl.sum(acc))


@triton.jit
def grid_sample(img, grid, out, H, W, P, BLOCK: tl.constexpr):
    c = tl.program_id(0)
    p = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    m = p < P
    gx = (tl.load(grid + p * 2, mask=m, other=0.0) + 1) * 0.5 * (W - 1)
    gy = (tl.load(grid + p * 2 + 1, mask=m, other=0.0) + 1) * 0.5 * (H - 1)
    x0 = tl.floor(gx).to(tl.int32)
    y0 = tl.floor(gy).to(tl.int32)
    v = tl.zeros((BLOCK,), dtype=tl.float32)
    for dy in tl.static_range(2):
        for dx in tl.static_range(2):
            xi = x0 + dx
            yi = y0 + dy
            w = (1 - tl.abs(gx - xi)) * (1 - tl.abs(gy - yi))
            ok = m & (xi >= 0) & (xi < W) & (yi >= 0) & (yi < H)
            v += w * tl.load(img + (c * H + yi) * W + xi, mask=ok, other=0.0)
    tl.store(out + c * P + p, v, mask=m)


@triton.jit
def gru(gates, u, h0, out, T, H: tl.constexpr):
    b = tl.program_id(0)
    i = tl.arange(0, H)
    h = tl.load(h0 + b * H + i)
    for t in range(T):
        g = gates + (b * T + t) * 3 * H
        hz = tl.sum(tl.load(u + i[:, None] * 3 * H + i[None, :]) * h[:, None], axis=0)
        hr = tl.sum(tl.load(u + i[:, None] * 3 * H + H + i[None, :]) * h[:, None], axis=0)
        hn = tl.sum(tl.load(u + i[:, None] * 3 * H + 2 * H + i[None, :]) * h[:, None], axis=0)
        z = tl.sigmoid(tl.load(g + i) + hz)
        r = tl.sigmoid(tl.load(g + H + i) + hr)
        n = tl.extra.libdevice.tanh(tl.load(g + 2 * H + i) + r * hn)
        h = (1 - z) * n + z * h
        tl.store(out + (b * T + t) * H + i, h)


@triton.jit
def kalman(z, q, r, out, T, n, BLOCK: tl.constexpr):
    s = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = s < n
    x = tl.zeros((BLOCK,), dtype=tl.float32)
    p = tl.full((BLOCK,), 1.0, tl.float32)
    qq = tl.exp(tl.load(q))
    rr = tl.exp(tl.load(r))
    for t in range(T):
        p = p + qq
        k = p / (p + rr)
        x = x + k * (tl.load(z + t * n + s, mask=m, other=0.0) - x)
        p = (1 - k) * p
        tl.store(out + t * n + s, x, mask=m)


@triton.jit
def slope_of(x, y, a, b, c, d):
    return a * x - b * x * y, d * x * y - c * y


@triton.jit
def lotka(start, rates, out, n, dt, STEPS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    x = tl.load(start + i, mask=m)
    y = tl.load(start + n + i, mask=m)
    a = tl.load(rates)
    b = tl.load(rates + 1)
    c = tl.load(rates + 2)
    d = tl.load(rates + 3)
    for _ in range(STEPS):
        kx1, ky1 = slope_of(x, y, a, b, c, d)
        kx2, ky2 = slope_of(x + 0.5 * dt * kx1, y + 0.5 * dt * ky1, a, b, c, d)
        x = x + dt * kx2
        y = y + dt * ky2
    tl.store(out + i, x, mask=m)
    tl.store(out + n + i, y, mask=m)


@triton.jit
def sinkhorn(cost, out, n, eps, ITERS: tl.constexpr, B: tl.constexpr):
    p = tl.program_id(0)
    i = tl.arange(0, B)
    at = p * B * B + i[:, None] * B + i[None, :]
    k = tl.exp(-tl.load(cost + at) / eps)
    u = tl.full((B,), 1.0, tl.float32)
    v = tl.full((B,), 1.0, tl.float32)
    for _ in range(ITERS):
        u = 1.0 / (B * tl.sum(k * v[None, :], axis=1))
        v = 1.0 / (B * tl.sum(k * u[:, None], axis=0))
    tl.store(out + at, u[:, None] * k * v[None, :])


@triton.jit
def ctc_forward(logp, labels, out, T, V, S: tl.constexpr):
    b = tl.program_id(0)
    s = tl.arange(0, S)
    lab = tl.load(labels + b * S + s)
    prev = tl.where(s == 0, 0.0, -1e30)
    for t in range(T):
        lp = tl.load(logp + (b * T + t) * V + lab)
        shifted = tl.gather(prev, tl.maximum(s - 1, 0), 0)
        shifted = tl.where(s >= 1, shifted, -1e30)
        top = tl.maximum(prev, shifted)
        prev = top + tl.log(tl.exp(prev - top) + tl.exp(shifted - top)) + lp
    tl.store(out + b, -tl.sum(tl.where(s == S - 1, prev, 0.0)))


@triton.jit
def alibi_gqa(Q, K, V, slopes, O, L, sm_scale, T, HQ, HK, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    start = tl.program_id(0)
    bh = tl.program_id(1)
    b = bh // HQ
    h = bh % HQ
    hk = h // (HQ // HK)
    m = start * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    q = tl.load(Q + ((b * HQ + h) * T + m[:, None]) * D + d[None, :], mask=m[:, None] < T, other=0.0)
    slope = tl.load(slopes + h)
    mi = tl.full([BM], float("-inf"), tl.float32)
    li = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for j in range(0, (start + 1) * BM, BN):
        n = j + tl.arange(0, BN)
        kv = ((b * HK + hk) * T + n[:, None]) * D + d[None, :]
        k = tl.load(K + kv, mask=n[:, None] < T, other=0.0)
        s = tl.dot(q, tl.trans(k)) * sm_scale - slope * (m[:, None] - n[None, :])
        s = tl.where((m[:, None] >= n[None, :]) & (n[None, :] < T), s, float("-inf"))
        mn = tl.maximum(mi, tl.max(s, 1))
        p = tl.exp(s - mn[:, None])
        al = tl.exp(mi - mn)
        li = li * al + tl.sum(p, 1)
        v = tl.load(V + kv, mask=n[:, None] < T, other=0.0)
        acc = tl.dot(p, v, acc * al[:, None])
        mi = mn
    acc = acc / li[:, None]
    tl.store(L + (b * HQ + h) * T + m, mi + tl.log(li), mask=m < T)
    tl.store(O + ((b * HQ + h) * T + m[:, None]) * D + d[None, :], acc, mask=m[:, None] < T)


@triton.jit
def linear_chunks(Q, K, V, G, O, T, D: tl.constexpr, C: tl.constexpr):
    h = tl.program_id(0)
    i = tl.arange(0, C)
    d = tl.arange(0, D)
    S = tl.zeros([D, D], tl.float32)
    g = tl.load(G + h)
    for t in range(0, T, C):
        at = (h * T + t + i[:, None]) * D + d[None, :]
        q = tl.load(Q + at)
        k = tl.load(K + at)
        v = tl.load(V + at)
        decay = tl.exp(g * (i + 1).to(tl.float32))
        w = tl.where(i[:, None] >= i[None, :], tl.exp(g * (i[:, None] - i[None, :]).to(tl.float32)), 0.0)
        a = tl.dot(q, tl.trans(k)) * w
        o = tl.dot(a, v) + tl.dot(q * decay[:, None], S)
        tl.store(O + at, o)
        S = S * tl.exp(g * C) + tl.dot(tl.trans(k * tl.exp(g * (C - 1 - i).to(tl.float32))[:, None]), v)


@triton.jit
def fast_rsqrt(x, out, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + o, mask=o < n, other=1.0)
    bits = 0x5F3759DF - (v.to(tl.int32, bitcast=True) >> 1)
    y = bits.to(tl.float32, bitcast=True)
    y = y * (1.5 - 0.5 * v * y * y)
    tl.store(out + o, y, mask=o < n)


@triton.jit
def keep_last(x, out, n, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for i in range(0, n, BLOCK):
        acc = tl.load(x + i + o, mask=i + o < n, other=0.0) * 2 + acc
        tl.store(out + o, acc)


@triton.jit
def top_of_all(x, out, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_max(out, tl.max(tl.load(x + o, mask=o < n, other=-1e9), axis=0))


@triton.jit
def smooth_in_place(x, n, BLOCK: tl.constexpr):
    for i in range(1, n):
        a = tl.load(x + i - 1)
        b = tl.load(x + i)
        tl.store(x + i, 0.5 * (a + b))


@triton.jit
def reads_own(x, out, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    y = tl.load(x + o, mask=o < n, other=0.0)
    tl.store(out + o, y * y, mask=o < n)
    prev = tl.load(out + o - 1, mask=(o >= 1) & (o < n), other=0.0)
    tl.store(out + o, y * y + prev, mask=o < n)


@triton.jit
def leaky(x):
    return tl.where(x >= 0, x, 0.01 * x)


@triton.jit
def activated(x, out, n, ACT: tl.constexpr, BLOCK: tl.constexpr):
    """A function as a constant: leaky."""
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + o, mask=o < n, other=0.0)
    tl.store(out + o, ACT(v) * v, mask=o < n)


@triton.jit
def centred(x, w, out, n, taps, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    s = tl.zeros((BLOCK,), dtype=tl.float32)
    for k in range(taps):
        at = o + k - taps // 2
        v = tl.load(x + at, mask=(at >= 0) & (at < n), other=0.0)
        s += v * tl.load(w + k)
    tl.store(out + o, s, mask=o < n)
