"""join, split, interleave, sort, topk, flip, gather, histogram and scans against NumPy."""

import numpy as np

from arguments import empty
from harness import EPSILON, Suite, THOROUGH, decode, encode, generator

suite = Suite(one_in=3)
random = generator()


def case(label, kernel, grid, args, outputs, **tolerance):
    suite.case(label, "programs/order.py:" + kernel, str(grid), args, outputs, **tolerance)


def rotations():
    for dtype, n in (("fp32", 1000), ("bf16", 333)):
        x = encode(random.standard_normal(2 * n), dtype)
        angle = random.standard_normal(n).astype(np.float32)
        cos, sin = np.cos(angle), np.sin(angle)
        a, b = decode(x)[0::2], decode(x)[1::2]
        y = np.stack([a * cos - b * sin, b * cos + a * sin], -1).ravel()
        case(f"rotate_pairs {dtype} {n}", "rotate_pairs", "cdiv(n,BLOCK)",
             {"x_ptr": x, "cos_ptr": cos, "sin_ptr": sin, "out_ptr": empty(dtype, 2 * n), "n": n,
              "BLOCK": 96}, {"out_ptr": (dtype, y)}, rtol=2 * EPSILON[dtype], atol=1e-6)


def nibbles():
    packed = random.integers(0, 256, 300).astype(np.uint8)
    both = np.stack([packed & 15, packed >> 4], -1).ravel()
    case("unpack_nibbles", "unpack_nibbles", "cdiv(n,BLOCK)",
         {"packed_ptr": packed, "out_ptr": empty("u8", 600), "n": 300, "BLOCK": 128},
         {"out_ptr": ("u8", both)})


def sorted_rows():
    for n, block, k in ((100, 100, 7), (61, 64, 64), (1, 1, 1)):
        x = np.round(random.standard_normal((3, n)) * 4).astype(np.float32)
        padded = np.full((3, block), np.inf, np.float32)
        padded[:, :n] = x
        top = np.where(np.isinf(padded), -np.inf, padded)
        case(f"sort_rows {n} of {block}", "sort_rows", 3,
             {"x_ptr": x, "up_ptr": empty("fp32", 3, n), "top_ptr": empty("fp32", 3, k),
              "back_ptr": empty("fp32", 3, block), "n_cols": n, "K": k, "BLOCK": block},
             {"up_ptr": ("fp32", np.sort(x, 1)), "top_ptr": ("fp32", -np.sort(-top, 1)[:, :k]),
              "back_ptr": ("fp32", padded[:, ::-1])})


def in_order(x, descending):
    """Rows in order, equal ones as they were; NaN is greater than all."""
    if x.dtype.kind != "f":
        keys = x.astype(object) if x.dtype == np.uint64 else x.astype(np.int64)
        keys = [keys]
    else:
        nan = np.isnan(x)
        keys = [np.where(nan, 0, x), nan]
    if descending:
        keys = [-k.astype(np.int8) if k.dtype == bool else -k for k in keys]
    return np.take_along_axis(x, np.lexsort(keys, axis=-1), -1)


SORTED = ("fp32", "fp16", "bf16", "fp64", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "fp8e4nv",
          "fp8e5")
ROWS = ((1, 1024), (1, 1000), (4, 64), (8, 17), (16, 1), (3, 2), (1, 3), (2, 256), (1, 4096), (32, 32), (64, 16), (5, 129))


def numbers_of(dtype, rows, n):
    if dtype[0] in "iu":
        bounds = np.iinfo({"i": "int", "u": "uint"}[dtype[0]] + dtype[1:])
        x = random.integers(bounds.min, bounds.max, (rows, n), dtype=bounds.dtype, endpoint=True)
        return np.where(random.random((rows, n)) < 0.3, random.integers(0, 3, (rows, n)), x).astype(bounds.dtype)
    x = np.round(random.standard_normal((rows, n)) * 8) / 4
    for special in (np.inf, -np.inf, np.nan):
        x[random.random((rows, n)) < 0.02] = np.nan if special != special or dtype == "fp8e4nv" else special
    return encode(x, dtype)


def not_all_run():
    return not THOROUGH and len(suite.variants) > 1


def sorts():
    """All dtypes by all shapes of rows in turn, whole and the first ones, both ways, on 1 to 8 warps; every
    third one that does not take seconds to compile, other shapes from dtype to dtype, where not all run."""
    i = 0
    for number, dtype in enumerate(SORTED):
        for rows, n in ROWS:
            i += 1
            if not_all_run() and ((number + i) % 3 or n > 1024):
                continue
            k = (n, max(n // 4, 1), 1, min(n, 8), n - n // 8)[i % 5]
            x = numbers_of(dtype, 2 * rows, n)
            values = decode(x) if dtype[0] in "fb" else x
            want = in_order(np.asarray(values), i % 2 == 0)[:, :k]
            out = {"f": dtype if dtype == "fp64" else "fp32", "b": "fp32"}.get(dtype[0], dtype)
            case(f"sort_tile {dtype} {rows}x{n} {k}", "sort_tile", 2,
                 {"x_ptr": x, "out_ptr": empty(out, 2 * rows, k), "ROWS": rows, "N": n, "K": k,
                  "DESCENDING": i % 2 == 0}, {"out_ptr": (out, want)}, options=("--num-warps", str(1 << i % 4)))


def sorted_zeros():
    """Zeros of both signs keep their order, and their signs."""
    for dtype, integer, n in (("float32", "i32", 300), ("float64", "i64", 64), ("float16", "i16", 77)):
        for descending in (False, True):
            x = random.choice(np.array([-1, -0.0, 0.0, 1, np.inf, -np.inf]), (3, n)).astype(dtype)
            want = in_order(x, descending).view(f"int{integer[1:]}")
            case(f"sort_bits {dtype} {n} {descending}", "sort_bits", 3,
                 {"x_ptr": x, "out_ptr": empty(integer, 3, n), "N": n, "DESCENDING": descending},
                 {"out_ptr": (integer, want)})


def sorted_pieces():
    """More than shared memory holds: what warps exchange goes in pieces."""
    for dtype, n, warps in (("int64", 32768, 32), ("float32", 65536, 32), ("int32", 65536, 16), ("int32", 16384, 4)):
        x = random.integers(-1 << 20, 1 << 20, (1, n)).astype(dtype)
        name = f"i{np.dtype(dtype).itemsize * 8}"
        suite.case(f"sort_bits {dtype} {n} {warps} warps", "programs/order.py:sort_bits", "1",
                   {"x_ptr": x, "out_ptr": empty(name, 1, n), "N": n, "DESCENDING": False},
                   {"out_ptr": (name, np.sort(x, 1).view(f"int{name[1:]}"))}, options=("--num-warps", str(warps)))


def shuffled():
    x = random.standard_normal((6, 20)).astype(np.float16)
    index = random.integers(0, 20, (6, 33)).astype(np.int32)
    case("shuffle_columns", "shuffle_columns", 1,
         {"x_ptr": x, "index_ptr": index, "out_ptr": empty("fp16", 6, 33),
          "counts_ptr": empty("i32", 20), "ROWS": 6, "COLS": 20, "PICKED": 33},
         {"out_ptr": ("fp16", np.take_along_axis(x, index, 1)),
          "counts_ptr": ("i32", np.bincount(index.ravel(), minlength=20))})


def bitonic():
    for bits, top in ((6, 4), (8, 3)) if not_all_run() else ((6, 4), (8, 3), (10, 3), (13, 1)):
        x = random.standard_normal((2, 1 << bits)).astype(np.float32)
        case(f"bitonic_top {1 << top} of {1 << bits}", "bitonic_top", 2,
             {"x_ptr": x, "sorted_ptr": empty("fp32", 2, 1 << bits),
              "top_ptr": empty("fp32", 2, 1 << top), "BITS": bits, "TOP": top},
             {"sorted_ptr": ("fp32", np.sort(x, 1)),
              "top_ptr": ("fp32", -np.sort(-x, 1)[:, :1 << top])})


def many_dimensions():
    for extents in ((2,) * 15, (2,) * 9, (2, 3, 1, 2, 1, 3, 2, 1, 2, 1, 2)):
        n, last = int(np.prod(extents)), len(extents) - 1
        x = random.integers(-1000, 1000, n).astype(np.int32)
        order = random.permutation(len(extents))
        tile = x.reshape(extents)
        y = tile + np.arange(n).reshape(extents) - tile.max(last, keepdims=True)
        case(f"bit_reversed {extents}", "bit_reversed", 1,
             {"x_ptr": x, "out_ptr": empty("i32", n), "EXTENTS": extents,
              "ORDER": tuple(order.tolist()), "LAST": last, "N": n},
             {"out_ptr": ("i32", y.transpose(order).ravel())})


def look_ups():
    for dtype, index, size, n in (("fp32", "i32", 256, 1000), ("bf16", "i16", 61, 333),
                                  ("u8", "i64", 300, 777), ("fp64", "i8", 17, 100)):
        table = encode(random.integers(-50, 50, size) if dtype != "u8"
                       else random.integers(0, 200, size), dtype)
        x = random.integers(-3, min(size + 9, 127), n).astype("int" + index[1:])
        there = (x >= 0) & (x < size)
        y = np.where(there, decode(table)[np.where(there, x, 0)], 0)
        case(f"look_up {dtype} by {index}", "look_up", "cdiv(n,BLOCK)",
             {"x_ptr": x, "table_ptr": table, "out_ptr": empty(dtype, n),
              "counts_ptr": f"zeros(i32,{size})", "n": n, "SIZE": size, "BLOCK": 96},
             {"out_ptr": (dtype, y), "counts_ptr": ("i32", np.bincount(x[there], minlength=size))},
             unchecked=True)  # some are in no bin


def picked_rows():
    for rows, cols, picked in ((40, 33, 70), (5, 1, 9), (1, 64, 3)):
        table = random.standard_normal((rows, cols)).astype(np.float32)
        index = random.integers(0, rows, picked).astype(np.int32)
        case(f"pick_rows {picked} of {rows} by {cols}", "pick_rows", 1,
             {"table_ptr": table, "index_ptr": index, "out_ptr": empty("fp32", picked, cols),
              "ROWS": rows, "COLS": cols, "PICKED": picked}, {"out_ptr": ("fp32", table[index])})


def chains():
    n, block = int(random.integers(1000, 4000)), 96
    blocks = -(-n // block)
    x = random.integers(-2**40, 2**40, n)
    suite.case(f"chained_sums {n}", "programs/control.py:chained_sums", str(blocks),
               {"x_ptr": x, "out_ptr": empty("i64", n), "totals_ptr": empty("i64", blocks),
                "flags_ptr": f"zeros(i32,{blocks})", "n": n, "BLOCK": block},
               {"out_ptr": ("i64", np.cumsum(x))})


def scanned(op, v, axis, reverse):
    if not reverse:
        return op.accumulate(v, axis, dtype=np.int32)
    return np.flip(op.accumulate(np.flip(v, axis), axis, dtype=np.int32), axis)


def scans_alike():
    for times, m, n, axis, reverse in ((1, 4, 64, 1, 0), (1, 8, 128, 1, 1), (3, 4, 256, 1, 0),
                                       (2, 16, 64, 1, 1), (1, 4, 64, 0, 1), (2, 8, 64, 0, 0)):
        x = random.integers(-9, 10, n if axis else m).astype(np.int32)
        best = total = np.zeros(m, np.int32)
        for k in range(times):
            v = np.array(np.broadcast_to(x[None, :] + k if axis else x[:, None] + k, (m, n)))
            sums = scanned(np.add, v, axis, reverse)
            products = scanned(np.multiply, v, axis, reverse)
            most = scanned(np.maximum, v, axis, reverse) + sums
            best = np.maximum(best, sums.max(1))
            total = total + products.sum(1, dtype=np.int32)
        case(f"scan_alike {m}x{n} axis {axis} reverse {reverse} {times}", "scan_alike", 1,
             {"x_ptr": x, "sums_ptr": empty("i32", m, n), "products_ptr": empty("i32", m, n),
              "most_ptr": empty("i32", m, n), "best_ptr": empty("i32", m),
              "total_ptr": empty("i32", m), "TIMES": times, "M": m, "N": n, "AXIS": axis,
              "REVERSE": reverse},
             {"sums_ptr": ("i32", sums), "products_ptr": ("i32", products),
              "most_ptr": ("i32", most), "best_ptr": ("i32", best), "total_ptr": ("i32", total)})
    for m, n in ((4, 64), (2, 256)):
        c = np.arange(7, 7 + n, dtype=np.int32)
        sums = np.tile(c.cumsum(dtype=np.int32), (m, 1))
        total = sums.sum(1) + c[::-1].cumsum().sum()
        case(f"scan_indices {m}x{n}", "scan_indices", 1,
             {"sums_ptr": empty("i32", m, n), "best_ptr": empty("i32", m),
              "total_ptr": empty("i32", m), "first": 7, "M": m, "N": n},
             {"sums_ptr": ("i32", sums), "best_ptr": ("i32", sums.max(1)),
              "total_ptr": ("i32", total.astype(np.int32))})
    for m, k, n, axis, reverse in ((4, 2, 64, 1, 0), (4, 8, 64, 2, 1), (2, 1, 128, 2, 0),
                                   (4, 64, 64, 1, 1), (4, 4, 64, 0, 0)):
        v = np.arange(k, dtype=np.int32)[:, None] * 3 - np.arange(n, dtype=np.int32)[None, :]
        sums = scanned(np.add, np.tile(v, (m, 1, 1)), axis, reverse)
        case(f"scan_planes {m}x{k}x{n} axis {axis} reverse {reverse}", "scan_planes", 1,
             {"sums_ptr": empty("i32", m, k, n), "best_ptr": empty("i32", m, k),
              "total_ptr": empty("i32", m, n), "M": m, "K": k, "N": n, "AXIS": axis,
              "REVERSE": reverse},
             {"sums_ptr": ("i32", sums), "best_ptr": ("i32", sums.max(2)),
              "total_ptr": ("i32", sums.sum(1, dtype=np.int32))})
    for m, k, n in ((4, 1, 64), (4, 4, 64)):
        x = random.integers(-99, 100, (m, k, n)).astype(np.int32)
        case(f"scan_below {m}x{k}x{n}", "scan_below", 1,
             {"x_ptr": x, "best_ptr": empty("i32", m, k), "sums_ptr": empty("i32", m, k, n),
              "M": m, "K": k, "N": n},
             {"best_ptr": ("i32", x.max(2)),
              "sums_ptr": ("i32", (x - x.max(2, keepdims=True)).cumsum(2, dtype=np.int32))})


rotations()
nibbles()
chains()
sorted_rows()
sorts()
sorted_zeros()
sorted_pieces()
shuffled()
bitonic()
many_dimensions()
look_ups()
picked_rows()
scans_alike()
suite.finish()
