"""Matrix products as gpu/products.py has them against NumPy: odd sizes, all types and layouts."""

import math

import numpy as np

from arguments import empty, zeros
from harness import EPSILON, Suite, Tensor, decode, encode, generator, rounded

suite = Suite(one_in=9)
random = generator()
FP8_UNIT = 2.0**-12  # what a unit cuts off of products of fp8, of the sum of their magnitudes


def case(label, kernel, grid, args, outputs, warps=4, arch=None, stages=None, file="products", **tolerance):
    options = ("--num-warps", str(warps)) \
        + (("--num-stages", str(stages)) if stages else ())
    suite.case(label, f"gpu/{file}.py:{kernel}", str(grid), args, outputs, options=options, arch=arch,
               **tolerance)


def floats(dtype, *shape):
    return encode(random.standard_normal(shape), dtype)


def sizes(m, n, k, blocks):
    return {"m": m, "n": n, "k": k, "M": blocks[0], "N": blocks[1], "K": blocks[2]}


def near(a, b, dtype, precision=None):
    """What sums of products may be off by, and a rounding to `dtype`: without a `precision`, what the
    roundings of so many sums in fp32 come to where they are as often up as down, four times over."""
    precision = precision or 2.0**-22 * max(1, math.sqrt(decode(a).shape[-1]) / 2)
    magnitude = np.abs(decode(a)) @ np.abs(decode(b))
    least = 2.0**-24 if dtype == "fp16" else 1e-30  # a unit of fp16 that are not normal
    return {"rtol": EPSILON[dtype], "atol": precision * magnitude + least}


def turned(x):
    """The transpose, in memory too."""
    return Tensor(x.dtype, x.bits.T.copy()) if isinstance(x, Tensor) else x.T.copy()


def after(x, epilogue):
    erf = np.vectorize(math.erf)
    return {"None": lambda x: x, "leaky": lambda x: np.where(x > 0, x, 0.01 * x),
            "gelu": lambda x: 0.5 * x * (1 + erf(x / math.sqrt(2))),
            "square_relu": lambda x: np.maximum(x, 0)**2}[epilogue](x)


def strided():
    for dtype, (m, n, k), order, precision, epilogue, blocks, warps in (
            ("fp16", (77, 50, 65), "nnn", None, "leaky", (64, 32, 32), 4),
            ("fp16", (130, 141, 96), "tnn", None, "None", (128, 64, 32), 8),
            ("bf16", (33, 100, 70), "ntn", None, "gelu", (32, 64, 16), 4),
            ("bf16", (65, 65, 129), "ttt", None, "None", (32, 32, 64), 2),
            ("fp32", (50, 40, 70), "nnt", "ieee", "square_relu", (32, 32, 16), 4),
            ("fp32", (33, 70, 41), "tnn", "tf32", "leaky", (32, 64, 32), 4),
            ("fp32", (70, 33, 41), "ntn", "tf32x3", "None", (64, 16, 16), 4),
            ("fp32", (31, 37, 64), "nnn", "bf16x3", "None", (16, 16, 32), 1),
            ("fp32", (40, 64, 30), "nnn", None, "None", (16, 64, 16), 2),
            ("fp64", (21, 35, 27), "tnn", None, "leaky", (16, 32, 8), 4),
            ("fp64", (9, 9, 50), "ntn", "ieee", "None", (8, 8, 16), 1),
            ("fp16", (5, 7, 3), "nnn", None, "None", (16, 16, 16), 1),
            ("fp16", (50, 30, 44), "nnn", None, "None", (48, 24, 20), 4),
            ("fp32", (10, 12, 9), "ttn", "ieee", "None", (3, 5, 7), 2),
            ("fp16", (1, 200, 64), "ntn", None, "gelu", (1, 64, 64), 4)):
        strided_case(dtype, (m, n, k), order, precision, epilogue, blocks, warps)


def strided_case(dtype, size, order, precision, epilogue, blocks, warps, stages=None, operands=None):
    m, n, k = size
    a, b = operands or (floats(dtype, m, k), floats(dtype, k, n))
    bias = encode(np.zeros(n), dtype) if operands else floats(dtype, n)
    loose = {"tf32": 2.0**-9, "bf16x3": 2.0**-15, None: 2.0**-10, "tf32x3": 2.0**-18, "bf16x6": 2.0**-18}
    slack = 2.0**-50 if dtype == "fp64" else 2.0**-22
    if dtype == "fp32":
        slack = max(loose.get(precision, slack), k * 2.0**-24)  # each sum may be rounded the same way
    with np.errstate(invalid="ignore"):
        sums = decode(a) @ decode(b) + decode(bias)
        tolerance = near(a, b, dtype, slack)
    if operands:  # down to what is not normal
        tolerance["atol"] = np.nan_to_num(tolerance["atol"] - 1e-30, nan=0, posinf=0) + 2.0**-148
    if epilogue == "square_relu":
        tolerance["atol"] = tolerance["atol"] * 4 * (1 + np.abs(sums))
    args = {name + "_ptr": turned(x) if letter == "t" else x
            for name, x, letter in zip("ab", (a, b), order)}
    transposed = order[2] == "t"
    args["c_ptr"] = empty(dtype, n, m) if transposed else empty(dtype, m, n)
    args.update({"bias_ptr": bias, "m": m, "n": n, "k": k})
    for pair, letter, rows, columns in (("am ak", order[0], m, k), ("bk bn", order[1], k, n),
                                        ("cm cn", order[2], m, n)):
        first, second = ("stride_" + word for word in pair.split())
        args[first], args[second] = (1, rows) if letter == "t" else (columns, 1)
    args.update({"PRECISION": repr(precision), "EPILOGUE": epilogue, "M": blocks[0],
                 "N": blocks[1], "K": blocks[2]})
    want = after(sums, epilogue)
    if transposed:
        want, tolerance["atol"] = want.T, tolerance["atol"].T
    how = f"{precision} {epilogue}" if stages is None else f"{blocks} {warps} warps {stages} stages"
    case(f"matmul {dtype} {m}x{n}x{k} {order} {how}", "matmul",
         "cdiv(m,M)*cdiv(n,N)", args, {"c_ptr": (dtype, want)}, warps, stages=stages, **tolerance)


def by_groups():
    """What four warps multiply together: rows along K and across it, blocks up to what a thread has
    registers for, every number of stages; sizes that divide nothing, and such as copies can bring."""
    blocks = ((64, 16, 16), (64, 32, 32), (64, 256, 64), (128, 128, 64), (128, 64, 128),
              (256, 128, 32), (128, 256, 64), (64, 512, 16))
    for i in range(4 * len(blocks)):
        m, n, k = blocks[i // 4]
        warps = max((4, 8, 16)[i % 3], m * n // 4096)  # 128 registers of sums at most
        step = 8 if i % 2 else 1
        size = (int(random.integers(1, 2 * m)), int(random.integers(1, 2 + n // 8)) * step,
                int(random.integers(0, 2 + k // 2)) * step)
        strided_case("bf16" if i % 5 < 2 else "fp16", size, ("nn", "nt", "tn", "tt")[i % 4] + "nt"[i // 4 % 2],
                     None, ("None", "leaky")[i // 8 % 2], (m, n, k), min(warps, 32), 1 + i % 5)
    for row in (("i8", "i8", (100, 96, 160), "nt", (64, 64, 64), 4, "sm_90a"),
                ("i8", "i8", (70, 64, 96), "nt", (64, 32, 32), 8, "sm_90a"),
                ("i8", "i8", (150, 70, 64), "nn", (128, 64, 64), 8, "sm_90a"),
                ("i8", "i8", (64, 64, 128), "tn", (64, 64, 64), 4, "sm_90a"),
                ("i8", "fp16", (90, 64, 128), "nn", (64, 64, 64), 4, "sm_90a", "a"),
                ("fp8e5", "fp16", (64, 80, 70), "nt", (64, 64, 32), 4, "sm_90a", "a"),
                ("fp16", "i8", (128, 64, 64), "nn", (128, 64, 64), 8, "sm_90a", "b"),
                ("fp16", "i8", (100, 96, 128), "nt", (64, 64, 64), 4, "sm_90a", "b"),
                ("bf16", "fp8e4nv", (64, 130, 70), "tn", (64, 128, 32), 4, "sm_90a", "b"),
                ("fp16", "fp8e5", (150, 140, 96), "nn", (128, 128, 32), 8, "sm_90a", "b"),
                ("bf16", "u8", (200, 70, 64), "tt", (128, 64, 64), 16, "sm_90a", "b")):
        any_types(*row)
    for i, (blocks, warps) in enumerate((((64, 64, 32), 4), ((64, 128, 64), 4), ((128, 128, 128), 8),
                                         ((128, 256, 128), 8), ((128, 64, 256), 4), ((256, 64, 64), 16))):
        m, n, k = blocks
        for order in ("nt", "nn", "tt"):
            size = (int(random.integers(1, 2 * m)), int(random.integers(1, n // 8)) * 16,
                    int(random.integers(1, k // 8)) * 16 - i % 2)
            any_types(("fp8e4nv", "fp8e5")[i // 2 % 2], ("fp8e4nv", "fp8e5")[i % 2], size, order, blocks, warps,
                      "sm_90a", out=("fp32", "fp16")[i % 3 == 2], imprecise=(None, 0, 32, 64, None, k)[i])
    for i, order in enumerate(("nnn", "ntt", "tnn", "ttt", "nnt", "ntn")):
        strided_case("fp32", (130 - i, 100 + 4 * i, 72 + i % 2), order, "tf32", "leaky",
                     ((64, 64, 32), (128, 64, 16), (64, 128, 64))[i % 3], 4 << i % 2, 1 + i % 4)


def spread(*shape):
    """Numbers whose exponents go from -60 to 60."""
    return encode(random.standard_normal(shape) * 2.0**random.integers(-60, 61, shape), "fp32")


def special(m, n, k):
    """Infinities, NaN, zeros, the largest and tiny numbers in some rows and columns, each of which has a
    sum that does not depend on its order."""
    a, b = decode(floats("fp32", m, k)).copy(), decode(floats("fp32", k, n)).copy()
    largest = float(np.finfo(np.float32).max)
    a[1, k // 2], a[2, 0], b[k - 1, 3], b[0, 4] = np.inf, np.nan, -np.inf, np.nan
    a[5, :], a[5, 1], a[6, :] = 0, largest, 0
    b[1, :] = np.clip(b[1, :], -0.9, 0.9)
    a[7, :] *= 2.0**-120  # of which pieces would lose bits
    a[8, :] *= 2.0**90
    return encode(a, "fp32"), encode(b, "fp32")


def in_parts():
    """fp32 by pieces of bf16, summed up by parts of K: as near as multiply-adds, and what is not finite."""
    blocks = ((64, 16, 16), (64, 32, 32), (64, 64, 64), (128, 64, 32), (128, 128, 32), (64, 256, 16),
              (128, 128, 64), (256, 64, 32), (64, 128, 96), (64, 48, 20), (32, 64, 32), (16, 128, 64), (32, 256, 16))
    for i in range(4 * len(blocks)):
        m, n, k = blocks[i // 4]
        precision = ("ieee", "ieee", "bf16x6", "bf16x3", "tf32x3")[i % 5]
        size = (int(random.integers(9, 2 * m)), int(random.integers(5, 2 * n)), int(random.integers(3, 4 * k)))
        operands = (None, (spread(*size[::2]), spread(*size[:0:-1])), special(*size))[i % 3]
        if i % 3 == 2:  # other pieces know of no infinities
            precision = "ieee"
        strided_case("fp32", size, ("nn", "nt", "tn", "tt")[i % 4] + "nt"[i // 4 % 2], precision, "None",
                     (m, n, k), max((4, 8, 16)[i % 3], m * n // 4096), 1 + i % 4, operands)


def whole(dtype, *shape):
    """Numbers of which sums of products are exact."""
    return encode(random.integers(-2, 3, shape).astype(float), dtype)


def places_of_groups():
    """Products of groups in each place of a program: what each makes of the same pieces, exactly."""
    shapes = ((64, 64, 32, 4), (128, 128, 64, 8), (64, 128, 16, 8), (128, 32, 64, 4), (64, 256, 32, 16))
    i = 0
    for kernel in ("read_sums", "carried_late", "two_sums", "nested", "outer_sum", "until", "changed",
                   "half_rounds", "alone"):
        for rounds in (0, 1, 2, 5):
            m, n, step, warps = shapes[i % len(shapes)]
            # a multiple of 8 columns of a, or a number of them that no copy can bring
            place_of_groups(kernel, "bf16" if i % 3 == 1 else "fp16", (m, n, step), rounds,
                            max(rounds * step - (0, 8, 3)[i % 3], 0), warps, 1 + i % 5)
            i += 1


def place_of_groups(kernel, dtype, blocks, rounds, k, warps, stages):
    m, n, step = blocks
    if kernel in ("half_rounds", "alone"):
        dtype = "fp16"
    k = step if kernel == "alone" else k
    a, b = whole(dtype, m, max(k, 1)), whole(dtype, max(k, 1), n)
    # the one that stands for none where k is 0 is read by nobody
    parts = [decode(a)[:, at:min(at + step, k)] @ decode(b)[at:min(at + step, k)] for at in range(0, k, step)]
    sums = np.cumsum([np.zeros((m, n)), *parts], axis=0)
    args = {"a_ptr": a, "b_ptr": b, "c_ptr": empty("fp32", m, n)}
    want, more = {"c_ptr": ("fp32", sums[-1])}, {"k": k}
    if kernel == "read_sums":
        args["top_ptr"] = empty("fp32", m)
        want["top_ptr"] = ("fp32", sums.max((0, 2), initial=0) if k == 0 else np.maximum(sums.max((0, 2)), 0))
    elif kernel == "carried_late":
        args["d_ptr"] = empty("fp32", m, n)
        want["d_ptr"] = ("fp32", sums[:-1].sum(0))
    elif kernel == "two_sums":
        args["d_ptr"] = empty("fp32", m, n)
        signs = [1 if (len(parts) - i) % 2 == 0 else -1 for i in range(len(parts))]
        want["d_ptr"] = ("fp32", sum((s * x for s, x in zip(signs, parts)), np.zeros((m, n))))
    elif kernel == "nested":
        more.update(times=3, skipped=1)
        want["c_ptr"] = ("fp32", 6 * (sums[-1] - (parts[1] if len(parts) > 1 else 0)))
    elif kernel == "outer_sum":
        more.update(times=3)
        want["c_ptr"] = ("fp32", 3 * sums[-1])
    elif kernel == "alone":
        half = rounds % 2 == 0
        kind = "fp16" if half else "fp32"
        args.update(c_ptr=empty(kind, m, n), d_ptr=empty(kind, m, n))
        want, more = {"c_ptr": (kind, sums[-1]), "d_ptr": (kind, 2 * sums[-1])}, {"HALF": half}
    elif kernel == "half_rounds":
        args["c_ptr"] = empty("fp16", m, n)
        want = {"c_ptr": ("fp16", sums[-1])}
    elif kernel == "changed":
        side = "ab"[rounds % 2]
        x, y = (2 * decode(a) + 1, decode(b)) if side == "a" else (decode(a), 2 * decode(b) + 1)
        more["SIDE"] = repr(side)
        want["c_ptr"] = ("fp32", x[:, :k] @ y[:k])
    more.update(M=m, N=n, K=step)
    if kernel not in ("until", "alone"):
        more["STAGES"] = stages
    case(f"{kernel} {dtype} {blocks} k={k} {warps} warps {stages} stages", kernel, 1, {**args, **more},
         want, warps, arch="sm_90a", file="groups")

TENSOR_SHAPES = ((64, 64, 64, 4), (128, 64, 32, 8), (64, 128, 64, 8), (128, 128, 64, 4), (64, 32, 16, 4))


def tensor_case(kernel, how, i, m, n, k, dtype="fp16", **more):
    """A product of gpu/tensors.py: by strides that copies can have, and one that they cannot."""
    *blocks, warps = TENSOR_SHAPES[i % len(TENSOR_SHAPES)]
    wide = (0, 8 if dtype == "fp16" else 16, 3)[i % 3]  # elements behind each row
    k = k * blocks[2] if how == "even" else k
    a, b = whole(dtype, m, k + wide), whole(dtype, k, n + wide)
    args, want = {"a_ptr": a, "b_ptr": b}, decode(a)[:, :k] @ decode(b)[:, :n]
    rows = -(-m // blocks[0]) * blocks[0]
    if how == "seen":
        want = want[np.arange(rows) % m]
    if how == "chosen":
        want = np.concatenate([want, np.full((rows - m, n), -1.0)])
    args["c_ptr"] = empty("fp32", *want.shape)
    if how == "added":
        args["c_ptr"] = whole("fp32", *want.shape)
        want = want + decode(args["c_ptr"])
    numbers = {"m": m, "n": n, "k": k, "am": k + wide, "bk": n + wide, **more}
    if how:
        numbers["HOW"] = repr(how)
    numbers.update(M=blocks[0], N=blocks[1], K=blocks[2], STAGES=1 + i % 5)
    case(f"{kernel} {how} {dtype} {m}x{n}x{k} {blocks} {warps} warps {1 + i % 5} stages", kernel,
         f"cdiv({m},{blocks[0]}),{'2' if kernel == 'by_descriptors' else f'cdiv({n},{blocks[1]})'}",
         {**args, **numbers}, {"c_ptr": ("fp32", want)}, warps, arch="sm_90a", file="tensors")


def moved_case(how, i):
    *blocks, warps = TENSOR_SHAPES[i % len(TENSOR_SHAPES)]
    m, n, k, back = 100, 72, 88, 5
    all_rows = whole("fp16", 4 * m, k)
    rows = decode(all_rows)
    first = {"before": m - back, "below": m + 1, "loaded": m + 7, "heads": 3 * m}.get(how, m)
    there = rows[first:first + 2 * m:2] if how == "alone" else rows[first:first + m]
    if how == "cut":
        there = np.concatenate([np.zeros((back, k)), rows[m:2 * m - back]])
    b = whole("fp16", k, n)
    case(f"moved {how} {blocks}", "moved", f"cdiv({m},{blocks[0]}),cdiv({n},{blocks[1]})",
         {"_all_ptr": all_rows, "a_ptr": f"_all_ptr[{m}:]" if how != "heads" else "_all_ptr[:]", "b_ptr": b,
          "c_ptr": empty("fp32", m, n),
          "at_ptr": np.array([7 if how == "loaded" else 3], np.int32), "m": m, "n": n, "k": k, "am": k,
          "bk": n, "back": back, "HOW": repr(how), "M": blocks[0], "N": blocks[1], "K": blocks[2],
          "STAGES": 2 + i % 3}, {"c_ptr": ("fp32", there @ decode(b))}, warps, arch="sm_90a", file="tensors",
         unchecked=how == "before")


def by_tensors():
    """Tiles that copies of tensor maps bring, where they may: all spellings by all strides, exactly."""
    i = 0
    for kernel, how in (("by_pointers", "wrapped"), ("by_pointers", "masked"), ("by_pointers", "even"),
                        ("by_pointers", "counted"), ("by_pointers", "seen"), ("by_pointers", "chosen"),
                        ("by_pointers", "added"), ("by_blocks", ""), ("by_descriptors", "")):
        for m, n, k in ((200, 136, 100), (64, 64, 64), (1, 8, 8), (77, 200, 33), (130, 72, 0), (96, 40, 7)):
            tensor_case(kernel, how, i, m, n, k // 20 if how == "even" else k)
            i += 1
    for how in ("wrapped", "masked", "even", "counted"):  # b's transpose through registers
        for m, n, k in ((200, 144, 112), (64, 64, 64), (130, 80, 96), (96, 48, 0), (77, 128, 240)):
            tensor_case("by_pointers", how, i, m, n, k // 20 if how == "even" else k, dtype="fp8e4nv")
            i += 1
    for how in ("before", "cut", "below", "loaded", "alone", "heads"):
        for _ in range(3):
            moved_case(how, i)
            i += 1


SENT_SHAPES = ((64, 64, 64, 4), (128, 128, 64, 4), (128, 256, 64, 8), (64, 256, 32, 8), (256, 128, 32, 8),
               (128, 64, 64, 8), (64, 128, 64, 4), (64, 32, 32, 4))


def sent_numbers(i, m, n, k, how, out):
    """Blocks, warps, operands and arguments; every fourth time rows of c are as no copy can have them."""
    *blocks, warps = SENT_SHAPES[i % len(SENT_SHAPES)]
    if how == "even":
        m, n = 2 * blocks[0], blocks[1]
    a, b = whole(("fp16", "bf16")[i // 2 % 2], m, k), whole(("fp16", "bf16")[i // 2 % 2], k, n)
    cm = (m if how == "turned" else n) + (0, 16, 48, 3)[i // 3 % 4]
    numbers = {"m": m, "n": n, "k": k, "am": k, "bk": n, "cm": cm}
    more = {"HOW": repr(how), "M": blocks[0], "N": blocks[1], "K": blocks[2], "STAGES": 2 + i % 4}
    return blocks, warps, a, b, numbers, more


def sent_case(how, i, m, n, k, out):
    blocks, warps, a, b, numbers, more = sent_numbers(i, m, n, k, how, out)
    cm, product = numbers["cm"], decode(a) @ decode(b)
    programs = 1 + i % 3
    across = -(-n // blocks[1])
    tiles = -(-m // blocks[0]) * across
    before = decode(whole(out, *((n if how == "turned" else m), cm)))
    want = before.copy()
    if how == "turned":
        want[:, :m] = product.T
    elif how == "again":
        before = want = np.zeros((programs * blocks[0], max(cm, blocks[1]) // 16 * 16))
        numbers["cm"] = want.shape[1]
        for p in range(min(programs, tiles)):
            last = p + (tiles - 1 - p) // programs * programs
            first, left = last // across * blocks[0], last % across * blocks[1]
            tile = product[first:first + blocks[0], left:left + blocks[1]]
            want[p * blocks[0]:p * blocks[0] + blocks[0], :blocks[1]] = 0
            want[p * blocks[0]:p * blocks[0] + tile.shape[0], :tile.shape[1]] = tile
    else:
        numbers_of_tiles = np.arange(m)[:, None] // blocks[0] * across + np.arange(n)[None, :] // blocks[1]
        stored = numbers_of_tiles % 2 == 0 if how == "some" else np.ones((m, n), bool)
        want[:, :n] = np.where(stored, product + (before[:, :n] if how == "read" else 0), before[:, :n])
    args = {"a_ptr": a, "b_ptr": b, "c_ptr": encode(before, out), "d_ptr": encode(before, out), **numbers, **more}
    outputs = {"c_ptr": (out, want)}
    if how == "two":
        twice = before.copy()
        twice[:, :n] = 2 * product
        outputs["d_ptr"] = (out, twice)
    case(f"sent {how} {out} {m}x{n}x{k} {blocks} cm={numbers['cm']} {programs} programs {more['STAGES']} stages", "sent",
         programs, args, outputs, warps, arch="sm_90a", file="tensors", rtol=EPSILON[out])


def sent_once_case(how, i, m, n, k, out):
    blocks, warps, a, b, numbers, more = sent_numbers(i, m, n, k, how, out)
    m, n, cm, product = numbers["m"], numbers["n"], numbers["cm"], decode(a) @ decode(b)
    behind, first, left = {"behind": (0, 5, 8), "batch": (m * cm, 0, 0)}.get(how, (0, 0, 0))
    matrices = 2 if how == "batch" else 1
    shape = (matrices, m + first, cm + left) if how != "behind" else (1, m + first + 1, cm)
    want = decode(whole(out, *shape))
    before = encode(want, out)
    flat = want.reshape(-1)
    for z in range(matrices):
        at = z * behind if how == "batch" else first * cm + left
        for row in range(m):
            values_of_row = np.maximum(product[row], 0) if how == "relu" else product[row] + z
            flat[at + row * cm:at + row * cm + n] = values_of_row
    args = {"a_ptr": a, "b_ptr": b, "c_ptr": before, **numbers, "behind": behind, **more}
    case(f"sent once {how} {out} {m}x{n}x{k} {blocks} cm={cm} {more['STAGES']} stages", "sent_once",
         f"cdiv({m},{blocks[0]}),cdiv({n},{blocks[1]}),{matrices}", args, {"c_ptr": (out, flat.reshape(shape))},
         warps, arch="sm_90a", file="tensors", rtol=EPSILON[out])


def sent():
    """Results that copies of tensor maps bring to memory, where they may, and what lies beside them."""
    i = 0
    for how in ("masked", "blocks", "descriptors", "turned", "two", "some", "again", "read", "twice"):
        for _ in range(6):
            m, n = int(random.integers(1, 400)), int(random.integers(1, 25)) * 16 - (0, 0, 8, 0)[i % 4]
            sent_case(how, i, m, n, int(random.integers(1, 24)) * 8, ("fp16", "bf16", "fp16", "fp32")[i // 2 % 4])
            i += 1
    for how in ("masked", "even", "behind", "batch", "relu"):
        for _ in range(8):
            m, n = int(random.integers(1, 300)), int(random.integers(1, 20)) * 16 - (0, 0, 8, 0, 1)[i % 5]
            sent_once_case(how, i, m, n, int(random.integers(1, 24)) * 8, ("fp16", "bf16", "fp16", "fp32")[i // 2 % 4])
            i += 1


def gram():
    """A tile goes where the ring was when that is over."""
    for dtype, m, k, (bm, bk), warps in (("fp16", 200, 160, (128, 64), 4), ("bf16", 136, 72, (64, 32), 4),
                                         ("fp16", 304, 64, (128, 64), 8)):
        x = floats(dtype, m, k)
        magnitude = np.abs(decode(x)) @ np.abs(decode(x)).T
        case(f"gram {dtype} {m}x{k}", "gram", f"{-(-m // bm)},{-(-m // bm)}",
             {"x_ptr": x, "c_ptr": empty(dtype, m, m), "m": m, "k": k, "xm": k, "cm": m, "M": bm, "K": bk},
             {"c_ptr": (dtype, decode(x) @ decode(x).T)}, warps, file="tensors", rtol=EPSILON[dtype],
             atol=2.0**-22 * magnitude)


def streamed():
    """Loops whose rounds a `while` deals out: programs begin and end within a tile, or have nothing to do."""
    i = 0
    for how, times in (("while", 1), ("twice", 3), ("down", 1)):
        for (m, n, k), each in (((2, 3, 4), 5), ((1, 1, 1), 1), ((3, 2, 5), 4), ((2, 2, 3), 13), ((1, 4, 6), 0)):
            *blocks, warps = TENSOR_SHAPES[i % len(TENSOR_SHAPES)]
            m, n, k, count = m * blocks[0], n * blocks[1], k * blocks[2], m * n * k
            a, b, c = whole("fp16", m, k), whole("fp16", k, n), whole("fp32", m, n)
            want = decode(c) + (times * (decode(a) @ decode(b)) if each else 0)
            case(f"streamed {how} {m}x{n}x{k} {blocks} {each} steps {1 + i % 4} stages", "streamed",
                 -(-count // max(each, 1)) + 1 if each else 2,
                 {"a_ptr": a, "b_ptr": b, "c_ptr": c, "n": n, "k": k, "each": each, "all": count, "HOW": repr(how),
                  "M": blocks[0], "N": blocks[1], "K": blocks[2], "STAGES": 1 + i % 4},
                 {"c_ptr": ("fp32", want)}, warps, arch="sm_90a", file="tensors")
            i += 1


def ragged():
    """Rows of b at no multiple of 16 bytes, so that b is not copied past the registers, in blocks
    that take more registers than a thread has; the copies of a run ahead all the same."""
    for dtype, (m, n, k), blocks, warps, stages, change in (
            ("fp16", (20, 141, 192), (128, 128, 64), 4, 3, False),
            ("fp16", (130, 138, 128), (128, 128, 64), 8, 2, False),
            ("fp16", (9, 260, 128), (128, 256, 64), 8, 3, False),
            ("bf16", (40, 70, 256), (128, 256, 64), 4, 4, True),
            ("fp32", (33, 129, 128), (128, 128, 64), 4, 2, True),
            ("fp16", (33, 144, 128), (128, 256, 64), 8, 1, True)):
        a, b = floats(dtype, m, k), floats(dtype, k, n)
        factor = rounded(decode(b)**2, dtype) if change else decode(b)
        case(f"tutorial {dtype} {m}x{n}x{k} {blocks} {stages} {change}", "tutorial",
             "cdiv(m,M),cdiv(n,N)",
             {"a_ptr": a, "b_ptr": b, "c_ptr": empty("fp32", m, n), **sizes(m, n, k, blocks),
              "stride_am": k, "stride_bk": n, "stride_cm": n, "CHANGE": change},
             {"c_ptr": ("fp32", decode(a) @ factor)}, warps, stages=stages,
             **near(a, factor, "fp32"))


def transposed():
    for kernel, more in (("matmul_blocks", {}), ("matmul_descriptors", {"HALVES": False}),
                         ("matmul_descriptors", {"HALVES": True})):
        for dtype, out, (m, n, k), blocks, warps in (
                ("fp16", "fp16", (45, 72, 96), (32, 32, 32), 4),
                ("bf16", "fp32", (70, 136, 48), (64, 128, 64), 8),
                ("fp32", "fp32", (33, 36, 52), (16, 32, 16), 2),
                ("fp8e5", "fp16", (40, 64, 80), (32, 32, 32), 4)):
            a, b = floats(dtype, m, k), floats(dtype, n, k)
            magnitude = np.abs(decode(a)) @ np.abs(decode(b)).T
            slack = 2.0**-10 if dtype == "fp32" else 2.0**-12 if dtype == "fp8e5" else 2.0**-22
            grid = "cdiv(m,M),cdiv(n,N)" if kernel == "matmul_blocks" else "3"
            case(f"{kernel} {dtype} {m}x{n}x{k} {more}", kernel, grid,
                 {"a_ptr": a, "b_ptr": b, "c_ptr": empty(out, m, n), **sizes(m, n, k, blocks),
                  **more}, {"c_ptr": (out, decode(a) @ decode(b).T)}, warps, rtol=EPSILON[out],
                 atol=slack * magnitude)


def shared():
    for dtype, (m, n, k), splits, blocks, warps in (
            ("fp16", (40, 33, 150), 3, (32, 32, 16), 4), ("fp32", (17, 64, 100), 4, (16, 64, 8), 2),
            ("bf16", (64, 64, 256), 5, (64, 64, 32), 8)):
        a, b = floats(dtype, m, k), floats(dtype, k, n)
        case(f"split k {dtype} {m}x{n}x{k}", "split_k", f"cdiv(m,M)*cdiv(n,N),{splits}",
             {"a_ptr": a, "b_ptr": b, "c_ptr": zeros("fp32", m, n), **sizes(m, n, k, blocks),
              "SPLITS": splits}, {"c_ptr": ("fp32", decode(a) @ decode(b))}, warps,
             **near(a, b, "fp32"))
    for dtype, counts, n, k, blocks, warps in (
            ("fp16", [13, 0, 40, 1], 50, 33, (16, 32, 16), 4),
            ("fp32", [5, 17], 20, 24, (16, 16, 16), 1)):
        start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
        a, b = floats(dtype, int(start[-1]), k), floats(dtype, len(counts), k, n)
        want = np.concatenate([decode(a)[low:high] @ decode(b)[g]
                               for g, (low, high) in enumerate(zip(start, start[1:]))])
        case(f"grouped {dtype} {counts}", "grouped", f"cdiv({max(counts)},M),{len(counts)}",
             {"a_ptr": a, "b_ptr": b, "c_ptr": empty(dtype, *want.shape), "start_ptr": start,
              "n": n, "k": k, "M": blocks[0], "N": blocks[1], "K": blocks[2]},
             {"c_ptr": (dtype, want)}, warps, rtol=EPSILON[dtype], atol=1e-5)


def batches():
    for dtype, shape, warps in (("fp16", (1, 4, 16, 16, 16), 4), ("fp16", (2, 2, 32, 8, 16), 4),
                                ("fp32", (1, 3, 5, 7, 9), 2), ("bf16", (3, 2, 16, 24, 32), 8),
                                ("fp64", (1, 2, 8, 8, 4), 1), ("int8", (2, 2, 16, 16, 32), 4)):
        outer, count, m, n, k = shape
        if dtype == "int8":
            a, b = (random.integers(-128, 128, (outer * count, *s)).astype(np.int8)
                    for s in ((m, k), (k, n)))
            want, out = a.astype(np.int32) @ b.astype(np.int32), "i32"
        else:
            a, b = floats(dtype, outer * count, m, k), floats(dtype, outer * count, k, n)
            want, out = decode(a) @ decode(b), "fp64" if dtype == "fp64" else "fp32"
        case(f"batched {dtype} {shape}", "batched", 1,
             {"a_ptr": a, "b_ptr": b, "c_ptr": empty(out, *want.shape), "OUTER": outer, "B": count,
              "M": m, "N": n, "K": k}, {"c_ptr": (out, want)}, warps,
             rtol=2.0**-22 if out != "fp64" else 1e-14, atol=3e-6 if out != "fp64" else 1e-14)


def words_of_nibbles():
    """Packed weights, scales and zeros that a round loads for the next one, by every number of stages."""
    for i, (stages, (m, n, k), blocks, warps) in enumerate((
            (1, (16, 64, 256), (16, 64, 64), 4), (2, (16, 64, 256), (16, 64, 64), 4),
            (3, (5, 100, 192), (16, 32, 64), 2), (4, (16, 72, 512), (16, 64, 64), 4),
            (5, (33, 40, 136), (32, 16, 32), 1), (4, (70, 64, 64), (64, 64, 64), 4),
            (3, (16, 129, 320), (16, 128, 32), 8), (4, (1, 7, 8), (16, 16, 16), 1),
            (4, (128, 72, 264), (128, 64, 64), 4), (2, (40, 64, 320), (64, 32, 64), 4))):
        for dtype in ("fp16", "bf16", "fp32"):
            group = blocks[2] * (1 + i % 2)
            pieces = -(-k // group)
            x, pad = floats(dtype, m, k), (0, 8, 3)[i % 3]
            weights = random.integers(0, 16, (k, n)).astype(np.uint32)
            zeros = random.integers(0, 16, (pieces, n)).astype(np.uint32)
            shift = 4 * np.arange(8, dtype=np.uint32)
            packed = (weights.reshape(k // 8, 8, n) << shift[None, :, None]).sum(1, dtype=np.uint32)
            wide = np.pad(zeros, ((0, 0), (0, -n % 8))).reshape(pieces, -1, 8)
            packed_zeros = (wide << shift).sum(2, dtype=np.uint32)
            scale = encode(2.0**random.integers(-4, 1, (pieces, n)), dtype)
            each = (lambda t: np.repeat(t, group, 0)[:k])
            weight = (weights.astype(float) - each(zeros)) * each(decode(scale))
            case(f"words of nibbles {dtype} {m}x{n}x{k} {stages} stages", "words_of_nibbles",
                 "cdiv(m,M),cdiv(n,N)",
                 {"x_ptr": x, "w_ptr": np.pad(packed.view(np.int32), ((0, 0), (0, pad))), "scale_ptr": scale,
                  "zero_ptr": packed_zeros.view(np.int32), "y_ptr": empty("fp32", m, n), "m": m, "n": n, "k": k,
                  "stride_x": k, "stride_w": n + pad, "GROUP": group, "M": blocks[0], "N": blocks[1],
                  "K": blocks[2]},
                 {"y_ptr": ("fp32", decode(x) @ weight)}, warps, stages=stages, **near(x, weight, "fp32", 2.0**-21))


def quantised():
    for dtype, other, (m, n, k), blocks, warps in (
            ("i8", "i8", (37, 50, 100), (32, 32, 32), 4),
            ("i8", "i8", (16, 9, 64), (16, 16, 64), 1),
            ("fp8e4nv", "fp8e4nv", (33, 40, 64), (32, 32, 32), 4),
            ("fp8e5", "fp8e4nv", (64, 20, 96), (64, 16, 32), 4),
            ("fp8e5", "fp8e5", (20, 70, 50), (16, 64, 32), 8)):
        pieces = -(-k // blocks[2])
        if dtype == "i8":
            a, b = (random.integers(-128, 128, s).astype(np.int8) for s in ((m, k), (k, n)))
        else:
            a, b = floats(dtype, m, k), floats(other, k, n)
        row = random.random((m, pieces)).astype(np.float32) + 0.5
        column = random.random(n).astype(np.float32) + 0.5
        wide = np.repeat(row, blocks[2], axis=1)[:, :k].astype(np.float64) * decode(a)
        want = wide @ decode(b) * column
        magnitude = np.abs(wide) @ np.abs(decode(b).astype(np.float64)) * column
        case(f"scaled {dtype} {other} {m}x{n}x{k}", "scaled", "cdiv(m,M),cdiv(n,N)",
             {"a_ptr": a, "b_ptr": b, "c_ptr": empty("fp32", m, n), "row_scale_ptr": row,
              "column_scale_ptr": column, **sizes(m, n, k, blocks)}, {"c_ptr": ("fp32", want)},
             warps, rtol=1e-6, atol=magnitude * (2.0**-12 if dtype != "i8" else 2.0**-22))
    for kind, dtype, (m, n, k), blocks, groups, warps in (
            ("i8", "fp16", (32, 64, 128), (32, 64, 64), False, 4),
            ("u8", "fp16", (20, 48, 96), (16, 32, 32), True, 2),
            ("i8", "bf16", (32, 64, 100), (32, 64, 50), True, 4),
            ("fp8e4nv", "fp16", (64, 32, 64), (64, 32, 32), True, 4),
            ("i8", "fp16", (100, 64, 128), (64, 64, 32), True, 4),
            ("u8", "bf16", (128, 128, 96), (128, 128, 32), False, 8),
            ("u8", "fp32", (16, 32, 64), (16, 32, 32), False, 1)):
        w, x = values(kind, k, n), floats(dtype, m, k)
        pieces = -(-k // blocks[2]) if groups else 1
        zero = encode(random.integers(0, 4, n), dtype)
        scale = encode(2.0**random.integers(-4, 1, (pieces, n)), dtype)
        wide = np.repeat(decode(scale), blocks[2] if groups else k, 0)[:k]
        weight = rounded(decode(w) - decode(zero), dtype) * wide
        case(f"scaled weights {kind} {dtype} groups={groups}", "scaled_weights",
             "cdiv(m,M),cdiv(n,N)",
             {"x_ptr": x, "w_ptr": w, "scale_ptr": scale, "zero_ptr": zero,
              "y_ptr": empty("fp32", m, n), "m": m, "n": n, "k": k, "GROUPS": groups,
              "M": blocks[0], "N": blocks[1], "K": blocks[2]},
             {"y_ptr": ("fp32", decode(x) @ weight)}, warps, **near(x, weight, "fp32", 2.0**-21))
    for packed_rows, dtype, (m, n, k), blocks, group, warps in (
            (True, "fp16", (20, 40, 96), (16, 32, 32), 32, 4),
            (False, "fp16", (33, 50, 64), (32, 32, 16), 16, 4),
            (True, "bf16", (5, 72, 80), (16, 64, 32), 16, 2),
            (True, "fp16", (70, 72, 96), (64, 64, 32), 32, 4),
            (False, "fp32", (16, 24, 48), (16, 8, 16), 48, 1)):
        w = random.integers(0, 16, (k, n)).astype(np.uint8)
        packed = w[0::2] | w[1::2] << 4 if packed_rows else w[:, 0::2] | w[:, 1::2] << 4
        zero = random.integers(0, 16, (k // group, n)).astype(np.int8)
        scale = encode(2.0**random.integers(-4, 1, (k // group, n)), dtype)
        x = floats(dtype, m, k)
        weight = (w - np.repeat(zero, group, 0).astype(np.float64)) \
            * np.repeat(decode(scale), group, 0)
        case(f"four bits {dtype} rows={packed_rows}", "four_bits", "cdiv(m,M),cdiv(n,N)",
             {"x_ptr": x, "w_ptr": packed, "scale_ptr": scale, "zero_ptr": zero,
              "y_ptr": empty("fp32", m, n), "m": m, "n": n, "k": k, "PACKED_ROWS": packed_rows,
              "GROUP": group, "M": blocks[0], "N": blocks[1], "K": blocks[2]},
             {"y_ptr": ("fp32", decode(x) @ weight)}, warps,
             **near(x, weight, "fp32", 2.0**-10 if dtype == "fp32" else 2.0**-21))
    fours = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
    fours = np.concatenate([fours, -fours])
    for along_k, (m, n, k), blocks, warps in (
            (True, (64, 128, 256), (64, 128, 128), 4),
            (True, (32, 64, 96), (16, 32, 32), 1),
            (False, (64, 128, 128), (64, 128, 64), 8),
            (False, (16, 64, 64), (16, 64, 64), 4)):
        codes = random.integers(0, 16, (k, n)).astype(np.uint8)
        packed = (codes[0::2] | codes[1::2] << 4).T if along_k else codes[:, 0::2] | codes[:, 1::2] << 4
        scale = random.integers(120, 134, (n, k // 32)).astype(np.uint8)
        x = encode(random.integers(-8, 9, (m, k)), "bf16")
        weight = fours[codes] * np.repeat(2.0**(scale.astype(np.float64) - 127), 32, 1).T
        case(f"scaled fours {m}x{n}x{k} along K={along_k}", "scaled_fours",
             f"{m // blocks[0]},{n // blocks[1]}",
             {"x_ptr": x, "w_ptr": np.ascontiguousarray(packed), "scale_ptr": scale,
              "y_ptr": empty("fp32", m, n), "n": n, "k": k, "M": blocks[0], "N": blocks[1],
              "K": blocks[2], "ALONG_K": along_k},
             {"y_ptr": ("fp32", decode(x) @ weight)}, warps, rtol=0, atol=0)


def values(dtype, *shape):
    if dtype not in ("i8", "u8"):
        return floats(dtype, *shape)
    kind = np.int8 if dtype == "i8" else np.uint8
    low = -128 if dtype == "i8" else 0
    return random.integers(low, low + 256, shape).astype(kind)


def any_types(dtype, other, size, order, blocks, warps, arch, cast=None, out=None, imprecise=None):
    (m, n, k), turn = size, order.endswith("T")
    a, b = values(dtype, m, k), values(other, k, n)
    if dtype == other == "i8":
        out, near_by, want = "i32", {}, a.astype(np.int32) @ b.astype(np.int32)
    else:
        out = out or ("fp64" if dtype == "fp64" else "fp32")
        by_unit = dtype.startswith("fp8") and other.startswith("fp8") and imprecise != 0
        near_by = near(a, b, out, 2.0**-50 if out == "fp64" else FP8_UNIT if by_unit else None)
        wide = decode(a).astype(float)
        want = (rounded(wide, other) if cast == "a" and other.startswith("fp8") else wide) @ decode(b)
    args = {name + "_ptr": turned(x) if letter != "n" else x
            for name, x, letter in zip("ab", (a, b), order)}
    args.update({"c_ptr": empty(out, m, n), "m": m, "n": n, "k": k})
    for pair, letter, rows, columns in (("am ak", order[0], m, k), ("bk bn", order[1], k, n)):
        first, second = ("stride_" + word for word in pair.split())
        args[first], args[second] = (1, rows) if letter != "n" else (columns, 1)
    args.update({"M": blocks[0], "N": blocks[1], "K": blocks[2], "STAGES": 1 + m // 32,
                 "CAST": repr(cast), "TURN": turn, "IMPRECISE": repr(imprecise)})
    case(f"any types {dtype} {other} {m}x{n}x{k} {order} {arch} {cast} {out} {imprecise}", "any_types",
         "cdiv(m,M),cdiv(n,N)", args, {"c_ptr": (out, want)}, warps,
         arch=arch, **near_by)


def casts_of_operands():
    """What is cast in front of a product comes into shared memory as it is."""
    for row in (
            ("fp16", "i8", (64, 64, 128), "nn", (32, 64, 64), 4, "sm_90a", "b"),
            ("fp16", "i8", (48, 64, 96), "nt", (48, 32, 32), 2, "sm_80", "b"),
            ("fp16", "i8", (48, 64, 96), "nT", (16, 32, 32), 2, "sm_80", "b"),
            ("bf16", "u8", (64, 80, 64), "tn", (64, 16, 32), 4, "sm_90a", "b"),
            ("i8", "fp16", (64, 32, 64), "tn", (32, 32, 64), 4, "sm_80", "a"),
            ("u8", "fp16", (32, 40, 50), "nn", (32, 32, 16), 1, "sm_80", "a"),
            ("i8", "fp8e5", (64, 16, 128), "nn", (32, 16, 64), 4, "sm_90a", "a"),
            ("i8", "fp8e4nv", (48, 40, 96), "nt", (16, 32, 32), 2, "sm_89", "a"),
            ("fp16", "fp8e5", (64, 64, 96), "nn", (64, 32, 32), 8, "sm_80", "b"),
            ("fp16", "fp8e4nv", (64, 64, 96), "nn", (64, 32, 32), 4, "sm_90a", "b"),
            ("bf16", "fp8e4nv", (32, 64, 64), "nt", (32, 64, 64), 4, "sm_80", "b"),
            ("fp8e4nv", "fp32", (32, 32, 64), "tt", (32, 32, 32), 4, "sm_90a", "a"),
            ("fp32", "bf16", (32, 48, 64), "nn", (32, 16, 32), 2, "sm_80", "b"),
            ("fp64", "fp16", (16, 32, 64), "nn", (16, 32, 16), 2, "sm_80", "b")):
        any_types(*row)


def bytes_in_any_order():
    """Operands of a byte whose neighbours in memory lie along K or across it; on the simulator also
    for a chip that multiplies fp8 itself."""
    for row in (
            ("i8", "i8", (64, 96, 160), "nn", (32, 32, 64), 4, "sm_90a"),
            ("i8", "i8", (64, 64, 96), "nt", (64, 32, 32), 2, "sm_80"),
            ("i8", "i8", (48, 64, 128), "tn", (16, 64, 64), 4, "sm_90a"),
            ("i8", "i8", (80, 32, 64), "tt", (32, 16, 32), 1, "sm_100"),
            ("fp8e4nv", "fp8e4nv", (64, 80, 96), "nn", (64, 16, 32), 4, "sm_90a"),
            ("fp8e4nv", "fp8e4nv", (64, 48, 96), "tn", (32, 32, 64), 2, "sm_89"),
            ("fp8e4nv", "fp8e5", (64, 64, 160), "tt", (64, 64, 32), 8, "sm_89"),
            ("fp8e5", "fp8e4nv", (32, 64, 64), "nt", (32, 64, 64), 4, "sm_80"),
            ("fp8e5", "fp8e5", (48, 64, 64), "tn", (48, 64, 64), 4, "sm_90a"),
            ("fp8e5", "fp8e5", (32, 32, 48), "nn", (32, 32, 16), 1, "sm_89")):
        any_types(*row)


def chains():
    for dtype, (m, n, k, p), warps in (("fp16", (32, 64, 16, 32), 4), ("bf16", (64, 16, 32, 16), 2),
                                       ("fp32", (16, 32, 16, 64), 4), ("fp32", (9, 12, 5, 10), 1),
                                       ("fp16", (128, 128, 64, 64), 8)):
        a, b, c = floats(dtype, m, k), floats(dtype, k, n), floats(dtype, n, p)
        ab = decode(a) @ decode(b)
        gate = rounded(ab / (1 + np.exp(-ab)), dtype)
        small = rounded(ab, dtype)
        atol = 2 * EPSILON[dtype] * (np.abs(gate) @ np.abs(decode(c))).max() / 8 + 1e-4
        # an element of a @ b that lies at a tie may be rounded the other way
        atol = max(atol, EPSILON[dtype] * np.abs(small).max() ** 2)
        case(f"chained {dtype} {m}x{n}x{k}x{p}", "chained", 1,
             {"a_ptr": a, "b_ptr": b, "c_ptr": c, "out_ptr": empty("fp32", m, p),
              "gram_ptr": empty("fp32", n, n), "M": m, "N": n, "K": k, "P": p},
             {"out_ptr": ("fp32", gate @ decode(c)), "gram_ptr": ("fp32", small.T @ small)}, warps,
             rtol=EPSILON[dtype] / 2 + 1e-5, atol=float(atol))
    for dtype, (m, n, k), blocks, warps in (("fp16", (40, 50, 60), (32, 32, 32), 4),
                                            ("bf16", (16, 130, 32), (16, 128, 16), 8),
                                            ("fp16", (128, 64, 96), (64, 64, 32), 4),
                                            ("bf16", (100, 72, 80), (128, 64, 16), 8)):
        x, w, v = floats(dtype, m, k), floats(dtype, k, n), floats(dtype, k, n)
        g = decode(x) @ decode(w)
        want = g / (1 + np.exp(-g)) * (decode(x) @ decode(v))
        case(f"both gates {dtype}", "both_gates", "cdiv(m,M),cdiv(n,N)",
             {"x_ptr": x, "w_ptr": w, "v_ptr": v, "out_ptr": empty(dtype, m, n),
              **sizes(m, n, k, blocks)}, {"out_ptr": (dtype, want)}, warps, rtol=EPSILON[dtype],
             atol=1e-4)
    for dtype, n, exponent, warps in (("fp32", 16, 13, 4), ("fp64", 8, 6, 1), ("fp32", 7, 0, 2)):
        x = encode(random.standard_normal((n, n)) * 0.3, dtype)
        case(f"powers {dtype} {n} {exponent}", "powers", 1,
             {"x_ptr": x, "out_ptr": empty(dtype, n, n), "exponent": exponent, "N": n},
             {"out_ptr": (dtype, np.linalg.matrix_power(decode(x), exponent))}, warps,
             rtol=100 * EPSILON[dtype], atol=100 * EPSILON[dtype])


def others():
    a, b, c = (random.integers(-4, 5, s).astype(np.float16) for s in ((32, 16), (16, 64), (32, 64)))
    case("half sums", "half_sums", 1, {"a_ptr": a, "b_ptr": b, "c_ptr": c, "M": 32, "N": 64,
                                       "K": 16},
         {"c_ptr": ("fp16", decode(a) @ decode(b) + decode(c))})
    for dtype, n, k, warps in (("fp16", 128, 96, 4), ("bf16", 64, 40, 4)):
        a = floats(dtype, n, k)
        want = decode(a) @ decode(a).T
        case(f"both ways {dtype}", "both_ways", 1,
             {"a_ptr": a, "c_ptr": empty(dtype, n, n), "d_ptr": empty(dtype, n, n), "n": n, "k": k,
              "N": n, "K": 32}, {"c_ptr": (dtype, want), "d_ptr": (dtype, want.T)}, warps,
             **near(a, turned(a), dtype))
    for dtype, m, k, blocks, warps in (("fp16", 70, 200, (32, 64), 4),
                                       ("fp32", 13, 100, (7, 33), 2),
                                       ("bf16", 8, 2000, (8, 1024), 8)):
        a, x = floats(dtype, m, k), floats(dtype, k)
        y = decode(a) @ decode(x)
        case(f"matvec {dtype} {m}x{k}", "matvec", "cdiv(m,M)",
             {"a_ptr": a, "x_ptr": x, "y_ptr": empty("fp32", m), "z_ptr": zeros("fp32", k), "m": m,
              "k": k, "M": blocks[0], "K": blocks[1]},
             {"y_ptr": ("fp32", y), "z_ptr": ("fp32", decode(a).T @ y)}, warps, rtol=1e-5,
             atol=1e-3)
    index = np.array([5, -1, 0, 5, 9, 2, -1, 7] * 4, np.int32)
    x, w = floats("fp16", 10, 40), floats("fp16", 40, 32)
    rows = np.where((index >= 0)[:, None], decode(x)[np.maximum(index, 0)], 0)
    case("gathered rows", "gathered_rows", 2,
         {"x_ptr": x, "index_ptr": index, "w_ptr": w, "y_ptr": empty("fp32", 32, 32), "n": 32,
          "k": 40, "M": 16, "N": 32, "K": 16},
         {"y_ptr": ("fp32", rows @ decode(w) + np.tanh(index)[:, None])}, rtol=1e-5, atol=1e-5)


strided()
ragged()
transposed()
shared()
batches()
quantised()
words_of_nibbles()
bytes_in_any_order()
casts_of_operands()
chains()
others()
by_groups()
in_parts()
places_of_groups()
by_tensors()
sent()
gram()
streamed()
suite.finish()
