# lower: kernel out:*fp32
# lower: with_integer out:*fp32
# R43, R44: `/` and `%` of floats below 32 bits are fp32, whatever is on the other side.
import triton
import triton.language as tl

@triton.jit
def kernel(out):
    e = tl.full((8,), 0, tl.float16).to(tl.float8e5)
    n = tl.full((8,), 0, tl.float16).to(tl.float8e4nv)
    h = tl.full((8,), 0, tl.float16)
    b = tl.full((8,), 0, tl.bfloat16)
    d = tl.full((8,), 0, tl.float64)
    i = tl.full((8,), 0, tl.int32)
    tl.static_assert((e / e).dtype == tl.float32)
    tl.static_assert((e / n).dtype == tl.float32)
    tl.static_assert((e % e).dtype == tl.float32)
    tl.static_assert((e * e).dtype == tl.float8e5)
    tl.static_assert((e * n).dtype == tl.float16)
    tl.static_assert((h / b).dtype == tl.float32)
    tl.static_assert((h * b).dtype == tl.float16)
    tl.static_assert((b % i).dtype == tl.float32)
    tl.static_assert((h / e).dtype == tl.float32)
    tl.static_assert((2.0 / e).dtype == tl.float32)
    tl.static_assert((e % 2).dtype == tl.float32)
    tl.static_assert((e * 2.0).dtype == tl.float8e5)
    tl.static_assert((d / 2.0).dtype == tl.float64)
    tl.static_assert((d / e).dtype == tl.float64)
    tl.static_assert((i // 2).dtype == tl.int32)
    pair = (tl.program_id(0), h)
    tl.static_assert(pair.type == tl.tuple_type([tl.int32, h.type]))

@triton.jit
def with_integer(out):
    e = tl.full((8,), 0, tl.float16).to(tl.float8e5)
    i = tl.full((8,), 0, tl.int32)
    e / i
    i * e
    tl.tuple_type(tl.int32)
    min(1.0, float("nan"))
    max(1.0, -0.0)
