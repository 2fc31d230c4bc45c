"""Values of which several ops go on, one behind the other, as of a series that is written out: each
is looked at once, whatever is asked of it."""

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def student_t(x, loc, df, out, n, columns, BLOCK: tl.constexpr):
    """lgamma is a series by a recurrence of two terms, and so is its slope."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    v = tl.load(x + i, mask=m, other=0.0) - tl.load(loc + i % columns, mask=m, other=0.0)
    nu = tl.load(df + i % columns, mask=m, other=1.0)
    scale = libdevice.lgamma(0.5 * (nu + 1)) - libdevice.lgamma(0.5 * nu) - 0.5 * tl.log(nu)
    tl.store(out + i, scale - 0.5 * (nu + 1) * tl.log(1.0 + v * v / nu), mask=m)


@triton.jit
def chebyshev(x, c, out, n, TERMS: tl.constexpr, BLOCK: tl.constexpr):
    """The same by hand, of a row whose sum is taken."""
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * n + i, mask=i < n, other=0.0)
    last = tl.zeros([BLOCK], tl.float32)
    now = tl.zeros([BLOCK], tl.float32)
    for k in tl.static_range(TERMS):
        before = last
        last = now
        now = 2 * v * last - before + tl.load(c + k)
    tl.store(out + row, tl.sum(tl.where(i < n, tl.log(1.0 + now * now), 0.0), axis=0))
