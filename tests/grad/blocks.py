"""Blocks of keys that rounds of all programs add to: each program sums up its own."""

import triton
import triton.language as tl


@triton.jit
def attend(acc, l_i, m_i, q, K_ptr, V_ptr, start_m, qk_scale, N_CTX, HEAD_DIM: tl.constexpr,
                BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, STAGE: tl.constexpr, offs_m, offs_n):
    if STAGE == 1:
        lo, hi = 0, start_m * BLOCK_M
    elif STAGE == 2:
        lo, hi = start_m * BLOCK_M, (start_m + 1) * BLOCK_M
    else:
        lo, hi = 0, N_CTX
    K_ptr = tl.advance(K_ptr, (0, lo))
    V_ptr = tl.advance(V_ptr, (lo, 0))
    for start_n in range(lo, hi, BLOCK_N):
        start_n = tl.multiple_of(start_n, BLOCK_N)
        k = tl.load(K_ptr)
        qk = tl.dot(q, k)
        if STAGE == 2:
            mask = offs_m[:, None] >= (start_n + offs_n[None, :])
            qk = qk * qk_scale + tl.where(mask, 0, -1.0e6)
            m_ij = tl.maximum(m_i, tl.max(qk, 1))
            qk -= m_ij[:, None]
        else:
            m_ij = tl.maximum(m_i, tl.max(qk, 1) * qk_scale)
            qk = qk * qk_scale - m_ij[:, None]
        p = tl.math.exp2(qk)
        l_ij = tl.sum(p, 1)
        alpha = tl.math.exp2(m_i - m_ij)
        l_i = l_i * alpha + l_ij
        acc = acc * alpha[:, None]
        v = tl.load(V_ptr)
        acc = tl.dot(p.to(v.dtype), v, acc)
        m_i = m_ij
        V_ptr = tl.advance(V_ptr, (BLOCK_N, 0))
        K_ptr = tl.advance(K_ptr, (0, BLOCK_N))
    return acc, l_i, m_i


@triton.jit
def by_stages(Q, K, V, sm_scale, M, Out, H, N_CTX, HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
             STAGE: tl.constexpr):
    start_m = tl.program_id(0)
    off_hz = tl.program_id(1)
    off_z = off_hz // H
    off_h = off_hz % H
    offset = off_z.to(tl.int64) * (H * N_CTX * HEAD_DIM) + off_h.to(tl.int64) * (N_CTX * HEAD_DIM)
    Q_p = tl.make_block_ptr(base=Q + offset, shape=(N_CTX, HEAD_DIM), strides=(HEAD_DIM, 1), offsets=(start_m * BLOCK_M, 0),
                            block_shape=(BLOCK_M, HEAD_DIM), order=(1, 0))
    V_p = tl.make_block_ptr(base=V + offset, shape=(N_CTX, HEAD_DIM), strides=(HEAD_DIM, 1), offsets=(0, 0),
                            block_shape=(BLOCK_N, HEAD_DIM), order=(1, 0))
    K_p = tl.make_block_ptr(base=K + offset, shape=(HEAD_DIM, N_CTX), strides=(1, HEAD_DIM), offsets=(0, 0),
                            block_shape=(HEAD_DIM, BLOCK_N), order=(0, 1))
    O_p = tl.make_block_ptr(base=Out + offset, shape=(N_CTX, HEAD_DIM), strides=(HEAD_DIM, 1), offsets=(start_m * BLOCK_M, 0),
                            block_shape=(BLOCK_M, HEAD_DIM), order=(1, 0))
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N)
    m_i = tl.zeros([BLOCK_M], dtype=tl.float32) - float("inf")
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32) + 1.0
    acc = tl.zeros([BLOCK_M, HEAD_DIM], dtype=tl.float32)
    qk_scale = sm_scale
    qk_scale *= 1.44269504
    q = tl.load(Q_p)
    if STAGE & 1:
        acc, l_i, m_i = attend(acc, l_i, m_i, q, K_p, V_p, start_m, qk_scale, N_CTX, HEAD_DIM, BLOCK_M, BLOCK_N,
                                    4 - STAGE, offs_m, offs_n)
    if STAGE & 2:
        acc, l_i, m_i = attend(acc, l_i, m_i, q, K_p, V_p, start_m, qk_scale, N_CTX, HEAD_DIM, BLOCK_M, BLOCK_N,
                                    2, offs_m, offs_n)
    m_i += tl.math.log2(l_i)
    acc = acc / l_i[:, None]
    tl.store(M + off_hz * N_CTX + offs_m, m_i)
    tl.store(O_p, acc.to(Out.type.element_ty))


@triton.jit
def window_of_keys(Q, K, V, O, LSE, T, window, scale, cap, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """Sliding window, soft cap of the scores, times before the window skipped."""
    m0 = tl.program_id(0) * BM
    h = tl.program_id(1)
    om = m0 + tl.arange(0, BM)
    on = tl.arange(0, BN)
    od = tl.arange(0, D)
    q = tl.load(Q + h * T * D + om[:, None] * D + od[None, :], mask=om[:, None] < T, other=0.0)
    m = tl.full([BM], -float("inf"), tl.float32)
    l = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    lo = tl.maximum(0, m0 - window + 1) // BN * BN
    for n0 in range(lo, tl.minimum(m0 + BM, T), BN):
        n = n0 + on
        k = tl.load(K + h * T * D + n[None, :] * D + od[:, None], mask=n[None, :] < T, other=0.0)
        s = tl.dot(q, k) * scale
        s = cap * (2.0 * tl.sigmoid(2.0 * s / cap) - 1.0)
        keep = (n[None, :] <= om[:, None]) & (om[:, None] - n[None, :] < window) & (n[None, :] < T)
        s = tl.where(keep, s, -float("inf"))
        m_new = tl.maximum(m, tl.max(s, 1))
        safe = tl.where(m_new == -float("inf"), 0.0, m_new)
        p = tl.exp(s - safe[:, None])
        alpha = tl.exp(m - safe)
        l = l * alpha + tl.sum(p, 1)
        v = tl.load(V + h * T * D + n[:, None] * D + od[None, :], mask=n[:, None] < T, other=0.0)
        acc = acc * alpha[:, None] + tl.dot(p, v)
        m = m_new
    tl.store(O + h * T * D + om[:, None] * D + od[None, :], acc / l[:, None], mask=om[:, None] < T)
    tl.store(LSE + h * T + om, m + tl.log(l), mask=om < T)


@triton.jit
def squared_scores(Q, K, V, O, T, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """Squared ReLU in place of softmax, divided by the number of keys."""
    om = tl.program_id(0) * BM + tl.arange(0, BM)
    od = tl.arange(0, D)
    base = tl.program_id(1) * T * D
    q = tl.load(Q + base + om[:, None] * D + od[None, :], mask=om[:, None] < T, other=0.0)
    acc = tl.zeros([BM, D], tl.float32)
    for n0 in range(0, (tl.program_id(0) + 1) * BM, BN):
        n = n0 + tl.arange(0, BN)
        k = tl.load(K + base + n[:, None] * D + od[None, :], mask=n[:, None] < T, other=0.0)
        v = tl.load(V + base + n[:, None] * D + od[None, :], mask=n[:, None] < T, other=0.0)
        s = tl.dot(q, tl.trans(k)) * scale
        s = tl.where(n[None, :] <= om[:, None], tl.maximum(s, 0.0), 0.0)
        acc += tl.dot(s * s, v)
    acc = acc / (om + 1).to(tl.float32)[:, None]
    tl.store(O + base + om[:, None] * D + od[None, :], acc, mask=om[:, None] < T)


@triton.jit
def whole_and_rest(Q, K, V, O, LSE, queries, keys, scale, heads, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """As many queries as there are, other keys, of heads that share them; whole blocks need no mask."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    h = tl.program_id(1)
    d = tl.arange(0, D)
    q = tl.load(Q + h * queries * D + m[:, None] * D + d[None, :], mask=m[:, None] < queries, other=0.0)
    K += h // heads * keys * D
    V += h // heads * keys * D
    top = tl.full([BM], -float("inf"), tl.float32)
    sums = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    whole = keys // BN * BN
    for n0 in range(0, whole, BN):
        at = (n0 + tl.arange(0, BN))[:, None] * D + d[None, :]
        s = tl.dot(q, tl.trans(tl.load(K + at))) * scale
        now = tl.maximum(top, tl.max(s, 1))
        p = tl.exp(s - now[:, None])
        fade = tl.exp(top - now)
        sums = sums * fade + tl.sum(p, 1)
        acc = acc * fade[:, None] + tl.dot(p, tl.load(V + at))
        top = now
    for n0 in range(whole, keys, BN):
        n = n0 + tl.arange(0, BN)
        at = n[:, None] * D + d[None, :]
        s = tl.dot(q, tl.trans(tl.load(K + at, mask=n[:, None] < keys, other=0.0))) * scale
        s = tl.where(n[None, :] < keys, s, -float("inf"))
        now = tl.maximum(top, tl.max(s, 1))
        p = tl.exp(s - now[:, None])
        fade = tl.exp(top - now)
        sums = sums * fade + tl.sum(p, 1)
        acc = acc * fade[:, None] + tl.dot(p, tl.load(V + at, mask=n[:, None] < keys, other=0.0))
        top = now
    tl.store(O + h * queries * D + m[:, None] * D + d[None, :], acc / sums[:, None], mask=m[:, None] < queries)
    tl.store(LSE + h * queries + m, top + tl.log(sums), mask=m < queries)


@triton.jit
def retained(Q, K, V, O, T, fade, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """Scores that fade with the distance, of the keys before; whole blocks of them need no mask, and lie behind the
    last whole one of the array nowhere."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    base = tl.program_id(1) * T * D
    d = tl.arange(0, D)
    q = tl.load(Q + base + m[:, None] * D + d[None, :], mask=m[:, None] < T, other=0.0)
    acc = tl.zeros([BM, D], tl.float32)
    whole = tl.minimum(tl.program_id(0) * BM, T) // BN * BN
    for n0 in range(0, whole, BN):
        n = n0 + tl.arange(0, BN)
        k = tl.load(K + base + n[:, None] * D + d[None, :])
        v = tl.load(V + base + n[:, None] * D + d[None, :])
        far = tl.exp((n[None, :] - m[:, None]).to(tl.float32) * fade)
        acc += tl.dot(tl.dot(q, tl.trans(k)) * far, v)
    for n0 in range(whole, tl.minimum((tl.program_id(0) + 1) * BM, T), BN):
        n = n0 + tl.arange(0, BN)
        k = tl.load(K + base + n[:, None] * D + d[None, :], mask=n[:, None] < T, other=0.0)
        v = tl.load(V + base + n[:, None] * D + d[None, :], mask=n[:, None] < T, other=0.0)
        far = tl.exp((n[None, :] - m[:, None]).to(tl.float32) * fade)
        s = tl.where(n[None, :] <= m[:, None], tl.dot(q, tl.trans(k)) * far, 0.0)
        acc += tl.dot(s, v)
    tl.store(O + base + m[:, None] * D + d[None, :], acc, mask=m[:, None] < T)


@triton.jit
def energies_of_pairs(x, y, out, N, BM: tl.constexpr, BN: tl.constexpr):
    """Points of two clouds of the same number, by blocks: no products, but the same rows."""
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    a = tl.load(x + i, mask=i < N, other=0.0)
    total = tl.zeros([BM], tl.float32)
    for n0 in range(0, N, BN):
        j = n0 + tl.arange(0, BN)
        b = tl.load(y + j, mask=j < N, other=0.0)
        d = a[:, None] - b[None, :]
        total += tl.sum(tl.where((j < N)[None, :], tl.exp(-d * d), 0.0), axis=1)
    tl.store(out + i, total, mask=i < N)


@triton.jit
def before_the_array(Q, K, O, T, D: tl.constexpr, WINDOW: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """Rounds before 0 read the keys in front of the pointer."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    K += WINDOW * D
    q = tl.load(Q + m[:, None] * D + d[None, :], mask=m[:, None] < T, other=0.0)
    total = tl.zeros([BM], tl.float32)
    for n0 in range(tl.program_id(0) * BM - WINDOW, (tl.program_id(0) + 1) * BM, BN):
        n = n0 + tl.arange(0, BN)
        k = tl.load(K + n[:, None] * D + d[None, :], mask=n[:, None] < T, other=0.0)
        s = tl.dot(q, tl.trans(k))
        total += tl.sum(s * s, axis=1)
    tl.store(O + m, total, mask=m < T)


@triton.jit
def few_of_the_rest(Q, K, O, T, few, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """Of the keys before only the first few columns count, of its own block's all."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    q = tl.load(Q + m[:, None] * D + d[None, :], mask=m[:, None] < T, other=0.0)
    acc = tl.zeros([BM, D], tl.float32)
    for n0 in range(0, tl.program_id(0) * BM, BN):
        n = n0 + tl.arange(0, BN)
        inside = (n[:, None] < T) & (d[None, :] < few)
        k = tl.load(K + n[:, None] * D + d[None, :], mask=inside, other=0.5)
        acc += tl.dot(tl.dot(q, tl.trans(k)), k)
    for n0 in range(tl.program_id(0) * BM, (tl.program_id(0) + 1) * BM, BN):
        n = n0 + tl.arange(0, BN)
        k = tl.load(K + n[:, None] * D + d[None, :], mask=n[:, None] < T, other=0.0)
        acc += tl.dot(tl.dot(q, tl.trans(k)), k)
    tl.store(O + m[:, None] * D + d[None, :], acc, mask=m[:, None] < T)
