# lower: kernel out:*i32 n:i32
# run: kernel out:i32[4] n:i32=3
# run: kernel out:i32[4] n:i32=-2
# run: nested out:i32[4] n:i32=1
# run: nested out:i32[4] n:i32=7
# run: nested out:i32[4] n:i32=20
# run: tuples out:i32[4] n:i32=1
# run: tuples out:i32[4] n:i32=0
# run: narrows out:i32[4] n:i32=1 m=1
# run: pointers out:i32[4] a:i32[1]=5 b=None
"""R101, R118: names that arms assign."""
import triton
import triton.language as tl


@triton.jit
def kernel(out, n):
    x = 10
    y = x
    if n > 0:
        x = n
        z = x + 1
    else:
        z = 5
        y = y + 100
    tl.store(out, x)
    tl.store(out + 1, y)
    tl.store(out + 2, z)


@triton.jit
def nested(out, n):
    x = 0
    if n > 5:
        if n > 10:
            x = 3
        else:
            x = 2
    elif n:
        x += 1
    tl.store(out, x)


@triton.jit
def tuples(out, n):
    t = (1, 2)
    if n == 1:
        t = (t[1], t[0])
    a, b = t
    tl.store(out, a)
    tl.store(out + 1, b)
    if tl.load(out) == 2 and n == 1:
        tl.store(out + 2, 8)
    if (n > 0) or (n < 0):
        pass
    else:
        tl.store(out + 3, 9)


# R26, kinder: a parameter that is 1 may still change
@triton.jit
def narrows(out, n, m):
    if n > 0:
        m = n + m
    tl.store(out, m)
    for i in range(3):
        m += 1
    tl.store(out + 1, m)


# a pointer that is there is true; None is not
@triton.jit
def pointers(out, a, b):
    if a and not b:
        tl.store(out, tl.load(a))
    if a is not None and out:
        tl.store(out + 1, 1)
    if not a:
        tl.store(out + 2, 1)
