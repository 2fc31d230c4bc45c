"""Constants and functions that kernels of test_names.py take from another module."""

import tilec as triton
import tilec.language as tl
from tilec.language.constants import constexpr_function

WIDTH: tl.constexpr = 6
PLAIN = 7
KIND = tl.float16
_FACTOR = tl.constexpr(3)


@triton.jit
def scaled(x):
    return x * _FACTOR + WIDTH


@constexpr_function
def doubled(n):
    return 2 * n


def plain(x):
    return x
