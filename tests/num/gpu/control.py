"""Loops, branches and scalars around tiles: what is carried, what is uniform, what never runs."""

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def carried(x_ptr, out_ptr, scalar_ptr, rounds, A: tl.constexpr, B: tl.constexpr):
    """Two tiles that trade places, their product's sums, a row, a column, scalars and a pointer."""
    a, b = tl.arange(0, A), tl.arange(0, B)
    at = a[:, None] * B + b[None, :]
    x = tl.load(x_ptr + at)
    y = tl.full((A, B), 1, tl.int32)
    row = tl.zeros([B], tl.int32)
    column = tl.full([A], 2, tl.int32)
    pointer = x_ptr + at
    total, seen = 0, 1
    for i in range(rounds):
        x, y = y, x + y
        row += tl.sum(x, axis=0) * i
        column = column * 3 + tl.max(y, axis=1)
        y ^= column[:, None] & row[None, :]
        pointer += A * B
        x += tl.load(pointer)
        total += tl.sum(y) % 1000
        seen = seen * 2 + (total & 1)
    tl.store(out_ptr + at, x)
    tl.store(out_ptr + A * B + at, y)
    tl.store(out_ptr + 2 * A * B + b, row)
    tl.store(out_ptr + 2 * A * B + B + a, column)
    tl.store(scalar_ptr, total)
    tl.store(scalar_ptr + 1, seen)


@triton.jit
def free(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """More tiles than rounds of choosing layouts, made of nothing that lies anywhere."""
    lanes = tl.arange(0, BLOCK)
    a, b, c, d, e, f = lanes, lanes * 3, lanes * 5, lanes * 7, lanes ^ 3, lanes ^ 5
    total = tl.zeros([BLOCK], tl.int32)
    for i in range(n):
        total += tl.load(x_ptr + i * BLOCK + lanes) * a
        a, b, c, d, e, f = a ^ b, b * 3, c * 5, d * d, e ^ 7, f * 3
    tl.store(out_ptr + lanes, total + b * c - d + e * f)


@triton.jit
def mandelbrot(out_ptr, width, height, limit, M: tl.constexpr, N: tl.constexpr):
    """How long each point stays: a while loop until no lane is inside any more."""
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    cy = (rows.to(tl.float32) * 0.125 - 1.47)[:, None] + tl.zeros([1, N], tl.float32)
    cx = (columns.to(tl.float32) * 0.125 - 1.93)[None, :] + tl.zeros([M, 1], tl.float32)
    x = tl.zeros([M, N], tl.float32)
    y = tl.zeros([M, N], tl.float32)
    steps = tl.zeros([M, N], tl.int32)
    inside = (rows < height)[:, None] & (columns < width)[None, :]
    active = inside
    i = 0
    while (tl.max(active.to(tl.int32)) > 0) & (i < limit):
        next_x = x * x - y * y + cx
        next_y = 2 * x * y + cy
        x = tl.where(active, next_x, x)
        y = tl.where(active, next_y, y)
        active = active & (x * x + y * y <= 4.0)
        steps += active.to(tl.int32)
        i += 1
    tl.store(out_ptr + rows[:, None] * width + columns[None, :], steps, mask=inside)


@triton.jit
def newton(a_ptr, out_ptr, rounds_ptr, n, BLOCK: tl.constexpr):
    """Cube roots: a loop that stops when the worst lane is near enough."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(a_ptr + at, mask=at < n, other=1.0)
    x = tl.maximum(a, 1.0)
    error = tl.max(tl.abs(x * x * x - a) / a, axis=0)
    rounds = 0
    while error > 1e-6 and rounds < 60:
        x -= (x * x * x - a) / (3 * x * x)
        error = tl.max(tl.abs(x * x * x - a) / a, axis=0)
        rounds += 1
    tl.store(out_ptr + at, x, mask=at < n)
    tl.store(rounds_ptr + tl.program_id(0), rounds)


@triton.jit
def branches(x_ptr, mode_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """Nested ifs that change tiles, by scalars from memory and from reductions; early return."""
    pid = tl.program_id(0)
    mode = tl.load(mode_ptr + pid)
    at = pid * BLOCK + tl.arange(0, BLOCK)
    if mode < 0:
        tl.store(out_ptr + at, -1, mask=at < n)
        return
    x = tl.load(x_ptr + at, mask=at < n, other=0)
    scale = 1
    if mode % 2 == 0:
        if tl.sum(x, axis=0) > 0:
            x = x * 2
            scale = 5
        else:
            x = tl.cumsum(x, axis=0)
    elif mode > 4:
        for i in range(mode):
            if i % 3 == 1:
                x = x + tl.max(x, axis=0)
            else:
                scale += i
    else:
        x = tl.flip(x)
    y = x if mode > 2 else x - 7
    tl.store(out_ptr + at, y * scale, mask=at < n)


@triton.jit
def scalars(a_ptr, out_ptr, n):
    """No tile at all: the greatest common divisor, Collatz steps, and a power modulo a prime."""
    pid = tl.program_id(0)
    if pid >= n:
        return
    a = tl.load(a_ptr + pid)
    b = tl.load(a_ptr + (pid + 1) % n)
    x, y = a, b
    while y != 0:
        x, y = y, x % y
    tl.store(out_ptr + pid * 3, x)
    steps = tl.zeros([], tl.int64)
    at = a
    while at != 1:
        at = 3 * at + 1 if at % 2 == 1 else at // 2
        steps += 1
    tl.store(out_ptr + pid * 3 + 1, steps)
    power = tl.full([], 1, tl.int64)
    base = a % 1000003
    left = b
    while left > 0:
        if left & 1:
            power = power * base % 1000003
        base = base * base % 1000003
        left >>= 1
    tl.store(out_ptr + pid * 3 + 2, power)


@triton.jit
def triangles(x_ptr, out_ptr, n, B: tl.constexpr):
    """Loops in loops with bounds from the outer one and from memory, both ways; some run never."""
    i = tl.arange(0, B)
    acc = tl.zeros([B], tl.float32)
    for row in range(n - 1, -1, -2):
        length = tl.load(x_ptr + row).to(tl.int32)
        part = tl.zeros([B], tl.float32)
        for column in range(row, length, 3):
            for deep in range(column, column + 2):
                part += tl.where(i < deep, 1.0, 0.5) * deep
            part = part * 0.5
        for column in range(length, 2, -1):
            part += tl.where(i % column == 0, 1.0, 0.0)
        acc += part
    tl.store(out_ptr + i, acc)


@triton.jit
def odd_even_sort(x_ptr, rounds_ptr, n, BLOCK: tl.constexpr):
    """Sorts in memory: a loop of stores and loads by other lanes until nothing moves."""
    i = tl.arange(0, BLOCK)
    moved = 1
    rounds = 0
    while moved > 0:
        moved = 0
        for odd in tl.static_range(2):
            left = 2 * i + odd
            pair = left + 1 < n
            a = tl.load(x_ptr + left, mask=pair, other=0)
            b = tl.load(x_ptr + left + 1, mask=pair, other=0)
            swap = pair & (a > b)
            tl.debug_barrier()
            tl.store(x_ptr + left, b, mask=swap)
            tl.store(x_ptr + left + 1, a, mask=swap)
            tl.debug_barrier()
            moved += tl.sum(swap.to(tl.int32), axis=0)
        rounds += 1
    tl.store(rounds_ptr, rounds)


@triton.jit
def game_of_life(x_ptr, y_ptr, rounds, M: tl.constexpr, N: tl.constexpr):
    """Generations between two arrays that trade roles; the sides are joined."""
    m, n = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    here, there = x_ptr, y_ptr
    for _ in range(rounds):
        count = tl.zeros([M, N], tl.int32)
        for dy in tl.static_range(-1, 2):
            for dx in tl.static_range(-1, 2):
                at = (m + dy + M) % M * N + (n + dx + N) % N
                count += tl.load(here + at).to(tl.int32)
        alive = tl.load(here + m * N + n) != 0
        tl.store(there + m * N + n, ((count == 3) | (alive & (count == 4))).to(tl.int8))
        tl.debug_barrier()
        here, there = there, here


@triton.jit
def dropout(x_ptr, y_ptr, raw_ptr, normal_ptr, n, p, seed, BLOCK: tl.constexpr):
    """Philox by lanes: kept elements scaled up, the four words, and a normal number."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    keep = tl.rand(seed, at) > p
    tl.store(y_ptr + at, tl.where(keep, x / (1 - p), 0.0), mask=at < n)
    a, b, c, d = tl.randint4x(seed, at)
    tl.store(raw_ptr + at * 4, a, mask=at < n)
    tl.store(raw_ptr + at * 4 + 1, b, mask=at < n)
    tl.store(raw_ptr + at * 4 + 2, c, mask=at < n)
    tl.store(raw_ptr + at * 4 + 3, d, mask=at < n)
    tl.store(normal_ptr + at, tl.randn(seed, at), mask=at < n)


@triton.jit
def rotary(x_ptr, y_ptr, position_ptr, heads, D: tl.constexpr, H: tl.constexpr,
           PAIRS: tl.constexpr):
    """Rotation of pairs of a token's heads by angles that are computed; pairs lie side by side,
    or half a head apart."""
    token = tl.program_id(0)
    position = tl.load(position_ptr + token).to(tl.float32)
    h = tl.arange(0, H)[:, None]
    half = tl.arange(0, D // 2)
    angle = position * tl.exp2(half.to(tl.float32) * (-13.287712379549449 * 2 / D))
    c, s = tl.cos(angle)[None, :], tl.sin(angle)[None, :]
    base = token * heads * D + h * D
    there = h < heads
    if PAIRS:
        d = tl.arange(0, D)[None, :]
        x = tl.load(x_ptr + base + d, mask=there, other=0.0).to(tl.float32)
        a, b = tl.split(tl.reshape(x, (H, D // 2, 2)))
        y = tl.interleave(a * c - b * s, b * c + a * s)
        tl.store(y_ptr + base + d, y, mask=there)
    else:
        a = tl.load(x_ptr + base + half, mask=there, other=0.0).to(tl.float32)
        b = tl.load(x_ptr + base + D // 2 + half, mask=there, other=0.0).to(tl.float32)
        tl.store(y_ptr + base + half, a * c - b * s, mask=there)
        tl.store(y_ptr + base + D // 2 + half, b * c + a * s, mask=there)


@triton.jit
def functions(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    """Functions of one and two numbers, of libdevice too, each in a place of its own."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=1.0)
    y = tl.abs(x) + 0.25
    to = y_ptr + at * 16
    tl.store(to, tl.exp(x), mask=at < n)
    tl.store(to + 1, tl.log(y), mask=at < n)
    tl.store(to + 2, tl.sin(x), mask=at < n)
    tl.store(to + 3, tl.cos(x), mask=at < n)
    tl.store(to + 4, tl.sqrt(y), mask=at < n)
    tl.store(to + 5, tl.rsqrt(y), mask=at < n)
    tl.store(to + 6, libdevice.tanh(x), mask=at < n)
    tl.store(to + 7, tl.erf(x), mask=at < n)
    tl.store(to + 8, libdevice.pow(y, x), mask=at < n)
    tl.store(to + 9, libdevice.log1p(y), mask=at < n)
    tl.store(to + 10, libdevice.expm1(x), mask=at < n)
    tl.store(to + 11, libdevice.atan2(x, y), mask=at < n)
    tl.store(to + 12, libdevice.rint(x * 3), mask=at < n)
    tl.store(to + 13, tl.floor(x * 3) + tl.ceil(y), mask=at < n)
    tl.store(to + 14, tl.exp2(x) / y, mask=at < n)
    tl.store(to + 15, tl.sigmoid(x), mask=at < n)


@triton.jit
def in_turn(turn_ptr, last_ptr, log_ptr, N: tl.constexpr, BLOCK: tl.constexpr):
    """Programs wait for those before them: for one word, then for what a tile of flags says. All
    warps must go around as often, and agree on what the last program has left."""
    pid = tl.program_id(0)
    while tl.load(turn_ptr, volatile=True) != pid:
        tl.debug_barrier()
    tl.atomic_add(turn_ptr, 0)  # what stands behind is read behind the others' releases
    last = tl.load(last_ptr)
    tl.store(log_ptr + pid * BLOCK + tl.arange(0, BLOCK), last)
    tl.store(last_ptr, last * 3 + pid)
    tl.atomic_xchg(turn_ptr, pid + 1)
    flags = turn_ptr + 1 + tl.arange(0, N)
    tl.atomic_xchg(turn_ptr + 1 + pid, 1)
    seen = tl.sum(tl.load(flags, volatile=True))
    while seen <= pid:
        seen = tl.sum(tl.load(flags, volatile=True))
    late = tl.sum((seen <= pid + tl.zeros([BLOCK], tl.int32)).to(tl.int32))
    tl.store(log_ptr + (N + pid) * BLOCK + tl.arange(0, BLOCK), late)
