/*
 * math_arc.c - asin, acos, atan, atan2
 *
 * atan: |x| > 1 goes through atan x = pi/2 + atan(-1/x), so one odd polynomial on [0, 1] is
 * enough: z + z s A(s), s = z^2.  pi/2 and pi are added in two parts.  atan2(y, x) divides the
 * smaller of |y| and |x| by the larger and finds its octant by selecting.
 *
 * asin: for |x| <= 1/2 an odd polynomial; above, asin a = pi/2 - 2 asin(sqrt((1 - a)/2)), whose
 * argument is in the range of the same polynomial and exact up to the root.  With q = asin of
 * either, carrying the sign of x,
 *
 *     acos x = pi/2 - q  for |x| <= 1/2,   2q  for x > 1/2,   pi + 2q  for x < -1/2.
 */
#include "math.h"

typedef struct {
    Split pi;
    Poly atan; /* (atan z/z - 1)/z^2 on [0, 1], error 2^-28.5 and 2^-57.6 */
    Poly asin; /* (asin z/z - 1)/z^2 on [0, 1/2], error 2^-27.6 and 2^-59.8 */
} Constants;

/* clang-format off */
static const Constants constants[PRECISIONS] = {
    [SINGLE] = {
        .pi = {0x1.921fb6p+1, -0x1.777a5cp-24},
        .atan = POLY(-0x1.55553ep-2, 0x1.9991e4p-3, -0x1.242084p-3, 0x1.c08c1ap-4, -0x1.580814p-4,
                     0x1.da24ccp-5, -0x1.fd6fcap-6, 0x1.641106p-7, -0x1.d32e1cp-10),
        .asin = POLY(0x1.5555cap-3, 0x1.33016p-4, 0x1.748c62p-5, 0x1.8b9306p-6, 0x1.59f3d8p-5)},
    [DOUBLE] = {
        .pi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53},
        .atan = POLY(-0x1.5555555555526p-2, 0x1.99999999955b1p-3, -0x1.249249237f481p-3,
                     0x1.c71c717fcb461p-4, -0x1.745d11ae25bcap-4, 0x1.3b136696779bfp-4,
                     -0x1.110e5108a2c66p-4, 0x1.e1bba5053c6dfp-5, -0x1.ae5e6c96e7818p-5,
                     0x1.82dac30238efep-5, -0x1.59a3ca10d5225p-5, 0x1.2c2df27c41ed4p-5,
                     -0x1.e9f8c21ea3981p-6, 0x1.683b389245623p-6, -0x1.c78ce4de6eb97p-7,
                     0x1.d7b51723b2ac4p-8, -0x1.7a3577c8aa6cap-9, 0x1.b3f502cbc9c0cp-11,
                     -0x1.3f315544cdfa3p-13, 0x1.bbe5b84bb9426p-17),
        .asin = POLY(0x1.5555555555578p-3, 0x1.333333332dee8p-4, 0x1.6db6db722f5a4p-5,
                     0x1.f1c71a89846adp-6, 0x1.6e8be0316994p-6, 0x1.1c49d7b90c36cp-6,
                     0x1.ca21f242631ap-7, 0x1.757148ca1a294p-7, 0x1.61b1a2874469dp-7,
                     0x1.ded8aa8088353p-9, 0x1.65d57a41d8b4ep-6, -0x1.5b37b41b9ffbp-6,
                     0x1.0c4f78c47be46p-5)},
};
/* clang-format on */

/* z + z s P(s) */
static Value *odd(Math *m, Value *z, Value *s, const Poly *p)
{
    return m_fma(m, m_mul(m, z, s), m_poly(m, s, p), z);
}

/* part * pi - y */
static Value *part_of_pi_minus(Math *m, double part, Value *y)
{
    const Split *pi = &constants[m->precise].pi;

    return m_sub(m, K(part * pi->hi), m_sub(m, y, K(part * pi->lo)));
}

Value *math_atan(Math *m, Value *x)
{
    Value *a = m_abs(m, x);
    Value *far = m_gt(m, a, K(1));
    Value *z = m_select(m, far, m_div(m, K(1), a), a);
    Value *y = odd(m, z, m_mul(m, z, z), &constants[m->precise].atan);

    return m_copysign(m, m_select(m, far, part_of_pi_minus(m, 0.5, y), y), x);
}

/* 0/0 counts as 0 and inf/inf as 1. */
static Value *ratio_of(Math *m, Value *small, Value *large)
{
    double least = m->precise == SINGLE ? 0x1p-149 : 0x1p-1074;
    Value *ratio = m_div(m, small, m_maxnan(m, large, K(least)));

    return m_select(m, m_eq(m, small, K(__builtin_inf())), K(1), ratio);
}

Value *math_atan2(Math *m, Value *y, Value *x)
{
    Value *ay = m_abs(m, y), *ax = m_abs(m, x);
    Value *steep = m_gt(m, ay, ax);
    Value *z = ratio_of(m, m_select(m, steep, ax, ay), m_select(m, steep, ay, ax));
    Value *angle = odd(m, z, m_mul(m, z, z), &constants[m->precise].atan);
    Value *left = m_lt(m, m_copysign(m, K(1), x), K(0));

    angle = m_select(m, steep, part_of_pi_minus(m, 0.5, angle), angle);
    angle = m_select(m, left, part_of_pi_minus(m, 1, angle), angle);
    return m_copysign(m, angle, y);
}

/* q = asin |x| for |x| <= 1/2 (not `high`), asin(sqrt((1 - |x|)/2)) above */
static Value *arc(Math *m, Value *a, Value *high)
{
    Value *s = m_select(m, high, m_fma(m, a, K(-0.5), K(0.5)), m_mul(m, a, a));
    Value *z = m_select(m, high, m_sqrt(m, s), a);

    return odd(m, z, s, &constants[m->precise].asin);
}

Value *math_asin(Math *m, Value *x)
{
    Value *a = m_abs(m, x);
    Value *high = m_gt(m, a, K(0.5));
    Value *q = arc(m, a, high);
    Value *above = part_of_pi_minus(m, 0.5, m_add(m, q, q));

    return m_copysign(m, m_select(m, high, above, q), x);
}

Value *math_acos(Math *m, Value *x)
{
    const Split *pi = &constants[m->precise].pi;
    Value *a = m_abs(m, x);
    Value *high = m_gt(m, a, K(0.5));
    Value *q = m_copysign(m, arc(m, a, high), x);
    Value *far = m_select(m, m_lt(m, x, K(0)), K(pi->hi), K(0));
    Value *base = m_select(m, high, far, K(pi->hi / 2));
    Value *turn = m_mul(m, q, m_select(m, high, K(2), K(-1)));

    return m_add(m, base, m_fma(m, base, K(pi->lo / pi->hi), turn));
}
