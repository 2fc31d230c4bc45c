"""Kernels that have no gradient, or of which none can be told."""

import triton
import triton.language as tl


@triton.jit
def in_place(x, out, n, BLOCK: tl.constexpr):
    """Changes what it is differentiated by."""
    at = tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < n)
    tl.store(x + at, a * 2, mask=at < n)
    tl.store(out + at, a * a, mask=at < n)


@triton.jit
def read_again(x, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n), mask=at < n)
    tl.debug_barrier()
    tl.store(out + at, tl.load(out + at, mask=at < n) * 3, mask=at < n)


@triton.jit
def overlapping(x, out, n, BLOCK: tl.constexpr):
    """The second store covers half of the first."""
    at = tl.arange(0, BLOCK)
    a = tl.load(x + at)
    tl.store(out + at, a)
    tl.store(out + at + BLOCK // 2, a * a)


@triton.jit
def place_of_largest(x, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < n, other=-float("inf"))
    tl.store(out, tl.argmax(a, axis=0).to(tl.float32))


@triton.jit
def rounded(x, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.floor(tl.load(x + at, mask=at < n) * 8) / 8, mask=at < n)


@triton.jit
def straight_through(x, out, n, BLOCK: tl.constexpr):
    """Rounded, with what is lost: of the two terms one has a gradient."""
    at = tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < n)
    tl.store(out + at, a * tl.floor(a * 8), mask=at < n)


@triton.jit
def by_bits(x, out, n, BLOCK: tl.constexpr):
    """A root by what its bits say."""
    at = tl.arange(0, BLOCK)
    bits = tl.load(x + at, mask=at < n).to(tl.int32, bitcast=True)
    tl.store(out + at, ((bits >> 1) + 0x1FC00000).to(tl.float32, bitcast=True), mask=at < n)


@triton.jit
def largest_of_all(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_max(out, tl.max(tl.load(x + at, mask=at < n, other=-float("inf")), axis=0))


@triton.jit
def two_arrays(x, y, out, n, choice, BLOCK: tl.constexpr):
    """Of one of two, which is known when it runs."""
    at = tl.arange(0, BLOCK)
    either = tl.where(choice > 0, x + at, y + at)
    tl.store(out + at, tl.load(either, mask=at < n), mask=at < n)


@triton.jit
def sometimes(x, out, n, choice, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < n)
    if choice > 0:
        tl.store(out + at, a * a, mask=at < n)


@triton.jit
def asserted(x, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < n, other=1.0)
    tl.device_assert(a > 0)
    tl.store(out + at, tl.log(a), mask=at < n)


@triton.jit
def ordered(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.sort(tl.load(x + at)))


@triton.jit
def unused(x, y, out, n, BLOCK: tl.constexpr):
    """y has no part in it."""
    at = tl.arange(0, BLOCK)
    tl.load(y + at, mask=at < n)
    tl.store(out + at, tl.load(x + at, mask=at < n), mask=at < n)


@triton.jit
def two_to_one(x, out, BLOCK: tl.constexpr):
    """Each pair of lanes stores to one element."""
    at = tl.arange(0, BLOCK)
    tl.store(out + at // 2, tl.load(x + at))


@triton.jit
def row_to_one(x, out, n, BLOCK: tl.constexpr):
    """A tile to a number, which nobody has summed."""
    i, j = tl.arange(0, 4)[:, None], tl.arange(0, BLOCK)[None, :]
    a = tl.load(x + i * n + j, mask=j < n)
    tl.store(out + i + tl.zeros_like(j), a * a, mask=j < n)


@triton.jit
def accumulated(x, out, n, BLOCK: tl.constexpr):
    """Added to what is there, which no gradient needs."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < n, other=0.0)
    tl.store(out + at, tl.load(out + at, mask=at < n, other=0.0) + a * a, mask=at < n)


@triton.jit
def running_mean(x, mean, out, row, rate, BLOCK: tl.constexpr):
    """A norm that keeps a mean of means for itself."""
    at = tl.arange(0, BLOCK)
    here = tl.program_id(0)
    a = tl.load(x + here * row + at, mask=at < row, other=0.0)
    average = tl.sum(a, axis=0) / row
    tl.store(mean + here, tl.load(mean + here) * (1 - rate) + average * rate)
    tl.store(out + here * row + at, (a - average) * a, mask=at < row)


@triton.jit
def scaled_in_place(x, out, n, BLOCK: tl.constexpr):
    """What was there is needed: it is the slope."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < n, other=0.0)
    tl.store(out + at, tl.load(out + at, mask=at < n, other=0.0) * a, mask=at < n)


@triton.jit
def written_first(x, out, n, BLOCK: tl.constexpr):
    """What is read back was written just now."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < n, other=0.0)
    tl.store(out + at, a, mask=at < n)
    b = tl.load(out + at, mask=at < n, other=0.0)
    tl.store(out + n + at, b + a, mask=at < n)


@triton.jit
def carried_in_memory(x, sums, out, n, BLOCK: tl.constexpr):
    """Each round reads what the one before has written."""
    at = tl.arange(0, BLOCK)
    for k in range(n):
        before = tl.load(sums + at)
        tl.store(sums + at, before + tl.load(x + k * BLOCK + at))
        tl.store(out + k * BLOCK + at, before)


@triton.jit
def moving_average(x, mean, out, n, rate, BLOCK: tl.constexpr):
    """Each run goes on from what the last one left."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < n, other=0.0)
    now = tl.load(mean + at, mask=at < n, other=0.0) * (1 - rate) + tl.sin(a) * rate
    tl.store(mean + at, now, mask=at < n)
    tl.store(out + at, now, mask=at < n)


@triton.jit
def wrapped(x, out, n, BLOCK: tl.constexpr):
    """More lanes than elements."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at % 8, tl.load(x + at, mask=at < n), mask=at < n)


@triton.jit
def in_turns(x, y, out, n):
    """Rounds read from one array and from the other."""
    one, other = x, y
    total = 0.0
    for i in range(n):
        total += tl.load(one + i)
        one, other = other, one
    tl.store(out, total * total)


@triton.jit
def goes_over(x, y, out, n):
    """After some rounds another array is read."""
    from_here = x
    total = 0.0
    for i in range(n):
        total += tl.load(from_here + i)
        if i > 2:
            from_here = y
    tl.store(out, total * total)


@triton.jit
def not_by_program(x, out, BLOCK: tl.constexpr):
    """Each program stores what the one before it stored."""
    at = tl.arange(0, BLOCK)
    a = tl.load(x + tl.program_id(0) * BLOCK + at)
    tl.store(out + at, tl.exp(a))


@triton.jit
def one_apart_less(x, out, n, BLOCK: tl.constexpr):
    """A program stores the last element of the one before it, too."""
    at = tl.program_id(0) * (BLOCK - 1) + tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < n, other=0.0)
    tl.store(out + at, a * a * tl.program_id(0), mask=at < n)


@triton.jit
def without_a_halo(x, out, n, BLOCK: tl.constexpr):
    """It reads the lanes at both ends, too, and stores all but these."""
    lane = tl.arange(0, BLOCK)
    at = tl.program_id(0) * (BLOCK - 2) + lane
    a = tl.load(x + at, mask=at < n, other=0.0)
    tl.store(out + at, a * a, mask=(at < n) & (lane > 0) & (lane < BLOCK - 1))


@triton.jit
def first_program(x, out, total, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    a = tl.load(x + tl.program_id(0) * BLOCK + at)
    tl.store(out + tl.program_id(0) * BLOCK + at, a * a)
    if tl.program_id(0) == 0:
        tl.store(total, tl.sum(a * a, axis=0))


@triton.jit
def turned_in_place(q, angle, HALF: tl.constexpr):
    """As rotary embedding is done to save memory."""
    at = tl.program_id(0) * 2 * HALF + tl.arange(0, HALF)
    a, b = tl.load(q + at), tl.load(q + at + HALF)
    c, s = tl.cos(tl.load(angle + tl.arange(0, HALF))), tl.sin(tl.load(angle + tl.arange(0, HALF)))
    tl.store(q + at, a * c - b * s)
    tl.store(q + at + HALF, b * c + a * s)


@triton.jit
def pairs_in_place(x, out, n, BLOCK: tl.constexpr):
    """Both numbers of a pair grow; the second is stored before the first one is."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < n, other=0.0)
    first = tl.load(out + 2 * at, mask=at < n, other=0.0)
    second = tl.load(out + 2 * at + 1, mask=at < n, other=0.0)
    tl.store(out + 2 * at + 1, second + tl.sin(a), mask=at < n)
    tl.store(out + 2 * at, first - a * a, mask=at < n)


@triton.jit
def crossed_in_place(x, out, BLOCK: tl.constexpr):
    """What one lane stores another one may have read before, or may not."""
    at = tl.arange(0, BLOCK)
    a = tl.load(x + at)
    tl.store(out + at, tl.load(out + (BLOCK - 1) - at) + a * a)


@triton.jit
def residual_in_place(x, residual, weight, out, n, eps, BLOCK: tl.constexpr):
    """The gradient needs what was stored, which is there."""
    at = tl.arange(0, BLOCK)
    here = tl.program_id(0) * n + at
    r = tl.load(residual + here, mask=at < n, other=0.0) + tl.load(x + here, mask=at < n, other=0.0)
    tl.store(residual + here, r, mask=at < n)
    scale = tl.rsqrt(tl.sum(r * r, axis=0) / n + eps)
    tl.store(out + here, r * scale * tl.load(weight + at, mask=at < n, other=0.0), mask=at < n)


@triton.jit
def before_and_after(x, y, out, n, BLOCK: tl.constexpr):
    """It needs both: what was there is gone."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    old = tl.load(y + at, mask=at < n, other=0.0)
    new = old + tl.load(x + at, mask=at < n, other=0.0)
    tl.store(y + at, new, mask=at < n)
    tl.store(out + at, new * new * old, mask=at < n)


@triton.jit
def one_more_in_place(x, y, out, n, BLOCK: tl.constexpr):
    """Behind the mask it is 1, where memory that is loaded gives 0."""
    at = tl.arange(0, BLOCK)
    new = tl.load(y + at, mask=at < n, other=0.0) + 1 + tl.load(x + at, mask=at < n, other=0.0)
    tl.store(y + at, new, mask=at < n)
    tl.store(out, tl.sum(new * new * new, axis=0))
