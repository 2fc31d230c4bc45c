"""Normalisations: RMS forward and backward, group norm, layer norm backward, Welford's variance."""

import torch
import torch.nn as nn

import triton
import triton.language as tl


@triton.jit
def rms_forward(
    Y_ptr, Y_row_stride,
    X_ptr, X_row_stride,
    W_ptr, RSTD_ptr,
    n_cols, eps, offset,
    casting_mode: tl.constexpr,
    BLOCK_SIZE: tl.constexpr,
):
    """y = x / rms(x) * (offset + w); the mode says where the sums are made wider."""
    row_idx = tl.program_id(0).to(tl.int64)
    col_offsets = tl.arange(0, BLOCK_SIZE)
    mask = col_offsets < n_cols

    Y_ptr += row_idx * Y_row_stride
    X_ptr += row_idx * X_row_stride
    RSTD_ptr += row_idx

    X_row = tl.load(X_ptr + col_offsets, mask=mask, other=0)
    X_row_dtype = X_row.dtype
    W_row = tl.load(W_ptr + col_offsets, mask=mask, other=0)

    if casting_mode == "llama":
        X_row = X_row.to(tl.float32)
    elif casting_mode == "gemma":
        W_row = W_row.to(tl.float32)
        X_row = X_row.to(tl.float32)
    elif casting_mode == "none":
        eps = eps.to(X_row_dtype)
        offset = offset.to(X_row_dtype)
    else:
        tl.static_assert(False, f"no such casting mode: {casting_mode}")

    mean_square = tl.sum(X_row * X_row, axis=0) / n_cols
    rstd = tl.rsqrt(mean_square.to(tl.float32) + eps)
    tl.store(RSTD_ptr, rstd)
    X_row = X_row * rstd
    if casting_mode == "llama":
        X_row = X_row.to(X_row_dtype)
    Y_row = X_row * (offset + W_row)
    if casting_mode == "gemma":
        Y_row = Y_row.to(X_row_dtype)
    tl.store(Y_ptr + col_offsets, Y_row, mask=mask)


@triton.jit
def rms_backward(
    dY_ptr, dY_row_stride, dX_ptr, dX_row_stride, X_ptr, X_row_stride,
    W_ptr, RSTD_ptr, dW_ptr, dW_row_stride,
    n_rows, n_cols, rows_per_program, offset,
    BLOCK_SIZE: tl.constexpr,
):
    """Each program does some rows and leaves its part of dW in a row of its own."""
    row_block_id = tl.program_id(0).to(tl.int64)
    row_start = row_block_id * rows_per_program
    row_end = min((row_block_id + 1) * rows_per_program, n_rows)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    dW_row = tl.zeros((BLOCK_SIZE,), dtype=tl.float32)

    dY_ptr += row_start * dY_row_stride
    dX_ptr += row_start * dX_row_stride
    X_ptr += row_start * X_row_stride
    RSTD_ptr += row_start
    W_row = tl.load(W_ptr + cols, mask=mask, other=0.0) + offset

    for _ in range(row_start, row_end):
        dY_row = tl.load(dY_ptr + cols, mask=mask, other=0.0).to(tl.float32)
        X_row = tl.load(X_ptr + cols, mask=mask, other=0.0).to(tl.float32)
        rstd_row = tl.load(RSTD_ptr)
        m = dY_row * W_row
        dX_row = rstd_row * m
        dX_row += rstd_row * (-(1 / n_cols) * rstd_row * rstd_row *
                              tl.sum(m * X_row, axis=0) * X_row)
        dW_row += dY_row * (X_row * rstd_row)
        tl.store(dX_ptr + cols, dX_row.to(dX_ptr.dtype.element_ty), mask=mask)
        dY_ptr += dY_row_stride
        dX_ptr += dX_row_stride
        X_ptr += X_row_stride
        RSTD_ptr += 1

    tl.store(dW_ptr + row_block_id * dW_row_stride + cols, dW_row, mask=mask)


@triton.jit
def group_norm_kernel(
    X_ptr, Y_ptr, Mean_ptr, RSTD_ptr, W_ptr, B_ptr,
    channels_per_group, hidden_size, num_channels, eps,
    HAS_BIAS: tl.constexpr, BLOCK_SIZE: tl.constexpr,
):
    """Program (i, g) does group g of sample i: channels_per_group rows of hidden_size elements."""
    batch_idx = tl.program_id(0)
    group_idx = tl.program_id(1)
    size = channels_per_group * hidden_size
    X_ptr += batch_idx * num_channels * hidden_size + group_idx * size
    Y_ptr += batch_idx * num_channels * hidden_size + group_idx * size

    s = 0.0
    squared_sum = 0.0
    for i in range(0, size, BLOCK_SIZE):
        offsets = i + tl.arange(0, BLOCK_SIZE)
        x = tl.load(X_ptr + offsets, mask=offsets < size, other=0.0)
        s += tl.sum(x.to(tl.float32))
        squared_sum += tl.sum(x.to(tl.float32) * x)
    m = s / size
    variance = squared_sum / size - m * m
    rstd = 1 / tl.sqrt(variance + eps)

    first = group_idx * channels_per_group
    for channel_idx in tl.range(first, (group_idx + 1) * channels_per_group):
        W = tl.load(W_ptr + channel_idx)
        if HAS_BIAS:
            B = tl.load(B_ptr + channel_idx)
        else:
            B = tl.full((), 0, W.dtype)
        for i in range(0, hidden_size, BLOCK_SIZE):
            offsets = i + tl.arange(0, BLOCK_SIZE)
            mask = offsets < hidden_size
            p = (channel_idx - first) * hidden_size + offsets
            x = tl.load(X_ptr + p, mask=mask, other=m)
            tl.store(Y_ptr + p, (x - m) * rstd * W + B, mask=mask)
    num_groups = tl.num_programs(1)
    tl.store(Mean_ptr + batch_idx * num_groups + group_idx, m)
    tl.store(RSTD_ptr + batch_idx * num_groups + group_idx, rstd)


@triton.jit
def layer_norm_bwd_dx(
    DX, DY, DW, DB, X, W, Mean, Rstd, Lock, stride, N,
    GROUP_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr, USE_LOCK: tl.constexpr = False,
):
    """dx of one row; its parts of dw and db go into one of GROUP_SIZE_M rows of sums."""
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK_SIZE_N)
    mask = cols < N
    X += row * stride
    DY += row * stride
    DX += row * stride
    lock_id = row % GROUP_SIZE_M
    DW = DW + lock_id * N + cols
    DB = DB + lock_id * N + cols
    x = tl.load(X + cols, mask=mask, other=0).to(tl.float32)
    dy = tl.load(DY + cols, mask=mask, other=0).to(tl.float32)
    w = tl.load(W + cols, mask=mask).to(tl.float32)
    mean = tl.load(Mean + row)
    rstd = tl.load(Rstd + row)
    xhat = (x - mean) * rstd
    wdy = w * dy
    xhat = tl.where(mask, xhat, 0.)
    wdy = tl.where(mask, wdy, 0.)
    c1 = tl.sum(xhat * wdy, axis=0) / N
    c2 = tl.sum(wdy, axis=0) / N
    dx = (wdy - (xhat * c1 + c2)) * rstd
    tl.store(DX + cols, dx, mask=mask)
    partial_dw = (dy * xhat).to(w.dtype)
    partial_db = (dy).to(w.dtype)
    if USE_LOCK:
        Lock += lock_id
        Count = Lock + GROUP_SIZE_M
        while tl.atomic_cas(Lock, 0, 1) == 1:
            pass
        count = tl.load(Count)
        if count == 0:
            tl.atomic_xchg(Count, 1)
        else:
            partial_dw += tl.load(DW, mask=mask)
            partial_db += tl.load(DB, mask=mask)
        tl.store(DW, partial_dw, mask=mask)
        tl.store(DB, partial_db, mask=mask)
        tl.debug_barrier()
        tl.atomic_xchg(Lock, 0)
    else:
        tl.atomic_add(DW, partial_dw, mask=mask, sem="relaxed")
        tl.atomic_add(DB, partial_db, mask=mask, sem="relaxed", scope="gpu")


@triton.jit
def layer_norm_bwd_dwdb(
    DW, DB, FINAL_DW, FINAL_DB, M, N,
    BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr,
):
    pid = tl.program_id(0)
    cols = pid * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    dw = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    db = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    for i in range(0, M, BLOCK_SIZE_M):
        rows = i + tl.arange(0, BLOCK_SIZE_M)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        offs = rows[:, None] * N + cols[None, :]
        dw += tl.load(DW + offs, mask=mask, other=0.)
        db += tl.load(DB + offs, mask=mask, other=0.)
    tl.store(FINAL_DW + cols, tl.sum(dw, axis=0), mask=cols < N)
    tl.store(FINAL_DB + cols, tl.sum(db, axis=0), mask=cols < N)


@triton.jit
def welford_combine(mean_1, m2_1, weight_1, mean_2, m2_2, weight_2):
    delta = mean_2 - mean_1
    new_weight = weight_1 + weight_2
    w2_over_w = tl.where(new_weight == 0.0, 0.0, weight_2 / new_weight)
    return (
        mean_1 + delta * w2_over_w,
        m2_1 + m2_2 + delta * delta * weight_1 * w2_over_w,
        new_weight,
    )


@triton.jit
def welford(value, weight, dim: tl.constexpr):
    return tl.reduce((value, tl.zeros_like(value), weight), dim, welford_combine)


@triton.jit
def variance_kernel(in_ptr0, out_mean, out_var, xnumel, rnumel,
                    XBLOCK: tl.constexpr, RBLOCK: tl.constexpr):
    """Mean and variance of rows that are read in pieces, combined after Welford."""
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    rbase = tl.arange(0, RBLOCK)[None, :]
    mean = tl.full([XBLOCK, 1], 0, tl.float32)
    m2 = tl.full([XBLOCK, 1], 0, tl.float32)
    weight = tl.full([XBLOCK, 1], 0, tl.float32)
    for roffset in range(0, rnumel, RBLOCK):
        rindex = roffset + rbase
        rmask = rindex < rnumel
        x = tl.load(in_ptr0 + (rindex + rnumel * xindex), rmask & xmask,
                    eviction_policy="evict_first", other=0).to(tl.float32)
        ones = tl.where(rmask & xmask, 1.0, 0.0)
        tile_mean, tile_m2, tile_weight = welford(x, ones, 1)
        mean, m2, weight = welford_combine(mean, m2, weight, tile_mean[:, None],
                                           tile_m2[:, None], tile_weight[:, None])
    tl.store(out_mean + xindex, mean, xmask)
    tl.store(out_var + (xindex), (m2 / weight), xmask)


class RMSNorm(nn.Module):
    def __init__(self, hidden_size, eps=1e-6, offset=0.0, casting_mode="llama"):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden_size))
        self.eps, self.offset, self.casting_mode = eps, offset, casting_mode

    def forward(self, X):
        shape = X.shape
        X = X.view(-1, shape[-1])
        n_rows, n_cols = X.shape
        BLOCK_SIZE = triton.next_power_of_2(n_cols)
        if BLOCK_SIZE > 65536:
            raise RuntimeError(f"Cannot hold a row of {n_cols}")
        Y = torch.empty_like(X)
        RSTD = torch.empty(n_rows, dtype=torch.float32, device=X.device)
        rms_forward[(n_rows,)](Y, Y.stride(0), X, X.stride(0), self.weight, RSTD, n_cols, self.eps,
                               self.offset, self.casting_mode, BLOCK_SIZE=BLOCK_SIZE, num_warps=8)
        return Y.view(*shape)

    def extra_repr(self):
        return f"{tuple(self.weight.shape)}, eps={self.eps}, offset={self.offset}"
