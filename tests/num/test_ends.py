"""Products whose results are cast, biased, scaled, cut or added to before they are stored
(programs/ends.py), against NumPy: every dtype, blocks that extents fill and that they do not, rows of
the result that are apart, and what is added read from the array that is stored to.

Numbers are small and whole, so all sums are exact; some are NaN or infinite.
"""

import numpy as np

from harness import Suite, decode, encode, generator

suite = Suite(one_in=5)
random = generator()

# dtypes of a and b, of the sum, of what is stored
DTYPES = [("fp32", "fp32", "fp32"), ("fp32", "fp32", "fp16"), ("fp32", "fp32", "bf16"),
          ("fp32", "fp32", "i32"), ("fp16", "fp32", "fp16"), ("bf16", "fp32", "bf16"),
          ("bf16", "fp32", "fp64"), ("fp64", "fp64", "fp32"), ("i8", "i32", "i32"),
          ("i8", "i32", "fp32"), ("i8", "i32", "i8"), ("fp16", "fp16", "fp32")]
ENDS = ["none", "bias", "scale", "above", "both", "picked", "more", "shifted", "index"]
# batches, M, N, K, BLOCK_M, BLOCK_N, BLOCK_K
SHAPES = [(2, 32, 32, 32, 32, 32, 32), (1, 33, 40, 70, 32, 32, 32), (1, 50, 17, 33, 48, 16, 16),
          (3, 7, 33, 31, 7, 33, 31), (1, 20, 20, 20, 20, 20, 8), (1, 65, 70, 13, 32, 48, 16),
          (1, 4, 5, 6, 4, 8, 8), (5, 16, 16, 16, 16, 16, 16), (1, 100, 9, 40, 64, 8, 8),
          (1, 30, 150, 20, 8, 128, 16)]


def numbers(dtype, *shape):
    values = random.integers(-3, 4, shape).astype(np.float64)
    if dtype not in ("i8", "i32", "i16") and random.integers(0, 3) == 0:
        for special in (np.inf, -np.inf, np.nan):
            values[tuple(random.integers(0, e) for e in shape)] = special
    return values


def ended(end, total, bias, scale, d, gap):
    m, n = total.shape[1:]
    if end in ("bias", "both"):
        total = total + bias
    if end in ("scale", "both"):
        total = total * scale[:, None]
    if end in ("above", "both"):
        total = np.fmax(total, 0)
    if end == "picked":
        total = np.where(total > 3, total - np.arange(n), -total)
    if end == "more":
        total = 2 * total + 3 * d[:m, :n]
    if end == "shifted":
        total = total + d.ravel()[1:][np.arange(m)[:, None] * (n + gap) + np.arange(n)]
    if end == "index":
        total = total + np.arange(m)[:, None] - 2 * np.arange(n)
    return total


def product(x, y):
    return np.stack([np.stack([(row[:, None] * b).sum(0) for row in a]) for a, b in zip(x, y)])


def case(kernel, dtypes, end, shape, in_place):
    t, sums, stored = dtypes
    batches, m, n, k, *blocks = shape
    if kernel == "single":
        blocks[2] = 1 << (k - 1).bit_length()
    gap = int(random.integers(0, 9))
    x, y = numbers(t, batches, m, k), numbers(t, batches, k, n)
    bias, scale = numbers("i32", n), numbers("i32", m)
    old = numbers("i32", batches, m + 1, n + gap)
    if in_place:  # of one batch; there is a row more, for what is shifted
        d = old[0]
    else:
        d = numbers("i32", m + 1, n + gap)
    with np.errstate(all="ignore"):
        want = ended(end, product(x, y), bias, scale, d, gap)
    if stored[0] == "i":
        if not np.all(np.isfinite(want)):
            return
        want = want.astype(np.int64).astype({"i8": np.int8, "i16": np.int16, "i32": np.int32}[stored])
    c = encode(old[:, :m] if not in_place else old, stored)
    after = decode(c).astype(np.float64)
    after[:, :m, :n] = decode(encode(want, stored))
    names = dict(zip(("BLOCK_M", "BLOCK_N", "BLOCK_K"), blocks))
    args = {"a": encode(x, t), "b": encode(y, t), "c": c, "bias": encode(bias, sums),
            "scale": encode(scale, sums), "d": encode(d, sums), "M": m, "N": n, "K": k, "am": k, "ak": 1,
            "bk": n, "bn": 1, "cm": n + gap, "dm": n + gap, "END": repr(end), **names}
    if in_place:
        args["d"] = "c"
    # what is shifted in place is a race between lanes on a GPU
    suite.case(f"{kernel} {'in place ' if in_place else ''}{end} {' '.join(dtypes)} {shape} {gap}",
               f"programs/ends.py:{kernel}", f"cdiv(N,BLOCK_N),cdiv(M,BLOCK_M),{batches}", args,
               {"c": (stored, after)}, unchecked=in_place and end == "shifted")


def gated(m, n, k, block, counted):
    x, y, z = (random.integers(-3, 4, s).astype(np.float32) for s in ((m, k), (k, n), (k, n)))
    total = x @ y
    want = total * sum(i + 1 for i in range(0, k, block)) if counted else np.where(x @ z > 0, total, -total)
    suite.case(f"gated {m}x{n}x{k} by {block} {counted}", "programs/ends.py:gated", "1",
               {"a": x, "b": y, "g": z, "c": np.zeros((m, n), np.float32), "K": k, "BLOCK_M": m,
                "BLOCK_N": n, "BLOCK_K": block, "COUNTED": counted}, {"c": ("fp32", want)})


def ragged(m, n, k, by_column):
    x, y = numbers("fp32", m, k), numbers("fp32", k, n)
    block, tiles = 16, -(-n // 16) if by_column else -(-m // 16)
    depths = random.integers(0, k // 8 + 1, tiles).astype(np.int32) * 8
    ends = np.repeat(np.minimum(-(-depths // block) * block, k), 16)[:n if by_column else m]
    counts = np.arange(k) < ends[:, None]  # of each row of a, or column of b
    with np.errstate(all="ignore"):
        want = sum(np.where(counts[:, d] if by_column else counts[:, d, None],
                            x[:, d, None] * y[d].astype(np.float64), 0) for d in range(k))
    suite.case(f"ragged {m}x{n}x{k} {by_column}", "programs/ends.py:ragged",
               f"{-(-n // block)},{-(-m // block)}",
               {"a": x.astype(np.float32), "b": y.astype(np.float32), "c": np.zeros((m, n), np.float32),
                "depths": depths, "M": m, "N": n, "K": k, "BLOCK_M": block, "BLOCK_N": block,
                "BLOCK_K": block, "BY_COLUMN": by_column}, {"c": ("fp32", want)})


def started(start, dtypes, shape):
    t, sums, _ = dtypes
    batches, m, n, k, *blocks = shape
    if start == "turned" and (blocks[0] != blocks[1] or m > blocks[0] or n > blocks[1]):
        return
    x, y = numbers(t, batches, m, k), numbers(t, batches, k, n)
    scale, bias = numbers("i32", m), numbers("i32", n)
    # a turned block brings what is computed beyond an edge back inside: zeros times infinity are NaN there
    rows, columns = blocks[:2] if start == "turned" else (m, n)
    wide_x, wide_y = np.zeros((batches, rows, k)), np.zeros((batches, k, columns))
    wide_x[:, :m], wide_y[:, :, :n] = x, y
    total = np.zeros((batches, rows, columns))
    with np.errstate(all="ignore"):
        for first in range(0, k, blocks[2]):
            if start in ("scaled", "column"):
                total = total * scale[:, None]
            if start == "column":
                total = total + bias
            if start == "number":
                total = total * (first + 2)
            if start == "picked":
                total = np.where(np.arange(m)[:, None] % 3 == np.arange(n) % 2, total, -total)
            if start == "turned":
                total = total.transpose(0, 2, 1).copy()
            total += product(wide_x[:, :, first:first + blocks[2]], wide_y[:, first:first + blocks[2]])
    names = dict(zip(("BLOCK_M", "BLOCK_N", "BLOCK_K"), blocks))
    suite.case(f"started {start} {t} {sums} {shape}", "programs/ends.py:started",
               f"cdiv(N,BLOCK_N),cdiv(M,BLOCK_M),{batches}",
               {"a": encode(x, t), "b": encode(y, t), "c": encode(np.zeros((batches, m, n)), sums),
                "scale": encode(scale, sums), "bias": encode(bias, sums), "M": m, "N": n, "K": k, **names,
                "START": repr(start)}, {"c": (sums, total[:, :m, :n])})


for m, n, k, block in ((32, 32, 32, 32), (32, 64, 96, 32), (16, 20, 40, 8), (64, 32, 64, 16)):
    for counted in (False, True):
        gated(m, n, k, block, counted)
for m, n, k, by_column in ((60, 50, 40, False), (60, 50, 40, True), (30, 200, 90, False), (200, 20, 64, True)):
    ragged(m, n, k, by_column)
for i, shape in enumerate(SHAPES + [(1, 30, 29, 70, 32, 32, 16), (2, 16, 16, 40, 16, 16, 8)]):
    for j, start in enumerate(("scaled", "number", "column", "picked", "turned")):
        if (i + j) % 2 == 0 or start == "turned":
            started(start, (("fp32", "fp32", ""), ("i8", "i32", ""), ("bf16", "fp32", ""),
                            ("fp64", "fp64", ""))[(i + j // 2) % 4], shape)
# every pair of a shape, dtypes and an end; a third of all three together, each by one of two kernels
for i, shape in enumerate(SHAPES):
    for j, dtypes in enumerate(DTYPES):
        for k, end in enumerate(ENDS):
            if (i + j + k) % 3 == 0:
                case(("looped", "single")[(i + j + k) // 3 % 2], dtypes, end, shape, False)
for shape in SHAPES:
    if shape[0] == 1:
        for dtypes in [d for d in DTYPES if d[1] == d[2]]:
            for kernel in ("looped", "single"):
                case(kernel, dtypes, "more", shape, True)
                if shape[1] <= shape[4] and shape[2] <= shape[5]:  # one program
                    case(kernel, dtypes, "shifted", shape, True)
suite.finish()
