# lower: kernel p:*fp32 n:i32
# run: kernel p:fp32[12] n:i32=3
# run: recursion p:i32[2]
# run: functions p:fp32[4]
# run: tuples p:i32[12] n:i32=5
# lower: alone p:*fp32
# lower: refused p:*fp32 n:i32
# lower: nested_error p:*fp32
"""R30, R136, R140, R141, R144: helpers."""
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def scale(x, by=2.0, SQUARE: tl.constexpr = False):
    if SQUARE:
        x = x * x
    return x * by


@triton.jit
def store_two(p, x, y):
    tl.store(p, x)
    tl.store(p + 1, y)


@triton.jit
def kernel(p, n):
    a = scale(n)
    b = scale(n, by=n)
    c = scale(n, SQUARE=True)
    store_two(p, a, b)
    store_two(p + 2, y=c, x=a)
    store_two(p + 4, 1, 2)
    t = scale(tl.arange(0, 4), 3)
    tl.store(p + 6 + tl.arange(0, 4), t)


@triton.jit
def factorial(N: tl.constexpr):
    if N <= 1:
        return 1
    else:
        return N * factorial(N - 1)


@triton.jit
def recursion(p):
    x: tl.constexpr = factorial(5)
    tl.store(p + tl.arange(0, 2), tl.full((2,), x, tl.int32))


@triton.jit
def apply(f: tl.constexpr, x):
    return f(x)


@triton.jit
def twice(x):
    return x + x


@triton.jit
def functions(p):
    tl.store(p, apply(twice, 4))
    tl.store(p + 1, apply(tl.sqrt, 16.0))
    tl.store(p + 2, apply(libdevice.rint, 2.5))
    fs: tl.constexpr = (twice, tl.abs)
    tl.store(p + 3, fs[1](-3))


@triton.jit
def div_mod(a, b):
    return a // b, a % b


@triton.jit
def second(t):
    return t[1]


@triton.jit
def tuples(p, n):
    q, r = div_mod(n, 2)
    tl.store(p, q)
    tl.store(p + 1, r)
    t = (n, 7, p)
    tl.store(t[2] + 2, t[0] + t[-1 - 1])
    tl.store(p + 3, second((1, 2)))
    (a, (b, c)) = (1, (2, 3))
    tl.store(p + 4, a + b * c)
    u = t[0:2] + (9,)
    tl.store(p + 5, len(u) + u[2])
    a, b = b, a
    tl.store(p + 6, a * 10 + b)
    tl.store(p + 7, second(*((4, 5),)))
    squares = [x * x for x in (1, 2, 3)]
    tl.store(p + 8, squares[2])
    state = (0, 1)
    for i in range(n):
        state = (state[1], state[0] + state[1])
    tl.store(p + 9, state[0])
    tl.store(p + 10, (w := n + 1) * w)


@triton.jit
def endless(x):
    return endless(x)


def plain(x):
    return x


@triton.jit(noinline=True)
def apart(x):
    return x


@triton.jit
def alone(p):
    tl.store(p, apart(tl.load(p)))


@triton.jit
def refused(p, n):
    tl.store(p, endless(n))
    tl.store(p, plain(n))
    tl.store(p, scale())
    tl.store(p, scale(1, 2, 3, 4))
    tl.store(p, scale(1, bye=3))
    tl.store(p, scale(**{"x": 1}))
    apart(tl.arange(0, 4))
    n()


@triton.jit
def inner(x):
    return x + undefined


@triton.jit
def outer(x):
    return inner(x) + 1


@triton.jit
def nested_error(p):
    tl.store(p, outer(1))
    tl.store(p, outer(1))
    tl.store(p, outer(2.0))
