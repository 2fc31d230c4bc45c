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
