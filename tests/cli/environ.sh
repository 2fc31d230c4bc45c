#!/bin/sh
# environ.sh TILEC SOURCE - files that ask the environment outside of kernels, as Python would
. "$(dirname "$0")/expect.inc"
unset K_FAST K_WIDTH K_MODE K_LOW K_N
cd "$folder" || exit 1
cat >k.py <<'KERNEL'
import os
import os as system
from os import environ, getenv
import triton
import triton.language as tl

FAST = os.environ.get("K_FAST", "0") == "1"
WIDTH = tl.constexpr(int(system.getenv("K_WIDTH", "16")))
N = tl.constexpr(os.environ["K_N"] if "K_N" in os.environ else getenv("K_N"))
exp = tl.exp
if FAST:
    exp = tl.exp2
if "K_MODE" in environ:
    MODE = tl.constexpr(3)
else:
    MODE = tl.constexpr(4)
if environ.get("K_LOW", default=" false").strip().lower() in ("1", "true"):
    LOW = tl.constexpr("tf32")
else:
    LOW = tl.constexpr("ieee")


@triton.constexpr_function
def width():
    return int(os.environ.get("K_WIDTH", "3"))


@triton.jit
def asks(x, W: tl.constexpr = int(os.environ.get("K_WIDTH", "5"))):
    tl.static_print(WIDTH, MODE, LOW, N, width(), W)
    tl.store(x, exp(tl.load(x)))


@triton.autotune([triton.Config({"W": 4 if os.getenv("K_FAST") else 2})], key=[])
@triton.heuristics({"V": lambda args: 10 * int(os.environ.get("K_WIDTH", "1"))})
@triton.jit
def tuned(x, W: tl.constexpr, V: tl.constexpr):
    tl.store(x, W + V)


@triton.jit
def inside(x):
    tl.store(x, int(os.environ.get("K_WIDTH", "1")))


MISSING = tl.constexpr(os.environ["K_MISSING"])


@triton.jit
def lacks(x):
    tl.store(x, MISSING)
KERNEL

# of KERNEL : runs it
of() {
    "$tilec" run "k.py:$1" --grid 1 'x=ones(fp32,1)' --show x
}
expect 0 out "[2.7182817]" of asks
grep -q "static_print: 16 4 ieee None 3 5$" "$folder/err" || wrong "variables that are not set"
! grep -q "depends on a condition" "$folder/err" || wrong "a condition of the environment is open"
expect 0 out "[12.]" of tuned

export K_FAST=1 K_WIDTH=" 64 " K_MODE= K_LOW=TRUE K_N=é
expect 0 out "[2.]" of asks # what was compiled and kept for other values does not count
grep -q "static_print: 64 3 tf32 é 64 64$" "$folder/err" || wrong "variables that are set"
expect 0 out "[644.]" of tuned
K_WIDTH=wide expect 1 err "its default is not a constant of the file" of asks # int("wide") raises

expect 1 err 'error: `environ` comes from module `os`' of inside
expect 1 err '`MISSING` is assigned here' of lacks
finish
