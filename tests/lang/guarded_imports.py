# run: kernel x:fp32[6]
# run: chosen x:fp32[2]
# lower: left_out x:*fp32
"""R6: classes that stand in for a module where it is missing, and those of an arm that is run or not."""
from typing import NamedTuple

try:
    import triton
    import triton.language as tl
    HAS_TRITON = True
except ImportError:
    HAS_TRITON = False

    class triton:
        def jit(fn):
            return fn

    class tl:
        constexpr = int

from kit.guarded import before, found, tl as guarded, tried, truth, wide

WIDE = False
if WIDE:
    class Pair(NamedTuple):
        a: tl.tensor
        c: tl.tensor

    class math:
        pass
else:
    class Pair(NamedTuple):
        a: tl.tensor
        b: tl.tensor

    import triton.language as math

if not HAS_TRITON:
    import no_such.language as mine
else:
    class mine:
        @triton.jit
        def twice(x):
            return x * 2


@triton.jit
def kernel(x):
    guarded.store(x, guarded.full((1,), 1.0, wide).sum())
    truth.store(x + 1, 2.0)
    found.store(x + 2, 3.0)
    tried.store(x + 3, 4.0)
    before.store(x + 4, 5.0)
    tl.store(x + 5, 6.0)


@triton.jit
def chosen(x):
    p = Pair(1.0, 2.0)
    math.store(x, mine.twice(p.b))
    math.store(x + 1, p.a)


@triton.jit
def left_out(x):
    tl.store(x, Pair(1.0, 2.0).c)
