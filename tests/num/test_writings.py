"""Kernels in other usual writings (programs/writings.py) against NumPy: shapes around whole tiles, rows
that begin anywhere, NaN."""

import numpy as np

from arguments import apart, empty
from harness import EPSILON, NUMPY_TYPES, Suite, decode, encode, generator

suite = Suite(one_in=2)
random = generator()


def numbers(dtype, *shape):
    if dtype[0] not in "fb":
        return random.integers(0, 100, shape).astype(NUMPY_TYPES[dtype])
    x = random.standard_normal(shape).astype(np.float32)
    x[random.random(shape) < 0.05] = np.nan
    return encode(x, dtype)


def case(label, kernel, grid, args, outputs, **tolerance):
    suite.case(label, "programs/writings.py:" + kernel, grid, args, outputs, **tolerance)


def tiles():
    for dtype, rows, columns, m, n in (("fp32", 33, 257, 16, 128), ("fp32", 31, 255, 16, 64),
                                       ("fp16", 37, 128, 8, 32), ("u8", 19, 131, 4, 64),
                                       ("i64", 5, 7, 16, 16), ("bf16", 64, 64, 64, 64)):
        x = numbers(dtype, rows, columns)
        want = decode(x) * 2 if dtype[0] in "fb" else x * x.dtype.type(2)
        case(f"tiles {dtype} {rows}x{columns} by {m}x{n}", "doubled", "cdiv(rows,BLOCK_M),cdiv(columns,BLOCK_N)",
             {"x": apart(suite, x), "out": empty(dtype, rows, columns), "rows": rows, "columns": columns,
              "stride": "x.stride(0)", "BLOCK_M": m, "BLOCK_N": n},
             {"out": (dtype, want)}, rtol=EPSILON.get(dtype, 0), atol=0)
        case(f"planes {dtype} {rows}x{columns} by {n}", "doubled_planes", f"1,{rows},cdiv(columns,BLOCK)",
             {"x": apart(suite, x), "out": empty(dtype, rows, columns), "columns": columns,
              "stride": "x.stride(0)", "BLOCK": n},
             {"out": (dtype, want)}, rtol=EPSILON.get(dtype, 0), atol=0)


def names():
    for a, b, c, width in ((3, 4, 5, 50), (1, 7, 2, 97), (6, 1, 1, 16)):
        block = -(-width // b)
        want = np.array([[i * 10000 + j // block * 100 + k for j in range(width)]
                         for i in range(a) for k in range(c)], np.int32)
        case(f"numbers of {a}x{b}x{c}", "numbered", f"{a},{b},{c}",
             {"out": empty("i32", a * c, width), "width": width, "BLOCK": block}, {"out": ("i32", want)})


def turned():
    for dtype, rows, columns, block in (("fp32", 33, 65, 32), ("fp32", 100, 31, 32), ("fp16", 64, 64, 16),
                                        ("i16", 17, 19, 16), ("fp64", 40, 9, 8)):
        x, y = numbers(dtype, rows, columns), numbers(dtype, rows, columns)
        want = decode(x) + decode(y) if dtype[0] in "fb" else x + y
        case(f"turned sum {dtype} {rows}x{columns}", "sum_across", "cdiv(rows,BLOCK),cdiv(columns,BLOCK)",
             {"x": x, "y": y, "out": empty(dtype, columns, rows), "rows": rows, "columns": columns,
              "BLOCK": block}, {"out": (dtype, want.T)}, rtol=EPSILON.get(dtype, 0), atol=0)


def blocks():
    for rows, columns, block in ((5, 100, 128), (4, 128, 128), (3, 129, 256), (2, 781, 1024), (3, 1, 16)):
        x = random.standard_normal((rows, columns)).astype(np.float32)
        if columns > 100:
            x[0, 3] = np.nan
        e = np.exp(x - np.max(np.nan_to_num(x, nan=-np.inf), axis=1, keepdims=True))
        case(f"softmax by blocks {rows}x{columns}", "softmax_of_block", str(rows),
             {"x": x, "out": empty("fp32", rows, columns), "rows": rows, "columns": columns,
              "BLOCK": block}, {"out": ("fp32", e / e.sum(axis=1, keepdims=True))}, rtol=2e-6, atol=1e-7)
    for rows, columns, up, left in ((20, 50, 0, 0), (20, 50, 3, 7), (33, 31, 16, 16), (9, 100, -2, -5)):
        x = random.integers(0, 100, (rows, columns)).astype(np.int32)
        want = np.zeros_like(x)
        for r in range(rows):
            for c in range(columns):
                if 0 <= r - up < rows and 0 <= c - left < columns:
                    want[r, c] = x[r - up, c - left]
        case(f"blocks {rows}x{columns} from {-up}, {-left}", "blocks_from",
             "cdiv(rows,BLOCK_M),cdiv(columns,BLOCK_N)",
             {"x": x, "out": empty("i32", rows, columns), "rows": rows, "columns": columns, "up": up,
              "left": left, "BLOCK_M": 8, "BLOCK_N": 16}, {"out": ("i32", want)})


def windows():
    for dtype, height, width, radius, block in (("u8", 20, 133, 2, 64), ("i16", 9, 64, 1, 64),
                                                ("i32", 12, 31, 2, 32), ("fp32", 11, 50, 1, 32)):
        x = random.integers(0 if dtype == "u8" else -100, 100, (height, width)).astype(NUMPY_TYPES[dtype])
        side = 2 * radius + 1
        padded = np.pad(x, radius, mode="edge")
        least = padded.min()
        inside = np.pad(np.ones_like(x, bool), radius)
        padded = np.where(inside, padded, least)
        want = np.lib.stride_tricks.sliding_window_view(padded, (side, side)).max(axis=(2, 3))
        case(f"dilation by choice {dtype} {height}x{width}, {side}", "dilated", f"{height},cdiv(width,BLOCK)",
             {"x": x, "out": empty(dtype, height, width), "height": height, "width": width, "R": radius,
              "BLOCK": block}, {"out": (dtype, want)})


def rounds():
    for dtype, rows, columns, block in (("fp32", 5, 1000, 256), ("fp32", 3, 255, 256), ("i32", 4, 1025, 512),
                                        ("fp64", 2, 700, 256), ("fp32", 2, 90, 64), ("i64", 3, 257, 256)):
        x = random.integers(-9, 9, (rows, columns)).astype(NUMPY_TYPES[dtype])
        want = np.stack([x.sum(axis=1), (x * x).sum(axis=1), x.max(axis=1)], axis=1).astype(x.dtype)
        if dtype[0] == "f":
            x[0, columns // 2] = np.nan
            want[0, :2] = np.nan
            want[0, 2] = np.nanmax(x[0])
        case(f"rounds {dtype} {rows}x{columns} by {block}", "in_rounds", str(rows),
             {"x": apart(suite, x), "out": empty(dtype, rows, 3), "columns": columns,
              "stride": "x.stride(0)", "BLOCK": block}, {"out": (dtype, want)}, rtol=0, atol=0)


def norms():
    for dtype, rows, columns, m, n in (("fp32", 5, 100, 4, 256), ("i32", 9, 257, 8, 512), ("fp32", 8, 64, 8, 64),
                                       ("fp64", 3, 65, 4, 128), ("i32", 1, 1, 2, 64), ("fp32", 7, 1025, 2, 2048)):
        x = random.integers(-9, 9, (rows, columns)).astype(NUMPY_TYPES[dtype])
        want = (x - x.min(axis=1, keepdims=True)) * columns - x.sum(axis=1, keepdims=True)
        if dtype[0] == "f":
            x[0, 0] = want[0] = np.nan
        case(f"norms {dtype} {rows}x{columns} in {m}x{n}", "normed_tiles", "cdiv(rows,BLOCK_M)",
             {"x": x, "out": empty(dtype, rows, columns), "rows": rows, "columns": columns,
              "BLOCK_M": m, "BLOCK_N": n}, {"out": (dtype, want)}, rtol=0, atol=0)


def wide():
    """Tiles of short rows: fewer columns than a wider tile has, one program, fewer than threads, many."""
    for dtype, planes, rows, columns, m, n in (
            ("fp32", 1, 100, 300, 16, 32), ("fp32", 2, 33, 17, 32, 64), ("i32", 3, 31, 1025, 8, 64),
            ("i16", 1, 65, 2500, 64, 16), ("u8", 2, 40, 4099, 32, 64), ("fp64", 1, 64, 128, 64, 128),
            ("i64", 1, 1, 1, 32, 32), ("i32", 1, 500, 7, 32, 32)):
        x, bias, scale = (random.integers(0, 9, shape).astype(NUMPY_TYPES[dtype])
                          for shape in ((planes * rows, columns), columns, rows))
        want = np.maximum(x * np.tile(scale, planes)[:, None] + bias, 0).astype(x.dtype)
        case(f"shifted {dtype} {planes}x{rows}x{columns} by {m}x{n}", "shifted_tiles",
             f"cdiv(columns,BLOCK_N),cdiv(rows,BLOCK_M),{planes}",
             {"x": apart(suite, x), "bias": bias, "scale": scale, "out": empty(dtype, planes * rows, columns),
              "rows": rows, "columns": columns, "stride": "x.stride(0)", "BLOCK_M": m, "BLOCK_N": n},
             {"out": (dtype, want)}, rtol=0, atol=0)
    for down, across, m, n in ((1, 1, 16, 64), (3, 5, 16, 32), (2, 17, 32, 64), (7, 33, 8, 16)):
        a, b = (random.integers(0, 1000, k).astype(np.int32) for k in (down * m, across * n))
        case(f"table {down}x{across} of {m}x{n}", "table", f"{down},{across}",
             {"out": empty("i32", down * m, across * n), "side": across * n, "a": a, "b": b, "BLOCK_M": m,
              "BLOCK_N": n}, {"out": ("i32", a[:, None] * 1000 + b)})
    for rows, columns in ((32, 100), (77, 31)):
        x = random.integers(0, 100, (2 * rows, columns)).astype(np.int32)
        case(f"rows below {rows}x{columns}", "rows_below", "cdiv(rows,BLOCK_M),cdiv(columns,BLOCK_N)",
             {"x": x, "rows": rows, "columns": columns, "BLOCK_M": 16, "BLOCK_N": 32},
             {"x": ("i32", np.concatenate([x[:rows], x[:rows] + 1]))})


tiles()
wide()
norms()
names()
rounds()
turned()
blocks()
windows()
suite.finish()
