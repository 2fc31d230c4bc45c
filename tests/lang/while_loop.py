# lower: kernel out:*i32 n:i32
# run: kernel out:i32[2] n:i32=27
# run: lock p:i32[1]=3 out:i32[1]
"""R130: while."""
import triton
import triton.language as tl


@triton.jit
def kernel(out, n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    tl.store(out, steps)
    tl.store(out + 1, n)


@triton.jit
def lock(p, out):
    tries = 0
    while tl.condition(tl.atomic_add(p, -1) > 0):
        tries += 1
    tl.store(out, tries)
