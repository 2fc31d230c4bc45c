# run: dtypes out:i32[1] i1:i1=1 i8:i8=1 i16:i16=1 i32:i32=1 i64:i64=1 u8:u8=1 u16:u16=1 u32:u32=1 u64:u64=1 f16:fp16=1 bf16:bf16=1 f32:fp32=1 f64:fp64=1 e5:fp8e5=1 e4:fp8e4nv=1
# run: literals out:i32[1] i1:i1=1 i8:i8=1 u8:u8=1 i32:i32=1 i64:i64=1 f16:fp16=1 bf16:bf16=1 f32:fp32=1 f64:fp64=1
# run: assignment out:i32[1]
"""R40 to R46: which dtype an operator gives."""
import triton
import triton.language as tl


@triton.jit
def dtypes(out, i1, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64, e5, e4):
    tl.static_assert((f64 + f32).dtype == tl.float64)
    tl.static_assert((f32 * f16).dtype == tl.float32)
    tl.static_assert((f16 + bf16).dtype == tl.float16)
    tl.static_assert((f16 / bf16).dtype == tl.float32)
    tl.static_assert((bf16 + bf16).dtype == tl.bfloat16)
    tl.static_assert((bf16 / bf16).dtype == tl.float32)
    tl.static_assert((f16 % f16).dtype == tl.float32)
    tl.static_assert((bf16 + i32).dtype == tl.float32)
    tl.static_assert((bf16 + e5).dtype == tl.float32)
    tl.static_assert((f16 + i64).dtype == tl.float16)
    tl.static_assert((f16 + i1).dtype == tl.float16)
    tl.static_assert((e5 + e5).dtype == tl.float8e5)
    tl.static_assert((e5 + e4).dtype == tl.float16)
    tl.static_assert((i8 + i16).dtype == tl.int16)
    tl.static_assert((i64 * i8).dtype == tl.int64)
    tl.static_assert((u8 + i8).dtype == tl.uint8)
    tl.static_assert((u8 + i16).dtype == tl.int16)
    tl.static_assert((u32 + i32).dtype == tl.uint32)
    tl.static_assert((u32 + i64).dtype == tl.int64)
    tl.static_assert((u64 | i64).dtype == tl.uint64)
    tl.static_assert((i1 + i8).dtype == tl.int8)
    tl.static_assert((i1 & i1).dtype == tl.int1)
    tl.static_assert((i8 << u32).dtype == tl.uint32)
    tl.static_assert((i32 / i32).dtype == tl.float32)
    tl.static_assert((i64 / i64).dtype == tl.float32)
    tl.static_assert((u16 // u8).dtype == tl.uint16)
    tl.static_assert((f32 < f16).dtype == tl.int1)
    tl.static_assert(tl.maximum(bf16, bf16).dtype == tl.float32)
    tl.static_assert(tl.minimum(f16, f16).dtype == tl.float16)
    tl.store(out, 1)


@triton.jit
def literals(out, i1, i8, u8, i32, i64, f16, bf16, f32, f64):
    tl.static_assert((i8 + 1).dtype == tl.int8)
    tl.static_assert((u8 + True).dtype == tl.uint8)
    tl.static_assert((i1 + 1).dtype == tl.int32)
    tl.static_assert((i8 + 1.0).dtype == tl.float32)
    tl.static_assert((f16 * 2.0).dtype == tl.float16)
    tl.static_assert((f16 * 2).dtype == tl.float16)
    tl.static_assert((f16 / 2.0).dtype == tl.float32)
    tl.static_assert((bf16 + 1).dtype == tl.bfloat16)
    tl.static_assert((bf16 / 1).dtype == tl.float32)
    tl.static_assert((f32 + 1e300).dtype == tl.float32)
    tl.static_assert((f64 + 1).dtype == tl.float64)
    tl.static_assert((i64 + 1).dtype == tl.int64)
    tl.static_assert((1 / i32).dtype == tl.float32)
    tl.static_assert((f16 < 0.5).dtype == tl.int1)
    tl.static_assert(tl.maximum(f16, 0.0).dtype == tl.float32)
    tl.static_assert(tl.where(i1, f16, 0.0).dtype == tl.float16)
    tl.static_assert(tl.where(i1, 1, 2.0).dtype == tl.float32)
    tl.static_assert((i8 < 200).dtype == tl.int1)
    tl.store(out, 1)


@triton.jit
def assignment(out):
    a = 1
    tl.static_assert(a.dtype == tl.int32)
    b = 4000000000
    tl.static_assert(b.dtype == tl.uint32)
    c = 1 << 40
    tl.static_assert(c.dtype == tl.int64)
    d = 1 << 63
    tl.static_assert(d.dtype == tl.uint64)
    e = 0.5
    tl.static_assert(e.dtype == tl.float32)
    f = 1e50
    tl.static_assert(f.dtype == tl.float64)
    g = 1e-40
    tl.static_assert(g.dtype == tl.float64)
    h = float("inf")
    tl.static_assert(h.dtype == tl.float32)
    i = a > 0
    tl.static_assert(i.dtype == tl.int1)
    j = True
    tl.static_assert(j.dtype == tl.int1)
    k: tl.constexpr = 3
    tl.static_assert(k // -2 == -2)
    tl.static_assert(-7 % 3 == 2)
    tl.static_assert(2**10 == 1024)
    tl.static_assert(7 / 2 == 3.5)
    tl.static_assert("a" + "b" == "ab")
    tl.static_assert((1, 2) + (3,) == (1, 2, 3))
    tl.static_assert((k if k > 2 else 7) == 3)
    tl.store(out, -7 // a.to(tl.int32))
