"""planted_runs.py - rows that begin within others, lanes that are left out and stored, totals of dealt work: planted_runs.txt"""
import triton
import triton.language as tl


@triton.jit
def embedded(ids, table, out, D: tl.constexpr):
    t = tl.program_id(0)
    c = tl.arange(0, D)
    row = tl.load(ids + t)
    tl.store(out + t * D + c, tl.load(table + row * D + c))


@triton.jit
def embedded_wrong(ids, table, out, D: tl.constexpr):
    t = tl.program_id(0)
    c = tl.arange(0, D)
    row = tl.load(ids + t)
    tl.store(out + t * D + c, tl.load(table + row + c))


@triton.jit
def expert(x, ids, w, y, D: tl.constexpr, F: tl.constexpr):
    t = tl.program_id(0)
    d = tl.arange(0, D)
    f = tl.arange(0, F)
    v = tl.load(x + t * D + d)
    ww = tl.load(w + tl.load(ids + t) * D * F + d[:, None] * F + f[None, :])
    tl.store(y + t * F + f, tl.sum(v[:, None] * ww, 0))


@triton.jit
def expert_wrong(x, ids, w, y, D: tl.constexpr, F: tl.constexpr):
    t = tl.program_id(0)
    d = tl.arange(0, D)
    f = tl.arange(0, F)
    v = tl.load(x + t * D + d)
    ww = tl.load(w + tl.load(ids + t) * D + d[:, None] * F + f[None, :])
    tl.store(y + t * F + f, tl.sum(v[:, None] * ww, 0))


@triton.jit
def row_sums(x, out, s0, s1, n, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    v = tl.load(x + tl.program_id(0) * s0 + c * s1, mask=c < n, other=0.0)
    tl.store(out + tl.program_id(0), tl.sum(v, axis=0))


@triton.jit
def row_totals(x, out, stride, n, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    v = tl.load(x + tl.program_id(0) * stride + c, mask=c < n, other=0.0)
    tl.store(out + tl.program_id(0), tl.sum(v, axis=0))


@triton.jit
def grey(rgb, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    r = tl.load(rgb + 3 * i, mask=i < n)
    g = tl.load(rgb + 3 * i + 1, mask=i < n)
    tl.store(out + i, 0.3 * r + 0.7 * g, mask=i < n)


@triton.jit
def grey_wrong(rgb, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    r = tl.load(rgb + 3 * i, mask=3 * i < n)
    g = tl.load(rgb + 3 * i + 1, mask=3 * i + 1 < n)
    tl.store(out + i, 0.3 * r + 0.7 * g, mask=i < n)


@triton.jit
def chosen(x, out, n, BLOCK: tl.constexpr):  # what tl.where leaves out is nobody's
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n // 2)
    tl.store(out + i, tl.where(i < n // 2, v, 1.0), mask=i < n)


@triton.jit
def dealt_rows(x, out, rows, n):
    lane = tl.arange(0, 128)
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        acc = tl.zeros((128,), dtype=tl.float32)
        for c in range(0, n, 128):
            acc += tl.load(x + row * n + c + lane, mask=c + lane < n, other=0.0)
        tl.store(out + row, tl.sum(acc, axis=0))


@triton.jit
def dealt_rows_wrong(x, out, rows, n):
    lane = tl.arange(0, 128)
    acc = tl.zeros((128,), dtype=tl.float32)
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        for c in range(0, n, 128):
            acc += tl.load(x + row * n + c + lane, mask=c + lane < n, other=0.0)
        tl.store(out + row, tl.sum(acc, axis=0))


@triton.jit
def dealt_tiles(a, b, c, N: tl.constexpr, B: tl.constexpr, P: tl.constexpr):
    k = tl.arange(0, N)
    for t in range(tl.program_id(0), (N // B) * (N // B), P):
        r = (t // (N // B)) * B + tl.arange(0, B)
        s = (t % (N // B)) * B + tl.arange(0, B)
        acc = tl.zeros((B, B), tl.float32)
        acc += tl.dot(tl.load(a + r[:, None] * N + k[None, :]), tl.load(b + k[:, None] * N + s[None, :]))
        tl.store(c + r[:, None] * N + s[None, :], acc)


@triton.jit
def dealt_tiles_wrong(a, b, c, N: tl.constexpr, B: tl.constexpr, P: tl.constexpr):
    k = tl.arange(0, N)
    acc = tl.zeros((B, B), tl.float32)
    for t in range(tl.program_id(0), (N // B) * (N // B), P):
        r = (t // (N // B)) * B + tl.arange(0, B)
        s = (t % (N // B)) * B + tl.arange(0, B)
        acc += tl.dot(tl.load(a + r[:, None] * N + k[None, :]), tl.load(b + k[:, None] * N + s[None, :]))
        tl.store(c + r[:, None] * N + s[None, :], acc)


@triton.jit
def dealt_total(x, out, rows, n):  # one for each program, of all its rows
    lane = tl.arange(0, 128)
    acc = tl.zeros((128,), dtype=tl.float32)
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        acc += tl.load(x + row * n + lane, mask=lane < n, other=0.0)
    tl.store(out + tl.program_id(0), tl.sum(acc, axis=0))


@triton.jit
def padded(x, out, H, W, BLOCK: tl.constexpr):
    y = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + y * W + c, mask=c < W)
    tl.store(out + (y + 1) * (W + 2) + c + 1, v, mask=c < W)


@triton.jit
def padded_wrong(x, out, H, W, BLOCK: tl.constexpr):
    y = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + y * W + c, mask=c < W)
    tl.store(out + (y + 1) * W + c + 1, v, mask=c < W)


@triton.jit
def planes(im, out, n, BLOCK: tl.constexpr):  # each as one run, of which a mask leaves out the rest
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    r = tl.load(im + i, mask=m)
    g = tl.load(im + n + i, mask=m)
    b = tl.load(im + 2 * n + i, mask=m)
    tl.store(out + i, 0.3 * r + 0.6 * g + 0.1 * b, mask=m)


@triton.jit
def mean_square(x, y, loss, M, N, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    d = tl.load(x + r * N + c, mask=c < N, other=0.0) - tl.load(y + r * N + c, mask=c < N, other=0.0)
    tl.atomic_add(loss, tl.sum(d * d, axis=0) / M / N)


@triton.jit
def mean_square_wrong(x, y, loss, M, N, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    d = tl.load(x + r * N + c, mask=c < N, other=0.0) - tl.load(y + r * N + c, mask=c < N, other=0.0)
    tl.atomic_add(loss, tl.sum(d * d, axis=0) / (M * BLOCK))


@triton.jit
def doubled(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, 2 * tl.load(x + i, mask=i < n), mask=i < n)
