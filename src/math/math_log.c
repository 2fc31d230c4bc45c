/*
 * math_log.c - log, log2, log10, log1p
 *
 * Reduction: x = 2^k (1 + f), with 1 + f in [2/3, 4/3) in fp32 and in [sqrt(1/2), sqrt(2)) in
 * fp64; log x = k log 2 + log(1 + f).  Both steps are integer arithmetic on the bits and exact.
 * Around x = 1, where the logarithm is small, k = 0 and f = x - 1, so nothing cancels.
 *
 * log(1 + f) = f + w.  fp32: w = f^2 (f P(f) - 1/2), P of degree 7.  fp64: with s = f/(2 + f),
 * log(1 + f) = 2 atanh(s) = 2s + s R(s^2) and so w = s (f^2/2 + R) - f^2/2 (this form of it, in
 * which only f itself is large, is W. J. Cody's).  That costs a division, and halves the degree.
 * f is exact and |w| < f/4, so the last addition gives nearly all of the error: 0.6 units of the
 * last place in fp64, 0.8 in fp32.
 *
 * log2 and log10 multiply f + w by a constant, in two parts where f is concerned, before k is
 * added.
 *
 * log1p takes the exponent out of 1 + x, rounded, but f from x itself: f = x/2^k + (2^-k - 1).
 *
 * k comes negated, as -k, and is multiplied by negative constants: so log1p(-0) = -0 (for k = 0
 * the product is -0, which adds nothing to either zero) and log(1) = +0 need no case of their own.
 * Subnormal operands are multiplied by a power of two first.  An operand that is known to be large,
 * as 1 + exp(x) is, needs neither that nor the pole.  Usually one is between 2^-63 and 2^65 (2^-511
 * and 2^513 in fp64), which two bits tell, and needs nothing at all.
 */
#include "math.h"

typedef struct {
    uint64_t lower; /* the bits of the least 1 + f */
    Split ln2, log2e, log10e, log10_2;
} Constants;

/* clang-format off */
static const Constants constants[PRECISIONS] = {
    [SINGLE] = {.lower = 0x3f2aaaab,
                .ln2 = {0x1.62e43p-1, -0x1.05c61p-29},
                .log2e = {0x1.715476p+0, 0x1.4ae0cp-26},
                .log10e = {0x1.bcb7b2p-2, -0x1.5b235ep-27},
                .log10_2 = {0x1.344136p-2, -0x1.ec10cp-27}},
    [DOUBLE] = {.lower = 0x3fe6a09e667f3bcd,
                .ln2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56},
                .log2e = {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56},
                .log10e = {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57},
                .log10_2 = {0x1.34413509f79ffp-2, -0x1.9dc1da994fd21p-59}},
};

/* (log(1+f) - f + f^2/2)/f^3 for |f| <= 1/3, error 2^-27.7 */
static const Poly in_f = POLY(
    0x1.555506p-2, -0x1.fffefcp-3, 0x1.99d044p-3, -0x1.559c4ap-3, 0x1.1ed65ep-3, -0x1.f33208p-4,
    0x1.1e67b2p-3, -0x1.07cae8p-3);

/* R(z)/z = (2 atanh(s)/s - 2)/z, z = s^2 <= 0.0295, error 2^-58.5 */
static const Poly in_square = POLY(
    0x1.5555555555592p-1, 0x1.999999997feedp-2, 0x1.24924941e5567p-2, 0x1.c71c521020555p-3,
    0x1.74663df0e03b6p-3, 0x1.39a1cb462e30ap-3, 0x1.2f05015356e4ep-3);
/* clang-format on */

/* x = 2^k (1 + f), log(1 + f) = f + w, w = factor * inner + rest, where rest may be NULL for 0 */
typedef struct {
    Value *minus_k, *f, *factor, *inner, *rest;
} Reduced;

/* What to add to the bits of a number to multiply it by 2^-k, for x given by its bits: minus the
 * exponent field that is left when the bits of the least 1 + f are taken away. */
static Value *shift_of(Math *m, Value *bits)
{
    uint64_t fraction = ((uint64_t)1 << m_format(m)->mantissa) - 1;

    return m_and(m, m_sub(m, U(constants[m->precise].lower + fraction), bits),
                 U(m_format(m)->fields));
}

/* The float -k from the shift.  `raised` (or NULL) tells where x was multiplied by `raise`.
 * fp64 puts the integer -k + 1200, which is positive, under the exponent of 2^52. */
static Value *minus_k_of(Math *m, Value *shift, Value *raised)
{
    const Format *f = m_format(m);
    double extra = f->mantissa + 1;

    if (m->precise == SINGLE) {
        Value *field = build_bitcast(&m->b, shift, DT_I32);
        Value *zero = raised ? m_select(m, raised, K(extra), K(0)) : K(0);
        return m_fma(m, m_cast(m, field), K(1 / f->integers), zero);
    }
    Value *positive = m_shr(m, m_add(m, shift, U((uint64_t)1200 << 52)), U(52));
    Value *over = m_from_bits(m, m_or(m, positive, U(0x4330000000000000)));
    Value *zero = K(f->integers + 1200);
    if (raised)
        zero = m_select(m, raised, K(f->integers + 1200 - extra), zero);
    return m_sub(m, over, zero);
}

static void expand_log(Math *m, Reduced *r)
{
    Value *f = r->f;

    if (m->precise == SINGLE) {
        r->factor = m_mul(m, f, f);
        r->inner = m_fma(m, f, m_poly(m, f, &in_f), K(-0.5));
        return;
    }
    Value *s = m_div(m, f, m_add(m, f, K(2)));
    Value *z = m_mul(m, s, s);
    Value *half = m_mul(m, m_mul(m, f, K(0.5)), f);
    r->factor = s;
    r->inner = m_fma(m, z, m_poly(m, z, &in_square), half);
    r->rest = m_neg(m, half);
}

/* `normal`: x is. */
static Reduced reduce(Math *m, Value *x, bool normal)
{
    const Format *f = m_format(m);
    Value *raised = normal ? NULL : m_lt(m, x, K(f->smallest));
    Value *bits = m_to_bits(m, raised ? m_select(m, raised, m_mul(m, x, K(f->raise)), x) : x);
    Value *shift = shift_of(m, bits);
    Reduced r = {.minus_k = minus_k_of(m, shift, raised)};

    r.f = m_sub(m, m_from_bits(m, m_add(m, bits, shift)), K(1));
    expand_log(m, &r);
    return r;
}

/* The same for 1 + x.  4/2^k is always a normal number, 1/2^k is not. */
static Reduced reduce_one_plus(Math *m, Value *x)
{
    const Format *f = m_format(m);
    Value *shift = shift_of(m, m_to_bits(m, m_add(m, x, K(1))));
    Value *four = m_from_bits(m, m_add(m, shift, U(f->one + ((uint64_t)2 << f->mantissa))));
    Value *scaled = m_from_bits(m, m_add(m, shift, m_to_bits(m, x)));
    Reduced r = {.minus_k = minus_k_of(m, shift, NULL)};

    r.f = m_sub(m, scaled, m_fma(m, four, K(-0.25), K(1)));
    expand_log(m, &r);
    return r;
}

static Value *small_part(Math *m, const Reduced *r)
{
    if (!r->rest)
        return m_mul(m, r->factor, r->inner);
    return m_fma(m, r->factor, r->inner, r->rest);
}

/* In fp32 the low part of log 2 is 2^-30 and of no account. */
static Value *natural(Math *m, const Reduced *r)
{
    const Split *ln2 = &constants[m->precise].ln2;
    Value *y;

    if (m->precise == SINGLE)
        y = m_fma(m, r->factor, r->inner, r->f);
    else
        y = m_add(m, r->f, m_fma(m, r->minus_k, K(-ln2->lo), small_part(m, r)));
    return m_fma(m, r->minus_k, K(-ln2->hi), y);
}

/* (f + w) c */
static Value *times(Math *m, const Reduced *r, const Split *c)
{
    Value *low = m_fma(m, r->f, K(c->lo), m_mul(m, small_part(m, r), K(c->hi)));

    return m_fma(m, r->f, K(c->hi), low);
}

/* What the reduction does not cover: infinity and NaN, -inf at the pole, NaN below it. */
static Value *with_pole(Math *m, Value *x, double pole, Value *y)
{
    if (m->large)
        return m_keep_unbounded(m, x, y);
    Value *below = m_select(m, m_eq(m, x, K(pole)), K(-__builtin_inf()), K(__builtin_nan("")));

    return m_select(m, m_gt(m, x, K(pole)), m_keep_unbounded(m, x, y), below);
}

/* From 2^-63 on and below 2^65, or what it is in fp64; so it is above 0. */
static Value *is_moderate(Math *m, Value *x)
{
    uint64_t sign = (uint64_t)1 << (dtype_bits(m_format(m)->bits) - 1);
    Value *from_least = m_sub(m, m_to_bits(m, x), U(sign >> 2));

    return m_eq(m, m_and(m, from_least, U(sign | sign >> 1)), U(0));
}

static Value *binary(Math *m, const Reduced *r)
{
    return m_sub(m, times(m, r, &constants[m->precise].log2e), r->minus_k);
}

static Value *decimal(Math *m, const Reduced *r)
{
    const Constants *c = &constants[m->precise];
    Value *low = m_fma(m, r->minus_k, K(-c->log10_2.lo), times(m, r, &c->log10e));

    return m_fma(m, r->minus_k, K(-c->log10_2.hi), low);
}

static Value *logarithm(Math *m, Value *x, Value *(*of)(Math *m, const Reduced *r))
{
    Reduced any = reduce(m, x, m->large);
    Value *y = with_pole(m, x, 0, of(m, &any));
    if (m->large)
        return y;
    Reduced moderate = reduce(m, x, true);
    Value *usual = of(m, &moderate);

    return m_usually(m, is_moderate(m, x), usual, y);
}

Value *math_log(Math *m, Value *x)
{
    return logarithm(m, x, natural);
}

Value *math_log2(Math *m, Value *x)
{
    return logarithm(m, x, binary);
}

Value *math_log10(Math *m, Value *x)
{
    return logarithm(m, x, decimal);
}

/* Usually 1 + x is neither small nor huge. */
Value *math_log1p(Math *m, Value *x)
{
    Reduced r = reduce_one_plus(m, x);
    Value *usual = natural(m, &r);
    Value *y = with_pole(m, x, -1, usual);

    return m->large ? y : m_usually(m, is_moderate(m, m_add(m, x, K(1))), usual, y);
}
