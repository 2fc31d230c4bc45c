"""Kernels of many kinds, for list.sh: what is printed as an example of each must run.

Statistics, quantised weights, indices in memory, segments, pages, scans that look back, rotations,
optimisers, losses, pictures, attention, descriptors, strides by name, grids of three axes.
"""
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def total(out, x, n, B: tl.constexpr):
    acc = tl.zeros([B], tl.float32)
    for i in range(0, n, B):
        at = i + tl.arange(0, B)
        acc += tl.load(x + at, mask=at < n, other=0.0)
    tl.store(out, tl.sum(acc))


@triton.jit
def stats(out, x, n, B: tl.constexpr):
    s = 0.0
    q = 0.0
    for i in range(0, n, B):
        at = i + tl.arange(0, B)
        v = tl.load(x + at, mask=at < n, other=0.0)
        s += tl.sum(v)
        q += tl.sum(v * v)
    mean = s / n
    tl.store(out + 0, mean)
    tl.store(out + 1, q / n - mean * mean)


@triton.jit
def histogram(hist, data, n, num_bins, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = at < n
    v = tl.load(data + at, mask=ok, other=0)
    tl.atomic_add(hist + v, 1, mask=ok & (v < num_bins))


@triton.jit
def var_mean_cols(x, mean, rstd, rows, cols, stride, eps, BLOCK_C: tl.constexpr, BLOCK_R: tl.constexpr):
    c = tl.program_id(0) * BLOCK_C + tl.arange(0, BLOCK_C)
    s = tl.zeros((BLOCK_C,), tl.float32)
    q = tl.zeros((BLOCK_C,), tl.float32)
    for r0 in range(0, rows, BLOCK_R):
        r = r0 + tl.arange(0, BLOCK_R)
        v = tl.load(x + r[:, None] * stride + c[None, :], mask=(r[:, None] < rows) & (c[None, :] < cols), other=0.)
        s += tl.sum(v, 0)
        q += tl.sum(v * v, 0)
    mu = s / rows
    tl.store(mean + c, mu, mask=c < cols)
    tl.store(rstd + c, 1 / tl.sqrt(q / rows - mu * mu + eps), mask=c < cols)


@triton.jit
def gptq_gemm(a_ptr, b_ptr, c_ptr, scales_ptr, zeros_ptr, M, N, K, group_size,
              stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
              stride_sg, stride_sn, stride_zg, stride_zn,
              BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    pid = tl.program_id(0)
    n_tiles = tl.cdiv(N, BLOCK_N)
    pid_m = pid // n_tiles
    pid_n = pid % n_tiles
    m = (pid_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    n = (pid_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k0 in range(0, K, BLOCK_K):
        k = k0 + tl.arange(0, BLOCK_K)
        a = tl.load(a_ptr + m[:, None] * stride_am + k[None, :] * stride_ak, mask=k[None, :] < K, other=0.0)
        w = tl.load(b_ptr + (k[:, None] // 8) * stride_bk + n[None, :] * stride_bn, mask=k[:, None] < K, other=0)
        g = k // group_size
        s = tl.load(scales_ptr + g[:, None] * stride_sg + n[None, :] * stride_sn, mask=k[:, None] < K, other=0.0)
        z = tl.load(zeros_ptr + g[:, None] * stride_zg + (n[None, :] // 8) * stride_zn, mask=k[:, None] < K, other=0)
        z = (z >> ((n[None, :] % 8) * 4)) & 0xF
        q = (w >> ((k[:, None] % 8) * 4)) & 0xF
        acc += tl.dot(a, (q - z).to(tl.float32) * s)
    om = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    on = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    tl.store(c_ptr + om[:, None] * stride_cm + on[None, :] * stride_cn, acc, mask=(om[:, None] < M) & (on[None, :] < N))


@triton.jit
def awq_dequantize(qweight_ptr, scales_ptr, zeros_ptr, group_size, result_ptr, num_cols, num_rows,
                   BLOCK_X: tl.constexpr, BLOCK_Y: tl.constexpr):
    pid_x = tl.program_id(0)
    pid_y = tl.program_id(1)
    oy = pid_y * BLOCK_Y + tl.arange(0, BLOCK_Y)
    ox = pid_x * BLOCK_X + tl.arange(0, BLOCK_X)
    mask = (oy < num_rows)[:, None] & (ox < num_cols)[None, :]
    w = tl.load(qweight_ptr + oy[:, None] * num_cols + ox[None, :], mask, 0.0)
    w = tl.interleave(w, w)
    w = tl.interleave(w, w)
    w = tl.interleave(w, w)
    order = ((tl.arange(0, 2) * 4)[None, :] + tl.arange(0, 4)[:, None]).reshape(8)
    shifts = tl.broadcast_to((order * 4)[None, :], (BLOCK_Y * BLOCK_X, 8))
    shifts = tl.reshape(shifts, (BLOCK_Y, BLOCK_X * 8))
    w = (w >> shifts) & 0xF
    zr = pid_y * BLOCK_Y // group_size + tl.arange(0, 1)
    z = tl.load(zeros_ptr + zr[:, None] * num_cols + ox[None, :], (zr < num_rows // group_size)[:, None] & (ox < num_cols)[None, :], 0)
    z = tl.interleave(z, z)
    z = tl.interleave(z, z)
    z = tl.interleave(z, z)
    z = tl.broadcast_to(z, (BLOCK_Y, BLOCK_X * 8))
    z = (z >> shifts) & 0xF
    sx = pid_x * BLOCK_X * 8 + tl.arange(0, BLOCK_X * 8)
    s = tl.load(scales_ptr + zr[:, None] * num_cols * 8 + sx[None, :], (zr < num_rows // group_size)[:, None] & (sx < num_cols * 8)[None, :], 0.0)
    s = tl.broadcast_to(s, (BLOCK_Y, BLOCK_X * 8))
    tl.store(result_ptr + oy[:, None] * num_cols * 8 + sx[None, :], (w - z) * s, (oy < num_rows)[:, None] & (sx < num_cols * 8)[None, :])


@triton.jit
def group_quant_fp8(y_ptr, y_q_ptr, y_s_ptr, group_size, y_num_columns, y_row_stride, eps, fp8_min, fp8_max, BLOCK: tl.constexpr):
    groups_per_row = y_num_columns // group_size
    g_id = tl.program_id(0)
    row = g_id // groups_per_row
    row_g = g_id % groups_per_row
    y_ptr += row * y_row_stride + row_g * group_size
    y_q_ptr += g_id * group_size
    y_s_ptr += g_id
    cols = tl.arange(0, BLOCK)
    mask = cols < group_size
    y = tl.load(y_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    s = tl.maximum(tl.max(tl.abs(y)), eps) / fp8_max
    tl.store(y_q_ptr + cols, tl.clamp(y / s, fp8_min, fp8_max).to(y_q_ptr.dtype.element_ty), mask=mask)
    tl.store(y_s_ptr, s)


@triton.jit
def pack_bits(bits, words, n_words, B: tl.constexpr):
    w = tl.program_id(0) * B + tl.arange(0, B)
    k = tl.arange(0, 32)
    b = tl.load(bits + w[:, None] * 32 + k[None, :], mask=(w < n_words)[:, None], other=0)
    tl.store(words + w, tl.sum((b & 1).to(tl.int32) << k[None, :], 1), mask=w < n_words)


@triton.jit
def paged_attention(out_ptr, q_ptr, k_cache_ptr, v_cache_ptr, block_tables_ptr, context_lens_ptr, scale,
                    stride_bt, num_kv_heads, BLOCK_SIZE: tl.constexpr, HEAD_DIM: tl.constexpr):
    seq = tl.program_id(0)
    head = tl.program_id(1)
    heads = tl.num_programs(1)
    n = tl.load(context_lens_ptr + seq)
    d = tl.arange(0, HEAD_DIM)
    q = tl.load(q_ptr + (seq * heads + head) * HEAD_DIM + d) * scale
    m = -float("inf")
    l = 0.0
    acc = tl.zeros([HEAD_DIM], tl.float32)
    for b in range(0, tl.cdiv(n, BLOCK_SIZE)):
        page = tl.load(block_tables_ptr + seq * stride_bt + b)
        t = tl.arange(0, BLOCK_SIZE)
        at = ((page * BLOCK_SIZE + t) * num_kv_heads + head)[:, None] * HEAD_DIM + d[None, :]
        ok = (b * BLOCK_SIZE + t) < n
        k = tl.load(k_cache_ptr + at, mask=ok[:, None], other=0.0)
        v = tl.load(v_cache_ptr + at, mask=ok[:, None], other=0.0)
        s = tl.where(ok, tl.sum(q[None, :] * k, 1), -float("inf"))
        m2 = tl.maximum(m, tl.max(s))
        p = tl.exp(s - m2)
        r = tl.exp(m - m2)
        l = l * r + tl.sum(p)
        acc = acc * r + tl.sum(p[:, None] * v, 0)
        m = m2
    tl.store(out_ptr + (seq * heads + head) * HEAD_DIM + d, acc / l)


@triton.jit
def embedding_bag(indices, offsets, weight, out, n_dim, BLOCK: tl.constexpr):
    bag = tl.program_id(0)
    start = tl.load(offsets + bag)
    end = tl.load(offsets + bag + 1)
    d = tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], tl.float32)
    for i in range(start, end):
        idx = tl.load(indices + i)
        acc += tl.load(weight + idx * n_dim + d, mask=d < n_dim, other=0.0)
    tl.store(out + bag * n_dim + d, acc, mask=d < n_dim)


@triton.jit
def csr_spmm(row_ptr, col_ind, vals, B, C, N, stride_b, stride_c, BLOCK_N: tl.constexpr):
    r = tl.program_id(0)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_N,), tl.float32)
    for e in range(tl.load(row_ptr + r), tl.load(row_ptr + r + 1)):
        acc += tl.load(vals + e) * tl.load(B + tl.load(col_ind + e) * stride_b + n, mask=n < N, other=0.)
    tl.store(C + r * stride_c + n, acc, mask=n < N)


@triton.jit
def fused_moe(a_ptr, b_ptr, c_ptr, topk_weights_ptr, sorted_token_ids_ptr, expert_ids_ptr, num_tokens_post_padded_ptr,
              N, K, EM, num_valid_tokens, stride_am, stride_ak, stride_be, stride_bk, stride_bn, stride_cm, stride_cn,
              BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr, BLOCK_SIZE_K: tl.constexpr,
              MUL_ROUTED_WEIGHT: tl.constexpr, top_k: tl.constexpr):
    pid = tl.program_id(0)
    num_pid_n = tl.cdiv(N, BLOCK_SIZE_N)
    pid_m = pid // num_pid_n
    pid_n = pid % num_pid_n
    padded = tl.load(num_tokens_post_padded_ptr)
    if pid_m * BLOCK_SIZE_M >= padded:
        return
    offs_token_id = pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    offs_token = tl.load(sorted_token_ids_ptr + offs_token_id)
    token_mask = offs_token < num_valid_tokens
    offs_bn = (pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)) % N
    offs_k = tl.arange(0, BLOCK_SIZE_K)
    a_ptrs = a_ptr + (offs_token[:, None] // top_k * stride_am + offs_k[None, :] * stride_ak)
    off_experts = tl.load(expert_ids_ptr + pid_m)
    b_ptrs = b_ptr + off_experts * stride_be + (offs_k[:, None] * stride_bk + offs_bn[None, :] * stride_bn)
    acc = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_SIZE_K)):
        a = tl.load(a_ptrs, mask=token_mask[:, None] & (offs_k[None, :] < K - k * BLOCK_SIZE_K), other=0.0)
        b = tl.load(b_ptrs, mask=offs_k[:, None] < K - k * BLOCK_SIZE_K, other=0.0)
        acc += tl.dot(a, b)
        a_ptrs += BLOCK_SIZE_K * stride_ak
        b_ptrs += BLOCK_SIZE_K * stride_bk
    if MUL_ROUTED_WEIGHT:
        w = tl.load(topk_weights_ptr + offs_token, mask=token_mask, other=0)
        acc = acc * w[:, None]
    offs_cn = pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    tl.store(c_ptr + stride_cm * offs_token[:, None] + stride_cn * offs_cn[None, :], acc, mask=token_mask[:, None] & (offs_cn[None, :] < N))


@triton.jit
def one_hot(ids, out, n, classes, B: tl.constexpr, BC: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    c = tl.arange(0, BC)
    v = tl.load(ids + i, mask=i < n, other=-1)
    tl.store(out + i[:, None] * classes + c[None, :], (v[:, None] == c[None, :]).to(tl.int32), mask=(i[:, None] < n) & (c[None, :] < classes))


@triton.jit
def group_by_address(ptrs, sizes, out, B: tl.constexpr):
    t = tl.program_id(0)
    n = tl.load(sizes + t)
    p = tl.load(ptrs + t).to(tl.pointer_type(tl.float32))
    at = tl.arange(0, B)
    v = tl.load(p + at, mask=at < n, other=0.0)
    tl.store(out + t, tl.sum(v))


@triton.jit
def lookback_cumsum(x, out, flag_ptr, prefix_ptr, n, B: tl.constexpr):
    pid = tl.program_id(0)
    at = pid * B + tl.arange(0, B)
    v = tl.load(x + at, mask=at < n, other=0.0)
    local = tl.cumsum(v, 0)
    s = tl.sum(v)
    before = 0.0
    if pid > 0:
        while tl.atomic_add(flag_ptr + pid - 1, 0) == 0:
            pass
        before = tl.load(prefix_ptr + pid - 1)
    tl.store(prefix_ptr + pid, before + s)
    tl.debug_barrier()
    tl.atomic_xchg(flag_ptr + pid, 1)
    tl.store(out + at, local + before, mask=at < n)


@triton.jit
def cumsum_rows(x_ptr, o_ptr, R, S, xs, os, BLOCK_R: tl.constexpr, BLOCK_S: tl.constexpr, REVERSE: tl.constexpr):
    r = tl.program_id(0) * BLOCK_R + tl.arange(0, BLOCK_R)
    carry = tl.zeros([BLOCK_R], tl.float32)
    for s0 in range(0, S, BLOCK_S):
        s = s0 + tl.arange(0, BLOCK_S)
        ok = (r[:, None] < R) & (s[None, :] < S)
        v = tl.load(x_ptr + r[:, None] * xs + s[None, :], mask=ok, other=0.)
        c = tl.cumsum(v, 1, reverse=REVERSE) + carry[:, None]
        carry += tl.sum(v, 1)
        tl.store(o_ptr + r[:, None] * os + s[None, :], c, mask=ok)


@triton.jit
def compact(x, out, count, n, threshold, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=-float("inf"))
    keep = v > threshold
    where = tl.cumsum(keep.to(tl.int32), 0) - 1
    base = tl.atomic_add(count, tl.sum(keep.to(tl.int32)))
    tl.store(out + base + where, v, mask=keep)


@triton.jit
def rotary(x, cos, sin, out, seqlen, heads, head_dim, stride_b, stride_s, stride_h, HALF: tl.constexpr):
    s = tl.program_id(0)
    h = tl.program_id(1)
    b = tl.program_id(2)
    d = tl.arange(0, HALF)
    base = b * stride_b + s * stride_s + h * stride_h
    c = tl.load(cos + s * HALF + d)
    i = tl.load(sin + s * HALF + d)
    x0 = tl.load(x + base + d)
    x1 = tl.load(x + base + HALF + d)
    tl.store(out + base + d, x0 * c - x1 * i)
    tl.store(out + base + HALF + d, x0 * i + x1 * c)


@triton.jit
def adamw(p_ptr, g_ptr, m_ptr, v_ptr, lr, beta1, beta2, eps, weight_decay, step, n_elements, BLOCK_SIZE: tl.constexpr):
    at = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    ok = at < n_elements
    p = tl.load(p_ptr + at, mask=ok)
    g = tl.load(g_ptr + at, mask=ok)
    m = tl.load(m_ptr + at, mask=ok)
    v = tl.load(v_ptr + at, mask=ok)
    p = p * (1 - lr * weight_decay)
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    mh = m / (1 - libdevice.pow(beta1, step))
    vh = v / (1 - libdevice.pow(beta2, step))
    tl.store(p_ptr + at, p - lr * mh / (tl.sqrt(vh) + eps), mask=ok)
    tl.store(m_ptr + at, m, mask=ok)
    tl.store(v_ptr + at, v, mask=ok)


@triton.jit
def cross_entropy(X_ptr, X_stride, Y_ptr, Y_stride, loss_ptr, loss_stride, n_cols, n_non_ignore, ignore_index,
                  label_smoothing: tl.constexpr, reduction: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    Y_ptr += row * Y_stride
    y = tl.load(Y_ptr)
    X_ptr += row * X_stride
    if y == ignore_index:
        for i in range(0, n_cols, BLOCK_SIZE):
            at = i + tl.arange(0, BLOCK_SIZE)
            tl.store(X_ptr + at, 0.0, mask=at < n_cols)
        return
    loss_ptr += row * loss_stride
    m = float("-inf")
    d = 0.0
    xy = tl.load(X_ptr + y)
    for i in range(0, n_cols, BLOCK_SIZE):
        at = i + tl.arange(0, BLOCK_SIZE)
        v = tl.load(X_ptr + at, mask=at < n_cols, other=float("-inf"))
        m2 = tl.maximum(m, tl.max(v))
        d = d * tl.exp(m - m2) + tl.sum(tl.exp(v - m2))
        m = m2
    for i in range(0, n_cols, BLOCK_SIZE):
        at = i + tl.arange(0, BLOCK_SIZE)
        v = tl.load(X_ptr + at, mask=at < n_cols, other=float("-inf"))
        v = tl.exp(v - m) / d
        if reduction == "mean":
            v = v / n_non_ignore
        tl.store(X_ptr + at, v, mask=at < n_cols)
    tl.debug_barrier()
    xyn = tl.load(X_ptr + y)
    tl.store(X_ptr + y, xyn - 1 / n_non_ignore)
    loss = -(xy - m - tl.log(d))
    if reduction == "mean":
        loss = loss / n_non_ignore
    tl.store(loss_ptr, loss)


@triton.jit
def layer_norm_bwd_lock(DX, DY, DW, DB, X, W, Mean, Rstd, Lock, stride, N, GROUP_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK_SIZE_N)
    mask = cols < N
    X += row * stride
    DY += row * stride
    DX += row * stride
    lock_id = row % GROUP_SIZE_M
    Lock += lock_id
    Count = Lock + GROUP_SIZE_M
    DW = DW + lock_id * N + cols
    DB = DB + lock_id * N + cols
    x = tl.load(X + cols, mask=mask, other=0).to(tl.float32)
    dy = tl.load(DY + cols, mask=mask, other=0).to(tl.float32)
    w = tl.load(W + cols, mask=mask).to(tl.float32)
    mean = tl.load(Mean + row)
    rstd = tl.load(Rstd + row)
    xhat = tl.where(mask, (x - mean) * rstd, 0.)
    wdy = tl.where(mask, w * dy, 0.)
    c1 = tl.sum(xhat * wdy, axis=0) / N
    c2 = tl.sum(wdy, axis=0) / N
    tl.store(DX + cols, (wdy - (xhat * c1 + c2)) * rstd, mask=mask)
    pdw = (dy * xhat).to(w.dtype)
    pdb = dy.to(w.dtype)
    while tl.atomic_cas(Lock, 0, 1) == 1:
        pass
    count = tl.load(Count)
    if count == 0:
        tl.atomic_xchg(Count, 1)
    else:
        pdw += tl.load(DW, mask=mask)
        pdb += tl.load(DB, mask=mask)
    tl.store(DW, pdw, mask=mask)
    tl.store(DB, pdb, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(Lock, 0)


@triton.jit
def swiglu(gate_up, out, n_cols, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    ok = c < n_cols
    g = tl.load(gate_up + row * stride + c, mask=ok, other=0.).to(tl.float32)
    u = tl.load(gate_up + row * stride + n_cols + c, mask=ok, other=0.)
    tl.store(out + row * n_cols + c, g * tl.sigmoid(g) * u, mask=ok)


@triton.jit
def kl_div(y_ptr, y_stride, gt_ptr, gt_stride, loss_ptr, loss_stride, n_cols, eps, BLOCK_SIZE: tl.constexpr,
           log_target: tl.constexpr = False, reduction: tl.constexpr = "batchmean"):
    pid = tl.program_id(0).to(tl.int64)
    y_ptr += pid * y_stride
    gt_ptr += pid * gt_stride
    loss_ptr += pid * loss_stride
    s = 0.0
    for i in range(0, n_cols, BLOCK_SIZE):
        at = i + tl.arange(0, BLOCK_SIZE)
        y = tl.load(y_ptr + at, mask=at < n_cols, other=0.0)
        t = tl.load(gt_ptr + at, mask=at < n_cols, other=0.0)
        if not log_target:
            l = t * (tl.log(tl.maximum(t, eps)) - y)
        else:
            l = tl.exp(t) * (t - y)
        if reduction == "none":
            tl.store(loss_ptr + at, l, mask=at < n_cols)
        else:
            s += tl.sum(l)
    if reduction != "none":
        tl.store(loss_ptr, s)


@triton.jit
def resize(src, dst, h, w, oh, ow, scale_y, scale_x, BX: tl.constexpr):
    y = tl.program_id(0)
    x = tl.program_id(1) * BX + tl.arange(0, BX)
    fy = (y + 0.5) * scale_y - 0.5
    fx = (x + 0.5) * scale_x - 0.5
    y0 = tl.floor(fy).to(tl.int32)
    x0 = tl.floor(fx).to(tl.int32)
    wy = fy - y0
    wx = fx - x0
    ya = tl.minimum(tl.maximum(y0, 0), h - 1)
    yb = tl.minimum(tl.maximum(y0 + 1, 0), h - 1)
    xa = tl.minimum(tl.maximum(x0, 0), w - 1)
    xb = tl.minimum(tl.maximum(x0 + 1, 0), w - 1)
    ok = x < ow
    p = tl.load(src + ya * w + xa, mask=ok)
    q = tl.load(src + ya * w + xb, mask=ok)
    r = tl.load(src + yb * w + xa, mask=ok)
    s = tl.load(src + yb * w + xb, mask=ok)
    v = (1 - wy) * ((1 - wx) * p + wx * q) + wy * ((1 - wx) * r + wx * s)
    tl.store(dst + y * ow + x, v, mask=ok)


@triton.jit
def flip_channels_3d(src, dst, D, H, W, BW: tl.constexpr):
    d = tl.program_id(0)
    h = tl.program_id(1)
    w = tl.program_id(2) * BW + tl.arange(0, BW)
    v = tl.load(src + (d * H + h) * W + w, mask=w < W)
    tl.store(dst + ((D - 1 - d) * H + h) * W + (W - 1 - w), v, mask=w < W)


@triton.jit
def threshold_u8(src, dst, n, t, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(src + i, mask=i < n, other=0)
    tl.store(dst + i, tl.where(v > t, 255, 0).to(tl.uint8), mask=i < n)


@triton.jit
def flash_fwd(Q, K, V, sm_scale, L, Out, stride_qz, stride_qh, stride_qm, stride_qk, stride_kz, stride_kh, stride_kn, stride_kk,
              stride_vz, stride_vh, stride_vk, stride_vn, stride_oz, stride_oh, stride_om, stride_on, Z, H, N_CTX,
              BLOCK_M: tl.constexpr, BLOCK_DMODEL: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr):
    start_m = tl.program_id(0)
    off_hz = tl.program_id(1)
    off_z = off_hz // H
    off_h = off_hz % H
    Qb = tl.make_block_ptr(base=Q + off_z * stride_qz + off_h * stride_qh, shape=(N_CTX, BLOCK_DMODEL), strides=(stride_qm, stride_qk),
                           offsets=(start_m * BLOCK_M, 0), block_shape=(BLOCK_M, BLOCK_DMODEL), order=(1, 0))
    Kb = tl.make_block_ptr(base=K + off_z * stride_kz + off_h * stride_kh, shape=(BLOCK_DMODEL, N_CTX), strides=(stride_kk, stride_kn),
                           offsets=(0, 0), block_shape=(BLOCK_DMODEL, BLOCK_N), order=(0, 1))
    Vb = tl.make_block_ptr(base=V + off_z * stride_vz + off_h * stride_vh, shape=(N_CTX, BLOCK_DMODEL), strides=(stride_vk, stride_vn),
                           offsets=(0, 0), block_shape=(BLOCK_N, BLOCK_DMODEL), order=(1, 0))
    Ob = tl.make_block_ptr(base=Out + off_z * stride_oz + off_h * stride_oh, shape=(N_CTX, BLOCK_DMODEL), strides=(stride_om, stride_on),
                           offsets=(start_m * BLOCK_M, 0), block_shape=(BLOCK_M, BLOCK_DMODEL), order=(1, 0))
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N)
    m_i = tl.zeros([BLOCK_M], tl.float32) - float("inf")
    l_i = tl.zeros([BLOCK_M], tl.float32)
    acc = tl.zeros([BLOCK_M, BLOCK_DMODEL], tl.float32)
    q = tl.load(Qb)
    hi = (start_m + 1) * BLOCK_M if CAUSAL else N_CTX
    for start_n in range(0, hi, BLOCK_N):
        k = tl.load(Kb)
        qk = tl.dot(q, k) * sm_scale
        if CAUSAL:
            qk = tl.where(offs_m[:, None] >= (start_n + offs_n[None, :]), qk, float("-inf"))
        m_new = tl.maximum(m_i, tl.max(qk, 1))
        p = tl.exp2(qk - m_new[:, None])
        alpha = tl.exp2(m_i - m_new)
        l_i = l_i * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p, tl.load(Vb))
        m_i = m_new
        Kb = tl.advance(Kb, (0, BLOCK_N))
        Vb = tl.advance(Vb, (BLOCK_N, 0))
    tl.store(L + off_hz * N_CTX + offs_m, m_i + tl.log2(l_i))
    tl.store(Ob, acc / l_i[:, None])


@triton.jit
def matmul_tma(a_desc, b_desc, c_desc, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid = tl.program_id(0)
    npn = tl.cdiv(N, BN)
    om = pid // npn * BM
    on = pid % npn * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        a = a_desc.load([om, k * BK])
        b = b_desc.load([on, k * BK])
        acc = tl.dot(a, b.T, acc)
    c_desc.store([om, on], acc)


@triton.jit
def strided_copy_4d(src, dst, shape0, shape1, shape2, shape3, ss0, ss1, ss2, ss3, ds0, ds1, ds2, ds3, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    n = shape0 * shape1 * shape2 * shape3
    d3 = i % shape3
    d2 = i // shape3 % shape2
    d1 = i // (shape3 * shape2) % shape1
    d0 = i // (shape3 * shape2 * shape1)
    ok = i < n
    v = tl.load(src + d0 * ss0 + d1 * ss1 + d2 * ss2 + d3 * ss3, mask=ok)
    tl.store(dst + d0 * ds0 + d1 * ds1 + d2 * ds2 + d3 * ds3, v, mask=ok)


@triton.jit
def stencil3d(u, v, nx, ny, nz, c0, c1, BX: tl.constexpr):
    x = tl.program_id(0) * BX + tl.arange(0, BX)
    y = tl.program_id(1)
    z = tl.program_id(2)
    at = (z * ny + y) * nx + x
    mid = (x > 0) & (x < nx - 1) & (y > 0) & (y < ny - 1) & (z > 0) & (z < nz - 1)
    s = tl.load(u + at - 1, mask=mid, other=0.) + tl.load(u + at + 1, mask=mid, other=0.)
    s += tl.load(u + at - nx, mask=mid, other=0.) + tl.load(u + at + nx, mask=mid, other=0.)
    s += tl.load(u + at - nx * ny, mask=mid, other=0.) + tl.load(u + at + nx * ny, mask=mid, other=0.)
    tl.store(v + at, c0 * tl.load(u + at, mask=x < nx, other=0.) + c1 * s, mask=x < nx)
