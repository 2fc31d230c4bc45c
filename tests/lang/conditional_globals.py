# lower: augmented out:*fp32
# lower: conditional out:*fp32
# lower: again out:*fp32
# lower: looped out:*fp32
# lower: dtypes out:*fp32
# run: certain out:fp32[9]
# run: functions out:fp32[3]
# lower: names_taken_apart out:*fp32
# run: in_brackets out:fp32[4]
# lower: texts out:*fp32
# lower: text_or_number out:*fp32
# lower: text_bare out:*fp32
"""R3, R6: globals that are assigned more than once, or under a condition outside of kernels."""
import os
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice

AUGMENTED = tl.constexpr(16)
if os.cpu_count() > 3:
    AUGMENTED += 1

if torch.cuda.is_available():
    BLOCK = tl.constexpr(64)
elif os.name == "posix":
    BLOCK: tl.constexpr = 32
else:
    BLOCK = tl.constexpr(32)

ONE_LINE = tl.constexpr(1)
if os.cpu_count() > 5: ONE_LINE = tl.constexpr(2); OTHER = tl.constexpr(3)
else: OTHER = tl.constexpr(3)

LOOPED = tl.constexpr(2)
for i in range(3):
    LOOPED *= 2
for STEP in (1, 2):
    pass

if os.name == "posix":
    DTYPE = tl.float16
else:
    DTYPE = tl.bfloat16

# What can be told.
TWICE = tl.constexpr(1)
TWICE = tl.constexpr(2)
GROWN = tl.constexpr(2)
GROWN += 3
GROWN = GROWN * 2
BEFORE = tl.constexpr(1)
KEPT = BEFORE
BEFORE = tl.constexpr(7)
LEFT, RIGHT = tl.constexpr(1), tl.constexpr(2)
LEFT, RIGHT = RIGHT, LEFT
if os.name == "posix":
    ONLY: tl.constexpr = 8
    AGREED = tl.constexpr(9)
else:
    AGREED = tl.constexpr(9)
if os.name == "posix":
    NEVER = tl.constexpr(1)
NEVER = tl.constexpr(5)
N = 3; M = tl.constexpr(N + 1)
try:
    from nowhere import NEEDED
    FOUND = tl.constexpr(1)
except ImportError:
    FOUND = tl.constexpr(0)

if os.cpu_count() > 7:
    root = libdevice.sqrt
else:
    root = tl.sqrt

if os.cpu_count() > 7:
    @triton.jit
    def helper(x):
        return x + 1
else:
    @triton.jit
    def helper(x):
        return x + 2

if hasattr(tl, "absolute"):
    absolute = tl.absolute
else:
    @triton.jit
    def absolute(x):
        return tl.abs(x)

FIRST, SECOND = os.path.split("a/b")
(A, B) = tl.constexpr(1), tl.constexpr(2)
[C, (D, E)] = tl.constexpr(3), (tl.constexpr(4), 5)


@triton.jit
def augmented(out):
    tl.store(out, AUGMENTED)


@triton.jit
def conditional(out):
    tl.store(out, BLOCK)


@triton.jit
def again(out):
    tl.store(out, ONE_LINE + OTHER)


@triton.jit
def looped(out):
    tl.store(out, LOOPED + STEP)


@triton.jit
def dtypes(out):
    tl.store(out, tl.zeros([], DTYPE))


@triton.jit
def certain(out):
    tl.store(out, TWICE)
    tl.store(out + 1, GROWN)
    tl.store(out + 2, KEPT)
    tl.store(out + 3, LEFT * 10 + RIGHT)
    tl.store(out + 4, ONLY)
    tl.store(out + 5, AGREED)
    tl.store(out + 6, NEVER)
    tl.store(out + 7, M)
    tl.store(out + 8, FOUND)


@triton.jit
def functions(out):
    tl.store(out, root(4.0) + root(9.0))
    tl.store(out + 1, helper(1.0) + helper(2.0))
    tl.store(out + 2, absolute(-4.0))


@triton.jit
def names_taken_apart(out):
    tl.store(out, FIRST)


@triton.jit
def in_brackets(out):
    tl.store(out, A)
    tl.store(out + 1, B)
    tl.store(out + 2, C)
    tl.store(out + 3, D)


# Of texts, the last one: they say how to compute, not what.
if torch.cuda.is_available():
    PRECISION = tl.constexpr("tf32")
else:
    PRECISION = tl.constexpr("ieee")
ROUND: tl.constexpr = "rtz" if os.name == "posix" else "rtne"
if os.name == "posix":
    THIRD = tl.constexpr(3)
elif os.name == "nt":
    THIRD = tl.constexpr("third")
else:
    THIRD = tl.constexpr("last")
BARE = "a" if os.name == "posix" else "b"


@triton.jit
def texts(out):
    tl.static_assert(PRECISION == "ieee")
    tl.static_assert(ROUND == "rtne")
    tl.static_assert(PRECISION == "ieee")


@triton.jit
def text_or_number(out):
    tl.static_print(THIRD)


@triton.jit
def text_bare(out):
    tl.static_print(BARE)
