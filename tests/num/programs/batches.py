"""Batches of small products, in loops whose rounds follow one another in memory, or nearly."""

import triton
import triton.language as tl


@triton.jit
def batches(a, b, c, M, N, K, am, bk, cm, a_batch, b_batch, c_batch, jump, FORM: tl.constexpr,
            BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Of `apart` b's tiles are `jump` rows apart; of `bent` a step of a's is so many elements longer
    from the second round on; of `uneven` rows of b are cut `jump` rows earlier than columns of a."""
    a += tl.program_id(2) * a_batch
    b += tl.program_id(2) * b_batch
    c += tl.program_id(2) * c_batch
    rows = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    x = a + rows[:, None] * am + depth[None, :]
    y = b + depth[:, None] * bk + columns[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float64 if a.dtype.element_ty == tl.float64 else tl.float32)
    for i in range(0, tl.cdiv(K, BLOCK_K)):
        left = K - i * BLOCK_K
        p = tl.load(x, mask=(rows < M)[:, None] & (depth[None, :] < left), other=0)
        if FORM == "uneven":
            q = tl.load(y, mask=(depth[:, None] < left - jump) & (columns < N)[None, :], other=0)
        else:
            q = tl.load(y, mask=(depth[:, None] < left) & (columns < N)[None, :], other=0)
        total = tl.dot(p, q, total, input_precision="ieee")
        x += BLOCK_K
        if FORM == "bent":
            x += jump * i
        y += (jump if FORM == "apart" else BLOCK_K) * bk
    if FORM == "added":
        total += tl.load(c + rows[:, None] * cm + columns[None, :],
                         mask=(rows[:, None] < M) & (columns[None, :] < N), other=0)
    tl.store(c + rows[:, None] * cm + columns[None, :], total.to(c.dtype.element_ty),
             mask=(rows[:, None] < M) & (columns[None, :] < N))


@triton.jit
def chosen(a, b, c, of_a, of_b, n, OF_A: tl.constexpr, OF_B: tl.constexpr, BY: tl.constexpr,
           M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """Elements of a tile, or of both, are multiplied where bytes that are loaded, or a bit of the index,
    say so, in rows from `n` on none."""
    a += tl.program_id(0) * M * K
    b += tl.program_id(0) * K * N
    rows, columns, depth = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :], tl.arange(0, K)
    i, j = rows * K + depth[None, :], depth[:, None] * N + columns
    if BY == "bytes":
        p, q = tl.load(of_a + i) != 0, tl.load(of_b + j) != 0
    elif BY == "bytes and bounds":
        p, q = (tl.load(of_a + i) != 0) & (rows < n), (tl.load(of_b + j) != 0) & (depth[:, None] < n)
    else:
        p, q = (i & 3) != 0, (j & 4) == 0
    x = tl.load(a + i, mask=p, other=0) if OF_A else tl.load(a + i)
    y = tl.load(b + j, mask=q, other=0) if OF_B else tl.load(b + j)
    total = tl.dot(x, y, input_precision="ieee")
    tl.store(c + tl.program_id(0) * M * N + rows * N + columns, total.to(c.dtype.element_ty))


@triton.jit
def layer(a, b, c, M, N, K, am, ak, bk, bn, cm, first, before, of_rows, of_columns, FORM: tl.constexpr,
          BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """One product, of any strides.  Rows and columns behind the end are masked, or, `wrapped`, come
    around after so many; of `rows` and `columns` those alone; of `eights` columns after eight, and
    of `short` elements along K of a round.  Programs begin at row `first`, and `before` rows are in front of row 0."""
    a += before * am
    c += before * cm
    rows = first + tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    i = rows % of_rows if FORM == "wrapped" or FORM == "rows" else rows
    j = columns % of_columns if FORM == "wrapped" or FORM == "columns" else columns
    if FORM == "eights":
        j = columns % 8
    d = depth % 8 if FORM == "short" else depth
    x = a + i[:, None] * am + d[None, :] * ak
    y = b + d[:, None] * bk + j[None, :] * bn
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float64 if a.dtype.element_ty == tl.float64 else tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        inside = depth < K - k * BLOCK_K
        p_mask, q_mask = inside[None, :], inside[:, None]
        if FORM == "masked" or FORM == "columns" or FORM == "eights" or FORM == "short":
            p_mask &= (rows < M)[:, None]
        if FORM == "masked" or FORM == "rows" or FORM == "eights" or FORM == "short":
            q_mask &= (columns < N)[None, :]
        p = tl.load(x, mask=p_mask, other=0)
        q = tl.load(y, mask=q_mask, other=0)
        total = tl.dot(p, q, total, input_precision="ieee")
        x += BLOCK_K * ak
        y += BLOCK_K * bk
    tl.store(c + rows[:, None] * cm + columns[None, :], total.to(c.dtype.element_ty),
             mask=(rows[:, None] < M) & (columns[None, :] < N))
