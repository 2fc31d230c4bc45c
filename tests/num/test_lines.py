"""Rows whose vectors begin where a line of the cache does (programs/lines.py): every place of a line,
rows shorter than a vector and longer, whole and cut, in place, and nothing stored beside them.
"""

import numpy as np

from harness import Suite, decode, encode, generator

suite = Suite(one_in=3)
random = generator()

DTYPES = ["fp32", "fp16", "bf16", "fp64", "i8", "i32"]
COLUMNS = [1, 7, 8, 9, 16, 33, 63, 255, 260, 511, 781, 1000, 1024]
BLOCK = 1024


def numbers(dtype, *shape):
    values = random.integers(-20, 21, shape).astype(np.float64)
    if dtype not in ("i8", "i32"):
        values.flat[:: max(values.size // 7, 1)] = random.choice([np.inf, -np.inf, np.nan, -0.0])
    return values


def laid_out(rows, n, pitch, at, values):
    """An array of -7 in which these rows lie."""
    out = np.full(at + rows * pitch, -7.0)
    for row in range(rows):
        out[at + row * pitch:][:n] = values[row]
    return out


def row_cases():
    for dtype in DTYPES:
        for n in COLUMNS:
            rows, gap, at = 5, int(random.integers(0, 4)), int(random.integers(0, 17))
            pitch = n + gap
            x, y = numbers(dtype, rows, n), numbers(dtype, n)
            with np.errstate(invalid="ignore"):
                total, difference = x + y, x - y
            args = {"x": encode(laid_out(rows, n, pitch, 0, x), dtype), "y": encode(y, dtype),
                    "out": encode(np.full(at + rows * pitch, -7.0), dtype),
                    "also": encode(np.full(rows * pitch, -7.0), dtype), "n": n, "pitch": pitch, "at": at,
                    "BLOCK": BLOCK}
            want = {"out": (dtype, laid_out(rows, n, pitch, at, total)),
                    "also": (dtype, laid_out(rows, n, pitch, 0, difference))}
            suite.case(f"rows {dtype} {n} by {pitch} at {at}", "programs/lines.py:rows", str(rows), args, want)


def whole_cases():
    for dtype in ("fp32", "fp16", "i32"):
        for block in (8, 256, 1024):
            at, pitch = int(random.integers(0, 17)), block + int(random.integers(0, 4))
            x = numbers(dtype, 3, block)
            args = {"x": encode(laid_out(3, block, pitch, 0, x), dtype),
                    "out": encode(np.full(at + 3 * pitch, -7.0), dtype), "pitch": pitch, "at": at, "BLOCK": block}
            total = decode(encode(x + np.arange(block), dtype))
            suite.case(f"whole rows {dtype} {block} by {pitch} at {at}", "programs/lines.py:whole_rows", "3", args,
                       {"out": (dtype, laid_out(3, block, pitch, at, total))})


def tile_cases():
    for dtype in ("fp32", "bf16", "fp64"):
        for m, n in ((5, 781), (8, 1021), (3, 6), (4, 512)):
            at, pitch = int(random.integers(0, 17)), n + int(random.integers(0, 4))
            x = numbers(dtype, m, n)
            args = {"x": encode(laid_out(m, n, pitch, 0, x), dtype),
                    "out": encode(np.full(at + m * pitch, -7.0), dtype), "m": m, "n": n, "pitch": pitch, "at": at,
                    "ROWS": 4, "BLOCK": BLOCK}
            suite.case(f"tiles {dtype} {m}x{n} by {pitch} at {at}", "programs/lines.py:tiles", "cdiv(m,ROWS)", args,
                       {"out": (dtype, laid_out(m, n, pitch, at, x + x))})


def in_place():
    for n in (7, 300, 781):
        x = numbers("fp32", 4, n)
        args = {"x": encode(laid_out(4, n, n, 0, x), "fp32"), "out": "x", "m": 4, "n": n, "pitch": n, "at": 0,
                "ROWS": 4, "BLOCK": BLOCK}
        suite.case(f"in place {n}", "programs/lines.py:tiles", "1", args, {"x": ("fp32", (x + x).ravel())})


row_cases()
whole_cases()
tile_cases()
in_place()
suite.finish()
