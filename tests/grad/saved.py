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
