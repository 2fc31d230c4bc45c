# lower: matmul a:*fp16 b:*fp16 c:*fp32 K=48
# lower: allowed x:*fp32 ALLOW=True
# run: small a:fp32[6]=iota b:fp32[6]=iota c:fp32[8]
# run: dtypes out:i32[1]
# lower: refused p:*fp32
"""R260 to R265."""
import triton
import triton.language as tl


@triton.jit
def matmul(a, b, c, K: tl.constexpr):
    m = tl.arange(0, 24)
    k = tl.arange(0, 16)
    acc = tl.zeros((24, 24), dtype=tl.float32)
    for i in range(0, K, 16):
        x = tl.load(a + m[:, None] * K + (i + k)[None, :])
        y = tl.load(b + (i + k)[:, None] * 24 + m[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + m[:, None] * 24 + m[None, :], acc)


@triton.jit
def allowed(x, ALLOW: tl.constexpr):
    at = x + tl.arange(0, 16)
    tile = tl.load(at).reshape(4, 4)
    tl.store(at, (tl.dot(tile, tile, allow_tf32=ALLOW) + tl.dot(tile, tile, allow_tf32=not ALLOW)).reshape(16))


@triton.jit
def small(a, b, c):
    x = tl.load(a + tl.arange(0, 6)).reshape(2, 3)
    y = tl.load(b + tl.arange(0, 6)).reshape(3, 2)
    tl.store(c + tl.arange(0, 4), tl.dot(x, y, allow_tf32=False).reshape(4))
    z = tl.dot(x, y, acc=tl.full((2, 2), 100.0, tl.float32), input_precision="tf32x3")
    tl.store(c + 4 + tl.arange(0, 4), tl.ravel(z))


@triton.jit
def dtypes(out):
    shape: tl.constexpr = (4, 4)
    i8 = tl.zeros(shape, tl.int8)
    f16 = tl.zeros(shape, tl.float16)
    bf16 = tl.zeros(shape, tl.bfloat16)
    f64 = tl.zeros(shape, tl.float64)
    e5 = tl.zeros(shape, tl.float8e5)
    e4 = tl.zeros(shape, tl.float8e4nv)
    e15 = tl.zeros(shape, tl.float8e4b15)
    tl.static_assert(tl.dot(i8, i8).dtype == tl.int32)
    tl.static_assert(tl.dot(f16, f16).dtype == tl.float32)
    tl.static_assert(tl.dot(f16, f16, out_dtype=tl.float16).dtype == tl.float16)
    tl.static_assert(tl.dot(f16, f16, f16).dtype == tl.float16)
    tl.static_assert(tl.dot(bf16, bf16).dtype == tl.float32)
    tl.static_assert(tl.dot(f64, f64).dtype == tl.float64)
    tl.static_assert(tl.dot(e5, e4, max_num_imprecise_acc=2).dtype == tl.float32)
    tl.static_assert(tl.dot(e15, e5).dtype == tl.float32)
    batch = tl.zeros((2, 4, 3), tl.float32)
    tl.static_assert(tl.dot(batch, tl.trans(batch)).shape == (2, 4, 4))
    tl.store(out, 1)


@triton.jit
def refused(p):
    f32 = tl.zeros((4, 4), tl.float32)
    f16 = tl.zeros((4, 4), tl.float16)
    u8 = tl.zeros((4, 4), tl.uint8)
    i32 = tl.zeros((4, 4), tl.int32)
    a = tl.dot(f32, f16)
    b = tl.dot(u8, u8)
    c = tl.dot(i32, i32)
    d = tl.dot(f32, tl.zeros((3, 4), tl.float32))
    e = tl.dot(f32, tl.zeros((4,), tl.float32))
    f = tl.dot(f16, f16, acc=f32, out_dtype=tl.float16)
    g = tl.dot(f16, f16, acc=tl.zeros((4, 2), tl.float32))
    h = tl.dot(f16, f16, out_dtype=tl.bfloat16)
    i = tl.dot(f32, f32, input_precision="fp8")
    j = tl.dot(f32, f32, input_precision="tf32", allow_tf32=True)
    k = tl.dot(f32[None], tl.zeros((2, 4, 4), tl.float32))
    l = tl.dot(f16, f16, acc=i32)
