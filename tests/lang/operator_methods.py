# run: methods grid=1 x:i32[4]=-8,5,7,12 out:i32[40]
# run: quotient grid=1 x:i32[4]=-8,5,7,12 out:fp32[4]
"""R161: operators by the name of their method, as packed weights of 4 bits are taken apart in public kernels."""
import triton
import triton.language as tl


@triton.jit
def methods(x, out):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    tl.store(out + i * 10, v.__add__(3))
    tl.store(out + i * 10 + 1, v.__sub__(3))
    tl.store(out + i * 10 + 2, v.__mul__(v))
    tl.store(out + i * 10 + 3, v.__floordiv__(3))
    tl.store(out + i * 10 + 4, v.__mod__(3))
    tl.store(out + i * 10 + 5, v.__and__(6))
    tl.store(out + i * 10 + 6, v.__or__(6))
    tl.store(out + i * 10 + 7, v.__xor__(6))
    tl.store(out + i * 10 + 8, v.__lshift__(4).to(tl.int8).__rshift__(4))
    tl.store(out + i * 10 + 9, v.__rshift__(1))


@triton.jit
def quotient(x, out):
    i = tl.arange(0, 4)
    tl.store(out + i, tl.load(x + i).__truediv__(2))
