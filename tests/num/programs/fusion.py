"""Sums of products, for launches with enable_fp_fusion and without."""

import triton
import triton.language as tl


@triton.jit
def product(a, b):
    return a * b


@triton.jit
def sums(x, y, z, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + i, mask=i < n)
    b = tl.load(y + i, mask=i < n)
    c = tl.load(z + i, mask=i < n)
    tl.store(out + i, a * b + c, mask=i < n)
    tl.store(out + n + i, product(a, c) - b, mask=i < n)
    tl.store(out + 2 * n + i, a - b * c, mask=i < n)


@triton.jit
def row_products(x, y, out, n, rows, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], tl.float32)
    for row in range(rows):
        acc += tl.load(x + row * n + i, mask=i < n) * tl.load(y + row * n + i, mask=i < n)
    tl.store(out + i, acc, mask=i < n)


@triton.jit
def differences(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + i, mask=i < n)
    p = a * tl.load(y + i, mask=i < n)
    q = tl.load(y + i, mask=i < n) * a
    tl.store(out + i, p - q, mask=i < n)
    tl.store(out + n + i, p + a, mask=i < n)
