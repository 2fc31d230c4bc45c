/*
 * math_exp.c - exp, exp2, exp10, expm1, and the growth that the hyperbolic functions share
 *
 * Reduction (Cody and Waite): b^x = 2^n b^r with n the integer nearest to x log2(b), so that
 * |r| <= log_b(2)/2, and r = x - n log_b(2) with log_b(2) in two parts.  The first product is
 * exact inside the fma and the difference needs no more bits than the format has, so r has one
 * rounding, in the second fma; for exp2 there is none at all.
 *
 * b^r = 1 + r P(r).  Error in units of the last place of the result: half for the last fma, at
 * most 0.18 from the rounding of r, 0.18 from that of P, 0.05 from the approximation.
 *
 * exp, exp2 and exp10 in fp32 reduce to eighths (P. T. P. Tang, Table-driven implementation of the
 * exponential function, 1989): b^x = 2^(n/8) b^r with |r| <= log_b(2)/16, where a cubic does.
 * 2^(n/8) is looked up by the low three bits of n.  So that its rounding does not matter, the
 * entries are s 2^(j/8) for a number s just below 1 which makes all eight lie within 0.053 units of
 * a float (cf. S. Gal's accurate tables, 1986), and 1/s goes into the polynomial:
 * b^x = (s 2^(n/8)) (1 + Q(r)), Q(r) = b^r/s - 1.  Error: half for the last fma, 0.05 from the
 * entries, 0.16 from the approximation, 0.04 from the rounding of r and Q.
 *
 * The table costs more than it saves where eight entries are seven selects: straight expansions of
 * exp reduce to ones in fp32, too.
 *
 * Scaling: n reaches from -150 to 128 (fp32; -1075 to 1024 in fp64), more than one exponent
 * field, so 2^n is the product of 2^floor(n/2) and 2^ceil(n/2).  The first factor is exact, the
 * second rounds once into the subnormals or overflows: what is wanted.  x is bounded first, a
 * little beyond where the result is 0 or infinity, which also takes the infinities in.  Where it is
 * 0, which is what masks leave in a softmax, 1 is computed and left out: a product that vanishes in
 * its rounding takes a CPU hundreds of cycles.  All that is for the few: where n is moderate, there
 * are neither bounds nor halves, n is added to the exponent of b^r, and as all those factors are
 * exact, the result is the same.
 *
 * expm1: e^x - 1 = 2^n (e^r - 1) + (2^n - 1) with one rounding at the end, computed with half of
 * 2^n so that n = 128 has no overflow of its own.
 */
#include "math.h"

typedef struct {
    double low, high; /* b^x is 0 below and infinity above */
    double per_unit;  /* log2(b) */
    Split step;       /* log_b(2) */
    Poly p;           /* (b^r - 1)/r */
} Power;

/* The same in eighths. */
typedef struct {
    double low, high;
    double per_unit; /* 8 log2(b) */
    Split step;      /* log_b(2)/8 */
    Poly q;          /* b^r/s - 1 */
} Eighths;

/* clang-format off */
static const Power exp_table[PRECISIONS] = {
    [SINGLE] = {-105, 89, 0x1.715476p+0, {0x1.62e43p-1, -0x1.05c61p-29}, /* error 2^-28.3 */
        POLY(0x1p+0, 0x1.fffffcp-2, 0x1.555492p-3, 0x1.5558b4p-5, 0x1.12399ap-7, 0x1.6a48c8p-10)},
    [DOUBLE] = {-746, 710, 0x1.71547652b82fep+0,
        {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56}, /* error 2^-57.9 */
        POLY(0x1p+0, 0x1.000000000000ap-1, 0x1.5555555555508p-3, 0x1.555555555074bp-5,
             0x1.11111111253bep-7, 0x1.6c16c184540ddp-10, 0x1.a01a0134a5a4cp-13,
             0x1.a01999b576a15p-16, 0x1.71df12e4acee6p-19, 0x1.28adb8f598ed1p-22,
             0x1.ad97d3bde7d52p-26)},
};

static const Power exp2_double = {-1076, 1025, 1, {1, 0}, /* error 2^-57.8 */
    POLY(0x1.62e42fefa39efp-1, 0x1.ebfbdff82c59cp-3, 0x1.c6b08d704a0d4p-5, 0x1.3b2ab6fba11f6p-7,
         0x1.5d87fe78b3b97p-10, 0x1.4309130c00d89p-13, 0x1.ffcbfbf8c6ffdp-17, 0x1.62bfcddf554bep-20,
         0x1.b5260da6de3b3p-24, 0x1.e6119e9cf3622p-28, 0x1.e80ed27a0756bp-32)};

static const Power exp10_double = {-325, 309, 0x1.a934f0979a371p+1,
    {0x1.34413509f79ffp-2, -0x1.9dc1da994fd21p-59}, /* error 2^-57.7 */
    POLY(0x1.26bb1bbb55516p+1, 0x1.53524c73cea6fp+1, 0x1.0470591de2b7ap+1, 0x1.2bd7609fd663dp+0,
         0x1.1429ffd2112ep-1, 0x1.a7ed709ca9334p-3, 0x1.16e4df19b2d64p-4, 0x1.4116662ebcb84p-6,
         0x1.489963919b077p-8, 0x1.2f6c33551c54fp-10, 0x1.f85bd1564c924p-13)};

/* s 2^(j/8) for s = 1 - 3115/2^23: their bits, less j at the place where n has it */
static const int64_t eighths[8] = {0x3f7fe7aa, 0x3f7b887d, 0x3f782978, 0x3f75ef0f,
                                   0x3f74f3be, 0x3f755466, 0x3f773086, 0x3f7aaa76};

/* errors 2^-25.7 */
static const Eighths exp_eighths = {-105, 89, 0x1.715476p+3, {0x1.62e43p-4, -0x1.05c61p-32},
    POLY(0x1.858016p-12, 0x1.001858p+0, 0x1.002294p-1, 0x1.557e4ap-3)};
static const Eighths exp2_eighths = {-151, 129, 8, {0.125, 0},
    POLY(0x1.858016p-12, 0x1.6305fp-1, 0x1.ec3e5cp-3, 0x1.c6dbeap-5)};
static const Eighths exp10_eighths = {-46, 39, 0x1.a934fp+4, {0x1.344136p-5, -0x1.ec10cp-30},
    POLY(0x1.858016p-12, 0x1.26d724p+1, 0x1.53802cp+1, 0x1.047fc8p+1)};

/* (e^r - 1 - r)/r^2 to a relative error of e^r - 1 of 2^-31.1 and 2^-61.6 */
static const Poly growth_table[PRECISIONS] = {
    [SINGLE] = POLY(0x1p-1, 0x1.555554p-3, 0x1.5554f8p-5, 0x1.1112d6p-7, 0x1.6d3a5cp-10,
                    0x1.9e782ep-13),
    [DOUBLE] = POLY(0x1p-1, 0x1.5555555555559p-3, 0x1.5555555555558p-5, 0x1.111111110f713p-7,
                    0x1.6c16c16c174cfp-10, 0x1.a01a01af9e88fp-13, 0x1.a01a0199b8393p-16,
                    0x1.71ddf922c3453p-19, 0x1.27e502b5e1574p-22, 0x1.af5d467f0ca9dp-26,
                    0x1.1f2a110422caep-29),
};
/* clang-format on */

/* 1.5 * 2^mantissa, not 1.0, so that negative integers do not borrow from the exponent. */
Nearest m_nearest(Math *m, Value *x, double scale, int bias)
{
    double magic = 1.5 * m_format(m)->integers + bias;
    Value *sum = m_fma(m, x, K(scale), K(magic));
    Value *whole = m_sub(m, sum, K(magic));

    return (Nearest){.whole = whole, .bits = m_to_bits(m, sum)};
}

Value *m_exponent(Math *m, Value *bits)
{
    return m_from_bits(m, m_shl(m, bits, U((uint64_t)m_format(m)->mantissa)));
}

/* p 2^n, where the low bits of `bits` hold n and twice the bias. */
static Value *scale(Math *m, Value *p, Value *bits)
{
    Value *half = m_shr(m, bits, U(1));

    p = m_mul(m, p, m_exponent(m, half));
    return m_mul(m, p, m_exponent(m, m_sub(m, bits, half)));
}

/* x - n step */
static Value *remainder_of(Math *m, Value *x, Value *n, const Split *step)
{
    Value *r = m_fma(m, n, K(-step->hi), x);

    return step->lo != 0 ? m_fma(m, n, K(-step->lo), r) : r;
}

/* b^r */
static Value *small_power(Math *m, Value *r, const Poly *p)
{
    return m_fma(m, m_poly(m, r, p), r, K(1));
}

/* An exponent of a result that is neither too large nor too small. */
typedef struct {
    Value *x;
    Value *vanishes; /* i1: the result is 0 instead; NULL: x is such that it is */
} Bounded;

static Bounded bound(Math *m, Value *x, double low, double high)
{
    if (m->straight)
        return (Bounded){.x = m_clamp(m, x, low, high)};
    Value *vanishes = m_lt(m, x, K(low));
    x = m_select(m, vanishes, K(0), x);
    return (Bounded){.x = m_minnan(m, x, K(high)), .vanishes = vanishes};
}

static Value *or_zero(Math *m, const Bounded *b, Value *y)
{
    return b->vanishes ? m_select(m, b->vanishes, K(0), y) : y;
}

static Value *any_power(Math *m, Value *x, const Power *t)
{
    Bounded b = bound(m, x, t->low, t->high);
    Nearest n = m_nearest(m, b.x, t->per_unit, 2 * m_format(m)->bias);
    Value *r = remainder_of(m, b.x, n.whole, &t->step);

    return or_zero(m, &b, scale(m, small_power(m, r, &t->p), n.bits));
}

/* What is left of x for the usual way: as m_nearest() and remainder_of(), but n is counted in units
 * of 2^-8.  Then n is moderate, below 512 in size, where the float is below 2, which a single bit
 * tells.  Nothing else changes: units are powers of two. */
typedef struct {
    Value *n, *bits, *r;
} Reduced;

static Reduced reduce(Math *m, Value *x, double per_unit, const Split *step)
{
    const double unit = 0x1p-8, magic = 1.5 * m_format(m)->integers * unit;
    Value *sum = m_fma(m, x, K(per_unit * unit), K(magic));
    Value *n = m_sub(m, sum, K(magic));
    Value *bits = m_to_bits(m, sum);

    return (Reduced){.n = n,
                     .bits = bits,
                     .r = remainder_of(m, x, n, &(Split){step->hi / unit, step->lo / unit})};
}

Value *m_is_below_two(Math *m, Value *x)
{
    const Format *f = m_format(m);
    uint64_t highest = (uint64_t)(f->bias + 1) << f->mantissa; /* of the exponent: 2 or more */

    return m_eq(m, m_and(m, m_to_bits(m, x), U(highest)), U(0));
}

/* p 2^n by adding n to the exponent */
static Value *raise(Math *m, Value *p, Value *bits)
{
    Value *exponent = m_shl(m, bits, U((uint64_t)m_format(m)->mantissa));

    return m_from_bits(m, m_add(m, m_to_bits(m, p), exponent));
}

static Value *power(Math *m, Value *x, const Power *t)
{
    Reduced u = reduce(m, x, t->per_unit, &t->step);
    Value *p = small_power(m, u.r, &t->p);

    Value *rare = any_power(m, x, t);
    Value *usual = raise(m, p, u.bits);

    return m_usually(m, m_is_below_two(m, u.n), usual, rare);
}

/* --- fp32 in eighths --- */

enum { EIGHTH = 20 }; /* where the bits of a float have an eighth of the exponent */

/* b^r s 2^(n/8)/s, given the bits of s 2^(n/8) */
static Value *times_small_power(Math *m, Value *r, Value *bits, const Poly *q)
{
    Value *factor = m_from_bits(m, bits);

    return m_fma(m, factor, m_poly(m, r, q), factor);
}

static Value *any_power_by_eighths(Math *m, Value *x, const Eighths *t)
{
    Bounded b = bound(m, x, t->low, t->high);
    Nearest n = m_nearest(m, b.x, t->per_unit, 8 * 2 * m_format(m)->bias);
    Value *j = m_shl(m, m_and(m, n.bits, U(7)), U(EIGHTH));
    Value *entry = m_add(m, m_lookup8(m, n.bits, eighths), j);
    Value *r = remainder_of(m, b.x, n.whole, &t->step);
    Value *k = m_shr(m, n.bits, U(3));

    return or_zero(m, &b, scale(m, times_small_power(m, r, entry, &t->q), k));
}

static Value *power_by_eighths(Math *m, Value *x, const Eighths *t)
{
    Reduced u = reduce(m, x, t->per_unit, &t->step);
    Value *bits = m_add(m, m_lookup8(m, u.bits, eighths), m_shl(m, u.bits, U(EIGHTH)));
    Value *p = times_small_power(m, u.r, bits, &t->q);
    Value *rare = any_power_by_eighths(m, x, t);

    return m_usually(m, m_is_below_two(m, u.n), p, rare);
}

/* --- the functions --- */

Value *m_exp_times(Math *m, Value *x, Value *x_low, Value *factor, Value *factor_low)
{
    const Power *t = &exp_table[m->precise];
    Nearest n = m_nearest(m, x, t->per_unit, 2 * m_format(m)->bias);
    Value *r = m_fma(m, n.whole, K(-t->step.hi), x);
    r = m_add(m, r, m_fma(m, n.whole, K(-t->step.lo), x_low));
    Value *minus_one = m_mul(m, m_poly(m, r, &t->p), r);

    Value *low = m_fma(m, factor_low, minus_one, factor_low);
    return scale(m, m_add(m, factor, m_fma(m, factor, minus_one, low)), n.bits);
}

Value *m_exp2_sum(Math *m, Value *x, Value *x_low)
{
    const Power *t = &exp2_double;
    Nearest n = m_nearest(m, x, 1, 2 * m_format(m)->bias);
    Value *r = m_add(m, m_sub(m, x, n.whole), x_low);
    Value *p = m_fma(m, m_poly(m, r, &t->p), r, K(1));

    return scale(m, p, n.bits);
}

Value *math_exp(Math *m, Value *x)
{
    if (m->straight)
        return any_power(m, x, &exp_table[m->precise]);
    return m->precise == SINGLE ? power_by_eighths(m, x, &exp_eighths)
                                : power(m, x, &exp_table[DOUBLE]);
}

Value *math_exp2(Math *m, Value *x)
{
    return m->precise == SINGLE ? power_by_eighths(m, x, &exp2_eighths) : power(m, x, &exp2_double);
}

Value *math_exp10(Math *m, Value *x)
{
    return m->precise == SINGLE ? power_by_eighths(m, x, &exp10_eighths)
                                : power(m, x, &exp10_double);
}

Growth m_growth(Math *m, Value *x, int k)
{
    const Power *e = &exp_table[m->precise];
    Nearest n = m_nearest(m, x, e->per_unit, m_format(m)->bias - k);
    Value *r = remainder_of(m, x, n.whole, &e->step);
    Value *tail = m_poly(m, r, &growth_table[m->precise]);
    Value *h = m_exponent(m, n.bits);

    return (Growth){.h = h, .q = m_fma(m, m_mul(m, r, r), tail, r)};
}

Value *math_expm1(Math *m, Value *x)
{
    static const double low[PRECISIONS] = {[SINGLE] = -20, [DOUBLE] = -40}; /* -1 below */
    Value *bounded = m_clamp(m, x, low[m->precise], exp_table[m->precise].high);
    Growth g = m_growth(m, bounded, 1);
    Value *half = m_fma(m, g.h, g.q, m_sub(m, g.h, K(0.5)));

    return m_keep_tiny(m, x, m_add(m, half, half));
}
