"""Tiles of odd shapes in and out of memory: every type, mask, stride and permutation; atomics."""

import triton
import triton.language as tl


@triton.jit
def _cast(to, x, at, inside):
    if to is not None:
        tl.store(to + at, x.to(to.dtype.element_ty), mask=inside)


@triton.jit
def cast_all(x_ptr, i8, i16, i32, i64, u8, u16, u32, u64, fp16, bf16, fp32, fp64, fp8e4nv, fp8e5, n,
             BLOCK: tl.constexpr):
    """One array into arrays of all types that it can be cast to; the others are None."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    _cast(i8, x, at, at < n)
    _cast(i16, x, at, at < n)
    _cast(i32, x, at, at < n)
    _cast(i64, x, at, at < n)
    _cast(u8, x, at, at < n)
    _cast(u16, x, at, at < n)
    _cast(u32, x, at, at < n)
    _cast(u64, x, at, at < n)
    _cast(fp16, x, at, at < n)
    _cast(bf16, x, at, at < n)
    _cast(fp32, x, at, at < n)
    _cast(fp64, x, at, at < n)
    _cast(fp8e4nv, x, at, at < n)
    _cast(fp8e5, x, at, at < n)


@triton.jit
def copy_masked(x_ptr, mask_ptr, other_ptr, y_ptr, n, BLOCK: tl.constexpr):
    """Where the mask in memory says so x, elsewhere the other, tile by tile."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    mask = tl.load(mask_ptr + at, mask=inside, other=False)
    other = tl.load(other_ptr + at, mask=inside)
    x = tl.load(x_ptr + at, mask=mask, other=other)
    tl.store(y_ptr + at, x, mask=inside)


@triton.jit
def flags(x_ptr, y_ptr, over_ptr, both_ptr, count_ptr, M: tl.constexpr, N: tl.constexpr, limit):
    """Tiles of truth values: made, stored, loaded back through a transposed view, counted."""
    m, n = tl.arange(0, M), tl.arange(0, N)
    at = m[:, None] * N + n[None, :]
    over = tl.load(x_ptr + at) > limit
    tl.store(over_ptr + at, over)
    tl.debug_barrier()
    turned = tl.load(over_ptr + n[None, :] * 1 + m[:, None] * N)
    under = tl.load(y_ptr + at) < limit
    tl.store(both_ptr + at, turned & ~under | (turned ^ over))
    tl.store(count_ptr + m, tl.sum(turned.to(tl.int32), axis=1))
    some = tl.max(over.to(tl.int32), axis=0) > 0
    tl.store(count_ptr + M + n, some)


@triton.jit
def rearrange(x_ptr, y_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, P: tl.constexpr,
              Q: tl.constexpr, R: tl.constexpr):
    """y = x permuted by (P, Q, R), stored as it lies."""
    at = (tl.arange(0, A)[:, None, None] * B + tl.arange(0, B)[None, :, None]) * C \
        + tl.arange(0, C)[None, None, :]
    y = tl.permute(tl.load(x_ptr + at), (P, Q, R))
    tl.store(y_ptr + tl.arange(0, A * B * C), tl.reshape(y, [A * B * C]))


@triton.jit
def spread(x_ptr, y_ptr, a_ptr, b_ptr, c_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    """y = x + a along axis 0 + b along axis 1 + c along axis 2, and sums of spread rows back."""
    a, b, c = tl.arange(0, A), tl.arange(0, B), tl.arange(0, C)
    at = (a[:, None, None] * B + b[None, :, None]) * C + c[None, None, :]
    x = tl.load(x_ptr + at)
    x += tl.load(a_ptr + a)[:, None, None]
    x += tl.expand_dims(tl.load(b_ptr + b), 1)
    x += tl.load(c_ptr + c)
    pair = tl.load(a_ptr + a)[:, None] * tl.load(b_ptr + b)[None, :]
    x += tl.broadcast_to(pair[:, :, None], (A, B, C))
    row = tl.broadcast_to(tl.load(c_ptr + c)[None, :], (A, C))
    x += row[:, None, :] + tl.max(row, axis=0)
    tl.store(y_ptr + at, x)


@triton.jit
def four_axes(x_ptr, y_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, D: tl.constexpr):
    """Space to depth: [A, B, C, D] to [B, D, A, C], plus sums along the two middle axes."""
    at = tl.arange(0, A)[:, None, None, None] * (B * C * D) \
        + tl.arange(0, B)[None, :, None, None] * (C * D) \
        + tl.arange(0, C)[None, None, :, None] * D + tl.arange(0, D)[None, None, None, :]
    x = tl.load(x_ptr + at)
    middle = tl.sum(tl.sum(x, axis=2), axis=1)
    x += middle[:, None, None, :]
    y = tl.permute(x, (1, 3, 0, 2))
    to = tl.arange(0, B)[:, None, None, None] * (D * A * C) \
        + tl.arange(0, D)[None, :, None, None] * (A * C) \
        + tl.arange(0, A)[None, None, :, None] * C + tl.arange(0, C)[None, None, None, :]
    tl.store(y_ptr + to, y)


@triton.jit
def view(x_ptr, y_ptr, m, n, stride_xm, stride_xn, stride_ym, stride_yn, M: tl.constexpr,
         N: tl.constexpr):
    """y = 2 x + 1 for any strides, negative ones too."""
    rows = tl.program_id(0) * M + tl.arange(0, M)[:, None]
    columns = tl.program_id(1) * N + tl.arange(0, N)[None, :]
    inside = (rows < m) & (columns < n)
    x = tl.load(x_ptr + rows * stride_xm + columns * stride_xn, mask=inside)
    tl.store(y_ptr + rows * stride_ym + columns * stride_yn, x * 2 + 1, mask=inside)


@triton.jit
def grouped(x_ptr, scale_ptr, y_ptr, n, back, SHARE: tl.constexpr, GROUP: tl.constexpr,
            BLOCK: tl.constexpr):
    """Neighbours that read one element: of SHARE each, and of GROUP; `back` elements in front of 0
    there is something as well, for which `//` rounds the other way."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i // SHARE, mask=i < n, other=-1)
    scale = tl.load(scale_ptr + i // GROUP, mask=i < n, other=0)
    before = tl.load(x_ptr + (i - back) // SHARE + back // SHARE, mask=i < n, other=0)
    tl.store(y_ptr + i, x * scale + before, mask=i < n)


@triton.jit
def embedding(table_ptr, index_ptr, out_ptr, gradient_ptr, n, width, M: tl.constexpr,
              N: tl.constexpr):
    """Rows of a table by index, -1 for none, and additions to the rows of its gradient."""
    rows = tl.program_id(0) * M + tl.arange(0, M)
    index = tl.load(index_ptr + rows, mask=rows < n, other=-1)
    for start in range(0, width, N):
        columns = start + tl.arange(0, N)
        inside = (index >= 0)[:, None] & (columns < width)[None, :]
        at = index[:, None] * width + columns[None, :]
        x = tl.load(table_ptr + at, mask=inside, other=0.5)
        tl.store(out_ptr + rows[:, None] * width + columns[None, :], x,
                 mask=(rows < n)[:, None] & (columns < width)[None, :])
        tl.atomic_add(gradient_ptr + at, x.to(tl.float32), mask=inside, sem="relaxed")


@triton.jit
def large(x_ptr, y_ptr, sum_ptr, BLOCK: tl.constexpr):
    """A tile of many elements: shifted by one through memory, and reduced."""
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    before = tl.load(x_ptr + at - 1, mask=at > 0, other=0)
    tl.store(y_ptr + at, x * 3 - before)
    tl.store(sum_ptr, tl.sum(x, axis=0))
    tl.store(sum_ptr + 1, tl.max(x ^ before, axis=0))


@triton.jit
def arithmetic(a_ptr, b_ptr, i_ptr, high_ptr, f_ptr, n, BLOCK: tl.constexpr):
    """64-bit integers of either sign, and fp64: products, quotients, shifts, high halves."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    a = tl.load(a_ptr + at, mask=inside, other=1)
    b = tl.load(b_ptr + at, mask=inside, other=1)
    shift = (b & 63).to(a.dtype)
    tl.store(i_ptr + at * 6, a * b, mask=inside)
    tl.store(i_ptr + at * 6 + 1, a // b, mask=inside)
    tl.store(i_ptr + at * 6 + 2, a % b, mask=inside)
    tl.store(i_ptr + at * 6 + 3, a >> shift, mask=inside)
    tl.store(i_ptr + at * 6 + 4, (a << shift) ^ ~b, mask=inside)
    tl.store(i_ptr + at * 6 + 5, tl.minimum(a, b) - tl.maximum(a, b), mask=inside)
    tl.store(high_ptr + at, tl.umulhi(a, b), mask=inside)
    x, y = a.to(tl.float64), b.to(tl.float64)
    tl.store(f_ptr + at * 3, x / y + tl.sqrt(tl.abs(y)), mask=inside)
    tl.store(f_ptr + at * 3 + 1, tl.fma(x, y, -x), mask=inside)
    tl.store(f_ptr + at * 3 + 2, tl.where(x > y, tl.floor(x / 3), tl.exp(-tl.abs(y) / 2**63)),
             mask=inside)


# --- atomics --------------------------------------------------------------------------------


@triton.jit
def scatter(bins_ptr, index_ptr, x_ptr, n, OP: tl.constexpr, SEM: tl.constexpr,
            SCOPE: tl.constexpr, BLOCK: tl.constexpr):
    """One atomic operation an element; many elements meet."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    place = bins_ptr + tl.load(index_ptr + at, mask=inside, other=0)
    x = tl.load(x_ptr + at, mask=inside)
    if OP == "add":
        tl.atomic_add(place, x, mask=inside, sem=SEM, scope=SCOPE)
    elif OP == "max":
        tl.atomic_max(place, x, mask=inside, sem=SEM, scope=SCOPE)
    elif OP == "min":
        tl.atomic_min(place, x, mask=inside, sem=SEM, scope=SCOPE)
    elif OP == "and":
        tl.atomic_and(place, x, mask=inside, sem=SEM, scope=SCOPE)
    elif OP == "or":
        tl.atomic_or(place, x, mask=inside, sem=SEM, scope=SCOPE)
    else:
        tl.atomic_xor(place, x, mask=inside, sem=SEM, scope=SCOPE)


@triton.jit
def extremes(x_ptr, low_ptr, high_ptr, m, n, ROWS: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    """The least and the largest of several tiles, each combined by a descriptor; m rows of ROWS are there."""
    x = tl.make_tensor_descriptor(x_ptr, [m, n], [N, 1], [M, N])
    low = tl.make_tensor_descriptor(low_ptr, [ROWS, n], [N, 1], [M, N])
    high = tl.make_tensor_descriptor(high_ptr, [ROWS, n], [N, 1], [M, N])
    tile = x.load([tl.program_id(0) * M, 0])
    low.atomic_min([1, 0], tile)
    high.atomic_max([1, 0], tile)


@triton.jit
def tickets(counter_ptr, taken_ptr, swapped_ptr, old_ptr, n, BLOCK: tl.constexpr):
    """What atomics return: every lane draws a number of its own; swaps give what lay there."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    ticket = tl.atomic_add(counter_ptr + tl.zeros([BLOCK], tl.int32), 1, mask=inside)
    tl.store(taken_ptr + ticket, 1, mask=inside)
    old = tl.atomic_xchg(swapped_ptr + at, at * 2, mask=inside)
    tl.store(old_ptr + at, old, mask=inside)
    once = tl.atomic_add(counter_ptr + 1, 3)
    tl.atomic_max(counter_ptr + 2, once)
    tl.atomic_or(counter_ptr + 3, 1 << (tl.program_id(0) % 31))


@triton.jit
def swaps(x_ptr, want_ptr, new_ptr, old_ptr, N: tl.constexpr):
    """Compare and swap, lane by lane."""
    at = tl.arange(0, N)
    old = tl.atomic_cas(x_ptr + at, tl.load(want_ptr + at), tl.load(new_ptr + at))
    tl.store(old_ptr + at, old)


@triton.jit
def product_by_swaps(x_ptr, product_ptr, n, BLOCK: tl.constexpr):
    """A product over all programs: scalars that compare and swap until nobody was in between."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    own = tl.sum(tl.load(x_ptr + at, mask=at < n, other=0), axis=0) | 1
    seen = tl.atomic_or(product_ptr, 0)
    old = tl.atomic_cas(product_ptr, seen, seen * own)
    while old != seen:
        seen = old
        old = tl.atomic_cas(product_ptr, seen, seen * own)


@triton.jit
def last_one_sums(x_ptr, part_ptr, counter_ptr, out_ptr, n, PROGRAMS: tl.constexpr,
                  BLOCK: tl.constexpr):
    """The program that finishes last adds up what all have left."""
    pid = tl.program_id(0)
    at = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(part_ptr + pid, tl.sum(tl.load(x_ptr + at, mask=at < n, other=0.0), axis=0))
    tl.debug_barrier()
    done = tl.atomic_add(counter_ptr, 1, sem="acq_rel")
    if done == PROGRAMS - 1:
        parts = tl.load(part_ptr + tl.arange(0, PROGRAMS), volatile=True)
        tl.store(out_ptr, tl.sum(parts, axis=0))


@triton.jit
def add_rows(x_ptr, sum_ptr, old_ptr, m, n, M: tl.constexpr, N: tl.constexpr):
    """Blocks of rows added onto one block of sums, and onto itself once; what was there is kept."""
    rows, columns = tl.arange(0, M), tl.arange(0, N)
    inside = (rows[:, None] < m) & (columns[None, :] < n)
    at = rows[:, None] * n + columns[None, :]
    own = tl.program_id(0) * m * n + at
    x = tl.load(x_ptr + own, mask=inside, other=0.0)
    tl.atomic_add(sum_ptr + at, x, mask=inside, sem="relaxed")
    old = tl.atomic_add(x_ptr + own, x, mask=inside)
    tl.store(old_ptr + own, old, mask=inside)


@triton.jit
def ragged(x_ptr, y_ptr, z_ptr, n, ORDER: tl.constexpr, WIDE: tl.constexpr, BLOCK: tl.constexpr):
    """Rows whose elements are loaded one by one, and stored by the same comparison."""
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    at = at.to(tl.int64) if WIDE else at
    if ORDER == 0:
        inside = at < n
    elif ORDER == 1:
        inside = at <= n
    elif ORDER == 2:
        inside = n > at
    else:
        inside = n >= at
    x = tl.load(x_ptr + row * 4099 + at, mask=inside, other=7)
    y = tl.load(y_ptr + row * 4099 + at, mask=inside, other=9)
    tl.store(y_ptr + row * 4099 + at, x + y, mask=inside)
    tl.store(z_ptr + row * 4099 + at, x - y, mask=inside)
