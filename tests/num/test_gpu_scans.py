"""Reductions, scans, sorting networks and transforms of gpu/scans.py against NumPy."""

import math

import numpy as np

from arguments import empty, zeros
from harness import EPSILON, Suite, decode, encode, generator

suite = Suite(one_in=6)
random = generator()
WIDE = {"i8": np.int32, "i16": np.int32, "u8": np.uint32, "u16": np.uint32}


def case(label, kernel, grid, args, outputs, warps=4, **tolerance):
    suite.case(label, "gpu/scans.py:" + kernel, str(grid), args, outputs,
               options=("--num-warps", str(warps)), **tolerance)


def integers(dtype, *shape, low=-1000, high=1000):
    info = np.iinfo(dtype)
    return random.integers(max(low, info.min), min(high, info.max), shape).astype(dtype)


def reductions():
    for dtype, shape, warps in (("i32", (4, 8, 16), 4), ("fp32", (3, 5, 7), 2),
                                ("i8", (2, 64, 2), 1),
                                ("u8", (1, 33, 20), 4), ("i64", (16, 16, 16), 8),
                                ("fp16", (8, 1, 100), 4), ("fp64", (2, 3, 200), 2),
                                ("u32", (128, 4, 1), 8), ("bf16", (5, 12, 9), 1)):
        if dtype[0] in "iu":
            x = integers({"i": "int", "u": "uint"}[dtype[0]] + dtype[1:], *shape, low=-128)
            wide = WIDE.get(dtype, x.dtype)
        else:
            most = 2 if dtype == "bf16" else 8  # sums are exact, in whatever order
            x = encode(random.integers(-most, most + 1, shape), dtype)
        for axis in range(3):
            v = decode(x)
            out = [n for d, n in enumerate(shape) if d != axis]
            outputs = {"max_ptr": (dtype, v.max(axis)), "min_ptr": (dtype, v.min(axis))}
            if dtype[0] in "iu":
                kind, name = np.dtype(wide), {4: "32", 8: "64"}[np.dtype(wide).itemsize]
                name = ("i" if kind.kind == "i" else "u") + name
                total = np.array([v.astype(wide).sum(dtype=wide), v.max(),
                                  np.bitwise_xor.reduce(v, None)]).astype(wide)
                outputs["sum_ptr"] = (name, v.astype(wide).sum(axis, dtype=wide))
                outputs["xor_ptr"] = (dtype, np.bitwise_xor.reduce(v, axis))
                outputs["total_ptr"] = (name, total)
            else:
                name = dtype
                outputs["sum_ptr"] = (dtype, v.sum(axis))
                outputs["total_ptr"] = (dtype, np.array([v.sum(), v.max(), 0]))
            case(f"reductions {dtype} {shape} axis {axis}", "sums_of_all", 1,
                 {"x_ptr": x, "sum_ptr": empty(name, *out), "max_ptr": empty(dtype, *out),
                  "min_ptr": empty(dtype, *out), "xor_ptr": zeros(dtype, *out),
                  "total_ptr": zeros(name, 3), "A": shape[0], "B": shape[1], "C": shape[2],
                  "AXIS": axis}, outputs, warps)
    for dtype, shape, warps in (("fp32", (8, 64), 4), ("fp16", (1, 100), 1), ("i32", (33, 12), 2),
                                ("i64", (4, 256), 8), ("bf16", (16, 16), 4), ("fp32", (100, 3), 4)):
        values = random.integers(-3, 4, shape)  # many are equal
        if dtype[0] in "fb":  # numbers win over NaN, and of NaNs alone the first one
            values = np.where(random.random(shape) < 0.6, np.nan, values)
            values[0], values[:, 0], values[-1, -1] = np.nan, np.nan, 9
        x = encode(values, dtype)
        low, high = np.where(np.isnan(values), -99, values), np.where(np.isnan(values), 99, values)
        for axis in (0, 1):
            out = shape[1 - axis]
            most = low.max(axis)
            case(f"places {dtype} {shape} axis {axis}", "places", 1,
                 {"x_ptr": x, "most_ptr": empty("i32", out), "least_ptr": empty("i32", out),
                  "value_ptr": empty(dtype, out), "where_ptr": empty("i64", out), "M": shape[0],
                  "N": shape[1], "AXIS": axis},
                 {"most_ptr": ("i32", low.argmax(axis)), "least_ptr": ("i32", high.argmin(axis)),
                  "value_ptr": (dtype, np.where(most == -99, np.nan, most)),
                  "where_ptr": ("i64", low.argmax(axis))}, warps)
    for shape, warps in (((4, 64), 4), ((7, 33), 2), ((64, 16), 8), ((3, 2), 1), ((2, 1000), 4)):
        x = random.standard_normal(shape).astype(np.float32)
        i = (integers("int32", *shape, low=1, high=40) * 6).astype(np.int32)
        for axis in (0, 1):
            ranked = -np.sort(-x, axis)
            two = np.stack([ranked.take(0, axis), ranked.take(1, axis)], -1)
            product = np.multiply.reduce(i | 1, axis, dtype=np.int32)
            out = shape[1 - axis]
            case(f"own reductions {shape} axis {axis}", "own_reductions", 1,
                 {"x_ptr": x, "i_ptr": i, "second_ptr": empty("fp32", out, 2),
                  "lse_ptr": empty("fp32", out), "gcd_ptr": empty("i32", out),
                  "product_ptr": empty("i32", out), "M": shape[0], "N": shape[1], "AXIS": axis},
                 {"second_ptr": ("fp32", two),
                  "lse_ptr": ("fp32", np.logaddexp.reduce(x.astype(np.float64), axis)),
                  "gcd_ptr": ("i32", np.gcd.reduce(i, axis)), "product_ptr": ("i32", product)},
                 warps, rtol=2e-6, atol=2e-6)


def so_far(f, x, axis, reverse):
    x = np.flip(x, axis) if reverse else x
    y = f(x, axis)
    return np.flip(y, axis) if reverse else y


def scans():
    for dtype, shape, warps in (("i32", (4, 8, 16), 4), ("i32", (2, 3, 33), 1),
                                ("i64", (16, 5, 2), 8),
                                ("fp32", (2, 64, 4), 4), ("fp32", (1, 1, 500), 2),
                                ("fp64", (3, 7, 5), 2), ("fp32", (128, 2, 2), 4),
                                # more than shared memory holds
                                ("i32", (256, 1, 256), 8), ("i64", (64, 1024, 1), 32)):
        values = random.integers(-2, 3, shape)
        if dtype.startswith("fp"):
            values = values * 0.5 + 1  # 0 to 2
        x = encode(values, dtype)
        v = decode(x)
        for axis in range(3):
            for reverse in (False, True):
                total = so_far(lambda a, d: np.cumsum(a, d, dtype=v.dtype), v, axis, reverse)
                product = so_far(lambda a, d: np.cumprod(a, d, dtype=v.dtype), v, axis, reverse)
                case(f"scans {dtype} {shape} axis {axis} reverse={reverse}", "running", 1,
                     {"x_ptr": x, "sum_ptr": empty(dtype, *shape),
                      "product_ptr": empty(dtype, *shape), "top_ptr": empty(dtype, *shape),
                      "A": shape[0], "B": shape[1], "C": shape[2], "AXIS": axis,
                      "REVERSE": reverse},
                     {"sum_ptr": (dtype, total), "product_ptr": (dtype, product),
                      "top_ptr": (dtype, so_far(np.maximum.accumulate, v, axis, reverse))}, warps,
                     rtol=0 if dtype[0] == "i" else 500 * EPSILON[dtype])
    for shape, warps in (((4, 32), 4), ((3, 7), 1), ((64, 8), 8), ((1, 300), 2), ((100, 12), 4)):
        for axis in (0, 1):
            for reverse in (False, True):
                own_scan(shape, axis, reverse, warps)


def own_scan(shape, axis, reverse, warps):
    a, b = (integers("int32", *shape, low=-9, high=10) for _ in range(2))
    front = np.moveaxis(np.stack([a, b], -1), axis, 0).astype(np.int64)
    front = front[::-1] if reverse else front
    n = len(front)
    line = np.empty((n, *front.shape[1:]), np.int32)
    matrix = np.empty((n, front.shape[1], 2, 2), np.int32)
    last = np.empty((n, front.shape[1]), np.int32)
    for i in range(n):
        x, y = front[i, :, 0], front[i, :, 1]
        own = np.stack([np.stack([x, y], -1), np.stack([y ^ 5, x + y], -1)], 1)
        seen = np.where(y % 3 == 0, x, 0)
        if i == 0:
            line[0], matrix[0], last[0] = front[0], own, seen
            continue
        s, t = (line[i - 1, :, k].astype(np.int64) for k in (0, 1))
        line[i] = np.stack([s * x, x * t + y], -1).astype(np.int32)
        matrix[i] = (matrix[i - 1].astype(np.int64) @ own).astype(np.int32)
        last[i] = np.where(seen == 0, last[i - 1], seen)
    line, matrix, last = (np.moveaxis(y[::-1] if reverse else y, 0, axis)
                          for y in (line, matrix, last))
    case(f"own scans {shape} axis {axis} reverse={reverse}", "own_scans", 1,
         {"a_ptr": a, "b_ptr": b, "line_ptr": empty("i32", *shape, 2),
          "matrix_ptr": empty("i32", *shape, 4), "last_ptr": empty("i32", *shape), "M": shape[0],
          "N": shape[1], "AXIS": axis, "REVERSE": reverse},
         {"line_ptr": ("i32", line), "matrix_ptr": ("i32", matrix.reshape(*shape, 4)),
          "last_ptr": ("i32", last)}, warps)


def networks():
    for rows, n, log, warps in ((2, 50, 6, 4), (1, 200, 8, 1), (3, 16, 4, 2), (1, 1000, 10, 8),
                                (2, 1, 1, 1)):
        keys = random.permutation(rows * n * 3)[:rows * n].reshape(rows, n).astype(np.int32)
        values = random.integers(0, 99, (rows, n)).astype(np.int32)
        order = np.argsort(keys, 1)
        case(f"bitonic pairs {rows}x{n} of 2^{log}", "bitonic_pairs", rows,
             {"key_ptr": keys, "value_ptr": values, "n": n, "LOG": log},
             {"key_ptr": ("i32", np.sort(keys, 1)),
              "value_ptr": ("i32", np.take_along_axis(values, order, 1))}, warps)
    for dtype, m, log, warps in (("fp32", 4, 5, 4), ("i32", 1, 9, 2), ("i64", 8, 4, 1),
                                 ("fp16", 3, 6, 4)):
        x = encode(random.integers(-500, 500, (m, 2**log)), dtype)
        case(f"bitonic rows {dtype} {m}x2^{log}", "bitonic_rows", 1,
             {"x_ptr": x, "M": m, "LOG": log}, {"x_ptr": (dtype, np.sort(decode(x), 1))}, warps)
    for dtype, rows, log, warps in (("i32", 3, 7, 4), ("fp32", 1, 10, 8), ("i64", 2, 3, 1)):
        x = random.integers(-99, 100, (rows, 2**log))
        matrix = np.ones((1, 1), np.int64)
        for _ in range(log):
            matrix = np.block([[matrix, matrix], [matrix, -matrix]])
        case(f"hadamard {dtype} 2^{log}", "hadamard", rows,
             {"x_ptr": encode(x, dtype), "y_ptr": empty(dtype, rows, 2**log), "LOG": log},
             {"y_ptr": (dtype, x @ matrix)}, warps)
    for log, warps in ((5, 4), (8, 2), (1, 1), (10, 8)):
        z = random.standard_normal(2**log) + 1j * random.standard_normal(2**log)
        z = z.astype(np.complex64)
        want = np.fft.fft(z.astype(np.complex128))
        case(f"fourier 2^{log}", "fourier", 1,
             {"re_ptr": z.real.copy(), "im_ptr": z.imag.copy(), "LOG": log},
             {"re_ptr": ("fp32", want.real), "im_ptr": ("fp32", want.imag)}, warps, rtol=1e-5,
             atol=2e-6 * log * math.sqrt(2**log))


def orders():
    for dtype, m, n, k, warps in (("fp32", 4, 64, 8, 4), ("i32", 1, 200, 16, 2),
                                  ("fp16", 5, 33, 4, 1),
                                  ("i8", 8, 16, 16, 4), ("u32", 2, 100, 1, 8),
                                  ("fp32", 2, 2048, 64, 8)):
        values = random.integers(0 if dtype[0] == "u" else -50, 50, (m, n))
        x = encode(values, dtype)
        up = np.sort(values, 1)
        case(f"ordered {dtype} {m}x{n}", "ordered", 1,
             {"x_ptr": x, "up_ptr": empty(dtype, m, n), "down_ptr": empty(dtype, m, n),
              "top_ptr": empty(dtype, m, k), "back_ptr": empty(dtype, m, n), "M": m, "N": n,
              "K": k},
             {"up_ptr": (dtype, up), "down_ptr": (dtype, up[:, ::-1]),
              "top_ptr": (dtype, up[:, ::-1][:, :k]), "back_ptr": (dtype, values[::-1])}, warps)
    for n, bins, block, warps in ((100, 16, 128, 4), (64, 4, 64, 1), (33, 32, 50, 2)):
        x = random.integers(0, bins, n).astype(np.int32)
        place = np.empty(n, np.int32)
        place[np.argsort(x, kind="stable")] = np.arange(n)
        case(f"counting sort {n} in {bins}", "counted", 1,
             {"x_ptr": x, "bins_ptr": empty("i32", bins), "out_ptr": empty("i32", n),
              "place_ptr": empty("i32", n), "n": n, "BINS": bins, "BLOCK": block},
             {"bins_ptr": ("i32", np.bincount(x, minlength=bins)), "out_ptr": ("i32", np.sort(x)),
              "place_ptr": ("i32", place)}, warps)
    for n, block, warps in ((1000, 128, 4), (77, 16, 1), (300, 300, 8)):
        x = integers("int32", n)
        kept = x[x > 0]
        want = np.concatenate([kept, np.zeros(n - len(kept), np.int32)])
        case(f"compacted {n} by {block}", "compacted", 1,
             {"x_ptr": x, "out_ptr": zeros("i32", n), "count_ptr": empty("i32", 1), "n": n,
              "BLOCK": block},
             {"out_ptr": ("i32", want), "count_ptr": ("i32", np.array([len(kept)]))}, warps)
        case(f"chained sums {n} by {block}", "chained_sums", "cdiv(n,BLOCK)",
             {"x_ptr": x.astype(np.int64), "y_ptr": empty("i64", n),
              "flag_ptr": zeros("i32", -(-n // block)), "total_ptr": empty("i64", -(-n // block)),
              "n": n, "BLOCK": block}, {"y_ptr": ("i64", np.cumsum(x, dtype=np.int64))}, warps)


def pairs():
    """Each of two types behind each other one in shared memory, where warps meet."""
    types, parts = 12, 3
    for part, n, warps in ((0, 40, 4), (1, 64, 4), (2, 40, 8)):
        first, last = (types * types * i // parts for i in (part, part + 1))
        x = random.permutation(100)[:n].astype(np.int32)  # which of equal ones is the top is open
        tops = np.maximum.accumulate(x)
        both = np.array([tops, [int(np.argmax(x[:i + 1])) for i in range(n)]], np.float64)
        case(f"pairs {first} to {last} of {n}", "pairs", 1,
             {"x_ptr": x, "top_ptr": empty("fp64", last - first, 2),
              "tops_ptr": empty("fp64", last - first, 2, n), "FROM": first, "TO": last, "N": n},
             {"top_ptr": ("fp64", np.tile(both[:, -1], (last - first, 1))),
              "tops_ptr": ("fp64", np.tile(both, (last - first, 1, 1)))}, warps)


reductions()
pairs()
scans()
networks()
orders()
suite.finish()
