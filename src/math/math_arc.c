/*
 * math_arc.c - asin, acos, atan, atan2
 *
 * atan: |x| > 1 goes through atan x = pi/2 + atan(-1/x), so one odd polynomial on [0, 1] is
 * enough: z + z s A(s), s = z^2.  atan2(y, x) divides the smaller of |y| and |x| by the larger;
 * the octant says which multiple of pi/2 to add, and whether to z or to -z.  The multiple has two
 * parts, of which the lower is added to the small term z s A.
 *
 * asin: up to an edge an odd polynomial; above, asin a = pi/2 - 2 asin(sqrt((1 - a)/2)), whose
 * argument is in the range of the same polynomial and exact up to the root.  The edge is cos 1, a
 * little more than 1/2, so that the halved arc is below 1/2 and its rounding half as large.  With
 * q = asin of either, carrying the sign of x,
 *
 *     acos x = pi/2 - q  below the edge,   2q  for x above,   pi + 2q  for x below -edge.
 */
#include "math.h"

typedef struct {
    Split pi;
    Poly atan; /* (atan z/z - 1)/z^2 on [0, 1], error 2^-28.5 and 2^-57.6 */
    Poly asin; /* (asin z/z - 1)/z^2 on [0, cos 1], error 2^-29.9 and 2^-59.9 */
} Constants;

/* clang-format off */
static const Constants constants[PRECISIONS] = {
    [SINGLE] = {
        .pi = {0x1.921fb6p+1, -0x1.777a5cp-24},
        .atan = POLY(-0x1.55553ep-2, 0x1.9991e4p-3, -0x1.242084p-3, 0x1.c08c1ap-4, -0x1.580814p-4,
                     0x1.da24ccp-5, -0x1.fd6fcap-6, 0x1.641106p-7, -0x1.d32e1cp-10),
        .asin = POLY(0x1.55553ap-3, 0x1.3340e6p-4, 0x1.6b7292p-5, 0x1.0e9c34p-5, 0x1.45fa86p-7,
                     0x1.6530d8p-5)},
    [DOUBLE] = {
        .pi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53},
        .atan = POLY(-0x1.5555555555526p-2, 0x1.99999999955b1p-3, -0x1.249249237f481p-3,
                     0x1.c71c717fcb461p-4, -0x1.745d11ae25bcap-4, 0x1.3b136696779bfp-4,
                     -0x1.110e5108a2c66p-4, 0x1.e1bba5053c6dfp-5, -0x1.ae5e6c96e7818p-5,
                     0x1.82dac30238efep-5, -0x1.59a3ca10d5225p-5, 0x1.2c2df27c41ed4p-5,
                     -0x1.e9f8c21ea3981p-6, 0x1.683b389245623p-6, -0x1.c78ce4de6eb97p-7,
                     0x1.d7b51723b2ac4p-8, -0x1.7a3577c8aa6cap-9, 0x1.b3f502cbc9c0cp-11,
                     -0x1.3f315544cdfa3p-13, 0x1.bbe5b84bb9426p-17),
        .asin = POLY(0x1.5555555555535p-3, 0x1.333333333806ap-4, 0x1.6db6db69ae4fp-5,
                     0x1.f1c71e25566d3p-6, 0x1.6e8b6c8dab7e4p-6, 0x1.1c5325a98745dp-6,
                     0x1.c91eee96b9f9ap-7, 0x1.7f3aed4b066bap-7, 0x1.1f1a8a8a951bdp-7,
                     0x1.b54edaffe89cp-7, -0x1.440b00d68320dp-7, 0x1.7ec2b3b510a5ep-5,
                     -0x1.b0fee79e2e14ap-5, 0x1.8ac19ab25c772p-5)},
};
/* clang-format on */

/* base + atan z, for z in [-1, 1] and base a multiple of pi/2 as its high part */
static Value *atan_from(Math *m, Value *base, Value *z)
{
    const Constants *c = &constants[m->precise];
    Value *s = m_mul(m, z, z);
    Value *low = m_mul(m, base, K(c->pi.lo / c->pi.hi));
    Value *rest = m_fma(m, m_mul(m, z, s), m_poly(m, s, &c->atan), low);

    return m_add(m, base, m_add(m, z, rest));
}

Value *math_atan(Math *m, Value *x)
{
    Value *a = m_abs(m, x);
    Value *far = m_gt(m, a, K(1));
    Value *z = m_select(m, far, m_div(m, K(-1), a), a);
    Value *base = m_select(m, far, K(constants[m->precise].pi.hi / 2), K(0));

    return m_copysign(m, atan_from(m, base, z), x);
}

/* 0/0 counts as 0 and inf/inf as 1; NaN stays. */
static Value *ratio_of(Math *m, Value *small, Value *large)
{
    double least = m->precise == SINGLE ? 0x1p-149 : 0x1p-1074;
    Value *ratio = m_div(m, small, m_maxnan(m, large, K(least)));
    Value *infinite = m_eq(m, small, K(__builtin_inf()));

    return m_select(m, infinite, m_minnan(m, large, K(1)), ratio);
}

Value *math_atan2(Math *m, Value *y, Value *x)
{
    double pi = constants[m->precise].pi.hi;
    Value *ay = m_abs(m, y), *ax = m_abs(m, x);
    Value *steep = m_gt(m, ay, ax);
    Value *left = m_lt(m, m_copysign(m, K(1), x), K(0));
    Value *large = m_select(m, steep, ay, ax);
    Value *z = ratio_of(m, m_select(m, steep, ax, ay), large);
    Value *base = m_select(m, steep, K(pi / 2), m_select(m, left, K(pi), K(0)));

    z = m_select(m, m_xor(m, steep, left), m_neg(m, z), z);
    return m_copysign(m, atan_from(m, base, z), y);
}

/* asin |x|, or asin(sqrt((1 - |x|)/2)) where |x| is `high` */
static Value *arc(Math *m, Value *a, Value *high)
{
    Value *s = m_select(m, high, m_fma(m, a, K(-0.5), K(0.5)), m_mul(m, a, a));
    Value *z = m_select(m, high, m_sqrt(m, s), a);

    return m_fma(m, m_mul(m, z, s), m_poly(m, s, &constants[m->precise].asin), z);
}

static Value *above_edge(Math *m, Value *a)
{
    return m_gt(m, a, K(0x1.14a28p-1));
}

Value *math_asin(Math *m, Value *x)
{
    const Split *pi = &constants[m->precise].pi;
    Value *a = m_abs(m, x);
    Value *high = above_edge(m, a);
    Value *q = arc(m, a, high);
    Value *above = m_add(m, m_fma(m, q, K(-2), K(pi->hi / 2)), K(pi->lo / 2));

    return m_copysign(m, m_select(m, high, above, q), x);
}

Value *math_acos(Math *m, Value *x)
{
    const Split *pi = &constants[m->precise].pi;
    Value *a = m_abs(m, x);
    Value *high = above_edge(m, a);
    Value *q = m_copysign(m, arc(m, a, high), x);
    Value *far = m_select(m, m_lt(m, x, K(0)), K(pi->hi), K(0));
    Value *base = m_select(m, high, far, K(pi->hi / 2));
    Value *turn = m_mul(m, q, m_select(m, high, K(2), K(-1)));

    return m_add(m, base, m_fma(m, base, K(pi->lo / pi->hi), turn));
}
