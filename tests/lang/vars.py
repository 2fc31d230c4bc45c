# vars: k p:*fp32 n:i32 one:i32 B=8
import triton
import triton.language as tl

SCALE: tl.constexpr = 3


@triton.jit
def helper(x, FACTOR: tl.constexpr):
    y = x * FACTOR
    z = y
    return z


@triton.jit
def k(p, n, one, B: tl.constexpr):
    """Docstrings are no statements."""
    TWICE: tl.constexpr = B * 2
    five = 5
    a = tl.arange(0, B)
    b = a
    pair = (a, TWICE, five, (p,))
    text: tl.constexpr = "50%"
    acc = tl.zeros((B,), tl.float32)
    for i in range(n):
        step = i * 2
        if step > 3:
            t = step + 1
            acc += t
        else:
            acc = acc * 2.0
        b = a + step
    c = b
    while five < n:
        five += one
    for j in tl.static_range(2):
        d = j
        acc += helper(acc, 4)
    if B == 8:
        e = acc
    else:
        e = 7
    squares: tl.constexpr = [q * q for q in (1, 2)]
    f: tl.constexpr = helper
    kind = p.dtype
    tl.store(p + a, e)
    n = 3.0
    return
