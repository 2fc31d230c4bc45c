"""Normalisations, softmax and losses of gpu/norms.py against NumPy."""

import numpy as np

from arguments import block_of, empty, zeros
from harness import EPSILON, Suite, decode, encode, generator

suite = Suite(one_in=2)
random = generator()


def case(label, kernel, grid, args, outputs, warps=4, **tolerance):
    suite.case(label, "gpu/norms.py:" + kernel, str(grid), args, outputs,
               options=("--num-warps", str(warps)), **tolerance)


def floats(dtype, *shape):
    return encode(random.standard_normal(shape) + 0.5, dtype)


def near(dtype):
    return {"rtol": EPSILON[dtype] + 1e-5, "atol": EPSILON[dtype] + 1e-5}


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def layer_norm():
    for dtype, rows, n, block, warps in (
            ("fp32", 3, 781, 781, 1), ("fp16", 3, 781, 1024, 2), ("bf16", 2, 1000, 1000, 4),
            ("fp32", 2, 1823, 2048, 8), ("fp16", 4, 33, 64, 4), ("fp32", 2, 5, 5, 8),
            ("bf16", 1, 1, 1, 1), ("fp32", 1, 10000, 16384, 8)):
        wide = decode(floats("fp32", rows, n + 3)) * 2
        x = encode(wide, dtype)
        w, b = floats(dtype, n), floats(dtype, n)
        v = decode(x)[:, :n]
        mean, rstd = v.mean(1), 1 / np.sqrt(v.var(1) + 1e-5)
        want = (v - mean[:, None]) * rstd[:, None] * decode(w) + decode(b)
        case(f"layer norm {dtype} {rows}x{n} of {block}", "rows_forward", rows,
             {"x_ptr": x, "w_ptr": w, "b_ptr": b, "y_ptr": empty(dtype, rows, n),
              "mean_ptr": empty("fp32", rows), "rstd_ptr": empty("fp32", rows), "stride": n + 3,
              "n": n, "eps": 1e-5, "BLOCK": block},
             {"y_ptr": (dtype, want), "mean_ptr": ("fp32", mean), "rstd_ptr": ("fp32", rstd)},
             warps, rtol=EPSILON[dtype] + 4e-5, atol=EPSILON[dtype] + 2e-5)
    for rows, n, tile, warps in ((5, 100, (4, 32), 4), (3, 70, (1, 128), 2), (7, 9, (8, 4), 1),
                                 (6, 300, (3, 50), 8), (32, 257, (32, 64), 4)):
        x = floats("fp32", rows, n)
        case(f"welford {rows}x{n} by {tile}", "rows_welford", "cdiv(m,M)",
             {"x_ptr": x, "mean_ptr": empty("fp32", rows), "var_ptr": empty("fp32", rows),
              "m": rows, "n": n, "M": tile[0], "N": tile[1]},
             {"mean_ptr": ("fp32", decode(x).mean(1)), "var_ptr": ("fp32", decode(x).var(1))},
             warps, rtol=1e-5, atol=1e-6)


def layer_norm_backward():
    for dtype, rows, n, groups, warps in (("fp32", 17, 100, 4, 4), ("fp16", 9, 781, 2, 8),
                                          ("bf16", 12, 65, 3, 1), ("fp32", 40, 20, 1, 2)):
        x, dy, w = floats(dtype, rows, n), floats(dtype, rows, n), floats(dtype, n)
        v, dv, wv = decode(x), decode(dy), decode(w)
        mean, rstd = v.mean(1), 1 / np.sqrt(v.var(1) + 1e-5)
        xhat = (v - mean[:, None]) * rstd[:, None]
        wdy = wv * dv
        dx = (wdy - xhat * (xhat * wdy).mean(1, keepdims=True) - wdy.mean(1, keepdims=True)) \
            * rstd[:, None]
        dw = np.stack([(dv * xhat)[g::groups].sum(0) for g in range(groups)])
        db = np.stack([dv[g::groups].sum(0) for g in range(groups)])
        for locked in (True, False):
            case(f"layer norm backward {dtype} {rows}x{n} locked={locked}", "rows_backward", rows,
                 {"dy_ptr": dy, "x_ptr": x, "w_ptr": w, "mean_ptr": mean.astype(np.float32),
                  "rstd_ptr": rstd.astype(np.float32), "dx_ptr": empty(dtype, rows, n),
                  "dw_ptr": zeros("fp32", groups, n), "db_ptr": zeros("fp32", groups, n),
                  "lock_ptr": zeros("i32", 2 * groups), "n": n, "GROUPS": groups,
                  "LOCKED": locked, "BLOCK": block_of(n)},
                 {"dx_ptr": (dtype, dx), "dw_ptr": ("fp32", dw), "db_ptr": ("fp32", db)}, warps,
                 **near(dtype))


def other_norms():
    for dtype, rows, n, tile, warps in (("fp32", 300, 37, (64, 16), 4),
                                        ("fp16", 65, 8, (128, 8), 8),
                                        ("bf16", 50, 100, (16, 128), 2), ("fp32", 9, 5, (9, 5), 1)):
        x = floats(dtype, rows, n)
        v = decode(x)
        want = (v - v.mean(0)) / np.sqrt(v.var(0) + 1e-5)
        case(f"column norm {dtype} {rows}x{n} by {tile}", "columns_forward", "cdiv(n,N)",
             {"x_ptr": x, "y_ptr": empty(dtype, rows, n), "mean_ptr": empty("fp32", n),
              "n_rows": rows, "n": n, "eps": 1e-5, "M": tile[0], "N": tile[1]},
             {"y_ptr": (dtype, want), "mean_ptr": ("fp32", v.mean(0))}, warps, **near(dtype))
    for dtype, samples, shape, warps in (("fp32", 3, (4, 8, 16), 4), ("fp16", 2, (3, 5, 7), 1),
                                         ("bf16", 1, (2, 16, 64), 8), ("fp32", 2, (32, 1, 12), 2)):
        x = floats(dtype, samples, *shape)
        w, b = floats(dtype, *shape[:2]), floats(dtype, *shape[:2])
        v = decode(x)
        want = (v - v.mean((2, 3), keepdims=True)) / np.sqrt(v.var((2, 3), keepdims=True) + 1e-5)
        want = want * decode(w)[..., None] + decode(b)[..., None]
        case(f"group norm {dtype} {shape}", "groups_forward", samples,
             {"x_ptr": x, "w_ptr": w, "b_ptr": b, "y_ptr": empty(dtype, samples, *shape),
              "eps": 1e-5, "G": shape[0], "C": shape[1], "S": shape[2]}, {"y_ptr": (dtype, want)},
             warps, **near(dtype))
    for dtype, rows, n, m, block, warps in (("bf16", 8, 100, 4, 128, 4),
                                            ("fp16", 6, 781, 2, 781, 8),
                                            ("fp32", 3, 64, 1, 64, 1), ("bf16", 9, 12, 3, 16, 2)):
        x, r, w = floats(dtype, rows, n), floats(dtype, rows, n), floats(dtype, n)
        total = decode(x) + decode(r)
        want = total / np.sqrt((total**2).mean(1, keepdims=True) + 1e-6) * decode(w)
        case(f"residual rms {dtype} {rows}x{n}", "residual_rms", rows // m,
             {"x_ptr": x, "r_ptr": r, "w_ptr": w, "y_ptr": empty(dtype, rows, n), "n": n,
              "eps": 1e-6, "M": m, "BLOCK": block},
             {"y_ptr": (dtype, want), "r_ptr": (dtype, total)}, warps, rtol=1.5 * EPSILON[dtype]
             + 1e-6, atol=1e-5)


def softmaxes():
    for dtype, shape, warps in (("fp32", (4, 8, 32), 4), ("fp16", (3, 5, 7), 2),
                                ("bf16", (16, 16, 2), 8), ("fp32", (1, 100, 12), 1),
                                ("fp32", (64, 2, 64), 4)):
        x = floats(dtype, *shape)
        for axis in range(3):
            case(f"softmax {dtype} {shape} axis {axis}", "softmax_axis", 1,
                 {"x_ptr": x, "y_ptr": empty(dtype, *shape), "A": shape[0], "B": shape[1],
                  "C": shape[2], "AXIS": axis}, {"y_ptr": (dtype, softmax(decode(x), axis))}, warps,
                 rtol=EPSILON[dtype] + 1e-5, atol=1e-7)
    for dtype, rows, n, block, warps in (("fp32", 3, 1000, 128, 4), ("fp16", 2, 781, 256, 1),
                                         ("bf16", 4, 33, 32, 2), ("fp32", 2, 5000, 2048, 8),
                                         ("fp32", 1, 7, 16, 4)):
        x = floats(dtype, rows, n)
        case(f"long softmax {dtype} {rows}x{n} by {block}", "softmax_loop", rows,
             {"x_ptr": x, "y_ptr": empty(dtype, rows, n), "n": n, "BLOCK": block},
             {"y_ptr": (dtype, softmax(decode(x), 1))}, warps, rtol=EPSILON[dtype] + 2e-5,
             atol=1e-7)


def losses():
    for dtype, rows, n, block, smoothing, warps in (
            ("fp32", 7, 1000, 256, 0.0, 4), ("fp16", 5, 781, 1024, 0.1, 8),
            ("bf16", 6, 50, 32, 0.2, 1), ("fp32", 4, 97, 128, 0.05, 2)):
        x = floats(dtype, rows, n)
        label = random.integers(0, n, rows)
        label[1] = -100
        v = decode(x)
        kept = label != -100
        lse = np.logaddexp.reduce(v, axis=1)
        at = v[np.arange(rows), np.maximum(label, 0)]
        loss = np.where(kept, lse - (1 - smoothing) * at - smoothing * v.mean(1), 0)
        target = (np.arange(n) == label[:, None]) * (1 - smoothing) + smoothing / n
        grad = np.where(kept[:, None], np.exp(v - lse[:, None]) - target, 0)
        case(f"cross entropy {dtype} {rows}x{n}", "cross_entropy", rows,
             {"x_ptr": x, "label_ptr": label, "loss_ptr": zeros("fp32", rows),
              "total_ptr": zeros("fp32", 1), "count_ptr": zeros("i32", 1), "n": n, "ignored": -100,
              "smoothing": smoothing, "BLOCK": block},
             {"x_ptr": (dtype, grad), "loss_ptr": ("fp32", loss),
              "total_ptr": ("fp32", loss.sum(keepdims=True)),
              "count_ptr": ("i32", kept.sum(keepdims=True, dtype=np.int32))}, warps,
             rtol=EPSILON[dtype] + 1e-5, atol=1e-5)


def across():
    for dtype, m, n, warps in (("fp32", 1, 4096, 32), ("fp32", 1, 3001, 16), ("fp64", 1, 1000, 32),
                               ("fp16", 2, 2048, 16), ("i32", 1, 5000, 32), ("i64", 3, 700, 16),
                               ("fp32", 4, 512, 32), ("fp64", 8, 300, 16), ("fp32", 64, 64, 32),
                               ("bf16", 1, 8192, 8), ("i16", 7, 513, 32), ("fp32", 600, 2, 16)):
        is_int = dtype[0] == "i"
        x = (random.integers(-1000, 1000, (m, n)).astype("int" + dtype[1:]) if is_int
             else floats(dtype, m, n))
        v = x.astype(np.int64) if is_int else decode(x).astype(np.float64)
        total = "fp64" if dtype == "fp64" else "i64" if is_int else "fp32"
        sums = np.concatenate([[v.sum()], v.sum(1)]).astype(v.dtype)
        columns = v.sum(0)
        if is_int and dtype != "i64":  # sums of narrow integers are i32
            sums, columns = (s.astype(np.int32).astype(np.int64) for s in (sums, columns))
        case(f"across {dtype} {m}x{n} by {warps} warps", "across", 1,
             {"x_ptr": x, "sums_ptr": empty(total, m + 1), "most_ptr": empty(dtype, 1),
              "rows_ptr": empty(dtype, m), "columns_ptr": empty(total, n), "M": m, "N": n},
             {"sums_ptr": (total, sums), "most_ptr": (dtype, v.max(keepdims=True).ravel()),
              "rows_ptr": (dtype, v.max(1)), "columns_ptr": (total, columns)}, warps,
             rtol=3 * EPSILON.get(dtype, 0) + 1e-5,  # each sum of halves is rounded
             atol=EPSILON.get(dtype, 0) * 100 + 1e-3)


def activated():
    """What is rounded to 16 bits, or summed up, may take instructions that are off by a little; nothing else."""
    for dtype, n in (("fp16", 256), ("bf16", 64), ("bf16", 1024), ("fp16", 40)):
        x = np.minimum(random.standard_normal((3, n)) * (1, 6, 12)[n % 3], 11).astype(np.float32)
        x[1, :8] = 0, -0.0, 11, -60, 10.5, -88, 1e-30, -87.6
        x[2, :4] = -np.inf, -1e30, -200, -103
        v = x.astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            silu, sigmoid = v / (1 + np.exp(-v)), 1 / (1 + np.exp(v))
        least = {"fp16": 2.0**-24, "bf16": 2.0**-126}[dtype]
        close = {"rtol": 1.01 * EPSILON[dtype], "atol": least}
        args = {"x_ptr": x, "silu_ptr": empty(dtype, 3, n), "power_ptr": empty(dtype, 3, n),
                "share_ptr": empty(dtype, 3, n), "inverse_ptr": empty("bf16", 3, n), "sums_ptr": empty("fp32", 3),
                "exact_ptr": empty("fp32", 3 * n, 2), "N": n}
        e = np.exp(v - v.max(1, keepdims=True))
        for name, want in (("silu_ptr", silu), ("power_ptr", np.exp2(v)), ("share_ptr", e / e.sum(1, keepdims=True))):
            case(f"activations {dtype} {n} {name}", "activations", 3, args, {name: (dtype, decode(encode(want, dtype)))},
                 **close)
        with np.errstate(over="ignore", divide="ignore"):
            inverse = 1 / np.exp(v).astype(np.float32).astype(np.float64)
            inverse = np.where(np.exp(-v) > 3.38e38, np.inf, inverse)  # a divisor below 2^-126 is not 0
        case(f"activations {dtype} {n} inverse", "activations", 3, args, {"inverse_ptr": ("bf16", inverse)},
             rtol=1.01 * EPSILON["bf16"], atol=2.0**-126)
        case(f"activations {dtype} {n} sums", "activations", 3, args, {"sums_ptr": ("fp32", np.exp(v).sum(1))},
             rtol=2.0**-18)
        exact = np.stack([sigmoid, np.exp(v)], -1).reshape(3 * n, 2)
        case(f"activations {dtype} {n} exact", "activations", 3, args, {"exact_ptr": ("fp32", exact)},
             rtol=2.5 * EPSILON["fp32"], atol=1e-44)


layer_norm()
layer_norm_backward()
activated()
other_norms()
softmaxes()
losses()
across()
suite.finish()
