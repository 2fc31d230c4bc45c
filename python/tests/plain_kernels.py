"""A kernel for programs without NumPy."""

import tilec
import tilec.language as tl


@tilec.jit
def store(x, value):
    tl.store(x + tl.arange(0, 4), value)


@tilec.jit
def far_away(x, n):
    tl.store(x + n, 1.0)
