"""Kernels whose values have more ways back than anybody can go, programs/tangled.py: what looks at a kernel
looks at each value once, or gives up.  Of some nobody has seen the end.
"""

import numpy as np

from arguments import empty, zeros
from harness import Suite, generator

suite = Suite()
random = generator()
N, B = 200, 64


def folded(y, links):
    for k in range(1, links + 1):
        y = np.where(y > k, y, 2 * k - y)
    return y


def drawn(y, links):
    for _ in range(links):
        y = y * y + y
    return y


def case(kernel, block, links, x, out, want, **tolerance):
    suite.case(kernel, "programs/tangled.py:" + kernel, "cdiv(n,B)" if block == B else "1",
               {"x": x, "out": out, "n": N, "LINKS": links, "B": block},
               {"out": ("i32" if x.dtype == np.int32 else "fp32", want)}, **tolerance)


x = random.integers(-50, 50, N).astype(np.int32)
suite.case("rounds_kernel", "programs/tangled.py:rounds_kernel", "1",
           {"x": x, "out": empty("i32", 1), "n": N, "LINKS": 18, "B": B},
           {"out": ("i32", [folded(x, 18).sum()])})
places = folded(np.arange(N), 40)
case("address_kernel", B, 40, x, zeros("i32", N),
     np.where(places < N, x[np.minimum(places, N - 1)], 0))
x = random.uniform(-1, 0, N).astype(np.float32)
y = drawn(x.astype(np.float64), 40)
case("atomic_kernel", B, 40, x, zeros("fp32", N), y, rtol=1e-5, atol=1e-6)
case("share_kernel", 256, 40, x, empty("fp32", N), np.exp(y) / np.exp(y).sum(), rtol=1e-5)
mean = np.append(y, np.zeros(-N % B)).reshape(-1, B).sum(1) / B
suite.case("mean_kernel", "programs/tangled.py:mean_kernel", "cdiv(n,B)",
           {"x": x, "out": empty("fp32", len(mean)), "n": N, "LINKS": 40, "B": B},
           {"out": ("fp32", mean)}, rtol=1e-5, options=("--check",))
case("folded_mask_kernel", 256, 40, x, empty("fp32", 1), [x[folded(np.arange(N), 40) < N].sum()],
     rtol=1e-5)
suite.finish()
