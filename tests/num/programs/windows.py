"""Maxima, minima and sums over windows as people write them down: a load for each place, under
masks that mean the border of an image; and loops that look like it and are none."""
import triton
import triton.language as tl


@triton.jit
def pixels(x, rows, columns, H, W, stride, other):
    inside = (rows >= 0) & (rows < H) & (columns >= 0) & (columns < W)
    return tl.load(x + rows * stride + columns, mask=inside, other=other)


@triton.jit
def nested(x, out, H, W, stride, FIRST: tl.constexpr, KH: tl.constexpr, KW: tl.constexpr,
           TOP: tl.constexpr, LEFT: tl.constexpr, OP: tl.constexpr, OTHER: tl.constexpr,
           ROWS: tl.constexpr, COLUMNS: tl.constexpr, DOWN: tl.constexpr):
    """One loop in the other; DOWN: the inner one goes backwards."""
    rows = tl.program_id(1) * ROWS + tl.arange(0, ROWS)[:, None]
    columns = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    best = tl.full((ROWS, COLUMNS), FIRST, out.dtype.element_ty)
    for i in tl.static_range(KH):
        for k in tl.static_range(KW):
            j = KW - 1 - k if DOWN else k
            v = pixels(x, rows + (i - TOP), columns + (j - LEFT), H, W, stride, OTHER)
            if OP == "max":
                best = tl.maximum(best, v)
            elif OP == "min":
                best = tl.minimum(best, v)
            elif OP == "maxnan":
                best = tl.maximum(best, v, propagate_nan=tl.PropagateNan.ALL)
            elif OP == "and":
                best = best & v
            elif OP == "or":
                best = best | v
            else:
                best += v
    tl.store(out + rows * W + columns, best, mask=(rows < H) & (columns < W))


@triton.jit
def flattened(x, out, H, W, stride, KH: tl.constexpr, KW: tl.constexpr, ROWS: tl.constexpr,
              COLUMNS: tl.constexpr):
    """One loop over all places, columns first, with the border replicated."""
    rows = tl.program_id(1) * ROWS + tl.arange(0, ROWS)
    columns = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    best = tl.load(x + (tl.minimum(rows, H - 1) * stride)[:, None] + tl.minimum(columns, W - 1)[None, :])
    for n in tl.static_range(KH * KW):
        row = tl.minimum(tl.maximum(rows + n % KH - KH // 2, 0), H - 1)
        column = tl.minimum(tl.maximum(columns + n // KH - KW // 2, 0), W - 1)
        best = tl.minimum(best, tl.load(x + row[:, None] * stride + column[None, :]))
    tl.store(out + rows[:, None] * W + columns[None, :], best,
             mask=(rows < H)[:, None] & (columns < W)[None, :])


@triton.jit
def row_by_row(x, out, H, W, stride, KH: tl.constexpr, KW: tl.constexpr, COLUMNS: tl.constexpr):
    """A program has one row, whose number is no tile."""
    row = tl.program_id(1)
    columns = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    sums = tl.zeros((COLUMNS,), tl.int32)
    for i in tl.static_range(-(KH // 2), KH - KH // 2):
        for j in tl.static_range(-(KW // 2), KW - KW // 2):
            sums += pixels(x, row + i, columns + j, H, W, stride, 3).to(tl.int32)
    tl.store(out + row * W + columns, sums, mask=columns < W)


@triton.jit
def rolled(x, out, H, W, stride, KH: tl.constexpr, KW: tl.constexpr, ROWS: tl.constexpr,
           COLUMNS: tl.constexpr):
    """Loops that are not unrolled as they are written."""
    rows = tl.program_id(1) * ROWS + tl.arange(0, ROWS)[:, None]
    columns = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    best = tl.full((ROWS, COLUMNS), 0, out.dtype.element_ty)
    for i in range(-(KH // 2), KH - KH // 2):
        for j in range(KW):
            best = tl.maximum(best, pixels(x, rows + i, columns - j, H, W, stride, 1))
    tl.store(out + rows * W + columns, best, mask=(rows < H) & (columns < W))


@triton.jit
def strided(x, out, n, K: tl.constexpr, STEP: tl.constexpr, BLOCK: tl.constexpr):
    """The largest of K numbers, from each STEP-th on."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    best = tl.full((BLOCK,), -32768, tl.int16)
    for k in tl.static_range(K):
        best = tl.maximum(best, tl.load(x + at * STEP + k, mask=at * STEP + k < n, other=-32768))
    tl.store(out + at, best, mask=at * STEP < n)


@triton.jit
def both(x, out, n, K: tl.constexpr, BLOCK: tl.constexpr):
    """The largest less the smallest, of pointers that move on."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    p = x + at
    high = tl.load(p, mask=at < n, other=0)
    low = high
    for k in tl.static_range(1, K):
        p += 1
        v = tl.load(p, mask=at + k < n, other=0)
        high = tl.maximum(high, v)
        low = tl.minimum(low, v)
    tl.store(out + at, high - low, mask=at < n)


@triton.jit
def written(x, n, K: tl.constexpr, BLOCK: tl.constexpr):
    """The array changes between the loads."""
    at = tl.arange(0, BLOCK)
    best = tl.full((BLOCK,), 0, tl.int32)
    for k in tl.static_range(K):
        best = tl.maximum(best, tl.load(x + at + k, mask=at + k < n, other=0))
        tl.store(x + at + n, best, mask=at < n)


@triton.jit
def apart(x, y, mask, out, n, K: tl.constexpr, KIND: tl.constexpr, BLOCK: tl.constexpr):
    """Two arrays in turns, masks that are data, weights, a hole."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    best = tl.full((BLOCK,), -99, tl.int32)
    kept = tl.load(mask + at, mask=at < n, other=0)
    for k in tl.static_range(K):
        if KIND == "arrays":
            v = tl.load((x if k % 2 == 0 else y) + at + k, mask=at + k < n, other=0)
        elif KIND == "data":
            v = tl.load(x + at + k, mask=(at + k < n) & (kept > k), other=0)
        elif KIND == "weights":
            v = tl.load(x + at + k, mask=at + k < n, other=0) * (k + 1)
        elif KIND == "others":
            v = tl.load(x + at + k, mask=at + k < n, other=k)
        else:
            v = tl.load(x + at + (k + k // 2), mask=at + (k + k // 2) < n, other=0)
        best = tl.maximum(best, v)
    tl.store(out + at, best, mask=at < n)


@triton.jit
def clamped(x, out, H, W, stride, low, high, shift, KIND: tl.constexpr, WIDE: tl.constexpr,
            ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Elements at columns that are kept within limits, which may cross, on one side or on both."""
    r = tl.program_id(1) * ROWS + tl.arange(0, ROWS)[:, None]
    c = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    at = c + shift
    if KIND == "both":
        at = tl.minimum(tl.maximum(at, low), high)
    elif KIND == "turned":
        at = tl.maximum(tl.minimum(at, high), low)
    elif KIND == "low":
        at = tl.maximum(at, low)
    else:
        at = tl.minimum(high, at)
    if WIDE:
        at = at.to(tl.int64)
    row = x + tl.minimum(r, H - 1) * stride
    tl.store(out + r * W + c, tl.load(row + at), mask=(r < H) & (c < W))
