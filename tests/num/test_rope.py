"""kernels/rope.py against NumPy in float64: both styles, forward and inverse, widths that are no power
of two, partial rotation, positions in three ways, heads apart, in place, NaN.

A rotation and its inverse give the input back; a NaN spoils its pair alone.
"""

import numpy as np

from arguments import empty
from harness import EPSILON, Suite, decode, encode, generator

suite = Suite(one_in=2)
random = generator()
BASE = 10000.0

# dtype, batch, length, heads, kv heads, D, D_ROT, BLOCK_T, positions
CASES = [
    ("fp32", 1, 1, 1, 1, 2, 2, 1, None),
    ("fp32", 2, 7, 3, 1, 64, 64, 4, None),
    ("fp32", 1, 33, 2, 2, 96, 96, 16, "rows"),
    ("fp32", 3, 5, 1, 4, 30, 18, 4, "samples"),
    ("fp16", 2, 19, 4, 2, 128, 128, 8, None),
    ("fp16", 1, 40, 5, 0, 80, 20, 32, "rows"),
    ("bf16", 2, 9, 3, 3, 34, 34, 4, "samples"),
    ("bf16", 1, 50, 2, 1, 256, 64, 1, None),
]


def block_of(n):
    return 1 << max(0, (n - 1).bit_length())


def pairs(x, rotated, interleaved):
    if interleaved:
        return x[..., 0:rotated:2], x[..., 1:rotated:2]
    return x[..., :rotated // 2], x[..., rotated // 2:rotated]


def turned(x, angles, interleaved, inverse=False):
    """x [batch, length, heads, D] by angles [batch or 1, length, rotated / 2]."""
    out, rotated = x.copy(), 2 * angles.shape[-1]
    c, s = np.cos(angles)[:, :, None], np.sin(angles)[:, :, None] * (-1 if inverse else 1)
    (a, b), (first, second) = pairs(x, rotated, interleaved), pairs(out, rotated, interleaved)
    first[...], second[...] = a * c - b * s, b * c + a * s
    return out


def spread(dtype, batch, length, heads, d):
    """Values as text, with a gap behind each head, and in float64."""
    x = encode(random.standard_normal((batch, length, heads, d + 1)), dtype)
    return suite.write(x) + f"[:,:,:,:{d}]", decode(x)[..., :d]


def strides(*arrays):
    """Of q and k and their results; those of q stand in for what is not there."""
    names = ("q", "k", "q_out", "k_out")
    return {f"{name}_{axis}": f"{x}.stride({i})" for name, x in zip(names, arrays)
            for i, axis in enumerate(("batch", "row", "head"))}


def positions_of(kind, batch, length):
    """positions, what the kernel is told of them, and the place of each row."""
    if kind is None:
        return "None", 0, np.arange(length)[None] + 11
    p = random.integers(0, 500, (batch if kind == "samples" else 1, length)).astype(np.int32)
    return p, length if kind == "samples" else 0, p


def constants(case, interleaved, inverse, in_place):
    *_, d, rotated, block, _ = case
    return {"D": d, "D_ROT": rotated, "INTERLEAVED": interleaved, "INVERSE": inverse,
            "IN_PLACE": in_place, "BLOCK_T": block, "BLOCK": block_of(rotated // 2),
            "BLOCK_REST": block_of(max(d - rotated, 1))}


def rotate(case, interleaved, inverse, computed, in_place):
    dtype, batch, length, heads, kv_heads, d, rotated, block, kind = case
    q, q64 = spread(dtype, batch, length, heads, d)
    positions, apart, places = positions_of(kind, batch, length)
    if computed:
        angles = places[..., None] * BASE ** (np.arange(0, rotated, 2) / -rotated)
        tables, near = ("None", "None"), 3e-7 * places.max() + 1e-6
    else:  # of tables that fp32 holds
        angles = (random.random((600, rotated // 2)) * 6).astype(np.float32)
        tables, near = (np.cos(angles), np.sin(angles)), 1e-6
        angles = angles.astype(np.float64)[places]
    args = {"q": q, "k": "None", "q_out": "q" if in_place else empty(dtype, batch, length, heads, d),
            "k_out": "None"}
    want = {"q" if in_place else "q_out": (dtype, turned(q64, angles, interleaved, inverse))}
    if kv_heads > 0:
        k, k64 = spread(dtype, batch, length, kv_heads, d)
        args["k"] = k
        args["k_out"] = "k" if in_place else empty(dtype, batch, length, kv_heads, d)
        want["k" if in_place else "k_out"] = (dtype, turned(k64, angles, interleaved, inverse))
    out = ("q", "k") if in_place else ("q_out", "k_out")
    there = (out[0], out[1]) if kv_heads > 0 else (out[0], out[0])
    args.update({"cos": tables[0], "sin": tables[1], "positions": positions, "offset": 11,
                 "log_base": float(np.log2(BASE)), "length": length, "heads": heads,
                 "kv_heads": kv_heads, "positions_batch": apart,
                 **strides("q", "k" if kv_heads > 0 else "q", *there),
                 **constants(case, interleaved, inverse, in_place)})
    words = [word for word, said in (("interleaved", interleaved), ("inverse", inverse),
                                     ("computed", computed), ("in place", in_place)) if said]
    suite.case(f"rope {dtype} {batch}x{length}x{heads}/{kv_heads}x{d}/{rotated} {' '.join(words)}",
               "rope.py:rope_kernel", f"cdiv(length,BLOCK_T),{batch}", args, want,
               rtol=EPSILON[dtype], atol=6 * near)


def special():
    """A NaN and an infinity reach their own pairs alone."""
    case = ("fp32", 1, 3, 1, 0, 8, 8, 2, None)
    x = np.ones((1, 3, 1, 8), np.float32)
    x[0, 1, 0, 2], x[0, 2, 0, 7] = np.nan, np.inf
    angles = np.full((3, 4), 0.5, np.float32)
    with np.errstate(invalid="ignore"):
        want = turned(x.astype(np.float64), angles.astype(np.float64)[None], False)
    suite.case("rope of NaN", "rope.py:rope_kernel", "2,1",
               {"q": x, "k": "None", "q_out": empty("fp32", 1, 3, 1, 8), "k_out": "None",
                "cos": np.cos(angles), "sin": np.sin(angles), "positions": "None", "offset": 0,
                "log_base": 1.0, "length": 3, "heads": 1, "kv_heads": 0, "positions_batch": 0,
                **strides("q", "q", "q_out", "q_out"), **constants(case, False, False, False)},
               {"q_out": ("fp32", want)}, rtol=1e-6, atol=1e-6)


for n, one in enumerate(CASES):
    rotate(one, False, False, n % 2 == 0, False)
    rotate(one, True, False, n % 2 == 1, False)
    rotate(one, n % 2 == 0, True, False, False)
    rotate(one, n % 2 == 1, True, False, True)
special()
suite.finish()
