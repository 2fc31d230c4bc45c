# planted_again.py - one more set of mistakes of beginners and of those who port, beside their right twins; see planted_again.txt
import triton
import triton.language as tl


@triton.jit
def mask_or_wrong(x, out, h, w, BH: tl.constexpr, BW: tl.constexpr):
    r = tl.program_id(0) * BH + tl.arange(0, BH)
    c = tl.program_id(1) * BW + tl.arange(0, BW)
    m = (r < h)[:, None] | (c < w)[None, :]
    at = r[:, None] * w + c[None, :]
    tl.store(out + at, tl.load(x + at, mask=m) * 2, mask=m)


@triton.jit
def mask_or(x, out, h, w, BH: tl.constexpr, BW: tl.constexpr):
    r = tl.program_id(0) * BH + tl.arange(0, BH)
    c = tl.program_id(1) * BW + tl.arange(0, BW)
    m = (r < h)[:, None] & (c < w)[None, :]
    at = r[:, None] * w + c[None, :]
    tl.store(out + at, tl.load(x + at, mask=m) * 2, mask=m)


@triton.jit
def mask_before_shift_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    m = i < n
    i += tl.program_id(0) * B
    tl.store(out + i, tl.load(x + i, mask=m) + 1, mask=m)


@triton.jit
def mask_before_shift(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    i += tl.program_id(0) * B
    m = i < n
    tl.store(out + i, tl.load(x + i, mask=m) + 1, mask=m)


@triton.jit
def where_no_mask_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    v = tl.load(x + i, mask=i < n, other=0.0)
    v = tl.where(i < n, v * v, 0.0)
    tl.store(out + i, v)


@triton.jit
def where_no_mask(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    v = tl.load(x + i, mask=i < n, other=0.0)
    v = tl.where(i < n, v * v, 0.0)
    tl.store(out + i, v, mask=i < n)


@triton.jit
def halo_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    a = tl.load(x + i, mask=i < n)
    b = tl.load(x + i + 1, mask=i < n, other=0.0)
    tl.store(out + i, b - a, mask=i < n)


@triton.jit
def halo(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    a = tl.load(x + i, mask=i < n)
    b = tl.load(x + i + 1, mask=i + 1 < n, other=0.0)
    tl.store(out + i, b - a, mask=i < n)


@triton.jit
def odd_tail_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    m = i < n // 2
    a = tl.load(x + 2 * i, mask=m)
    b = tl.load(x + 2 * i + 1, mask=2 * i + 1 < n, other=0.0)
    tl.store(out + i, a + b, mask=m)


@triton.jit
def odd_tail(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    m = i < tl.cdiv(n, 2)
    a = tl.load(x + 2 * i, mask=m)
    b = tl.load(x + 2 * i + 1, mask=2 * i + 1 < n, other=0.0)
    tl.store(out + i, a + b, mask=m)


@triton.jit
def padded_length_wrong(x, lens, out, w, B: tl.constexpr):
    r = tl.program_id(0)
    n = tl.load(lens + r)
    c = tl.arange(0, B)
    v = tl.load(x + r * w + c, mask=c < w, other=0.0)
    tl.store(out + r, tl.sum(v) / n)


@triton.jit
def padded_length(x, lens, out, w, B: tl.constexpr):
    r = tl.program_id(0)
    n = tl.load(lens + r)
    c = tl.arange(0, B)
    v = tl.load(x + r * w + c, mask=c < n, other=0.0)
    tl.store(out + r, tl.sum(v) / n)


@triton.jit
def mask_by_block_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    tl.store(out + i, tl.load(x + i, mask=i < B) * 3, mask=i < B)


@triton.jit
def mask_by_block(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    tl.store(out + i, tl.load(x + i, mask=i < n) * 3, mask=i < n)


@triton.jit
def transposed_mask_wrong(x, out, h, w, B: tl.constexpr):
    r = tl.arange(0, B)
    c = tl.arange(0, B)
    v = tl.load(x + r[:, None] * w + c[None, :], mask=(r < h)[:, None] & (c < w)[None, :])
    tl.store(out + r[:, None] * h + c[None, :], tl.trans(v), mask=(r < h)[:, None] & (c < w)[None, :])


@triton.jit
def transposed_mask(x, out, h, w, B: tl.constexpr):
    r = tl.arange(0, B)
    c = tl.arange(0, B)
    v = tl.load(x + r[:, None] * w + c[None, :], mask=(r < h)[:, None] & (c < w)[None, :])
    tl.store(out + r[:, None] * h + c[None, :], tl.trans(v), mask=(r < w)[:, None] & (c < h)[None, :])


@triton.jit
def batch_stride_wrong(x, out, H, W, B: tl.constexpr):
    b = tl.program_id(1)
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < H * W
    tl.store(out + b * H * W + i, tl.load(x + b * H + i, mask=m) * 2, mask=m)


@triton.jit
def batch_stride(x, out, H, W, B: tl.constexpr):
    b = tl.program_id(1)
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < H * W
    tl.store(out + b * H * W + i, tl.load(x + b * H * W + i, mask=m) * 2, mask=m)


@triton.jit
def swapped_strides_wrong(x, out, sr, sc, n, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + r * sc + c * sr, mask=c < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v))
    tl.store(out + r * sr + c * sc, e / tl.sum(e), mask=c < n)


@triton.jit
def swapped_strides(x, out, sr, sc, n, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + r * sr + c * sc, mask=c < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v))
    tl.store(out + r * sr + c * sc, e / tl.sum(e), mask=c < n)


@triton.jit
def nhwc_wrong(x, mean, out, P, C, B: tl.constexpr):
    c = tl.program_id(0)
    p = tl.arange(0, B)
    m = tl.load(mean + c)
    at = c * P + p
    tl.store(out + at, tl.load(x + at, mask=p < P) - m, mask=p < P)


@triton.jit
def nhwc(x, mean, out, P, C, B: tl.constexpr):
    c = tl.program_id(0)
    p = tl.arange(0, B)
    m = tl.load(mean + c)
    at = p * C + c
    tl.store(out + at, tl.load(x + at, mask=p < P) - m, mask=p < P)


@triton.jit
def byte_offsets_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    tl.store(out + i, tl.load(x + i * 4, mask=i < n) + 1, mask=i < n)


@triton.jit
def byte_offsets(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    tl.store(out + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


@triton.jit
def b_stride_wrong(a, b, c, M, N, K, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    q = tl.program_id(1) * B + tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for k0 in range(0, K, B):
        k = k0 + tl.arange(0, B)
        x = tl.load(a + r[:, None] * K + k[None, :], mask=(r < M)[:, None] & (k < K)[None, :], other=0.0)
        y = tl.load(b + k[:, None] * K + q[None, :], mask=(k < K)[:, None] & (q < N)[None, :], other=0.0)
        acc = tl.dot(x, y, acc)
    tl.store(c + r[:, None] * N + q[None, :], acc, mask=(r < M)[:, None] & (q < N)[None, :])


@triton.jit
def b_stride(a, b, c, M, N, K, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    q = tl.program_id(1) * B + tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for k0 in range(0, K, B):
        k = k0 + tl.arange(0, B)
        x = tl.load(a + r[:, None] * K + k[None, :], mask=(r < M)[:, None] & (k < K)[None, :], other=0.0)
        y = tl.load(b + k[:, None] * N + q[None, :], mask=(k < K)[:, None] & (q < N)[None, :], other=0.0)
        acc = tl.dot(x, y, acc)
    tl.store(c + r[:, None] * N + q[None, :], acc, mask=(r < M)[:, None] & (q < N)[None, :])


@triton.jit
def row_twice_wrong(x, out, w, B: tl.constexpr):
    r = tl.program_id(0)
    x += r * w
    c = tl.arange(0, B)
    v = tl.load(x + r * w + c, mask=c < w)
    tl.store(out + r * w + c, v * 2, mask=c < w)


@triton.jit
def row_twice(x, out, w, B: tl.constexpr):
    r = tl.program_id(0)
    x += r * w
    c = tl.arange(0, B)
    v = tl.load(x + c, mask=c < w)
    tl.store(out + r * w + c, v * 2, mask=c < w)


@triton.jit
def advance_first_wrong(x, out, n, B: tl.constexpr):
    p = x + tl.arange(0, B)
    acc = tl.zeros((B,), tl.float32)
    for k in range(0, n, B):
        p += B
        acc += tl.load(p)
    tl.store(out, tl.sum(acc))


@triton.jit
def advance_first(x, out, n, B: tl.constexpr):
    p = x + tl.arange(0, B)
    acc = tl.zeros((B,), tl.float32)
    for k in range(0, n, B):
        acc += tl.load(p)
        p += B
    tl.store(out, tl.sum(acc))


@triton.jit
def flip_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    tl.store(out + i, tl.load(x + n - i, mask=i < n), mask=i < n)


@triton.jit
def flip(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    tl.store(out + i, tl.load(x + n - 1 - i, mask=i < n), mask=i < n)


@triton.jit
def bias_batch_wrong(x, bias, out, w, B: tl.constexpr):
    b = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + b * w + c, mask=c < w) + tl.load(bias + c, mask=c < w)
    tl.store(out + c, v, mask=c < w)


@triton.jit
def bias_batch(x, bias, out, w, B: tl.constexpr):
    b = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + b * w + c, mask=c < w) + tl.load(bias + c, mask=c < w)
    tl.store(out + b * w + c, v, mask=c < w)


@triton.jit
def head_stride_wrong(q, out, S, H, D: tl.constexpr, B: tl.constexpr):
    h = tl.program_id(1)
    s = tl.program_id(0) * B + tl.arange(0, B)
    d = tl.arange(0, D)
    at = s[:, None] * D + h * S + d[None, :]
    v = tl.load(q + at, mask=(s < S)[:, None])
    tl.store(out + s[:, None] * H * D + h * D + d[None, :], v * 0.5, mask=(s < S)[:, None])


@triton.jit
def head_stride(q, out, S, H, D: tl.constexpr, B: tl.constexpr):
    h = tl.program_id(1)
    s = tl.program_id(0) * B + tl.arange(0, B)
    d = tl.arange(0, D)
    at = s[:, None] * H * D + h * D + d[None, :]
    v = tl.load(q + at, mask=(s < S)[:, None])
    tl.store(out + s[:, None] * H * D + h * D + d[None, :], v * 0.5, mask=(s < S)[:, None])


@triton.jit
def argmax_axis_wrong(x, out, B: tl.constexpr):
    r = tl.arange(0, B)
    v = tl.load(x + r[:, None] * B + r[None, :])
    tl.store(out + r, tl.argmax(v, axis=0))


@triton.jit
def argmax_axis(x, out, B: tl.constexpr):
    r = tl.arange(0, B)
    v = tl.load(x + r[:, None] * B + r[None, :])
    tl.store(out + r, tl.argmax(v, axis=1))


@triton.jit
def cumsum_axis_wrong(x, out, h, w, BH: tl.constexpr, BW: tl.constexpr):
    r = tl.program_id(0) * BH + tl.arange(0, BH)
    c = tl.arange(0, BW)
    m = (r < h)[:, None] & (c < w)[None, :]
    v = tl.load(x + r[:, None] * w + c[None, :], mask=m, other=0.0)
    tl.store(out + r[:, None] * w + c[None, :], tl.cumsum(v, axis=0), mask=m)


@triton.jit
def cumsum_axis(x, out, h, w, BH: tl.constexpr, BW: tl.constexpr):
    r = tl.program_id(0) * BH + tl.arange(0, BH)
    c = tl.arange(0, BW)
    m = (r < h)[:, None] & (c < w)[None, :]
    v = tl.load(x + r[:, None] * w + c[None, :], mask=m, other=0.0)
    tl.store(out + r[:, None] * w + c[None, :], tl.cumsum(v, axis=1), mask=m)


@triton.jit
def softmax_axis_wrong(x, out, h, w, BH: tl.constexpr, BW: tl.constexpr):
    r = tl.program_id(0) * BH + tl.arange(0, BH)
    c = tl.arange(0, BW)
    m = (r < h)[:, None] & (c < w)[None, :]
    v = tl.load(x + r[:, None] * w + c[None, :], mask=m, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0, keep_dims=True))
    tl.store(out + r[:, None] * w + c[None, :], e / tl.sum(e, axis=0, keep_dims=True), mask=m)


@triton.jit
def softmax_axis(x, out, h, w, BH: tl.constexpr, BW: tl.constexpr):
    r = tl.program_id(0) * BH + tl.arange(0, BH)
    c = tl.arange(0, BW)
    m = (r < h)[:, None] & (c < w)[None, :]
    v = tl.load(x + r[:, None] * w + c[None, :], mask=m, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=1, keep_dims=True))
    tl.store(out + r[:, None] * w + c[None, :], e / tl.sum(e, axis=1, keep_dims=True), mask=m)


@triton.jit
def norm_axis_wrong(x, g, out, B: tl.constexpr):
    r = tl.arange(0, B)
    v = tl.load(x + r[:, None] * B + r[None, :])
    rms = tl.sqrt(tl.sum(v * v, axis=1) / B)
    tl.store(out + r[:, None] * B + r[None, :], v / rms[None, :] * tl.load(g + r)[None, :])


@triton.jit
def norm_axis(x, g, out, B: tl.constexpr):
    r = tl.arange(0, B)
    v = tl.load(x + r[:, None] * B + r[None, :])
    rms = tl.sqrt(tl.sum(v * v, axis=1) / B)
    tl.store(out + r[:, None] * B + r[None, :], v / rms[:, None] * tl.load(g + r)[None, :])


@triton.jit
def cols_by_rows_wrong(x, out, h, w, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    acc = tl.zeros((B,), tl.float32)
    for k in range(0, h):
        acc += tl.load(x + r * w + k, mask=r < h, other=0.0)
    tl.store(out + r, acc, mask=r < h)


@triton.jit
def cols_by_rows(x, out, h, w, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    acc = tl.zeros((B,), tl.float32)
    for k in range(0, w):
        acc += tl.load(x + r * w + k, mask=r < h, other=0.0)
    tl.store(out + r, acc, mask=r < h)


@triton.jit
def no_pid_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.sqrt(tl.load(x + i, mask=i < n)), mask=i < n)


@triton.jit
def no_pid(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.sqrt(tl.load(x + i, mask=i < n)), mask=i < n)


@triton.jit
def pid_axis_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(1) * B + tl.arange(0, B)
    tl.store(out + i, tl.sqrt(tl.load(x + i, mask=i < n)), mask=i < n)


@triton.jit
def pid_axis(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.sqrt(tl.load(x + i, mask=i < n)), mask=i < n)


@triton.jit
def swizzle_wrong(x, out, h, w, B: tl.constexpr):
    pid = tl.program_id(0)
    nr = tl.cdiv(h, B)
    nc = tl.cdiv(w, B)
    r = (pid // nr) * B + tl.arange(0, B)
    c = (pid % nr) * B + tl.arange(0, B)
    m = (r < h)[:, None] & (c < w)[None, :]
    at = r[:, None] * w + c[None, :]
    tl.store(out + at, tl.load(x + at, mask=m) * 2, mask=m)


@triton.jit
def swizzle(x, out, h, w, B: tl.constexpr):
    pid = tl.program_id(0)
    nr = tl.cdiv(h, B)
    nc = tl.cdiv(w, B)
    r = (pid // nc) * B + tl.arange(0, B)
    c = (pid % nc) * B + tl.arange(0, B)
    m = (r < h)[:, None] & (c < w)[None, :]
    at = r[:, None] * w + c[None, :]
    tl.store(out + at, tl.load(x + at, mask=m) * 2, mask=m)


@triton.jit
def two_phase_wrong(x, part, out, n, P: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    p = tl.program_id(0)
    s = tl.sum(tl.load(x + i, mask=i < n, other=0.0))
    tl.store(part + p, s)
    tl.store(out, tl.sum(tl.load(part + tl.arange(0, P))), mask=p == P - 1)


@triton.jit
def two_phase(x, part, out, n, P: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    p = tl.program_id(0)
    s = tl.sum(tl.load(x + i, mask=i < n, other=0.0))
    tl.atomic_add(out, s)
    tl.store(part + p, s)


@triton.jit
def in_place_shift_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    a = tl.load(x + i, mask=i < n)
    b = tl.load(x + i - 1, mask=(i > 0) & (i < n), other=0.0)
    tl.store(x + i, a - b, mask=i < n)


@triton.jit
def in_place_shift(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    a = tl.load(x + i, mask=i < n)
    b = tl.load(x + i - 1, mask=(i > 0) & (i < n), other=0.0)
    tl.store(out + i, a - b, mask=i < n)


@triton.jit
def atomic_max_zero_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    v = tl.load(x + i, mask=i < n, other=-float("inf"))
    tl.atomic_max(out, tl.max(v))


@triton.jit
def atomic_max_zero(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    v = tl.load(x + i, mask=i < n, other=-float("inf"))
    tl.atomic_max(out, tl.max(v))


@triton.jit
def overlap_sum_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * (B // 2) + tl.arange(0, B)
    tl.atomic_add(out, tl.sum(tl.load(x + i, mask=i < n, other=0.0)))


@triton.jit
def overlap_sum(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(out, tl.sum(tl.load(x + i, mask=i < n, other=0.0)))


@triton.jit
def dw_store_wrong(x, dw, h, w, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + r * w + c, mask=c < w)
    tl.store(dw + c, v * v, mask=c < w)


@triton.jit
def dw_store(x, dw, h, w, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + r * w + c, mask=c < w)
    tl.atomic_add(dw + c, v * v, mask=c < w)


@triton.jit
def few_bins_wrong(x, out, n, BINS: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    v = tl.load(x + i, mask=i < n, other=0)
    h = tl.histogram(v, BINS, mask=i < n)
    tl.atomic_add(out + tl.arange(0, BINS), h)


@triton.jit
def few_bins(x, out, n, BINS: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    v = tl.load(x + i, mask=i < n, other=0)
    h = tl.histogram(v, BINS, mask=i < n)
    tl.atomic_add(out + tl.arange(0, BINS), h)


@triton.jit
def square_overflow_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    v = tl.load(x + i, mask=i < n, other=0)
    tl.store(out + i, v * v, mask=i < n)


@triton.jit
def square_overflow(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    v = tl.load(x + i, mask=i < n, other=0).to(tl.int64)
    tl.store(out + i, v * v, mask=i < n)


@triton.jit
def sum_overflow_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.store(out, tl.sum(v))


@triton.jit
def sum_overflow(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0).to(tl.int64)
    tl.store(out, tl.sum(v))


@triton.jit
def half_positions_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    p = i.to(tl.float16)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, v * tl.cos(p.to(tl.float32) * 0.01), mask=i < n)


@triton.jit
def half_positions(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    p = i.to(tl.float32)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, v * tl.cos(p.to(tl.float32) * 0.01), mask=i < n)


@triton.jit
def sentinel_u8_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    v = tl.load(x + i, mask=i < n, other=255)
    tl.store(out + i, tl.where(v == -1, 0.0, 1.0), mask=i < n)


@triton.jit
def sentinel_u8(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    v = tl.load(x + i, mask=i < n, other=255)
    tl.store(out + i, tl.where(v == 255, 0.0, 1.0), mask=i < n)


@triton.jit
def quant_no_clamp_wrong(x, out, n, s, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    q = tl.load(x + i, mask=i < n) / s

    tl.store(out + i, q.to(tl.int8), mask=i < n)


@triton.jit
def quant_no_clamp(x, out, n, s, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    q = tl.load(x + i, mask=i < n) / s
    q = tl.clamp(q, -128.0, 127.0)
    tl.store(out + i, q.to(tl.int8), mask=i < n)


@triton.jit
def hash_shift_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    h = tl.load(x + i, mask=i < n, other=0) * 0x1E3779B1
    b = (h >> 16) % 64
    tl.atomic_add(out + b, 1, mask=i < n)


@triton.jit
def hash_shift(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    h = tl.load(x + i, mask=i < n, other=0).to(tl.uint32) * 0x1E3779B1
    b = (h >> 16) % 64
    tl.atomic_add(out + b, 1, mask=i < n)


@triton.jit
def acc_fp16_dot_wrong(a, b, c, K, B: tl.constexpr):
    r = tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float16)
    for k in range(0, K, B):
        x = tl.load(a + r[:, None] * K + k + r[None, :])
        y = tl.load(b + (k + r)[:, None] * B + r[None, :])
        acc += tl.dot(x, y).to(tl.float16)
    tl.store(c + r[:, None] * B + r[None, :], acc)


@triton.jit
def acc_fp16_dot(a, b, c, K, B: tl.constexpr):
    r = tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for k in range(0, K, B):
        x = tl.load(a + r[:, None] * K + k + r[None, :])
        y = tl.load(b + (k + r)[:, None] * B + r[None, :])
        acc += tl.dot(x, y)
    tl.store(c + r[:, None] * B + r[None, :], acc)


@triton.jit
def min_from_zero_wrong(x, out, n, B: tl.constexpr):
    m = tl.full((B,), 0.0, tl.float32)
    for k in range(0, n, B):
        i = k + tl.arange(0, B)
        m = tl.minimum(m, tl.load(x + i, mask=i < n, other=float("inf")))
    tl.store(out, tl.min(m))


@triton.jit
def min_from_zero(x, out, n, B: tl.constexpr):
    m = tl.full((B,), float("inf"), tl.float32)
    for k in range(0, n, B):
        i = k + tl.arange(0, B)
        m = tl.minimum(m, tl.load(x + i, mask=i < n, other=float("inf")))
    tl.store(out, tl.min(m))


@triton.jit
def max_from_zero_wrong(x, out, n, B: tl.constexpr):
    m = tl.zeros((B,), tl.float32)
    for k in range(0, n, B):
        i = k + tl.arange(0, B)
        m = tl.maximum(m, tl.load(x + i, mask=i < n, other=-float("inf")))
    tl.store(out, tl.max(m))


@triton.jit
def max_from_zero(x, out, n, B: tl.constexpr):
    m = tl.full((B,), -float("inf"), tl.float32)
    for k in range(0, n, B):
        i = k + tl.arange(0, B)
        m = tl.maximum(m, tl.load(x + i, mask=i < n, other=-float("inf")))
    tl.store(out, tl.max(m))


@triton.jit
def best_late_wrong(x, out, n, B: tl.constexpr):
    m = tl.full((B,), float("inf"), tl.float32)
    best = tl.zeros((B,), tl.int32)
    for k in range(0, n, B):
        i = k + tl.arange(0, B)
        v = tl.load(x + i, mask=i < n, other=float("inf"))
        m = tl.minimum(m, v)
        best = tl.where(v < m, i, best)
    tl.store(out + tl.arange(0, B), best)


@triton.jit
def best_late(x, out, n, B: tl.constexpr):
    m = tl.full((B,), float("inf"), tl.float32)
    best = tl.zeros((B,), tl.int32)
    for k in range(0, n, B):
        i = k + tl.arange(0, B)
        v = tl.load(x + i, mask=i < n, other=float("inf"))
        best = tl.where(v < m, i, best)
        m = tl.minimum(m, v)
    tl.store(out + tl.arange(0, B), best)


@triton.jit
def welford_wrong(x, out, n, B: tl.constexpr):
    mean = tl.zeros((B,), tl.float32)
    count = 0
    for k in range(0, n, B):
        count = 1
        v = tl.load(x + k + tl.arange(0, B))
        mean += (v - mean) / count
    tl.store(out, tl.sum(mean) / B)


@triton.jit
def welford(x, out, n, B: tl.constexpr):
    mean = tl.zeros((B,), tl.float32)
    count = 0
    for k in range(0, n, B):
        count += 1
        v = tl.load(x + k + tl.arange(0, B))
        mean += (v - mean) / count
    tl.store(out, tl.sum(mean) / B)


@triton.jit
def same_offsets_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    acc = tl.zeros((B,), tl.float32)
    for k in range(0, n, B):
        at = k + i
        acc += tl.load(x + i, mask=at < n, other=0.0)
    tl.store(out, tl.sum(acc))


@triton.jit
def same_offsets(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    acc = tl.zeros((B,), tl.float32)
    for k in range(0, n, B):
        at = k + i
        acc += tl.load(x + at, mask=at < n, other=0.0)
    tl.store(out, tl.sum(acc))


@triton.jit
def same_tap_wrong(x, w, out, n, K: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    acc = tl.zeros((B,), tl.float32)
    for k in tl.static_range(K):
        acc += tl.load(w) * tl.load(x + i + k, mask=i + k < n, other=0.0)
    tl.store(out + i, acc, mask=i < n)


@triton.jit
def same_tap(x, w, out, n, K: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    acc = tl.zeros((B,), tl.float32)
    for k in tl.static_range(K):
        acc += tl.load(w + k) * tl.load(x + i + k, mask=i + k < n, other=0.0)
    tl.store(out + i, acc, mask=i < n)


@triton.jit
def acc_in_loop_wrong(x, out, w, h, B: tl.constexpr):
    c = tl.program_id(0) * B + tl.arange(0, B)
    acc = tl.zeros((B,), tl.float32)
    for r in range(0, h):
        acc = tl.load(x + r * w + c, mask=c < w, other=0.0)
    tl.store(out + c, acc, mask=c < w)


@triton.jit
def acc_in_loop(x, out, w, h, B: tl.constexpr):
    c = tl.program_id(0) * B + tl.arange(0, B)
    acc = tl.zeros((B,), tl.float32)
    for r in range(0, h):
        acc += tl.load(x + r * w + c, mask=c < w, other=0.0)
    tl.store(out + c, acc, mask=c < w)


@triton.jit
def scale_each_round_wrong(a, b, c, K, s, B: tl.constexpr):
    r = tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for k in range(0, K, B):
        x = tl.load(a + r[:, None] * K + k + r[None, :])
        y = tl.load(b + (k + r)[:, None] * B + r[None, :])
        acc = tl.dot(x, y, acc) * s
    tl.store(c + r[:, None] * B + r[None, :], acc)


@triton.jit
def scale_each_round(a, b, c, K, s, B: tl.constexpr):
    r = tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for k in range(0, K, B):
        x = tl.load(a + r[:, None] * K + k + r[None, :])
        y = tl.load(b + (k + r)[:, None] * B + r[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + r[:, None] * B + r[None, :], acc * s)


@triton.jit
def other_one_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=1.0)
    tl.store(out, tl.sum(v) / n)


@triton.jit
def other_one(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(out, tl.sum(v) / n)


@triton.jit
def other_index_wrong(at, x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    j = tl.load(at + i, mask=i < n, other=-1)
    tl.store(out + i, tl.load(x + j), mask=i < n)


@triton.jit
def other_index(at, x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    j = tl.load(at + i, mask=i < n, other=-1)
    tl.store(out + i, tl.load(x + j, mask=i < n), mask=i < n)


@triton.jit
def all_positive_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(out, tl.min((v > 0).to(tl.int32)))


@triton.jit
def all_positive(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=1.0)
    tl.store(out, tl.min((v > 0).to(tl.int32)))


@triton.jit
def ignored_label_wrong(x, y, out, w, B: tl.constexpr):
    r = tl.program_id(0)
    t = tl.load(y + r)
    c = tl.arange(0, B)
    v = tl.load(x + r * w + c, mask=c < w, other=-float("inf"))
    m = tl.max(v)
    lse = m + tl.log(tl.sum(tl.exp(v - m)))
    xt = tl.load(x + r * w + t)
    tl.store(out + r, lse - xt)


@triton.jit
def ignored_label(x, y, out, w, B: tl.constexpr):
    r = tl.program_id(0)
    t = tl.load(y + r)
    c = tl.arange(0, B)
    v = tl.load(x + r * w + c, mask=c < w, other=-float("inf"))
    m = tl.max(v)
    lse = m + tl.log(tl.sum(tl.exp(v - m)))
    xt = tl.load(x + r * w + t, mask=t >= 0, other=0.0)
    tl.store(out + r, tl.where(t >= 0, lse - xt, 0.0))


@triton.jit
def other_zero_prod_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(out, tl.exp(tl.sum(tl.log(v))))


@triton.jit
def other_zero_prod(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=1.0)
    tl.store(out, tl.exp(tl.sum(tl.log(v))))


@triton.jit
def where_turned_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    m = i < n
    v = tl.load(x + i, mask=m, other=0.0)
    v = tl.where(m, 0.0, v * 2)
    tl.store(out + i, v, mask=m)


@triton.jit
def where_turned(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    m = i < n
    v = tl.load(x + i, mask=m, other=0.0)
    v = tl.where(m, v * 2, 0.0)
    tl.store(out + i, v, mask=m)


@triton.jit
def min_max_turned_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, tl.minimum(tl.maximum(v, 6.0), 0.0), mask=i < n)


@triton.jit
def min_max_turned(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, tl.maximum(tl.minimum(v, 6.0), 0.0), mask=i < n)


@triton.jit
def load_positions_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    v = tl.load(x + i, 0, i < n)
    tl.store(out + i, v + 1, mask=i < n)


@triton.jit
def load_positions(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    v = tl.load(x + i, i < n, 0.0)
    tl.store(out + i, v + 1, mask=i < n)


@triton.jit
def turned_launch_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    tl.store(out + i, tl.exp(tl.load(x + i, mask=i < n)), mask=i < n)


@triton.jit
def turned_launch(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)

    tl.store(out + i, tl.exp(tl.load(x + i, mask=i < n)), mask=i < n)


@triton.jit
def reverse_scan_wrong(x, out, n):
    acc = 0.0
    for t in range(n, 0, -1):
        acc = acc * 0.9 + tl.load(x + t)
        tl.store(out + t, acc)


@triton.jit
def reverse_scan(x, out, n):
    acc = 0.0
    for t in range(n - 1, -1, -1):
        acc = acc * 0.9 + tl.load(x + t)
        tl.store(out + t, acc)


@triton.jit
def causal_strict_wrong(q, k, v, out, n, D: tl.constexpr, B: tl.constexpr):
    r = tl.arange(0, B)
    d = tl.arange(0, D)
    at = r[:, None] * D + d[None, :]
    m = (r < n)[:, None]
    s = tl.dot(tl.load(q + at, mask=m, other=0.0), tl.trans(tl.load(k + at, mask=m, other=0.0)))
    s = tl.where(r[None, :] < r[:, None], s, -float("inf"))
    p = tl.exp(s - tl.max(s, axis=1)[:, None])
    p /= tl.sum(p, axis=1)[:, None]
    tl.store(out + at, tl.dot(p, tl.load(v + at, mask=m, other=0.0)), mask=m)


@triton.jit
def causal_strict(q, k, v, out, n, D: tl.constexpr, B: tl.constexpr):
    r = tl.arange(0, B)
    d = tl.arange(0, D)
    at = r[:, None] * D + d[None, :]
    m = (r < n)[:, None]
    s = tl.dot(tl.load(q + at, mask=m, other=0.0), tl.trans(tl.load(k + at, mask=m, other=0.0)))
    s = tl.where(r[None, :] <= r[:, None], s, -float("inf"))
    p = tl.exp(s - tl.max(s, axis=1)[:, None])
    p /= tl.sum(p, axis=1)[:, None]
    tl.store(out + at, tl.dot(p, tl.load(v + at, mask=m, other=0.0)), mask=m)


@triton.jit
def local_causal_wrong(x, out, n, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    acc = tl.zeros((B,), tl.float32)
    for k in range(0, n, B):
        c = k + tl.arange(0, B)
        v = tl.load(x + r[:, None] * n + c[None, :])
        v = tl.where(tl.arange(0, B)[:, None] >= tl.arange(0, B)[None, :], v, 0.0)
        acc += tl.sum(v, axis=1)
    tl.store(out + r, acc)


@triton.jit
def local_causal(x, out, n, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    acc = tl.zeros((B,), tl.float32)
    for k in range(0, n, B):
        c = k + tl.arange(0, B)
        v = tl.load(x + r[:, None] * n + c[None, :])
        v = tl.where(r[:, None] >= c[None, :], v, 0.0)
        acc += tl.sum(v, axis=1)
    tl.store(out + r, acc)


@triton.jit
def arange_from_one_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(1, B + 1)
    tl.store(out + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


@triton.jit
def arange_from_one(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


@triton.jit
def substitute(a, out, B: tl.constexpr):
    i = tl.arange(0, B)
    m = tl.load(a + i[:, None] * B + i[None, :])
    for k in range(1, B):
        row = tl.sum(tl.where((i == k)[:, None], m, 0.0), axis=0)
        row += tl.sum(row[:, None] * m, axis=0)
        m = tl.where((i == k)[:, None], row[None, :], m)
    tl.store(out + i[:, None] * B + i[None, :], m)


@triton.jit
def rms_eps_wrong(x, out, n, eps, B: tl.constexpr):
    c = tl.arange(0, B)
    v = tl.load(x + tl.program_id(0) * n + c, mask=c < n, other=0.0)
    r = 1 / tl.sqrt(tl.sum(v * v) / n)
    tl.store(out + tl.program_id(0) * n + c, v * r, mask=c < n)


@triton.jit
def rms_eps(x, out, n, eps, B: tl.constexpr):
    c = tl.arange(0, B)
    v = tl.load(x + tl.program_id(0) * n + c, mask=c < n, other=0.0)
    r = 1 / tl.sqrt(tl.sum(v * v) / n + eps)
    tl.store(out + tl.program_id(0) * n + c, v * r, mask=c < n)


@triton.jit
def ptr_plus_float_wrong(x, out, n, s, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i + s, mask=i < n), mask=i < n)


@triton.jit
def ptr_plus_float(x, out, n, s, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i * s, mask=i < n), mask=i < n)


@triton.jit
def store_index_for_value_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=-float('inf'))
    tl.store(out, tl.max(v, axis=0))


@triton.jit
def store_index_for_value(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=-float('inf'))
    tl.store(out, tl.argmax(v, axis=0))


@triton.jit
def if_program_zero_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    s = tl.sum(tl.load(x + i, mask=i < n, other=0.0))
    if tl.program_id(0) == 0:
        tl.store(out, s)


@triton.jit
def if_program_zero(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    s = tl.sum(tl.load(x + i, mask=i < n, other=0.0))
    tl.atomic_add(out, s)


@triton.jit
def grid_y_twice_wrong(x, out, h, w, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    c = tl.program_id(0) * B + tl.arange(0, B)
    m = (r < h)[:, None] & (c < w)[None, :]
    at = r[:, None] * w + c[None, :]
    tl.store(out + at, tl.load(x + at, mask=m), mask=m)


@triton.jit
def grid_y_twice(x, out, h, w, B: tl.constexpr):
    r = tl.program_id(1) * B + tl.arange(0, B)
    c = tl.program_id(0) * B + tl.arange(0, B)
    m = (r < h)[:, None] & (c < w)[None, :]
    at = r[:, None] * w + c[None, :]
    tl.store(out + at, tl.load(x + at, mask=m), mask=m)


@triton.jit
def cdiv_floor_loop_wrong(x, out, n, B: tl.constexpr):
    acc = tl.zeros((B,), tl.float32)
    for k in range(n // B):
        i = k * B + tl.arange(0, B)
        acc += tl.load(x + i, mask=i < n, other=0.0)
    tl.store(out, tl.sum(acc))


@triton.jit
def cdiv_floor_loop(x, out, n, B: tl.constexpr):
    acc = tl.zeros((B,), tl.float32)
    for k in range(tl.cdiv(n, B)):
        i = k * B + tl.arange(0, B)
        acc += tl.load(x + i, mask=i < n, other=0.0)
    tl.store(out, tl.sum(acc))


@triton.jit
def sum_before_mask_wrong(x, y, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    a = tl.load(x + i, mask=i < n, other=0.0)
    b = tl.load(y + i, mask=i < n, other=1.0)
    tl.store(out, tl.sum(tl.abs(a - b)))


@triton.jit
def sum_before_mask(x, y, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    a = tl.load(x + i, mask=i < n, other=0.0)
    b = tl.load(y + i, mask=i < n, other=0.0)
    tl.store(out, tl.sum(tl.abs(a - b)))


@triton.jit
def exp_no_mask_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(out, tl.sum(tl.sigmoid(v)))


@triton.jit
def exp_no_mask(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(out, tl.sum(tl.where(i < n, tl.sigmoid(v), 0.0)))


@triton.jit
def col_mask_rows_wrong(x, out, h, w, B: tl.constexpr):
    r = tl.arange(0, B)
    c = tl.arange(0, B)
    m = (r < h)[:, None] & (c < w)[None, :]
    v = tl.load(x + r[:, None] * w + c[None, :], mask=m, other=0.0)
    tl.store(out + c, tl.sum(v, axis=0), mask=c < h)


@triton.jit
def col_mask_rows(x, out, h, w, B: tl.constexpr):
    r = tl.arange(0, B)
    c = tl.arange(0, B)
    m = (r < h)[:, None] & (c < w)[None, :]
    v = tl.load(x + r[:, None] * w + c[None, :], mask=m, other=0.0)
    tl.store(out + c, tl.sum(v, axis=0), mask=c < w)


@triton.jit
def fp16_counter_wrong(out, n, B: tl.constexpr):
    a = tl.zeros((B,), tl.float16)
    for k in range(n):
        a += 1.0
    tl.store(out + tl.arange(0, B), a)


@triton.jit
def fp16_counter(out, n, B: tl.constexpr):
    a = tl.zeros((B,), tl.float32)
    for k in range(n):
        a += 1.0
    tl.store(out + tl.arange(0, B), a)


@triton.jit
def u8_diff_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    a = tl.load(x + i, mask=i < n)
    b = tl.load(x + i + 1, mask=i + 1 < n, other=0)
    tl.store(out + i, tl.abs(a - b), mask=i < n)


@triton.jit
def u8_diff(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    a = tl.load(x + i, mask=i < n).to(tl.int32)
    b = tl.load(x + i + 1, mask=i + 1 < n, other=0).to(tl.int32)
    tl.store(out + i, tl.abs(a - b), mask=i < n)


@triton.jit
def shared_random_wrong(x, out, n, seed, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    r = tl.rand(seed, tl.arange(0, B))
    tl.store(out + i, tl.where(r > 0.5, tl.load(x + i, mask=i < n), 0.0), mask=i < n)


@triton.jit
def shared_random(x, out, n, seed, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    r = tl.rand(seed, i)
    tl.store(out + i, tl.where(r > 0.5, tl.load(x + i, mask=i < n), 0.0), mask=i < n)


@triton.jit
def stale_row_ptr_wrong(x, out, h, w, B: tl.constexpr):
    c = tl.arange(0, B)
    acc = tl.zeros((B,), tl.float32)
    p = x
    for r in range(h):
        acc += tl.load(p + c, mask=c < w, other=0.0)
        p + w
    tl.store(out + c, acc, mask=c < w)


@triton.jit
def stale_row_ptr(x, out, h, w, B: tl.constexpr):
    c = tl.arange(0, B)
    acc = tl.zeros((B,), tl.float32)
    p = x
    for r in range(h):
        acc += tl.load(p + c, mask=c < w, other=0.0)
        p += w
    tl.store(out + c, acc, mask=c < w)


@triton.jit
def out_row_stride_wrong(x, out, n, m, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + r * n + c, mask=c < m)
    tl.store(out + r * n + c, v, mask=c < m)


@triton.jit
def out_row_stride(x, out, n, m, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + r * n + c, mask=c < m)
    tl.store(out + r * m + c, v, mask=c < m)


@triton.jit
def neg_zero_div_wrong(x, y, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    b = tl.load(y + i, mask=i < n, other=1)
    tl.store(out + i, tl.load(x + i, mask=i < n) // b, mask=i < n)


@triton.jit
def neg_zero_div(x, y, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    b = tl.load(y + i, mask=i < n, other=1)
    tl.store(out + i, tl.load(x + i, mask=i < n) // tl.where(b == 0, 1, b), mask=i < n)


@triton.jit
def dot_no_acc_wrong(a, b, c, K, B: tl.constexpr):
    r = tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for k in range(0, K, B):
        tl.dot(tl.load(a + r[:, None] * K + k + r[None, :]), tl.load(b + (k + r)[:, None] * B + r[None, :]), acc)
    tl.store(c + r[:, None] * B + r[None, :], acc)


@triton.jit
def dot_no_acc(a, b, c, K, B: tl.constexpr):
    r = tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for k in range(0, K, B):
        acc += tl.dot(tl.load(a + r[:, None] * K + k + r[None, :]), tl.load(b + (k + r)[:, None] * B + r[None, :]))
    tl.store(c + r[:, None] * B + r[None, :], acc)


@triton.jit
def k_stride_one_wrong(a, b, c, K, B: tl.constexpr):
    r = tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for k in range(0, K, B):
        acc += tl.dot(tl.load(a + r[:, None] * K + k + r[None, :]), tl.load(b + k + r[:, None] * B + r[None, :]))
    tl.store(c + r[:, None] * B + r[None, :], acc)


@triton.jit
def k_stride_one(a, b, c, K, B: tl.constexpr):
    r = tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for k in range(0, K, B):
        acc += tl.dot(tl.load(a + r[:, None] * K + k + r[None, :]), tl.load(b + (k + r)[:, None] * B + r[None, :]))
    tl.store(c + r[:, None] * B + r[None, :], acc)


@triton.jit
def median_other_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.sort(tl.load(x + i, mask=i < n, other=0.0))
    tl.store(out + i, v, mask=i < n)


@triton.jit
def median_other(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.sort(tl.load(x + i, mask=i < n, other=float('inf')))
    tl.store(out + i, v, mask=i < n)


@triton.jit
def cummax_rows_wrong(x, out, n, B: tl.constexpr):
    for k in range(0, n, B):
        i = k + tl.arange(0, B)
        v = tl.load(x + i, mask=i < n, other=0.0)
        tl.store(out + i, tl.cumsum(v), mask=i < n)


@triton.jit
def cummax_rows(x, out, n, B: tl.constexpr):
    c = 0.0
    for k in range(0, n, B):
        i = k + tl.arange(0, B)
        v = tl.load(x + i, mask=i < n, other=0.0)
        tl.store(out + i, tl.cumsum(v) + c, mask=i < n)
        c += tl.sum(v)



@triton.jit
def off_by_block_wrong(x, out, n, B: tl.constexpr):
    i = (tl.program_id(0) + 1) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def off_by_block(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def atomics_int_float_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(out, tl.sum(tl.load(x + i, mask=i < n, other=0.0)).to(tl.int32))


@triton.jit
def atomics_int_float(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(out, tl.sum(tl.load(x + i, mask=i < n, other=0.0)))


@triton.jit
def while_step_wrong(x, out, n, B: tl.constexpr):
    k = tl.program_id(0) * B
    acc = tl.zeros((B,), tl.float32)
    while k < n:
        i = k + tl.arange(0, B)
        acc += tl.load(x + i, mask=i < n, other=0.0)
        k += B
    tl.atomic_add(out, tl.sum(acc))


@triton.jit
def while_step(x, out, n, B: tl.constexpr):
    k = tl.program_id(0) * B
    acc = tl.zeros((B,), tl.float32)
    while k < n:
        i = k + tl.arange(0, B)
        acc += tl.load(x + i, mask=i < n, other=0.0)
        k += tl.num_programs(0) * B
    tl.atomic_add(out, tl.sum(acc))


@triton.jit
def two_stores_one_out_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, v, mask=i < n)
    tl.store(out + i, v * v, mask=i < n)


@triton.jit
def two_stores_one_out(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, v, mask=i < n)
    tl.store(out + n + i, v * v, mask=i < n)
