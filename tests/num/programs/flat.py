"""Kernels on flat indices, whose rows and columns are quotients: as compilers write them, and people
who count on one grid for arrays of any rank."""
import triton
import triton.language as tl


@triton.jit
def batch_norm(x, out, mean, scale, n, C, HW, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offs < n
    c = (offs // HW) % C
    v = tl.load(x + offs, mask=inside).to(tl.float32)
    y = (v - tl.load(mean + c, mask=inside)) * tl.load(scale + c, mask=inside, other=1.0)
    tl.store(out + offs, tl.maximum(y, 0.0, propagate_nan=tl.PropagateNan.ALL), mask=inside)


@triton.jit
def pad(in_ptr0, out_ptr0, xnumel, H: tl.constexpr, W: tl.constexpr, P: tl.constexpr,
        XBLOCK: tl.constexpr):
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = (xindex // (W + 2 * P)) % (H + 2 * P)
    x0 = xindex % (W + 2 * P)
    x2 = xindex // ((W + 2 * P) * (H + 2 * P))
    tmp0 = (-P) + x1
    tmp1 = tl.full([1], 0, tl.int64)
    tmp3 = tl.full([1], H, tl.int64)
    tmp5 = (-P) + x0
    tmp7 = tl.full([1], W, tl.int64)
    tmp10 = (tmp0 >= tmp1) & (tmp0 < tmp3) & (tmp5 >= tmp1) & (tmp5 < tmp7)
    tmp11 = tl.load(in_ptr0 + (tmp5 + W*tmp0 + H*W*x2), tmp10 & xmask, other=0.5)
    tl.store(out_ptr0 + xindex, tmp11, xmask)


@triton.jit
def swap_heads(in_ptr0, out_ptr0, xnumel, ks0, ks1, ks2, stride, XBLOCK: tl.constexpr):
    """[batch, ks2, ks1, ks0], whose last but one rows lie `stride` apart, to [batch, ks1, ks2, ks0]."""
    xindex = tl.program_id(0).to(tl.int64) * XBLOCK + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex % ks0
    x1 = (xindex // ks0) % ks2
    x2 = (xindex // (ks0*ks2)) % ks1
    x3 = xindex // (ks0*ks1*ks2)
    tmp0 = tl.load(in_ptr0 + (x0 + stride*(x2 + ks1*(x1 + ks2*x3))), xmask)
    tl.store(out_ptr0 + xindex, tmp0, xmask)


@triton.jit
def concatenate(in_ptr0, in_ptr1, out_ptr0, xnumel, A: tl.constexpr, B: tl.constexpr,
                XBLOCK: tl.constexpr):
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex % (A + B)
    x1 = xindex // (A + B)
    tmp3 = tl.full([1], A, tl.int64)
    tmp4 = x0 < tmp3
    tmp5 = tl.load(in_ptr0 + (A*x1 + x0), tmp4 & xmask, other=0.0)
    tmp6 = x0 >= tmp3
    tmp9 = tl.load(in_ptr1 + (B*x1 + ((-A) + x0)), tmp6 & xmask, other=0.0)
    tmp10 = tl.where(tmp4, tmp5, tmp9)
    tl.store(out_ptr0 + xindex, tmp10, xmask)


@triton.jit
def channel_sums(in_ptr0, out_ptr0, out_ptr1, xnumel, rnumel, HW, XBLOCK: tl.constexpr,
                 RBLOCK: tl.constexpr):
    """Of each channel of [images, channels, HW] the sum, and where its greatest element is."""
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    total = tl.full([XBLOCK, RBLOCK], 0, tl.float32)
    best = tl.full([XBLOCK], float("-inf"), tl.float32)
    where = tl.full([XBLOCK], 0, tl.int32)
    for roffset in range(0, rnumel, RBLOCK):
        rindex = roffset + tl.arange(0, RBLOCK)[None, :]
        rmask = rindex < rnumel
        r1 = rindex % HW
        r2 = rindex // HW
        v = tl.load(in_ptr0 + (r1 + HW*xindex + HW*xnumel*r2), rmask & xmask, other=float("-inf"))
        total = tl.where(rmask & xmask, total + v, total)
        most, at = tl.max(v, 1, return_indices=True)
        where = tl.where(most > best, at + roffset, where)
        best = tl.maximum(most, best)
    tl.store(out_ptr0 + xindex, tl.sum(total, 1)[:, None], xmask)
    tl.store(out_ptr1 + xindex, where[:, None], xmask)


@triton.jit
def image_rows(x, out, n, C, H, W, sums, BLOCK: tl.constexpr):
    """Quotients of what remains, backwards in each row; sums of what a program has stored."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    rest = i % (C * H * W)
    image = i // (C * H * W)
    c = rest // (H * W)
    hw = rest % (H * W)
    src = ((image * C + (C - 1 - c)) * H + hw // W) * W + (W - 1 - hw % W)
    v = tl.load(x + src, mask=i < n, other=0)
    tl.store(out + i, v, mask=i < n)
    tl.store(sums + tl.program_id(0), tl.sum(v.to(tl.int32), 0))


@triton.jit
def rotate_halves(x, out, low, high, stride, H: tl.constexpr, D: tl.constexpr):
    """(x, y) to (-y, x), and to two arrays, with a half of each row off in each access."""
    row = tl.program_id(0)
    cols = tl.arange(0, D)
    first = cols < H
    y = tl.load(x + row * stride + cols + H, mask=first, other=0.0)
    z = tl.load(x + row * stride + (cols - H), mask=cols >= H, other=0.0)
    v = tl.where(first, -y, z)
    tl.store(out + row * D + cols, v)
    tl.store(low + row * H + cols, v, mask=first)
    tl.store(high + row * (D - H) + (cols - H), v, mask=H <= cols)


@triton.jit
def outer_sums(in_ptr0, out_ptr0, out_ptr1, xnumel, rnumel, ks0, XBLOCK: tl.constexpr,
               RBLOCK: tl.constexpr):
    """[B, rnumel, ks0] summed over its middle, whose neighbours lie along the other dimension."""
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    x0 = xindex % ks0
    x1 = xindex // ks0
    rindex = tl.arange(0, RBLOCK)[None, :]
    mask = (rindex < rnumel) & xmask
    v = tl.load(in_ptr0 + (x0 + ks0*rindex + ks0*rnumel*x1), mask, other=0.0)
    most = tl.where(mask, v, float("-inf"))
    tl.store(out_ptr0 + xindex, tl.sum(v, 1)[:, None], xmask)
    tl.store(out_ptr1 + xindex, tl.max(most, 1)[:, None], xmask)


@triton.jit
def halves_of_offsets(x, out, numbers, n):
    """Offsets that begin with each program at another 2**20, each taken for two lanes."""
    row = tl.program_id(0)
    cols = tl.arange(0, 64)
    at = row * 1048576 + cols
    v = tl.load(x + at // 2, mask=(at >= 0) & (at < n), other=7)
    tl.store(out + row * 64 + cols, v)
    tl.store(numbers + row * 64 + cols, at // 2 + at % 3)


@triton.jit
def chains(x, y, out, n, scale, BLOCK: tl.constexpr):
    """One op after the other in the arrays' own type, each rounded to it."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    a = tl.load(x + at, mask=inside, other=2.5)
    b = tl.load(y + at * 3, mask=inside, other=-1)
    c = scale.to(a.dtype)
    tl.store(out + at, a + b * c - a, mask=inside)
    tl.store(out + n + at, tl.where(a < b, a * c, -b), mask=inside)
    tl.store(out + 2 * n + at, tl.maximum(tl.minimum(a + b, c), a * b), mask=inside)
    tl.store(out + 3 * n + at, tl.abs(a) * b + a * c - 1, mask=inside)
    tl.store(out + 4 * n + at, tl.where((a == b) | (a != a), b + c, a), mask=inside)
    tl.store(out + 5 * n + at, tl.maximum(a, b), mask=inside)
    tl.store(out + 6 * n + at, a - b, mask=inside)


@triton.jit
def picked_rows(out, table, index, lengths, n, N, stride, BLOCK: tl.constexpr):
    """Rows of a table, of which each has a length of its own; the number of the row is only there
    where the mask is, and so is the length."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    row = tl.load(index + i // N, mask=inside, other=-7)
    length = tl.load(lengths + i // N, mask=inside, other=0)
    some = inside & (i % N < length)
    x = tl.load(table + row * stride + i % N, mask=some, other=3)
    tl.store(out + i, x, mask=inside)


@triton.jit
def added_rows(out, x, index, n, N, stride, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    row = tl.load(index + i // N, mask=inside, other=1 << 30)
    tl.atomic_add(out + row * stride + i % N, tl.load(x + i, mask=inside), mask=inside, sem="relaxed")


@triton.jit
def unmasked_numbers(out, numbers, index, n, N, BLOCK: tl.constexpr):
    """One of two stores has no mask, so what is loaded under one is not the same for all of a row."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row = tl.load(index + i // N, mask=i < n, other=-7)
    tl.store(numbers + i, row)
    tl.store(out + i, row + i % N, mask=i < n)


@triton.jit
def turned_in(out, x, m, N, pitch, BLOCK: tl.constexpr):
    """A transpose, by the elements that are read; the grid may be too short for all, or too long."""
    i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = i < m * N
    tl.store(out + i % N * pitch + i // N, tl.load(x + i, mask=inside) + 1, mask=inside)


@triton.jit
def turned_out(out, x, m, N, pitch, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK) + BLOCK * tl.program_id(0)
    wide = i.to(tl.int64)
    tl.store(out + wide, tl.load(x + (wide % m) * pitch + wide // m, mask=i < m * N, other=7), mask=wide < m * N)


@triton.jit
def channels_last(out, x, n, C, H, W, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    c, w, h, b = i % C, i // C % W, i // (C * W) % H, i // (C * W * H)
    v = tl.load(x + ((b * C + c) * H + h) * W + w, mask=i < n)
    tl.store(out + i, tl.where(h < w, v, c.to(v.dtype)), mask=i < n)


@triton.jit
def channels_first(out, x, n, C, H, W, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    c, w, h, b = i % C, (i // C) % W, (i // C // W) % H, i // C // W // H
    tl.store(out + b * (C * H * W) + c * (H * W) + h * W + w, tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def packed(out, x, plane, n, N: tl.constexpr, BLOCK: tl.constexpr):
    """Planes as records of N fields; a last one is only begun where N does not divide n."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i % N * plane + i // N, mask=i < n, other=3)
    tl.store(out + i, tl.where(i // N % 5 == i % N, (i % 64).to(v.dtype), v), mask=i < n)


@triton.jit
def turned_records(out, x, n, N: tl.constexpr, BLOCK: tl.constexpr):
    """The fields of each record from the last to the first, and the first one added."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    first = i // N * N
    tl.store(out + i, tl.load(x + first + (N - 1 - i % N), mask=i < n) + tl.load(x + first, mask=i < n), mask=i < n)


@triton.jit
def planar(out, x, n, N: tl.constexpr, BLOCK: tl.constexpr):
    """Records of N fields, of several images, as planes."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    c, p, b = i % N, i // N % n, i // (N * n)
    all = n * N * 2
    tl.store(out + (b * N + c) * n + p, tl.load(x + i, mask=i < all), mask=i < all)


@triton.jit
def largest_near(out, x, B, H, W, R: tl.constexpr, BLOCK: tl.constexpr):
    """Maxima of windows of several images."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    r, c = i // W % H, i % W
    inside = i < B * H * W
    best = tl.load(x + i, mask=inside)
    for dy in tl.static_range(-R, R + 1):
        for dx in tl.static_range(-R, R + 1):
            there = (r + dy >= 0) & (r + dy < H) & (c + dx >= 0) & (c + dx < W) & inside
            best = tl.maximum(best, tl.load(x + i + dy * W + dx, mask=there, other=0))
    tl.store(out + i, best, mask=inside)


@triton.jit
def smoothed(out, x, H, W, BLOCK: tl.constexpr):
    """A window of sums whose edges are clamped."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    r, c = i // W, i % W
    total = tl.zeros((BLOCK,), tl.float32)
    for dy in tl.static_range(-1, 2):
        for dx in tl.static_range(-1, 2):
            y = tl.minimum(tl.maximum(r + dy, 0), H - 1)
            z = tl.minimum(tl.maximum(c + dx, 0), W - 1)
            total += tl.load(x + y * W + z)
    tl.store(out + i, total, mask=i < H * W)


@triton.jit
def shifted_in_place(x, n, N, BLOCK: tl.constexpr):
    """What is stored is read, too: programs keep their elements."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i % N * N + i // N, mask=i < n)
    tl.store(x + i % N * N + i // N, v * 2, mask=i < n)
