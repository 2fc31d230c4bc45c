"""Rows of one matrix with columns of another, put together along K by something else than a sum of
products: maxima, minima, distances, the nearest; against NumPy.

Extents are multiples of the blocks and are not, rows lie apart or are columns, and elements are NaN
and infinite.  Whole numbers make all of it exact.
"""

import numpy as np

from arguments import apart, empty
from harness import Suite, decode, encode, generator

suite = Suite(one_in=6)
random = generator()

# M, N, K, BLOCK_M, BLOCK_N, BLOCK_K
SHAPES = [(64, 64, 32, 32, 64, 32), (70, 130, 37, 16, 64, 16), (33, 40, 20, 12, 40, 8),
          (9, 75, 70, 6, 32, 16), (50, 17, 33, 16, 16, 16), (7, 33, 31, 7, 33, 31),
          (40, 96, 16, 8, 96, 16), (20, 200, 12, 4, 128, 4)]
# a GPU exchanges its tiles through shared memory, which has no room for 32 x 64 x 32 of 8 bytes
FEWER_BYTES = (64, 64, 32, 32, 32, 32)
DTYPES = ["fp32", "fp64", "fp16", "bf16", "i32", "i8"]


def matrix(dtype, rows, columns, special):
    x = random.integers(-9, 10, (rows, columns)).astype(np.float64)
    if special and dtype[0] in "fb":
        at = random.random(x.shape)
        x[at < 0.15] = np.nan
        x[at > 0.9] = -np.inf
        x[:, at[0] < 0.1] = np.nan
    return encode(x if dtype[0] in "fb" else x.astype(np.int64), dtype)


def lie(x, how):
    """As an argument, with the strides of rows and columns: densely, apart, or by columns."""
    rows, columns = decode(x).shape
    if how == "apart":
        return apart(suite, x), columns + 3, 1
    return x, columns, 1


def of_pairs(a, b, op):
    with np.errstate(all="ignore"):
        return op(decode(a)[:, :, None], decode(b)[None, :, :])


def put(label, kernel, shape, a, b, outputs, how="dense", **names):
    m, n, k, *blocks = shape
    (a, am, ak), (b, bk, bn) = lie(a, how), lie(b, how)
    grid = f"{-(-n // blocks[1])},{-(-m // blocks[0])}"
    outs = {name: empty(dtype, m, n) for name, (dtype, _) in outputs.items()}
    suite.case(f"{label} {how} {m}x{n}x{k} by {blocks}", "programs/pairwise.py:" + kernel, grid,
               {"a": a, "b": b, **outs, "M": m, "N": n, "K": k, "am": am, "ak": ak, "bk": bk,
                "bn": bn, **dict(zip(("BLOCK_M", "BLOCK_N", "BLOCK_K"), blocks)), **names}, outputs)


def best(dtype, shape, special, how):
    m, n, k = shape[:3]
    a, b = matrix(dtype, m, k, special), matrix(dtype, k, n, special)
    least = "-inf" if dtype[0] in "fb" else -100
    with np.errstate(all="ignore"):
        want = np.fmax.reduce(of_pairs(a, b, np.add), 1, initial=float(least))
    put(f"best {dtype} {special}", "max_plus_kernel", shape, a, b,
        {"c": (dtype, want if dtype[0] in "fb" else want.astype(np.int64))}, how,
        LEAST='float("-inf")' if dtype[0] in "fb" else least)


def distance(dtype, shape, how):
    m, n, k = shape[:3]
    a, b = matrix(dtype, m, k, False), matrix(dtype, k, n, False)
    put(f"distance {dtype}", "distance_kernel", shape, a, b,
        {"c": ("fp32" if dtype[0] in "fb" else "i32", np.abs(of_pairs(a, b, np.subtract)).sum(1))}, how)


def nearest(shape):
    m, n, k = shape[:3]
    a, b = matrix("fp32", m, k, False), matrix("fp32", k, n, False)
    blocks = (shape[3] // 2, shape[4], 1 << (k - 1).bit_length())
    put_few("nearest", "nearest_kernel", (m, n, k, *blocks), a, b,
            np.abs(of_pairs(a, b, np.subtract)).argmin(1))


def put_few(label, kernel, shape, a, b, want):
    m, n, k, *blocks = shape
    grid = f"{-(-n // blocks[1])},{-(-m // blocks[0])}"
    suite.case(f"{label} {m}x{n}x{k} by {blocks}", "programs/pairwise.py:" + kernel, grid,
               {"a": a, "b": b, "c": empty("i32", m, n), "M": m, "N": n, "K": k,
                **dict(zip(("BLOCK_M", "BLOCK_N", "BLOCK_K"), blocks))}, {"c": ("i32", want)})


def extremes(dtype, m, n, k, special):
    a, b = matrix(dtype, m, k, special), matrix(dtype, k, n, special)
    both = of_pairs(a, b, np.multiply)
    suite.case(f"extremes {dtype} {m}x{n}x{k} {special}", "programs/pairwise.py:extremes_kernel", "1",
               {"a": a, "b": b, "low": empty(dtype, m, n), "high": empty(dtype, m, n), "am": k,
                "ak": 1, "bk": n, "bn": 1, "M": m, "N": n, "K": k},
               {"low": (dtype, np.fmin.reduce(both, 1)), "high": (dtype, np.fmax.reduce(both, 1))})


for dtype in DTYPES:
    for shape in SHAPES if dtype != "fp64" else [FEWER_BYTES, *SHAPES[1:]]:
        for how in ("dense", "apart"):
            best(dtype, shape, False, how)
            if dtype[0] in "fb":
                best(dtype, shape, True, how)
for shape in SHAPES:
    distance("fp32", shape, "dense")
    distance("fp32", shape, "apart")
    distance("i32", shape, "dense")
    nearest(shape)
for m, n, k in ((32, 64, 32), (8, 128, 5), (6, 33, 7), (4, 16, 1)):
    for dtype in ("fp32", "fp64"):
        for special in (False, True):
            extremes(dtype, m if dtype == "fp32" else m // 2, n, k, special)
suite.finish()
