"""kernels/cross_entropy.py against NumPy in float64: odd numbers of classes, one and many, ignored rows,
smoothing, z-loss, rows apart, gradients fused, by themselves and in place, large and infinite logits.
"""

import numpy as np

from arguments import apart, empty
from harness import EPSILON, Suite, THOROUGH, decode, encode, generator

suite = Suite(one_in=2)
random = generator()
IGNORED = -100

# dtype, rows, classes, BLOCK, smoothing, z
CASES = [("fp32", 1, 1, 16, 0.0, 0.0), ("fp32", 5, 3, 4, 0.25, 0.0), ("fp32", 7, 781, 256, 0.0, 1e-2),
         ("fp32", 4, 1000, 1000, 0.1, 1e-3), ("fp32", 40, 33, 64, 0.0, 0.0),
         ("fp16", 6, 513, 128, 0.1, 0.0), ("fp16", 3, 4097, 1024, 0.0, 1e-2),
         ("bf16", 9, 130, 64, 0.2, 1e-2), ("bf16", 2, 2048, 512, 0.0, 0.0)]
if THOROUGH:
    CASES.append(("fp16", 2, 128003, 4096, 0.1, 1e-4))


def some_targets(rows, classes):
    """Class numbers, of which some rows have none."""
    targets = random.integers(0, classes, rows).astype(random.choice([np.int32, np.int64]))
    targets[rows // 2::5] = IGNORED
    if rows == 1:
        targets[0] = classes - 1
    return targets


def expected(x, targets, smoothing, z, factor):
    """losses, lse and the gradient times factor, one a row; 0 where ignored."""
    rows, classes = x.shape
    there = targets != IGNORED
    lse = np.logaddexp.reduce(x, axis=1)
    chosen = x[np.arange(rows), np.where(there, targets, 0)]
    loss = lse - (1 - smoothing) * chosen + z * lse**2
    if smoothing > 0:
        loss = loss - smoothing * x.mean(1)
    one = np.arange(classes) == np.where(there, targets, 0)[:, None]
    gradient = ((1 + 2 * z * lse)[:, None] * np.exp(x - lse[:, None]) - smoothing / classes -
                (1 - smoothing) * one) * np.broadcast_to(factor, rows)[:, None]
    return np.where(there, loss, 0), np.where(there, lse, 0), np.where(there[:, None], gradient, 0)


def options(smoothing, z):
    return {"ignore_index": IGNORED, "smoothing": smoothing, "z": z}


def losses(dtype, rows, classes, block, smoothing, z, gradient):
    """gradient: "none", "fused" or "in place"."""
    x = encode(random.standard_normal((rows, classes)) * 4, dtype)
    targets = some_targets(rows, classes)
    factor = np.float32(random.uniform(0.1, 2))
    loss, lse, d_x = expected(decode(x), targets, smoothing, z, factor)
    want = {"losses": ("fp32", loss), "lse": ("fp32", lse)}
    args = {"logits": apart(suite, x), "targets": targets, "losses": empty("fp32", rows),
            "lse": empty("fp32", rows), "gradient": "None", "factor": "None", "n_cols": classes,
            "logits_row": "logits.stride(0)", "gradient_row": 0, **options(smoothing, z),
            "SMOOTHED": smoothing > 0, "BLOCK": block}
    if gradient != "none":
        name = "logits" if gradient == "in place" else "gradient"
        args["gradient"] = name if name == "logits" else empty(dtype, rows, classes)
        args["factor"], args["gradient_row"] = np.array([factor]), f"{name}.stride(0)"
        want[name] = (dtype, d_x)
    suite.case(f"cross entropy {dtype} {rows}x{classes} by {block} {smoothing} {z} {gradient}",
               "cross_entropy.py:cross_entropy_kernel", "logits.shape(0)", args, want,
               rtol=max(2e-6, EPSILON[dtype] if gradient != "none" else 0), atol=4e-6)


def backward(dtype, rows, classes, block, smoothing, z, each, in_place):
    x = encode(random.standard_normal((rows, classes)) * 4, dtype)
    targets = some_targets(rows, classes)
    behind = random.standard_normal(rows if each else 1).astype(np.float32)
    factor = np.array([random.uniform(0.1, 1)], np.float32)
    _, lse, d_x = expected(decode(x), targets, smoothing, z, behind.astype(np.float64) * factor[0])
    name = "logits" if in_place else "gradient"
    suite.case(f"cross entropy gradient {dtype} {rows}x{classes} by {block} {each} {in_place}",
               "cross_entropy.py:cross_entropy_backward_kernel", "logits.shape(0)",
               {"logits": apart(suite, x), "targets": targets, "lse": lse.astype(np.float32),
                "behind": behind, "factor": factor,
                "gradient": "logits" if in_place else empty(dtype, rows, classes),
                "n_cols": classes, "logits_row": "logits.stride(0)",
                "gradient_row": f"{name}.stride(0)", "behind_row": int(each),
                **options(smoothing, z), "BLOCK": block},
               {name: (dtype, d_x)}, rtol=max(2e-6, EPSILON[dtype]), atol=4e-6)


def reduce():
    for n, block in ((1, 4), (37, 16), (2000, 256)):
        targets = some_targets(n, 9)
        values = (random.random(n) * (targets != IGNORED)).astype(np.float32)
        count = (targets != IGNORED).sum()
        for mean in (True, False):
            factor = 1 / count if mean else 1.0
            suite.case(f"reduce losses {n} {mean}", "cross_entropy.py:reduce_losses_kernel", "1",
                       {"losses": values, "targets": targets, "out": empty("fp32", 2), "n": n,
                        "ignore_index": IGNORED, "MEAN": mean, "BLOCK": block},
                       {"out": ("fp32", np.array([values.astype(np.float64).sum() * factor, factor]))},
                       rtol=1e-6)
    suite.case("reduce no losses", "cross_entropy.py:reduce_losses_kernel", "1",
               {"losses": np.zeros(3, np.float32), "targets": np.full(3, IGNORED, np.int64),
                "out": empty("fp32", 2), "n": 3, "ignore_index": IGNORED, "MEAN": True, "BLOCK": 4},
               {"out": ("fp32", np.array([np.nan, np.inf]))})


def special():
    """Logits of 1e4 and -inf have finite losses; a NaN spoils its row; of ignored rows nothing counts."""
    x = random.standard_normal((5, 70)).astype(np.float32)
    x[0, 3:60], x[1, 5], x[2, :] = -np.inf, 1e4, 3e4
    x[3, 8], x[4, 9] = np.nan, np.nan
    targets = np.array([1, 5, 69, 8, IGNORED])
    with np.errstate(invalid="ignore"):
        loss, _, d_x = expected(x.astype(np.float64), targets, 0.0, 0.0, 1.0)
    suite.case("cross entropy of NaN", "cross_entropy.py:cross_entropy_kernel", "5",
               {"logits": x, "targets": targets, "losses": empty("fp32", 5), "lse": empty("fp32", 5),
                "gradient": empty("fp32", 5, 70), "factor": np.ones(1, np.float32), "n_cols": 70,
                "logits_row": 70, "gradient_row": 70, **options(0.0, 0.0), "SMOOTHED": False,
                "BLOCK": 16},
               {"losses": ("fp32", loss), "gradient": ("fp32", d_x)}, rtol=1e-5, atol=2e-3)


for n_case, one in enumerate(CASES):
    losses(*one, "none")
    losses(*one, ("fused", "in place")[n_case % 2])
    backward(*one, n_case % 3 != 0, n_case % 2 == 0)
reduce()
special()
x_bad = np.zeros((2, 5), np.float32)
suite.refused("a class that is none", "cross_entropy.py:cross_entropy_kernel", "2",
              {"logits": x_bad, "targets": np.array([1, 5]), "losses": empty("fp32", 2),
               "lse": empty("fp32", 2), "gradient": "None", "factor": "None", "n_cols": 5,
               "logits_row": 5, "gradient_row": 0, **options(0.0, 0.0), "SMOOTHED": False,
               "BLOCK": 8}, 1, "no such class")
suite.finish()
