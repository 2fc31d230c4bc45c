# signature: defaults
# run: helper_defaults out:fp32[3]
# run: made_of_plain out:fp32[7]
# lower: after_function out:*fp32
# lower: twice out:*fp32
# lower: itself out:*fp32
"""R3, R12, R19: plain globals count in defaults, in constants and in compile-time functions only."""
import os
import triton
import triton.language as tl

EPS = 1e-5
ROWS = 4
COLUMNS = 2 * ROWS
WRAPPED = tl.constexpr(ROWS)
DECLARED: tl.constexpr = COLUMNS * 2
CHOSEN = tl.constexpr(1) if ROWS > 3 else tl.constexpr(2)
EITHER = None or tl.constexpr(ROWS + 1)
COMPARED = WRAPPED > 3
OPEN = os.environ["TILEC_TEST_OPEN"]
ITSELF = ITSELF + 1


@triton.constexpr_function
def columns(more):
    return COLUMNS + more


@triton.jit
def defaults(out, eps: tl.constexpr = EPS, n: tl.constexpr = ROWS * 2, o: tl.constexpr = OPEN):
    tl.store(out, eps)
    tl.store(out + 1, n)


@triton.jit
def add(x, n=ROWS, eps: tl.constexpr = EPS + 1):
    return x + n + eps


@triton.jit
def helper_defaults(out):
    tl.store(out, add(1.0))
    tl.store(out + 1, add(1.0, 2))
    tl.store(out + 2, add(1.0, eps=0.5))


@triton.jit
def made_of_plain(out):
    tl.store(out, WRAPPED)
    tl.store(out + 1, DECLARED)
    tl.store(out + 2, CHOSEN)
    tl.store(out + 3, EITHER)
    if COMPARED:
        tl.store(out + 4, columns(5))
    tl.store(out + 5, columns(WRAPPED))
    tl.store(out + 6, tl.arange(0, ROWS_OF_A_TILE).shape[0])


ROWS_OF_A_TILE = tl.constexpr(COLUMNS)


@triton.jit
def after_function(out):
    tl.store(out, columns(1))
    tl.store(out, COLUMNS)


@triton.jit
def twice(out):
    tl.store(out, add(1.0))
    tl.store(out, ROWS)
    tl.store(out, ROWS)
    tl.store(out, OPEN)


@triton.jit
def itself(out):
    tl.store(out, ITSELF)
