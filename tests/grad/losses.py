"""Losses, an element or a row each."""

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def place(n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    return at, at < n


@triton.jit
def huber(x, y, out, n, delta, BLOCK: tl.constexpr):
    at, inside = place(n, BLOCK)
    error = tl.load(x + at, mask=inside, other=0.0) - tl.load(y + at, mask=inside, other=0.0)
    size = tl.abs(error)
    tl.store(out + at, tl.where(size <= delta, 0.5 * error * error, delta * (size - 0.5 * delta)), mask=inside)


@triton.jit
def binary_cross_entropy(x, target, out, n, BLOCK: tl.constexpr):
    at, inside = place(n, BLOCK)
    logit = tl.load(x + at, mask=inside, other=0.0)
    wanted = tl.load(target + at, mask=inside, other=0.0)
    loss = tl.maximum(logit, 0.0) - logit * wanted + libdevice.log1p(tl.exp(-tl.abs(logit)))
    tl.store(out + at, loss, mask=inside)


@triton.jit
def focal(x, target, out, n, gamma, BLOCK: tl.constexpr):
    at, inside = place(n, BLOCK)
    p = tl.sigmoid(tl.load(x + at, mask=inside, other=0.0))
    hit = tl.load(target + at, mask=inside, other=0) != 0
    chance = tl.where(hit, p, 1 - p)
    tl.store(out + at, -libdevice.pow(1 - chance, gamma) * tl.log(chance), mask=inside)


@triton.jit
def hinge(x, y, out, n, BLOCK: tl.constexpr):
    at, inside = place(n, BLOCK)
    margin = 1.0 - tl.load(x + at, mask=inside) * tl.load(y + at, mask=inside)
    tl.store(out + at, tl.maximum(margin, 0.0), mask=inside)


@triton.jit
def divergence(logits, target, out, row, BLOCK: tl.constexpr):
    """Kullback and Leibler's, of softmax of a row."""
    columns = tl.arange(0, BLOCK)
    inside = columns < row
    at = tl.program_id(0) * row + columns
    x = tl.load(logits + at, mask=inside, other=-float("inf"))
    q = tl.load(target + at, mask=inside, other=1.0)
    shifted = x - tl.max(x, axis=0)
    log_p = shifted - tl.log(tl.sum(tl.exp(shifted), axis=0))
    tl.store(out + tl.program_id(0), tl.sum(tl.where(inside, q * (tl.log(q) - log_p), 0.0), axis=0))


@triton.jit
def triplet(anchor, near, far, out, row, margin, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    at = tl.program_id(0) * row + columns
    a = tl.load(anchor + at, mask=columns < row, other=0.0)
    p = tl.load(near + at, mask=columns < row, other=0.0)
    n = tl.load(far + at, mask=columns < row, other=0.0)
    distance = tl.sqrt(tl.sum((a - p) * (a - p), axis=0) + 1e-6) - tl.sqrt(tl.sum((a - n) * (a - n), axis=0) + 1e-6)
    tl.store(out + tl.program_id(0), tl.maximum(distance + margin, 0.0))


@triton.jit
def cosine(x, y, out, row, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    at = tl.program_id(0) * row + columns
    a = tl.load(x + at, mask=columns < row, other=0.0)
    b = tl.load(y + at, mask=columns < row, other=0.0)
    tl.store(out + tl.program_id(0),
             1 - tl.sum(a * b, axis=0) * tl.rsqrt(tl.sum(a * a, axis=0) * tl.sum(b * b, axis=0) + 1e-8))


@triton.jit
def quantile(x, y, out, n, q, BLOCK: tl.constexpr):
    at, inside = place(n, BLOCK)
    error = tl.load(y + at, mask=inside) - tl.load(x + at, mask=inside)
    tl.store(out + at, tl.maximum(q * error, (q - 1) * error), mask=inside)


@triton.jit
def summed_squares(x, y, out, n, BLOCK: tl.constexpr):
    """The whole in one number, to which programs add."""
    at, inside = place(n, BLOCK)
    error = tl.load(x + at, mask=inside, other=0.0) - tl.load(y + at, mask=inside, other=0.0)
    tl.atomic_add(out, tl.sum(error * error, axis=0))


@triton.jit
def mean_by_rows(x, target, out, count, rows, row, BLOCK: tl.constexpr):
    """A loss that all programs add to, in a loop, with the rows that they have seen."""
    at = tl.arange(0, BLOCK)
    for i in range(tl.program_id(0), rows, tl.num_programs(0)):
        d = tl.load(x + i * row + at, mask=at < row, other=0.0) - tl.load(target + i)
        tl.atomic_add(out, tl.sum(tl.abs(d), axis=0) / (rows * row))
        tl.atomic_add(count, 1)


@triton.jit
def stored_and_added(x, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < n)
    tl.store(out + at, a * a, mask=at < n)
    tl.atomic_add(out + at, a, mask=at < n)


@triton.jit
def last_one(x, out, tickets, n, BLOCK: tl.constexpr):
    """What a program stores depends on which one comes last."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < n, other=0.0)
    if tl.atomic_add(tickets, 1) == tl.num_programs(0) - 1:
        tl.store(out + at, a * a, mask=at < n)


@triton.jit
def with_z_loss(x, out, row, z, BLOCK: tl.constexpr):
    """The log of a sum, which occurs twice in a product, and once beside it."""
    at = tl.program_id(0) * row + tl.arange(0, BLOCK)
    inside = tl.arange(0, BLOCK) < row
    values = tl.load(x + at, mask=inside, other=-float("inf"))
    top = tl.max(values, axis=0)
    lse = top + tl.log(tl.sum(tl.exp(values - top), axis=0))
    tl.store(out + tl.program_id(0), lse + z * lse * lse)


@triton.jit
def cross_correlation(x, y, out, N, D, weight, BLOCK_N: tl.constexpr, BLOCK: tl.constexpr):
    """A program has a column of x, which it reads again for each block of columns of y."""
    i = tl.program_id(0)
    total = 0.0
    for first in range(0, D, BLOCK):
        j = first + tl.arange(0, BLOCK)
        c = tl.zeros([BLOCK], tl.float32)
        for start in range(0, N, BLOCK_N):
            n = start + tl.arange(0, BLOCK_N)
            a = tl.load(x + n * D + i, mask=n < N, other=0.0)
            b = tl.load(y + n[:, None] * D + j[None, :], mask=(n < N)[:, None] & (j < D)[None, :], other=0.0)
            c += tl.sum(a[:, None] * b, axis=0)
        c = c / N
        total += tl.sum(tl.where(j < D, tl.where(j == i, (c - 1.0) * (c - 1.0), weight * c * c), 0.0))
    tl.store(out + i, total)
