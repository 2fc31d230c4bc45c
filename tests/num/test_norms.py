"""kernels/norms.py against NumPy in float64: layer norm and RMS norm, in one tile and in pieces, rows
apart, far from 0, of one column, with and without weight and bias, NaN; all gradients.
"""

import numpy as np

from arguments import apart, block_of, empty
from harness import EPSILON, Suite, decode, encode, generator

suite = Suite(one_in=4)
random = generator()
EPS = 1e-5

# dtype, rows, columns
CASES = [("fp32", 1, 1), ("fp32", 3, 2), ("fp32", 5, 781), ("fp32", 70, 65), ("fp32", 2, 4099),
         ("fp16", 1, 1000), ("fp16", 33, 130), ("bf16", 9, 333), ("bf16", 4, 2048)]


def floats(dtype, *shape, offset=0.0):
    return encode(random.standard_normal(shape) + offset, dtype)


def normal(x, centred):
    """n, mean and rstd of each row."""
    mean = x.mean(1, keepdims=True) if centred else np.zeros((len(x), 1))
    rstd = 1 / np.sqrt(((x - mean) ** 2).mean(1, keepdims=True) + EPS)
    return (x - mean) * rstd, mean, rstd


def gradient(d_y, n, rstd, weight, centred):
    """d_x; n and rstd are those that the kernel is given, and rstd a column."""
    g = d_y * weight
    shift = g.mean(1, keepdims=True) if centred else 0
    return (g - n * (g * n).mean(1, keepdims=True) - shift) * rstd


def lost(d_y, n, rstd, weight):
    """What d_x may lose of fp32: of a row that is nearly constant little is left of each difference, and
    its rstd is large."""
    g = np.abs(d_y * weight).max(1, keepdims=True)
    return 4 * EPSILON["fp32"] * np.max(g * (1 + np.square(n).max(1, keepdims=True)) * rstd)


def near(dtype, want, factor=1.0):
    """fp32's share of the largest element, and one rounding."""
    return {"rtol": EPSILON[dtype], "atol": factor * 1e-6 * (1 + np.nanmax(np.abs(want)))}


def forward(dtype, rows, columns, centred, affine, offset=0.0):
    x = floats(dtype, rows, columns, offset=offset)
    weight, bias = (floats(dtype, columns) if affine else "None" for _ in range(2))
    n, mean, rstd = normal(decode(x), centred)
    y = n * decode(weight) + decode(bias) if affine else n
    # what is far from 0 has few digits left: those of the inputs count
    want = {"y": (dtype, y), "rstd": ("fp32", rstd[:, 0])}
    tolerances = near(dtype, y, 4)
    if centred:
        want["mean"] = ("fp32", mean[:, 0])
        tolerances["rtol"] = max(tolerances["rtol"], 2e-6)
    for kernel, block in (("norm_kernel", block_of(columns)), ("norm_kernel", columns),
                          ("norm_loop_kernel", 64 if columns < 2000 else 1000)):
        suite.case(f"norm {dtype} {rows}x{columns} {centred} {affine} {offset} {kernel} {block}",
                   f"norms.py:{kernel}", "x.shape(0)",
                   {"x": apart(suite, x), "y": empty(dtype, rows, columns), "weight": weight,
                    "bias": bias,
                    "mean": empty("fp32", rows) if centred else "None",
                    "rstd": empty("fp32", rows), "n_cols": columns, "x_row": "x.stride(0)",
                    "y_row": "y.stride(0)", "eps": EPS, "BLOCK": block}, want, **tolerances)


def saved(x, centred):
    """mean and rstd as the forward kernel leaves them; n of these, and rstd as a column in float64."""
    _, mean, rstd = (np.asarray(part, np.float32) for part in normal(decode(x), centred))
    n = (decode(x) - decode(mean)) * decode(rstd)
    return mean[:, 0] if centred else "None", rstd[:, 0], n, decode(rstd)


def backward(dtype, rows, columns, centred, affine):
    x, d_y = floats(dtype, rows, columns, offset=0.5), floats(dtype, rows, columns)
    weight = floats(dtype, columns) if affine else "None"
    mean, rstd, n, scale = saved(x, centred)
    factor = decode(weight) if affine else 1.0
    d_x = gradient(decode(d_y), n, scale, factor, centred)
    tolerances = near(dtype, d_x, 6)
    tolerances["atol"] += lost(decode(d_y), n, scale, factor)
    label = f"{dtype} {rows}x{columns} {centred} {affine}"
    shared = {"d_y": apart(suite, d_y), "x": apart(suite, x, 5), "weight": weight, "mean": mean,
              "rstd": rstd, "d_x": empty(dtype, rows, columns)}
    strides = {"d_y_row": "d_y.stride(0)", "x_row": "x.stride(0)", "d_x_row": "d_x.stride(0)"}
    suite.case(f"norm d_x {label}", "norms.py:norm_backward_loop_kernel", "x.shape(0)",
               {**shared, "n_cols": columns, **strides, "BLOCK": 96},
               {"d_x": (dtype, d_x)}, **tolerances)
    each = min(rows, 4)
    programs = -(-rows // each)
    pieces = [slice(i * each, (i + 1) * each) for i in range(programs)]
    by_weight = np.stack([(decode(d_y) * n)[p].sum(0) for p in pieces])
    by_bias = np.stack([decode(d_y)[p].sum(0) for p in pieces])
    want = {"d_x": (dtype, d_x)}
    if affine:
        want["weight_sums"] = ("fp32", by_weight)
    if centred:
        want["bias_sums"] = ("fp32", by_bias)
    sums = {"weight_sums": empty("fp32", programs, columns) if affine else "None",
            "bias_sums": empty("fp32", programs, columns) if centred else "None"}
    suite.case(f"norm gradients {label}", "norms.py:norm_backward_kernel", str(programs),
               {**shared, **sums, "n_rows": rows, "n_cols": columns, **strides, "ROWS": each,
                "BLOCK": block_of(columns)}, want, **tolerances)


def weights(dtype, rows, columns, centred):
    x, d_y = floats(dtype, rows, columns, offset=-0.5), floats(dtype, rows, columns)
    mean, rstd, n, _ = saved(x, centred)
    d_weight = (decode(d_y) * n).sum(0)
    want = {"d_weight": ("fp32", d_weight)}
    if centred:
        want["d_bias"] = ("fp32", decode(d_y).sum(0))
    suite.case(f"norm weights {dtype} {rows}x{columns} {centred}", "norms.py:norm_weight_kernel",
               "cdiv(n_cols,BLOCK)",
               {"d_y": apart(suite, d_y), "x": apart(suite, x, 7), "mean": mean, "rstd": rstd,
                "d_weight": empty("fp32", columns),
                "d_bias": empty("fp32", columns) if centred else "None", "n_rows": rows,
                "n_cols": columns, "d_y_row": "d_y.stride(0)", "x_row": "x.stride(0)", "ROWS": 8,
                "BLOCK": 32}, want, **near("fp32", d_weight, 6))
    sums = random.standard_normal((rows, columns)).astype(np.float32)
    suite.case(f"norm sums {rows}x{columns}", "norms.py:sum_rows_kernel", "cdiv(n_cols,BLOCK)",
               {"x": sums, "out": empty(dtype, columns), "n_rows": rows, "n_cols": columns,
                "ROWS": 16, "BLOCK": 64}, {"out": (dtype, sums.astype(np.float64).sum(0))},
               **near(dtype, sums, 20))


def special():
    """A NaN or an infinity spoils its row and no other; of an RMS norm an infinite row has rstd 0: it
    is 0, and NaN where the infinity was."""
    x = random.standard_normal((4, 50)).astype(np.float32)
    x[1, 7], x[2, 49] = np.nan, np.inf
    for kernel, block in (("norm_kernel", 64), ("norm_loop_kernel", 16)):
        for centred in (True, False):
            with np.errstate(invalid="ignore"):
                want = normal(x.astype(np.float64), centred)[0]
            suite.case(f"norm of NaN {kernel} {centred}", f"norms.py:{kernel}", "4",
                       {"x": x, "y": empty("fp32", 4, 50), "weight": "None", "bias": "None",
                        "mean": empty("fp32", 4) if centred else "None", "rstd": empty("fp32", 4),
                        "n_cols": 50, "x_row": 50, "y_row": 50, "eps": EPS, "BLOCK": block},
                       {"y": ("fp32", want)}, rtol=1e-5, atol=1e-5)


for n_case, (kind, height, width) in enumerate(CASES):
    for way in (True, False):
        forward(kind, height, width, way, n_case % 2 == 0 or way)
        backward(kind, height, width, way, n_case % 3 != 1)
        weights(kind, height, width, way)
forward("fp32", 3, 1000, True, False, offset=1e4)
forward("fp32", 3, 33, True, True, offset=-3e5)
special()
suite.finish()
