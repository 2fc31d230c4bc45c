"""More kernels for list.sh, which the interpreter works at for half a second and longer each."""
import triton
import triton.language as tl


@triton.jit
def context_attention(Q, K, V, B_Start_Loc, B_Seqlen, Out, sm_scale, stride_qbs, stride_qh, stride_kbs, stride_kh,
                      stride_vbs, stride_vh, stride_obs, stride_oh, kv_group_num: tl.constexpr,
                      BLOCK_M: tl.constexpr, BLOCK_DMODEL: tl.constexpr, BLOCK_N: tl.constexpr):
    cur_batch = tl.program_id(0)
    cur_head = tl.program_id(1)
    start_m = tl.program_id(2)
    cur_kv_head = cur_head // kv_group_num
    seq_len = tl.load(B_Seqlen + cur_batch)
    start = tl.load(B_Start_Loc + cur_batch)
    offs_n = tl.arange(0, BLOCK_N)
    offs_d = tl.arange(0, BLOCK_DMODEL)
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    q = tl.load(Q + (start + offs_m[:, None]) * stride_qbs + cur_head * stride_qh + offs_d[None, :], mask=offs_m[:, None] < seq_len, other=0.0)
    off_k = offs_n[None, :] * stride_kbs + cur_kv_head * stride_kh + offs_d[:, None]
    off_v = offs_n[:, None] * stride_vbs + cur_kv_head * stride_vh + offs_d[None, :]
    k_ptrs = K + off_k
    v_ptrs = V + off_v
    m_i = tl.zeros([BLOCK_M], dtype=tl.float32) - float("inf")
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32)
    acc = tl.zeros([BLOCK_M, BLOCK_DMODEL], dtype=tl.float32)
    block_mask = tl.where(start_m * BLOCK_M < seq_len, 1, 0)
    for start_n in range(0, block_mask * (start_m + 1) * BLOCK_M, BLOCK_N):
        k = tl.load(k_ptrs + (start + start_n) * stride_kbs, mask=(start_n + offs_n[None, :]) < seq_len, other=0.0)
        qk = tl.dot(q, k) * sm_scale
        qk = tl.where(offs_m[:, None] >= (start_n + offs_n[None, :]), qk, float("-inf"))
        m_ij = tl.maximum(m_i, tl.max(qk, 1))
        p = tl.exp(qk - m_ij[:, None])
        alpha = tl.exp(m_i - m_ij)
        l_i = l_i * alpha + tl.sum(p, 1)
        v = tl.load(v_ptrs + (start + start_n) * stride_vbs, mask=(start_n + offs_n[:, None]) < seq_len, other=0.0)
        acc = acc * alpha[:, None] + tl.dot(p, v)
        m_i = m_ij
    acc = acc / l_i[:, None]
    tl.store(Out + (start + offs_m[:, None]) * stride_obs + cur_head * stride_oh + offs_d[None, :], acc, mask=offs_m[:, None] < seq_len)


@triton.jit
def conv2d_im2col(x, w, y, N, C, H, W, K, OH, OW, R: tl.constexpr, S: tl.constexpr, stride: tl.constexpr, pad: tl.constexpr,
                  BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    m = pm * BM + tl.arange(0, BM)
    k = pn * BN + tl.arange(0, BN)
    n = m // (OH * OW)
    oy = m // OW % OH
    ox = m % OW
    acc = tl.zeros((BM, BN), tl.float32)
    CRS = C * R * S
    for c0 in range(0, CRS, BK):
        crs = c0 + tl.arange(0, BK)
        c = crs // (R * S)
        r = crs // S % R
        s = crs % S
        iy = oy[:, None] * stride + r[None, :] - pad
        ix = ox[:, None] * stride + s[None, :] - pad
        ok = (n[:, None] < N) & (crs[None, :] < CRS) & (iy >= 0) & (iy < H) & (ix >= 0) & (ix < W)
        a = tl.load(x + ((n[:, None] * C + c[None, :]) * H + iy) * W + ix, mask=ok, other=0.)
        b = tl.load(w + k[None, :] * CRS + crs[:, None], mask=(k[None, :] < K) & (crs[:, None] < CRS), other=0.)
        acc += tl.dot(a, b)
    at = ((n[:, None] * K + k[None, :]) * OH + oy[:, None]) * OW + ox[:, None]
    tl.store(y + at, acc, mask=(n[:, None] < N) & (k[None, :] < K))


@triton.jit
def depthwise(x, w, y, H, W, OH, OW, KH: tl.constexpr, KW: tl.constexpr, B: tl.constexpr):
    c = tl.program_id(0)
    i = tl.program_id(1) * B + tl.arange(0, B)
    oy = i // OW
    ox = i % OW
    ok = i < OH * OW
    acc = tl.zeros([B], tl.float32)
    for r in range(KH):
        for s in range(KW):
            inside = ok & (oy + r < H) & (ox + s < W)
            acc += tl.load(x + c * H * W + (oy + r) * W + ox + s, mask=inside, other=0.) * tl.load(w + (c * KH + r) * KW + s)
    tl.store(y + c * OH * OW + i, acc, mask=ok)


@triton.jit
def repeat_interleave(x, out, n, repeats, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    ok = i < n * repeats
    tl.store(out + i, tl.load(x + i // repeats, mask=ok), mask=ok)
