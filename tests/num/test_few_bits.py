"""Bytes, nibbles and labels: integers that become floats by their bits, and comparisons with one number."""

import numpy as np

from arguments import empty
from harness import Suite, decode, encode, generator, rounded

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


def signs():
    odd = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-7, -1e-7, 65504, -65504, 6e-5]
    for dtype in ("fp16", "bf16"):
        for n, block, step in ((1000, 256, 1), (997, 512, 1), (31, 64, 1), (7, 8, 1), (333, 128, 2), (15, 16, 3)):
            x = random.standard_normal(n * step)
            finite = [v for v in odd if v == v]  # bits of NaN are nobody's promise
            x[: min(len(finite), n)] = finite[:n]
            x, y = encode(x, dtype), encode(np.roll(np.resize(odd + [3.25], n), 3), dtype)
            keep = random.integers(0, 2, n).astype("int8")
            a, b, k = decode(x)[::step], decode(y), keep != 0
            picked = np.where(k, np.abs(a), -a)
            words = encode(picked, dtype)
            words = (words.bits if dtype == "bf16" else words).view("int16")
            args = {"x": x, "y": y, "keep": keep, "out": empty(dtype, 4 * n), "bits": empty("i16", n), "n": n,
                    "STEP": step, "BLOCK": block}
            want = stored(dtype, np.abs(a), -b, picked, np.where(k, np.abs(b), -2.5))
            suite.case(f"signs {dtype} {n} step {step}", "programs/few_bits.py:signs", "cdiv(n,BLOCK)", args,
                       {**want, "bits": ("i16", words)})


def shifted_words():
    x = np.concatenate([np.arange(600), [0x7F7F, 0xFF80, 0x8000, 0xFFFF]]).astype("uint16")
    w = (x.astype("uint32") << 15).view("float32")
    suite.case("shifted words", "programs/few_bits.py:shifted_words", "cdiv(n,BLOCK)",
               {"x": x, "out": empty("bf16", x.size), "n": x.size, "BLOCK": 128}, stored("bf16", np.abs(w)))


bytes_as_floats()
nibbles_of_bytes()
nibbles_of_words()
one_of_a_row()
signs()
shifted_words()
suite.finish()
