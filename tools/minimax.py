#!/usr/bin/env python3
"""Derive the polynomial tables of src/opt/math_*.c.

    python3 -m venv DIR && DIR/bin/pip install mpmath gmpy2
    DIR/bin/python tools/minimax.py [NAME...]     all tables, or those named

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
from mpmath import atan, asin, erf, erfc, expm1, log1p, cos as _cos, pi, taylor, atanh

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
    return [mid - half * _cos(pi * i / (n - 1)) for i in range(n)]


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
    """Take out the smallest peaks so that the signs still alternate: one end, or a pair."""
    size = [abs(errors[p]) for p in peaks]
    pairs = [max(size[i], size[i + 1]) for i in range(len(size) - 1)]
    at = pairs.index(min(pairs))
    if surplus >= 2 and pairs[at] < max(size[0], size[-1]):
        del peaks[at : at + 2]
    else:
        del peaks[0 if size[0] < size[-1] else -1]


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


def fit(g, a, b, n, bits, weight=lambda x: mpf(1), fixed=(), keep=()):
    """Minimax polynomial with n coefficients, the first ones perhaps given (`fixed`), rounded
    to `bits`; `keep` may give other precisions for single degrees as (degree, bits)."""
    grid = chebyshev_grid(mpf(a), mpf(b), 24 * (n + 2))
    # near 0 g may be 0/0 and the error of the higher terms is nothing
    grid = [x for x in grid if abs(x) > (mpf(b) - a) / 4096]
    target = [g(x) for x in grid]
    weights = [weight(x) for x in grid]
    done = [mpmathify(c) for c in fixed]
    precision = dict(keep)
    while len(done) < n:
        low = len(done)
        rest = [(t - evaluate(done, x)) / x**low for x, t in zip(grid, target)]
        scaled = [w * abs(x) ** low for x, w in zip(grid, weights)]
        found, _ = remez(grid, rest, scaled, n - low)
        done.append(round_to(found[0], precision.get(len(done), bits)))
    error = max(abs(w * (t - evaluate(done, x))) for x, t, w in zip(grid, target, weights))
    return done, error


TABLES = {}


def table(name, *args, **kwargs):
    TABLES[name] = (args, kwargs)


def hexfloat(c):
    return re.sub(r"\.?0*p", "p", float(c).hex()) if c != 0 else "0"


LN2 = log(mpf(2))

if True:  # math_exp.c
    # e^r, |r| <= ln 2: the exponent is taken out in even steps
    R = LN2 * mpf("1.0005")
    table("EXP_F32", exp, -R, R, 8, SINGLE, weight=lambda x: exp(-x), fixed=(1, 1))
    table("EXP_F64", exp, -R, R, 14, DOUBLE, weight=lambda x: exp(-x), fixed=(1, 1))


def main():
    names = sys.argv[1:] or list(TABLES)
    for name in names:
        args, kwargs = TABLES[name]
        coefficients, error = fit(*args, **kwargs)
        print("%s: error 2^%.2f" % (name, float(log(error) / LN2)))
        print("    " + ", ".join(hexfloat(c) for c in coefficients))


main()
