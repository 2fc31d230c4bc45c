"""Values that are one for all, cut off early, or combined in no order; planted_values.txt has the commands."""

import triton
import triton.language as tl


@triton.jit
def acc_f32_of_f64_wrong(x, out, n, B: tl.constexpr):
    r = tl.program_id(0)
    acc = tl.zeros((B,), tl.float32)
    for k in range(0, n, B):
        i = k + tl.arange(0, B)
        v = tl.load(x + r * n + i, mask=i < n, other=0.0)
        acc += v.to(tl.float32)
    tl.store(out + r, tl.sum(acc, axis=0))


@triton.jit
def acc_f32_of_f64(x, out, n, B: tl.constexpr):
    r = tl.program_id(0)
    acc = tl.zeros((B,), tl.float64)
    for k in range(0, n, B):
        i = k + tl.arange(0, B)
        v = tl.load(x + r * n + i, mask=i < n, other=0.0)
        acc += v
    tl.store(out + r, tl.sum(acc, axis=0))


@triton.jit
def pitch_forgotten_wrong(x, out, w, pitch, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + r * w + c, mask=c < w)
    tl.store(out + r * w + c, v, mask=c < w)


@triton.jit
def pitch_forgotten(x, out, w, pitch, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + r * pitch + c, mask=c < w)
    tl.store(out + r * w + c, v, mask=c < w)


@triton.jit
def sum_without_axis_wrong(x, out, M, N: tl.constexpr):
    r = tl.program_id(0) * 16 + tl.arange(0, 16)
    c = tl.arange(0, N)
    v = tl.load(x + r[:, None] * N + c[None, :])
    s = tl.sum(v)
    tl.store(out + r, s + tl.zeros((16,), tl.float32))


@triton.jit
def sum_without_axis(x, out, M, N: tl.constexpr):
    r = tl.program_id(0) * 16 + tl.arange(0, 16)
    c = tl.arange(0, N)
    v = tl.load(x + r[:, None] * N + c[None, :])
    s = tl.sum(v, axis=1)
    tl.store(out + r, s + tl.zeros((16,), tl.float32))


@triton.jit
def convert_before_scale_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    y = (v.to(tl.uint8) * 255).to(tl.uint8)
    tl.store(out + i, y, mask=i < n)


@triton.jit
def convert_before_scale(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    y = tl.floor(v * 255.0 + 0.5).to(tl.uint8)
    tl.store(out + i, y, mask=i < n)


@triton.jit
def percent_int_division_wrong(x, out, n, top, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0)
    y = v // top * 100
    tl.store(out + i, y, mask=i < n)


@triton.jit
def percent_int_division(x, out, n, top, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0)
    y = v * 100 // top
    tl.store(out + i, y, mask=i < n)


@triton.jit
def one_stride_for_two_wrong(x, y, out, n, sx, sy, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    a = tl.load(x + r * sx + i, mask=i < n)
    b = tl.load(y + r * sx + i, mask=i < n)
    tl.store(out + r * sx + i, a + b, mask=i < n)


@triton.jit
def one_stride_for_two(x, y, out, n, sx, sy, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    a = tl.load(x + r * sx + i, mask=i < n)
    b = tl.load(y + r * sy + i, mask=i < n)
    tl.store(out + r * sx + i, a + b, mask=i < n)


@triton.jit
def reshape_for_trans_wrong(x, out):
    p = tl.program_id(0)
    r = tl.arange(0, 16)
    c = tl.arange(0, 32)
    v = tl.load(x + p * 512 + r[:, None] * 32 + c[None, :])
    t = tl.reshape(v, (32, 16))
    tl.store(out + p * 512 + c[:, None] * 16 + r[None, :], t)


@triton.jit
def reshape_for_trans(x, out):
    p = tl.program_id(0)
    r = tl.arange(0, 16)
    c = tl.arange(0, 32)
    v = tl.load(x + p * 512 + r[:, None] * 32 + c[None, :])
    t = tl.trans(v)
    tl.store(out + p * 512 + c[:, None] * 16 + r[None, :], t)


@triton.jit
def dropout_keeps_p_wrong(x, out, n, p, seed, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    keep = tl.rand(seed, i) < p
    tl.store(out + i, tl.where(keep, v / (1 - p), 0.0), mask=i < n)


@triton.jit
def dropout_keeps_p(x, out, n, p, seed, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    keep = tl.rand(seed, i) > p
    tl.store(out + i, tl.where(keep, v / (1 - p), 0.0), mask=i < n)


@triton.jit
def index_into_fp16_wrong(x, out, n: tl.constexpr):
    r = tl.program_id(0)
    v = tl.load(x + r * n + tl.arange(0, n))
    tl.store(out + r, tl.argmax(v, axis=0))


@triton.jit
def index_into_fp16(x, out, n: tl.constexpr):
    r = tl.program_id(0)
    v = tl.load(x + r * n + tl.arange(0, n))
    tl.store(out + r, tl.argmax(v, axis=0))


@triton.jit
def lens_of_first_wrong(x, lens, out, T: tl.constexpr):
    b = tl.program_id(0)
    t = tl.arange(0, T)
    n = tl.load(lens)
    v = tl.load(x + b * T + t, mask=t < n, other=0.0)
    tl.store(out + b, tl.sum(v, axis=0) / n)


@triton.jit
def lens_of_first(x, lens, out, T: tl.constexpr):
    b = tl.program_id(0)
    t = tl.arange(0, T)
    n = tl.load(lens + b)
    v = tl.load(x + b * T + t, mask=t < n, other=0.0)
    tl.store(out + b, tl.sum(v, axis=0) / n)


@triton.jit
def blend(a, b):
    return 0.5 * a + 0.5 * b


@triton.jit
def scan_not_associative_wrong(x, out, n: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, n)
    v = tl.load(x + r * n + i)
    s = tl.associative_scan(v, 0, blend)
    tl.store(out + r * n + i, s)


@triton.jit
def scan_not_associative(x, out, n: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, n)
    v = tl.load(x + r * n + i)
    d = i[:, None] - i[None, :]
    w = tl.where(d >= 0, tl.exp2(-d.to(tl.float32)) * 0.5, 0.0)
    s = tl.sum(w * v[None, :], axis=1)
    tl.store(out + r * n + i, s)


@triton.jit
def rand_args_swapped_wrong(out, n, seed, B: tl.constexpr):
    p = tl.program_id(0)
    i = p * B + tl.arange(0, B)
    v = tl.rand(p, seed + tl.zeros((B,), tl.int32))
    tl.store(out + i, v, mask=i < n)


@triton.jit
def rand_args_swapped(out, n, seed, B: tl.constexpr):
    p = tl.program_id(0)
    i = p * B + tl.arange(0, B)
    v = tl.rand(seed, i)
    tl.store(out + i, v, mask=i < n)


@triton.jit
def running_average_weight_wrong(x, out, K: tl.constexpr):
    p = tl.program_id(0)
    i = tl.arange(0, 64)
    acc = tl.zeros((64,), tl.float32)
    for k in range(K):
        v = tl.load(x + (p * K + k) * 64 + i)
        acc = (acc + v) / (k + 1)
    tl.store(out + p * 64 + i, acc)


@triton.jit
def running_average_weight(x, out, K: tl.constexpr):
    p = tl.program_id(0)
    i = tl.arange(0, 64)
    acc = tl.zeros((64,), tl.float32)
    for k in range(K):
        v = tl.load(x + (p * K + k) * 64 + i)
        acc += (v - acc) / (k + 1)
    tl.store(out + p * 64 + i, acc)


@triton.jit
def dropout_leaves_p_wrong(x, out, n, keep, seed, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    stays = tl.rand(seed, i) > keep
    tl.store(out + i, tl.where(stays, tl.load(x + i, mask=i < n) * (1.0 / keep), 0.0), mask=i < n)


@triton.jit
def dropout_leaves_p(x, out, n, keep, seed, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    goes = tl.rand(seed, i) >= keep
    tl.store(out + i, tl.where(goes, 0.0, tl.load(x + i, mask=i < n) * (1.0 / keep)), mask=i < n)


@triton.jit
def larger_norm(a, b):
    return tl.sqrt(a * a + b * b)


@triton.jit
def decayed(a, b):
    return a * 0.9 + b


@triton.jit
def pairs(decay_a, a, decay_b, b):
    return decay_a * decay_b, decay_b * a + b


@triton.jit
def decay_scan_wrong(x, out, n: tl.constexpr):
    i = tl.arange(0, n)
    row = tl.program_id(0) * n
    tl.store(out + row + i, tl.associative_scan(tl.load(x + row + i), 0, decayed))


@triton.jit
def decay_scan(x, out, n: tl.constexpr):
    i = tl.arange(0, n)
    row = tl.program_id(0) * n
    v = tl.load(x + row + i)
    decay, h = tl.associative_scan((tl.full((n,), 0.9, tl.float32), v), 0, pairs)
    tl.store(out + row + i, h + 0 * tl.reduce(tl.abs(v), 0, larger_norm))


@triton.jit
def silu_back_wrong(x, out, n, g_out, d_x, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    s = tl.sigmoid(v)
    g = tl.load(g_out + i, mask=i < n, other=0.0)
    tl.store(d_x + i, g * (s + v * s * (1.0 - s)), mask=i < n)


@triton.jit
def silu_back(x, out, n, d_out, d_x, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    s = tl.sigmoid(v)
    g = tl.load(d_out + i, mask=i < n, other=0.0)
    tl.store(d_x + i, g * (s + v * s * (1.0 - s)), mask=i < n)
