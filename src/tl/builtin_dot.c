/*
 * builtin_dot.c - matrix products (semantics R260 to R265)
 */
#include "tl.h"

#include <string.h>

/* --- operands --- */

static bool dot_takes(DType t)
{
    return t == DT_I8 || t == DT_FP16 || t == DT_BF16 || t == DT_FP32 || t == DT_FP64 ||
           dtype_is_fp8(t);
}

static bool check_dtypes(Lower *l, const Args *a, const Value *x, const Value *y)
{
    DType tx = x->type->dtype, ty = y->type->dtype;
    bool both_fp8 = dtype_is_fp8(tx) && dtype_is_fp8(ty);

    if (tx == DT_U8 || ty == DT_U8) {
        error_at(l, a->span, E_DOT_UINT8);
        return false;
    }
    if (tx != ty && !both_fp8) {
        error_at(l, a->span, E_DOT_DTYPES, dtype_triton_name(tx), dtype_triton_name(ty));
        hint_at(l, H_CAST_ONE);
        return false;
    }
    if (dot_takes(tx) && !x->type->pointer && !y->type->pointer)
        return true;
    error_at(l, a->span, E_DOT_UNSUPPORTED, val_type_text(l, x->type));
    hint_at(l, H_DOT_UNSUPPORTED);
    return false;
}

/* The shape of the result; false after an error. */
static bool dot_shape(Lower *l, const Args *a, const Type *x, const Type *y, Type *out)
{
    int r = x->rank;

    if (r < 2 || y->rank != r) {
        error_at(l, a->span, E_DOT_RANK, val_type_text(l, x), val_type_text(l, y));
        hint_at(l, H_DOT_RANK);
        return false;
    }
    for (int i = 0; i < r - 2; i++) {
        if (x->dims[i] == y->dims[i])
            continue;
        error_at(l, a->span, E_DOT_BATCH, val_type_text(l, x), val_type_text(l, y));
        return false;
    }
    if (x->dims[r - 1] != y->dims[r - 2]) {
        error_at(l, a->span, E_DOT_INNER, val_type_text(l, x), val_type_text(l, y), x->dims[r - 1],
                 y->dims[r - 2]);
        if (x->dims[r - 1] == y->dims[r - 1])
            hint_at(l, H_DOT_INNER);
        return false;
    }
    *out = (Type){.rank = (int8_t)r};
    memcpy(out->dims, x->dims, sizeof x->dims);
    out->dims[r - 1] = y->dims[r - 1];
    int64_t dims[MAX_RANK];
    for (int i = 0; i < r; i++)
        dims[i] = out->dims[i];
    return ops_check_tile(l, r, dims, a->span);
}

/* --- options --- */

static bool precision_option(Lower *l, const Args *a, int64_t *out)
{
    const AttrInfo *precision = attr_info(ATTR_precision);

    *out = PRECISION_IEEE; /* the default here: same meaning everywhere */
    if (arg_given(a, ARG_input_precision) && arg_given(a, ARG_allow_tf32)) {
        error_at(l, arg_span(a, ARG_allow_tf32), E_DOT_TF32);
        return false;
    }
    if (arg_given(a, ARG_allow_tf32)) {
        bool allows = false;
        if (!arg_bool(l, a, ARG_allow_tf32, &allows))
            return false;
        *out = allows ? PRECISION_TF32 : PRECISION_IEEE;
    }
    if (!arg_given(a, ARG_input_precision))
        return true;
    return arg_choice(l, a, ARG_input_precision, precision->words, NULL, precision->nwords,
                      E_DOT_PRECISION, out);
}

/* R264: only a hint, but it must make sense.  None at all and one alone are the same. */
static bool imprecise_option(Lower *l, const Args *a, const Type *x, int64_t *out)
{
    int64_t n, k = x->dims[x->rank - 1];

    *out = 0;
    if (!arg_given(a, ARG_max_num_imprecise_acc))
        return true;
    if (!arg_int(l, a, ARG_max_num_imprecise_acc, &n))
        return false;
    if (!dtype_is_fp8(x->dtype))
        return true;
    *out = MAX(n, 1);
    if (n <= k)
        return true;
    error_at(l, arg_span(a, ARG_max_num_imprecise_acc), E_DOT_IMPRECISE, (long long)n,
             (long long)k);
    return false;
}

/* The dtype of the result (R262); false after an error. */
static bool result_dtype(Lower *l, const Args *a, DType x, DType *out)
{
    const Type *asked = NULL;
    bool half = x == DT_FP16 || dtype_is_fp8(x);
    bool half_acc = arg(a, ARG_acc).kind == VAL_RUN && arg(a, ARG_acc).run->type->dtype == DT_FP16;

    if (arg_given(a, ARG_out_dtype) && !arg_dtype(l, a, ARG_out_dtype, &asked))
        return false;
    *out = x == DT_I8 ? DT_I32 : x == DT_FP64 ? DT_FP64 : DT_FP32;
    if (half && asked)
        *out = asked->dtype;
    else if (half && half_acc)
        *out = DT_FP16;
    if (asked && asked->dtype == DT_BF16) {
        error_at(l, arg_span(a, ARG_out_dtype), E_DOT_BF16_OUT);
        return false;
    }
    if (half && asked && *out != DT_FP16 && *out != DT_FP32) {
        error_at(l, arg_span(a, ARG_out_dtype), E_DOT_OUT, dtype_triton_name(*out));
        return false;
    }
    return true;
}

/* The accumulator: the given one, or zeros. */
static Value *accumulator(Lower *l, const Args *a, DType t, const Type *shape)
{
    const Type *want = type_with_dtype(l->module, shape, t);
    Value *v;

    if (!arg_given(a, ARG_acc))
        return build_const(&l->b, want, 0);
    v = arg_run(l, a, ARG_acc);
    if (!v || v->type == want)
        return v;
    if (v->type->dtype != t || v->type->pointer)
        error_at(l, arg_span(a, ARG_acc), E_DOT_ACC_DTYPE, dtype_triton_name(t),
                 val_type_text(l, v->type));
    else
        error_at(l, arg_span(a, ARG_acc), E_DOT_ACC_SHAPE, val_type_text(l, v->type),
                 val_type_text(l, want));
    hint_at(l, H_DOT_ACC, dtype_long_name(t));
    return NULL;
}

/* fp8e4b15 has no matrix units anywhere (R261). */
static Value *widen_operand(Lower *l, Value *v, bool widen)
{
    return widen ? build_cast(&l->b, v, DT_FP16, ROUND_NEAREST) : v;
}

Val dot_of(Lower *l, const Args *a, Value *x, Value *y, DType result, const int64_t *attrs)
{
    Value *v[3] = {x, y};
    Type shape;

    if (!dot_shape(l, a, x->type, y->type, &shape))
        return val_unknown();
    v[2] = accumulator(l, a, result, &shape);
    if (!v[2])
        return val_unknown();
    return val_run(build_op(&l->b, OP_dot, 3, v, DOT_ATTRS, attrs, 1, &v[2]->type)->results[0]);
}

Val dot_product(Lower *l, const Args *a)
{
    Value *x = arg_run(l, a, ARG_input), *y = arg_run(l, a, ARG_other);
    int64_t attrs[DOT_ATTRS];
    Type shape;
    DType t;

    if (!x || !y || !check_dtypes(l, a, x, y) || !dot_shape(l, a, x->type, y->type, &shape) ||
        !precision_option(l, a, &attrs[0]) || !imprecise_option(l, a, x->type, &attrs[1]) ||
        !result_dtype(l, a, x->type->dtype, &t))
        return val_unknown();
    bool widen = x->type->dtype == DT_FP8E4B15 || y->type->dtype == DT_FP8E4B15;
    Value *right = widen_operand(l, y, widen);
    return dot_of(l, a, widen_operand(l, x, widen), right, t, attrs);
}
