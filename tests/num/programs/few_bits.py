"""Bytes and integers of few bits that become floats, and labels beside the columns of a row."""

import triton
import triton.language as tl


@triton.jit
def bytes_as_floats(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    b = tl.load(x + i, mask=i < n, other=0)
    dtype = out.dtype.element_ty
    tl.store(out + i, b.to(dtype), mask=i < n)
    tl.store(out + n + i, b.to(tl.float32) - 8.0 + 3.5, mask=i < n)
    tl.store(out + 2 * n + i, 100.0 + (b.to(tl.float32) - 127.0), mask=i < n)
    tl.store(out + 3 * n + i, b.to(tl.float32) - 4194304.0 * 3.0, mask=i < n)


@triton.jit
def nibbles_of_bytes(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    b = tl.load(x + i, mask=i < n, other=0)
    dtype = out.dtype.element_ty
    low = (b & 15).to(dtype) - 8
    high = (b >> 4).to(dtype) - 8
    tl.store(out + i, low, mask=i < n)
    tl.store(out + n + i, high, mask=i < n)
    tl.store(out + 2 * n + i, low * high, mask=i < n)
    tl.store(out + 3 * n + i, (((b ^ 0x5a) >> 1 & 0x3c) | 0x41).to(dtype), mask=i < n)


@triton.jit
def nibbles_of_words(x, zeros, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    shift = i % 8 * 4
    mask = i < n
    b = tl.load(x + i // 8, mask=mask, other=0) >> shift & 15
    z = tl.load(zeros + i // 8, mask=mask, other=0) >> shift & 15
    dtype = out.dtype.element_ty
    tl.store(out + i, b.to(dtype), mask=mask)
    tl.store(out + n + i, (b - z).to(dtype) * 0.5, mask=mask)
    tl.store(out + 2 * n + i, b.to(tl.float32) - 8.0, mask=mask)


@triton.jit
def one_of_a_row(labels, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    label = tl.load(labels + row)
    for start in range(0, n, BLOCK):
        c = start + tl.arange(0, BLOCK)
        v = tl.where(c == label, 1, 0) + tl.where(c != label, 10, 0) + tl.where(c < label, 100, 0)
        v += tl.where(c >= label, 1000, 0) + tl.where(label > c, 10000, 0)
        tl.store(out + row * n + c, v, mask=c < n)


@triton.jit
def signs(x, y, keep, out, bits, n, STEP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    a = tl.load(x + i * STEP, mask=mask, other=-1.5)
    b = tl.load(y + i, mask=mask)
    k = tl.load(keep + i, mask=mask, other=0) != 0
    size, turned = tl.abs(a), -b
    picked = tl.where(k, size, -tl.where(k, turned, a))
    tl.store(out + i, size, mask=mask)
    tl.store(out + n + i, turned, mask=mask)
    tl.store(out + 2 * n + i, picked, mask=mask)
    tl.store(out + 3 * n + i, tl.where(k, tl.abs(tl.where(k, b, 0)), -2.5).to(out.dtype.element_ty), mask=mask)
    tl.store(bits + i, picked.to(tl.int16, bitcast=True), mask=mask)


@triton.jit
def shifted_words(x, out, n, BLOCK: tl.constexpr):
    """Not the bits of bf16: words shifted by another number."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    w = tl.load(x + i, mask=i < n).to(tl.uint32) << 15
    tl.store(out + i, tl.abs(-(w.to(tl.float32, bitcast=True))).to(tl.bfloat16), mask=i < n)
