# planted_carried.py - what loops carry to no end, sums divided by the wrong number, and rows that meet columns; see planted_carried.txt
import triton
import triton.language as tl


@triton.jit
def instance_wrong(x, y, H, W, BLOCK: tl.constexpr):
    p = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    m = i < H * W
    v = tl.load(x + p * H * W + i, mask=m, other=0.0)
    mean = tl.sum(v, 0) / H
    d = tl.where(m, v - mean, 0.0)
    var = tl.sum(d * d, 0) / (H * W)
    tl.store(y + p * H * W + i, d * tl.rsqrt(var + 1e-5), mask=m)


@triton.jit
def instance(x, y, H, W, BLOCK: tl.constexpr):
    p = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    m = i < H * W
    v = tl.load(x + p * H * W + i, mask=m, other=0.0)
    mean = tl.sum(v, 0) / (H * W)
    d = tl.where(m, v - mean, 0.0)
    var = tl.sum(d * d, 0) / (H * W)
    tl.store(y + p * H * W + i, d * tl.rsqrt(var + 1e-5), mask=m)


@triton.jit
def log_softmax_shifted_wrong(x, y, N, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + r * N + c, mask=c < N, other=-float("inf"))
    mx = tl.max(v, 0)
    z = v - mx
    s = tl.log(tl.sum(tl.exp(z), 0))
    tl.store(y + r * N + c, v - s, mask=c < N)


@triton.jit
def log_softmax_shifted(x, y, N, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + r * N + c, mask=c < N, other=-float("inf"))
    mx = tl.max(v, 0)
    z = v - mx
    s = tl.log(tl.sum(tl.exp(z), 0))
    tl.store(y + r * N + c, z - s, mask=c < N)


@triton.jit
def split_steps_wrong(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPLIT: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    z = tl.program_id(2)
    acc = tl.zeros((BM, BN), tl.float32)
    for s in range(z * BK, K, BK):
        rk = s + tl.arange(0, BK)
        x = tl.load(a + rm[:, None] * K + rk[None, :])
        w = tl.load(b + rk[:, None] * N + rn[None, :])
        acc += tl.dot(x, w)
    tl.atomic_add(c + rm[:, None] * N + rn[None, :], acc)


@triton.jit
def split_steps(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPLIT: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    z = tl.program_id(2)
    acc = tl.zeros((BM, BN), tl.float32)
    for s in range(z * BK, K, BK * SPLIT):
        rk = s + tl.arange(0, BK)
        x = tl.load(a + rm[:, None] * K + rk[None, :])
        w = tl.load(b + rk[:, None] * N + rn[None, :])
        acc += tl.dot(x, w)
    tl.atomic_add(c + rm[:, None] * N + rn[None, :], acc)


@triton.jit
def channels_wrong(x, w, y, C, H, W, B: tl.constexpr):
    o = tl.program_id(0)
    r = tl.program_id(1) * B + tl.arange(0, B)
    c = tl.arange(0, 16)
    acc = tl.zeros((B, 16), tl.float32)
    for ch in range(C):
        for dy in range(3):
            for dx in range(3):
                rr = r[:, None] + dy - 1
                cc = c[None, :] + dx - 1
                m = (rr >= 0) & (rr < H) & (cc >= 0) & (cc < W)
                v = tl.load(x + rr * W + cc, mask=m, other=0.0)
                acc += v * tl.load(w + ((o * C + ch) * 3 + dy) * 3 + dx)
    tl.store(y + o * H * W + r[:, None] * W + c[None, :], acc)


@triton.jit
def channels(x, w, y, C, H, W, B: tl.constexpr):
    o = tl.program_id(0)
    r = tl.program_id(1) * B + tl.arange(0, B)
    c = tl.arange(0, 16)
    acc = tl.zeros((B, 16), tl.float32)
    for ch in range(C):
        for dy in range(3):
            for dx in range(3):
                rr = r[:, None] + dy - 1
                cc = c[None, :] + dx - 1
                m = (rr >= 0) & (rr < H) & (cc >= 0) & (cc < W)
                v = tl.load(x + ch * H * W + rr * W + cc, mask=m, other=0.0)
                acc += v * tl.load(w + ((o * C + ch) * 3 + dy) * 3 + dx)
    tl.store(y + o * H * W + r[:, None] * W + c[None, :], acc)


@triton.jit
def mul(a, b):
    return a * b


@triton.jit
def running_product_wrong(x, y, N, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    carry = 0.0
    for s in range(0, N, BLOCK):
        c = s + tl.arange(0, BLOCK)
        v = tl.load(x + r * N + c, mask=c < N, other=1.0)
        p = tl.associative_scan(v, 0, mul) * carry
        tl.store(y + r * N + c, p, mask=c < N)
        carry = tl.sum(tl.where(tl.arange(0, BLOCK) == BLOCK - 1, p, 0.0), 0)


@triton.jit
def running_product(x, y, N, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    carry = 1.0
    for s in range(0, N, BLOCK):
        c = s + tl.arange(0, BLOCK)
        v = tl.load(x + r * N + c, mask=c < N, other=1.0)
        p = tl.associative_scan(v, 0, mul) * carry
        tl.store(y + r * N + c, p, mask=c < N)
        carry = tl.sum(tl.where(tl.arange(0, BLOCK) == BLOCK - 1, p, 0.0), 0)


@triton.jit
def taken_out_wrong(x, v, N: tl.constexpr, KK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, N)
    t = tl.load(x + r * N + c) - 10.0
    for j in range(KK):
        m = tl.max(t, 0)
        i = tl.argmax(t, 0)
        tl.store(v + r * KK + j, m)
        t = tl.where(c == i, 0.0, t)


@triton.jit
def taken_out(x, v, N: tl.constexpr, KK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, N)
    t = tl.load(x + r * N + c) - 10.0
    for j in range(KK):
        m = tl.max(t, 0)
        i = tl.argmax(t, 0)
        tl.store(v + r * KK + j, m)
        t = tl.where(c == i, -float("inf"), t)


@triton.jit
def weights_wrong(a, b, o, n, t, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < n
    x = tl.load(a + i, mask=ok, other=0).to(tl.float32)
    y = tl.load(b + i, mask=ok, other=0).to(tl.float32)
    v = (1 - t) * x + (1 - t) * y
    tl.store(o + i, (v + 0.5).to(tl.uint8), mask=ok)


@triton.jit
def weights(a, b, o, n, t, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < n
    x = tl.load(a + i, mask=ok, other=0).to(tl.float32)
    y = tl.load(b + i, mask=ok, other=0).to(tl.float32)
    v = (1 - t) * x + t * y
    tl.store(o + i, (v + 0.5).to(tl.uint8), mask=ok)


@triton.jit
def blurred_wrong(x, y, H, W, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    c = tl.program_id(1) * B + tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for dx in range(3):
        cc = c[None, :] + dx - 1
        m = (r[:, None] < H) & (cc >= 0) & (cc < H)
        acc += tl.load(x + r[:, None] * W + cc, mask=m, other=0.0)
    tl.store(y + r[:, None] * W + c[None, :], acc / 3, mask=(r[:, None] < H) & (c[None, :] < W))


@triton.jit
def blurred(x, y, H, W, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    c = tl.program_id(1) * B + tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for dx in range(3):
        cc = c[None, :] + dx - 1
        m = (r[:, None] < H) & (cc >= 0) & (cc < W)
        acc += tl.load(x + r[:, None] * W + cc, mask=m, other=0.0)
    tl.store(y + r[:, None] * W + c[None, :], acc / 3, mask=(r[:, None] < H) & (c[None, :] < W))


@triton.jit
def mean_of_tiles_wrong(x, o, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.atomic_add(o, tl.sum(v, 0) / tl.num_programs(0))


@triton.jit
def mean_of_tiles(x, o, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.atomic_add(o, tl.sum(v, 0) / n)


@triton.jit
def row_maximum_wrong(x, o, N, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    m = -float("inf")
    for s in range(0, N, BLOCK):
        c = s + tl.arange(0, BLOCK)
        v = tl.load(x + r * N + c, mask=c < N, other=-float("inf"))
        m = tl.max(v, 0)
    tl.store(o + r, m)


@triton.jit
def row_maximum(x, o, N, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    m = -float("inf")
    for s in range(0, N, BLOCK):
        c = s + tl.arange(0, BLOCK)
        v = tl.load(x + r * N + c, mask=c < N, other=-float("inf"))
        m = tl.maximum(m, tl.max(v, 0))
    tl.store(o + r, m)


@triton.jit
def cosines_wrong(a, b, o, B: tl.constexpr):
    at = tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :]
    x = tl.load(a + at)
    y = tl.load(b + at)
    n = tl.sqrt(tl.sum(x * x, 0)) * tl.sqrt(tl.sum(y * y, 1))
    tl.store(o + tl.arange(0, B), tl.sum(x * y, 1) / n)


@triton.jit
def cosines(a, b, o, B: tl.constexpr):
    at = tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :]
    x = tl.load(a + at)
    y = tl.load(b + at)
    n = tl.sqrt(tl.sum(x * x, 1)) * tl.sqrt(tl.sum(y * y, 1))
    tl.store(o + tl.arange(0, B), tl.sum(x * y, 1) / n)


@triton.jit
def vector_by_rows_wrong(a, x, y, N: tl.constexpr, B: tl.constexpr):
    rm = tl.program_id(0) * B + tl.arange(0, B)
    acc = tl.zeros((B,), tl.float32)
    for s in range(0, N, B):
        rk = s + tl.arange(0, B)
        t = tl.load(a + rm[:, None] * N + rk[None, :])
        v = tl.load(x + rm)
        acc += tl.sum(t * v[None, :], 1)
    tl.store(y + rm, acc)


@triton.jit
def vector_by_rows(a, x, y, N: tl.constexpr, B: tl.constexpr):
    rm = tl.program_id(0) * B + tl.arange(0, B)
    acc = tl.zeros((B,), tl.float32)
    for s in range(0, N, B):
        rk = s + tl.arange(0, B)
        t = tl.load(a + rm[:, None] * N + rk[None, :])
        v = tl.load(x + rk)
        acc += tl.sum(t * v[None, :], 1)
    tl.store(y + rm, acc)


@triton.jit
def added_twice_wrong(a, b, c, N, K, B: tl.constexpr):
    rm = tl.program_id(0) * B + tl.arange(0, B)
    rn = tl.program_id(1) * B + tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for s in range(0, K, B):
        rk = s + tl.arange(0, B)
        x = tl.load(a + rm[:, None] * K + rk[None, :])
        w = tl.load(b + rk[:, None] * N + rn[None, :])
        acc += tl.dot(x, w, acc)
    tl.store(c + rm[:, None] * N + rn[None, :], acc)


@triton.jit
def added_twice(a, b, c, N, K, B: tl.constexpr):
    rm = tl.program_id(0) * B + tl.arange(0, B)
    rn = tl.program_id(1) * B + tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for s in range(0, K, B):
        rk = s + tl.arange(0, B)
        x = tl.load(a + rm[:, None] * K + rk[None, :])
        w = tl.load(b + rk[:, None] * N + rn[None, :])
        acc = tl.dot(x, w, acc)
    tl.store(c + rm[:, None] * N + rn[None, :], acc)


@triton.jit
def rounded_count_wrong(x, o, n, BLOCK: tl.constexpr):
    s = 0.0
    for j in range(0, n, BLOCK):
        c = j + tl.arange(0, BLOCK)
        s += tl.sum(tl.load(x + c, mask=c < n, other=0.0), 0)
    tl.store(o, s / (tl.cdiv(n, BLOCK) * BLOCK))


@triton.jit
def rounded_count(x, o, n, BLOCK: tl.constexpr):
    s = 0.0
    for j in range(0, n, BLOCK):
        c = j + tl.arange(0, BLOCK)
        s += tl.sum(tl.load(x + c, mask=c < n, other=0.0), 0)
    tl.store(o, s / n)


@triton.jit
def fields_wrong(p, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    b = tl.load(p + i // 2, mask=m, other=0).to(tl.int32)
    q = (b >> (i % 2)) & 15
    tl.store(y + i, q.to(tl.float32) - 8.0, mask=m)


@triton.jit
def fields(p, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    b = tl.load(p + i // 2, mask=m, other=0).to(tl.int32)
    q = (b >> ((i % 2) * 4)) & 15
    tl.store(y + i, q.to(tl.float32) - 8.0, mask=m)


@triton.jit
def two_tiles_wrong(x, y, D: tl.constexpr):
    r = tl.program_id(0)
    d = tl.arange(0, D)
    a = tl.load(x + r * 2 * D + d)
    b = tl.load(x + r * 2 * D + D + d)
    m = tl.max(a, 0)
    ea = tl.exp(a - m)
    eb = tl.exp(b - m)
    s = tl.sum(ea, 0) + tl.sum(eb, 0)
    tl.store(y + r * 2 * D + d, ea / s)
    tl.store(y + r * 2 * D + D + d, eb / s)


@triton.jit
def two_tiles(x, y, D: tl.constexpr):
    r = tl.program_id(0)
    d = tl.arange(0, D)
    a = tl.load(x + r * 2 * D + d)
    b = tl.load(x + r * 2 * D + D + d)
    m = tl.maximum(tl.max(a, 0), tl.max(b, 0))
    ea = tl.exp(a - m)
    eb = tl.exp(b - m)
    s = tl.sum(ea, 0) + tl.sum(eb, 0)
    tl.store(y + r * 2 * D + d, ea / s)
    tl.store(y + r * 2 * D + D + d, eb / s)


@triton.jit
def parts_of_row_wrong(x, tops, totals, y, D: tl.constexpr, S: tl.constexpr):
    r = tl.program_id(0)
    d = tl.arange(0, D)
    s = tl.arange(0, S)
    a = tl.load(x + r * D + d)
    top = tl.load(tops + r * S + s)
    m = tl.max(top, 0)
    w = tl.exp(top - m)
    total = tl.sum(w, 0) + tl.sum(tl.load(totals + r * S + s), 0)
    tl.store(y + r * D + d, tl.exp(a - m) / total)


@triton.jit
def parts_of_row(x, tops, totals, y, D: tl.constexpr, S: tl.constexpr):
    r = tl.program_id(0)
    d = tl.arange(0, D)
    s = tl.arange(0, S)
    a = tl.load(x + r * D + d)
    top = tl.load(tops + r * S + s)
    m = tl.max(top, 0)
    total = tl.sum(tl.load(totals + r * S + s) * tl.exp(top - m), 0)
    tl.store(y + r * D + d, tl.exp(a - m) / total)


@triton.jit
def shares_wrong(x, y, n, G, BLOCK: tl.constexpr):
    p = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + p * G + i, mask=p * G + i < n, other=0.0)
    tl.store(y + p, tl.sum(v, 0) / G)


@triton.jit
def shares(x, y, n, G, BLOCK: tl.constexpr):
    p = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + p * G + i, mask=i < G, other=0.0)
    tl.store(y + p, tl.sum(v, 0) / G)


@triton.jit
def positions_wrong(x, y, n, m, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < n
    p = i * 0.19
    a = p.to(tl.int32)
    f = p - a
    b = tl.minimum(a + 1, m - 1)
    u = tl.load(x + a, mask=ok)
    v = tl.load(x + b, mask=ok)
    tl.store(y + i, u * f + v * f, mask=ok)


@triton.jit
def positions(x, y, n, m, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < n
    p = i * 0.19
    a = p.to(tl.int32)
    f = p - a
    b = tl.minimum(a + 1, m - 1)
    u = tl.load(x + a, mask=ok)
    v = tl.load(x + b, mask=ok)
    tl.store(y + i, u * (1 - f) + v * f, mask=ok)


@triton.jit
def column_means_wrong(x, mean, R, C, B: tl.constexpr):
    c = tl.program_id(0) * B + tl.arange(0, B)
    acc = tl.zeros((B,), tl.float32)
    for r in range(0, R):
        acc += tl.load(x + r * C + c)
    tl.store(mean + c, acc / C)


@triton.jit
def column_means(x, mean, R, C, B: tl.constexpr):
    c = tl.program_id(0) * B + tl.arange(0, B)
    acc = tl.zeros((B,), tl.float32)
    for r in range(0, R):
        acc += tl.load(x + r * C + c)
    tl.store(mean + c, acc / R)


@triton.jit
def merged_splits_wrong(po, pm, pl, o, S: tl.constexpr, D: tl.constexpr):
    b = tl.program_id(0)
    s = tl.arange(0, S)
    d = tl.arange(0, D)
    m = tl.load(pm + b * S + s)
    l = tl.load(pl + b * S + s)
    x = tl.load(po + b * S * D + s[:, None] * D + d[None, :])
    w = tl.exp(m - tl.max(m, 0))
    den = tl.sum(l, 0)
    tl.store(o + b * D + d, tl.sum(w[:, None] * x, 0) / den)


@triton.jit
def merged_splits(po, pm, pl, o, S: tl.constexpr, D: tl.constexpr):
    b = tl.program_id(0)
    s = tl.arange(0, S)
    d = tl.arange(0, D)
    m = tl.load(pm + b * S + s)
    l = tl.load(pl + b * S + s)
    x = tl.load(po + b * S * D + s[:, None] * D + d[None, :])
    w = tl.exp(m - tl.max(m, 0))
    den = tl.sum(w * l, 0)
    tl.store(o + b * D + d, tl.sum(w[:, None] * x, 0) / den)


@triton.jit
def strided_taps_wrong(x, w, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), tl.float32)
    for j in range(3):
        acc += tl.load(x + i + j, mask=i < n, other=0.0) * tl.load(w + j)
    tl.store(y + i, acc, mask=i < n)


@triton.jit
def strided_taps(x, w, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), tl.float32)
    for j in range(3):
        acc += tl.load(x + 2 * i + j, mask=i < n, other=0.0) * tl.load(w + j)
    tl.store(y + i, acc, mask=i < n)


@triton.jit
def best_paths_wrong(e, tr, o, T, S: tl.constexpr):
    b = tl.program_id(0)
    i = tl.arange(0, S)
    a = tl.load(tr + i[:, None] * S + i[None, :])
    v = tl.load(e + b * T * S + i)
    for t in range(1, T):
        u = tl.load(e + (b * T + t) * S + i)
        v = tl.max(v[:, None] + a, 1) + u
    tl.store(o + b * S + i, v)


@triton.jit
def best_paths(e, tr, o, T, S: tl.constexpr):
    b = tl.program_id(0)
    i = tl.arange(0, S)
    a = tl.load(tr + i[:, None] * S + i[None, :])
    v = tl.load(e + b * T * S + i)
    for t in range(1, T):
        u = tl.load(e + (b * T + t) * S + i)
        v = tl.max(v[:, None] + a, 0) + u
    tl.store(o + b * S + i, v)


@triton.jit
def expert_of_row_wrong(x, w, off, y, E, D: tl.constexpr):
    t = tl.program_id(0)
    d = tl.arange(0, D)
    e = 0
    for j in range(E):
        e = tl.where(t >= tl.load(off + 1), j, e)
    v = tl.load(x + t * D + d)
    ww = tl.load(w + e * D * D + d[:, None] * D + d[None, :])
    tl.store(y + t * D + d, tl.sum(v[:, None] * ww, 0))


@triton.jit
def expert_of_row(x, w, off, y, E, D: tl.constexpr):
    t = tl.program_id(0)
    d = tl.arange(0, D)
    e = 0
    for j in range(E):
        e = tl.where(t >= tl.load(off + j), j, e)
    v = tl.load(x + t * D + d)
    ww = tl.load(w + e * D * D + d[:, None] * D + d[None, :])
    tl.store(y + t * D + d, tl.sum(v[:, None] * ww, 0))


@triton.jit
def shifted_state_wrong(x, st, w, y, L):
    b = tl.program_id(0)
    v = tl.load(x + b * L)
    a = tl.load(st + b * 3)
    c = tl.load(st + b * 3 + 1)
    d = tl.load(st + b * 3 + 2)
    o = a * tl.load(w) + c * tl.load(w + 1) + d * tl.load(w + 2) + v * tl.load(w + 3)
    tl.store(st + b * 3, c)
    tl.store(st + b * 3 + 1, d)
    tl.store(st + b * 3 + 1, v)
    tl.store(y + b, o)


@triton.jit
def shifted_state(x, st, w, y, L):
    b = tl.program_id(0)
    v = tl.load(x + b * L)
    a = tl.load(st + b * 3)
    c = tl.load(st + b * 3 + 1)
    d = tl.load(st + b * 3 + 2)
    o = a * tl.load(w) + c * tl.load(w + 1) + d * tl.load(w + 2) + v * tl.load(w + 3)
    tl.store(st + b * 3, c)
    tl.store(st + b * 3 + 1, d)
    tl.store(st + b * 3 + 2, v)
    tl.store(y + b, o)
