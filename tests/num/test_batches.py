"""Loops of products that may be one product of what lies in memory (programs/batches.py), against NumPy:
extents around those of blocks and vectors, rows that are further apart than they are long, with NaN
behind them, and loops whose rounds do not follow one another in memory, as those that do.

Numbers are small and whole, so all sums are exact; some are NaN or infinite.
"""

import numpy as np

from harness import Suite, decode, encode, generator

suite = Suite(one_in=4)
random = generator()

FORMS = ["plain", "plain", "added", "apart", "bent", "uneven"]
# batches, M, N, K, BLOCK_M, BLOCK_N, BLOCK_K
SHAPES = [(3, 33, 33, 33, 64, 64, 32), (4, 48, 48, 48, 64, 64, 16), (2, 15, 17, 31, 16, 32, 16),
          (5, 1, 1, 1, 16, 16, 16), (2, 2, 16, 64, 16, 16, 16), (3, 13, 47, 100, 16, 64, 32),
          (2, 29, 32, 95, 32, 32, 32), (1, 70, 35, 65, 64, 64, 16), (1, 7, 130, 40, 16, 64, 16),
          (3, 64, 64, 64, 64, 64, 32), (2, 9, 20, 17, 16, 32, 16), (1, 100, 31, 50, 32, 32, 16)]
# of one row or a few, of one column or a few, whose rows may be far apart
THIN = [(1, 1, 150, 70, 16, 128, 16), (2, 2, 140, 33, 16, 64, 16), (1, 3, 129, 40, 16, 64, 32),
        (1, 4, 70, 64, 16, 64, 32), (2, 40, 1, 100, 32, 16, 32), (1, 37, 1, 64, 64, 16, 32),
        (1, 1, 150, 70, 16, 64, 16), (2, 1, 107, 41, 16, 64, 32), (1, 1, 300, 33, 16, 256, 16),
        (1, 1, 1, 37, 16, 16, 16), (3, 19, 1, 5, 16, 16, 16), (1, 50, 9, 40, 32, 16, 16)]


def lie(numbers, gap):
    """Rows with NaN behind each but the last one."""
    batches, rows, columns = numbers.shape
    wide = np.full((batches, rows, columns + gap), np.nan)
    wide[:, :, :columns] = numbers
    flat = wide.ravel()
    return flat[:flat.size - gap]


def some(*shape):
    values = random.integers(-3, 4, shape).astype(np.float64)
    if random.integers(0, 3) == 0:
        for special in (np.inf, -np.inf, np.nan):
            values[tuple(random.integers(0, e) for e in shape)] = special
    return values


def case(shape, form, dtype, stored, gaps):
    batches, m, n, k, *blocks = shape
    gap, depth = int(random.choice(gaps)), blocks[2]
    rounds, jump = -(-k // depth), int(random.integers(1, 6))
    starts = np.arange(rounds) * depth
    x_from = starts + (jump * np.arange(rounds) * (np.arange(rounds) - 1) // 2 if form == "bent" else 0)
    y_from = np.arange(rounds) * jump if form == "apart" else starts
    x = some(batches, m, int(x_from.max()) + depth)  # of which the last rounds take a part
    y = some(batches, int(y_from.max()) + depth, n)
    old = random.integers(-9, 10, (batches, m, n)).astype(np.float64)
    with np.errstate(all="ignore"):
        want = old if form == "added" else np.zeros(old.shape)
        for i in range(rounds):
            here = min(depth, k - starts[i])
            there = max(min(here, k - starts[i] - jump), 0) if form == "uneven" else here
            for d in range(here):
                row = y[:, y_from[i] + d, None, :] if d < there else np.zeros((batches, 1, n))
                want = want + x[:, :, x_from[i] + d, None] * row
    c = encode(lie(old, gap), stored)
    after = decode(c).astype(np.float64)
    padded = np.concatenate([after, np.full(gap, np.nan)]).reshape(batches, m, n + gap)
    padded[:, :, :n] = decode(encode(want, stored))
    after = padded.ravel()[:after.size]
    names = dict(zip(("BLOCK_M", "BLOCK_N", "BLOCK_K"), blocks))
    am, bk, cm = x.shape[2] + gap, n + gap, n + gap
    suite.case(f"{form} {dtype} {stored} {shape} {gap} {jump}", "programs/batches.py:batches",
               f"cdiv(N,BLOCK_N),cdiv(M,BLOCK_M),{batches}",
               {"a": encode(lie(x, gap), dtype), "b": encode(lie(y, gap), dtype), "c": c, "M": m, "N": n,
                "K": k, "am": am, "bk": bk, "cm": cm, "a_batch": m * am, "b_batch": y.shape[1] * bk,
                "c_batch": m * cm, "jump": jump, "FORM": repr(form), **names},
               {"c": (stored, after)})


for shapes, gaps in ((SHAPES, [0, 0, 1, 7, 16]), (THIN, [0, 0, 3, 520])):
    for shape in shapes:
        for form in FORMS:
            case(shape, form, "fp32", "fp32", gaps)
        for dtype, stored in (("fp64", "fp64"), ("fp32", "fp16"), ("fp16", "fp32")):
            case(shape, "plain", dtype, stored, gaps)


def chosen(batches, m, n, k, whose, by, dtype):
    """Tiles that a mask of data has holes in, which no place in memory has."""
    x, y = some(batches, m, k), some(batches, k, n)
    of_a, of_b = random.integers(0, 2, (m, k)), random.integers(0, 2, (k, n))
    end = int(random.integers(1, max(m, k) + 1))
    if by == "bytes":
        p, q = of_a != 0, of_b != 0
    elif by == "bytes and bounds":
        p, q = (of_a != 0) & (np.arange(m)[:, None] < end), (of_b != 0) & (np.arange(k)[:, None] < end)
    else:
        p = (np.arange(m * k).reshape(m, k) & 3) != 0
        q = (np.arange(k * n).reshape(k, n) & 4) == 0
    left = np.where(p, x, 0) if "a" in whose else x
    right = np.where(q, y, 0) if "b" in whose else y
    with np.errstate(all="ignore"):
        want = sum(left[:, :, d, None] * right[:, d, None, :] for d in range(k))
    suite.case(f"chosen {batches}x{m}x{n}x{k} {whose} {by} {dtype}", "programs/batches.py:chosen", f"{batches}",
               {"a": encode(x.ravel(), dtype), "b": encode(y.ravel(), dtype), "c": encode(np.zeros(want.size), "fp32"),
                "of_a": of_a.astype(np.int8).ravel(), "of_b": of_b.astype(np.int8).ravel(), "n": end,
                "OF_A": "a" in whose, "OF_B": "b" in whose, "BY": repr(by), "M": m, "N": n, "K": k},
               {"c": ("fp32", want.ravel())})


for whose in ("a", "b", "ab"):
    for by in ("bytes", "bytes and bounds", "bits"):
        for dims in ((16, 16, 16), (32, 16, 32), (16, 64, 16), (64, 32, 16)):
            chosen(int(random.integers(1, 5)), *dims, whose, by, "fp32")
        chosen(2, 16, 32, 16, whose, by, "fp64")
        chosen(2, 32, 32, 16, whose, by, "fp16")


def layer(form, m, n, k, blocks, turned, dtype, stored, gap, first=0):
    """One product whose a and b lie by rows or by columns, NaN behind these; programs begin at row `first`.
    Where that is negative, so many rows are in front of row 0, which are stored, too."""
    before = max(-first, 0)
    of = [max(int(random.choice([e, e, e, e - 1, e // 2 + 1])), 1) for e in (m, n)]
    x, y = some(1, m + before, k), some(1, k, n)
    of_x, of_y = x.transpose(0, 2, 1) if "a" in turned else x, y.transpose(0, 2, 1) if "b" in turned else y
    strides = []
    for tile, is_turned in ((of_x, "a" in turned), (of_y, "b" in turned)):
        pitch = tile.shape[2] + gap
        strides += [1, pitch] if is_turned else [pitch, 1]
    rows, columns = np.arange(-before, m), np.arange(n)
    if form in ("wrapped", "rows"):
        rows = np.fmod(rows, of[0])
    if form in ("wrapped", "columns"):
        columns = columns % of[1]
    if form == "eights":
        columns = columns % 8
    want = np.zeros((m + before, n))
    with np.errstate(all="ignore"):
        for d in range(k):
            at = d - d % blocks[2] + d % blocks[2] % 8 if form == "short" else d
            want = want + x[0, :, at][rows + before, None] * y[0, at][None, columns]
    c = encode(lie(random.integers(-9, 10, (1, m + before, n)).astype(np.float64), gap), stored)
    after = np.concatenate([decode(c).astype(np.float64), np.full(gap, np.nan)]).reshape(m + before, n + gap)
    begin = max(first, 0)
    after[begin:, :n] = decode(encode(want[begin:], stored))
    names = dict(zip(("BLOCK_M", "BLOCK_N", "BLOCK_K"), blocks))
    suite.case(f"layer {form} {m}x{n}x{k} {blocks} {turned} {dtype} {stored} {gap} {first} {of}",
               "programs/batches.py:layer", "cdiv(N,BLOCK_N),cdiv(M-first,BLOCK_M)",
               {"a": encode(lie(of_x, gap), dtype), "b": encode(lie(of_y, gap), dtype), "c": c, "M": m, "N": n,
                "K": k, **dict(zip(("am", "ak", "bk", "bn"), strides)), "cm": n + gap, "first": first, "before": before,
                "of_rows": of[0], "of_columns": of[1], "FORM": repr(form), **names},
               {"c": (stored, after.ravel()[:(m + before) * (n + gap) - gap])})


# of a few rows, or columns, and of more
LAYERS = [(1, 70, 100), (2, 130, 33), (3, 20, 31), (5, 129, 96), (8, 64, 128), (9, 33, 65),
          (33, 65, 72), (1, 1, 300), (7, 3, 257)]
BLOCKS = [(16, 64, 32), (16, 16, 16), (64, 32, 32), (32, 128, 16)]
for m, n, k in LAYERS:
    for turned in ("", "b", "b", "a", "ab"):
        for form in ("masked", str(random.choice(["wrapped", "rows", "columns"]))):
            layer(form, m, n, k, BLOCKS[random.integers(0, 4)], turned, "fp32", "fp32",
                  int(random.choice([0, 0, 1, 16, 520])), int(random.choice([0, 0, 3, -5])) if m > 3 else 0)
        dtypes = [("fp64", "fp64"), ("fp16", "fp32"), ("fp32", "fp16"), ("bf16", "bf16")][random.integers(0, 4)]
        layer(str(random.choice(["masked", "wrapped"])), m, n, k, BLOCKS[0], turned, *dtypes, 0)
        layer(["eights", "short"][random.integers(0, 2)], m, n, k, BLOCKS[0], turned, "fp32", "fp32", 0)
suite.finish()
