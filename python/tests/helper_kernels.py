"""Kernels that several tests launch."""

import tilec
import tilec.language as tl


@tilec.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


@tilec.jit
def copy_matrix(x, out, rows, columns, row_stride, column_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    value = tl.load(x + row * row_stride + i * column_stride, mask=i < columns)
    tl.store(out + row * columns + i, value, mask=i < columns)


@tilec.jit
def store_number(out, value):
    tl.store(out, value)


@tilec.jit
def small(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.device_assert(tl.load(x + i, i < n, 0) < 3, "too large")


@tilec.jit
def wait(gate, count):
    """Each program counts itself, and waits until somebody has opened the gate."""
    tl.atomic_add(count, 1)
    shut = tl.atomic_add(gate, 0) == 0
    while shut:
        shut = tl.atomic_add(gate, 0) == 0
