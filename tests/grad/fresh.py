"""Kernels as projects write them, none of them written with its gradient in mind."""

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def smooth_l1_mean(X, Y, Loss, n, beta, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = offs < n
    d = tl.load(X + offs, mask=m, other=0.0) - tl.load(Y + offs, mask=m, other=0.0)
    a = tl.abs(d)
    loss = tl.where(a < beta, 0.5 * d * d / beta, a - 0.5 * beta)
    tl.atomic_add(Loss, tl.sum(loss, axis=0) / n)


@triton.jit
def triplet_margin(A, P, N, Loss, D, margin, eps, BLOCK_D: tl.constexpr):
    i = tl.program_id(0)
    d = tl.arange(0, BLOCK_D)
    m = d < D
    a = tl.load(A + i * D + d, mask=m, other=0.0)
    p = tl.load(P + i * D + d, mask=m, other=0.0)
    n = tl.load(N + i * D + d, mask=m, other=0.0)
    ap = tl.where(m, a - p + eps, 0.0)
    an = tl.where(m, a - n + eps, 0.0)
    dp = tl.sqrt(tl.sum(ap * ap, 0))
    dn = tl.sqrt(tl.sum(an * an, 0))
    tl.store(Loss + i, tl.maximum(dp - dn + margin, 0.0))


@triton.jit
def kl_temperature(S, T, Loss, s_stride, t_stride, V, temperature, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    S += row * s_stride
    T += row * t_stride
    s_max = float("-inf")
    t_max = float("-inf")
    s_sum = 0.0
    t_sum = 0.0
    for start in range(0, V, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        m = cols < V
        s = tl.load(S + cols, mask=m, other=float("-inf")) / temperature
        t = tl.load(T + cols, mask=m, other=float("-inf")) / temperature
        new_s = tl.maximum(s_max, tl.max(s))
        new_t = tl.maximum(t_max, tl.max(t))
        s_sum = s_sum * tl.exp(s_max - new_s) + tl.sum(tl.exp(s - new_s))
        t_sum = t_sum * tl.exp(t_max - new_t) + tl.sum(tl.exp(t - new_t))
        s_max = new_s
        t_max = new_t
    s_lse = s_max + tl.log(s_sum)
    t_lse = t_max + tl.log(t_sum)
    loss = 0.0
    for start in range(0, V, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        m = cols < V
        s = tl.load(S + cols, mask=m, other=0.0) / temperature - s_lse
        t = tl.load(T + cols, mask=m, other=0.0) / temperature - t_lse
        loss += tl.sum(tl.where(m, tl.exp(t) * (t - s), 0.0))
    tl.store(Loss + row, loss * temperature * temperature)


@triton.jit
def qk_norm_heads(Q, W, Out, n_tokens, n_heads, eps, D: tl.constexpr, BLOCK_H: tl.constexpr):
    t = tl.program_id(0)
    w = tl.load(W + tl.arange(0, D))
    for h in range(0, n_heads, BLOCK_H):
        hs = h + tl.arange(0, BLOCK_H)
        p = t * n_heads * D + hs[:, None] * D + tl.arange(0, D)[None, :]
        m = hs[:, None] < n_heads
        q = tl.load(Q + p, mask=m, other=0.0)
        r = tl.rsqrt(tl.sum(q * q, axis=1) / D + eps)
        tl.store(Out + p, q * r[:, None] * (1 + w)[None, :], mask=m)


@triton.jit
def geglu_tanh(A, B, C, stride, n_cols, BLOCK: tl.constexpr):
    pid = tl.program_id(0).to(tl.int64)
    A += pid * stride
    B += pid * stride
    C += pid * stride
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    a = tl.load(A + cols, mask=mask, other=0).to(tl.float32)
    b = tl.load(B + cols, mask=mask, other=0)
    sqrt_2_over_pi = 0.7978845608028654
    a_cubed = a * a * a
    tanh_arg = sqrt_2_over_pi * (a + 0.044715 * a_cubed)
    tanh_result = libdevice.tanh(tanh_arg)
    geglu_a = 0.5 * a * (1 + tanh_result)
    tl.store(C + cols, geglu_a.cast(b.dtype) * b, mask=mask)


@triton.jit
def reglu_packed(X, Out, rows, half, BM: tl.constexpr, BN: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    cn = tl.program_id(1) * BN + tl.arange(0, BN)
    m = (rm[:, None] < rows) & (cn[None, :] < half)
    x_ptr = X + rm[:, None] * (2 * half) + cn[None, :]
    gate = tl.load(x_ptr, mask=m)
    up = tl.load(x_ptr + half, mask=m)
    tl.store(Out + rm[:, None] * half + cn[None, :], tl.where(gate > 0, gate, 0) * up, mask=m)


@triton.jit
def max_pool2d(X, Y, H, W, OH, OW, KS: tl.constexpr, BLOCK: tl.constexpr):
    nc = tl.program_id(0)
    idx = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    oh = idx // OW
    ow = idx % OW
    m = idx < OH * OW
    best = tl.full((BLOCK,), float("-inf"), tl.float32)
    for i in tl.static_range(KS):
        for j in tl.static_range(KS):
            v = tl.load(X + nc * H * W + (oh * KS + i) * W + ow * KS + j, mask=m, other=float("-inf"))
            best = tl.maximum(best, v)
    tl.store(Y + nc * OH * OW + idx, best, mask=m)


@triton.jit
def strided_conv1d(X, W, Y, L_in, L_out, stride, K: tl.constexpr, BLOCK: tl.constexpr):
    ch = tl.program_id(0)
    o = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    m = o < L_out
    acc = tl.zeros((BLOCK,), tl.float32)
    for k in tl.static_range(K):
        acc += tl.load(X + ch * L_in + o * stride + k, mask=m & (o * stride + k < L_in), other=0.0) * tl.load(W + ch * K + k)
    tl.store(Y + ch * L_out + o, acc, mask=m)


@triton.jit
def hgrn_gate(X, G, H0, O, T, D, BLOCK_D: tl.constexpr):
    b = tl.program_id(1)
    d = tl.program_id(0) * BLOCK_D + tl.arange(0, BLOCK_D)
    m = d < D
    h = tl.load(H0 + b * D + d, mask=m, other=0.0)
    for t in range(T):
        x = tl.load(X + (b * T + t) * D + d, mask=m, other=0.0)
        g = tl.load(G + (b * T + t) * D + d, mask=m, other=0.0)
        h = tl.exp(-tl.log(1 + tl.exp(-g))) * h + x * tl.sigmoid(x)
        tl.store(O + (b * T + t) * D + d, h, mask=m)


@triton.jit
def cross_attention(Q, K, V, O, Lse, TQ, TK, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    bh = tl.program_id(1)
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    q = tl.load(Q + bh * TQ * D + rm[:, None] * D + d[None, :], mask=rm[:, None] < TQ, other=0.0)
    m_i = tl.full([BM], -float("inf"), tl.float32)
    l_i = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for n in range(0, TK, BN):
        rn = n + tl.arange(0, BN)
        k = tl.load(K + bh * TK * D + rn[:, None] * D + d[None, :], mask=rn[:, None] < TK, other=0.0)
        v = tl.load(V + bh * TK * D + rn[:, None] * D + d[None, :], mask=rn[:, None] < TK, other=0.0)
        s = tl.dot(q, tl.trans(k)) * scale
        s = tl.where(rn[None, :] < TK, s, float("-inf"))
        m_new = tl.maximum(m_i, tl.max(s, 1))
        alpha = tl.exp(m_i - m_new)
        p = tl.exp(s - m_new[:, None])
        l_i = l_i * alpha + tl.sum(p, 1)
        acc *= alpha[:, None]
        acc = tl.dot(p.to(v.dtype), v, acc)
        m_i = m_new
    tl.store(O + bh * TQ * D + rm[:, None] * D + d[None, :], acc / l_i[:, None], mask=rm[:, None] < TQ)
    tl.store(Lse + bh * TQ + rm, m_i + tl.log(l_i), mask=rm < TQ)


@triton.jit
def lora_linear(X, W, LA, LB, Y, M, N, K, scaling, R: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rr = tl.arange(0, R)
    acc = tl.zeros((BM, BN), tl.float32)
    low = tl.zeros((BM, R), tl.float32)
    for k in range(0, K, BK):
        rk = k + tl.arange(0, BK)
        x = tl.load(X + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0)
        w = tl.load(W + rn[None, :] * K + rk[:, None], mask=(rn[None, :] < N) & (rk[:, None] < K), other=0.0)
        a = tl.load(LA + rr[None, :] * K + rk[:, None], mask=rk[:, None] < K, other=0.0)
        acc = tl.dot(x, w, acc)
        low = tl.dot(x, a, low)
    b = tl.load(LB + rn[None, :] * R + rr[:, None], mask=rn[None, :] < N, other=0.0)
    acc += scaling * tl.dot(low, b)
    tl.store(Y + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def block_sparse_matmul(Val, RowPtr, ColIdx, B, C, N, BS: tl.constexpr, BN: tl.constexpr):
    r = tl.program_id(0)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    i = tl.arange(0, BS)
    acc = tl.zeros((BS, BN), tl.float32)
    for j in range(tl.load(RowPtr + r), tl.load(RowPtr + r + 1)):
        col = tl.load(ColIdx + j)
        a = tl.load(Val + j * BS * BS + i[:, None] * BS + i[None, :])
        b = tl.load(B + (col * BS + i[:, None]) * N + rn[None, :], mask=rn[None, :] < N, other=0.0)
        acc += tl.dot(a, b)
    tl.store(C + (r * BS + i[:, None]) * N + rn[None, :], acc, mask=rn[None, :] < N)


@triton.jit
def quantize_int8(X, Out, Scale, N, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(X + r * N + c, mask=c < N, other=0.0)
    s = tl.max(tl.abs(x), 0) / 127.0
    tl.store(Scale + r, s)
    tl.store(Out + r * N + c, (x / s).to(tl.int8), mask=c < N)


@triton.jit
def running_max_atomic(X, Out, N, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = r * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + c, mask=c < N, other=-float("inf"))
    tl.atomic_max(Out, tl.max(x, 0))


@triton.jit
def normalise_by_shared(X, Total, Out, N, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = r * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + c, mask=c < N, other=0.0)
    tl.atomic_add(Total, tl.sum(x))
    t = tl.load(Total)
    tl.store(Out + c, x / t, mask=c < N)
