"""What the rounds of a loop add up, scan and begin with; planted_totals.txt has the commands."""

import triton
import triton.language as tl


@triton.jit
def prodrow(x_ptr, out_ptr, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.full([BLOCK], 1.0, tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * N + cols, mask=cols < N, other=1.0)
        acc *= x
    tl.store(out_ptr + row, tl.reduce(acc, 0, mul))


@triton.jit
def mul(a, b):
    return a * b


@triton.jit
def prodrow_other0(x_ptr, out_ptr, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.full([BLOCK], 1.0, tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * N + cols, mask=cols < N, other=0.0)
        acc *= x
    tl.store(out_ptr + row, tl.reduce(acc, 0, mul))


@triton.jit
def prodrow_stale_cols(x_ptr, out_ptr, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.full([BLOCK], 1.0, tl.float32)
    for start in range(0, N, BLOCK):
        cols = tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * N + cols, mask=cols < N, other=1.0)
        acc *= x
    tl.store(out_ptr + row, tl.reduce(acc, 0, mul))


@triton.jit
def rms(x_ptr, w_ptr, o_ptr, stride, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], tl.float32)
    for off in range(0, N, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        a = tl.load(x_ptr + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc += a * a
    rstd = tl.rsqrt(tl.sum(acc) / N + eps)
    for off in range(0, N, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        m = cols < N
        a = tl.load(x_ptr + row * stride + cols, mask=m, other=0.0).to(tl.float32)
        w = tl.load(w_ptr + cols, mask=m)
        tl.store(o_ptr + row * stride + cols, a * rstd * w, mask=m)


@triton.jit
def rms_step2(x_ptr, w_ptr, o_ptr, stride, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], tl.float32)
    for off in range(0, N, 2 * BLOCK):
        cols = off + tl.arange(0, BLOCK)
        a = tl.load(x_ptr + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc += a * a
    rstd = tl.rsqrt(tl.sum(acc) / N + eps)
    for off in range(0, N, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        m = cols < N
        a = tl.load(x_ptr + row * stride + cols, mask=m, other=0.0).to(tl.float32)
        w = tl.load(w_ptr + cols, mask=m)
        tl.store(o_ptr + row * stride + cols, a * rstd * w, mask=m)


@triton.jit
def xent(logits, labels, loss, stride, V, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    label = tl.load(labels + row)
    m = -float("inf")
    d = 0.0
    for i in range(0, V, BLOCK):
        cols = i + tl.arange(0, BLOCK)
        x = tl.load(logits + row * stride + cols, mask=cols < V, other=-float("inf")).to(tl.float32)
        m_new = tl.maximum(m, tl.max(x))
        d = d * tl.exp(m - m_new) + tl.sum(tl.exp(x - m_new))
        m = m_new
    lse = m + tl.log(d)
    tl.store(loss + row, lse - tl.load(logits + row * stride + label))


@triton.jit
def xent_nom(logits, labels, loss, stride, V, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    label = tl.load(labels + row)
    m = -float("inf")
    d = 0.0
    for i in range(0, V, BLOCK):
        cols = i + tl.arange(0, BLOCK)
        x = tl.load(logits + row * stride + cols, mask=cols < V, other=-float("inf")).to(tl.float32)
        m_new = tl.maximum(m, tl.max(x))
        d = d * tl.exp(m - m_new) + tl.sum(tl.exp(x - m_new))
        m = m_new
    lse = tl.log(d)
    tl.store(loss + row, lse - tl.load(logits + row * stride + label))


@triton.jit
def xent_m0(logits, labels, loss, stride, V, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    label = tl.load(labels + row)
    m = 0.0
    d = 0.0
    for i in range(0, V, BLOCK):
        cols = i + tl.arange(0, BLOCK)
        x = tl.load(logits + row * stride + cols, mask=cols < V, other=-float("inf")).to(tl.float32)
        m_new = tl.maximum(m, tl.max(x))
        d = d * tl.exp(m - m_new) + tl.sum(tl.exp(x - m_new))
        m = m_new
    lse = m + tl.log(d)
    tl.store(loss + row, lse - tl.load(logits + row * stride + label))


@triton.jit
def ema(x_ptr, o_ptr, T, C, alpha, BLOCK: tl.constexpr):
    c = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = c < C
    x_ptrs = x_ptr + c
    o_ptrs = o_ptr + c
    s = tl.zeros([BLOCK], tl.float32)
    for t in range(T):
        s = alpha * s + (1 - alpha) * tl.load(x_ptrs, mask=m, other=0.0)
        tl.store(o_ptrs, s, mask=m)
        x_ptrs += C
        o_ptrs += C


@triton.jit
def ema_x_noadv(x_ptr, o_ptr, T, C, alpha, BLOCK: tl.constexpr):
    c = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = c < C
    x_ptrs = x_ptr + c
    o_ptrs = o_ptr + c
    s = tl.zeros([BLOCK], tl.float32)
    for t in range(T):
        s = alpha * s + (1 - alpha) * tl.load(x_ptrs, mask=m, other=0.0)
        tl.store(o_ptrs, s, mask=m)
        o_ptrs += C


@triton.jit
def spmv(rowptr, col, val, x, y, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lo = tl.load(rowptr + row)
    hi = tl.load(rowptr + row + 1)
    acc = tl.zeros([BLOCK], tl.float32)
    for s in range(lo, hi, BLOCK):
        i = s + tl.arange(0, BLOCK)
        m = i < hi
        c = tl.load(col + i, mask=m, other=0)
        v = tl.load(val + i, mask=m, other=0.0)
        acc += v * tl.load(x + c, mask=m, other=0.0)
    tl.store(y + row, tl.sum(acc))


@triton.jit
def spmv_mask_lo(rowptr, col, val, x, y, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lo = tl.load(rowptr + row)
    hi = tl.load(rowptr + row + 1)
    acc = tl.zeros([BLOCK], tl.float32)
    for s in range(lo, hi, BLOCK):
        i = s + tl.arange(0, BLOCK)
        m = i < lo
        c = tl.load(col + i, mask=m, other=0)
        v = tl.load(val + i, mask=m, other=0.0)
        acc += v * tl.load(x + c, mask=m, other=0.0)
    tl.store(y + row, tl.sum(acc))


@triton.jit
def spmv_maxacc(rowptr, col, val, x, y, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lo = tl.load(rowptr + row)
    hi = tl.load(rowptr + row + 1)
    acc = tl.zeros([BLOCK], tl.float32)
    for s in range(lo, hi, BLOCK):
        i = s + tl.arange(0, BLOCK)
        m = i < hi
        c = tl.load(col + i, mask=m, other=0)
        v = tl.load(val + i, mask=m, other=0.0)
        acc += v * tl.load(x + c, mask=m, other=0.0)
    tl.store(y + row, tl.max(acc))


@triton.jit
def cumsum_rows(x, y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    carry = 0.0
    for s in range(0, N, BLOCK):
        i = s + tl.arange(0, BLOCK)
        v = tl.load(x + row * N + i, mask=i < N, other=0.0)
        c = tl.cumsum(v, 0) + carry
        tl.store(y + row * N + i, c, mask=i < N)
        carry += tl.sum(v)


@triton.jit
def cumsum_rows_carry_notupdated(x, y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    carry = 0.0
    for s in range(0, N, BLOCK):
        i = s + tl.arange(0, BLOCK)
        v = tl.load(x + row * N + i, mask=i < N, other=0.0)
        c = tl.cumsum(v, 0) + carry
        tl.store(y + row * N + i, c, mask=i < N)


@triton.jit
def cumsum_rows_carry_max(x, y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    carry = 0.0
    for s in range(0, N, BLOCK):
        i = s + tl.arange(0, BLOCK)
        v = tl.load(x + row * N + i, mask=i < N, other=0.0)
        c = tl.cumsum(v, 0) + carry
        tl.store(y + row * N + i, c, mask=i < N)
        carry += tl.max(c)


@triton.jit
def cumsum_rows_carry_sum_c(x, y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    carry = 0.0
    for s in range(0, N, BLOCK):
        i = s + tl.arange(0, BLOCK)
        v = tl.load(x + row * N + i, mask=i < N, other=0.0)
        c = tl.cumsum(v, 0) + carry
        tl.store(y + row * N + i, c, mask=i < N)
        carry += tl.sum(c)


@triton.jit
def dwdb(dy, xhat, dw, db, M, N, BM: tl.constexpr, BN: tl.constexpr):
    cols = tl.program_id(0) * BN + tl.arange(0, BN)
    aw = tl.zeros([BM, BN], tl.float32)
    ab = tl.zeros([BM, BN], tl.float32)
    for i in range(0, M, BM):
        rows = i + tl.arange(0, BM)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        o = rows[:, None] * N + cols[None, :]
        d = tl.load(dy + o, mask=mask, other=0.0)
        x = tl.load(xhat + o, mask=mask, other=0.0)
        aw += d * x
        ab += d
    tl.store(dw + cols, tl.sum(aw, axis=0), mask=cols < N)
    tl.store(db + cols, tl.sum(ab, axis=0), mask=cols < N)


@triton.jit
def dwdb_ab_set(dy, xhat, dw, db, M, N, BM: tl.constexpr, BN: tl.constexpr):
    cols = tl.program_id(0) * BN + tl.arange(0, BN)
    aw = tl.zeros([BM, BN], tl.float32)
    ab = tl.zeros([BM, BN], tl.float32)
    for i in range(0, M, BM):
        rows = i + tl.arange(0, BM)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        o = rows[:, None] * N + cols[None, :]
        d = tl.load(dy + o, mask=mask, other=0.0)
        x = tl.load(xhat + o, mask=mask, other=0.0)
        aw += d * x
        ab = d
    tl.store(dw + cols, tl.sum(aw, axis=0), mask=cols < N)
    tl.store(db + cols, tl.sum(ab, axis=0), mask=cols < N)


@triton.jit
def dwdb_step_bn(dy, xhat, dw, db, M, N, BM: tl.constexpr, BN: tl.constexpr):
    cols = tl.program_id(0) * BN + tl.arange(0, BN)
    aw = tl.zeros([BM, BN], tl.float32)
    ab = tl.zeros([BM, BN], tl.float32)
    for i in range(0, M, BN):
        rows = i + tl.arange(0, BM)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        o = rows[:, None] * N + cols[None, :]
        d = tl.load(dy + o, mask=mask, other=0.0)
        x = tl.load(xhat + o, mask=mask, other=0.0)
        aw += d * x
        ab += d
    tl.store(dw + cols, tl.sum(aw, axis=0), mask=cols < N)
    tl.store(db + cols, tl.sum(ab, axis=0), mask=cols < N)


@triton.jit
def assign(x, c, a, N, K, D: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    n = tl.program_id(0) * BN + tl.arange(0, BN)
    d = tl.arange(0, D)
    xv = tl.load(x + n[:, None] * D + d[None, :], mask=n[:, None] < N, other=0.0)
    best = tl.full([BN], float("inf"), tl.float32)
    who = tl.zeros([BN], tl.int32)
    for k0 in range(0, K, BK):
        k = k0 + tl.arange(0, BK)
        cv = tl.load(c + k[:, None] * D + d[None, :], mask=k[:, None] < K, other=0.0)
        dist = tl.sum(cv * cv, 1)[None, :] - 2 * tl.dot(xv, tl.trans(cv))
        dist = tl.where(k[None, :] < K, dist, float("inf"))
        m, i = tl.min(dist, 1, return_indices=True)
        who = tl.where(m < best, k0 + i, who)
        best = tl.minimum(best, m)
    tl.store(a + n, who, mask=n < N)


@triton.jit
def assign_best_not_updated(x, c, a, N, K, D: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    n = tl.program_id(0) * BN + tl.arange(0, BN)
    d = tl.arange(0, D)
    xv = tl.load(x + n[:, None] * D + d[None, :], mask=n[:, None] < N, other=0.0)
    best = tl.full([BN], float("inf"), tl.float32)
    who = tl.zeros([BN], tl.int32)
    for k0 in range(0, K, BK):
        k = k0 + tl.arange(0, BK)
        cv = tl.load(c + k[:, None] * D + d[None, :], mask=k[:, None] < K, other=0.0)
        dist = tl.sum(cv * cv, 1)[None, :] - 2 * tl.dot(xv, tl.trans(cv))
        dist = tl.where(k[None, :] < K, dist, float("inf"))
        m, i = tl.min(dist, 1, return_indices=True)
        who = tl.where(m < best, k0 + i, who)
    tl.store(a + n, who, mask=n < N)


@triton.jit
def assign_best_neginf(x, c, a, N, K, D: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    n = tl.program_id(0) * BN + tl.arange(0, BN)
    d = tl.arange(0, D)
    xv = tl.load(x + n[:, None] * D + d[None, :], mask=n[:, None] < N, other=0.0)
    best = tl.full([BN], float("-inf"), tl.float32)
    who = tl.zeros([BN], tl.int32)
    for k0 in range(0, K, BK):
        k = k0 + tl.arange(0, BK)
        cv = tl.load(c + k[:, None] * D + d[None, :], mask=k[:, None] < K, other=0.0)
        dist = tl.sum(cv * cv, 1)[None, :] - 2 * tl.dot(xv, tl.trans(cv))
        dist = tl.where(k[None, :] < K, dist, float("inf"))
        m, i = tl.min(dist, 1, return_indices=True)
        who = tl.where(m < best, k0 + i, who)
        best = tl.minimum(best, m)
    tl.store(a + n, who, mask=n < N)


@triton.jit
def selective_scan(u, delta, A, y, L, D: tl.constexpr, NS: tl.constexpr):
    d = tl.program_id(0)
    n = tl.arange(0, NS)
    a = tl.load(A + d * NS + n)
    h = tl.zeros([NS], tl.float32)
    for t in range(L):
        dt = tl.load(delta + t * D + d)
        x = tl.load(u + t * D + d)
        h = tl.exp(dt * a) * h + dt * x
        tl.store(y + t * D + d, tl.sum(h))


@triton.jit
def selective_scan_h_lost(u, delta, A, y, L, D: tl.constexpr, NS: tl.constexpr):
    d = tl.program_id(0)
    n = tl.arange(0, NS)
    a = tl.load(A + d * NS + n)
    h = tl.zeros([NS], tl.float32)
    for t in range(L):
        dt = tl.load(delta + t * D + d)
        x = tl.load(u + t * D + d)
        h = tl.exp(dt * a) + dt * x
        tl.store(y + t * D + d, tl.sum(h))


@triton.jit
def selective_scan_delta_t0(u, delta, A, y, L, D: tl.constexpr, NS: tl.constexpr):
    d = tl.program_id(0)
    n = tl.arange(0, NS)
    a = tl.load(A + d * NS + n)
    h = tl.zeros([NS], tl.float32)
    for t in range(L):
        dt = tl.load(delta + d)
        x = tl.load(u + t * D + d)
        h = tl.exp(dt * a) * h + dt * x
        tl.store(y + t * D + d, tl.sum(h))
