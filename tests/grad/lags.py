"""Addresses that go by how far a block of rounds lies behind the program's own lanes."""

import triton
import triton.language as tl


@triton.jit
def toeplitz(x, w, out, T, B, BLOCK_B: tl.constexpr, BLOCK_T: tl.constexpr, BLOCK_U: tl.constexpr):
    first = tl.program_id(0) * BLOCK_T
    b = tl.program_id(1) * BLOCK_B + tl.arange(0, BLOCK_B)
    t = first + tl.arange(0, BLOCK_T)
    total = tl.zeros([BLOCK_B, BLOCK_T], tl.float32)
    for start in range(0, tl.minimum(first + BLOCK_T, T), BLOCK_U):
        u = start + tl.arange(0, BLOCK_U)
        a = tl.load(x + b[:, None] * T + u[None, :], mask=(b < B)[:, None] & (u < T)[None, :], other=0.0)
        lag = t[None, :] - u[:, None]
        m = tl.load(w + lag, mask=(lag >= 0) & (t < T)[None, :], other=0.0)
        total = tl.dot(a, m, total)
    tl.store(out + b[:, None] * T + t[None, :], total, mask=(b < B)[:, None] & (t < T)[None, :])


@triton.jit
def whole_blocks(x, w, out, T, BLOCK_B: tl.constexpr, BLOCK: tl.constexpr):
    """Nothing but the program's number ends the rounds, and T is a multiple of BLOCK."""
    first = tl.program_id(0) * BLOCK
    b = tl.arange(0, BLOCK_B)
    t = first + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK_B, BLOCK], tl.float32)
    for start in range(0, first + BLOCK, BLOCK):
        u = start + tl.arange(0, BLOCK)
        a = tl.load(x + b[:, None] * T + u[None, :])
        lag = t[None, :] - u[:, None]
        total += tl.dot(a, tl.load(w + lag, mask=lag >= 0, other=0.0))
    tl.store(out + b[:, None] * T + t[None, :], total)


@triton.jit
def reads_beyond(x, w, out, T, BLOCK_B: tl.constexpr, BLOCK_T: tl.constexpr, BLOCK_U: tl.constexpr):
    """What ends the rounds leaves out what is not 0: x has more columns than T."""
    first = tl.program_id(0) * BLOCK_T
    b = tl.arange(0, BLOCK_B)
    t = first + tl.arange(0, BLOCK_T)
    total = tl.zeros([BLOCK_B, BLOCK_T], tl.float32)
    for start in range(0, tl.minimum(first + BLOCK_T, T), BLOCK_U):
        u = start + tl.arange(0, BLOCK_U)
        a = tl.load(x + b[:, None] * 64 + u[None, :])
        lag = t[None, :] - u[:, None] + BLOCK_T
        total = tl.dot(a, tl.load(w + lag, mask=(t < 64)[None, :], other=0.0), total)
    tl.store(out + b[:, None] * 64 + t[None, :], total)


@triton.jit
def blocks_of_others(x, w, out, T, BLOCK_B: tl.constexpr, BLOCK_T: tl.constexpr, BLOCK_U: tl.constexpr):
    """BLOCK_U is no divisor of BLOCK_T, so that programs count other blocks."""
    first = tl.program_id(0) * BLOCK_T
    b = tl.arange(0, BLOCK_B)
    t = first + tl.arange(0, BLOCK_T)
    total = tl.zeros([BLOCK_B, BLOCK_T], tl.float32)
    for start in range(0, first + BLOCK_T, BLOCK_U):
        u = start + tl.arange(0, BLOCK_U)
        a = tl.load(x + b[:, None] * T + u[None, :], mask=(u < T)[None, :], other=0.0)
        lag = t[None, :] - u[:, None]
        total = tl.dot(a, tl.load(w + lag, mask=(lag >= 0) & (t < T)[None, :], other=0.0), total)
    tl.store(out + b[:, None] * T + t[None, :], total, mask=(t < T)[None, :])


@triton.jit
def relative_bias(q, k, v, bias, out, lse, T, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """Causal attention with a bias for each distance."""
    first = tl.program_id(0) * BM
    head = tl.program_id(1)
    t = first + tl.arange(0, BM)
    d = tl.arange(0, D)
    at = head * T * D
    a = tl.load(q + at + t[:, None] * D + d[None, :], mask=(t < T)[:, None], other=0.0)
    top = tl.full([BM], -float("inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, tl.minimum(first + BM, T), BN):
        u = start + tl.arange(0, BN)
        b = tl.load(k + at + u[:, None] * D + d[None, :], mask=(u < T)[:, None], other=0.0)
        c = tl.load(v + at + u[:, None] * D + d[None, :], mask=(u < T)[:, None], other=0.0)
        lag = t[:, None] - u[None, :]
        seen = (lag >= 0) & (t < T)[:, None]
        s = tl.dot(a, tl.trans(b)) * scale + tl.load(bias + head * T + lag, mask=seen, other=0.0)
        s = tl.where(lag >= 0, s, -float("inf"))
        now = tl.maximum(top, tl.max(s, 1))
        fade = tl.exp(top - now)
        p = tl.exp(s - now[:, None])
        total = total * fade + tl.sum(p, 1)
        acc = tl.dot(p, c, acc * fade[:, None])
        top = now
    tl.store(out + at + t[:, None] * D + d[None, :], acc / total[:, None], mask=(t < T)[:, None])
    tl.store(lse + head * T + t, top + tl.log(total), mask=t < T)


@triton.jit
def several_blocks(x, w, out, T, B, BLOCKS: tl.constexpr, BLOCK_B: tl.constexpr, BLOCK: tl.constexpr,
                   STEP: tl.constexpr):
    """Rows of BLOCKS blocks take the same block of the matrix; rounds begin behind 0, and end by a
    multiple of the least of the program's number and one that all have."""
    rows = tl.arange(0, BLOCKS * BLOCK_B)
    first = tl.program_id(0) * BLOCKS
    block = first + rows // BLOCK_B
    b = rows % BLOCK_B
    lag = tl.arange(0, BLOCK)[None, :] - tl.arange(0, STEP)[:, None] - BLOCK
    total = tl.zeros([BLOCKS * BLOCK_B, BLOCK], tl.float32)
    for back in range(STEP, tl.minimum(first + BLOCKS, tl.cdiv(T, BLOCK)) * BLOCK + STEP, STEP):
        u = ((block + 1) * BLOCK - back)[:, None] + tl.arange(0, STEP)[None, :]
        a = tl.load(x + b[:, None] * T + u, mask=(b < B)[:, None] & (u >= 0) & (u < T), other=0.0)
        m = tl.load(w + lag + back, mask=(lag + back >= 0) & (lag + back < T), other=0.0)
        total = tl.dot(a, m, total)
    t = block[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :]
    tl.store(out + b[:, None] * T + t, total, mask=(b < B)[:, None] & (t < T))


@triton.jit
def weighted_starts(x, w, out, n, LIMIT: tl.constexpr, FIRST: tl.constexpr, BLOCK: tl.constexpr):
    """Rounds that some programs lack at the beginning, at the end, or altogether."""
    program = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    scale = tl.load(x + program)
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(FIRST * BLOCK, tl.minimum(program * 2 + 1, LIMIT) * BLOCK + FIRST, BLOCK):
        total += scale * tl.load(w + start + lanes, mask=start + lanes < n, other=0.0)
    tl.store(out + program * BLOCK + lanes, total)


@triton.jit
def grows_by_steps(x, w, out, n, BLOCK: tl.constexpr):
    """Programs have rounds from none on, not one more each."""
    program = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    scale = tl.load(x + program)
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, tl.maximum(program // 2 - 1, program - 3) * BLOCK, BLOCK):
        total += scale * tl.load(w + start + lanes, mask=start + lanes < n, other=0.0)
    tl.store(out + program * BLOCK + lanes, total)
