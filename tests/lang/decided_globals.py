# run: decided out:fp32[6]
# run: functions out:fp32[4]
# lower: open_still out:*fp32
# lower: changed out:*fp32
"""R6: a host `if` whose test has a value binds for sure, or not at all."""
import os

import triton
import triton.language as tl

WIDE = True
LEVEL = 2

if WIDE:
    BLOCK = tl.constexpr(64)
else:
    BLOCK = tl.constexpr(32)

if LEVEL == 1:
    NAME = tl.constexpr(1)
elif LEVEL == 2 and os.sep is not None:
    NAME = tl.constexpr(5)
elif LEVEL == 2:
    NAME = tl.constexpr(2)
else:
    NAME = tl.constexpr(3)

if LEVEL > 5: ONE_LINE = tl.constexpr(7)
else: ONE_LINE = tl.constexpr(8)

KEPT = tl.constexpr(1)
if not WIDE:
    KEPT = tl.constexpr(2)

if WIDE:
    if LEVEL > 1:
        INNER = tl.constexpr(4)
    else:
        INNER = tl.constexpr(5)
else:
    if LEVEL > 1:
        INNER = tl.constexpr(6)

if hasattr(tl, "no_such_function"):
    take = tl.no_such_function
elif hasattr(triton.language, "maximum"):
    take = tl.maximum
else:
    @triton.jit
    def take(a, b):
        return None

if LEVEL > 1:
    @triton.jit
    def helper(x):
        return x + 1
else:
    @triton.jit
    def helper(x):
        return x + 2

if LEVEL < 1:
    @triton.jit
    def other(x):
        return x + 3
else:
    other = helper

COUNT = tl.constexpr(1)
FIRST = tl.constexpr(1)


def start():
    global COUNT, FIRST
    COUNT = tl.constexpr(2)


for i in range(2):
    LOOPED = tl.constexpr(i)
else:
    LOOPED = tl.constexpr(9)

try:
    TRIED = tl.constexpr(1)
except ValueError:
    TRIED = tl.constexpr(2)
else:
    TRIED = tl.constexpr(3)


@triton.jit
def decided(out):
    tl.store(out, BLOCK)
    tl.store(out + 1, ONE_LINE)
    tl.store(out + 2, KEPT)
    tl.store(out + 3, INNER)


@triton.jit
def functions(out):
    tl.store(out, take(1, 2))
    tl.store(out + 1, helper(1))
    tl.store(out + 2, other(1))


@triton.jit
def open_still(out):
    tl.store(out, NAME)
    tl.store(out + 1, LOOPED)
    tl.store(out + 2, TRIED)


@triton.jit
def changed(out):
    tl.store(out, COUNT)
    tl.store(out, FIRST)
