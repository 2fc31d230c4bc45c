"""Products of tiles against NumPy in float64 and in integers: every dtype, blocks that fill the units
that machines have and blocks that do not, extents that are no multiples, and the numbers that such
units may take for others: the least and the greatest, subnormal ones, infinities, NaN.

Integers are exact, modulo 2^32.  A sum of floats may be off by as many roundings of the accumulator
as there are products and sums, of the size that the largest of them may have.
"""

import numpy as np

from harness import EPSILON, Suite, decode, encode, generator

suite = Suite(one_in=7)
random = generator()

# dtype of a and b, of the sum
DTYPES = [("i8", "i32"), ("bf16", "fp32"), ("fp16", "fp32"), ("fp16", "fp16"), ("fp32", "fp32"),
          ("fp64", "fp64")]
# M, N, K, BLOCK_M, BLOCK_N, BLOCK_K
SHAPES = [(33, 40, 70, 32, 32, 32), (40, 20, 130, 16, 16, 64), (9, 75, 100, 8, 64, 128),
          (50, 17, 33, 48, 16, 16), (7, 33, 31, 7, 33, 31), (4, 5, 6, 4, 8, 4),
          (1, 40, 64, 1, 32, 64), (20, 1, 9, 16, 1, 8), (65, 70, 13, 32, 48, 12),
          (12, 12, 32, 12, 12, 32), (40, 24, 80, 40, 24, 80), (60, 72, 200, 40, 24, 40),
          (70, 66, 170, 64, 64, 32), (70, 66, 170, 64, 64, 16), (20, 555, 40, 8, 8, 8)]
SUBNORMAL = 2.0**-126


def lie(a, b, turned):
    return (np.ascontiguousarray(x.T if name in turned else x) for x, name in ((a, "a"), (b, "b")))


def put(label, a, b, c, dtype, shape, want, turned="", **tolerance):
    """`turned`: which of a and b lie column by column, as lie() gives them."""
    m, n, k, *blocks = shape
    strides = {"am": k, "ak": 1, "bk": n, "bn": 1}
    if "a" in turned:
        strides["am"], strides["ak"] = 1, m
    if "b" in turned:
        strides["bk"], strides["bn"] = 1, k
    label = f"{turned} turned {label}" if turned else label
    names = dict(zip(("BLOCK_M", "BLOCK_N", "BLOCK_K"), blocks))
    suite.case(f"{label} {m}x{n}x{k} by {blocks}", "programs/dots.py:dots_kernel",
               "cdiv(M,BLOCK_M),cdiv(N,BLOCK_N)",
               {"a": a, "b": b, "c": c, "M": m, "N": n, "K": k, **strides, **names},
               {"c": (dtype, want)}, **tolerance)


def floats(label, x, y, z, dtype, sum_dtype, shape, turned=""):
    """x @ y + z; `x` and `y` hold what is in every element, NaN and infinities, too."""
    a, b, c = encode(x, dtype), encode(y, dtype), encode(z, sum_dtype)
    with np.errstate(all="ignore"):
        x, y, z = (decode(v).astype(np.float64) for v in (a, b, c))
        want = np.stack([(row[:, None] * y).sum(0) for row in x]) + z
        magnitude = np.stack([np.abs(row[:, None] * y).sum(0) for row in x]) + np.abs(z)
    # Intel's manual: products of bf16 by tiles are sums of fp32 that know no subnormal numbers
    small = (x.shape[1] + 1) * SUBNORMAL if dtype == "bf16" else 0
    least = 2.0**-24 * x.shape[1] if sum_dtype == "fp16" else 2.0**-149 * x.shape[1]
    bound = EPSILON[sum_dtype] * np.where(np.isfinite(magnitude), magnitude, 0) * (x.shape[1] + 1)
    a, b = (encode(v, dtype) for v in lie(x, y, turned))
    put(f"{label} {dtype} {sum_dtype}", a, b, c, sum_dtype, shape, want, turned,
        atol=bound + small + least)


def of_integers(shape, low, high, label, turned=""):
    m, n, k = shape[:3]
    a, b = (random.integers(low, high, s).astype(np.int8) for s in ((m, k), (k, n)))
    c = random.integers(-2**31, 2**31, (m, n)).astype(np.int32)
    with np.errstate(over="ignore"):
        want = (a.astype(np.int64) @ b.astype(np.int64) + c).astype(np.int32)
    put(f"{label} i8", *lie(a, b, turned), c, "i32", shape, want, turned)


def specials(shape, dtype, sum_dtype):
    """Some elements of each, so that some sums are NaN, some infinite, and most are neither."""
    m, n, k = shape[:3]
    x, y = random.standard_normal((m, k)), random.standard_normal((k, n))
    for v in (x, y):
        for special in (np.inf, -np.inf, np.nan):
            v[tuple(random.integers(0, e) for e in v.shape)] = special
    floats("specials", x, y, np.zeros((m, n)), dtype, sum_dtype, shape)


def subnormals(shape, which):
    """Times large numbers they count."""
    m, n, k = shape[:3]
    tiny = random.integers(1, 127, (m, k) if which == "a" else (k, n)) * 2.0**-133
    large = random.standard_normal((k, n) if which == "a" else (m, k)) * 2.0**120
    few = np.zeros(tiny.shape)  # one element is enough, the last one
    few.flat[-1] = tiny.flat[-1]
    for v, label in ((tiny, "subnormal"), (few, "one subnormal")):
        x, y = (v, large) if which == "a" else (large, v)
        floats(f"{label} in {which}", x, y, np.zeros((m, n)), "bf16", "fp32", shape)


for shape in SHAPES:
    m, n, k = shape[:3]
    of_integers(shape, -128, 128, "all")
    of_integers(shape, -128, -127, "least")
    of_integers(shape, 127, 128, "greatest")
    for dtype, sum_dtype in DTYPES[1:]:
        scale = 0.1 if sum_dtype == "fp16" else 1
        x = scale * random.standard_normal((m, k))
        y, z = random.standard_normal((k, n)), random.standard_normal((m, n))
        for turned in ("", "a", "b", "ab"):
            floats("normal", x, y, z, dtype, sum_dtype, shape, turned)
    of_integers(shape, -128, 128, "all", "ab")
for shape in (SHAPES[0], SHAPES[1], SHAPES[4], *SHAPES[-5:]):
    for dtype, sum_dtype in DTYPES[1:]:
        specials(shape, dtype, sum_dtype)
    for which in "ab":
        subnormals(shape, which)
suite.finish()
