"""Online softmax that does not begin with nothing: a sink, a one in the sum, a row that is there already."""

import triton
import triton.language as tl


@triton.jit
def with_sink(Q, K, V, sink, O, scale, T, WINDOW, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    start = tl.program_id(0)
    h = tl.program_id(1)
    m = start * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    q = tl.load(Q + (h * T + m[:, None]) * D + d[None, :], mask=m[:, None] < T, other=0.0)
    top = tl.zeros([BM], tl.float32) + tl.load(sink + h)
    total = tl.full([BM], 1.0, tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for j in range(tl.maximum(start * BM - WINDOW, 0) // BN * BN, (start + 1) * BM, BN):
        n = j + tl.arange(0, BN)
        k = tl.load(K + (h * T + n[None, :]) * D + d[:, None], mask=n[None, :] < T, other=0.0)
        s = tl.dot(q, k) * scale
        s = tl.where((m[:, None] >= n[None, :]) & (m[:, None] - n[None, :] < WINDOW), s, float("-inf"))
        new = tl.maximum(top, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        fade = tl.exp(top - new)
        total = total * fade + tl.sum(p, 1)
        v = tl.load(V + (h * T + n[:, None]) * D + d[None, :], mask=n[:, None] < T, other=0.0)
        acc = acc * fade[:, None] + tl.dot(p, v)
        top = new
    tl.store(O + (h * T + m[:, None]) * D + d[None, :], acc / total[:, None], mask=m[:, None] < T)


@triton.jit
def and_one(x, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    top = 0.0
    total = 1.0
    for i in range(0, n, BLOCK):
        o = i + tl.arange(0, BLOCK)
        v = tl.load(x + row * n + o, mask=o < n, other=float("-inf"))
        new = tl.maximum(top, tl.max(v))
        total = total * tl.exp(top - new) + tl.sum(tl.exp(v - new))
        top = new
    for i in range(0, n, BLOCK):
        o = i + tl.arange(0, BLOCK)
        v = tl.load(x + row * n + o, mask=o < n, other=float("-inf"))
        tl.store(out + row * n + o, tl.exp(v - top) / total, mask=o < n)


@triton.jit
def goes_on(x, v, top_so_far, total_so_far, sum_so_far, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    top = tl.load(top_so_far + row)
    total = tl.load(total_so_far + row)
    acc = tl.load(sum_so_far + row)
    for i in range(0, n, BLOCK):
        o = i + tl.arange(0, BLOCK)
        s = tl.load(x + row * n + o, mask=o < n, other=float("-inf"))
        new = tl.maximum(top, tl.max(s))
        fade = tl.exp2((top - new) * 1.4426950408889634)
        p = tl.exp2((s - new) * 1.4426950408889634)
        total = total * fade + tl.sum(p)
        acc = acc * fade + tl.sum(p * tl.load(v + o, mask=o < n, other=0.0))
        top = new
    tl.store(out + row, acc / total)


@triton.jit
def only_the_sum_begins(x, begin, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    top = tl.load(begin + row)
    total = 0.0
    acc = 1.0
    for i in range(0, n, BLOCK):
        o = i + tl.arange(0, BLOCK)
        v = tl.load(x + row * n + o, mask=o < n, other=float("-inf"))
        new = tl.maximum(top, tl.max(v))
        p = tl.exp(v - new)
        total = total * tl.exp(top - new) + tl.sum(p)
        acc = acc * tl.exp(top - new) + tl.sum(tl.where(o < n, p * v, 0.0))
        top = new
    tl.store(out + row, acc / total)


@triton.jit
def add_block(top, total, acc, s, v):
    new = tl.maximum(top, tl.max(s, 1))
    p = tl.exp(s - new[:, None])
    fade = tl.exp(top - new)
    return new, total * fade + tl.sum(p, 1), acc * fade[:, None] + tl.dot(p, v)


@triton.jit
def in_two_stages(Q, K, V, sink, O, L, scale, T, D: tl.constexpr, B: tl.constexpr):
    start = tl.program_id(0)
    h = tl.program_id(1)
    m = start * B + tl.arange(0, B)
    d = tl.arange(0, D)
    at = (h * T + m[:, None]) * D + d[None, :]
    q = tl.load(Q + at)
    top = tl.zeros([B], tl.float32) + tl.load(sink + h)
    total = tl.full([B], 1.0, tl.float32)
    acc = tl.zeros([B, D], tl.float32)
    for j in range(0, start * B, B):
        n = (h * T + j + tl.arange(0, B)[:, None]) * D + d[None, :]
        s = tl.dot(q, tl.trans(tl.load(K + n))) * scale
        top, total, acc = add_block(top, total, acc, s, tl.load(V + n))
    for j in range(start * B, (start + 1) * B, B):
        n = (h * T + j + tl.arange(0, B)[:, None]) * D + d[None, :]
        s = tl.dot(q, tl.trans(tl.load(K + n))) * scale
        s = tl.where(m[:, None] >= j + tl.arange(0, B)[None, :], s, float("-inf"))
        top, total, acc = add_block(top, total, acc, s, tl.load(V + n))
    tl.store(O + at, acc / total[:, None], mask=m[:, None] < T)
    tl.store(L + h * T + m, top + tl.log(total), mask=m < T)


@triton.jit
def sink_and_log(x, sink, out, lse, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    top = tl.load(sink + row)
    total = 1.0
    for i in range(0, n, BLOCK):
        o = i + tl.arange(0, BLOCK)
        v = tl.load(x + row * n + o, mask=o < n, other=float("-inf"))
        new = tl.maximum(top, tl.max(v))
        total = total * tl.exp(top - new) + tl.sum(tl.exp(v - new))
        top = new
    tl.store(lse + row, top + tl.log(total))
    for i in range(0, n, BLOCK):
        o = i + tl.arange(0, BLOCK)
        v = tl.load(x + row * n + o, mask=o < n, other=float("-inf"))
        tl.store(out + row * n + o, tl.exp(v - top) / total, mask=o < n)


@triton.jit
def one_and_log(x, out, lse, n, BLOCK: tl.constexpr):
    """What the maximum begins with is a number, and so is what the sum does: 1, or 0."""
    row = tl.program_id(0)
    top, total, least, sums = 0.0, 1.0, -1e30, 0.0
    for i in range(0, n, BLOCK):
        o = i + tl.arange(0, BLOCK)
        v = tl.load(x + row * n + o, mask=o < n, other=-1e30)
        new = tl.maximum(top, tl.max(v))
        total = total * tl.exp(top - new) + tl.sum(tl.exp(v - new))
        top = new
    tl.store(lse + row, top + tl.log(total))
    for i in range(0, n, BLOCK):
        o = i + tl.arange(0, BLOCK)
        v = tl.load(x + row * n + o, mask=o < n, other=-1e30)
        new = tl.maximum(least, tl.max(v))
        sums = sums * tl.exp(least - new) + tl.sum(tl.exp(v - new) * v)
        least = new
    tl.store(out + row, sums * tl.exp(least - top) / total)
