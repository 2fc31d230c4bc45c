# run: single x:fp32[12]=iota out:fp32[8] k:i32=4
# run: columns x:i32[12]=iota out:i32[20] k:i32=1
# run: columns x:fp64[12]=iota out:fp64[20] k:i32=2
# run: slices x:fp16[24]=iota out:fp16[40] i:i32=3 j:i32=2
# run: slices x:fp32[24]=iota out:fp32[40] i:i32=2 j:i64=1
# run: gathered x:i8[12]=iota n:i32[6]=2,0,11,3,1,5 out:i8[24]
# run: put x:fp32[8]=iota out:fp32[64] i:i32=2 k:i32=5
# run: put_rows x:i64[12]=iota out:i64[48] k:i32=1
# run: put_rows x:i16[12]=iota out:i16[48] k:i32=0
# run: in_loops x:fp32[15]=iota out:fp32[40]
# run: beyond x:i32[5]=1,2,3,4,5 out:i32[24] k:i64=5
# run: far x:i32[5]=1,2,3,4,5 out:i32[16] k:i64=-4294967296 m:i32=-2147483648 n:i32=2147483646
# run: bools x:i32[5]=3,0,1,0,7 out:i32[12] k:i32=2
# lower: refused x:*fp32 i:i32 j:i32
# lower: refused_targets x:*fp32 i:i32
# lower: known x:*fp32
"""R21, R152: elements, columns and slices of tiles, taken and put, at run time too."""
import triton
import triton.language as tl


@triton.jit
def single(x, out, k):
    v = tl.load(x + tl.arange(0, 12))
    m = v.reshape(3, 4)
    tl.static_assert(v[5].shape == () and v[k].shape == ())
    tl.store(out, v[5])
    tl.store(out + 1, v[-1])
    tl.store(out + 2, v[k])
    tl.store(out + 3, m[1, 2])
    tl.store(out + 4, m[k - 3, k - 4])
    tl.store(out + 5, m[2, k - 4])
    seven = 7
    tl.store(out + 6, v[seven] + v[k + 1])


@triton.jit
def columns(x, out, k):
    m = tl.load(x + tl.arange(0, 12)).reshape(3, 4)
    i = tl.arange(0, 4)
    tl.static_assert(m[:, 3].shape == (3,) and m[k].shape == (4,) and m[..., k].shape == (3,))
    tl.static_assert(m[:, k, None].shape == (3, 1) and m[None, k].shape == (1, 4))
    tl.store(out + tl.arange(0, 3), m[:, 3])
    tl.store(out + 3 + tl.arange(0, 3), m[:, k])
    tl.store(out + 6 + i, m[k])
    tl.store(out + 10 + i, m[-1, :])
    tl.store(out + 14 + tl.arange(0, 3), m[..., -2])
    tl.store(out + 17 + tl.arange(0, 3)[:, None], m[:, k, None])


@triton.jit
def slices(x, out, i, j):
    v = tl.load(x + tl.arange(0, 24))
    m = v.reshape(4, 6)
    tl.store(out + tl.arange(0, 4), v[i:i + 4])
    tl.store(out + 4 + tl.arange(0, 4), v[i * 4:(i + 1) * 4])
    tl.store(out + 8 + tl.arange(0, 2), v[i + 5 - j:i + 7 - j])
    tl.store(out + 10 + tl.arange(0, 2)[:, None] * 3 + tl.arange(0, 3)[None, :], m[j:j + 2, i:3 + i])
    tl.store(out + 16 + tl.arange(0, 4), m[1:-1, i:i + 2].reshape(4))
    tl.store(out + 20 + tl.arange(0, 3), m[j + 1, 3:])
    four = 4
    tl.store(out + 23 + tl.arange(0, 4), v[four:2 * four])


@triton.jit
def gathered(x, n, out):
    v = tl.load(x + tl.arange(0, 12))
    m = v.reshape(3, 4)
    at = tl.load(n + tl.arange(0, 6))
    tl.store(out + tl.arange(0, 6), v[at])
    tl.store(out + 6 + tl.arange(0, 6), v[at.reshape(2, 3)].reshape(6))
    few = tl.load(n + 4 + tl.arange(0, 2)) // 4 + 1
    tl.static_assert(m[few].shape == (2, 4) and m[few, 1].shape == (2,) and m[:, few].shape == (3, 2))
    tl.store(out + 12 + tl.arange(0, 6), m[:, few].reshape(6))
    tl.store(out + 18 + tl.arange(0, 4), m[few - 1, 1:3].reshape(4))
    tl.store(out + 22 + tl.arange(0, 2), m[few - 1, 3])


@triton.jit
def put(x, out, i, k):
    v = tl.load(x + tl.arange(0, 8))
    y = tl.arange(0, 4) * 10 + 100
    o = tl.arange(0, 8)
    a = v
    a[5] = -1
    tl.store(out + o, a)
    b = v
    b[2:6] = y
    tl.store(out + 8 + o, b)
    c = v
    c[i:i + 4] = y + 0.5
    tl.store(out + 16 + o, c)
    v[k] = v[0]
    v[k] -= 2.5
    tl.store(out + 24 + o, v)
    v[:3] += 50
    v[i + 4:i + 6] *= v[k:k + 2]
    tl.store(out + 32 + o, v)
    v[:] = 1
    v[None, 6:] = y[None, :2]
    tl.store(out + 40 + o, v)


@triton.jit
def put_rows(x, out, k):
    m = tl.load(x + tl.arange(0, 12)).reshape(3, 4)
    o = tl.arange(0, 3)[:, None] * 4 + tl.arange(0, 4)[None, :]
    a = m
    a[:, k] = tl.arange(0, 3) - 5
    tl.store(out + o, a)
    a[k, :] = 77
    a[-1] += m[k]
    tl.store(out + 12 + o, a)
    m[k:k + 2, k + 1:k + 3] = -tl.arange(0, 2)[:, None]
    tl.store(out + 24 + o, m)
    m[0, k] = m[2, 2] + 1000
    tl.store(out + 36 + o, m)


@triton.jit
def last_of(v):
    v[0] = 9
    return v, v[-1]


@triton.jit
def in_loops(x, out):
    v = tl.load(x + tl.arange(0, 5))
    m = tl.load(x + tl.arange(0, 15)).reshape(3, 5)
    sums = tl.zeros([5], tl.float32)
    total = 0.0
    for i in range(5):
        total += v[i]
        sums[i] = total
        m[:, i] += tl.sum(m[:, i])
    tl.store(out + tl.arange(0, 5), sums)
    tl.store(out + 5 + tl.arange(0, 15), m.reshape(15))
    n = 4
    while n > 0:
        if v[n] > 2:
            v[n] = 0
        else:
            v[n:n + 1] = v[n - 1]
        n -= 1
    w, last = last_of(v)
    tl.store(out + 20 + tl.arange(0, 5), v)
    tl.store(out + 25 + tl.arange(0, 5), w)
    for i in tl.static_range(2):
        w[i] = last + i
    tl.store(out + 30 + tl.arange(0, 5), w)


# what is not there is 0, and is not put
@triton.jit
def beyond(x, out, k):
    v = tl.load(x + tl.arange(0, 5))
    o = tl.arange(0, 5)
    tl.store(out, v[k])
    tl.store(out + 1, v[-k + 4])
    tl.store(out + 3 + tl.arange(0, 3), v[k - 1:k + 2])
    tl.store(out + 6 + tl.arange(0, 3), v[k - 6:k - 3])
    w = v
    w[k] = 9
    tl.store(out + 9 + o, w)
    tl.store(out + 19 + o, v[o * 2 - 3])
    w[k - 2:k + 1] = 7
    w[k - 6:k - 4] = tl.arange(0, 2) + 30
    tl.store(out + 14 + o, w)


@triton.jit
def far(x, out, k, m, n):
    v = tl.load(x + tl.arange(0, 5))
    tl.store(out, v[k] + v[m] + v[n])
    tl.store(out + 1 + tl.arange(0, 3), v[k:k + 3] + v[m:m + 3] + v[n:n + 3])
    w = v
    w[k] = 9
    w[k:k + 3] = 8
    w[m:m + 3] = 7
    w[n:n + 3] = 6
    tl.store(out + 4 + tl.arange(0, 5), w)


@triton.jit
def bools(x, out, k):
    v = tl.load(x + tl.arange(0, 5)) > 0
    w = v
    w[k] = False
    w[1] = v[k]
    tl.store(out + tl.arange(0, 5), w.to(tl.int32))
    tl.store(out + 5 + tl.arange(0, 5), tl.where(v[k], 1, 2) + tl.arange(0, 5))


@triton.jit
def refused(x, i, j):
    v = tl.load(x + tl.arange(0, 12))
    m = v.reshape(3, 4)
    a = v[12]
    b = v[-13]
    c = m[0, 4]
    d = m[0, 1, 2]
    e = v[i:]
    f = v[:j]
    g = v[i:j]
    h = v[i:i + 13]
    k = v[i + 2:i]
    n = v[1.5]
    o = v[v]
    q = v[v > 0]
    r = m[tl.arange(0, 2), tl.arange(0, 2)]
    s = (x + tl.arange(0, 4))[i]
    t = v[i:i + 8:2]
    u = i[0]
    w = v[(1, 2)]


@triton.jit
def refused_targets(x, i):
    v = tl.load(x + tl.arange(0, 12))
    n = tl.arange(0, 4)
    t = (1, v)
    n[0] = 1.5
    n = tl.arange(0, 4)
    n[1] = tl.sum(v)
    m = v.reshape(3, 4)
    m[0] = v
    m = v.reshape(3, 4)
    m[0][1] = 2.0
    v[n] = 3.0
    t[0] = 1
    tl.exp(v)[0] = 3.0
    x[0] = 1.0
    i[0] = 3
    v[20] = 3.0
    v[i:] = 3.0
    unknown[0] = 1


@triton.jit
def known(x):
    v = tl.load(x + tl.arange(0, 6))
    tl.store(x, v[2])
    v[4:] = v[:2]
    tl.store(x + tl.arange(0, 6), v)
