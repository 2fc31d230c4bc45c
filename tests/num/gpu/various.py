"""Kernels of other trades: convolutions, graphs, solvers, dynamic programming, states that step."""

import triton
import triton.language as tl


@triton.jit
def convolution(x_ptr, w_ptr, y_ptr, height, width, channels, out_channels, out_height, out_width,
                stride, pad, KERNEL: tl.constexpr, M: tl.constexpr, N: tl.constexpr,
                K: tl.constexpr):
    """y[p, q, o] by a product whose left operand is gathered: x is [height, width, channels], w
    is [KERNEL, KERNEL, channels, out_channels]."""
    places = tl.program_id(0) * M + tl.arange(0, M)
    outs = tl.program_id(1) * N + tl.arange(0, N)
    p, q = places // out_width, places % out_width
    depth = KERNEL * KERNEL * channels
    acc = tl.zeros((M, N), tl.float32)
    for start in range(0, depth, K):
        k = start + tl.arange(0, K)
        c = k % channels
        v = k // channels % KERNEL
        u = k // (channels * KERNEL)
        row = p[:, None] * stride + u[None, :] - pad
        column = q[:, None] * stride + v[None, :] - pad
        inside = (row >= 0) & (row < height) & (column >= 0) & (column < width) \
            & (k < depth)[None, :] & (p < out_height)[:, None]
        x = tl.load(x_ptr + (row * width + column) * channels + c[None, :], mask=inside, other=0.0)
        w = tl.load(w_ptr + k[:, None] * out_channels + outs[None, :],
                    mask=(k < depth)[:, None] & (outs < out_channels)[None, :], other=0.0)
        acc = tl.dot(x, w, acc)
    tl.store(y_ptr + places[:, None] * out_channels + outs[None, :], acc,
             mask=(p < out_height)[:, None] & (outs < out_channels)[None, :])


@triton.jit
def pool(x_ptr, y_ptr, where_ptr, height, width, H: tl.constexpr, W: tl.constexpr,
         S: tl.constexpr):
    """The largest of windows of S x S, and its place, by reductions of a tile of rank 4."""
    h, w = tl.arange(0, H)[:, None, None, None], tl.arange(0, W)[None, None, :, None]
    i, j = tl.arange(0, S)[None, :, None, None], tl.arange(0, S)[None, None, None, :]
    row, column = h * S + i, w * S + j
    x = tl.load(x_ptr + row * width + column, mask=(row < height) & (column < width),
                other=float("-inf"))
    flat = tl.reshape(tl.permute(x, (0, 2, 1, 3)), (H, W, S * S))
    value, where = tl.max(flat, axis=2, return_indices=True)
    at = tl.arange(0, H)[:, None] * W + tl.arange(0, W)[None, :]
    tl.store(y_ptr + at, value)
    tl.store(where_ptr + at, where)


@triton.jit
def sparse_rows(start_ptr, column_ptr, value_ptr, x_ptr, y_ptr, n, width, D: tl.constexpr,
                BLOCK: tl.constexpr):
    """A sparse matrix in compressed rows times a dense one: loops as long as a row is."""
    row = tl.program_id(0)
    low = tl.load(start_ptr + row)
    high = tl.load(start_ptr + row + 1)
    d = tl.arange(0, D)
    acc = tl.zeros([D], tl.float32)
    for start in range(low, high, BLOCK):
        k = start + tl.arange(0, BLOCK)
        column = tl.load(column_ptr + k, mask=k < high, other=0)
        value = tl.load(value_ptr + k, mask=k < high, other=0.0)
        x = tl.load(x_ptr + column[:, None] * width + d[None, :],
                    mask=(k < high)[:, None] & (d < width)[None, :], other=0.0)
        acc += tl.sum(value[:, None] * x, axis=0)
    tl.store(y_ptr + row * width + d, acc, mask=d < width)


@triton.jit
def nearest(x_ptr, centre_ptr, label_ptr, sum_ptr, count_ptr, n, M: tl.constexpr,
            C: tl.constexpr, D: tl.constexpr):
    """A step of k-means: the nearest centre of each point, sums and counts by atomics."""
    rows = tl.program_id(0) * M + tl.arange(0, M)
    d, c = tl.arange(0, D), tl.arange(0, C)
    x = tl.load(x_ptr + rows[:, None] * D + d, mask=(rows < n)[:, None], other=0.0)
    centre = tl.load(centre_ptr + c[:, None] * D + d)
    distance = tl.sum(centre * centre, axis=1)[None, :] \
        - 2 * tl.dot(x, centre.T, input_precision="ieee")
    label = tl.argmin(distance, axis=1)
    tl.store(label_ptr + rows, label, mask=rows < n)
    tl.atomic_add(sum_ptr + label[:, None] * D + d[None, :], x, mask=(rows < n)[:, None])
    tl.atomic_add(count_ptr + label, 1, mask=rows < n)


@triton.jit
def shortest_paths(x_ptr, N: tl.constexpr):
    """All pairs, by Floyd and Warshall: a row and a column of a carried tile are picked by sums."""
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + i * N + j)
    for k in range(N):
        row = tl.sum(tl.where(i == k, x, 0), axis=0)
        column = tl.sum(tl.where(j == k, x, 0), axis=1)
        x = tl.minimum(x, column[:, None] + row[None, :])
    tl.store(x_ptr + i * N + j, x)


@triton.jit
def least_plus(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """c[i, j] = min over k of a[i, k] + b[k, j]: a product of rank 3 that is never stored."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * K + k)
    b = tl.load(b_ptr + k[:, None] * N + n)
    c = tl.min(a[:, :, None] + b[None, :, :], axis=1)
    tl.store(c_ptr + m[:, None] * N + n, c)


@triton.jit
def cholesky(a_ptr, b_ptr, l_ptr, x_ptr, N: tl.constexpr):
    """L L^T = a for each program's matrix, then L x = b: columns one after the other."""
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    row = tl.arange(0, N)
    base = tl.program_id(0) * N * N
    a = tl.load(a_ptr + base + i * N + j)
    lower = tl.zeros((N, N), tl.float32)
    for k in range(N):
        column = tl.sum(tl.where(j == k, a, 0.0), axis=1)
        pivot = tl.sqrt(tl.sum(tl.where(row == k, column, 0.0), axis=0))
        column = tl.where(row >= k, column / pivot, 0.0)
        lower = tl.where(j == k, column[:, None], lower)
        a -= column[:, None] * column[None, :]
    tl.store(l_ptr + base + i * N + j, lower)
    b = tl.load(b_ptr + tl.program_id(0) * N + row)
    x = tl.zeros([N], tl.float32)
    for k in range(N):
        line = tl.sum(tl.where(i == k, lower, 0.0), axis=0)
        rest = tl.sum(tl.where(row == k, b, 0.0), axis=0) - tl.sum(line * x, axis=0)
        x = tl.where(row == k, rest / tl.sum(tl.where(row == k, line, 0.0), axis=0), x)
    tl.store(x_ptr + tl.program_id(0) * N + row, x)


@triton.jit
def edit_distance(a_ptr, b_ptr, out_ptr, a_length, b_length, N: tl.constexpr):
    """Levenshtein's distance of two texts of bytes, diagonal by diagonal; neighbours by gather."""
    i = tl.arange(0, N)
    pair = tl.program_id(0)
    a = tl.load(a_ptr + pair * N + i - 1, mask=(i >= 1) & (i <= a_length), other=0)
    before = tl.full([N], 0x3fffffff, tl.int32)
    last = tl.where(i == 0, 0, 0x3fffffff)
    for diagonal in range(1, a_length + b_length + 1):
        j = diagonal - i
        b = tl.load(b_ptr + pair * N + j - 1, mask=(j >= 1) & (j <= b_length), other=255)
        shifted = tl.maximum(i - 1, 0)
        above = tl.where(i > 0, tl.gather(last, shifted, 0), 0x3fffffff)
        corner = tl.where(i > 0, tl.gather(before, shifted, 0), 0x3fffffff)
        now = tl.minimum(tl.minimum(last, above) + 1, corner + (a != b).to(tl.int32))
        now = tl.where((i == 0) | (j == 0), diagonal, now)
        now = tl.where((j >= 0) & (j <= b_length) & (i <= a_length), now, 0x3fffffff)
        before = last
        last = now
    tl.store(out_ptr + pair, tl.min(tl.where(i == a_length, last, 0x3fffffff), axis=0))


@triton.jit
def gated_unit(x_ptr, w_ptr, h_ptr, out_ptr, steps, B: tl.constexpr, D: tl.constexpr):
    """A gated recurrent unit: the state of one step is an operand of the next one's products."""
    b, d = tl.arange(0, B), tl.arange(0, D)
    at = b[:, None] * D + d[None, :]
    square = d[:, None] * D + d[None, :]
    update = tl.load(w_ptr + square)
    reset = tl.load(w_ptr + D * D + square)
    new = tl.load(w_ptr + 2 * D * D + square)
    h = tl.load(h_ptr + at)
    for t in range(steps):
        x = tl.load(x_ptr + t * B * D + at)
        z = tl.sigmoid(x + tl.dot(h, update, input_precision="ieee"))
        r = tl.sigmoid(x - tl.dot(h, reset, input_precision="ieee"))
        candidate = tl.dot(r * h, new, input_precision="ieee") + x
        candidate = 2 * tl.sigmoid(2 * candidate) - 1
        h = z * h + (1 - z) * candidate
        tl.store(out_ptr + t * B * D + at, h)


@triton.jit
def _step(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def selective_scan(x_ptr, a_ptr, b_ptr, c_ptr, y_ptr, length, T: tl.constexpr, D: tl.constexpr,
                   S: tl.constexpr):
    """h_t = exp(a) h + b_t x_t, y_t = c_t h: a scan of a tile of rank 3, the state carried."""
    t, d, s = tl.arange(0, T), tl.arange(0, D), tl.arange(0, S)
    rate = tl.load(a_ptr + d[:, None] * S + s)
    state = tl.zeros([D, S], tl.float32)
    for start in range(0, length, T):
        inside = start + t < length
        x = tl.load(x_ptr + (start + t)[:, None] * D + d, mask=inside[:, None], other=0.0)
        b = tl.load(b_ptr + (start + t)[:, None] * S + s, mask=inside[:, None], other=0.0)
        c = tl.load(c_ptr + (start + t)[:, None] * S + s, mask=inside[:, None], other=0.0)
        fade = tl.where(inside[:, None, None], tl.exp(rate)[None, :, :], 1.0)
        fade, h = tl.associative_scan((fade, x[:, :, None] * b[:, None, :]), 0, _step)
        h += fade * state[None, :, :]
        tl.store(y_ptr + (start + t)[:, None] * D + d, tl.sum(h * c[:, None, :], axis=2),
                 mask=inside[:, None])
        state = tl.sum(tl.where((t == T - 1)[:, None, None], h, 0.0), axis=0)


@triton.jit
def route(x_ptr, weight_ptr, expert_ptr, load_ptr, n, K: tl.constexpr, M: tl.constexpr,
          E: tl.constexpr):
    """The K likeliest of E experts for each row, one by one, and how many rows each expert gets."""
    rows = tl.program_id(0) * M + tl.arange(0, M)
    e = tl.arange(0, E)
    x = tl.load(x_ptr + rows[:, None] * E + e, mask=(rows < n)[:, None], other=0.0)
    p = tl.exp(x.to(tl.float32) - tl.max(x.to(tl.float32), axis=1)[:, None])
    total = tl.zeros([M], tl.float32)
    left = p
    for k in tl.static_range(K):
        best, which = tl.max(left, axis=1, return_indices=True)
        total += best
        tl.store(weight_ptr + rows * K + k, best, mask=rows < n)
        tl.store(expert_ptr + rows * K + k, which, mask=rows < n)
        left = tl.where(e[None, :] == which[:, None], -1.0, left)
    tl.debug_barrier()
    for k in tl.static_range(K):
        w = tl.load(weight_ptr + rows * K + k, mask=rows < n, other=0.0)
        tl.store(weight_ptr + rows * K + k, w / total, mask=rows < n)
    taken = ((left < 0) & (rows < n)[:, None]).to(tl.int32)
    tl.atomic_add(load_ptr + e, tl.sum(taken, axis=0), sem="relaxed")


@triton.jit
def heat(x_ptr, y_ptr, rounds, M: tl.constexpr, N: tl.constexpr):
    """Rounds of a stencil by block pointers that reach over the sides, between two arrays."""
    here, there = x_ptr, y_ptr
    for _ in range(rounds):
        centre = tl.make_block_ptr(here, (M, N), (N, 1), (0, 0), (M, N), (1, 0))
        x = tl.load(centre)
        around = tl.load(tl.advance(centre, (-1, 0)), boundary_check=(0,), padding_option="zero")
        around += tl.load(tl.advance(centre, (1, 0)), boundary_check=(0,), padding_option="zero")
        around += tl.load(tl.advance(centre, (0, -1)), boundary_check=(1,), padding_option="zero")
        around += tl.load(tl.advance(centre, (0, 1)), boundary_check=(1,), padding_option="zero")
        tl.debug_barrier()
        tl.store(tl.make_block_ptr(there, (M, N), (N, 1), (0, 0), (M, N), (1, 0)),
                 x * 0.5 + around * 0.125)
        tl.debug_barrier()
        here, there = there, here


@triton.jit
def blocks_to_fp8(x_ptr, q_ptr, scale_ptr, m, n, M: tl.constexpr, G: tl.constexpr,
                  W: tl.constexpr):
    """fp8 with one scale for each W columns of a row: G groups of a row in a tile of rank 3."""
    rows = tl.program_id(0) * M + tl.arange(0, M)[:, None, None]
    group = tl.program_id(1) * G + tl.arange(0, G)[None, :, None]
    columns = group * W + tl.arange(0, W)[None, None, :]
    inside = (rows < m) & (columns < n)
    x = tl.load(x_ptr + rows * n + columns, mask=inside, other=0.0).to(tl.float32)
    top = tl.max(tl.abs(x), axis=2, keep_dims=True)
    scale = tl.where(top > 0, tl.exp2(tl.ceil(tl.log2(tl.maximum(top, 1e-30) / 448.0))), 1.0)
    tl.store(q_ptr + rows * n + columns, (x / scale).to(tl.float8e4nv), mask=inside)
    groups = (n + W - 1) // W
    tl.store(scale_ptr + rows * groups + group, scale, mask=(rows < m) & (group < groups))


@triton.jit
def check_gradients(x_ptr, found_ptr, norm_ptr, n, factor, BLOCK: tl.constexpr):
    """x *= factor in place; says whether any is not finite, and adds up the squares of the rest."""
    total = 0.0
    bad = 0
    for start in range(tl.program_id(0) * BLOCK, n, BLOCK * tl.num_programs(0)):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + at, mask=at < n, other=0.0).to(tl.float32) * factor
        finite = (x - x) == 0
        bad = max(bad, tl.max((~finite).to(tl.int32)))
        total += tl.sum(tl.where(finite, x * x, 0.0))
        tl.store(x_ptr + at, x, mask=at < n)
    if bad != 0:
        tl.atomic_or(found_ptr, 1)
    tl.atomic_add(norm_ptr, total)


@triton.jit
def balance(x_ptr, y_ptr, n, rounds, T: tl.constexpr, S: tl.constexpr, R: tl.constexpr):
    """n small matrices of S x R, whose rows and then columns are divided by their sums, each round."""
    t = tl.program_id(0) * T + tl.arange(0, T)
    i = tl.arange(0, S)
    j = tl.arange(0, R)
    at = t[:, None, None] * (S * R) + i[None, :, None] * R + j[None, None, :]
    x = tl.load(x_ptr + at, mask=t[:, None, None] < n, other=1.0).to(tl.float32)
    for _ in range(rounds):
        x = x / tl.sum(x, 2, keep_dims=True)
        x = x / tl.sum(x, 1, keep_dims=True)
    tl.store(y_ptr + at, x, mask=t[:, None, None] < n)


@triton.jit
def butterflies(x_ptr, y_ptr, m, M: tl.constexpr, LOG: tl.constexpr):
    """Rows as sums and differences of their halves, then of the halves of these, and so on."""
    rows = tl.program_id(0) * M + tl.arange(0, M)
    at = rows[:, None] * 2**LOG + tl.arange(0, 2**LOG)[None, :]
    x = tl.load(x_ptr + at, mask=rows[:, None] < m, other=0.0).to(tl.float32)
    for i in tl.static_range(LOG):
        a, b = tl.split(tl.permute(tl.reshape(x, (M, 2**i, 2, 2**(LOG - i - 1))), (0, 1, 3, 2)))
        x = tl.reshape(tl.permute(tl.join(a + b, a - b), (0, 1, 3, 2)), (M, 2**LOG))
    tl.store(y_ptr + at, x, mask=rows[:, None] < m)


@triton.jit
def weights_of_four_bits(a_ptr, b_ptr, s_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr,
                         K: tl.constexpr):
    """M rows times N columns of e2m1, two to a byte along K, with a power of two for 32 of them."""
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    a = tl.load(a_ptr + m[:, None] * K + tl.arange(0, K)[None, :])
    b = tl.load(b_ptr + tl.arange(0, K // 2)[:, None] + n[None, :] * (K // 2))
    s = tl.load(s_ptr + n[:, None] * (K // 32) + tl.arange(0, K // 32)[None, :])
    tl.store(c_ptr + m[:, None] * N + n[None, :], tl.dot_scaled(a, None, "bf16", b, s, "e2m1"))
