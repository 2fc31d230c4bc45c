# planted.py - mistakes of the kind that users make, each beside its right twin; planted.txt says what is told of them
import triton
import triton.language as tl


# --- masks and ends ---


@triton.jit
def last_lane_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i <= n) + 1, mask=i < n)


@triton.jit
def last_lane(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


@triton.jit
def turned_mask_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i > n)
    tl.store(out + i, v, mask=i > n)


@triton.jit
def turned_mask(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, v, mask=i < n)


@triton.jit
def other_length_wrong(x, y, out, n, m, B: tl.constexpr):
    i = tl.arange(0, B)
    a = tl.load(x + i, mask=i < n, other=0.0)
    b = tl.load(y + i, mask=i < n, other=0.0)
    tl.store(out + i, a + b, mask=i < n)


@triton.jit
def other_length(x, y, out, n, m, B: tl.constexpr):
    i = tl.arange(0, B)
    a = tl.load(x + i, mask=i < n, other=0.0)
    b = tl.load(y + i, mask=i < m, other=0.0)
    tl.store(out + i, a + b, mask=i < n)


@triton.jit
def bare_total_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out, tl.sum(tl.load(x + i)))


@triton.jit
def bare_total(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out, tl.sum(tl.load(x + i, mask=i < n, other=0.0)))


@triton.jit
def rows_only_wrong(x, out, h, w, BH: tl.constexpr, BW: tl.constexpr):
    r = tl.program_id(0) * BH + tl.arange(0, BH)
    c = tl.arange(0, BW)
    at = r[:, None] * w + c[None, :]
    v = tl.load(x + at, mask=r[:, None] < h)
    tl.store(out + at, v * 2, mask=(r[:, None] < h) & (c[None, :] < w))


@triton.jit
def rows_only(x, out, h, w, BH: tl.constexpr, BW: tl.constexpr):
    r = tl.program_id(0) * BH + tl.arange(0, BH)
    c = tl.arange(0, BW)
    at = r[:, None] * w + c[None, :]
    inside = (r[:, None] < h) & (c[None, :] < w)
    v = tl.load(x + at, mask=inside)
    tl.store(out + at, v * 2, mask=inside)


@triton.jit
def swapped_limits_wrong(x, out, h, w, BH: tl.constexpr, BW: tl.constexpr):
    r = tl.arange(0, BH)
    c = tl.arange(0, BW)
    at = r[:, None] * w + c[None, :]
    inside = (r[:, None] < w) & (c[None, :] < h)
    tl.store(out + at, tl.load(x + at, mask=inside), mask=inside)


@triton.jit
def swapped_limits(x, out, h, w, BH: tl.constexpr, BW: tl.constexpr):
    r = tl.arange(0, BH)
    c = tl.arange(0, BW)
    at = r[:, None] * w + c[None, :]
    inside = (r[:, None] < h) & (c[None, :] < w)
    tl.store(out + at, tl.load(x + at, mask=inside), mask=inside)


@triton.jit
def last_round_wrong(x, out, n, B: tl.constexpr):
    acc = tl.zeros((B,), tl.float32)
    for k in range(tl.cdiv(n, B)):
        acc += tl.load(x + tl.program_id(0) * n + k * B + tl.arange(0, B))
    tl.store(out + tl.program_id(0), tl.sum(acc))


@triton.jit
def last_round(x, out, n, B: tl.constexpr):
    acc = tl.zeros((B,), tl.float32)
    for k in range(tl.cdiv(n, B)):
        i = k * B + tl.arange(0, B)
        acc += tl.load(x + tl.program_id(0) * n + i, mask=i < n, other=0.0)
    tl.store(out + tl.program_id(0), tl.sum(acc))


@triton.jit
def whole_rounds_wrong(x, out, n, B: tl.constexpr):
    acc = tl.zeros((B,), tl.float32)
    for k in range(n // B):
        i = k * B + tl.arange(0, B)
        acc += tl.load(x + i, mask=i < n, other=0.0)
    tl.store(out, tl.sum(acc))


@triton.jit
def whole_rounds(x, out, n, B: tl.constexpr):
    acc = tl.zeros((B,), tl.float32)
    for k in range(tl.cdiv(n, B)):
        i = k * B + tl.arange(0, B)
        acc += tl.load(x + i, mask=i < n, other=0.0)
    tl.store(out, tl.sum(acc))


@triton.jit
def few_programs(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.sqrt(tl.load(x + i, mask=i < n)), mask=i < n)


@triton.jit
def few_sums(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(out, tl.sum(tl.load(x + i, mask=i < n, other=0.0)))


@triton.jit
def short_mask_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, -tl.load(x + i, mask=i < n - 1), mask=i < n - 1)


@triton.jit
def short_mask(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, -tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def left_neighbour_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    d = tl.load(x + i, mask=i < n) - tl.load(x + i - 1, mask=i < n)
    tl.store(out + i, d, mask=i < n)


@triton.jit
def left_neighbour(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    d = tl.load(x + i, mask=i < n) - tl.load(x + i - 1, mask=(i > 0) & (i < n), other=0.0)
    tl.store(out + i, d, mask=i < n)


@triton.jit
def wrapped_neighbour_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.load(x + (i - 1) % n, mask=i < n), mask=i < n)


@triton.jit
def wrapped_neighbour(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.load(x + (i - 1 + n) % n, mask=i < n), mask=i < n)


@triton.jit
def chosen_load_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.where(i < n, tl.load(x + i), 0.0)
    tl.store(out + i, v, mask=i < n)


@triton.jit
def chosen_load(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(out + i, v, mask=i < n)


# --- lanes that were masked off ---


@triton.jit
def greatest_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out, tl.max(tl.load(x + i, mask=i < n), axis=0))


@triton.jit
def greatest(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out, tl.max(tl.load(x + i, mask=i < n, other=-float("inf")), axis=0))


@triton.jit
def least_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out, tl.min(tl.load(x + i, mask=i < n, other=0.0), axis=0))


@triton.jit
def least(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out, tl.min(tl.load(x + i, mask=i < n, other=float("inf")), axis=0))


@triton.jit
def times(a, b):
    return a * b


@triton.jit
def product_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out, tl.reduce(tl.load(x + i, mask=i < n, other=0.0), 0, times))


@triton.jit
def product(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out, tl.reduce(tl.load(x + i, mask=i < n, other=1.0), 0, times))


@triton.jit
def best_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out, tl.argmax(tl.load(x + i, mask=i < n, other=0.0), axis=0))


@triton.jit
def best(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out, tl.argmax(tl.load(x + i, mask=i < n, other=-float("inf")), axis=0))


@triton.jit
def log_sum_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    m = tl.max(v, axis=0)
    tl.store(out, m + tl.log(tl.sum(tl.exp(v - m), axis=0)))


@triton.jit
def log_sum(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=-float("inf"))
    m = tl.max(v, axis=0)
    tl.store(out, m + tl.log(tl.sum(tl.exp(v - m), axis=0)))


@triton.jit
def in_order_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.sort(tl.load(x + i, mask=i < n)), mask=i < n)


@triton.jit
def in_order(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.sort(tl.load(x + i, mask=i < n, other=float("inf"))), mask=i < n)


@triton.jit
def votes_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.atomic_add(out + tl.load(x + i, mask=i < n, other=0), 1)


@triton.jit
def votes(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.atomic_add(out + tl.load(x + i, mask=i < n, other=0), 1, mask=i < n)


@triton.jit
def mean_of_block_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out, tl.sum(tl.load(x + i, mask=i < n, other=0.0)) / B)


@triton.jit
def mean_of_block(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out, tl.sum(tl.load(x + i, mask=i < n, other=0.0)) / n)


@triton.jit
def any_negative_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(out, tl.sum((v <= 0).to(tl.int32)))


@triton.jit
def any_negative(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(out, tl.sum(((v <= 0) & (i < n)).to(tl.int32)))


# --- strides and axes ---


@triton.jit
def no_stride_wrong(x, out, w, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + r + i, mask=i < w, other=0.0)
    tl.store(out + r, tl.sum(v))


@triton.jit
def no_stride(x, out, w, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + r * w + i, mask=i < w, other=0.0)
    tl.store(out + r, tl.sum(v))


@triton.jit
def no_out_stride_wrong(x, out, w, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + r * w + i, mask=i < w, other=0.0)
    tl.store(out + r + i, v / tl.sum(v), mask=i < w)


@triton.jit
def no_out_stride(x, out, w, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + r * w + i, mask=i < w, other=0.0)
    tl.store(out + r * w + i, v / tl.sum(v), mask=i < w)


@triton.jit
def by_height_wrong(x, out, h, w, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    tl.store(out + r * w + i, tl.load(x + r * h + i, mask=i < w), mask=i < w)


@triton.jit
def by_height(x, out, h, w, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    tl.store(out + r * w + i, tl.load(x + r * w + i, mask=i < w), mask=i < w)


@triton.jit
def by_block_wrong(x, out, w, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + r * B + i, mask=i < w, other=0.0)
    tl.store(out + r * w + i, v * 2, mask=i < w)


@triton.jit
def by_block(x, out, w, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + r * w + i, mask=i < w, other=0.0)
    tl.store(out + r * w + i, v * 2, mask=i < w)


@triton.jit
def turned_axes_wrong(x, out, h, w, BH: tl.constexpr, BW: tl.constexpr):
    r = tl.arange(0, BH)[:, None]
    c = tl.arange(0, BW)[None, :]
    inside = (r < h) & (c < w)
    tl.store(out + c * w + r, tl.load(x + r * w + c, mask=inside), mask=inside)


@triton.jit
def turned_axes(x, out, h, w, BH: tl.constexpr, BW: tl.constexpr):
    r = tl.arange(0, BH)[:, None]
    c = tl.arange(0, BW)[None, :]
    inside = (r < h) & (c < w)
    tl.store(out + c * h + r, tl.load(x + r * w + c, mask=inside), mask=inside)


@triton.jit
def turned_programs_wrong(x, out, h, w, BH: tl.constexpr, BW: tl.constexpr):
    r = tl.program_id(1) * BH + tl.arange(0, BH)[:, None]
    c = tl.program_id(0) * BW + tl.arange(0, BW)[None, :]
    inside = (r < h) & (c < w)
    tl.store(out + r * w + c, tl.load(x + r * w + c, mask=inside), mask=inside)


@triton.jit
def turned_programs(x, out, h, w, BH: tl.constexpr, BW: tl.constexpr):
    r = tl.program_id(0) * BH + tl.arange(0, BH)[:, None]
    c = tl.program_id(1) * BW + tl.arange(0, BW)[None, :]
    inside = (r < h) & (c < w)
    tl.store(out + r * w + c, tl.load(x + r * w + c, mask=inside), mask=inside)


@triton.jit
def turned_steps_wrong(x, out, h, w, B: tl.constexpr):
    p = tl.make_block_ptr(x, (h, w), (1, w), (tl.program_id(0) * B, 0), (B, B), (1, 0))
    q = tl.make_block_ptr(out, (h, w), (w, 1), (tl.program_id(0) * B, 0), (B, B), (1, 0))
    v = tl.load(p, boundary_check=(0, 1), padding_option="zero")
    tl.store(q, v, boundary_check=(0, 1))


@triton.jit
def turned_steps(x, out, h, w, B: tl.constexpr):
    p = tl.make_block_ptr(x, (h, w), (w, 1), (tl.program_id(0) * B, 0), (B, B), (1, 0))
    q = tl.make_block_ptr(out, (h, w), (w, 1), (tl.program_id(0) * B, 0), (B, B), (1, 0))
    v = tl.load(p, boundary_check=(0, 1), padding_option="zero")
    tl.store(q, v, boundary_check=(0, 1))


@triton.jit
def no_boundary_wrong(x, out, n, B: tl.constexpr):
    p = tl.make_block_ptr(x, (n,), (1,), (tl.program_id(0) * B,), (B,), (0,))
    q = tl.make_block_ptr(out, (n,), (1,), (tl.program_id(0) * B,), (B,), (0,))
    tl.store(q, tl.load(p), boundary_check=(0,))


@triton.jit
def no_boundary(x, out, n, B: tl.constexpr):
    p = tl.make_block_ptr(x, (n,), (1,), (tl.program_id(0) * B,), (B,), (0,))
    q = tl.make_block_ptr(out, (n,), (1,), (tl.program_id(0) * B,), (B,), (0,))
    tl.store(q, tl.load(p, boundary_check=(0,)), boundary_check=(0,))


@triton.jit
def one_boundary_wrong(x, out, h, w, B: tl.constexpr):
    p = tl.make_block_ptr(x, (h, w), (w, 1), (0, 0), (B, B), (1, 0))
    tl.store(out, tl.sum(tl.load(p, boundary_check=(0,), padding_option="zero")))


@triton.jit
def one_boundary(x, out, h, w, B: tl.constexpr):
    p = tl.make_block_ptr(x, (h, w), (w, 1), (0, 0), (B, B), (1, 0))
    tl.store(out, tl.sum(tl.load(p, boundary_check=(0, 1), padding_option="zero")))


@triton.jit
def advanced_wrong(x, out, h, w, B: tl.constexpr):
    p = tl.make_block_ptr(x, (h, w), (w, 1), (0, 0), (B, B), (1, 0))
    acc = tl.zeros((B,), tl.float32)
    for k in range(0, w, B):
        acc += tl.sum(tl.load(p), axis=1)
        p = tl.advance(p, (B, 0))
    tl.store(out + tl.arange(0, B), acc)


@triton.jit
def advanced(x, out, h, w, B: tl.constexpr):
    p = tl.make_block_ptr(x, (h, w), (w, 1), (0, 0), (B, B), (1, 0))
    acc = tl.zeros((B,), tl.float32)
    for k in range(0, w, B):
        acc += tl.sum(tl.load(p), axis=1)
        p = tl.advance(p, (0, B))
    tl.store(out + tl.arange(0, B), acc)


@triton.jit
def never_advanced_wrong(x, out, n, B: tl.constexpr):
    p = x + tl.arange(0, B)
    acc = tl.zeros((B,), tl.float32)
    for k in range(0, n, B):
        acc += tl.load(p)
    tl.store(out + tl.arange(0, B), acc)


@triton.jit
def never_advanced(x, out, n, B: tl.constexpr):
    p = x + tl.arange(0, B)
    acc = tl.zeros((B,), tl.float32)
    for k in range(0, n, B):
        acc += tl.load(p)
        p += B
    tl.store(out + tl.arange(0, B), acc)


@triton.jit
def bias_of_rows_wrong(x, bias, out, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    c = tl.arange(0, B)
    at = r[:, None] * B + c[None, :]
    b = tl.load(bias + r)
    tl.store(out + at, tl.load(x + at) + b[None, :])


@triton.jit
def bias_of_rows(x, bias, out, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    c = tl.arange(0, B)
    at = r[:, None] * B + c[None, :]
    b = tl.load(bias + r)
    tl.store(out + at, tl.load(x + at) + b[:, None])


@triton.jit
def normal_rows_wrong(x, out, B: tl.constexpr):
    r = tl.arange(0, B)
    at = r[:, None] * B + r[None, :]
    v = tl.load(x + at)
    m = tl.max(v, axis=1)
    tl.store(out + at, v - m)


@triton.jit
def normal_rows(x, out, B: tl.constexpr):
    r = tl.arange(0, B)
    at = r[:, None] * B + r[None, :]
    v = tl.load(x + at)
    m = tl.max(v, axis=1)
    tl.store(out + at, v - m[:, None])


@triton.jit
def last_row_wrong(x, out, h, w, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    up = tl.load(x + r * w + i, mask=i < w)
    down = tl.load(x + (r + 1) * w + i, mask=i < w)
    tl.store(out + r * w + i, down - up, mask=i < w)


@triton.jit
def last_row(x, out, h, w, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    up = tl.load(x + r * w + i, mask=i < w)
    down = tl.load(x + (r + 1) * w + i, mask=(i < w) & (r + 1 < h), other=0.0)
    tl.store(out + r * w + i, down - up, mask=i < w)


@triton.jit
def narrow_index_wrong(x, at, out, w, n, B: tl.constexpr):
    i = tl.arange(0, B)
    row = tl.load(at + i, mask=i < n, other=0)
    tl.store(out + i, tl.load(x + row * 512, mask=i < n), mask=i < n)


@triton.jit
def narrow_index(x, at, out, w, n, B: tl.constexpr):
    i = tl.arange(0, B)
    row = tl.load(at + i, mask=i < n, other=0).to(tl.int32)
    tl.store(out + i, tl.load(x + row * 512, mask=i < n), mask=i < n)


# --- types and numbers ---


@triton.jit
def total_of_type_wrong(x, out, n, B: tl.constexpr):
    acc = tl.zeros((B,), x.dtype.element_ty)
    for k in range(0, n, B):
        i = k + tl.arange(0, B)
        acc += tl.load(x + i, mask=i < n, other=0.0)
    tl.store(out, tl.sum(acc.to(tl.float32)))


@triton.jit
def total_of_type(x, out, n, B: tl.constexpr):
    acc = tl.zeros((B,), tl.float32)
    for k in range(0, n, B):
        i = k + tl.arange(0, B)
        acc += tl.load(x + i, mask=i < n, other=0.0)
    tl.store(out, tl.sum(acc))


@triton.jit
def counts_wrong(x, out, n, B: tl.constexpr):
    acc = tl.zeros((B,), tl.int8)
    for k in range(0, n, B):
        i = k + tl.arange(0, B)
        acc += (tl.load(x + i, mask=i < n, other=0.0) > 0).to(tl.int8)
    tl.store(out + tl.arange(0, B), acc)


@triton.jit
def counts(x, out, n, B: tl.constexpr):
    acc = tl.zeros((B,), tl.int32)
    for k in range(0, n, B):
        i = k + tl.arange(0, B)
        acc += (tl.load(x + i, mask=i < n, other=0.0) > 0).to(tl.int32)
    tl.store(out + tl.arange(0, B), acc)


@triton.jit
def blend_wrong(x, y, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    a = tl.load(x + i, mask=i < n)
    b = tl.load(y + i, mask=i < n)
    tl.store(out + i, (a + b) // 2, mask=i < n)


@triton.jit
def blend(x, y, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    a = tl.load(x + i, mask=i < n).to(tl.int32)
    b = tl.load(y + i, mask=i < n).to(tl.int32)
    tl.store(out + i, (a + b) // 2, mask=i < n)


@triton.jit
def half_product_wrong(a, b, out, k, B: tl.constexpr, BK: tl.constexpr):
    i = tl.arange(0, B)
    j = tl.arange(0, BK)
    acc = tl.zeros((B, B), tl.float16)
    for at in range(0, k, BK):
        x = tl.load(a + i[:, None] * k + at + j[None, :])
        y = tl.load(b + (at + j[:, None]) * B + i[None, :])
        acc = tl.dot(x, y, acc, out_dtype=tl.float16)
    tl.store(out + i[:, None] * B + i[None, :], acc)


@triton.jit
def half_product(a, b, out, k, B: tl.constexpr, BK: tl.constexpr):
    i = tl.arange(0, B)
    j = tl.arange(0, BK)
    acc = tl.zeros((B, B), tl.float32)
    for at in range(0, k, BK):
        x = tl.load(a + i[:, None] * k + at + j[None, :])
        y = tl.load(b + (at + j[:, None]) * B + i[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(out + i[:, None] * B + i[None, :], acc / k)


@triton.jit
def plain_softmax_wrong(x, out, n, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + r * n + i, mask=i < n, other=-float("inf"))
    e = tl.exp(v)
    tl.store(out + r * n + i, e / tl.sum(e), mask=i < n)


@triton.jit
def plain_softmax(x, out, n, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + r * n + i, mask=i < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v))
    tl.store(out + r * n + i, e / tl.sum(e), mask=i < n)


@triton.jit
def whole_mean_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out, tl.sum(tl.load(x + i, mask=i < n, other=0)) // n)


@triton.jit
def whole_mean(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out, tl.sum(tl.load(x + i, mask=i < n, other=0)) / n)


@triton.jit
def soft_plus_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, tl.log(1 + tl.exp(v)), mask=i < n)


@triton.jit
def soft_plus(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, tl.maximum(v, 0) + tl.log(1 + tl.exp(-tl.abs(v))), mask=i < n)


@triton.jit
def guarded_late_wrong(x, y, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    a = tl.load(x + i, mask=i < n)
    b = tl.load(y + i, mask=i < n)
    tl.store(out + i, a * (b > 0) / b, mask=i < n)


@triton.jit
def guarded_late(x, y, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    a = tl.load(x + i, mask=i < n)
    b = tl.load(y + i, mask=i < n)
    tl.store(out + i, tl.where(b > 0, a / b, 0.0), mask=i < n)


@triton.jit
def in_halves_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0).to(tl.float32)
    tl.store(out, tl.sum(v * v))


@triton.jit
def in_halves(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0).to(tl.float32)
    tl.store(out, tl.sqrt(tl.sum(v * v)))


@triton.jit
def to_bytes_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i < n).to(tl.int32) * 2, mask=i < n)


@triton.jit
def to_bytes(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.minimum(tl.load(x + i, mask=i < n).to(tl.int32) * 2, 255), mask=i < n)


@triton.jit
def cut_off_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i < n) * 255, mask=i < n)


@triton.jit
def cut_off(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.floor(tl.load(x + i, mask=i < n) * 255 + 0.5), mask=i < n)


@triton.jit
def mask_value_wrong(q, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    s = tl.load(q + i[:, None] * B + i[None, :])
    s = tl.where(i[None, :] < i[:, None], s, -float("inf"))
    e = tl.exp(s - tl.max(s, axis=1)[:, None])
    tl.store(out + i[:, None] * B + i[None, :], e / tl.sum(e, axis=1)[:, None])


@triton.jit
def mask_value(q, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    s = tl.load(q + i[:, None] * B + i[None, :])
    s = tl.where(i[None, :] <= i[:, None], s, -float("inf"))
    e = tl.exp(s - tl.max(s, axis=1)[:, None])
    tl.store(out + i[:, None] * B + i[None, :], e / tl.sum(e, axis=1)[:, None])


@triton.jit
def variance_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    m = tl.sum(v) / n
    tl.store(out, tl.sqrt(tl.sum(v * v) / n - m * m))


@triton.jit
def variance(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    d = tl.where(i < n, v - tl.sum(v) / n, 0.0)
    tl.store(out, tl.sqrt(tl.sum(d * d) / n))


@triton.jit
def shifted_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, (tl.load(x + i, mask=i < n) >> i) & 1, mask=i < n)


@triton.jit
def shifted(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, (tl.load(x + i, mask=i < n) >> (i % 32)) & 1, mask=i < n)


@triton.jit
def remainder_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, i % tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def remainder(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    by = tl.load(x + i, mask=i < n)
    tl.store(out + i, tl.where(by > 0, i % by, 0), mask=i < n)


# --- programs and lanes ---


@triton.jit
def bins_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    for b in range(4):
        c = tl.sum((tl.load(x + i, mask=i < n, other=-1) == b).to(tl.int32))
        tl.store(out + b, tl.load(out + b) + c)


@triton.jit
def bins(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    for b in range(4):
        c = tl.sum((tl.load(x + i, mask=i < n, other=-1) == b).to(tl.int32))
        tl.atomic_add(out + b, c)


@triton.jit
def smoothed_wrong(x, h, w, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    up = tl.load(x + (r - 1) * w + i, mask=(i < w) & (r > 0), other=0.0)
    here = tl.load(x + r * w + i, mask=i < w, other=0.0)
    tl.store(x + r * w + i, (up + here) / 2, mask=i < w)


@triton.jit
def smoothed(x, h, w, B: tl.constexpr):
    i = tl.arange(0, B)
    up = tl.zeros((B,), tl.float32)
    for r in range(h):
        here = tl.load(x + r * w + i, mask=i < w, other=0.0)
        tl.store(x + r * w + i, (up + here) / 2, mask=i < w)
        up = here


@triton.jit
def one_place_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out, tl.sum(tl.load(x + i, mask=i < n, other=0.0)))


@triton.jit
def one_place(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + tl.program_id(0), tl.sum(tl.load(x + i, mask=i < n, other=0.0)))


@triton.jit
def overlapping_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * (B // 2) + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i < n) * (1 + tl.program_id(0)), mask=i < n)


@triton.jit
def overlapping(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i < n) * (1 + tl.program_id(0)), mask=i < n)


@triton.jit
def rolled_wrong(x, tmp, out, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(tmp + i, tl.load(x + i) * 2)
    tl.store(out + i, tl.load(tmp + (i + 1) % B) - tl.load(tmp + i))


@triton.jit
def rolled(x, tmp, out, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(tmp + i, tl.load(x + i) * 2)
    tl.debug_barrier()
    tl.store(out + i, tl.load(tmp + (i + 1) % B) - tl.load(tmp + i))


@triton.jit
def reversed_wrong(x, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    j = tl.program_id(0) * B + B - 1 - tl.arange(0, B)
    tl.store(x + i, tl.load(x + j))


@triton.jit
def reversed(x, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    j = tl.program_id(0) * B + B - 1 - tl.arange(0, B)
    v = tl.load(x + j)
    tl.debug_barrier()
    tl.store(x + i, v)


@triton.jit
def first_of_row_wrong(x, tmp, out, B: tl.constexpr):
    i = tl.arange(0, B)
    row = tl.program_id(0) * B
    tl.store(tmp + row + i, tl.exp(tl.load(x + row + i)))
    tl.store(out + row + i, tl.load(tmp + row + i) / tl.load(tmp + row))


@triton.jit
def first_of_row(x, tmp, out, B: tl.constexpr):
    i = tl.arange(0, B)
    row = tl.program_id(0) * B
    tl.store(tmp + row + i, tl.exp(tl.load(x + row + i)))
    tl.debug_barrier()
    tl.store(out + row + i, tl.load(tmp + row + i) / tl.load(tmp + row))


@triton.jit
def taken_wrong(lock, out):
    tl.atomic_cas(lock, 0, 1)
    tl.store(out, tl.load(out) + 1)


@triton.jit
def taken(lock, out):
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(out, tl.load(out) + 1)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def pairs_wrong(x, out, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i // 2, tl.load(x + i))


@triton.jit
def pairs(x, out, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.reshape(tl.load(x + i), (B // 2, 2))
    tl.store(out + tl.arange(0, B // 2), tl.sum(v, axis=1))


@triton.jit
def drop_wrong(x, out, n, seed, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    keep = tl.rand(seed, tl.arange(0, B)) > 0.5
    tl.store(out + i, tl.where(keep, tl.load(x + i, mask=i < n) * 2, 0.0), mask=i < n)


@triton.jit
def drop(x, out, n, seed, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    keep = tl.rand(seed, i) > 0.5
    tl.store(out + i, tl.where(keep, tl.load(x + i, mask=i < n) * 2, 0.0), mask=i < n)


# --- what was left out ---


@triton.jit
def no_result_wrong(x, out, mean, n, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + r * n + i, mask=i < n, other=0.0)
    m = tl.sum(v) / n
    tl.store(out + r * n + i, v - m, mask=i < n)


@triton.jit
def no_result(x, out, mean, n, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + r * n + i, mask=i < n, other=0.0)
    m = tl.sum(v) / n
    tl.store(mean + r, m)
    tl.store(out + r * n + i, v - m, mask=i < n)


@triton.jit
def unused_bias_wrong(x, bias, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    b = tl.load(bias + i, mask=i < n)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, tl.maximum(v, 0.0), mask=i < n)


@triton.jit
def unused_bias(x, bias, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    b = tl.load(bias + i, mask=i < n)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, tl.maximum(v + b, 0.0), mask=i < n)


@triton.jit
def unused_scale_wrong(x, scale, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def unused_scale(x, scale, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i < n) * tl.load(scale), mask=i < n)


@triton.jit
def not_reset_wrong(x, out, h, w, B: tl.constexpr):
    i = tl.arange(0, B)
    acc = tl.zeros((B,), tl.float32)
    for r in range(h):
        acc += tl.load(x + r * w + i, mask=i < w, other=0.0)
        tl.store(out + r, tl.sum(acc))


@triton.jit
def not_reset(x, out, h, w, B: tl.constexpr):
    i = tl.arange(0, B)
    for r in range(h):
        acc = tl.zeros((B,), tl.float32)
        acc += tl.load(x + r * w + i, mask=i < w, other=0.0)
        tl.store(out + r, tl.sum(acc))


@triton.jit
def running_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    for k in range(0, n, B):
        at = k + i
        before = tl.load(out + at - 1, mask=at < n, other=0.0)
        tl.store(out + at, before + tl.load(x + at, mask=at < n), mask=at < n)


@triton.jit
def running(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    before = 0.0
    for k in range(0, n, B):
        at = k + i
        v = tl.load(x + at, mask=at < n, other=0.0)
        tl.store(out + at, before + tl.cumsum(v), mask=at < n)
        before += tl.sum(v)


@triton.jit
def unwritten_part_wrong(x, tmp, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(tmp + i, tl.load(x + i, mask=i < n), mask=i < n)
    tl.debug_barrier()
    tl.store(out, tl.sum(tl.load(tmp + i)))


@triton.jit
def unwritten_part(x, tmp, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(tmp + i, tl.load(x + i, mask=i < n, other=0.0))
    tl.debug_barrier()
    tl.store(out, tl.sum(tl.load(tmp + i)))


# --- what looks right, and is not ---


@triton.jit
def negative_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, -tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def negative(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, 255 - tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def below_zero_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, (-tl.load(x + i, mask=i < n)).to(tl.float32), mask=i < n)


@triton.jit
def below_zero(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    lowest = v & -v
    tl.store(out + i, -v.to(tl.float32) + lowest * 0.5, mask=i < n)


@triton.jit
def same_seed_wrong(a, b, seed, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(a + i, tl.rand(seed, i))
    tl.store(b + i, tl.randn(seed, i))


@triton.jit
def same_seed(a, b, seed, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(a + i, tl.rand(seed, i) + tl.rand(seed, i, n_rounds=7))
    tl.store(b + i, tl.randn(seed + 1, i))


@triton.jit
def mean_of_part_wrong(x, out, n, B: tl.constexpr):
    p = tl.program_id(0)
    i = p * B + tl.arange(0, B)
    tl.store(out + p, tl.sum(tl.load(x + i, mask=i < n, other=0.0)) / B)


@triton.jit
def mean_of_part(x, out, n, B: tl.constexpr):
    p = tl.program_id(0)
    i = p * B + tl.arange(0, B)
    tl.store(out + p, tl.sum(tl.load(x + i, mask=i < n, other=0.0)) / tl.minimum(B, n - p * B))


@triton.jit
def bias_of_tile_wrong(x, bias, out, w, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    c = tl.program_id(1) * B + tl.arange(0, B)
    at = r[:, None] * w + c[None, :]
    b = tl.load(bias + r)
    tl.store(out + at, tl.load(x + at) + b[None, :])


@triton.jit
def bias_of_tile(x, bias, out, w, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    c = tl.program_id(1) * B + tl.arange(0, B)
    at = r[:, None] * w + c[None, :]
    b = tl.load(bias + c)
    tl.store(out + at, tl.load(x + at) + b[None, :])


@triton.jit
def float_limit(x, out, n, r, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    near = (i - n * 0.5 < r) & (i < 0.5 * B)
    tl.store(out + i, tl.where(near, v, 0.0), mask=i < n)


@triton.jit
def counted_rounds(out, n):
    total = 0
    i = 0
    while i < n:
        total += i
        i += 1
    tl.store(out, total)


@triton.jit
def fixed_limit(x, out, N: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i < N), mask=i < N)


@triton.jit
def short_row_wrong(x, out, n, B: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, B)
    v = tl.load(x + row * n + at, mask=at < n, other=0.0)
    tl.store(out + row * n + at, v * 2.0, mask=at < n)


@triton.jit
def short_row(x, out, n, B: tl.constexpr):
    row = tl.program_id(0)
    for k in tl.static_range(2):
        at = k * B + tl.arange(0, B)
        v = tl.load(x + row * n + at, mask=at < n, other=0.0)
        tl.store(out + row * n + at, v * 2.0, mask=at < n)


@triton.jit
def padded_keys_wrong(q, k, v, out, n, D: tl.constexpr, B: tl.constexpr):
    d, r = tl.arange(0, D)[None, :], tl.arange(0, B)
    a = tl.load(q + r[:, None] * D + d, mask=r[:, None] < n, other=0.0)
    most, total = tl.full((B,), -float("inf"), tl.float32), tl.zeros((B,), tl.float32)
    acc = tl.zeros((B, D), tl.float32)
    for start in range(0, n, B):
        c = start + r
        b = tl.load(k + c[:, None] * D + d, mask=c[:, None] < n, other=0.0)
        w = tl.load(v + c[:, None] * D + d, mask=c[:, None] < n, other=0.0)
        s = tl.dot(a, tl.trans(b)) * 0.25
        new = tl.maximum(most, tl.max(s, axis=1))
        p, keep = tl.exp(s - new[:, None]), tl.exp(most - new)
        most, total = new, total * keep + tl.sum(p, axis=1)
        acc = acc * keep[:, None] + tl.dot(p, w)
    tl.store(out + r[:, None] * D + d, acc / total[:, None], mask=r[:, None] < n)


@triton.jit
def padded_keys(q, k, v, out, n, D: tl.constexpr, B: tl.constexpr):
    d, r = tl.arange(0, D)[None, :], tl.arange(0, B)
    a = tl.load(q + r[:, None] * D + d, mask=r[:, None] < n, other=0.0)
    most, total = tl.full((B,), -float("inf"), tl.float32), tl.zeros((B,), tl.float32)
    acc = tl.zeros((B, D), tl.float32)
    for start in range(0, n, B):
        c = start + r
        b = tl.load(k + c[:, None] * D + d, mask=c[:, None] < n, other=0.0)
        w = tl.load(v + c[:, None] * D + d, mask=c[:, None] < n, other=0.0)
        s = tl.dot(a, tl.trans(b)) * 0.25
        s = tl.where(c[None, :] < n, s, -float("inf"))
        new = tl.maximum(most, tl.max(s, axis=1))
        p, keep = tl.exp(s - new[:, None]), tl.exp(most - new)
        most, total = new, total * keep + tl.sum(p, axis=1)
        acc = acc * keep[:, None] + tl.dot(p, w)
    tl.store(out + r[:, None] * D + d, acc / total[:, None], mask=r[:, None] < n)


@triton.jit
def keys_before(q, k, out, n, D: tl.constexpr, B: tl.constexpr):
    first = tl.program_id(0) * B
    d, r = tl.arange(0, D)[None, :], first + tl.arange(0, B)
    a = tl.load(q + r[:, None] * D + d, mask=r[:, None] < n, other=0.0)
    total = tl.zeros((B,), tl.float32)
    for start in range(0, first, B):
        c = start + tl.arange(0, B)
        b = tl.load(k + c[:, None] * D + d, mask=c[:, None] < n, other=0.0)
        total += tl.sum(tl.exp(tl.dot(a, tl.trans(b))), axis=1)
    tl.store(out + r, total, mask=r < n)


@triton.jit
def halves(x, out, n, B: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, B)
    a = tl.load(x + row * n + at, mask=at < n)
    b = tl.load(x + row * n + B + at, mask=at < n)
    tl.store(out + row * n + at, a + b, mask=at < n)
    tl.store(out + row * n + B + at, a - b, mask=at < n)


@triton.jit
def right_scores(q, k, bias, out, n, D: tl.constexpr, B: tl.constexpr):
    r, d = tl.arange(0, B), tl.arange(0, D)
    a = tl.load(q + d[:, None] * D + d[None, :])
    b = tl.load(k + r[:, None] * D + d[None, :], mask=r[:, None] < n, other=0.0)
    s = tl.dot(a, tl.trans(b))
    total = tl.sum(tl.maximum(s, 0.0), axis=1)
    total += tl.sum(tl.exp(s - tl.max(s, axis=1)[:, None]) * (r < n)[None, :], axis=1)
    s += tl.load(bias + r, mask=r < n, other=-float("inf"))[None, :]
    total += tl.sum(tl.exp(s - tl.max(s, axis=1)[:, None]), axis=1)
    tl.store(out + d, total)


@triton.jit
def together(a, b):
    return a + b


@triton.jit
def running_bytes_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.associative_scan(tl.load(x + i, mask=i < n, other=0), 0, together), mask=i < n)


@triton.jit
def running_bytes(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.associative_scan(tl.load(x + i, mask=i < n, other=0).to(tl.int32), 0, together), mask=i < n)


@triton.jit
def long_total_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out, tl.sum(tl.load(x + i, mask=i < n, other=0).to(tl.int64) * 100003))


@triton.jit
def long_total(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out, tl.sum(tl.load(x + i, mask=i < n, other=0).to(tl.int64) * 100003) % 1000003)


@triton.jit
def not_below_zero_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, tl.where(v - 1 < 0, 0, v - 1), mask=i < n)


@triton.jit
def not_below_zero(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, tl.where((v < 1) | (v - 1 == 0), 0, v - 1), mask=i < n)


@triton.jit
def levels_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, (v > 0.25) + (v > 0.5) + (v > 0.75), mask=i < n)


@triton.jit
def levels(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    middle = (v > 0.5).to(tl.int32)
    tl.store(out + i, (v > 0.25) + middle + (v > 0.75), mask=i < n)


@triton.jit
def signs_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, (v > 0) - (v < 0), mask=i < n)


@triton.jit
def signs(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, (v > 0).to(tl.int32) - (v < 0).to(tl.int32), mask=i < n)


@triton.jit
def penalty_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, -(v > 0.5), mask=i < n)


@triton.jit
def penalty(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, 1 - (v > 0.5) - 1, mask=i < n)


@triton.jit
def around_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, (tl.load(x + i) + tl.load(x + (i - 2) % n)) / 2)


@triton.jit
def around(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    before = (i - 2) % n
    tl.store(out + i, (tl.load(x + i) + tl.load(x + tl.where(before < 0, before + n, before))) / 2)


@triton.jit
def rings_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    s = tl.zeros((B,), tl.float32)
    for d in tl.static_range(-1, 2):
        s += tl.load(x + (i + d) % n)
    tl.store(out + i, s)


@triton.jit
def rings(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    s = tl.zeros((B,), tl.float32)
    for d in tl.static_range(-1, 2):
        s += tl.load(x + ((i + d) % n + n) % n)
    tl.store(out + i, s)


@triton.jit
def behind_first(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i) - tl.load(x + (i - 1) % n, mask=i > 0, other=0.0))


@triton.jit
def squares_wrong(x, y, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    d = tl.load(x + i, mask=i < n, other=0).to(tl.int32) - tl.load(y + i, mask=i < n, other=0).to(tl.int32)
    tl.store(out, tl.sum(d ^ 2))


@triton.jit
def squares(x, y, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    d = tl.load(x + i, mask=i < n, other=0).to(tl.int32) - tl.load(y + i, mask=i < n, other=0).to(tl.int32)
    tl.store(out, tl.sum(d * d))


@triton.jit
def second_bits(x, at, out, B: tl.constexpr):
    i = tl.arange(0, B)
    flags = tl.load(at + i) ^ 2
    tl.store(out + i, tl.load(x + (i ^ 2)) + ((flags ^ 3) & 1))


@triton.jit
def steps_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    for k in range(3):
        v = v * 0.5
        tl.store(out + i, v, mask=i < n)


@triton.jit
def steps(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    for k in range(3):
        v = v * 0.5
        tl.store(out + k * n + i, v, mask=i < n)


@triton.jit
def kept_in_memory(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)
    for k in range(3):
        tl.store(out + i, tl.load(out + i, mask=i < n) * 0.5 + k, mask=i < n)


@triton.jit
def halvings_wrong(out, n):
    i = n
    count = 0
    while i > 1:
        count += 1
    tl.store(out, count)


@triton.jit
def halvings(out, n):
    i = n
    count = 0
    while i > 1:
        i = i // 2
        count += 1
    tl.store(out, count)


@triton.jit
def brightest_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out, tl.max(tl.load(x + i, mask=i < n, other=-1)))


@triton.jit
def brightest(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out, tl.max(tl.load(x + i, mask=i < n, other=0)))


@triton.jit
def limited_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n).to(tl.float32)
    tl.store(out + i, tl.clamp(v * 1.5, 255.0, 0.0), mask=i < n)


@triton.jit
def limited(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n).to(tl.float32)
    tl.store(out + i, tl.clamp(v * 1.5, 0.0, 255.0), mask=i < n)


@triton.jit
def one_too_many_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i <= n), mask=i < n)


@triton.jit
def one_too_many(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    last = n - 1
    tl.store(out + i, tl.load(x + i, mask=i <= last), mask=i <= last)
