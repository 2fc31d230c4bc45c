"""join, split, interleave, sort, topk, flip, gather and histogram against NumPy."""

import numpy as np

from arguments import empty
from harness import EPSILON, Suite, decode, encode, generator

suite = Suite()
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


def shuffled():
    x = random.standard_normal((6, 20)).astype(np.float16)
    index = random.integers(0, 20, (6, 33)).astype(np.int32)
    case("shuffle_columns", "shuffle_columns", 1,
         {"x_ptr": x, "index_ptr": index, "out_ptr": empty("fp16", 6, 33),
          "counts_ptr": empty("i32", 20), "ROWS": 6, "COLS": 20, "PICKED": 33},
         {"out_ptr": ("fp16", np.take_along_axis(x, index, 1)),
          "counts_ptr": ("i32", np.bincount(index.ravel(), minlength=20))})


def bitonic():
    for bits, top in ((10, 3), (13, 1), (6, 4)):
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
             {"out_ptr": (dtype, y), "counts_ptr": ("i32", np.bincount(x[there], minlength=size))})


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


rotations()
nibbles()
chains()
sorted_rows()
shuffled()
bitonic()
many_dimensions()
look_ups()
picked_rows()
suite.finish()
