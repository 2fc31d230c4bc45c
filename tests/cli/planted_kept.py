"""Sums that are kept too narrow, and parts of indices that are not there; planted_kept.txt has the commands."""

import triton
import triton.language as tl


@triton.jit
def scale_by_col_wrong(x, scale, out, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    s = tl.load(scale + cols, mask=mask)
    v = tl.load(x + row * N + cols, mask=mask)
    tl.store(out + row * N + cols, v * s, mask=mask)


@triton.jit
def scale_by_col(x, scale, out, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    s = tl.load(scale + row)
    v = tl.load(x + row * N + cols, mask=mask)
    tl.store(out + row * N + cols, v * s, mask=mask)


@triton.jit
def log_softmax_twice_wrong(out, x, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    v = tl.load(x + row * n_cols + cols, mask=mask, other=-float("inf"))
    m = tl.max(v, axis=0)
    lse = tl.log(tl.sum(tl.exp(v), axis=0))
    tl.store(out + row * n_cols + cols, v - m - lse, mask=mask)


@triton.jit
def log_softmax_twice(out, x, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    v = tl.load(x + row * n_cols + cols, mask=mask, other=-float("inf"))
    m = tl.max(v, axis=0)
    lse = tl.log(tl.sum(tl.exp(v - m), axis=0))
    tl.store(out + row * n_cols + cols, v - m - lse, mask=mask)


@triton.jit
def rmsnorm_div_block_wrong(x, w, out, rstd, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc += v * v
    r = tl.rsqrt(tl.sum(acc, axis=0) / BLOCK + eps)
    tl.store(rstd + row, r)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        v = tl.load(x + row * N + cols, mask=mask).to(tl.float32)
        tl.store(out + row * N + cols, v * r * tl.load(w + cols, mask=mask), mask=mask)


@triton.jit
def rmsnorm_div_block(x, w, out, rstd, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc += v * v
    r = tl.rsqrt(tl.sum(acc, axis=0) / N + eps)
    tl.store(rstd + row, r)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        v = tl.load(x + row * N + cols, mask=mask).to(tl.float32)
        tl.store(out + row * N + cols, v * r * tl.load(w + cols, mask=mask), mask=mask)


@triton.jit
def mean_fp16_sum_wrong(x, out, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    v = tl.load(x + row * N + cols, mask=cols < N, other=0.0)
    tl.store(out + row, tl.sum(v, axis=0) / N)


@triton.jit
def mean_fp16_sum(x, out, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    v = tl.load(x + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.store(out + row, tl.sum(v, axis=0) / N)


@triton.jit
def attn_stale_v_wrong(q, k, v, out, T, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rd = tl.arange(0, D)
    head = tl.program_id(1) * T * D
    qt = tl.load(q + head + rm[:, None] * D + rd[None, :], mask=rm[:, None] < T, other=0.0)
    m = tl.full((BM,), -float("inf"), tl.float32)
    l = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for start in range(0, T, BN):
        rn = start + tl.arange(0, BN)
        kt = tl.load(k + head + rn[None, :] * D + rd[:, None], mask=rn[None, :] < T, other=0.0)
        s = tl.dot(qt, kt) * scale
        s = tl.where(rn[None, :] < T, s, -float("inf"))
        m_new = tl.maximum(m, tl.max(s, axis=1))
        p = tl.exp(s - m_new[:, None])
        alpha = tl.exp(m - m_new)
        l = l * alpha + tl.sum(p, axis=1)
        vt = tl.load(v + head + tl.arange(0, BN)[:, None] * D + rd[None, :], mask=rn[:, None] < T, other=0.0)
        acc = acc * alpha[:, None] + tl.dot(p, vt)
        m = m_new
    tl.store(out + head + rm[:, None] * D + rd[None, :], acc / l[:, None], mask=rm[:, None] < T)


@triton.jit
def attn_stale_v(q, k, v, out, T, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rd = tl.arange(0, D)
    head = tl.program_id(1) * T * D
    qt = tl.load(q + head + rm[:, None] * D + rd[None, :], mask=rm[:, None] < T, other=0.0)
    m = tl.full((BM,), -float("inf"), tl.float32)
    l = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for start in range(0, T, BN):
        rn = start + tl.arange(0, BN)
        kt = tl.load(k + head + rn[None, :] * D + rd[:, None], mask=rn[None, :] < T, other=0.0)
        s = tl.dot(qt, kt) * scale
        s = tl.where(rn[None, :] < T, s, -float("inf"))
        m_new = tl.maximum(m, tl.max(s, axis=1))
        p = tl.exp(s - m_new[:, None])
        alpha = tl.exp(m - m_new)
        l = l * alpha + tl.sum(p, axis=1)
        vt = tl.load(v + head + rn[:, None] * D + rd[None, :], mask=rn[:, None] < T, other=0.0)
        acc = acc * alpha[:, None] + tl.dot(p, vt)
        m = m_new
    tl.store(out + head + rm[:, None] * D + rd[None, :], acc / l[:, None], mask=rm[:, None] < T)


@triton.jit
def attn_head_pid_wrong(q, k, s, H, T, sqb, sqh, sqt, D: tl.constexpr, BM: tl.constexpr):
    bh = tl.program_id(1)
    b = bh // H
    h = bh // H
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.arange(0, BM)
    rd = tl.arange(0, D)
    base = b * sqb + h * sqh
    qt = tl.load(q + base + rm[:, None] * sqt + rd[None, :], mask=rm[:, None] < T, other=0.0)
    for start in range(0, T, BM):
        at = start + rn
        kt = tl.load(k + base + at[None, :] * sqt + rd[:, None], mask=at[None, :] < T, other=0.0)
        tl.store(s + bh * T * T + rm[:, None] * T + at[None, :], tl.dot(qt, kt),
                 mask=(rm[:, None] < T) & (at[None, :] < T))


@triton.jit
def attn_head_pid(q, k, s, H, T, sqb, sqh, sqt, D: tl.constexpr, BM: tl.constexpr):
    bh = tl.program_id(1)
    b = bh // H
    h = bh % H
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.arange(0, BM)
    rd = tl.arange(0, D)
    base = b * sqb + h * sqh
    qt = tl.load(q + base + rm[:, None] * sqt + rd[None, :], mask=rm[:, None] < T, other=0.0)
    for start in range(0, T, BM):
        at = start + rn
        kt = tl.load(k + base + at[None, :] * sqt + rd[:, None], mask=at[None, :] < T, other=0.0)
        tl.store(s + bh * T * T + rm[:, None] * T + at[None, :], tl.dot(qt, kt),
                 mask=(rm[:, None] < T) & (at[None, :] < T))


@triton.jit
def attn_p_cast_before_sum_wrong(q, k, v, out, T, scale, D: tl.constexpr, BN: tl.constexpr):
    h = tl.program_id(0)
    rd = tl.arange(0, D)
    qt = tl.load(q + h * D + rd).to(tl.float32)
    m = -float("inf")
    l = 0.0
    acc = tl.zeros((D,), tl.float32)
    for start in range(0, T, BN):
        rn = start + tl.arange(0, BN)
        mask = rn < T
        kt = tl.load(k + h * T * D + rn[:, None] * D + rd[None, :], mask=mask[:, None], other=0.0).to(tl.float32)
        s = tl.where(mask, tl.sum(kt * qt[None, :], axis=1) * scale, -float("inf"))
        m_new = tl.maximum(m, tl.max(s, axis=0))
        p = tl.exp(s - m_new)
        alpha = tl.exp(m - m_new)
        l = l * alpha + tl.sum(p.to(tl.float16), axis=0)
        vt = tl.load(v + h * T * D + rn[:, None] * D + rd[None, :], mask=mask[:, None], other=0.0).to(tl.float32)
        acc = acc * alpha + tl.sum(p[:, None] * vt, axis=0)
        m = m_new
    tl.store(out + h * D + rd, acc / l)


@triton.jit
def attn_p_cast_before_sum(q, k, v, out, T, scale, D: tl.constexpr, BN: tl.constexpr):
    h = tl.program_id(0)
    rd = tl.arange(0, D)
    qt = tl.load(q + h * D + rd).to(tl.float32)
    m = -float("inf")
    l = 0.0
    acc = tl.zeros((D,), tl.float32)
    for start in range(0, T, BN):
        rn = start + tl.arange(0, BN)
        mask = rn < T
        kt = tl.load(k + h * T * D + rn[:, None] * D + rd[None, :], mask=mask[:, None], other=0.0).to(tl.float32)
        s = tl.where(mask, tl.sum(kt * qt[None, :], axis=1) * scale, -float("inf"))
        m_new = tl.maximum(m, tl.max(s, axis=0))
        p = tl.exp(s - m_new)
        alpha = tl.exp(m - m_new)
        l = l * alpha + tl.sum(p, axis=0)
        vt = tl.load(v + h * T * D + rn[:, None] * D + rd[None, :], mask=mask[:, None], other=0.0).to(tl.float32)
        acc = acc * alpha + tl.sum(p[:, None] * vt, axis=0)
        m = m_new
    tl.store(out + h * D + rd, acc / l)


@triton.jit
def gather_ignore_index_wrong(logp, target, loss, N, C, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = rows < N
    t = tl.load(target + rows, mask=mask, other=-1)
    valid = mask
    v = tl.load(logp + rows * C + t, mask=valid, other=0.0)
    tl.store(loss + rows, -v, mask=mask)


@triton.jit
def gather_ignore_index(logp, target, loss, N, C, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = rows < N
    t = tl.load(target + rows, mask=mask, other=-1)
    valid = mask & (t >= 0)
    v = tl.load(logp + rows * C + t, mask=valid, other=0.0)
    tl.store(loss + rows, -v, mask=mask)


@triton.jit
def compact_inclusive_wrong(x, out, count, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    mask = offs < n
    v = tl.load(x + offs, mask=mask, other=0.0)
    flag = (v > 0.0).to(tl.int32)
    at = tl.cumsum(flag, axis=0)
    tl.store(out + at, v, mask=mask & (v > 0.0))
    tl.store(count, tl.sum(flag, axis=0))


@triton.jit
def compact_inclusive(x, out, count, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    mask = offs < n
    v = tl.load(x + offs, mask=mask, other=0.0)
    flag = (v > 0.0).to(tl.int32)
    at = tl.cumsum(flag, axis=0) - flag
    tl.store(out + at, v, mask=mask & (v > 0.0))
    tl.store(count, tl.sum(flag, axis=0))


@triton.jit
def scan_carry_pick_wrong(x, out, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    carry = 0.0
    for start in range(0, N, BLOCK):
        cols = start + i
        mask = cols < N
        v = tl.load(x + row * N + cols, mask=mask, other=0.0)
        c = tl.cumsum(v, axis=0) + carry
        tl.store(out + row * N + cols, c, mask=mask)
        carry = tl.sum(tl.where(i == BLOCK, c, 0.0), axis=0)


@triton.jit
def scan_carry_pick(x, out, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    carry = 0.0
    for start in range(0, N, BLOCK):
        cols = start + i
        mask = cols < N
        v = tl.load(x + row * N + cols, mask=mask, other=0.0)
        c = tl.cumsum(v, axis=0) + carry
        tl.store(out + row * N + cols, c, mask=mask)
        carry = tl.sum(tl.where(i == BLOCK - 1, c, 0.0), axis=0)


@triton.jit
def ranks_wrong(x, out, n, K: tl.constexpr, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + r * n + i, mask=i < n, other=0.0)
    tl.store(out + r * K + i, tl.sort(v, descending=True), mask=i < K)


@triton.jit
def ranks(x, out, n, K: tl.constexpr, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + r * n + i, mask=i < n, other=-float("inf"))
    tl.store(out + r * K + i, tl.sort(v, descending=True), mask=i < K)


@triton.jit
def ranks_above(x, out, n, K: tl.constexpr, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + r * n + i, mask=i < n, other=0.0)
    tl.store(out + r * K + i, tl.sort(v, descending=True), mask=i < K)


@triton.jit
def middle_wrong(x, out, n, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.sort(tl.load(x + r * n + i, mask=i < n, other=0.0))
    tl.store(out + r, tl.sum(tl.where(i == n // 2, v, 0.0), axis=0))


@triton.jit
def middle(x, out, n, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.sort(tl.load(x + r * n + i, mask=i < n, other=float("inf")))
    tl.store(out + r, tl.sum(tl.where(i == n // 2, v, 0.0), axis=0))


@triton.jit
def cut_to_int8_wrong(x, q, scale, n, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + r * n + i, mask=i < n, other=0.0)
    s = tl.max(tl.abs(v), axis=0) / 127.0
    tl.store(q + r * n + i, (v / s).to(tl.int8), mask=i < n)
    tl.store(scale + r, s)


@triton.jit
def cut_to_int8(x, q, scale, n, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + r * n + i, mask=i < n, other=0.0)
    s = tl.max(tl.abs(v), axis=0) / 127.0
    tl.store(q + r * n + i, tl.floor(v / s + 0.5).to(tl.int8), mask=i < n)
    tl.store(scale + r, s)


@triton.jit
def paged_block_index_wrong(cache, table, out, n, MAXB, PAGE: tl.constexpr, D: tl.constexpr, BT: tl.constexpr):
    b = tl.program_id(0)
    t = tl.program_id(1) * BT + tl.arange(0, BT)
    d = tl.arange(0, D)
    mask = t < n
    page = tl.load(table + b * MAXB + t // PAGE, mask=mask, other=0)
    v = tl.load(cache + (page * PAGE + t // PAGE)[:, None] * D + d[None, :], mask=mask[:, None], other=0.0)
    tl.store(out + b * n * D + t[:, None] * D + d[None, :], v, mask=mask[:, None])


@triton.jit
def paged_block_index(cache, table, out, n, MAXB, PAGE: tl.constexpr, D: tl.constexpr, BT: tl.constexpr):
    b = tl.program_id(0)
    t = tl.program_id(1) * BT + tl.arange(0, BT)
    d = tl.arange(0, D)
    mask = t < n
    page = tl.load(table + b * MAXB + t // PAGE, mask=mask, other=0)
    v = tl.load(cache + (page * PAGE + t % PAGE)[:, None] * D + d[None, :], mask=mask[:, None], other=0.0)
    tl.store(out + b * n * D + t[:, None] * D + d[None, :], v, mask=mask[:, None])


@triton.jit
def tril_mask_block_wrong(x, out, N, BM: tl.constexpr, BN: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    mask = (rm[:, None] < N) & (rn[None, :] < N)
    v = tl.load(x + rm[:, None] * N + rn[None, :], mask=mask, other=0.0)
    keep = tl.arange(0, BN)[None, :] <= tl.arange(0, BM)[:, None]
    tl.store(out + rm[:, None] * N + rn[None, :], tl.where(keep, v, 0.0), mask=mask)


@triton.jit
def tril_mask_block(x, out, N, BM: tl.constexpr, BN: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    mask = (rm[:, None] < N) & (rn[None, :] < N)
    v = tl.load(x + rm[:, None] * N + rn[None, :], mask=mask, other=0.0)
    keep = rn[None, :] <= rm[:, None]
    tl.store(out + rm[:, None] * N + rn[None, :], tl.where(keep, v, 0.0), mask=mask)


@triton.jit
def pixel_shuffle_wrong(x, out, H, W, R: tl.constexpr, BLOCK: tl.constexpr):
    y = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    mask = c < W * R
    ry = y % R
    rx = c % R
    v = tl.load(x + (ry * R + rx) * H * W + (y // R) * W + c % W, mask=mask)
    tl.store(out + y * W * R + c, v, mask=mask)


@triton.jit
def pixel_shuffle(x, out, H, W, R: tl.constexpr, BLOCK: tl.constexpr):
    y = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    mask = c < W * R
    ry = y % R
    rx = c % R
    v = tl.load(x + (ry * R + rx) * H * W + (y // R) * W + c // R, mask=mask)
    tl.store(out + y * W * R + c, v, mask=mask)


@triton.jit
def fp8_block_scale_wrong(a, b, sa, sb, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    nk = K // BK
    for k in range(0, nk):
        rk = k * BK + tl.arange(0, BK)
        x = tl.load(a + rm[:, None] * K + rk[None, :], mask=rm[:, None] < M, other=0).to(tl.float16)
        y = tl.load(b + rk[:, None] * N + rn[None, :], mask=rn[None, :] < N, other=0).to(tl.float16)
        s = tl.load(sa + rm * nk, mask=rm < M, other=0.0)
        t = tl.load(sb + k * N + rn, mask=rn < N, other=0.0)
        acc += tl.dot(x, y) * s[:, None] * t[None, :]
    tl.store(c + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def fp8_block_scale(a, b, sa, sb, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    nk = K // BK
    for k in range(0, nk):
        rk = k * BK + tl.arange(0, BK)
        x = tl.load(a + rm[:, None] * K + rk[None, :], mask=rm[:, None] < M, other=0).to(tl.float16)
        y = tl.load(b + rk[:, None] * N + rn[None, :], mask=rn[None, :] < N, other=0).to(tl.float16)
        s = tl.load(sa + rm * nk + k, mask=rm < M, other=0.0)
        t = tl.load(sb + k * N + rn, mask=rn < N, other=0.0)
        acc += tl.dot(x, y) * s[:, None] * t[None, :]
    tl.store(c + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def weight_norm_dim_wrong(v, g, out, N, K, BN: tl.constexpr, BK: tl.constexpr):
    rn = tl.program_id(0) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    mask = (rn[:, None] < N) & (rk[None, :] < K)
    w = tl.load(v + rn[:, None] * K + rk[None, :], mask=mask, other=0.0)
    norm = tl.sqrt(tl.sum(w * w))
    gain = tl.load(g + rn, mask=rn < N, other=0.0)
    tl.store(out + rn[:, None] * K + rk[None, :], w * (gain / norm)[:, None], mask=mask)


@triton.jit
def weight_norm_dim(v, g, out, N, K, BN: tl.constexpr, BK: tl.constexpr):
    rn = tl.program_id(0) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    mask = (rn[:, None] < N) & (rk[None, :] < K)
    w = tl.load(v + rn[:, None] * K + rk[None, :], mask=mask, other=0.0)
    norm = tl.sqrt(tl.sum(w * w, axis=1))
    gain = tl.load(g + rn, mask=rn < N, other=0.0)
    tl.store(out + rn[:, None] * K + rk[None, :], w * (gain / norm)[:, None], mask=mask)


@triton.jit
def group_norm(x, out, C, HW, CPG: tl.constexpr, BN: tl.constexpr):
    rc = tl.program_id(0) * CPG + tl.arange(0, CPG)
    rn = tl.arange(0, BN)
    mask = (rc[:, None] < C) & (rn[None, :] < HW)
    v = tl.load(x + rc[:, None] * HW + rn[None, :], mask=rn[None, :] < HW, other=0.0)
    size = CPG * HW
    mean = tl.sum(v) / size
    d = tl.where(rn[None, :] < HW, v - mean, 0.0)
    tl.store(out + rc[:, None] * HW + rn[None, :], d * tl.rsqrt(tl.sum(d * d) / size + 1e-5), mask=mask)


@triton.jit
def diagonal_blocks(x, out, B: tl.constexpr):
    r = tl.arange(0, B)
    c = tl.arange(0, B)
    rows = tl.program_id(0) * B + r
    at = rows[:, None] * (tl.num_programs(0) * B) + (tl.program_id(0) * B + c)[None, :]
    v = tl.load(x + at)
    tl.store(out + at, tl.where(c[None, :] <= r[:, None], v, 0.0))
