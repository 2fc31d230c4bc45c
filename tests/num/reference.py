"""Functions to more digits than any float has, from Python's decimal numbers alone.

Each takes and gives Decimal.  Arguments are finite; poles and points outside of the domain are the
caller's business.
"""

import decimal
import functools
from decimal import Decimal as D
from fractions import Fraction
from math import comb

decimal.setcontext(decimal.Context(prec=60, Emin=-decimal.MAX_EMAX, Emax=decimal.MAX_EMAX))
ENOUGH = D(10) ** -45  # terms below that, beside 1, are left out


def arctan_of_inverse(n):
    """atan(1/n)"""
    total, term, k = D(0), D(1) / n, 1
    while term > D(10) ** -62:
        total += term / k if k % 4 == 1 else -term / k
        term /= n * n
        k += 2
    return total


PI = 16 * arctan_of_inverse(5) - 4 * arctan_of_inverse(239)


def sin_pi(x):
    """sin(pi x)"""
    q = (2 * x).to_integral_value()
    angle = PI * (x - q / 2)
    turn = int(q) % 4
    term = angle if turn % 2 == 0 else D(1)
    total, k = D(0), 1 if turn % 2 == 0 else 0
    while abs(term) > ENOUGH * abs(angle) or k < 2:
        total += term
        term *= -angle * angle / ((k + 1) * (k + 2))
        k += 2
    return -total if turn >= 2 else total


def cos_pi(x):
    return sin_pi(x + D("0.5"))


# --- error function ---


def erf_near(x):
    """2/sqrt(pi) e^(-x^2) (x + 2/3 x^3 + 4/15 x^5 ...)"""
    term, total, n = x, D(0), 1
    while abs(term) > ENOUGH * ENOUGH * abs(total):
        total += term
        n += 2
        term *= 2 * x * x / n
    return 2 / PI.sqrt() * (-x * x).exp() * total


def scaled_erfc(x):
    """e^(x^2) erfc(x): from 4 on by its continued fraction."""
    if x < 4:
        return (x * x).exp() * (1 - erf_near(x))
    depth = int(900 / x) + 20
    value = x
    for k in range(depth, 0, -1):
        value = x + D(k) / 2 / value
    return 1 / (PI.sqrt() * value)


def erfc(x):
    return scaled_erfc(x) * (-x * x).exp()


def inverse_erfc(z):
    """For z in (0, 2), by Newton's method on the logarithm."""
    if z > 1:
        return -inverse_erfc(2 - z)
    log_z = z.ln()
    x = (-log_z).sqrt() if z < D("0.4") else (1 - z) * D("0.886")
    for _ in range(60):
        scaled = scaled_erfc(x)
        step = (scaled.ln() - x * x - log_z) * scaled * PI.sqrt() / 2
        x += step
        if abs(step) <= D(10) ** -30 * abs(x):
            return x
    raise ArithmeticError(f"inverse_erfc({z}) does not converge")


# --- gamma ---


@functools.lru_cache
def bernoulli(n):
    """Of even index, and 1."""
    if n == 0:
        return Fraction(1)
    if n % 2 == 1:
        return Fraction(-1, 2) if n == 1 else Fraction(0)
    return -sum(comb(n + 1, k) * bernoulli(k) for k in range(n)) / (n + 1)


def stirling(x):
    """log gamma for large x."""
    total = (x - D("0.5")) * x.ln() - x + (2 * PI).ln() / 2
    for k in range(1, 16):
        b = bernoulli(2 * k)
        total += D(b.numerator) / D(b.denominator) / (2 * k * (2 * k - 1) * x ** (2 * k - 1))
    return total


def shifted(x):
    """A number from 40 on, and what gamma of it is too large by."""
    product = D(1)
    while x < 40:
        product *= x
        x += 1
    return x, product


def log_gamma(x):
    """log |gamma(x)|"""
    if x < 0:
        return (PI / abs(x * sin_pi(x))).ln() - log_gamma(-x)
    large, product = shifted(x)
    return stirling(large) - product.ln()


def gamma(x):
    if x < 0:
        return PI / (x * sin_pi(-x) * gamma(-x))
    large, product = shifted(x)
    return stirling(large).exp() / product
