"""Maxima that values are measured from, of which the result is the same whatever they are, and some that only look so."""

import triton
import triton.language as tl


@triton.jit
def row_of(x, row, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    return tl.load(x + tl.program_id(0) * row + at, mask=at < row, other=-float("inf")), at


@triton.jit
def log_softmax(x, out, row, BLOCK: tl.constexpr):
    a, at = row_of(x, row, BLOCK)
    top = tl.max(a, axis=0)
    tl.store(out + tl.program_id(0) * row + at, a - top - tl.log(tl.sum(tl.exp(a - top), axis=0)), mask=at < row)


@triton.jit
def warm(x, out, row, scale, BLOCK: tl.constexpr):
    """The factor, known at run time, comes behind the maximum."""
    a, at = row_of(x, row, BLOCK)
    e = tl.exp2((a - tl.max(a, axis=0)) * scale)
    tl.store(out + tl.program_id(0) * row + at, e / tl.sum(e, axis=0), mask=at < row)


@triton.jit
def guarded(x, out, row, BLOCK: tl.constexpr):
    """As masked rows need it."""
    a, at = row_of(x, row, BLOCK)
    top = tl.max(a, axis=0)
    e = tl.exp(a - tl.where(top == -float("inf"), 0.0, top))
    total = tl.sum(e, axis=0)
    tl.store(out + tl.program_id(0) * row + at, e / tl.where(total == 0.0, 1.0, total), mask=at < row)


@triton.jit
def pairs(x, y, out, n, BLOCK: tl.constexpr):
    """Each lane has a maximum of its own."""
    at = tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < n, other=0.0)
    b = tl.load(y + at, mask=at < n, other=0.0)
    top = tl.maximum(a, b)
    left, right = tl.exp(a - top), tl.exp(b - top)
    tl.store(out + at, (left * a + right * b) / (left + right), mask=at < n)


@triton.jit
def summed_pairs(x, y, out, n, BLOCK: tl.constexpr):
    """Lanes with maxima of their own are summed: what is left of these counts."""
    at = tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < n, other=0.0)
    b = tl.load(y + at, mask=at < n, other=0.0)
    top = tl.maximum(a, b)
    left, right = tl.exp(a - top), tl.exp(b - top)
    inside = at < n
    tl.store(out, tl.sum(tl.where(inside, left, 0.0), axis=0) / tl.sum(tl.where(inside, left + right, 0.0), axis=0))


@triton.jit
def off_by_one(x, out, row, BLOCK: tl.constexpr):
    """exp(x - m) / (1 + sum): 1 does not shrink as the others do."""
    a, at = row_of(x, row, BLOCK)
    e = tl.exp(a - tl.max(a, axis=0))
    tl.store(out + tl.program_id(0) * row + at, e / (1.0 + tl.sum(e, axis=0)), mask=at < row)


@triton.jit
def sunk(x, out, row, BLOCK: tl.constexpr):
    """The same with a 1 that does."""
    a, at = row_of(x, row, BLOCK)
    top = tl.max(a, axis=0)
    e = tl.exp(a - top)
    tl.store(out + tl.program_id(0) * row + at, e / (tl.exp(-top) + tl.sum(e, axis=0)), mask=at < row)


@triton.jit
def used_twice(x, out, row, BLOCK: tl.constexpr):
    a, at = row_of(x, row, BLOCK)
    top = tl.max(a, axis=0)
    e = tl.exp(a - top)
    tl.store(out + tl.program_id(0) * row + at, top * e / tl.sum(e, axis=0), mask=at < row)


@triton.jit
def half_taken_off(x, out, row, BLOCK: tl.constexpr):
    """log(sum) gets half of the maximum back only."""
    a, at = row_of(x, row, BLOCK)
    top = tl.max(a, axis=0)
    tl.store(out + tl.program_id(0), 0.5 * top + tl.log(tl.sum(tl.exp(a - top), axis=0)))


@triton.jit
def faded(x, v, out, row, BLOCK: tl.constexpr):
    """Means with weights exp(x), a column at a time; the sum begins at 1, as tutorials have it."""
    lanes = tl.arange(0, BLOCK)
    top = tl.zeros([BLOCK], tl.float32) - float("inf")
    total = tl.zeros([BLOCK], tl.float32) + 1.0
    mean = tl.zeros([BLOCK], tl.float32)
    for k in range(0, row):
        a = tl.load(x + lanes * row + k)
        higher = tl.maximum(top, a)
        fade, weight = tl.exp(top - higher), tl.exp(a - higher)
        total = total * fade + weight
        mean = mean * fade + weight * tl.load(v + lanes * row + k)
        top = higher
    tl.store(out + lanes, mean / total)


@triton.jit
def half_faded(x, v, out, row, BLOCK: tl.constexpr):
    """One of the sums does not fade."""
    lanes = tl.arange(0, BLOCK)
    top = tl.zeros([BLOCK], tl.float32) - float("inf")
    total = tl.zeros([BLOCK], tl.float32)
    mean = tl.zeros([BLOCK], tl.float32)
    for k in range(0, row):
        a = tl.load(x + lanes * row + k)
        higher = tl.maximum(top, a)
        weight = tl.exp(a - higher)
        total = total * tl.exp(top - higher) + weight
        mean = mean + weight * tl.load(v + lanes * row + k)
        top = higher
    tl.store(out + lanes, mean / total)


@triton.jit
def begun_elsewhere(x, first, out, row, BLOCK: tl.constexpr):
    """The sum begins with what is measured from 0, the maximum at another number: a gradient goes through both."""
    lanes = tl.arange(0, BLOCK)
    top = tl.load(first + lanes)
    total = tl.exp(top * 0.5)
    for k in range(0, row):
        a = tl.load(x + lanes * row + k)
        higher = tl.maximum(top, a)
        total = total * tl.exp(top - higher) + tl.exp(a - higher)
        top = higher
    tl.store(out + lanes, top + tl.log(total))


@triton.jit
def crossed(a, b, out, BLOCK: tl.constexpr):
    """One maximum along both axes: its lanes move each for itself, so that they do not take each other off."""
    i = tl.arange(0, BLOCK)
    top = tl.maximum(tl.load(a + i), tl.load(b + i))
    tl.store(out + i[:, None] * BLOCK + i[None, :], tl.exp(top[:, None] - top[None, :]) * tl.load(a + i)[:, None])


@triton.jit
def crossed_tiles(a, b, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = i[:, None] * BLOCK + i[None, :]
    top = tl.maximum(tl.load(a + at), tl.load(b + at))
    tl.store(out + at, top - tl.trans(top) + tl.load(b + at))


@triton.jit
def crossed_in_rounds(x, out, row, BLOCK: tl.constexpr):
    """What a round hands on is the maximum of other lanes."""
    i = tl.arange(0, BLOCK)
    top = tl.zeros([BLOCK, BLOCK], tl.float32)
    total = tl.zeros([BLOCK, BLOCK], tl.float32)
    for k in range(row):
        a = tl.load(x + (k * BLOCK + i[:, None]) * BLOCK + i[None, :])
        higher = tl.trans(tl.maximum(top, a))
        total = total * tl.exp(top - higher) + tl.exp(a - higher)
        top = higher
    tl.store(out + i[:, None] * BLOCK + i[None, :], top + tl.log(total))
