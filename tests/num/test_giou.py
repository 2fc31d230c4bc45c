"""kernels/giou.py against NumPy: gradients, sums and loss, any number of boxes, empty places.

The gradient is a central difference in float64, extrapolated from two steps: where edges lie on
each other it gives each box its half.  Which boxes meet is decided once, before it: those that touch do.
"""

import numpy as np

from arguments import block_of, empty
from harness import Suite, Tensor, decode, encode, generator

suite = Suite(one_in=2)
random = generator()
EPS = 1e-5


def common_extents(p, g):
    return np.minimum(p[..., 2:], g[..., 2:]) - np.maximum(p[..., :2], g[..., :2])


def giou(p, g, meet):
    common = np.where(meet, common_extents(p, g).prod(-1), 0)
    union = (p[..., 2:] - p[..., :2]).prod(-1) + (g[..., 2:] - g[..., :2]).prod(-1) - common
    around = (np.maximum(p[..., 2:], g[..., 2:]) - np.minimum(p[..., :2], g[..., :2])).prod(-1)
    return common / (union + EPS) - (around - union) / (around + EPS)


def gradient(p, g, step=1e-6):
    """d giou / d p, [..., 4]."""
    meet = (common_extents(p, g) >= 0).all(-1)
    far, near = (np.stack([(giou(p + m, g, meet) - giou(p - m, g, meet)) / (2 * h)
                           for m in h * np.eye(4)], -1) for h in (step, step / 2))
    return 2 * near - far


def boxes(dtype, batch, n, filled):
    """Pairs of boxes that meet, lie apart, are alike, or lie on a grid; behind `filled` none."""
    corner = random.random((2, batch, n, 2)) * 2
    both = np.concatenate([corner, corner + 0.1 + random.random((2, batch, n, 2))], -1)
    kind = random.integers(0, 4, (batch, n))
    both[0][kind == 0] = both[1][kind == 0]
    both[0][kind == 1] += 3
    both[0], both[1] = decode(encode(both[0], dtype)), decode(encode(both[1], dtype))
    both[1][:, filled:] = 0
    return encode(both[0], dtype), encode(both[1], dtype)


def shifted(x):
    """The array as a view that begins four elements into another one."""
    bits = x.bits if isinstance(x, Tensor) else x
    longer = np.concatenate([np.ones(4, bits.dtype), bits.reshape(-1)])
    return suite.write(Tensor(x.dtype, longer) if isinstance(x, Tensor) else longer) + "[4:]"


def expected(p, g, weight):
    """giou, and `weight` times its gradients, of what is there; else 0."""
    p, g = decode(p), decode(g)
    there = g[..., 3] > 0
    wide = (there * weight)[..., None]
    meet = (common_extents(p, g) >= 0).all(-1)
    return np.where(there, giou(p, g, meet), 0), wide * gradient(p, g), wide * gradient(g, p), there


def backward():
    for dtype in ("fp32", "fp16", "bf16"):
        for batch, n, block in ((1, 1, 1), (3, 7, 4), (2, 100, 128), (1, 333, 64)):
            p, g = boxes(dtype, batch, n, n * 3 // 4 + 1)
            weight = random.standard_normal((batch, n)).astype(np.float32)
            _, d_pred, d_gt, _ = expected(p, g, weight)
            suite.case(f"giou backward {dtype} {batch}x{n} by {block}",
                       "giou.py:giou_backward_kernel", "pred.shape(0),cdiv(n_boxes,BLOCK)",
                       {"pred": p, "gt": g, "gradient": weight,
                        "d_pred": empty("fp32", batch, n, 4), "d_gt": empty("fp32", batch, n, 4),
                        "n_boxes": n, "eps": EPS, "BLOCK": block},
                       {"d_pred": ("fp32", d_pred), "d_gt": ("fp32", d_gt)}, rtol=1e-4, atol=1e-4)


def fused():
    for dtype in ("fp32", "fp16", "bf16"):
        for batch, n, block in ((1, 1, 2), (4, 65, 64), (2, 1000, 256)):
            p, g = boxes(dtype, batch, n, n * 2 // 3 + 1)
            factor = np.array([random.random()], np.float32)
            value, d_pred, d_gt, there = expected(p, g, factor[0])
            pieces = -(-n // block)
            padded = ((0, 0), (0, pieces * block - n))
            sums, counts = (np.pad(v, padded).reshape(batch * pieces, block).sum(1)
                            for v in (value, there))
            suite.case(f"giou fused {dtype} {batch}x{n} by {block}", "giou.py:giou_loss_kernel",
                       f"{batch},{pieces}",
                       {"pred": shifted(p), "gt": shifted(g), "sums": empty("fp32", len(sums)),
                        "counts": empty("i32", len(sums)), "d_pred": empty("fp32", batch, n, 4),
                        "d_gt": empty("fp32", batch, n, 4), "factor": factor, "n_boxes": n,
                        "eps": EPS, "BLOCK": block},
                       {"sums": ("fp32", sums), "counts": ("i32", counts),
                        "d_pred": ("fp32", d_pred), "d_gt": ("fp32", d_gt)}, rtol=1e-4, atol=1e-4)


def forward():
    for batch, n, block in ((3, 1025, 256), (1, 5000, 1024)):
        p, g = boxes("fp32", batch, n, n - 3)
        suite.case(f"giou in pieces {batch}x{n}", "giou.py:giou_kernel",
                   "pred.shape(0),cdiv(n_boxes,BLOCK)",
                   {"pred": p, "gt": g, "out": empty("fp32", batch, n), "n_boxes": n, "eps": EPS,
                    "BLOCK": block}, {"out": ("fp32", expected(p, g, 1)[0])}, rtol=1e-5, atol=1e-5)


def mean():
    for n, most in ((1, 0), (1, 1), (33, 7), (3000, 200)):
        counts = random.integers(0, most + 1, n).astype(np.int32)
        sums = (random.standard_normal(n) * counts).astype(np.float32)
        count = max(counts.sum(), 1)
        suite.case(f"giou mean of {n} {most}", "giou.py:giou_mean_kernel", "1",
                   {"sums": sums, "counts": counts, "out": empty("fp32", 2), "n": n,
                    "BLOCK": block_of(min(n, 512))},
                   {"out": ("fp32", np.array([sums.astype(np.float64).sum() / count, count]))},
                   rtol=1e-6, atol=1e-5)


def extremes():
    """Boxes without area, alone and in others, touching ones, NaN in empty places: all finite."""
    point, unit = [0.5, 0.5, 0.5, 0.5], [0, 0, 1, 1]
    p = np.array([[point, point, unit, unit, [0.25, 0.5, 0.75, 0.5], [np.nan] * 4]], np.float32)
    g = np.array([[point, unit, point, [2, 2, 3, 3], unit, [np.nan, np.inf, np.nan, 0]]], np.float32)
    value, d_pred, d_gt = (np.nan_to_num(v) for v in expected(p, g, 1)[:3])
    suite.case("giou of extremes", "giou.py:giou_loss_kernel", "1,6",
               {"pred": p, "gt": g, "sums": empty("fp32", 6), "counts": empty("i32", 6),
                "d_pred": empty("fp32", 1, 6, 4), "d_gt": empty("fp32", 1, 6, 4), "factor": "None",
                "n_boxes": 6, "eps": EPS, "BLOCK": 1},
               {"sums": ("fp32", value[0]), "counts": ("i32", np.array([1, 1, 1, 1, 1, 0])),
                "d_pred": ("fp32", d_pred), "d_gt": ("fp32", d_gt)}, rtol=1e-3, atol=1e-3)


for part in (forward, backward, fused, mean, extremes):
    part()
suite.finish()
