# run: double x:fp32[8]=iota n:i32=6 BLOCK=8
# run: members x:fp32[4]=iota
# run: bare x:fp32[4]=iota
# signature: tuned
# lower: no_such_name x:*fp32
# lower: another_package x:*fp32
"""R1, R2: tilec, the package for Python, has Triton's modules under its own name."""
import functools

import tilec
import tilec.language as tl
import tilec.language.extra
import tilecraft
from tilec import cdiv, jit
from tilec.language.extra import libdevice

quick = functools.partial(tilec.jit, noinline=True)


@tilec.jit
def double(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, 2 * tl.load(x + i, mask=i < n), mask=i < n)


@jit
def members(x):
    i = tilec.language.arange(0, 4)
    tl.store(x + i, libdevice.pow(tl.load(x + i), 2.0) + cdiv(7, 2) + tilec.cdiv(7, 4))


@quick
def bare(x):
    i = tl.arange(0, 4)
    tl.store(x + i, tl.load(x + i) + 0.5)


@tilec.autotune(configs=[tilec.Config({"BLOCK": 4}), tilec.Config({"BLOCK": 8}, num_warps=2)], key=["n"])
@tilec.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@tilec.jit
def tuned(x, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, 1.0, mask=i < n)


@tilec.jit
def no_such_name(x):
    tl.store(x, tilec.language.lod(x))


@tilec.jit
def another_package(x):
    tl.store(x, tilecraft.one(x))
