# planted_index.py - indices, masks and scales that do not fit what they are for, beside their right twins; see planted_index.txt
import triton
import triton.language as tl


@triton.jit
def ce_label_wrong(x, y, out, n, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + row * n + c, mask=c < n, other=-float("inf"))
    m = tl.max(v, 0)
    lse = tl.log(tl.sum(tl.exp(v - m), 0)) + m
    t = tl.load(x + tl.load(y + row))
    tl.store(out + row, lse - t)


@triton.jit
def ce_label(x, y, out, n, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + row * n + c, mask=c < n, other=-float("inf"))
    m = tl.max(v, 0)
    lse = tl.log(tl.sum(tl.exp(v - m), 0)) + m
    t = tl.load(x + row * n + tl.load(y + row))
    tl.store(out + row, lse - t)


@triton.jit
def causal_turned_wrong(q, k, out, n, B: tl.constexpr, D: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    c = tl.arange(0, B)
    d = tl.arange(0, D)
    Q = tl.load(q + r[:, None] * D + d[None, :])
    l = tl.zeros((B,), tl.float32)
    m = tl.full((B,), -1e30, tl.float32)
    for s in range(0, (tl.program_id(0) + 1) * B, B):
        K = tl.load(k + (s + c)[None, :] * D + d[:, None])
        S = tl.dot(Q, K) * 0.25
        S = tl.where(r[:, None] <= (s + c)[None, :], S, -1e30)
        new = tl.maximum(m, tl.max(S, 1))
        l = l * tl.exp(m - new) + tl.sum(tl.exp(S - new[:, None]), 1)
        m = new
    tl.store(out + r, m + tl.log(l))


@triton.jit
def causal_turned(q, k, out, n, B: tl.constexpr, D: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    c = tl.arange(0, B)
    d = tl.arange(0, D)
    Q = tl.load(q + r[:, None] * D + d[None, :])
    l = tl.zeros((B,), tl.float32)
    m = tl.full((B,), -1e30, tl.float32)
    for s in range(0, (tl.program_id(0) + 1) * B, B):
        K = tl.load(k + (s + c)[None, :] * D + d[:, None])
        S = tl.dot(Q, K) * 0.25
        S = tl.where(r[:, None] >= (s + c)[None, :], S, -1e30)
        new = tl.maximum(m, tl.max(S, 1))
        l = l * tl.exp(m - new) + tl.sum(tl.exp(S - new[:, None]), 1)
        m = new
    tl.store(out + r, m + tl.log(l))


@triton.jit
def quant_rows_wrong(x, q, s, n, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + row * n + c, mask=c < n, other=0.0)
    scale = tl.max(v, axis=0) / 127.0
    t = v / scale
    t = tl.where(t >= 0, t + 0.5, t - 0.5).to(tl.int8)
    tl.store(q + row * n + c, t, mask=c < n)
    tl.store(s + row, scale)


@triton.jit
def quant_rows(x, q, s, n, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + row * n + c, mask=c < n, other=0.0)
    scale = tl.max(tl.abs(v), axis=0) / 127.0
    t = v / scale
    t = tl.where(t >= 0, t + 0.5, t - 0.5).to(tl.int8)
    tl.store(q + row * n + c, t, mask=c < n)
    tl.store(s + row, scale)


@triton.jit
def gqa_wrong(q, k, out, S, H, G, D: tl.constexpr):
    t = tl.program_id(0)
    h = tl.program_id(1)
    d = tl.arange(0, D)
    kh = h % G
    a = tl.load(q + (t * H + h) * D + d)
    b = tl.load(k + (t * (H // G) + kh) * D + d)
    tl.store(out + t * H + h, tl.sum(a * b, 0))


@triton.jit
def gqa(q, k, out, S, H, G, D: tl.constexpr):
    t = tl.program_id(0)
    h = tl.program_id(1)
    d = tl.arange(0, D)
    kh = h // G
    a = tl.load(q + (t * H + h) * D + d)
    b = tl.load(k + (t * (H // G) + kh) * D + d)
    tl.store(out + t * H + h, tl.sum(a * b, 0))


@triton.jit
def paged_wrong(cache, table, out, P: tl.constexpr, D: tl.constexpr):
    t = tl.program_id(0) * 8 + tl.arange(0, 8)
    d = tl.arange(0, D)
    page = tl.load(table + t // P)
    tl.store(out + t[:, None] * D + d[None, :], tl.load(cache + (page + t % P)[:, None] * D + d[None, :]))


@triton.jit
def paged(cache, table, out, P: tl.constexpr, D: tl.constexpr):
    t = tl.program_id(0) * 8 + tl.arange(0, 8)
    d = tl.arange(0, D)
    page = tl.load(table + t // P)
    tl.store(out + t[:, None] * D + d[None, :], tl.load(cache + (page * P + t % P)[:, None] * D + d[None, :]))


@triton.jit
def cos_sim_wrong(a, b, out, n, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    x = tl.load(a + row * n + c, mask=c < n, other=0.0)
    y = tl.load(b + row * n + c, mask=c < n, other=0.0)
    tl.store(out + row, tl.sum(x * y, 0) / (tl.sum(x * x, 0) * tl.sum(y * y, 0)))


@triton.jit
def cos_sim(a, b, out, n, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    x = tl.load(a + row * n + c, mask=c < n, other=0.0)
    y = tl.load(b + row * n + c, mask=c < n, other=0.0)
    tl.store(out + row, tl.sum(x * y, 0) / tl.sqrt(tl.sum(x * x, 0) * tl.sum(y * y, 0)))


@triton.jit
def fp8_scale_wrong(x, out, s, n, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + row * n + c, mask=c < n, other=0.0)
    m = tl.max(tl.abs(v), 0)
    sc = m / 127
    q = tl.clamp(v * sc, -127.0, 127.0)
    tl.store(out + row * n + c, tl.floor(q + 0.5).to(tl.int8), mask=c < n)
    tl.store(s + row, sc)


@triton.jit
def fp8_scale(x, out, s, n, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + row * n + c, mask=c < n, other=0.0)
    m = tl.max(tl.abs(v), 0)
    sc = m / 127
    q = tl.clamp(v / sc, -127.0, 127.0)
    tl.store(out + row * n + c, tl.floor(q + 0.5).to(tl.int8), mask=c < n)
    tl.store(s + row, sc)


@triton.jit
def argmin_wrong(x, out, n, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + row * n + c, mask=c < n, other=-float("inf"))
    tl.store(out + row, tl.argmin(v, 0))


@triton.jit
def argmin(x, out, n, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + row * n + c, mask=c < n, other=float("inf"))
    tl.store(out + row, tl.argmin(v, 0))


@triton.jit
def reduce_two_wrong(x, out, h, w, BH: tl.constexpr, BW: tl.constexpr):
    r = tl.arange(0, BH)
    c = tl.program_id(0) * BW + tl.arange(0, BW)
    acc = tl.zeros((BH, BW), tl.float32)
    for s in range(0, h, BH):
        m = ((s + r)[:, None] < h) & (c[None, :] < w)
        acc += tl.load(x + (s + r)[:, None] * w + c[None, :], mask=m, other=0.0)
    tl.store(out + c, tl.sum(acc, 0) / BH, mask=c < w)


@triton.jit
def reduce_two(x, out, h, w, BH: tl.constexpr, BW: tl.constexpr):
    r = tl.arange(0, BH)
    c = tl.program_id(0) * BW + tl.arange(0, BW)
    acc = tl.zeros((BH, BW), tl.float32)
    for s in range(0, h, BH):
        m = ((s + r)[:, None] < h) & (c[None, :] < w)
        acc += tl.load(x + (s + r)[:, None] * w + c[None, :], mask=m, other=0.0)
    tl.store(out + c, tl.sum(acc, 0) / h, mask=c < w)


@triton.jit
def attn_mask_wrong(q, k, v, mask, out, n, B: tl.constexpr, D: tl.constexpr):
    r = tl.arange(0, B)
    d = tl.arange(0, D)
    Q = tl.load(q + r[:, None] * D + d[None, :])
    K = tl.load(k + r[:, None] * D + d[None, :])
    V = tl.load(v + r[:, None] * D + d[None, :])
    s = tl.dot(Q, tl.trans(K)) * 0.25
    s = s * tl.load(mask + r[:, None] * n + r[None, :])
    e = tl.exp(s - tl.max(s, 1)[:, None])
    p = e / tl.sum(e, 1)[:, None]
    tl.store(out + r[:, None] * D + d[None, :], tl.dot(p, V))


@triton.jit
def attn_mask(q, k, v, mask, out, n, B: tl.constexpr, D: tl.constexpr):
    r = tl.arange(0, B)
    d = tl.arange(0, D)
    Q = tl.load(q + r[:, None] * D + d[None, :])
    K = tl.load(k + r[:, None] * D + d[None, :])
    V = tl.load(v + r[:, None] * D + d[None, :])
    s = tl.dot(Q, tl.trans(K)) * 0.25
    s = tl.where(tl.load(mask + r[:, None] * n + r[None, :]) != 0, s, -1e30)
    e = tl.exp(s - tl.max(s, 1)[:, None])
    p = e / tl.sum(e, 1)[:, None]
    tl.store(out + r[:, None] * D + d[None, :], tl.dot(p, V))


@triton.jit
def add_bias_wrong(x, bias, out, M, N, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    ok = i < M * N
    tl.store(out + i, tl.load(x + i, mask=ok) + tl.load(bias + i // N, mask=ok), mask=ok)


@triton.jit
def add_bias(x, bias, out, M, N, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    ok = i < M * N
    tl.store(out + i, tl.load(x + i, mask=ok) + tl.load(bias + i % N, mask=ok), mask=ok)


@triton.jit
def logsoftmax_wrong(x, out, n, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + row * n + c, mask=c < n, other=-float("inf"))
    v = v - tl.max(v, 0)
    tl.store(out + row * n + c, v - tl.sum(tl.exp(v), 0), mask=c < n)


@triton.jit
def logsoftmax(x, out, n, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + row * n + c, mask=c < n, other=-float("inf"))
    v = v - tl.max(v, 0)
    tl.store(out + row * n + c, v - tl.log(tl.sum(tl.exp(v), 0)), mask=c < n)


@triton.jit
def act_order_wrong(a, b, bias, c, M, N, K, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    s = tl.program_id(1) * B + tl.arange(0, B)
    k = tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for i in range(0, K, B):
        acc += tl.dot(tl.load(a + r[:, None] * K + (i + k)[None, :]), tl.load(b + (i + k)[:, None] * N + s[None, :]))
        acc = tl.maximum(acc, 0.0)
    tl.store(c + r[:, None] * N + s[None, :], acc + tl.load(bias + s)[None, :])


@triton.jit
def act_order(a, b, bias, c, M, N, K, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    s = tl.program_id(1) * B + tl.arange(0, B)
    k = tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for i in range(0, K, B):
        acc += tl.dot(tl.load(a + r[:, None] * K + (i + k)[None, :]), tl.load(b + (i + k)[:, None] * N + s[None, :]))
    tl.store(c + r[:, None] * N + s[None, :], tl.maximum(acc + tl.load(bias + s)[None, :], 0.0))


@triton.jit
def norm_dim_wrong(x, out, h, w, BH: tl.constexpr, BW: tl.constexpr):
    r = tl.program_id(0) * BH + tl.arange(0, BH)
    c = tl.arange(0, BW)
    m = (r[:, None] < h) & (c[None, :] < w)
    v = tl.load(x + r[:, None] * w + c[None, :], mask=m, other=0.0)
    mean = tl.sum(v, 0) / w
    d = tl.where(m, v - mean[None, :], 0.0)
    var = tl.sum(d * d, 0) / w
    tl.store(out + r[:, None] * w + c[None, :], d * tl.rsqrt(var + 1e-5)[None, :], mask=m)


@triton.jit
def norm_dim(x, out, h, w, BH: tl.constexpr, BW: tl.constexpr):
    r = tl.program_id(0) * BH + tl.arange(0, BH)
    c = tl.arange(0, BW)
    m = (r[:, None] < h) & (c[None, :] < w)
    v = tl.load(x + r[:, None] * w + c[None, :], mask=m, other=0.0)
    mean = tl.sum(v, 1) / w
    d = tl.where(m, v - mean[:, None], 0.0)
    var = tl.sum(d * d, 1) / w
    tl.store(out + r[:, None] * w + c[None, :], d * tl.rsqrt(var + 1e-5)[:, None], mask=m)


@triton.jit
def count_wrong(x, out, n, t, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.atomic_add(out, tl.sum((v < t).to(tl.int32), 0))


@triton.jit
def count(x, out, n, t, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.atomic_add(out, tl.sum(((v < t) & (i < n)).to(tl.int32), 0))


@triton.jit
def ln_eps_wrong(x, out, n, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    ok = c < n
    v = tl.load(x + row * n + c, mask=ok, other=0.0)
    mean = tl.sum(v, 0) / n
    d = tl.where(ok, v - mean, 0.0)
    std = tl.sum(d * d, 0) / n
    tl.store(out + row * n + c, d / (std + 1e-5), mask=ok)


@triton.jit
def ln_eps(x, out, n, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    ok = c < n
    v = tl.load(x + row * n + c, mask=ok, other=0.0)
    mean = tl.sum(v, 0) / n
    d = tl.where(ok, v - mean, 0.0)
    std = tl.sqrt(tl.sum(d * d, 0) / n)
    tl.store(out + row * n + c, d / (std + 1e-5), mask=ok)


@triton.jit
def rounds_grid_wrong(x, out, n, B: tl.constexpr):
    pid = tl.program_id(0)
    for i in range(pid, n, tl.num_programs(0)):
        c = i * B + tl.arange(0, B)
        tl.store(out + c, tl.load(x + c, mask=c < n) * 2, mask=c < n)


@triton.jit
def rounds_grid(x, out, n, B: tl.constexpr):
    pid = tl.program_id(0)
    for i in range(pid, tl.cdiv(n, B), tl.num_programs(0)):
        c = i * B + tl.arange(0, B)
        tl.store(out + c, tl.load(x + c, mask=c < n) * 2, mask=c < n)


@triton.jit
def moe_wrong(x, w, eid, out, T, K, N, B: tl.constexpr, BN: tl.constexpr):
    t = tl.program_id(0)
    e = tl.load(eid)
    k = tl.arange(0, B)
    c = tl.arange(0, BN)
    v = tl.load(x + t * K + k, mask=k < K, other=0.0)
    m = tl.load(w + e * K * N + k[:, None] * N + c[None, :], mask=(k[:, None] < K) & (c[None, :] < N), other=0.0)
    tl.store(out + t * N + c, tl.sum(v[:, None] * m, 0), mask=c < N)


@triton.jit
def moe(x, w, eid, out, T, K, N, B: tl.constexpr, BN: tl.constexpr):
    t = tl.program_id(0)
    e = tl.load(eid + t)
    k = tl.arange(0, B)
    c = tl.arange(0, BN)
    v = tl.load(x + t * K + k, mask=k < K, other=0.0)
    m = tl.load(w + e * K * N + k[:, None] * N + c[None, :], mask=(k[:, None] < K) & (c[None, :] < N), other=0.0)
    tl.store(out + t * N + c, tl.sum(v[:, None] * m, 0), mask=c < N)


@triton.jit
def embed(ids, table, out, V, D, B: tl.constexpr):
    row = tl.program_id(0)
    d = tl.arange(0, B)
    at = tl.load(ids + row)
    tl.store(out + row * D + d, tl.load(table + at * D + d, mask=d < D), mask=d < D)


@triton.jit
def crops(x, starts, out, n, L, B: tl.constexpr):
    """What is loaded for a row is the element at which it begins, and no number of a page."""
    i = tl.program_id(0) * B + tl.arange(0, B)
    start = tl.load(starts + i // L, mask=i < n, other=0)
    tl.store(out + i, tl.load(x + start + i % L, mask=i < n), mask=i < n)
