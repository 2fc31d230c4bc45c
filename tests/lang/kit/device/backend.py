import os

import triton
import triton.language as tl
from vendor import runtime

from . import backend

try:
    libdevice_of_vendor = runtime.library()
    shim = libdevice_of_vendor
except ImportError:
    try:
        libdevice_of_vendor = triton.language.no_such_library
    except AttributeError:
        libdevice_of_vendor = triton.language.extra.libdevice
    shim = triton.language.math


def pick():
    """For one machine or another."""
    return tl.math.exp2 if runtime.is_fast() else tl.exp2


exp2 = pick()
WIDE = tl.constexpr(16) if runtime.is_there() else 16
NARROW = tl.constexpr(16) if runtime.is_there() else tl.constexpr(8)
CONFIGS = [triton.Config({"N": n}) for n in backend.SIZES]
SIZES = (32,)
