"""Products with something behind them, element by element, before they are stored.  The
sum has the dtype of `scale`."""

import triton
import triton.language as tl


@triton.jit
def ended(total, bias, scale, d, rows, columns, M, N, dm, END: tl.constexpr):
    if END == "bias" or END == "both":
        total += tl.load(bias + columns, mask=columns < N, other=0)[None, :]
    if END == "scale" or END == "both":
        total *= tl.load(scale + rows, mask=rows < M, other=0)[:, None]
    if END == "above" or END == "both":
        total = tl.maximum(total, 0)
    if END == "picked":
        total = tl.where(total > 3, total - columns[None, :], -total)
    if END == "more":
        inside = (rows[:, None] < M) & (columns[None, :] < N)
        total = 2 * total + 3 * tl.load(d + rows[:, None] * dm + columns[None, :], mask=inside, other=0)
    if END == "shifted":  # by one element, which another row of the same program may have stored
        inside = (rows[:, None] < M) & (columns[None, :] < N)
        total += tl.load(d + rows[:, None] * dm + columns[None, :] + 1, mask=inside, other=0)
    if END == "index":
        total += (rows[:, None] - 2 * columns[None, :]).to(total.dtype)
    return total


@triton.jit
def looped(a, b, c, bias, scale, d, M, N, K, am, ak, bk, bn, cm, dm, END: tl.constexpr,
           BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    rows = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    batch = tl.program_id(2)
    a += batch * M * K
    b += batch * K * N
    c += batch * M * cm
    total = tl.zeros((BLOCK_M, BLOCK_N), scale.dtype.element_ty)
    for k in range(0, K, BLOCK_K):
        depth = k + tl.arange(0, BLOCK_K)
        x = tl.load(a + rows[:, None] * am + depth[None, :] * ak,
                    mask=(rows[:, None] < M) & (depth[None, :] < K), other=0)
        y = tl.load(b + depth[:, None] * bk + columns[None, :] * bn,
                    mask=(depth[:, None] < K) & (columns[None, :] < N), other=0)
        total = tl.dot(x, y, total, input_precision="ieee",
                       out_dtype=scale.dtype.element_ty)
    total = ended(total, bias, scale, d, rows, columns, M, N, dm, END)
    tl.store(c + rows[:, None] * cm + columns[None, :], total.to(c.dtype.element_ty),
             mask=(rows[:, None] < M) & (columns[None, :] < N))


@triton.jit
def single(a, b, c, bias, scale, d, M, N, K, am, ak, bk, bn, cm, dm, END: tl.constexpr,
           BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """All of K at once."""
    rows = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    batch = tl.program_id(2)
    a += batch * M * K
    b += batch * K * N
    c += batch * M * cm
    x = tl.load(a + rows[:, None] * am + depth[None, :] * ak,
                mask=(rows[:, None] < M) & (depth[None, :] < K), other=0)
    y = tl.load(b + depth[:, None] * bk + columns[None, :] * bn,
                mask=(depth[:, None] < K) & (columns[None, :] < N), other=0)
    total = tl.dot(x, y, input_precision="ieee", out_dtype=scale.dtype.element_ty)
    total = ended(total, bias, scale, d, rows, columns, M, N, dm, END)
    tl.store(c + rows[:, None] * cm + columns[None, :], total.to(c.dtype.element_ty),
             mask=(rows[:, None] < M) & (columns[None, :] < N))


@triton.jit
def gated(a, b, g, c, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
          COUNTED: tl.constexpr):
    """Two sums of one loop in what is stored, or one and a number that the loop counts."""
    rows, columns = tl.arange(0, BLOCK_M), tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    gate = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    rounds = 0
    for k in range(0, K, BLOCK_K):
        depth = k + tl.arange(0, BLOCK_K)
        x = tl.load(a + rows[:, None] * K + depth[None, :])
        y = tl.load(b + depth[:, None] * BLOCK_N + columns[None, :])
        total = tl.dot(x, y, total, input_precision="ieee")
        if not COUNTED:
            z = tl.load(g + depth[:, None] * BLOCK_N + columns[None, :])
            gate = tl.dot(x, z, gate, input_precision="ieee")
        rounds += k + 1
    if COUNTED:
        total *= rounds
    else:
        total = tl.where(gate > 0, total, -total)
    tl.store(c + rows[:, None] * BLOCK_N + columns[None, :], total)


@triton.jit
def ragged(a, b, c, depths, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
           BLOCK_K: tl.constexpr, BY_COLUMN: tl.constexpr):
    """Of each row, or column, of the grid as much along K as `depths` says: programs with more rounds
    than those in front of them, and with less, or none."""
    x, y = tl.program_id(0), tl.program_id(1)
    rows = y * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = x * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in range(0, tl.load(depths + (x if BY_COLUMN else y)), BLOCK_K):
        depth = k + tl.arange(0, BLOCK_K)
        p = tl.load(a + rows[:, None] * K + depth[None, :],
                    mask=(rows[:, None] < M) & (depth[None, :] < K), other=0)
        q = tl.load(b + depth[:, None] * N + columns[None, :],
                    mask=(depth[:, None] < K) & (columns[None, :] < N), other=0)
        total = tl.dot(p, q, total, input_precision="ieee")
    tl.store(c + rows[:, None] * N + columns[None, :], total,
             mask=(rows[:, None] < M) & (columns[None, :] < N))


@triton.jit
def started(a, b, c, scale, bias, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
            BLOCK_K: tl.constexpr, START: tl.constexpr):
    """A sum that each round changes before it adds a product."""
    rows = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    batch = tl.program_id(2)
    a += batch * M * K
    b += batch * K * N
    c += batch * M * N
    by = tl.load(scale + rows, mask=rows < M, other=1)
    more = tl.load(bias + columns, mask=columns < N, other=0)
    total = tl.zeros((BLOCK_M, BLOCK_N), scale.dtype.element_ty)
    for k in range(0, K, BLOCK_K):
        depth = k + tl.arange(0, BLOCK_K)
        x = tl.load(a + rows[:, None] * K + depth[None, :],
                    mask=(rows[:, None] < M) & (depth[None, :] < K), other=0)
        y = tl.load(b + depth[:, None] * N + columns[None, :],
                    mask=(depth[:, None] < K) & (columns[None, :] < N), other=0)
        if START == "scaled":
            total = total * by[:, None]
        if START == "number":
            total = total * (k + 2)
        if START == "column":
            total = total * by[:, None] + more[None, :]
        if START == "picked":
            total = tl.where(rows[:, None] % 3 == columns[None, :] % 2, total, -total)
        if START == "turned" and BLOCK_M == BLOCK_N:  # reads other elements of the sum
            total = tl.trans(total)
        total = tl.dot(x, y, total, input_precision="ieee", out_dtype=scale.dtype.element_ty)
    tl.store(c + rows[:, None] * N + columns[None, :], total,
             mask=(rows[:, None] < M) & (columns[None, :] < N))
