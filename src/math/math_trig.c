/*
 * math_trig.c - sin, cos, tan
 *
 * Reduction: a = |x| = (n + r) pi/2 with |r| <= 1/2 and a little; n mod 4, read from the low bits
 * of the sum that rounds n, says which of sin r, cos r to take and with which sign.
 *
 * fp32 usually has n below 2^17.  Then it takes n times pi/2 in three parts of 24 bits away (W.
 * Cody and W. Waite, with fma): the first difference is exact, and either of the others rounds
 * relative to its result.  All numbers with such an n were compared: the error is at most 1.57
 * units.
 *
 * Else fp32 computes r in fp64, for every finite x (in the spirit of M. Payne and R. Hanek, 1983:
 * only some bits of 2/pi matter for a given exponent).  x has 24 bits, so bits of 2/pi that give
 * multiples of 4 can be left out: where x = j 2^(e-23), those of weight 2^(25-e) and above.
 * What follows them is cut into D0 + D1 of 53 bits each, the first weighing 2^-w:
 *
 *     p = a D0            at most 2^47, with p + (its fma residue) = a D0 exactly
 *     n = nearest integer to p
 *     r = a D1 + ((p - n) + residue)      one rounding, relative to r itself
 *
 * The inner sum is exact unless a < 1, when n = 0.  For e from w + 24 to w + 45 all of this holds,
 * so the five windows w = 1, 23, 45, 67, 89 cover the format; four comparisons select D0 and D1.
 * What is left out after D1 is below 2^-60, and no fp32 number comes closer to a multiple of pi/2
 * than 2^-31, so r is good to 2^-29.
 *
 * fp64 subtracts n times pi/2 in three parts of 53 bits (Cody and Waite, with fma): the first
 * difference is exact, the others round relative to their result.  tan keeps what they round away.
 * Right for |x| < 2^45; beyond 2^50, where n has no more bits to offer, sin and cos are only
 * bounded by 1.  Infinities give NaN from inf - inf.
 *
 * Kernels, s = r^2: sin r = r + r s S(s); cos r = 1 + s C(s); tan r = r + r s T(s), or -1/tan r
 * for odd n.
 */
#include "math.h"

#define TWO_OVER_PI 0x1.45f306dc9c883p-1

/* clang-format off */
/* 2/pi without its bits of weight 2^(1-w) and above, from |x| = `from` on */
static const struct {
    double from, d0, d1;
} windows[] = {
    {0,        TWO_OVER_PI,           -0x1.6b01ec5417056p-55},  /* w = 1 */
    {0x1p47,   0x1.b727220a94fe1p-23,  0x1.d5f47d4d37703p-78},  /* 23 */
    {0x1p69,   0x1.054a7f09d5f48p-46, -0x1.596447e493ad5p-101}, /* 45 */
    {0x1p91,   0x1.e13abe8fa9a6fp-67, -0x1.f924eb53361dep-123}, /* 67 */
    {0x1p113,  0x1.a3ea69bb81b6cp-89,  0x1.4acc9e21c8210p-143}, /* 89 */
};

/* fp32: |r| <= 1.04 pi/4, errors 2^-27.4, 2^-32.3, 2^-28.5; fp64: |r| <= pi/4, errors 2^-57.9,
 * 2^-63.9, 2^-60.0 */
static const Poly sine[PRECISIONS] = {
    [SINGLE] = POLY(-0x1.55554p-3, 0x1.11054p-7, -0x1.989ca8p-13),
    [DOUBLE] = POLY(-0x1.5555555555548p-3, 0x1.111111110f72fp-7, -0x1.a01a019be8f06p-13,
                    0x1.71de3554f8334p-19, -0x1.ae5e4b57c0276p-26, 0x1.5d8b48058f44ep-33),
};
static const Poly cosine[PRECISIONS] = {
    [SINGLE] = POLY(-0.5, 0x1.555548p-5, -0x1.6c0ad6p-10, 0x1.998368p-16),
    [DOUBLE] = POLY(-0.5, 0x1.555555555554bp-5, -0x1.6c16c16c15014p-10, 0x1.a01a019c8ef6dp-16,
                    -0x1.27e4f7f162882p-22, 0x1.1ee9dba77a9d6p-29, -0x1.8fa66c9583fb9p-37),
};
static const Poly tangent[PRECISIONS] = {
    [SINGLE] = POLY(0x1.55556ap-2, 0x1.110aecp-3, 0x1.bb5384p-5, 0x1.57dfdcp-6, 0x1.7bdb1p-7,
                    -0x1.c343bcp-11, 0x1.3d2f84p-8),
    [DOUBLE] = POLY(0x1.555555555555dp-2, 0x1.11111111106dap-3, 0x1.ba1ba1bab277dp-5,
                    0x1.664f485fb5175p-6, 0x1.226e3a31dd5bp-7, 0x1.d6d2f44ad0211p-9,
                    0x1.7db0df6a21f14p-10, 0x1.34c2d8e52aa0ep-11, 0x1.fecf68366838dp-13,
                    0x1.605bf6be8ff56p-14, 0x1.168a5d67b6df2p-14, -0x1.9ceefb7edc2f3p-16,
                    0x1.90e034ed7eb7ap-15, -0x1.903bd60ea2da5p-16, 0x1.45b09ab82d7bep-17),
};
/* clang-format on */

/* a - n pi/2 = r; `quadrant` has n in its low bits.  `more` is for tan: the same as r in
 * fp64 when r is fp32, else what is missing from r. */
typedef struct {
    Value *r, *more, *quadrant;
} Reduced;

/* Up to here n is below 2^17. */
static const double MODERATE = 205887;

/* For |n| below 2^17, which `usual` tells. */
static Reduced reduce_moderate(Math *m, Value *a, Value **usual)
{
    static const double half_pi[] = {0x1.921fb6p+0, -0x1.777a5cp-25, -0x1.ee59dap-50};
    const double unit = 0x1p-16, magic = 0x1.8p23 * unit;
    Value *sum = m_fma(m, a, K(TWO_OVER_PI * unit), K(magic));
    Value *n = m_sub(m, sum, K(magic)), *r = a;

    *usual = m_is_below_two(m, n);
    for (int i = 0; i < COUNT(half_pi); i++)
        r = m_fma(m, n, K(-half_pi[i] / unit), r);
    return (Reduced){.r = r, .quadrant = m_to_bits(m, sum)};
}

/* Of numbers up to the end of as many windows: of any finite one for all. */
static Reduced reduce_single(Math *m, Value *a, int nwindows)
{
    Math wide = m_double(m), *d = &wide;
    double magic = 0x1.8p52;
    Value *x = m_cast(d, a);
    Value *d0 = m_num(d, windows[0].d0), *d1 = m_num(d, windows[0].d1);

    for (int i = 1; i < nwindows; i++) {
        Value *beyond = m_ge(d, x, m_num(d, windows[i].from));
        d0 = m_select(d, beyond, m_num(d, windows[i].d0), d0);
        d1 = m_select(d, beyond, m_num(d, windows[i].d1), d1);
    }
    Value *p = m_mul(d, x, d0);
    Value *sum = m_add(d, p, m_num(d, magic));
    Value *fraction = m_sub(d, p, m_sub(d, sum, m_num(d, magic)));
    Value *residue = m_fma(d, x, d0, m_neg(d, p));
    Value *r = m_fma(d, x, d1, m_add(d, fraction, residue));
    Value *radians = m_mul(d, r, m_num(d, 0x1.921fb54442d18p+0));
    Value *narrow = m_cast(m, radians);
    return (Reduced){.r = narrow,
                     .more = radians,
                     .quadrant = build_cast(&m->b, m_to_bits(d, sum), DT_U32, ROUND_NEAREST)};
}

/* pi/2 = the sum of these */
static const double half_pi[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54,
                                 -0x1.f1976b7ed8fbcp-110};

static Reduced reduce_double(Math *m, Value *a)
{
    Nearest n = m_nearest(m, a, TWO_OVER_PI, 0);
    Value *r = a;

    for (int i = 0; i < COUNT(half_pi); i++)
        r = m_fma(m, n.whole, K(-half_pi[i]), r);
    return (Reduced){.r = m_clamp(m, r, -1, 1), .quadrant = n.bits};
}

/* The same, and what the roundings lose, for tan, which is steeper than its argument. */
static Reduced reduce_double_longer(Math *m, Value *a)
{
    Nearest n = m_nearest(m, a, TWO_OVER_PI, 0);
    Value *high = m_fma(m, n.whole, K(-half_pi[0]), a);
    Value *middle = m_mul(m, n.whole, K(half_pi[1]));
    Value *middle_low = m_fma(m, n.whole, K(half_pi[1]), m_neg(m, middle));
    Value *r = m_sub(m, high, middle);
    Value *lost = m_sub(m, m_sub(m, m_sub(m, high, r), middle), middle_low);
    Value *rest = m_fma(m, n.whole, K(-half_pi[2]), lost);
    Value *sum = m_add(m, r, rest);
    Value *near = m_clamp(m, sum, -1, 1);

    return (Reduced){.r = near, .more = m_sub(m, rest, m_sub(m, sum, r)), .quadrant = n.bits};
}

static Value *sign_mask(Math *m)
{
    return U((uint64_t)1 << (dtype_bits(m_format(m)->bits) - 1));
}

/* r + r s P(s) */
static Value *odd_kernel(Math *m, Value *r, Value *s, const Poly *p)
{
    return m_fma(m, m_mul(m, r, s), m_poly(m, s, p), r);
}

static Value *is_odd(Math *m, Value *quadrant)
{
    return m_ne(m, m_and(m, quadrant, U(1)), U(0));
}

/* sin of (quadrant + extra + 2r/pi) pi/2, as bits: the sign is bit 1 of the quadrant.  All that
 * `extra` changes comes behind both kernels, which sin and cos of one number so have together. */
static Value *wave(Math *m, const Reduced *a, int extra)
{
    Value *quadrant = extra ? m_add(m, a->quadrant, U((uint64_t)extra)) : a->quadrant;
    Value *s = m_mul(m, a->r, a->r);
    Value *sin = odd_kernel(m, a->r, s, &sine[m->precise]);
    Value *cos = m_fma(m, s, m_poly(m, s, &cosine[m->precise]), K(1));
    Value *y = m_select(m, is_odd(m, quadrant), cos, sin);
    int to_sign = dtype_bits(m_format(m)->bits) - 2;
    Value *sign = m_and(m, m_shl(m, quadrant, U((uint64_t)to_sign)), sign_mask(m));

    return m_xor(m, m_to_bits(m, y), sign);
}

/* sin(a + extra pi/2) for a = |x|, as bits.  Where either reduction would do it is the first one's
 * in all lanes, so that a number's sine does not depend on its neighbours. */
static Value *wave_of(Math *m, Value *x, int extra)
{
    Value *a = m_abs(m, x), *usual;
    if (m->precise == SINGLE && m_is_bounded(x, MODERATE)) {
        Reduced moderate = reduce_moderate(m, a, &usual);
        return wave(m, &moderate, extra);
    }
    Reduced any = m->precise == SINGLE ? reduce_single(m, a, COUNT(windows)) : reduce_double(m, a);
    if (m->precise == DOUBLE || m->straight)
        return wave(m, &any, extra);
    Reduced moderate = reduce_moderate(m, a, &usual);
    Value *y = wave(m, &moderate, extra);
    any.r = m_select(m, usual, moderate.r, any.r);
    any.quadrant = m_select(m, usual, moderate.quadrant, any.quadrant);
    return m_usually(m, usual, y, wave(m, &any, extra));
}

Value *math_sin(Math *m, Value *x)
{
    Value *y = wave_of(m, x, 0);
    Value *sign = m_and(m, m_to_bits(m, x), sign_mask(m));

    return m_from_bits(m, m_xor(m, y, sign));
}

/* cos x = sin(|x| + pi/2) */
Value *math_cos(Math *m, Value *x)
{
    return m_from_bits(m, wave_of(m, x, 1));
}

/* fp32 finishes in fp64, which has the reduced argument and the reciprocal for half an ulp */
static Value *tan_single(Math *m, const Reduced *a)
{
    Math wide = m_double(m), *d = &wide;
    Value *p = m_cast(d, m_poly(m, m_mul(m, a->r, a->r), &tangent[SINGLE]));
    Value *cube = m_mul(d, a->more, m_mul(d, a->more, a->more));

    return m_fma(d, cube, p, a->more);
}

/* tan(r + more) = tan r + more (1 + tan^2 r), added to the small term */
static Value *tan_double(Math *m, const Reduced *a)
{
    Value *s = m_mul(m, a->r, a->r);
    Value *cube = m_mul(m, a->r, s), *p = m_poly(m, s, &tangent[DOUBLE]);
    Value *near = m_fma(m, cube, p, a->r);
    Value *more = m_mul(m, a->more, m_fma(m, near, near, K(1)));

    return m_add(m, a->r, m_fma(m, cube, p, more));
}

/* tan, or -1/tan for odd quadrants, of the argument that was reduced. */
static Value *tan_of(Math *m, const Reduced *a)
{
    Math wide = m_double(m);
    Value *tan = m->precise == SINGLE ? tan_single(m, a) : tan_double(m, a);
    Value *y = m_select(m, is_odd(m, a->quadrant), m_div(&wide, m_num(&wide, -1), tan), tan);

    return m_cast(m, y);
}

/* Nearly all numbers are in the first window. */
static Value *tan_of_single(Math *m, Value *absolute)
{
    Reduced any = reduce_single(m, absolute, COUNT(windows));
    Reduced first = reduce_single(m, absolute, 1);
    Value *is_first = m_lt(m, absolute, K(windows[1].from));
    Value *usual = tan_of(m, &first);

    return m_usually(m, is_first, usual, tan_of(m, &any));
}

Value *math_tan(Math *m, Value *x)
{
    Value *absolute = m_abs(m, x), *y;
    Value *sign = m_and(m, m_to_bits(m, x), sign_mask(m));

    if (m->precise == SINGLE) {
        y = tan_of_single(m, absolute);
    } else {
        Reduced a = reduce_double_longer(m, absolute);
        y = tan_of(m, &a);
    }
    return m_from_bits(m, m_xor(m, m_to_bits(m, y), sign));
}
