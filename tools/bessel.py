#!/usr/bin/env python3
"""Print src/libdevice/bessel_terms.h, the Chebyshev series of bessel.c.

    python3 -m venv DIR && DIR/bin/pip install mpmath
    DIR/bin/python tools/bessel.py > src/libdevice/bessel_terms.h

Every series is of a smooth function on [-1, 1], found from its values at 48 Chebyshev points in
40 digits, and ends where a term no longer reaches 2^-56 of the largest value.  With y the
argument of the series, and n the order:

    jn_near, yn_near    y = x^2/32 - 1: what is left of Jn, Yn for |x| <= 8 (bessel.c)
    pn, qn              y = 128/x^2 - 1: modulus and phase for x >= 8, qn by 8/x
    in_near             y = x/4 - 1: exp(-x) In(x), for 0 <= x <= 8; for n = 1 by x
    in_far              y = 16/x - 1: sqrt(x) exp(-x) In(x) for x >= 8
"""

from mpmath import mp, mpc, mpf, besseli, besselj, bessely, cos, exp, expj, log, pi, sqrt

mp.dps = 40
POINTS = 48
HEAD = """\
/*
 * bessel_terms.h - Chebyshev series of the Bessel functions, printed by tools/bessel.py
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
    print("#undef SERIES\n/* clang-format on */")


main()
