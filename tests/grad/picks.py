"""Elements of a row that are read by themselves."""

import triton
import triton.language as tl


@triton.jit
def picked_entropy(x, labels, out, row, BLOCK: tl.constexpr):
    """Of one tile, without the log of the sum."""
    at = tl.arange(0, BLOCK)
    here = tl.program_id(0)
    label = tl.load(labels + here)
    a = tl.load(x + here * row + at, mask=at < row, other=-float("inf"))
    a = a - tl.max(a, axis=0)
    top = tl.max(tl.load(x + here * row + at, mask=at < row, other=-float("inf")), axis=0)
    right = tl.load(x + here * row + label, mask=(label >= 0) & (label < row), other=0.0) - top
    tl.store(out + here, tl.log(tl.sum(tl.exp(a), axis=0)) - right)


@triton.jit
def margin(x, labels, second, out, row, weight, BLOCK: tl.constexpr):
    """Two are picked, one of them only where it is another one, in a loop over the row; label 1 counts for nothing."""
    here = tl.program_id(0)
    label, other = tl.load(labels + here), tl.load(second + here)
    right = tl.load(x + here * row + label, mask=(label >= 0) & (label < row) & (label != 1), other=0.0)
    wrong = tl.load(x + here * row + other, mask=(other >= 0) & (other < row) & (other != label), other=0.0)
    total = 0.0
    for start in range(0, row, BLOCK):
        at = start + tl.arange(0, BLOCK)
        a = tl.load(x + here * row + at, mask=at < row, other=0.0)
        total += tl.sum(a * a, axis=0)
    tl.store(out + here, tl.maximum(weight - right * wrong, 0.0) + 0.1 * total)


@triton.jit
def behind_the_row(x, labels, out, row, half, BLOCK: tl.constexpr):
    """What is picked lies in all of the row, of which half is read besides."""
    at = tl.arange(0, BLOCK)
    here = tl.program_id(0)
    label = tl.load(labels + here)
    a = tl.load(x + here * row + at, mask=at < half, other=0.0)
    right = tl.load(x + here * row + label, mask=(label >= 0) & (label < row), other=0.0)
    tl.store(out + here, tl.sum(a * a, axis=0) * right)


@triton.jit
def depends(x, labels, out, row, BLOCK: tl.constexpr):
    """The row's gradient comes before what is handed to the one element, which needs a sum over it."""
    here = tl.program_id(0)
    label = tl.load(labels + here)
    right = tl.load(x + here * row + label, mask=(label >= 0) & (label < row), other=0.0)
    h = right
    for start in range(0, row, BLOCK):
        at = start + tl.arange(0, BLOCK)
        a = tl.load(x + here * row + at, mask=at < row, other=0.0)
        h = h * tl.cos(tl.sum(a, axis=0)) + h
    tl.store(out + here, h)


@triton.jit
def now_and_then(x, labels, out, row, BLOCK: tl.constexpr):
    """The row is gone through only where the label says so."""
    at = tl.arange(0, BLOCK)
    here = tl.program_id(0)
    label = tl.load(labels + here)
    right = tl.load(x + here * row + label, mask=(label >= 0) & (label < row), other=0.0)
    total = right * right
    if label > 2:
        total += tl.sum(tl.load(x + here * row + at, mask=at < row, other=0.0), axis=0) * right
    tl.store(out + here, total)


@triton.jit
def log_sum(x, row, BLOCK: tl.constexpr):
    top, total = -float("inf"), 0.0
    for k in range(0, row, BLOCK):
        columns = k + tl.arange(0, BLOCK)
        a = tl.load(x + tl.program_id(0) * row + columns, mask=columns < row, other=-float("inf"))
        higher = tl.maximum(top, tl.max(a, axis=0))
        total = total * tl.exp(top - higher) + tl.sum(tl.exp(a - higher), axis=0)
        top = higher
    return top + tl.log(total)


@triton.jit
def in_loops(x, labels, out, lse, row, BLOCK: tl.constexpr):
    """Cross entropy of a long row, whose log of the sum is stored, too."""
    i = tl.program_id(0)
    place = tl.load(labels + i)
    wanted = tl.load(x + i * row + place, mask=(place >= 0) & (place < row), other=0.0)
    total = log_sum(x, row, BLOCK)
    tl.store(lse + i, total)
    tl.store(out + i, total - wanted)


@triton.jit
def with_count(x, labels, out, lse, count, row, BLOCK: tl.constexpr):
    """The same, by a weight that is counted in place: in one kernel the second reading would be one too many."""
    i = tl.program_id(0)
    place = tl.load(labels + i)
    wanted = tl.load(x + i * row + place, mask=(place >= 0) & (place < row), other=0.0)
    seen = tl.load(count + i) + 1
    tl.store(count + i, seen)
    total = log_sum(x, row, BLOCK)
    tl.store(lse + i, total)
    tl.store(out + i, (total - wanted) * 2)


@triton.jit
def smoothed_in_passes(x, labels, out, row, BLOCK: tl.constexpr):
    """The row is gone through for its largest, the log of its sum, and its mean."""
    program = tl.program_id(0)
    label = tl.load(labels + program)
    x += program * row
    top = -float("inf")
    for start in range(0, row, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        top = tl.maximum(top, tl.max(tl.load(x + columns, mask=columns < row, other=-float("inf")), axis=0))
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, row, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        total += tl.exp(tl.load(x + columns, mask=columns < row, other=-float("inf")) - top)
    plain = tl.zeros([BLOCK], tl.float32)
    for start in range(0, row, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        plain += tl.load(x + columns, mask=columns < row, other=0.0)
    wanted = tl.load(x + label, mask=(label >= 0) & (label < row), other=0.0)
    lse = top + tl.log(tl.sum(total, axis=0))
    tl.store(out + program, lse - 0.9 * wanted - 0.1 * tl.sum(plain, axis=0) / row)
