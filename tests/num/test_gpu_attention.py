"""Attention as gpu/attention.py has it against NumPy: odd lengths, few and many warps."""

import numpy as np

from arguments import empty
from harness import EPSILON, Suite, decode, encode, generator

suite = Suite(one_in=3)
random = generator()


def case(label, kernel, grid, args, outputs, warps=4, stages=None, **tolerance):
    hints = ("--num-warps", str(warps)) + (("--num-stages", str(stages)) if stages else ())
    suite.case(label, "gpu/attention.py:" + kernel, str(grid), args, outputs, options=hints, **tolerance)


def floats(dtype, *shape):
    return encode(random.standard_normal(shape), dtype)


def softmax(x):
    with np.errstate(invalid="ignore"):
        e = np.exp(x - np.where(np.isinf(x.max(-1, keepdims=True)), 0, x.max(-1, keepdims=True)))
        return e / np.maximum(e.sum(-1, keepdims=True), 1e-300)


def forward():
    for dtype, d, dv, q_len, k_len, causal, (m, n), warps, sharing in (
            ("fp16", 64, 64, 77, 77, True, (64, 32), 4, 1),
            ("fp16", 128, 128, 33, 95, False, (32, 64), 8, 2),
            ("bf16", 32, 32, 130, 67, False, (128, 16), 4, 1),
            ("bf16", 64, 32, 50, 81, True, (16, 32), 1, 3),
            ("fp32", 16, 16, 37, 37, True, (32, 16), 2, 1),
            ("fp32", 32, 64, 19, 61, True, (16, 16), 4, 2),
            ("fp16", 16, 128, 61, 40, True, (32, 32), 2, 1),
            ("fp16", 80, 48, 43, 43, True, (64, 32), 4, 1), ("fp16", 80, 48, 43, 43, True, (64, 48), 4, 1),("fp16", 80, 48, 143, 143, False, (64, 40), 4, 1),("fp16", 80, 48, 43, 43, True, (48, 16), 4, 1),
            ("fp16", 80, 128, 68, 69, False, (64, 128), 1, 1)):  # thousands of registers
        heads = 2 * sharing
        q, k = floats(dtype, heads, q_len, d), floats(dtype, 2, k_len, d)
        v = floats(dtype, 2, k_len, dv)
        keys, values = (np.repeat(decode(x), sharing, axis=0) for x in (k, v))
        scores = np.einsum("hmd,hnd->hmn", decode(q), keys) * np.float32(d**-0.5)
        if causal:
            seen = np.arange(q_len)[:, None] + k_len - q_len >= np.arange(k_len)
            scores = np.where(seen, scores, -np.inf)
        out = softmax(scores) @ values
        with np.errstate(divide="ignore"):
            lse = np.logaddexp.reduce(scores, axis=-1)
        case(f"flash {dtype} {d}/{dv} {q_len}x{k_len} causal={causal}", "flash_forward",
             f"cdiv(q_len,M),{heads}",
             {"q_ptr": q, "k_ptr": k, "v_ptr": v, "o_ptr": empty(dtype, heads, q_len, dv),
              "lse_ptr": empty("fp32", heads, q_len), "q_len": q_len, "k_len": k_len,
              "shared_heads": sharing, "scale": float(np.float32(d**-0.5)), "CAUSAL": causal,
              "D": d, "DV": dv, "M": m, "N": n},
             {"o_ptr": (dtype, out), "lse_ptr": ("fp32", lse)}, warps,
             rtol=EPSILON[dtype], atol=3e-6 + EPSILON[dtype])


def tutorial():
    for dtype, d, length, causal, (m, n), warps in (
            ("fp16", 64, 256, False, (128, 64), 4), ("fp16", 64, 256, True, (128, 64), 8),
            ("bf16", 64, 192, True, (64, 32), 4), ("fp16", 128, 256, True, (128, 64), 8),
            ("bf16", 128, 128, False, (128, 64), 4), ("bf16", 128, 256, True, (128, 64), 4),
            ("fp16", 256, 384, False, (128, 64), 8), ("bf16", 256, 256, True, (128, 64), 8),
            ("fp32", 32, 64, True, (32, 16), 2)):
        q, k, v = (floats(dtype, 2, length, d) for _ in range(3))
        scores = np.einsum("hmd,hnd->hmn", decode(q), decode(k)) * np.float32(d**-0.5)
        if causal:
            scores = np.where(np.tri(length, dtype=bool), scores, -np.inf)
        lse = np.logaddexp.reduce(scores, axis=-1) / np.log(2)
        near = 2.0**-9 if dtype == "fp32" else EPSILON[dtype]  # tf32
        case(f"tutorial {dtype} {d} {length} causal={causal}", "tutorial",
             f"cdiv({length},M),2",
             {"q_ptr": q, "k_ptr": k, "v_ptr": v, "o_ptr": empty(dtype, 2, length, d),
              "lse_ptr": empty("fp32", 2, length), "length": length,
              "scale": float(np.float32(d**-0.5)), "CAUSAL": causal, "M": m, "D": d, "N": n},
             {"o_ptr": (dtype, softmax(scores) @ decode(v)), "lse_ptr": ("fp32", lse)}, warps,
             rtol=near, atol=1e-5 + near)


def by_strides():
    """[batch, heads, length, D], and with heads next to each other."""
    for dtype, d, length, apart, (m, n), warps in (("fp16", 64, 256, True, (128, 64), 4), ("bf16", 128, 128, False, (128, 64), 8),
                                                   ("fp16", 32, 192, False, (64, 32), 4), ("fp16", 128, 256, True, (128, 64), 8)):
        batch, heads = 2, 3
        shape = (batch, heads, length, d) if apart else (batch, length, heads, d)
        order = (0, 1, 2, 3) if apart else (0, 2, 1, 3)
        q, k, v = (floats(dtype, *shape) for _ in range(3))
        a, b, c = (decode(x).transpose(order) for x in (q, k, v))
        out = softmax(np.einsum("zhmd,zhnd->zhmn", a, b) * np.float32(d**-0.5)) @ c
        case(f"by strides {dtype} {d} {length}", "by_strides", f"cdiv({length},M),{batch * heads}",
             {"q_ptr": q, "k_ptr": k, "v_ptr": v, "o_ptr": empty(dtype, *shape), "length": length, "heads": heads,
              "scale": float(np.float32(d**-0.5)), "stride_z": heads * length * d, "stride_h": length * d if apart else d,
              "stride_n": d if apart else heads * d, "M": m, "D": d, "N": n},
             {"o_ptr": (dtype, out.transpose(order))}, warps, rtol=EPSILON[dtype], atol=1e-5 + EPSILON[dtype])


def of_lengths():
    """Rows of q are words that a product of each round reads again."""
    for dtype, d, (m, n), warps, stages in (("fp16", 128, (128, 128), 8, 1), ("bf16", 128, (128, 128), 8, 1),
                                            ("fp16", 64, (64, 64), 4, 2)):
        lengths = np.array([n + 37, 77, 1], np.int32)
        starts, rows, heads, shared = (np.cumsum(lengths) - lengths).astype(np.int32), int(lengths.sum()), 2, 2
        q, k, v = floats(dtype, rows, heads, d), *(floats(dtype, rows, heads // shared, d) for _ in range(2))
        out = np.zeros((rows, heads, d))
        for start, length in zip(starts, lengths):
            a, b, c = (np.repeat(x[start:start + length], heads // x.shape[1], 1) for x in map(decode, (q, k, v)))
            scores = np.einsum("mhd,nhd->hmn", a, b) * np.float32(d**-0.5)
            scores = np.where(np.tri(length, dtype=bool), scores, -np.inf)
            out[start:start + length] = np.einsum("hmn,nhd->mhd", softmax(scores), c)
        case(f"of lengths {dtype} {d} {m}x{n}", "of_lengths", f"cdiv({lengths.max()},M),{heads},{len(lengths)}",
             {"q_ptr": q, "k_ptr": k, "v_ptr": v, "o_ptr": empty(dtype, rows, heads, d), "starts_ptr": starts,
              "lengths_ptr": lengths, "scale": float(np.float32(d**-0.5)), "row_of_q": heads * d,
              "row_of_k": heads // shared * d, "D": d, "M": m, "N": n, "SHARED": shared},
             {"o_ptr": (dtype, out)}, warps, stages, rtol=EPSILON[dtype], atol=2e-4 + EPSILON[dtype])


def key_gradient_of_lengths():
    """Numbers of a round's rows, which all threads want, come to shared memory once."""
    for dtype, d, (m, n), warps, stages, causal in (
            ("fp16", 128, (64, 128), 8, 2, True), ("bf16", 64, (64, 64), 4, 3, False), ("fp16", 128, (64, 64), 4, 2, False),
            ("bf16", 128, (32, 64), 4, 4, True), ("fp16", 64, (64, 32), 2, 2, True), ("fp16", 64, (64, 64), 4, 1, False)):
        lengths = np.array([m + 37, 0, n + 1, 5], np.int32)
        starts, rows, heads = (np.cumsum(lengths) - lengths).astype(np.int32), int(lengths.sum()), 2
        q, k, v, do = (floats(dtype, rows, heads, d) for _ in range(4))
        lse, delta = (random.standard_normal((rows, heads)).astype(np.float32) + more for more in (np.float32(5), np.float32(0)))
        dk, dv = np.zeros((rows, heads, d)), np.zeros((rows, heads, d))
        for start, length in zip(starts, lengths):
            here = slice(start, start + length)
            a, b, c, g = (decode(x)[here] for x in (q, k, v, do))
            p = np.exp2(np.einsum("nhd,mhd->hnm", b, a) * np.float32(d**-0.5) - lse[here].T[:, None])
            if causal:
                p = np.where(np.tri(length, dtype=bool).T, p, 0)
            ds = p * (np.einsum("nhd,mhd->hnm", c, g) - delta[here].T[:, None])
            dv[here], dk[here] = np.einsum("hnm,mhd->nhd", p, g), np.einsum("hnm,mhd->nhd", ds, a)
        case(f"key gradient of lengths {dtype} {d} {m}x{n} causal={causal}", "key_gradient_of_lengths",
             f"cdiv({lengths.max()},N),{heads},{len(lengths)}",
             {"q_ptr": q, "k_ptr": k, "v_ptr": v, "do_ptr": do, "lse_ptr": lse, "delta_ptr": delta,
              "dk_ptr": empty("fp32", rows, heads, d), "dv_ptr": empty("fp32", rows, heads, d), "starts_ptr": starts,
              "lengths_ptr": lengths, "scale": float(np.float32(d**-0.5)), "row": heads * d, "heads": heads,
              "D": d, "M": m, "N": n, "CAUSAL": causal},
             {"dk_ptr": ("fp32", dk), "dv_ptr": ("fp32", dv)}, warps, stages,
             rtol=2 * EPSILON[dtype], atol=0.02 + 64 * EPSILON[dtype])


def backward():
    for dtype, n, d, blocks, warps in (("fp32", 45, 16, (16, 32), 4), ("fp16", 53, 64, (32, 16), 4),
                                       ("bf16", 31, 32, (16, 16), 1),
                                       ("fp16", 70, 32, (64, 32), 8)):
        q, k, v, do = (floats(dtype, n, d) for _ in range(4))
        scale = float(np.float32(d**-0.5))
        scores = np.where(np.tri(n, dtype=bool), decode(q) @ decode(k).T * scale, -np.inf)
        p = softmax(scores)
        lse = np.logaddexp.reduce(scores, axis=-1)
        dp = decode(do) @ decode(v).T
        delta = (p * dp).sum(1)
        ds = p * (dp - delta[:, None]) * scale
        shared = {"q_ptr": q, "k_ptr": k, "v_ptr": v, "do_ptr": do,
                  "lse_ptr": lse.astype(np.float32), "delta_ptr": delta.astype(np.float32)}
        sizes = {"length": n, "scale": scale, "D": d, "M": blocks[0], "N": blocks[1]}
        near = {"rtol": 2 * EPSILON[dtype], "atol": 5e-6 + 2 * EPSILON[dtype]}
        case(f"dq {dtype} {n}x{d}", "flash_query_gradient", "cdiv(length,M)",
             {**shared, "dq_ptr": empty(dtype, n, d), **sizes}, {"dq_ptr": (dtype, ds @ decode(k))},
             warps, **near)
        case(f"dk {dtype} {n}x{d}", "flash_key_gradient", "cdiv(length,N)",
             {**shared, "dk_ptr": empty(dtype, n, d), "dv_ptr": empty(dtype, n, d), **sizes},
             {"dk_ptr": (dtype, ds.T @ decode(q)), "dv_ptr": (dtype, p.T @ decode(do))}, warps,
             **near)


def decoding():
    for dtype, heads, d, length, per, n, warps in (("fp16", 4, 32, 101, 40, 16, 4),
                                                   ("fp32", 3, 24, 50, 25, 7, 2),
                                                   ("bf16", 1, 64, 33, 33, 32, 1)):
        q, k, v = floats(dtype, heads, d), floats(dtype, length, d), floats(dtype, length, d)
        splits = -(-length // per)
        scores = decode(q) @ decode(k).T * 0.2
        pieces = [slice(i * per, (i + 1) * per) for i in range(splits)]
        top = np.stack([scores[:, s].max(1) for s in pieces])
        p = [np.exp(scores[:, s] - t[:, None]) for s, t in zip(pieces, top)]
        sums = np.stack([x.sum(1) for x in p])
        parts = np.stack([x @ decode(v)[s] for x, s in zip(p, pieces)])
        case(f"split decode {dtype} {heads}x{d}", "split_decode", splits,
             {"q_ptr": q, "k_ptr": k, "v_ptr": v, "part_ptr": empty("fp32", splits, heads, d),
              "top_ptr": empty("fp32", splits, heads), "sum_ptr": empty("fp32", splits, heads),
              "length": length, "per_split": per, "scale": 0.2, "H": heads, "D": d, "N": n},
             {"part_ptr": ("fp32", parts), "top_ptr": ("fp32", top), "sum_ptr": ("fp32", sums)},
             warps, rtol=1e-5, atol=1e-5)
        case(f"join splits {splits} of {heads}x{d}", "join_splits", heads,
             {"part_ptr": parts.astype(np.float32), "top_ptr": top.astype(np.float32),
              "sum_ptr": sums.astype(np.float32), "o_ptr": empty("fp32", heads, d),
              "splits": splits, "H": heads, "D": d, "S": 4},
             {"o_ptr": ("fp32", softmax(scores) @ decode(v))}, warps, rtol=1e-5, atol=1e-5)


def recurrent():
    for length, d, t, warps in ((50, 16, 16, 4), (33, 32, 16, 2), (64, 24, 12, 1)):
        q, k, v = (floats("fp32", length, d) for _ in range(3))
        decay = -random.random(length).astype(np.float32) * 0.3
        state, out = np.zeros((d, d)), np.empty((length, d))
        for i in range(length):
            state = state * np.exp(np.float64(decay[i])) + np.outer(k[i], v[i]).astype(np.float64)
            out[i] = q[i] @ state
        case(f"linear attention {length}x{d}", "linear_attention", 1,
             {"q_ptr": q, "k_ptr": k, "v_ptr": v, "decay_ptr": decay,
              "o_ptr": empty("fp32", length, d), "state_ptr": empty("fp32", d, d),
              "length": length, "D": d, "T": t},
             {"o_ptr": ("fp32", out), "state_ptr": ("fp32", state)}, warps, rtol=2e-5, atol=2e-4)


def windows():
    for dtype, length, d, n, warps in (("fp32", 13, 16, 16, 4), ("fp16", 32, 32, 32, 8),
                                       ("fp32", 11, 5, 11, 2)):
        q, k = floats(dtype, 2, length, d), floats(dtype, 2, length, d)
        slope = np.array([0.5, 0.125], np.float32)
        back = np.arange(length)[:, None] - np.arange(length)
        scores = 20 * np.tanh(np.einsum("hmd,hnd->hmn", decode(q), decode(k)) / 20)
        scores = np.where((back >= 0) & (back < 9), scores - slope[:, None, None] * back, -np.inf)
        case(f"window {dtype} {length}x{d}", "relative_scores", 1,
             {"q_ptr": q, "k_ptr": k, "slope_ptr": slope,
              "o_ptr": empty("fp32", 2, length, length), "length": length, "window": 9,
              "cap": 20.0, "D": d, "N": n},
             {"o_ptr": ("fp32", softmax(scores))}, warps, rtol=2e-5, atol=1e-6)


forward()
tutorial()
by_strides()
of_lengths()
key_gradient_of_lengths()
backward()
decoding()
recurrent()
windows()
suite.finish()
