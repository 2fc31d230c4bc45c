"""Tiles put together, taken apart, put in order and scanned, one row or block a program."""

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
def sort_tile(x_ptr, out_ptr, ROWS: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
              DESCENDING: tl.constexpr):
    """The first K of each of ROWS rows in order, in the dtype of out_ptr."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    x = tl.load(x_ptr + row * N + tl.arange(0, N)[None, :])
    y = tl.sort(x, descending=DESCENDING) if K == N else tl.topk(x, K, descending=DESCENDING)
    tl.store(out_ptr + row * K + tl.arange(0, K)[None, :], y.to(out_ptr.dtype.element_ty))


@triton.jit
def sort_bits(x_ptr, out_ptr, N: tl.constexpr, DESCENDING: tl.constexpr):
    """A row in order, as its bits."""
    i = tl.program_id(0) * N + tl.arange(0, N)
    y = tl.sort(tl.load(x_ptr + i), descending=DESCENDING)
    tl.store(out_ptr + i, y.to(out_ptr.dtype.element_ty, bitcast=True))


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


@triton.jit
def along(axis: tl.constexpr, BITS: tl.constexpr):
    """0 and 1 along one of BITS dimensions of two."""
    return tl.reshape(tl.arange(0, 2), [1] * axis + [2] + [1] * (BITS - 1 - axis))


@triton.jit
def exchange(x, axis: tl.constexpr, falling, BITS: tl.constexpr):
    """The smaller of each two along the axis goes first, or last where `falling`."""
    bits = x.to(tl.int32, bitcast=True)
    other = (bits ^ tl.xor_sum(bits, axis, keep_dims=True)).to(x.dtype, bitcast=True)
    return tl.where((x > other) != ((along(axis, BITS) ^ falling) != 0), other, x)


@triton.jit
def bitonic_top(x_ptr, sorted_ptr, top_ptr, BITS: tl.constexpr, TOP: tl.constexpr):
    """A cube of BITS dimensions is sorted by exchanges along them, and the 2^TOP largest are found by
    putting runs of 2^TOP in order, then dropping the smaller half of each two."""
    i = tl.program_id(0) * (1 << BITS) + tl.arange(0, 1 << BITS)
    x = tl.reshape(tl.load(x_ptr + i), [2] * BITS)
    y = x
    for size in tl.static_range(1, BITS + 1):
        for j in tl.static_range(size):
            if size < BITS:
                x = exchange(x, BITS - size + j, along(BITS - 1 - size, BITS), BITS)
            else:
                x = exchange(x, j, 0, BITS)
    tl.store(sorted_ptr + i, tl.reshape(x, [1 << BITS]))
    for size in tl.static_range(1, TOP + 1):
        for j in tl.static_range(size):
            y = exchange(y, BITS - size + j, along(BITS - 1 - size, BITS), BITS)
    largest = pick(y, BITS, TOP)
    tl.store(top_ptr + tl.program_id(0) * (1 << TOP) + tl.arange(0, 1 << TOP), largest)


@triton.jit
def pick(y, LEFT: tl.constexpr, TOP: tl.constexpr):
    if LEFT == TOP:
        return tl.reshape(y, [1 << TOP])
    z = tl.max(y, axis=LEFT - 1 - TOP)
    for j in tl.static_range(TOP):
        if LEFT - 1 > TOP:
            z = exchange(z, LEFT - 1 - TOP + j, along(LEFT - 2 - TOP, LEFT - 1), LEFT - 1)
        else:
            z = exchange(z, j, 1, LEFT - 1)
    return pick(z, LEFT - 1, TOP)


@triton.jit
def bit_reversed(x_ptr, out_ptr, EXTENTS: tl.constexpr, ORDER: tl.constexpr,
                 LAST: tl.constexpr, N: tl.constexpr):
    """The order in which a Fourier transform leaves its results, where all extents are 2."""
    i = tl.arange(0, N)
    x = tl.reshape(tl.load(x_ptr + i), EXTENTS)
    y = tl.permute(x + tl.reshape(i, EXTENTS), ORDER)
    z = tl.permute(tl.broadcast_to(tl.max(x, LAST, keep_dims=True), EXTENTS), ORDER)
    tl.store(out_ptr + i, tl.reshape(y - z, [N]))


@triton.jit
def most_and_sum(a, b, c, d):
    return tl.maximum(a, c), b + d


@triton.jit
def scan_alike(x_ptr, sums_ptr, products_ptr, most_ptr, best_ptr, total_ptr, TIMES: tl.constexpr,
               M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    """Scans of rows that are alike, or of such columns, and what they are reduced to."""
    r = tl.arange(0, M)
    c = tl.arange(0, N)
    at = r[:, None] * N + c[None, :]
    best = tl.zeros((M,), tl.int32)
    total = tl.zeros((M,), tl.int32)
    for k in range(TIMES):
        line = tl.load(x_ptr + c)[None, :] + k if AXIS == 1 else tl.load(x_ptr + r)[:, None] + k
        x = tl.broadcast_to(line, (M, N))
        sums = tl.cumsum(x, AXIS, reverse=REVERSE)
        products = tl.cumprod(x, AXIS, reverse=REVERSE)
        most, again = tl.associative_scan((x, x), AXIS, most_and_sum, reverse=REVERSE)
        tl.store(sums_ptr + at, sums)
        tl.store(products_ptr + at, products)
        tl.store(most_ptr + at, most + again)
        best = tl.maximum(best, tl.max(sums, 1))
        total += tl.sum(products, 1)
    tl.store(best_ptr + r, best)
    tl.store(total_ptr + r, total)


@triton.jit
def scan_indices(sums_ptr, best_ptr, total_ptr, first, M: tl.constexpr, N: tl.constexpr):
    """The same of indices, in rows and in columns."""
    r = tl.arange(0, M)
    c = first + tl.arange(0, N)
    sums = tl.cumsum(tl.broadcast_to(c[None, :], (M, N)), 1)
    tl.store(sums_ptr + r[:, None] * N + tl.arange(0, N)[None, :], sums)
    tl.store(best_ptr + r, tl.max(sums, 1))
    columns = tl.cumsum(tl.broadcast_to(c[:, None], (N, M)), 0, reverse=True)
    tl.store(total_ptr + r, tl.sum(tl.trans(sums) + columns, 0))


@triton.jit
def scan_planes(sums_ptr, best_ptr, total_ptr, M: tl.constexpr, K: tl.constexpr, N: tl.constexpr,
                AXIS: tl.constexpr, REVERSE: tl.constexpr):
    """Scans of planes that are alike, each reduced to a row and to a number."""
    r = tl.arange(0, M)
    k = tl.arange(0, K)
    c = tl.arange(0, N)
    x = tl.broadcast_to((k[:, None] * 3 - c[None, :])[None], (M, K, N))
    sums = tl.cumsum(x, AXIS, reverse=REVERSE)
    tl.store(sums_ptr + r[:, None, None] * (K * N) + k[None, :, None] * N + c[None, None, :], sums)
    tl.store(best_ptr + r[:, None] * K + k[None, :], tl.max(sums, 2))
    tl.store(total_ptr + r[:, None] * N + c[None, :], tl.sum(sums, 1))


@triton.jit
def scan_below(x_ptr, best_ptr, sums_ptr, M: tl.constexpr, K: tl.constexpr, N: tl.constexpr):
    """Scans of how far each row of each plane is below its greatest."""
    r = tl.arange(0, M)[:, None] * K + tl.arange(0, K)[None, :]
    at = r[:, :, None] * N + tl.arange(0, N)[None, None, :]
    x = tl.load(x_ptr + at)
    best = tl.max(x, 2)
    tl.store(best_ptr + r, best)
    tl.store(sums_ptr + at, tl.cumsum(x - best[:, :, None], 2))
