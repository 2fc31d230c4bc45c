# lower: copy p:*fp32:16 out:*fp32:16 m:i32 n:i32
# run: copy p:fp32[15]=iota out:fp32[15] m:i32=3 n:i32=5
# lower: loop p:*fp32 out:*fp32 n:i32
# run: loop p:fp32[12]=iota out:fp32[4] n:i32=10
# run: padding p:fp32[4]=1 out:fp32[8]
# run: passed p:fp32[6]=iota out:fp32[2]
# run: unchecked p:fp32[15]=iota out:fp32[16]
# run: carried p:fp32[16]=iota out:fp32[16] n:i32=3
# run: chosen p:fp32[8]=iota q:fp32[8]=1 out:fp32[4] n:i32=3
# run: chosen p:fp32[8]=iota q:fp32[8]=1 out:fp32[4] n:i32=9
# run: handed p:fp32[8]=iota out:fp32[8] n:i32=2
# run: stepping p:fp32[16]=iota out:fp32[16] n:i32=6
# run: alone p:fp32[16]=iota out:fp32[8] i:i32=2
# lower: refused p:*fp32 i:*i32 n:i32
# lower: boundaries x:*fp32 out:*fp32 h:i32 w:i32 B=16
# lower: wrong_boundaries x:*fp32 h:i32 w:i32 B=16
"""R230 to R232."""
import triton
import triton.language as tl


@triton.jit
def copy(p, out, m, n):
    src = tl.make_block_ptr(p, (m, n), (n, 1), (0, 0), (4, 8), (1, 0))
    dst = tl.make_block_ptr(base=out, shape=(n, m), strides=(1, n), offsets=(1, 0), block_shape=(8, 4), order=(0, 1))
    x = tl.load(src, boundary_check=(0, 1), padding_option="zero")
    tl.store(dst, tl.trans(x) + 100, boundary_check=(0, 1))


@triton.jit
def loop(p, out, n):
    src = tl.make_block_ptr(p, (n,), (1,), (0,), (4,), (0,))
    acc = tl.zeros((4,), tl.float32)
    for i in range(0, n, 4):
        acc += tl.load(src, boundary_check=(0,))
        src = tl.advance(src, (4,))
    tl.store(tl.make_block_ptr(out, (4,), (1,), (0,), (4,), (0,)), acc)


@triton.jit
def padding(p, out):
    src = tl.make_block_ptr(p, (4,), (1,), (-2,), (8,), (0,))
    dst = tl.make_block_ptr(out, (8,), (1,), (0,), (8,), (0,))
    tl.store(dst, tl.load(src, boundary_check=[0], padding_option="nan"))
    src = src.advance((1,))


@triton.jit
def first_two(src):
    return tl.load(tl.advance(src, (1,)))


@triton.jit
def passed(p, out):
    src = tl.make_block_ptr(p, (6,), (2,), (0,), (2,), (0,))
    tl.store(out + tl.arange(0, 2), first_two(src))


# advanced in an inner loop, in one arm of an `if`, by a while loop, and exchanged for another
@triton.jit
def carried(p, out, n):
    src = tl.make_block_ptr(p, (16,), (1,), (0,), (2,), (0,))
    dst = tl.make_block_ptr(out, (16,), (1,), (0,), (2,), (0,))
    for i in range(n):
        for j in range(2):
            tl.store(dst, tl.load(src) + 100 * i, boundary_check=(0,))
            src = tl.advance(src, (2,))
            if j > 0:
                dst = tl.advance(dst, (2,))
        dst = tl.advance(dst, (1,))
    i = 0
    other = tl.make_block_ptr(p, (16,), (1,), (8,), (2,), (0,))
    while i < n:
        tl.store(dst, tl.load(src, boundary_check=(0,)) + tl.load(other), boundary_check=(0,))
        src, other = other, src
        dst = tl.advance(dst, (2,))
        i += 1


@triton.jit
def chosen(p, q, out, n):
    if n > 5:
        src = tl.make_block_ptr(p, (8,), (1,), (n - 8,), (4,), (0,))
    else:
        src = tl.make_block_ptr(q, (8,), (2,), (0,), (4,), (0,))
    tl.store(tl.make_block_ptr(out, (4,), (1,), (0,), (4,), (0,)), tl.load(src, boundary_check=(0,)))


@triton.jit
def next_pair(src):
    return tl.load(src), tl.advance(src, (2,))


@triton.jit
def handed(p, out, n):
    src = tl.make_block_ptr(p, (8,), (1,), (0,), (2,), (0,))
    dst = tl.make_block_ptr(out, (8,), (1,), (0,), (2,), (0,))
    for i in range(n):
        x, src = next_pair(src)
        y, src = next_pair(src)
        tl.store(dst, x + y)
        dst = tl.advance(dst, (2,))


@triton.jit
def stepping(p, out, n):
    src = tl.make_block_ptr(p, (16,), (1,), (0,), (2,), (0,))
    dst = tl.make_block_ptr(out, (16,), (1,), (0,), (2,), (0,))
    i = 0
    while i < n:
        tl.store(dst, tl.load(src, boundary_check=(0,)), boundary_check=(0,))
        if i > 1:
            src = tl.advance(src, (2,))
        dst = tl.advance(dst, (2,))
        i += 1
    tl.store(dst, tl.load(src), boundary_check=(0,))


# one number is a tuple of one: `(i * 4)` is no tuple
@triton.jit
def alone(p, out, i):
    src = tl.make_block_ptr(p, 16, (1), (i * 4), 4, 0)
    dst = tl.make_block_ptr(out, 8, 1, 0, (4), (0))
    tl.store(dst, tl.load(src, boundary_check=0))
    tl.store(tl.advance(dst, 4), tl.load(src.advance(4)))


@triton.jit
def refused(p, i, n):
    tl.make_block_ptr(p + tl.arange(0, 4), (4,), (1,), (0,), (4,), (0,))
    b = tl.make_block_ptr(p, (4,), (1, 1), (0,), (4,), (0,))
    c = tl.make_block_ptr(p, (4,), (1,), (0,), (n,), (0,))
    d = tl.make_block_ptr(p, (4,), (1,), (0,), (4,), (1,))
    e = tl.make_block_ptr(p, (4, 4), (4, 1), (0, 0), (4, 4), (1, 0))
    x = tl.load(e, mask=True)
    y = tl.load(e, boundary_check=(2,))
    z = tl.load(e, boundary_check=(0, 0))
    w = tl.load(tl.make_block_ptr(i, (4,), (1,), (0,), (4,), (0,)), boundary_check=(0,), padding_option="nan")
    tl.store(e, tl.zeros((4, 2), tl.float32))
    tl.store(e, 0.0, mask=True)
    tl.store(p, 0.0, boundary_check=0)
    tl.store(p, 0.0, boundary_check=())
    tl.advance(e, (1, 1))
    g = tl.advance(e, (1,))
    h = e + 1
    h = -e
    h = tl.where(n > 0, e, e)
    h = e[0]
    h = e < e
    k = e
    for j in range(n):
        k = tl.make_block_ptr(p, (4, 4), (4, 1), (0, 0), (2, 4), (1, 0))


@triton.jit
def unchecked(p, out):
    """What boundary_check leaves out is not bounded: columns beyond the shape are there, rows are not."""
    src = tl.make_block_ptr(p, (3, 3), (5, 1), (1, 1), (4, 4), (1, 0))
    v = tl.load(src, boundary_check=(0,), padding_option="zero")
    tl.store(tl.make_block_ptr(out, (3, 1), (4, 1), (0, 0), (4, 4), (1, 0)), v, boundary_check=(0,))


@triton.jit
def boundaries(x, out, h, w, B: tl.constexpr):
    p = tl.make_block_ptr(x, (h, w), (w, 1), (0, 0), (B, B), (1, 0))
    q = tl.make_block_ptr(out, (h, w), (w, 1), (0, 0), (B, B), (1, 0))
    v = tl.load(p, boundary_check=True)
    v += tl.load(p, padding_option="zero")
    v += tl.load(p, boundary_check=(), padding_option="zero")
    v += tl.load(p, padding_option="")
    v += tl.load(p, boundary_check=(0, 1), padding_option="nan")
    tl.store(q, v, boundary_check=(0, 1))


@triton.jit
def wrong_boundaries(x, h, w, B: tl.constexpr):
    p = tl.make_block_ptr(x, (h, w), (w, 1), (0, 0), (B, B), (1, 0))
    a = tl.load(p, boundary_check="all")
    b = tl.load(p, boundary_check=(0, 1), padding_option=0)
    c = tl.load(p, boundary_check=(0, 1), padding_option="-inf")
    d = tl.load(p, boundary=(0, 1))
