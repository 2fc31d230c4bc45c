"""A kernel that applies one function of libdevice, for test_libdevice.py."""

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def apply(x, y, z, w, out, n, OP: tl.constexpr, AFTER: tl.constexpr, TAKES: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < n, other=1)
    b = tl.load(y + at, mask=at < n, other=1)
    c = tl.load(z + at, mask=at < n, other=1)
    d = tl.load(w + at, mask=at < n, other=1)
    if TAKES == 1:
        r = getattr(libdevice, OP)(a)
    elif TAKES == 2:
        r = getattr(libdevice, OP)(a, b)
    elif TAKES == 3:
        r = getattr(libdevice, OP)(a, b, c)
    else:
        r = getattr(libdevice, OP)(a, b, c, d)
    if AFTER != "":
        r = getattr(libdevice, AFTER)(r)
    tl.store(out + at, r, mask=at < n)
