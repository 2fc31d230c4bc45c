# run: pairs x:fp32[4]=iota y:fp32[4]=4,5,6,7 out:fp32[24]
# run: scalars out:i32[8]
# run: halves x:fp16[12]=iota a:fp16[6] b:fp16[6]
# run: flipped x:i8[6]=iota out:i8[18]
# run: gathered x:fp32[12]=iota i:i32[8]=2,0,1,1,0,2,2,7 out:fp32[8]
# run: ordered x:fp32[6]=3,-1,2,nan,-0.0,2 up:fp32[6] down:fp32[6] top:fp32[2]
# run: ordered x:fp32[6]=0,-nan,inf,nan,-0.0,-1 up:fp32[6] down:fp32[6] top:fp32[2]
# run: ordered x:fp8e4b8[6]=3,-1,nan,240,-240,2 up:fp8e4b8[6] down:fp8e4b8[6] top:fp8e4b8[2]
# run: rows x:u8[10]=7,200,3,9,0,1,1,1,255,0 out:u8[10]
# run: counts x:i32[10]=0,1,3,3,2,-1,9,3,1,0 out:i32[8]
# lower: small x:*i32 out:*i32
# lower: refused x:*fp32 i:*fp32
"""R158 to R160, R255 and R256, on any extent."""
import triton
import triton.language as tl


@triton.jit
def pairs(x, y, out):
    i = tl.arange(0, 4)
    a = tl.load(x + i)
    b = tl.load(y + i)
    both = tl.join(a, b)
    tl.static_assert(both.shape == (4, 2))
    tl.store(out + tl.arange(0, 8), both.ravel())
    tl.store(out + 8 + tl.arange(0, 8), tl.interleave(a, b))
    tl.store(out + 16 + tl.arange(0, 8), tl.cat(a, b, can_reorder=True))
    tl.store(tl.cat(x + i, y + i), tl.cat(b, a))
    c, d = tl.split(both)
    tl.static_assert(c.shape == (4,) and d.dtype == tl.float32)
    stacked = tl.cat(a[None, :], b[None, :], dim=0)
    tl.static_assert(stacked.shape == (2, 4))
    tl.static_assert(tl.cat(a[None, :], b[None, :], dim=-1).shape == (1, 8))


@triton.jit
def scalars(out):
    i = tl.arange(0, 2)
    tl.store(out + i, tl.join(7, 8))
    a, b = tl.split(tl.join(3, 4))
    tl.static_assert(a.shape == ())
    tl.store(out + 2, a)
    tl.store(out + 3, b)
    tl.store(out + 4 + i, tl.interleave(5, 6))
    both = tl.join(tl.arange(0, 3), 9)
    tl.static_assert(both.shape == (3, 2))
    tl.store(out + 6 + i, tl.sum(both, 0))


@triton.jit
def halves(x, a, b):
    i = tl.arange(0, 6)
    pair = tl.load(x + tl.arange(0, 12)).reshape(2, 3, 2)
    first, second = pair.split()
    tl.store(a + i, first.ravel())
    tl.store(b + i, -second.ravel())


@triton.jit
def flipped(x, out):
    i = tl.arange(0, 6)
    v = tl.load(x + i)
    tl.store(out + i, tl.flip(v))
    tl.store(out + 6 + i, tl.flip(v.reshape(2, 3), dim=0).ravel())
    tl.store(out + 12 + i, v.reshape(2, 3).flip(-1).ravel())


@triton.jit
def gathered(x, i, out):
    v = tl.load(x + tl.arange(0, 12)).reshape(3, 4)
    index = tl.load(i + tl.arange(0, 8)).reshape(2, 4)
    tl.store(out + tl.arange(0, 8), tl.gather(v, index, 0).ravel())


@triton.jit
def ordered(x, up, down, top):
    i = tl.arange(0, 6)
    v = tl.load(x + i)
    tl.store(up + i, tl.sort(v))
    tl.store(down + i, tl.sort(v, descending=True))
    tl.store(top + tl.arange(0, 2), tl.topk(v, 2))


@triton.jit
def rows(x, out):
    v = tl.load(x + tl.arange(0, 10)).reshape(2, 5)
    tl.store(out + tl.arange(0, 10), tl.sort(v, 1).ravel())


@triton.jit
def counts(x, out):
    v = tl.load(x + tl.arange(0, 10))
    tl.store(out + tl.arange(0, 4), tl.histogram(v, 4))
    tl.store(out + 4 + tl.arange(0, 4), tl.histogram(v, 4, mask=tl.arange(0, 10) < 4))


@triton.jit
def small(x, out):
    a, b = tl.split(tl.load(x + tl.arange(0, 4)).reshape(2, 2))
    tl.store(out + tl.arange(0, 2), a)


@triton.jit
def refused(x, i):
    v = tl.load(x + tl.arange(0, 12)).reshape(3, 4)
    a = tl.join(v, tl.arange(0, 4))
    b = tl.split(v)
    c = tl.gather(v, v, 0)
    d = tl.gather(v, tl.zeros((3, 3), tl.int32), 0)
    e = tl.sort(v, 0)
    f = tl.topk(v, 5)
    g = tl.histogram(v, 4)
    h = tl.histogram(v.ravel(), 4)
    k = tl.cat(v, v.T, dim=0)
