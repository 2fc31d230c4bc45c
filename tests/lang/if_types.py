# lower: changes p:*fp32 n:i32 BLOCK=4
# lower: differs p:*fp32 n:i32
# lower: ternary p:*fp32 n:i32
"""R102, R118: arms that do not agree."""
import triton
import triton.language as tl


@triton.jit
def changes(p, n, BLOCK: tl.constexpr):
    x = 1
    y = None
    if n > 0:
        x = 1.5
        y = 2
        BLOCK = 8
    else:
        x = tl.zeros((4,), tl.float32)
    tl.store(p, x)


@triton.jit
def differs(p, n):
    if n > 0:
        x = 1
    else:
        x = 1.0
    tl.store(p, x)


@triton.jit
def ternary(p, n):
    x = 1 if n > 0 else 2.0
    y = n if n > 0 else p
