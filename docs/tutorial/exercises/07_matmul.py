"""Exercise 7: a layer of a network in one kernel: c = relu(a @ b + bias), with one bias for each column.

As it stands the kernel makes the product alone.  `tilec test exercises/07_matmul.py` says when it is right.
"""

import triton
import triton.language as tl


# tilec: call ones --grid cdiv(M,BM),cdiv(N,BN) --device interp --check
#     --compare c=zeros(fp32,(M,1))+(K*3+bias)*(K*3+bias>0)
#     M=40 N=50 K=70 a=ones(fp32,(M,K)) b=full(fp32,(K,N),3) bias=randn(fp32,(1,N))*300 c=empty(fp32,(M,N))
#     BM=16 BN=32 BK=32
# tilec: call identity --call ones K=M a=(arange(i32,(M,1))==arange(i32,(1,K))).to(fp32)
#     b=randn(fp32,(K,N)) bias=randn(fp32,(1,N)) --compare c=(b+bias)*(b+bias>0)
@triton.jit
def layer(a, b, bias, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for first in range(0, K, BK):
        k = first + tl.arange(0, BK)
        a_tile = tl.load(a + rows[:, None] * K + k[None, :], mask=(rows < M)[:, None] & (k < K)[None, :], other=0.0)
        b_tile = tl.load(b + k[:, None] * N + columns[None, :], mask=(k < K)[:, None] & (columns < N)[None, :],
                         other=0.0)
        total = tl.dot(a_tile, b_tile, total)
    inside = (rows < M)[:, None] & (columns < N)[None, :]
    tl.store(c + rows[:, None] * N + columns[None, :], total, mask=inside)
