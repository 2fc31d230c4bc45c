"""Losses and softmax: cross entropy, KL divergence, masked softmax, argmax and top-1, dropout."""

import torch
import triton
import triton.language as tl

try:
    from triton.language.extra.libdevice import tanh
except ModuleNotFoundError:
    from triton.language.extra.cuda.libdevice import tanh

MAX_FUSED_SIZE = 65536 // 2
_REDUCTION_MODE_NONE: tl.constexpr = tl.constexpr(0)
_REDUCTION_MODE_SUM = tl.constexpr(1)
_REDUCTION_MODE_MEAN = tl.constexpr(2)
_str_to_mode = {"none": _REDUCTION_MODE_NONE.value, "sum": 1, "mean": 2}


@triton.jit
def weighted_cross_entropy_kernel(
    X_ptr, X_stride,
    Y_ptr, Y_stride,
    weight_ptr,
    loss_ptr, loss_stride,
    n_cols, n_non_ignore,
    ignore_index, label_smoothing: tl.constexpr,
    softcap,
    reduction: tl.constexpr,
    BLOCK_SIZE: tl.constexpr,
    HAS_WEIGHT: tl.constexpr,
    HAS_SOFTCAPPING: tl.constexpr,
):
    """The loss of one row; its gradient replaces the row."""
    program_id = tl.program_id(0).to(tl.int64)
    Y_ptr += program_id * Y_stride
    y = tl.load(Y_ptr)
    X_ptr += program_id * X_stride
    if y == ignore_index:
        # no loss: a gradient of zeros
        for i in range(0, n_cols, BLOCK_SIZE):
            X_offsets = i + tl.arange(0, BLOCK_SIZE)
            tl.store(X_ptr + X_offsets, 0.0, mask=X_offsets < n_cols)
        return

    loss_ptr += program_id * loss_stride
    if HAS_WEIGHT:
        weight_y = tl.load(weight_ptr + y).cast(tl.float32)

    m = float("-inf")
    d = 0.0
    ori_X_y = tl.load(X_ptr + y).cast(tl.float32)
    if HAS_SOFTCAPPING:
        ori_X_y = softcap * tanh(ori_X_y / softcap)
    scaled_x_sum = 0.0
    eps = label_smoothing / n_cols
    for i in range(0, n_cols, BLOCK_SIZE):
        X_offsets = i + tl.arange(0, BLOCK_SIZE)
        X_block = tl.load(X_ptr + X_offsets, mask=X_offsets < n_cols,
                          other=float("-inf")).cast(tl.float32)
        if HAS_SOFTCAPPING:
            X_block = tl.where(X_offsets < n_cols, softcap * tanh(X_block / softcap), -float("inf"))
        block_max = tl.max(X_block)
        if label_smoothing > 0:
            scaled_x_sum += tl.sum(tl.where(X_offsets < n_cols, -eps * X_block, 0.0))
        m_new = tl.maximum(m, block_max)
        d = d * tl.exp(m - m_new) + tl.sum(tl.exp(X_block - m_new))
        m = m_new
    lse = m + tl.log(d)

    for i in range(0, n_cols, BLOCK_SIZE):
        X_offsets = i + tl.arange(0, BLOCK_SIZE)
        X_block = tl.load(X_ptr + X_offsets, mask=X_offsets < n_cols,
                          other=float("-inf")).cast(tl.float32)
        if HAS_SOFTCAPPING:
            intermediate = tanh(X_block / softcap)
            X_block = softcap * intermediate
        X_block = tl.exp(X_block - m) / d
        X_block += -eps
        X_block = tl.where(X_offsets != y, X_block, X_block - (1 - label_smoothing))
        if HAS_WEIGHT:
            X_block = X_block * weight_y
        if reduction == "mean":
            X_block = X_block / n_non_ignore
        if HAS_SOFTCAPPING:
            X_block = X_block * (1 - intermediate * intermediate)
        tl.store(X_ptr + X_offsets, X_block, mask=X_offsets < n_cols)

    tl.debug_barrier()
    loss = lse - ori_X_y
    if label_smoothing > 0:
        smooth_loss = scaled_x_sum + label_smoothing * lse
        loss = loss * (1 - label_smoothing) + smooth_loss
    if HAS_WEIGHT:
        loss = loss * weight_y
    if reduction == "mean":
        loss = loss / n_non_ignore
    tl.store(loss_ptr, loss)


def cross_entropy(x, y, weight=None, ignore_index=-100, label_smoothing=0.0, reduction="mean",
                  softcap=None):
    BT, V = x.shape
    loss_1d = torch.zeros(BT, dtype=torch.float32, device=x.device)
    count = (y != ignore_index).sum().item()
    weighted_cross_entropy_kernel[(BT,)](
        X_ptr=x, X_stride=x.stride(-2), Y_ptr=y, Y_stride=y.stride(-1), weight_ptr=weight,
        loss_ptr=loss_1d, loss_stride=loss_1d.stride(-1), n_cols=V, n_non_ignore=count,
        ignore_index=ignore_index, label_smoothing=label_smoothing, softcap=softcap,
        reduction=reduction, BLOCK_SIZE=min(MAX_FUSED_SIZE, triton.next_power_of_2(V)),
        HAS_WEIGHT=weight is not None, HAS_SOFTCAPPING=softcap is not None, num_warps=32)
    return torch.sum(loss_1d), x


@triton.jit
def kl_div_kernel(
    y_ptr, y_stride, gt_ptr, gt_stride, loss_ptr, loss_stride,
    n_cols, eps,
    BLOCK_SIZE: tl.constexpr,
    log_target: tl.constexpr = False,
    reduction: tl.constexpr = _REDUCTION_MODE_SUM,
):
    pid = tl.program_id(0).to(tl.int64)
    y_ptr += pid * y_stride
    gt_ptr += pid * gt_stride
    loss_ptr += pid * loss_stride
    base_offsets = tl.arange(0, BLOCK_SIZE)
    loss_sum = 0.0
    for i in range(0, n_cols, BLOCK_SIZE):
        offsets = i + base_offsets
        mask = offsets < n_cols
        y = tl.load(y_ptr + offsets, mask=mask, other=0.0)
        y_true = tl.load(gt_ptr + offsets, mask=mask, other=0.0)
        if not log_target:
            loss = y_true * (tl.log(tl.maximum(y_true, eps)) - y)
        else:
            loss = tl.exp(y_true) * (y_true - y)
        if reduction == _REDUCTION_MODE_NONE:
            tl.store(loss_ptr + offsets, loss, mask=mask)
        else:
            loss_sum += tl.sum(tl.where(mask, loss, 0.0), axis=0)
    if reduction != _REDUCTION_MODE_NONE:
        if reduction == _REDUCTION_MODE_MEAN:
            loss_sum /= n_cols
        tl.store(loss_ptr, loss_sum)


@triton.jit
def masked_softmax_kernel(
    out_ptr, x_ptr, mask_ptr, bias_ptr, seq_lens_ptr,
    stride_om, stride_xm, stride_mm, n_cols, scale,
    BLOCK: tl.constexpr, MASK_VALUE: tl.constexpr = float("-inf"),
):
    """Rows where nothing is left become zeros.  Each of mask, bias and lengths may be None."""
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    valid = cols < n_cols
    if seq_lens_ptr is not None:
        valid = valid & (cols < tl.load(seq_lens_ptr + row))
    x = tl.load(x_ptr + row * stride_xm + cols, mask=valid, other=MASK_VALUE).to(tl.float32) * scale
    if bias_ptr is not None:
        x += tl.load(bias_ptr + cols, mask=valid, other=0.0)
    if mask_ptr is not None:
        visible = tl.load(mask_ptr + row * stride_mm + cols, mask=valid, other=0)
        if mask_ptr.dtype.element_ty == tl.int1:
            x = tl.where(visible, x, MASK_VALUE)
        else:
            x = tl.where(visible != 0, x, MASK_VALUE)
    row_max = tl.max(x, axis=0)
    row_max = tl.where(row_max == float("-inf"), 0.0, row_max)
    numerator = tl.exp(x - row_max)
    denominator = tl.sum(numerator, axis=0)
    y = numerator / tl.where(denominator == 0, 1.0, denominator)
    tl.store(out_ptr + row * stride_om + cols, y.to(out_ptr.dtype.element_ty), mask=cols < n_cols)


@triton.jit
def _maximum_with_index(a_value, a_index, b_value, b_index):
    mask = a_value > b_value
    equal = a_value == b_value
    if a_value.dtype.is_floating():
        a_isnan = a_value != a_value
        b_isnan = b_value != b_value
        mask |= a_isnan & (not b_isnan)
        equal |= a_isnan & b_isnan
    mask |= equal & (a_index < b_index)
    return tl.where(mask, a_value, b_value), tl.where(mask, a_index, b_index)


@triton.jit
def top1_kernel(x_ptr, value_ptr, index_ptr, argmax_ptr, n_cols,
                BLOCK: tl.constexpr, METHOD: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=float("-inf"))
    if METHOD == "reduce":  # NaN is the greatest, as for PyTorch
        value, index = tl.reduce((x, cols), 0, _maximum_with_index)
    elif METHOD == "max":
        value, index = tl.max(x, axis=0, return_indices=True, return_indices_tie_break_left=True)
    else:
        tl.static_assert(METHOD == "two", "METHOD must be reduce, max or two")
        value, index = tl.max(x, axis=0), tl.argmax(x, axis=0)
    tl.store(value_ptr + row, value)
    tl.store(index_ptr + row, index)
    tl.store(argmax_ptr + row, tl.argmin(-x, 0, keep_dims=False).to(tl.int64))


@triton.jit
def _hash(x, seed, ROUNDS: tl.constexpr = 2):
    """A mixing of 32-bit integers; the multipliers are odd and not small."""
    x = x.to(tl.uint32) ^ seed
    for _ in tl.static_range(ROUNDS):
        x ^= x >> 16
        x = x * 0x7FEB352D
        x ^= x >> 15
        x = x * 0x846CA68B
        x ^= x >> 16
    return x


@triton.jit
def dropout_kernel(x_ptr, out_ptr, keep_ptr, n, p, seed: tl.uint32, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask)
    u = (_hash(offs, seed) >> 8).to(tl.float32) * (1.0 / 16777216.0)
    keep = u >= p
    tl.store(out_ptr + offs, tl.where(keep, x / (1 - p), 0.0), mask=mask)
    tl.store(keep_ptr + offs, keep, mask=mask)
