/*
 * math_root.c - rsqrt, cbrt, hypot
 *
 * rsqrt: 1/sqrt(x), both rounded.
 *
 * cbrt, a = |x|: the bits of a float are a coarse logarithm, so constant - bits/3 are the bits of
 * r near a^(-1/3), within 3.4 % (W. Kahan's observation; the division is a fma in the format that
 * integers have just above 2^mantissa).  With d = 1 - a r^3, |d| < 0.11,
 *
 *     a^(-1/3) = r (1 - d)^(-1/3) = r (1 + d/3 + 2 d^2/9 + 14 d^3/81 + ...),
 *
 * one such step leaves 2^-16, two leave 2^-66.  y = a r^2 then is the root but for roundings, and
 * a Newton step y + (a - y^3) r^2/3, with a - y^3 computed through fma, removes those.
 *
 * hypot: fp32 in fp64, which neither overflows nor loses; fp64 with both operands multiplied by a
 * power of two when the larger is very large or very small.  An infinity beats a NaN.
 */
#include "math.h"

/* ((1 - d)^(-1/3) - 1)/d */
static const Poly series = POLY(1.0 / 3, 2.0 / 9, 14.0 / 81);

Value *math_rsqrt(Math *m, Value *x)
{
    return m_div(m, K(1), m_sqrt(m, x));
}

/* r near a^(-1/3): `integer` and `third` are 2^mantissa + an integer, whose bits the shift to the
 * left makes those of a float again, dropping the exponent. */
static Value *guess(Math *m, Value *a)
{
    static const double start[PRECISIONS] = {0x1.a9f74cp+23, 0x1.aa943ece2a534p+52};
    const Format *f = m_format(m);
    Value *width = U((uint64_t)(dtype_bits(f->bits) - f->mantissa));
    uint64_t over = f->one + ((uint64_t)f->mantissa << f->mantissa); /* the bits of 2^mantissa */
    Value *integer = m_from_bits(m, m_or(m, m_shr(m, m_to_bits(m, a), width), U(over)));
    Value *third = m_fma(m, integer, K(-1.0 / 3), K(start[m->precise]));

    return m_from_bits(m, m_shl(m, m_to_bits(m, third), width));
}

static Value *refine(Math *m, Value *a, Value *r)
{
    Value *cube = m_mul(m, m_mul(m, a, r), m_mul(m, r, r));
    Value *d = m_sub(m, K(1), cube);

    return m_fma(m, m_mul(m, r, d), m_poly(m, d, &series), r);
}

static Value *newton(Math *m, Value *a, Value *r)
{
    Value *y = m_mul(m, m_mul(m, a, r), r);
    Value *square = m_mul(m, y, y);
    Value *lost = m_fma(m, y, y, m_neg(m, square));
    Value *error = m_sub(m, m_fma(m, m_neg(m, square), y, a), m_mul(m, lost, y));

    return m_fma(m, error, m_mul(m, m_mul(m, r, r), K(1.0 / 3)), y);
}

Value *math_cbrt(Math *m, Value *x)
{
    /* What is so small that the remainder of its root would be a subnormal number, times 2^24 or
     * 2^54, and its root times 2^-8 or 2^-18 */
    int third = m->precise == SINGLE ? 8 : 18;
    double up = (double)((uint64_t)1 << (3 * third)), down = 1.0 / (double)(1 << third);
    Value *a = m_abs(m, x);
    Value *raised = m_lt(m, a, K(m_format(m)->smallest * up));
    Value *b = m_select(m, raised, m_mul(m, a, K(up)), a);
    Value *r = refine(m, b, guess(m, b));

    if (m->precise == DOUBLE)
        r = refine(m, b, r);
    Value *y = newton(m, b, r);
    y = m_select(m, raised, m_mul(m, y, K(down)), y);
    return m_copysign(m, m_keep_unbounded(m, a, y), x);
}

/* sqrt(a^2 + b^2) in fp64, scaled so that the squares stay in range */
static Value *hypot_double(Math *m, Value *a, Value *b)
{
    Value *larger = m_select(m, m_gt(m, a, b), a, b);
    Value *big = m_gt(m, larger, K(0x1p500)), *little = m_lt(m, larger, K(0x1p-450));
    Value *scale = m_select(m, big, K(0x1p-600), m_select(m, little, K(0x1p600), K(1)));
    Value *back = m_select(m, big, K(0x1p600), m_select(m, little, K(0x1p-600), K(1)));

    a = m_mul(m, a, scale);
    b = m_mul(m, b, scale);
    return m_mul(m, m_sqrt(m, m_fma(m, a, a, m_mul(m, b, b))), back);
}

Value *math_hypot(Math *m, Value *x, Value *y)
{
    Value *a = m_abs(m, x), *b = m_abs(m, y), *root;
    Value *infinite = K(__builtin_inf());

    if (m->precise == SINGLE) {
        Math wide = m_double(m), *d = &wide;
        Value *p = m_cast(d, a), *q = m_cast(d, b);
        Value *sum = m_fma(d, p, p, m_mul(d, q, q));
        root = m_cast(m, m_sqrt(d, sum));
    } else {
        root = hypot_double(m, a, b);
    }
    Value *either = m_or(m, m_eq(m, a, infinite), m_eq(m, b, infinite));
    return m_select(m, either, infinite, root);
}
