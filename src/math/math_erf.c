/*
 * math_erf.c - erf and erfc
 *
 * erf, a = |x|: below an edge near 1, a + a P(a^2).  Above, erf a = 1 - e^-G(a), where G, minus
 * the logarithm of erfc, is smooth and close to a quadratic; its error hardly matters because
 * e^-G is at most 0.18 and falls fast.  From `top` on erf is 1.
 *
 * erf in fp32, where tables are cheap: eight pieces with a polynomial each, whose coefficients are
 * looked up.  With c the centre of the piece that holds a, and r = a - c, which is exact,
 *
 *   erf a = erf(c) + r Q(r),  Q of degree 5, error 0.16 units of the last place
 *
 * (cf. S. Gal's accurate tables, 1986: erf(c) is within 2^-11 units of a float.)  The first centre
 * is 0, and there a + a Q(a) keeps small results exact; a = r is larger than erf(0), and in no
 * other piece is r larger than erf(c), so what r Q(r) is added to is the maximum of the two.  The
 * number of the piece is in the low bits of 1.09 a + 2^23 - 3, which is rounded to halves below
 * 2^23 and to integers above.  So the first piece ends at 0.23, the next four are 0.46 wide, then
 * one of 0.69 and two of 0.92, where erf is flat; and the pieces are counted from where 2^23 - 3
 * is, modulo 8.
 *
 * erfc, |x| < 1/2: (1 - x) - x P(x^2).  Above: e^(-a^2) H(q)/(a + k), with q =
 * (a - k)/(a + k) (the variable of M. Shepherd and J. Laframboise, 1981), so that one polynomial
 * reaches to where erfc underflows; 2 - that for negative x.  Each factor would add its
 * rounding to the result, and a^2, being large, all of the error of its own.  So what the
 * roundings lose is kept, by fma: of a^2, which is taken from the reduced argument of the
 * exponential; of a + k and its reciprocal; of the last two sums of H; and of the product. Together
 * with e^r - 1 they are added to the leading product in the last step but the scaling by 2^n.
 */
#include "math.h"
#include "single.h"

typedef struct {
    double edge, top;
    Poly low;  /* erf(a)/a - 1 in a^2 below the edge, error 2^-30.0 and 2^-56.5 */
    Poly high; /* G from the edge to `top`, error of erf 2^-29.5 and 2^-57.0 */
    double k;
    double last;      /* erfc is 0 beyond it */
    Poly scaled;      /* H, error 2^-27.4 and 2^-60.9 */
    double first_low; /* to be added to its constant term */
} Constants;

/* clang-format off */
static const Constants constants[PRECISIONS] = {
    [SINGLE] = {
        .edge = ERF_EDGE, .top = ERF_TOP, .low = POLY(ERF_LOW), .high = POLY(ERF_HIGH),
        .k = 2, .last = 10.2, .first_low = -0x1.e813ap-27,
        .scaled = POLY(0x1.058672p+0, -0x1.5fd384p-1, 0x1.1e2ddp-2, -0x1.2a8eb4p-5,
                       -0x1.603fc6p-6, 0x1.aa3e48p-8, 0x1.890f92p-9, -0x1.d42fcap-11,
                       -0x1.a017cep-12)},
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
        .k = 4, .last = 27.5, .first_low = 0x1.09c9e6c12465cp-54,
        .scaled = POLY(0x1.18932bf08e154p+0, -0x1.f3fe31ecb49bfp-1, 0x1.8be202d26c705p-1,
                       -0x1.14eacb1ad035ep-1, 0x1.52cac237101bfp-2, -0x1.645fd8a4ba97dp-3,
                       0x1.38dbd2c8df312p-4, -0x1.b00c052d23e87p-6, 0x1.908f4726f29c2p-8,
                       -0x1.269b4f8b55df8p-12, -0x1.dd28469478bf7p-12, 0x1.72cd849b941e9p-13,
                       -0x1.e7e59c8ea5798p-19, -0x1.3c6a1d474c57dp-16, 0x1.3b036cd1b3062p-18,
                       0x1.7d80c6131873dp-20, -0x1.c5ac02507b541p-21, -0x1.2f2eab68ad421p-24,
                       0x1.05d5a7d16bbc9p-23, -0x1.00e1616dbd864p-28, -0x1.c4af19558a935p-27,
                       0x1.1105f51d33a99p-29)},
};

/* Of erf in fp32, each by piece. */
enum { PIECES = 8, FIRST = 2, SLOPE = 6 }; /* FIRST: the low bits of PIECES_START */
#define PIECES_TOP      3.95
#define PIECES_PER_UNIT 1.09
#define PIECES_START    (0x1p23 - 3)
static const float piece_centre[PIECES] =
    {0, 0x1.d5b54p-2f, 0x1.d5b2bcp-1f, 0x1.6048aep+0f, 0x1.d5b844p+0f, 0x1.259b7p+1f,
     0x1.6ef826p+1f, 0x1.ca45fap+1f};
static const float piece_erf[PIECES] =
    {0, 0x1.ef11eep-2f, 0x1.9c69fep-1f, 0x1.e58f46p-1f, 0x1.fb27acp-1f, 0x1.ff657ap-1f,
     0x1.fff96ap-1f, 0x1.fffff2p-1f};
static const float piece_slope[SLOPE][PIECES] = { /* Q, lowest degree first */
    {0x1.06eba8p-3f, 0x1.d41bfep-1f, 0x1.f208e6p-2f, 0x1.5bd57cp-3f, 0x1.3ef41p-5f, 0x1.7f9894p-8f,
     0x1.3ed326p-12f, 0x1.9a822ap-19f},
    {-0x1.0eb4a4p-22f, -0x1.ad7146p-2f, -0x1.c8e2fcp-2f, -0x1.dea864p-3f, -0x1.249d76p-4f,
     -0x1.b7f258p-7f, -0x1.c8eb9ap-11f, -0x1.5b895ap-17f},
    {-0x1.81220ep-2f, -0x1.6981fp-3f, 0x1.c57c94p-4f, 0x1.432f44p-3f, 0x1.30d42ap-4f,
     0x1.306ecp-6f, 0x1.98600ep-10f, 0x1.a2988cp-16f},
    {-0x1.cd05d6p-12f, 0x1.7122aep-3f, 0x1.91252ep-4f, -0x1.f63c36p-6f, -0x1.6c2deep-5f,
     -0x1.13dea8p-6f, -0x1.fef9ccp-10f, -0x1.b0a566p-15f},
    {0x1.def756p-4f, 0x1.4868e8p-6f, -0x1.14b63ep-4f, -0x1.f5076ap-6f, 0x1.41848p-7f,
     0x1.426448p-7f, 0x1.ec9a54p-10f, 0x1.e4ac88p-15f},
    {-0x1.191d9p-6f, -0x1.99c09cp-5f, -0x1.5b8508p-8f, 0x1.634f22p-6f, 0x1.74fd86p-8f,
     -0x1.8439cap-9f, -0x1.3b6ddp-10f, -0x1.22e63ap-17f}};
/* clang-format on */

/* Of the piece that `bits` counts. */
static Value *of_piece(Math *m, Value *bits, const float *row)
{
    int64_t entries[PIECES];

    for (int i = 0; i < PIECES; i++)
        entries[(FIRST + i) % PIECES] = (int64_t)scalar_from_double(DT_FP32, row[i]);
    return m_from_bits(m, m_lookup8(m, bits, entries));
}

static Value *erf_by_pieces(Math *m, Value *x)
{
    Value *a = m_minnan(m, m_abs(m, x), K(PIECES_TOP));
    Value *bits = m_to_bits(m, m_fma(m, a, K(PIECES_PER_UNIT), K(PIECES_START)));
    Value *r = m_sub(m, a, of_piece(m, bits, piece_centre));
    Value *base = of_piece(m, bits, piece_erf);
    Value *q = of_piece(m, bits, piece_slope[SLOPE - 1]);

    for (int k = SLOPE - 2; k >= 0; k--)
        q = m_fma(m, q, r, of_piece(m, bits, piece_slope[k]));
    base = m_select(m, m_gt(m, r, base), r, base);
    return m_copysign(m, m_fma(m, r, q, base), x);
}

Value *math_erf(Math *m, Value *x)
{
    if (m->precise == SINGLE && !m->straight)
        return erf_by_pieces(m, x);
    const Constants *c = &constants[m->precise];
    Value *a = m_abs(m, x);
    Value *low = m_fma(m, a, m_poly(m, m_mul(m, x, x), &c->low), a);
    Value *exponent = m_poly(m, m_minnan(m, a, K(c->top)), &c->high);
    Growth g = m_growth(m, m_neg(m, exponent), 0);
    Value *high = m_sub(m, m_sub(m, K(1), g.h), m_mul(m, g.h, g.q));

    return m_copysign(m, m_select(m, m_lt(m, a, K(c->edge)), low, high), x);
}

/* A step of Horner's rule, q sum + c, with what its rounding lost (nearly: c - hi may round). */
static Pair step(Math *m, Value *q, Value *sum, double c)
{
    Value *hi = m_fma(m, q, sum, K(c));

    return (Pair){hi, m_fma(m, q, sum, m_sub(m, K(c), hi))};
}

/* The leading part of H(q)/(a + k), and in `rest` what that is short of it. */
static Value *scaled_erfc(Math *m, Value *a, Value **rest)
{
    const Constants *c = &constants[m->precise];
    const double *h = c->scaled.c;
    Poly tail = {h + 2, c->scaled.n - 2};
    Value *k = K(c->k);
    Value *sum = m_add(m, k, a);
    Value *sum_low = m_add(m, m_sub(m, k, sum), a);
    Value *inverse = m_div(m, K(1), sum); /* short by the share `lack` */
    Value *minus = m_neg(m, inverse);
    Value *lack = m_fma(m, minus, sum_low, m_fma(m, minus, sum, K(1)));
    Value *q = m_fma(m, inverse, K(-2 * c->k), K(1));
    q = m_fma(m, m_mul(m, inverse, lack), K(-2 * c->k), q);
    Pair slope = step(m, q, m_poly(m, q, &tail), h[1]);
    Pair value = step(m, q, slope.hi, h[0]);
    value.lo = m_add(m, m_fma(m, q, slope.lo, value.lo), K(c->first_low));
    Value *product = m_mul(m, inverse, value.hi);
    Value *low = m_fma(m, inverse, value.hi, m_neg(m, product));

    *rest = m_fma(m, inverse, value.lo, m_fma(m, product, lack, low));
    return product;
}

Value *math_erfc(Math *m, Value *x)
{
    const Constants *c = &constants[m->precise];
    Value *p = m_poly(m, m_mul(m, x, x), &c->low);
    Value *low = m_fma(m, m_neg(m, x), p, m_sub(m, K(1), x));
    Value *a = m_minnan(m, m_abs(m, x), K(c->last));
    Value *square = m_mul(m, a, a);
    Value *lost = m_fma(m, a, a, m_neg(m, square));
    Value *rest, *product = scaled_erfc(m, a, &rest);
    Value *high = m_exp_times(m, m_neg(m, square), m_neg(m, lost), product, rest);

    high = m_select(m, m_lt(m, x, K(0)), m_sub(m, K(2), high), high);
    return m_select(m, m_lt(m, a, K(0.75)), low, high);
}
