"""Results that are dropped, or do not fit; planted_results.txt has the commands."""

import triton
import triton.language as tl


@triton.jit
def _added(total, v):
    total += v
    return total


@triton.jit
def _add_to(total, v):
    total += v


@triton.jit
def _checked(v, CHECK: tl.constexpr):
    if CHECK:
        tl.device_assert(v == v)
    return v


@triton.jit
def helper(x, out, n, B: tl.constexpr):
    tl.static_assert(B >= 16)
    total = tl.zeros((B,), tl.float32)
    for k in range(0, n, B):
        i = tl.multiple_of(k, B) + tl.arange(0, B)
        tl.max_contiguous(i, B)
        v = tl.load(x + i, mask=i < n, other=0.0)
        _checked(v, False)
        total = _added(total, v)
    tl.store(out, tl.sum(total))


@triton.jit
def helper_wrong(x, out, n, B: tl.constexpr):
    total = tl.zeros((B,), tl.float32)
    for k in range(0, n, B):
        i = k + tl.arange(0, B)
        _add_to(total, tl.load(x + i, mask=i < n, other=0.0))
    tl.store(out, tl.sum(total))


@triton.jit
def turned(x, out, B: tl.constexpr):
    i = tl.arange(0, B)[:, None]
    k = tl.arange(0, B)[None, :]
    v = tl.load(x + i * B + k)
    v = tl.trans(v)
    tl.store(out + i * B + k, v)


@triton.jit
def turned_wrong(x, out, B: tl.constexpr):
    i = tl.arange(0, B)[:, None]
    k = tl.arange(0, B)[None, :]
    v = tl.load(x + i * B + k)
    tl.trans(v)
    tl.store(out + i * B + k, v)


@triton.jit
def _clipped(v):
    return tl.minimum(tl.maximum(v, 0.0), 1.0)


@triton.jit
def clipped(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, _clipped(tl.load(x + i, mask=i < n)), mask=i < n)


@triton.jit
def clipped_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    _clipped(v)
    tl.store(out + i, v, mask=i < n)


@triton.jit
def positions(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    weight = (tl.arange(0, B) * 2).to(tl.float16) * i.to(tl.float32)
    tl.store(out + i, tl.load(x + i, mask=i < n) * weight, mask=i < n)


@triton.jit
def positions_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i < n) * i.to(tl.float16), mask=i < n)


@triton.jit
def areas(w, h, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    hash = tl.load(w + i, mask=i < n, other=0) * 1664525
    area = tl.load(w + i, mask=i < n, other=0).to(tl.int64) * tl.load(h + i, mask=i < n, other=0)
    tl.store(out + i, area + (hash.to(tl.int64) & 0), mask=i < n)


@triton.jit
def areas_wrong(w, h, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    area = tl.load(w + i, mask=i < n, other=0) * tl.load(h + i, mask=i < n, other=0)
    tl.store(out + i, area.to(tl.int64), mask=i < n)


@triton.jit
def magnitude(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.store(out, tl.max(tl.abs(v).to(tl.uint8), axis=0))


@triton.jit
def magnitude_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.store(out, tl.max(tl.abs(v), axis=0))


@triton.jit
def count(x, out, n, B: tl.constexpr):
    total = tl.zeros((B,), tl.int32)
    for k in range(0, n, B):
        i = k + tl.arange(0, B)
        total += (tl.load(x + i, mask=i < n, other=0.0) > 0).to(tl.int32)
    tl.store(out, tl.sum(total))


@triton.jit
def halves(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    at = (i - 1) // 2
    at = tl.where((i - 1) % 2 < 0, at - 1, at)
    above = tl.where(i >= 1, (i - 1) // 4, 0)
    inside = (at >= 0) & (i < n)
    tl.store(out + i, tl.load(x + at, mask=inside, other=0.0) + above, mask=i < n)


@triton.jit
def halves_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    at = (i - 1) // 2
    inside = (at >= 0) & (i < n)
    tl.store(out + i, tl.load(x + at, mask=inside, other=0.0), mask=i < n)


@triton.jit
def table(x, at, out, w, B: tl.constexpr):
    i = tl.program_id(0)
    c = tl.arange(0, B)
    row = tl.load(at + i).to(tl.int32)
    tl.store(out + i * w + c, tl.load(x + (row * 20 + c), mask=c < w), mask=c < w)


@triton.jit
def table_wrong(x, at, out, w, B: tl.constexpr):
    i = tl.program_id(0)
    c = tl.arange(0, B)
    row = tl.load(at + i)
    tl.store(out + i * w + c, tl.load(x + (row * 20 + c.to(tl.uint8)), mask=c < w), mask=c < w)


# --- tiles and programs ---


@triton.jit
def tiles_of_all(x, out, n, B: tl.constexpr):
    for t in range(tl.program_id(0), tl.cdiv(n, B), tl.num_programs(0)):
        i = t * B + tl.arange(0, B)
        tl.store(out + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


@triton.jit
def tiles_of_all_wrong(x, out, n, B: tl.constexpr):
    for t in range(tl.program_id(0), tl.cdiv(n, B), tl.num_programs(1)):
        i = t * B + tl.arange(0, B)
        tl.store(out + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


@triton.jit
def either(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.store(out + i, (v == (1 | 2)) | (v == 1), mask=i < n)


@triton.jit
def either_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.store(out + i, v == 1 | 2, mask=i < n)


@triton.jit
def centred(x, out, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i[:, None] * B + i[None, :])
    s = tl.sum(v, axis=1) / B
    both = v / tl.sqrt(s[:, None]) / tl.sqrt(s[None, :])
    other = tl.trans(v) - (tl.sum(v, axis=1) / B)[None, :]
    tl.store(out + i[:, None] * B + i[None, :], both + other)


@triton.jit
def centred_wrong(x, out, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i[:, None] * B + i[None, :])
    tl.store(out + i[:, None] * B + i[None, :], v - (tl.sum(v, axis=1) / B)[None, :])


@triton.jit
def entropy(p, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(p + i, mask=i < n, other=1.0)
    tl.store(out, tl.sum(tl.where(v > 0, -v * tl.log(v), 0.0)))


@triton.jit
def entropy_wrong(p, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(p + i, mask=i < n, other=1.0)
    tl.store(out, tl.sum(-v * tl.log(v)))


@triton.jit
def _larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def max_from_behind(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=-float("inf"))
    tl.store(out + i, tl.associative_scan(v, 0, _larger, reverse=True), mask=i < n)


@triton.jit
def max_from_behind_wrong(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.store(out + i, tl.associative_scan(v, 0, _larger, reverse=True), mask=i < n)


@triton.jit
def to_integers(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i < n).to(tl.int32), mask=i < n)


@triton.jit
def to_integers_wrong(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def where_best(x, out, n, B: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + row * n + i, mask=i < n, other=-float("inf"))
    tl.store(out + row, tl.argmax(v, 0))


@triton.jit
def averages(x, out, w, B: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, B)
    scale = 1.0 / w
    tl.store(out + row, tl.sum(tl.load(x + row * w + i, mask=i < w, other=0)) * scale)


@triton.jit
def averages_wrong(x, out, w, B: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, B)
    scale = 1 // w
    tl.store(out + row, tl.sum(tl.load(x + row * w + i, mask=i < w, other=0)) * scale)
