"""Every kernel of kernels/ against NumPy: odd sizes, tails, rows apart, all floats, NaN, infinity."""

import numpy as np

from harness import EPSILON, FLOATS, Suite, Tensor, decode, encode, generator, rounded

suite = Suite(one_in=4)
random = generator()
SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e30, -1e30, 1e-30, 65504.0]


def empty(dtype, *shape):
    return f"empty({dtype},{'x'.join(map(str, shape)) if len(shape) > 1 else shape[0]})"


def floats(dtype, *shape, special=False):
    """Random values of `dtype`, encoded, with some special ones among them."""
    x = random.standard_normal(shape)
    if special:
        flat = x.reshape(-1)
        flat[: len(SPECIAL)] = SPECIAL[: flat.size]
        random.shuffle(flat)
    return encode(x, dtype)


def spaced(x, gap):
    """The columns of a matrix with `gap` unused ones behind each row."""
    bits = x.bits if isinstance(x, Tensor) else x
    wide = np.concatenate([bits, np.full((bits.shape[0], gap), 1, bits.dtype)], axis=1)
    return Tensor(x.dtype, wide) if isinstance(x, Tensor) else wide


def add():
    for dtype in FLOATS:
        for n in (0, 1, 2, 7, 255, 256, 257, 1000, 4099):
            x, y = floats(dtype, n, special=n > 20), floats(dtype, n, special=n > 20)
            with np.errstate(invalid="ignore", over="ignore"):
                want = rounded(decode(x) + decode(y), dtype)
            suite.case(f"add {dtype} {n}", "add.py", "cdiv(n,BLOCK)",
                       {"x": x, "y": y, "out": empty(dtype, n), "n": "x.numel()",
                        "BLOCK": 1024 if n > 1000 else 128}, {"out": (dtype, want)})
    for dtype in ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"):
        info = np.iinfo(encode(0, dtype).dtype)
        x, y = (random.integers(info.min, info.max, 333, info.dtype, endpoint=True)
                for _ in range(2))
        suite.case(f"add {dtype}", "add.py", "cdiv(n,BLOCK)",
                   {"x": x, "y": y, "out": empty(dtype, 333), "n": 333, "BLOCK": 100},
                   {"out": (dtype, x + y)})
    for block in (1, 3, 17, 224, 1000, 65536):
        x, y = floats("fp32", 2500), floats("fp32", 2500)
        suite.case(f"add block {block}", "add.py", "cdiv(n,BLOCK)",
                   {"x": x, "y": y, "out": empty("fp32", 2500), "n": 2500, "BLOCK": block},
                   {"out": ("fp32", decode(x + y))})


def add_views():
    """Unaligned starts, and an output that is one of the inputs."""
    for offset in (1, 3, 5, 16):
        x, y = floats("fp32", 1000), floats("fp32", 1000)
        n = 1000 - offset
        suite.case(f"add from {offset}", "add.py", "cdiv(n,BLOCK)",
                   {"x": suite.write(x) + f"[{offset}:]", "y": suite.write(y) + f"[:{n}]",
                    "out": f"zeros(fp32,1000)[{offset}:]", "n": n, "BLOCK": 256},
                   {"out": ("fp32", decode(x[offset:] + y[:n]))})
    x = floats("fp32", 777)
    suite.case("add in place", "add.py", "cdiv(n,BLOCK)",
               {"x": x, "y": "x", "out": "x", "n": 777, "BLOCK": 256},
               {"x": ("fp32", decode(x + x))})


SHAPES = [(1, 1), (1, 2), (3, 5), (7, 64), (5, 781), (2, 1024), (3, 1025), (129, 33)]


def block_of(columns):
    return 1 << max(0, (columns - 1).bit_length())


def square():
    for dtype in FLOATS:
        for rows, columns in SHAPES:
            x = floats(dtype, rows, columns, special=columns > 20)
            with np.errstate(over="ignore"):
                want = rounded(decode(x) ** 2, dtype)
            for gap, block in ((0, block_of(columns)), (3, columns)):
                suite.case(f"square {dtype} {rows}x{columns}+{gap}", "square.py", "x.shape(0)",
                           {"x": suite.write(spaced(x, gap)) + f"[:,:{columns}]",
                            "out": empty(dtype, rows, columns), "x_stride": "x.stride(0)",
                            "out_stride": "out.stride(0)", "n_cols": "x.shape(1)",
                            "BLOCK": block}, {"out": (dtype, want)})


def softmax_reference(x):
    with np.errstate(invalid="ignore"):
        weights = np.exp(x - x.max(axis=1, keepdims=True))
        return weights / weights.sum(axis=1, keepdims=True)


def softmax():
    for dtype in ("fp32", "fp16", "bf16"):
        for rows, columns in SHAPES + [(2, 12672)]:
            x = floats(dtype, rows, columns)
            want = softmax_reference(decode(x))
            for gap, block in ((0, block_of(columns)), (5, columns)):
                suite.case(f"softmax {dtype} {rows}x{columns}+{gap}", "softmax.py", "x.shape(0)",
                           {"x": suite.write(spaced(x, gap)) + f"[:,:{columns}]",
                            "out": empty(dtype, rows, columns), "x_stride": "x.stride(0)",
                            "out_stride": "out.stride(0)", "n_cols": "x.shape(1)",
                            "BLOCK": block},
                           {"out": (dtype, want)}, rtol=8 * EPSILON[dtype],
                           atol=2.0**-24 if dtype == "fp16" else 1e-9)  # its subnormals
    rows = np.array([[0, 1, -np.inf, 3], [1e4, -1e4, 0, 1], [80, 81, 82, 83], [0, 0, 0, 0],
                     [-np.inf, -np.inf, 5, -np.inf]], np.float32)
    suite.case("softmax of extremes", "softmax.py", "x.shape(0)",
               {"x": rows, "out": empty("fp32", 5, 4), "x_stride": 4, "out_stride": 4,
                "n_cols": 4, "BLOCK": 4},
               {"out": ("fp32", softmax_reference(rows.astype(np.float64)))}, rtol=1e-6)
    nan = np.array([[np.nan, 1, 2, 3], [-np.inf] * 4, [np.inf, 1, 2, 3]], np.float32)
    # the first sums to NaN, the second takes -inf from -inf, the third has inf - inf in its sum
    suite.case("softmax of NaN", "softmax.py", "x.shape(0)",
               {"x": nan, "out": empty("fp32", 3, 4), "x_stride": 4, "out_stride": 4,
                "n_cols": 4, "BLOCK": 4}, {"out": ("fp32", np.full((3, 4), np.nan))})


def matmul():
    shapes = [(1, 1, 1), (16, 16, 16), (33, 17, 65), (64, 64, 64), (100, 50, 70), (128, 96, 40),
              (7, 300, 5)]
    blocks = [(16, 16, 16, 1), (32, 64, 16, 2), (64, 32, 32, 8), (48, 24, 20, 3)]
    for i, (m, n, k) in enumerate(shapes):
        for dtype in ("fp32", "fp16", "bf16"):
            a, b = floats(dtype, m, k), floats(dtype, k, n)
            bm, bn, bk, group = blocks[(i + len(dtype)) % len(blocks)]
            product = decode(a) @ decode(b)
            for activation in ("", "leaky_relu"):
                want = product if not activation else np.where(product >= 0, product,
                                                               0.01 * product)
                suite.case(f"matmul {dtype} {m}x{n}x{k} {activation}", "matmul.py:matmul_kernel",
                           "cdiv(M,BLOCK_M)*cdiv(N,BLOCK_N)",
                           matmul_arguments(a, b, dtype, m, n, k, (bm, bn, bk, group), activation),
                           {"c": (dtype, want)}, rtol=2 * EPSILON[dtype],
                           atol=k * 4e-7 + 0.5 * EPSILON[dtype] * 1e-3)
    a, b = floats("fp32", 30, 20), floats("fp32", 25, 30)  # both transposed
    suite.case("matmul of transposed", "matmul.py:matmul_kernel",
               "cdiv(M,BLOCK_M)*cdiv(N,BLOCK_N)",
               {**matmul_arguments(a, b, "fp32", 20, 25, 30, (16, 32, 16, 4), ""),
                "stride_am": 1, "stride_ak": 20, "stride_bk": 1, "stride_bn": 30},
               {"c": ("fp32", decode(a).T @ decode(b).T)}, rtol=1e-6, atol=1e-5)


def matmul_arguments(a, b, dtype, m, n, k, blocks, activation):
    return {"a": a, "b": b, "c": empty(dtype, m, n), "M": m, "N": n, "K": k,
            "stride_am": "a.stride(0)", "stride_ak": "a.stride(1)", "stride_bk": "b.stride(0)",
            "stride_bn": "b.stride(1)", "stride_cm": "c.stride(0)", "stride_cn": "c.stride(1)",
            "BLOCK_M": blocks[0], "BLOCK_N": blocks[1], "BLOCK_K": blocks[2],
            "GROUP_M": blocks[3], "ACTIVATION": repr(activation)}


def giou_reference(p, g, eps):
    low, high = np.maximum(p[..., :2], g[..., :2]), np.minimum(p[..., 2:], g[..., 2:])
    common = np.maximum(high - low, 0).prod(-1)
    union = (p[..., 2:] - p[..., :2]).prod(-1) + (g[..., 2:] - g[..., :2]).prod(-1) - common
    outer = np.maximum(p[..., 2:], g[..., 2:]) - np.minimum(p[..., :2], g[..., :2])
    around = outer.prod(-1)
    giou = common / (union + eps) - (around - union) / (around + eps)
    return np.where(g[..., 3] > 0, giou, 0)


def giou():
    for dtype in ("fp32", "fp16", "bf16"):
        for batch, boxes in ((1, 1), (2, 3), (5, 100), (3, 256), (2, 777)):
            corner = random.random((2, batch, boxes, 2))
            both = np.concatenate([corner, corner + 0.1 + random.random((2, batch, boxes, 2))], -1)
            both[1, :, boxes * 3 // 4 + 1:] = 0
            p, g = encode(both[0], dtype), encode(both[1], dtype)
            want = giou_reference(decode(p), decode(g), 1e-5)
            for block in (block_of(boxes), boxes):
                suite.case(f"giou {dtype} {batch}x{boxes} in {block}", "giou.py:giou_kernel",
                           "pred.shape(0)",
                           {"pred": p, "gt": g, "out": empty("fp32", batch, boxes),
                            "n_boxes": "gt.shape(1)", "eps": 1e-5, "BLOCK": block},
                           {"out": ("fp32", want)}, rtol=1e-5, atol=1e-5)
            if dtype == "fp32" and boxes == 777:  # more than the registers of a thread on a GPU
                for block, warps in ((4096, 1), (20000, 8), (65536, 0)):
                    suite.case(f"giou in {block} by {warps} warps", "giou.py:giou_kernel", "2",
                               {"pred": p, "gt": g, "out": empty("fp32", batch, boxes),
                                "n_boxes": boxes, "eps": 1e-5, "BLOCK": block},
                               {"out": ("fp32", want)}, rtol=1e-5, atol=1e-5,
                               options=("--num-warps", str(warps)) if warps else ())
    degenerate = np.zeros((1, 2, 4), np.float32)
    degenerate[0, 0] = [0.5, 0.5, 0.5, 0.5]
    suite.case("giou of boxes without area", "giou.py:giou_kernel", "1",
               {"pred": degenerate, "gt": degenerate, "out": empty("fp32", 1, 2), "n_boxes": 2,
                "eps": 1e-5, "BLOCK": 2}, {"out": ("fp32", np.zeros((1, 2)))})


for part in (add, add_views, square, softmax, matmul, giou):
    part()
suite.finish()
