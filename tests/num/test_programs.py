"""Programs as people write them (programs/*.py) against NumPy: odd sizes, tails, strided rows."""

import math

import numpy as np

from arguments import apart, block_of, empty, zeros
from harness import EPSILON, Suite, Tensor, decode, encode, generator, rounded

suite = Suite(one_in=2)
random = generator()
HALVES = ["fp32", "fp16", "bf16"]


def case(label, kernel, grid, args, outputs, **tolerance):
    suite.case(label, "programs/" + kernel, str(grid), args, outputs, **tolerance)


def floats(dtype, *shape):
    return encode(random.standard_normal(shape), dtype)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


# --- attention.py ---------------------------------------------------------------------------


def attention():
    cases = [(40, 37, True, "fp32", (32, 16)), (40, 64, False, "fp16", (32, 16)),
             (72, 50, True, "bf16", (48, 24)), (72, 33, False, "fp32", (20, 12)),
             (16, 1, True, "fp32", (32, 32)), (40, 96, True, "fp16", (48, 16))]
    for dim, length, causal, dtype, (block_m, block_n) in cases:
        heads, batch = 3, 2
        # [batch, length, heads, dim] in memory, as projections give it
        q, k, v = (floats(dtype, batch, length, heads, dim) for _ in range(3))
        scale = np.float32(1 / math.sqrt(dim))
        scores = np.einsum("zmhd,znhd->zhmn", decode(q), decode(k)) * scale
        if causal:
            scores = np.where(np.tri(length, dtype=bool), scores, -np.inf)
        out = np.einsum("zhmn,znhd->zmhd", softmax(scores), decode(v))
        top = scores.max(-1)
        log_sums = (top + np.log(np.exp(scores - top[..., None]).sum(-1))) / math.log(2)
        args = {"Q": q, "K": k, "V": v, "sm_scale": float(scale),
                "M": empty("fp32", batch, heads, length),
                "Out": empty(dtype, batch, length, heads, dim)}
        for name, letters in (("Q", "zhmk"), ("K", "zhnk"), ("V", "zhnk"), ("Out", "zhmn")):
            for letter, axis in zip(letters, (0, 2, 1, 3)):
                args[f"stride_{name[0].lower()}{letter}"] = f"{name}.stride({axis})"
        args.update({"H": heads, "n_ctx": length, "HEAD_DIM": dim, "CAUSAL": causal,
                     "EVEN": length % block_m == 0})
        case(f"attention {dtype} D={dim} L={length} causal={causal}",
                   "attention.py:attn_fwd", f"cdiv(n_ctx,BLOCK_M),{batch * heads}",
                   {**args, "BLOCK_M": block_m, "BLOCK_N": block_n},
                   {"Out": (dtype, out), "M": ("fp32", log_sums)},
                   rtol=4 * EPSILON[dtype], atol=2e-6 + EPSILON[dtype] * 2)


def rotary():
    for dtype, length, heads, dim, interleaved, conjugate, offset in (
            ("fp32", 13, 3, 40, False, False, 0), ("fp16", 9, 1, 72, True, False, 5),
            ("bf16", 17, 5, 6, False, True, 1), ("fp32", 8, 2, 64, True, True, "tensor")):
        x = floats(dtype, length, heads, dim)
        half = dim // 2
        angle = random.uniform(-3, 3, (length + 8, half))
        cos, sin = encode(np.cos(angle), dtype), encode(np.sin(angle), dtype)
        shift = 4 if offset == "tensor" else offset
        c, s = (decode(t)[shift:shift + length, None, :] for t in (cos, sin))
        if conjugate:
            s = -s
        first = slice(0, dim, 2) if interleaved else slice(0, half)
        second = slice(1, dim, 2) if interleaved else slice(half, dim)
        a, b = decode(x)[..., first], decode(x)[..., second]
        want = np.empty(decode(x).shape)
        want[..., first], want[..., second] = a * c - b * s, b * c + a * s
        case(f"rotary {dtype} {length}x{heads}x{dim} {offset}",
                   "attention.py:rotary_kernel", "cdiv(seqlen,BLOCK_S)+1,cdiv(nheads,2)",
                   {"OUT": empty(dtype, length, heads, dim), "X": x, "COS": cos, "SIN": sin,
                    "seqlen": length, "nheads": heads, "rotary_dim": dim,
                    "seqlen_offset": np.array([4], np.int32) if offset == "tensor" else offset,
                    "stride_os": "OUT.stride(0)", "stride_oh": "OUT.stride(1)",
                    "stride_xs": "X.stride(0)", "stride_xh": "X.stride(1)",
                    "BLOCK_S": 8, "BLOCK_H": 2, "BLOCK_K": block_of(half),
                    "INTERLEAVED": interleaved, "CONJUGATE": conjugate,
                    "IS_SEQLEN_OFFSETS_TENSOR": offset == "tensor"},
                   {"OUT": (dtype, want)}, rtol=EPSILON[dtype], atol=EPSILON[dtype])


def attention_backward():
    for dtype, n, dim, block in (("fp32", 37, 24, 12), ("fp16", 20, 40, 16)):
        q, k, v, do = (floats(dtype, n, dim) for _ in range(4))
        qv, kv, vv, dov = (decode(t) for t in (q, k, v, do))
        scores = np.where(np.tri(n, dtype=bool), qv @ kv.T * 0.2, -np.inf)
        sums = np.log(np.exp(scores).sum(1))
        p = np.exp(scores - sums[:, None])
        delta = (p @ vv * dov).sum(1)
        ds = p * (dov @ vv.T - delta[:, None]) * 0.2
        case(f"attention backward {dtype} {n}", "attention.py:attn_bwd", "cdiv(n_ctx,BLOCK)",
             {"Q": q, "K": k, "V": v, "DO": do, "L": sums.astype(np.float32),
              "Delta": delta.astype(np.float32), "DQ": zeros("fp32", n, dim),
              "DK": empty(dtype, n, dim), "DV": empty(dtype, n, dim), "n_ctx": n, "sm_scale": 0.2,
              "D": dim, "BLOCK": block},
             {"DQ": ("fp32", ds @ kv), "DK": (dtype, ds.T @ qv), "DV": (dtype, p.T @ dov)},
             rtol=4 * EPSILON[dtype], atol=3e-6 + 2 * EPSILON[dtype])


def paged():
    q, cache = floats("fp32", 5, 3, 24), floats("fp32", 20, 6, 24)
    tables = random.permutation(20).reshape(5, 4).astype(np.int32)
    lens = np.array([1, 0, 24, 13, 6], np.int32)
    want = np.zeros((5, 3, 24))
    for i in np.flatnonzero(lens):
        kv = decode(cache)[tables[i]].reshape(-1, 24)[:lens[i]]
        want[i] = softmax(decode(q)[i] @ kv.T * 0.3) @ kv
    case("paged decoding", "attention.py:paged_decode", 5,
         {"Q": q, "Cache": cache, "Tables": tables, "Lens": lens, "Out": empty("fp32", 5, 3, 24),
          "stride_t": 4, "scale": 0.3, "PAGE": 6, "D": 24, "GROUP": 3},
         {"Out": ("fp32", want)}, rtol=1e-5, atol=2e-6)


# --- norms.py -------------------------------------------------------------------------------


def rms_norm():
    for mode, dtype, offset in (("llama", "fp16", 0.0), ("gemma", "bf16", 1.0),
                                ("none", "fp32", 0.5), ("llama", "fp32", 1.0),
                                ("gemma", "fp16", 0.0)):
        for rows, columns in ((1, 1), (5, 7), (3, 781), (2, 1025)):
            x, w = floats(dtype, rows, columns), floats(dtype, columns)
            values = decode(x)
            rstd = 1 / np.sqrt((values**2).mean(1) + 1e-6)
            want = values * rstd[:, None] * (offset + decode(w))
            case(f"rms {mode} {dtype} {rows}x{columns}", "norms.py:rms_forward",
                       "X_ptr.shape(0)",
                       {"Y_ptr": f"empty({dtype},{rows}x{columns + 5})[:,:{columns}]",
                        "Y_row_stride": "Y_ptr.stride(0)", "X_ptr": apart(suite, x),
                        "X_row_stride": "X_ptr.stride(0)", "W_ptr": w,
                        "RSTD_ptr": empty("fp32", rows), "n_cols": columns, "eps": 1e-6,
                        "offset": offset, "casting_mode": repr(mode),
                        "BLOCK_SIZE": block_of(columns)},
                       {"Y_ptr": (dtype, want), "RSTD_ptr": ("fp32", rstd)},
                       rtol=3 * EPSILON[dtype] + 1e-6, atol=1e-5)
    for dtype in HALVES:
        for rows, columns, per in ((7, 40, 3), (1, 9, 1), (10, 781, 4)):
            x, dy = floats(dtype, rows, columns), floats(dtype, rows, columns)
            w = floats(dtype, columns)
            xv, dyv, wv = decode(x), decode(dy), decode(w)
            rstd = (1 / np.sqrt((xv**2).mean(1) + 1e-6)).astype(np.float32)
            r = rstd[:, None].astype(np.float64)
            m = dyv * wv
            dx = r * m - r**3 * xv * (m * xv).mean(1, keepdims=True)
            programs = -(-rows // per)
            dw = np.stack([(dyv * xv * r)[i * per:(i + 1) * per].sum(0) for i in range(programs)])
            case(f"rms backward {dtype} {rows}x{columns}", "norms.py:rms_backward",
                       programs,
                       {"dY_ptr": apart(suite, dy), "dY_row_stride": "dY_ptr.stride(0)",
                        "dX_ptr": empty(dtype, rows, columns), "dX_row_stride": columns,
                        "X_ptr": apart(suite, x, 1), "X_row_stride": "X_ptr.stride(0)", "W_ptr": w,
                        "RSTD_ptr": rstd, "dW_ptr": empty("fp32", programs, columns),
                        "dW_row_stride": columns, "n_rows": rows, "n_cols": columns,
                        "rows_per_program": per, "offset": 0.0, "BLOCK_SIZE": block_of(columns)},
                       {"dX_ptr": (dtype, dx), "dW_ptr": ("fp32", dw)},
                       rtol=2 * EPSILON[dtype] + 1e-5, atol=1e-5 + EPSILON[dtype])


def group_norm():
    for dtype, batch, groups, channels, hidden, bias in (
            ("fp32", 2, 3, 2, 35, True), ("fp16", 1, 1, 5, 64, False), ("bf16", 2, 2, 1, 7, True)):
        x = floats(dtype, batch, groups, channels, hidden)
        w, b = floats(dtype, groups, channels, 1), floats(dtype, groups, channels, 1)
        v = decode(x)
        mean, rstd = v.mean((2, 3)), 1 / np.sqrt(v.var((2, 3)) + 1e-5)
        want = (v - mean[..., None, None]) * rstd[..., None, None] * decode(w)
        want = want + decode(b) if bias else want
        case(f"group norm {dtype} {groups}x{channels}x{hidden}",
                   "norms.py:group_norm_kernel", f"{batch},{groups}",
                   {"X_ptr": x, "Y_ptr": empty(dtype, *v.shape),
                    "Mean_ptr": empty("fp32", batch, groups),
                    "RSTD_ptr": empty("fp32", batch, groups), "W_ptr": w,
                    "B_ptr": b if bias else "None", "channels_per_group": channels,
                    "hidden_size": hidden, "num_channels": groups * channels, "eps": 1e-5,
                    "HAS_BIAS": bias, "BLOCK_SIZE": 24},
                   {"Y_ptr": (dtype, want), "Mean_ptr": ("fp32", mean), "RSTD_ptr": ("fp32", rstd)},
                   rtol=3 * EPSILON[dtype] + 1e-5, atol=2 * EPSILON[dtype] + 1e-5)


def layer_norm_backward():
    for dtype, rows, columns, group, lock in (
            ("fp32", 13, 50, 4, False), ("fp16", 5, 781, 2, False), ("bf16", 9, 33, 3, False),
            ("fp32", 9, 33, 3, True)):
        x, dy = floats(dtype, rows, columns), floats(dtype, rows, columns)
        w = floats(dtype, columns)
        xv, dyv, wv = decode(x), decode(dy), decode(w)
        mean, rstd = xv.mean(1), 1 / np.sqrt(xv.var(1) + 1e-5)
        hat = (xv - mean[:, None]) * rstd[:, None]
        wdy = wv * dyv
        dx = (wdy - hat * (hat * wdy).mean(1, keepdims=True) - wdy.mean(1, keepdims=True)) \
            * rstd[:, None]
        parts = [[(t[i::group]).sum(0) for i in range(group)] for t in (dyv * hat, dyv)]
        args = {"DX": empty(dtype, rows, columns), "DY": dy, "DW": zeros("fp32", group, columns),
                "DB": zeros("fp32", group, columns), "X": x, "W": w,
                "Mean": mean.astype(np.float32), "Rstd": rstd.astype(np.float32),
                "Lock": zeros("i32", 2 * group), "stride": "X.stride(0)", "N": columns,
                "GROUP_SIZE_M": group, "BLOCK_SIZE_N": block_of(columns), "USE_LOCK": lock}
        case(f"layer norm backward {dtype} {rows}x{columns} {lock}",
                   "norms.py:layer_norm_bwd_dx", rows, args,
                   {"DX": (dtype, dx), "DW": ("fp32", np.stack(parts[0])),
                    "DB": ("fp32", np.stack(parts[1]))},
                   rtol=2 * EPSILON[dtype] + 1e-5, atol=EPSILON[dtype] + 1e-5)
    for rows, columns in ((1, 1), (5, 33), (70, 100)):
        a, b = floats("fp32", rows, columns), floats("fp32", rows, columns)
        case(f"layer norm dwdb {rows}x{columns}", "norms.py:layer_norm_bwd_dwdb",
                   "cdiv(N,BLOCK_SIZE_N)",
                   {"DW": a, "DB": b, "FINAL_DW": empty("fp32", columns),
                    "FINAL_DB": empty("fp32", columns), "M": rows, "N": columns,
                    "BLOCK_SIZE_M": 32, "BLOCK_SIZE_N": 24},
                   {"FINAL_DW": ("fp32", decode(a).sum(0)), "FINAL_DB": ("fp32", decode(b).sum(0))},
                   rtol=1e-5, atol=1e-5)


def welford():
    for dtype, rows, columns in (("fp32", 5, 781), ("fp16", 1, 3), ("bf16", 9, 64)):
        x = encode(random.standard_normal((rows, columns)) + 50, dtype)
        case(f"welford {dtype} {rows}x{columns}", "norms.py:variance_kernel",
                   "cdiv(xnumel,XBLOCK)",
                   {"in_ptr0": x, "out_mean": empty("fp32", rows), "out_var": empty("fp32", rows),
                    "xnumel": rows, "rnumel": columns, "XBLOCK": 4, "RBLOCK": 100},
                   {"out_mean": ("fp32", decode(x).mean(1)), "out_var": ("fp32", decode(x).var(1))},
                   rtol=2e-5, atol=1e-6)


# --- losses.py ------------------------------------------------------------------------------


def cross_entropy():
    for dtype, rows, columns, smoothing, weighted, cap, reduction in (
            ("fp32", 7, 33, 0.0, False, None, "mean"), ("fp16", 5, 100, 0.1, False, None, "sum"),
            ("bf16", 3, 781, 0.2, True, 30.0, "mean"), ("fp32", 4, 40, 0.1, True, 5.0, "none")):
        x = floats(dtype, rows, columns)
        y = random.integers(0, columns, rows)
        y[1] = -100
        w = random.random(columns).astype(np.float32)
        kept = y != -100
        raw = decode(x)
        v = cap * np.tanh(raw / cap) if cap else raw
        p = softmax(v)
        target = np.where(kept, y, 0)
        hot = np.arange(columns)[None, :] == target[:, None]
        log_p = np.log(p)
        loss = -(1 - smoothing) * (log_p * hot).sum(1) - smoothing * log_p.mean(1)
        grad = p - smoothing / columns - (1 - smoothing) * hot
        factor = (w[target] if weighted else 1) / (kept.sum() if reduction == "mean" else 1)
        factor = np.broadcast_to(np.where(kept, factor, 0), rows)
        grad = grad * factor[:, None] * (1 - (v / cap) ** 2 if cap else 1)
        case(f"cross entropy {dtype} {rows}x{columns} {smoothing}",
                   "losses.py:weighted_cross_entropy_kernel", rows,
                   {"X_ptr": apart(suite, x), "X_stride": "X_ptr.stride(0)", "Y_ptr": y,
                    "Y_stride": 1,
                    "weight_ptr": w if weighted else "None", "loss_ptr": zeros("fp32", rows),
                    "loss_stride": 1, "n_cols": columns, "n_non_ignore": int(kept.sum()),
                    "ignore_index": -100, "label_smoothing": smoothing,
                    "softcap": "None" if cap is None else cap, "reduction": repr(reduction),
                    "BLOCK_SIZE": 128, "HAS_WEIGHT": weighted, "HAS_SOFTCAPPING": cap is not None},
                   {"X_ptr": (dtype, grad), "loss_ptr": ("fp32", np.where(kept, loss * factor, 0))},
                   rtol=2 * EPSILON[dtype] + 1e-5, atol=EPSILON[dtype] * 0.01 + 1e-5)


def kl_divergence():
    for dtype in ("fp32", "fp64"):
        for reduction in (0, 1, 2) if dtype == "fp32" else (0,):  # its sum begins as fp32
            for log_target in (False, True):
                y = encode(np.log(softmax(random.standard_normal((3, 100)))), dtype)
                t = softmax(random.standard_normal((3, 100)))
                t = encode(np.log(t) if log_target else t, dtype)
                tv = decode(t)
                yv = decode(y)
                loss = np.exp(tv) * (tv - yv) if log_target else tv * (np.log(tv) - yv)
                want = (loss, loss.sum(1), loss.mean(1))[reduction]
                case(f"kl {dtype} {reduction} {log_target}", "losses.py:kl_div_kernel",
                           3, {"y_ptr": y, "y_stride": 100, "gt_ptr": t, "gt_stride": 100,
                               "loss_ptr": empty(dtype, *want.shape),
                               "loss_stride": "loss_ptr.stride(0)", "n_cols": 100, "eps": 1e-10,
                               "BLOCK_SIZE": 32, "log_target": log_target, "reduction": reduction},
                           {"loss_ptr": (dtype, want)}, rtol=20 * EPSILON[dtype], atol=1e-6)


def masked_softmax():
    for dtype, mask, bias, lengths in (("fp32", "i1", True, True), ("fp16", "u8", False, False),
                                       ("bf16", None, True, False), ("fp32", "i64", False, True)):
        rows, columns = 6, 75
        x = floats(dtype, rows, columns)
        m = random.random((rows, columns)) < 0.7
        m[2] = False
        b = random.standard_normal(columns).astype(np.float32)
        n = random.integers(1, columns, rows).astype(np.int32)
        n[3] = 0
        v = decode(x) * 0.5 + (b if bias else 0)
        seen = np.ones((rows, columns), bool) if mask is None else m
        seen = seen & (np.arange(columns) < n[:, None]) if lengths else seen
        e = np.where(seen, np.exp(v - v.max()), 0)
        want = e / np.maximum(e.sum(1, keepdims=True), 1e-300)
        case(f"masked softmax {dtype} {mask}", "losses.py:masked_softmax_kernel", rows,
                   {"out_ptr": empty(dtype, rows, columns), "x_ptr": apart(suite, x),
                    "mask_ptr": "None" if mask is None else encode(m, mask),
                    "bias_ptr": b if bias else "None", "seq_lens_ptr": n if lengths else "None",
                    "stride_om": columns, "stride_xm": "x_ptr.stride(0)", "stride_mm": columns,
                    "n_cols": columns, "scale": 0.5, "BLOCK": 128},
                   {"out_ptr": (dtype, want)}, rtol=2 * EPSILON[dtype] + 1e-6, atol=1e-7)


def top1():
    for method in ("reduce", "max", "two"):
        for dtype, columns in (("fp32", 781), ("fp16", 5), ("bf16", 64), ("fp64", 33)):
            x = encode(random.integers(-20, 20, (4, columns)), dtype)
            value = decode(x)
            if method == "reduce":
                value = value.copy()
                value[1, columns // 2] = np.nan
                x = encode(value, dtype)
            index = value.argmax(1)  # the first NaN, else the first greatest
            plain = np.where(np.isnan(value), -np.inf, value).argmax(1)
            case(f"top1 {method} {dtype} {columns}", "losses.py:top1_kernel", 4,
                       {"x_ptr": x, "value_ptr": empty(dtype, 4), "index_ptr": empty("i32", 4),
                        "argmax_ptr": empty("i64", 4), "n_cols": columns,
                        "BLOCK": block_of(columns), "METHOD": repr(method)},
                       {"value_ptr": (dtype, value[np.arange(4), index]),
                        "index_ptr": ("i32", index), "argmax_ptr": ("i64", plain)})


def hashed(x, seed):
    x = x.astype(np.uint32) ^ np.uint32(seed)
    for _ in range(2):
        x ^= x >> np.uint32(16)
        x = x * np.uint32(0x7FEB352D)
        x ^= x >> np.uint32(15)
        x = x * np.uint32(0x846CA68B)
        x ^= x >> np.uint32(16)
    return x


def dropout():
    for dtype, n, p in (("fp32", 1000, 0.25), ("fp16", 77, 0.5), ("bf16", 333, 0.1)):
        x = floats(dtype, n)
        keep = (hashed(np.arange(n), 3141592653) >> 8) / 2**24 >= np.float32(p)
        want = np.where(keep, decode(x) / (1 - p), 0)
        case(f"dropout {dtype} {n}", "losses.py:dropout_kernel", "cdiv(n,BLOCK)",
                   {"x_ptr": x, "out_ptr": empty(dtype, n), "keep_ptr": empty("i1", n), "n": n,
                    "p": p, "seed": 3141592653, "BLOCK": 224},
                   {"out_ptr": (dtype, want), "keep_ptr": ("i1", keep)}, rtol=EPSILON[dtype])


# --- activations.py -------------------------------------------------------------------------


ERF = np.vectorize(math.erf)


def gated():
    references = {
        "silu": lambda x: x * sigmoid(x),
        "gelu": lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
        "gelu_erf": lambda x: 0.5 * x * (1 + ERF(x / math.sqrt(2))),
        "relu": lambda x: np.maximum(x, 0),
    }
    for activation, reference in references.items():
        for dtype in HALVES:
            g, u = floats(dtype, 3, 300), floats(dtype, 3, 300)
            want = rounded(reference(decode(g)), dtype) * decode(u)
            case(f"gated {activation} {dtype}", "activations.py:gated_forward",
                       "3,cdiv(n_cols,BLOCK)",
                       {"gate_ptr": apart(suite, g), "up_ptr": apart(suite, u, 7),
                        "out_ptr": empty(dtype, 3, 300),
                        "gate_stride": "gate_ptr.stride(0)", "up_stride": "up_ptr.stride(0)",
                        "out_stride": "out_ptr.stride(0)", "n_cols": 300,
                        "ACTIVATION": repr(activation), "BLOCK": 128},
                       {"out_ptr": (dtype, want)}, rtol=2 * EPSILON[dtype] + 4e-6, atol=2e-6)
    a, b, dc = (floats("fp32", 4, 100) for _ in range(3))
    av, bv, dcv = decode(a), decode(b), decode(dc)
    s = sigmoid(av)
    case("swiglu backward", "activations.py:swiglu_backward", 4,
               {"dc_ptr": dc, "a_ptr": a, "b_ptr": b, "stride": 100, "n_cols": 100, "BLOCK": 128},
               {"a_ptr": ("fp32", dcv * (av * s * (1 - s) + s) * bv),
                "b_ptr": ("fp32", dcv * av * s)}, rtol=1e-5, atol=1e-6)


def adam():
    for dtype, wide, amsgrad in (("fp32", True, None), ("bf16", True, 0.5), ("fp16", True, None)):
        n = 1000
        p, g = floats(dtype, n), floats(dtype, n)
        m, v = floats("fp32", n), np.abs(floats("fp32", n))
        b1, b2, lr, eps, decay, step = 0.9, 0.999, 1e-2, 1e-8, 0.1, 3
        new_m = b1 * decode(m) + (1 - b1) * decode(g)
        new_v = b2 * decode(v) + (1 - b2) * decode(g) ** 2
        below = np.sqrt(new_v) / math.sqrt(1 - b2**step) + eps
        below = np.maximum(below, amsgrad) if amsgrad else below
        want = decode(p) * (1 - lr * decay) - lr * new_m / (1 - b1**step) / below
        case(f"adam {dtype} {amsgrad}", "activations.py:adam_kernel", "cdiv(n,BLOCK)",
                   {"param_ptr": p, "grad_ptr": g, "exp_avg_ptr": m, "exp_avg_sq_ptr": v, "lr": lr,
                    "beta1": b1, "beta2": b2, "eps": eps, "weight_decay": decay, "step": step,
                    "n": n, "MASTER_IN_FP32": wide,
                    "AMSGRAD": "None" if amsgrad is None else amsgrad,
                    "BLOCK": 224},
                   {"param_ptr": (dtype, want), "exp_avg_ptr": ("fp32", new_m),
                    "exp_avg_sq_ptr": ("fp32", new_v)}, rtol=EPSILON[dtype] + 3e-4, atol=1e-6)


def quantise():
    for dtype, way in (("fp32", "rint"), ("fp16", "round"), ("bf16", "floor"), ("fp32", "llrint")):
        x = floats(dtype, 5, 100)
        v = decode(x).astype(np.float32)
        scale = np.abs(v).max(1) / np.float32(127)
        scaled = v * (np.float32(1) / scale)[:, None]
        q = {"rint": np.rint(scaled), "llrint": np.rint(scaled),
             "floor": np.floor(scaled + np.float32(0.5)),
             "round": np.trunc(scaled + np.copysign(np.float32(0.5), scaled))}[way]
        q = np.clip(q, -128, 127).astype(np.int8)
        case(f"quantise {dtype} {way}", "activations.py:quantise_rows", 5,
                   {"x_ptr": apart(suite, x), "q_ptr": "zeros(i8,5x110)[:,:100]",
                    "scale_ptr": empty("fp32", 5),
                    "stride_x": "x_ptr.stride(0)", "stride_q": "q_ptr.stride(0)", "n_cols": 100,
                    "BLOCK": 100, "ROUND": repr(way)},
                   {"q_ptr": ("i8", q), "scale_ptr": ("fp32", scale.astype(np.float64))}, rtol=2e-7)
        case(f"dequantise {dtype}", "activations.py:dequantise_rows", 5,
                   {"q_ptr": q, "scale_ptr": scale, "out_ptr": empty(dtype, 5, 100),
                    "stride_q": 100,
                    "n_cols": 100, "BLOCK": 64},
                   {"out_ptr": (dtype, rounded(q * scale[:, None], dtype))}, rtol=EPSILON[dtype])
    packed = random.integers(0, 256, 333).astype(np.uint8)
    zero = random.integers(0, 16, 42).astype(np.int8)
    halves = np.stack([packed & 15, packed >> 4], 1).astype(np.int8)
    case("unpack int4", "activations.py:unpack_int4", "cdiv(n_bytes,BLOCK)",
               {"packed_ptr": packed, "out_ptr": empty("i8", 666), "zero_ptr": zero, "n_bytes": 333,
                "GROUP": 8, "BLOCK": 100},
               {"out_ptr": ("i8", (halves - zero[np.arange(333) // 8][:, None]).reshape(-1))})
    for dtype in ("fp8e4nv", "fp8e5"):
        x = floats("fp32", 4, 50)
        x[2] = 0
        s = np.abs(x).max(1) / np.float32(448)
        s[2] = 1
        y = encode((x / s[:, None]).astype(np.float64), dtype)
        case(f"cast to {dtype}", "activations.py:fp8_cast_rows", 4,
                   {"x_ptr": x, "y_ptr": empty(dtype, 4, 50), "s_ptr": empty("fp32", 4),
                    "n_cols": 50, "BLOCK": 64},
                   {"y_ptr": (dtype, decode(y)), "s_ptr": ("fp32", s.astype(np.float64))},
                   rtol=1e-7)
        every = Tensor(dtype, np.arange(256).astype(np.uint8))
        case(f"from {dtype}", "activations.py:fp8_to", "cdiv(n,BLOCK)",
                   {"x_ptr": every, "y_ptr": empty("fp16", 256), "n": 256, "BLOCK": 100},
                   {"y_ptr": ("fp16", decode(every))})


for part in (attention, attention_backward, paged, rotary, rms_norm, group_norm,
             layer_norm_backward, welford, cross_entropy, kl_divergence, masked_softmax, top1,
             dropout, gated, adam, quantise):
    part()
suite.finish()
