/*
 * bessel.c - Bessel functions of the first and second kind, and modified ones (semantics R304)
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
 * Other orders of J and Y, which may be known at run time only, come from these by recurrence.
 *
 * J and I take |x|; those of order 1 are odd.  Y is NaN below 0.  The error is one of some units in
 * the last place of the largest value nearby, as far out as sin and cos of fp64 hold, so that near
 * zeros of J and Y few digits are right.
 */
#include "formula.h"

/* scale x^2 - 1 */
static Value *square_argument(const Formula *f, Value *x, double scale)
{
    return f_fma(f, f_mul(f, x, K(scale)), x, K(-1));
}

static Value *is_infinity(const Formula *f, Value *x)
{
    return f_eq(f, x, K(__builtin_inf()));
}

static Value *far_wave(const Formula *f, Value *x, SeriesName p, SeriesName q, bool sum_first)
{
    Value *t = f_div(f, K(8), x);
    Value *y = square_argument(f, t, 2);
    Value *sine = f_sin(f, x), *cosine = f_cos(f, x);
    Value *sum = f_add(f, cosine, sine), *difference = f_sub(f, sine, cosine);
    Value *by_p = f_mul(f, f_series(f, p, y), sum_first ? sum : difference);
    Value *by_q = f_mul(f, f_mul(f, f_series(f, q, y), t), sum_first ? difference : sum);
    Value *wave = sum_first ? f_sub(f, by_p, by_q) : f_add(f, by_p, by_q);
    Value *root = f_sqrt(f, f_mul(f, x, K(3.14159265358979323846)));

    wave = f_div(f, wave, root);
    return f_select(f, is_infinity(f, x), K(0), wave);
}

/* `near` for x up to 8, else `far`, and for NaN. */
static Value *joined(const Formula *f, Value *x, Value *near, Value *far)
{
    return f_select(f, f_le(f, x, K(8)), near, far);
}

static Value *near_j(const Formula *f, Value *x, int order)
{
    Value *sum =
        f_series(f, order ? SERIES_j1_near : SERIES_j0_near, square_argument(f, x, 1.0 / 32));

    return order ? f_mul(f, x, sum) : sum;
}

static Value *bessel_j(const Formula *f, Value *x, int order)
{
    Value *far = order ? far_wave(f, x, SERIES_p1, SERIES_q1, false)
                       : far_wave(f, x, SERIES_p0, SERIES_q0, true);

    return joined(f, x, near_j(f, x, order), far);
}

static Value *bessel_y(const Formula *f, Value *x, int order)
{
    Value *sum =
        f_series(f, order ? SERIES_y1_near : SERIES_y0_near, square_argument(f, x, 1.0 / 32));
    Value *wave = f_mul(f, f_log(f, x), near_j(f, x, order));
    Value *zero = f_eq(f, x, K(0));
    Value *far = order ? far_wave(f, x, SERIES_p1, SERIES_q1, true)
                       : far_wave(f, x, SERIES_p0, SERIES_q0, false);

    if (order) {
        wave = f_sub(f, wave, f_div(f, K(1), x));
        sum = f_mul(f, x, sum);
        far = f_neg(f, far);
    }
    sum = f_fma(f, wave, K(0.63661977236758134308), sum);
    sum = f_select(f, zero, K(-__builtin_inf()), sum);
    return joined(f, x, sum, far);
}

static Value *bessel_i(const Formula *f, Value *x, int order)
{
    Value *y = f_fma(f, x, K(0.25), K(-1));
    Value *near = f_series(f, order ? SERIES_i1_near : SERIES_i0_near, y);
    Value *half = f_exp(f, f_mul(f, x, K(0.5))); /* exp(x) would be infinite first */
    Value *far;

    y = f_sub(f, f_div(f, K(16), x), K(1));
    far = f_series(f, order ? SERIES_i1_far : SERIES_i0_far, y);
    far = f_div(f, far, f_sqrt(f, x));
    if (order)
        near = f_mul(f, near, x);
    far = joined(f, x, near, far);
    far = f_mul(f, f_mul(f, far, half), half);
    return f_select(f, is_infinity(f, x), x, far);
}

/* --- by name --- */

/* J and I: of |x|; those of order 1 are odd. */
static Value *of_magnitude(const Formula *f, Value *given, int order,
                           Value *(*function)(const Formula *f, Value *x, int order))
{
    Value *x = f_cast(f, given, DT_FP64);
    Value *result = function(f, f_abs(f, x), order);

    if (order)
        result = f_mul(f, result, f_copysign(f, K(1), x));
    return f_cast(f, result, given->type->dtype);
}

Value *libdevice_bessel_j0(const Formula *f, const Recipe *r, Value *const *v)
{
    (void)r;
    return of_magnitude(f, v[0], 0, bessel_j);
}

Value *libdevice_bessel_j1(const Formula *f, const Recipe *r, Value *const *v)
{
    (void)r;
    return of_magnitude(f, v[0], 1, bessel_j);
}

Value *libdevice_bessel_i0(const Formula *f, const Recipe *r, Value *const *v)
{
    (void)r;
    return of_magnitude(f, v[0], 0, bessel_i);
}

Value *libdevice_bessel_i1(const Formula *f, const Recipe *r, Value *const *v)
{
    (void)r;
    return of_magnitude(f, v[0], 1, bessel_i);
}

Value *libdevice_bessel_y0(const Formula *f, const Recipe *r, Value *const *v)
{
    (void)r;
    return f_cast(f, bessel_y(f, f_cast(f, v[0], DT_FP64), 0), v[0]->type->dtype);
}

Value *libdevice_bessel_y1(const Formula *f, const Recipe *r, Value *const *v)
{
    (void)r;
    return f_cast(f, bessel_y(f, f_cast(f, v[0], DT_FP64), 1), v[0]->type->dtype);
}

/* --- of any order --- */

/* What the steps of the recurrences see, and the constants of their loop. */
typedef struct {
    Value *order;  /* |n|, i32 */
    Value *x;      /* |x| */
    Value *rounds; /* of the loop, in the shape; i32 */
} Orders;

static Value *count(const Formula *f, int64_t k)
{
    return f_int(f, DT_I32, k);
}

/* From orders k - 1 and k to k and k + 1, where k is still below the order asked for. */
static void step_up(const Formula *f, Value *i, Value **v, void *context)
{
    const Orders *o = context;
    Value *k = f_add(f, i, count(f, 1)), *factor = f_cast(f, f_add(f, k, k), DT_FP64);
    Value *next = f_sub(f, f_mul(f, f_div(f, factor, o->x), v[1]), v[0]);
    Value *goes_on = f_lt(f, k, o->order), *least = K(-__builtin_inf());

    next = f_select(f, f_eq(f, v[1], least), least, next); /* of Y, where it overflowed */
    v[0] = f_select(f, goes_on, v[1], v[0]);
    v[1] = f_select(f, goes_on, next, v[1]);
}

static Value *upwards(const Formula *f, Orders *o, Value *zeroth, Value *first)
{
    Value *v[2] = {zeroth, first};

    f_repeat(f, f_largest(f, o->order), step_up, v, 2, o);
    return f_select(f, f_eq(f, o->order, count(f, 0)), zeroth, v[1]);
}

/* J. C. P. Miller's algorithm: from orders k + 1 and k, which are only right beside each other, to
 * k and k - 1.  v: both, the sum of those of even orders, and the one asked for; all are scaled
 * when they grow large. */
static void step_down(const Formula *f, Value *i, Value **v, void *context)
{
    const Orders *o = context;
    Value *k = f_sub(f, o->rounds, i), *below = f_sub(f, k, count(f, 1));
    Value *factor = f_div(f, f_cast(f, f_add(f, k, k), DT_FP64), o->x);
    Value *next = f_sub(f, f_mul(f, factor, v[1]), v[0]);
    Value *large = f_gt(f, f_abs(f, next), K(1e100));
    Value *scale = f_select(f, large, K(1e-100), K(1));
    Value *even = f_eq(f, f_and(f, below, count(f, 1)), count(f, 0));

    v[0] = f_mul(f, v[1], scale);
    v[1] = f_mul(f, next, scale);
    v[2] = f_mul(f, v[2], scale);
    v[2] = f_add(f, v[2], f_select(f, even, v[1], K(0)));
    v[3] = f_select(f, f_eq(f, below, o->order), v[1], f_mul(f, v[3], scale));
}

/* For orders from x on.  J0 + 2 (J2 + J4 + ..) is 1. */
static Value *downwards(const Formula *f, Orders *o)
{
    Value *zero = K(0), *v[4] = {zero, K(1), zero, zero};
    Value *most = f_largest(f, o->order);
    Formula scalar = {f->l, most->type};
    Value *root = f_sqrt(
        &scalar, f_cast(&scalar, f_mul(&scalar, most, f_int(&scalar, DT_I32, 160)), DT_FP64));
    Value *start = f_add(&scalar, most, f_cast(&scalar, root, DT_I32));
    Value *two = f_int(&scalar, DT_I32, 2);

    start = f_add(&scalar, f_and(&scalar, start, f_int(&scalar, DT_I32, ~1)), two);
    o->rounds = build_splat(&f->l->b, start, f->shape);
    f_repeat(f, start, step_down, v, 4, o);
    return f_div(f, v[3], f_sub(f, f_add(f, v[2], v[2]), v[1]));
}

/* Below 1e-10 only orders 0 and 1 give more than 1e-20. */
static Value *near_zero(const Formula *f, const Orders *o, Value *x)
{
    Value *first = f_select(f, f_eq(f, o->order, count(f, 1)), f_mul(f, x, K(0.5)), K(0));

    return f_select(f, f_eq(f, o->order, count(f, 0)), K(1), first);
}

/* The order is odd, and the sign of J or Y so turns with that of n. */
static Value *turned(const Formula *f, Value *n, Value *turns, Value *value)
{
    Value *odd = f_ne(f, f_and(f, n, count(f, 1)), count(f, 0));

    return f_select(f, f_and(f, odd, turns), f_neg(f, value), value);
}

Value *libdevice_jn(const Formula *f, const Recipe *r, Value *const *v)
{
    Value *n = f_cast(f, v[0], DT_I32), *x = f_cast(f, v[1], DT_FP64), *a = f_abs(f, x);
    Orders o = {f_abs(f, n), f_maxnan(f, a, K(1e-10)), NULL};
    Value *first = bessel_j(f, a, 1);
    Value *up = upwards(f, &o, bessel_j(f, a, 0), first);
    Value *down = downwards(f, &o);
    Value *value = f_select(f, f_gt(f, a, f_cast(f, o.order, DT_FP64)), up, down);
    Value *turns = f_ne(f, f_lt(f, n, count(f, 0)), f_lt(f, x, K(0)));

    (void)r;
    value = f_select(f, f_lt(f, a, K(1e-10)), near_zero(f, &o, a), value);
    return f_cast(f, turned(f, n, turns, value), v[1]->type->dtype);
}

Value *libdevice_yn(const Formula *f, const Recipe *r, Value *const *v)
{
    Value *n = f_cast(f, v[0], DT_I32), *x = f_cast(f, v[1], DT_FP64);
    Orders o = {f_abs(f, n), x, NULL};
    Value *first = bessel_y(f, x, 1);
    Value *value = upwards(f, &o, bessel_y(f, x, 0), first);

    (void)r;
    value = turned(f, n, f_lt(f, n, count(f, 0)), value);
    return f_cast(f, value, v[1]->type->dtype);
}
