"""Kernels as people write them who want their model to run, untuned: rows of gpu_plain.py, for tilec and Triton alike."""

import triton
import triton.language as tl

# --- one element after the other -----------------------------------------------------------------


@triton.jit
def gelu(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n).to(tl.float32)
    y = 0.5 * x * (1 + tl.math.erf(x * 0.7071067811865476))
    tl.store(y_ptr + i, y, mask=i < n)


@triton.jit
def silu_backward(dy_ptr, x_ptr, dx_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n).to(tl.float32)
    s = tl.sigmoid(x)
    dx = tl.load(dy_ptr + i, mask=i < n).to(tl.float32) * s * (1 + x * (1 - s))
    tl.store(dx_ptr + i, dx, mask=i < n)


@triton.jit
def relu(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(y_ptr + i, tl.where(x > 0, x, 0), mask=i < n)


@triton.jit
def dim(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    """Bytes, darker: x * 3 / 4."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n).to(tl.int32)
    tl.store(y_ptr + i, (x * 3 >> 2).to(tl.uint8), mask=i < n)


@triton.jit
def cast(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n).to(y_ptr.dtype.element_ty), mask=i < n)


@triton.jit
def clamped_axpy(x_ptr, y_ptr, out_ptr, n, a, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x, y = tl.load(x_ptr + i, mask=i < n), tl.load(y_ptr + i, mask=i < n)
    tl.store(out_ptr + i, tl.minimum(tl.maximum(a * x + y, -1.0), 1.0), mask=i < n)


@triton.jit
def dropout(x_ptr, y_ptr, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(y_ptr + i, tl.where(tl.rand(seed, i) > p, x / (1 - p), 0.0), mask=i < n)


@triton.jit
def adam(p_ptr, g_ptr, m_ptr, v_ptr, n, rate, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    g = tl.load(g_ptr + i, mask=inside)
    m = 0.9 * tl.load(m_ptr + i, mask=inside) + 0.1 * g
    v = 0.99 * tl.load(v_ptr + i, mask=inside) + 0.01 * g * g
    p = tl.load(p_ptr + i, mask=inside) - rate * m / (tl.sqrt(v) + 1e-8)
    tl.store(m_ptr + i, m, mask=inside)
    tl.store(v_ptr + i, v, mask=inside)
    tl.store(p_ptr + i, p, mask=inside)


@triton.jit
def unpack_int4(q_ptr, scale_ptr, y_ptr, n, GROUP: tl.constexpr, BLOCK: tl.constexpr):
    """Two 4-bit numbers a byte, the lower one first, less 8, times the scale of their group."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    q = tl.load(q_ptr + i // 2, mask=i < n)
    x = ((q >> (i % 2 * 4).to(tl.uint8)) & 15).to(tl.float32) - 8
    tl.store(y_ptr + i, x * tl.load(scale_ptr + i // GROUP, mask=i < n), mask=i < n)


# --- rows ----------------------------------------------------------------------------------------


@triton.jit
def swiglu(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    """Rows [a, b] of 2 n: silu(a) * b."""
    row = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    a = tl.load(x_ptr + row * 2 * n + c, mask=c < n).to(tl.float32)
    b = tl.load(x_ptr + row * 2 * n + n + c, mask=c < n)
    tl.store(y_ptr + row * n + c, (a * tl.sigmoid(a)).to(b.dtype) * b, mask=c < n)


@triton.jit
def rms_norm(x_ptr, w_ptr, y_ptr, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + c, mask=c < n, other=0).to(tl.float32)
    r = tl.rsqrt(tl.sum(x * x) / n + eps)
    tl.store(y_ptr + row * n + c, x * r * tl.load(w_ptr + c, mask=c < n), mask=c < n)


@triton.jit
def add_rms_norm(x_ptr, res_ptr, w_ptr, y_ptr, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + c, mask=c < n, other=0).to(tl.float32)
    x += tl.load(res_ptr + row * n + c, mask=c < n, other=0).to(tl.float32)
    r = tl.rsqrt(tl.sum(x * x) / n + eps)
    tl.store(y_ptr + row * n + c, x * r * tl.load(w_ptr + c, mask=c < n), mask=c < n)


@triton.jit
def quantise_rows(x_ptr, q_ptr, scale_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + c, mask=c < n, other=0).to(tl.float32)
    scale = tl.max(tl.abs(x)) / 127
    q = x / scale
    q = tl.where(q >= 0, q + 0.5, q - 0.5)
    tl.store(q_ptr + row * n + c, q.to(tl.int8), mask=c < n)
    tl.store(scale_ptr + row, scale)


@triton.jit
def quantise_groups(x_ptr, q_ptr, scale_ptr, GROUP: tl.constexpr, GROUPS: tl.constexpr):
    """fp8 with one scale for each GROUP elements, GROUPS of them a program."""
    g = tl.program_id(0) * GROUPS + tl.arange(0, GROUPS)
    at = g[:, None] * GROUP + tl.arange(0, GROUP)[None, :]
    x = tl.load(x_ptr + at).to(tl.float32)
    scale = tl.maximum(tl.max(tl.abs(x), axis=1), 1e-6) / 448
    tl.store(q_ptr + at, (x / scale[:, None]).to(tl.float8e4nv))
    tl.store(scale_ptr + g, scale)


@triton.jit
def masked_softmax(x_ptr, y_ptr, n, scale, BLOCK: tl.constexpr):
    """Causal: row r of each [n, n] has r + 1 elements."""
    row = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + c, mask=c < n, other=0).to(tl.float32) * scale
    x = tl.where(c <= row % n, x, float("-inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * n + c, e / tl.sum(e, axis=0), mask=c < n)


@triton.jit
def online_softmax(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    """Rows that are longer than a tile, in two passes."""
    row = tl.program_id(0).to(tl.int64)
    top = float("-inf")
    total = 0.0
    for start in range(0, n, BLOCK):
        c = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n + c, mask=c < n, other=float("-inf")).to(tl.float32)
        higher = tl.maximum(top, tl.max(x))
        total = total * tl.exp(top - higher) + tl.sum(tl.exp(x - higher))
        top = higher
    for start in range(0, n, BLOCK):
        c = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n + c, mask=c < n).to(tl.float32)
        tl.store(y_ptr + row * n + c, tl.exp(x - top) / total, mask=c < n)


@triton.jit
def online_cross_entropy(x_ptr, label_ptr, loss_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    top = float("-inf")
    total = 0.0
    for start in range(0, n, BLOCK):
        c = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n + c, mask=c < n, other=float("-inf")).to(tl.float32)
        higher = tl.maximum(top, tl.max(x))
        total = total * tl.exp(top - higher) + tl.sum(tl.exp(x - higher))
        top = higher
    chosen = tl.load(x_ptr + row * n + tl.load(label_ptr + row)).to(tl.float32)
    tl.store(loss_ptr + row, top + tl.log(total) - chosen)


@triton.jit
def log_sum_exp(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + c, mask=c < n, other=float("-inf"))
    top = tl.max(x, axis=0)
    tl.store(y_ptr + row, tl.log(tl.sum(tl.exp(x - top), axis=0)) + top)


@triton.jit
def argmax_rows(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + c, mask=c < n, other=float("-inf"))
    tl.store(y_ptr + row, tl.argmax(x, axis=0))


@triton.jit
def cumsum_rows(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + c, mask=c < n, other=0)
    tl.store(y_ptr + row * n + c, tl.cumsum(x, axis=0), mask=c < n)


@triton.jit
def sort_rows(x_ptr, y_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + at, tl.sort(tl.load(x_ptr + at)))


@triton.jit
def topk_rows(x_ptr, y_ptr, K: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x = tl.load(x_ptr + row * BLOCK + tl.arange(0, BLOCK))
    tl.store(y_ptr + row * K + tl.arange(0, K), tl.topk(x, K))


@triton.jit
def rope(x_ptr, cos_ptr, sin_ptr, y_ptr, heads, D: tl.constexpr):
    """A head a program: halves turned against each other by the angles of its position."""
    at = tl.program_id(0).to(tl.int64)
    half = tl.arange(0, D // 2)
    cos = tl.load(cos_ptr + at // heads * (D // 2) + half)
    sin = tl.load(sin_ptr + at // heads * (D // 2) + half)
    a = tl.load(x_ptr + at * D + half).to(tl.float32)
    b = tl.load(x_ptr + at * D + D // 2 + half).to(tl.float32)
    tl.store(y_ptr + at * D + half, a * cos - b * sin)
    tl.store(y_ptr + at * D + D // 2 + half, b * cos + a * sin)


# --- tiles ---------------------------------------------------------------------------------------


@triton.jit
def transpose(x_ptr, y_ptr, m, n, M: tl.constexpr, N: tl.constexpr):
    r, c = tl.program_id(0) * M + tl.arange(0, M), tl.program_id(1) * N + tl.arange(0, N)
    inside = (r < m)[:, None] & (c < n)[None, :]
    x = tl.load(x_ptr + r[:, None] * n + c[None, :], mask=inside)
    tl.store(y_ptr + c[:, None] * m + r[None, :], x.T, mask=inside.T)


@triton.jit
def column_sums(x_ptr, y_ptr, m, n, M: tl.constexpr, N: tl.constexpr):
    c = tl.program_id(0) * N + tl.arange(0, N)
    total = tl.zeros((M, N), tl.float32)
    for start in range(0, m, M):
        r = start + tl.arange(0, M)
        inside = (r < m)[:, None] & (c < n)[None, :]
        total += tl.load(x_ptr + r[:, None] * n + c[None, :], mask=inside, other=0)
    tl.store(y_ptr + c, tl.sum(total, axis=0), mask=c < n)


@triton.jit
def bias_gelu(x_ptr, bias_ptr, y_ptr, m, n, M: tl.constexpr, N: tl.constexpr):
    r, c = tl.program_id(0) * M + tl.arange(0, M), tl.program_id(1) * N + tl.arange(0, N)
    inside = (r < m)[:, None] & (c < n)[None, :]
    x = tl.load(x_ptr + r[:, None] * n + c[None, :], mask=inside).to(tl.float32)
    x += tl.load(bias_ptr + c, mask=c < n)[None, :].to(tl.float32)
    t = 2 * tl.sigmoid(1.5957691216057308 * (x + 0.044715 * x * x * x)) - 1
    tl.store(y_ptr + r[:, None] * n + c[None, :], 0.5 * x * (1 + t), mask=inside)


@triton.jit
def depthwise(x_ptr, w_ptr, y_ptr, height, width, H: tl.constexpr, W: tl.constexpr):
    """3 x 3 of one channel of one image, zeros around."""
    plane = tl.program_id(2).to(tl.int64) * height * width
    r = tl.program_id(1) * H + tl.arange(0, H)[:, None]
    c = tl.program_id(0) * W + tl.arange(0, W)[None, :]
    acc = tl.zeros((H, W), tl.float32)
    for i in tl.static_range(3):
        for j in tl.static_range(3):
            y, x = r + i - 1, c + j - 1
            inside = (y >= 0) & (y < height) & (x >= 0) & (x < width)
            acc += tl.load(x_ptr + plane + y * width + x, mask=inside, other=0) * tl.load(w_ptr + i * 3 + j)
    tl.store(y_ptr + plane + r * width + c, acc, mask=(r < height) & (c < width))


# --- by index ------------------------------------------------------------------------------------


@triton.jit
def embedding(table_ptr, index_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.load(index_ptr + row)
    c = tl.arange(0, BLOCK)
    tl.store(y_ptr + row * n + c, tl.load(table_ptr + at * n + c, mask=c < n), mask=c < n)


@triton.jit
def scatter_add(x_ptr, index_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(y_ptr + tl.load(index_ptr + i, mask=i < n), tl.load(x_ptr + i, mask=i < n), mask=i < n)


@triton.jit
def histogram(x_ptr, y_ptr, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    counts = tl.histogram(tl.load(x_ptr + i), BINS)
    tl.atomic_add(y_ptr + tl.arange(0, BINS), counts)
