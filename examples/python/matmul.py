"""c = leaky_relu(a @ b): tiles of the product, walks along K, sizes found by measuring.

    python -m tilec matmul.py
    TRITON_PRINT_AUTOTUNING=1 python -m tilec matmul.py
"""

import numpy as np
import triton
import triton.language as tl

import arrays


@triton.jit
def leaky_relu(x):
    return tl.where(x >= 0, x, 0.01 * x)


@triton.autotune(
    configs=[triton.Config({"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k, "GROUP": 8}, num_warps=4)
             for m, n, k in ((32, 64, 32), (64, 64, 32), (64, 128, 64))],
    key=["M", "N", "K"], warmup=2, rep=10)
@triton.jit
def matmul_kernel(a, b, c, M, N, K, a_row, a_col, b_row, b_col, c_row, c_col,
                  BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                  GROUP: tl.constexpr, ACTIVATION: tl.constexpr):
    """One tile of c a program; neighbours share rows of a or columns of b, in groups."""
    tile_m, tile_n = tl.swizzle2d(tl.program_id(0) // tl.cdiv(N, BLOCK_N),
                                  tl.program_id(0) % tl.cdiv(N, BLOCK_N),
                                  tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N), GROUP)
    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    a_tile = a + (rows % M)[:, None] * a_row + depth[None, :] * a_col
    b_tile = b + depth[:, None] * b_row + (columns % N)[None, :] * b_col
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        here = depth < K - k * BLOCK_K
        total = tl.dot(tl.load(a_tile, mask=here[None, :], other=0.0),
                       tl.load(b_tile, mask=here[:, None], other=0.0), total)
        a_tile += BLOCK_K * a_col
        b_tile += BLOCK_K * b_row
    if ACTIVATION == "leaky_relu":
        total = leaky_relu(total)
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(c + rows[:, None] * c_row + columns[None, :] * c_col,
             total.to(c.dtype.element_ty), mask=inside)


def matmul(a, b, activation=""):
    M, K = a.shape
    N = b.shape[1]
    c = arrays.zeros(M, N, dtype="float16")
    grid = lambda meta: (triton.cdiv(M, meta["BLOCK_M"]) * triton.cdiv(N, meta["BLOCK_N"]),)
    matmul_kernel[grid](a, b, c, M, N, K, *arrays.strides(a), *arrays.strides(b),
                        *arrays.strides(c), ACTIVATION=activation)
    return c


def main():
    a, b = arrays.randn(200, 160, dtype="float16"), arrays.randn(192, 160, dtype="float16").T
    want = arrays.to_numpy(a).astype(np.float64) @ arrays.to_numpy(b).astype(np.float64)
    arrays.check("matmul", matmul(a, b), want, 0.04)
    arrays.check("matmul with leaky_relu", matmul(a, b, "leaky_relu"),
                 np.where(want > 0, want, 0.01 * want), 0.04)


if __name__ == "__main__":
    main()
