"""Weights that all programs read, of which the derived kernel has a row of sums for each program: how long is
a row?  No longer than the array, behind whose end the second kernel would store."""

import triton
import triton.language as tl


@triton.jit
def part_of_tile(x, w, out, BLOCK: tl.constexpr):
    """13 of 16 weights are there."""
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    inside = columns < 13
    scaled = tl.load(x + row * 13 + columns, mask=inside, other=0.0) * tl.load(w + columns, mask=inside, other=0.0)
    tl.store(out + row * 13 + columns, scaled, mask=inside)


@triton.jit
def keys(q, k, out, n, D: tl.constexpr, BLOCK: tl.constexpr):
    """n of the tile's rows are there."""
    query = tl.program_id(0)
    columns = tl.arange(0, D)
    rows = tl.arange(0, BLOCK)
    values = tl.load(q + query * D + columns)
    key = tl.load(k + rows[:, None] * D + columns[None, :], mask=(rows < n)[:, None], other=0.0)
    tl.store(out + query * BLOCK + rows, tl.sum(key * values[None, :], axis=1))


@triton.jit
def earlier_keys(q, k, out, n, D: tl.constexpr, BLOCK: tl.constexpr):
    query = tl.program_id(0)
    columns = tl.arange(0, D)
    rows = tl.arange(0, BLOCK)
    values = tl.load(q + query * D + columns)
    there = (rows <= query) & (rows < n)
    key = tl.load(k + rows[:, None] * D + columns[None, :], mask=there[:, None], other=0.0)
    tl.store(out + query * BLOCK + rows, tl.sum(key * values[None, :], axis=1))


@triton.jit
def every_third(x, w, out, BLOCK: tl.constexpr):
    """The mask says nothing of the array's end."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at) * tl.load(w + columns, mask=columns % 3 == 1, other=0.0))


@triton.jit
def either_end(x, w, out, n, m, BLOCK: tl.constexpr):
    """It may end at n or at m."""
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    weight = tl.load(w + columns, mask=(columns < n) & (columns < m), other=0.0)
    tl.store(out + row * n + columns, tl.load(x + row * n + columns, mask=columns < n) * weight, mask=columns < n)


@triton.jit
def sometimes(x, w, out, n, scales, BLOCK: tl.constexpr):
    """Of an array that not each launch has."""
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    values = tl.load(x + row * n + columns, mask=columns < n, other=0.0)
    if scales > 0:
        values = values * tl.load(w + columns)
    tl.store(out + row * n + columns, values, mask=columns < n)


@triton.jit
def gates(x, bias, out, n, BLOCK: tl.constexpr):
    """Values, then gates, and so their biases."""
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    inside = columns < n
    values = x + row * 2 * n + columns
    value = tl.load(values, mask=inside, other=0.0) + tl.load(bias + columns, mask=inside, other=0.0)
    gate = tl.load(values + n, mask=inside, other=0.0) + tl.load(bias + n + columns, mask=inside, other=0.0)
    tl.store(out + row * n + columns, value * tl.sigmoid(gate), mask=inside)
