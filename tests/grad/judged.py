"""Kernels as people write them: distillation, sparse gates, state spaces, contrastive losses, alignments."""

import triton
import triton.language as tl


@triton.jit
def distill(student, teacher, loss, stride, n, temperature, BLOCK: tl.constexpr):
    """KL(teacher || student) * T^2 of a row, long rows, three passes."""
    row = tl.program_id(0)
    student += row * stride
    teacher += row * stride
    ms = -float("inf")
    mt = -float("inf")
    ss = 0.0
    st = 0.0
    for k in range(0, n, BLOCK):
        c = k + tl.arange(0, BLOCK)
        s = tl.load(student + c, mask=c < n, other=-float("inf")) / temperature
        t = tl.load(teacher + c, mask=c < n, other=-float("inf")) / temperature
        nms = tl.maximum(ms, tl.max(s, axis=0))
        nmt = tl.maximum(mt, tl.max(t, axis=0))
        ss = ss * tl.exp(ms - nms) + tl.sum(tl.exp(s - nms), axis=0)
        st = st * tl.exp(mt - nmt) + tl.sum(tl.exp(t - nmt), axis=0)
        ms = nms
        mt = nmt
    ls = ms + tl.log(ss)
    lt = mt + tl.log(st)
    kl = 0.0
    for k in range(0, n, BLOCK):
        c = k + tl.arange(0, BLOCK)
        s = tl.load(student + c, mask=c < n, other=0.0) / temperature - ls
        t = tl.load(teacher + c, mask=c < n, other=0.0) / temperature - lt
        kl += tl.sum(tl.where(c < n, tl.exp(t) * (t - s), 0.0), axis=0)
    tl.store(loss + row, kl * temperature * temperature)


@triton.jit
def sparsemax(x, out, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    inside = c < n
    z = tl.load(x + row * stride + c, mask=inside, other=-1e9)
    s = tl.sort(z, dim=0, descending=True)
    total = tl.cumsum(tl.where(inside, s, 0.0), axis=0)
    k = c + 1
    support = inside & (1.0 + k * s > total)
    count = tl.sum(support.to(tl.int32), axis=0)
    tau = (tl.sum(tl.where(support, s, 0.0), axis=0) - 1.0) / count
    tl.store(out + row * stride + c, tl.maximum(z - tau, 0.0), mask=inside)


@triton.jit
def oss_swiglu_pairs(x, out, cols, alpha, limit, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c2 = tl.program_id(1) * 2 * BLOCK + tl.arange(0, 2 * BLOCK)
    xy = tl.load(x + row * 2 * cols + c2, mask=c2 < 2 * cols, other=0.0)
    gate, up = tl.split(tl.reshape(xy, (BLOCK, 2)))
    gate = tl.minimum(gate, limit)
    up = tl.clamp(up, -limit, limit)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + row * cols + c, (up + 1.0) * gate * tl.sigmoid(alpha * gate), mask=c < cols)


@triton.jit
def liger_group_norm(X, Y, W, B, Mean, Rstd, hidden, channels, eps, GROUPS: tl.constexpr, BLOCK: tl.constexpr):
    """One group of one sample a program; hidden = channels_per_group * spatial."""
    batch = tl.program_id(0)
    group = tl.program_id(1)
    per = channels // GROUPS
    X += (batch * GROUPS + group) * hidden
    Y += (batch * GROUPS + group) * hidden
    s = 0.0
    q = 0.0
    for i in range(0, hidden, BLOCK):
        o = i + tl.arange(0, BLOCK)
        v = tl.load(X + o, mask=o < hidden, other=0.0)
        s += tl.sum(v)
        q += tl.sum(v * v)
    m = s / hidden
    var = q / hidden - m * m
    rstd = tl.rsqrt(var + eps)
    spatial = hidden // per
    for ch in tl.range(group * per, (group + 1) * per):
        w = tl.load(W + ch)
        b = tl.load(B + ch)
        for i in range(0, spatial, BLOCK):
            o = i + tl.arange(0, BLOCK)
            v = tl.load(X + o, mask=o < spatial, other=0.0)
            tl.store(Y + o, (v - m) * rstd * w + b, mask=o < spatial)
        X += spatial
        Y += spatial
    tl.store(Mean + batch * GROUPS + group, m)
    tl.store(Rstd + batch * GROUPS + group, rstd)


@triton.jit
def poly_norm(X, W, Bias, Y, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    m = c < n
    w0 = tl.load(W)
    w1 = tl.load(W + 1)
    w2 = tl.load(W + 2)
    x = tl.load(X + row * n + c, mask=m, other=0.0)
    x2 = x * x
    x3 = x2 * x
    r3 = tl.rsqrt(tl.sum(x3 * x3) / n + eps)
    r2 = tl.rsqrt(tl.sum(x2 * x2) / n + eps)
    r1 = tl.rsqrt(tl.sum(x * x) / n + eps)
    tl.store(Y + row * n + c, w0 * x3 * r3 + w1 * x2 * r2 + w2 * x * r1 + tl.load(Bias), mask=m)


@triton.jit
def mamba_scan(u, delta, A, Bm, Cm, Dp, z, out, L, D, N: tl.constexpr, BD: tl.constexpr):
    """Selective scan: a program is a batch and BD channels."""
    b = tl.program_id(0)
    d = tl.program_id(1) * BD + tl.arange(0, BD)
    s = tl.arange(0, N)
    m = d < D
    a = -tl.exp(tl.load(A + d[:, None] * N + s[None, :], mask=m[:, None], other=0.0))
    skip = tl.load(Dp + d, mask=m, other=0.0)
    h = tl.zeros((BD, N), tl.float32)
    for t in range(L):
        p = (b * L + t) * D + d
        ut = tl.load(u + p, mask=m, other=0.0)
        raw = tl.load(delta + p, mask=m, other=0.0)
        dt = tl.where(raw > 20.0, raw, tl.log(1.0 + tl.exp(raw)))
        bt = tl.load(Bm + (b * L + t) * N + s)
        ct = tl.load(Cm + (b * L + t) * N + s)
        h = h * tl.exp(dt[:, None] * a) + (dt * ut)[:, None] * bt[None, :]
        y = tl.sum(h * ct[None, :], axis=1) + skip * ut
        g = tl.load(z + p, mask=m, other=0.0)
        tl.store(out + p, y * g * tl.sigmoid(g), mask=m)


@triton.jit
def linear_step(a0, b0, a1, b1):
    return a0 * a1, b0 * a1 + b1


@triton.jit
def chunked_recurrence(x, g, h0, out, last, T, C, BT: tl.constexpr, BC: tl.constexpr):
    """h_t = g_t h_{t-1} + x_t, chunk by chunk with associative_scan."""
    b = tl.program_id(0)
    c = tl.program_id(1) * BC + tl.arange(0, BC)
    cm = c < C
    h = tl.load(h0 + b * C + c, mask=cm, other=0.0)
    for s in range(0, T, BT):
        t = s + tl.arange(0, BT)
        p = (b * T + t[:, None]) * C + c[None, :]
        m = (t < T)[:, None] & cm[None, :]
        gt = tl.sigmoid(tl.load(g + p, mask=m, other=100.0))
        xt = tl.load(x + p, mask=m, other=0.0)
        decay, own = tl.associative_scan((gt, xt), 0, linear_step)
        ht = own + decay * h[None, :]
        tl.store(out + p, ht, mask=m)
        h = tl.sum(tl.where((tl.arange(0, BT) == BT - 1)[:, None], ht, 0.0), axis=0)
    tl.store(last + b * C + c, h, mask=cm)


@triton.jit
def gat(score_src, score_dst, h, cols, rowptr, out, F, slope, BLOCK: tl.constexpr, MAXDEG: tl.constexpr):
    """Attention over the neighbours of a node, leaky relu scores, padded to MAXDEG."""
    i = tl.program_id(0)
    begin = tl.load(rowptr + i)
    deg = tl.load(rowptr + i + 1) - begin
    k = tl.arange(0, MAXDEG)
    km = k < deg
    j = tl.load(cols + begin + k, mask=km, other=0)
    e = tl.load(score_src + j, mask=km, other=0.0) + tl.load(score_dst + i)
    e = tl.where(e > 0, e, e * slope)
    e = tl.where(km, e, -float("inf"))
    p = tl.exp(e - tl.max(e, axis=0))
    p = p / tl.sum(p, axis=0)
    f = tl.arange(0, BLOCK)
    v = tl.load(h + j[:, None] * F + f[None, :], mask=km[:, None] & (f < F)[None, :], other=0.0)
    tl.store(out + i * F + f, tl.sum(p[:, None] * v, axis=0), mask=f < F)


@triton.jit
def clip_loss(a, b, log_temp, loss, N, D: tl.constexpr, BN: tl.constexpr):
    """One side of the symmetric contrastive loss: row i of a against all b, the right one is i; temperature learned."""
    i = tl.program_id(0)
    d = tl.arange(0, D)
    av = tl.load(a + i * D + d)
    av = av / tl.sqrt(tl.sum(av * av) + 1e-12)
    t = tl.exp(tl.load(log_temp))
    m = -float("inf")
    l = 0.0
    pos = 0.0
    for s in range(0, N, BN):
        n = s + tl.arange(0, BN)
        bv = tl.load(b + n[:, None] * D + d[None, :], mask=(n < N)[:, None], other=0.0)
        norm = tl.sqrt(tl.sum(bv * bv, axis=1) + 1e-12)
        sim = tl.sum(bv * av[None, :], axis=1) / norm * t
        pos += tl.sum(tl.where(n == i, sim, 0.0))
        sim = tl.where(n < N, sim, -float("inf"))
        mn = tl.maximum(m, tl.max(sim))
        l = l * tl.exp(m - mn) + tl.sum(tl.exp(sim - mn))
        m = mn
    tl.store(loss + i, m + tl.log(l) - pos)


@triton.jit
def top2_gate(logits, weights, ids, E, BLOCK: tl.constexpr):
    """Softmax over experts, the best two renormalised."""
    t = tl.program_id(0)
    e = tl.arange(0, BLOCK)
    x = tl.load(logits + t * E + e, mask=e < E, other=-float("inf"))
    p = tl.exp(x - tl.max(x, axis=0))
    p = p / tl.sum(p, axis=0)
    p1, i1 = tl.max(p, axis=0, return_indices=True)
    rest = tl.where(e == i1, -1.0, p)
    p2, i2 = tl.max(rest, axis=0, return_indices=True)
    s = p1 + p2
    tl.store(weights + 2 * t, p1 / s)
    tl.store(weights + 2 * t + 1, p2 / s)
    tl.store(ids + 2 * t, i1)
    tl.store(ids + 2 * t + 1, i2)


@triton.jit
def lovasz(errors, labels, loss, n, BLOCK: tl.constexpr):
    """Binary Lovasz hinge by sorting packed keys would be; here by ranks: counts of larger errors."""
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    m = c < n
    e = tl.load(errors + row * n + c, mask=m, other=-1e30)
    l = tl.load(labels + row * n + c, mask=m, other=0.0)
    ahead = (e[None, :] > e[:, None]) | ((e[None, :] == e[:, None]) & (c[None, :] <= c[:, None]))
    pos = tl.sum(tl.where(ahead, l[None, :], 0.0), axis=1)
    neg = tl.sum(tl.where(ahead, 1.0 - l[None, :], 0.0), axis=1)
    total = tl.sum(l, axis=0)
    jac = 1.0 - (total - pos) / (total + neg)
    pos1 = pos - l
    neg1 = neg - (1.0 - l)
    jac1 = 1.0 - (total - pos1) / (total + neg1)
    tl.store(loss + row, tl.sum(tl.where(m, tl.maximum(e, 0.0) * (jac - jac1), 0.0), axis=0))


@triton.jit
def other_active(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    d = tl.load(y + i, mask=i < n, other=0.0)
    v = tl.load(x + i, mask=(i < n) & (i % 3 != 0), other=d * d)
    tl.store(out + i, v * d, mask=i < n)


@triton.jit
def hadamard(x, out, n, LOG: tl.constexpr, BLOCK: tl.constexpr):
    """Fast Walsh-Hadamard by reshapes."""
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + row * n + c, mask=c < n, other=0.0)
    for k in tl.static_range(LOG):
        t = tl.reshape(v, (BLOCK // (2 << k), 2, 1 << k))
        t = tl.permute(t, (0, 2, 1))
        a, b = tl.split(t)
        t = tl.join(a + b, a - b)
        t = tl.permute(t, (0, 2, 1))
        v = tl.reshape(t, (BLOCK,))
    tl.store(out + row * n + c, v * v, mask=c < n)


@triton.jit
def leaky_if(x, out, n, BLOCK: tl.constexpr):
    """In a loop, an if by a row's number, and one by data."""
    row = tl.program_id(0)
    acc = 0.0
    for i in range(n):
        v = tl.load(x + row * n + i)
        if v > 0:
            acc = acc * 0.5 + v
        else:
            if i % 2 == 0:
                acc = acc - v * v
    tl.store(out + row, acc)


@triton.jit
def outer_state(k, v, q, beta, out, T, D: tl.constexpr):
    """Delta rule: S += beta (v - S k) k^T, o = S q."""
    h = tl.program_id(0)
    d = tl.arange(0, D)
    S = tl.zeros((D, D), tl.float32)
    for t in range(T):
        kt = tl.load(k + (h * T + t) * D + d)
        vt = tl.load(v + (h * T + t) * D + d)
        qt = tl.load(q + (h * T + t) * D + d)
        b = tl.sigmoid(tl.load(beta + h * T + t))
        u = (vt - tl.sum(S * kt[None, :], axis=1)) * b
        S += u[:, None] * kt[None, :]
        tl.store(out + (h * T + t) * D + d, tl.sum(S * qt[None, :], axis=1))


@triton.jit
def logcumsumexp(x, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    run = -float("inf")
    for s in range(0, n, BLOCK):
        c = s + tl.arange(0, BLOCK)
        v = tl.load(x + row * n + c, mask=c < n, other=-float("inf"))
        top = tl.maximum(run, tl.max(v, axis=0))
        l = tl.log(tl.cumsum(tl.exp(v - top), axis=0) + tl.exp(run - top)) + top
        tl.store(out + row * n + c, l, mask=c < n)
        run = tl.max(l, axis=0)


@triton.jit
def ctc_step(lp, labels, loss, T, V, S: tl.constexpr):
    """CTC forward of one sequence: alphas of 2L+1 states."""
    b = tl.program_id(0)
    s = tl.arange(0, S)
    lab = tl.load(labels + b * S + s)
    prev2 = tl.load(labels + b * S + tl.maximum(s - 2, 0))
    skip = (s >= 2) & (lab != 0) & (lab != prev2)
    a = tl.where(s < 2, tl.load(lp + b * T * V + lab), -1e30)
    for t in range(1, T):
        e = tl.load(lp + (b * T + t) * V + lab)
        a1 = tl.where(s >= 1, tl.gather(a, tl.maximum(s - 1, 0), 0), -1e30)
        a2 = tl.where(skip, tl.gather(a, tl.maximum(s - 2, 0), 0), -1e30)
        m = tl.maximum(a, tl.maximum(a1, a2))
        a = m + tl.log(tl.exp(a - m) + tl.exp(a1 - m) + tl.exp(a2 - m)) + e
    end = tl.where(s >= S - 2, a, -1e30)
    top = tl.max(end, axis=0)
    tl.store(loss + b, -(top + tl.log(tl.sum(tl.exp(end - top), axis=0))))


@triton.jit
def pairs_and_rest(x, out, FIRST: tl.constexpr, TO: tl.constexpr, D: tl.constexpr):
    """Pairs of a head, and what is behind them: of x from FIRST on, of out from TO on; 6 of 12 are pairs."""
    row = tl.program_id(0) * 3 + tl.program_id(1)
    i, rest = tl.arange(0, 4), tl.arange(0, 8)
    a = tl.load(x + row * D + 2 * i, mask=i < 3, other=0.0)
    b = tl.load(x + row * D + 2 * i + 1, mask=i < 3, other=0.0)
    kept = tl.load(x + row * D + FIRST + rest, mask=rest < 6, other=0.0)
    tl.store(out + row * D + 2 * i, a * b, mask=i < 3)
    tl.store(out + row * D + 2 * i + 1, b * b - a, mask=i < 3)
    tl.store(out + row * D + TO + rest, kept * kept * kept, mask=rest < 6)


@triton.jit
def added_without_a_number(x, out, n, BLOCK: tl.constexpr):
    """No program asks which it is, so each adds the same."""
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.atomic_add(out, tl.sum(v * v, axis=0))


@triton.jit
def both_ways(x, out, n, BLOCK: tl.constexpr):
    """A matrix and what lies across the diagonal, in one program."""
    i = tl.arange(0, BLOCK)
    inside = (i < n)[:, None] & (i < n)[None, :]
    a = tl.load(x + i[:, None] * n + i[None, :], mask=inside, other=0.0)
    b = tl.load(x + i[None, :] * n + i[:, None], mask=inside, other=0.0)
    tl.store(out + i[:, None] * n + i[None, :], a * b + 0.5 * (a - b), mask=inside)


@triton.jit
def gqa_decode(q, k, v, out, lens, scale, T, HQ: tl.constexpr, HK: tl.constexpr, D: tl.constexpr, BN: tl.constexpr):
    """One query a head, groups of heads share keys; lengths by batch."""
    b = tl.program_id(0)
    hk = tl.program_id(1)
    G: tl.constexpr = HQ // HK
    g = tl.arange(0, G)
    d = tl.arange(0, D)
    length = tl.load(lens + b)
    qv = tl.load(q + (b * HQ + hk * G + g[:, None]) * D + d[None, :])
    m = tl.full((G,), -1e30, tl.float32)
    l = tl.zeros((G,), tl.float32)
    acc = tl.zeros((G, D), tl.float32)
    for s in range(0, length, BN):
        n = s + tl.arange(0, BN)
        kn = tl.load(k + ((b * T + n[:, None]) * HK + hk) * D + d[None, :], mask=n[:, None] < length, other=0.0)
        sc = tl.sum(qv[:, None, :] * kn[None, :, :], axis=2) * scale
        sc = tl.where((n < length)[None, :], sc, -1e30)
        mn = tl.maximum(m, tl.max(sc, axis=1))
        al = tl.exp(m - mn)
        p = tl.exp(sc - mn[:, None])
        vn = tl.load(v + ((b * T + n[:, None]) * HK + hk) * D + d[None, :], mask=n[:, None] < length, other=0.0)
        acc = acc * al[:, None] + tl.sum(p[:, :, None] * vn[None, :, :], axis=1)
        l = l * al + tl.sum(p, axis=1)
        m = mn
    tl.store(out + (b * HQ + hk * G + g[:, None]) * D + d[None, :], acc / l[:, None])


@triton.jit
def begins_with_one(x, v, out, row, BLOCK: tl.constexpr):
    """What is measured from 0 in front of the loop counts, too."""
    top, total, sums = 0.0, 1.0, 2.0
    for start in range(0, row, BLOCK):
        at = start + tl.arange(0, BLOCK)
        values = tl.load(x + tl.program_id(0) * row + at, mask=at < row, other=-1e30)
        new = tl.maximum(top, tl.max(values, axis=0))
        e, fade = tl.exp(values - new), tl.exp(top - new)
        total = total * fade + tl.sum(e, axis=0)
        sums = sums * fade + tl.sum(e * tl.load(v + at, mask=at < row, other=0.0), axis=0)
        top = new
    tl.store(out + tl.program_id(0), sums / total)
