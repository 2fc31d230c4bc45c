# run: functions out:fp32[40] x:fp32=0.5 y:fp32=3
# run: ints out:i32[16] n:i32=7 u:u32=4000000000
# run: nan out:fp32[8] x:fp32=nan b:bf16=2
# lower: refused p:*fp32 h:fp16 n:i32
"""R52 to R67, R259, R304: functions by name."""
import math
import triton
import triton.language as tl
import triton.language.math as tlm
from triton.language.extra.cuda import libdevice


@triton.jit
def functions(out, x, y):
    tl.store(out, tl.exp(x) - tl.math.exp(x) + tlm.exp2(y))
    tl.store(out + 1, tl.log2(y + 5) + tl.log(1.0))
    tl.store(out + 2, tl.sqrt(y * 3) + tl.sqrt_rn(4.0) + tl.rsqrt(4.0))
    tl.store(out + 3, tl.floor(x) + tl.ceil(x))
    tl.store(out + 4, tl.abs(-x) + tl.abs(-3))
    tl.store(out + 5, tl.sigmoid(0.0))
    tl.store(out + 6, tl.fma(x, y, 1.0))
    tl.store(out + 7, tl.fdiv(y, x) + tl.div_rn(y, 3.0))
    tl.store(out + 8, tl.clamp(y, 0.0, 1.0))
    tl.store(out + 9, tl.extra.libdevice.pow(y, 2.0))
    tl.store(out + 10, libdevice.tanh(0.0) + tl.extra.cuda.libdevice.round(2.5))
    tl.store(out + 11, tl.math.trunc(-2.5) + libdevice.rint(2.5))
    tl.store(out + 12, libdevice.llrint(3.5))
    tl.store(out + 13, libdevice.isnan(x).to(tl.int32) + libdevice.finitef(x))
    tl.store(out + 14, libdevice.saturatef(y) + libdevice.fdim(y, x))
    tl.store(out + 15, libdevice.signbit(-x))
    tl.store(out + 16, libdevice.fast_dividef(y, x) + libdevice.rcp_rn(x))
    tl.store(out + 17, libdevice.pow(y, 3))
    tl.store(out + 18, math.sqrt(16) + min(3, 4, 2) + max(1, 2.5))
    tl.store(out + 19, min(x, y, 1) + max(x, y))
    tl.store(out + 20, libdevice.ldexp(x, 3) + libdevice.copysign(y, -1.0))
    tl.store(out + 21, y.sqrt() + tl.add(x, 1) * tl.sub(y, 1) + tl.mul(x, y))


@triton.jit
def ints(out, n, u):
    tl.store(out, tl.cdiv(n, 2))
    tl.store(out + 1, tl.cdiv(7, 3) + triton.cdiv(9, 2) + triton.next_power_of_2(9))
    i, j = tl.swizzle2d(5, 1, 8, 4, 2)
    tl.store(out + 2, i * 10 + j)
    i, j = tl.swizzle2d(n, n - 5, 8, 4, 3)
    tl.store(out + 3, i * 10 + j)
    tl.store(out + 4, tl.umulhi(u, u).to(tl.int32, bitcast=True))
    tl.store(out + 5, libdevice.popc(n) + libdevice.clz(n))
    tl.store(out + 6, -n // 2)
    tl.store(out + 7, -n % 4)
    tl.store(out + 8, -7 // 2 + -7 % 4)
    tl.store(out + 9, (-n) >> 1)
    tl.store(out + 10, u >> 1 == 2000000000)
    tl.store(out + 11, tl.where(n > 3, n, -1))
    tl.store(out + 12, tl.minimum(n, 3) + tl.maximum(n, 3))
    tl.store(out + 13, ~n & 0xFF | n ^ 1 << 4)


@triton.jit
def nan(out, x, b):
    tl.store(out, tl.maximum(x, 1.0))
    tl.store(out + 1, tl.maximum(x, 1.0, propagate_nan=tl.PropagateNan.ALL))
    tl.store(out + 2, tl.clamp(x, 2.0, 3.0))
    tl.store(out + 3, tl.clamp(x, 2.0, 3.0, propagate_nan=tl.PropagateNan.ALL))
    tl.store(out + 4, x != x)
    tl.store(out + 5, x == x)
    tl.store(out + 6, tl.clamp(b, 0.0, 1.0))


@triton.jit
def refused(p, h, n):
    a = tl.exp(h)
    b = tl.sqrt(n)
    c = libdevice.tanh(h)
    d = libdevice.pow(1.0, p)
    e = tl.fdiv(n, n)
    f = tl.umulhi(h, h)
    g = tl.clamp(n, 1, 2)
    i = math.sqrt(n)
    j = libdevice.nosuch(n)
    k = libdevice.tanh(1.0, 2.0)
    m = tl.where(p, p, 1)
    o = tl.sigmoid(h)
    q = libdevice.hypot(1.0, h.to(tl.float64))
    r = tl.rand(0, n)
