"""Normalisations, softmax and losses: sums along every axis, sums of several tiles at once, sums
across programs by atomics and by locks."""

import triton
import triton.language as tl


@triton.jit
def rows_forward(x_ptr, w_ptr, b_ptr, y_ptr, mean_ptr, rstd_ptr, stride, n, eps,
                 BLOCK: tl.constexpr):
    """Layer norm of a row in one tile."""
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    inside = columns < n
    x = tl.load(x_ptr + row * stride + columns, mask=inside, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / n
    centred = tl.where(inside, x - mean, 0.0)
    rstd = tl.rsqrt(tl.sum(centred * centred, axis=0) / n + eps)
    w = tl.load(w_ptr + columns, mask=inside)
    b = tl.load(b_ptr + columns, mask=inside)
    tl.store(y_ptr + row * n + columns, centred * rstd * w + b, mask=inside)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)


@triton.jit
def _both(mean_a, square_a, n_a, mean_b, square_b, n_b):
    n = n_a + n_b
    part = tl.where(n == 0, 0.0, n_b / n)
    delta = mean_b - mean_a
    return mean_a + delta * part, square_a + square_b + delta * delta * n_a * part, n


@triton.jit
def rows_welford(x_ptr, mean_ptr, var_ptr, m, n, M: tl.constexpr, N: tl.constexpr):
    """Mean and variance of M rows at once: tiles of running triples, joined by one reduction."""
    rows = tl.program_id(0) * M + tl.arange(0, M)
    mean = tl.zeros([M, N], tl.float32)
    square = tl.zeros([M, N], tl.float32)
    count = tl.zeros([M, N], tl.float32)
    for start in range(0, n, N):
        columns = start + tl.arange(0, N)
        inside = (rows < m)[:, None] & (columns < n)[None, :]
        x = tl.load(x_ptr + rows[:, None] * n + columns, mask=inside, other=0.0).to(tl.float32)
        more = count + 1
        delta = x - mean
        next_mean = mean + delta / more
        square = tl.where(inside, square + delta * (x - next_mean), square)
        mean = tl.where(inside, next_mean, mean)
        count = tl.where(inside, more, count)
    mean, square, count = tl.reduce((mean, square, count), 1, _both)
    tl.store(mean_ptr + rows, mean, mask=rows < m)
    tl.store(var_ptr + rows, square / count, mask=rows < m)


@triton.jit
def rows_backward(dy_ptr, x_ptr, w_ptr, mean_ptr, rstd_ptr, dx_ptr, dw_ptr, db_ptr, lock_ptr,
                  n, GROUPS: tl.constexpr, LOCKED: tl.constexpr, BLOCK: tl.constexpr):
    """dx of a row; what it adds to dw and db goes to one of GROUPS rows, under a lock that also
    counts whether the row is still empty, or by atomic additions."""
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    inside = columns < n
    x = tl.load(x_ptr + row * n + columns, mask=inside, other=0).to(tl.float32)
    dy = tl.load(dy_ptr + row * n + columns, mask=inside, other=0).to(tl.float32)
    w = tl.load(w_ptr + columns, mask=inside, other=0).to(tl.float32)
    mean = tl.load(mean_ptr + row)
    rstd = tl.load(rstd_ptr + row)
    xhat = tl.where(inside, (x - mean) * rstd, 0.0)
    wdy = w * dy
    along = tl.sum(xhat * wdy, axis=0) / n
    level = tl.sum(wdy, axis=0) / n
    tl.store(dx_ptr + row * n + columns, (wdy - (xhat * along + level)) * rstd, mask=inside)
    group = row % GROUPS
    dw_at = dw_ptr + group * n + columns
    db_at = db_ptr + group * n + columns
    if LOCKED:
        while tl.atomic_cas(lock_ptr + group, 0, 1) == 1:
            pass
        count = tl.load(lock_ptr + GROUPS + group)
        dw = dy * xhat
        db = dy
        if count == 0:
            tl.atomic_xchg(lock_ptr + GROUPS + group, 1)
        else:
            dw += tl.load(dw_at, mask=inside)
            db += tl.load(db_at, mask=inside)
        tl.store(dw_at, dw, mask=inside)
        tl.store(db_at, db, mask=inside)
        tl.debug_barrier()
        tl.atomic_xchg(lock_ptr + group, 0)
    else:
        tl.atomic_add(dw_at, dy * xhat, mask=inside)
        tl.atomic_add(db_at, dy, mask=inside, sem="relaxed", scope="gpu")


@triton.jit
def columns_forward(x_ptr, y_ptr, mean_ptr, n_rows, n, eps, M: tl.constexpr, N: tl.constexpr):
    """Normalisation of columns: sums along axis 0, in three passes over tall tiles."""
    columns = tl.program_id(0) * N + tl.arange(0, N)
    total = tl.zeros([N], tl.float32)
    for start in range(0, n_rows, M):
        rows = start + tl.arange(0, M)
        inside = (rows < n_rows)[:, None] & (columns < n)[None, :]
        x = tl.load(x_ptr + rows[:, None] * n + columns[None, :], mask=inside, other=0.0)
        total += tl.sum(x.to(tl.float32), axis=0)
    mean = total / n_rows
    square = tl.zeros([N], tl.float32)
    for start in range(0, n_rows, M):
        rows = start + tl.arange(0, M)
        inside = (rows < n_rows)[:, None] & (columns < n)[None, :]
        x = tl.load(x_ptr + rows[:, None] * n + columns[None, :], mask=inside, other=0.0)
        centred = tl.where(inside, x.to(tl.float32) - mean[None, :], 0.0)
        square += tl.sum(centred * centred, axis=0)
    rstd = 1 / tl.sqrt(square / n_rows + eps)
    for start in range(0, n_rows, M):
        rows = start + tl.arange(0, M)
        inside = (rows < n_rows)[:, None] & (columns < n)[None, :]
        x = tl.load(x_ptr + rows[:, None] * n + columns[None, :], mask=inside, other=0.0)
        y = (x.to(tl.float32) - mean) * rstd
        tl.store(y_ptr + rows[:, None] * n + columns[None, :], y, mask=inside)
    tl.store(mean_ptr + columns, mean, mask=columns < n)


@triton.jit
def groups_forward(x_ptr, w_ptr, b_ptr, y_ptr, eps, G: tl.constexpr, C: tl.constexpr,
                   S: tl.constexpr):
    """Group norm of a sample in one tile of [groups, channels of one, places]."""
    g, c = tl.arange(0, G)[:, None, None], tl.arange(0, C)[None, :, None]
    s = tl.arange(0, S)[None, None, :]
    at = tl.program_id(0) * (G * C * S) + (g * C + c) * S + s
    x = tl.load(x_ptr + at).to(tl.float32)
    mean = tl.sum(tl.sum(x, axis=2), axis=1) / (C * S)
    centred = x - mean[:, None, None]
    square = tl.sum(tl.reshape(centred * centred, (G, C * S)), axis=1)
    rstd = tl.rsqrt(square / (C * S) + eps)[:, None, None]
    w = tl.load(w_ptr + g * C + c)
    b = tl.load(b_ptr + g * C + c)
    tl.store(y_ptr + at, centred * rstd * w + b)


@triton.jit
def residual_rms(x_ptr, r_ptr, w_ptr, y_ptr, n, eps, M: tl.constexpr, BLOCK: tl.constexpr):
    """r += x in place, y = rms_norm(r) * w, for M rows in one tile."""
    rows = tl.program_id(0) * M + tl.arange(0, M)[:, None]
    columns = tl.arange(0, BLOCK)[None, :]
    inside = columns < n
    at = rows * n + columns
    x = tl.load(x_ptr + at, mask=inside, other=0.0).to(tl.float32)
    r = tl.load(r_ptr + at, mask=inside, other=0.0).to(tl.float32) + x
    tl.store(r_ptr + at, r.to(r_ptr.dtype.element_ty), mask=inside)
    rstd = tl.rsqrt(tl.sum(r * r, axis=1, keep_dims=True) / n + eps)
    y = (r * rstd).to(w_ptr.dtype.element_ty) * tl.load(w_ptr + columns, mask=inside)
    tl.store(y_ptr + at, y, mask=inside)


@triton.jit
def softmax_axis(x_ptr, y_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr,
                 AXIS: tl.constexpr):
    """Softmax of a tile of rank 3 along any of its axes."""
    at = (tl.arange(0, A)[:, None, None] * B + tl.arange(0, B)[None, :, None]) * C \
        + tl.arange(0, C)[None, None, :]
    x = tl.load(x_ptr + at).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=AXIS, keep_dims=True))
    tl.store(y_ptr + at, e / tl.sum(e, axis=AXIS, keep_dims=True))


@triton.jit
def softmax_loop(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    """Softmax of a row that is longer than a tile: maximum and sum as scalars in one pass."""
    row = tl.program_id(0)
    top = float("-inf")
    total = 0.0
    for start in range(0, n, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n + columns, mask=columns < n, other=float("-inf"))
        higher = tl.maximum(top, tl.max(x.to(tl.float32), axis=0))
        total = total * tl.exp(top - higher) + tl.sum(tl.exp(x.to(tl.float32) - higher), axis=0)
        top = higher
    for start in range(0, n, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n + columns, mask=columns < n)
        tl.store(y_ptr + row * n + columns, tl.exp(x.to(tl.float32) - top) / total,
                 mask=columns < n)


@triton.jit
def activations(x_ptr, silu_ptr, power_ptr, share_ptr, inverse_ptr, sums_ptr, exact_ptr, N: tl.constexpr):
    """Of a row: silu, 2^x, softmax and 1 / e^x in the dtypes of their arrays, the sum of e^x, and
    sigmoid and powers in fp32, whose last bits count."""
    at = tl.program_id(0) * N + tl.arange(0, N)
    x = tl.load(x_ptr + at)
    s = 1 / (1 + tl.exp(-x))
    tl.store(silu_ptr + at, (x * s).to(silu_ptr.dtype.element_ty))
    tl.store(power_ptr + at, tl.exp2(x).to(power_ptr.dtype.element_ty))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(share_ptr + at, (e / tl.sum(e, axis=0)).to(share_ptr.dtype.element_ty))
    tl.store(inverse_ptr + at, (1 / tl.exp(x)).to(inverse_ptr.dtype.element_ty))
    tl.store(sums_ptr + tl.program_id(0), tl.sum(tl.exp(x), axis=0))
    tl.store(exact_ptr + at * 2, 1 / (1 + tl.exp(x)))
    tl.store(exact_ptr + at * 2 + 1, tl.exp(x))


@triton.jit
def cross_entropy(x_ptr, label_ptr, loss_ptr, total_ptr, count_ptr, n, ignored, smoothing,
                  BLOCK: tl.constexpr):
    """Losses, their sum and count by atomics, and the gradient in place of x."""
    row = tl.program_id(0).to(tl.int64)
    label = tl.load(label_ptr + row)
    x_ptr += row * n
    if label == ignored:
        for start in range(0, n, BLOCK):
            columns = start + tl.arange(0, BLOCK)
            tl.store(x_ptr + columns, 0.0, mask=columns < n)
        return
    top = float("-inf")
    total = 0.0
    level = 0.0
    at_label = tl.load(x_ptr + label).to(tl.float32)
    for start in range(0, n, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + columns, mask=columns < n, other=float("-inf")).to(tl.float32)
        level += tl.sum(tl.where(columns < n, x, 0.0))
        higher = max(top, tl.max(x))
        total = total * tl.exp(top - higher) + tl.sum(tl.exp(x - higher))
        top = higher
    lse = top + tl.log(total)
    loss = lse - (1 - smoothing) * at_label - smoothing / n * level
    tl.store(loss_ptr + row, loss)
    tl.atomic_add(total_ptr, loss)
    tl.atomic_add(count_ptr, 1)
    tl.debug_barrier()
    for start in range(0, n, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + columns, mask=columns < n).to(tl.float32)
        target = tl.where(columns == label, 1 - smoothing, 0.0) + smoothing / n
        tl.store(x_ptr + columns, tl.exp(x - lse) - target, mask=columns < n)


@triton.jit
def across(x_ptr, sums_ptr, most_ptr, rows_ptr, columns_ptr, M: tl.constexpr, N: tl.constexpr):
    """Sums and greatest elements of a tile, of its rows, and sums of its columns: what many warps
    have found comes together in lanes."""
    rows, columns = tl.arange(0, M), tl.arange(0, N)
    x = tl.load(x_ptr + rows[:, None] * N + columns[None, :])
    tl.store(sums_ptr, tl.sum(x))
    tl.store(sums_ptr + 1 + rows, tl.sum(x, axis=1))
    tl.store(most_ptr, tl.max(x))
    tl.store(rows_ptr + rows, tl.max(x, axis=1))
    tl.store(columns_ptr + columns, tl.sum(x, axis=0))
