"""Attention in the forms that chain products: the result of one is an operand of the next."""

import triton
import triton.language as tl


@triton.jit
def flash_forward(q_ptr, k_ptr, v_ptr, o_ptr, lse_ptr, q_len, k_len, shared_heads, scale,
                  CAUSAL: tl.constexpr, D: tl.constexpr, DV: tl.constexpr, M: tl.constexpr,
                  N: tl.constexpr, STAGES: tl.constexpr = 2):
    """One block of queries of one head over its keys; `shared_heads` heads of q have one of k.

    q: [heads, q_len, D], k: [heads / shared_heads, k_len, D], v: the same with DV.  Causal: the
    last query sees the last key.  A query that sees no key gives 0.
    """
    head = tl.program_id(1)
    rows = tl.program_id(0) * M + tl.arange(0, M)
    d = tl.arange(0, D)
    dv = tl.arange(0, DV)
    q_at = (head * q_len + rows)[:, None] * D + d[None, :]
    q = tl.load(q_ptr + q_at, mask=rows[:, None] < q_len, other=0.0)
    k_ptr += (head // shared_heads) * k_len * D
    v_ptr += (head // shared_heads) * k_len * DV
    top = tl.full([M], float("-inf"), tl.float32)
    total = tl.zeros([M], tl.float32)
    out = tl.zeros([M, DV], tl.float32)
    end = k_len
    if CAUSAL:
        end = tl.minimum(k_len, (tl.program_id(0) + 1) * M + k_len - q_len)
    for start in tl.range(0, end, N, num_stages=STAGES):
        columns = start + tl.arange(0, N)
        there = columns < k_len
        k = tl.load(k_ptr + columns[:, None] * D + d[None, :], mask=there[:, None], other=0.0)
        scores = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        seen = there[None, :]
        if CAUSAL:
            seen = seen & (rows[:, None] + (k_len - q_len) >= columns[None, :])
        scores = tl.where(seen, scores, float("-inf"))
        higher = tl.maximum(top, tl.max(scores, axis=1))
        base = tl.where(higher == float("-inf"), 0.0, higher)
        p = tl.exp(scores - base[:, None])
        shrink = tl.exp(top - base)
        total = total * shrink + tl.sum(p, axis=1)
        v = tl.load(v_ptr + columns[:, None] * DV + dv[None, :], mask=there[:, None], other=0.0)
        out = tl.dot(p.to(v.dtype), v, out * shrink[:, None], input_precision="ieee")
        top = higher
    some = total > 0
    out = out / tl.where(some, total, 1.0)[:, None]
    lse = tl.where(some, top + tl.log(tl.where(some, total, 1.0)), float("-inf"))
    tl.store(lse_ptr + head * q_len + rows, lse, mask=rows < q_len)
    tl.store(o_ptr + (head * q_len + rows)[:, None] * DV + dv[None, :], out,
             mask=rows[:, None] < q_len)


@triton.jit
def _tutorial_loop(acc, total, top, q, k_block, v_block, start_m, scale, rows, columns, length,
                   M: tl.constexpr, N: tl.constexpr, STAGE: tl.constexpr):
    if STAGE == 1:  # what all rows see
        low, high = 0, start_m * M
    elif STAGE == 2:  # the diagonal
        low, high = start_m * M, (start_m + 1) * M
        low = tl.multiple_of(low, M)
    else:
        low, high = 0, length
    k_block = tl.advance(k_block, (0, low))
    v_block = tl.advance(v_block, (low, 0))
    for start in range(low, high, N):
        start = tl.multiple_of(start, N)
        scores = tl.dot(q, tl.load(k_block))
        if STAGE == 2:
            seen = rows[:, None] >= (start + columns[None, :])
            scores = scores * scale + tl.where(seen, 0, -1.0e6)
            higher = tl.maximum(top, tl.max(scores, 1))
            scores -= higher[:, None]
        else:
            higher = tl.maximum(top, tl.max(scores, 1) * scale)
            scores = scores * scale - higher[:, None]
        p = tl.math.exp2(scores)
        shrink = tl.math.exp2(top - higher)
        total = total * shrink + tl.sum(p, 1)
        acc = acc * shrink[:, None]
        v = tl.load(v_block)
        acc = tl.dot(p.to(v.dtype), v, acc)
        top = higher
        v_block = tl.advance(v_block, (N, 0))
        k_block = tl.advance(k_block, (0, N))
    return acc, total, top


@triton.jit
def tutorial(q_ptr, k_ptr, v_ptr, o_ptr, lse_ptr, length, scale, CAUSAL: tl.constexpr,
             M: tl.constexpr, D: tl.constexpr, N: tl.constexpr):
    """Attention as it is usually taught: [heads, length, D], block pointers, two loops if causal."""
    start_m = tl.program_id(0)
    head = tl.program_id(1) * length * D
    q_block = tl.make_block_ptr(q_ptr + head, (length, D), (D, 1), (start_m * M, 0), (M, D), (1, 0))
    k_block = tl.make_block_ptr(k_ptr + head, (D, length), (1, D), (0, 0), (D, N), (0, 1))
    v_block = tl.make_block_ptr(v_ptr + head, (length, D), (D, 1), (0, 0), (N, D), (1, 0))
    o_block = tl.make_block_ptr(o_ptr + head, (length, D), (D, 1), (start_m * M, 0), (M, D), (1, 0))
    rows = start_m * M + tl.arange(0, M)
    columns = tl.arange(0, N)
    top = tl.zeros([M], tl.float32) - float("inf")
    total = tl.zeros([M], tl.float32)
    acc = tl.zeros([M, D], tl.float32)
    scale = scale * 1.4426950408889634
    q = tl.load(q_block)
    if CAUSAL:
        acc, total, top = _tutorial_loop(acc, total, top, q, k_block, v_block, start_m, scale,
                                         rows, columns, length, M, N, 1)
        acc, total, top = _tutorial_loop(acc, total, top, q, k_block, v_block, start_m, scale,
                                         rows, columns, length, M, N, 2)
    else:
        acc, total, top = _tutorial_loop(acc, total, top, q, k_block, v_block, start_m, scale,
                                         rows, columns, length, M, N, 3)
    tl.store(lse_ptr + tl.program_id(1) * length + rows, top + tl.math.log2(total))
    tl.store(o_block, (acc / total[:, None]).to(o_ptr.type.element_ty))


@triton.jit
def by_strides(q_ptr, k_ptr, v_ptr, o_ptr, length, heads, scale, stride_z, stride_h, stride_n, M: tl.constexpr,
               D: tl.constexpr, N: tl.constexpr):
    """Attention of [batch, ..] by pointers: batch and head are a quotient and a remainder of one number, and their
    offsets have 64 bits."""
    start_m = tl.program_id(0)
    off_z = tl.program_id(1) // heads
    off_h = tl.program_id(1) % heads
    offset = off_z.to(tl.int64) * stride_z + off_h.to(tl.int64) * stride_h
    rows = start_m * M + tl.arange(0, M)
    columns, inner = tl.arange(0, N), tl.arange(0, D)
    q = tl.load(q_ptr + offset + rows[:, None] * stride_n + inner[None, :])
    k_at = k_ptr + offset + columns[None, :] * stride_n + inner[:, None]
    v_at = v_ptr + offset + columns[:, None] * stride_n + inner[None, :]
    top = tl.zeros([M], tl.float32) - float("inf")
    total = tl.zeros([M], tl.float32)
    acc = tl.zeros([M, D], tl.float32)
    scale = scale * 1.4426950408889634
    for start in range(0, length, N):
        scores = tl.dot(q, tl.load(k_at))
        higher = tl.maximum(top, tl.max(scores, 1) * scale)
        p = tl.math.exp2(scores * scale - higher[:, None])
        shrink = tl.math.exp2(top - higher)
        total = total * shrink + tl.sum(p, 1)
        v = tl.load(v_at)
        acc = tl.dot(p.to(v.dtype), v, acc * shrink[:, None])
        top = higher
        k_at += N * stride_n
        v_at += N * stride_n
    o_at = o_ptr + offset + rows[:, None] * stride_n + inner[None, :]
    tl.store(o_at, (acc / total[:, None]).to(o_ptr.type.element_ty))


@triton.jit
def of_lengths(q_ptr, k_ptr, v_ptr, o_ptr, starts_ptr, lengths_ptr, scale, row_of_q, row_of_k, D: tl.constexpr,
               M: tl.constexpr, N: tl.constexpr, SHARED: tl.constexpr):
    """Causal attention over sequences that lie one behind the other: [rows, heads, D], of q and of k and v, where SHARED heads
    of q have one of k.  Rounds keep what they have so far divided by its sum."""
    start, length = tl.load(starts_ptr + tl.program_id(2)), tl.load(lengths_ptr + tl.program_id(2))
    head = tl.program_id(1)
    rows, inner = tl.program_id(0) * M + tl.arange(0, M), tl.arange(0, D)
    columns = tl.arange(0, N)
    q_at = (start + rows[:, None]) * row_of_q + head * D + inner[None, :]
    there = rows[:, None] < length
    q = tl.load(q_ptr + q_at, mask=there, other=0.0)
    k_at = k_ptr + columns[None, :] * row_of_k + head // SHARED * D + inner[:, None]
    v_at = v_ptr + columns[:, None] * row_of_k + head // SHARED * D + inner[None, :]
    top = tl.zeros([M], tl.float32) - float("inf")
    total, out = tl.zeros([M], tl.float32), tl.zeros([M, D], tl.float32)
    begun = tl.where(tl.program_id(0) * M < length, 1, 0)
    for first in range(0, begun * tl.minimum((tl.program_id(0) + 1) * M, length), N):
        at = first + columns
        k = tl.load(k_at + (start + first) * row_of_k, mask=at[None, :] < length, other=0.0)
        scores = tl.dot(q, k) * scale
        scores += tl.where((at[None, :] < length) & (rows[:, None] >= at[None, :]), 0, float("-inf"))
        top_here = tl.max(scores, 1)
        p = tl.exp(scores - top_here[:, None])
        higher = tl.maximum(top, top_here)
        before, now = tl.exp(top - higher), tl.exp(top_here - higher)
        sums = before * total + now * tl.sum(p, 1)
        p = p * (now / sums)[:, None]
        out = out * (total / sums * before)[:, None]
        v = tl.load(v_at + (start + first) * row_of_k, mask=at[:, None] < length, other=0.0)
        out += tl.dot(p.to(v.dtype), v)
        total, top = sums, higher
    tl.store(o_ptr + q_at, out, mask=there)


@triton.jit
def _probabilities(q, k, lse, rows, columns, q_len, k_len, scale):
    scores = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
    seen = (rows[:, None] >= columns[None, :]) & (rows[:, None] < q_len) & (columns < k_len)[None]
    return tl.where(seen, tl.exp(scores - lse[:, None]), 0.0)


@triton.jit
def flash_query_gradient(q_ptr, k_ptr, v_ptr, do_ptr, lse_ptr, delta_ptr, dq_ptr, length, scale,
                         D: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    """dq of one block of rows by a loop over the keys that it sees; causal, one head."""
    rows = tl.program_id(0) * M + tl.arange(0, M)
    d = tl.arange(0, D)
    at = rows[:, None] * D + d[None, :]
    inside = rows < length
    q = tl.load(q_ptr + at, mask=inside[:, None], other=0.0)
    do = tl.load(do_ptr + at, mask=inside[:, None], other=0.0)
    lse = tl.load(lse_ptr + rows, mask=inside, other=0.0)
    delta = tl.load(delta_ptr + rows, mask=inside, other=0.0)
    dq = tl.zeros([M, D], tl.float32)
    for start in range(0, min((tl.program_id(0) + 1) * M, length), N):
        columns = start + tl.arange(0, N)
        k_at = columns[:, None] * D + d[None, :]
        k = tl.load(k_ptr + k_at, mask=columns[:, None] < length, other=0.0)
        v = tl.load(v_ptr + k_at, mask=columns[:, None] < length, other=0.0)
        p = _probabilities(q, k, lse, rows, columns, length, length, scale)
        dp = tl.dot(do, v.T, input_precision="ieee")
        ds = p * (dp - delta[:, None]) * scale
        dq = tl.dot(ds.to(k.dtype), k, dq, input_precision="ieee")
    tl.store(dq_ptr + at, dq, mask=inside[:, None])


@triton.jit
def flash_key_gradient(q_ptr, k_ptr, v_ptr, do_ptr, lse_ptr, delta_ptr, dk_ptr, dv_ptr, length,
                       scale, D: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    """dk and dv of one block of columns; all products are of transposed scores."""
    columns = tl.program_id(0) * N + tl.arange(0, N)
    d = tl.arange(0, D)
    at = columns[:, None] * D + d[None, :]
    inside = columns < length
    k = tl.load(k_ptr + at, mask=inside[:, None], other=0.0)
    v = tl.load(v_ptr + at, mask=inside[:, None], other=0.0)
    dk = tl.zeros([N, D], tl.float32)
    dv = tl.zeros([N, D], tl.float32)
    first = tl.program_id(0) * N // M * M
    for start in range(first, length, M):
        rows = start + tl.arange(0, M)
        here = rows < length
        q_t = tl.load(q_ptr + rows[None, :] * D + d[:, None], mask=here[None, :], other=0.0)
        do = tl.load(do_ptr + rows[:, None] * D + d[None, :], mask=here[:, None], other=0.0)
        lse = tl.load(lse_ptr + rows, mask=here, other=0.0)
        delta = tl.load(delta_ptr + rows, mask=here, other=0.0)
        scores_t = tl.dot(k, q_t, input_precision="ieee") * scale
        seen = (rows[None, :] >= columns[:, None]) & here[None, :] & inside[:, None]
        p_t = tl.where(seen, tl.exp(scores_t - lse[None, :]), 0.0)
        dv += tl.dot(p_t.to(do.dtype), do, input_precision="ieee")
        dp_t = tl.dot(v, tl.trans(do), input_precision="ieee")
        ds_t = p_t * (dp_t - delta[None, :]) * scale
        dk += tl.dot(ds_t.to(q_t.dtype), tl.trans(q_t), input_precision="ieee")
    tl.store(dk_ptr + at, dk, mask=inside[:, None])
    tl.store(dv_ptr + at, dv, mask=inside[:, None])


@triton.jit
def split_decode(q_ptr, k_ptr, v_ptr, part_ptr, top_ptr, sum_ptr, length, per_split, scale,
                 H: tl.constexpr, D: tl.constexpr, N: tl.constexpr):
    """H heads of one query over a part of the keys, without a dot: products and sums over axes."""
    split = tl.program_id(0)
    h = tl.arange(0, H)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + h[:, None] * D + d).to(tl.float32)
    top = tl.full([H], float("-inf"), tl.float32)
    total = tl.zeros([H], tl.float32)
    out = tl.zeros([H, D], tl.float32)
    low = split * per_split
    high = tl.minimum(low + per_split, length)
    for start in range(low, high, N):
        n = start + tl.arange(0, N)
        k = tl.load(k_ptr + n[:, None] * D + d, mask=(n < high)[:, None], other=0).to(tl.float32)
        v = tl.load(v_ptr + n[:, None] * D + d, mask=(n < high)[:, None], other=0).to(tl.float32)
        scores = tl.sum(q[:, None, :] * k[None, :, :], axis=2) * scale
        scores = tl.where((n < high)[None, :], scores, float("-inf"))
        higher = tl.maximum(top, tl.max(scores, 1))
        shrink = tl.exp(top - higher)
        p = tl.exp(scores - higher[:, None])
        total = total * shrink + tl.sum(p, 1)
        out = out * shrink[:, None] + tl.sum(p[:, :, None] * v[None, :, :], axis=1)
        top = higher
    tl.store(part_ptr + split * H * D + h[:, None] * D + d, out)
    tl.store(top_ptr + split * H + h, top)
    tl.store(sum_ptr + split * H + h, total)


@triton.jit
def _join(top_a, sum_a, top_b, sum_b):
    top = tl.maximum(top_a, top_b)
    base = tl.where(top == float("-inf"), 0.0, top)
    return top, sum_a * tl.exp(top_a - base) + sum_b * tl.exp(top_b - base)


@triton.jit
def join_splits(part_ptr, top_ptr, sum_ptr, o_ptr, splits, H: tl.constexpr, D: tl.constexpr,
                S: tl.constexpr):
    """The parts that split_decode gave, put together by a reduction of pairs."""
    h = tl.program_id(0)
    s = tl.arange(0, S)
    d = tl.arange(0, D)
    top = tl.load(top_ptr + s * H + h, mask=s < splits, other=float("-inf"))
    total = tl.load(sum_ptr + s * H + h, mask=s < splits, other=0.0)
    best, whole = tl.reduce((top, total), 0, _join)
    part = tl.load(part_ptr + (s[:, None] * H + h) * D + d, mask=s[:, None] < splits, other=0.0)
    out = tl.sum(part * tl.exp(top - best)[:, None], axis=0) / whole
    tl.store(o_ptr + h * D + d, out)


@triton.jit
def key_gradient_of_lengths(q_ptr, k_ptr, v_ptr, do_ptr, lse_ptr, delta_ptr, dk_ptr, dv_ptr, starts_ptr,
                            lengths_ptr, scale, row, heads, D: tl.constexpr, M: tl.constexpr,
                            N: tl.constexpr, CAUSAL: tl.constexpr):
    """d_k, d_v of sequences that lie one behind the other: lse and delta (exponents of 2) are small
    tiles of each round that all threads want."""
    start, length = tl.load(starts_ptr + tl.program_id(2)), tl.load(lengths_ptr + tl.program_id(2))
    head = tl.program_id(1)
    if tl.program_id(0) * N >= length:
        return
    n = tl.program_id(0) * N + tl.arange(0, N)
    d = tl.arange(0, D)
    first = start * row + head * D
    at = first + n[:, None] * row + d[None, :]
    seen = n[:, None] < length
    k = tl.load(k_ptr + at, mask=seen, other=0.0)
    v = tl.load(v_ptr + at, mask=seen, other=0.0)
    dk = tl.zeros([N, D], tl.float32)
    dv = tl.zeros([N, D], tl.float32)
    for m in range(tl.program_id(0) * N // M * M if CAUSAL else 0, length, M):
        rows = m + tl.arange(0, M)
        inside = rows < length
        q = tl.load(q_ptr + first + rows[:, None] * row + d[None, :], mask=inside[:, None], other=0.0)
        lse = tl.load(lse_ptr + (start + rows) * heads + head, mask=inside, other=0.0)
        p = tl.math.exp2(tl.dot(k, tl.trans(q)) * scale - lse[None, :])
        counts = seen & inside[None, :]
        if CAUSAL:
            counts = counts & (n[:, None] <= rows[None, :])
        p = tl.where(counts, p, 0.0)
        do = tl.load(do_ptr + first + rows[:, None] * row + d[None, :], mask=inside[:, None], other=0.0)
        dv += tl.dot(p.to(do.dtype), do)
        delta = tl.load(delta_ptr + (start + rows) * heads + head, mask=inside, other=0.0)
        ds = p * (tl.dot(v, tl.trans(do)) - delta[None, :])
        dk += tl.dot(ds.to(q.dtype), q)
    tl.store(dv_ptr + at, dv, mask=seen)
    tl.store(dk_ptr + at, dk, mask=seen)


@triton.jit
def linear_attention(q_ptr, k_ptr, v_ptr, decay_ptr, o_ptr, state_ptr, length, D: tl.constexpr,
                     T: tl.constexpr):
    """o_t = q_t S_t, S_t = g_t S_(t-1) + k_t^T v_t with g_t = exp(decay_t), by chunks of T."""
    d = tl.arange(0, D)
    t = tl.arange(0, T)
    state = tl.zeros([D, D], tl.float32)
    for start in range(0, length, T):
        inside = start + t < length
        at = (start + t)[:, None] * D + d[None, :]
        q = tl.load(q_ptr + at, mask=inside[:, None], other=0.0)
        k = tl.load(k_ptr + at, mask=inside[:, None], other=0.0)
        v = tl.load(v_ptr + at, mask=inside[:, None], other=0.0)
        g = tl.cumsum(tl.load(decay_ptr + start + t, mask=inside, other=0.0), axis=0)
        last = tl.sum(tl.where(t == T - 1, g, 0.0), axis=0)
        weight = tl.where(t[:, None] >= t[None, :], tl.exp(g[:, None] - g[None, :]), 0.0)
        near = tl.dot(q, k.T, input_precision="ieee") * weight
        out = tl.dot(near, v, input_precision="ieee")
        out += tl.dot(q * tl.exp(g)[:, None], state, input_precision="ieee")
        tl.store(o_ptr + at, out, mask=inside[:, None])
        fade = k * tl.exp(last - g)[:, None]
        state = state * tl.exp(last) + tl.dot(fade.T, v, input_precision="ieee")
    tl.store(state_ptr + d[:, None] * D + d[None, :], state)


@triton.jit
def relative_scores(q_ptr, k_ptr, slope_ptr, o_ptr, length, window, cap, D: tl.constexpr,
                    N: tl.constexpr):
    """Softmax of capped scores with a slope a head, over a window: one tile of [heads, N, N]."""
    h = tl.arange(0, 2)
    n = tl.arange(0, N)
    d = tl.arange(0, D)
    at = (h[:, None, None] * length + n[None, :, None]) * D + d[None, None, :]
    inside = (n < length)[None, :, None]
    q = tl.load(q_ptr + at, mask=inside, other=0.0)
    k = tl.load(k_ptr + at, mask=inside, other=0.0)
    scores = tl.dot(q, tl.permute(k, (0, 2, 1)), input_precision="ieee")
    up = tl.exp(2.0 * scores / cap)
    scores = cap * (1 - 2 / (up + 1))
    back = n[:, None] - n[None, :]
    scores -= tl.load(slope_ptr + h)[:, None, None] * back.to(tl.float32)
    seen = (back >= 0) & (back < window) & (n < length)[None, :]
    scores = tl.where(seen, scores, float("-inf"))
    p = tl.exp(scores - tl.max(scores, axis=2, keep_dims=True))
    p = p / tl.sum(p, axis=2, keep_dims=True)
    place = (h[:, None, None] * length + n[None, :, None]) * length + n[None, None, :]
    tl.store(o_ptr + place, p, mask=inside & (n < length)[None, None, :])
