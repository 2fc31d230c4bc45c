"""Loops, branches, scalars and random numbers of gpu/control.py against NumPy."""

import math

import numpy as np

from arguments import empty, zeros
from harness import EPSILON, Suite, decode, encode, generator

suite = Suite(one_in=2)
random = generator()


def case(label, kernel, grid, args, outputs, warps=4, **tolerance):
    suite.case(label, "gpu/control.py:" + kernel, str(grid), args, outputs,
               options=("--num-warps", str(warps)), **tolerance)


def rest(a, b):
    """What C's division leaves."""
    return int(math.fmod(a, b))


def carries():
    for (a, b), rounds, warps in (((4, 32), 5, 4), ((3, 7), 3, 1), ((64, 16), 2, 8), ((8, 8), 0, 2),
                                  ((1, 100), 4, 4)):
        steps = random.integers(-50, 50, (rounds + 1, a, b)).astype(np.int32)
        x, y = steps[0].copy(), np.ones((a, b), np.int32)
        row, column = np.zeros(b, np.int32), np.full(a, 2, np.int32)
        total, seen = 0, 1
        with np.errstate(over="ignore"):
            for i in range(rounds):
                x, y = y, x + y
                row += x.sum(0, dtype=np.int32) * np.int32(i)
                column = column * np.int32(3) + y.max(1)
                y = y ^ (column[:, None] & row)
                x = x + steps[i + 1]
                total += rest(int(y.sum(dtype=np.int32)), 1000)
                seen = seen * 2 + (total & 1)
        want = np.concatenate([x.ravel(), y.ravel(), row, column])
        case(f"carried {a}x{b} {rounds} times", "carried", 1,
             {"x_ptr": steps, "out_ptr": empty("i32", want.size), "scalar_ptr": empty("i32", 2),
              "rounds": rounds, "A": a, "B": b},
             {"out_ptr": ("i32", want), "scalar_ptr": ("i32", np.array([total, seen]))}, warps)


def free():
    lanes, x = np.arange(32, dtype=np.int32), random.integers(-50, 50, (3, 32)).astype(np.int32)
    a, b, c, d, e, f = lanes, lanes * 3, lanes * 5, lanes * 7, lanes ^ 3, lanes ^ 5
    total = np.zeros(32, np.int32)
    with np.errstate(over="ignore"):
        for row in x:
            total += row * a
            a, b, c, d, e, f = a ^ b, b * 3, c * 5, d * d, e ^ 7, f * 3
        case("free", "free", 1, {"x_ptr": x, "out_ptr": empty("i32", 32), "n": 3, "BLOCK": 32},
             {"out_ptr": ("i32", total + b * c - d + e * f)})


def mandelbrot():
    for width, height, tile, warps in ((21, 19, (8, 16), 4), (24, 24, (5, 7), 1),
                                       (9, 2, (2, 4), 2)):
        cy = (np.arange(height) * 0.125 - 1.47)[:, None]
        cx = np.arange(width) * 0.125 - 1.93
        x, y = np.zeros((2, height, width))
        steps, active = np.zeros((height, width), np.int32), np.ones((height, width), bool)
        margin = np.ones((height, width), bool)  # never so near to the edge that rounding decides
        for _ in range(20):
            x, y = (np.where(active, new, old) for new, old in
                    ((x * x - y * y + cx, x), (2 * x * y + cy, y)))
            size = x * x + y * y
            margin &= ~active | (np.abs(size - 4) > 1e-3)
            active &= size <= 4
            steps += active
        if not margin.all():
            raise AssertionError("a point too near to the edge to compare")
        case(f"mandelbrot {width}x{height} by {tile}", "mandelbrot",
             f"cdiv({height},M),cdiv({width},N)",
             {"out_ptr": empty("i32", height, width), "width": width, "height": height, "limit": 20,
              "M": tile[0], "N": tile[1]}, {"out_ptr": ("i32", steps)}, warps)


def conditions():
    for n, block, warps in ((100, 32, 4), (50, 64, 1), (7, 7, 2)):
        a = (random.random(n) * 900 + 0.1).astype(np.float32)
        case(f"newton {n} by {block}", "newton", "cdiv(n,BLOCK)",
             {"a_ptr": a, "out_ptr": empty("fp32", n), "rounds_ptr": empty("i32", -(-n // block)),
              "n": n, "BLOCK": block}, {"out_ptr": ("fp32", np.cbrt(a.astype(np.float64)))}, warps,
             rtol=2e-6)
    for block, warps in ((32, 4), (128, 2), (5, 1), (100, 8)):
        mode = np.array([-1, 0, 1, 2, 3, 4, 5, 6, 7, 8], np.int32)
        n = len(mode) * block - 2
        x = random.integers(-20, 21, n).astype(np.int32)
        padded = np.concatenate([x, [0, 0]]).reshape(-1, block)
        rows = [branch(int(m), row) for m, row in zip(mode, padded)]
        case(f"branches {block}", "branches", len(mode),
             {"x_ptr": x, "mode_ptr": mode, "out_ptr": empty("i32", n), "n": n, "BLOCK": block},
             {"out_ptr": ("i32", np.concatenate(rows)[:n].astype(np.int32))}, warps)
    a = np.array([27, 97, 1, 6171, 1024, 77031, 5], np.int64)
    b = np.roll(a, -1)
    want = [[math.gcd(int(p), int(q)), collatz(int(p)), pow(int(p), int(q), 1000003)]
            for p, q in zip(a, b)]
    for warps in (1, 4):
        case(f"scalars warps={warps}", "scalars", 9,
             {"a_ptr": a, "out_ptr": empty("i64", 7, 3), "n": 7},
             {"out_ptr": ("i64", np.array(want))}, warps)
    for n, block, warps in ((6, 16, 4), (9, 64, 1), (5, 3, 2)):
        lengths = random.integers(0, 12, n)
        case(f"triangles {n}", "triangles", 1,
             {"x_ptr": lengths, "out_ptr": empty("fp32", block), "n": n, "B": block},
             {"out_ptr": ("fp32", triangles(lengths, block))}, warps, rtol=1e-6)


def branch(mode, x):
    if mode < 0:
        return np.full(len(x), -1)
    x, scale = x.astype(np.int64), 1
    if mode % 2 == 0:
        if x.sum() > 0:
            x, scale = x * 2, 5
        else:
            x = np.cumsum(x)
    elif mode > 4:
        for i in range(mode):
            if i % 3 == 1:
                x = x + x.max()
            else:
                scale += i
    else:
        x = x[::-1]
    return (x if mode > 2 else x - 7) * scale


def collatz(a):
    steps = 0
    while a != 1:
        a = 3 * a + 1 if a % 2 else a // 2
        steps += 1
    return steps


def triangles(lengths, block):
    i = np.arange(block)
    acc = np.zeros(block)
    for row in range(len(lengths) - 1, -1, -2):
        part = np.zeros(block)
        for column in range(row, lengths[row], 3):
            for deep in range(column, column + 2):
                part += np.where(i < deep, 1.0, 0.5) * deep
            part *= 0.5
        for column in range(lengths[row], 2, -1):
            part += i % column == 0
        acc += part
    return acc


def through_memory():
    for n, block, warps in ((50, 32, 4), (101, 64, 2), (16, 8, 1), (300, 256, 8)):
        x = random.integers(-999, 999, n).astype(np.int32)
        case(f"odd-even sort {n}", "odd_even_sort", 1,
             {"x_ptr": x, "rounds_ptr": empty("i32", 1), "n": n, "BLOCK": block},
             {"x_ptr": ("i32", np.sort(x))}, warps)
    for m, n, rounds, warps in ((8, 32, 4, 4), (5, 7, 3, 1), (16, 16, 9, 8), (3, 50, 2, 2)):
        x = (random.random((m, n)) < 0.4).astype(np.int8)
        boards = [np.zeros_like(x), x]  # the one before, the last
        for _ in range(rounds):
            now = boards[-1]
            count = sum(np.roll(now, (dy, dx), (0, 1)) for dy in (-1, 0, 1) for dx in (-1, 0, 1))
            boards.append(((count == 3) | ((now != 0) & (count == 4))).astype(np.int8))
        name = "x_ptr" if rounds % 2 == 0 else "y_ptr"
        case(f"life {m}x{n} {rounds} times", "game_of_life", 1,
             {"x_ptr": x, "y_ptr": empty("i8", m, n), "rounds": rounds, "M": m, "N": n},
             {name: ("i8", boards[-1])}, warps)


# --- random numbers -------------------------------------------------------------------------


def philox(seed, offset):
    """Four words of 32 bits an offset: ten rounds of Philox 4x32 (Salmon et al., 2011)."""
    low = np.uint64(0xFFFFFFFF)
    c = [offset.astype(np.uint64)] + [np.zeros(offset.shape, np.uint64)] * 3
    key = [np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32)]
    for _ in range(10):
        a, b = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [(b >> np.uint64(32)) ^ c[1] ^ key[0], b & low,
             (a >> np.uint64(32)) ^ c[3] ^ key[1], a & low]
        key = [(key[0] + np.uint64(0x9E3779B9)) & low, (key[1] + np.uint64(0xBB67AE85)) & low]
    return [x.astype(np.uint32) for x in c]


def uniform(words):
    x = words.view(np.int32)
    return np.where(x < 0, -x - 1, x).astype(np.float32) * np.float32(4.6566127342e-10)


def dropouts():
    for n, block, seed, p, warps in ((300, 128, 7, 0.5, 4), (77, 33, 123456789012345, 0.1, 1),
                                     (64, 64, 0, 0.9, 8)):
        x = random.standard_normal(n).astype(np.float32)
        words = philox(seed, np.arange(n))
        kept = uniform(words[0]) > np.float32(p)
        first = np.maximum(uniform(words[0]), np.float32(1e-7)).astype(np.float64)
        angle = (np.float32(6.2831855) * uniform(words[1])).astype(np.float64)
        normal = np.sqrt(-2 * np.log(first)) * np.cos(angle)
        case(f"dropout {n} p={p}", "dropout", "cdiv(n,BLOCK)",
             {"x_ptr": x, "y_ptr": empty("fp32", n), "raw_ptr": empty("u32", n, 4),
              "normal_ptr": empty("fp32", n), "n": n, "p": p, "seed": seed, "BLOCK": block},
             {"y_ptr": ("fp32", np.where(kept, x / np.float64(np.float32(1) - np.float32(p)), 0)),
              "raw_ptr": ("u32", np.stack(words, -1)), "normal_ptr": ("fp32", normal)}, warps,
             rtol=2e-6, atol=1e-6)


def functions():
    for dtype, tokens, heads, d, h, pairs, warps in (
            ("fp32", 5, 3, 64, 4, True, 4), ("fp16", 4, 8, 32, 8, False, 1),
            ("bf16", 3, 2, 128, 2, True, 8), ("fp32", 2, 5, 12, 5, False, 2)):
        x = encode(random.standard_normal((tokens, heads, d)), dtype)
        position = random.integers(0, 60, tokens).astype(np.int32)
        angle = (position[:, None] * 10000.0**(-2 * np.arange(d // 2) / d))[:, None, :]
        first = slice(0, d, 2) if pairs else slice(0, d // 2)
        second = slice(1, d, 2) if pairs else slice(d // 2, d)
        a, b = decode(x)[..., first], decode(x)[..., second]
        want = np.empty(decode(x).shape)
        want[..., first] = a * np.cos(angle) - b * np.sin(angle)
        want[..., second] = b * np.cos(angle) + a * np.sin(angle)
        case(f"rotary {dtype} {heads}x{d} pairs={pairs}", "rotary", tokens,
             {"x_ptr": x, "y_ptr": empty(dtype, tokens, heads, d), "position_ptr": position,
              "heads": heads, "D": d, "H": h, "PAIRS": pairs}, {"y_ptr": (dtype, want)}, warps,
             rtol=EPSILON[dtype], atol=3e-5)
    erf = np.vectorize(math.erf)
    for dtype, n, block, warps in (("fp32", 333, 128, 4), ("fp64", 100, 32, 1),
                                   ("fp32", 50, 50, 2)):
        stored = encode(random.uniform(-6, 6, n), dtype)
        x = decode(stored)
        y = np.abs(x) + 0.25
        want = np.stack([
            np.exp(x), np.log(y), np.sin(x), np.cos(x), np.sqrt(y), 1 / np.sqrt(y), np.tanh(x),
            erf(x), y**x, np.log1p(y), np.expm1(x), np.arctan2(x, y), np.rint(x * 3),
            np.floor(x * 3) + np.ceil(y), np.exp2(x) / y, 1 / (1 + np.exp(-x))], -1)
        case(f"functions {dtype} {n}", "functions", "cdiv(n,BLOCK)",
             {"x_ptr": stored, "y_ptr": empty(dtype, n, 16), "n": n, "BLOCK": block},
             {"y_ptr": (dtype, want)}, warps, rtol=8 * EPSILON[dtype], atol=2 * EPSILON[dtype])


def turns():
    for programs, block, warps in ((2, 128, 4), (8, 64, 1), (4, 512, 8), (16, 32, 2)):
        log, last = [], 1
        for pid in range(programs):
            log.append([last] * block)
            last = last * 3 + pid
        log += [[0] * block] * programs
        case(f"{programs} programs in turn by {warps} warps", "in_turn", programs,
             {"turn_ptr": zeros("i32", programs + 1), "last_ptr": np.ones(1, np.int32),
              "log_ptr": empty("i32", len(log), block), "N": programs, "BLOCK": block},
             {"log_ptr": ("i32", np.array(log)), "last_ptr": ("i32", np.array([last]))}, warps)


carries()
free()
mandelbrot()
conditions()
through_memory()
dropouts()
functions()
turns()
suite.finish()
