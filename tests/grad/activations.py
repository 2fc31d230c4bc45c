"""Activations, with gates and with parameters of channels."""

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def geglu(x, gate, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    g = tl.load(gate + at, mask=at < n).to(tl.float32)
    gelu = 0.5 * g * (1 + tl.erf(g * 0.7071067811865476))
    tl.store(out + at, tl.load(x + at, mask=at < n) * gelu, mask=at < n)


@triton.jit
def swiglu(x, out, columns, BLOCK: tl.constexpr):
    """Both halves of a row."""
    at = tl.arange(0, BLOCK)
    row = x + tl.program_id(0) * 2 * columns
    a = tl.load(row + at, mask=at < columns, other=0.0)
    b = tl.load(row + columns + at, mask=at < columns, other=0.0)
    tl.store(out + tl.program_id(0) * columns + at, a * tl.sigmoid(a) * b, mask=at < columns)


@triton.jit
def gelu_by_tanh(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < n)
    tl.store(out + at, 0.5 * a * (1 + libdevice.tanh(0.7978845608 * (a + 0.044715 * a * a * a))), mask=at < n)


@triton.jit
def mish(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < n)
    tl.store(out + at, a * libdevice.tanh(libdevice.log1p(tl.exp(a))), mask=at < n)


@triton.jit
def hard_swish(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < n)
    tl.store(out + at, a * tl.clamp(a + 3.0, 0.0, 6.0) / 6.0, mask=at < n)


@triton.jit
def selu(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < n)
    below = 1.6732632423543772 * (tl.exp(tl.minimum(a, 0.0)) - 1)
    tl.store(out + at, 1.0507009873554805 * tl.where(a > 0, a, below), mask=at < n)


@triton.jit
def soft_plus(x, out, n, threshold, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < n)
    tl.store(out + at, tl.where(a > threshold, a, tl.log(1 + tl.exp(tl.minimum(a, threshold)))), mask=at < n)


@triton.jit
def by_channel(x, slope, out, channels, pixels, BLOCK: tl.constexpr):
    """PReLU: a slope for each channel."""
    at = tl.arange(0, BLOCK)
    here = tl.program_id(0) * pixels + at
    a = tl.load(x + here, mask=at < pixels, other=0.0)
    s = tl.load(slope + tl.program_id(0) % channels)
    tl.store(out + here, tl.where(a > 0, a, s * a), mask=at < pixels)


@triton.jit
def snake(x, alpha, out, columns, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    here = tl.program_id(0) * columns + at
    a, rate = tl.load(x + here, mask=at < columns), tl.load(alpha + at, mask=at < columns, other=1.0)
    wave = tl.sin(rate * a)
    tl.store(out + here, a + wave * wave / rate, mask=at < columns)


@triton.jit
def dropped(x, out, n, p, seed, BLOCK: tl.constexpr):
    """Dropout: the mask is computed again."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    kept = tl.rand(seed, at) > p
    tl.store(out + at, tl.where(kept, tl.load(x + at, mask=at < n) / (1 - p), 0.0), mask=at < n)


@triton.jit
def by_pieces(x, out, n, BLOCK: tl.constexpr):
    """Of three conditions, whose arms have slopes of their own."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + i, mask=i < n, other=0.0)
    b = tl.where(a > 0, a, 0.3 * (tl.exp(a) - 1))
    b = tl.where(b > 1, b * b, b / 3)
    tl.store(out + i, tl.where(a > 0.5, a * b, -b * a * 2), mask=i < n)


@triton.jit
def largest_of_four(x, out, n, K: tl.constexpr, BLOCK: tl.constexpr):
    """Rows behind the last one are read as anything, and not stored."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i[:, None] * K + tl.arange(0, K)[None, :], mask=i[:, None] < n)
    tl.store(out + i, tl.max(v, axis=1), mask=i < n)


@triton.jit
def values_and_gates(x, out, M, N, stride, BLOCK_M: tl.constexpr, BLOCK: tl.constexpr):
    """Of a stride that comes behind the length: gates are a length behind their values."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = (m[:, None] < M) & (n[None, :] < N)
    value = tl.load(x + m[:, None] * stride + n[None, :], mask=inside, other=0.0)
    gate = tl.load(x + m[:, None] * stride + N + n[None, :], mask=inside, other=0.0)
    tl.store(out + m[:, None] * N + n[None, :], value * gate * tl.sigmoid(gate), mask=inside)
