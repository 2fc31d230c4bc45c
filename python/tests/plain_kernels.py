"""A kernel for programs without NumPy."""

import tilec
import tilec.language as tl


@tilec.jit
def store(x, value):
    tl.store(x + tl.arange(0, 4), value)


@tilec.jit
def far_away(x, n):
    tl.store(x + n, 1.0)


@tilec.jit
def ones(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, 1.0, mask=i < n)
