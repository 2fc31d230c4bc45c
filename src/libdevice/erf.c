/*
 * erf.c - libdevice's relatives of the error function (semantics R304)
 *
 *   erfcx(x) = e^(x^2) erfc(x)    below 1 so, with what x^2 loses; above by a series in 1/(x + 2)
 *   erfinv(x)     |x| <= 1/2: x S(x^2); else by the tail of 1 - |x|, which is exact
 *   erfcinv(z)    near 1: erfinv(1 - z), exact as well; else by the tail of z or 2 - z
 *   the tail of q, 0 < q < 1/2: with s = sqrt(-log q), s S(s), a function close to s itself
 *   normcdf(x) = erfc(-x/sqrt 2)/2, normcdfinv(p) = -sqrt 2 erfcinv(2p)
 *
 * All are computed in fp64.
 */
#include "formula.h"

static Value *erfcx(const Formula *f, Value *x)
{
    Value *low = f_maxnan(f, x, K(-27)); /* where it is infinite */
    Value *square = f_mul(f, low, low);
    Value *lost = f_fma(f, low, low, f_neg(f, square));
    Value *near = f_mul(f, f_mul(f, f_exp(f, square), f_erfc(f, low)), f_add(f, lost, K(1)));
    Value *inverse = f_div(f, K(1), f_add(f, x, K(2)));
    Value *far = f_series(f, SERIES_erfcx_far, f_fma(f, inverse, K(6), K(-1)));

    return f_select(f, f_lt(f, x, K(1)), near, f_mul(f, far, inverse));
}

Value *libdevice_erfcx(const Formula *f, const Recipe *r, Value *const *v)
{
    (void)r;
    return f_cast(f, erfcx(f, f_cast(f, v[0], DT_FP64)), v[0]->type->dtype);
}

/* --- inverses --- */

/* erfinv for |x| <= 1/2 */
static Value *inverse_near(const Formula *f, Value *x)
{
    Value *y = f_fma(f, f_mul(f, x, K(8)), x, K(-1));

    return f_mul(f, x, f_series(f, SERIES_erfinv_near, y));
}

/* Of the three numbers that lead to the argument of the two series, that of the right one. */
static Value *tail_term(const Formula *f, Value *middle, int i)
{
    return f_select(f, middle, K(series_term(SERIES_erfcinv_middle_y, i)),
                    K(series_term(SERIES_erfcinv_far_y, i)));
}

/* erfcinv for q < 1/2; infinite for 0, NaN below */
static Value *inverse_tail(const Formula *f, Value *q)
{
    Value *s = f_sqrt(f, f_neg(f, f_log(f, q)));
    Value *middle = f_lt(f, s, K(2.5));
    Value *inverse = f_div(f, K(1), f_add(f, s, tail_term(f, middle, 0)));
    Value *y = f_fma(f, inverse, tail_term(f, middle, 1), tail_term(f, middle, 2));

    return f_mul(f, s,
                 f_select(f, middle, f_series(f, SERIES_erfcinv_middle, y),
                          f_series(f, SERIES_erfcinv_far, y)));
}

static Value *erfcinv(const Formula *f, Value *z)
{
    Value *x = f_sub(f, K(1), z);
    Value *above = f_gt(f, z, K(1));
    Value *tail = inverse_tail(f, f_select(f, above, f_sub(f, K(2), z), z));

    tail = f_select(f, above, f_neg(f, tail), tail);
    return f_select(f, f_le(f, f_abs(f, x), K(0.5)), inverse_near(f, x), tail);
}

Value *libdevice_erfinv(const Formula *f, const Recipe *r, Value *const *v)
{
    Value *x = f_cast(f, v[0], DT_FP64), *a = f_abs(f, x);
    Value *tail = f_copysign(f, inverse_tail(f, f_sub(f, K(1), a)), x);

    (void)r;
    tail = f_select(f, f_le(f, a, K(0.5)), inverse_near(f, x), tail);
    return f_cast(f, tail, v[0]->type->dtype);
}

Value *libdevice_erfcinv(const Formula *f, const Recipe *r, Value *const *v)
{
    (void)r;
    return f_cast(f, erfcinv(f, f_cast(f, v[0], DT_FP64)), v[0]->type->dtype);
}

/* --- of the normal distribution --- */

/* erfc'(t) = -2/sqrt(pi) e^(-t^2) makes up for what the product t = -x/sqrt 2 lost. */
Value *libdevice_normcdf(const Formula *f, const Recipe *r, Value *const *v)
{
    const double root = 0x1.6a09e667f3bcdp-1, root_low = -0x1.bdd3413b26456p-55; /* sqrt(1/2) */
    Value *x = f_minnan(f, f_maxnan(f, f_cast(f, v[0], DT_FP64), K(-40)), K(40));
    Value *t = f_mul(f, x, K(-root));
    Value *lost = f_fma(f, x, K(-root), f_neg(f, t));
    Value *share = f_div(f, K(-1.12837916709551257390), erfcx(f, t)); /* erfc'(t)/erfc(t) */

    (void)r;
    lost = f_fma(f, x, K(-root_low), lost);
    share = f_fma(f, lost, share, K(1));
    x = f_mul(f, f_mul(f, f_erfc(f, t), K(0.5)), share);
    return f_cast(f, x, v[0]->type->dtype);
}

Value *libdevice_normcdfinv(const Formula *f, const Recipe *r, Value *const *v)
{
    Value *p = f_cast(f, v[0], DT_FP64);
    Value *x = f_mul(f, erfcinv(f, f_add(f, p, p)), K(-1.41421356237309504880));

    (void)r;
    return f_cast(f, x, v[0]->type->dtype);
}
