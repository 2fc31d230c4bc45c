"""Gated activations, an optimiser step in place, and quantisation."""

import torch
import triton
import triton.language as tl
import triton.language.extra.libdevice as libdevice
from triton.language.extra import libdevice as ld
from triton.language.math import erf as erf_fn, exp2

_SQRT_2_OVER_PI: tl.constexpr = 0.7978845608028654
FP8_MAX = tl.constexpr(448.0)


@triton.jit
def silu(x):
    return x * tl.sigmoid(x)


@triton.jit
def gelu_tanh(x):
    inner = _SQRT_2_OVER_PI * (x + 0.044715 * (x * x * x))
    return 0.5 * x * (1 + libdevice.tanh(inner))


@triton.jit
def gelu_erf(x):
    return x * 0.5 * (1.0 + erf_fn(x * 0.7071067811865476))


@triton.jit
def relu(x):
    return tl.where(x >= 0, x, tl.zeros_like(x))


@triton.jit
def _gated(gate_ptr, up_ptr, out_ptr, gate_stride, up_stride, out_stride, n_cols,
           ACTIVATION: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < n_cols
    gate = tl.load(gate_ptr + row * gate_stride + cols, mask=mask, other=0).to(tl.float32)
    up = tl.load(up_ptr + row * up_stride + cols, mask=mask, other=0)
    out = ACTIVATION(gate).cast(up.dtype) * up
    tl.store(out_ptr + row * out_stride + cols, out, mask=mask)


@triton.jit
def gated_forward(gate_ptr, up_ptr, out_ptr, gate_stride, up_stride, out_stride, n_cols,
                  ACTIVATION: tl.constexpr, BLOCK: tl.constexpr):
    """out = act(gate) * up for a row and a piece of its columns."""
    if ACTIVATION == "silu":
        _gated(gate_ptr, up_ptr, out_ptr, gate_stride, up_stride, out_stride, n_cols, silu, BLOCK)
    elif ACTIVATION == "gelu" or ACTIVATION == "gelu_tanh":
        _gated(gate_ptr, up_ptr, out_ptr, gate_stride, up_stride, out_stride, n_cols,
               ACTIVATION=gelu_tanh, BLOCK=BLOCK)
    elif ACTIVATION == "gelu_erf":
        _gated(gate_ptr, up_ptr, out_ptr, gate_stride, up_stride, out_stride, n_cols, gelu_erf,
               BLOCK=BLOCK)
    else:
        _gated(gate_ptr, up_ptr, out_ptr, gate_stride, up_stride, out_stride, n_cols, relu, BLOCK)


@triton.jit
def swiglu_backward(dc_ptr, a_ptr, b_ptr, stride, n_cols: tl.constexpr, BLOCK: tl.constexpr):
    """The gradients replace a and b."""
    pid = tl.program_id(0).to(tl.int64)
    dc_ptr += pid * stride
    a_ptr += pid * stride
    b_ptr += pid * stride
    offs = tl.arange(0, BLOCK)
    mask = offs < n_cols
    dc = tl.load(dc_ptr + offs, mask=mask, other=0)
    a = tl.load(a_ptr + offs, mask=mask, other=0).to(tl.float32)
    b = tl.load(b_ptr + offs, mask=mask, other=0)
    sig_a = tl.sigmoid(a)
    silu_a = a * sig_a
    db = dc * silu_a
    da = dc * (silu_a * (1 - sig_a) + sig_a) * b
    tl.store(a_ptr + offs, da, mask=mask)
    tl.store(b_ptr + offs, db, mask=mask)


@triton.jit
def adam_kernel(param_ptr, grad_ptr, exp_avg_ptr, exp_avg_sq_ptr,
                lr, beta1, beta2, eps, weight_decay, step, n,
                MASTER_IN_FP32: tl.constexpr, AMSGRAD: tl.constexpr = None,
                BLOCK: tl.constexpr = 256):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    offs = tl.max_contiguous(tl.multiple_of(offs, BLOCK), BLOCK)
    mask = offs < n
    p = tl.load(param_ptr + offs, mask=mask)
    g = tl.load(grad_ptr + offs, mask=mask, cache_modifier=".cg").to(tl.float32)
    m = tl.load(exp_avg_ptr + offs, mask=mask, eviction_policy="evict_last")
    v = tl.load(exp_avg_sq_ptr + offs, mask=mask, eviction_policy="evict_last")
    p_dtype = p.dtype
    if MASTER_IN_FP32:
        p = p.to(tl.float32)
    p = p * (1 - lr * weight_decay)
    m = beta1 * m + (1.0 - beta1) * g
    v = beta2 * v + (1.0 - beta2) * g * g
    bias1 = 1.0 - ld.pow(beta1, step.to(tl.float32))
    bias2 = 1.0 - exp2(step * tl.log2(beta2))
    denom = tl.sqrt(v) / tl.sqrt(bias2) + eps
    if AMSGRAD is not None:
        denom = tl.maximum(denom, AMSGRAD)
    p = p - lr * (m / bias1) / denom
    tl.store(param_ptr + offs, p.to(p_dtype), mask=mask)
    tl.store(exp_avg_ptr + offs, m, mask=mask)
    tl.store(exp_avg_sq_ptr + offs, v, mask=mask)


# --- quantisation ---------------------------------------------------------------------------


@triton.jit
def quantise_rows(x_ptr, q_ptr, scale_ptr, stride_x, stride_q, n_cols,
                  BLOCK: tl.constexpr, ROUND: tl.constexpr = "rint"):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * stride_x + cols, mask=mask, other=0.0).to(tl.float32)
    absmax = tl.max(tl.abs(x), axis=0)
    scale = tl.maximum(absmax, 1e-10) / 127.0
    scaled = x * (1.0 / scale)
    if ROUND == "rint":
        q = libdevice.rint(scaled)
    elif ROUND == "round":
        q = tl.extra.cuda.libdevice.round(scaled)
    elif ROUND == "llrint":
        q = tl.extra.libdevice.llrint(scaled).to(tl.float32)
    else:
        q = tl.floor(scaled + 0.5)
    q = tl.clamp(q, -128.0, 127.0)
    tl.store(q_ptr + row * stride_q + cols, q.to(tl.int8), mask=mask)
    tl.store(scale_ptr + row, scale)


@triton.jit
def dequantise_rows(q_ptr, scale_ptr, out_ptr, stride_q, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    scale = tl.load(scale_ptr + row)
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < n_cols
        q = tl.load(q_ptr + row * stride_q + cols, mask=mask)
        tl.store(out_ptr + row * n_cols + cols, q * scale, mask=mask)


@triton.jit
def unpack_int4(packed_ptr, out_ptr, zero_ptr, n_bytes, GROUP: tl.constexpr, BLOCK: tl.constexpr):
    """Two unsigned halves of a byte, low first, minus the zero point of their group."""
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n_bytes
    byte = tl.load(packed_ptr + offs, mask=mask, other=0)
    shift = (tl.arange(0, 2) * 4).to(tl.uint8)
    halves = (byte[:, None] >> shift[None, :]) & 0xF
    zero = tl.load(zero_ptr + offs // GROUP, mask=mask)
    value = halves.to(tl.int8) - zero[:, None]
    tl.store(out_ptr + offs[:, None] * 2 + tl.arange(0, 2)[None, :], value, mask=mask[:, None])


@triton.jit
def fp8_cast_rows(x_ptr, y_ptr, s_ptr, n_cols, BLOCK: tl.constexpr):
    """Scale each row to the range of fp8 and store it so."""
    pid = tl.program_id(axis=0)
    offs = tl.arange(0, BLOCK)
    mask = offs < n_cols
    x = tl.load(x_ptr + pid * n_cols + offs, mask=mask, other=0.).to(tl.float32)
    s = tl.max(tl.abs(x)) / FP8_MAX
    s = s if s > 0 else 1.0
    y = (x / s).to(y_ptr.dtype.element_ty)
    tl.store(y_ptr + pid * n_cols + offs, y, mask=mask)
    tl.store(s_ptr + pid, s)


@triton.jit
def fp8_to(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    tl.static_assert(x.dtype.is_fp8(), "not fp8")
    tl.store(y_ptr + offs, x.to(tl.float16), mask=offs < n)


def swiglu(a, b, activation="silu"):
    n_rows, n_cols = a.shape
    c = torch.empty_like(a)
    grid = (n_rows, triton.cdiv(n_cols, 1024))
    gated_forward[grid](a, b, c, a.stride(-2), b.stride(-2), c.stride(-2), n_cols,
                        ACTIVATION=activation, BLOCK=1024)
    return c


@triton.testing.perf_report(
    triton.testing.Benchmark(
        x_names=["N"], x_vals=[2**i for i in range(10, 14)], line_arg="provider",
        line_vals=["triton", "torch"], line_names=["Triton", "Torch"],
        styles=[("blue", "-"), ("green", "--")], ylabel="GB/s", plot_name="swiglu", args={"M": 64}))
def benchmark(M, N, provider):
    a, b = torch.randn(2, M, N, device="cuda")
    if provider == "torch":
        ms = triton.testing.do_bench(lambda: torch.nn.functional.silu(a) * b)
    else:
        ms = triton.testing.do_bench(lambda: swiglu(a, b))
    return 3 * a.numel() * a.element_size() * 1e-6 / ms


if __name__ == "__main__":
    benchmark.run(print_data=True)
