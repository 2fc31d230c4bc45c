# lower: told x:*fp32 o:*fp32 n:i32 B=16
# lower: told_of_integers x:*i32 o:*i32 n:i32 B=16
# lower: told_of_rows x:*fp32 o:*fp32 m:i32 n:i32 B=16
# lower: quiet x:*fp32 o:*fp32 n:i32 scale:fp32 B=16
# lower: quiet_of_integers x:*i32 o:*i32 n:i32 B=16
# lower: quiet_of_rows x:*fp32 o:*fp32 m:i32 n:i32 B=16
# lower: told_of_filled x:*fp32 o:*fp32 n:i32 B=16
# lower: told_of_counts x:*i32 o:*i32 n:i32 B=16
# lower: quiet_of_rounding_up x:*i32 o:*i32 n:i32 k:i32 B=16
# lower: quiet_of_parts x:*fp32 o:*fp32 n:i32 B=16
# lower: told_of_parts x:*fp32 o:*fp32 n:i32 B=16
# lower: quiet_of_sums_kept x:*fp32 y:*fp32 o:*fp32 m:i32 n:i32 B=16
# lower: told_of_sums_kept x:*fp32 o:*fp32 m:i32 n:i32 B=16
# lower: told_of_rounding x:*i32 o:*i32 n:i32 k:i32 B=16
# lower: quiet_of_filled x:*fp32 o:*fp32 n:i32 B=16
# lower: quiet_of_counts x:*i32 o:*i32 n:i32 B=16
# lower: told_of_others x:*fp32 at:*i32 o:*fp32 n:i32 B=16
# lower: quiet_of_others x:*fp32 at:*i32 o:*fp32 n:i32 B=16
# Lanes that the mask of a load leaves out, followed to the reductions that count them.
import triton
import triton.language as tl


@triton.jit
def told(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    tl.store(o, tl.max(-v))
    tl.store(o, tl.min(tl.abs(v)))
    tl.store(o, tl.max(tl.exp(v)))
    tl.store(o, tl.sum(tl.exp(v)))
    tl.store(o, tl.sum(tl.exp(v - tl.max(tl.abs(v)))))
    mean = tl.sum(v) / n
    tl.store(o, tl.sum((v - mean) * (v - mean)))
    tl.store(o, tl.sum(tl.where(v > -1.0, 1.0, 0.0)))
    tl.store(o, tl.sum((v == 0).to(tl.float32)))
    tl.store(o, tl.argmax(v, axis=0))
    tl.store(o, tl.argmin(v.to(tl.float16), axis=0))
    value, index = tl.max(v * 2, axis=0, return_indices=True)
    tl.store(o, value)
    w = tl.load(x + i, mask=i < n, other=1.0)
    tl.store(o, tl.sum(v + w))


@triton.jit
def told_of_integers(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    tl.store(o, tl.sum(v + 1))
    tl.store(o, tl.min(v * v))
    tl.store(o, tl.sum((~v) & 255))


@triton.jit
def told_of_rows(x, o, m, n, B: tl.constexpr):
    r = tl.arange(0, B)[:, None]
    c = tl.arange(0, B)[None, :]
    v = tl.load(x + r * n + c, mask=(r < m) & (c < n))
    tl.store(o + tl.arange(0, B), tl.sum(tl.exp(v), axis=1))
    tl.store(o + tl.arange(0, B), tl.max(v - 1.0, axis=0))


@triton.jit
def quiet(x, o, n, scale, B: tl.constexpr):
    i = tl.arange(0, B)
    inside = i < n
    v = tl.load(x + i, mask=inside)
    tl.store(o, tl.sum(v))
    tl.store(o, tl.sum(v * v * scale))
    tl.store(o, tl.sum(tl.abs(-v)))
    tl.store(o, tl.max(v * v))
    tl.store(o, tl.max(tl.sqrt(tl.abs(v))))
    tl.store(o, tl.sum(tl.where(inside, tl.exp(v), 0.0)))
    tl.store(o, tl.sum(tl.where(i < n, v - scale, 0.0)))
    tl.store(o, tl.sum(tl.where(inside & (i > 2), v + 1, 0)))
    tl.store(o, tl.max(tl.where(inside, -v, -float("inf"))))
    tl.store(o, tl.max(tl.where(inside, -v, -1.0e9)))
    tl.store(o, tl.sum(tl.exp(tl.where(inside, v, -float("inf")) - scale)))
    tl.store(o, tl.sum(tl.exp(tl.load(x + i, mask=inside, other=-float("inf")) - scale)))
    tl.store(o, tl.sum(tl.where(v > 0, 1.0, 0.0)))
    tl.store(o, tl.sum(tl.exp(v) * inside))
    w = tl.load(x + i, mask=inside, other=0.0)
    tl.store(o, tl.sum(v + w))
    tl.store(o, tl.sum(v * tl.load(x + i)))
    tl.store(o, tl.sum(tl.exp(tl.load(x + i, mask=True))))
    mask = (i < n) & (i > 1)
    tl.store(o, tl.sum(tl.where(mask, tl.load(x + i, mask=mask) + 1, 0)))


@triton.jit
def quiet_of_integers(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    tl.store(o, tl.sum(v & 1))
    tl.store(o, tl.max(v * v))
    tl.store(o, tl.sum((v != 0).to(tl.int32)))
    tl.store(o, tl.max(v.to(tl.uint32)))
    tl.store(o, tl.sum(v << 3))


@triton.jit
def quiet_of_rows(x, o, m, n, B: tl.constexpr):
    """Rows that are left out as a whole give results that nobody stores."""
    r = tl.arange(0, B)
    c = tl.arange(0, B)
    v = tl.load(x + r[:, None] * n + c[None, :], mask=(r < m)[:, None])
    tl.store(o + r, tl.sum(tl.exp(v), axis=1), mask=r < m)
    tl.store(o + r, tl.max(v, axis=1), mask=r < m)
    one = tl.load(x + r, mask=r < m)
    tl.store(o + r, tl.sum(tl.exp(one)[:, None] * c[None, :], axis=1), mask=r < m)


@triton.jit
def told_of_filled(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    mean = tl.sum(v) / n
    tl.store(o, tl.sum((v - mean) * (v - mean)) / n)
    tl.store(o, tl.sum(tl.exp(v)))
    acc = tl.zeros((B,), tl.float32)
    for start in range(0, n, B):
        d = tl.load(x + start + i, mask=start + i < n, other=0.0) - mean
        acc += d * d
    tl.store(o, tl.sum(acc, axis=0))


@triton.jit
def told_of_counts(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, tl.histogram(tl.load(x + i, mask=i < n), B))
    tl.store(o + i, tl.histogram(tl.load(x + i, mask=i < n, other=0) + 3, B))


@triton.jit
def quiet_of_filled(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    inside = i < n
    v = tl.load(x + i, mask=inside, other=0.0)
    mean = tl.sum(v) / n
    d = tl.where(inside, v - mean, 0.0)
    tl.store(o, tl.sum(d * d) / n)
    tl.store(o, tl.sum(v * v))
    tl.store(o, tl.max(v - mean))
    tl.store(o, tl.max(tl.where(inside, tl.abs(tl.load(x + i, mask=inside) * mean), 0.0)))
    tl.store(o, tl.sum(tl.exp(tl.load(x + i, mask=inside, other=-float("inf")) - mean)))
    tl.store(o, tl.sum((v - mean) * tl.load(x + i, mask=inside, other=0.0)))
    acc = tl.zeros((B,), tl.float32)
    for start in range(0, n, B):
        d = tl.load(x + start + i, mask=start + i < n, other=0.0) - mean
        acc += tl.where(start + i < n, d * d, 0.0)
    tl.store(o, tl.sum(acc, axis=0))


@triton.jit
def quiet_of_counts(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    tl.store(o + i, tl.histogram(v, B, mask=i < n))
    tl.store(o + i, tl.histogram(tl.where(i < n, v, B), B))
    tl.store(o + i, tl.histogram(tl.load(x + i, mask=i < n, other=-1), B))
    parts = tl.histogram(tl.load(x + i, mask=i < n, other=B - 1), B)
    tl.store(o + i, tl.where(i < B - 1, parts, 0))


@triton.jit
def multiply(a, b):
    return a * b


@triton.jit
def told_of_others(x, at, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    tl.store(o, tl.reduce(v, 0, multiply))
    tl.store(o, tl.reduce(tl.load(x + i, mask=i < n, other=0.0), 0, multiply))
    tl.store(o + i, tl.sort(v))
    tl.store(o + i, tl.sort(v, descending=True))
    b = tl.load(at + i, mask=i < n, other=0)
    tl.atomic_add(o + b, 1.0)


@triton.jit
def quiet_of_others(x, at, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    inside = i < n
    v = tl.load(x + i, mask=inside, other=1.0)
    tl.store(o, tl.reduce(v, 0, multiply))
    tl.store(o + i, tl.sort(v))
    tl.store(o + i, tl.sort(tl.abs(tl.load(x + i, mask=inside)), descending=True))
    b = tl.load(at + i, mask=inside, other=0)
    tl.atomic_add(o + b, 1.0, mask=inside)
    tl.atomic_add(o + b, tl.load(x + i, mask=inside, other=0.0))
    tl.atomic_add(o + i, tl.load(x + i, mask=inside, other=0.0) + 1.0)


# how many parts of k there are in each: none in what is left out
@triton.jit
def quiet_of_rounding_up(x, o, n, k, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.store(o, tl.sum((v + k - 1) // k))
    tl.store(o, tl.sum((v + (k - 1)) // k))
    tl.store(o, tl.sum(tl.cdiv(tl.where(i < n, v + 1, 0), k)))


@triton.jit
def told_of_rounding(x, o, n, k, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.store(o, tl.sum((v + k) // k))
    tl.store(o, tl.sum((v + k - 1) // n))


# rows that are loaded or left out as a whole, and what a reshape makes of them
@triton.jit
def quiet_of_parts(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    j = tl.arange(0, 12)
    v = tl.exp(tl.reshape(tl.load(x + i[:, None] * 12 + j[None, :], mask=i[:, None] < n, other=0.0), (B, 3, 4)))
    tl.store(o + i[:, None] * 4 + tl.arange(0, 4), tl.sum(v, 1), mask=i[:, None] < n)
    tl.store(o + i[:, None] * 3 + tl.arange(0, 3)[None, :], tl.sum(v, 2), mask=i[:, None] < n)


@triton.jit
def told_of_parts(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    j = tl.arange(0, 12)
    v = tl.exp(tl.load(x + i[:, None] * 12 + j[None, :], mask=j[None, :] < n, other=0.0))
    tl.store(o, tl.sum(tl.sum(tl.reshape(v, (B, 3, 4)), 1)))
    v = tl.exp(tl.load(x + i[:, None] * 12 + j[None, :], mask=i[:, None] < n, other=0.0))
    tl.store(o, tl.sum(tl.sum(tl.reshape(v, (4, 48)), 1)))


# sums that keep the dimension along which lanes are left out: zeros there, as what they are made of
@triton.jit
def quiet_of_sums_kept(x, y, o, m, n, B: tl.constexpr):
    i = tl.arange(0, B)
    j = tl.arange(0, B)
    inside = (i[:, None] < m) & (j[None, :] < n)
    matrix = tl.load(x + i[:, None] * n + j[None, :], mask=inside, other=0.0)
    vector = tl.load(y + i, mask=i < m, other=0.0)
    rest = vector - tl.sum(matrix * 2.0, axis=1)
    tl.store(o, tl.sum(rest * rest))
    tl.store(o + 1, tl.sum(tl.sum(matrix, axis=0) * 3.0))
    parts = tl.load(x + i[:, None, None] * n + j[None, :, None] * 4 + tl.arange(0, 4),
                    mask=(i[:, None, None] < m) & (j[None, :, None] < n), other=0.0)
    sums = tl.reshape(tl.sum(parts * 2.0, axis=2) + matrix, (B, B))
    tl.store(o + i, tl.sum(sums * sums, axis=1), mask=i < m)


# means that are the same in what is left out
@triton.jit
def told_of_sums_kept(x, o, m, n, B: tl.constexpr):
    i = tl.arange(0, B)
    j = tl.arange(0, B)
    inside = (i[:, None] < m) & (j[None, :] < n)
    v = tl.load(x + i[:, None] * n + j[None, :], mask=inside, other=0.0)
    centred = v - tl.sum(v, axis=1)[:, None] / n
    tl.store(o + i, tl.sum(centred * centred, axis=1), mask=i < m)
    tl.store(o, tl.sum(centred * centred))
    centred = v - tl.sum(v, axis=0, keep_dims=True) / m
    tl.store(o + j, tl.sum(centred * centred, axis=0), mask=j < n)
