"""Loops that add up what they reduce along their counter (src/opt_target/longer.c): rows that are
shorter than a round, end within one, with one, and in the last of many; against NumPy.

Whole numbers make all of it exact, in whatever order they are added.
"""

import numpy as np

from arguments import apart, empty
from harness import Suite, decode, encode, generator

suite = Suite(one_in=12)
random = generator()

# M, K, BM, BK
SHAPES = [(5, 1, 4, 16), (9, 31, 8, 32), (7, 64, 4, 16), (6, 100, 2, 8), (3, 1023, 4, 64),
          (4, 1024, 4, 128), (3, 1025, 2, 32), (2, 2500, 2, 256), (5, 2049, 1, 64), (17, 333, 16, 2)]


def numbers(dtype, *shape):
    x = random.integers(-7, 8, shape)
    return encode(x.astype(np.float64) if dtype[0] in "fb" else x, dtype)


def rounds_of(x, k, lanes, first=0, fill=0):
    """Columns from `first` on, filled up to whole rounds."""
    more = -(k - first) % lanes if k > first else first - k
    wide = np.full((*x.shape[:-1], k + more), fill, x.dtype)
    wide[..., :k] = x
    return wide[..., first:]


def wanted(kernel, a, x, lanes):
    k = a.shape[1]
    if kernel == "shifted_kernel":
        return 5 + (rounds_of(a, k, lanes, 3, 2) * rounds_of(x, k, lanes, 3, -3)).sum(1)
    if kernel == "largest_kernel":
        return np.maximum((a + x).max(1), -90 if k % lanes else -100)
    if kernel == "numbered_kernel":
        t = rounds_of(a, k, lanes).reshape(len(a), -1, lanes)
        v = np.zeros(lanes, x.dtype)
        v[:min(lanes, k)] = x[:lanes]
        return (t * v + np.arange(t.shape[1])[:, None]).sum((1, 2))
    if kernel == "whole_kernel":
        return (a * x).sum(1) + (x * x).sum()
    return (a * x).sum(1)


def case(kernel, dtype, shape, how):
    m, k, rows, lanes = shape
    if kernel == "whole_kernel":
        k = max(k // lanes, 1) * lanes
    a, x = numbers(dtype, m, k), numbers(dtype, k)
    out = "fp32" if dtype[0] in "fb" else "i32"
    want = wanted(kernel, decode(a).astype(np.float64), decode(x).astype(np.float64), lanes)
    array, am, ak = a, k, 1
    if how == "apart":
        array, am = apart(suite, a), k + 3
    if how == "turned":
        array, am, ak = encode(np.ascontiguousarray(decode(a).T), dtype), 1, m
    suite.case(f"{kernel} {dtype} {how} {m}x{k} by {rows}x{lanes}", "programs/longer.py:" + kernel,
               f"{-(-m // rows)}",
               {"a": array, "x": x, "y": empty(out, m), "M": m, "K": k, "am": am, "ak": ak,
                "BM": rows, "BK": lanes},
               {"y": (out, want if out == "fp32" else want.astype(np.int64))})


for shape in SHAPES:
    for kernel in ("masked_kernel", "walking_kernel", "shifted_kernel", "largest_kernel",
                   "numbered_kernel", "whole_kernel", "tile_kernel"):
        if kernel == "shifted_kernel" and shape[1] <= 3:
            continue
        for dtype in ("fp32", "fp16", "i8", "i32"):
            for how in ("dense", "apart", "turned"):
                case(kernel, dtype, shape, how)
suite.finish()
