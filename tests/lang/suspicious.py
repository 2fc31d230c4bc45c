# lower: rows_as_columns x:*fp32 out:*fp32 n:i32 B=16
# lower: print_with_format x:*fp32 out:*fp32 n:i32 B=16
# lower: annotated_dtype x:*fp32 out:*fp32 n:i32 B=16
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
def annotated_dtype(x, out, n, B: tl.constexpr):
    a: tl.float32 = 0
    tl.store(out, a)
