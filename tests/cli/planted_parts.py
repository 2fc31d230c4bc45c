"""Kernels of planted_parts.txt: each right one has a twin, _wrong, with one mistake."""
import triton
import triton.language as tl


@triton.jit
def quantise_wrong(x, out, scale, n, B: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + row * n + i, mask=i < n, other=0.0)
    s = tl.max(tl.abs(v), axis=0) / 127.0 + 1e-9
    q = v * s
    q = q + tl.where(q >= 0, 0.5, -0.5)
    tl.store(out + row * n + i, q.to(tl.int8), mask=i < n)
    tl.store(scale + row, s)


@triton.jit
def quantise(x, out, scale, n, B: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + row * n + i, mask=i < n, other=0.0)
    s = tl.max(tl.abs(v), axis=0) / 127.0 + 1e-9
    q = v / s
    q = q + tl.where(q >= 0, 0.5, -0.5)
    tl.store(out + row * n + i, q.to(tl.int8), mask=i < n)
    tl.store(scale + row, s)


@triton.jit
def probs_wrong(q, k, out, T: tl.constexpr, D: tl.constexpr, scale):
    r = tl.program_id(0) * 16 + tl.arange(0, 16)
    c = tl.arange(0, T)
    d = tl.arange(0, D)
    Q = tl.load(q + r[:, None] * D + d[None, :]) * scale
    K = tl.load(k + c[:, None] * D + d[None, :])
    s = tl.dot(Q, tl.trans(K)) * scale
    p = tl.exp(s - tl.max(s, axis=1)[:, None])
    tl.store(out + r[:, None] * T + c[None, :], p / tl.sum(p, axis=1)[:, None])


@triton.jit
def probs(q, k, out, T: tl.constexpr, D: tl.constexpr, scale):
    r = tl.program_id(0) * 16 + tl.arange(0, 16)
    c = tl.arange(0, T)
    d = tl.arange(0, D)
    Q = tl.load(q + r[:, None] * D + d[None, :]) * scale
    K = tl.load(k + c[:, None] * D + d[None, :])
    s = tl.dot(Q, tl.trans(K))
    p = tl.exp(s - tl.max(s, axis=1)[:, None])
    tl.store(out + r[:, None] * T + c[None, :], p / tl.sum(p, axis=1)[:, None])


@triton.jit
def gemv_wrong(x, w, b, out, N, K, BK: tl.constexpr):
    s = tl.program_id(0) * 32 + tl.arange(0, 32)
    z = tl.program_id(1)
    k = z * BK + tl.arange(0, BK)
    v = tl.sum(tl.load(x + k)[:, None] * tl.load(w + k[:, None] * N + s[None, :]), axis=0)
    v += tl.load(b + s)
    tl.atomic_add(out + s, v)


@triton.jit
def gemv(x, w, b, out, N, K, BK: tl.constexpr):
    s = tl.program_id(0) * 32 + tl.arange(0, 32)
    z = tl.program_id(1)
    k = z * BK + tl.arange(0, BK)
    v = tl.sum(tl.load(x + k)[:, None] * tl.load(w + k[:, None] * N + s[None, :]), axis=0)
    v += tl.where(z == 0, tl.load(b + s), 0.0)
    tl.atomic_add(out + s, v)


@triton.jit
def masked_mean_wrong(x, lens, out, H, T, B: tl.constexpr):
    h = tl.program_id(0)
    b = tl.program_id(1)
    n = tl.load(lens + h)
    t = tl.arange(0, B)
    v = tl.load(x + (b * H + h) * T + t, mask=t < n, other=0.0)
    tl.store(out + b * H + h, tl.sum(v, axis=0) / n)


@triton.jit
def masked_mean(x, lens, out, H, T, B: tl.constexpr):
    h = tl.program_id(0)
    b = tl.program_id(1)
    n = tl.load(lens + b)
    t = tl.arange(0, B)
    v = tl.load(x + (b * H + h) * T + t, mask=t < n, other=0.0)
    tl.store(out + b * H + h, tl.sum(v, axis=0) / n)


@triton.jit
def linear_wrong(x, w, out, M, N, K: tl.constexpr):
    r = tl.program_id(0) * 16 + tl.arange(0, 16)
    c = tl.program_id(1) * 16 + tl.arange(0, 16)
    k = tl.arange(0, K)
    a = tl.load(x + r[:, None] * K + k[None, :], mask=r[:, None] < M, other=0.0)
    b = tl.load(w + k[:, None] * N + c[None, :], mask=c[None, :] < N, other=0.0)
    tl.store(out + r[:, None] * N + c[None, :], tl.dot(a, b), mask=(r[:, None] < M) & (c[None, :] < N))


@triton.jit
def linear(x, w, out, M, N, K: tl.constexpr):
    r = tl.program_id(0) * 16 + tl.arange(0, 16)
    c = tl.program_id(1) * 16 + tl.arange(0, 16)
    k = tl.arange(0, K)
    a = tl.load(x + r[:, None] * K + k[None, :], mask=r[:, None] < M, other=0.0)
    b = tl.load(w + c[None, :] * K + k[:, None], mask=c[None, :] < N, other=0.0)
    tl.store(out + r[:, None] * N + c[None, :], tl.dot(a, b), mask=(r[:, None] < M) & (c[None, :] < N))


@triton.jit
def avgpool_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    s = tl.zeros((B,), tl.float32)
    for k in range(3):
        s += tl.load(x + 4 * i + k, mask=i < n, other=0.0)
    tl.store(out + i, s / 4, mask=i < n)


@triton.jit
def avgpool(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    s = tl.zeros((B,), tl.float32)
    for k in range(4):
        s += tl.load(x + 4 * i + k, mask=i < n, other=0.0)
    tl.store(out + i, s / 4, mask=i < n)


@triton.jit
def logsoftmax_wrong(x, out, M, N: tl.constexpr, R: tl.constexpr):
    r = tl.program_id(0) * R + tl.arange(0, R)
    c = tl.arange(0, N)
    v = tl.load(x + r[:, None] * N + c[None, :])
    m = tl.max(v, axis=0)[None, :]
    s = tl.sum(tl.exp(v - m), axis=0)[None, :]
    tl.store(out + r[:, None] * N + c[None, :], v - m - tl.log(s))


@triton.jit
def logsoftmax(x, out, M, N: tl.constexpr, R: tl.constexpr):
    r = tl.program_id(0) * R + tl.arange(0, R)
    c = tl.arange(0, N)
    v = tl.load(x + r[:, None] * N + c[None, :])
    m = tl.max(v, axis=1)[:, None]
    s = tl.sum(tl.exp(v - m), axis=1)[:, None]
    tl.store(out + r[:, None] * N + c[None, :], v - m - tl.log(s))
