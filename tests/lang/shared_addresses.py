# lower: told x:*fp32 at:*i32 o:*fp32 n:i32:16 B=16
# lower: quiet x:*fp32 at:*i32 o:*fp32 n:i32:16 B=16
# lower: nothing x:*i32 o:*i32 n:i32
"""Lanes of one store that share an address, and operations that have no result."""
import triton
import triton.language as tl


@triton.jit
def told(x, at, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    tl.store(o + i // 2, v, mask=i < n)
    r, c = tl.arange(0, B)[:, None], tl.arange(0, B)[None, :]
    tl.store(o + tl.broadcast_to(r, [B, B]), tl.load(x + r * n + c))
    b = tl.load(at + i)
    tl.store(o + b, tl.load(o + b) + 1)


@triton.jit
def quiet(x, at, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i)
    tl.store(o + i // 2, v, mask=i % 2 == 0)
    tl.store(o + i // 2, tl.load(x + i // 2))
    tl.store(o + i // 2, 1.0)
    r, c = tl.arange(0, B)[:, None], tl.arange(0, B)[None, :]
    tl.store(o + tl.broadcast_to(r, [B, B]), tl.load(x + r * n + c), mask=c == 0)
    tl.store(o + r, tl.sum(tl.load(x + r * n + c), 1)[:, None])
    b = tl.load(at + i)
    tl.store(o + b, tl.load(o + b) + v)
    tl.store(o + i, tl.load(o + i) + 1)
    tl.atomic_add(o + b, 1.0)


@triton.jit
def nothing(x, o, n):
    v = tl.load(x)
    tl.store(o, v // 0)
    tl.store(o, v % 0)
    tl.store(o, v << 40)
    tl.store(o, (v.to(tl.int64) << 40) >> 35)
    i = tl.arange(0, 4)
    tl.store(o + i, tl.load(x + i) >> 32)
    tl.store(o + i, tl.load(x + i) >> 31)
    tl.store(o + i, tl.load(x + i) + (n >> 32) + (v >> 32))
