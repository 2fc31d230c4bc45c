"""Results that are dropped, or do not fit; planted_results.txt has the commands."""

import triton
import triton.language as tl


@triton.jit
def _added(total, v):
    total += v
    return total


@triton.jit
def _add_to(total, v):
    total += v


@triton.jit
def _checked(v, CHECK: tl.constexpr):
    if CHECK:
        tl.device_assert(v == v)
    return v


@triton.jit
def helper(x, out, n, B: tl.constexpr):
    tl.static_assert(B >= 16)
    total = tl.zeros((B,), tl.float32)
    for k in range(0, n, B):
        i = tl.multiple_of(k, B) + tl.arange(0, B)
        tl.max_contiguous(i, B)
        v = tl.load(x + i, mask=i < n, other=0.0)
        _checked(v, False)
        total = _added(total, v)
    tl.store(out, tl.sum(total))


@triton.jit
def helper_wrong(x, out, n, B: tl.constexpr):
    total = tl.zeros((B,), tl.float32)
    for k in range(0, n, B):
        i = k + tl.arange(0, B)
        _add_to(total, tl.load(x + i, mask=i < n, other=0.0))
    tl.store(out, tl.sum(total))


@triton.jit
def turned(x, out, B: tl.constexpr):
    i = tl.arange(0, B)[:, None]
    k = tl.arange(0, B)[None, :]
    v = tl.load(x + i * B + k)
    v = tl.trans(v)
    tl.store(out + i * B + k, v)


@triton.jit
def turned_wrong(x, out, B: tl.constexpr):
    i = tl.arange(0, B)[:, None]
    k = tl.arange(0, B)[None, :]
    v = tl.load(x + i * B + k)
    tl.trans(v)
    tl.store(out + i * B + k, v)


@triton.jit
def _clipped(v):
    return tl.minimum(tl.maximum(v, 0.0), 1.0)


@triton.jit
def clipped(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, _clipped(tl.load(x + i, mask=i < n)), mask=i < n)


@triton.jit
def clipped_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    _clipped(v)
    tl.store(out + i, v, mask=i < n)
