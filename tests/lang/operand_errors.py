# lower: kernel p:*fp32 q:*i32 i:i32 u:u32 u8:u8 f:fp32 e5:fp8e5
# lower: shapes p:*fp32
# lower: constants p:*fp32
# lower: compile_time p:*fp32 n:i32
"""R42, R43, R47, R53, R55, R56, R58, R71, R110: operators that are refused."""
import triton
import triton.language as tl


@triton.jit
def kernel(p, q, i, u, u8, f, e5):
    a = i // u
    b = u % -1
    c = u8 + 300
    d = i + (1 << 40)
    e = f & 1
    g = f // 2.0
    h = e5 + i
    j = p + q
    k = p + f
    m = i - p
    n = p * 2
    o = -p
    r = ~f
    s = i and f
    t = not i
    v = i**2
    w = i @ f
    x = p < q
    y = f << 1
    z = i in (1, 2)


@triton.jit
def shapes(p):
    a = tl.arange(0, 4)
    b = tl.arange(0, 8)
    c = a + b
    c = tl.zeros((4,), tl.float32) + b
    c = a / tl.arange(0, 5)
    c = a < b.to(tl.float16)
    d = a[:, None] + b[None, :] + tl.zeros((3, 8), tl.int32)
    c = tl.where(a < 2, tl.zeros((4,), tl.float32), b)
    c = tl.load(p + a, mask=a < 2, other=b)
    tl.store(p + a, b)
    tl.store(p, a)
    tl.store(p[None] + tl.zeros((1,), tl.int32), a)


@triton.jit
def constants(p):
    tl.store(p, 1 // 0)
    tl.store(p, "a" < 1)
    tl.store(p, 1 << 200)
    tl.store(p, ~1.5)
    x = 1 << 70


@triton.jit
def compile_time(p, n):
    mode = "fast"
    f = tl.exp
    s: tl.constexpr = n
    s: tl.constexpr = 4
    s: tl.constexpr = 5
    shape = (4, 4)
    tl.store(p, tl.zeros(shape, tl.float32))
    t = float(n)
    u = int("x")
    a, b = 1
    c, d = (1,)
    e, g = (1, 2, 3)
    x = y = 1
    tl.store(p, x + y)
    (x, y), z = w = 1, 2
    tl.store(p, x + y + z + w)
    p[0] = 1
    p.x = 1
    lambda: 0
    with p:
        pass
    p()
