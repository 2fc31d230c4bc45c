"""Reductions and scans by products, by functions of one's own, and of several tiles at once; sorting."""

import triton
import triton.language as tl


@triton.jit
def times(a, b):
    return a * b


@triton.jit
def product_of_row(x, out, row, BLOCK: tl.constexpr):
    """Right where elements are 0, too."""
    at = tl.arange(0, BLOCK)
    a = tl.load(x + tl.program_id(0) * row + at, mask=at < row, other=1.0)
    tl.store(out + tl.program_id(0), tl.reduce(a, 0, times))


@triton.jit
def from_behind(x, out, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Products of what comes behind, along the first axis of two."""
    at = tl.arange(0, ROWS)[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :]
    tl.store(out + at, tl.cumprod(tl.load(x + at), axis=0, reverse=True))


@triton.jit
def greater(a, b):
    return tl.maximum(a, b)


@triton.jit
def so_far(x, out, row, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    a = tl.load(x + tl.program_id(0) * row + at, mask=at < row, other=-float("inf"))
    tl.store(out + tl.program_id(0) * row + at, tl.associative_scan(a, 0, greater), mask=at < row)


@triton.jit
def log_add(a, b):
    top = tl.maximum(a, b)
    return top + tl.log(tl.exp(a - top) + tl.exp(b - top))


@triton.jit
def log_sums(x, out, rows, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Of each row of a tile, where each round of a loop has one."""
    i = tl.arange(0, ROWS)
    for first in range(0, rows, ROWS):
        a = tl.load(x + (first + i)[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :], mask=(first + i)[:, None] < rows, other=0.0)
        tl.store(out + first + i, tl.reduce(a, 1, log_add), mask=first + i < rows)


@triton.jit
def moments(mean, squares, count, other_mean, other_squares, other_count):
    total = count + other_count
    apart = other_mean - mean
    part = tl.where(total == 0, 0.0, other_count / total)
    return mean + apart * part, squares + other_squares + apart * apart * count * part, total


@triton.jit
def welford(x, out, row, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    here = tl.program_id(0) * row + at
    a = tl.load(x + here, mask=at < row, other=0.0)
    mean, squares, count = tl.reduce((a, tl.zeros_like(a), (at < row).to(tl.float32)), 0, moments)
    tl.store(out + here, (a - mean) / tl.sqrt(squares / count + 1e-3), mask=at < row)


@triton.jit
def turned(a, b, c, d, e, f, g, h):
    """Of 2 by 2 matrices, whose order counts."""
    return a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h


@triton.jit
def parts(x, at):
    return tl.load(x + 4 * at), tl.load(x + 4 * at + 1), tl.load(x + 4 * at + 2), tl.load(x + 4 * at + 3)


@triton.jit
def complex_times(a, b, c, d):
    return a * c - b * d, a * d + b * c


@triton.jit
def rotated(x, y, out, BLOCK: tl.constexpr):
    """The product of complex numbers."""
    at = tl.arange(0, BLOCK)
    real, imaginary = tl.reduce((tl.load(x + at), tl.load(y + at)), 0, complex_times)
    tl.store(out, real)
    tl.store(out + 1, imaginary * imaginary)


@triton.jit
def spun(x, y, out, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """All products of them, row by row, of which one part is stored."""
    at = tl.arange(0, ROWS)[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :]
    real, _ = tl.associative_scan((tl.load(x + at), tl.load(y + at)), 1, complex_times, reverse=True)
    tl.store(out + at, real)


@triton.jit
def running_variance(x, out, row, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < row, other=0.0)
    mean, squares, _ = tl.associative_scan((a, tl.zeros_like(a), tl.full([BLOCK], 1.0, tl.float32)), 0, moments)
    tl.store(out + at, mean * squares, mask=at < row)


@triton.jit
def chains(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    a, b, c, d = tl.associative_scan(parts(x, at), 0, turned, reverse=True)
    tl.store(out + at, a * d - tl.sin(b) * c)


@triton.jit
def in_segment(flag, sum, other_flag, other_sum):
    return flag | other_flag, tl.where(other_flag != 0, other_sum, sum + other_sum)


@triton.jit
def segments(x, starts, out, row, BLOCK: tl.constexpr):
    """Running sums that begin again where a flag says so."""
    at = tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < row, other=0.0)
    begins = tl.load(starts + at, mask=at < row, other=0)
    _, sums = tl.associative_scan((begins, a * a), 0, in_segment)
    tl.store(out + at, sums, mask=at < row)


@triton.jit
def weighed_by_rank(x, w, out, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Each row sorted, the smallest with the first weight; equal elements keep their order."""
    at = tl.arange(0, ROWS)[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :]
    ordered = tl.sort(tl.load(x + at))
    tl.store(out + tl.arange(0, ROWS), tl.sum(ordered * tl.load(w + tl.arange(0, BLOCK))[None, :], axis=1))


@triton.jit
def largest_ones(x, out, row, K: tl.constexpr, BLOCK: tl.constexpr):
    """A softmax of the largest of a row."""
    at = tl.arange(0, BLOCK)
    a = tl.load(x + tl.program_id(0) * row + at, mask=at < row, other=-float("inf"))
    best = tl.topk(a, K)
    e = tl.exp(best - tl.max(best, axis=0))
    tl.store(out + tl.program_id(0) * K + tl.arange(0, K), e / tl.sum(e, axis=0))


@triton.jit
def twice(x, starts, out, rows, BLOCK: tl.constexpr):
    """What is not used of one scan and of those in a loop has several types."""
    at = tl.arange(0, BLOCK)
    _, first = tl.associative_scan((tl.load(starts + at), tl.load(x + at)), 0, in_segment)
    for i in range(1, rows):
        a = tl.load(x + i * BLOCK + at)
        real, turned_by = tl.associative_scan((a, first), 0, complex_times)
        tl.store(out + i * BLOCK + at, turned_by)


@triton.jit
def by_places(x, places, out, BLOCK: tl.constexpr):
    """Integers are sorted as they are."""
    at = tl.arange(0, BLOCK)
    order = tl.sort(tl.load(places + at), descending=True)
    tl.store(out + at, tl.load(x + order) * order)
