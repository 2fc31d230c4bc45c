# lower: kernel out:*fp32
# lower: refused out:*fp32
# lower: in_kernels out:*fp32
# run: plain_functions out:fp32[3] n=8
# signature: plain_functions
# lower: plain_refused out:*fp32
"""R12: statements, loops and expressions of a constexpr_function are Python's."""
import functools
import triton
import triton.language as tl


@triton.constexpr_function
def first_above(values, least):
    for v in values:
        if v > least:
            return v
    return None


@triton.constexpr_function
def until(n):
    total = count = 0
    while True:
        count += 1
        if count % 2 == 0:
            continue
        if count > n:
            break
        total += count
    else:
        total = -1
    return total, count


@triton.constexpr_function
def find(values, wanted):
    for i, v in ((0, values[0]), (1, values[1])):
        if v == wanted:
            break
    else:
        return -1
    return i


@triton.constexpr_function
def steps(n):
    out = ()
    for i in range(n, 0, -2):
        out += (i,)
    return out


@triton.constexpr_function
def nested(n):
    for i in range(n):
        for j in range(n):
            if i * j == 6:
                return i, j


@triton.constexpr_function
def bits(n):
    k = n.bit_length() - 1
    assert 0 <= k < 64, "too large"
    return k if n == 1 << k else -k


@triton.constexpr_function
def kinds(n):
    if n in (1, 2, 4) and n not in (3,):
        return "small"
    elif "b" in "abc" and not "cb" in "abc":
        return "other"


@triton.constexpr_function
def folded(values):
    return sum(values), abs(-3), any([v > 2 for v in values]), all(values), sum([v for v in values if v > 1])


@triton.constexpr_function
def power(n, m):
    if n == 0:
        return 1
    return m * power(n - 1, m)


@triton.constexpr_function
def rebind(n: tl.constexpr):
    k: tl.constexpr = n
    k: int = k + 1
    (a, b), c = (k, k + 1), k + 2
    return a + b + c


@triton.jit
def kernel(out):
    tl.static_assert(first_above((1, 5, 7), 3) == 5)
    tl.static_assert(first_above((1, 5, 7), 9) is None)
    tl.static_assert(until(6) == (9, 7))
    tl.static_assert(find((4, 5), 5) == 1)
    tl.static_assert(find((4, 5), 6) == -1)
    tl.static_assert(steps(5) == (5, 3, 1))
    tl.static_assert(nested(4) == (2, 3))
    tl.static_assert(nested(2) is None)
    tl.static_assert(bits(64) == 6)
    tl.static_assert(bits(65) == -6)
    tl.static_assert(kinds(2) == "small")
    tl.static_assert(kinds(3) == "other")
    tl.static_assert(folded((1, 2, 3)) == (6, 3, True, True, 5))
    tl.static_assert(power(5, 3) == 243)
    tl.static_assert(rebind(1) == 9)


@triton.constexpr_function
def iterates(n):
    for i in n:
        return i


@triton.constexpr_function
def asserts(n):
    assert n > 3, f"{n} is too small"


@triton.constexpr_function
def stray(n):
    if n:
        break


@triton.constexpr_function
def unsupported(n):
    try:
        return n
    finally:
        pass


@triton.constexpr_function
def runs(n):
    while tl.program_id(0) > n:
        pass


@triton.constexpr_function
def endless(n):
    for i in range(1 << 40):
        n += i
    return n


@triton.constexpr_function
def wrong(n):
    for i in range(3):
        n = n + missing
    return n


@triton.jit
def refused(out):
    tl.store(out, iterates(1))
    tl.store(out, asserts(2))
    tl.store(out, stray(2))
    tl.store(out, unsupported(2))
    tl.store(out, runs(2))
    tl.store(out, endless(2))
    tl.store(out, wrong(2))
    tl.store(out, (3.0).bit_length())


@triton.jit
def in_kernels(out):
    tl.store(out, 1 in (1, 2))
    tl.store(out, 1 < 2 < 3)
    tl.store(out, sum((1, 2)))


def power_above(n, least=1):
    """Plain Python, which may be called outside of kernels."""
    p = least
    while p < n:
        p *= 2
    return p


@functools.lru_cache
def cached(n):
    return n


def starred(*values, **more):
    return values


BLOCK = tl.constexpr(power_above(37))
CACHED = tl.constexpr(cached(3))
STARRED = tl.constexpr(starred(3))


@triton.constexpr_function
def through(n):
    return power_above(n) + power_above(n, least=3)


@triton.jit
def plain_functions(out, n: tl.constexpr = power_above(5)):
    tl.store(out, BLOCK)
    tl.store(out + 1, through(5))
    tl.store(out + 2, n)


@triton.jit
def plain_refused(out):
    tl.store(out, power_above(5))
    tl.store(out, CACHED)
    tl.store(out, STARRED)
