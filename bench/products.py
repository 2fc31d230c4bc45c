"""One product in the ways in which people write it: rows of `tilec-bench --products` (products.c).

All take the same: c = a @ b of M x K and K x N, strides in elements, a grid of cdiv(N, BLOCK_N), cdiv(M, BLOCK_M)
programs and batches, which are dense.
"""

import triton
import triton.language as tl


@triton.jit
def wrapped(a, b, c, M, N, K, am, ak, bk, bn, cm, BLOCK_M: tl.constexpr,
            BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """As Triton's tutorial has it: rows and columns behind the end by %, groups of programs."""
    pid = tl.program_id(1) * tl.num_programs(0) + tl.program_id(0)
    tiles_m, tiles_n = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    first = pid // (8 * tiles_n) * 8
    size = min(tiles_m - first, 8)
    tile_m, tile_n = first + pid % (8 * tiles_n) % size, pid % (8 * tiles_n) // size
    rows = (tile_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    columns = (tile_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    depth = tl.arange(0, BLOCK_K)
    x = a + rows[:, None] * am + depth[None, :] * ak
    y = b + depth[:, None] * bk + columns[None, :] * bn
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.int32 if a.dtype.element_ty == tl.int8 else tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        left = K - k * BLOCK_K
        p = tl.load(x, mask=depth[None, :] < left, other=0)
        q = tl.load(y, mask=depth[:, None] < left, other=0)
        total = tl.dot(p, q, total, input_precision="ieee")
        x += BLOCK_K * ak
        y += BLOCK_K * bk
    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    tl.store(c + rows[:, None] * cm + columns[None, :], total.to(c.dtype.element_ty),
             mask=(rows[:, None] < M) & (columns[None, :] < N))


@triton.jit
def masked(a, b, c, M, N, K, am, ak, bk, bn, cm, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
           BLOCK_K: tl.constexpr):
    """By masks alone, with addresses anew in each round, and a sum behind the product."""
    rows = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    batch = tl.program_id(2).to(tl.int64)
    a += batch * M * K
    b += batch * K * N
    c += batch * M * N
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.int32 if a.dtype.element_ty == tl.int8 else tl.float32)
    for k in range(0, K, BLOCK_K):
        depth = k + tl.arange(0, BLOCK_K)
        p = tl.load(a + rows[:, None] * am + depth[None, :] * ak,
                    mask=(rows[:, None] < M) & (depth[None, :] < K), other=0)
        q = tl.load(b + depth[:, None] * bk + columns[None, :] * bn,
                    mask=(depth[:, None] < K) & (columns[None, :] < N), other=0)
        total += tl.dot(p, q, input_precision="ieee", out_dtype=total.dtype)
    tl.store(c + rows[:, None] * cm + columns[None, :], total.to(c.dtype.element_ty),
             mask=(rows[:, None] < M) & (columns[None, :] < N))


@triton.jit
def block_pointers(a, b, c, M, N, K, am, ak, bk, bn, cm, BLOCK_M: tl.constexpr,
                   BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    row, column = tl.program_id(1) * BLOCK_M, tl.program_id(0) * BLOCK_N
    x = tl.make_block_ptr(a, (M, K), (am, ak), (row, 0), (BLOCK_M, BLOCK_K), (1, 0))
    y = tl.make_block_ptr(b, (K, N), (bk, bn), (0, column), (BLOCK_K, BLOCK_N), (1, 0))
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.int32 if a.dtype.element_ty == tl.int8 else tl.float32)
    for _ in range(0, K, BLOCK_K):
        p = tl.load(x, boundary_check=(0, 1), padding_option="zero")
        q = tl.load(y, boundary_check=(0, 1), padding_option="zero")
        total = tl.dot(p, q, total, input_precision="ieee")
        x = tl.advance(x, (0, BLOCK_K))
        y = tl.advance(y, (BLOCK_K, 0))
    z = tl.make_block_ptr(c, (M, N), (cm, 1), (row, column), (BLOCK_M, BLOCK_N), (1, 0))
    tl.store(z, total.to(c.dtype.element_ty), boundary_check=(0, 1))


@triton.jit
def descriptors(a, b, c, M, N, K, am, ak, bk, bn, cm, BLOCK_M: tl.constexpr,
                BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    row, column = tl.program_id(1) * BLOCK_M, tl.program_id(0) * BLOCK_N
    x = tl.make_tensor_descriptor(a, [M, K], [am, 1], [BLOCK_M, BLOCK_K])
    y = tl.make_tensor_descriptor(b, [K, N], [bk, 1], [BLOCK_K, BLOCK_N])
    z = tl.make_tensor_descriptor(c, [M, N], [cm, 1], [BLOCK_M, BLOCK_N])
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.int32 if a.dtype.element_ty == tl.int8 else tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        p, q = x.load([row, k * BLOCK_K]), y.load([k * BLOCK_K, column])
        total = tl.dot(p, q, total, input_precision="ieee")
    z.store([row, column], total.to(c.dtype.element_ty))


@triton.jit
def plain(a, b, c, M, N, K, am, ak, bk, bn, cm, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
          BLOCK_K: tl.constexpr):
    """Without masks: extents are multiples of the blocks."""
    rows = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    x = a + rows[:, None] * am + depth[None, :] * ak
    y = b + depth[:, None] * bk + columns[None, :] * bn
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.int32 if a.dtype.element_ty == tl.int8 else tl.float32)
    for k in range(0, K, BLOCK_K):
        total += tl.dot(tl.load(x), tl.load(y), input_precision="ieee", out_dtype=total.dtype)
        x += BLOCK_K * ak
        y += BLOCK_K * bk
    tl.store(c + rows[:, None] * cm + columns[None, :], total.to(c.dtype.element_ty))


@triton.jit
def activated(a, b, c, M, N, K, am, ak, bk, bn, cm, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
              BLOCK_K: tl.constexpr, bias):
    """The same as masked, and max(x + bias, 0) of its result."""
    rows = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in range(0, K, BLOCK_K):
        depth = k + tl.arange(0, BLOCK_K)
        p = tl.load(a + rows[:, None] * am + depth[None, :] * ak,
                    mask=(rows[:, None] < M) & (depth[None, :] < K), other=0)
        q = tl.load(b + depth[:, None] * bk + columns[None, :] * bn,
                    mask=(depth[:, None] < K) & (columns[None, :] < N), other=0)
        total = tl.dot(p, q, total, input_precision="ieee")
    total += tl.load(bias + columns, mask=columns < N, other=0)[None, :]
    total = tl.maximum(total, 0)
    tl.store(c + rows[:, None] * cm + columns[None, :], total.to(c.dtype.element_ty),
             mask=(rows[:, None] < M) & (columns[None, :] < N))
