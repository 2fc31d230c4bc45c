# planted_ported.py - mistakes of those who port kernels from CUDA and PyTorch, beside their right twins; see planted_ported.txt
import triton
import triton.language as tl


@triton.jit
def log_softmax_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    r = tl.program_id(0)
    v = tl.load(x + r * n + i, mask=i < n, other=-float("inf"))
    v = v - tl.max(v, 0)
    e = tl.exp(v)
    s = tl.sum(e, 0)
    tl.store(out + r * n + i, tl.log(e / s), mask=i < n)


@triton.jit
def log_softmax(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    r = tl.program_id(0)
    v = tl.load(x + r * n + i, mask=i < n, other=-float("inf"))
    v = v - tl.max(v, 0)
    e = tl.exp(v)
    s = tl.sum(e, 0)
    tl.store(out + r * n + i, v - tl.log(s), mask=i < n)


@triton.jit
def nll_wrong(x, at, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    r = tl.program_id(0)
    v = tl.load(x + r * n + i, mask=i < n, other=-float("inf"))
    t = tl.load(at + r)
    m = tl.max(v, 0)
    s = tl.sum(tl.exp(v - m), 0)
    p = tl.load(x + r * n + t)
    tl.store(out + r, -tl.log(tl.exp(p - m) / s))


@triton.jit
def nll(x, at, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    r = tl.program_id(0)
    v = tl.load(x + r * n + i, mask=i < n, other=-float("inf"))
    t = tl.load(at + r)
    m = tl.max(v, 0)
    s = tl.sum(tl.exp(v - m), 0)
    p = tl.load(x + r * n + t)
    tl.store(out + r, tl.log(s) + m - p)


@triton.jit
def from_one_wrong(x, out, n, B: tl.constexpr):
    c = tl.program_id(0) * B + tl.arange(0, B)
    s = tl.zeros((B,), tl.float32)
    for k in range(1, n):
        s += tl.load(x + k * 64 + c)
    tl.store(out + c, s)


@triton.jit
def from_one(x, out, n, B: tl.constexpr):
    c = tl.program_id(0) * B + tl.arange(0, B)
    s = tl.zeros((B,), tl.float32)
    for k in range(0, n):
        s += tl.load(x + k * 64 + c)
    tl.store(out + c, s)


@triton.jit
def blocks_from_one_wrong(x, out, n, B: tl.constexpr):
    s = 0.0
    for k in range(B, n, B):
        i = k + tl.arange(0, B)
        s += tl.sum(tl.load(x + i, mask=i < n, other=0.0))
    tl.store(out, s)


@triton.jit
def blocks_from_one(x, out, n, B: tl.constexpr):
    s = 0.0
    for k in range(0, n, B):
        i = k + tl.arange(0, B)
        s += tl.sum(tl.load(x + i, mask=i < n, other=0.0))
    tl.store(out, s)


@triton.jit
def max_pool_wrong(x, out, h, w, B: tl.constexpr):
    c = tl.arange(0, B)
    r = tl.program_id(0)
    m = tl.full((B,), -float("inf"), tl.float32)
    for dy in range(-1, 2):
        for dx in range(-1, 2):
            y = r + dy
            z = c + dx
            m = tl.maximum(m, tl.load(x + y * w + z, mask=(y >= 0) & (y < h) & (z >= 0) & (z < w), other=0.0))
    tl.store(out + r * w + c, m, mask=c < w)


@triton.jit
def max_pool(x, out, h, w, B: tl.constexpr):
    c = tl.arange(0, B)
    r = tl.program_id(0)
    m = tl.full((B,), -float("inf"), tl.float32)
    for dy in range(-1, 2):
        for dx in range(-1, 2):
            y = r + dy
            z = c + dx
            m = tl.maximum(m, tl.load(x + y * w + z, mask=(y >= 0) & (y < h) & (z >= 0) & (z < w), other=-float("inf")))
    tl.store(out + r * w + c, m, mask=c < w)


@triton.jit
def column_maximum(x, out, n, w, B: tl.constexpr):
    """As Inductor writes it: lanes that are left out keep what they were."""
    c = tl.arange(0, B)
    m = tl.full((4, B), -float("inf"), tl.float32)
    for first in range(0, n, 4):
        r = first + tl.arange(0, 4)[:, None]
        inside = (r < n) & (c < w)[None, :]
        m = tl.where(inside, tl.maximum(m, tl.load(x + r * w + c[None, :], mask=inside, other=0.0)), m)
    tl.store(out + c, tl.max(m, 0), mask=c < w)


@triton.jit
def product_begun_wrong(x, out, n):
    p = 0.0
    for k in range(n):
        p *= tl.load(x + k)
    tl.store(out, p)


@triton.jit
def product_begun(x, out, n):
    p = 1.0
    for k in range(n):
        p *= tl.load(x + k)
    tl.store(out, p)


@triton.jit
def horner_wrong(x, c, out, n, K: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    s = tl.zeros((B,), tl.float32)
    for k in range(K):
        s = s * v + tl.load(c + K - k)
    tl.store(out + i, s, mask=i < n)


@triton.jit
def horner(x, c, out, n, K: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    s = tl.zeros((B,), tl.float32)
    for k in range(K):
        s = s * v + tl.load(c + K - 1 - k)
    tl.store(out + i, s, mask=i < n)


@triton.jit
def weight_by_row_wrong(x, w, out, n, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    c = tl.program_id(1) * B + tl.arange(0, B)
    v = tl.load(x + r[:, None] * n + c[None, :])
    g = tl.load(w + r)
    tl.store(out + r[:, None] * n + c[None, :], v * g[:, None])


@triton.jit
def weight_by_row(x, w, out, n, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    c = tl.program_id(1) * B + tl.arange(0, B)
    v = tl.load(x + r[:, None] * n + c[None, :])
    g = tl.load(w + c)
    tl.store(out + r[:, None] * n + c[None, :], v * g[None, :])


@triton.jit
def glu_stride_wrong(x, out, H, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    g = tl.load(x + r * H + c, mask=c < H, other=0.0)
    u = tl.load(x + r * H + H + c, mask=c < H, other=0.0)
    tl.store(out + r * H + c, g * tl.sigmoid(g) * u, mask=c < H)


@triton.jit
def glu_stride(x, out, H, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    g = tl.load(x + r * 2 * H + c, mask=c < H, other=0.0)
    u = tl.load(x + r * 2 * H + H + c, mask=c < H, other=0.0)
    tl.store(out + r * H + c, g * tl.sigmoid(g) * u, mask=c < H)


@triton.jit
def bare_rows_dot_wrong(a, b, c, K, N, B: tl.constexpr):
    r = tl.arange(0, B)
    n = tl.arange(0, B)
    s = tl.zeros((B, B), tl.float32)
    for k in range(0, K, B):
        kk = k + tl.arange(0, B)
        s += tl.dot(tl.load(a + r[:, None] * K + kk[None, :]), tl.load(b + kk[:, None] * N + n[None, :]))
    tl.store(c + r[:, None] * N + n[None, :], s)


@triton.jit
def bare_rows_dot(a, b, c, K, N, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    n = tl.arange(0, B)
    s = tl.zeros((B, B), tl.float32)
    for k in range(0, K, B):
        kk = k + tl.arange(0, B)
        s += tl.dot(tl.load(a + r[:, None] * K + kk[None, :]), tl.load(b + kk[:, None] * N + n[None, :]))
    tl.store(c + r[:, None] * N + n[None, :], s)


@triton.jit
def rope_half_wrong(x, c, s, out, D: tl.constexpr):
    t = tl.program_id(0)
    d = tl.arange(0, D // 2)
    a = tl.load(x + t * D + d)
    b = tl.load(x + t * D + d + 1)
    co = tl.load(c + t * (D // 2) + d)
    si = tl.load(s + t * (D // 2) + d)
    tl.store(out + t * D + d, a * co - b * si)
    tl.store(out + t * D + d + D // 2, b * co + a * si)


@triton.jit
def rope_half(x, c, s, out, D: tl.constexpr):
    t = tl.program_id(0)
    d = tl.arange(0, D // 2)
    a = tl.load(x + t * D + d)
    b = tl.load(x + t * D + d + D // 2)
    co = tl.load(c + t * (D // 2) + d)
    si = tl.load(s + t * (D // 2) + d)
    tl.store(out + t * D + d, a * co - b * si)
    tl.store(out + t * D + d + D // 2, b * co + a * si)


@triton.jit
def rope_sign_wrong(x, c, s, out, D: tl.constexpr):
    t = tl.program_id(0)
    d = tl.arange(0, D // 2)
    a = tl.load(x + t * D + d)
    b = tl.load(x + t * D + d + D // 2)
    co = tl.load(c + t * (D // 2) + d)
    si = tl.load(s + t * (D // 2) + d)
    tl.store(out + t * D + d, a * co - b * si)
    tl.store(out + t * D + d + D // 2, a * co + a * si)


@triton.jit
def rope_sign(x, c, s, out, D: tl.constexpr):
    t = tl.program_id(0)
    d = tl.arange(0, D // 2)
    a = tl.load(x + t * D + d)
    b = tl.load(x + t * D + d + D // 2)
    co = tl.load(c + t * (D // 2) + d)
    si = tl.load(s + t * (D // 2) + d)
    tl.store(out + t * D + d, a * co - b * si)
    tl.store(out + t * D + d + D // 2, b * co + a * si)


@triton.jit
def interleaved_out_wrong(x, y, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    a = tl.load(x + i, mask=i < n)
    b = tl.load(y + i, mask=i < n)
    tl.store(out + 2 * i, a, mask=i < n)
    tl.store(out + 2 * i, b, mask=i < n)


@triton.jit
def interleaved_out(x, y, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    a = tl.load(x + i, mask=i < n)
    b = tl.load(y + i, mask=i < n)
    tl.store(out + 2 * i, a, mask=i < n)
    tl.store(out + 2 * i + 1, b, mask=i < n)


@triton.jit
def int_scale_wrong(x, out, n, k, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(out + i, v * (k // n), mask=i < n)


@triton.jit
def int_scale(x, out, n, k, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(out + i, v * (k / n), mask=i < n)


@triton.jit
def fp16_square_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(out, tl.sqrt(tl.sum((v * v).to(tl.float32))))


@triton.jit
def fp16_square(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0).to(tl.float32)
    tl.store(out, tl.sqrt(tl.sum((v * v).to(tl.float32))))


@triton.jit
def index_float_wrong(x, at, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    j = tl.load(at + i, mask=i < n, other=0).to(tl.float16).to(tl.int32)
    tl.store(out + i, tl.load(x + j, mask=i < n), mask=i < n)


@triton.jit
def index_float(x, at, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    j = tl.load(at + i, mask=i < n, other=0)
    tl.store(out + i, tl.load(x + j, mask=i < n), mask=i < n)


@triton.jit
def quant_round_wrong(x, out, s, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0) / s
    v = tl.clamp(v, -127.0, 127.0)
    tl.store(out + i, v.to(tl.int8), mask=i < n)


@triton.jit
def quant_round(x, out, s, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0) / s
    v = tl.clamp(tl.floor(v + 0.5), -127.0, 127.0)
    tl.store(out + i, v.to(tl.int8), mask=i < n)


@triton.jit
def dequant_u4_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    b = tl.load(x + i, mask=i < n, other=0)
    tl.store(out + 2 * i, (b & 0xF).to(tl.float32) - 8, mask=i < n)
    tl.store(out + 2 * i + 1, (b >> 4).to(tl.float32) - 8, mask=i < n)


@triton.jit
def dequant_u4(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    b = tl.load(x + i, mask=i < n, other=0)
    tl.store(out + 2 * i, (b & 0xF).to(tl.float32) - 8, mask=i < n)
    tl.store(out + 2 * i + 1, (b >> 4).to(tl.float32) - 8, mask=i < n)


@triton.jit
def num_programs_step_wrong(x, out, n, B: tl.constexpr):
    for k in range(tl.program_id(0) * B, n, tl.num_programs(0)):
        i = k + tl.arange(0, B)
        tl.store(out + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


@triton.jit
def num_programs_step(x, out, n, B: tl.constexpr):
    for k in range(tl.program_id(0) * B, n, tl.num_programs(0) * B):
        i = k + tl.arange(0, B)
        tl.store(out + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


@triton.jit
def scatter_add_wrong(x, at, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    j = tl.load(at + i, mask=i < n, other=0)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(out + j, tl.load(out + j, mask=i < n) + v, mask=i < n)


@triton.jit
def scatter_add(x, at, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    j = tl.load(at + i, mask=i < n, other=0)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.atomic_add(out + j, v, mask=i < n)


@triton.jit
def atomic_tile_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.atomic_add(out + tl.zeros((B,), tl.int32), tl.sum(v) + tl.zeros((B,), tl.float32))


@triton.jit
def atomic_tile(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.atomic_add(out, tl.sum(v))


@triton.jit
def logsumexp_wrong(x, out, n, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + r * n + i, mask=i < n, other=-float("inf"))
    m = tl.max(v, 0)
    tl.store(out + r, tl.log(tl.sum(tl.exp(v - m), 0)))


@triton.jit
def logsumexp(x, out, n, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + r * n + i, mask=i < n, other=-float("inf"))
    m = tl.max(v, 0)
    tl.store(out + r, m + tl.log(tl.sum(tl.exp(v - m), 0)))


@triton.jit
def embedding_pad_wrong(w, at, out, D: tl.constexpr):
    t = tl.program_id(0)
    j = tl.load(at + t)
    d = tl.arange(0, D)
    tl.store(out + t * D + d, tl.load(w + j + d))


@triton.jit
def embedding_pad(w, at, out, D: tl.constexpr):
    t = tl.program_id(0)
    j = tl.load(at + t)
    d = tl.arange(0, D)
    tl.store(out + t * D + d, tl.load(w + j * D + d))


@triton.jit
def cumsum_rounds_wrong(x, out, n, B: tl.constexpr):
    t = 0.0
    for k in range(0, n, B):
        i = k + tl.arange(0, B)
        v = tl.load(x + i, mask=i < n, other=0.0)
        tl.store(out + i, tl.cumsum(v, 0), mask=i < n)
        t += tl.sum(v)


@triton.jit
def cumsum_rounds(x, out, n, B: tl.constexpr):
    t = 0.0
    for k in range(0, n, B):
        i = k + tl.arange(0, B)
        v = tl.load(x + i, mask=i < n, other=0.0)
        tl.store(out + i, tl.cumsum(v, 0) + t, mask=i < n)
        t += tl.sum(v)


@triton.jit
def clamped_log(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    r = tl.program_id(0)
    v = tl.load(x + r * n + i, mask=i < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    p = e / tl.sum(e, 0)
    tl.store(out + r * n + i, tl.log(p + 1e-10) + tl.log(tl.maximum(p, 1e-10)), mask=i < n)


@triton.jit
def log_and_greatest(x, out, greatest, n, B: tl.constexpr):
    i = tl.arange(0, B)
    r = tl.program_id(0)
    v = tl.load(x + r * n + i, mask=i < n, other=-float("inf"))
    m = tl.max(v, 0)
    tl.store(out + r, tl.log(tl.sum(tl.exp(v - m), 0)))
    tl.store(greatest + r, m)


@triton.jit
def pool_of_rows(x, out, n, w, B: tl.constexpr):
    c = tl.program_id(0) * B + tl.arange(0, B)
    m = tl.full((B,), -float("inf"), tl.float32)
    for k in range(n):
        m = tl.maximum(m, tl.load(x + k * w + c, mask=c < w, other=0.0))
    tl.store(out + c, m, mask=c < w)


@triton.jit
def counted_lanes(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.atomic_add(out + tl.zeros((B,), tl.int32), 1, mask=v > 0.5)


@triton.jit
def first_apart(x, out, n, w, B: tl.constexpr):
    c = tl.program_id(0) * B + tl.arange(0, B)
    s = tl.load(x + c, mask=c < w)
    for k in range(1, n):
        s += tl.load(x + k * w + c, mask=c < w)
    tl.store(out + c, s, mask=c < w)


@triton.jit
def shifted_labels(x, at, out, w):
    r = tl.program_id(0)
    tl.store(out + r, tl.load(x + r * w + tl.load(at + r + 1)))


@triton.jit
def part_of_width(x, out, k, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(out + i, tl.where(i < k // 2, v, 2 * v), mask=i < n)


@triton.jit
def nibbles(x, signed, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    b = tl.load(x + i, mask=i < n, other=0)
    s = tl.load(signed + i, mask=i < n, other=0)
    tl.store(out + 4 * i, (b & 15).to(tl.float32), mask=i < n)
    tl.store(out + 4 * i + 1, ((b >> 4) & 15).to(tl.float32), mask=i < n)
    tl.store(out + 4 * i + 2, ((s << 4).to(tl.int8) >> 4).to(tl.float32), mask=i < n)
    tl.store(out + 4 * i + 3, (s >> 4).to(tl.float32), mask=i < n)
