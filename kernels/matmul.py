"""Matrix product with an activation fused behind it.

Each program makes one BLOCK_M x BLOCK_N tile of the product and walks along K.  Programs that run
close in time work on tiles that share rows of `a` or columns of `b`: the grid is numbered in
groups of GROUP_M tile rows, so that what one program loads its neighbours find in the cache.
"""

import torch

import triton
import triton.language as tl


def configs(element_bytes=2):
    """What to try on a GPU for elements of so many bytes, 1 or 2; the best differs from one to the next."""
    sizes = [(128, 256, 64, 3, 8), (256, 128, 32, 4, 8), (128, 128, 64, 3, 4), (128, 64, 32, 4, 4),
             (64, 128, 64, 4, 4), (64, 128, 32, 4, 4), (64, 64, 64, 4, 4), (64, 32, 32, 5, 2)]
    return [
        triton.Config({"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": 2 * k // element_bytes, "GROUP_M": 8},
                      num_stages=s, num_warps=w) for m, n, k, s, w in sizes
    ]


@triton.jit
def leaky_relu(x):
    """x for x >= 0, else x / 100."""
    return tl.where(x >= 0, x, 0.01 * x)


@triton.jit
def tile_of_program(M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, GROUP_M: tl.constexpr):
    """Which tile (row, column) of the product this program makes."""
    pid = tl.program_id(0)
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    group = pid // (GROUP_M * tiles_n)
    first_m = group * GROUP_M
    rows = min(tiles_m - first_m, GROUP_M)
    inside = pid % (GROUP_M * tiles_n)
    return first_m + inside % rows, inside // rows


# tilec: call square --grid cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N) --device cpu,sim
#     M=128 N=M K=M a=randn(fp16, (M, K)) b=randn(fp16, (K, N)) c=empty(fp16, (M, N))
#     stride_am=a.stride(0) stride_ak=a.stride(1) stride_bk=b.stride(0) stride_bn=b.stride(1)
#     stride_cm=c.stride(0) stride_cn=c.stride(1) BLOCK_M=64 BLOCK_N=64 BLOCK_K=32 GROUP_M=8
# tilec: call tails --call square M=200 N=100 K=77 ACTIVATION="leaky_relu"
# tilec: call bytes --call tails a=randint(i8, (M, K), -128, 128) b=randint(i8, (K, N), -128, 128)
#     c=empty(i32, (M, N)) ACTIVATION=""
# tilec: call transposed --call square    # b is stored with its columns together
#     stride_bk=b.stride(1) stride_bn=b.stride(0) --device cpu
@triton.jit
def matmul_kernel(a, b, c, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm,
                  stride_cn, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                  GROUP_M: tl.constexpr, ACTIVATION: tl.constexpr = ""):
    """c = activation(a @ b), summed in fp32; of int8 in int32, exactly.

    a: M x K, b: K x N, c: M x N, one dtype for a and b, float or int8; strides in elements, so either may
    be transposed.  ACTIVATION: "" or "leaky_relu".  Grid: cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N).
    """
    tile_m, tile_n = tile_of_program(M, N, BLOCK_M, BLOCK_N, GROUP_M)
    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    # rows and columns behind the end are loaded from the start again and never stored
    a_tile = a + (rows % M)[:, None] * stride_am + depth[None, :] * stride_ak
    b_tile = b + depth[:, None] * stride_bk + (columns % N)[None, :] * stride_bn

    exact: tl.constexpr = a.dtype.element_ty == tl.int8
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.int32 if exact else tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        left = K - k * BLOCK_K
        a_values = tl.load(a_tile, mask=depth[None, :] < left, other=0.0)
        b_values = tl.load(b_tile, mask=depth[:, None] < left, other=0.0)
        total = tl.dot(a_values, b_values, total, input_precision="ieee")
        a_tile += BLOCK_K * stride_ak
        b_tile += BLOCK_K * stride_bk
    if ACTIVATION == "leaky_relu":
        total = leaky_relu(total)

    c_tile = c + rows[:, None] * stride_cm + columns[None, :] * stride_cn
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(c_tile, total.to(c.dtype.element_ty), mask=inside)


tuned_matmul_kernel = triton.autotune(configs=configs(), key=["M", "N", "K"])(matmul_kernel)


def matmul(a: torch.Tensor, b: torch.Tensor, activation: str = "") -> torch.Tensor:
    """activation(a @ b) for two matrices of one float dtype, or of int8, whose product is int32."""
    assert a.shape[1] == b.shape[0] and a.dtype == b.dtype
    M, K = a.shape
    N = b.shape[1]
    c = torch.empty((M, N), device=a.device, dtype=torch.int32 if a.dtype == torch.int8 else a.dtype)
    grid = lambda meta: (triton.cdiv(M, meta["BLOCK_M"]) * triton.cdiv(N, meta["BLOCK_N"]),)
    tuned_matmul_kernel[grid](a, b, c, M, N, K, a.stride(0), a.stride(1), b.stride(0), b.stride(1),
                              c.stride(0), c.stride(1), ACTIVATION=activation)
    return c


def reference(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.leaky_relu(a.float() @ b.float(), 0.01).to(a.dtype)


if __name__ == "__main__":
    torch.manual_seed(0)
    for dtype, tolerance in ((torch.float32, 1e-4), (torch.float16, 1e-2)):
        p = torch.randn(512, 768, device="cuda", dtype=dtype)
        q = torch.randn(768, 384, device="cuda", dtype=dtype)
        assert torch.allclose(matmul(p, q, "leaky_relu"), reference(p, q), rtol=tolerance,
                              atol=tolerance)
    for size in (1024, 2048, 4096):
        p = torch.randn(size, size, device="cuda", dtype=torch.float16)
        ms = triton.testing.do_bench(lambda: matmul(p, p))
        print(f"{size}: {2 * size**3 / ms * 1e-9:.1f} TFLOP/s")
