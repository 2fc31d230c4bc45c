# lower: carried p:*fp32 n:i32 BLOCK=4
# lower: bounds p:*fp32 n:i32 x:fp32
# lower: iterators p:*fp32 n:i32
# lower: whiles p:*fp32 n:i32
"""R125 to R130: loops that are refused."""
import triton
import triton.language as tl


@triton.jit
def carried(p, n, BLOCK: tl.constexpr):
    acc = 0
    t = None
    for i in range(n):
        acc += tl.load(p + tl.arange(0, 4))
        t = i
        BLOCK = BLOCK * 2
    tl.store(p, acc)


@triton.jit
def bounds(p, n, x):
    for i in range(x):
        pass
    for i in range(tl.arange(0, 4)):
        pass
    for i in range(0, n, 0):
        pass
    for i in tl.static_range(n):
        pass


@triton.jit
def iterators(p, n):
    for i in (1, 2, 3):
        pass
    for i in enumerate(p):
        pass
    for i in tl.cdiv(n, 2):
        pass
    for i in range(n):
        pass
    else:
        pass
    r = range(n)


@triton.jit
def whiles(p, n):
    while True:
        n += 1
    while n:
        n = n + 0.5
    while p + tl.arange(0, 2) == p:
        break
