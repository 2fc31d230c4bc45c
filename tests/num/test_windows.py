"""Windows over arrays (programs/windows.py) against NumPy, bit by bit: images and windows of any size,
even and lopsided ones, what masks leave out counted in, NaN and zeros of both signs."""

import numpy as np

from arguments import apart, empty
from harness import NUMPY_TYPES, THOROUGH, Suite, generator

suite = Suite(one_in=3)
random = generator()
OPS = {"max": np.fmax, "maxnan": np.maximum, "min": np.fmin, "and": np.bitwise_and,
       "or": np.bitwise_or, "sum": np.add}


def numbers(dtype, *shape):
    if dtype != "fp32":
        t = np.iinfo(NUMPY_TYPES[dtype])
        return random.integers(t.min, t.max, shape, NUMPY_TYPES[dtype], endpoint=True)
    x = random.standard_normal(shape).astype(np.float32)
    x[random.random(shape) < 0.3] = np.nan
    x[random.random(shape) < 0.3] = -0.0
    x[random.random(shape) < 0.3] = 0.0
    return x


def windows(x, size, before, other):
    """For each place in a window the image as it looks from there."""
    after = size[0] - 1 - before[0], size[1] - 1 - before[1]
    padded = np.pad(x, list(zip(before, after)), constant_values=other)
    return [[padded[i:i + x.shape[0], j:j + x.shape[1]] for j in range(size[1])]
            for i in range(size[0])]


def nested(op, dtype, shape, size, before, block, down=False, other=0, first=0):
    x = numbers(dtype, *shape)
    sums = op == "sum" and dtype != "fp32"
    out = "i32" if sums else dtype
    want = np.full(shape, first, NUMPY_TYPES[out])
    for row in windows(x, size, before, other):
        for v in row[::-1] if down else row:
            want = OPS[op](want, v.astype(want.dtype))
    suite.case(f"{op} {dtype} {shape} by {size} at {before} in {block} {other} {down}",
               "programs/windows.py:nested", "cdiv(W,COLUMNS),cdiv(H,ROWS)",
               {"x": apart(suite, x), "out": empty(out, *shape), "H": shape[0], "W": shape[1],
                "stride": "x.stride(0)", "FIRST": first, "KH": size[0], "KW": size[1],
                "TOP": before[0], "LEFT": before[1], "OP": repr(op), "OTHER": other,
                "ROWS": block[0], "COLUMNS": block[1], "DOWN": down},
               {"out": (out, want.astype(np.float64) if out == "fp32" else want)})


def images():
    nested("max", "u8", (37, 301), (5, 5), (2, 2), (8, 64))
    nested("max", "u8", (20, 150), (15, 15), (7, 7), (8, 128), other=9)
    nested("min", "i16", (23, 70), (3, 4), (0, 3), (4, 32), other=-5)
    nested("max", "fp32", (19, 67), (3, 3), (1, 1), (8, 32), first=-9)
    nested("min", "fp32", (19, 67), (4, 7), (3, 1), (4, 32), down=True, other=-0.0, first=9)
    nested("maxnan", "fp32", (9, 41), (3, 5), (1, 2), (4, 16))
    nested("sum", "u8", (21, 99), (7, 6), (3, 0), (4, 64), other=2)
    nested("sum", "i16", (9, 40), (13, 11), (6, 5), (8, 32), first=7)
    nested("sum", "fp32", (9, 40), (3, 3), (1, 1), (8, 32))
    nested("and", "i16", (12, 50), (2, 3), (1, 1), (4, 32), other=-1, first=-1)
    nested("or", "u8", (12, 50), (1, 9), (0, 4), (4, 32), down=True)
    nested("max", "i32", (5, 20), (9, 1), (4, 0), (1, 16), first=-2)
    nested("max", "u8", (19, 517), (5, 5), (2, 2), (8, 256), other=3)  # edges within a row of vectors
    nested("min", "u8", (9, 70), (3, 15), (1, 7), (4, 256), other=200, first=255)
    nested("max", "u8", (9, 40), (4, 5), (3, 0), (4, 256))  # no whole vector between them
    nested("sum", "i16", (7, 130), (5, 4), (2, 3), (4, 128), other=-2)
    for _ in range(20 if THOROUGH else 2):
        size = tuple(int(k) for k in random.integers(2, 10, 2))
        before = tuple(int(random.integers(0, k)) for k in size)
        shape = tuple(int(k) for k in random.integers(1, 70, 2))
        dtype = str(random.choice(["u8", "i16", "i32", "fp32"]))
        op = str(random.choice(["max", "min"] if dtype == "fp32" else ["max", "min", "sum", "or"]))
        block = (int(random.choice([1, 2, 8])), int(random.choice([8, 32, 64])))
        nested(op, dtype, shape, size, before, block, bool(random.integers(2)),
               int(random.integers(0, 9)))


def flattened(dtype, shape, size):
    x = numbers(dtype, *shape)
    rows, columns = np.arange(shape[0]), np.arange(shape[1])
    want = x
    for n in range(size[0] * size[1]):
        at = np.clip(rows + n % size[0] - size[0] // 2, 0, shape[0] - 1)
        to = np.clip(columns + n // size[0] - size[1] // 2, 0, shape[1] - 1)
        want = np.fmin(want, x[np.ix_(at, to)])
    suite.case(f"flattened {dtype} {shape} by {size}", "programs/windows.py:flattened",
               "cdiv(W,COLUMNS),cdiv(H,ROWS)",
               {"x": apart(suite, x), "out": empty(dtype, *shape), "H": shape[0], "W": shape[1],
                "stride": "x.stride(0)", "KH": size[0], "KW": size[1], "ROWS": 8, "COLUMNS": 32},
               {"out": (dtype, want.astype(np.float64) if dtype == "fp32" else want)})


def row_by_row(dtype, shape, size):
    x = numbers(dtype, *shape)
    before = size[0] // 2, size[1] // 2
    want = sum(v.astype(np.int64) for row in windows(x, size, before, 3) for v in row)
    suite.case(f"row by row {dtype} {shape} by {size}", "programs/windows.py:row_by_row",
               "cdiv(W,COLUMNS),H",
               {"x": apart(suite, x), "out": empty("i32", *shape), "H": shape[0], "W": shape[1],
                "stride": "x.stride(0)", "KH": size[0], "KW": size[1], "COLUMNS": 64},
               {"out": ("i32", want)})


def rolled(dtype, shape, size):
    x = numbers(dtype, *shape)
    want = np.zeros(shape, x.dtype)
    for row in windows(x, size, (size[0] // 2, size[1] - 1), 1):
        for v in row:
            want = np.fmax(want, v)
    suite.case(f"rolled {dtype} {shape} by {size}", "programs/windows.py:rolled",
               "cdiv(W,COLUMNS),cdiv(H,ROWS)",
               {"x": apart(suite, x), "out": empty(dtype, *shape), "H": shape[0], "W": shape[1],
                "stride": "x.stride(0)", "KH": size[0], "KW": size[1], "ROWS": 8, "COLUMNS": 32},
               {"out": (dtype, want.astype(np.float64) if dtype == "fp32" else want)})


def clamped():
    for dtype, (h, w), block, kind, low, high, shift in (
            ("u8", (11, 100), (4, 64), "both", 0, 99, -3), ("u8", (3, 100), (4, 64), "both", 5, 90, 20),
            ("u8", (9, 301), (8, 256), "turned", 0, 300, -150), ("i16", (5, 70), (2, 32), "both", 40, 12, -9),
            ("i32", (5, 70), (2, 32), "turned", 40, 12, 9), ("fp32", (1, 1), (1, 16), "both", 0, 0, 5),
            ("fp32", (6, 65), (1, 64), "low", 33, 0, -64), ("fp32", (6, 65), (2, 64), "high", 0, 20, 0),
            ("fp64", (4, 33), (4, 16), "both", 17, 17, -2), ("u8", (4, 130), (2, 128), "turned", 127, 300, 200),
            ("i64", (4, 40), (2, 64), "high", 0, 500, 7), ("fp16", (7, 90), (4, 32), "both", 31, 32, 1)):
        x = numbers(dtype if dtype in ("u8", "i16", "i32") else "i16", h, 600)
        x = x.astype(NUMPY_TYPES[dtype])
        at = np.arange(w) + shift
        if kind in ("both", "low"):
            at = np.maximum(at, low)
        if kind != "low":
            at = np.minimum(at, high)
        if kind == "turned":
            at = np.maximum(at, low)
        for wide in False, True:
            suite.case(f"clamped {dtype} {(h, w)} {kind} {low} {high} {shift} {wide}",
                       "programs/windows.py:clamped", "cdiv(W,COLUMNS),cdiv(H,ROWS)",
                       {"x": x, "out": empty(dtype, h, w), "H": h, "W": w, "stride": 600, "low": low,
                        "high": high, "shift": shift, "KIND": repr(kind), "WIDE": wide,
                        "ROWS": block[0], "COLUMNS": block[1]}, {"out": (dtype, x[:, at])})


def lines():
    for n, k, step in ((100, 7, 1), (101, 9, 2), (97, 8, 3), (300, 33, 1)):
        x = numbers("i16", n)
        want = np.array([x[at:at + k].max() for at in range(0, n, step)], np.int16)
        suite.case(f"strided {n} {k} {step}", "programs/windows.py:strided", "cdiv(n,BLOCK*STEP)",
                   {"x": x, "out": empty("i16", len(want)), "n": n, "K": k, "STEP": step,
                    "BLOCK": 32}, {"out": ("i16", want)})
        v = random.integers(-99, 99, n).astype(np.int32)
        padded = np.pad(v, (0, k - 1))
        all_of = np.stack([padded[i:i + n] for i in range(k)])
        suite.case(f"both {n} {k}", "programs/windows.py:both", "cdiv(n,BLOCK)",
                   {"x": v, "out": empty("i32", n), "n": n, "K": k, "BLOCK": 32},
                   {"out": ("i32", all_of.max(0) - all_of.min(0))})


def none_of_it():
    n, k = 60, 6
    x = random.integers(-99, 99, n).astype(np.int32)
    last = np.maximum(0, np.stack([np.pad(x, (0, k))[i:i + n] for i in range(k)]).max(0))
    suite.case("written", "programs/windows.py:written", "1",
               {"x": np.concatenate([x, x]), "n": n, "K": k, "BLOCK": 64},
               {"x": ("i32", np.concatenate([x, last]))})
    x, y = (random.integers(-99, 99, n).astype(np.int32) for _ in range(2))
    mask = random.integers(0, k + 1, n).astype(np.int32)
    for kind in ("arrays", "data", "weights", "others", "holes"):
        want = np.full(n, -99)
        for i in range(k):
            by = i + i // 2 if kind == "holes" else i
            other = i if kind == "others" else 0
            v = np.pad((y if kind == "arrays" and i % 2 else x)[by:], (0, by), constant_values=other)
            if kind == "data":
                v = np.where(mask > i, v, 0)
            want = np.maximum(want, v * (i + 1) if kind == "weights" else v)
        suite.case(f"apart {kind}", "programs/windows.py:apart", "cdiv(n,BLOCK)",
                   {"x": x, "y": y, "mask": mask, "out": empty("i32", n), "n": n, "K": k,
                    "KIND": repr(kind), "BLOCK": 16},
                   {"out": ("i32", want)})


images()
flattened("u8", (30, 70), (5, 5))
flattened("fp32", (11, 45), (3, 6))
rolled("u8", (21, 75), (5, 6))
rolled("fp32", (13, 40), (3, 3))
row_by_row("u8", (14, 130), (5, 5))
row_by_row("i16", (9, 70), (4, 9))
clamped()
lines()
none_of_it()
suite.finish()
