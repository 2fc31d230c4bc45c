"""The same in other usual writings: tiles whose grid goes along rows first, stores across rows, rows by
block pointers of one row, a maximum as a choice."""

import triton
import triton.language as tl


@triton.jit
def doubled(x, out, rows, columns, stride, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """2 * x in tiles, the first axis of the grid down the rows."""
    r = (tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M))[:, None]
    c = (tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N))[None, :]
    mask = (r < rows) & (c < columns)
    tl.store(out + r * columns + c, tl.load(x + r * stride + c, mask=mask, other=0) * 2, mask=mask)


@triton.jit
def doubled_planes(x, out, columns, stride, BLOCK: tl.constexpr):
    """The same a row and a piece of it at a time, pieces along the last axis."""
    c = tl.program_id(2) * BLOCK + tl.arange(0, BLOCK)
    row = tl.program_id(0) * tl.num_programs(1) + tl.program_id(1)
    tl.store(out + row * columns + c, tl.load(x + row * stride + c, mask=c < columns, other=0) * 2,
             mask=c < columns)


@triton.jit
def numbered(out, width, BLOCK: tl.constexpr):
    """What programs are called, whichever order they come in."""
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    number = tl.program_id(0) * 10000 + tl.program_id(1) * 100 + tl.program_id(2)
    row = tl.program_id(0) * tl.num_programs(2) + tl.program_id(2)
    tl.store(out + row * width + c, number + c * 0, mask=c < width)


@triton.jit
def sum_across(x, y, out, rows, columns, BLOCK: tl.constexpr):
    """(x + y) turned, by a store across rows of two loads along them."""
    r = (tl.program_id(0) * BLOCK + tl.arange(0, BLOCK))[:, None]
    c = (tl.program_id(1) * BLOCK + tl.arange(0, BLOCK))[None, :]
    mask = (r < rows) & (c < columns)
    at = r * columns + c
    total = tl.load(x + at, mask=mask, other=0) + tl.load(y + at, mask=mask, other=0)
    tl.store(out + c * rows + r, total, mask=mask)


@triton.jit
def softmax_of_block(x, out, rows, columns, BLOCK: tl.constexpr):
    """A row as a block of one, cut by its block pointer and by a mask of its own."""
    row = tl.program_id(0)
    source = tl.make_block_ptr(x, (rows, columns), (columns, 1), (row, 0), (1, BLOCK), (1, 0))
    target = tl.make_block_ptr(out, (rows, columns), (columns, 1), (row, 0), (1, BLOCK), (1, 0))
    v = tl.load(source, boundary_check=(0, 1), padding_option="zero")
    v = tl.where(tl.arange(0, BLOCK)[None, :] < columns, v, -float("inf"))
    e = tl.exp(v - tl.max(v, axis=1)[:, None])
    tl.store(target, e / tl.sum(e, axis=1)[:, None], boundary_check=(0, 1))


@triton.jit
def blocks_from(x, out, rows, columns, up, left, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """A tile of blocks that may begin before the array does."""
    r, c = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N
    source = tl.make_block_ptr(x, (rows, columns), (columns, 1), (r - up, c - left),
                               (BLOCK_M, BLOCK_N), (1, 0))
    target = tl.make_block_ptr(out, (rows, columns), (columns, 1), (r, c), (BLOCK_M, BLOCK_N), (1, 0))
    tl.store(target, tl.load(source, boundary_check=(0, 1), padding_option="zero"), boundary_check=(0, 1))


@triton.jit
def dilated(x, out, height, width, R: tl.constexpr, BLOCK: tl.constexpr):
    """The largest of a window by tl.where, its places counted by one number."""
    r = tl.program_id(0)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    best = tl.load(x + r * width + c, mask=c < width, other=0)
    for k in tl.static_range((2 * R + 1) * (2 * R + 1)):
        y, z = r + (k // (2 * R + 1) - R), c + (k % (2 * R + 1) - R)
        mask = (y >= 0) & (y < height) & (z >= 0) & (z < width)
        v = tl.load(x + y * width + z, mask=mask, other=best)
        best = tl.where(v > best, v, best)
    tl.store(out + r * width + c, best, mask=c < width)


@triton.jit
def in_rounds(x, out, columns, stride, BLOCK: tl.constexpr):
    """Sum, sum of squares, least and largest of a row, added up as tiles and reduced behind the loop."""
    row = tl.program_id(0)
    total = tl.zeros((BLOCK,), x.dtype.element_ty)
    squares = tl.zeros((BLOCK,), x.dtype.element_ty)
    high = tl.load(x + row * stride) + tl.zeros((BLOCK,), x.dtype.element_ty)
    for start in range(0, columns, BLOCK):
        c = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * stride + c, mask=c < columns, other=0)
        total += v
        squares = v * v + squares
        high = tl.maximum(high, tl.where(c < columns, v, high))
    tl.store(out + row * 3, tl.sum(total, axis=0))
    tl.store(out + row * 3 + 1, tl.sum(squares, axis=0))
    tl.store(out + row * 3 + 2, tl.max(high, axis=0))


@triton.jit
def normed_tiles(x, out, rows, columns, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Rows less their means, by tiles that are wider and higher: what is left out is 0 by a mask of columns."""
    r = (tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M))[:, None]
    c = tl.arange(0, BLOCK_N)[None, :]
    mask = (r < rows) & (c < columns)
    v = tl.load(x + r * columns + c, mask=mask, other=-7)
    total = tl.sum(tl.where(c < columns, v, 0), axis=1)[:, None]
    least = tl.min(tl.where(c < columns, v, 100), axis=1)[:, None]
    tl.store(out + r * columns + c, (v - least) * columns - total, mask=mask)


@triton.jit
def shifted_tiles(x, bias, scale, out, rows, columns, stride, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """max(x * scale of the row + bias of the column, 0), the first axis of the grid along columns, the last
    one over planes."""
    r = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    c = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    plane = tl.program_id(2) * rows
    v = tl.load(x + (plane + r) * stride + c, mask=(r < rows) & (c < columns), other=0)
    v = v * tl.load(scale + r, mask=r < rows) + tl.load(bias + c, mask=c < columns)
    tl.store(out + (plane + r) * columns + c, tl.maximum(v, 0), mask=(r < rows) & (c < columns))


@triton.jit
def table(out, side, a, b, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Every element that the grid has, behind the rows' ends too: out is as large."""
    r = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    c = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    tl.store(out + r[:, None] * side + c[None, :],
             tl.load(a + r)[:, None] * 1000 + tl.load(b + c)[None, :])


@triton.jit
def rows_below(x, rows, columns, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """In place, row r + rows from row r."""
    r = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    c = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    mask = (r < rows) & (c < columns)
    tl.store(x + (r + rows) * columns + c, tl.load(x + r * columns + c, mask=mask) + 1, mask=mask)
