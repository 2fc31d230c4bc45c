"""Kernels as public projects have them, with what they store for their backwards."""

import triton
import triton.language as tl


@triton.jit
def flash(Q, K, V, Out, M, sm_scale, N, CAUSAL: tl.constexpr, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    start_m = tl.program_id(0)
    h = tl.program_id(1)
    Q += h * N * D
    K += h * N * D
    V += h * N * D
    Out += h * N * D
    offs_m = start_m * BM + tl.arange(0, BM)
    offs_n = tl.arange(0, BN)
    offs_d = tl.arange(0, D)
    m_i = tl.zeros([BM], dtype=tl.float32) - float("inf")
    l_i = tl.zeros([BM], dtype=tl.float32) + 1.0
    acc = tl.zeros([BM, D], dtype=tl.float32)
    qk_scale = sm_scale * 1.44269504
    q = tl.load(Q + offs_m[:, None] * D + offs_d[None, :], mask=offs_m[:, None] < N, other=0.0)
    hi = (start_m + 1) * BM if CAUSAL else N
    for start_n in range(0, hi, BN):
        cols = start_n + offs_n
        k = tl.load(K + cols[None, :] * D + offs_d[:, None], mask=cols[None, :] < N, other=0.0)
        qk = tl.dot(q, k, input_precision="ieee")
        ok = cols[None, :] < N
        if CAUSAL:
            ok = ok & (offs_m[:, None] >= cols[None, :])
        qk = qk * qk_scale + tl.where(ok, 0, -1.0e6)
        m_ij = tl.maximum(m_i, tl.max(qk, 1))
        qk -= m_ij[:, None]
        p = tl.math.exp2(qk)
        alpha = tl.math.exp2(m_i - m_ij)
        l_ij = tl.sum(p, 1)
        acc = acc * alpha[:, None]
        v = tl.load(V + cols[:, None] * D + offs_d[None, :], mask=cols[:, None] < N, other=0.0)
        acc = tl.dot(p.to(v.dtype), v, acc, input_precision="ieee")
        l_i = l_i * alpha + l_ij
        m_i = m_ij
    m_i += tl.math.log2(l_i)
    acc = acc / l_i[:, None]
    tl.store(M + h * N + offs_m, m_i, mask=offs_m < N)
    tl.store(Out + offs_m[:, None] * D + offs_d[None, :], acc, mask=offs_m[:, None] < N)


@triton.jit
def ln_tutorial(X, Y, W, B, Mean, Rstd, stride, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    Y += row * stride
    X += row * stride
    _mean = tl.zeros([BLOCK], dtype=tl.float32)
    for off in range(0, N, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        a = tl.load(X + cols, mask=cols < N, other=0.).to(tl.float32)
        _mean += a
    mean = tl.sum(_mean, axis=0) / N
    _var = tl.zeros([BLOCK], dtype=tl.float32)
    for off in range(0, N, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.).to(tl.float32)
        x = tl.where(cols < N, x - mean, 0.)
        _var += x * x
    var = tl.sum(_var, axis=0) / N
    rstd = 1 / tl.sqrt(var + eps)
    tl.store(Mean + row, mean)
    tl.store(Rstd + row, rstd)
    for off in range(0, N, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        mask = cols < N
        w = tl.load(W + cols, mask=mask)
        b = tl.load(B + cols, mask=mask)
        x = tl.load(X + cols, mask=mask, other=0.).to(tl.float32)
        x_hat = (x - mean) * rstd
        tl.store(Y + cols, x_hat * w + b, mask=mask)


@triton.jit
def liger_ce(X, Y, loss_ptr, lse_out, n_cols, smoothing, lse_scale, softcap, CAP: tl.constexpr, BLOCK: tl.constexpr):
    pid = tl.program_id(0).to(tl.int64)
    y = tl.load(Y + pid)
    X += pid * n_cols
    m = float("-inf")
    d = 0.0
    ori = tl.load(X + y).to(tl.float32)
    if CAP:
        ori = softcap * (2 * tl.sigmoid(2 * ori / softcap) - 1)
    scaled = 0.0
    eps = smoothing / n_cols
    for i in range(0, n_cols, BLOCK):
        off = i + tl.arange(0, BLOCK)
        x = tl.load(X + off, mask=off < n_cols, other=float("-inf")).to(tl.float32)
        if CAP:
            x = tl.where(off < n_cols, softcap * (2 * tl.sigmoid(2 * x / softcap) - 1), float("-inf"))
        block_max = tl.max(x)
        scaled += tl.sum(tl.where(off < n_cols, -eps * x, 0.0))
        m_new = tl.maximum(m, block_max)
        d = d * tl.exp(m - m_new) + tl.sum(tl.exp(x - m_new))
        m = m_new
    lse = m + tl.log(d)
    loss = lse - ori
    loss = loss * (1 - smoothing) + scaled + smoothing * lse
    loss += lse_scale * lse * lse
    tl.store(loss_ptr + pid, loss)
    tl.store(lse_out + pid, lse)


@triton.jit
def jsd(X, Y, out, n, beta, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(X + r * n + at, mask=at < n, other=0.0)
    y = tl.load(Y + r * n + at, mask=at < n, other=0.0)
    mx = tl.maximum(tl.max(x, axis=0), tl.max(y, axis=0))
    p = tl.exp(x - mx) * tl.exp(mx)
    q = tl.exp(y - mx) * tl.exp(mx)
    mid = beta * p + (1 - beta) * q
    lm = tl.log(mid)
    tl.store(out + r, tl.sum(tl.where(at < n, beta * p * (x - lm) + (1 - beta) * q * (y - lm), 0.0), axis=0))


@triton.jit
def tempered(x, temp, out, lse, n, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    t = tl.load(temp + r)
    a = tl.load(x + r * n + at, mask=at < n, other=-float("inf"))
    top = tl.max(a, axis=0)
    e = tl.exp((a - top) * t)
    s = tl.sum(e, axis=0)
    tl.store(out + r * n + at, e / s, mask=at < n)
    tl.store(lse + r, top * t + tl.log(s))


@triton.jit
def lse_columns(x, out, lse, rows, cols, R: tl.constexpr, C: tl.constexpr):
    i = tl.arange(0, R)
    j = tl.program_id(0) * C + tl.arange(0, C)
    ok = (i[:, None] < rows) & (j[None, :] < cols)
    a = tl.load(x + i[:, None] * cols + j[None, :], mask=ok, other=-float("inf"))
    top = tl.max(a, axis=0)
    top = tl.where(top == -float("inf"), 0.0, top)
    total = tl.sum(tl.exp(a - top[None, :]), axis=0)
    l = top + tl.log(total)
    tl.store(lse + j, l, mask=j < cols)
    tl.store(out + i[:, None] * cols + j[None, :], a - l[None, :], mask=ok)


@triton.jit
def sink(x, sinks, v, out, stat, n, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    a = tl.load(x + r * n + at, mask=at < n, other=-float("inf"))
    s = tl.load(sinks + r)
    m = tl.maximum(tl.max(a, axis=0), s)
    p = tl.exp(a - m)
    den = tl.sum(p, axis=0) + tl.exp(s - m)
    tl.store(out + r, tl.sum(p * tl.load(v + at, mask=at < n, other=0.0), axis=0) / den)
    tl.store(stat + r, m + tl.log(den))


@triton.jit
def step(a, b, c, d):
    return a * c, c * b + d


@triton.jit
def selective(x, a, out, last, n, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    xs = tl.load(x + r * n + at, mask=at < n, other=0.0)
    gate = tl.sigmoid(tl.load(a + r * n + at, mask=at < n, other=0.0))
    _, h = tl.associative_scan((gate, xs * (1 - gate)), 0, step)
    tl.store(out + r * n + at, h * h, mask=at < n)
    tl.store(last + r, tl.sum(tl.where(at == n - 1, h, 0.0), axis=0))


@triton.jit
def gathered_rms(table, ids, g, out, rstd, n, eps, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    id = tl.load(ids + r)
    e = tl.load(table + id * n + at, mask=at < n, other=0.0)
    s = tl.rsqrt(tl.sum(e * e, axis=0) / n + eps)
    tl.store(rstd + r, s)
    tl.store(out + r * n + at, e * s * tl.load(g + at, mask=at < n, other=0.0), mask=at < n)


@triton.jit
def info_nce(q, k, loss, lse, temp, n, D: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    d = tl.arange(0, D)
    a = tl.load(q + i[:, None] * D + d[None, :], mask=i[:, None] < n, other=0.0)
    b = tl.load(k + i[:, None] * D + d[None, :], mask=i[:, None] < n, other=0.0)
    s = tl.dot(a, tl.trans(b), input_precision="ieee") / temp
    s = tl.where(i[None, :] < n, s, -float("inf"))
    m = tl.max(s, axis=1)
    l = m + tl.log(tl.sum(tl.exp(s - m[:, None]), axis=1))
    diag = tl.sum(tl.where(i[:, None] == i[None, :], s, 0.0), axis=1)
    tl.store(lse + i, l, mask=i < n)
    tl.store(loss + i, l - diag, mask=i < n)


@triton.jit
def two_halves(x, out, part, n, HALF: tl.constexpr):
    """Each program does half of a row, and stores its own part."""
    r, h = tl.program_id(0), tl.program_id(1)
    at = h * HALF + tl.arange(0, HALF)
    a = tl.load(x + r * n + at, mask=at < n, other=-float("inf"))
    m = tl.max(a, axis=0)
    s = tl.sum(tl.exp(a - m), axis=0)
    l = m + tl.log(s)
    tl.store(part + r * 2 + h, l)
    tl.store(out + r * n + at, tl.exp(a - l) * (a - l), mask=at < n)


@triton.jit
def given_max(x, top, out, total, n, BLOCK: tl.constexpr):
    """The maximum is an argument, and is differentiated by."""
    r = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    t = tl.load(top + r)
    e = tl.exp(tl.load(x + r * n + at, mask=at < n, other=-float("inf")) - t)
    s = tl.sum(e, axis=0)
    tl.store(total + r, s)
    tl.store(out + r * n + at, e / (s + 1.0), mask=at < n)


@triton.jit
def group_norm(x, w, out, mean, rstd, C, HW, eps, BLOCK: tl.constexpr):
    g = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    ok = at < C * HW
    a = tl.load(x + g * C * HW + at, mask=ok, other=0.0)
    mu = tl.sum(a, axis=0) / (C * HW)
    c = tl.where(ok, a - mu, 0.0)
    rs = 1.0 / tl.sqrt(tl.sum(c * c, axis=0) / (C * HW) + eps)
    tl.store(mean + g, mu)
    tl.store(rstd + g, rs)
    tl.store(out + g * C * HW + at, c * rs * tl.load(w + at // HW, mask=ok, other=0.0), mask=ok)


@triton.jit
def weighted(x, w, out, lse, n, BLOCK: tl.constexpr):
    """log(sum(w exp(x))), where w is differentiated by, too."""
    r = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    a = tl.load(x + r * n + at, mask=at < n, other=-float("inf"))
    b = tl.load(w + at, mask=at < n, other=0.0)
    m = tl.max(a, axis=0)
    l = m + tl.log(tl.sum(b * tl.exp(a - m), axis=0))
    tl.store(lse + r, l)
    tl.store(out + r, l * l)
