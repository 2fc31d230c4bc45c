"""Tiles in and out of memory and atomics of gpu/memory.py against NumPy."""

import itertools

import numpy as np

from arguments import empty, zeros
from harness import EPSILON, NUMPY_TYPES, SMALL_FLOATS, Suite, Tensor, decode, encode, generator, rounded

suite = Suite(one_in=4)
random = generator()
INTS = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"]
FLOATS = ["fp16", "bf16", "fp32", "fp64"]


def case(label, kernel, grid, args, outputs, warps=4, **tolerance):
    suite.case(label, "gpu/memory.py:" + kernel, str(grid), args, outputs,
               options=("--num-warps", str(warps)), **tolerance)


def whole(dtype, *shape, low=-100, high=100):
    return encode(random.integers(0 if dtype[0] == "u" else low, high, shape), dtype)


def moves():
    """Each dtype's elements are copied as they are, under masks that lie in memory."""
    for i, dtype in enumerate([*NUMPY_TYPES, *SMALL_FLOATS]):
        n, warps = (77, 781, 1000, 5)[i % 4], (4, 1, 8, 2)[i % 4]
        x, other = whole(dtype, n), whole(dtype, n)
        if dtype == "i1":
            x, other = random.random(n) < 0.5, random.random(n) < 0.5
        mask = random.random(n) < 0.6
        case(f"copy {dtype} {n}", "copy_masked", "cdiv(n,BLOCK)",
             {"x_ptr": x, "mask_ptr": mask, "other_ptr": other, "y_ptr": empty(dtype, n), "n": n,
              "BLOCK": (64, 256, 100, 16)[i % 4]},
             {"y_ptr": (dtype, np.where(mask, decode(x), decode(other)))}, warps)
    for m, n, warps in ((8, 32, 4), (5, 7, 1), (100, 12, 8), (1, 64, 2)):
        x, y = (random.standard_normal((m, n)).astype(np.float32) for _ in range(2))
        over, under = x > 0.25, y < 0.25
        count = np.concatenate([over.sum(1), over.any(0)])
        case(f"flags {m}x{n}", "flags", 1,
             {"x_ptr": x, "y_ptr": y, "over_ptr": empty("i1", m, n), "both_ptr": empty("i1", m, n),
              "count_ptr": empty("i32", m + n), "M": m, "N": n, "limit": 0.25},
             {"over_ptr": ("i1", over), "both_ptr": ("i1", over & ~under),
              "count_ptr": ("i32", count)}, warps)


def casts():
    """To integers only what all of them hold: what lies beyond is not defined."""
    small = ["fp8e4nv", "fp8e5"]
    all_targets = [*INTS, *FLOATS, *small]
    for i, source in enumerate([*INTS, *FLOATS, *small, "i1"]):
        n = 300
        x = whole(source, n) if source in INTS else encode(random.random(n) * 120, source)
        if source == "i1":
            x = random.random(n) < 0.5
        targets = all_targets if source in FLOATS else FLOATS if source in small \
            else [*INTS, *FLOATS]
        outputs = {}
        for target in targets:
            values = decode(x)
            outputs[target] = (target, values.astype(NUMPY_TYPES[target]) if target in INTS
                               else rounded(values.astype(np.float64), target))
        case(f"casts of {source}", "cast_all", "cdiv(n,BLOCK)",
             {"x_ptr": x, **{t: empty(t, n) if t in targets else "None" for t in all_targets},
              "n": n, "BLOCK": (128, 100)[i % 2]}, outputs, (4, 1, 2)[i % 3])


def shapes():
    for dtype, shape, warps in (("fp32", (4, 8, 16), 4), ("i8", (3, 5, 7), 1),
                                ("fp16", (32, 2, 32), 8), ("i64", (1, 100, 12), 2),
                                ("bf16", (16, 16, 1), 4), ("i32", (2, 2, 2), 4),
                                # more than shared memory holds
                                ("fp32", (256, 1, 256), 16), ("i64", (64, 1024, 1), 32)):
        x = whole(dtype, *shape)
        for order in itertools.permutations(range(3)):
            want = decode(x).transpose(order).ravel()
            case(f"permute {dtype} {shape} {order}", "rearrange", 1,
                 {"x_ptr": x, "y_ptr": empty(dtype, want.size), "A": shape[0], "B": shape[1],
                  "C": shape[2], "P": order[0], "Q": order[1], "R": order[2]},
                 {"y_ptr": (dtype, want)}, warps)
        a, b, c = (whole("i32", n, low=-5, high=5) for n in shape)
        v = whole("i32", *shape)
        want = v + a[:, None, None] + b[:, None] + c + (a[:, None] * b)[:, :, None] + c + c
        case(f"spread {shape}", "spread", 1,
             {"x_ptr": v, "y_ptr": empty("i32", *shape), "a_ptr": a, "b_ptr": b, "c_ptr": c,
              "A": shape[0], "B": shape[1], "C": shape[2]}, {"y_ptr": ("i32", want)}, warps)
    for shape, warps in (((2, 4, 8, 16), 4), ((2, 3, 5, 7), 1), ((1, 16, 2, 32), 8),
                         ((4, 4, 4, 4), 2)):
        x = whole("i32", *shape)
        want = (x + x.sum((1, 2))[:, None, None, :]).transpose(1, 3, 0, 2)
        case(f"four axes {shape}", "four_axes", 1,
             {"x_ptr": x, "y_ptr": empty("i32", *want.shape),
              **dict(zip("ABCD", shape))}, {"y_ptr": ("i32", want)}, warps)
    for n, dtype, warps in ((65536, "i32", 8), (65536, "i32", 4), (32768, "i64", 1),
                            (781, "i32", 2), (1, "i32", 4), (7, "i64", 1), (16, "i32", 8),
                            (2, "i32", 1), (10007, "i32", 4)):
        x = whole(dtype, n)
        before = np.concatenate([[0], x[:-1]]).astype(x.dtype)
        case(f"large {dtype} {n} warps={warps}", "large", 1,
             {"x_ptr": x, "y_ptr": empty(dtype, n), "sum_ptr": empty(dtype, 2), "BLOCK": n},
             {"y_ptr": (dtype, x * 3 - before),
              "sum_ptr": (dtype, np.array([x.sum(), (x ^ before).max()]))}, warps)


def views():
    x = random.standard_normal((50, 60)).astype(np.float32)
    for text, part, tile, warps in (
            ("[:,::-1]", x[:, ::-1], (16, 32), 4), ("[::-1,::2]", x[::-1, ::2], (8, 8), 1),
            ("[3:40:5,7:]", x[3:40:5, 7:], (4, 64), 2),
            ("[::-1,::-1]", x[::-1, ::-1], (5, 7), 4)):
        m, n = part.shape
        case(f"view {text}", "view", "cdiv(m,M),cdiv(n,N)",
             {"x_ptr": suite.write(x) + text, "y_ptr": empty("fp32", n, m), "m": m, "n": n,
              "stride_xm": "x_ptr.stride(0)", "stride_xn": "x_ptr.stride(1)", "stride_ym": 1,
              "stride_yn": m, "M": tile[0], "N": tile[1]},
             {"y_ptr": ("fp32", (part.astype(np.float64) * 2 + 1).T)}, warps,
             rtol=EPSILON["fp32"], atol=1e-7)
    for dtype, n, width, tile, warps in (("fp16", 40, 50, (8, 32), 4), ("fp32", 33, 7, (32, 8), 1),
                                         ("bf16", 16, 130, (4, 128), 8)):
        table = whole(dtype, 12, width)
        index = random.integers(-1, 12, n)
        out = np.where(index[:, None] >= 0, decode(table)[np.maximum(index, 0)], 0.5)
        gradient = np.zeros((12, width))
        np.add.at(gradient, index[index >= 0], out[index >= 0])
        case(f"embedding {dtype} {n}x{width}", "embedding", "cdiv(n,M)",
             {"table_ptr": table, "index_ptr": index, "out_ptr": empty(dtype, n, width),
              "gradient_ptr": zeros("fp32", 12, width), "n": n, "width": width, "M": tile[0],
              "N": tile[1]}, {"out_ptr": (dtype, out), "gradient_ptr": ("fp32", gradient)}, warps)


def wide_arithmetic():
    for dtype, warps in (("i64", 4), ("u64", 1), ("i64", 8)):
        kind = NUMPY_TYPES[dtype]
        info = np.iinfo(kind)
        n = 333
        a, b = (random.integers(info.min, info.max, n, kind) for _ in range(2))
        b[::2] >>= kind(random.integers(20, 60))
        b = np.where((b == 0) | (b == ~kind(0)), kind(7), b)
        big = [(int(p), int(q)) for p, q in zip(a, b)]
        quotient = np.array([abs(p) // abs(q) * (1 if (p < 0) == (q < 0) else -1) for p, q in big],
                            kind)
        shift = b & kind(63)
        results = np.stack([a * b, quotient, a - quotient * b, a >> shift, (a << shift) ^ ~b,
                            np.minimum(a, b) - np.maximum(a, b)], -1)
        high = np.array([((p % 2**64) * (q % 2**64)) >> 64 for p, q in big], np.uint64).view(kind)
        x, y = a.astype(np.float64), b.astype(np.float64)
        with np.errstate(over="ignore"):
            floats = np.stack([x / y + np.sqrt(np.abs(y)), x * y - x,
                               np.where(x > y, np.floor(x / 3), np.exp(-np.abs(y) / 2**63))], -1)
        case(f"arithmetic {dtype} warps={warps}", "arithmetic", "cdiv(n,BLOCK)",
             {"a_ptr": a, "b_ptr": b, "i_ptr": empty(dtype, n, 6), "high_ptr": empty(dtype, n),
              "f_ptr": empty("fp64", n, 3), "n": n, "BLOCK": 64},
             {"i_ptr": (dtype, results), "high_ptr": (dtype, high), "f_ptr": ("fp64", floats)},
             warps, rtol=1e-15)


# --- atomics --------------------------------------------------------------------------------


def scatters():
    operations = {"add": np.add, "max": np.maximum, "min": np.minimum, "and": np.bitwise_and,
                  "or": np.bitwise_or, "xor": np.bitwise_xor}
    wide = ["i32", "u32", "i64", "u64"]
    kinds = {"add": wide + FLOATS, "max": wide + ["fp32", "fp64"], "min": wide + ["fp32", "fp64"],
             "and": wide, "or": wide, "xor": wide}
    orders = itertools.cycle([(None, None), ("relaxed", "gpu"), ("acquire", "cta"),
                              ("release", "sys"), ("acq_rel", "gpu")])
    for op, dtypes in kinds.items():
        for i, dtype in enumerate(dtypes):
            n, bins = 301, 13
            index = random.integers(0, bins, n).astype(np.int32)
            if dtype in FLOATS:  # whole numbers whose sums the type can hold
                x, start = whole(dtype, n, low=-2, high=3), whole(dtype, bins, low=-3, high=4)
                if op != "add":
                    x, start = (encode(random.standard_normal(k), dtype) for k in (n, bins))
            else:
                info = np.iinfo(NUMPY_TYPES[dtype])
                x, start = (random.integers(info.min, info.max, k, info.dtype) for k in (n, bins))
            want = decode(start).copy()
            operations[op].at(want, index, decode(x))
            sem, scope = next(orders)
            case(f"atomic {op} {dtype} {sem} {scope}", "scatter", "cdiv(n,BLOCK)",
                 {"bins_ptr": start, "index_ptr": index, "x_ptr": x, "n": n, "OP": repr(op),
                  "SEM": repr(sem), "SCOPE": repr(scope), "BLOCK": 64},
                 {"bins_ptr": (dtype, want)}, (4, 1, 2, 8)[i % 4])


def extremes():
    """Of infinities, of zeros of both signs, and outside of the array."""
    for dtype, m, n, shape, warps in (("fp16", 40, 32, (8, 32), 4), ("bf16", 16, 60, (4, 64), 2), ("fp16", 9, 8, (1, 8), 1),
                                      ("bf16", 64, 128, (16, 128), 4), ("i32", 12, 6, (4, 8), 4)):
        rows, width = shape[0] - (shape[0] > 1), shape[1]
        x = random.standard_normal((m, width)) * 100
        if dtype != "i32":
            x[::3, ::5] = np.copysign(np.inf, x[::3, ::5])
            x[::2, 1::4] = np.copysign(0, x[::2, 1::4])
        start = decode(encode(x[:rows] / 50, dtype))
        outs = {}
        for name, op in (("low_ptr", np.minimum), ("high_ptr", np.maximum)):
            want = start.copy()
            for tile in decode(encode(x, dtype)).reshape(-1, *shape):
                want[1:, :n] = op(want[1:, :n], tile[:rows - 1, :n])
            outs[name] = (dtype, want)
        case(f"extremes {dtype} {m}x{n} by {shape}", "extremes", m // shape[0],
             {"x_ptr": encode(x, dtype), "low_ptr": encode(start, dtype), "high_ptr": encode(start, dtype), "m": m, "n": n,
              "ROWS": rows, "M": shape[0], "N": width}, outs, warps)


def returned():
    for n, block, warps in ((300, 64, 4), (50, 16, 1), (1000, 100, 8)):
        programs = -(-n // block)
        order = np.arange(n, dtype=np.int32)
        bits = np.bitwise_or.reduce([1 << (p % 31) for p in range(programs)])
        case(f"tickets {n} by {block}", "tickets", "cdiv(n,BLOCK)",
             {"counter_ptr": zeros("i32", 4), "taken_ptr": zeros("i32", n),
              "swapped_ptr": order[::-1].copy(), "old_ptr": empty("i32", n), "n": n,
              "BLOCK": block},
             {"counter_ptr": ("i32", np.array([n, 3 * programs, 3 * programs - 3, bits])),
              "taken_ptr": ("i32", np.ones(n, np.int32)), "swapped_ptr": ("i32", order * 2),
              "old_ptr": ("i32", order[::-1])}, warps)
        x = random.integers(0, 9, n).astype(np.int32)
        padded = np.concatenate([x, np.zeros(programs * block - n, np.int32)])
        sums = padded.reshape(programs, block).sum(1)
        with np.errstate(over="ignore"):
            product = np.multiply.reduce((sums | 1).astype(np.int32), keepdims=True, dtype=np.int32)
        case(f"product by swaps {n}", "product_by_swaps", "cdiv(n,BLOCK)",
             {"x_ptr": x, "product_ptr": np.ones(1, np.int32), "n": n, "BLOCK": block},
             {"product_ptr": ("i32", product)}, warps)
        case(f"last one sums {n}", "last_one_sums", programs,
             {"x_ptr": x.astype(np.float32), "part_ptr": empty("fp32", programs),
              "counter_ptr": zeros("i32", 1), "out_ptr": empty("fp32", 1), "n": n,
              "PROGRAMS": programs, "BLOCK": block},
             {"out_ptr": ("fp32", np.array([x.sum()]).astype(np.float64))}, warps)
    for dtype in ("i16", "i32", "i64", "fp32", "fp64", "fp16", "u64", "bf16"):
        n = 70
        x, new = whole(dtype, n, low=0, high=4), whole(dtype, n)
        want = whole(dtype, n, low=0, high=4)
        same = decode(x) == decode(want)
        case(f"swaps {dtype}", "swaps", 1,
             {"x_ptr": x, "want_ptr": want, "new_ptr": new, "old_ptr": empty(dtype, n), "N": n},
             {"x_ptr": (dtype, np.where(same, decode(new), decode(x))),
              "old_ptr": (dtype, decode(x))}, 2)


def sums_of_neighbours():
    """By instructions for pairs and vectors where a mask and addresses allow them; exact sums."""
    for i, (dtype, m, n, shape, warps) in enumerate(itertools.product(
            ["fp16", "bf16", "fp32"], [3, 8], [64, 24, 17, 1], [(8, 64), (8, 24)], [1, 4])):
        if n > shape[1] or i % 3:
            continue
        x = random.integers(-4, 5, (4, m, n)).astype(np.float64)
        sums = random.integers(-4, 5, (m, n)).astype(np.float64)
        case(f"add {dtype} {m}x{n} in {shape[0]}x{shape[1]} by {warps} warps", "add_rows", 4,
             {"x_ptr": encode(x, dtype), "sum_ptr": encode(sums, dtype),
              "old_ptr": empty(dtype, 4, m, n), "m": m, "n": n, "M": shape[0], "N": shape[1]},
             {"sum_ptr": (dtype, sums + x.sum(0)), "x_ptr": (dtype, 2 * x), "old_ptr": (dtype, x)},
             warps)


def shared_by_neighbours():
    for i, (n, share, group, block) in enumerate(itertools.product([1024, 1000, 77, 4096], [1, 2, 3, 8], [16, 128],
                                                                   [256, 96])):
        x = random.integers(-9, 10, n // share + 300).astype(np.float32)
        scale = random.integers(-9, 10, n // group + 1).astype(np.float32)
        at, back = np.arange(n), (0, 5, 16)[i % 3]
        before = np.trunc((at - back) / share).astype(int) + back // share
        case(f"grouped {n} {share} {group} {block}", "grouped", f"cdiv({n},{block})",
             {"x_ptr": x, "scale_ptr": scale, "y_ptr": empty("fp32", n), "n": n, "back": back, "SHARE": share,
              "GROUP": group, "BLOCK": block},
             {"y_ptr": ("fp32", x[at // share] * scale[at // group] + x[before])}, (4, 2, 1)[i % 3],
             unchecked=True)  # it divides what is below 0


def ragged_rows():
    """Masks of more elements than a thread has predicates for, which stores compare again."""
    for i, (n, block, warps) in enumerate(itertools.product([-5, 0, 1, 511, 1000, 4095, 5000], [1024, 3000], [4, 8])):
        x, y = (random.integers(-99, 100, (3, 4099)).astype(np.int16) for _ in range(2))
        order, wide = i % 4, i // 4 % 2
        count = min(max(n + order % 2, 0), block)
        inside = np.arange(4099) < count
        z = np.full((3, 4099), 77, np.int16)
        case(f"ragged {n} {order} {wide} {block}", "ragged", 3,
             {"x_ptr": x, "y_ptr": y, "z_ptr": z, "n": n, "ORDER": order, "WIDE": wide, "BLOCK": block},
             {"y_ptr": ("i16", np.where(inside, x + y, y)), "z_ptr": ("i16", np.where(inside, x - y, z))}, warps)


moves()
casts()
ragged_rows()
shared_by_neighbours()
shapes()
views()
wide_arithmetic()
scatters()
extremes()
returned()
sums_of_neighbours()
suite.finish()
