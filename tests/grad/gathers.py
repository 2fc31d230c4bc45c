"""Sparse: elements chosen by arrays of indices."""

import triton
import triton.language as tl


@triton.jit
def embedding(table, indices, out, width, BLOCK: tl.constexpr):
    """Rows may come several times."""
    at = tl.arange(0, BLOCK)
    index = tl.load(indices + tl.program_id(0))
    tl.store(out + tl.program_id(0) * width + at, tl.load(table + index * width + at, mask=at < width), mask=at < width)


@triton.jit
def sparse_rows(values, columns, starts, x, out, BLOCK: tl.constexpr):
    """A row of a compressed matrix times a vector, by a loop."""
    begin, end = tl.load(starts + tl.program_id(0)), tl.load(starts + tl.program_id(0) + 1)
    total = tl.zeros([BLOCK], tl.float32)
    for k in range(begin, end, BLOCK):
        at = k + tl.arange(0, BLOCK)
        column = tl.load(columns + at, mask=at < end, other=0)
        total += tl.load(values + at, mask=at < end, other=0.0) * tl.load(x + column, mask=at < end, other=0.0)
    tl.store(out + tl.program_id(0), tl.sum(total, axis=0))


@triton.jit
def bag(table, indices, out, width, COUNT: tl.constexpr, BLOCK: tl.constexpr):
    """The mean of several rows, in one tile."""
    i, j = tl.arange(0, COUNT), tl.arange(0, BLOCK)
    index = tl.load(indices + tl.program_id(0) * COUNT + i)
    rows = tl.load(table + index[:, None] * width + j[None, :], mask=(j < width)[None, :], other=0.0)
    tl.store(out + tl.program_id(0) * width + j, tl.sum(rows, axis=0) / COUNT, mask=j < width)


@triton.jit
def permuted(x, order, out, n, BLOCK: tl.constexpr):
    """Stores to places of which each comes once."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < n)
    tl.store(out + tl.load(order + at, mask=at < n), a * a, mask=at < n)


@triton.jit
def message(x, sources, targets, out, edges, BLOCK: tl.constexpr):
    """Along the edges of a graph: sums by atomics."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + tl.load(sources + at, mask=at < edges), mask=at < edges)
    tl.atomic_add(out + tl.load(targets + at, mask=at < edges), a * a, mask=at < edges)


@triton.jit
def picked(x, index, out, BLOCK: tl.constexpr):
    """Elements of a tile."""
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.gather(tl.load(x + at), tl.load(index + at), 0))


@triton.jit
def edges(x, sources, targets, out, count, width, BLOCK: tl.constexpr):
    """Distances of pairs of points."""
    at = tl.arange(0, BLOCK)
    a = tl.load(x + tl.load(sources + tl.program_id(0)) * width + at, mask=at < width, other=0.0)
    b = tl.load(x + tl.load(targets + tl.program_id(0)) * width + at, mask=at < width, other=0.0)
    tl.store(out + tl.program_id(0), tl.sqrt(tl.sum((a - b) * (a - b), axis=0) + 1e-3))


@triton.jit
def halves(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    real, imaginary = tl.split(tl.reshape(tl.load(x + tl.arange(0, 2 * BLOCK)), (BLOCK, 2)))
    tl.store(out + at, real * real + imaginary * imaginary)


@triton.jit
def rotated(x, angles, out, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Pairs beside each other, turned by an angle."""
    i, j = tl.arange(0, ROWS)[:, None], tl.arange(0, 2 * BLOCK)[None, :]
    inside = (i < rows) & (j < 2 * columns)
    pairs = tl.reshape(tl.load(x + i * 2 * columns + j, mask=inside, other=0.0), (ROWS, BLOCK, 2))
    a, b = tl.split(pairs)
    half = tl.arange(0, BLOCK)[None, :]
    angle = tl.load(angles + half, mask=half < columns, other=0.0)
    sine, cosine = tl.sin(angle), tl.cos(angle)
    turned = tl.interleave(a * cosine - b * sine, a * sine + b * cosine)
    tl.store(out + i * 2 * columns + j, turned, mask=inside)


@triton.jit
def picked_columns(x, w, index, out):
    i = tl.arange(0, 4)[:, None]
    j, k = tl.arange(0, 8)[None, :], tl.arange(0, 16)[None, :]
    a = tl.exp(tl.load(x + i * 8 + j))
    tl.store(out + i * 16 + k, tl.gather(a, tl.load(index + i * 16 + k), axis=1) * tl.load(w + i * 16 + k))


@triton.jit
def picked_rows(x, index, out):
    i, k = tl.arange(0, 8)[:, None], tl.arange(0, 16)[:, None]
    j = tl.arange(0, 4)[None, :]
    a = tl.gather(tl.load(x + i * 4 + j), tl.load(index + k * 4 + j), axis=0)
    tl.store(out + k * 4 + j, a * a)


@triton.jit
def both_ends(x, out, BLOCK: tl.constexpr):
    """Slices from known places on."""
    v = tl.load(x + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK))
    first, last = v[:BLOCK // 2], v[BLOCK // 2:]
    tl.store(out + tl.program_id(0) * (BLOCK // 2) + tl.arange(0, BLOCK // 2), first * first * last)


@triton.jit
def by_its_fourth(x, out, n, BLOCK: tl.constexpr):
    """One element, and one that is put in its place."""
    i = tl.arange(0, BLOCK)
    v = tl.load(x + tl.program_id(0) * n + i, mask=i < n, other=0.0)
    fourth = v[3]
    v[0] = fourth * v[1]
    tl.store(out + tl.program_id(0) * n + i, v * tl.exp(-fourth), mask=i < n)


@triton.jit
def column_and_corner(x, out, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    at = tl.program_id(0) * ROWS * COLUMNS + tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    v = tl.load(x + at)
    corner = v[1:3, :COLUMNS // 2]
    tl.store(out + at, v * v[:, 2][:, None] + v[-1] + tl.sum(corner * corner))


@triton.jit
def one_of_run_time(x, out, k, BLOCK: tl.constexpr):
    v = tl.load(x + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK))
    w = v * v
    tl.store(out + tl.program_id(0), w[k] * v[k + 1])
