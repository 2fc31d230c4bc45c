"""Reductions and scans with functions of all kinds, sorting networks and transforms by reshapes."""

import triton
import triton.language as tl


@triton.jit
def sums_of_all(x_ptr, sum_ptr, max_ptr, min_ptr, xor_ptr, total_ptr, A: tl.constexpr,
                B: tl.constexpr, C: tl.constexpr, AXIS: tl.constexpr):
    """The reductions of a tile of rank 3 along one axis, and of all of it."""
    a, b, c = tl.arange(0, A), tl.arange(0, B), tl.arange(0, C)
    x = tl.load(x_ptr + (a[:, None, None] * B + b[None, :, None]) * C + c[None, None, :])
    if AXIS == 0:
        at = b[:, None] * C + c[None, :]
    elif AXIS == 1:
        at = a[:, None] * C + c[None, :]
    else:
        at = a[:, None] * B + b[None, :]
    tl.store(sum_ptr + at, tl.sum(x, AXIS))
    tl.store(max_ptr + at, tl.max(x, AXIS))
    tl.store(min_ptr + at, tl.min(x, AXIS))
    if x.dtype.is_int():
        tl.store(xor_ptr + at, tl.xor_sum(x, AXIS))
        tl.store(total_ptr + 2, tl.xor_sum(x))
    tl.store(total_ptr, tl.sum(x))
    tl.store(total_ptr + 1, tl.max(x))


@triton.jit
def places(x_ptr, most_ptr, least_ptr, value_ptr, where_ptr, M: tl.constexpr, N: tl.constexpr,
           AXIS: tl.constexpr):
    """Where the largest and the smallest are, the first of equal ones."""
    m, n = tl.arange(0, M), tl.arange(0, N)
    x = tl.load(x_ptr + m[:, None] * N + n[None, :])
    at = n if AXIS == 0 else m
    tl.store(most_ptr + at, tl.argmax(x, axis=AXIS))
    tl.store(least_ptr + at, tl.argmin(x, axis=AXIS))
    value, where = tl.max(x, axis=AXIS, return_indices=True)
    tl.store(value_ptr + at, value)
    tl.store(where_ptr + at, where)


@triton.jit
def _second(a1, a2, b1, b2):
    high = tl.maximum(a1, b1)
    low = tl.minimum(a1, b1)
    return high, tl.maximum(low, tl.maximum(a2, b2))


@triton.jit
def _lse(top_a, sum_a, top_b, sum_b):
    top = tl.maximum(top_a, top_b)
    return top, sum_a * tl.exp(top_a - top) + sum_b * tl.exp(top_b - top)


@triton.jit
def _gcd(a, b):
    for _ in tl.static_range(12):
        rest = a % tl.where(b == 0, 1, b)
        a = tl.where(b == 0, a, b)
        b = tl.where(b == 0, 0, rest)
    return a


@triton.jit
def own_reductions(x_ptr, i_ptr, second_ptr, lse_ptr, gcd_ptr, product_ptr, M: tl.constexpr,
                   N: tl.constexpr, AXIS: tl.constexpr):
    """Reductions by functions of the kernel's own: the two largest, log-sum-exp, gcd, products."""
    m, n = tl.arange(0, M), tl.arange(0, N)
    at = m[:, None] * N + n[None, :]
    x = tl.load(x_ptr + at)
    i = tl.load(i_ptr + at)
    out = n if AXIS == 0 else m
    first, second = tl.reduce((x, tl.full((M, N), float("-inf"), tl.float32)), AXIS, _second)
    tl.store(second_ptr + out * 2, first)
    tl.store(second_ptr + out * 2 + 1, second)
    top, total = tl.reduce((x, tl.full((M, N), 1.0, tl.float32)), AXIS, _lse)
    tl.store(lse_ptr + out, top + tl.log(total))
    tl.store(gcd_ptr + out, tl.reduce(i, AXIS, _gcd))
    tl.store(product_ptr + out, tl.reduce(i | 1, AXIS, _times))


@triton.jit
def _times(a, b):
    return a * b


@triton.jit
def running(x_ptr, sum_ptr, product_ptr, top_ptr, A: tl.constexpr, B: tl.constexpr,
            C: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    """Sums, products and maxima so far, along any axis of a tile of rank 3."""
    at = (tl.arange(0, A)[:, None, None] * B + tl.arange(0, B)[None, :, None]) * C \
        + tl.arange(0, C)[None, None, :]
    x = tl.load(x_ptr + at)
    tl.store(sum_ptr + at, tl.cumsum(x, axis=AXIS, reverse=REVERSE))
    tl.store(product_ptr + at, tl.cumprod(x, axis=AXIS, reverse=REVERSE))
    tl.store(top_ptr + at, tl.associative_scan(x, AXIS, _higher, reverse=REVERSE))


@triton.jit
def _higher(a, b):
    return tl.maximum(a, b)


@triton.jit
def _affine(a1, b1, a2, b2):
    return a1 * a2, a2 * b1 + b2


@triton.jit
def _matrices(a, b, c, d, e, f, g, h):
    return a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h


@triton.jit
def own_scans(a_ptr, b_ptr, line_ptr, matrix_ptr, last_ptr, M: tl.constexpr, N: tl.constexpr,
              AXIS: tl.constexpr, REVERSE: tl.constexpr):
    """Scans by functions that do not commute, exact in wrapping integers: maps x -> a x + b one
    after the other, products of 2 x 2 matrices, and the last element that is not 0."""
    m, n = tl.arange(0, M), tl.arange(0, N)
    at = m[:, None] * N + n[None, :]
    a = tl.load(a_ptr + at)
    b = tl.load(b_ptr + at)
    slope, shift = tl.associative_scan((a, b), AXIS, _affine, reverse=REVERSE)
    tl.store(line_ptr + at * 2, slope)
    tl.store(line_ptr + at * 2 + 1, shift)
    p, q, r, s = tl.associative_scan((a, b, b ^ 5, a + b), AXIS, _matrices, reverse=REVERSE)
    tl.store(matrix_ptr + at * 4, p)
    tl.store(matrix_ptr + at * 4 + 1, q)
    tl.store(matrix_ptr + at * 4 + 2, r)
    tl.store(matrix_ptr + at * 4 + 3, s)
    tl.store(last_ptr + at, tl.associative_scan(tl.where(b % 3 == 0, a, 0), AXIS, _last,
                                                reverse=REVERSE))


@triton.jit
def _last(a, b):
    return tl.where(b == 0, a, b)


@triton.jit
def compare_and_swap(keys, values, i: tl.constexpr, steps: tl.constexpr, N: tl.constexpr):
    """One step of a bitonic network on N = 2^steps keys: partners lie 2^i apart."""
    shape: tl.constexpr = [N // 2**(i + 1), 2, 2**i]
    at = tl.reshape(tl.arange(0, N), shape)
    k = tl.permute(tl.reshape(keys, shape), (0, 2, 1))
    v = tl.permute(tl.reshape(values, shape), (0, 2, 1))
    low, high = tl.split(k)
    low_value, high_value = tl.split(v)
    place, _ = tl.split(tl.permute(at, (0, 2, 1)))
    down = (place >> steps) % 2 == 1
    swap = (low > high) != down
    k = tl.join(tl.where(swap, high, low), tl.where(swap, low, high))
    v = tl.join(tl.where(swap, high_value, low_value), tl.where(swap, low_value, high_value))
    return tl.reshape(tl.permute(k, (0, 2, 1)), [N]), tl.reshape(tl.permute(v, (0, 2, 1)), [N])


@triton.jit
def bitonic_pairs(key_ptr, value_ptr, n, LOG: tl.constexpr):
    """Sort a row's keys, their values along with them; the tail is filled with the largest key."""
    N: tl.constexpr = 2**LOG
    at = tl.arange(0, N)
    keys = tl.load(key_ptr + tl.program_id(0) * n + at, mask=at < n, other=0x7fffffff)
    values = tl.load(value_ptr + tl.program_id(0) * n + at, mask=at < n, other=-1)
    for stage in tl.static_range(1, LOG + 1):
        for i in tl.static_range(stage):
            keys, values = compare_and_swap(keys, values, stage - 1 - i, stage, N)
    tl.store(key_ptr + tl.program_id(0) * n + at, keys, mask=at < n)
    tl.store(value_ptr + tl.program_id(0) * n + at, values, mask=at < n)


@triton.jit
def bitonic_rows(x_ptr, M: tl.constexpr, LOG: tl.constexpr):
    """The same for all rows of a tile, the partner found by a sum over the pair's axis."""
    N: tl.constexpr = 2**LOG
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + at)
    for stage in tl.static_range(1, LOG + 1):
        for i in tl.static_range(stage):
            size: tl.constexpr = 2**(stage - 1 - i)
            y = tl.reshape(x, (M * N // (2 * size), 2, size))
            other = tl.sum(y, axis=1)[:, None, :] - y
            right = tl.arange(0, 2)[None, :, None]
            pair = tl.arange(0, M * N // (2 * size))[:, None, None] % (N // (2 * size))
            down = (pair * (2 * size) >> stage) % 2
            want_low = right == down
            x = tl.reshape(tl.where(want_low, tl.minimum(y, other), tl.maximum(y, other)), (M, N))
    tl.store(x_ptr + at, x)


@triton.jit
def hadamard(x_ptr, y_ptr, LOG: tl.constexpr):
    """The Walsh-Hadamard transform of a row by sums and differences of halves."""
    N: tl.constexpr = 2**LOG
    at = tl.program_id(0) * N + tl.arange(0, N)
    x = tl.load(x_ptr + at)
    for i in tl.static_range(LOG):
        a, b = tl.split(tl.permute(tl.reshape(x, (N >> (i + 1), 2, 1 << i)), (0, 2, 1)))
        x = tl.reshape(tl.permute(tl.join(a + b, a - b), (0, 2, 1)), [N])
    tl.store(y_ptr + at, x)


@triton.jit
def fourier(re_ptr, im_ptr, LOG: tl.constexpr):
    """The discrete Fourier transform in place, radix 2: pairs are split off, then joined."""
    N: tl.constexpr = 2**LOG
    n = tl.arange(0, N)
    re = tl.load(re_ptr + n)
    im = tl.load(im_ptr + n)
    reverse = tl.zeros([N], tl.int32)
    for bit in tl.static_range(LOG):
        reverse += ((n >> bit) & 1) << (LOG - 1 - bit)
    re = tl.gather(re, reverse, 0)
    im = tl.gather(im, reverse, 0)
    for i in tl.static_range(LOG):
        half: tl.constexpr = 1 << i
        angle = tl.arange(0, half).to(tl.float32) * (-3.141592653589793 / half)
        c, s = tl.cos(angle)[None, :], tl.sin(angle)[None, :]
        a, b = tl.split(tl.permute(tl.reshape(re, (N // (2 * half), 2, half)), (0, 2, 1)))
        p, q = tl.split(tl.permute(tl.reshape(im, (N // (2 * half), 2, half)), (0, 2, 1)))
        u, v = b * c - q * s, b * s + q * c
        re = tl.reshape(tl.permute(tl.join(a + u, a - u), (0, 2, 1)), [N])
        im = tl.reshape(tl.permute(tl.join(p + v, p - v), (0, 2, 1)), [N])
    tl.store(re_ptr + n, re)
    tl.store(im_ptr + n, im)


@triton.jit
def ordered(x_ptr, up_ptr, down_ptr, top_ptr, back_ptr, M: tl.constexpr, N: tl.constexpr,
            K: tl.constexpr):
    """sort, topk and flip of the rows of a tile."""
    m, n = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + m * N + n)
    tl.store(up_ptr + m * N + n, tl.sort(x))
    tl.store(down_ptr + m * N + n, tl.sort(x, descending=True))
    tl.store(top_ptr + m * K + tl.arange(0, K)[None, :], tl.topk(x, K))
    tl.store(back_ptr + m * N + n, tl.flip(x, 0))


@triton.jit
def counted(x_ptr, bins_ptr, out_ptr, place_ptr, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    """A stable counting sort of one tile: a histogram, where each bin starts, each element's rank
    among the equal ones before it, and a store to that place."""
    at = tl.arange(0, BLOCK)
    inside = at < n
    x = tl.load(x_ptr + at, mask=inside, other=BINS)
    bins = tl.histogram(x, BINS, mask=inside)
    tl.store(bins_ptr + tl.arange(0, BINS), bins)
    start = tl.cumsum(bins, axis=0) - bins
    same = (x[:, None] == tl.arange(0, BINS)[None, :]).to(tl.int32)
    rank = tl.sum((tl.cumsum(same, axis=0) - same) * same, axis=1)
    first = tl.gather(start, tl.where(inside, x, 0), 0)
    tl.store(place_ptr + at, first + rank, mask=inside)
    tl.store(out_ptr + first + rank, x, mask=inside)


@triton.jit
def compacted(x_ptr, out_ptr, count_ptr, n, BLOCK: tl.constexpr):
    """The positive elements of all tiles in order: one program, a loop that carries the count."""
    kept = 0
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + at, mask=at < n, other=0)
        take = x > 0
        place = kept + tl.cumsum(take.to(tl.int32), axis=0) - 1
        tl.store(out_ptr + place, x, mask=take)
        kept += tl.sum(take.to(tl.int32), axis=0)
    tl.store(count_ptr, kept)


@triton.jit
def chained_sums(x_ptr, y_ptr, flag_ptr, total_ptr, n, BLOCK: tl.constexpr):
    """Sums so far over all programs in one launch: each waits for the one before it."""
    pid = tl.program_id(0)
    at = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0)
    own = tl.cumsum(x, axis=0)
    before = tl.zeros([], tl.int64)
    if pid > 0:
        while tl.atomic_add(flag_ptr + pid - 1, 0, sem="acquire") == 0:
            pass
        before = tl.load(total_ptr + pid - 1, volatile=True)
    tl.store(total_ptr + pid, before + tl.sum(x, axis=0))
    tl.debug_barrier()
    tl.atomic_xchg(flag_ptr + pid, 1, sem="release")
    tl.store(y_ptr + at, own + before, mask=at < n)


PAIRED: tl.constexpr = (tl.int8, tl.uint8, tl.int16, tl.uint16, tl.int32, tl.uint32, tl.int64,
                        tl.uint64, tl.float16, tl.bfloat16, tl.float32, tl.float64)


@triton.jit
def larger_of_pairs(a, i, b, j):
    take = b > a
    return tl.where(take, b, a), tl.where(take, j, i)


@triton.jit
def pairs(x_ptr, top_ptr, tops_ptr, FROM: tl.constexpr, TO: tl.constexpr, N: tl.constexpr):
    """The largest element and where it is first, of all and so far: with each of some pairs of
    types, numbered by both."""
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    for p in tl.static_range(FROM, TO):
        first = x.to(PAIRED[p // len(PAIRED)])
        second = at.to(PAIRED[p % len(PAIRED)])
        top, where = tl.reduce((first, second), 0, larger_of_pairs)
        tl.store(top_ptr + 2 * (p - FROM), top.to(tl.float64))
        tl.store(top_ptr + 2 * (p - FROM) + 1, where.to(tl.float64))
        top, where = tl.associative_scan((first, second), 0, larger_of_pairs)
        tl.store(tops_ptr + 2 * (p - FROM) * N + at, top.to(tl.float64))
        tl.store(tops_ptr + (2 * (p - FROM) + 1) * N + at, where.to(tl.float64))
