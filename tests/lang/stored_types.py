# lower: told x:*fp32 o:*i32 small:*i8 n:i32 scale:fp32 B=16
# lower: quiet x:*fp32 o:*i32 small:*i8 n:i32 scale:fp32 B=16
# lower: quotients k:*i32 o:*fp32 n:i32 B=16
"""What a store cuts off where the value takes the type of the array."""
import triton
import triton.language as tl


@triton.jit
def told(x, o, small, n, scale, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, tl.load(x + i) * scale)
    tl.store(o, tl.sum(tl.load(x + i)) / n)
    tl.store(o, scale)
    tl.store(o, 0.75)
    tl.store(small + i, 300)
    tl.store(small + i, tl.where(i < n, 200, 0))
    tl.store(small + i, tl.full((B,), -129, tl.int8))
    tl.atomic_add(o + i, tl.exp(tl.load(x + i)))


@triton.jit
def quiet(x, o, small, n, scale, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i) * scale
    tl.store(o + i, tl.load(x + i))
    tl.store(o, tl.sum(tl.load(x + i)))
    tl.store(o + i, v.to(tl.int32))
    tl.store(o + i, tl.floor(v))
    tl.store(o + i, tl.minimum(tl.maximum(tl.floor(v), -128), 127) * 2 + 1)
    tl.store(o + i, v + 0.5)
    tl.store(o + i, v + tl.where(v >= 0, 0.5, -0.5))
    tl.store(o + i, tl.sum((v > 0).to(tl.float32)))
    tl.store(o + i, tl.where(v > 0, 1.0, 0.0))
    acc = tl.zeros((B,), tl.float32)
    for k in range(n):
        acc += tl.where(tl.load(x + k) > 0, 1.0, 0.0)
    tl.store(o + i, acc)
    tl.store(o, 2.0)
    tl.store(small, 127)
    tl.store(small, 0xff)
    tl.store(small, -128)
    tl.store(small + i, i)


@triton.jit
def quotients(k, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(k + i)
    tl.store(o, tl.sum(v) // n)
    tl.store(o + i, (v + 1) // 3)
    # meant: bits, indices, what is converted, and quotients of floats
    tl.store(o + i, v // 16)
    tl.store(o + i, i // 3)
    tl.store(o, (tl.sum(v) // n).to(tl.float32))
    tl.store(o, tl.sum(v) / n)
