#!/usr/bin/env python3
"""Print src/libdevice/series.h, the Chebyshev series of bessel.c, erf.c, gamma.c and near.c.

    python3 -m venv DIR && DIR/bin/pip install mpmath
    DIR/bin/python tools/series.py > src/libdevice/series.h

Every series is of a smooth function on [-1, 1], found from its values at 48 Chebyshev points in
40 digits, and ends where a term no longer reaches 2^-56 of the largest value.  With y the
argument of the series, and n the order:

    jn_near, yn_near    y = x^2/32 - 1: what is left of Jn, Yn for |x| <= 8 (bessel.c)
    pn, qn              y = 128/x^2 - 1: modulus and phase for x >= 8, qn by 8/x
    in_near             y = x/4 - 1: exp(-x) In(x), for 0 <= x <= 8; for n = 1 by x
    in_far              y = 16/x - 1: sqrt(x) exp(-x) In(x) for x >= 8
    erfcx_far           y = 6/(x + 2) - 1: (x + 2) erfcx(x) for x >= 1
    erfinv_near         y = 8 x^2 - 1: erfinv(x)/x for |x| <= 1/2
    erfcinv_middle      erfcinv(z)/s with s = sqrt(-log z), from z = 1/2 to s = 5/2: y linear in 1/(s + 1)
    erfcinv_far         the same from s = 5/2 to 27.31, the least z of fp64: y linear in 1/(s + 4)
    erfcinv_..._y       k, a, b of the two above: y = a/(s + k) + b
    lgamma_low          y = x - 2: lgamma(x) / ((x - 1)(x - 2)) for 1 <= x <= 3
    lgamma_middle       the same for 3 <= x <= 8: y linear in x
    binet               y = 128/x^2 - 1: what Stirling's series adds to lgamma(x), by 1/x, for x >= 8
    gamma_low           y = x - 2: 1/gamma(x) for 1 <= x <= 3
    stirling            y = 6/x - 1: gamma(x) / (sqrt(2 pi) x^(x - 1/2) exp(-x)) for x >= 3
    sinpi, cospi        y = 32 x^2 - 1: sin(pi x)/x and cos(pi x) for |x| <= 1/4
"""

from mpmath import mp, mpc, mpf, besseli, besselj, bessely, cos, erf, erfc, erfinv, exp, expj
from mpmath import gamma, log, loggamma, pi, sin, sqrt

mp.dps = 40
POINTS = 48
HEAD = """\
/*
 * series.h - Chebyshev series of Bessel, error and gamma functions, printed by tools/series.py
 *
 * SERIES(name, terms in order)
 */
/* clang-format off */"""


def series(f, largest):
    """The terms of the Chebyshev series of f on [-1, 1]."""
    angles = [pi * (k + mpf(1) / 2) / POINTS for k in range(POINTS)]
    values = [f(cos(a)) for a in angles]
    terms = [2 * sum(v * cos(j * a) for v, a in zip(values, angles)) / POINTS
             for j in range(POINTS)]
    terms[0] /= 2
    while abs(terms[-1]) < largest * mpf(2) ** -56:
        terms.pop()
    return terms


def j_near(n, y):
    x = sqrt(32 * (y + 1))
    return besselj(n, x) / x**n


def y_near(n, y):
    x = sqrt(32 * (y + 1))
    rest = bessely(n, x) - 2 / pi * log(x) * besselj(n, x)
    return rest if n == 0 else (rest + 2 / pi / x) / x


def phase(n, y):
    """p + i q at 8/x = t, and t."""
    t = sqrt((y + 1) / 2)
    x = 8 / t
    hankel = mpc(besselj(n, x), bessely(n, x))
    return hankel * expj(-(x - n * pi / 2 - pi / 4)) * sqrt(pi * x / 2), t


def p_far(n, y):
    return phase(n, y)[0].real


def q_far(n, y):
    h, t = phase(n, y)
    return h.imag / t


def i_near(n, y):
    x = 4 * (y + 1)
    return exp(-x) * besseli(n, x) / x**n


def i_far(n, y):
    x = 16 / (y + 1)
    return exp(-x) * sqrt(x) * besseli(n, x)


def erfcx_far(y):
    x = 6 / (y + 1) - 2
    return (x + 2) * exp(x * x) * erfc(x)


def erfinv_near(y):
    x = sqrt((y + 1) / 8)
    return erfinv(x) / x


def erfcinv_by(s):
    """erfcinv(exp(-s^2)) / s, by Newton's method on the logarithm."""
    x = s if s > 1 else erfinv(1 - exp(-s * s))
    for _ in range(60):
        step = (log(erfc(x)) + s * s) * erfc(x) * exp(x * x) * sqrt(pi) / 2
        x += step
        if abs(step) < mpf(10) ** -36:
            break
    return x / s


# where the tail of erfcinv starts in s, is cut, and ends; what is added to s before the division
TAIL = ((sqrt(log(mpf(2))), mpf(5) / 2, 1), (mpf(5) / 2, mpf("27.31"), 4))


def reciprocals(part):
    """Middle and half width of 1/(s + k)."""
    start, end, k = TAIL[part]
    most, least = 1 / (start + k), 1 / (end + k)
    return (most + least) / 2, (most - least) / 2, k


def tail_by(part, y):
    middle, half, k = reciprocals(part)
    return erfcinv_by(1 / (middle + half * y) - k)


def erfcinv_middle(y):
    return tail_by(0, y)


def erfcinv_far(y):
    return tail_by(1, y)


def lgamma_by(x):
    return loggamma(x) / ((x - 1) * (x - 2))


def lgamma_low(y):
    return lgamma_by(y + 2)


def lgamma_middle(y):
    return lgamma_by((5 * y + 11) / 2)


def binet(y):
    x = sqrt(128 / (y + 1))
    return x * (loggamma(x) - (x - mpf(1) / 2) * (log(x) - 1) - (log(2 * pi) - 1) / 2)


def gamma_low(y):
    return 1 / gamma(y + 2)


def stirling(y):
    x = 6 / (y + 1)
    return exp(loggamma(x) - (x - mpf(1) / 2) * log(x) + x) / sqrt(2 * pi)


def sinpi(y):
    x = sqrt((y + 1) / 32)
    return sin(pi * x) / x


def cospi(y):
    return cos(pi * sqrt((y + 1) / 32))


OTHERS = (erfcx_far, erfinv_near, erfcinv_middle, erfcinv_far, lgamma_low, lgamma_middle, binet, gamma_low, stirling,
          sinpi, cospi)


def show(name, terms):
    line = "SERIES( %s," % name
    for i, t in enumerate(terms):
        number = " %r" % float(t) + (" )" if i == len(terms) - 1 else ",")
        if len(line) + len(number) > 100:
            print(line)
            line = "   "
        line += number
    print(line)


def main():
    print(HEAD)
    for n in (0, 1):
        for name, f in (("j%d_near", j_near), ("y%d_near", y_near), ("p%d", p_far), ("q%d", q_far),
                        ("i%d_near", i_near), ("i%d_far", i_far)):
            show(name % n, series(lambda y: f(n, y), mpf(1) if f is not j_near else mpf(1) / 2))
    for part, name in enumerate(("middle", "far")):
        middle, half, k = reciprocals(part)
        show("erfcinv_%s_y" % name, [k, 1 / half, -middle / half])
    for f in OTHERS:
        show(f.__name__, series(f, mpf(1) / 2))
    print("#undef SERIES\n/* clang-format on */")


main()
