# lower: kernel x:*fp16 n:i32
# lower: refused x:*fp32 n:i32 u:u32
# lower: unwrapped x:*fp32 N=2
"""What the reference's own tests expect in corners: R43, R66, R136, R143, R153, R154, R303."""
import triton
import triton.language as tl


@tl.constexpr
def wide(dtype: tl.dtype) -> tl.dtype:
    if dtype.is_fp16() or dtype.is_bf16():
        return tl.float32
    return dtype


@triton.must_use_result("assign it")
@triton.jit
def twice(x):
    return x + x


@triton.aggregate
class Half:
    x: tl.tensor

    @triton.must_use_result("or leave it out")
    @triton.jit
    def value(self):
        return self.x / 2

    @triton.must_use_result
    @triton.constexpr_function
    def factor(self):
        return 2


@triton.jit
def kernel(x, n):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    tl.static_assert(v[None:].shape == (4,) and v[:None, None].shape == (4, 1))
    tl.static_assert(v[None, ::None].shape == (1, 4))
    w = v.exp() + v.sqrt()
    tl.static_assert(w.dtype == tl.float16)
    pair = tl.tuple((n, v))
    tl.static_assert(len(pair) == 2 and pair.type[0] == tl.int32)
    tl.static_assert(tl.pi32_t.element_ty == tl.int32)
    tl.static_assert(triton.language.standard._log2(v.shape[0]) == 2)
    tl.static_assert(wide(v.dtype) == tl.float32)
    tl.store(x + i, twice(w) / n)


@triton.jit
def refused(x, n, u):
    v = tl.load(x + tl.arange(0, 4))
    a = n / u
    b = (n / 2) + (u / 2)
    twice(v)
    h = Half(v)
    h.value()
    h.factor()
    w = h.value() * h.factor()
    c = tl.expand_dims(v, (0, -3))
    d = tl.program_id(20)
    e = tl.exp(v.to(tl.float16))
    if n > 0:
        final_out = v
    else:
        final_out = n
    f = tl.tuple(v)


@triton.jit
def unwrapped(x, N: tl.constexpr):
    tl.store(x + tl.arange(0, tl.core._unwrap_if_constexpr(N)), 1.0)
