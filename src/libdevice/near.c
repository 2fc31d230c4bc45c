/*
 * near.c - libdevice's functions of floats that a few exact steps make (semantics R304)
 *
 * Differences, reciprocals, remainders, neighbours, exponents, norms, and sin and cos of multiples
 * of pi.  What is not exact in fp32 is computed in fp64.
 */
#include "formula.h"

static Value *wide(const Formula *f, Value *x)
{
    return f_cast(f, x, DT_FP64);
}

static Value *like_float(const Formula *f, const Value *x, double v)
{
    return f_number(f, x->type->dtype, v);
}

/* 1 over x itself, or over the op of the arguments. */
Value *libdevice_reciprocal(const Formula *f, const Recipe *r, Value *const *v)
{
    Value *x = r->op == OP_div ? v[0] : libdevice_op(f, r, v);

    return f_div(f, like_float(f, x, 1), x);
}

Value *libdevice_fdim(const Formula *f, const Recipe *r, Value *const *v)
{
    Value *not_above = f_le(f, v[0], v[1]);

    (void)r;
    return f_select(f, not_above, like_float(f, v[0], 0), f_sub(f, v[0], v[1]));
}

Value *libdevice_saturate(const Formula *f, const Recipe *r, Value *const *v)
{
    Value *low = f_max(f, v[0], like_float(f, v[0], 0)); /* NaN gives 0 */

    (void)r;
    return f_min(f, low, like_float(f, v[0], 1));
}

/* x - n y with n the integer nearest to x/y, even where two are.  With a the rest by 2y, of |x| and
 * |y|: a, less y where a is more than half of it, and once more.  All of these are exact: where 2y
 * overflows, a is |x|, and 2a > y is asked as a > y - a, a difference that is exact unless it is
 * plain which one is larger. */
Value *libdevice_remainder(const Formula *f, const Recipe *r, Value *const *v)
{
    Value *x = v[0], *y = f_abs(f, v[1]);
    Value *a = f_rem(f, f_abs(f, x), f_add(f, y, y));
    Value *once = f_select(f, f_gt(f, a, f_sub(f, y, a)), f_sub(f, a, y), a);
    Value *twice = f_and(f, f_gt(f, a, y), f_ge(f, once, f_sub(f, y, once)));
    Value *rest = f_select(f, twice, f_sub(f, once, y), once);

    (void)r;
    return f_mul(f, rest, f_copysign(f, like_float(f, x, 1), x));
}

/* The next number from x towards y; x where they are equal. */
Value *libdevice_nextafter(const Formula *f, const Recipe *r, Value *const *v)
{
    Value *x = v[0], *y = v[1], *zero = like_float(f, x, 0);
    DType t = x->type->dtype == DT_FP64 ? DT_U64 : DT_U32;
    Value *bits = f_bits(f, x, t), *one = f_int(f, t, 1);
    Value *away = f_eq(f, f_lt(f, x, y), f_gt(f, x, zero)); /* from zero */
    Value *next = f_select(f, away, f_add(f, bits, one), f_sub(f, bits, one));
    Value *least = f_copysign(f, f_bits(f, one, x->type->dtype), y);
    Value *result = f_select(f, f_eq(f, x, zero), least, f_bits(f, next, x->type->dtype));

    (void)r;
    result = f_select(f, f_eq(f, x, y), y, result);
    return f_select(f, f_or(f, f_ne(f, x, x), f_ne(f, y, y)), f_add(f, x, y), result);
}

/* --- exponents --- */

/* The exponent of a finite number but 0, as int32. */
static Value *exponent(const Formula *f, Value *x)
{
    Value *a = f_abs(f, wide(f, x));
    Value *subnormal = f_lt(f, a, K(0x1p-1022));
    Value *normal = f_select(f, subnormal, f_mul(f, a, K(0x1p54)), a);
    Value *bits = f_shr(f, f_bits(f, normal, DT_U64), f_int(f, DT_U64, 52));
    Value *bias = f_select(f, subnormal, f_int(f, DT_I32, 1023 + 54), f_int(f, DT_I32, 1023));

    return f_sub(f, f_cast(f, bits, DT_I32), bias);
}

static Value *is_infinite(const Formula *f, Value *x)
{
    return build_unary(&f->l->b, OP_isinf, x);
}

Value *libdevice_logb(const Formula *f, const Recipe *r, Value *const *v)
{
    Value *x = v[0], *e = f_cast(f, exponent(f, x), x->type->dtype);

    (void)r;
    e = f_select(f, f_eq(f, x, like_float(f, x, 0)), like_float(f, x, -__builtin_inf()), e);
    e = f_select(f, is_infinite(f, x), like_float(f, x, __builtin_inf()), e);
    return f_select(f, f_ne(f, x, x), x, e);
}

Value *libdevice_ilogb(const Formula *f, const Recipe *r, Value *const *v)
{
    Value *x = v[0], *none = f_or(f, f_eq(f, x, like_float(f, x, 0)), f_ne(f, x, x));
    Value *e = f_select(f, none, f_int(f, DT_I32, INT32_MIN), exponent(f, x));

    (void)r;
    return f_select(f, is_infinite(f, x), f_int(f, DT_I32, INT32_MAX), e);
}

/* --- norms --- */

/* A sum of squares as high + low, which is 0 where it was not asked for; `up` is what its root has
 * to be multiplied by. */
typedef struct {
    Value *high, *low;
    Value *up;
    Value *infinite; /* where an argument is */
} Squares;

/* Add x^2: its rounding error, and then that of the sum, which is exact because the low part of the
 * larger one is all that is lost. */
static void add_square(const Formula *f, Squares *s, Value *x)
{
    Value *square = f_mul(f, x, x), *error = f_fma(f, x, x, f_neg(f, square));
    Value *sum = f_add(f, s->high, square), *part = f_sub(f, sum, s->high);
    Value *lost = f_add(f, f_sub(f, s->high, f_sub(f, sum, part)), f_sub(f, square, part));

    s->low = f_add(f, s->low, f_add(f, error, lost));
    s->high = sum;
}

/* Scaled so that none of them overflows or is lost; `exact` to twice the digits of fp64. */
static Squares squares(const Formula *f, Value *const *v, int n, bool exact)
{
    Value *largest = K(0);
    Squares s = {largest, largest, NULL, NULL};

    for (int i = 0; i < n; i++) {
        Value *infinite = is_infinite(f, v[i]);
        largest = f_max(f, largest, f_abs(f, wide(f, v[i])));
        s.infinite = s.infinite ? f_or(f, s.infinite, infinite) : infinite;
    }
    Value *big = f_gt(f, largest, K(0x1p500)), *small = f_lt(f, largest, K(0x1p-400));
    Value *down = f_select(f, big, K(0x1p-600), f_select(f, small, K(0x1p600), K(1)));
    s.up = f_select(f, big, K(0x1p600), f_select(f, small, K(0x1p-600), K(1)));
    for (int i = 0; i < n; i++) {
        Value *x = f_mul(f, wide(f, v[i]), down);
        if (exact)
            add_square(f, &s, x);
        else
            s.high = f_fma(f, x, x, s.high);
    }
    return s;
}

/* Both functions are computed in fp64, for fp32 as they are.  For fp64 the root r of the high part,
 * or 1/r, is corrected by a step of Newton's method from what r^2 lacks of the whole sum, which fma
 * knows exactly: r + (high - r^2 + low)/(2r), and with y = 1/r, y + y (1 - (high + low) y^2)/2.
 * What is left is the rounding of these sums, and that of a subnormal result.  A sum of 0 has no
 * step. */
static bool in_fp64(Value *const *v)
{
    return v[0]->type->dtype == DT_FP64;
}

/* sqrt(x1^2 + x2^2 + ..).  Infinity beats NaN. */
Value *libdevice_norm(const Formula *f, const Recipe *r, Value *const *v)
{
    Squares s = squares(f, v, r->n, in_fp64(v));
    Value *root = f_sqrt(f, s.high);

    if (in_fp64(v)) {
        Value *rest = f_add(f, f_fma(f, f_neg(f, root), root, s.high), s.low);
        Value *twice = f_max(f, f_add(f, root, root), K(0x1p-1000));
        root = f_add(f, root, f_div(f, rest, twice));
    }
    root = f_select(f, s.infinite, K(__builtin_inf()), f_mul(f, root, s.up));
    return f_cast(f, root, v[0]->type->dtype);
}

/* 1/sqrt(x1^2 + x2^2 + ..). */
Value *libdevice_rnorm(const Formula *f, const Recipe *r, Value *const *v)
{
    Squares s = squares(f, v, r->n, in_fp64(v));
    Value *y = f_div(f, K(1), f_sqrt(f, s.high));

    if (in_fp64(v)) {
        Value *high = f_mul(f, s.high, y), *low = f_fma(f, s.high, y, f_neg(f, high));
        Value *lacks = f_fma(f, f_neg(f, high), y, K(1));
        lacks = f_sub(f, lacks, f_mul(f, f_fma(f, s.low, y, low), y));
        Value *step = f_mul(f, f_mul(f, y, K(0.5)), lacks);
        y = f_select(f, f_gt(f, s.high, K(0)), f_add(f, y, step), y);
    }
    /* the scale is its own inverse's: 1/up is a power of two, too */
    y = f_select(f, s.infinite, K(0), f_mul(f, y, f_div(f, K(1), s.up)));
    return f_cast(f, y, v[0]->type->dtype);
}

/* --- multiples of pi --- */

/* a = |x| without multiples of 2 is q/2 + r, |r| <= 1/4, all of it exact; then sin(pi r) and
 * cos(pi r) from their series, and by q one of them or its opposite.  Zeros are positive. */
static Value *wave_pi(const Formula *f, Value *x, bool sine)
{
    Value *a = f_abs(f, x);
    Value *rounds = f_floor(f, f_mul(f, a, K(0.5)));
    Value *turn = f_fma(f, rounds, K(-2), a);
    Value *q = f_rint(f, f_add(f, turn, turn)); /* 0 to 4 */
    Value *rest = f_fma(f, q, K(-0.5), turn);
    Value *y = f_fma(f, f_mul(f, rest, K(32)), rest, K(-1));
    Value *s = f_mul(f, rest, f_series(f, SERIES_sinpi, y)), *c = f_series(f, SERIES_cospi, y);
    Value *odd = f_eq(f, f_abs(f, f_sub(f, q, K(2))), K(1)); /* 1 or 3 */
    Value *opposite = f_eq(f, f_abs(f, f_sub(f, q, K(sine ? 2.5 : 1.5))), K(0.5));
    Value *value = f_select(f, odd, sine ? c : s, sine ? s : c);

    return f_add(f, f_select(f, opposite, f_neg(f, value), value), K(0));
}

Value *f_sinpi(const Formula *f, Value *x)
{
    return f_mul(f, wave_pi(f, x, true), f_copysign(f, K(1), x));
}

Value *libdevice_sinpi(const Formula *f, const Recipe *r, Value *const *v)
{
    (void)r;
    return f_cast(f, f_sinpi(f, wide(f, v[0])), v[0]->type->dtype);
}

Value *libdevice_cospi(const Formula *f, const Recipe *r, Value *const *v)
{
    (void)r;
    return f_cast(f, wave_pi(f, wide(f, v[0]), false), v[0]->type->dtype);
}
