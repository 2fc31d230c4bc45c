"""Products whose tiles copies of tensor maps can bring, in spellings that let them and that do not.

a: m rows of k, `am` elements from row to row; b: k rows of n, `bk` apart; c: m rows of n.  Grid: tiles
of M rows, tiles of N columns.
"""

import triton
import triton.language as tl


@triton.jit
def store_tile(c_ptr, acc, rows, columns, m, n):
    inside = (rows[:, None] < m) & (columns[None, :] < n)
    tl.store(c_ptr + rows[:, None] * n + columns[None, :], acc, mask=inside)


@triton.jit
def by_pointers(a_ptr, b_ptr, c_ptr, m, n, k, am, bk, HOW: tl.constexpr, M: tl.constexpr,
                N: tl.constexpr, K: tl.constexpr, STAGES: tl.constexpr):
    """HOW: "wrapped" rows are loaded from the beginning again, "masked" not at all; "even": k is a
    multiple of K, and nothing is masked along it; "counted": by a loop over elements of k; "seen":
    what wrapped rows give is stored, below the m rows of c; "chosen": not what they give, but -1;
    "added": wrapped, and added to c."""
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    deep = tl.arange(0, K)
    wraps: tl.constexpr = HOW == "wrapped" or HOW == "seen" or HOW == "chosen" or HOW == "added"
    a_rows = rows % m if wraps else rows
    b_columns = columns % n if wraps else columns
    a_tile = a_ptr + a_rows[:, None] * am + deep[None, :]
    b_tile = b_ptr + deep[:, None] * bk + b_columns[None, :]
    a_seen = (rows < m)[:, None] | (rows >= 0)[:, None] if wraps else (rows < m)[:, None]
    b_seen = (columns < n)[None, :] | (columns >= 0)[None, :] if wraps else (columns < n)[None, :]
    acc = tl.zeros((M, N), tl.float32)
    if HOW == "counted":
        for start in tl.range(0, k, K, num_stages=STAGES):
            a = tl.load(a_tile + start, mask=a_seen & (start + deep < k)[None, :], other=0)
            b = tl.load(b_tile + start * bk, mask=b_seen & (start + deep < k)[:, None], other=0)
            acc = tl.dot(a, b, acc)
    else:
        for i in tl.range(0, tl.cdiv(k, K), num_stages=STAGES):
            if HOW == "even":
                a = tl.load(a_tile, mask=a_seen, other=0)
                b = tl.load(b_tile, mask=b_seen, other=0)
            elif wraps:
                a = tl.load(a_tile, mask=deep[None, :] < k - i * K, other=0)
                b = tl.load(b_tile, mask=deep[:, None] < k - i * K, other=0)
            else:
                a = tl.load(a_tile, mask=a_seen & (deep[None, :] < k - i * K), other=0)
                b = tl.load(b_tile, mask=b_seen & (deep[:, None] < k - i * K), other=0)
            acc = tl.dot(a, b, acc)
            a_tile += K
            b_tile += K * bk
    if HOW == "chosen":
        acc = tl.where((rows < m)[:, None] & (columns < n)[None, :], acc, -1.0)
    if HOW == "seen" or HOW == "chosen":
        tl.store(c_ptr + rows[:, None] * n + columns[None, :], acc, mask=columns[None, :] < n)
    elif HOW == "added":
        tl.atomic_add(c_ptr + rows[:, None] * n + columns[None, :], acc,
                      mask=(rows < m)[:, None] & (columns < n)[None, :], sem="relaxed")
    else:
        store_tile(c_ptr, acc, rows, columns, m, n)


@triton.jit
def by_blocks(a_ptr, b_ptr, c_ptr, m, n, k, am, bk, M: tl.constexpr, N: tl.constexpr,
              K: tl.constexpr, STAGES: tl.constexpr):
    """By block pointers."""
    first, left = tl.program_id(0) * M, tl.program_id(1) * N
    a_tile = tl.make_block_ptr(a_ptr, (m, k), (am, 1), (first, 0), (M, K), (1, 0))
    b_tile = tl.make_block_ptr(b_ptr, (k, n), (bk, 1), (0, left), (K, N), (1, 0))
    acc = tl.zeros((M, N), tl.float32)
    for _ in tl.range(0, tl.cdiv(k, K), num_stages=STAGES):
        a = tl.load(a_tile, boundary_check=(0, 1), padding_option="zero")
        b = tl.load(b_tile, boundary_check=(0, 1), padding_option="zero")
        acc = tl.dot(a, b, acc)
        a_tile = tl.advance(a_tile, (0, K))
        b_tile = tl.advance(b_tile, (K, 0))
    store_tile(c_ptr, acc, first + tl.arange(0, M), left + tl.arange(0, N), m, n)


@triton.jit
def by_descriptors(a_ptr, b_ptr, c_ptr, m, n, k, am, bk, M: tl.constexpr, N: tl.constexpr,
                   K: tl.constexpr, STAGES: tl.constexpr):
    """By tensor descriptors; a program makes tile after tile of its row of tiles."""
    a_tiles = tl.make_tensor_descriptor(a_ptr, [m, k], [am, 1], [M, K])
    b_tiles = tl.make_tensor_descriptor(b_ptr, [k, n], [bk, 1], [K, N])
    first = tl.program_id(0) * M
    for tile in range(tl.program_id(1), tl.cdiv(n, N), tl.num_programs(1)):
        acc = tl.zeros((M, N), tl.float32)
        for start in tl.range(0, k, K, num_stages=STAGES):
            acc = tl.dot(a_tiles.load([first, start]), b_tiles.load([start, tile * N]), acc)
        store_tile(c_ptr, acc, first + tl.arange(0, M), tile * N + tl.arange(0, N), m, n)


@triton.jit
def turned(a_ptr, b_ptr, c_ptr, m, n, k, am, bk, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
           STAGES: tl.constexpr):
    """a lies with its columns together, k rows of `am`; b with its rows, n rows of `bk`."""
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    acc = tl.zeros((M, N), tl.float32)
    for start in tl.range(0, k, K, num_stages=STAGES):
        deep = start + tl.arange(0, K)
        a = tl.load(a_ptr + deep[:, None] * am + rows[None, :],
                    mask=(deep[:, None] < k) & (rows[None, :] < m), other=0)
        b = tl.load(b_ptr + columns[:, None] * bk + deep[None, :],
                    mask=(columns[:, None] < n) & (deep[None, :] < k), other=0)
        acc = tl.dot(a.T, b.T, acc)
    store_tile(c_ptr, acc, rows, columns, m, n)


@triton.jit
def moved(_all_ptr, a_ptr, b_ptr, c_ptr, at_ptr, m, n, k, am, bk, back, HOW: tl.constexpr,
          M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, STAGES: tl.constexpr):
    """Rows of a from elsewhere in _all_ptr: HOW "before": `back` rows in front of a_ptr, which has as many in front
    of it; "cut": the same, and what is in front of it is zero; "below": one row further down; "loaded":
    from row at_ptr[0] on; "alone": every second row; "heads": of matrix at_ptr[0] of several, whose
    m * am elements lie behind each other."""
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    begin = tl.load(at_ptr) if HOW == "loaded" or HOW == "heads" else 0
    acc = tl.zeros((M, N), tl.float32)
    for start in tl.range(0, k, K, num_stages=STAGES):
        deep = start + tl.arange(0, K)
        inside = (rows < m)[:, None] & (deep < k)[None, :]
        if HOW == "before":
            a = tl.load(a_ptr + (rows - back)[:, None] * am + deep[None, :], mask=inside, other=0)
        elif HOW == "cut":
            there = inside & (rows - back >= 0)[:, None]
            a = tl.load(a_ptr + (rows - back)[:, None] * am + deep[None, :], mask=there, other=0)
        elif HOW == "below":
            a = tl.load(a_ptr + am + rows[:, None] * am + deep[None, :], mask=inside, other=0)
        elif HOW == "loaded":
            a = tl.load(a_ptr + (begin + rows)[:, None] * am + deep[None, :], mask=inside, other=0)
        elif HOW == "alone":
            a = tl.load(a_ptr + rows[:, None] * (2 * am) + deep[None, :], mask=inside, other=0)
        else:
            a = tl.load(a_ptr + begin * m * am + rows[:, None] * am + deep[None, :], mask=inside,
                        other=0)
        b = tl.load(b_ptr + deep[:, None] * bk + columns[None, :],
                    mask=(deep < k)[:, None] & (columns < n)[None, :], other=0)
        acc = tl.dot(a, b, acc)
    store_tile(c_ptr, acc, rows, columns, m, n)


@triton.jit
def batched(a_ptr, b_ptr, c_ptr, m, n, k, am, bk, a_batch, b_batch, M: tl.constexpr,
            N: tl.constexpr, K: tl.constexpr, STAGES: tl.constexpr):
    """Matrix after matrix of a batch, program_id(2), that lie a_batch and b_batch elements apart; the
    loop over them sums up what the product with the one before gives, too."""
    batch = tl.program_id(2)
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    acc = tl.zeros((M, N), tl.float32)
    for which in range(2):
        a_tile = a_ptr + (batch + which) * a_batch + rows[:, None] * am
        b_tile = b_ptr + batch * b_batch + columns[None, :]
        for start in tl.range(0, k, K, num_stages=STAGES):
            deep = start + tl.arange(0, K)
            a = tl.load(a_tile + deep[None, :], mask=(rows < m)[:, None] & (deep < k)[None, :], other=0)
            b = tl.load(b_tile + deep[:, None] * bk,
                        mask=(deep < k)[:, None] & (columns < n)[None, :], other=0)
            acc = tl.dot(a, b, acc)
    store_tile(c_ptr + batch * m * n, acc, rows, columns, m, n)


@triton.jit
def sent(a_ptr, b_ptr, c_ptr, d_ptr, m, n, k, am, bk, cm, HOW: tl.constexpr, M: tl.constexpr,
         N: tl.constexpr, K: tl.constexpr, STAGES: tl.constexpr):
    """A program makes every num_programs(0)-th tile of c, whose rows are cm apart.  HOW: "masked", or by
    "blocks" or "descriptors"; "turned": c lies with its columns together; "two": d is twice the same;
    "some": tiles of odd number are left as they are; "again": all of a program's tiles go to one place,
    c being as many tiles, below each other; "read": c is added to what is there; "twice": stored two
    times."""
    across = tl.cdiv(n, N)
    for tile in range(tl.program_id(0), tl.cdiv(m, M) * across, tl.num_programs(0)):
        first, left = tile // across * M, tile % across * N
        rows, columns = first + tl.arange(0, M), left + tl.arange(0, N)
        acc = tl.zeros((M, N), tl.float32)
        for start in tl.range(0, k, K, num_stages=STAGES):
            deep = start + tl.arange(0, K)
            a = tl.load(a_ptr + rows[:, None] * am + deep[None, :],
                        mask=(rows[:, None] < m) & (deep[None, :] < k), other=0)
            b = tl.load(b_ptr + deep[:, None] * bk + columns[None, :],
                        mask=(deep[:, None] < k) & (columns[None, :] < n), other=0)
            acc = tl.dot(a, b, acc)
        inside = (rows[:, None] < m) & (columns[None, :] < n)
        c_tile = c_ptr + rows[:, None] * cm + columns[None, :]
        if HOW == "turned":
            tl.store(c_ptr + columns[None, :] * cm + rows[:, None], acc, mask=inside)
        elif HOW == "blocks":
            block = tl.make_block_ptr(c_ptr, (m, n), (cm, 1), (first, left), (M, N), (1, 0))
            tl.store(block, acc.to(c_ptr.dtype.element_ty), boundary_check=(0, 1))
        elif HOW == "descriptors":
            tiles = tl.make_tensor_descriptor(c_ptr, [m, n], [cm, 1], [M, N])
            tiles.store([first, left], acc.to(c_ptr.dtype.element_ty))
        elif HOW == "again":
            place = tl.program_id(0) * M + tl.arange(0, M)
            tl.store(c_ptr + place[:, None] * cm + tl.arange(0, N)[None, :], acc)
        elif HOW == "some":
            if tile % 2 == 0:
                tl.store(c_tile, acc, mask=inside)
        else:
            if HOW == "read":
                acc += tl.load(c_tile, mask=inside, other=0)
            if HOW == "twice":
                tl.store(c_tile, -acc, mask=inside)
            tl.store(c_tile, acc, mask=inside)
            if HOW == "two":
                tl.store(d_ptr + rows[:, None] * cm + columns[None, :], 2 * acc, mask=inside)


@triton.jit
def sent_once(a_ptr, b_ptr, c_ptr, m, n, k, am, bk, cm, behind, HOW: tl.constexpr, M: tl.constexpr,
              N: tl.constexpr, K: tl.constexpr, STAGES: tl.constexpr):
    """A tile a program.  HOW: "masked"; "even": tiles divide c, and there is no mask; "behind": c begins
    5 rows and 8 columns further on; "batch": `behind` elements from matrix to matrix of c,
    program_id(2); "relu": negative ones are 0."""
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    acc = tl.zeros((M, N), tl.float32)
    for start in tl.range(0, k, K, num_stages=STAGES):
        deep = start + tl.arange(0, K)
        a = tl.load(a_ptr + rows[:, None] * am + deep[None, :],
                    mask=(rows[:, None] < m) & (deep[None, :] < k), other=0)
        b = tl.load(b_ptr + deep[:, None] * bk + columns[None, :],
                    mask=(deep[:, None] < k) & (columns[None, :] < n), other=0)
        acc = tl.dot(a, b, acc)
    if HOW == "relu":
        acc = tl.maximum(acc, 0)
    if HOW == "batch":
        acc += tl.program_id(2)
        c_ptr += tl.program_id(2) * behind
    if HOW == "behind":
        c_ptr += 5 * cm + 8
    c_tile = c_ptr + rows[:, None] * cm + columns[None, :]
    if HOW == "even":
        tl.store(c_tile, acc)
    else:
        tl.store(c_tile, acc, mask=(rows[:, None] < m) & (columns[None, :] < n))


@triton.jit
def gram(x_ptr, c_ptr, m, k, xm, cm, M: tl.constexpr, K: tl.constexpr):
    """c = x times its transpose: of two tiles that are each other's transpose one is multiplied, and stored twice."""
    row, column = tl.program_id(0), tl.program_id(1)
    if row < column:
        return
    rows, columns, deep = row * M + tl.arange(0, M), column * M + tl.arange(0, M), tl.arange(0, K)
    a_at = x_ptr + (rows % m)[:, None] * xm + deep[None, :]
    b_at = x_ptr + (columns % m)[None, :] * xm + deep[:, None]
    acc = tl.zeros((M, M), tl.float32)
    for start in range(0, k, K):
        a = tl.load(a_at, mask=deep[None, :] < k - start, other=0)
        b = tl.load(b_at, mask=deep[:, None] < k - start, other=0)
        acc = tl.dot(a, b, acc)
        a_at += K
        b_at += K
    out = acc.to(c_ptr.dtype.element_ty)
    tl.store(c_ptr + rows[:, None] * cm + columns[None, :], out, mask=(rows[:, None] < m) & (columns[None, :] < m))
    if row != column:
        tl.store(c_ptr + columns[:, None] * cm + rows[None, :], out.T,
                 mask=(columns[:, None] < m) & (rows[None, :] < m))


@triton.jit
def streamed(a_ptr, b_ptr, c_ptr, n, k, each, all, HOW: tl.constexpr, M: tl.constexpr, N: tl.constexpr,
             K: tl.constexpr, STAGES: tl.constexpr):
    """Each program does `each` of `all` steps along K of all tiles, one tile behind the other: n is a multiple
    of N. HOW: "while" it has steps left; "twice": by a loop in a loop over the other half, too; "down": the
    number of the step, which also loops over tiles know, goes down, so nobody can tell that it is from 0 on."""
    now = tl.program_id(0) * each
    stop = min(now + each, all)
    steps = k // K
    across = n // N
    left = stop - now
    while (left > 0) if HOW == "down" else (now < stop):
        if HOW == "down":
            now = stop - left
        end = min(now + (steps - now % steps), stop)
        row, column = now // steps // across, now // steps % across
        rows, columns, deep = row * M + tl.arange(0, M), column * N + tl.arange(0, N), tl.arange(0, K)
        a_at = a_ptr + rows[:, None] * k + deep[None, :] + K * (now % steps)
        b_at = b_ptr + deep[:, None] * n + columns[None, :] + K * n * (now % steps)
        acc = tl.zeros((M, N), tl.float32)
        for _ in tl.range(now, end, num_stages=STAGES):
            acc = tl.dot(tl.load(a_at), tl.load(b_at), acc)
            a_at += K
            b_at += K * n
        if HOW == "twice":
            part = tl.program_id(0) - tl.program_id(0)
            while part < 2:
                for i in tl.range(now, end, num_stages=STAGES):
                    at = i % steps * K + deep
                    a = tl.load(a_ptr + rows[:, None] * k + at[None, :])
                    b = tl.load(b_ptr + at[:, None] * n + columns[None, :])
                    acc = tl.dot(a, b, acc)
                part += 1
        tl.atomic_add(c_ptr + rows[:, None] * n + columns[None, :], acc, sem="relaxed")
        left -= end - now
        now = end
