"""kernels/attention.py against NumPy in float64: odd lengths, lengths that differ, grouped heads,
widths that are no power of two, heads between rows, rows that see nothing, NaN.

The gradients' kernels get the exact lse and out, rounded as the kernel in front of them would.
"""

import numpy as np

from arguments import empty, strides, zeros
from harness import EPSILON, Suite, Tensor, decode, encode, generator

suite = Suite(one_in=4)
random = generator()

# dtype, (batch, heads, kv heads), q_length, k_length, D, BLOCK_D, (BLOCK_M, BLOCK_N), causal
CASES = [
    ("fp32", (1, 1, 1), 1, 1, 16, 16, (16, 16), True),
    ("fp32", (2, 3, 1), 1, 67, 32, 32, (16, 32), True),
    ("fp32", (1, 4, 2), 53, 53, 24, 32, (16, 16), True),
    ("fp32", (2, 2, 2), 33, 95, 40, 64, (32, 16), False),
    ("fp32", (1, 2, 1), 61, 20, 20, 20, (16, 16), True),
    ("fp32", (1, 2, 2), 47, 31, 16, 16, (32, 32), True),
    ("fp16", (1, 2, 2), 77, 77, 64, 64, (64, 32), True),
    ("fp16", (1, 4, 1), 70, 129, 96, 128, (32, 32), True),
    ("fp16", (2, 2, 1), 50, 81, 80, 80, (64, 32), False),
    ("fp16", (1, 1, 1), 130, 130, 128, 128, (64, 64), True),
    ("bf16", (1, 6, 2), 45, 45, 32, 32, (16, 32), True),
    ("bf16", (2, 2, 2), 40, 70, 80, 128, (32, 32), True),
    ("bf16", (1, 2, 1), 35, 64, 256, 256, (16, 16), False),
]


def between_heads(dtype, batch, heads, length, d):
    """Random rows as text, [batch, length, heads, d] with a gap behind each, so that those of one
    head lie apart and not aligned; and in float64, [batch, heads, length, d]."""
    x = encode(random.standard_normal((batch, length, heads, d + 1)), dtype)
    return suite.write(x) + f"[:,:,:,:{d}]", decode(x)[..., :d].swapaxes(1, 2)


def visible(q_length, k_length, causal):
    rows, keys = np.arange(q_length)[:, None], np.arange(k_length)
    return (keys <= rows + k_length - q_length) | (not causal)


def attention(q, k, v, scale, causal):
    """out, lse and the weights, all heads apart."""
    group = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, group, 1), np.repeat(v, group, 1)
    s = np.where(visible(q.shape[2], k.shape[2], causal), q @ k.swapaxes(2, 3) * scale, -np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        lse = np.logaddexp.reduce(s, axis=-1)
    p = np.exp(s - np.where(np.isinf(lse), 0, lse)[..., None])
    return p @ v, lse, p


def gradients(q, k, v, p, out, d_out, scale):
    """d_q, d_k, d_v and delta."""
    batch, kv_heads, k_length, d = k.shape
    group = q.shape[1] // kv_heads
    delta = (out * d_out).sum(-1)
    d_s = p * (d_out @ np.repeat(v, group, 1).swapaxes(2, 3) - delta[..., None]) * scale
    shared = lambda x: x.reshape(batch, kv_heads, group, k_length, d).sum(2)
    return (d_s @ np.repeat(k, group, 1), shared(d_s.swapaxes(2, 3) @ q),
            shared(p.swapaxes(2, 3) @ d_out), delta)


def numbers(case, scale, out):
    """The arguments behind the arrays [batch, length, heads, D]; `out` has the strides of out."""
    _, (_, heads, kv_heads), q_length, k_length, d, wide, (m, n), causal = case
    named = {"scale": scale, "group": heads // kv_heads, "q_length": q_length, "k_length": k_length}
    for x, name in (("q", "q"), ("k", "k"), ("v", "v"), (out, "out")):
        named.update(strides(x, f"{name}_batch", f"{name}_row", f"{name}_head"))
    return {**named, "CAUSAL": causal, "D": d, "BLOCK_D": wide, "BLOCK_M": m, "BLOCK_N": n}


def tolerance(dtype, *wanted):
    """Of all of them: what rounding weights and results to the dtype costs the largest."""
    largest = max(np.nanmax(np.abs(w), initial=0) for w in wanted)
    return {"rtol": 2 * EPSILON[dtype], "atol": 4e-6 + max(EPSILON[dtype], 1e-6) * largest}


def all_kernels(case):
    dtype, (batch, heads, kv_heads), q_length, k_length, d, _, (m, n), causal = case
    scale = float(np.float32(random.uniform(0.5, 1.5) * d**-0.5))
    (q, q64), (d_out, d_out64) = (between_heads(dtype, batch, heads, q_length, d) for _ in range(2))
    (k, k64), (v, v64) = (between_heads(dtype, batch, kv_heads, k_length, d) for _ in range(2))
    out64, lse64, p = attention(q64, k64, v64, scale, causal)
    d_q, d_k, d_v, delta = gradients(q64, k64, v64, p, out64, d_out64, scale)
    label = f"{dtype} {batch}x{heads}/{kv_heads}x{q_length}/{k_length}x{d} {m}x{n} causal={causal}"
    of_queries, of_keys = f"cdiv(q_length,BLOCK_M),{heads},{batch}", \
        f"cdiv(k_length,BLOCK_N),{kv_heads},{batch}"
    suite.case(f"attention {label}", "attention.py:attention_kernel", of_queries,
               {"q": q, "k": k, "v": v, "out": empty(dtype, batch, q_length, heads, d),
                "lse": empty("fp32", batch, heads, q_length), **numbers(case, scale, "out")},
               {"out": (dtype, out64.swapaxes(1, 2)), "lse": ("fp32", lse64)}, **tolerance(dtype, out64))
    # like d_out, with its strides, and rounded as the forward kernel would have
    out = np.concatenate([out64, np.ones((batch, heads, q_length, 1))], -1).swapaxes(1, 2)
    out = suite.write(encode(out, dtype)) + f"[:,:,:,:{d}]"
    lse = lse64.astype(np.float32)
    suite.case(f"attention d_q {label}", "attention.py:attention_query_kernel", of_queries,
               {"q": q, "k": k, "v": v, "out": out, "d_out": d_out, "lse": lse,
                "delta": empty("fp32", batch, heads, q_length),
                "d_q": zeros(dtype, batch, q_length, heads, d + 1) + f"[:,:,:,:{d}]",
                **numbers(case, scale, "out")},
               {"delta": ("fp32", delta), "d_q": (dtype, d_q.swapaxes(1, 2))}, **tolerance(dtype, d_q, delta))
    suite.case(f"attention d_k {label}", "attention.py:attention_key_kernel", of_keys,
               {"q": q, "k": k, "v": v, "d_out": d_out, "lse": lse, "delta": delta.astype(np.float32),
                "d_k": empty(dtype, batch, kv_heads, k_length, d),
                "d_v": empty(dtype, batch, kv_heads, k_length, d), **numbers(case, scale, "d_out")},
               {"d_k": (dtype, d_k), "d_v": (dtype, d_v)}, **tolerance(dtype, d_k, d_v))


def special():
    """A NaN query spoils its row, a NaN key the rows that see it; keys of no size weigh alike; large
    scores do not overflow."""
    case = ("fp32", (1, 1, 1), 40, 40, 16, 16, (16, 16), True)
    q, k, v = (random.standard_normal((1, 1, 40, 16)).astype(np.float32) for _ in range(3))
    q[0, 0, 5, 3], k[0, 0, 30, 0], k[0, 0, 3] = np.nan, np.nan, 0
    q[0, 0, 7] = 1e4
    out, lse, _ = attention(q.astype(np.float64), k.astype(np.float64), v.astype(np.float64), 0.25,
                            True)
    out[0, 0, [5, *range(30, 40)]] = np.nan
    lse[0, 0, [5, *range(30, 40)]] = np.nan
    q, k, v = (x.swapaxes(1, 2) for x in (q, k, v))
    suite.case("attention of NaN", "attention.py:attention_kernel", "cdiv(q_length,BLOCK_M),1,1",
               {"q": q, "k": k, "v": v, "out": empty("fp32", 1, 40, 1, 16),
                "lse": empty("fp32", 1, 1, 40), **numbers(case, 0.25, "out")},
               {"out": ("fp32", out.swapaxes(1, 2)), "lse": ("fp32", lse)}, rtol=1e-5, atol=1e-5)


for one in CASES:
    all_kernels(one)
special()
suite.finish()
