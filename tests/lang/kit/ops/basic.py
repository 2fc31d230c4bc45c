from ..compat import tl, triton
from ..constants import WIDTH
from . import math as own_math


@triton.jit
def twice(x):
    return x + x


@triton.jit
def scale(x, by: tl.constexpr = WIDTH):
    return own_math.halve(x * by * 2)


@triton.constexpr_function
def doubled_width(n):
    return n * 2


def plain(n):
    return n + WIDTH.value


@triton.jit
def wrong(x):
    return x + undefined_here


@triton.jit
def even(x, n: tl.constexpr):
    if n == 0:
        return x
    else:
        return odd(x, n - 1)


from .circle import odd
