"""Statistics of rows that the forward stores: those that the backward may read, and those that it may not."""

import triton
import triton.language as tl


@triton.jit
def row_of(x, row, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    return tl.load(x + tl.program_id(0) * row + at, mask=at < row, other=0.0), at


@triton.jit
def normed(x, out, mean, rstd, row, BLOCK: tl.constexpr):
    """Both are read."""
    a, at = row_of(x, row, BLOCK)
    average = tl.sum(a, axis=0) / row
    centred = tl.where(at < row, a - average, 0.0)
    scale = 1 / tl.sqrt(tl.sum(centred * centred, axis=0) / row + 0.1)
    tl.store(out + tl.program_id(0) * row + at, centred * scale, mask=at < row)
    tl.store(mean + tl.program_id(0), average)
    tl.store(rstd + tl.program_id(0), scale)


@triton.jit
def halved(x, out, rstd, row, BLOCK: tl.constexpr):
    """2 / y tells y, too."""
    a, at = row_of(x, row, BLOCK)
    scale = 2.0 / tl.sqrt(tl.sum(a * a, axis=0) + 1.0)
    tl.store(rstd + tl.program_id(0), scale)
    tl.store(out + tl.program_id(0) * row + at, a * scale, mask=at < row)


@triton.jit
def rounded(x, out, total, row, BLOCK: tl.constexpr):
    """What is stored is not what is used: it was rounded."""
    a, at = row_of(x, row, BLOCK)
    sums = tl.sum(a * a, axis=0) + 1.0
    tl.store(total + tl.program_id(0), sums.to(tl.float16))
    tl.store(out + tl.program_id(0) * row + at, a / sums, mask=at < row)


@triton.jit
def overwritten(x, out, total, row, BLOCK: tl.constexpr):
    a, at = row_of(x, row, BLOCK)
    sums = tl.sum(a * a, axis=0) + 1.0
    tl.store(total + tl.program_id(0), sums)
    tl.store(out + tl.program_id(0) * row + at, a / sums, mask=at < row)
    tl.store(total + tl.program_id(0), 0.0)


@triton.jit
def shared(x, out, total, row, BLOCK: tl.constexpr):
    """All programs store to one element."""
    a, at = row_of(x, row, BLOCK)
    sums = tl.sum(a * a, axis=0) + 1.0
    tl.store(total, sums)
    tl.store(out + tl.program_id(0) * row + at, a / sums, mask=at < row)


@triton.jit
def neighbours(x, out, total, row, BLOCK: tl.constexpr):
    """Two programs store to one element, where one of them is the next one's neighbour."""
    a, at = row_of(x, row, BLOCK)
    sums = tl.sum(a * a, axis=0) + 1.0
    tl.store(total + tl.program_id(0) // 2, sums)
    tl.store(out + tl.program_id(0) * row + at, a / sums, mask=at < row)


@triton.jit
def added(x, out, total, row, BLOCK: tl.constexpr):
    """What is stored is added to."""
    a, at = row_of(x, row, BLOCK)
    sums = tl.sum(a * a, axis=0) + 1.0
    tl.store(total + tl.program_id(0), sums)
    tl.store(out + tl.program_id(0) * row + at, a / sums, mask=at < row)
    tl.atomic_add(total + tl.num_programs(0), 1.0)


@triton.jit
def by_arms(x, kept, out, total, row, BLOCK: tl.constexpr):
    """Each arm stores, one of them what it computes; that may be read."""
    if tl.load(kept + tl.program_id(0)) != 0:
        a, at = row_of(x, row, BLOCK)
        sums = tl.sum(a * a, axis=0) + 1.0
        tl.store(total + tl.program_id(0), sums)
        tl.store(out + tl.program_id(0) * row + at, a / sums, mask=at < row)
    else:
        tl.store(total + tl.program_id(0), 0.0)


@triton.jit
def in_one_arm(x, kept, out, total, row, BLOCK: tl.constexpr):
    """It is used where it was not stored, too."""
    a, at = row_of(x, row, BLOCK)
    sums = tl.sum(a * a, axis=0) + 1.0
    if tl.load(kept + tl.program_id(0)) != 0:
        tl.store(total + tl.program_id(0), sums)
    tl.store(out + tl.program_id(0) * row + at, a / sums, mask=at < row)


@triton.jit
def by_rounds(x, out, total, row, BLOCK: tl.constexpr):
    """The last round's sum is what is there; each is used."""
    sums = 1.0
    for k in range(0, row, BLOCK):
        at = k + tl.arange(0, BLOCK)
        a = tl.load(x + tl.program_id(0) * row + at, mask=at < row, other=0.0)
        sums += tl.sum(a * a, axis=0)
        tl.store(total + tl.program_id(0), sums)
        tl.store(out + tl.program_id(0) * row + at, a / sums, mask=at < row)


@triton.jit
def of_itself(x, out, row, BLOCK: tl.constexpr):
    """The array that is differentiated holds what its own gradient needs."""
    a, _ = row_of(x, row, BLOCK)
    tl.store(out + tl.program_id(0), tl.exp(tl.sum(a * a, axis=0) * 0.1))


@triton.jit
def logits_of(x, row, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    return tl.load(x + tl.program_id(0) * row + at, mask=at < row, other=-float("inf")), at


@triton.jit
def log_sum(x, out, lse, row, BLOCK: tl.constexpr):
    """The log of the sum is stored, and used twice."""
    a, at = logits_of(x, row, BLOCK)
    top = tl.max(a, axis=0)
    total = top + tl.log(tl.sum(tl.exp(a - top), axis=0))
    tl.store(lse + tl.program_id(0), total)
    tl.store(out + tl.program_id(0) * row + at, a - total + 0.01 * total * total, mask=at < row)


@triton.jit
def far_away(x, out, lse, row, BLOCK: tl.constexpr):
    """Nothing is known where the maximum decides."""
    a, at = logits_of(x, row, BLOCK)
    top = tl.max(a, axis=0)
    total = top + tl.log(tl.sum(tl.exp(a - top), axis=0))
    tl.store(lse + tl.program_id(0), total)
    tl.store(out + tl.program_id(0) * row + at, tl.where(top > 1.5, a - total, total), mask=at < row)


@triton.jit
def grown(x, v, out, lse, n, keys, SHOWN: tl.constexpr, BLOCK: tl.constexpr):
    """Means with weights exp(x), rows in lanes, in powers of 2; the sum begins with 1.  lse: of the first SHOWN lanes."""
    lanes = tl.arange(0, BLOCK)
    inside = lanes < n
    top = tl.full([BLOCK], -float("inf"), tl.float32)
    total = tl.full([BLOCK], 1.0, tl.float32)
    mean = tl.zeros([BLOCK], tl.float32)
    for k in range(0, keys):
        a = tl.load(x + lanes * keys + k, mask=inside, other=0.0) * 1.4426950408889634
        higher = tl.maximum(top, a)
        fade, weight = tl.exp2(top - higher), tl.exp2(a - higher)
        total = total * fade + weight
        mean = mean * fade + weight * tl.load(v + k)
        top = higher
    tl.store(out + lanes, mean / total, mask=inside)
    if SHOWN == 0:
        tl.store(lse + lanes, (top + tl.log2(total)) / 1.4426950408889634, mask=inside)
    else:
        tl.store(lse + lanes, top + tl.log2(total), mask=lanes < SHOWN)


@triton.jit
def forgotten(x, v, out, lse, keys, BLOCK: tl.constexpr):
    """Sums fade by more than the maximum grows."""
    lanes = tl.arange(0, BLOCK)
    top = tl.full([BLOCK], -float("inf"), tl.float32)
    total = tl.zeros([BLOCK], tl.float32)
    mean = tl.zeros([BLOCK], tl.float32)
    for k in range(0, keys):
        a = tl.load(x + lanes * keys + k)
        higher = tl.maximum(top, a)
        fade, weight = 0.9 * tl.exp(top - higher), tl.exp(a - higher)
        total = total * fade + weight
        mean = mean * fade + weight * tl.load(v + k)
        top = higher
    tl.store(out + lanes, mean / total)
    tl.store(lse + lanes, top + tl.log(total))


@triton.jit
def crossed(x, y, out, lse, BLOCK: tl.constexpr):
    """The mask is that of rows, the maximum that of columns."""
    rows, columns = tl.arange(0, BLOCK), tl.arange(0, BLOCK)
    inside = rows < 5
    a = tl.load(x + columns * BLOCK)
    b = tl.load(x + columns * BLOCK + 1)
    top = tl.maximum(a, b)
    total = top + tl.log(tl.exp(a - top) + tl.exp(b - top))
    tl.store(lse + columns, total, mask=inside)
    spread = tl.load(y + rows)[:, None] * tl.exp(a - top)[None, :] / (tl.exp(a - top) + tl.exp(b - top))[None, :]
    tl.store(out + rows[:, None] * BLOCK + columns[None, :], spread, mask=inside[:, None] & (columns < BLOCK)[None, :])


@triton.jit
def nested(x, v, out, lse, outer, inner, BLOCK: tl.constexpr):
    """A maximum that grows through two loops."""
    lanes = tl.arange(0, BLOCK)
    top = tl.full([BLOCK], -float("inf"), tl.float32)
    total = tl.zeros([BLOCK], tl.float32)
    mean = tl.zeros([BLOCK], tl.float32)
    for i in range(outer):
        for j in range(inner):
            a = tl.load(x + (i * inner + j) * BLOCK + lanes)
            higher = tl.maximum(top, a)
            fade, weight = tl.exp(top - higher), tl.exp(a - higher)
            total = total * fade + weight
            mean = mean * fade + weight * tl.load(v + i * inner + j)
            top = higher
    tl.store(out + lanes, mean / total)
    tl.store(lse + lanes, top + tl.log(total))


@triton.jit
def from_the_last(x, out, lse, n, BLOCK: tl.constexpr):
    """Programs take the last rows first."""
    row = tl.num_programs(0) - 1 - tl.program_id(0)
    at = tl.arange(0, BLOCK)
    a = tl.load(x + row * n + at, mask=at < n, other=-float("inf"))
    top = tl.max(a, axis=0)
    total = top + tl.log(tl.sum(tl.exp(a - top), axis=0))
    tl.store(lse + row, total)
    tl.store(out + row * n + at, a - total, mask=at < n)


@triton.jit
def from_both_sides(x, out, n, BLOCK: tl.constexpr):
    """Programs of which each does a row from the one side and one from the other."""
    at = tl.arange(0, BLOCK)
    first, last = tl.program_id(0), 2 * tl.num_programs(0) - 1 - tl.program_id(0)
    tl.store(out + first * n + at, tl.exp(tl.load(x + first * n + at, mask=at < n, other=0.0)), mask=at < n)
    tl.store(out + last * n + at, tl.sin(tl.load(x + last * n + at, mask=at < n, other=0.0)), mask=at < n)


@triton.jit
def turned_round(x, out, n, BLOCK: tl.constexpr):
    """Rows are stored in the other order."""
    at = tl.arange(0, BLOCK)
    a = tl.load(x + (tl.num_programs(0) - 1 - tl.program_id(0)) * n + at, mask=at < n, other=0.0)
    tl.store(out + tl.program_id(0) * n + at, tl.exp(a), mask=at < n)


@triton.jit
def counted(x, out, seen, row, BLOCK: tl.constexpr):
    """Two sums beside it, of which the gradient needs nothing."""
    a, at = row_of(x, row, BLOCK)
    tl.atomic_add(seen, 1.0)
    tl.atomic_add(seen + 1, tl.sum(a, axis=0))
    tl.store(out + tl.program_id(0) * row + at, a * a * a, mask=at < row)
