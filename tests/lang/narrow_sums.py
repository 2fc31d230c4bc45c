# lower: mean x:*u8 out:*u8 n:i32 B=16
# lower: mean_of_wide x:*u8 out:*u8 n:i32 B=16
# lower: brightness x:*u8 out:*u8 n:i32 B=16
# lower: product x:*i8 out:*i32 n:i32 B=16
# lower: of_low_bits x:*u8 out:*u8 n:i32 B=16
# lower: of_nibbles x:*i8 out:*fp32 n:i32 B=16
# lower: total x:*fp16 out:*fp16 n:i32 B=16
# lower: count x:*u8 out:*i8 n:i32 B=16
# lower: total_with_error x:*bf16 out:*bf16 n:i32 B=16
# lower: few x:*fp16 out:*fp16 n:i32 B=16
# lower: distance x:*u8 out:*u8 n:i32 B=16
# lower: exponents x:*fp32 out:*u32 n:i32 B=16
"""Sums that the type of what is added cannot hold: a warning says so, where the number is asked for."""
import triton
import triton.language as tl


@triton.jit
def mean(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    a = tl.load(x + i)
    tl.store(out + i, (a + a + a) // 3)


@triton.jit
def mean_of_wide(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    a = tl.load(x + i).to(tl.int32)
    tl.store(out + i, (a + a + a) // 3)


@triton.jit
def brightness(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.minimum(tl.load(x + i) + 50, 255))


@triton.jit
def product(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out, tl.sum(tl.load(x + i) * tl.load(x + n + i)))


@triton.jit
def of_low_bits(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    a, b = tl.load(x + i), tl.load(x + B + i)
    s = a + b
    tl.store(out + i, s + (s < a).to(tl.uint8))
    tl.store(out + i, ((a + b) & 0xff).to(tl.int32) // 2 + (a * 5 + 3) % 16)


@triton.jit
def of_nibbles(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    w = tl.load(x + i)
    tl.store(out + i, ((w & 15) - 8).to(tl.float32) + (((w & 15) ^ 8) - 8) + ((w >> 4) + 8))


@triton.jit
def total(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    acc = tl.zeros((B,), tl.float16)
    for k in range(n):
        acc += tl.load(x + k * B + i)
    tl.store(out + i, acc)


@triton.jit
def count(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    found = tl.zeros((B,), tl.int8)
    k = 0
    while k < n:
        found = tl.where(tl.load(x + k * B + i) > 3, found + 1, found)
        k += 1
    tl.store(out + i, found)


@triton.jit
def total_with_error(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    s, c = tl.zeros((B,), tl.bfloat16), tl.zeros((B,), tl.bfloat16)
    for k in range(n):
        y = tl.load(x + k * B + i) - c
        t = s + y
        c = (t - s) - y
        s = t
    tl.store(out + i, s)


@triton.jit
def few(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    acc = tl.zeros((B,), tl.float16)
    for k in range(4):
        acc += tl.load(x + k * B + i)
    tl.store(out + i, acc)


@triton.jit
def distance(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    d = tl.abs(tl.load(x + i) - tl.load(x + i + n))
    tl.store(out + i, tl.where(d > 10, d, 0))


@triton.jit
def exponents(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    e = tl.clamp(tl.floor(tl.load(x + i)), -127, 127)
    tl.store(out + i, (e.to(tl.uint8) + 127).to(tl.uint8).to(tl.uint32))
