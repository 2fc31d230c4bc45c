#!/usr/bin/env python3
"""Derive the polynomials and constants of src/math/math_*.c.

    python3 -m venv DIR && DIR/bin/pip install mpmath gmpy2
    DIR/bin/python tools/minimax.py [NAME...]     all tables and constants, or the tables named

Every polynomial is the weighted minimax approximation of a function g on an
interval, found with Remez' exchange algorithm in 50 digits:  it minimises
max |w(x) (g(x) - P(x))|, where the weight w turns the error of P into the
relative error of what is finally computed.  The coefficients are then rounded to
the working precision one at a time, from the lowest degree up, and the ones
above are fitted again after each rounding, so that they make up for it.

What is printed is a line for each table: name, the measured weighted error after
rounding as a power of two, and the coefficients as hexadecimal floats, lowest
degree first.  Ranges are those of the argument reduction described in the C file
named in each section below, a little widened for the rounding of the reduction.
"""

import re
import sys
from mpmath import mp, mpf, mpmathify, matrix, lu_solve, log, exp, sin, cos, tan, sqrt
from mpmath import atan, asin, sinh, tanh, atanh, erf, erfc, expm1, log1p, pi

mp.dps = 50
SINGLE, DOUBLE = 24, 53


def round_to(value, bits):
    """Give value with a significand of that many bits, nearest even."""
    value = mpf(value)
    if value == 0:
        return value
    mantissa, exponent = mp.frexp(value)
    return mp.ldexp(mp.nint(mp.ldexp(mantissa, bits)), exponent - bits)


def chebyshev_grid(a, b, n):
    mid, half = (a + b) / 2, (b - a) / 2
    return [mid - half * cos(pi * i / (n - 1)) for i in range(n)]


def evaluate(coefficients, x):
    total = mpf(0)
    for c in reversed(coefficients):
        total = total * x + c
    return total


def extrema(errors):
    """Indexes of the largest |error| in each run of equal sign."""
    best, out = 0, []
    for i in range(1, len(errors)):
        if errors[i] * errors[best] < 0:
            out.append(best)
            best = i
        elif abs(errors[i]) > abs(errors[best]):
            best = i
    return out + [best]


def drop_smallest(peaks, errors, surplus):
    """Take out the smallest peak so that the signs still alternate: an end, or a pair."""
    size = [abs(errors[p]) for p in peaks]
    at = size.index(min(size))
    if surplus == 1:
        del peaks[0 if size[0] < size[-1] else -1]
    elif at in (0, len(size) - 1):
        del peaks[at]
    elif size[at - 1] < size[at + 1]:
        del peaks[at - 1 : at + 1]
    else:
        del peaks[at : at + 2]


def remez(grid, target, weight, n):
    """Coefficients of x^0 .. x^(n-1) and their largest error, on a grid."""
    size = n + 1
    picks = [round(i * (len(grid) - 1) / (size - 1)) for i in range(size)]
    for _ in range(30):
        rows, right = matrix(size, size), matrix(size, 1)
        for r, at in enumerate(picks):
            power = weight[at]
            for c in range(n):
                rows[r, c] = power
                power *= grid[at]
            rows[r, n] = (-1) ** r
            right[r] = target[at] * weight[at]
        solution = lu_solve(rows, right)
        found = [solution[i] for i in range(n)]
        errors = [w * (t - evaluate(found, x)) for x, t, w in zip(grid, target, weight)]
        peaks = extrema(errors)
        while len(peaks) > size:
            drop_smallest(peaks, errors, len(peaks) - size)
        worst = max(abs(e) for e in errors)
        if len(peaks) < size or worst <= abs(solution[n]) * mpf("1.001"):
            break
        picks = peaks
    return found, worst


def fit(g, a, b, n, bits, weight=lambda x: mpf(1), fixed=(), first=None):
    """Minimax polynomial with n coefficients, the first ones perhaps given (`fixed`), rounded
    to `bits`, or the constant term to `first` bits."""
    grid = chebyshev_grid(mpf(a), mpf(b), 24 * (n + 2))
    # near 0 g may be 0/0 and the error of the higher terms is nothing
    grid = [x for x in grid if abs(x) > (mpf(b) - a) / 4096]
    target = [g(x) for x in grid]
    weights = [weight(x) for x in grid]
    done = [mpmathify(c) for c in fixed]
    while len(done) < n:
        low = len(done)
        rest = [(t - evaluate(done, x)) / x**low for x, t in zip(grid, target)]
        scaled = [w * abs(x) ** low for x, w in zip(grid, weights)]
        found, _ = remez(grid, rest, scaled, n - low)
        done.append(round_to(found[0], first if first and not done else bits))
    error = max(abs(w * (t - evaluate(done, x))) for x, t, w in zip(grid, target, weights))
    return done, error


TABLES = {}


def table(name, *args, **kwargs):
    TABLES[name] = (args, kwargs)


def hexfloat(c):
    return re.sub(r"\.?0*p", "p", float(c).hex()) if c != 0 else "0"


LN2 = log(mpf(2))

# ---- math_exp.c: |r| <= half a step of the exponent ----
HALF = LN2 / 2 * mpf("1.001")
TENTH = log(mpf(2), 10) / 2 * mpf("1.001")

for name, n, bits in (("F32", 6, SINGLE), ("F64", 11, DOUBLE)):
    table("EXP_" + name, lambda x: expm1(x) / x, -HALF, HALF, n, bits,
          weight=lambda x: abs(x) * exp(-x), fixed=(1,))
    table("EXP2_" + name, lambda x: expm1(x * LN2) / x, -0.5, 0.5, n, bits,
          weight=lambda x: abs(x) * 2**-x)
    table("EXP10_" + name, lambda x: expm1(x * log(10)) / x, -TENTH, TENTH, n, bits,
          weight=lambda x: abs(x) * 10**-x)
# fp32 looks the eighths of the exponent up, so that r is an eighth as long.
START = 1 - mpf(3115) / 2**23

for name, base in (("EXP", exp(mpf(1))), ("EXP2", mpf(2)), ("EXP10", mpf(10))):
    eighth = log(mpf(2), base) / 16 * mpf("1.001")
    table(name + "_EIGHTHS", lambda x, b=base: b**x / START - 1, -eighth, eighth, 4, SINGLE,
          weight=lambda x, b=base: b**-x)
for name, n, bits in (("F32", 6, SINGLE), ("F64", 11, DOUBLE)):
    table("EXPM1_" + name, lambda x: (expm1(x) - x) / x**2, -HALF, HALF, n, bits,
          weight=lambda x: abs(x**2 / expm1(x)), fixed=(0.5,))

# ---- math_log.c: fp32 in f = m - 1, fp64 in s = f/(2 + f) ----
THIRD = mpf(1) / 3 + mpf(2) ** -20
S_MAX = (sqrt(mpf(2)) - 1) / (sqrt(mpf(2)) + 1) * mpf("1.0001")

table("LOG_F32", lambda f: (log1p(f) - f + f**2 / 2) / f**3, -THIRD, THIRD, 8, SINGLE,
      weight=lambda f: abs(f**3 / log1p(f)))
table("LOG_F64", lambda z: (2 * atanh(sqrt(z)) / sqrt(z) - 2) / z, 0, S_MAX**2, 7, DOUBLE,
      weight=lambda z: z)

# ---- math_trig.c: |r| <= pi/4 and what the reduction may add ----
QUARTER = pi / 4 * mpf("1.04")
EIGHTH = pi / 4 * mpf("1.0001")

for name, top, counts, bits in (("F32", QUARTER, (3, 3, 7), SINGLE),
                                ("F64", EIGHTH, (6, 6, 15), DOUBLE)):
    table("SIN_" + name, lambda s: (sin(sqrt(s)) / sqrt(s) - 1) / s, 0, top**2, counts[0], bits,
          weight=lambda s: s * sqrt(s) / sin(sqrt(s)))
    table("COS_" + name, lambda s: (cos(sqrt(s)) - 1 + s / 2) / s**2, 0, top**2, counts[1], bits,
          weight=lambda s: s**2 / cos(sqrt(s)))
    table("TAN_" + name, lambda s: (tan(sqrt(s)) / sqrt(s) - 1) / s, 0, top**2, counts[2], bits,
          weight=lambda s: s * sqrt(s) / tan(sqrt(s)))

# ---- math_arc.c ----
ASIN_EDGE = cos(mpf(1))  # above it the halved arc is below 1/2

for name, counts, bits in (("F32", (9, 6), SINGLE), ("F64", (20, 14), DOUBLE)):
    table("ATAN_" + name, lambda s: (atan(sqrt(s)) / sqrt(s) - 1) / s, 0, 1, counts[0], bits,
          weight=lambda s: s * sqrt(s) / atan(sqrt(s)))
    table("ASIN_" + name, lambda s: (asin(sqrt(s)) / sqrt(s) - 1) / s, 0, ASIN_EDGE**2, counts[1],
          bits,
          weight=lambda s: s * sqrt(s) / asin(sqrt(s)))

# ---- math_hyper.c: tanh up to where it is 1/2, sinh up to 1 ----
for name, counts, bits in (("F32", (5, 4), SINGLE), ("F64", (11, 8), DOUBLE)):
    table("TANH_" + name, lambda s: (tanh(sqrt(s)) / sqrt(s) - 1) / s, 0, (log(mpf(3)) / 2)**2,
          counts[0], bits, weight=lambda s: s * sqrt(s) / tanh(sqrt(s)))
    table("SINH_" + name, lambda s: (sinh(sqrt(s)) / sqrt(s) - 1) / s, 0, 1, counts[1], bits,
          weight=lambda s: s * sqrt(s) / sinh(sqrt(s)))

# ---- math_erf.c ----
for name, counts, edge, top, bits in (("F32", (7, 7), 0.95, 4, SINGLE),
                                      ("F64", (13, 18), 1, 6, DOUBLE)):
    table("ERF_LOW_" + name, lambda s: erf(sqrt(s)) / sqrt(s) - 1, 0, mpf(edge)**2, counts[0], bits,
          weight=lambda s: sqrt(s) / erf(sqrt(s)))
    table("ERF_HIGH_" + name, lambda a: -log(erfc(a)), edge, top, counts[1], bits,
          weight=lambda a: erfc(a) / erf(a))

# erf in fp32 by pieces: 1.09 a + 2^23 - 3 goes to the next half below 2^23, to the next integer above
PIECE_EDGES = [mpf(n) / 400 / mpf("1.09") for n in (0, 100, 300, 500, 700, 900, 1100, 1400)] + [mpf("3.95")]


def unit(y):
    """The power of two at the size of y: 2^-23 of it is the unit in the last place of fp32."""
    return mpf(2) ** mp.floor(log(y, 2))


def good_centre(low, high):
    """The fp32 number near the middle whose erf is nearest to one, and that."""
    middle = round_to((low + high) / 2, SINGLE)
    near = [middle + i * unit(middle) / 2**23 for i in range(-1024, 1025)]
    best = min(near, key=lambda c: abs(erf(c) - round_to(erf(c), SINGLE)) / unit(erf(c)))
    return best, round_to(erf(best), SINGLE)


def erf_piece(low, high):
    """The function and its weight, around a centre, and the ends seen from there."""
    if low == 0:
        return lambda x: erf(x) / x - 1, lambda x: x / unit(erf(x)), 0, high
    c, there = good_centre(low, high)
    slack = mpf(2) ** -20
    return (lambda r: (erf(c + r) - there) / r, lambda r: abs(r) / unit(erf(c + r)),
            low - c - slack, high - c + slack)


for n in range(8):
    function, weights, start, end = erf_piece(PIECE_EDGES[n], PIECE_EDGES[n + 1])
    table("ERF_PIECE_%d" % n, function, start, end, 6, SINGLE, weight=weights)


def scaled_erfc(k):
    """(a + k) e^(a^2) erfc(a) in q = (a - k)/(a + k)."""
    def g(q):
        a = k * (1 + q) / (1 - q)
        return (a + k) * exp(a * a) * erfc(a)
    return g


for name, n, k, edge, top, bits in (("F32", 9, 2, 0.75, 10.2, SINGLE),
                                    ("F64", 22, 4, 0.75, 27.5, DOUBLE)):
    table("ERFC_" + name, scaled_erfc(k), (mpf(edge) - k) / (mpf(edge) + k),
          (mpf(top) - k) / (mpf(top) + k), n, bits,
          weight=lambda x, g=scaled_erfc(k): 1 / g(x), first=2 * bits)

# ---- math_pow.c ----
table("POW_LOG2_F32", lambda z: 2 / LN2 * atanh(sqrt(z)) / sqrt(z), 0, S_MAX**2, 6, DOUBLE)
table("POW_EXP2_F32", lambda x: expm1(x * LN2) / x, -0.5, 0.5, 7, DOUBLE,
      weight=lambda x: abs(x) * 2**-x)
table("POW_ATANH_F64", lambda z: (atanh(sqrt(z)) / sqrt(z) - 1 - z / 3) / z**2, 0, S_MAX**2, 8,
      DOUBLE, weight=lambda z: z**2)


# ---- constants in several parts ----
def parts(value, bits, n):
    """value as a sum of n numbers of that many bits."""
    out = []
    for _ in range(n):
        out.append(round_to(value, bits))
        value -= out[-1]
    return out


def two_over_pi(w):
    """2/pi without its bits of weight 2^(1-w) and above, in two parts (math_trig.c)."""
    unit = mpf(2) ** (1 - w)
    return parts(2 / pi % unit, DOUBLE, 2)


def eighths():
    """START 2^(j/8), rounded, and the error that is left, in units of 2^-23 (math_exp.c).  START is
    the best single number in the ten thousand around 1, found by trying them all."""
    exact = [START * mpf(2) ** (mpf(j) / 8) for j in range(8)]
    rounded = [round_to(x, SINGLE) for x in exact]
    return rounded, max(abs(r / x - 1) for r, x in zip(rounded, exact)) * 2**23


CONSTANTS = {}
with mp.workdps(100):
    CONSTANTS["half pi"] = parts(pi / 2, DOUBLE, 3)
    for w in (1, 23, 45, 67, 89):
        CONSTANTS["2/pi from 2^-%d" % w] = two_over_pi(w)
    for name, value in (("ln 2", log(2)), ("log10 2", log(2) / log(10)), ("log2 e", 1 / log(2)),
                        ("log10 e", 1 / log(10)), ("pi", +pi), ("2/ln 2", 2 / log(2)),
                        ("1/3", mpf(1) / 3)):
        for bits in (SINGLE, DOUBLE):
            CONSTANTS["%s, %d bits" % (name, bits)] = parts(value, bits, 2)


def main():
    names = sys.argv[1:] or list(TABLES)
    for name in names:
        args, kwargs = TABLES[name]
        coefficients, error = fit(*args, **kwargs)
        print("%s: error 2^%.2f" % (name, float(log(error) / LN2)))
        print("    " + ", ".join(hexfloat(round_to(c, args[4])) for c in coefficients))
        if "first" in kwargs:
            low = coefficients[0] - round_to(coefficients[0], args[4])
            print("    and to the first, %s" % hexfloat(low))
    if len(sys.argv) == 1:
        numbers, error = eighths()
        print("eighths, error %.3f: %s" % (float(error), ", ".join(hexfloat(c) for c in numbers)))
        centres = [good_centre(*PIECE_EDGES[n:n + 2]) for n in range(1, 8)]
        print("ERF_PIECE: centres 0, %s" % ", ".join(hexfloat(c) for c, _ in centres))
        print("    and erf there 0, %s" % ", ".join(hexfloat(y) for _, y in centres))
    for name, numbers in CONSTANTS.items() if len(sys.argv) == 1 else ():
        print("%s: %s" % (name, ", ".join(hexfloat(c) for c in numbers)))


main()
