/*
 * gamma.c - lgamma and tgamma of libdevice (semantics R304)
 *
 * With a = |x|, all in fp64:
 *
 *   lgamma   below 8: (a - 1)(a - 2) S(a); below 1, S is that of a + 1, and log a is subtracted
 *            from 8 on: (a - 1/2)(log a - 1) + (log(2 pi) - 1)/2 + S(1/a^2)/a, Stirling's series
 *            x < 0: log(pi/(a |sin(pi a)|)) - lgamma(a)
 *   tgamma   below 3: 1/S(a), with a + 1 and one more factor below 1
 *            from 3 on: sqrt(2 pi) a^(a - 1/2) e^-a S(1/a), the power in two equal factors, whose
 *            exponent a/2 - 1/4 is exact
 *            x < 0: -pi/(a sin(pi a) gamma(a))
 *
 * Near the zeros of lgamma between the poles few digits are right.
 */
#include "formula.h"

static const double PI = 3.14159265358979323846;

/* Where is a below 1?  The argument y = u - 2 of a series in u = a or a + 1 that is right from 1 to
 * 3: the difference is exact, the sum a + 1 would not be. */
static Value *shifted(const Formula *f, Value *a, Value *below_1)
{
    return f_sub(f, a, f_select(f, below_1, K(1), K(2)));
}

/* --- lgamma --- */

static Value *log_gamma_near(const Formula *f, Value *a, Value *log_a)
{
    Value *below_1 = f_lt(f, a, K(1));
    Value *y = shifted(f, a, below_1);
    Value *product = f_mul(f, f_add(f, a, f_select(f, below_1, K(0), K(-1))), y);
    Value *low = f_mul(f, product, f_series(f, SERIES_lgamma_low, y));
    Value *middle = f_series(f, SERIES_lgamma_middle, f_mul(f, f_sub(f, a, K(5.5)), K(0.4)));

    low = f_sub(f, low, f_select(f, below_1, log_a, K(0)));
    return f_select(f, f_lt(f, a, K(3)), low, f_mul(f, product, middle));
}

static Value *log_gamma_far(const Formula *f, Value *a, Value *log_a)
{
    const double constant = -0.08106146679532725822; /* (log(2 pi) - 1)/2 - 1/2 */
    Value *y = f_sub(f, f_div(f, K(128), f_mul(f, a, a)), K(1));
    Value *rest = f_add(f, f_div(f, f_series(f, SERIES_binet, y), a), K(constant + 0.5));

    return f_fma(f, f_sub(f, a, K(0.5)), f_sub(f, log_a, K(1)), rest);
}

/* Of a >= 0; infinite for 0 and infinity. */
static Value *log_gamma(const Formula *f, Value *a)
{
    Value *log_a = f_log(f, a);

    return f_select(f, f_lt(f, a, K(8)), log_gamma_near(f, a, log_a), log_gamma_far(f, a, log_a));
}

/* A negative number that is not close to 0, where the reflection would overflow and is not needed,
 * nor so large that it is whole, where there is a pole. */
Value *libdevice_lgamma(const Formula *f, const Recipe *r, Value *const *v)
{
    Value *x = f_cast(f, v[0], DT_FP64), *a = f_abs(f, x);
    Value *value = log_gamma(f, a);
    Value *wave = f_mul(f, a, f_abs(f, f_sinpi(f, a)));
    Value *reflected = f_sub(f, f_log(f, f_div(f, K(PI), wave)), value);

    (void)r;
    reflected = f_select(f, f_lt(f, a, K(0x1p52)), reflected, K(__builtin_inf()));
    value = f_select(f, f_lt(f, x, K(-0x1p-70)), reflected, value);
    return f_cast(f, value, v[0]->type->dtype);
}

/* --- tgamma --- */

/* For a < 3: 1 over gamma(a) without its factor a, where a is below 1. */
static Value *inverse_gamma(const Formula *f, Value *a, Value *below_1)
{
    return f_series(f, SERIES_gamma_low, shifted(f, a, below_1));
}

/* Stirling's formula for a >= 3, in factors none of which overflows before gamma does. */
typedef struct {
    Value *root;  /* a^(a/2 - 1/4) */
    Value *decay; /* e^-a */
    Value *rest;
} Stirling;

static Stirling stirling(const Formula *f, Value *a)
{
    Value *y = f_sub(f, f_div(f, K(6), a), K(1));
    Value *rest = f_mul(f, f_series(f, SERIES_stirling, y), K(2.50662827463100050242));

    return (Stirling){f_pow(f, a, f_fma(f, a, K(0.5), K(-0.25))), f_exp(f, f_neg(f, a)), rest};
}

static Value *gamma_above_0(const Formula *f, Value *a, Value *below_1, Value *inverse, Stirling s)
{
    Value *low = f_div(f, K(1), f_select(f, below_1, f_mul(f, inverse, a), inverse));
    Value *high = f_mul(f, f_mul(f, f_mul(f, s.root, s.decay), s.rest), s.root);

    return f_select(f, f_lt(f, a, K(3)), low, high);
}

/* Gamma of -a; the wave is sin(pi a). */
static Value *gamma_below_0(const Formula *f, Value *a, Value *wave, Value *below_1, Value *inverse,
                            Stirling s)
{
    Value *top = f_div(f, K(-PI), wave), *by_a = f_div(f, top, a);
    Value *low = f_mul(f, f_select(f, below_1, top, by_a), inverse);
    Value *high = f_div(f, f_div(f, by_a, s.rest), s.root);

    high = f_div(f, f_div(f, high, s.decay), s.root);
    return f_select(f, f_lt(f, a, K(3)), low, high);
}

Value *libdevice_tgamma(const Formula *f, const Recipe *r, Value *const *v)
{
    Value *x = f_cast(f, v[0], DT_FP64), *zero = f_eq(f, x, K(0));
    Value *whole = f_eq(f, f_floor(f, x), x);
    Value *a = f_minnan(f, f_abs(f, x), K(200)); /* infinite, or 0, from there on */
    Value *below_1 = f_lt(f, a, K(1));
    Value *inverse = inverse_gamma(f, a, below_1);
    Stirling s = stirling(f, a);
    Value *above = gamma_above_0(f, a, below_1, inverse, s);
    Value *below = gamma_below_0(f, a, f_sinpi(f, f_abs(f, x)), below_1, inverse, s);

    (void)r;
    below = f_select(f, whole, K(__builtin_nan("")), below);
    above = f_select(f, f_lt(f, x, K(0)), below, above);
    above = f_select(f, zero, f_copysign(f, K(__builtin_inf()), x), above);
    return f_cast(f, above, v[0]->type->dtype);
}
