# lower: types p:*fp16 n:i32
# lower: classes p:*fp16 n:i32
# lower: asserted p:*fp16
# run: star_arguments out:i32[8]
# run: block_shapes p:fp32[8] out:i32[2]
# run: of_constants out:fp32[2] n=3 V=10
# lower: of_no_constant p:*fp16
# lower: star_mistakes p:*fp16
# lower: type_mistakes p:*fp16 n:i32
# lower: class_mistakes p:*fp16 n:i32
# lower: assert_mistakes p:*fp16
"""R6, R9, R66: dtypes and classes as values, isinstance, and static_assert in compile-time functions."""
import triton
import triton.language as tl


@triton.constexpr_function
def checked(n):
    tl.static_assert(n > 2)
    tl.static_assert(n < 9, f"{n} is too much")
    return n + 1


@triton.constexpr_function
def unasserted():
    tl.static_assert()


@triton.constexpr_function
def is_dtype(t):
    return isinstance(t, tl.dtype)


@triton.constexpr_function
def same_types(a, b):
    return a == b, a != b


@triton.constexpr_function
def helper_of(name):
    return abs if name == "abs" else checked


@triton.jit
def types(p, n):
    tl.static_assert(tl.core.get_int_dtype(16, True) == tl.int16)
    tl.static_assert(tl.core.get_int_dtype(64, signed=False) == tl.uint64)
    tl.static_assert(tl.core.get_int_dtype(1, False) == tl.int1)
    tl.static_assert(tl.dtype("fp32") == tl.float32 and tl.dtype("uint8") == tl.uint8)
    tl.static_assert(tl.dtype(tl.float16) == tl.float16)
    tl.static_assert(tl.pointer_type(tl.float16) == p.dtype)
    tl.static_assert(same_types(tl.pointer_type(tl.int8), tl.pointer_type(tl.int8)) == (True, False))
    tl.static_assert(helper_of("abs")(-3) == 3 and helper_of("other")(3) == 4)


@triton.jit
def classes(p, n):
    tl.static_assert(isinstance(n, tl.tensor) and isinstance(p, tl.tensor))
    tl.static_assert(isinstance((1, n), tl.tuple) and not isinstance(n, tl.tuple))
    tl.static_assert(isinstance(p.dtype, tl.pointer_type) and not isinstance(n.dtype, tl.pointer_type))
    tl.static_assert(isinstance(n.dtype, tl.dtype) and isinstance(p.type, tl.dtype))
    tl.static_assert(isinstance(tl.arange(0, 4).type, tl.block_type) and not isinstance(p.type, tl.block_type))
    tl.static_assert(isinstance(3, int) and isinstance(True, int) and not isinstance(n, int))
    tl.static_assert(isinstance(2.5, float) and not isinstance(2, float))
    tl.static_assert(isinstance(True, bool) and not isinstance(1, bool))
    tl.static_assert(isinstance("a", str) and not isinstance(1, str))
    tl.static_assert(isinstance(2.5, (int, float)) and not isinstance("a", (int, float)))
    tl.static_assert(is_dtype(tl.float32) and not is_dtype(3))


@triton.jit
def asserted(p):
    tl.static_assert(checked(4) == 5)
    tl.static_assert(min((3, 1, 2)) == 1 and max(1, 2.5) == 2.5)


@triton.jit
def sum_of(a, b, c):
    return a * 100 + b * 10 + c


@triton.jit
def star_arguments(out):
    middle: tl.constexpr = (2, 3)
    tl.store(out, sum_of(1, *middle))
    values = (1, *middle, *(4,))
    for i in tl.static_range(4):
        tl.store(out + 1 + i, values[::-1][i])
    tl.store(out + 5, len(values))


@triton.jit
def star_mistakes(p):
    a = sum_of(1, 2, *3)


@triton.jit
def type_mistakes(p, n):
    a = tl.core.get_int_dtype(24, True)
    b = tl.core.get_int_dtype(1, True)
    c = tl.dtype("float99")
    d = tl.pointer_type(tl.pointer_type(tl.int8))
    e = tl.constexpr(n)
    f = tl.pointer_type(3)


@triton.jit
def class_mistakes(p, n):
    a = isinstance(n, 3)
    b = isinstance(n, (tl.tensor, 4))
    c = min()
    d = max(p)
    e = len(n)


@triton.jit
def assert_mistakes(p):
    a = checked(1)
    b = checked(12)
    c = unasserted()


@triton.jit
def block_shapes(p, out):
    v = tl.load(p + tl.arange(0, 4)[:, None] + tl.arange(0, 2)[None, :])
    shape: tl.constexpr = v.type.get_block_shapes()
    tl.static_assert(shape == v.shape and v.dtype.is_fp32())
    tl.store(out, shape[0])
    tl.store(out + 1, shape[1])


@triton.jit
def of_constants(out, n, V: tl.constexpr):
    """The type of a constant knows it, and is the type that it has at run time."""
    TUPLE: tl.constexpr = (5, 0.5)
    tl.static_assert(V.type == tl.constexpr_type(10) and V.type != tl.constexpr_type(11))
    tl.static_assert(V.type == tl.int32 and V.type.value == 10 and V.type.primitive_bitwidth == 32)
    tl.static_assert(isinstance(V.type, tl.constexpr_type))
    tl.static_assert(not isinstance(V.dtype, tl.constexpr_type))
    tl.static_assert(TUPLE.type == tl.constexpr_type((5, 0.5)) and TUPLE.type != tl.constexpr_type((5, 1.5)))
    tl.static_assert(TUPLE.type == tl.tuple_type([tl.int32, tl.float32]))
    x = V
    tl.static_assert(x.type == tl.int32 and not isinstance(x.type, tl.constexpr_type))
    tl.store(out, tl.full((), n, V.type).to(tl.float32) + V.type(2.5))
    for i in range(n):
        kind = V.type
        tl.store(out + 1, kind(i))


@triton.jit
def of_no_constant(p):
    a = tl.constexpr_type(p)
    b = tl.constexpr_type("text")
