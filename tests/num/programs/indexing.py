"""Gathers and scatters, scans, histograms, and tiles that change their shape."""

import numpy as np
import torch
import triton
import triton.language as tl
from triton.language.extra.cuda import libdevice


@triton.jit
def embedding_forward(embeddings_ptr, indices_ptr, output_ptr, n_elements,
                      embedding_dim: tl.constexpr, padding_idx,
                      BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr):
    pid_m, pid_n = tl.program_id(0), tl.program_id(1)
    offsets_m = pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    mask_m = offsets_m < n_elements
    indices = tl.load(indices_ptr + offsets_m, mask=mask_m, other=0)
    offsets_n = pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    mask_n = offsets_n < embedding_dim
    rows = indices[:, None] * embedding_dim + offsets_n[None, :]
    if padding_idx is None:
        wanted = mask_m[:, None] & mask_n[None, :]
    else:
        wanted = mask_m[:, None] & mask_n[None, :] & (indices != padding_idx)[:, None]
    embeddings = tl.load(embeddings_ptr + rows, mask=wanted, other=0.0)
    tl.store(output_ptr + offsets_m[:, None] * embedding_dim + offsets_n[None, :], embeddings,
             mask=mask_m[:, None] & mask_n[None, :])


@triton.jit
def embedding_backward(grad_output_ptr, grad_weight_ptr, indices_ptr, n_elements,
                       embedding_dim: tl.constexpr,
                       BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr):
    offsets_m = tl.program_id(0) * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    offsets_n = tl.program_id(1) * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    mask = (offsets_m < n_elements)[:, None] & (offsets_n < embedding_dim)
    indices = tl.load(indices_ptr + offsets_m, mask=offsets_m < n_elements, other=0)
    grad = tl.load(grad_output_ptr + offsets_m[:, None] * embedding_dim + offsets_n, mask=mask)
    tl.atomic_add(grad_weight_ptr + indices[:, None] * embedding_dim + offsets_n, grad, mask=mask)


@triton.jit
def segmented_add(value_a, flag_a, value_b, flag_b):
    return tl.where(flag_b, value_b, value_a + value_b), flag_a | flag_b


@triton.jit
def scans_kernel(x_ptr, flag_ptr, total_ptr, segment_ptr, backward_ptr, product_ptr,
                 stride, n_cols, BLOCK_R: tl.constexpr, BLOCK: tl.constexpr):
    """Per row: running sums carried between pieces, segmented and reversed sums, products."""
    r = tl.program_id(0) * BLOCK_R + tl.arange(0, BLOCK_R)
    carry = tl.zeros([BLOCK_R], dtype=tl.float32)
    for start in range(0, n_cols, BLOCK):
        c = start + tl.arange(0, BLOCK)
        offs = r[:, None] * stride + c[None, :]
        mask = c[None, :] < n_cols
        x = tl.load(x_ptr + offs, mask=mask, other=0.0).to(tl.float32)
        tl.store(total_ptr + offs, tl.cumsum(x, axis=1) + carry[:, None], mask=mask)
        carry += tl.sum(x, 1)
        flag = tl.load(flag_ptr + offs, mask=mask, other=0).to(tl.int32)
        value, _ = tl.associative_scan((x, flag), 1, segmented_add)
        tl.store(segment_ptr + offs, value, mask=mask)
        tl.store(backward_ptr + offs, x.cumsum(1, reverse=True), mask=mask)
        tl.store(product_ptr + offs, tl.cumprod(tl.where(mask, 1 + x * 0.125, 1.0), axis=1),
                 mask=mask)


@triton.jit
def _affine(a1, b1, a2, b2):
    """x -> a1 x + b1, then x -> a2 x + b2."""
    return a1 * a2, a2 * b1 + b2


@triton.jit
def linear_recurrence(a_ptr, b_ptr, h_ptr, n, D, BLOCK: tl.constexpr, REVERSE: tl.constexpr):
    """h[t] = a[t] h[t - 1] + b[t] along the first of two dims (not commutative)."""
    t = tl.arange(0, BLOCK)
    d = tl.program_id(0)
    mask = t < n
    a = tl.load(a_ptr + t * D + d, mask=mask, other=1.0)
    b = tl.load(b_ptr + t * D + d, mask=mask, other=0.0)
    _, h = tl.associative_scan((a, b), axis=0, combine_fn=_affine, reverse=REVERSE)
    tl.store(h_ptr + t * D + d, h, mask=mask)


@triton.jit
def histogram_kernel(x_ptr, bins_ptr, weights_ptr, lowest_ptr, highest_ptr, n, lo, width, N_BINS,
                     BLOCK: tl.constexpr):
    """Counts and weighted counts by atomics, with a persistent loop over all pieces."""
    for tile in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
        offs = tile * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + offs, mask=offs < n, other=lo - 1)
        at = tl.floor((x - lo) / width).to(tl.int32)
        inside = (offs < n) & (at >= 0) & (at < N_BINS)
        at = tl.where(inside, at, 0)
        tl.atomic_add(bins_ptr + at, 1, mask=inside)
        tl.atomic_add(weights_ptr + at, x.to(tl.float64), mask=inside)
        tl.atomic_min(lowest_ptr, tl.min(tl.where(inside, at, 2147483647)))
        tl.atomic_max(highest_ptr + at * 0, at, mask=inside)


@triton.jit
def transpose_kernel(x_ptr, y_ptr, M, N, stride_xm, stride_ym, BLOCK_M: tl.constexpr,
                     BLOCK_N: tl.constexpr, HOW: tl.constexpr):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    x = tl.load(x_ptr + m[:, None] * stride_xm + n[None, :],
                mask=(m < M)[:, None] & (n < N)[None, :])
    if HOW == "trans":
        y = tl.trans(x)
    elif HOW == "method":
        y = x.trans(1, 0)
    elif HOW == "permute":
        y = tl.permute(x, (1, 0))
    elif HOW == "T":
        y = x.T
    elif HOW == "twice":
        y = tl.trans(x).T.permute(1, 0)
    else:
        y = tl.reshape(tl.permute(x.reshape(BLOCK_M, 1, BLOCK_N), 2, 1, 0), BLOCK_N, BLOCK_M)
    tl.store(y_ptr + n[:, None] * stride_ym + m[None, :], y,
             mask=(n < N)[:, None] & (m < M)[None, :])


@triton.jit
def rank3_kernel(x_ptr, y_ptr, sum0_ptr, max1_ptr, min2_ptr, all_ptr, flat_ptr,
                 A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    """A tile of three extents that are no powers of two, permuted, reduced and flattened."""
    a = tl.arange(0, A)[:, None, None]
    b = tl.arange(0, B)[None, :, None]
    c = tl.arange(0, C)[None, None, :]
    x = tl.load(x_ptr + a * B * C + b * C + c)
    tl.static_assert(x.shape[0] == A and x.shape[2] == C, "shape")
    y = tl.permute(x, [2, 0, 1])
    tl.static_assert(y.shape == (C, A, B))
    offs = tl.reshape(tl.arange(0, A * B * C), (C, A, B))
    tl.store(y_ptr + offs, y)
    bc = tl.arange(0, B)[:, None] * C + tl.arange(0, C)[None, :]
    tl.store(sum0_ptr + bc, tl.sum(x, 0))
    tl.store(max1_ptr + tl.arange(0, A)[:, None] * C + tl.arange(0, C), tl.max(x, axis=1))
    tl.store(min2_ptr + a * B + b, tl.min(x, axis=-1, keep_dims=True))
    tl.store(all_ptr, tl.sum(x))
    tl.store(all_ptr + 1, tl.max(tl.max(tl.max(x, 2), 1), 0))
    flat = tl.ravel(y)
    tl.store(flat_ptr + tl.arange(0, A * B * C), tl.cumsum(flat, 0))
    tl.store(flat_ptr + A * B * C + tl.arange(0, A * B * C), tl.view(x, [A * B * C]))


@triton.jit
def window_kernel(x_ptr, y_ptr, M, N, pad: tl.constexpr, STEP: tl.constexpr):
    """Block pointers walk backwards, begin outside and pad with NaN."""
    block = tl.make_block_ptr(x_ptr, shape=[M, N], strides=[N, 1], offsets=[-1, N - STEP + 2],
                              block_shape=[5, STEP], order=[1, 0])
    best = tl.full([5, STEP], float("-inf"), tl.float32)
    count = tl.zeros([5, STEP], tl.int32)
    for _ in range(N, -STEP, -STEP):
        tile = tl.load(block, boundary_check=(0, 1), padding_option=pad)
        count += (tile == tile).to(tl.int32)
        best = tl.maximum(best, tile)
        block = tl.advance(block, [0, -STEP])
    out = tl.make_block_ptr(y_ptr, [10, STEP], [STEP, 1], [0, 0], [5, STEP], [1, 0])
    tl.store(out, best.to(y_ptr.dtype.element_ty))
    tl.store(tl.advance(out, (5, 0)), count.to(y_ptr.dtype.element_ty))


@triton.jit
def row_sum_kernel(x_ptr, y_ptr, z_ptr, N: tl.constexpr):
    """A whole row of any length as one tile; sums of small integers are wider."""
    row = tl.program_id(0)
    x = tl.load(x_ptr + row * N + tl.arange(0, N))
    tl.store(y_ptr + row, tl.sum(x))
    tl.store(z_ptr + row, tl.sum(x != 0))
    tl.store(z_ptr + tl.num_programs(0) + row, tl.xor_sum((x.to(tl.int32) * 7), 0))


@triton.jit
def state_space(state_ptr, x_ptr, dt_ptr, a_ptr, b_ptr, c_ptr, y_ptr,
                T: tl.constexpr, N: tl.constexpr, P: tl.constexpr):
    """A state of P x N that decays, takes in x and is read out, T times."""
    p, n = tl.arange(0, P), tl.arange(0, N)
    at = p[:, None] * N + n[None, :]
    h = tl.load(state_ptr + at)
    a = tl.load(a_ptr + at)
    for t in range(T):
        dt = tl.load(dt_ptr + t * P + p)
        dt = tl.where(dt <= 20.0, libdevice.log1p(tl.exp(dt)), dt)
        x = tl.load(x_ptr + t * P + p)
        new = dt[:, None] * tl.load(b_ptr + t * N + n)[None, :] * x[:, None]
        h = h * tl.exp(dt[:, None] * a) + new
        tl.store(y_ptr + t * P + p, tl.sum(h * tl.load(c_ptr + t * N + n)[None, :], axis=1))
    tl.store(state_ptr + at, h)


@triton.jit
def router_kernel(x_ptr, weights_ptr, ids_ptr, n, K: tl.constexpr, BLOCK: tl.constexpr):
    """The K greatest of a row, one after the other; softmax over what was stored."""
    r = tl.program_id(0)
    o = tl.arange(0, BLOCK)
    v = tl.load(x_ptr + r * n + o, mask=o < n, other=-float("inf"))
    for k in tl.static_range(K):
        best, at = tl.max(v, axis=0, return_indices=True)
        tl.store(weights_ptr + r * K + k, best)
        tl.store(ids_ptr + r * K + k, at)
        v = tl.where(o == at, -float("inf"), v)
    total = tl.zeros((), tl.float32)
    for k in range(K):
        total += tl.exp(tl.load(weights_ptr + r * K + k))
    for k in range(0, K):
        tl.store(weights_ptr + r * K + k, tl.exp(tl.load(weights_ptr + r * K + k)) / total)


def embedding(weight, indices):
    ori_shape = indices.shape
    flat = indices.view(-1)
    out = torch.empty(flat.shape[0], weight.shape[1], device=weight.device, dtype=weight.dtype)
    BLOCK = triton.next_power_of_2(min(128, weight.shape[1]))
    grid = (triton.cdiv(flat.numel(), BLOCK), triton.cdiv(weight.shape[1], BLOCK))
    embedding_forward[grid](weight, flat, out, flat.numel(), weight.shape[1], None,
                            BLOCK_SIZE_M=BLOCK, BLOCK_SIZE_N=BLOCK)
    return out.view(*ori_shape, -1)


def check():
    w = torch.randn(100, 40, device="cuda")
    i = torch.from_numpy(np.arange(33) % 100).cuda()
    assert torch.equal(embedding(w, i), w[i]), "embedding"
    return libdevice.__name__


@triton.jit
def elements_kernel(x_ptr, at_ptr, out_ptr, few_ptr, M: tl.constexpr, N: tl.constexpr,
                    C: tl.constexpr):
    """Elements, columns and slices of a tile, taken and put, at places that only the launch knows."""
    i, j = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + i * N + j)
    row = tl.load(at_ptr)
    start = tl.load(at_ptr + 1)
    for k in range(N // 2):  # columns change places
        left = x[:, k]
        x[:, k] = x[:, N - 1 - k]
        x[:, N - 1 - k] = left
    x[row, :] = x[0]
    x[row, start:start + C] = x[-1, start:start + C]
    x[:, start] += x[:, -1]
    x[M - 1, N - 1] = x[row, start]
    tl.store(out_ptr + i * N + j, x)
    columns = tl.load(at_ptr + 2 + tl.arange(0, C))
    few = x[:, columns]
    few[0, start % C] = x[row, 0]
    tl.store(few_ptr + i * C + tl.arange(0, C)[None, :], few)


@triton.jit
def rank4_masked(out_ptr, x_ptr, m_ptr, A, D):
    i = tl.arange(0, 8)
    turned = tl.trans(tl.broadcast_to(i[:, None, None, None], (8, 8, 8, 8)), 1, 3, 0, 2)
    block = tl.make_block_ptr(m_ptr, (A, 8, 8, D), (64 * D, 8 * D, D, 1), (0, 0, 0, 0), (8, 8, 8, 8), (3, 2, 1, 0))
    mask = tl.load(block, boundary_check=(0, 3), padding_option="zero") != 0
    at = ((i[:, None] * 8 + i[None, :]) * 64)[:, :, None, None] + (i[:, None] * 8 + i[None, :])[None, None, :, :]
    tl.store(out_ptr + at, tl.load(x_ptr + turned % 512), mask=mask)


@triton.jit
def picked_row(out, x, labels, first, n, stride, BLOCK: tl.constexpr):
    """An element of a row by its number, which may be none of them, among others that are not numbers."""
    r = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + r * stride + i, mask=i < n, other=float("nan"))
    label = tl.load(labels + r)
    tl.store(out + 2 * r, tl.sum(tl.where(i == label, v, 0), axis=0))
    chosen = (i + first == label) & (v > 0)
    tl.store(out + 2 * r + 1, tl.sum(tl.where(chosen, v * 2, 0), axis=0))


@triton.jit
def picked_in_rounds(out, x, labels, n, stride, BLOCK: tl.constexpr):
    """The same in rounds, each of which changes what it picks from."""
    r = tl.program_id(0)
    total = 0.0
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        v = tl.load(x + r * stride + i, mask=i < n, other=0.0)
        tl.store(x + r * stride + i, v + 1, mask=i < n)
        total += tl.sum(tl.where(i == tl.load(labels + r), v, 0.0))
    tl.store(out + r, total)


@triton.jit
def weights_of_rows(out, x, labels, m, n, R: tl.constexpr, C: tl.constexpr):
    """Of a tile of rows, one of each."""
    r = tl.program_id(0) * R + tl.arange(0, R)
    c = tl.arange(0, C)
    v = tl.load(x + r[:, None] * n + c[None, :], mask=(r[:, None] < m) & (c[None, :] < n), other=0.0)
    e = tl.exp(v - tl.max(v, axis=1)[:, None])
    label = tl.load(labels + r, mask=r < m, other=-1)
    weight = tl.sum(tl.where(c[None, :] == label[:, None], e, 0.0), axis=1)
    tl.store(out + r, weight / tl.sum(e, axis=1), mask=r < m)


@triton.jit
def joined(out, x, y, z, n, m, BLOCK: tl.constexpr):
    """Three arrays behind each other, the first of them from before its beginning on."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    before = tl.load(z + i, mask=i - 3 < 0, other=0)
    first = tl.load(x + i - 3, mask=(i - 3 >= 0) & (i < n), other=0)
    v = tl.where(i < n, first + before, tl.load(y + i - n, mask=(i >= n) & (i < n + m), other=0))
    tl.store(out + i, v, mask=i < n + m)
