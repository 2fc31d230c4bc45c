# run: words out:u32[8] out64:u64[4]
# run: keys out:u32[3]
# run: uniform out:fp32[12] seed:i64=123 wide:i64=5000000000
# run: seeds out:u32[8]
# lower: refused out:*fp32 x:fp32
"""R280 to R285: bit by bit."""
import triton
import triton.language as tl


@triton.jit
def keys(out):
    zero = tl.zeros((), tl.uint32)
    a, b, c, d = tl.philox_impl(zero, zero, zero, zero, 0, 0)
    tl.store(out, a)  # as of the seed 0
    tl.store(out + 1, d)
    w = tl.philox_impl(zero + 1, zero, zero, zero, 5, 1 << 31, n_rounds=7)
    same = tl.philox((1 << 63) + 5, zero + 1, zero, zero, zero, n_rounds=7)
    tl.store(out + 2, (w[0] == same[0]) & (w[3] == same[3]))


@triton.jit
def words(out, out64):
    zero = tl.zeros((), tl.int32)
    a, b, c, d = tl.randint4x(0, zero)
    tl.static_assert(a.dtype == tl.uint32)
    tl.store(out, a)
    tl.store(out + 1, b)
    tl.store(out + 2, c)
    tl.store(out + 3, d)
    tl.store(out + 4 + tl.arange(0, 3), tl.randint(7, tl.arange(0, 3)))
    tl.store(out + 7, tl.randint(7, zero + 2, n_rounds=10))
    z = tl.zeros((), tl.uint64)
    e, f, g, h = tl.philox(1, z, z, z, z)
    tl.store(out64, e)
    tl.store(out64 + 1, h)


@triton.jit
def uniform(out, seed, wide):
    tl.store(out, tl.rand(0, tl.zeros((), tl.int32)))
    tl.store(out + 1, tl.randn(0, tl.zeros((), tl.int32)))
    tl.store(out + 2, tl.rand(seed, wide))
    a, b, c, d = tl.rand4x(seed, wide)
    tl.store(out + 3, b)
    e, f, g, h = tl.randn4x(seed, tl.arange(0, 2))
    tl.store(out + 4 + tl.arange(0, 2), e)
    tl.store(out + 6 + tl.arange(0, 2), h)
    u = tl.uint_to_uniform_float(tl.full((), 0xFFFFFFFF, tl.uint32))
    tl.store(out + 8, u)
    x, y = tl.pair_uniform_to_normal(a, b)
    tl.store(out + 9, x * x + y * y)


@triton.jit
def seeds(out):
    """A seed for each element gives what each gives alone; shapes broadcast."""
    i = tl.arange(0, 4)
    tiles = tl.randint(i * 7, i)
    for k in range(4):
        one = tl.randint(k * 7, k)
        tl.store(out + k, tl.sum(tl.where(i == k, (tiles == one).to(tl.uint32), 0)))
    table = tl.randint(i[:, None], i[None, :])
    tl.static_assert(table.shape == [4, 4])
    two = tl.randint(2, tl.arange(0, 4))
    tl.store(out + 4 + i, tl.sum(tl.where(i[:, None] == 2, (table == two[None, :]).to(tl.uint32), 0), 0))


@triton.jit
def refused(out, x):
    a = tl.rand(x, 1)
    b = tl.rand(0, x)
    c = tl.randint(0, 1, n_rounds=1000)
