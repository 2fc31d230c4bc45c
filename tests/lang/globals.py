# run: kernel out:fp32[6]
# run: from_modules out:fp32[3]
# run: grown out:fp32[2]
# lower: plain out:*fp32
"""R3, R4: what of module level a kernel may use."""
import math
import os
import triton
import triton.language as tl
import triton.language.math as tlm
from triton.language.extra import libdevice
from triton.language.math import exp2 as two_to

ANNOTATED: tl.constexpr = 42
CALLED = tl.constexpr(7)
DERIVED = CALLED * 2 + 1
ALIAS = ANNOTATED
NOTHING = None
DTYPE = tl.float32
sqrt = tl.sqrt
PLAIN = 3
LIST = [1, 2]
GROWN = [1]
GROWN += [2]
GROWN.append(7)
GROWN.extend((4, 5))
HOW_MANY = tl.constexpr(len(GROWN))
THIRD = tl.constexpr(GROWN[2])
CPUS = int(os.cpu_count())


@triton.jit
def helper(x):
    return x + 1


@triton.jit
def kernel(out):
    tl.store(out, ANNOTATED)
    tl.store(out + 1, CALLED)
    tl.store(out + 2, DERIVED)
    tl.store(out + 3, ALIAS)
    if NOTHING is None:
        tl.store(out + 4, helper(4).to(DTYPE))
    tl.store(out + 5, sqrt(9.0))


@triton.jit
def grown(out):
    tl.store(out, HOW_MANY)
    tl.store(out + 1, THIRD)


@triton.jit
def from_modules(out):
    tl.store(out, tlm.sqrt(16.0) + math.sqrt(4) + math.floor(math.pi))
    tl.store(out + 1, libdevice.trunc(2.7))
    tl.store(out + 2, two_to(3.0))


@triton.jit
def plain(out):
    tl.store(out, PLAIN)
    tl.store(out, PLAIN)
    tl.store(out, LIST[0])
    tl.store(out, CPUS)
