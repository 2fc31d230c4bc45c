# run: side grid=1 out:fp32[2] n:fp32=3
# run: side grid=1 out:fp32[2] n:fp32=1
# run: condition grid=1 out:i32[3] n:i32=4
# run: condition grid=1 out:i32[3] n:i32=0
# run: fresh grid=1 out:i32[2] p:i32[6]=3,1,2,0,5,5
# run: loop grid=1 out:i32[2]
# run: comprehension grid=1 out:i32[2]
# lower: one_side p:*i32 n:i32
# lower: constant p:*i32 n:i32 N=3
# lower: changes_type p:*i32 n:i32
# lower: variable out:*i32 n:i32
"""R102, R127: `:=` assigns wherever it stands; branches, loops and conditions carry its name."""
import triton
import triton.language as tl


@triton.jit
def side(out, n):
    z = n
    y = (z := n + 1.0) if n > 2.0 else 0.0
    tl.store(out, y)
    tl.store(out + 1, z)


@triton.jit
def condition(out, n):
    x = 0
    s = 0
    r = 0
    while (x := x + 1) < n:
        s += x
        r += 1
    tl.store(out, x)
    tl.store(out + 1, s)
    tl.store(out + 2, r)


@triton.jit
def fresh(out, p):
    s = 0
    i = 0
    while (v := tl.load(p + i)) != 0:
        s = s * 10 + v
        i += 1
    tl.store(out, s)
    tl.store(out + 1, v)


@triton.jit
def loop(out):
    x = 0
    s = 0
    for i in range(3):
        y = (x := x + 1) * 2
        s += y
    tl.store(out, x)
    tl.store(out + 1, s)


@triton.jit
def comprehension(out):
    z = 1
    t = [(z := z + i) for i in (10, 20)]
    tl.store(out, z)
    tl.store(out + 1, t[1])


@triton.jit
def one_side(p, n):
    y = (z := n + 1) if n > 2 else 0
    tl.store(p, y + z)


@triton.jit
def constant(p, n, N: tl.constexpr):
    while (N := N + 1) < n:
        tl.store(p, N)


@triton.jit
def changes_type(p, n):
    x = 0
    while (x := x + 0.5) < n:
        tl.store(p, x)


@triton.jit
def variable(out, n):
    i = 5
    for i in range(n):
        i = i * 2
        tl.store(out + i, i)
    tl.store(out, i)
