# lower: softmax p:*fp32
# run: kernel p:i32[12]=3,1,4,1,5,9,2,6,5,3,5,8 out:i32[40]
# run: floats p:fp32[6]=1.5,nan,-2,7,nan,0.5 out:fp32[16]
# run: dtypes out:i32[1] i8:i8=1 u8:u8=1 f16:fp16=1 bf16:bf16=1 i1:i1=1
# run: own p:fp32[8]=iota out:fp32[12]
# run: welford p:fp32[4]=1,2,3,6 out:fp32[3]
# run: eight out:i32[8]
# lower: refused p:*fp32
"""R250 to R253, R258."""
import triton
import triton.language as tl


@triton.jit
def softmax(p):
    x = tl.load(p + tl.arange(0, 3))
    z = tl.exp(x - tl.max(x, axis=0))
    tl.store(p + tl.arange(0, 3), z / tl.sum(z, 0))


@triton.jit
def kernel(p, out):
    x = tl.load(p + tl.arange(0, 12)).reshape(3, 4)
    tl.store(out, tl.sum(x))
    tl.store(out + 1 + tl.arange(0, 4), tl.sum(x, axis=0))
    tl.store(out + 5 + tl.arange(0, 3), tl.max(x, -1))
    tl.store(out + 8 + tl.arange(0, 3), x.min(1))
    tl.store(out + 11 + tl.arange(0, 3), tl.argmax(x, 1))
    tl.store(out + 14 + tl.arange(0, 4), tl.argmin(x, axis=0))
    tl.static_assert(tl.sum(x, 1, keep_dims=True).shape == (3, 1))
    tl.static_assert(tl.sum(x, keep_dims=True).shape == (1, 1))
    value, index = tl.max(x, 1, return_indices=True)
    tl.store(out + 18 + tl.arange(0, 3), value * 100 + index)
    tl.store(out + 21, tl.xor_sum(x.reshape(12), 0))
    tl.store(out + 22 + tl.arange(0, 4), tl.reduce_or(x, 0))
    tl.store(out + 26 + tl.arange(0, 3), x.argmax(axis=1, keep_dims=True).reshape(3))


@triton.jit
def floats(p, out):
    x = tl.load(p + tl.arange(0, 6))
    tl.store(out, tl.max(x, 0))
    tl.store(out + 1, tl.argmax(x, 0))
    tl.store(out + 2, tl.argmin(x, 0))
    nan = tl.where(x == x, float("nan"), float("nan"))
    tl.store(out + 3, tl.argmax(nan, 0))
    tl.store(out + 4, tl.max(nan, 0))
    y = tl.where(x == x, x, 0.0)
    tl.store(out + 5 + tl.arange(0, 6), tl.softmax(y))
    tl.store(out + 11 + tl.arange(0, 3), tl.sum(tl.softmax(y.reshape(3, 2), 1), 1))


@triton.jit
def dtypes(out, i8, u8, f16, bf16, i1):
    n: tl.constexpr = (4,)
    tl.static_assert(tl.sum(tl.full(n, i8, tl.int8)).dtype == tl.int32)
    tl.static_assert(tl.sum(tl.full(n, u8, tl.uint8)).dtype == tl.uint32)
    tl.static_assert(tl.sum(tl.full(n, i1, tl.int1)).dtype == tl.uint32)
    tl.static_assert(tl.sum(tl.full(n, f16, tl.float16)).dtype == tl.float16)
    tl.static_assert(tl.sum(tl.full(n, bf16, tl.bfloat16)).dtype == tl.bfloat16)
    tl.static_assert(tl.sum(tl.full(n, f16, tl.float16), dtype=tl.float32).dtype == tl.float32)
    tl.static_assert(tl.max(tl.full(n, u8, tl.uint8)).dtype == tl.int32)
    tl.static_assert(tl.max(tl.full(n, f16, tl.float16)).dtype == tl.float32)
    tl.static_assert(tl.max(tl.full(n, bf16, tl.bfloat16), 0, return_indices=True)[0].dtype == tl.float32)
    tl.static_assert(tl.max(tl.full(n, f16, tl.float16), 0, True)[0].dtype == tl.float16)
    tl.static_assert(tl.argmax(tl.full(n, f16, tl.float16), 0).dtype == tl.int32)
    tl.static_assert(tl.cumsum(tl.full(n, bf16, tl.bfloat16)).dtype == tl.float32)
    tl.static_assert(tl.cumsum(tl.full(n, i8, tl.int8)).dtype == tl.int32)
    tl.static_assert(tl.cumprod(tl.full(n, i8, tl.int8)).dtype == tl.int8)
    tl.store(out, 1)


@triton.jit
def product(a, b):
    return a * b


@triton.jit
def larger(a, i, b, j):
    first = (a > b) | ((a == b) & (i < j))
    return tl.where(first, a, b), tl.where(first, i, j)


@triton.jit
def own(p, out):
    x = tl.load(p + tl.arange(0, 8))
    tl.store(out, tl.reduce(x + 1, 0, product))
    value, index = tl.reduce((x, tl.arange(0, 8)), 0, larger)
    tl.store(out + 1, value)
    tl.store(out + 2, index)
    tl.store(out + 3, tl.reduce(x.reshape(2, 4), None, tl.maximum))
    tl.store(out + 4 + tl.arange(0, 2), x.reshape(2, 4).reduce(1, product))
    tl.store(out + 6, tl.sum(tl.reduce(x.reshape(2, 4), 1, product, keep_dims=True)))


@triton.jit
def combine(mean_a, m2_a, n_a, mean_b, m2_b, n_b):
    delta = mean_b - mean_a
    n = n_a + n_b
    return mean_a + delta * n_b / n, m2_a + m2_b + delta * delta * n_a * n_b / n, n


@triton.jit
def welford(p, out):
    x = tl.load(p + tl.arange(0, 4))
    mean, m2, n = tl.reduce((x, tl.zeros_like(x), tl.full((4,), 1.0, tl.float32)), 0, combine)
    tl.store(out, mean)
    tl.store(out + 1, m2)
    tl.store(out + 2, n)


@triton.jit
def half(a, b):
    return (a + b).to(tl.float16)


@triton.jit
def eight_sums(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p):
    return a + i, b + j, c + k, d + l, e + m, f + n, g + o, h + p


@triton.jit
def eight(out):
    x = tl.arange(0, 5)
    tiles = (x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7)
    sums = tl.reduce(tiles, 0, eight_sums)
    for i in tl.static_range(8):
        tl.store(out + i, sums[i])


@triton.jit
def refused(p):
    x = tl.load(p + tl.arange(0, 8))
    a = tl.sum(x, 1)
    b = tl.argmax(x, None)
    c = tl.xor_sum(x)
    d = tl.sum(p, 0)
    e = tl.reduce(x, 0, larger)
    f = tl.reduce(x, 0, half)
    g = tl.reduce((x, x.reshape(2, 4)), 0, larger)
    h = tl.sum(1.0, 0)
    i = tl.cumsum(x, axis=None)
    j = tl.reduce(x, 0, combine_function)
    k = tl.sort(x)
    m = tl.reduce((x,) * 9, 0, larger)
    n = tl.associative_scan((x,) * 9, 0, larger)
