# lower: kernel out:*i32 n:i32
# run: kernel out:i32[4] n:i32=0
# run: kernel out:i32[4] n:i32=2
# run: nested out:i32[6] n:i32=1
# run: nested out:i32[6] n:i32=12
# run: nested out:i32[6] n:i32=30
# run: nested out:i32[6] n:i32=31
# run: values out:i32[3] n:i32=5
# run: values out:i32[3] n:i32=-5
# run: values out:i32[3] n:i32=0
# run: in_else out:i32[3] n:i32=0
# run: in_else out:i32[3] n:i32=4
# lower: in_loop out:*i32 n:i32
# lower: disagree out:*i32 n:i32
# lower: gives out:*i32
"""R119, R120, R140: return inside run-time ifs."""
import triton
import triton.language as tl


@triton.jit
def kernel(out, n):
    tl.store(out, 1)
    if n == 0:
        return
    tl.store(out + 1, n)
    if n > 1:
        tl.store(out + 2, n)
        return
    tl.store(out + 3, 3)


@triton.jit
def nested(out, n):
    x = 0
    if n > 10:
        x = 1
        if n > 20:
            tl.store(out, n)
            if n == 30:
                return
            x = 2
        tl.store(out + 1, x)
    else:
        x = 3
    tl.store(out + 2, x)
    if x == 3:
        return
    tl.store(out + 3, 4)


@triton.jit
def sign(n, out):
    if n > 0:
        return 1
    elif n < 0:
        tl.store(out + 1, 7)
        return -1
    tl.store(out + 2, 8)
    return 0


@triton.jit
def values(out, n):
    tl.store(out, sign(n, out))


@triton.jit
def in_else(out, n):
    if n > 0:
        x = n
    else:
        tl.store(out, -1)
        return
    tl.store(out, x)


@triton.jit
def in_loop(out, n):
    for i in range(n):
        if i > 2:
            return
    while n > 2:
        n -= 1
        return


@triton.jit
def either(n):
    if n > 0:
        return 1
    return 2.5


@triton.jit
def disagree(out, n):
    tl.store(out, either(n))


@triton.jit
def gives(out):
    return 1
