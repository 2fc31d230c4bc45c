# run: packed x:u8[32]=33,66,249 s:u8[4]=127,128,126,129 out:fp32[4]
# run: packed_other x:u8[64]=33,66,249 out:fp32[8]
# run: both_scaled x:u8[64]=56,64,185 s:u8[2]=128,127 t:u8[2]=127,255 out:fp32[4]
# run: halves x:fp16[32]=iota out:fp32[2]
# lower: refused p:*u8 f:*fp32
"""R270 to R272: products of operands in microscaling formats, against sums of the values."""
import triton
import triton.language as tl


@triton.jit
def e2m1(code):
    low = code & 7
    v = tl.where(low < 5, low * 0.5, tl.where(low == 5, 3.0, tl.where(low == 6, 4.0, 6.0)))
    return tl.where(code >= 8, -v, tl.where(low == 4, 2.0, v))


@triton.jit
def packed(x, s, out):
    i = tl.arange(0, 2)[:, None]
    bytes = tl.load(x + i * 16 + tl.arange(0, 16)[None, :])
    scale = tl.load(s + i)
    ones = tl.full((32, 2), 1.0, tl.bfloat16)
    acc = tl.full((2, 2), 0.25, tl.float32)
    got = tl.dot_scaled(bytes, scale, "e2m1", ones, None, "bf16", acc)
    code = bytes.to(tl.int32)
    want = tl.sum(e2m1(code & 15) + e2m1(code >> 4), 1) * tl.exp2(tl.load(s + tl.arange(0, 2)).to(tl.float32) - 127)
    tl.device_assert(got == want[:, None] + 0.25)
    tl.store(out + i * 2 + tl.arange(0, 2)[None, :], got)


@triton.jit
def packed_other(x, out):
    k = tl.arange(0, 32)[:, None]
    bytes = tl.load(x + k * 2 + tl.arange(0, 2)[None, :])
    ones = tl.full((2, 32), 0x38, tl.uint8)
    got = tl.dot_scaled(ones, None, "e4m3", bytes, None, "e2m1", rhs_k_pack=False)
    tl.static_assert(got.shape == (2, 4) and got.dtype == tl.float32)
    tl.store(out + tl.arange(0, 8), got.ravel())


@triton.jit
def both_scaled(x, s, t, out):
    i = tl.arange(0, 2)
    k = tl.arange(0, 32)
    a = tl.load(x + i[:, None] * 32 + k[None, :])
    b = tl.trans(a).to(tl.float8e4nv, bitcast=True)
    got = tl.dot_scaled(a, tl.load(s + i)[:, None], "e4m3", b, tl.load(t + i)[:, None], "e4m3")
    tl.store(out + tl.arange(0, 4), got.ravel())


@triton.jit
def halves(x, out):
    a = tl.load(x + tl.arange(0, 32))[None, :]
    got = tl.dot_scaled(a, tl.full((1, 2), 1.5, tl.float8e4nv), "fp16", tl.full((32, 2), 0x3C, tl.int8), None, "e5m2")
    tl.store(out + tl.arange(0, 2), got.ravel())


@triton.jit
def refused(p, f):
    x = tl.load(p + tl.arange(0, 32))[None, :]
    v = tl.load(f + tl.arange(0, 32))[None, :]
    s = x[:, 0:1]
    a = tl.dot_scaled(x, s, "e3m2", tl.trans(x), None, "e4m3")
    b = tl.dot_scaled(v, s, "e4m3", tl.trans(x), None, "e4m3")
    c = tl.dot_scaled(x, x[:, 0:4], "e4m3", tl.trans(x), None, "e4m3")
    d = tl.dot_scaled(x, v, "e4m3", tl.trans(x), None, "e4m3")
    e = tl.dot_scaled(x, s, "e2m1", tl.trans(x), None, "e4m3")
    g = tl.dot_scaled(x, s, "e4m3", tl.trans(x), None, "e4m3", out_dtype=tl.float16)
