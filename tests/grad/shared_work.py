"""Work that programs share: pieces of which each goes to one of them."""

import triton
import triton.language as tl


@triton.jit
def in_groups(a, b, bias, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    """Tiles of a product, in an order in which neighbours share rows."""
    rows, columns = tl.cdiv(M, BM), tl.cdiv(N, BN)
    for tile in range(tl.program_id(0), rows * columns, tl.num_programs(0)):
        group = tile // (GROUP * columns)
        size = tl.minimum(rows - group * GROUP, GROUP)
        m = (group * GROUP + tile % (GROUP * columns) % size) * BM + tl.arange(0, BM)
        n = tile % (GROUP * columns) // size * BN + tl.arange(0, BN)
        total = tl.zeros((BM, BN), tl.float32)
        for start in range(0, K, BK):
            k = start + tl.arange(0, BK)
            left = tl.load(a + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0.0)
            right = tl.load(b + k[:, None] * N + n[None, :], mask=(k[:, None] < K) & (n[None, :] < N), other=0.0)
            total = tl.dot(left, right, total, input_precision="ieee")
        total += tl.load(bias + n, mask=n < N, other=0.0)[None, :]
        tl.store(c + m[:, None] * N + n[None, :], tl.where(total >= 0, total, 0.01 * total),
                 mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def stored_over(x, out, rows, width, BLOCK: tl.constexpr):
    """Each piece of a program's work is stored to the same elements."""
    here = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for row in range(here, rows, tl.num_programs(0)):
        a = tl.load(x + row * width + at, mask=at < width, other=0.0)
        total += a * a
        tl.store(out + here * width + at, total, mask=at < width)


@triton.jit
def carried_tile(a, b, c, M, N, K, NUM: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """The tile that is stored has a number of its own, which is carried."""
    pid = tl.program_id(0)
    pn = tl.cdiv(N, BN)
    tiles = tl.cdiv(M, BM) * pn
    tile_c = pid - NUM
    for tile in range(pid, tiles, NUM, flatten=True):
        m = tile // pn * BM + tl.arange(0, BM)
        n = tile % pn * BN + tl.arange(0, BN)
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(tl.cdiv(K, BK)):
            kk = k * BK + tl.arange(0, BK)
            acc = tl.dot(tl.load(a + m[:, None] * K + kk[None, :], mask=(m[:, None] < M) & (kk[None, :] < K), other=0.0),
                         tl.load(b + kk[:, None] * N + n[None, :], mask=(kk[:, None] < K) & (n[None, :] < N), other=0.0), acc, input_precision="ieee")
        tile_c += NUM
        mc = tile_c // pn * BM + tl.arange(0, BM)
        nc = tile_c % pn * BN + tl.arange(0, BN)
        tl.store(c + mc[:, None] * N + nc[None, :], acc, mask=(mc[:, None] < M) & (nc[None, :] < N))


@triton.jit
def strided_rows(x, w, y, rows, cols, NUM: tl.constexpr, BLOCK: tl.constexpr):
    """Rows by programs, of which there are a constant number."""
    c = tl.arange(0, BLOCK)
    wv = tl.load(w + c, mask=c < cols, other=0.0)
    for r in range(tl.program_id(0), rows, NUM):
        v = tl.load(x + r * cols + c, mask=c < cols, other=0.0)
        rms = tl.sqrt(tl.sum(v * v, axis=0) / cols + 1e-5)
        tl.store(y + r * cols + c, v / rms * wv, mask=c < cols)


@triton.jit
def chunks_of_rows(x, out, N, CHUNK, BLOCK: tl.constexpr):
    """Of a row each program has a chunk, whose last block ends with it."""
    row = tl.program_id(0)
    chunk = tl.program_id(1)
    first = chunk * CHUNK
    last = tl.minimum(first + CHUNK, N)
    s = 0.0
    for start in range(first, last, BLOCK):
        c = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * N + c, mask=c < last, other=0.0)
        s += tl.sum(v * v * v)
    tl.store(out + row * tl.num_programs(1) + chunk, s)


@triton.jit
def chunks_that_overlap(x, out, N, CHUNK, BLOCK: tl.constexpr):
    """The last block goes on in the next one's chunk."""
    row = tl.program_id(0)
    chunk = tl.program_id(1)
    first = chunk * CHUNK
    s = 0.0
    for start in range(first, tl.minimum(first + CHUNK, N), BLOCK):
        c = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * N + c, mask=c < N, other=0.0)
        s += tl.sum(v * v * v)
    tl.store(out + row * tl.num_programs(1) + chunk, s)


@triton.jit
def blocks_that_overlap(x, out, N, CHUNK, BLOCK: tl.constexpr):
    """Each block begins in the middle of the one before."""
    row = tl.program_id(0)
    chunk = tl.program_id(1)
    first = chunk * CHUNK
    last = tl.minimum(first + CHUNK, N)
    s = 0.0
    for start in range(first, last, BLOCK // 2):
        c = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * N + c, mask=c < last, other=0.0)
        s += tl.sum(v * v * v)
    tl.store(out + row * tl.num_programs(1) + chunk, s)
