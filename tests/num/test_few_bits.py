"""Bytes, nibbles and labels: integers that become floats by their bits, and comparisons with one number."""

import numpy as np

from arguments import empty
from harness import Suite, generator, rounded

suite = Suite()
random = generator()


def stored(dtype, *parts):
    return {"out": (dtype, rounded(np.concatenate(parts).astype(np.float64), dtype))}


def bytes_as_floats():
    for kind in ("uint8", "int8"):
        info = np.iinfo(kind)
        for dtype in ("fp32", "fp16", "bf16"):
            for n, block in ((1025, 512), (301, 128)):
                x = random.integers(info.min, info.max + 1, n).astype(kind)
                x[:4] = info.min, info.max, 0, 8
                f = x.astype(np.float32)
                args = {"x": x, "out": empty(dtype, 4 * n), "n": n, "BLOCK": block}
                far = np.float32(4194304 * 3)
                if dtype == "fp16":
                    far_part = np.full(n, -np.inf)
                else:
                    far_part = f - far
                suite.case(f"bytes {kind} {dtype} {n}", "programs/few_bits.py:bytes_as_floats",
                           "cdiv(n,BLOCK)", args, stored(dtype, f, f - 4.5, f - 27, far_part))


def nibbles_of_bytes():
    for dtype in ("fp32", "fp16", "bf16"):
        for n, block in ((2048, 512), (999, 256)):
            x = random.integers(0, 256, n).astype("uint8")
            low, high = (x & 15) - 8.0, (x >> 4) - 8.0
            other = ((x ^ 0x5A) >> 1 & 0x3C) | 0x41
            args = {"x": x, "out": empty(dtype, 4 * n), "n": n, "BLOCK": block}
            suite.case(f"nibbles of bytes {dtype} {n}", "programs/few_bits.py:nibbles_of_bytes", "cdiv(n,BLOCK)",
                       args, stored(dtype, low, high, low * high, other))


def nibbles_of_words():
    for kind in ("int32", "uint32"):
        for dtype in ("fp32", "fp16", "bf16"):
            n = 3000
            x, zeros = (random.integers(0, 1 << 32, n // 8, dtype=np.uint64).astype("uint32") for _ in range(2))
            i = np.arange(n)
            b, z = (v[i // 8] >> (i % 8 * 4).astype("uint32") & 15 for v in (x, zeros))
            b, z = b.astype(np.float64), z.astype(np.float64)
            difference = b - z
            if kind == "uint32":
                difference = np.where(difference < 0, difference + 2.0**32, difference)
            if dtype == "fp16":
                difference = np.where(difference > 70000, np.inf, difference)
            args = {"x": x.astype(kind), "zeros": zeros.astype(kind), "out": empty(dtype, 3 * n), "n": n,
                    "BLOCK": 512}
            with np.errstate(invalid="ignore"):
                want = stored(dtype, b, difference * 0.5, b - 8)
            suite.case(f"nibbles of words {kind} {dtype}", "programs/few_bits.py:nibbles_of_words",
                       "cdiv(n,BLOCK)", args, want)


def one_of_a_row():
    for kind in ("int64", "int32"):
        info = np.iinfo(kind)
        n = 1500
        labels = np.array([0, 1, 7, 511, 512, 777, n - 1, n, -1, -100, info.max, info.min], kind)
        c, label = np.arange(n)[None, :], labels[:, None]
        want = (c == label) * 1 + (c != label) * 10 + (c < label) * 100 + (c >= label) * 1000 + (label > c) * 10000
        suite.case(f"one of a row {kind}", "programs/few_bits.py:one_of_a_row", f"{len(labels)}",
                   {"labels": labels, "out": empty("i32", labels.size * n), "n": n, "BLOCK": 512},
                   {"out": ("i32", want.ravel().astype("int32"))})


bytes_as_floats()
nibbles_of_bytes()
nibbles_of_words()
one_of_a_row()
suite.finish()
