"""Lesson 7: the product of matrices (07_matmul.md)."""

import triton
import triton.language as tl


# tilec: call small --grid cdiv(M,BM),cdiv(N,BN) --device cpu,sim
#     M=100 N=90 K=70 a=randn(fp32,(M,K)) b=randn(fp32,(K,N)) c=empty(fp32,(M,N)) BM=32 BN=32 BK=32
#     stride_am=a.stride(0) stride_ak=a.stride(1) stride_bk=b.stride(0) stride_bn=b.stride(1)
# tilec: call transposed --call small stride_bk=1 stride_bn=K --device cpu    # b is stored column by column
# tilec: call large --call small M=1024 N=1024 K=1024 BM=64 BN=64 BK=64 --device cpu --compare c=K
#     a=ones(fp32,(M,K)) b=ones(fp32,(K,N))
@triton.jit
def matmul(a, b, c, M, N, K, stride_am, stride_ak, stride_bk, stride_bn,
           BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """c = a @ b; each program makes one BM x BN tile of c."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for first in range(0, K, BK):
        k = first + tl.arange(0, BK)
        a_tile = tl.load(a + rows[:, None] * stride_am + k[None, :] * stride_ak,
                         mask=(rows < M)[:, None] & (k < K)[None, :], other=0.0)
        b_tile = tl.load(b + k[:, None] * stride_bk + columns[None, :] * stride_bn,
                         mask=(k < K)[:, None] & (columns < N)[None, :], other=0.0)
        total = tl.dot(a_tile, b_tile, total)
    inside = (rows < M)[:, None] & (columns < N)[None, :]
    tl.store(c + rows[:, None] * N + columns[None, :], total, mask=inside)
