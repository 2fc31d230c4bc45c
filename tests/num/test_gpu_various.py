"""Kernels of other trades, gpu/various.py, against NumPy."""

import numpy as np

from arguments import empty, zeros
from harness import EPSILON, Suite, decode, encode, generator, rounded

suite = Suite(one_in=2)
random = generator()


def case(label, kernel, grid, args, outputs, warps=4, **tolerance):
    suite.case(label, "gpu/various.py:" + kernel, str(grid), args, outputs,
               options=("--num-warps", str(warps)), **tolerance)


def floats(dtype, *shape):
    return encode(random.standard_normal(shape), dtype)


def windows():
    for dtype, (h, w, c), outs, size, stride, pad, tile, warps in (
            ("fp16", (13, 11, 8), 20, 3, 1, 1, (64, 32, 16), 4),
            ("fp16", (16, 16, 3), 16, 5, 2, 2, (32, 16, 32), 2),
            ("bf16", (7, 9, 16), 33, 1, 1, 0, (16, 64, 16), 8)):
        x, f = floats(dtype, h, w, c), floats(dtype, size, size, c, outs)
        padded = np.pad(decode(x), ((pad, pad), (pad, pad), (0, 0)))
        out_h, out_w = (h + 2 * pad - size) // stride + 1, (w + 2 * pad - size) // stride + 1
        want = np.empty((out_h, out_w, outs))
        for p in range(out_h):
            for q in range(out_w):
                part = padded[p * stride:p * stride + size, q * stride:q * stride + size]
                want[p, q] = np.tensordot(part, decode(f), 3)
        case(f"convolution {dtype} {h}x{w}x{c} {size}", "convolution",
             f"cdiv({out_h * out_w},M),cdiv({outs},N)",
             {"x_ptr": x, "w_ptr": f, "y_ptr": empty("fp32", *want.shape), "height": h, "width": w,
              "channels": c, "out_channels": outs, "out_height": out_h, "out_width": out_w,
              "stride": stride, "pad": pad, "KERNEL": size, "M": tile[0], "N": tile[1],
              "K": tile[2]}, {"y_ptr": ("fp32", want)}, warps, rtol=1e-5, atol=1e-4)
    for (h, w), size, warps in (((16, 32), 2, 4), ((10, 13), 3, 1), ((20, 8), 4, 8)):
        x = floats("fp32", h, w)
        rows, columns = -(-h // size), -(-w // size)
        wide = np.full((rows * size, columns * size), -np.inf)
        wide[:h, :w] = x
        parts = wide.reshape(rows, size, columns, size).transpose(0, 2, 1, 3)
        parts = parts.reshape(rows, columns, -1)
        case(f"pool {h}x{w} {size}", "pool", 1,
             {"x_ptr": x, "y_ptr": empty("fp32", rows, columns),
              "where_ptr": empty("i32", rows, columns), "height": h, "width": w, "H": rows,
              "W": columns, "S": size},
             {"y_ptr": ("fp32", parts.max(2)), "where_ptr": ("i32", parts.argmax(2))}, warps)


def graphs():
    for n, width, d, block, warps in ((20, 30, 32, 8, 4), (7, 64, 64, 16, 1), (33, 5, 8, 4, 2)):
        dense = random.standard_normal((n, n)) * (random.random((n, n)) < 0.2)
        dense[2] = 0
        rows, columns = np.nonzero(dense)
        start = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))]).astype(np.int32)
        values = dense[rows, columns].astype(np.float32)
        x = floats("fp32", n, width)
        want = dense.astype(np.float32).astype(np.float64) @ x
        case(f"sparse rows {n}x{width}", "sparse_rows", n,
             {"start_ptr": start, "column_ptr": columns.astype(np.int32), "value_ptr": values,
              "x_ptr": x, "y_ptr": empty("fp32", n, width), "n": n, "width": width, "D": d,
              "BLOCK": block}, {"y_ptr": ("fp32", want)}, warps, rtol=1e-5, atol=1e-5)
    for n, centres, d, m, warps in ((100, 16, 16, 32, 4), (33, 8, 32, 16, 1), (70, 5, 7, 12, 2)):
        centre = random.integers(-30, 30, (centres, d)).astype(np.float32)
        label = random.integers(0, centres, n)
        x = (centre[label] + random.integers(-1, 2, (n, d))).astype(np.float32)
        distance = ((x[:, None].astype(np.float64) - centre) ** 2).sum(2)
        label = distance.argmin(1)
        sums = np.zeros((centres, d))
        np.add.at(sums, label, x)
        case(f"nearest {n} of {centres}", "nearest", "cdiv(n,M)",
             {"x_ptr": x, "centre_ptr": centre, "label_ptr": empty("i32", n),
              "sum_ptr": zeros("fp32", centres, d), "count_ptr": zeros("i32", centres), "n": n,
              "M": m, "C": centres, "D": d},
             {"label_ptr": ("i32", label), "sum_ptr": ("fp32", sums),
              "count_ptr": ("i32", np.bincount(label, minlength=centres))}, warps)
    for n, warps in ((16, 4), (7, 1), (32, 8)):
        x = random.integers(1, 100, (n, n)).astype(np.int32)
        want = x.copy()
        for k in range(n):
            want = np.minimum(want, want[:, k, None] + want[k])
        case(f"shortest paths {n}", "shortest_paths", 1, {"x_ptr": x, "N": n},
             {"x_ptr": ("i32", want)}, warps)
    for (m, n, k), dtype, warps in (((16, 8, 32), "fp32", 4), ((3, 5, 7), "i32", 1),
                                    ((4, 64, 4), "fp16", 2)):
        a, b = (encode(random.integers(-50, 50, s), dtype) for s in ((m, k), (k, n)))
        case(f"least plus {dtype} {m}x{n}x{k}", "least_plus", 1,
             {"a_ptr": a, "b_ptr": b, "c_ptr": empty(dtype, m, n), "M": m, "N": n, "K": k},
             {"c_ptr": (dtype, (decode(a)[:, :, None] + decode(b)).min(1))}, warps)


def solvers():
    for n, count, warps in ((8, 3, 1), (16, 2, 4), (13, 2, 2), (32, 1, 8)):
        root = random.standard_normal((count, n, n))
        a = (root @ root.transpose(0, 2, 1) + n * np.eye(n)).astype(np.float32)
        b = floats("fp32", count, n)
        lower = np.linalg.cholesky(a.astype(np.float64))
        x = np.linalg.solve(lower, b.astype(np.float64)[..., None])[..., 0]
        case(f"cholesky {n}", "cholesky", count,
             {"a_ptr": a, "b_ptr": b, "l_ptr": empty("fp32", count, n, n),
              "x_ptr": empty("fp32", count, n), "N": n},
             {"l_ptr": ("fp32", lower), "x_ptr": ("fp32", x)}, warps, rtol=1e-4, atol=1e-5)
    for n, lengths, warps in ((32, (20, 31), 4), (16, (9, 3), 1), (33, (30, 32), 2)):
        a, b = (random.integers(0, 3, (4, n)).astype(np.uint8) for _ in range(2))
        want = [levenshtein(p[:lengths[0]], q[:lengths[1]]) for p, q in zip(a, b)]
        case(f"edit distance {lengths}", "edit_distance", 4,
             {"a_ptr": a, "b_ptr": b, "out_ptr": empty("i32", 4), "a_length": lengths[0],
              "b_length": lengths[1], "N": n}, {"out_ptr": ("i32", np.array(want))}, warps)
    for m, n, rounds, warps in ((16, 32, 4, 4), (5, 7, 3, 1), (64, 20, 2, 8)):
        x = floats("fp32", m, n)
        fields = [None, decode(x)]  # the one before, the last
        for _ in range(rounds):
            p = np.pad(fields[-1], 1)
            around = p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:]
            fields.append(fields[-1] * 0.5 + around * 0.125)
        case(f"heat {m}x{n} {rounds} times", "heat", 1,
             {"x_ptr": x, "y_ptr": empty("fp32", m, n), "rounds": rounds, "M": m, "N": n},
             {"x_ptr" if rounds % 2 == 0 else "y_ptr": ("fp32", fields[-1])}, warps, rtol=1e-5,
             atol=1e-6)


def levenshtein(a, b):
    row = list(range(len(b) + 1))
    for i, p in enumerate(a, 1):
        corner, row[0] = row[0], i
        for j, q in enumerate(b, 1):
            corner, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, corner + (p != q))
    return row[-1]


def states():
    def sigmoid(x):
        return 1 / (1 + np.exp(-x))

    for b, d, steps, warps in ((16, 16, 5, 4), (4, 32, 3, 2), (5, 12, 4, 1)):
        x, w = floats("fp32", steps, b, d), encode(random.standard_normal((3, d, d)) * 0.3, "fp32")
        h = first = floats("fp32", b, d)
        out = []
        for t in range(steps):
            z, r = sigmoid(x[t] + h @ w[0].astype(np.float64)), sigmoid(x[t] - h @ w[1])
            h = z * h + (1 - z) * np.tanh((r * h) @ w[2].astype(np.float64) + x[t])
            out.append(h)
        case(f"gated unit {b}x{d} {steps} steps", "gated_unit", 1,
             {"x_ptr": x, "w_ptr": w, "h_ptr": first, "out_ptr": empty("fp32", steps, b, d),
              "steps": steps, "B": b, "D": d}, {"out_ptr": ("fp32", np.stack(out))}, warps,
             rtol=1e-4, atol=1e-5)
    for length, t, d, s, warps in ((50, 16, 8, 4, 4), (20, 7, 5, 3, 1), (64, 32, 4, 16, 8)):
        x, b, c = floats("fp32", length, d), floats("fp32", length, s), floats("fp32", length, s)
        a = -random.random((d, s)).astype(np.float32)
        state, want = np.zeros((d, s)), np.empty((length, d))
        for i in range(length):
            state = np.exp(a.astype(np.float64)) * state + np.outer(x[i], b[i])
            want[i] = state @ c[i]
        case(f"selective scan {length} by {t}", "selective_scan", 1,
             {"x_ptr": x, "a_ptr": a, "b_ptr": b, "c_ptr": c, "y_ptr": empty("fp32", length, d),
              "length": length, "T": t, "D": d, "S": s}, {"y_ptr": ("fp32", want)}, warps,
             rtol=1e-4, atol=1e-4)


def others():
    for dtype, n, experts, k, m, warps in (("fp32", 50, 16, 2, 16, 4), ("fp16", 33, 64, 4, 8, 8),
                                           ("fp32", 9, 7, 3, 4, 1)):
        values = np.stack([random.permutation(experts) for _ in range(n)]) / 8  # none are equal
        x = encode(values, dtype)
        order = np.argsort(-values, 1)[:, :k]
        p = np.exp(np.take_along_axis(values, order, 1))
        case(f"route {dtype} {n} to {k} of {experts}", "route", "cdiv(n,M)",
             {"x_ptr": x, "weight_ptr": empty("fp32", n, k), "expert_ptr": empty("i32", n, k),
              "load_ptr": zeros("i32", experts), "n": n, "K": k, "M": m, "E": experts},
             {"weight_ptr": ("fp32", p / p.sum(1, keepdims=True)), "expert_ptr": ("i32", order),
              "load_ptr": ("i32", np.bincount(order.ravel(), minlength=experts))}, warps,
             rtol=1e-5)
    for dtype, m, n, tile, warps in (("fp32", 9, 100, (4, 2, 32), 4),
                                     ("bf16", 5, 64, (8, 4, 16), 2),
                                     ("fp16", 3, 50, (1, 3, 12), 1)):
        x = floats(dtype, m, n)
        groups = -(-n // tile[2])
        wide = np.zeros((m, groups * tile[2]))
        wide[:, :n] = decode(x)
        top = np.abs(wide.reshape(m, groups, -1)).max(2)
        scale = np.exp2(np.ceil(np.log2(top / 448)))
        want = decode(encode(decode(x) / np.repeat(scale, tile[2], 1)[:, :n], "fp8e4nv"))
        case(f"blocks to fp8 {dtype} {m}x{n}", "blocks_to_fp8", f"cdiv(m,M),cdiv({groups},G)",
             {"x_ptr": x, "q_ptr": empty("fp8e4nv", m, n), "scale_ptr": empty("fp32", m, groups),
              "m": m, "n": n, "M": tile[0], "G": tile[1], "W": tile[2]},
             {"q_ptr": ("fp8e4nv", want), "scale_ptr": ("fp32", scale)}, warps)
    for dtype, n, programs, block, bad, warps in (("fp32", 1000, 3, 128, True, 4),
                                                  ("fp16", 781, 2, 256, False, 1),
                                                  ("bf16", 300, 4, 33, True, 8)):
        values = random.standard_normal(n)
        if bad:
            values[[7, n // 2]] = np.inf, np.nan
        x = encode(values, dtype)
        scaled = decode(x) * 0.25
        norm = (np.where(np.isfinite(scaled), scaled, 0)**2).sum(keepdims=True)
        case(f"check gradients {dtype} {n}", "check_gradients", programs,
             {"x_ptr": x, "found_ptr": zeros("i32", 1), "norm_ptr": zeros("fp32", 1), "n": n,
              "factor": 0.25, "BLOCK": block},
             {"x_ptr": (dtype, rounded(scaled, dtype)), "found_ptr": ("i32", np.array([int(bad)])),
              "norm_ptr": ("fp32", norm)}, warps, rtol=EPSILON[dtype] + 1e-5)


def short_axes():
    for dtype, n, rounds, tile, warps in (("fp32", 100, 5, (64, 4, 4), 2),
                                          ("fp16", 33, 2, (32, 8, 2), 1),
                                          ("bf16", 50, 3, (16, 3, 5), 4),
                                          ("fp32", 70, 4, (64, 2, 16), 4)):
        x = encode(random.random((n, *tile[1:])) + 0.1, dtype)
        want = decode(x).astype(np.float64)
        for _ in range(rounds):
            want /= want.sum(2, keepdims=True)
            want /= want.sum(1, keepdims=True)
        case(f"balance {dtype} {n}x{tile[1]}x{tile[2]}", "balance", "cdiv(n,T)",
             {"x_ptr": x, "y_ptr": empty("fp32", *want.shape), "n": n, "rounds": rounds,
              "T": tile[0], "S": tile[1], "R": tile[2]}, {"y_ptr": ("fp32", want)}, warps,
             rtol=1e-5)
    for dtype, m, rows, log, warps in (("fp16", 9, 4, 10, 4), ("fp32", 5, 2, 7, 1),
                                       ("i8", 7, 8, 4, 8), ("bf16", 3, 1, 9, 2)):
        x = random.integers(-9, 10, (m, 2**log))
        matrix = np.ones((1, 1), np.int64)
        for _ in range(log):
            matrix = np.block([[matrix, matrix], [matrix, -matrix]])
        case(f"butterflies {dtype} {m}x2^{log}", "butterflies", "cdiv(m,M)",
             {"x_ptr": encode(x, dtype), "y_ptr": empty("fp32", m, 2**log), "m": m, "M": rows,
              "LOG": log}, {"y_ptr": ("fp32", x @ matrix)}, warps)


def packed_numbers():
    table = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
    table = np.concatenate([table, -table])
    for m, n, k, warps in ((16, 64, 64, 4), (64, 128, 128, 4), (32, 16, 32, 1)):
        a = floats("bf16", m, k)
        b = random.integers(0, 256, (n, k // 2)).astype(np.uint8)
        s = random.integers(120, 135, (n, k // 32)).astype(np.uint8)
        w = np.stack([table[b & 15], table[b >> 4]], 2).reshape(n, k)
        w = w * np.repeat(2.0**(s.astype(int) - 127), 32, 1)
        case(f"weights of four bits {m}x{n}x{k}", "weights_of_four_bits", 1,
             {"a_ptr": a, "b_ptr": b, "s_ptr": s, "c_ptr": empty("fp32", m, n), "M": m, "N": n,
              "K": k}, {"c_ptr": ("fp32", decode(a) @ w.T)}, warps, rtol=1e-4, atol=1e-2)


windows()
graphs()
short_axes()
packed_numbers()
solvers()
states()
others()
suite.finish()
