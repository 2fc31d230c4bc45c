"""Batches of small products, in loops whose rounds follow one another in memory, or nearly."""

import triton
import triton.language as tl


@triton.jit
def batches(a, b, c, M, N, K, am, bk, cm, a_batch, b_batch, c_batch, jump, FORM: tl.constexpr,
            BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Of `apart` b's tiles are `jump` rows apart; of `bent` a step of a's is so many elements longer
    from the second round on; of `uneven` rows of b are cut `jump` rows earlier than columns of a."""
    a += tl.program_id(2) * a_batch
    b += tl.program_id(2) * b_batch
    c += tl.program_id(2) * c_batch
    rows = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    x = a + rows[:, None] * am + depth[None, :]
    y = b + depth[:, None] * bk + columns[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float64 if a.dtype.element_ty == tl.float64 else tl.float32)
    for i in range(0, tl.cdiv(K, BLOCK_K)):
        left = K - i * BLOCK_K
        p = tl.load(x, mask=(rows < M)[:, None] & (depth[None, :] < left), other=0)
        if FORM == "uneven":
            q = tl.load(y, mask=(depth[:, None] < left - jump) & (columns < N)[None, :], other=0)
        else:
            q = tl.load(y, mask=(depth[:, None] < left) & (columns < N)[None, :], other=0)
        total = tl.dot(p, q, total, input_precision="ieee")
        x += BLOCK_K
        if FORM == "bent":
            x += jump * i
        y += (jump if FORM == "apart" else BLOCK_K) * bk
    if FORM == "added":
        total += tl.load(c + rows[:, None] * cm + columns[None, :],
                         mask=(rows[:, None] < M) & (columns[None, :] < N), other=0)
    tl.store(c + rows[:, None] * cm + columns[None, :], total.to(c.dtype.element_ty),
             mask=(rows[:, None] < M) & (columns[None, :] < N))
