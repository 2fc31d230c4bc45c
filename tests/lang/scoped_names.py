# run: arms grid=1 out:i32[1] n:i32=5
# run: arms grid=1 out:i32[1] n:i32=1
# run: in_loop grid=1 out:i32[2] n:i32=3
# run: outer_value grid=1 out:i32[3] n:i32=5
# run: declared grid=1 out:i32[2] n:i32=5
# run: declared grid=1 out:i32[2] n:i32=1
# lower: round_after p:*i32 n:i32
# lower: declared_after p:*i32 n:i32
# lower: declared_in_loop p:*i32 n:i32
"""R16, R118, R128: the variable of a static_range and a declared constexpr live in the body that
binds them: branches and loops neither join nor carry them."""
import triton
import triton.language as tl


@triton.jit
def arms(out, n):
    s = 0
    if n > 3:
        for i in tl.static_range(4):
            s += i
    else:
        for i in tl.static_range(2):
            s += i
    tl.store(out, s)


@triton.jit
def in_loop(out, n):
    s = 0
    for i in tl.static_range(2):
        s += i
    for k in range(n):
        for i in tl.static_range(4):
            s += i
    tl.store(out, s)
    tl.store(out + 1, i)


@triton.jit
def outer_value(out, n):
    i = n
    for j in tl.static_range(2):
        tl.store(out, j)
    if n > 3:
        for i in tl.static_range(4):
            tl.store(out + 2, i)
        for j in tl.static_range(4):
            tl.store(out + 2, j)
    tl.store(out, i)
    tl.store(out + 1, j)


@triton.jit
def declared(out, n):
    if n > 3:
        K: tl.constexpr = 2
        tl.store(out, K)
    else:
        K: tl.constexpr = 3
        tl.store(out, K)
    if n > 4:
        L: tl.constexpr = 2
    else:
        L: tl.constexpr = 2
    K: tl.constexpr = 5
    L: tl.constexpr = 6
    tl.store(out + 1, K + L)


@triton.jit
def round_after(p, n):
    if n > 3:
        for i in tl.static_range(4):
            tl.store(p, i)
    tl.store(p, i)


@triton.jit
def declared_after(p, n):
    if n > 3:
        K: tl.constexpr = 2
    else:
        K: tl.constexpr = 2
    tl.store(p, K)


@triton.jit
def declared_in_loop(p, n):
    for k in range(n):
        K: tl.constexpr = 2
        for i in tl.static_range(4):
            tl.store(p, i)
    tl.store(p, K)
    tl.store(p, i)
