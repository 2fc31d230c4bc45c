# run: kernel p:i32[8]=iota out:i32[8] one:i32=1 u:u8=2
# lower: kernel p:*i32 out:*i32 one:i32 u:u8
# lower: dtypes p:*fp16 q:*i1
# lower: constant p:*fp32 n:i32
"""R28, R70, R72, R204, R223."""
import triton
import triton.language as tl


@triton.jit
def kernel(p, out, one, u):
    tl.store(out, tl.load(p + one))
    tl.store(out + 1, tl.load(one + p))
    tl.store(out + 2, tl.load(p + 4 - one))
    q = p
    q += u
    tl.store(out + 3, tl.load(q))
    offs = tl.arange(0, 2)
    tl.store(out + 4 + offs, tl.load(p + 2 * offs))


@triton.jit
def dtypes(p, q):
    tl.static_assert(p.dtype == tl.pointer_type(tl.float16))
    tl.static_assert(p.dtype.element_ty == tl.float16)
    tl.static_assert(p.type.element_ty == tl.float16)
    tl.static_assert(p.dtype.is_ptr())
    tl.static_assert(not p.dtype.element_ty.is_ptr())
    block = p + tl.arange(0, 4)
    tl.static_assert(block.dtype.element_ty == tl.float16)
    tl.static_assert(block.type.scalar.element_ty == tl.float16)
    x = tl.load(block)
    tl.static_assert(x.dtype.is_floating() and x.dtype.is_fp16())
    tl.static_assert(x.dtype.primitive_bitwidth == 16 and x.dtype.itemsize == 2)
    tl.static_assert(x.shape[0] == 4 and x.numel == 4 and len(x.shape) == 1)
    tl.static_assert(x.shape == (4,))
    tl.static_assert(x.type.element_ty == tl.float16 and x.type.shape == (4,))
    tl.static_assert(tl.load(q).dtype == tl.int1)
    tl.static_assert(str_of(x) == "fp16")
    tl.static_assert(tl.uint8.is_int_unsigned() and tl.int1.is_int_unsigned())
    tl.static_assert(isinstance(x, tl.tensor) and isinstance(p.dtype, tl.pointer_type))
    tl.static_assert(not isinstance(1, tl.tensor) and isinstance(1, int))
    tl.static_assert(hasattr(x, "shape") and not hasattr(x, "nothing"))
    tl.static_assert(getattr(x, "numel") == 4)
    tl.store(q, True)


@triton.jit
def str_of(x):
    return f"{x.dtype}"


@triton.jit
def constant(p: tl.const, n: "i32"):
    x = tl.load(p + n)
    tl.store(p, x)
