# lower: rows_as_columns x:*fp32 out:*fp32 n:i32 B=16
# lower: print_with_format x:*fp32 out:*fp32 n:i32 B=16
# lower: print_with_braces x:*fp32 out:*fp32 n:i32 B=16
# lower: dtype_as_text x:*fp32 out:*fp32 n:i32 B=16
# lower: annotated_dtype x:*fp32 out:*fp32 n:i32 B=16
# lower: compared_alone x:*fp32 out:*fp32 n:i32 B=16
# lower: computed_alone x:*fp32 out:*fp32 n:i32 B=16
# lower: sign_assigned x:*fp32 out:*fp32 n:i32 B=16
# lower: bits_before_comparison x:*fp32 out:*fp32 n:i32 B=16
# lower: bits_of_integers x:*fp32 out:*fp32 n:i32 B=16
# lower: mask_of_a_matrix x:*fp32 out:*fp32 n:i32 B=16
# lower: largest_of_a_part x:*fp32 out:*fp32 n:i32 B=16
# lower: smallest_of_a_part x:*i32 out:*fp32 n:i32 B=16
# lower: extremes_of_what_is_read x:*fp32 out:*fp32 n:i32 B=16
# lower: sign_of_a_wrapped_difference x:*u8 out:*i16 n:i32 B=16
# lower: signs_that_there_are x:*u8 out:*i16 n:i32 B=16
# lower: compared_by_identity x:*fp32 out:*fp32 n:i32 B=16
# lower: not_called x:*fp32 out:*fp32 n:i32 B=16
# lower: forgotten_array x:*fp32 bias:*fp32 out:*fp32 n:i32 B=16
# lower: forgotten_load x:*fp32 bias:*fp32 out:*fp32 n:i32 B=16
# lower: not_forgotten x:*fp32 bias:*fp32 out:*fp32 _old:*fp32 n:i32 B=16 HAS_BIAS=0
"""What is right Python and rarely meant: a warning says so."""
import triton
import triton.language as tl



@triton.jit
def rows_as_columns(x, out, n, B: tl.constexpr):
    a = tl.arange(0, B)[:, None]
    b = tl.arange(0, B)[None, :]
    v = tl.load(x + a * B + b)
    s = tl.sum(v, axis=1)
    tl.store(out + a * B + b, v / s)


@triton.jit
def print_with_format(x, out, n, B: tl.constexpr):
    tl.device_print("x = %d", n)


@triton.jit
def print_with_braces(x, out, n, B: tl.constexpr):
    tl.device_print("x = {}", n)


@triton.jit
def dtype_as_text(x, out, n, B: tl.constexpr):
    v = tl.load(x)
    if v.dtype == "float32":
        v = v * 2
    tl.store(out, v)


@triton.jit
def annotated_dtype(x, out, n, B: tl.constexpr):
    a: tl.float32 = 0
    tl.store(out, a)


@triton.jit
def compared_alone(x, out, n, B: tl.constexpr):
    v = tl.load(x)
    v == 2.0
    tl.store(out, v)


@triton.jit
def computed_alone(x, out, n, B: tl.constexpr):
    v = tl.load(x)
    v + 2.0
    tl.store(out, v)


@triton.jit
def sign_assigned(x, out, n, B: tl.constexpr):
    v = tl.load(x)
    v =- 2.0
    tl.store(out, v)


@triton.jit
def bits_before_comparison(x, out, n, B: tl.constexpr):
    inside = tl.arange(0, B) < n
    tl.store(out + tl.arange(0, B), 1.0, mask=inside & n > 3)


@triton.jit
def compared_by_identity(x, out, n, B: tl.constexpr):
    if n is 3:
        tl.store(out, 1.0)
    if n is not None and B is not 4.0:
        tl.store(out, 2.0)


@triton.jit
def bits_of_integers(x, out, n, B: tl.constexpr):
    tl.store(out, 1.0, mask=n & 3 == 0)


@triton.jit
def mask_of_a_matrix(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out, tl.sum(tl.load(x + i, mask=i[:, None] < n)))


@triton.jit
def largest_of_a_part(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n).to(tl.float64)
    tl.store(out, tl.max(v, axis=0))


@triton.jit
def smallest_of_a_part(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out, tl.min(tl.load(x + i, mask=i < n)))


@triton.jit
def extremes_of_what_is_read(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    inside = i < n
    tl.store(out, tl.max(tl.load(x + i, mask=inside, other=-float("inf"))))
    tl.store(out, tl.max(tl.abs(tl.load(x + i, mask=inside))))
    tl.store(out, tl.min(tl.where(inside, tl.load(x + i, mask=inside), float("inf"))))
    tl.store(out, tl.max(tl.load(x + i)))
    tl.store(out, tl.max(tl.load(x + i, mask=True)))


@triton.jit
def sign_of_a_wrapped_difference(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    d = tl.load(x + i)[:, None] - tl.load(x + n + i)[None, :]
    tl.store(out + i[:, None] + i[None, :], tl.abs(d))
    tl.store(out, 1, mask=tl.load(x) - tl.load(x + 1) < 0)
    tl.store(out, 2, mask=0 > tl.load(x) - tl.load(x + 1))


@triton.jit
def signs_that_there_are(x, out, n, B: tl.constexpr):
    a, b = tl.load(x), tl.load(x + n)
    tl.store(out, tl.abs(a.to(tl.int16) - b))
    tl.store(out, tl.abs(a))
    tl.store(out, tl.abs(tl.maximum(a, b) - tl.minimum(a, b)))
    tl.store(out, 1, mask=a - b > 0)


@triton.jit
def not_called(x, out, n, B: tl.constexpr):
    tl.store(out, 1.0)
    tl.debug_barrier


@triton.jit
def forgotten_array(x, bias, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def forgotten_load(x, bias, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    b = tl.load(bias + i, mask=i < n)
    if n > 3:
        b = tl.load(bias + i + 1, mask=i < n)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def not_forgotten(x, bias, out, _old, n, B: tl.constexpr, HAS_BIAS: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    _ = tl.load(x + i)
    b = tl.load(x + i)
    if HAS_BIAS:
        v += tl.load(bias + i, mask=i < n) + b
    tl.store(out + i, v, mask=i < n)
