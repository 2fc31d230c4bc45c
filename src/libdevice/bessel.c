/*
 * bessel.c - Bessel functions of orders 0 and 1 (semantics R304)
 *
 * All are computed in fp64, from Chebyshev series on both sides of 8:
 *
 *   J0(x)  near: S(y)            far: sqrt(1/(pi x)) (P (cos x + sin x) - Q (sin x - cos x))
 *   Y0(x)  near: 2/pi ln(x) J0(x) + S(y)
 *                                far: sqrt(1/(pi x)) (P (sin x - cos x) + Q (cos x + sin x))
 *   J1(x)  near: x S(y)          far: as Y0, with its own P and Q
 *   Y1(x)  near: 2/pi (ln(x) J1(x) - 1/x) + x S(y)
 *                                far: as J0, negated, with the P and Q of J1
 *   I0(x)  near: exp(x) S(y)     far: exp(x) S(y) / sqrt(x)
 *   I1(x)  near: exp(x) x S(y)   far: as I0
 *
 * J and I take |x|; those of order 1 are odd.  Y is NaN below 0.  The error is one of some units in
 * the last place of the largest value nearby, as far out as sin and cos of fp64 hold, so that near
 * zeros of J and Y few digits are right.
 */
#include "bessel.h"

typedef struct {
    const double *terms;
    int n;
} Series;

#define SERIES(name, ...) static const double name##_terms[] = {__VA_ARGS__};
#include "bessel_terms.h"
#define SERIES(name, ...) static const Series name = {name##_terms, COUNT(name##_terms)};
#include "bessel_terms.h"

static Value *bessel_number(Lower *l, const Value *like, double d)
{
    return build_splat(&l->b, build_float(&l->b, type_scalar(l->module, DT_FP64), d), like->type);
}

static Value *bessel_op(Lower *l, OpCode op, Value *x, Value *y)
{
    return build_binary(&l->b, op, x, y);
}

static Value *by_number(Lower *l, Value *x, double d)
{
    return bessel_op(l, OP_mul, x, bessel_number(l, x, d));
}

static Value *multiply_add(Lower *l, Value *x, Value *y, Value *z)
{
    Value *v[3] = {x, y, z};

    return build_op(&l->b, OP_fma, 3, v, 0, NULL, 0, NULL)->results[0];
}

/* The sum of the series at y, by Clenshaw's recurrence. */
static Value *series_sum(Lower *l, Series s, Value *y)
{
    Value *twice = by_number(l, y, 2);
    Value *above = bessel_number(l, y, 0);
    Value *sum = bessel_number(l, y, s.terms[s.n - 1]);

    for (int k = s.n - 2; k >= 0; k--) {
        Value *rest = bessel_op(l, OP_sub, bessel_number(l, y, s.terms[k]), above);

        above = sum;
        sum = multiply_add(l, k > 0 ? twice : y, above, rest);
    }
    return sum;
}

/* scale x^2 - 1 */
static Value *square_argument(Lower *l, Value *x, double scale)
{
    return multiply_add(l, by_number(l, x, scale), x, bessel_number(l, x, -1));
}

static Value *is_infinity(Lower *l, Value *x)
{
    return bessel_op(l, OP_eq, x, bessel_number(l, x, __builtin_inf()));
}

static Value *far_wave(Lower *l, Value *x, Series p, Series q, bool sum_first)
{
    Value *t = bessel_op(l, OP_div, bessel_number(l, x, 8), x);
    Value *y = square_argument(l, t, 2);
    Value *sine = build_unary(&l->b, OP_sin, x), *cosine = build_unary(&l->b, OP_cos, x);
    Value *sum = bessel_op(l, OP_add, cosine, sine),
          *difference = bessel_op(l, OP_sub, sine, cosine);
    Value *by_p = bessel_op(l, OP_mul, series_sum(l, p, y), sum_first ? sum : difference);
    Value *by_q = bessel_op(l, OP_mul, bessel_op(l, OP_mul, series_sum(l, q, y), t),
                            sum_first ? difference : sum);
    Value *wave = bessel_op(l, sum_first ? OP_sub : OP_add, by_p, by_q);
    Value *root = build_unary(&l->b, OP_sqrt, by_number(l, x, 3.14159265358979323846));

    wave = bessel_op(l, OP_div, wave, root);
    return build_select(&l->b, is_infinity(l, x), bessel_number(l, x, 0), wave);
}

/* `near` for x up to 8, else `far`, and for NaN. */
static Value *joined(Lower *l, Value *x, Value *near, Value *far)
{
    return build_select(&l->b, bessel_op(l, OP_le, x, bessel_number(l, x, 8)), near, far);
}

static Value *near_j(Lower *l, Value *x, int order)
{
    Value *sum = series_sum(l, order ? j1_near : j0_near, square_argument(l, x, 1.0 / 32));

    return order ? bessel_op(l, OP_mul, x, sum) : sum;
}

static Value *bessel_j(Lower *l, Value *x, int order)
{
    Value *far = order ? far_wave(l, x, p1, q1, false) : far_wave(l, x, p0, q0, true);

    return joined(l, x, near_j(l, x, order), far);
}

static Value *bessel_y(Lower *l, Value *x, int order)
{
    Value *sum = series_sum(l, order ? y1_near : y0_near, square_argument(l, x, 1.0 / 32));
    Value *wave = bessel_op(l, OP_mul, build_unary(&l->b, OP_log, x), near_j(l, x, order));
    Value *zero = bessel_op(l, OP_eq, x, bessel_number(l, x, 0));
    Value *far = order ? far_wave(l, x, p1, q1, true) : far_wave(l, x, p0, q0, false);

    if (order) {
        wave = bessel_op(l, OP_sub, wave, bessel_op(l, OP_div, bessel_number(l, x, 1), x));
        sum = bessel_op(l, OP_mul, x, sum);
        far = build_unary(&l->b, OP_neg, far);
    }
    sum = multiply_add(l, wave, bessel_number(l, x, 0.63661977236758134308), sum);
    sum = build_select(&l->b, zero, bessel_number(l, x, -__builtin_inf()), sum);
    return joined(l, x, sum, far);
}

static Value *bessel_i(Lower *l, Value *x, int order)
{
    Value *y = multiply_add(l, x, bessel_number(l, x, 0.25), bessel_number(l, x, -1));
    Value *near = series_sum(l, order ? i1_near : i0_near, y);
    Value *half =
        build_unary(&l->b, OP_exp, by_number(l, x, 0.5)); /* exp(x) would be infinite first */
    Value *far;

    y = bessel_op(l, OP_sub, bessel_op(l, OP_div, bessel_number(l, x, 16), x),
                  bessel_number(l, x, 1));
    far = series_sum(l, order ? i1_far : i0_far, y);
    far = bessel_op(l, OP_div, far, build_unary(&l->b, OP_sqrt, x));
    if (order)
        near = bessel_op(l, OP_mul, near, x);
    far = joined(l, x, near, far);
    far = bessel_op(l, OP_mul, bessel_op(l, OP_mul, far, half), half);
    return build_select(&l->b, is_infinity(l, x), x, far);
}

Value *build_bessel(Lower *l, char kind, int order, Value *x)
{
    Value *wide = build_cast(&l->b, x, DT_FP64, ROUND_NEAREST);
    Value *above = kind == 'Y' ? wide : build_unary(&l->b, OP_abs, wide), *result;

    if (kind == 'Y')
        result = bessel_y(l, above, order);
    else
        result = kind == 'J' ? bessel_j(l, above, order) : bessel_i(l, above, order);
    if (kind != 'Y' && order) {
        Value *sign = bessel_op(l, OP_copysign, bessel_number(l, wide, 1), wide);

        result = bessel_op(l, OP_mul, result, sign);
    }
    return build_cast(&l->b, result, x->type->dtype, ROUND_NEAREST);
}
