"""Control flow and the compile-time side of the language, in the ways that people use it."""

import math
from dataclasses import dataclass

import torch

import triton
import triton.language as tl
from triton.language import constexpr, float32 as f32

STEPS: tl.constexpr = tl.constexpr(3)
TABLE = tl.constexpr((5, 3, 2, 1))
EPS = constexpr(1e-6)
NEG_INF: tl.constexpr = float("-inf")
PI = math.pi
DEBUG: tl.constexpr = tl.constexpr(False)


@dataclass
class Options:
    block: int = 64
    warps: int = 4


@triton.jit
def find_seq_idx(starts_ptr, target, n, STRICT: tl.constexpr = False):
    """The last i with starts[i] <= target, by bisection."""
    left: tl.int32 = 0
    right = n
    while left < right:
        mid = (left + right) // 2
        val = tl.load(starts_ptr + mid)
        goes_right = val < target if STRICT else val <= target
        if goes_right:
            left = mid + 1
        else:
            right = mid
    return left - 1


@triton.jit
def bisect_kernel(starts_ptr, x_ptr, out_ptr, n, STRICT: tl.constexpr):
    i = tl.program_id(0) + tl.program_id(1) * tl.num_programs(0)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, find_seq_idx(starts_ptr, x, n, STRICT))


@triton.jit
def codes_kernel(x_ptr, table_ptr, codes_ptr, n, BLOCK: tl.constexpr):
    """Each number as that of the last of 256 entries below it, by bisection."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    low = tl.zeros((BLOCK,), tl.int32)
    high = tl.full((BLOCK,), 255, tl.int32)
    for _ in range(8):
        middle = (low + high) // 2
        above = x > tl.load(table_ptr + middle)
        low = tl.where(above, middle, low)
        high = tl.where(above, high, middle)
    tl.store(codes_ptr + i, low.to(tl.uint8), mask=i < n)


@triton.jit
def gcd(a, b):
    while b != 0:
        a, b = b, a % b
    return a


@triton.jit
def power_step(a, n, b, m):
    """Digits a (n of them) followed by digits b, in base 3."""
    for _ in range(m):
        a = a * 3
    return a + b, n + m


@triton.jit
def combine_kernel(x_ptr, rows_ptr, columns_ptr, digits_ptr, rows, columns, M: tl.constexpr,
                   N: tl.constexpr, REVERSE: tl.constexpr):
    """Combine functions that loop, each pair of elements for as long as it takes."""
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    at = i[:, None] * columns + j[None, :]
    inside = (i[:, None] < rows) & (j[None, :] < columns)
    x = tl.load(x_ptr + at, mask=inside, other=0)
    tl.store(rows_ptr + i, tl.reduce(x, 1, gcd), mask=i < rows)
    tl.store(columns_ptr + j, tl.reduce(x, 0, gcd), mask=j < columns)
    ones = tl.full(x.shape, 1, tl.int32)
    digits, _ = tl.associative_scan((x, ones), 1, power_step, reverse=REVERSE)
    tl.store(digits_ptr + at, digits, mask=inside)


@triton.jit
def collatz_kernel(x_ptr, steps_ptr, tile_ptr, n, BLOCK: tl.constexpr):
    """Scalar and tile versions: a loop that ends when every lane is done."""
    first = tl.program_id(0) * BLOCK
    for k in range(first, min(first + BLOCK, n)):
        v = tl.load(x_ptr + k)
        count = 0
        while v > 1:
            v = v // 2 if v % 2 == 0 else 3 * v + 1
            count += 1
        tl.store(steps_ptr + k, count)
    offs = first + tl.arange(0, BLOCK)
    v = tl.load(x_ptr + offs, mask=offs < n, other=1)
    counts = tl.zeros_like(offs)
    going = v > 1
    while tl.max(going.to(tl.int32)) != 0:
        v = tl.where(going, tl.where(v & 1 == 0, v >> 1, 3 * v + 1), v)
        counts += going
        going = v > 1
    tl.store(tile_ptr + offs, counts, mask=offs < n)


@triton.jit
def newton(x, guess, tolerance=1e-6, LIMIT: tl.constexpr = 50):
    """The square root, with two exits."""
    step = 0
    delta = x - guess * guess
    while (tl.abs(delta) > tolerance * x) and step < LIMIT:
        guess = 0.5 * (guess + x / guess)
        delta = x - guess * guess
        step += 1
    return guess, step


@triton.jit
def _power(x, N: tl.constexpr):
    if N == 0:
        return tl.full(x.shape, 1, x.dtype)
    elif N % 2 == 1:
        return x * _power(x, N - 1)
    else:
        half = _power(x, N // 2)
        return half * half


@triton.jit
def _tree_sum(x, n: tl.constexpr):
    """Recursion that halves the tile."""
    if n == 1:
        return tl.sum(x, 0)
    pairs = tl.reshape(x, (n // 2, 2))
    return _tree_sum(tl.sum(pairs, 1), n // 2)


@triton.jit
def recursion_kernel(x_ptr, out_ptr, N: tl.constexpr, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs)
    tl.store(out_ptr + offs, _power(x, N))
    tl.store(out_ptr + BLOCK, _tree_sum(x, BLOCK))
    root, steps = newton(tl.load(x_ptr), 1.0)
    tl.store(out_ptr + BLOCK + 1, root)
    fine, more = newton(tl.load(x_ptr), guess=1.0, LIMIT=1)
    tl.store(out_ptr + BLOCK + 2, fine)
    tl.store(out_ptr + BLOCK + 3, (more + (steps > more) * 10).to(tl.float32))


@triton.jit
def conditions_kernel(x_ptr, out_ptr, n, mode: tl.constexpr, use: tl.constexpr,
                      DTYPE: tl.constexpr, LIST: tl.constexpr = (1, 0, 1),
                      BLOCK: tl.constexpr = 32):
    tl.static_print("mode", mode, "use", use, DTYPE)
    tl.static_assert(mode in ("a", "b") if False else mode != "", f"mode {mode!r} is unknown")
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n, other=0)
    acc = tl.zeros([BLOCK], dtype=DTYPE)
    for i in tl.static_range(len(LIST)):
        if LIST[i] == 1:
            acc += x.to(DTYPE) * (i + 1)
        elif LIST[i] == 2 and use is not None:
            acc -= x.to(DTYPE)
        else:
            acc += i
    for i in tl.static_range(3, -1, -1):
        acc += TABLE[i]
    if DTYPE == tl.float32 or DTYPE == tl.float64:
        acc = acc * 0.5
    elif DTYPE == tl.int64:
        acc = acc * (1 << 33)
    elif DTYPE.is_int_signed() and DTYPE.primitive_bitwidth <= 16:
        acc = acc << 1
    elif not DTYPE.is_floating():
        acc = ~acc
    if mode == "late" and not DEBUG:
        if tl.program_id(0) == 1:
            if n > BLOCK:
                tl.store(out_ptr + offs, acc * 0, mask=offs < n)
                return
            else:
                acc += 1
        elif tl.program_id(0) > 1:
            return
    scale = 2 if use is None else use
    y = acc * scale if x.dtype.element_ty != tl.int1 else acc
    tl.store(out_ptr + offs, y.to(out_ptr.dtype.element_ty), mask=offs < n)


@triton.jit
def where_kernel(x_ptr, y_ptr, out_ptr, n, lo, hi, flag, BLOCK: tl.constexpr):
    """Chains of where, logic on tiles and scalars, ternaries, nested ifs."""
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask, other=0.0)
    y = tl.load(y_ptr + offs, mask=mask, other=0.0)
    r = tl.where(x < lo, lo, tl.where(x > hi, hi, tl.where((x != x) | (y != y), 0.0, x)))
    odd = pid % 2 == 1
    sign = -1.0 if odd else 1.0
    r = r * sign
    if flag and not odd:
        r = r + y
    elif flag or pid == 3:
        if pid >= 3:
            r -= y
        else:
            if pid == 1:
                r *= 2
    close = (tl.abs(x - y) < 0.5) and mask
    r = tl.where(not close, r, 7)
    both = (x > 0) & (y > 0) | ~(x < 1) ^ (offs % 3 == 0)
    r += both.to(tl.float32)
    if pid == 2:
        tl.store(out_ptr + offs, -r, mask=mask)
        return
    tl.store(out_ptr + offs, r, mask=mask)


@triton.jit
def backwards_kernel(x_ptr, out_ptr, T, stop, BT: tl.constexpr, D: tl.constexpr):
    """h[t] = x[t] + h[t + 1] / 2 from the end, pieces and rows both running down."""
    d = tl.arange(0, D)
    h = tl.zeros((D,), dtype=f32)
    for piece in range(tl.cdiv(T, BT) - 1, -1, -1):
        for i in range(min(BT, T - piece * BT) - 1, -1, -1):
            t = piece * BT + i
            h = tl.load(x_ptr + t * D + d).to(f32) + h * 0.5
            tl.store(out_ptr + t * D + d, h)
    seen = 0
    for i in range(20, stop, -3):
        seen = seen * 31 + i
    for i in range(stop, 20, 4):
        seen = seen * 31 + i
    for i in tl.static_range(7, 0, -2):
        seen += i
    tl.store(out_ptr + T * D, seen.to(f32))


@triton.jit
def grid3_kernel(out_ptr, big: tl.int64, X, Y, Z, BLOCK: tl.constexpr):
    """Pointers moved far away and back in int64, on a grid of three dims."""
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    tl.assume(X > 0)
    nx, ny = tl.num_programs(0), tl.num_programs(1)
    index = (z * ny + y) * nx + x
    p = out_ptr + big * 4096
    p += index * BLOCK
    p = p + tl.arange(0, BLOCK)
    p -= big * 4096
    value = x + 10 * y + 100 * z + 1000 * tl.num_programs(2)
    tl.store(p, value + tl.arange(0, BLOCK) * 0)


@triton.jit
def _defaults(x, scale=2, shift: tl.constexpr = None, negate: tl.constexpr = False):
    if shift is not None:
        x += shift
    x = x * scale
    return -x if negate else x


@triton.jit
def _split(x, y):
    """A tuple in a tuple."""
    return (x + y, x - y), x * y


@triton.jit
def _nothing(p, v):
    """One store."""
    ...
    tl.store(p, v)


@triton.jit
def helpers_kernel(x_ptr, out_ptr, n, unused=None, BLOCK: tl.constexpr = 224):
    offs = tl.arange(0, BLOCK)
    m = offs < n
    x = tl.load(x_ptr + offs, m, 0.0)
    a = _defaults(x)
    b = _defaults(x, shift=1)
    c = _defaults(scale=3.0, x=x, shift=None)
    (s, d), p = _split(a, b)
    t = (s, d, p)
    u, v = t[0:2]
    pair = (u + 0, t[2])
    total = pair[0] + pair[1] - v + c + t[-1]
    tl.store(out_ptr + offs, total, m)
    _nothing(out_ptr + n, tl.sum(tl.where(m, a, 0.0)))
    i, j = 1, 2
    i, j = j, i + j
    _nothing(out_ptr + n + 1, i * 10 + j)
    _nothing(p=out_ptr + n + 2, v=tl.cdiv(n, 7) + n // 5 * 100 + triton.cdiv(BLOCK, 100) * 10000)
    k: tl.constexpr = triton.next_power_of_2(BLOCK) // 2
    _nothing(out_ptr + n + 3, k if unused is None else -1)


@triton.jit
def hints_kernel(x_ptr, out_ptr, n, stride, n_one, FACTOR: tl.constexpr, BLOCK: tl.constexpr):
    pid = tl.program_id(axis=0)
    offs = tl.max_contiguous(tl.multiple_of(pid * BLOCK + tl.arange(0, BLOCK), BLOCK), BLOCK)
    tl.assume(n >= 0)
    tl.assume(stride == 1)
    x_ptr = tl.multiple_of(x_ptr, 4)
    mask = tl.max_constancy(offs < n, [1])
    x = tl.load(x_ptr + offs * stride, mask=mask, other=FACTOR, cache_modifier=".ca",
                eviction_policy="evict_first", volatile=False)
    n_one += 1
    tl.device_assert(n_one > 0, "positive")
    assert BLOCK > 0
    acc = 0.0
    for i in tl.range(0, 4, 1, num_stages=3, loop_unroll_factor=2, flatten=True,
                      warp_specialize=False, disallow_acc_multi_buffer=True):
        acc += i * 0.25
    x = x + acc + n_one
    tl.store(out_ptr + offs * stride, x, mask=mask, cache_modifier=".cs",
             eviction_policy="evict_last")


@triton.jit
def bits_kernel(x_ptr, out_ptr, count_ptr, n, BLOCK: tl.constexpr):
    """Float bits taken apart and put together, in the width of the type."""
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    width: tl.constexpr = x.dtype.primitive_bitwidth
    mantissa: tl.constexpr = x.dtype.fp_mantissa_width
    if width == 16:
        itype: tl.constexpr = tl.uint16
    elif width == 32:
        itype: tl.constexpr = tl.uint32
    else:
        itype: tl.constexpr = tl.uint64
    u = x.to(itype, bitcast=True)
    cut: tl.constexpr = mantissa - 2 if mantissa < 10 else mantissa - 4
    keep = u & ~((tl.full([BLOCK], 1, itype) << cut) - 1)
    tl.store(out_ptr + offs, keep.to(x.dtype, bitcast=True), mask=offs < n)
    sign = (u >> (width - 1)) != 0
    tl.atomic_add(count_ptr, tl.sum((sign & (offs < n)).to(tl.int32)))


def bisect(starts, x, strict=False):
    out = torch.empty_like(x)
    options = Options()
    bisect_kernel[(x.numel(), 1)](starts, x, out, starts.numel(), STRICT=strict,
                                  num_warps=options.warps)
    return out


@triton.jit
def chained_sums(x_ptr, out_ptr, totals_ptr, flags_ptr, n, BLOCK: tl.constexpr):
    """Sums of all elements up to each: every program waits for the total of the one before."""
    block = tl.program_id(0)
    i = block * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0)
    before = tl.zeros((), tl.int64)
    if block > 0:
        tl.atomic_poll(flags_ptr + block - 1, 1, sem="acquire")
        before = tl.load(totals_ptr + block - 1)
    tl.store(totals_ptr + block, before + tl.sum(x))
    tl.debug_barrier()
    tl.atomic_store(flags_ptr + block, 1, sem="release")
    tl.store(out_ptr + i, before + tl.cumsum(x), mask=i < n)


@triton.jit
def repeated(out, x, n, rounds, N: tl.constexpr):
    """So long that its code is made in pieces, with loops, branches and ends among them."""
    i = tl.arange(0, 64)
    s = tl.load(x + i, mask=i < n, other=0)
    c = 0
    for r in range(rounds):
        for k in tl.static_range(N):
            if c > k * 10:
                c = c - (k & 3)
            else:
                c = c + r + k
            t = tl.load(x + i + (c & 31), mask=i + (c & 31) < n, other=2)
            tl.device_assert(c >= 0, "c is negative")
            s = (s * 3 + t * (tl.max(t, 0) + k) + tl.sum(s, 0) // (k + 1)) & 1023
        tl.store(out + r * 64 + i, s, mask=i < n)
    tl.store(out + rounds * 64, c)
