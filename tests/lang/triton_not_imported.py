# lower: kernel x:*fp32 B=16
"""The decorator's module is not bound: Python stops at it, here it is a warning."""
import triton.language as tl


@triton.jit
def kernel(x, B: tl.constexpr):
    tl.store(x, B)
