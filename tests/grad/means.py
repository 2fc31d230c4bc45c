"""Norms that take a mean off: what is left of it adds up to 0, where all of the row is in the tile."""

import triton
import triton.language as tl


@triton.jit
def one_tile(x, w, b, out, mean, rstd, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    inside = columns < n
    values = tl.load(x + row * n + columns, mask=inside, other=0.0).to(tl.float32)
    average = tl.sum(values, axis=0) / n
    rest = tl.where(inside, values - average, 0.0)
    scale = tl.rsqrt(tl.sum(rest * rest, axis=0) / n + eps)
    tl.store(mean + row, average)
    tl.store(rstd + row, scale)
    result = rest * scale * tl.load(w + columns, mask=inside) + tl.load(b + columns, mask=inside)
    tl.store(out + row * n + columns, result, mask=inside)


@triton.jit
def taken_off_twice(x, out, mean, n, eps, BLOCK: tl.constexpr):
    """What rounding left in the mean is taken off, too, and stored with it."""
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    inside = columns < n
    values = tl.load(x + row * n + columns, mask=inside, other=0.0)
    average = tl.sum(values, axis=0) / n
    rest = tl.where(inside, values - average, 0.0)
    left = tl.sum(rest, axis=0) / n
    variance = tl.sum(rest * rest, axis=0) / n - left * left
    tl.store(mean + row, average + left)
    tl.store(out + row * n + columns, (rest - left) / tl.sqrt(variance + eps), mask=inside)


@triton.jit
def left_elsewhere(x, out, mean, n, BLOCK: tl.constexpr):
    """Stored is the mean with something else."""
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    inside = columns < n
    values = tl.load(x + row * n + columns, mask=inside, other=0.0)
    average = tl.sum(values, axis=0) / n
    rest = tl.where(inside, values - average, 0.0)
    more = tl.sum(rest * rest, axis=0) / n
    tl.store(mean + row, average + more)
    tl.store(out + row * n + columns, rest * more + average, mask=inside)


@triton.jit
def of_columns(x, out, S, C, eps, BS: tl.constexpr, BC: tl.constexpr):
    sample = tl.program_id(0)
    places, channels = tl.arange(0, BS), tl.program_id(1) * BC + tl.arange(0, BC)
    inside = (places < S)[:, None] & (channels < C)[None, :]
    at = sample * S * C + places[:, None] * C + channels[None, :]
    values = tl.load(x + at, mask=inside, other=0.0)
    rest = tl.where(inside, values - (tl.sum(values, axis=0) / S)[None, :], 0.0)
    scale = tl.rsqrt(tl.sum(rest * rest, axis=0) / S + eps)
    tl.store(out + at, rest * scale[None, :], mask=inside)


@triton.jit
def whole_tile(x, out, eps, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    values = tl.load(x + at)
    rest = values - tl.sum(values, axis=0) / N
    tl.store(out + at, rest * tl.rsqrt(tl.sum(rest * rest, axis=0) / N + eps))


@triton.jit
def unbiased(x, out, n, BLOCK: tl.constexpr):
    """By one less than there are: what is taken off is no mean."""
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    inside = columns < n
    values = tl.load(x + row * n + columns, mask=inside, other=0.0)
    rest = tl.where(inside, values - tl.sum(values, axis=0) / (n - 1), 0.0)
    tl.store(out + row * n + columns, rest * tl.sum(rest * rest, axis=0), mask=inside)


@triton.jit
def ones_outside(x, out, n, BLOCK: tl.constexpr):
    """Lanes outside of the mask count in the mean."""
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    inside = columns < n
    values = tl.load(x + row * n + columns, mask=inside, other=1.0)
    rest = tl.where(inside, values - tl.sum(values, axis=0) / n, 0.0)
    tl.store(out + row * n + columns, rest * tl.sum(rest * rest, axis=0), mask=inside)


@triton.jit
def every_other(x, out, n, BLOCK: tl.constexpr):
    """The mask lets fewer than n through."""
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    inside = (columns < n) & (columns % 2 == 0)
    values = tl.load(x + row * n + columns, mask=inside, other=0.0)
    rest = tl.where(inside, values - tl.sum(values, axis=0) / n, 0.0)
    tl.store(out + row * n + columns, rest * tl.sum(rest * rest, axis=0), mask=inside)
