/*
 * math_erf.c - erf and erfc
 *
 * erf, a = |x|: below an edge near 1, a + a P(a^2).  Above, erf a = 1 - e^-G(a), where G, minus
 * the logarithm of erfc, is smooth and close to a quadratic; its error hardly matters because
 * e^-G is at most 0.18 and falls fast.  From `top` on erf is 1.
 *
 * erfc: e^(-a^2) t H(1 - 2t) with t = k/(a + k) (the variable of M. Shepherd and J. Laframboise,
 * 1981), so one polynomial reaches from 0 to where erfc underflows; 2 - erfc(a) for negative x.
 * a^2 is needed to more than working precision, as its error becomes a relative error: the fma
 * gives what its rounding lost, and that is taken from the reduced argument of the exponential.
 * H contains everything else, and 2^n is multiplied in last, so a subnormal result is rounded
 * only twice.
 */
#include "math.h"

typedef struct {
    double edge, top;
    Poly low;  /* erf(a)/a - 1 in a^2 below the edge, error 2^-30.0 and 2^-56.5 */
    Poly high; /* G from the edge to `top`, error of erf 2^-29.5 and 2^-57.0 */
    double k;
    double last; /* erfc is 0 beyond it */
    Poly scaled; /* H, error 2^-27.0 and 2^-54.1 */
} Constants;

/* clang-format off */
static const Constants constants[PRECISIONS] = {
    [SINGLE] = {
        .edge = 0.95, .top = 4,
        .low = POLY(0x1.06eba8p-3, -0x1.81274p-2, 0x1.ce2d64p-4, -0x1.b80124p-6, 0x1.544b08p-8,
                    -0x1.a6181p-11, 0x1.4fa924p-14),
        .high = POLY(0x1.00ba88p-12, 0x1.20a22ap+0, 0x1.4668c4p-1, 0x1.a881b4p-4, -0x1.69e00cp-6,
                     0x1.8a50d4p-9, -0x1.938328p-13),
        .k = 3, .last = 10.2,
        .scaled = POLY(0x1.6e9828p-2, -0x1.2d883p-2, 0x1.92edcap-3, -0x1.a7e3cap-4, 0x1.466844p-5,
                       -0x1.2523bcp-7, -0x1.b2425cp-12, 0x1.0c4f88p-10, -0x1.465f7ap-13,
                       -0x1.b55ab6p-14)},
    [DOUBLE] = {
        .edge = 1, .top = 6,
        .low = POLY(0x1.06eba8214db69p-3, -0x1.812746b037a22p-2, 0x1.ce2f21a045668p-4,
                    -0x1.b82ce31349c3cp-6, 0x1.565bcd2ad487cp-8, -0x1.c02db8f22277dp-11,
                    0x1.f9a3b2b5705e2p-14, -0x1.f4dc816f3512bp-17, 0x1.ba643a065e48fp-20,
                    -0x1.636ddf6fa433dp-23, 0x1.1285963399dcep-26, -0x1.c1be7e87a53d5p-30,
                    0x1.389675754b4e2p-33),
        .high = POLY(0x1.0e056f237c8f2p-21, 0x1.20dd1fcfc3696p+0, 0x1.45f6277837bd3p-1,
                     0x1.a4ac598d2ca3fp-4, -0x1.37227e7c0ea81p-6, -0x1.ae9adb74738aap-12,
                     0x1.f642cb9d4051dp-10, -0x1.940d3abd6a4d2p-11, 0x1.1b40dba29c5p-13,
                     0x1.53e3995fda469p-16, -0x1.7ed8d6df7e993p-16, 0x1.22ca469a6c7e5p-17,
                     -0x1.1e9d89993e06cp-19, 0x1.90c95b07311a5p-22, -0x1.8eb8d8604e65bp-25,
                     0x1.0e533f061c5a8p-28, -0x1.c1a0d9afa0377p-33, 0x1.5ac474670523p-38),
        .k = 4, .last = 27.5,
        .scaled = POLY(0x1.18932bf08e154p-2, -0x1.f3fe31ecb49bfp-3, 0x1.8be202d26c7b6p-3,
                       -0x1.14eacb1ad03ap-3, 0x1.52cac2370b40ep-4, -0x1.645fd8a4b79b2p-5,
                       0x1.38dbd2ca88bd6p-6, -0x1.b00c052e50fe6p-8, 0x1.908f45fb23262p-10,
                       -0x1.269b4f09939cap-14, -0x1.dd27cab897cecp-14, 0x1.72cda3a1635eep-15,
                       -0x1.e8e657dd53bc2p-21, -0x1.3c72c346b3426p-18, 0x1.3c5b458c8bed5p-20,
                       0x1.7fa24d500b367p-22, -0x1.d845c056b6dcep-23, -0x1.7924195bc65e2p-26,
                       0x1.564db882b633cp-25, 0x1.277f7a7a410fbp-28, -0x1.375d5740c49bp-27,
                       -0x1.7c76610a1a225p-29, 0x1.aa1d1acd1696ep-30, 0x1.a7bdb20b3f7a8p-31)},
};
/* clang-format on */

Value *math_erf(Math *m, Value *x)
{
    const Constants *c = &constants[m->precise];
    Value *a = m_abs(m, x);
    Value *low = m_fma(m, a, m_poly(m, m_mul(m, x, x), &c->low), a);
    Value *exponent = m_poly(m, m_minnan(m, a, K(c->top)), &c->high);
    Growth g = m_growth(m, m_neg(m, exponent), 0);
    Value *high = m_sub(m, m_sub(m, K(1), g.h), m_mul(m, g.h, g.q));

    return m_copysign(m, m_select(m, m_lt(m, a, K(c->edge)), low, high), x);
}

Value *math_erfc(Math *m, Value *x)
{
    const Constants *c = &constants[m->precise];
    Value *a = m_minnan(m, m_abs(m, x), K(c->last));
    Value *t = m_div(m, K(c->k), m_add(m, a, K(c->k)));
    Value *scaled = m_mul(m, t, m_poly(m, m_fma(m, t, K(-2), K(1)), &c->scaled));
    Value *square = m_mul(m, a, a);
    Value *lost = m_fma(m, a, a, m_neg(m, square));
    Value *y = m_exp_times(m, m_neg(m, square), m_neg(m, lost), scaled);

    return m_select(m, m_lt(m, x, K(0)), m_sub(m, K(2), y), y);
}
