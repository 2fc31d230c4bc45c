# run: kernel out:fp32[12] f:fp32=-2.7 i:i32=-1 h:fp16=3 p:*fp32
# lower: dtypes p:*fp32 x:fp32 y:bf16 n:i64
# run: types_called out:fp32[4] n:i32=7 D='int64' T=fp16
# lower: refused p:*fp32 x:fp32 i:i32 e5:fp8e5 e4:fp8e4nv
"""R80 to R87."""
import triton
import triton.language as tl


@triton.jit
def kernel(out, f, i, h, p):
    tl.store(out, f.to(tl.int32))
    tl.store(out + 1, i.to(tl.uint8))
    tl.store(out + 2, i.to(tl.int1))
    tl.store(out + 3, tl.cast(f, tl.float16))
    tl.store(out + 4, (1.0).to(tl.float32, bitcast=False))
    tl.store(out + 5, f.to(tl.int32, bitcast=True).to(tl.float32, bitcast=True))
    tl.store(out + 6, tl.full((), 70000.0, tl.float32).to(tl.float16, fp_downcast_rounding="rtz"))
    tl.store(out + 7, tl.full((), 70000.0, tl.float32).to(tl.float16))
    tl.store(out + 8, h.to(tl.float8e5))
    tl.store(out + 9, h.cast(tl.int64))
    tl.store(out + 10, i)


@triton.jit
def dtypes(p, x, y, n):
    q = p.to(tl.pointer_type(tl.int32))
    tl.static_assert(q.dtype.element_ty == tl.int32)
    r = n.to(tl.pointer_type(tl.float16))
    tl.store(r, x)
    tl.store(q, x.to(tl.int32, bitcast=True))
    tl.store(p, y.to(p.dtype.element_ty))
    address = p.to(tl.int64)
    tl.store(p, address)
    same = x.to(tl.float32, fp_downcast_rounding="nonsense")
    tl.store(p, same)


@triton.jit
def types_called(out, n, D: tl.constexpr, T: tl.constexpr):
    x = tl.float32(-1.5)
    tl.static_assert(tl.float16(n).dtype == tl.float16)
    tl.static_assert(tl.dtype(D) == tl.int64 and tl.dtype("fp8e5") == tl.float8e5)
    tl.static_assert(T.value == tl.float16)
    tl.store(out, x + tl.float32(n))


@triton.jit
def refused(p, x, i, e5, e4):
    a = e5.to(tl.int32)
    b = i.to(tl.float8e5)
    c = x.to(tl.int16, bitcast=True)
    d = x.to(tl.float16, fp_downcast_rounding="up")
    e = x.to(tl.float64, fp_downcast_rounding="rtz")
    f = p.to(tl.int32)
    g = i.to(tl.pointer_type(tl.float32))
    h = x.to(16)
    j = x.to("fp32")
