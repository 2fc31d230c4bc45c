/*
 * math_pow.c - pow
 *
 * x^y = +-2^(y log2 |x|).  The logarithm needs as many more bits as the product has before its
 * point: an error of log2 |x| is multiplied by y, and then by |x|^y ln 2.
 *
 * fp32 computes in fp64: |x| = 2^k (1 + f) (every subnormal fp32 is a normal fp64), s = f/(2 + f)
 * and log2(1 + f) = s P(s^2) to 2^-43; 2^w to 2^-34.  The result is rounded to fp32 once, and that
 * also makes its subnormals and overflows.
 *
 * fp64 computes log2 |x| as hi + lo with some 65 bits (T. J. Dekker's arithmetic with fma):
 *
 *     s = f/(2 + f), z = s^2            each hi + lo
 *     u = z/3 + z^2 Q(z)                z/3 as hi + lo; the rest is below 2^-12 and needs no lo
 *     log2(1 + f) = v + v u,            v = 2s/ln 2
 *
 * Then w = y log2 |x| as hi + lo, and 2^w.
 *
 * Special cases (C17, F.10.4.4).  |y| is bounded by a power of two that is large enough to settle
 * every x but 1: an even integer, so that infinite y need no case of their own.  log2 gives -inf
 * for 0, and inf for inf.  The result is 1 for y = 0 or x = 1, whatever the other is; NaN for
 * finite x < 0 and a y that is no integer; and takes the sign of x when y is odd.
 */
#include "math.h"

/* clang-format off */
/* 2/ln 2 atanh(s)/s in s^2 <= 0.0295, error 2^-43.5; for fp32 */
static const Poly log2_in_square = POLY(
    0x1.71547652b824dp+1, 0x1.ec709dc5400dcp-1, 0x1.2776c29008401p-1, 0x1.a61a30fb8b95bp-2,
    0x1.47950484c12bfp-2, 0x1.21b52921158d6p-2);

/* (2^r - 1)/r for |r| <= 1/2, error 2^-34.3; for fp32 */
static const Poly exp2_short = POLY(
    0x1.62e42ff0e177bp-1, 0x1.ebfbe0778dbbep-3, 0x1.c6b08ac0a35e9p-5, 0x1.3b29f39a2f027p-7,
    0x1.5d8a85d5a794ep-10, 0x1.445c85ce976fcp-13, 0x1.fde6229704e8p-17);

/* Q(z) = (atanh(s)/s - 1 - z/3)/z^2, z = s^2, error of the whole 2^-73.5 */
static const Poly atanh_rest = POLY(
    0x1.9999999999996p-3, 0x1.2492492492f52p-3, 0x1.c71c71c5965c4p-4, 0x1.745d1829765e9p-4,
    0x1.3b1364bf5964ap-4, 0x1.112070d75d8fep-4, 0x1.de3d27bea3c3ap-5, 0x1.eac84116a8dd1p-5);
/* clang-format on */

/* a = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), for positive normal fp64 a times 2^raised */
static void split(Math *m, Value *a, Value *raised, Value **k, Value **f)
{
    const Format *format = m_format(m);
    const uint64_t lower = 0x3fe6a09e667f3bcd; /* the bits of sqrt(1/2) */
    uint64_t fraction = ((uint64_t)1 << 52) - 1;
    Value *bits = m_add(m, m_to_bits(m, a), U(format->one - lower));
    Value *over = m_or(m, m_shr(m, bits, U(52)), U(0x4330000000000000)); /* 2^52 + k + bias */
    Value *zero = m_add(m, raised, K(0x1p52 + format->bias));

    *k = m_sub(m, m_from_bits(m, over), zero);
    *f = m_sub(m, m_from_bits(m, m_add(m, m_and(m, bits, U(fraction)), U(lower))), K(1));
}

/* Where a is 0, infinite or NaN the logarithm is not what the polynomial says. */
static Value *log_or_special(Math *m, Value *a, Value *log)
{
    Value *zero = m_eq(m, a, K(0));

    return m_select(m, zero, K(-__builtin_inf()), m_keep_unbounded(m, a, log));
}

/* 2^(y log2 a), rounded to fp32, for a and bounded y that came from fp32 */
static Value *power_single(Math *m, Value *a, Value *y)
{
    Math wide = m_double(m), *d = &wide;
    Value *k, *f, *base = m_cast(d, a);

    split(d, base, m_num(d, 0), &k, &f);
    Value *s = m_div(d, f, m_add(d, f, m_num(d, 2)));
    Value *log = m_fma(d, s, m_poly(d, m_mul(d, s, s), &log2_in_square), k);
    Value *w = m_mul(d, m_cast(d, y), log_or_special(d, base, log));
    w = m_clamp(d, w, -200, 200);
    Nearest n = m_nearest(d, w, 1, m_format(d)->bias);
    Value *r = m_sub(d, w, n.whole);
    Value *p = m_fma(d, m_poly(d, r, &exp2_short), r, m_num(d, 1));
    return m_cast(m, m_mul(d, p, m_exponent(d, n.bits)));
}

/* x y: the product and what its rounding lost */
static Pair exact_product(Math *m, Value *x, Value *y)
{
    Value *hi = m_mul(m, x, y);

    return (Pair){hi, m_fma(m, x, y, m_neg(m, hi))};
}

/* (x.hi + x.lo) (y.hi + y.lo) without the last term */
static Pair product(Math *m, Pair x, Pair y)
{
    Pair p = exact_product(m, x.hi, y.hi);

    p.lo = m_fma(m, x.hi, y.lo, m_fma(m, x.lo, y.hi, p.lo));
    return p;
}

/* x + y where |x| >= |y| or x = 0 */
static Pair sum(Math *m, Value *x, Value *y)
{
    Value *hi = m_add(m, x, y);

    return (Pair){hi, m_add(m, m_sub(m, x, hi), y)};
}

static Pair number_pair(Math *m, double hi, double lo)
{
    Value *high = K(hi);

    return (Pair){high, K(lo)};
}

/* log2(1 + f) */
static Pair log2_pair(Math *m, Value *f)
{
    const Pair third = number_pair(m, 0x1.5555555555555p-2, 0x1.5555555555555p-56);
    const Pair scale = number_pair(m, 0x1.71547652b82fep+1, 0x1.777d0ffda0d24p-55);
    Pair below = sum(m, K(2), f);
    Value *inverse = m_div(m, K(1), below.hi);
    Pair s = {.hi = m_mul(m, f, inverse)};
    Value *left = m_fma(m, m_neg(m, s.hi), below.hi, f);

    left = m_sub(m, left, m_mul(m, s.hi, below.lo));
    s.lo = m_mul(m, left, inverse);
    Pair z = product(m, s, s);
    Pair u = product(m, z, third);
    u.lo = m_fma(m, m_mul(m, z.hi, z.hi), m_poly(m, z.hi, &atanh_rest), u.lo);
    Pair v = product(m, s, scale);
    Pair vu = product(m, v, u);
    Pair log = sum(m, v.hi, vu.hi);
    log.lo = m_add(m, log.lo, m_add(m, v.lo, vu.lo));
    return log;
}

/* 2^(y log2 a) in fp64 */
static Value *power_double(Math *m, Value *a, Value *y)
{
    Value *subnormal = m_lt(m, a, K(m_format(m)->smallest));
    Value *normal = m_select(m, subnormal, m_mul(m, a, K(m_format(m)->raise)), a);
    Value *k, *f;

    split(m, normal, m_select(m, subnormal, K(m_format(m)->mantissa + 1), K(0)), &k, &f);
    Pair log = log2_pair(m, f);
    Pair whole = sum(m, k, log.hi);
    whole = sum(m, whole.hi, m_add(m, whole.lo, log.lo));
    whole.hi = log_or_special(m, a, whole.hi);
    Pair w = exact_product(m, whole.hi, y);
    w.lo = m_fma(m, whole.lo, y, w.lo);
    Value *bounded = m_clamp(m, w.hi, -1080, 1030);
    /* the low part is nothing, or not even a number, where w is out of bounds */
    Value *low = m_select(m, m_eq(m, bounded, w.hi), w.lo, K(0));
    return m_exp2_sum(m, bounded, low);
}

/* y is an integer, and an odd one */
static void parity(Math *m, Value *y, Value **integer, Value **odd)
{
    Value *half = m_mul(m, y, K(0.5));

    *integer = m_eq(m, m_rint(m, y), y);
    *odd = m_and(m, *integer, m_ne(m, m_rint(m, half), half));
}

Value *math_pow(Math *m, Value *x, Value *y)
{
    static const double enough[PRECISIONS] = {[SINGLE] = 0x1p40, [DOUBLE] = 0x1p70};
    Value *a = m_abs(m, x), *one = K(1), *integer, *odd;
    Value *bounded = m_clamp(m, y, -enough[m->precise], enough[m->precise]);
    Value *p = m->precise == SINGLE ? power_single(m, a, bounded) : power_double(m, a, bounded);

    parity(m, bounded, &integer, &odd);
    p = m_copysign(m, p, m_select(m, odd, x, one));
    Value *unsigned_base = m_or(m, m_ge(m, x, K(0)), m_eq(m, a, K(__builtin_inf())));
    p = m_select(m, m_or(m, integer, unsigned_base), p, K(__builtin_nan("")));
    return m_select(m, m_or(m, m_eq(m, x, one), m_eq(m, y, K(0))), one, p);
}
