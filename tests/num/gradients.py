"""Kernels that tests/num/test_grad.py derives."""

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def arithmetic(x, y, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    a = tl.load(x + offsets, mask=inside, other=1.0)
    b = tl.load(y + offsets, mask=inside, other=1.0)
    product = a * b - 3.0 * a
    tl.store(out + offsets, product / (b * b + 1.0) + tl.abs(a) - (-b), mask=inside)


@triton.jit
def functions(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    a = tl.load(x + offsets, mask=inside, other=0.0)
    small = a * 0.25
    total = tl.exp(small) + tl.sin(a) * tl.cos(a) + tl.log(a * a + 1.0) + tl.sqrt(a * a + 2.0)
    total += tl.rsqrt(a * a + 1.0) + tl.erf(a) + tl.exp2(small) + tl.log2(a * a + 3.0)
    total += libdevice.tanh(a) + libdevice.atan(a) + libdevice.log1p(a * a) + libdevice.sinh(small)
    total += libdevice.expm1(small) + libdevice.asinh(a) + libdevice.cosh(small) + libdevice.erfc(a)
    total += libdevice.pow(a * a + 1.0, small) + libdevice.atan2(a, a * a + 1.0) + libdevice.hypot(a, 2.0)
    tl.store(out + offsets, total, mask=inside)


@triton.jit
def silu(x):
    return x * tl.sigmoid(x)


@triton.jit
def gated(x, y, out, n, SLOPE: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    a = tl.load(x + offsets, mask=inside).to(tl.float32)
    b = tl.load(y + offsets, mask=inside).to(tl.float32)
    leaky = tl.where(b > 0, b, b * SLOPE)
    tl.store(out + offsets, (silu(a) * leaky).to(out.dtype.element_ty), mask=inside)


@triton.jit
def extremes(x, y, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    a = tl.load(x + offsets, mask=inside)
    b = tl.load(y + offsets, mask=inside)
    tl.store(out + offsets, 2.0 * tl.maximum(a, b) + 3.0 * tl.minimum(a, b), mask=inside)


@triton.jit
def largest(x, out, n_cols, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    inside = columns < n_cols
    row = tl.program_id(0)
    values = tl.load(x + row * n_cols + columns, mask=inside, other=-float("inf"))
    tl.store(out + row, tl.max(values, axis=0))


@triton.jit
def pairs(x, out, n, BLOCK: tl.constexpr):
    """Two elements beside each other in one array: both parts of d_x are stored."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    re = tl.load(x + 2 * i, mask=inside)
    im = tl.load(x + 2 * i + 1, mask=inside)
    tl.store(out + i, re * re + 3.0 * im * re, mask=inside)


@triton.jit
def repeated(x, out, n, BLOCK: tl.constexpr):
    """Lanes meet: four of them read one element."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.exp(tl.load(x + i // 4, mask=inside)) * i, mask=inside)


@triton.jit
def running(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    inside = i < n
    a = tl.load(x + i, mask=inside, other=0.0)
    tl.store(out + i, tl.cumsum(a * a, axis=0), mask=inside)


@triton.jit
def outer(x, y, out, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Of tiles with two dimensions: what is repeated is summed."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.arange(0, BLOCK_N)
    a = tl.load(x + rows, mask=rows < M, other=0.0)
    b = tl.load(y + columns, mask=columns < N, other=0.0)
    product = a[:, None] * b[None, :]
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    scale = tl.sum(product * product, axis=1)[:, None] + 1.0
    tl.store(out + rows[:, None] * N + columns[None, :], product / scale, mask=inside)


@triton.jit
def product(a, b, c, M, N, K, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for k in range(0, K, BLOCK):
        depth = k + tl.arange(0, BLOCK)
        left = tl.load(a + rows[:, None] * K + depth[None, :],
                       mask=(rows[:, None] < M) & (depth[None, :] < K), other=0.0)
        right = tl.load(b + depth[:, None] * N + columns[None, :],
                        mask=(depth[:, None] < K) & (columns[None, :] < N), other=0.0)
        total += tl.dot(left, right, input_precision="ieee")
    tl.store(c + rows[:, None] * N + columns[None, :], total,
             mask=(rows[:, None] < M) & (columns[None, :] < N))


@triton.jit
def scaled_sum(x, scale, out, n_cols, BLOCK: tl.constexpr):
    """A scalar from in front of a loop is used in every round."""
    row = tl.program_id(0)
    by = tl.load(scale + row)
    total = 0.0
    for start in range(0, n_cols, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        values = tl.load(x + row * n_cols + columns, mask=columns < n_cols, other=0.0)
        total += tl.sum(tl.exp(values * by) * values, axis=0)
    tl.store(out + row, total * by)


@triton.jit
def attend(q, k, v, out, n, scale, D: tl.constexpr, BLOCK: tl.constexpr):
    """softmax(q k^T) v of rows that one tile holds."""
    rows = tl.arange(0, BLOCK)
    columns = tl.arange(0, D)
    at = rows[:, None] * D + columns[None, :]
    inside = rows[:, None] < n
    queries = tl.load(q + at, mask=inside, other=0.0)
    keys = tl.load(k + at, mask=inside, other=0.0)
    values = tl.load(v + at, mask=inside, other=0.0)
    scores = tl.dot(queries, tl.trans(keys), input_precision="ieee") * scale
    scores = tl.where(rows[None, :] < n, scores, -float("inf"))
    weights = tl.exp(scores - tl.max(scores, axis=1, keep_dims=True))
    weights = weights / tl.sum(weights, axis=1, keep_dims=True)
    tl.store(out + at, tl.dot(weights, values, input_precision="ieee"), mask=inside)


@triton.jit
def nested(x, y, out, rows, n_cols, BLOCK: tl.constexpr):
    """A loop in a loop, whose sum is squared, and a pointer that is carried."""
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    lanes = tl.arange(0, BLOCK)
    factors = tl.load(y + lanes)
    for row in range(rows):
        part = tl.zeros((BLOCK,), dtype=tl.float32)
        at = x + row * n_cols + lanes
        for start in range(0, n_cols, BLOCK):
            part += tl.load(at, mask=start + lanes < n_cols, other=0.0) * factors
            at += BLOCK
        total += part * part
    tl.store(out + lanes, total)


@triton.jit
def shaped(x, out, BLOCK: tl.constexpr):
    """Reshaped, permuted, summed, multiplied along; unrolled by the compiler."""
    i = tl.arange(0, 24)
    a = tl.reshape(tl.load(x + i), (2, 3, 4))
    b = tl.permute(a, (2, 0, 1))
    low = tl.min(b, axis=0)
    total = tl.reshape(b * low[None, :, :], (24,))
    for k in tl.static_range(3):
        total += tl.fma(tl.load(x + 8 * k), total, 1.0) * tl.load(x + k)
    tl.store(out + i, total / (1.0 + tl.exp(-total)))


@triton.jit
def swapped(x, out, n, BLOCK: tl.constexpr):
    """Carried numbers that change places each round, and a product that each round reads."""
    lanes = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    first = 0
    second = 1
    for _ in range(n):
        total += tl.load(x + first * BLOCK + lanes) * (2.0 + second)
        first, second = second, first
    tl.store(out + lanes, total)


@triton.jit
def lessened(x, y, out, n, BLOCK: tl.constexpr):
    """Sums by subtraction and by fma."""
    lanes = tl.arange(0, BLOCK)
    left = tl.zeros((BLOCK,), dtype=tl.float32)
    products = tl.zeros((BLOCK,), dtype=tl.float32)
    for i in range(n):
        a = tl.load(x + i * BLOCK + lanes)
        b = tl.load(y + i)
        left -= a * a * b
        products = tl.fma(a, b + a, products)
    tl.store(out + lanes, left * products)


@triton.jit
def columns(x, w, out, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """One weight a column, loaded for each row: lanes meet, and programs."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    at = tl.arange(0, BLOCK_N)
    inside = (rows[:, None] < M) & (at[None, :] < N)
    a = tl.load(x + rows[:, None] * N + at[None, :], mask=inside).to(tl.float32)
    weights = tl.load(w + at[None, :], mask=inside).to(tl.float32)
    tl.store(out + rows[:, None] * N + at[None, :], tl.exp(a * weights) * weights, mask=inside)


@triton.jit
def rounds(x, w, b, out, rows, n_cols, BLOCK: tl.constexpr):
    """What each round loads again, in two loops."""
    at = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for row in range(rows):
        for _ in range(2):
            weights = tl.load(w + at, mask=at < n_cols)
            total += tl.load(x + row * n_cols + at, mask=at < n_cols) * weights + tl.sin(weights * tl.load(b))
    tl.store(out + at, total, mask=at < n_cols)


@triton.jit
def channels(x, w, out, n, BLOCK: tl.constexpr):
    """A program for each channel and sample; samples meet at the channel's two weights."""
    channel = tl.program_id(0)
    sample = tl.program_id(1)
    factor = tl.load(w + channel * 2)
    shift = tl.load(w + channel * 2 + 1)
    row = sample * tl.num_programs(0) + channel
    total = 0.0
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        a = tl.load(x + row * n + at, mask=at < n, other=0.0) * factor + shift
        total += tl.sum(tl.where(at < n, 2.0 / (1.0 + tl.exp(-2.0 * a)) - 1.0, 0.0), axis=0)
    tl.store(out + row, total)


@triton.jit
def grid(x, w, out, n):
    """Programs of two axes meet at one element."""
    at = tl.program_id(1) * n + tl.program_id(0)
    a = tl.load(x + at) * tl.load(w)
    tl.store(out + at, a * a * a)


@triton.jit
def branches(x, y, out, n, limit, BLOCK: tl.constexpr):
    """Branches by an argument, by the program, by what was loaded; a return."""
    pid = tl.program_id(0)
    if pid * BLOCK >= n:
        return
    at = pid * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    a = tl.load(x + at, mask=inside, other=0.0)
    scale = tl.load(y + pid)
    if n > limit:
        a = a * a * scale
    if pid % 2 == 0:
        b = tl.load(y + pid + 1)
        a = tl.exp(a * b) * scale
    else:
        a = tl.sin(a) + a
    if scale > 0:
        tl.store(out + at, a * scale, mask=inside)
    else:
        tl.store(out + at, 3.0 * a, mask=inside)


@triton.jit
def parity(x, y, out, n, BLOCK: tl.constexpr):
    """A branch in each round of a loop that stores, a sum in a branch, and a `while` over integers."""
    at = tl.arange(0, BLOCK)
    scale = tl.load(y)
    power = 1
    while power < n:
        power *= 2
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    if n > 2:
        for k in range(n):
            total += tl.load(x + k * BLOCK + at) * tl.load(y)
    for i in range(n):
        row = i * BLOCK + at
        a = tl.load(x + row)
        if i % 2 == 1:
            a = a * a * scale
        tl.store(out + row, a * power + total)


@triton.jit
def spread(x, y, out, n, BLOCK: tl.constexpr):
    """A loop that stores what was computed in front of it, and computes nothing that is differentiated."""
    at = tl.arange(0, BLOCK)
    a = tl.exp(tl.load(x + at)) * tl.load(y + at)
    for i in range(n):
        tl.store(out + i * BLOCK + at, a)


@triton.jit
def recurrence(x, a, start, out, last, n, width, BLOCK: tl.constexpr):
    """h = a * h + x along time, stored and squared, by a pointer that is carried."""
    lanes = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = lanes < width
    h = tl.load(start + lanes, mask=inside)
    at = x + lanes
    for t in range(n):
        h = h * tl.load(a + t) + tl.load(at, mask=inside)
        at += width
        tl.store(out + t * width + lanes, h * h, mask=inside)
    tl.store(last + lanes, h, mask=inside)


@triton.jit
def online(x, out, n, BLOCK: tl.constexpr):
    """Logarithm of the sum of exp of a long row, in one pass."""
    row = tl.program_id(0)
    top = -float("inf")
    total = 0.0
    for start in range(0, n, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        a = tl.load(x + row * n + columns, mask=columns < n, other=-float("inf"))
        highest = tl.maximum(top, tl.max(a, axis=0))
        total = total * tl.exp(top - highest) + tl.sum(tl.exp(a - highest), axis=0)
        top = highest
    tl.store(out + row, top + tl.log(total))


@triton.jit
def rotated(x, y, out, n, BLOCK: tl.constexpr):
    """Values that change places, a count that doubles, a product, a sum beside it, a loop in the loop with rounds
    of its own, and a branch."""
    lanes = tl.arange(0, BLOCK)
    pid = tl.program_id(0)
    first = tl.load(x + pid * BLOCK + lanes)
    second = tl.load(y + lanes)
    third = first * second
    weight = 1
    product = tl.full((BLOCK,), 1.0, tl.float32)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for i in range(1, n + pid, 2):
        for k in range(i):
            product *= first * 0.5 + k
        if i % 3 == 0:
            third = third * second + i
        total += weight * tl.sin(first) * second
        first, second, third = second, third, first
        weight = 3 - weight
        product = product / (1.0 + tl.abs(product))
    tl.store(out + pid * BLOCK + lanes, product + total + first * second + third)


@triton.jit
def flash(q, k, v, out, n_queries, n_keys, scale, D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
          CAUSAL: tl.constexpr):
    """Attention in one pass over the keys."""
    block = tl.program_id(0)
    rows = block * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.arange(0, D)
    queries = tl.load(q + rows[:, None] * D + columns[None, :], mask=rows[:, None] < n_queries, other=0.0)
    top = tl.full((BLOCK_M,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    result = tl.zeros((BLOCK_M, D), dtype=tl.float32)
    stop = tl.minimum((block + 1) * BLOCK_M, n_keys) if CAUSAL else n_keys
    for start in range(0, stop, BLOCK_N):
        keys = start + tl.arange(0, BLOCK_N)
        inside = keys[:, None] < n_keys
        key = tl.load(k + keys[:, None] * D + columns[None, :], mask=inside, other=0.0)
        value = tl.load(v + keys[:, None] * D + columns[None, :], mask=inside, other=0.0)
        scores = tl.dot(queries, tl.trans(key), input_precision="ieee") * scale
        seen = keys[None, :] < n_keys
        if CAUSAL:
            seen = seen & (keys[None, :] <= rows[:, None])
        scores = tl.where(seen, scores, -float("inf"))
        highest = tl.maximum(top, tl.max(scores, axis=1))
        weights = tl.exp(scores - highest[:, None])
        fade = tl.exp(top - highest)
        total = total * fade + tl.sum(weights, axis=1)
        result = result * fade[:, None] + tl.dot(weights, value, input_precision="ieee")
        top = highest
    tl.store(out + rows[:, None] * D + columns[None, :], result / total[:, None], mask=rows[:, None] < n_queries)


@triton.jit
def states(x, gate, out, n, BLOCK: tl.constexpr):
    """From the end to the begin of time, with a gate that may skip a step, and pointers that are carried."""
    lanes = tl.arange(0, BLOCK)
    h = tl.zeros((BLOCK,), dtype=tl.float32)
    c = 1.0
    at = x + (n - 1) * BLOCK + lanes
    for t in range(n - 1, -1, -1):
        a = tl.load(at)
        g = tl.load(gate + t)
        if g > 0:
            h = h * g + a * c
            c = c * 0.5 + tl.sum(h, axis=0) * 0.1
        tl.store(out + t * BLOCK + lanes, h * c)
        at += -BLOCK


@triton.jit
def deep(x, y, out, n, BLOCK: tl.constexpr):
    """A recurrence in a branch in a recurrence, with a load that does not follow the rounds."""
    pid = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    h = tl.load(x + pid * BLOCK + lanes)
    for i in range(n):
        if i % 2 == pid % 2:
            g = h
            for k in range(0, i + 2):
                g = g * tl.load(y) + tl.load(y + 1) / (k + 1.0)
            h = h * 0.5 + tl.sin(g)
        else:
            h = h * tl.load(y + 2)
    tl.store(out + pid * BLOCK + lanes, h)


@triton.jit
def softmax_long(x, out, n, BLOCK: tl.constexpr):
    """In two passes over a long row, the first with a running maximum."""
    row = tl.program_id(0)
    top = tl.full((BLOCK,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        a = tl.load(x + row * n + at, mask=at < n, other=-float("inf")).to(tl.float32)
        highest = tl.maximum(top, a)
        base = tl.where(highest == -float("inf"), 0.0, highest)
        total = total * tl.exp(top - base) + tl.exp(a - base)
        top = highest
    most = tl.max(top, axis=0)
    whole = tl.sum(total * tl.exp(top - most), axis=0)
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        a = tl.load(x + row * n + at, mask=at < n, other=0.0).to(tl.float32)
        tl.store(out + row * n + at, (tl.exp(a - most) / whole).to(out.dtype.element_ty), mask=at < n)
