"""Small recurrences: written out, by loops, by `while`."""

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def network(x, w, u, out, n, STEPS: tl.constexpr, BLOCK: tl.constexpr):
    """A cell of one number, STEPS times."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    h = tl.zeros([BLOCK], tl.float32)
    for t in tl.static_range(STEPS):
        h = libdevice.tanh(tl.load(w) * h + tl.load(u) * tl.load(x + t * n + at, mask=at < n, other=0.0))
    tl.store(out + at, h, mask=at < n)


@triton.jit
def oscillator(x, v, out, n, dt, STEPS: tl.constexpr, BLOCK: tl.constexpr):
    """Leapfrog: two numbers that make each other."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    place, speed = tl.load(x + at, mask=at < n), tl.load(v + at, mask=at < n)
    for _ in tl.static_range(STEPS):
        speed -= dt * tl.sin(place)
        place += dt * speed
    tl.store(out + at, place * speed, mask=at < n)


@triton.jit
def root(x, out, n, STEPS: tl.constexpr, BLOCK: tl.constexpr):
    """Newton's."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < n, other=1.0)
    y = 0.5 * (a + 1)
    for _ in tl.static_range(STEPS):
        y = 0.5 * (y + a / y)
    tl.store(out + at, y, mask=at < n)


@triton.jit
def smoothed(x, out, n, rate):
    """An exponential mean along a row."""
    mean = 0.0
    for t in range(n):
        mean = rate * mean + (1 - rate) * tl.load(x + t)
        tl.store(out + t, mean)


@triton.jit
def polynomial(x, c, out, n, degree, BLOCK: tl.constexpr):
    """Horner's, whose coefficients a loop reads."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < n, other=0.0)
    value = tl.zeros([BLOCK], tl.float32)
    for k in range(degree):
        value = value * a + tl.load(c + k)
    tl.store(out + at, value, mask=at < n)


@triton.jit
def halved(x, out):
    """Until it is small."""
    a = tl.load(x)
    while a > 1.0:
        a = a * 0.5
    tl.store(out, a)


@triton.jit
def powers(x, c, out, n, BLOCK: tl.constexpr):
    """A series: the loop adds, its round computes a power of its own."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < n, other=1.0)
    value = tl.zeros([BLOCK], tl.float32)
    for k in range(4):
        value += tl.load(c + k) * libdevice.pow(a, k * 1.0)
    tl.store(out + at, value, mask=at < n)


@triton.jit
def ragged(x, starts, out):
    """A recurrence over a row whose length is data."""
    begin, end = tl.load(starts + tl.program_id(0)), tl.load(starts + tl.program_id(0) + 1)
    h = 0.5
    for i in range(begin, end):
        h = tl.exp(-h * h) + tl.load(x + i)
    tl.store(out + tl.program_id(0), h)


@triton.jit
def counted(x, w, out, n, steps, BLOCK: tl.constexpr):
    """A `while` that counts, in another one that counts down, and is stored from."""
    at = tl.arange(0, BLOCK)
    h = tl.load(x + at, mask=at < n, other=0.0)
    k = steps
    while k > 0:
        i = 1
        while i <= 3:
            h = tl.sin(h) * tl.load(w + i)
            i += 2
        k -= 1
        tl.store(out + k * n + at, h * i, mask=at < n)


@triton.jit
def chained(x, following, start, out, steps):
    """Along a chain of indices: where it was in each round is on a tape of integers."""
    at = tl.load(start + tl.program_id(0))
    h = 0.0
    for _ in range(steps):
        h = h * 0.7 + tl.load(x + at) * tl.load(x + at)
        at = tl.load(following + at)
    tl.store(out + tl.program_id(0), h)


@triton.jit
def newton_roots(x, out, n, BLOCK: tl.constexpr):
    """Until all lanes are near."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=1.0)
    r = v
    while tl.max(tl.abs(r * r - v), 0) > 1e-3:
        r = 0.5 * (r + v / r)
    tl.store(out + i, r * r * r, mask=i < n)


@triton.jit
def by_halves(x, out, n, BLOCK: tl.constexpr):
    """By an integer that is halved: other states go along."""
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    k, s = n, 1.0
    while k > 1:
        v = v * s + tl.exp(-v) / k
        s = s * 0.5
        k = k // 2
    tl.store(out + i, v * k, mask=i < n)


@triton.jit
def chain_of_chains(x, following, start, out):
    """Along a list until its end, and in each element another loop."""
    at = tl.load(start + tl.program_id(0))
    h = 1.0
    while at >= 0:
        v = tl.load(x + at)
        k = at + 2
        while k > 0:
            h = h * 0.7 + v * tl.cos(h)
            k = k // 2
        at = tl.load(following + at)
    tl.store(out + tl.program_id(0), h)


@triton.jit
def escaping(x, c, out, most):
    """A point that is moved until it is far away: the length of its way. None at all, if it begins there."""
    p = tl.program_id(0)
    a, b = tl.load(x + 2 * p), tl.load(x + 2 * p + 1)
    cr, ci = tl.load(c), tl.load(c + 1)
    i = 0
    way = 0.0
    size = a * a + b * b
    while (size < 16.0) & (i < most):
        a, b = a * a - b * b + cr, 2 * a * b + ci
        size = a * a + b * b
        way += tl.sqrt(size)
        i += 1
    tl.store(out + p, way * a)


@triton.jit
def not_begun(x, out, begin, end, BLOCK: tl.constexpr):
    """From `begin` on, which may lie behind the end: then nothing is kept."""
    i = tl.arange(0, BLOCK)
    h = tl.load(x + i)
    for t in range(begin, end, 2):
        h = h * h * 0.5 + tl.load(x + t)
    tl.store(out + i, h)


@triton.jit
def triangle(x, out, n, BLOCK: tl.constexpr):
    """Rounds within rounds, one more in each: as many as there are in the last."""
    i = tl.arange(0, BLOCK)
    h = tl.zeros([BLOCK], tl.float32)
    for a in range(n):
        for b in range(a + 1):
            h = tl.sin(h) + tl.load(x + a * n + b) * i * 0.1 + h * h * 0.1
    tl.store(out + i, h)


@triton.jit
def delta_rule(q, k, v, rate, out, steps, D: tl.constexpr):
    """A matrix that learns what keys have for values, step by step (Schlag et al., 2021)."""
    head = tl.program_id(0)
    columns = tl.arange(0, D)
    state = tl.zeros([D, D], tl.float32)
    for step in range(steps):
        at = (head * steps + step) * D + columns
        key = tl.load(k + at)
        error = tl.load(v + at) - tl.sum(state * key[:, None], axis=0)
        state += tl.load(rate + head * steps + step) * key[:, None] * error[None, :]
        tl.store(out + at, tl.sum(tl.load(q + at)[:, None] * state, axis=0))


@triton.jit
def read_twice(x, out, steps, D: tl.constexpr):
    """The steps of a sequence, a row each, are gone through for their sum and once more."""
    sequence = tl.program_id(0)
    columns = tl.arange(0, D)
    state = tl.zeros([D], tl.float32)
    for step in range(steps):
        state += tl.load(x + (sequence * steps + step) * D + columns)
    for step in range(steps):
        state *= tl.load(x + (sequence * steps + step) * D + columns)
    tl.store(out + sequence * D + columns, state)


@triton.jit
def first_step(x, out, steps, D: tl.constexpr):
    """Of each sequence the first of its rows."""
    sequence = tl.program_id(0)
    columns = tl.arange(0, D)
    values = tl.load(x + sequence * steps * D + columns)
    tl.store(out + sequence * D + columns, values * values)


@triton.jit
def packed(x, takes, out, row, steps):
    """Some steps take the next element."""
    p = x + tl.program_id(0) * row
    h = 1.0
    for step in range(steps):
        h = h * tl.load(p) + 1.0
        if tl.load(takes + step) > 0:
            p += 1
    tl.store(out + tl.program_id(0), h)


@triton.jit
def by_strides(x, far, out, n, steps, BLOCK: tl.constexpr):
    """Each step says how far the next is, and every third comes back by as much."""
    lanes = tl.arange(0, BLOCK)
    p = x + lanes
    h = tl.zeros([BLOCK], tl.float32) + 1.0
    for step in range(steps):
        h = h * tl.load(p, mask=lanes < n, other=0.0) + 1.0
        p = tl.where(step % 3 == 2, p - 2, p + tl.load(far + step))
    tl.store(out + lanes, h * tl.load(p, mask=lanes < n, other=0.0), mask=lanes < n)


@triton.jit
def error_first(x, out, n, BLOCK: tl.constexpr):
    """What is asked for is carried in front of what counts, and needed behind the loop by nobody."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=1.0)
    error, rounds, mean, root = 1.0, 0, v, v * 2.0
    while (error > 1e-3) & (rounds < 50):
        mean = 0.5 * (mean + root)
        root = tl.sqrt(mean * root)
        error = tl.max(tl.abs(mean - root), axis=0)
        rounds += 1
    tl.store(out + i, mean * root, mask=i < n)


@triton.jit
def smoothed_back(x, y, n, decay, rows, BLOCK: tl.constexpr):
    """A mean that fades, from the last element to the first."""
    r = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    h = tl.zeros((BLOCK,), tl.float32)
    for i in range(n - 1, -1, -1):
        v = tl.load(x + r * n + i, mask=r < rows, other=0.0)
        h = decay * h + (1 - decay) * v
        tl.store(y + r * n + i, h, mask=r < rows)


@triton.jit
def every_other(x, y, n, rows, BLOCK: tl.constexpr):
    """Counts down by two, to an end that is no counter's."""
    r = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    h = tl.zeros((BLOCK,), tl.float32)
    for i in range(n - 1, 0, -2):
        v = tl.load(x + r * n + i, mask=r < rows, other=0.0)
        h = h * v + i
    tl.store(y + r, h, mask=r < rows)


@triton.jit
def horner(x, coef, y, n, degree, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n, other=0.0)
    acc = tl.zeros((BLOCK,), tl.float32)
    for k in range(degree, -1, -1):
        acc = acc * v + tl.load(coef + k)
    tl.store(y + at, acc, mask=at < n)
