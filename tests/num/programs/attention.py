"""Attention forward with an online softmax, and rotary position embedding."""

import math
from typing import Optional

import torch

import triton
import triton.language as tl

LOG2E = tl.constexpr(1.4426950408889634)


def is_hip():
    return triton.runtime.driver.active.get_current_target().backend == "hip"


def keep(conf):
    """Drop configurations that cannot hold their tiles."""
    block_m = conf.kwargs["BLOCK_M"]
    return block_m >= 16 or conf.num_warps == 4


configs = [
    triton.Config({"BLOCK_M": bm, "BLOCK_N": bn}, num_stages=s, num_warps=w)
    for bm in [32, 64]
    for bn in [16, 32]
    for s in ([1] if is_hip() else [3, 4])
    for w in [4, 8]
]


@triton.jit
def _online(acc, l_i, m_i, qk, v, p_dtype: tl.constexpr):
    """One step of the online softmax: the accumulator, the sums and the maxima after a tile."""
    m_new = tl.maximum(m_i, tl.max(qk, 1))
    m_safe = tl.where(m_new == float("-inf"), 0.0, m_new)
    alpha = tl.math.exp2(m_i - m_safe)
    p = tl.math.exp2(qk - m_safe[:, None])
    l_i = l_i * alpha + tl.sum(p, 1)
    acc = acc * alpha[:, None]
    acc += tl.dot(p.to(p_dtype), v)
    return acc, l_i, m_new


@triton.jit
def _attn_inner(
    acc, l_i, m_i, q,
    K, V, stride_kn, stride_kk, stride_vn, stride_vk,
    start_m, n_ctx, qk_scale,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, HEAD_DIM: tl.constexpr,
    STAGE: tl.constexpr,
):
    # STAGE 1: left of the diagonal, 2: on it, 3: everything
    if STAGE == 1:
        lo, hi = 0, start_m * BLOCK_M // BLOCK_N * BLOCK_N
    elif STAGE == 2:
        lo, hi = start_m * BLOCK_M // BLOCK_N * BLOCK_N, min((start_m + 1) * BLOCK_M, n_ctx)
        lo = tl.multiple_of(lo, BLOCK_N)
    else:
        lo, hi = 0, n_ctx
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_d = tl.arange(0, HEAD_DIM)
    for start_n in tl.range(lo, hi, BLOCK_N, num_stages=2):
        start_n = tl.multiple_of(start_n, BLOCK_N)
        offs_n = start_n + tl.arange(0, BLOCK_N)
        k = tl.load(K + offs_n[None, :] * stride_kn + offs_d[:, None] * stride_kk,
                    mask=offs_n[None, :] < n_ctx, other=0.0)
        v = tl.load(V + offs_n[:, None] * stride_vn + offs_d[None, :] * stride_vk,
                    mask=offs_n[:, None] < n_ctx, other=0.0)
        qk = tl.dot(q, k, input_precision="ieee") * qk_scale
        if STAGE == 1:
            pass
        elif STAGE == 2:
            mask = (offs_m[:, None] >= offs_n[None, :]) & (offs_n < n_ctx)[None, :]
            qk = qk + tl.where(mask, 0, float("-inf"))
        else:
            qk = tl.where(offs_n[None, :] < n_ctx, qk, -float("inf"))
        acc, l_i, m_i = _online(acc, l_i, m_i, qk, v, v.dtype)
    return acc, l_i, m_i


@triton.autotune(list(filter(keep, configs)), key=["n_ctx", "HEAD_DIM"])
@triton.heuristics({"EVEN": lambda args: args["n_ctx"] % args["BLOCK_M"] == 0})
@triton.jit
def attn_fwd(
    Q, K, V, sm_scale, M, Out,  #
    stride_qz, stride_qh, stride_qm, stride_qk,  #
    stride_kz, stride_kh, stride_kn, stride_kk,  #
    stride_vz, stride_vh, stride_vn, stride_vk,  #
    stride_oz, stride_oh, stride_om, stride_on,  #
    H, n_ctx,  #
    HEAD_DIM: tl.constexpr,  #
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,  #
    CAUSAL: tl.constexpr, EVEN: tl.constexpr,  #
):
    tl.static_assert(BLOCK_N <= BLOCK_M or not CAUSAL)
    start_m = tl.program_id(0)
    off_hz = tl.program_id(1)
    off_z = off_hz // H
    off_h = off_hz % H
    K += off_z.to(tl.int64) * stride_kz + off_h.to(tl.int64) * stride_kh
    V += off_z.to(tl.int64) * stride_vz + off_h.to(tl.int64) * stride_vh
    q_offset = off_z.to(tl.int64) * stride_qz + off_h.to(tl.int64) * stride_qh
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_d = tl.arange(0, HEAD_DIM)
    q_ptrs = Q + q_offset + (offs_m[:, None] * stride_qm + offs_d[None, :] * stride_qk)
    if EVEN:
        q = tl.load(q_ptrs)
    else:
        q = tl.load(q_ptrs, mask=offs_m[:, None] < n_ctx, other=0.0)

    m_i = tl.zeros([BLOCK_M], dtype=tl.float32) - float("inf")
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32)
    acc = tl.zeros([BLOCK_M, HEAD_DIM], dtype=tl.float32)
    qk_scale = sm_scale * LOG2E
    if CAUSAL:
        acc, l_i, m_i = _attn_inner(acc, l_i, m_i, q, K, V, stride_kn, stride_kk, stride_vn,
                                    stride_vk, start_m, n_ctx, qk_scale,
                                    BLOCK_M, BLOCK_N, HEAD_DIM, STAGE=1)
        tl.debug_barrier()
    acc, l_i, m_i = _attn_inner(acc, l_i, m_i, q, K, V, stride_kn, stride_kk, stride_vn,
                                stride_vk, start_m, n_ctx, qk_scale,
                                BLOCK_M, BLOCK_N, HEAD_DIM, STAGE=2 if CAUSAL else 3)
    # epilogue: the logarithm of the sum, for the backward pass
    m_i += tl.math.log2(l_i)
    acc = acc / l_i[:, None]
    tl.store(M + off_hz * n_ctx + offs_m, m_i, mask=offs_m < n_ctx)
    o_ptrs = Out + off_z.to(tl.int64) * stride_oz + off_h.to(tl.int64) * stride_oh \
        + offs_m[:, None] * stride_om + offs_d[None, :] * stride_on
    tl.store(o_ptrs, acc.to(Out.type.element_ty), mask=offs_m[:, None] < n_ctx)


@triton.jit
def attn_bwd(Q, K, V, DO, L, Delta, DQ, DK, DV, n_ctx, sm_scale,
             D: tl.constexpr, BLOCK: tl.constexpr):
    """dk and dv of one block of columns; what it adds to dq goes through atomics."""
    offs_n = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    offs_d = tl.arange(0, D)
    in_n = offs_n < n_ctx
    k = tl.load(K + offs_n[:, None] * D + offs_d, mask=in_n[:, None], other=0.)
    v = tl.load(V + offs_n[:, None] * D + offs_d, mask=in_n[:, None], other=0.)
    dk = tl.zeros([BLOCK, D], tl.float32)
    dv = tl.zeros([BLOCK, D], tl.float32)
    for start in range(tl.program_id(0) * BLOCK, n_ctx, BLOCK):
        offs_m = start + tl.arange(0, BLOCK)
        in_m = offs_m < n_ctx
        at = offs_m[:, None] * D + offs_d[None, :]
        q = tl.load(Q + at, mask=in_m[:, None], other=0.)
        do = tl.load(DO + at, mask=in_m[:, None], other=0.)
        lse = tl.load(L + offs_m, mask=in_m)
        qk = tl.dot(q, tl.trans(k)) * sm_scale
        visible = in_m[:, None] & in_n[None, :] & (offs_m[:, None] >= offs_n[None, :])
        p = tl.exp(tl.where(visible, qk, float("-inf")) - lse[:, None])
        dv += tl.dot(tl.trans(p.to(do.dtype)), do)
        dp = tl.dot(do, tl.trans(v))
        ds = (p * (dp - tl.load(Delta + offs_m, mask=in_m)[:, None]) * sm_scale).to(q.dtype)
        dk += tl.dot(tl.trans(ds), q)
        tl.atomic_add(DQ + at, tl.dot(ds, k), mask=in_m[:, None])
    tl.store(DK + offs_n[:, None] * D + offs_d, dk, mask=in_n[:, None])
    tl.store(DV + offs_n[:, None] * D + offs_d, dv, mask=in_n[:, None])


@triton.jit
def paged_decode(Q, Cache, Tables, Lens, Out, stride_t, scale,
                 PAGE: tl.constexpr, D: tl.constexpr, GROUP: tl.constexpr):
    """One query of GROUP heads a sequence over keys (and values) that lie in pages."""
    seq = tl.program_id(0)
    length = tl.load(Lens + seq)
    offs_g = tl.arange(0, GROUP)[:, None]
    offs_d = tl.arange(0, D)
    out = Out + seq * GROUP * D + offs_g * D + offs_d[None, :]
    if length == 0:
        tl.store(out, tl.zeros((GROUP, D), tl.float32))
        return
    q = tl.load(Q + seq * GROUP * D + offs_g * D + offs_d)
    m = tl.full([GROUP], -float("inf"), tl.float32)
    l = tl.full([GROUP], 0.0, tl.float32)
    acc = tl.zeros([GROUP, D], tl.float32)
    for j in range((length + PAGE - 1) // PAGE):
        page = tl.load(Tables + seq * stride_t + j).to(tl.int64)
        inside = tl.arange(0, PAGE) < length - j * PAGE
        kv = tl.load(Cache + page * PAGE * D + tl.arange(0, PAGE)[:, None] * D + offs_d[None, :],
                     mask=inside[:, None], other=0)
        s = tl.sum(q[:, None, :] * kv[None, :, :], 2) * scale
        s = tl.where(inside[None, :], s, -1e30)
        m_new = tl.maximum(m, tl.max(s, 1))
        alpha = tl.exp(m - m_new)
        p = tl.exp(s - m_new[:, None])
        l = l * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.sum(p[:, :, None] * kv[None, :, :], 1)
        m = m_new
    tl.store(out, acc / l[:, None])


class _Attention(torch.autograd.Function):

    @staticmethod
    def forward(ctx, q, k, v, causal: bool, sm_scale: Optional[float] = None):
        HEAD_DIM_Q, HEAD_DIM_K = q.shape[-1], k.shape[-1]
        assert HEAD_DIM_Q == HEAD_DIM_K
        sm_scale = sm_scale or 1.0 / math.sqrt(HEAD_DIM_Q)
        o = torch.empty_like(q)
        M = torch.empty((q.shape[0], q.shape[1], q.shape[2]), device=q.device,
                        dtype=torch.float32)
        extra_kern_args = {}
        if is_hip():
            extra_kern_args = {"waves_per_eu": 3 if HEAD_DIM_K <= 64 else 2}
        grid = lambda args: (triton.cdiv(q.shape[2], args["BLOCK_M"]), q.shape[0] * q.shape[1], 1)
        attn_fwd[grid](
            q, k, v, sm_scale, M, o,
            *q.stride(), *k.stride(), *v.stride(), *o.stride(),
            q.shape[1], q.shape[2], HEAD_DIM=HEAD_DIM_K, CAUSAL=causal, **extra_kern_args)
        ctx.save_for_backward(q, k, v, o, M)
        ctx.causal = causal
        return o


attention = _Attention.apply


# --- rotary embedding -----------------------------------------------------------------------


@triton.jit
def _rotate(x0, x1, cos, sin, CONJUGATE: tl.constexpr = False):
    if CONJUGATE:
        sin = -sin
    return x0 * cos - x1 * sin, x1 * cos + x0 * sin


@triton.jit(do_not_specialize=["seqlen_offset", "rotary_dim"])
def rotary_kernel(
    OUT, X, COS, SIN,
    seqlen, nheads, rotary_dim, seqlen_offset,
    stride_os, stride_oh, stride_xs, stride_xh,
    BLOCK_S: tl.constexpr, BLOCK_H: tl.constexpr, BLOCK_K: tl.constexpr,
    INTERLEAVED: tl.constexpr, CONJUGATE: tl.constexpr,
    IS_SEQLEN_OFFSETS_TENSOR: tl.constexpr,
):
    pid_s = tl.program_id(axis=0)
    pid_h = tl.program_id(axis=1)
    if pid_s * BLOCK_S >= seqlen:
        return
    half = rotary_dim // 2
    rs = pid_s * BLOCK_S + tl.arange(0, BLOCK_S)
    rh = pid_h * BLOCK_H + tl.arange(0, BLOCK_H)
    rk = tl.arange(0, BLOCK_K)
    if not IS_SEQLEN_OFFSETS_TENSOR:
        rs_cs = rs + seqlen_offset
    else:
        rs_cs = rs + tl.load(seqlen_offset)
    cs_mask = (rs[:, None] < seqlen) & (rk[None, :] < half)
    cos = tl.load(COS + rs_cs[:, None] * half + rk[None, :], mask=cs_mask, other=1.0).to(tl.float32)
    sin = tl.load(SIN + rs_cs[:, None] * half + rk[None, :], mask=cs_mask, other=0.0).to(tl.float32)
    base = rh[:, None, None] * stride_xh + rs[None, :, None] * stride_xs
    obase = rh[:, None, None] * stride_oh + rs[None, :, None] * stride_os
    mask = (rh[:, None, None] < nheads) & (rs[None, :, None] < seqlen) & (rk < half)[None, None, :]
    if INTERLEAVED:
        first, second = 2 * rk[None, None, :], 2 * rk[None, None, :] + 1
    else:
        first, second = rk[None, None, :], rk[None, None, :] + half
    x0 = tl.load(X + base + first, mask=mask, other=0.0).to(tl.float32)
    x1 = tl.load(X + base + second, mask=mask, other=0.0).to(tl.float32)
    o0, o1 = _rotate(x0, x1, cos[None, :, :], sin[None, :, :], CONJUGATE=CONJUGATE)
    tl.store(OUT + obase + first, o0, mask=mask)
    tl.store(OUT + obase + second, o1, mask=mask)


def apply_rotary(x, cos, sin, seqlen_offsets=0, interleaved=False, conjugate=False):
    seqlen, nheads, headdim = x.shape
    output = torch.empty_like(x)
    BLOCK_K = triton.next_power_of_2(headdim // 2)

    def grid(meta):
        return (triton.cdiv(seqlen, meta["BLOCK_S"]), triton.cdiv(nheads, meta["BLOCK_H"]))

    with torch.cuda.device(x.device.index):
        rotary_kernel[grid](
            output, x, cos, sin, seqlen, nheads, headdim, seqlen_offsets,
            output.stride(0), output.stride(1), x.stride(0), x.stride(1),
            BLOCK_S=8, BLOCK_H=2, BLOCK_K=BLOCK_K, INTERLEAVED=interleaved, CONJUGATE=conjugate,
            IS_SEQLEN_OFFSETS_TENSOR=isinstance(seqlen_offsets, torch.Tensor), num_warps=4)
    return output


if __name__ == "__main__":
    for dim in (40, 72):
        q, k, v = (torch.randn(2, 3, 100, dim, device="cuda", dtype=torch.float16) for _ in "qkv")
        want = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        torch.testing.assert_close(attention(q, k, v, True), want, atol=1e-2, rtol=0)
        ms = triton.testing.do_bench(lambda: attention(q, k, v, True))
        print(f"D = {dim}: {ms:.3f} ms")
