/*
 * libdevice.c - libdevice functions by name (semantics R304, R305)
 *
 * Takes the rows of libdevice.h: most are one op, the others a composition of a few.  Arguments
 * are not promoted: floats must be fp32 or fp64 and agree; literals take the type beside them.
 */
#include "../tl/tl.h"
#include "bessel.h"

#include <string.h>

typedef enum {
    F1,
    F2,
    F3,
    FLOAT_INT,
    TEST,
    FINITE,
    SIGNBIT,
    RECIPROCAL,
    FDIM,
    SATURATE,
    NORMCDF,
    RHYPOT,
    BESSEL_J0,
    BESSEL_J1,
    BESSEL_Y0,
    BESSEL_Y1,
    BESSEL_I0,
    BESSEL_I1,
    ABS,
    I1,
    TO_I32,
    TO_I64,
    TO_FP32,
    AS_I32,
    AS_I64,
    AS_FP32,
    AS_FP64,
    NOT_YET
} How;

struct Libdevice {
    const char *name;
    How how;
    OpCode op;
};

static const Libdevice functions[] = {
#define LIBDEVICE(name, how, op) {name, how, op},
#include "libdevice.h"
};

const Libdevice *libdevice_find(const char *name)
{
    for (int i = 0; i < COUNT(functions); i++) {
        if (strcmp(functions[i].name, name) == 0)
            return &functions[i];
    }
    return NULL;
}

const char *libdevice_name(const Libdevice *d)
{
    return d->name;
}

/* --- arguments --- */

static int arity(How how)
{
    switch (how) {
    case F2:
    case FLOAT_INT:
    case FDIM:
    case RHYPOT:
        return 2;
    case F3:
        return 3;
    default:
        return 1;
    }
}

static bool is_wide_float(const Value *v)
{
    return !v->type->pointer && (v->type->dtype == DT_FP32 || v->type->dtype == DT_FP64);
}

static bool is_integer(const Value *v)
{
    return !v->type->pointer && dtype_is_int(v->type->dtype);
}

/* Which arguments are floats: all, but for functions of integers. */
static bool wants_float(How how, int i)
{
    if (how == I1 || how == ABS || how == TO_FP32 || how == AS_FP32 || how == AS_FP64)
        return false;
    return how != FLOAT_INT || i == 0;
}

/* The dtype that literals take: that of the first run-time float. */
static DType float_beside(const ArgList *args)
{
    for (int i = 0; i < args->n; i++) {
        Val v = args->at[i].v;
        if (v.kind == VAL_RUN && is_wide_float(v.run))
            return v.run->type->dtype;
    }
    return DT_FP32;
}

static Span type_place(const ArgList *args, int i)
{
    return args->at[i].node ? args->at[i].node->span : args->span;
}

static Value *libdevice_argument(Lower *l, const Libdevice *d, const ArgList *args, int i)
{
    Val v = args->at[i].v;
    bool floats = wants_float(d->how, i);
    Value *x;

    if (floats && val_is_number(v))
        return literal_cast(l, v.c, float_beside(args), type_place(args, i));
    x = val_to_run(l, v, type_place(args, i));
    if (x && d->op == OP_pow && i == 1 && is_integer(x)) /* pow(x, n) */
        return build_cast(&l->b, x, float_beside(args), ROUND_NEAREST);
    if (x && d->how == FLOAT_INT && i == 1 && is_integer(x))
        return build_cast(&l->b, x, DT_I32, ROUND_NEAREST);
    if (!x || !floats || is_wide_float(x))
        return x;
    error_at(l, type_place(args, i), E_MATH_DTYPE, d->name, val_type_text(l, x->type));
    if (!x->type->pointer)
        hint_at(l, H_MATH_DTYPE);
    return NULL;
}

/* All arguments, in one shape; floats of one dtype. */
static bool all_arguments(Lower *l, const Libdevice *d, const ArgList *args, Value **v)
{
    int n = arity(d->how);

    for (int i = 0; i < n; i++) {
        v[i] = libdevice_argument(l, d, args, i);
        if (!v[i])
            return false;
        if (!wants_float(d->how, i) || v[i]->type->dtype == v[0]->type->dtype)
            continue;
        error_at(l, args->span, E_LIBDEVICE_TYPES, d->name, val_type_text(l, v[0]->type),
                 val_type_text(l, v[i]->type));
        return false;
    }
    return ops_broadcast_all(l, v, n, args->span);
}

/* --- compositions --- */

static Value *same_value(Lower *l, const Value *like, double d)
{
    Value *s = build_float(&l->b, type_scalar(l->module, like->type->dtype), d);

    return build_splat(&l->b, s, like->type);
}

static Value *reciprocal(Lower *l, Value *x)
{
    return build_binary(&l->b, OP_div, same_value(l, x, 1), x);
}

static Value *build_fdim(Lower *l, Value *x, Value *y)
{
    Value *not_above = build_binary(&l->b, OP_le, x, y);

    return build_select(&l->b, not_above, same_value(l, x, 0), build_binary(&l->b, OP_sub, x, y));
}

static Value *build_saturate(Lower *l, Value *x)
{
    Value *low = build_binary(&l->b, OP_max, x, same_value(l, x, 0)); /* NaN gives 0 */

    return build_binary(&l->b, OP_min, low, same_value(l, x, 1));
}

/* 0.5 erfc(-x / sqrt 2) */
static Value *build_normcdf(Lower *l, Value *x)
{
    Value *scaled = build_binary(&l->b, OP_mul, x, same_value(l, x, -0.70710678118654752440));

    return build_binary(&l->b, OP_mul, build_unary(&l->b, OP_erfc, scaled), same_value(l, x, 0.5));
}

static Value *build_finite(Lower *l, Value *x)
{
    Value *inf = same_value(l, x, __builtin_inf());

    return build_binary(&l->b, OP_lt, build_unary(&l->b, OP_abs, x), inf);
}

/* The sign bit as int32. */
static Value *build_signbit(Lower *l, Value *x)
{
    bool wide = x->type->dtype == DT_FP64;
    Value *bits = build_bitcast(&l->b, x, wide ? DT_U64 : DT_U32);
    Value *amount = build_int(&l->b, type_scalar(l->module, bits->type->dtype), wide ? 63 : 31);
    Value *sign = build_binary(&l->b, OP_shr, bits, build_splat(&l->b, amount, bits->type));

    return build_cast(&l->b, sign, DT_I32, ROUND_NEAREST);
}

static Value *build_abs(Lower *l, Value *x)
{
    return dtype_is_unsigned(x->type->dtype) ? x : build_unary(&l->b, OP_abs, x);
}

static Value *rounded(Lower *l, OpCode op, Value *x, DType to)
{
    return build_cast(&l->b, build_unary(&l->b, op, x), to, ROUND_NEAREST);
}

static Value *reinterpreted(Lower *l, const ArgList *args, Value *x, DType to)
{
    int bits = x->type->pointer ? 64 : dtype_bits(x->type->dtype);

    if (!x->type->pointer && bits == dtype_bits(to))
        return build_bitcast(&l->b, x, to);
    error_at(l, args->span, E_BITCAST, bits, dtype_bits(to));
    return NULL;
}

static Value *build_function(Lower *l, const Libdevice *d, const ArgList *args, Value **v)
{
    switch (d->how) {
    case F1:
    case TEST:
        return build_unary(&l->b, d->op, v[0]);
    case F2:
    case FLOAT_INT:
        return build_binary(&l->b, d->op, v[0], v[1]);
    case F3:
        return build_op(&l->b, d->op, 3, v, 0, NULL, 0, NULL)->results[0];
    case FINITE:
        return build_finite(l, v[0]);
    case SIGNBIT:
        return build_signbit(l, v[0]);
    case RECIPROCAL:
        return reciprocal(l, d->op == OP_div ? v[0] : build_unary(&l->b, d->op, v[0]));
    case FDIM:
        return build_fdim(l, v[0], v[1]);
    case SATURATE:
        return build_saturate(l, v[0]);
    case NORMCDF:
        return build_normcdf(l, v[0]);
    case RHYPOT:
        return reciprocal(l, build_binary(&l->b, OP_hypot, v[0], v[1]));
    case BESSEL_J0:
        return build_bessel(l, 'J', 0, v[0]);
    case BESSEL_J1:
        return build_bessel(l, 'J', 1, v[0]);
    case BESSEL_Y0:
        return build_bessel(l, 'Y', 0, v[0]);
    case BESSEL_Y1:
        return build_bessel(l, 'Y', 1, v[0]);
    case BESSEL_I0:
        return build_bessel(l, 'I', 0, v[0]);
    case BESSEL_I1:
        return build_bessel(l, 'I', 1, v[0]);
    case ABS:
        return build_abs(l, v[0]);
    case I1:
        return build_cast(&l->b, build_unary(&l->b, d->op, v[0]), DT_I32, ROUND_NEAREST);
    case TO_I32:
        return rounded(l, d->op, v[0], DT_I32);
    case TO_I64:
        return rounded(l, d->op, v[0], DT_I64);
    case TO_FP32:
        return ops_cast(l, v[0], DT_FP32, ROUND_NEAREST, args->span);
    case AS_I32:
        return reinterpreted(l, args, v[0], DT_I32);
    case AS_I64:
        return reinterpreted(l, args, v[0], DT_I64);
    case AS_FP32:
        return reinterpreted(l, args, v[0], DT_FP32);
    case AS_FP64:
        return reinterpreted(l, args, v[0], DT_FP64);
    case NOT_YET:
        break;
    }
    return NULL;
}

/* Functions of integers check what they got. */
static bool check_integer(Lower *l, const Libdevice *d, const ArgList *args, Value *const *v)
{
    int i = d->how == FLOAT_INT ? 1 : 0;

    if ((d->how != I1 && d->how != FLOAT_INT) || is_integer(v[i]))
        return true;
    error_at(l, type_place(args, i), E_INTEGERS_ONLY, d->name, val_type_text(l, v[i]->type));
    return false;
}

Val call_libdevice(Lower *l, const Libdevice *d, const ArgList *args)
{
    int n = arity(d->how);
    Value *v[3];

    if (d->how == NOT_YET)
        return fail_val(l, args->span, E_LIBDEVICE_NOT_YET, d->name);
    if (args->n != n)
        return fail_val(l, args->span, args->n > n ? E_TOO_MANY : E_TOO_FEW, d->name, n, args->n);
    if (!all_arguments(l, d, args, v) || !check_integer(l, d, args, v))
        return val_unknown();
    return val_run(build_function(l, d, args, v));
}
