"""What programs do to each other's results; planted_programs.txt has the commands."""

import triton
import triton.language as tl


@triton.jit
def sum_of_all_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    s = tl.sum(tl.load(x + i, mask=i < n, other=0))
    tl.store(out, tl.load(out) + s)


@triton.jit
def sum_of_all(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(out, tl.sum(tl.load(x + i, mask=i < n, other=0)))


@triton.jit
def greatest_of_all_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    best = tl.max(tl.load(x + i, mask=i < n, other=-float("inf")))
    known = tl.load(out)
    if best > known:
        known = best
    tl.store(out, known)


@triton.jit
def greatest_of_all(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_max(out, tl.max(tl.load(x + i, mask=i < n, other=-float("inf"))))


@triton.jit
def column_sums_wrong(x, out, h, w, B: tl.constexpr):
    y = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + y * w + i, mask=i < w)
    tl.store(out + i, tl.load(out + i, mask=i < w) + v, mask=i < w)


@triton.jit
def column_sums(x, out, h, w, B: tl.constexpr):
    y = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + y * w + i, mask=i < w)
    tl.atomic_add(out + i, v, mask=i < w)


@triton.jit
def last_sum_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out, tl.sum(tl.load(x + i, mask=i < n, other=0)))


@triton.jit
def last_sum(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + tl.program_id(0), tl.sum(tl.load(x + i, mask=i < n, other=0)))


@triton.jit
def parts_of_rows_wrong(x, out, w, B: tl.constexpr):
    y = tl.program_id(1)
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + y, tl.sum(tl.load(x + y * w + i, mask=i < w, other=0)))


@triton.jit
def parts_of_rows(x, out, w, B: tl.constexpr):
    y = tl.program_id(1)
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(out + y, tl.sum(tl.load(x + y * w + i, mask=i < w, other=0)))


@triton.jit
def by_blocks_wrong(x, out, h, w, B: tl.constexpr):
    p = tl.make_block_ptr(x, (h, w), (w, 1), (tl.program_id(0) * B, 0), (B, B), (1, 0))
    o = tl.make_block_ptr(out, (h, w), (w, 1), (0, 0), (B, B), (1, 0))
    tl.store(o, tl.load(p, boundary_check=(0, 1)) * 2, boundary_check=(0, 1))


@triton.jit
def by_blocks(x, out, h, w, B: tl.constexpr):
    p = tl.make_block_ptr(x, (h, w), (w, 1), (tl.program_id(0) * B, 0), (B, B), (1, 0))
    o = tl.make_block_ptr(out, (h, w), (w, 1), (tl.program_id(0) * B, 0), (B, B), (1, 0))
    tl.store(o, tl.load(p, boundary_check=(0, 1)) * 2, boundary_check=(0, 1))


@triton.jit
def one_of_them(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    s = tl.sum(tl.load(x + i, mask=i < n, other=0))
    if tl.program_id(0) == tl.num_programs(0) - 1:
        tl.store(out, s)


@triton.jit
def others_return(x, out, n, B: tl.constexpr):
    if tl.program_id(0) > 0:
        return
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out, tl.load(out) + tl.sum(tl.load(x + i, mask=i < n, other=0)))


@triton.jit
def of_a_list(x, places, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    place = tl.load(places + tl.program_id(0))
    tl.store(out + place, tl.sum(tl.load(x + i, mask=i < n, other=0)))


@triton.jit
def rounds_of_one(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    for start in range(tl.program_id(0) * B, n, tl.num_programs(0) * B):
        v = tl.load(x + start + i, mask=start + i < n, other=0)
        tl.store(out + start // B, tl.load(out + start // B) + tl.sum(v))


@triton.jit
def locked(x, lock, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    s = tl.sum(tl.load(x + i, mask=i < n, other=0))
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(out, tl.load(out) + s)
    tl.atomic_xchg(lock, 0)


@triton.jit
def last_of_all(x, part, counter, out, n, B: tl.constexpr, P: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(part + tl.program_id(0), tl.sum(tl.load(x + i, mask=i < n, other=0)))
    if tl.atomic_add(counter, 1) == P - 1:
        tl.store(out, tl.sum(tl.load(part + tl.arange(0, P))))


@triton.jit
def init_and_add(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(out, tl.sum(tl.load(x + i, mask=i < n, other=0)))


@triton.jit
def init_and_add_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    if tl.program_id(0) == 0:
        tl.store(out, 0.0)
    tl.atomic_add(out, tl.sum(tl.load(x + i, mask=i < n, other=0)))


@triton.jit
def shared_out(x, out, n, B: tl.constexpr):
    for at in range(tl.program_id(0) * B, n, tl.num_programs(0) * B):
        i = at + tl.arange(0, B)
        tl.store(out + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


@triton.jit
def shared_out_wrong(x, out, n, B: tl.constexpr):
    for at in range(tl.program_id(0) * B, n, B):
        i = at + tl.arange(0, B)
        tl.store(out + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


@triton.jit
def hist_begun(x, out, n, BINS: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(out + tl.load(x + i, mask=i < n, other=0), 1, mask=i < n)


@triton.jit
def hist_begun_wrong(x, out, n, BINS: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    if tl.program_id(0) == 0:
        tl.store(out + tl.arange(0, BINS), tl.zeros((BINS,), tl.int32))
    tl.atomic_add(out + tl.load(x + i, mask=i < n, other=0), 1, mask=i < n)


@triton.jit
def sketch(x, out, w, seed, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + r * w + c, mask=c < w, other=0)
    tl.store(out + r, tl.sum(v * tl.randn(seed, c)))


@triton.jit
def sketch_wrong(x, out, w, seed, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + r * w + c, mask=c < w, other=0)
    tl.store(out + r * w + c, v + tl.randn(seed, c), mask=c < w)


@triton.jit
def guarded(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    is_needed = tl.where(tl.program_id(0) * B < n, 1, 0)
    for k in range(0, is_needed, 1):
        tl.store(out + i, tl.load(x + i + k, mask=i + k < n), mask=i < n)


@triton.jit
def guarded_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    is_needed = tl.where(tl.program_id(0) * B < n, 2, 0)
    for k in range(0, is_needed, 1):
        tl.store(out + i, tl.load(x + i + k, mask=i + k < n, other=0), mask=i < n)
