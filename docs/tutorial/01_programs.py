"""Lesson 1: what a program is (01_programs.md)."""

import triton
import triton.language as tl


# tilec: call ten --grid 3 --compare out=celsius*1.8+32
#     celsius=arange(fp32,10) out=empty(fp32,10) n=10 BLOCK=4
@triton.jit
def warm(celsius, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    c = tl.load(celsius + i, mask=inside)
    tl.store(out + i, c * 1.8 + 32, mask=inside)


# tilec: call ten --grid 3 --compare out=arange(i32,10)//4
#     out=empty(i32,10) n=10 BLOCK=4
@triton.jit
def who(out, n, BLOCK: tl.constexpr):
    """out[i] = the number of the program that wrote it."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.program_id(0), mask=i < n)
