"""kernels/timex.py against NumPy: both ways, odd and long times, rows apart, all gradients.

Errors are relative to the largest element: 1e-5; of bf16x3, whose factors have 16 bits, 2^-15 of the
sum of magnitudes more.
"""

import numpy as np

from arguments import empty
from harness import Suite, THOROUGH, generator

suite = Suite()
random = generator()
WAYS = [(False, 2, 16, 1), (False, 4, 33, 1), (True, 4, 32, 16), (True, 16, 16, 24)]
TOGETHER = [(4, 16, 16, 2, "ieee"), (2, 32, 16, 8, "bf16x3"), (16, 64, 64, 4, "bf16x3")]  # samples, times, u, blocks
SHAPES = [(1, 1, 1), (1, 2, 7), (3, 2, 33), (2, 1, 100), (5, 3, 64)]


def numbers(*shape):
    return random.standard_normal(shape).astype(np.float32)


def toeplitz(w):
    """[T, T]: w[T - 1 - (t - u)] at [t, u], 0 above the diagonal."""
    lag = np.subtract.outer(np.arange(len(w)), np.arange(len(w)))
    return np.where(lag >= 0, w[len(w) - 1 - np.maximum(lag, 0)], 0).astype(np.float64)


def forward(k, w, eps):
    return eps + np.stack([k[:, c] @ toeplitz(w[c]).T for c in range(len(w))], 1)


def backward(g, w):
    return np.stack([g[:, c] @ toeplitz(w[c]) for c in range(len(w))], 1)


def weights_backward(g, k):
    """Sums over the samples of what a lag multiplies, in float64."""
    T = k.shape[2]
    lags = [(g[:, :, d:].astype(np.float64) * k[:, :, :T - d]).sum((0, 2)) for d in range(T)]
    return np.stack(lags[::-1], 1)


def rows_apart(x):
    """The array with 5 unused elements behind each row, cut off by a view."""
    wide = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, 5)], constant_values=np.nan)
    return suite.write(wide) + "[" + ":," * (x.ndim - 1) + f":{x.shape[-1]}]"


def near(want, magnitudes, way):
    exact = 1e-5 * np.nanmax(np.abs(want))
    return {"atol": exact + 2.0**-15 * magnitudes if "bf16x3" in way else exact}


def mix(label, values, w, want, eps, way, backwards):
    magnitudes = (backward(np.abs(values), np.abs(w)) if backwards
                  else forward(np.abs(values), np.abs(w), 0.0))
    B, C, T = values.shape
    toeplitz_way, block_b, block_t, block_u = way[:4]
    more = {"BLOCKS": way[4], "PRECISION": repr(way[5])} if len(way) > 4 else {"BLOCKS": 1}
    suite.case(f"timex {label} {B}x{C}x{T} {way}", "timex.py:timex_kernel",
               f"cdiv(T,BLOCK_T*BLOCKS),{C},cdiv(B,BLOCK_B)",
               {"k": rows_apart(values), "w": rows_apart(w), "out": empty("fp32", B, C, T), "B": B,
                "T": T, "eps": eps, "k_batch": "k.stride(0)", "k_channel": "k.stride(1)",
                "w_channel": "w.stride(0)", "out_batch": "out.stride(0)",
                "out_channel": "out.stride(1)", "TOEPLITZ": toeplitz_way, "BLOCK_B": block_b,
                "BLOCK_T": block_t, "BLOCK_U": block_u, "REVERSED": backwards, **more},
               {"out": ("fp32", want)}, **near(want, magnitudes, way))


def weights(g, k, way):
    B, C, T = k.shape
    toeplitz_way, block_b, block_t = way[:3]
    precision = way[5] if len(way) > 4 else "ieee"
    want = weights_backward(g, k)
    suite.case(f"timex weights {B}x{C}x{T} {way}", "timex.py:timex_weight_kernel", str(C),
               {"g": rows_apart(g), "k": rows_apart(k), "d_w": empty("fp32", C, T), "B": B, "T": T,
                "g_batch": "g.stride(0)", "g_channel": "g.stride(1)", "k_batch": "k.stride(0)",
                "k_channel": "k.stride(1)", "w_channel": "d_w.stride(0)", "TOEPLITZ": toeplitz_way,
                "BLOCK_B": block_b, "BLOCK_T": block_t, "PRECISION": repr(precision)},
               {"d_w": ("fp32", want)}, **near(want, weights_backward(np.abs(g), np.abs(k)), way))


def shape_by_way(shape, way):
    B, C, T = shape
    k, g, w = numbers(B, C, T), numbers(B, C, T), numbers(C, T)
    mix("forward", k, w, forward(k, w, 0.25), 0.25, way, False)
    mix("backward", g, w, backward(g, w), 0.0, way, True)
    weights(g, k, way)


for n, shape in enumerate(SHAPES):
    for m, way in enumerate(WAYS):
        if THOROUGH or (n + m) % len(WAYS) == 1:
            shape_by_way(shape, way)
for n, way in enumerate(TOGETHER):
    for shape in SHAPES if THOROUGH else SHAPES[n + 2:n + 3]:
        shape_by_way(shape, (True, *way))
if THOROUGH:
    shape_by_way((1, 1, 4099), (False, 1, 256, 1))
    shape_by_way((2, 1, 4099), (True, 2, 64, 64))
# a NaN is seen from its time on, and nowhere else
K, W = np.ones((1, 1, 9), np.float32), np.ones((1, 9), np.float32)
K[0, 0, 4] = np.nan
mix("NaN", K, W, np.where(np.arange(9) < 4, np.arange(1.0, 10), np.nan)[None, None], 0.0, WAYS[0],
    False)
suite.finish()
