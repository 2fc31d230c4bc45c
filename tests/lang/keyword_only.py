# run: kernel x:i32[6] n:i32=5 BLOCK=6 add:i32=3
# run: kernel x:i32[6] n:i32=5 BLOCK=6 add:i32=10
# lower: wrong x:*i32
"""R19, R141: parameters behind `*` and behind `*args` take arguments by name only."""
import triton
import triton.language as tl


@triton.jit
def scaled(a, *, k, scale: tl.constexpr = 2):
    return a * scale + k


@triton.jit
def rest(*args, k=1):
    return args[0] + args[1] + k


@triton.constexpr_function
def at_compile_time(a, *, b=2):
    return a + b


@triton.jit
def kernel(x, n, *, BLOCK: tl.constexpr, add=3):
    tl.static_assert(at_compile_time(1) + at_compile_time(1, b=5) == 9)
    at = tl.arange(0, BLOCK)
    tl.store(x + at, scaled(at, k=add) + rest(1, 2) + rest(1, 2, k=5), mask=at < n)


@triton.jit
def wrong(x):
    a = scaled(1, 2)
    b = scaled(1)
    c = rest(1, 2, j=3)
