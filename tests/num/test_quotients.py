"""Rows by one divisor, and one of two quotients: correctly rounded for every dividend, beside infinities, NaN, zeros, tiny and huge ones."""

import numpy as np

from arguments import empty
from harness import Suite, decode, encode, generator

suite = Suite()
random = generator()

SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, -1e-40, 1e-45, 1e-30, -1e-28, 3e38, -3e38, 1e20, 65504.0, 6e-8]
DIVISORS = [3.0, 0.7, -2.5, 1.0, 30.0, 1e-3, 1.7e7, 1e-30, 1e30, 1e-40, np.inf, -np.inf, 0.0, -0.0, np.nan, 2.0**-62]


def rows(n, specials):
    """Ordinary numbers with so many special ones in places of their own."""
    x = random.standard_normal(n) * 10.0 ** random.integers(-3, 4, n)
    places = random.permutation(n)[: len(specials)]
    x[places] = specials
    return x


def quotients():
    with np.errstate(all="ignore"):
        for dtype in ("fp32", "fp16", "bf16"):
            for name, specials in (("ordinary", []), ("infinite", [-np.inf, np.inf, np.nan]),
                                   ("zeros", [0.0, -0.0]), ("any", SPECIAL),
                                   ("huge", [3e38, -3e38, np.inf]), ("tiny", [1e-40, -1e-40, np.inf, 0.0])):
                for n, block in ((1000, 1024), (256, 256)):
                    given = encode(rows(n, specials).astype(np.float32), dtype)
                    x, s = decode(given).astype(np.float32), np.array(DIVISORS, np.float32)
                    want = x[None, :] / s[:, None]
                    for program, programs in (("by_one", len(s)), ("by_two", len(s) // 2)):
                        args = {"x": given, "s": s, "out": empty("fp32", len(s) * n), "n": n, "BLOCK": block}
                        suite.case(f"{program} {dtype} {name} {n}", f"programs/quotients.py:{program}",
                                   f"{programs}", args, {"out": ("fp32", want.ravel())})


def choices():
    """Of two quotients the one that an element takes, whatever the other one would be."""
    for n, block in ((1000, 256), (64, 64), (2500, 1024)):
        x, y = (rows(n, SPECIAL).astype(np.float32) for _ in range(2))
        y = np.where(random.random(n) < 0.2, x, y).astype(np.float32)
        s = rows(n, DIVISORS).astype(np.float32)
        with np.errstate(all="ignore"):
            q = np.where(x < y, x / s, np.where(x == y, 2 + y / s, 4 - (x - y) / s))
            want = q + np.where(x < y, np.sqrt(x), -np.sqrt(y))
        suite.case(f"by_either {n}", "programs/quotients.py:by_either", "cdiv(n,BLOCK)",
                   {"x": x, "y": y, "s": s, "out": empty("fp32", n), "n": n, "BLOCK": block},
                   {"out": ("fp32", want.astype(np.float32))}, rtol=0, atol=0)


quotients()
choices()
suite.finish()
