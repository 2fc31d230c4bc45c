"""Normalisation of rows, groups and columns."""

import triton
import triton.language as tl


@triton.jit
def unit_length(x, out, row, eps, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    at = tl.program_id(0) * row + columns
    a = tl.load(x + at, mask=columns < row, other=0.0).to(tl.float32)
    length = tl.sqrt(tl.sum(a * a, axis=0))
    tl.store(out + at, a / tl.maximum(length, eps), mask=columns < row)


@triton.jit
def group_norm(x, weight, bias, out, eps, GROUP: tl.constexpr, CHANNELS: tl.constexpr, SIZE: tl.constexpr):
    """A group of channels a program, each of SIZE pixels."""
    channel = tl.program_id(0) * GROUP + tl.arange(0, GROUP)
    at = channel[:, None] * SIZE + tl.arange(0, SIZE)[None, :]
    a = tl.load(x + at)
    mean = tl.sum(tl.sum(a, axis=1), axis=0) / (GROUP * SIZE)
    centred = a - mean
    variance = tl.sum(centred * centred) / (GROUP * SIZE)
    scale = tl.load(weight + channel % CHANNELS)[:, None] * tl.rsqrt(variance + eps)
    tl.store(out + at, centred * scale + tl.load(bias + channel % CHANNELS)[:, None])


@triton.jit
def batch_norm(x, out, rows, columns, eps, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Down the columns of a matrix."""
    i = tl.arange(0, ROWS)[:, None]
    j = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)[None, :]
    inside = (i < rows) & (j < columns)
    a = tl.load(x + i * columns + j, mask=inside, other=0.0)
    mean = tl.sum(a, axis=0, keep_dims=True) / rows
    centred = tl.where(inside, a - mean, 0.0)
    deviation = tl.sqrt(tl.sum(centred * centred, axis=0, keep_dims=True) / (rows - 1) + eps)
    tl.store(out + i * columns + j, centred / deviation, mask=inside)


@triton.jit
def row_moments(x, out, row, BLOCK: tl.constexpr):
    """Mean and variance of a long row, by two loops."""
    start = x + tl.program_id(0) * row
    total = tl.zeros([BLOCK], tl.float32)
    for k in range(0, row, BLOCK):
        columns = k + tl.arange(0, BLOCK)
        total += tl.load(start + columns, mask=columns < row, other=0.0)
    mean = tl.sum(total, axis=0) / row
    squares = tl.zeros([BLOCK], tl.float32)
    for k in range(0, row, BLOCK):
        columns = k + tl.arange(0, BLOCK)
        off = tl.where(columns < row, tl.load(start + columns, mask=columns < row, other=0.0) - mean, 0.0)
        squares += off * off
    tl.store(out + 2 * tl.program_id(0), mean)
    tl.store(out + 2 * tl.program_id(0) + 1, tl.sum(squares, axis=0) / row)


@triton.jit
def soft_cap(x, out, n, cap, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    scaled = tl.load(x + at, mask=at < n) / cap
    tl.store(out + at, cap * (2 * tl.sigmoid(2 * scaled) - 1), mask=at < n)


@triton.jit
def range_of_row(x, out, row, BLOCK: tl.constexpr):
    """Between 0 and 1."""
    columns = tl.arange(0, BLOCK)
    at = tl.program_id(0) * row + columns
    a = tl.load(x + at, mask=columns < row, other=0.0)
    low = tl.min(tl.where(columns < row, a, float("inf")), axis=0)
    high = tl.max(tl.where(columns < row, a, -float("inf")), axis=0)
    tl.store(out + at, (a - low) / (high - low), mask=columns < row)
