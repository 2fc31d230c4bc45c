"""Products that groups of four warps compute where they have them, in every place of a program."""

import triton
import triton.language as tl


@triton.jit
def pieces(a_ptr, b_ptr, start, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """Columns `start` on of a, which has M rows of k, and those rows of b, which has k rows of N."""
    deep = start + tl.arange(0, K)
    a = tl.load(a_ptr + tl.arange(0, M)[:, None] * k + deep, mask=(deep < k)[None, :], other=0)
    b = tl.load(b_ptr + deep[:, None] * N + tl.arange(0, N), mask=(deep < k)[:, None], other=0)
    return a, b


@triton.jit
def read_sums(a_ptr, b_ptr, c_ptr, top_ptr, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
              STAGES: tl.constexpr):
    """c = a @ b, and of each row what the sum so far was at most, which each round asks for."""
    acc = tl.zeros((M, N), tl.float32)
    top = tl.zeros((M,), tl.float32)
    for start in tl.range(0, k, K, num_stages=STAGES):
        a, b = pieces(a_ptr, b_ptr, start, k, M, N, K)
        acc = tl.dot(a, b, acc)
        top = tl.maximum(top, tl.max(acc, axis=1))
    tl.store(c_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N), acc)
    tl.store(top_ptr + tl.arange(0, M), top)


@triton.jit
def carried_late(a_ptr, b_ptr, c_ptr, d_ptr, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
                 STAGES: tl.constexpr):
    """c = a @ b and d the sum of what the rounds began with: the sum is read in front of the product."""
    acc = tl.zeros((M, N), tl.float32)
    before = tl.zeros((M, N), tl.float32)
    for start in tl.range(0, k, K, num_stages=STAGES):
        a, b = pieces(a_ptr, b_ptr, start, k, M, N, K)
        before += acc
        acc = tl.dot(a, b, acc)
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)
    tl.store(c_ptr + at, acc)
    tl.store(d_ptr + at, before)


@triton.jit
def two_sums(a_ptr, b_ptr, c_ptr, d_ptr, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
             STAGES: tl.constexpr):
    """c = a @ b; d the same of every second piece, less the others: sums that change their places."""
    one = tl.zeros((M, N), tl.float32)
    other = tl.zeros((M, N), tl.float32)
    for start in tl.range(0, k, K, num_stages=STAGES):
        a, b = pieces(a_ptr, b_ptr, start, k, M, N, K)
        one, other = other, tl.dot(a, b, one)
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)
    tl.store(c_ptr + at, one + other)
    tl.store(d_ptr + at, one - other)


@triton.jit
def nested(a_ptr, b_ptr, c_ptr, k, times, skipped, M: tl.constexpr, N: tl.constexpr,
           K: tl.constexpr, STAGES: tl.constexpr):
    """c = the sum over t of (t + 1) times a @ b, without the piece `skipped`."""
    total = tl.zeros((M, N), tl.float32)
    for t in range(times):
        acc = tl.zeros((M, N), tl.float32)
        for start in tl.range(0, k, K, num_stages=STAGES):
            a, b = pieces(a_ptr, b_ptr, start, k, M, N, K)
            if start // K != skipped:
                acc = tl.dot(a, b, acc)
        total += acc * (t + 1)
    tl.store(c_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N), total)


@triton.jit
def outer_sum(a_ptr, b_ptr, c_ptr, k, times, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
              STAGES: tl.constexpr):
    """c = times * a @ b in one sum that two loops carry."""
    acc = tl.zeros((M, N), tl.float32)
    for _ in range(times):
        for start in tl.range(0, k, K, num_stages=STAGES):
            a, b = pieces(a_ptr, b_ptr, start, k, M, N, K)
            acc = tl.dot(a, b, acc)
    tl.store(c_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N), acc)


@triton.jit
def until(a_ptr, b_ptr, c_ptr, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """c = a @ b by a while loop."""
    acc = tl.zeros((M, N), tl.float32)
    start = 0
    while start < k:
        a, b = pieces(a_ptr, b_ptr, start, k, M, N, K)
        acc = tl.dot(a, b, acc)
        start += K
    tl.store(c_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N), acc)


@triton.jit
def changed(a_ptr, b_ptr, c_ptr, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
            STAGES: tl.constexpr, SIDE: tl.constexpr):
    """c = (2 a + 1) @ b, or a @ (2 b + 1), whose operand is computed in registers, and is one in
    columns of a and rows of b that there are not."""
    acc = tl.zeros((M, N), tl.float32)
    for start in tl.range(0, k, K, num_stages=STAGES):
        a, b = pieces(a_ptr, b_ptr, start, k, M, N, K)
        if SIDE == "a":
            a = a * 2 + 1
        else:
            b = b * 2 + 1
        acc = tl.dot(a.to(tl.float16), b.to(tl.float16), acc)
    tl.store(c_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N), acc)


@triton.jit
def alone(a_ptr, b_ptr, c_ptr, d_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
          HALF: tl.constexpr):
    """c = a @ b without a sum to begin with, then d = c + a @ b."""
    a, b = pieces(a_ptr, b_ptr, 0, K, M, N, K)
    kind: tl.constexpr = tl.float16 if HALF else tl.float32
    c = tl.dot(a, b, out_dtype=kind)
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)
    tl.store(c_ptr + at, c)
    tl.store(d_ptr + at, tl.dot(a, b, c, out_dtype=kind))


@triton.jit
def half_rounds(a_ptr, b_ptr, c_ptr, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
                STAGES: tl.constexpr):
    """c = a @ b in sums of fp16."""
    acc = tl.zeros((M, N), tl.float16)
    for start in tl.range(0, k, K, num_stages=STAGES):
        a, b = pieces(a_ptr, b_ptr, start, k, M, N, K)
        acc = tl.dot(a, b, acc, out_dtype=tl.float16)
    tl.store(c_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N), acc)
