"""Sums over all earlier times, or all others: elements that rounds go through, and other programs, too."""

import triton
import triton.language as tl


@triton.jit
def long_filter(x, w, out, T, BLOCK: tl.constexpr):
    """As long as the sequence; a sample is a program along the second axis."""
    b = tl.program_id(1)
    t = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    for u in range(0, T):
        lag = t - u
        total += tl.load(x + b * T + u) * tl.load(w + lag, mask=(lag >= 0) & (t < T), other=0.0)
    tl.store(out + b * T + t, total, mask=t < T)


@triton.jit
def add_lags(total, x, w, start, stop, T, batches, inside, times, CAUSAL: tl.constexpr):
    for u in range(start, stop):
        near = times < T
        if CAUSAL:
            near = near & (times >= u)
        value = tl.load(x + batches * T + u, mask=inside, other=0.0)
        more = total + value[:, None] * tl.load(w + times - u, mask=near, other=0.0)[None, :]
        total = tl.where(near[None, :], more, total) if CAUSAL else more
    return total


@triton.jit
def filter_in_two_parts(x, w, out, B, T, BLOCK_B: tl.constexpr, BLOCK: tl.constexpr):
    """Times of other blocks need no mask."""
    first = tl.program_id(0) * BLOCK
    batches = tl.program_id(1) * BLOCK_B + tl.arange(0, BLOCK_B)
    inside = batches < B
    times = first + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK_B, BLOCK], tl.float32)
    total = add_lags(total, x, w, 0, first, T, batches, inside, times, False)
    total = add_lags(total, x, w, first, tl.minimum(first + BLOCK, T), T, batches, inside, times, True)
    tl.store(out + batches[:, None] * T + times[None, :], total, mask=inside[:, None] & (times < T)[None, :])


@triton.jit
def another_second_part(x, w, out, B, T, BLOCK_B: tl.constexpr, BLOCK: tl.constexpr):
    """What the second part adds is not what the first does."""
    first = tl.program_id(0) * BLOCK
    batches = tl.program_id(1) * BLOCK_B + tl.arange(0, BLOCK_B)
    inside = batches < B
    times = first + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK_B, BLOCK], tl.float32)
    total = add_lags(total, x, w, 0, first, T, batches, inside, times, False)
    total = add_lags(total * 2.0, x, w, first, tl.minimum(first + BLOCK, T), T, batches, inside, times, True)
    tl.store(out + batches[:, None] * T + times[None, :], total, mask=inside[:, None] & (times < T)[None, :])


@triton.jit
def correlation(x, w, out, T, BLOCK: tl.constexpr):
    """w is read from lag t + u on."""
    t = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    for u in range(0, T):
        total += tl.load(x + u) * tl.load(w + t + u, mask=t + u < T, other=0.0)
    tl.store(out + t, total, mask=t < T)


@triton.jit
def block_causal(x, y, out, T, BLOCK: tl.constexpr):
    """Every time of a block sees all of it: only the program says which rounds it has."""
    first = tl.program_id(0) * BLOCK
    t = first + tl.arange(0, BLOCK)
    here = tl.load(x + t, mask=t < T, other=0.0)
    total = tl.zeros([BLOCK], tl.float32)
    for u in range(0, tl.minimum(first + BLOCK, T)):
        total += tl.sin(here * tl.load(x + u)) * tl.load(y + u)
    tl.store(out + t, total, mask=t < T)


@triton.jit
def energies(x, out, n, BLOCK: tl.constexpr):
    """Of each particle, by its distances to all before it."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    here = tl.load(x + i, mask=inside, other=0.0)
    total = tl.zeros([BLOCK], tl.float32)
    for k in range(n):
        d = here - tl.load(x + k)
        total += tl.where(inside & (k < i), tl.exp(-d * d), 0.0)
    tl.store(out + i, total, mask=inside)


@triton.jit
def decayed_sum(x, rate, out, T, C, BLOCK: tl.constexpr):
    """Weights made of how far times lie apart, by channel."""
    c = tl.program_id(1)
    t = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(rate + c)
    total = tl.zeros([BLOCK], tl.float32)
    for u in range(0, tl.minimum((tl.program_id(0) + 1) * BLOCK, T)):
        weight = tl.where(t >= u, tl.exp(-a * (t - u).to(tl.float32)), 0.0)
        total += weight * tl.load(x + c * T + u)
    tl.store(out + c * T + t, total, mask=t < T)


@triton.jit
def every_second(x, w, out, T, BLOCK: tl.constexpr):
    """Lanes lie two elements apart, and rounds one."""
    t = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    for u in range(0, T):
        lag = 2 * t - u
        total += tl.load(x + u) * tl.load(w + lag, mask=(lag >= 0) & (t < T), other=0.0)
    tl.store(out + t, total, mask=t < T)


@triton.jit
def scattered(x, w, at, out, T, BLOCK: tl.constexpr):
    """The place of a lag is read."""
    t = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    for u in range(0, T):
        lag = t - u
        near = (lag >= 0) & (t < T)
        place = tl.load(at + lag, mask=near, other=0)
        total += tl.load(x + u) * tl.load(w + place, mask=near, other=0.0)
    tl.store(out + t, total, mask=t < T)


@triton.jit
def by_blocks_of_lanes(x, w, out, T, BLOCK: tl.constexpr):
    """A lane's number in its block counts by itself."""
    lanes = tl.arange(0, BLOCK)
    t = tl.program_id(0) * BLOCK + lanes
    total = tl.zeros([BLOCK], tl.float32)
    for u in range(0, T):
        lag = t - u
        total += tl.load(x + u) * lanes * tl.load(w + lag, mask=(lag >= 0) & (t < T), other=0.0)
    tl.store(out + t, total, mask=t < T)


@triton.jit
def beyond_its_block(x, w, out, T, BLOCK: tl.constexpr):
    program = tl.program_id(0)
    t = program * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    for u in range(0, tl.minimum(program * BLOCK + BLOCK + 3, T)):
        total += tl.load(x + u) * tl.load(w + t - u, mask=(t >= u) & (t < T), other=0.0)
    tl.store(out + t, total, mask=t < T)


@triton.jit
def strict_past(x, w, out, T, BLOCK: tl.constexpr):
    program = tl.program_id(0)
    t = program * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    for u in range(0, tl.minimum((program + 1) * BLOCK, T)):
        total += tl.load(x + u) * tl.load(w + t - u, mask=(t - u >= 2) & (t < T), other=0.0)
    tl.store(out + t, total, mask=t < T)


@triton.jit
def lags_in_window(x, w, out, T, W, BLOCK: tl.constexpr):
    t = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    for u in range(0, T):
        lag = t - u
        total += tl.load(x + u) * tl.load(w + lag, mask=(lag >= 0) & (lag < W) & (t < T), other=0.0)
    tl.store(out + t, total, mask=t < T)


@triton.jit
def lags_by_channel(x, w, out, T, C: tl.constexpr, BLOCK: tl.constexpr):
    t = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    c = tl.arange(0, C)
    total = tl.zeros([BLOCK, C], tl.float32)
    for u in range(0, T):
        lag = t - u
        m = (lag >= 0) & (t < T)
        total += tl.load(x + u * C + c)[None, :] * tl.load(w + lag[:, None] * C + c[None, :], mask=m[:, None], other=0.0)
    tl.store(out + t[:, None] * C + c[None, :], total, mask=(t < T)[:, None])


@triton.jit
def kept_pairs(x, keep, out, T, BLOCK: tl.constexpr):
    t = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    for u in range(0, T):
        k = tl.load(keep + t * T + u, mask=t < T, other=0)
        total += tl.where(k > 0, tl.load(x + u) * tl.load(x + u), 0.0)
    tl.store(out + t, total, mask=t < T)


@triton.jit
def sines_from_one(x, w, out, T, BLOCK: tl.constexpr):
    t = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    for u in range(1, T):
        total += tl.sin(tl.load(x + u)) * tl.load(w + t, mask=t < T, other=0.0)
    tl.store(out + t, total, mask=t < T)


@triton.jit
def radial(x, y, a, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    xi = tl.load(x + i, mask=m, other=0.0)
    total = tl.zeros([BLOCK], tl.float32)
    for k in range(n):
        d = xi - tl.load(y + k)
        total += tl.load(a + k) * tl.exp(-d * d)
    tl.store(out + i, total, mask=m)


@triton.jit
def pairs_of_times(x, w, out, T, BLOCK: tl.constexpr):
    """w is read at t * T + u."""
    t = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    for u in range(0, tl.minimum((tl.program_id(0) + 1) * BLOCK, T)):
        total += tl.load(x + u) * tl.load(w + t * T + u, mask=(t < T) & (t >= u), other=0.0)
    tl.store(out + t, total, mask=t < T)


@triton.jit
def with_itself(x, out, T, BLOCK: tl.constexpr):
    """Autocorrelation: x at u and at t + u."""
    t = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    for u in range(0, T):
        total += tl.load(x + u) * tl.load(x + t + u, mask=t + u < T, other=0.0)
    tl.store(out + t, total, mask=t < T)
