# run: of_numbers x:fp32[16]=iota y:fp32[16] n:i32=12 B=16
# run: of_tiles x:fp32[16]=iota y:fp32[16] n:i32=12 B=16
# run: of_memory x:fp32[16]=iota y:fp32[16] n:i32=12 B=16
"""What the hints about names of other languages say to write is right: src/lower/foreign.c."""
import math
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def of_numbers(x, y, n, B: tl.constexpr):
    tl.static_assert(math.pi == 3.141592653589793)
    tl.static_assert(math.e == 2.718281828459045)
    tl.static_assert(2**31 - 1 == 2147483647)
    a = 3
    b = n
    a, b = b, a
    tl.store(y, a % 5 + a // 5 + (b & 2) + (b | 8) + (b ^ 1) + (b << 1) + (b >> 1) + ~b)
    tl.store(y + 1, tl.load(x).dtype.itemsize + float("inf") if n < 3 else 1.0)
    s = 0.0
    for i in range(4):
        s += i * 0.5
    for i in tl.static_range(3, -1, -1):
        s += i
    t = (1, 2)
    t = t + (3,)
    for i in tl.static_range(len(t)):
        s += t[i]
    tl.store(y + 2, s)


@triton.jit
def product(a, b):
    return a * b


@triton.jit
def of_tiles(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    m = tl.max(v, axis=0)
    mean = tl.sum(v, axis=0) / n
    var = tl.sum((v - mean) * (v - mean), axis=0) / n
    tl.store(y + 0, m + tl.log(tl.sum(tl.exp(v - m), axis=0)))
    tl.store(y + 1, tl.sum((v - mean) * tl.rsqrt(var + 1e-6)))
    tl.store(y + 2, tl.max((v > 3).to(tl.int32), axis=0) == 1)
    tl.store(y + 3, tl.min((v > 3).to(tl.int32), axis=0) == 1)
    square = v[:, None] * v[None, :]
    tl.store(y + 4, tl.sum(tl.where(i[:, None] == i[None, :], square, 0.0)))
    tl.store(y + 5, tl.sum(tl.where(i[:, None] <= i[None, :], square, 0.0)))
    tl.store(y + 6, tl.sum(square.T) + tl.sum(tl.trans(square)))
    tl.store(y + 7, tl.sum((i[:, None] == i[None, :]).to(tl.float32)))
    tl.store(y + 8, tl.reduce(v + 1, 0, product))
    tl.store(y + 9, tl.sum(tl.clamp(v, 1.0, 3.0) + tl.maximum(v, 2.0) + tl.minimum(v, 2.0)))
    tl.store(y + 10, tl.sum(tl.histogram(v.to(tl.int32), 16)))
    tl.store(y + 11, tl.sum(tl.fma(v, v, v) + (v - tl.floor(v)) + libdevice.pow(v, 2.0)))
    tl.store(y + 12, tl.sum(tl.full(v.shape, 1, v.dtype)) + v.numel + v.shape[0] + len(v.shape))
    tl.store(y + 13, tl.sum((tl.abs(v - 3) <= 0.5) & (v == v) & (tl.abs(v) < float("inf"))))
    pair = tl.join(v, -v)
    first, second = tl.split(pair)
    tl.store(y + 14, tl.sum(first * tl.sigmoid(second)) + tl.sum(tl.ravel(pair)))
    tl.store(y + 15, tl.sum(tl.cat(v, v, can_reorder=True)) + tl.sum(tl.gather(v, i, 0)))


@triton.jit
def of_memory(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + (i + 1) % n)
    tl.store(y + i, v, mask=i < n)
    tl.atomic_add(y + 12, 2.0)
    tl.atomic_add(y + 12, -1.0)
    tl.atomic_xchg(y + 13, 3.0)
    tl.debug_barrier()
    tl.store(y + 14, tl.sum(tl.where(tl.rand(7, i) > 2.0, v, 1.0)))
    tl.store(y + 15, v.dtype.itemsize)
