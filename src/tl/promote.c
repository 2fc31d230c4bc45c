/*
 * promote.c - which dtype an operator computes in (semantics R40 to R46)
 *
 * Takes operands as Vals and gives run-time values of one dtype; shapes are operators.c's work.
 */
#include "tl.h"

#include <math.h>

/* --- literals --- */

static int kind_rank(DType t)
{
    return dtype_is_float(t) ? 2 : t == DT_I1 ? 0 : 1;
}

static int const_rank(const Const *c)
{
    return c->kind == CONST_FLOAT ? 2 : c->kind == CONST_BOOL ? 0 : 1;
}

/* The bounds of an integer dtype. */
static __int128 int_min(DType t)
{
    return dtype_is_unsigned(t) ? 0 : -((__int128)1 << (dtype_bits(t) - 1));
}

static __int128 int_max(DType t)
{
    return ((__int128)1 << (dtype_bits(t) - !dtype_is_unsigned(t))) - 1;
}

static bool int_fits(__int128 v, DType t)
{
    return v >= int_min(t) && v <= int_max(t);
}

/* R40: fp32 unless its range would lose the value. */
static DType float_literal_dtype(double d)
{
    double m = fabs(d);
    bool fp32 = m == 0 || isinf(d) || isnan(d) || (m >= 0x1p-126 && m <= 0x1.fffffep127);
    return fp32 ? DT_FP32 : DT_FP64;
}

bool literal_dtype(Lower *l, const Const *c, Span span, DType *out)
{
    static const DType ints[] = {DT_I32, DT_U32, DT_I64, DT_U64};

    if (c->kind == CONST_BOOL) {
        *out = DT_I1;
        return true;
    }
    if (c->kind == CONST_FLOAT) {
        *out = l->wide_floats ? DT_FP64 : float_literal_dtype(c->real);
        return true;
    }
    if (c->kind != CONST_INT) {
        error_at(l, span, E_NOT_A_TENSOR, const_text(c, l->arena));
        if (c->kind == CONST_STRING)
            hint_at(l, H_ANNOTATE_CONSTEXPR);
        if (c->kind == CONST_NONE)
            hint_at(l, H_NO_VALUE);
        return false;
    }
    for (int i = 0; i < COUNT(ints); i++) {
        *out = ints[i];
        if (int_fits(c->integer, ints[i]))
            return true;
    }
    error_at(l, span, E_NONREPRESENTABLE, const_text(c, l->arena));
    hint_at(l, H_NONREPRESENTABLE);
    return false;
}

/* R42: an integer that takes the type of the other operand must be one of its values. */
static bool check_adopted(Lower *l, const Const *c, DType t, Span span)
{
    if (c->kind != CONST_INT || dtype_is_float(t))
        return true;
    if (int_fits(c->integer, t))
        return true;
    if (c->integer < 0 && dtype_is_unsigned(t))
        error_at(l, span, E_UNSIGNED_NEGATIVE, dtype_triton_name(t), const_text(c, l->arena));
    else
        error_at(l, span, E_OUT_OF_RANGE, const_text(c, l->arena), dtype_triton_name(t));
    hint_at(l, H_OUT_OF_RANGE);
    return false;
}

/* R41 */
static bool literal_adopt(Lower *l, const Const *c, DType t, bool division, Span span, DType *out)
{
    if (!const_is_number(c) || const_rank(c) > kind_rank(t))
        return literal_dtype(l, c, span, out);
    if (!check_adopted(l, c, t, span))
        return false;
    *out = division && dtype_is_float(t) && dtype_bits(t) < 32 ? DT_FP32 : t; /* R44 */
    return true;
}

static Value *literal_number(Lower *l, const Const *c, DType t)
{
    const Type *type = type_scalar(l->module, t);

    if (dtype_is_float(t))
        return build_float(&l->b, type, const_to_double(c));
    if (c->kind == CONST_FLOAT && t != DT_I1) /* toward zero; saturates, NaN gives 0 (R81) */
        return build_const(&l->b, type, isnan(c->real) ? 0 : scalar_from_double(t, trunc(c->real)));
    if (c->kind == CONST_FLOAT)
        return build_int(&l->b, type, c->real != 0);
    return build_int(&l->b, type, t == DT_I1 ? c->integer != 0 : (int64_t)c->integer);
}

/* Of a literal that is known to have a type. */
static Value *literal_value(Lower *l, const Const *c, DType t)
{
    Value *v = literal_number(l, c, t);

    value_name_number(v, c->symbol);
    return v;
}

Value *literal_cast(Lower *l, const Const *c, DType t, Span span)
{
    DType own;

    return dtype_is_float(t) || literal_dtype(l, c, span, &own) ? literal_value(l, c, t) : NULL;
}

Value *val_to_run(Lower *l, Val v, Span span)
{
    DType t;

    switch (v.kind) {
    case VAL_RUN:
        if (!val_is_handle(v))
            return v.run;
        error_at(l, span, E_BLOCK_PTR_VALUE);
        return NULL;
    case VAL_UNKNOWN:
        return NULL;
    case VAL_CONST:
        return literal_dtype(l, v.c, span, &t) ? literal_value(l, v.c, t) : NULL;
    default:
        error_at(l, span, E_NOT_A_TENSOR, val_text(l, v));
        if (v.kind == VAL_TYPE)
            hint_at(l, H_DTYPE_VALUE);
        const char *given = v.kind == VAL_TUPLE ? note_parameter(l, v) : NULL;
        if (given)
            hint_at(l, H_GIVE_ONE, given);
        else if (v.kind == VAL_TUPLE)
            hint_at(l, H_TUPLE_VALUE);
        else if (val_is_object(v))
            hint_at(l, H_OBJECT_VALUE);
        return NULL;
    }
}

/* --- two run-time operands --- */

static bool promote_floats(DType a, DType b, bool division, DType *out)
{
    bool bf16 = a == DT_BF16 || b == DT_BF16;
    bool fp8_alone = (dtype_is_fp8(a) && dtype_is_int(b)) || (dtype_is_int(a) && dtype_is_fp8(b));

    if (a == DT_FP64 || b == DT_FP64)
        *out = DT_FP64;
    else if (a == DT_FP32 || b == DT_FP32 || (division && !fp8_alone))
        *out = DT_FP32;
    else if (a == DT_FP16 || b == DT_FP16)
        *out = DT_FP16;
    else if (bf16)
        *out = a == b ? DT_BF16 : DT_FP32;
    else if (!fp8_alone)
        *out = a == b ? a : DT_FP16;
    else
        return false; /* fp8 with an integer */
    return true;
}

/* bool counts as an unsigned integer of one bit (R43b). */
static bool promote_ints(DType a, DType b, bool division, DType *out)
{
    bool mixed = dtype_is_unsigned(a) != dtype_is_unsigned(b);
    DType u = dtype_is_unsigned(a) ? a : b, s = dtype_is_unsigned(a) ? b : a;

    if (mixed && division)
        return false;
    if (mixed)
        *out = dtype_bits(u) >= dtype_bits(s) ? u : s;
    else
        *out = dtype_bits(a) >= dtype_bits(b) ? a : b;
    return true;
}

bool promote_types(Lower *l, DType a, DType b, bool division, Span span, DType *out)
{
    if (dtype_is_float(a) || dtype_is_float(b)) {
        if (promote_floats(a, b, division, out))
            return true;
        error_at(l, span, E_FP8_WITH_INT, dtype_triton_name(a), dtype_triton_name(b));
        hint_at(l, H_CAST_FIRST);
        return false;
    }
    if (promote_ints(a, b, division, out))
        return true;
    error_at(l, span, E_SIGNEDNESS, dtype_triton_name(a), dtype_triton_name(b));
    hint_at(l, H_CAST_ONE);
    return false;
}

/* The dtype that a literal takes beside a run-time operand of dtype t. */
static bool literal_beside(Lower *l, PromoteRule rule, const Const *c, DType t, Span span,
                           DType *out)
{
    return rule.adopts ? literal_adopt(l, c, t, rule.division, span, out)
                       : literal_dtype(l, c, span, out);
}

/* A value is to be fp64 that a launch has made fp32: what is lost does not come back.  Once for
 * each parameter. */
static void warn_of_rounding(Lower *l, Val v, DType t, Span span)
{
    const AstParam *p =
        t == DT_FP64 && v.kind == VAL_RUN ? map_get(l->rounded, MAP_KEY(v.run)) : NULL;

    if (!p || l->quiet)
        return;
    map_put(l->rounded, MAP_KEY(v.run), NULL);
    warn_at(l, span, W_ROUNDED, p->name);
    hint_at(l, H_ROUNDED, p->name);
}

bool promote_pair(Lower *l, PromoteRule rule, Val x, Val y, Value **vx, Value **vy, Span span)
{
    DType tx, ty, t;

    if (val_is_handle(x) || val_is_handle(y)) {
        error_at(l, span, E_BLOCK_PTR_VALUE);
        return false;
    }
    if (x.kind == VAL_CONST && y.kind == VAL_CONST) {
        if (!literal_dtype(l, x.c, span, &tx) || !literal_dtype(l, y.c, span, &ty))
            return false;
    } else if (x.kind == VAL_CONST) {
        ty = y.run->type->dtype;
        if (!literal_beside(l, rule, x.c, ty, span, &tx))
            return false;
    } else {
        tx = x.run->type->dtype;
        ty = y.kind == VAL_CONST ? DT_I1 : y.run->type->dtype;
        if (y.kind == VAL_CONST && !literal_beside(l, rule, y.c, tx, span, &ty))
            return false;
    }
    if (!promote_types(l, tx, ty, rule.division, span, &t))
        return false;
    warn_of_rounding(l, x, t, span);
    warn_of_rounding(l, y, t, span);
    *vx = x.kind == VAL_CONST ? literal_value(l, x.c, t) : build_cast(&l->b, x.run, t, 0);
    *vy = y.kind == VAL_CONST ? literal_value(l, y.c, t) : build_cast(&l->b, y.run, t, 0);
    return true;
}
