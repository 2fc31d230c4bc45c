"""Tiles put together, taken apart and put in order, one row or block a program."""

import triton
import triton.language as tl


@triton.jit
def rotate_pairs(x_ptr, cos_ptr, sin_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """Rotary embedding of neighbours: (a, b) -> (a cos - b sin, b cos + a sin)."""
    pair = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    both = 2 * tl.program_id(0) * BLOCK + tl.arange(0, 2 * BLOCK)
    x = tl.load(x_ptr + both, mask=both < 2 * n, other=0.0).to(tl.float32)
    a, b = tl.split(tl.reshape(x, (BLOCK, 2)))
    cos = tl.load(cos_ptr + pair, mask=pair < n, other=0.0)
    sin = tl.load(sin_ptr + pair, mask=pair < n, other=0.0)
    y = tl.interleave(a * cos - b * sin, b * cos + a * sin)
    tl.store(out_ptr + both, y.to(out_ptr.dtype.element_ty), mask=both < 2 * n)


@triton.jit
def unpack_nibbles(packed_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """Two 4-bit numbers a byte, the lower one first."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    packed = tl.load(packed_ptr + i, mask=i < n, other=0)
    both = tl.join(packed & 15, packed >> 4)
    o = 2 * i[:, None] + tl.arange(0, 2)[None, :]
    tl.store(out_ptr + o, both, mask=o < 2 * n)


@triton.jit
def sort_rows(x_ptr, up_ptr, top_ptr, back_ptr, n_cols, K: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n_cols + i, mask=i < n_cols, other=float("inf"))
    tl.store(up_ptr + row * n_cols + i, tl.sort(x), mask=i < n_cols)
    top = tl.topk(tl.where(i < n_cols, x, -float("inf")), K)
    tl.store(top_ptr + row * K + tl.arange(0, K), top)
    tl.store(back_ptr + row * BLOCK + i, tl.flip(x))


@triton.jit
def shuffle_columns(x_ptr, index_ptr, out_ptr, counts_ptr, ROWS: tl.constexpr,
                    COLS: tl.constexpr, PICKED: tl.constexpr):
    rows = tl.arange(0, ROWS)[:, None]
    x = tl.load(x_ptr + rows * COLS + tl.arange(0, COLS))
    index = tl.load(index_ptr + rows * PICKED + tl.arange(0, PICKED))
    tl.store(out_ptr + rows * PICKED + tl.arange(0, PICKED), tl.gather(x, index, 1))
    tl.store(counts_ptr + tl.arange(0, COLS), tl.histogram(tl.ravel(index), COLS))


@triton.jit
def look_up(x_ptr, table_ptr, out_ptr, counts_ptr, n, SIZE: tl.constexpr, BLOCK: tl.constexpr):
    """out = table[x], 0 where x is no place in it, and how often each place is asked for."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    table = tl.load(table_ptr + tl.arange(0, SIZE))
    x = tl.load(x_ptr + i, mask=i < n, other=-1)
    tl.store(out_ptr + i, tl.gather(table, x, 0), mask=i < n)
    tl.atomic_add(counts_ptr + tl.arange(0, SIZE), tl.histogram(x, SIZE, mask=i < n))


@triton.jit
def pick_rows(table_ptr, index_ptr, out_ptr, ROWS: tl.constexpr, COLS: tl.constexpr,
              PICKED: tl.constexpr):
    col = tl.arange(0, COLS)[None, :]
    table = tl.load(table_ptr + tl.arange(0, ROWS)[:, None] * COLS + col)
    row = tl.arange(0, PICKED)[:, None]
    index = tl.broadcast_to(tl.load(index_ptr + row), (PICKED, COLS))
    tl.store(out_ptr + row * COLS + col, tl.gather(table, index, 0))
