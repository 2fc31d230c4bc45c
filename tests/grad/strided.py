"""Rows and columns at strides that are known only at run time, as most kernels have them."""

import triton
import triton.language as tl


@triton.jit
def softmax(out, x, x_stride, out_stride, n_rows, n_cols, BLOCK: tl.constexpr):
    """Rows in turns: each program does every so many."""
    for row in tl.range(tl.program_id(0), n_rows, tl.num_programs(0)):
        cols = tl.arange(0, BLOCK)
        v = tl.load(x + row * x_stride + cols, mask=cols < n_cols, other=-float("inf"))
        e = tl.exp(v - tl.max(v, axis=0))
        tl.store(out + row * out_stride + cols, e / tl.sum(e, axis=0), mask=cols < n_cols)


@triton.jit
def layer_norm(x, w, b, out, stride, n, eps, BLOCK: tl.constexpr):
    """Long rows, in three passes."""
    x += tl.program_id(0) * stride
    out += tl.program_id(0) * stride
    total = tl.zeros([BLOCK], tl.float32)
    for first in range(0, n, BLOCK):
        at = first + tl.arange(0, BLOCK)
        total += tl.load(x + at, mask=at < n, other=0.0)
    mean = tl.sum(total, axis=0) / n
    squares = tl.zeros([BLOCK], tl.float32)
    for first in range(0, n, BLOCK):
        at = first + tl.arange(0, BLOCK)
        off = tl.where(at < n, tl.load(x + at, mask=at < n, other=0.0) - mean, 0.0)
        squares += off * off
    scale = 1 / tl.sqrt(tl.sum(squares, axis=0) / n + eps)
    for first in range(0, n, BLOCK):
        at = first + tl.arange(0, BLOCK)
        norm = (tl.load(x + at, mask=at < n, other=0.0) - mean) * scale
        tl.store(out + at, norm * tl.load(w + at, mask=at < n) + tl.load(b + at, mask=at < n), mask=at < n)


@triton.jit
def squares(x, out, M, N, xm, xn, om, on, BM: tl.constexpr, BN: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    inside = (i[:, None] < M) & (j[None, :] < N)
    a = tl.load(x + i[:, None] * xm + j[None, :] * xn, mask=inside)
    tl.store(out + i[:, None] * om + j[None, :] * on, a * a, mask=inside)


@triton.jit
def product(a, b, c, M, N, K, am, ak, bk, bn, cm, cn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Of matrices, with pointers that are carried on."""
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    at_a = a + i[:, None] * am + k[None, :] * ak
    at_b = b + k[:, None] * bk + j[None, :] * bn
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for s in range(0, tl.cdiv(K, BK)):
        x = tl.load(at_a, mask=(i[:, None] < M) & (k[None, :] < K - s * BK), other=0.0)
        y = tl.load(at_b, mask=(j[None, :] < N) & (k[:, None] < K - s * BK), other=0.0)
        total = tl.dot(x, y, total)
        at_a += BK * ak
        at_b += BK * bk
    tl.store(c + i[:, None] * cm + j[None, :] * cn, total, mask=(i[:, None] < M) & (j[None, :] < N))


@triton.jit
def heads(x, out, batch, head, step, length, D: tl.constexpr, BLOCK: tl.constexpr):
    """Four dimensions: each vector to length 1."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    d = tl.arange(0, D)
    places = tl.program_id(2) * batch + tl.program_id(1) * head + at[:, None] * step + d[None, :]
    inside = at[:, None] < length
    v = tl.load(x + places, mask=inside, other=1.0)
    tl.store(out + places, v / tl.sqrt(tl.sum(v * v, axis=1))[:, None], mask=inside)


@triton.jit
def interleaved(x, out, stride, n, BLOCK: tl.constexpr):
    """Pairs as numbers with two parts: their sizes."""
    at = tl.arange(0, BLOCK)
    pair = x + tl.program_id(0) * stride + 2 * at
    a, b = tl.load(pair, mask=at < n, other=1.0), tl.load(pair + 1, mask=at < n, other=1.0)
    tl.store(out + tl.program_id(0) * n + at, tl.sqrt(a * a + b * b), mask=at < n)


@triton.jit
def halves(x, out, stride, n, BLOCK: tl.constexpr):
    """A gate behind the values of each row."""
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    a = tl.load(x + row * stride + at, mask=at < n, other=0.0)
    gate = tl.load(x + row * stride + n + at, mask=at < n, other=0.0)
    tl.store(out + row * n + at, a * tl.sigmoid(gate), mask=at < n)


@triton.jit
def slabs(x, out, n, COUNT: tl.constexpr, BLOCK: tl.constexpr):
    """Several arrays behind each other."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    sum = tl.zeros([BLOCK], tl.float32)
    for k in tl.static_range(COUNT):
        sum = tl.sin(sum + tl.load(x + k * n + at, mask=at < n, other=0.0))
        tl.store(out + (COUNT - 1 - k) * n + at, sum, mask=at < n)


@triton.jit
def next_row(x, out, n, BLOCK: tl.constexpr):
    """Programs meet at the rows of their neighbours."""
    row = tl.program_id(0) * n
    at = tl.arange(0, BLOCK)
    a = tl.load(x + row + at, mask=at < n, other=0.0)
    b = tl.load(x + row + n + at, mask=at < n, other=0.0)
    tl.store(out + row + at, a * b, mask=at < n)


@triton.jit
def tracked(z, q, r, out, steps, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    """A row has as many elements as a constant says, less than there are lanes, which the mask keeps these below."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < WIDTH
    drift = tl.exp(tl.load(q + at, mask=inside, other=0.0))
    noise = tl.exp(tl.load(r + at, mask=inside, other=0.0))
    x = tl.zeros((BLOCK,), tl.float32)
    p = tl.full((BLOCK,), 1.0, tl.float32)
    for t in range(steps):
        p += drift
        gain = p / (p + noise)
        x += gain * (tl.load(z + t * WIDTH + at, mask=inside, other=0.0) - x)
        p = (1 - gain) * p
        tl.store(out + t * WIDTH + at, x, mask=inside)


@triton.jit
def whole_blocks(x, out, stride, n, BLOCK: tl.constexpr):
    """No mask: the last block goes on behind n elements, and may reach the next row."""
    total = tl.zeros([BLOCK], tl.float32)
    for i in range(0, n, BLOCK):
        a = tl.load(x + tl.program_id(0) * stride + i + tl.arange(0, BLOCK))
        total += a * a * a
    tl.store(out + tl.program_id(0), tl.sum(total, axis=0))
