# run: kernel x:fp32[8]=iota n:i32=2 TILE=4
"""R16: a tl.constexpr whose value is only known at run time is that value, with a warning."""
import triton
import triton.language as tl


@triton.jit
def kernel(x, n, TILE: tl.constexpr):
    step: tl.constexpr = TILE * n
    at = tl.arange(0, TILE)
    total = 0.0
    for i in range(n):
        half: tl.constexpr = step // (i + 1)
        total += half
    if n > 1:
        more: tl.constexpr = total * 2
        tl.store(x + at, more)
    tl.store(x + step - 1, total)
