"""What is differentiated is stored in several places, each element by one of them; or it is not."""

import triton
import triton.language as tl


@triton.jit
def both_triangles(x, out, N: tl.constexpr):
    """Two halves of a square, and what is between."""
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    a = tl.load(x + i * N + j)
    tl.store(out + i * N + j, a * a, mask=i > j)
    tl.store(out + i * N + j, tl.exp(a), mask=i < j)
    tl.store(out + i * N + j, a, mask=j == i)


@triton.jit
def turned_triangles(x, out, N: tl.constexpr):
    """The same mask the other way round is another one: the diagonal is stored twice."""
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    a = tl.load(x + i * N + j)
    tl.store(out + i * N + j, a * a, mask=i >= j)
    tl.store(out + i * N + j, tl.exp(a), mask=j >= i)


@triton.jit
def rows_and_columns(x, out, n, N: tl.constexpr):
    """Rows below n, and columns from there on: these cross."""
    i = tl.arange(0, N)
    a = tl.load(x + i[:, None] * N + i[None, :])
    tl.store(out + i[:, None] * N + i[None, :], a * a, mask=(i < n)[:, None])
    tl.store(out + i[:, None] * N + i[None, :], tl.exp(a), mask=(i >= n)[None, :])


@triton.jit
def by_sign(x, out, n, BLOCK: tl.constexpr):
    """Each element is stored by one of two."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + i, mask=i < n, other=0.0)
    is_high = (a > 0) & (i < n)
    tl.store(out + i, tl.sqrt(a) * a, mask=is_high)
    tl.store(out + i, -tl.exp(a), mask=(i < n) & (a <= 0))


@triton.jit
def by_flag(x, flags, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + i, mask=i < n, other=0.0)
    wanted = tl.load(flags + i, mask=i < n, other=0) != 0
    tl.store(out + i, a * a, mask=(i < n) & wanted)
    tl.store(out + i, -tl.exp(a), mask=(i < n) & ~wanted)


@triton.jit
def halves_by_loops(x, out, n, BLOCK: tl.constexpr):
    """The second half of a row is stored by another loop."""
    row = tl.program_id(0)
    for k in range(0, n, BLOCK):
        i = k + tl.arange(0, BLOCK)
        tl.store(out + row * 2 * n + i, tl.exp(tl.load(x + row * n + i, mask=i < n, other=0.0)), mask=i < n)
    for k in range(0, n, BLOCK):
        i = k + tl.arange(0, BLOCK)
        tl.store(out + row * 2 * n + n + i, tl.sin(tl.load(x + row * n + i, mask=i < n, other=0.0)), mask=i < n)


@triton.jit
def stored_by_two_loops(x, out, n, BLOCK: tl.constexpr):
    """The second loop stores where the first has: half a row further on, which is within it."""
    row = tl.program_id(0)
    for k in range(0, n, BLOCK):
        i = k + tl.arange(0, BLOCK)
        tl.store(out + row * 2 * n + i, tl.load(x + row * n + i, mask=i < n, other=0.0), mask=i < n)
    for k in range(0, n, BLOCK):
        i = k + tl.arange(0, BLOCK)
        tl.store(out + row * 2 * n + BLOCK + i, tl.load(x + row * n + i, mask=i < n, other=0.0), mask=i < n)


@triton.jit
def passed_on(states, scale, out, final, dim, chunks, of_chunk, of_head, BLOCK: tl.constexpr):
    """What each chunk begins with, the first with zeros; what the last leaves goes elsewhere."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    h = tl.program_id(1)
    states += h * of_head
    at = out + h * of_head + i
    scale += h
    state = tl.zeros([BLOCK], tl.float32)
    tl.store(at, state, mask=i < dim)
    at += of_chunk
    for c in range(chunks):
        state = tl.exp(tl.load(scale)) * state + tl.load(states + i, mask=i < dim, other=0.0)
        if c < chunks - 1:
            tl.store(at, state, mask=i < dim)
        else:
            tl.store(final + h * dim + i, state, mask=i < dim)
        states += of_chunk
        scale += tl.num_programs(1)
        at += of_chunk


@triton.jit
def last_two(x, out, n, rounds, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    for c in range(rounds):
        total += tl.load(x + c * n + i, mask=i < n, other=0.0)
        if c >= rounds - 2:
            tl.store(out + i, total, mask=i < n)


@triton.jit
def first_over(x, out, n, rounds, stride, BLOCK: tl.constexpr):
    """The first round stores where the one in front of the loop does."""
    i = tl.arange(0, BLOCK)
    total = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(out + i, total, mask=i < n)
    for c in range(rounds):
        total = total * 0.5 + tl.load(x + c * n + i, mask=i < n, other=0.0)
        tl.store(out + c * stride + i, total, mask=i < n)
