# run: kernel x:i32[8]=3,1,9,4,7,2,6,5 y:fp32[4]=1,-2,0.5,4 out:i32[8] sums:fp32[8] steps:i32[8] rest:i32[8]
# run: one x:fp32[1]=3 out:fp32[1]
# lower: nothing x:*fp32
# lower: too_many x:*fp32
# lower: odd_pack x:*fp32
# lower: not_two x:*fp32
# R257: a scalar function with control flow of its own, for each element.
import triton
import triton.language as tl

@triton.jit
def compare(a, b):
    if a < b:
        return -1
    elif a == b:
        return 0
    else:
        return 1

@triton.jit
def divide(a0, a1, b0, b1):
    return a0 // b0, a1 // b1, a0 % b0, a1 % b1

@triton.jit
def collatz(n):
    steps = 0
    while n > 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps

@triton.jit
def both(a0, a1, a2, a3):
    return a0 + a1 + a2 + a3, a1, a2, a3

@triton.jit
def kernel(x, y, out, sums, steps, rest):
    i = tl.arange(0, 8)
    a = tl.load(x + i)
    tl.store(out + i, tl.map_elementwise(compare, a, 5))
    tl.store(steps + i, tl.map_elementwise(collatz, a))
    # shapes are joined, dtypes stay as they are: here the rows of [2, 4]
    b = a.reshape(2, 4)
    c = tl.load(y + tl.arange(0, 4))
    d = tl.map_elementwise(scaled, b, c[None, :])
    tl.static_assert(d.dtype == tl.float32)
    tl.store(sums + i, d.reshape(8))
    q, r = tl.map_elementwise(divide, b, tl.full((2, 4), 4, tl.int32), pack=2)
    four = tl.map_elementwise(both, a, pack=4)
    tl.store(rest + i, q.reshape(8) * 100 + r.reshape(8) * 1000 + four)

@triton.jit
def scaled(a, b):
    return a.to(tl.float32) * b if b > 0 else 0.0

@triton.jit
def half(a):
    return a / 2

@triton.jit
def one(x, out):
    tl.store(out, tl.map_elementwise(half, tl.load(x)))

@triton.jit
def nothing(x):
    tl.map_elementwise(half)

@triton.jit
def many(a, b, c, d, e):
    return a, b, c, d

@triton.jit
def too_many(x):
    tl.map_elementwise(many, 1, 2, 3, 4, tl.arange(0, 4))

@triton.jit
def odd_pack(x):
    tl.map_elementwise(half, tl.arange(0, 6), pack=4)

@triton.jit
def not_two(x):
    tl.map_elementwise(compare, tl.arange(0, 6), pack=2)
