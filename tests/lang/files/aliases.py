import functools
import numba
import triton
import triton as tt
import triton.language as tl
import triton.language.core as core
import triton_dialect
from numba import jit as numba_jit
from triton import jit
from triton import jit as compile_me
from triton.language import constexpr_function as at_compile_time
from . import ops
from .helpers import (scale as factor, shift,)
from ..deep.path import *

same = tt.jit
quiet = functools.partial(triton.jit, noinline=True)


@jit
def plain(x): pass

@compile_me
def renamed(x): pass

@tt.jit
def shortened(x): pass

@tl.jit
def language(x): pass

@same
def assigned(x): pass

@quiet
def partial(x): pass

@triton_dialect.jit
def dialect(x): pass

@triton.jit()
def called(x): pass

@triton.jit(
    do_not_specialize=("x",),
    debug=True, repr=lambda proxy: f"{proxy:>10}",
)
def options(x): pass

@pointwise_dynamic(is_tensor=[True], promotion_methods=[(0, "DEFAULT")])
@triton.jit
def pointwise(x): return x * 2

@at_compile_time
def log2(n):
    count = 0
    while n > 1:
        n //= 2
        count += 1
    return count

@core.constexpr_function
def half(n): return n // 2

@numba.jit
def not_ours(x): pass

@numba_jit
def nor_this(x): pass

@triton.testing.perf_report([])
def benchmark(): pass

def by_hand(x): pass

by_hand = triton.jit(by_hand, do_not_specialize=["x"])
by_hand = triton.heuristics({"N": lambda args: 1})(by_hand)

def shared(x, B: tl.constexpr): pass

small = triton.autotune([triton.Config({"B": 32})], key=[])(triton.jit(shared))
large = triton.autotune([triton.Config({"B": 64})], key=[])(triton.jit(noinline=True)(shared))
tuned = triton.autotune([triton.Config({"x": 1})], key=["x"])(renamed)
launcher = make_launcher(renamed)
again = launcher(options)

@functools.partial(
    triton.jit,  # the first argument
    noinline=True)
def inline_partial(x): pass

@functools.partial(numba.jit, triton.jit)
def another_partial(x): pass

from_partial = functools.partial(tt.jit, do_not_specialize=["x"])(by_hand)
