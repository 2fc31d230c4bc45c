# planted_tiles.py - more mistakes beside their right twins: of rows and columns, and of rounds; see planted_tiles.txt
import triton
import triton.language as tl


@triton.jit
def not_turned_wrong(x, out, M, N, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    c = tl.program_id(1) * B + tl.arange(0, B)
    v = tl.load(x + r[:, None] * N + c[None, :], mask=(r[:, None] < M) & (c[None, :] < N))
    tl.store(out + c[:, None] * M + r[None, :], v, mask=(c[:, None] < N) & (r[None, :] < M))


@triton.jit
def not_turned(x, out, M, N, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    c = tl.program_id(1) * B + tl.arange(0, B)
    v = tl.load(x + r[:, None] * N + c[None, :], mask=(r[:, None] < M) & (c[None, :] < N))
    tl.store(out + c[:, None] * M + r[None, :], tl.trans(v), mask=(c[:, None] < N) & (r[None, :] < M))


@triton.jit
def sums_of_columns_wrong(x, out, M, N, stride, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    acc = tl.zeros((BM,), tl.float32)
    for k in range(0, N, BN):
        c = k + tl.arange(0, BN)
        v = tl.load(x + r[:, None] * stride + c[None, :], mask=(r[:, None] < M) & (c[None, :] < N), other=0.0)
        acc += tl.sum(v, axis=0)
    tl.store(out + r, acc, mask=r < M)


@triton.jit
def sums_of_columns(x, out, M, N, stride, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    acc = tl.zeros((BM,), tl.float32)
    for k in range(0, N, BN):
        c = k + tl.arange(0, BN)
        v = tl.load(x + r[:, None] * stride + c[None, :], mask=(r[:, None] < M) & (c[None, :] < N), other=0.0)
        acc += tl.sum(v, axis=1)
    tl.store(out + r, acc, mask=r < M)


@triton.jit
def attention_wrong(q, k, v, out, L, scale, B: tl.constexpr, D: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    d = tl.arange(0, D)
    tq = tl.load(q + i[:, None] * D + d[None, :], mask=i[:, None] < L, other=0.0)
    m = tl.full((B,), -float("inf"), tl.float32)
    s = tl.zeros((B,), tl.float32)
    acc = tl.zeros((B, D), tl.float32)
    for start in range(0, L, B):
        j = start + tl.arange(0, B)
        tk = tl.load(k + j[:, None] * D + d[None, :], mask=j[:, None] < L, other=0.0)
        tv = tl.load(v + j[:, None] * D + d[None, :], mask=j[:, None] < L, other=0.0)
        qk = tl.dot(tq, tl.trans(tk)) * scale
        qk = tl.where(j[None, :] < L, qk, -float("inf"))
        new = tl.maximum(m, tl.max(qk, axis=0))
        p = tl.exp(qk - new[:, None])
        fix = tl.exp(m - new)
        s = s * fix + tl.sum(p, axis=1)
        acc = acc * fix[:, None] + tl.dot(p, tv)
        m = new
    tl.store(out + i[:, None] * D + d[None, :], acc / s[:, None], mask=i[:, None] < L)


@triton.jit
def attention(q, k, v, out, L, scale, B: tl.constexpr, D: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    d = tl.arange(0, D)
    tq = tl.load(q + i[:, None] * D + d[None, :], mask=i[:, None] < L, other=0.0)
    m = tl.full((B,), -float("inf"), tl.float32)
    s = tl.zeros((B,), tl.float32)
    acc = tl.zeros((B, D), tl.float32)
    for start in range(0, L, B):
        j = start + tl.arange(0, B)
        tk = tl.load(k + j[:, None] * D + d[None, :], mask=j[:, None] < L, other=0.0)
        tv = tl.load(v + j[:, None] * D + d[None, :], mask=j[:, None] < L, other=0.0)
        qk = tl.dot(tq, tl.trans(tk)) * scale
        qk = tl.where(j[None, :] < L, qk, -float("inf"))
        new = tl.maximum(m, tl.max(qk, axis=1))
        p = tl.exp(qk - new[:, None])
        fix = tl.exp(m - new)
        s = s * fix + tl.sum(p, axis=1)
        acc = acc * fix[:, None] + tl.dot(p, tv)
        m = new
    tl.store(out + i[:, None] * D + d[None, :], acc / s[:, None], mask=i[:, None] < L)


@triton.jit
def attention_by_columns_wrong(q, k, v, out, L, scale, B: tl.constexpr, D: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    d = tl.arange(0, D)
    tq = tl.load(q + i[:, None] * D + d[None, :], mask=i[:, None] < L, other=0.0)
    m = tl.full((B,), -float("inf"), tl.float32)
    s = tl.zeros((B,), tl.float32)
    acc = tl.zeros((B, D), tl.float32)
    for start in range(0, L, B):
        j = start + tl.arange(0, B)
        tk = tl.load(k + j[:, None] * D + d[None, :], mask=j[:, None] < L, other=0.0)
        tv = tl.load(v + j[:, None] * D + d[None, :], mask=j[:, None] < L, other=0.0)
        qk = tl.dot(tq, tl.trans(tk)) * scale
        qk = tl.where(j[None, :] < L, qk, -float("inf"))
        new = tl.maximum(m, tl.max(qk, axis=1))
        p = tl.exp(qk - new[:, None])
        fix = tl.exp(m - new)
        s = s * fix + tl.sum(p, axis=1)
        acc = acc * fix[:, None] + tl.dot(p, tv)
        m = new
    tl.store(out + i[:, None] * D + d[None, :], acc / s, mask=i[:, None] < L)


@triton.jit
def attention_by_columns(q, k, v, out, L, scale, B: tl.constexpr, D: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    d = tl.arange(0, D)
    tq = tl.load(q + i[:, None] * D + d[None, :], mask=i[:, None] < L, other=0.0)
    m = tl.full((B,), -float("inf"), tl.float32)
    s = tl.zeros((B,), tl.float32)
    acc = tl.zeros((B, D), tl.float32)
    for start in range(0, L, B):
        j = start + tl.arange(0, B)
        tk = tl.load(k + j[:, None] * D + d[None, :], mask=j[:, None] < L, other=0.0)
        tv = tl.load(v + j[:, None] * D + d[None, :], mask=j[:, None] < L, other=0.0)
        qk = tl.dot(tq, tl.trans(tk)) * scale
        qk = tl.where(j[None, :] < L, qk, -float("inf"))
        new = tl.maximum(m, tl.max(qk, axis=1))
        p = tl.exp(qk - new[:, None])
        fix = tl.exp(m - new)
        s = s * fix + tl.sum(p, axis=1)
        acc = acc * fix[:, None] + tl.dot(p, tv)
        m = new
    tl.store(out + i[:, None] * D + d[None, :], acc / s[:, None], mask=i[:, None] < L)


@triton.jit
def attention_not_kept_wrong(q, k, v, out, L, scale, B: tl.constexpr, D: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    d = tl.arange(0, D)
    tq = tl.load(q + i[:, None] * D + d[None, :], mask=i[:, None] < L, other=0.0)
    m = tl.full((B,), -float("inf"), tl.float32)
    s = tl.zeros((B,), tl.float32)
    acc = tl.zeros((B, D), tl.float32)
    for start in range(0, L, B):
        j = start + tl.arange(0, B)
        tk = tl.load(k + j[:, None] * D + d[None, :], mask=j[:, None] < L, other=0.0)
        tv = tl.load(v + j[:, None] * D + d[None, :], mask=j[:, None] < L, other=0.0)
        qk = tl.dot(tq, tl.trans(tk)) * scale
        qk = tl.where(j[None, :] < L, qk, -float("inf"))
        new = tl.maximum(m, tl.max(qk, axis=1))
        p = tl.exp(qk - new[:, None])
        fix = tl.exp(m - new)
        s = s * fix + tl.sum(p, axis=1)
        acc = acc * fix[:, None] + tl.dot(p, tv)
    tl.store(out + i[:, None] * D + d[None, :], acc / s[:, None], mask=i[:, None] < L)


@triton.jit
def attention_not_kept(q, k, v, out, L, scale, B: tl.constexpr, D: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    d = tl.arange(0, D)
    tq = tl.load(q + i[:, None] * D + d[None, :], mask=i[:, None] < L, other=0.0)
    m = tl.full((B,), -float("inf"), tl.float32)
    s = tl.zeros((B,), tl.float32)
    acc = tl.zeros((B, D), tl.float32)
    for start in range(0, L, B):
        j = start + tl.arange(0, B)
        tk = tl.load(k + j[:, None] * D + d[None, :], mask=j[:, None] < L, other=0.0)
        tv = tl.load(v + j[:, None] * D + d[None, :], mask=j[:, None] < L, other=0.0)
        qk = tl.dot(tq, tl.trans(tk)) * scale
        qk = tl.where(j[None, :] < L, qk, -float("inf"))
        new = tl.maximum(m, tl.max(qk, axis=1))
        p = tl.exp(qk - new[:, None])
        fix = tl.exp(m - new)
        s = s * fix + tl.sum(p, axis=1)
        acc = acc * fix[:, None] + tl.dot(p, tv)
        m = new
    tl.store(out + i[:, None] * D + d[None, :], acc / s[:, None], mask=i[:, None] < L)


@triton.jit
def begun_anew_wrong(x, out, M, N, stride, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    acc = tl.zeros((BM,), tl.float32)
    for k in range(0, N, BN):
        acc = tl.zeros((BM,), tl.float32)
        c = k + tl.arange(0, BN)
        v = tl.load(x + r[:, None] * stride + c[None, :], mask=(r[:, None] < M) & (c[None, :] < N), other=0.0)
        acc += tl.sum(v, axis=1)
    tl.store(out + r, acc, mask=r < M)


@triton.jit
def begun_anew(x, out, M, N, stride, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    acc = tl.zeros((BM,), tl.float32)
    for k in range(0, N, BN):
        c = k + tl.arange(0, BN)
        v = tl.load(x + r[:, None] * stride + c[None, :], mask=(r[:, None] < M) & (c[None, :] < N), other=0.0)
        acc += tl.sum(v, axis=1)
    tl.store(out + r, acc, mask=r < M)


@triton.jit
def bias_each_round_wrong(a, b, bias, out, M, N, K, sam, sak, sbk, sbn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    pa = a + m[:, None] * sam + k[None, :] * sak
    pb = b + k[:, None] * sbk + n[None, :] * sbn
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        ta = tl.load(pa, mask=(m[:, None] < M) & (start + k[None, :] < K), other=0.0)
        tb = tl.load(pb, mask=(start + k[:, None] < K) & (n[None, :] < N), other=0.0)
        acc += tl.dot(ta, tb) + tl.load(bias + n, mask=n < N, other=0.0)[None, :]
        pa += BK * sak
        pb += BK * sbk
    tl.store(out + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def bias_each_round(a, b, bias, out, M, N, K, sam, sak, sbk, sbn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    pa = a + m[:, None] * sam + k[None, :] * sak
    pb = b + k[:, None] * sbk + n[None, :] * sbn
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        ta = tl.load(pa, mask=(m[:, None] < M) & (start + k[None, :] < K), other=0.0)
        tb = tl.load(pb, mask=(start + k[:, None] < K) & (n[None, :] < N), other=0.0)
        acc += tl.dot(ta, tb)
        pa += BK * sak
        pb += BK * sbk
    acc += tl.load(bias + n, mask=n < N, other=0.0)[None, :]
    tl.store(out + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def same_tiles_wrong(a, b, out, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    pa = a + m[:, None] * K + k[None, :]
    pb = b + k[:, None] * BN + n[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        ta = tl.load(pa, mask=start + k[None, :] < K, other=0.0)
        tb = tl.load(pb, mask=start + k[:, None] < K, other=0.0)
        acc += tl.dot(ta, tb)
    tl.store(out + m[:, None] * BN + n[None, :], acc)


# what is loaded in front of the loop or by a descriptor, a recurrence, what is stored and loaded again: the same text is right
@triton.jit
def same_tiles(a, b, out, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    pa = a + m[:, None] * K + k[None, :]
    pb = b + k[:, None] * BN + n[None, :]
    first = tl.load(pb)
    po = out + m[:, None] * BN + n[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    twice = tl.zeros((BK, BN), tl.float32)
    for start in range(0, K, BK):
        ta = tl.load(pa, mask=start + k[None, :] < K, other=0.0)
        tb = tl.load(pb, mask=start + k[:, None] < K, other=0.0)
        acc += tl.dot(ta, tb)
        twice += first
        pa += BK
        pb += BK * BN
    rows = tl.make_tensor_descriptor(a, shape=[16, K], strides=[K, 1], block_shape=[BM, BK])
    for start in range(0, K, BK):
        acc += tl.sum(rows.load([0, start]), axis=1)[:, None]
    for _ in range(2):
        acc += tl.dot(acc, tl.load(b + n[:, None] * BN + n[None, :]))
    tl.store(po, acc + tl.sum(twice, axis=0)[None, :])
    tl.debug_barrier()
    for _ in range(2):
        acc += tl.load(po)
        tl.debug_barrier()
        tl.store(po, acc)
        tl.debug_barrier()


@triton.jit
def short_rounds_wrong(x, out, M, N, stride, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    acc = tl.zeros((BM,), tl.float32)
    for k in range(0, N // BN * BN, BN):
        c = k + tl.arange(0, BN)
        v = tl.load(x + r[:, None] * stride + c[None, :], mask=(r[:, None] < M) & (c[None, :] < N), other=0.0)
        acc += tl.sum(v, axis=1)
    tl.store(out + r, acc, mask=r < M)


@triton.jit
def short_rounds(x, out, M, N, stride, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    acc = tl.zeros((BM,), tl.float32)
    for k in range(0, N, BN):
        c = k + tl.arange(0, BN)
        v = tl.load(x + r[:, None] * stride + c[None, :], mask=(r[:, None] < M) & (c[None, :] < N), other=0.0)
        acc += tl.sum(v, axis=1)
    tl.store(out + r, acc, mask=r < M)


@triton.jit
def double_steps_wrong(x, out, M, N, stride, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    acc = tl.zeros((BM,), tl.float32)
    for k in range(0, N, 2 * BN):
        c = k + tl.arange(0, BN)
        v = tl.load(x + r[:, None] * stride + c[None, :], mask=(r[:, None] < M) & (c[None, :] < N), other=0.0)
        acc += tl.sum(v, axis=1)
    tl.store(out + r, acc, mask=r < M)


@triton.jit
def double_steps(x, out, M, N, stride, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    acc = tl.zeros((BM,), tl.float32)
    for k in range(0, N, BN):
        c = k + tl.arange(0, BN)
        v = tl.load(x + r[:, None] * stride + c[None, :], mask=(r[:, None] < M) & (c[None, :] < N), other=0.0)
        acc += tl.sum(v, axis=1)
    tl.store(out + r, acc, mask=r < M)


@triton.jit
def one_row_wrong(x, cos, sin, out, D, B: tl.constexpr):
    t = tl.program_id(0)
    d = tl.arange(0, B)
    half = D // 2
    mask = d < half
    a = tl.load(x + t * D + d, mask=mask)
    b = tl.load(x + t * D + d + half, mask=mask)
    c = tl.load(cos + d, mask=mask)
    s = tl.load(sin + t * half + d, mask=mask)
    tl.store(out + t * D + d, a * c - b * s, mask=mask)
    tl.store(out + t * D + d + half, b * c + a * s, mask=mask)


@triton.jit
def one_row(x, cos, sin, out, D, B: tl.constexpr):
    t = tl.program_id(0)
    d = tl.arange(0, B)
    half = D // 2
    mask = d < half
    a = tl.load(x + t * D + d, mask=mask)
    b = tl.load(x + t * D + d + half, mask=mask)
    c = tl.load(cos + t * half + d, mask=mask)
    s = tl.load(sin + t * half + d, mask=mask)
    tl.store(out + t * D + d, a * c - b * s, mask=mask)
    tl.store(out + t * D + d + half, b * c + a * s, mask=mask)


@triton.jit
def sum_in_fp16_wrong(x, out, N, eps, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + row * N + c, mask=c < N, other=0.0)
    tl.store(out + row * N + c, v * tl.rsqrt(tl.sum(v * v, axis=0) / N + eps), mask=c < N)


@triton.jit
def sum_in_fp16(x, out, N, eps, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + row * N + c, mask=c < N, other=0.0).to(tl.float32)
    tl.store(out + row * N + c, v * tl.rsqrt(tl.sum(v * v, axis=0) / N + eps), mask=c < N)


@triton.jit
def quantize_wrong(x, out, scale, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n) / scale
    tl.store(out + i, v.to(tl.int8), mask=i < n)


@triton.jit
def quantize(x, out, scale, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n) / scale
    v = tl.clamp(v, -128.0, 127.0)
    tl.store(out + i, v.to(tl.int8), mask=i < n)


@triton.jit
def begun_with_zero_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    m = tl.zeros((B,), tl.float32)
    for k in range(0, n, B):
        m = tl.maximum(m, tl.load(x + k + i, mask=k + i < n, other=-float("inf")))
    tl.store(out, tl.max(m, axis=0))


@triton.jit
def begun_with_zero(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    m = tl.full((B,), -float("inf"), tl.float32)
    for k in range(0, n, B):
        m = tl.maximum(m, tl.load(x + k + i, mask=k + i < n, other=-float("inf")))
    tl.store(out, tl.max(m, axis=0))


@triton.jit
def grey_of_colours(a, b, out, H, W, BH: tl.constexpr, BW: tl.constexpr):
    y = tl.program_id(0) * BH + tl.arange(0, BH)
    x = tl.program_id(1) * BW + tl.arange(0, BW)
    at = y[:, None] * W + x[None, :]
    mask = (y[:, None] < H) & (x[None, :] < W)
    va = tl.load(a + at, mask=mask).to(tl.int32)
    vb = tl.load(b + at, mask=mask).to(tl.int32)
    tl.store(out + at, tl.minimum(va + vb * 2, 255).to(tl.uint8), mask=mask)


@triton.jit
def stride_in_bytes(x, out, M, N, stride, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    acc = tl.zeros((BM,), tl.float32)
    for k in range(0, N, BN):
        c = k + tl.arange(0, BN)
        v = tl.load(x + r[:, None] * stride + c[None, :], mask=(r[:, None] < M) & (c[None, :] < N), other=0.0)
        acc += tl.sum(v, axis=1)
    tl.store(out + r, acc, mask=r < M)


@triton.jit
def no_nan_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, tl.where(v == float("nan"), 0.0, v), mask=i < n)


@triton.jit
def no_nan(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, tl.where(v != v, 0.0, v), mask=i < n)


@triton.jit
def small_maps(x, out, h, w, B: tl.constexpr):
    p = tl.program_id(0)
    i = tl.arange(0, B)
    y, c = i // w, i % w
    v = tl.load(x + p * h * w + y * w + c, mask=i < h * w, other=0.0)
    tl.store(out + p, tl.sum(v))


@triton.jit
def last_product_wrong(a, b, out, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(0, K, BK):
        x = tl.load(a + m[:, None] * K + (i + k)[None, :])
        y = tl.load(b + (i + k)[:, None] * BN + n[None, :])
        acc = tl.dot(x, y)
    tl.store(out + m[:, None] * BN + n[None, :], acc)


@triton.jit
def last_product(a, b, out, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(0, K, BK):
        x = tl.load(a + m[:, None] * K + (i + k)[None, :])
        y = tl.load(b + (i + k)[:, None] * BN + n[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(out + m[:, None] * BN + n[None, :], acc)


@triton.jit
def one_pointer_wrong(a, b, out, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    pa = a + m[:, None] * K + k[None, :]
    pb = b + k[:, None] * BN + n[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(0, K, BK):
        acc += tl.dot(tl.load(pa), tl.load(pb))
        pa += BK
    tl.store(out + m[:, None] * BN + n[None, :], acc)


@triton.jit
def one_pointer(a, b, out, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    pa = a + m[:, None] * K + k[None, :]
    pb = b + k[:, None] * BN + n[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(0, K, BK):
        acc += tl.dot(tl.load(pa), tl.load(pb))
        pa += BK
        pb += BK * BN
    tl.store(out + m[:, None] * BN + n[None, :], acc)


@triton.jit
def part_of_softmax_wrong(x, out, w, B: tl.constexpr):
    i = tl.arange(0, B)
    at = tl.program_id(0) * w + i
    tl.store(out + at, tl.softmax(tl.load(x + at, mask=i < w)), mask=i < w)


@triton.jit
def part_of_softmax(x, out, w, B: tl.constexpr):
    i = tl.arange(0, B)
    at = tl.program_id(0) * w + i
    tl.store(out + at, tl.softmax(tl.load(x + at, mask=i < w, other=-float("inf"))), mask=i < w)


@triton.jit
def mask_of_rows_wrong(x, out, h, w, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    c = tl.program_id(1) * B + tl.arange(0, B)
    v = tl.load(x + r[:, None] * w + c[None, :], mask=(r < h) & (c < w)[None, :], other=0.0)
    tl.store(out + r[:, None] * w + c[None, :], v * 2, mask=(r[:, None] < h) & (c[None, :] < w))


@triton.jit
def mask_of_rows(x, out, h, w, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    c = tl.program_id(1) * B + tl.arange(0, B)
    v = tl.load(x + r[:, None] * w + c[None, :], mask=(r < h)[:, None] & (c < w), other=0.0)
    tl.store(out + r[:, None] * w + c[None, :], v * 2, mask=(r[:, None] < h) & (c[None, :] < w))


@triton.jit
def mask_of_both(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    at = i[:, None] * n + i[None, :]
    inside = (i < n) & (i < n)[:, None]
    tl.store(out + at, tl.load(x + at, mask=inside), mask=inside)


@triton.jit
def online(x, out, w, B: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, B)
    m = -float("inf")
    s = 0.0
    for at in range(0, w, B):
        v = tl.load(x + row * w + at + i, mask=at + i < w, other=-float("inf"))
        new = tl.maximum(m, tl.max(v))
        s = s * tl.exp(m - new) + tl.sum(tl.exp(v - new))
        m = new
    tl.store(out + row, m + tl.log(s))


@triton.jit
def online_wrong(x, out, w, B: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, B)
    m = -float("inf")
    s = 0.0
    for at in range(0, w, B):
        v = tl.load(x + row * w + at + i, mask=at + i < w, other=-float("inf"))
        new = tl.maximum(m, tl.max(v))
        s = s + tl.sum(tl.exp(v - new))
        m = new
    tl.store(out + row, m + tl.log(s))


@triton.jit
def square_products(a, b, c, N, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    j = tl.program_id(1) * B + tl.arange(0, B)
    k = tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for at in range(0, N, B):
        x = tl.load(a + i[:, None] * N + (at + k)[None, :])
        y = tl.load(b + (at + k)[:, None] * N + j[None, :])
        acc += tl.dot(x, y)
    tl.store(c + i[:, None] * N + j[None, :], acc)


@triton.jit
def square_products_wrong(a, b, c, N, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    j = tl.program_id(1) * B + tl.arange(0, B)
    k = tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for at in range(0, N, B):
        x = tl.load(a + i[:, None] * N + (at + k)[None, :])
        y = tl.load(b + (at + k)[:, None] * N + j[None, :])
        acc += tl.dot(y, x)
    tl.store(c + i[:, None] * N + j[None, :], acc)


@triton.jit
def products_of_turned(a, b, c, N, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    j = tl.program_id(1) * B + tl.arange(0, B)
    k = tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for at in range(0, N, B):
        x = tl.load(a + i[:, None] * N + (at + k)[None, :])
        y = tl.load(b + j[:, None] * N + (at + k)[None, :])
        acc += tl.dot(x, tl.trans(y))
    tl.store(c + i[:, None] * N + j[None, :], acc)


@triton.jit
def products_of_turned_wrong(a, b, c, N, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    j = tl.program_id(1) * B + tl.arange(0, B)
    k = tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for at in range(0, N, B):
        x = tl.load(a + i[:, None] * N + (at + k)[None, :])
        y = tl.load(b + j[:, None] * N + (at + k)[None, :])
        acc += tl.dot(x, y)
    tl.store(c + i[:, None] * N + j[None, :], acc)


@triton.jit
def ptr_turned(a, b, c, N, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    j = tl.program_id(1) * B + tl.arange(0, B)
    k = tl.arange(0, B)
    pa = a + i[:, None] * N + k[None, :]
    pb = b + k[:, None] * N + j[None, :]
    acc = tl.zeros((B, B), tl.float32)
    for at in range(0, N, B):
        acc += tl.dot(tl.load(pa), tl.load(pb))
        pa += B
        pb += B * N
    tl.store(c + i[:, None] * N + j[None, :], acc)


@triton.jit
def ptr_turned_wrong(a, b, c, N, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    j = tl.program_id(1) * B + tl.arange(0, B)
    k = tl.arange(0, B)
    pa = a + i[:, None] * N + k[None, :]
    pb = b + k[:, None] * N + j[None, :]
    acc = tl.zeros((B, B), tl.float32)
    for at in range(0, N, B):
        acc += tl.dot(tl.load(pb), tl.load(pa))
        pa += B
        pb += B * N
    tl.store(c + i[:, None] * N + j[None, :], acc)
