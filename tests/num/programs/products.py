"""Matrix products in many forms, and a causal convolution."""

import functools

import torch
import triton
from triton import language as tl
from triton import Config, autotune, cdiv, heuristics, jit


def init_to_zero(name):
    return lambda nargs: nargs[name].zero_()


def get_configs_io_bound():
    configs = []
    for num_stages in [2, 3]:
        for block_m in [16, 32]:
            for block_k in [32, 64]:
                configs.append(
                    Config({"BLOCK_M": block_m, "BLOCK_N": 32, "BLOCK_K": block_k, "SPLIT_K": 1},
                           num_stages=num_stages, num_warps=2))
                for split_k in [2, 4]:
                    configs.append(Config(
                        {"BLOCK_M": block_m, "BLOCK_N": 32, "BLOCK_K": block_k, "SPLIT_K": split_k},
                        num_stages=num_stages, num_warps=2, pre_hook=init_to_zero("C")))
    return configs


@autotune(
    configs=[
        Config({"BLOCK_M": 128, "BLOCK_N": 256, "BLOCK_K": 32, "SPLIT_K": 1}, num_stages=3,
               num_warps=8),
        Config({"BLOCK_M": 64, "BLOCK_N": 32, "BLOCK_K": 32, "SPLIT_K": 1}, num_stages=5,
               num_warps=2),
    ] + get_configs_io_bound(),
    key=["M", "N", "K"],
    prune_configs_by={"early_config_prune": None, "perf_model": None, "top_k": 10},
)
@heuristics({
    "EVEN_K": lambda args: args["K"] % (args["BLOCK_K"] * args["SPLIT_K"]) == 0,
})
@jit
def split_k_kernel(A, B, C, M, N, K,
                   stride_am, stride_ak,
                   stride_bk, stride_bn,
                   stride_cm, stride_cn,
                   acc_dtype: tl.constexpr,
                   input_precision: tl.constexpr,
                   BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                   GROUP_M: tl.constexpr, SPLIT_K: tl.constexpr, EVEN_K: tl.constexpr,
                   AB_DTYPE: tl.constexpr):
    # matrix multiplication
    pid = tl.program_id(0)
    pid_z = tl.program_id(1)
    grid_m = tl.cdiv(M, BLOCK_M)
    grid_n = tl.cdiv(N, BLOCK_N)
    # re-order program ID for better L2 performance
    width = GROUP_M * grid_n
    group_id = pid // width
    group_size = min(grid_m - group_id * GROUP_M, GROUP_M)
    pid_m = group_id * GROUP_M + (pid % group_size)
    pid_n = (pid % width) // (group_size)
    # do matrix multiplication
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    ram = tl.max_contiguous(rm % M, 1)
    rbn = rn % N
    rk = pid_z * BLOCK_K + tl.arange(0, BLOCK_K)
    # pointers
    A = A + (ram[:, None] * stride_am + rk[None, :] * stride_ak)
    B = B + (rk[:, None] * stride_bk + rbn[None, :] * stride_bn)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=acc_dtype)
    for k in range(0, tl.cdiv(K, BLOCK_K * SPLIT_K)):
        if EVEN_K:
            a = tl.load(A)
            b = tl.load(B)
        else:
            k_remaining = K - k * (BLOCK_K * SPLIT_K)
            _0 = tl.zeros((1, 1), dtype=C.dtype.element_ty)
            a = tl.load(A, mask=rk[None, :] < k_remaining, other=_0)
            b = tl.load(B, mask=rk[:, None] < k_remaining, other=_0)
        if AB_DTYPE is not None:
            a = a.to(AB_DTYPE)
            b = b.to(AB_DTYPE)
        acc = tl.dot(a, b, acc, out_dtype=acc_dtype, input_precision=input_precision)
        A += BLOCK_K * SPLIT_K * stride_ak
        B += BLOCK_K * SPLIT_K * stride_bk
    acc = acc.to(C.dtype.element_ty)
    # rematerialize rm and rn to save registers
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    C = C + (rm[:, None] * stride_cm + rn[None, :] * stride_cn)
    mask = (rm < M)[:, None] & (rn < N)[None, :]
    # handles write-back with reduction-splitting
    if SPLIT_K == 1:
        tl.store(C, acc, mask=mask)
    else:
        tl.atomic_add(C, acc, mask=mask)


class _matmul(torch.autograd.Function):
    kernel = split_k_kernel
    _locks = {}

    @staticmethod
    def _call(a, b, acc_dtype, input_precision):
        if a.stride(0) > 1 and a.stride(1) > 1:
            a = a.contiguous()
        M, K = a.shape
        _, N = b.shape
        c = torch.empty((M, N), device=a.device, dtype=a.dtype)
        grid = lambda META: (cdiv(M, META["BLOCK_M"]) * cdiv(N, META["BLOCK_N"]), META["SPLIT_K"])
        split_k_kernel[grid](a, b, c, M, N, K, a.stride(0), a.stride(1), b.stride(0), b.stride(1),
                             c.stride(0), c.stride(1), acc_dtype=acc_dtype, GROUP_M=8,
                             input_precision=input_precision, AB_DTYPE=None)
        return c

    @staticmethod
    def forward(ctx, a, b, acc_dtype=tl.float32, input_precision="ieee"):
        return _matmul._call(a, b, acc_dtype, input_precision)


@jit
def batched_kernel(a_ptr, b_ptr, c_ptr, bias_ptr, M, N, K,
                   stride_ab: tl.int64, stride_am, stride_ak,
                   stride_bb: tl.int64, stride_bk, stride_bn,
                   stride_cb: tl.int64, stride_cm, stride_cn,
                   alpha: float,
                   BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                   OUT_FP32: tl.constexpr = False):
    """c[b] = alpha * a[b] @ b[b] + bias, by block pointers over a grid of (N, M, batch)."""
    pid_n, pid_m = tl.program_id(0), tl.program_id(1)
    pid_b = tl.program_id(2).to(tl.int64)
    a_block = tl.make_block_ptr(base=a_ptr + pid_b * stride_ab, shape=(M, K),
                                strides=(stride_am, stride_ak), offsets=(pid_m * BLOCK_M, 0),
                                block_shape=(BLOCK_M, BLOCK_K), order=(1, 0))
    b_block = tl.make_block_ptr(b_ptr + pid_b * stride_bb, (K, N), (stride_bk, stride_bn),
                                (0, pid_n * BLOCK_N), (BLOCK_K, BLOCK_N), (0, 1))
    acc = tl.zeros([BLOCK_M, BLOCK_N], tl.float32)
    for _ in range(0, K, BLOCK_K):
        a = tl.load(a_block, boundary_check=(0, 1), padding_option="zero")
        b = tl.load(b_block, boundary_check=(1, 0), padding_option="zero")
        acc += tl.dot(a, b, allow_tf32=False)
        a_block = tl.advance(a_block, (0, BLOCK_K))
        b_block = b_block.advance((BLOCK_K, 0))
    acc *= alpha
    if bias_ptr is not None:
        bias = tl.make_block_ptr(bias_ptr, (N, ), (1, ), (pid_n * BLOCK_N, ), (BLOCK_N, ), (0, ))
        acc += tl.load(bias, boundary_check=[0], padding_option="zero")[None, :]
    c_block = tl.make_block_ptr(c_ptr + pid_b * stride_cb, (M, N), (stride_cm, stride_cn),
                                (pid_m * BLOCK_M, pid_n * BLOCK_N), (BLOCK_M, BLOCK_N), (1, 0))
    c = acc if OUT_FP32 else acc.to(c_ptr.dtype.element_ty)
    tl.store(c_block, c, boundary_check=(0, 1))


@jit
def _compute_pid(tile_id, num_pid_in_group, num_pid_m, GROUP_SIZE_M):
    group_id = tile_id // num_pid_in_group
    first_pid_m = group_id * GROUP_SIZE_M
    group_size_m = min(num_pid_m - first_pid_m, GROUP_SIZE_M)
    pid_m = first_pid_m + (tile_id % group_size_m)
    pid_n = (tile_id % num_pid_in_group) // group_size_m
    return pid_m, pid_n


@jit
def grouped_persistent_kernel(x_ptr, w_ptr, y_ptr, sizes_ptr, N, K, G,
                              BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                              GROUP_SIZE_M: tl.constexpr):
    """Rows of x are split in G groups of given sizes; each has its own w[g] of [N, K]."""
    start = tl.program_id(0)
    NUM_SMS = tl.num_programs(0)
    row0 = 0
    iterated = 0
    tidx = start
    for g in range(G):
        m_size = tl.load(sizes_ptr + g)
        if m_size > 0:
            num_pid_m = tl.cdiv(m_size, BLOCK_M)
            num_pid_n = tl.cdiv(N, BLOCK_N)
            num_tiles = num_pid_m * num_pid_n
            while tidx >= iterated and tidx < iterated + num_tiles:
                pid_m, pid_n = _compute_pid(tidx - iterated, GROUP_SIZE_M * num_pid_n, num_pid_m,
                                            GROUP_SIZE_M)
                offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
                offs_n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
                offs_k = tl.arange(0, BLOCK_K)
                acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
                x_ptrs = x_ptr + (row0 + offs_m[:, None]) * K + offs_k[None, :]
                w_ptrs = w_ptr + g.to(tl.int64) * N * K + offs_n[:, None] * K + offs_k[None, :]
                for k in range(0, K, BLOCK_K):
                    k_mask = offs_k[None, :] < K - k
                    x = tl.load(x_ptrs, mask=(offs_m[:, None] < m_size) & k_mask)
                    w = tl.load(w_ptrs, mask=(offs_n[:, None] < N) & k_mask)
                    acc += tl.dot(x, w.T)
                    x_ptrs += BLOCK_K
                    w_ptrs += BLOCK_K
                y = acc.to(y_ptr.dtype.element_ty)
                tl.store(y_ptr + (row0 + offs_m[:, None]) * N + offs_n[None, :], y,
                         mask=(offs_m[:, None] < m_size) & (offs_n[None, :] < N))
                tidx += NUM_SMS
            iterated += num_tiles
        row0 += m_size


@jit
def int8_kernel(a_ptr, b_ptr, c_ptr, a_scale_ptr, b_scale_ptr, M, N, K,
                BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                SCALED: tl.constexpr):
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    offs_am = (pid_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    offs_bn = (pid_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    offs_k = tl.arange(0, BLOCK_K)
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.int32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        left = K - k * BLOCK_K
        a = tl.load(a_ptr + offs_am[:, None] * K + (offs_k + k * BLOCK_K)[None, :],
                    mask=offs_k[None, :] < left, other=0)
        b = tl.load(b_ptr + (offs_k + k * BLOCK_K)[:, None] * N + offs_bn[None, :],
                    mask=offs_k[:, None] < left, other=0)
        accumulator += tl.dot(a, b, out_dtype=tl.int32)
    offs_cm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_cn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    mask = (offs_cm[:, None] < M) & (offs_cn[None, :] < N)
    out = accumulator
    if SCALED:
        sa = tl.load(a_scale_ptr + offs_cm, mask=offs_cm < M)
        sb = tl.load(b_scale_ptr + offs_cn, mask=offs_cn < N)
        out = accumulator.to(tl.float32) * sa[:, None] * sb
    tl.store(c_ptr + offs_cm[:, None] * N + offs_cn[None, :], out, mask=mask)


@jit
def conv1d_kernel(x_ptr, w_ptr, b_ptr, state_ptr, o_ptr, batch, dim: tl.constexpr, seqlen,
                  stride_xb, stride_xd, stride_xl,
                  KERNEL_WIDTH: tl.constexpr, SILU: tl.constexpr, BLOCK_L: tl.constexpr,
                  BLOCK_D: tl.constexpr):
    """y[b, d, t] = sum over i of w[d, i] x[b, d, t - width + 1 + i]; a state lies before t = 0."""
    i_b, i_l, i_d = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    d = i_d * BLOCK_D + tl.arange(0, BLOCK_D)
    t = i_l * BLOCK_L + tl.arange(0, BLOCK_L)
    m_d = d < dim
    acc = tl.zeros([BLOCK_D, BLOCK_L], dtype=tl.float32)
    for i in tl.static_range(KERNEL_WIDTH):
        shifted = t + (i - (KERNEL_WIDTH - 1))
        w = tl.load(w_ptr + d * KERNEL_WIDTH + i, mask=m_d, other=0).to(tl.float32)
        x = tl.load(x_ptr + i_b * stride_xb + d[:, None] * stride_xd + shifted[None, :] * stride_xl,
                    mask=m_d[:, None] & (shifted >= 0)[None, :] & (shifted < seqlen)[None, :],
                    other=0)
        if state_ptr is not None:
            before = tl.load(
                state_ptr + i_b * dim * (KERNEL_WIDTH - 1) + d[:, None] * (KERNEL_WIDTH - 1)
                + (shifted + KERNEL_WIDTH - 1)[None, :],
                mask=m_d[:, None] & (shifted < 0)[None, :], other=0)
            x += before
        acc += w[:, None] * x.to(tl.float32)
    if b_ptr is not None:
        acc += tl.load(b_ptr + d, mask=m_d, other=0)[:, None]
    if SILU:
        acc = acc / (1 + tl.exp(-acc))
    o = o_ptr + (i_b * dim + d[:, None]) * seqlen + t[None, :]
    tl.store(o, acc, mask=m_d[:, None] & (t < seqlen)[None, :])


@jit
def batch_dot_kernel(a_ptr, b_ptr, c_ptr, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr,
                     K: tl.constexpr):
    """Tiles of rank 3 multiplied at once."""
    b, m = tl.arange(0, B)[:, None, None], tl.arange(0, M)[None, :, None]
    n, k = tl.arange(0, N)[None, None, :], tl.arange(0, K)
    x = tl.load(a_ptr + b * (M * K) + m * K + k[None, None, :])
    y = tl.load(b_ptr + b * (K * N) + k[None, :, None] * N + n)
    z = tl.dot(x, y)
    tl.store(c_ptr + b * (M * N) + m * N + n, z)


@functools.lru_cache
def device_multiprocessors(index=0):
    return torch.cuda.get_device_properties(index).multi_processor_count


def grouped_gemm(x, w, sizes):
    G, N, K = w.shape
    y = torch.empty((x.shape[0], N), device=x.device, dtype=x.dtype)
    grouped_persistent_kernel[(device_multiprocessors(), )](
        x, w, y, sizes, N, K, G, BLOCK_M=64, BLOCK_N=64, BLOCK_K=32, GROUP_SIZE_M=8, num_stages=4)
    return y
