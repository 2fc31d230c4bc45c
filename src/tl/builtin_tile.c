/*
 * builtin_tile.c - programs, making tiles, changing their shape and dtype (semantics R80 to R87,
 * R150 to R157, R303)
 */
#include "tl.h"

#include <string.h>

/* --- programs --- */

Val tile_program(Lower *l, const Args *a)
{
    const Type *i32 = type_scalar(l->module, DT_I32);
    int64_t axis;

    if (val_is_const(arg(a, ARG_axis), CONST_STRING))
        return fail_hint(l, arg_span(a, ARG_axis), H_PROGRAM_AXIS, E_WRONG_KIND, a->builtin->name,
                         "an int", val_text(l, arg(a, ARG_axis)));
    if (!arg_int(l, a, ARG_axis, &axis))
        return val_unknown();
    if (axis < 0 || axis > 2)
        return fail_hint(l, arg_span(a, ARG_axis), H_PROGRAM_AXIS, E_PROGRAM_AXIS, a->builtin->name,
                         (long long)axis);
    return val_run(
        build_op(&l->b, (OpCode)a->builtin->data, 0, NULL, 1, &axis, 1, &i32)->results[0]);
}

/* --- making tiles --- */

/* Where it begins, or ends. */
static bool arange_bound(Lower *l, const Args *a, ArgName name, int64_t *out)
{
    Val v = arg(a, name);

    if (v.kind != VAL_RUN)
        return arg_int(l, a, name, out);
    if (val_blamed(l, v))
        return false;
    error_at(l, arg_span(a, name), E_NOT_CONSTEXPR, a->builtin->name, val_text(l, v));
    if (!hint_not_constexpr(l, arg_node(a, name)))
        hint_at(l, arg(a, ARG_start).kind == VAL_RUN ? H_ARANGE : H_EXTENT);
    return false;
}

/* What `end - start` is called. */
static const Symbol *arange_extent(Lower *l, const Args *a)
{
    const Const *start = arg(a, ARG_start).c, *end = arg(a, ARG_end).c;
    Const extent;

    if (const_is_integral(start) && start->integer == 0)
        return end->symbol;
    return const_binary(l->arena, BIN_SUB, end, start, &extent) ? NULL : extent.symbol;
}

Val tile_arange(Lower *l, const Args *a)
{
    int64_t start, end;

    if (!arange_bound(l, a, ARG_start, &start) || !arange_bound(l, a, ARG_end, &end))
        return val_unknown();
    if (start < 0 || end > INT32_MAX) {
        error_at(l, a->span, E_ARANGE_RANGE);
        if (start < 0 && end > start)
            hint_at(l, H_ARANGE_BELOW, (long long)(end - start), (long long)-start);
        return val_unknown();
    }
    if (end <= start) {
        error_at(l, a->span, E_ARANGE_ORDER, (long long)start, (long long)end);
        if (!note_parameter(l, arg(a, ARG_end)))
            hint_at(l, H_ARANGE_ORDER);
        return val_unknown();
    }
    if (!ops_check_tile(l, 1, (int64_t[]){end - start}, a->span))
        return val_unknown();
    Value *v = build_arange(&l->b, (int32_t)start, (int32_t)end);
    const Symbol *extent = arange_extent(l, a);
    value_name_extents(l->module, v, &extent);
    return val_run(v);
}

/* A scalar, or a tile of one element, as a scalar. */
static Value *to_scalar(Lower *l, Value *v, Span span)
{
    if (v->type->rank == 0)
        return v;
    if (type_numel(v->type) == 1)
        return build_reshape(&l->b, v, 0, NULL);
    error_at(l, span, E_FULL_VALUE, val_type_text(l, v->type));
    hint_at(l, H_FULL_VALUE);
    return NULL;
}

static Value *fill_value(Lower *l, const Args *a, DType t)
{
    Value *v;

    if (val_is_number(arg(a, ARG_value))) {
        stored_warn_of_literal(l, arg(a, ARG_value).c, t, arg_span(a, ARG_value));
        return literal_cast(l, arg(a, ARG_value).c, t, arg_span(a, ARG_value));
    }
    v = arg_run(l, a, ARG_value);
    v = v ? to_scalar(l, v, arg_span(a, ARG_value)) : NULL;
    return v ? ops_cast(l, v, t, ROUND_NEAREST, arg_span(a, ARG_value)) : NULL;
}

static bool shape_argument(Lower *l, const Args *a, Type *out)
{
    int rank;

    *out = (Type){0};
    if (!arg_shape(l, a, ARG_shape, &rank, out->dims))
        return false;
    out->rank = (int8_t)rank;
    return true;
}

Val tile_full(Lower *l, const Args *a)
{
    const Type *element;
    Type shape;
    Value *v;

    bool known = shape_argument(l, a, &shape);
    if (!known && arg(a, ARG_value).kind == VAL_TUPLE)
        hint_at(l, H_FULL_ORDER);
    if (!arg_dtype(l, a, ARG_dtype, &element) || !known)
        return val_unknown();
    v = fill_value(l, a, element->dtype);
    if (!v)
        return val_unknown();
    v = build_splat(&l->b, v, &shape);
    arg_name_extents(l, a, ARG_shape, v);
    return val_run(v);
}

Val tile_zeros(Lower *l, const Args *a)
{
    const Type *element;
    Type shape;

    bool known = shape_argument(l, a, &shape);
    if (!arg_dtype(l, a, ARG_dtype, &element) || !known)
        return val_unknown();
    Value *v = build_const(&l->b, type_with_shape(l->module, element, &shape), 0);
    arg_name_extents(l, a, ARG_shape, v);
    return val_run(v);
}

Val tile_zeros_like(Lower *l, const Args *a)
{
    Value *v = arg_run(l, a, ARG_input);

    if (!v)
        return val_unknown();
    Value *zeros = build_const(&l->b, v->type, 0);
    value_shaped_like(l->module, zeros, v);
    return val_run(zeros);
}

Val tile_to_tensor(Lower *l, const Args *a)
{
    return val_run(arg_run(l, a, ARG_x));
}

/* --- dimensions of 1 --- */

static const char *axes_text(Lower *l, const int64_t *axes, int n, int rank)
{
    Text t = text_new(l->arena);

    for (int i = 0; i < n; i++)
        text_printf(&t, "%s%lld", i ? ", " : "",
                    (long long)(axes[i] < 0 ? axes[i] + rank : axes[i]));
    return t.s;
}

/* Axes of the result of expand_dims, sorted; false after an error. */
static bool new_axes(Lower *l, const Args *a, int rank, bool *is_new)
{
    int64_t axes[MAX_RANK];
    int n;

    if (!arg_ints(l, a, ARG_axis, MAX_RANK, axes, &n))
        return false;
    int out = rank + n;
    if (out > MAX_RANK) {
        error_at(l, a->span, E_RANK, MAX_RANK);
        return false;
    }
    memset(is_new, 0, MAX_RANK * sizeof *is_new);
    for (int i = 0; i < n; i++) {
        int64_t axis = axes[i] < 0 ? axes[i] + out : axes[i];
        if (axis < 0 || axis >= out) {
            error_at(l, arg_span(a, ARG_axis), E_AXIS, (long long)axes[i], out, out);
            return false;
        }
        if (is_new[axis]) {
            error_at(l, arg_span(a, ARG_axis), E_AXIS_TWICE, axes_text(l, axes, n, out));
            return false;
        }
        is_new[axis] = true;
    }
    return true;
}

Val tile_expand_dims(Lower *l, const Args *a)
{
    Value *v = arg_run(l, a, ARG_input);
    bool is_new[MAX_RANK];

    if (!v || !new_axes(l, a, v->type->rank, is_new))
        return val_unknown();
    for (int axis = 0; axis < MAX_RANK; axis++) {
        if (is_new[axis])
            v = build_expand(&l->b, v, axis);
    }
    return val_run(v);
}

Val tile_squeeze(Lower *l, const Args *a)
{
    Value *v = arg_run(l, a, ARG_input);
    int32_t dims[MAX_RANK];
    int axis, rank = 0;

    if (!v || !arg_axis(l, a, ARG_dim, v->type->rank, &axis))
        return val_unknown();
    if (v->type->dims[axis] != 1)
        return fail_val(l, arg_span(a, ARG_dim), E_SQUEEZE, axis, val_type_text(l, v->type));
    for (int i = 0; i < v->type->rank; i++) {
        if (i != axis)
            dims[rank++] = v->type->dims[i];
    }
    return val_run(build_reshape(&l->b, v, rank, dims));
}

/* --- shapes --- */

Val tile_broadcast_to(Lower *l, const Args *a)
{
    Value *v = arg_run(l, a, ARG_input);
    Type shape = {0};
    int rank;

    if (!v || !arg_shape(l, a, ARG_shape, &rank, shape.dims))
        return val_unknown();
    shape.rank = (int8_t)rank;
    const Type *from = v->type;
    if (from->rank != 0 && from->rank != rank) {
        error_at(l, a->span, E_BROADCAST_RANK, val_type_text(l, from), rank);
        hint_at(l, H_MORE_DIMENSIONS);
        return val_unknown();
    }
    for (int i = 0; i < from->rank; i++) {
        if (from->dims[i] == 1 || from->dims[i] == shape.dims[i])
            continue;
        error_at(l, a->span, E_BROADCAST_TO, shape.dims[i], from->dims[i], i);
        hint_at(l, H_BROADCAST_TO);
        return val_unknown();
    }
    v = ops_to_shape(l, v, &shape);
    arg_name_extents(l, a, ARG_shape, v);
    return val_run(v);
}

Val tile_broadcast(Lower *l, const Args *a)
{
    Value *x = arg_run(l, a, ARG_input), *y = arg_run(l, a, ARG_other);

    if (!x || !y || !ops_broadcast(l, &x, &y, a->span))
        return val_unknown();
    return val_pair(l, val_run(x), val_run(y));
}

Val tile_reshape(Lower *l, const Args *a)
{
    Value *v = arg_run(l, a, ARG_input);
    int32_t dims[MAX_RANK];
    int rank;
    int64_t n = 1;

    if (!v || !arg_shape(l, a, ARG_shape, &rank, dims))
        return val_unknown();
    for (int i = 0; i < rank; i++)
        n *= dims[i];
    if (n != type_numel(v->type)) {
        error_at(l, a->span, E_RESHAPE, val_type_text(l, v->type), (long long)type_numel(v->type),
                 (long long)n);
        hint_at(l, H_RESHAPE);
        return val_unknown();
    }
    v = build_reshape(&l->b, v, rank, dims);
    arg_name_extents(l, a, ARG_shape, v);
    return val_run(v);
}

Val tile_ravel(Lower *l, const Args *a)
{
    Value *v = arg_run(l, a, ARG_x);
    int32_t n = v ? (int32_t)type_numel(v->type) : 0;

    return v ? val_run(build_reshape(&l->b, v, 1, &n)) : val_unknown();
}

Val tile_item(Lower *l, const Args *a)
{
    Value *v = arg_run(l, a, ARG_input);

    return v ? val_run(to_scalar(l, v, a->span)) : val_unknown();
}

static bool is_permutation(const int64_t *dims, int n)
{
    unsigned used = 0;

    for (int i = 0; i < n; i++) {
        if (dims[i] >= 0 && dims[i] < n)
            used |= 1u << dims[i];
    }
    return used == (1u << n) - 1;
}

/* trans without dims swaps the last two. */
static int default_order(int rank, int64_t *dims)
{
    for (int i = 0; i < rank; i++)
        dims[i] = i < rank - 2 ? i : 2 * rank - 3 - i;
    return rank;
}

/* permute, and trans, whose row's data is 1. */
Val tile_permute(Lower *l, const Args *a)
{
    Value *v = arg_run(l, a, ARG_input);
    int64_t dims[MAX_RANK];
    int order[MAX_RANK], n;

    if (!v || !arg_ints(l, a, ARG_dims, MAX_RANK, dims, &n))
        return val_unknown();
    int rank = v->type->rank;
    if (a->builtin->data && n == 0) {
        if (rank < 2) {
            error_at(l, a->span, E_TRANS_RANK, val_type_text(l, v->type));
            hint_at(l, H_MORE_DIMENSIONS);
            return val_unknown();
        }
        n = default_order(rank, dims);
    }
    if (n != rank) {
        error_at(l, a->span, E_PERMUTE_LENGTH, n, val_type_text(l, v->type));
        if (rank < 2)
            hint_at(l, H_MORE_DIMENSIONS);
        return val_unknown();
    }
    if (!is_permutation(dims, n))
        return fail_val(l, a->span, E_PERMUTE, n - 1);
    for (int i = 0; i < n; i++)
        order[i] = (int)dims[i];
    return val_run(build_permute(&l->b, v, order));
}

/* --- dtype --- */

static bool is_narrowing(const Type *from, const Type *to)
{
    return !from->pointer && !to->pointer && dtype_is_float(from->dtype) &&
           dtype_is_float(to->dtype) && dtype_bits(from->dtype) > dtype_bits(to->dtype);
}

static bool rounding_argument(Lower *l, const Args *a, const Type *from, const Type *to,
                              Rounding *out)
{
    static const char *const names[] = {"rtne", "rtz"};
    static const int values[] = {ROUND_NEAREST, ROUND_TO_ZERO};
    int64_t r;

    *out = ROUND_NEAREST;
    if (!arg_given(a, ARG_fp_downcast_rounding))
        return true;
    if (!arg_choice(l, a, ARG_fp_downcast_rounding, names, values, COUNT(names), E_ROUNDING, &r))
        return false;
    if (!is_narrowing(from, to)) {
        error_at(l, arg_span(a, ARG_fp_downcast_rounding), E_ROUNDING_MISPLACED);
        return false;
    }
    *out = (Rounding)r;
    return true;
}

static Value *cast_with_type(Lower *l, OpCode code, Value *v, const Type *element, Rounding r)
{
    const Type *t = type_with_shape(l->module, element, v->type);
    int64_t attr = r;

    if (t == v->type)
        return v;
    return build_op(&l->b, code, 1, &v, code == OP_cast, &attr, 1, &t)->results[0];
}

static Value *bitcast_value(Lower *l, Value *v, const Type *to, Span span)
{
    int from_bits = dtype_bits(v->type->dtype), to_bits = dtype_bits(to->dtype);

    if (v->type->pointer || to->pointer)
        return cast_with_type(l, OP_cast, v, to, ROUND_NEAREST);
    if (from_bits == to_bits)
        return cast_with_type(l, OP_bitcast, v, to, 0);
    error_at(l, span, E_BITCAST, from_bits, to_bits);
    hint_at(l, H_BITCAST, from_bits);
    return NULL;
}

static bool may_become_pointer(const Type *from)
{
    return from->pointer || from->dtype == DT_I64 || from->dtype == DT_U64;
}

static Value *cast_value(Lower *l, const Args *a, Value *v, const Type *to)
{
    Rounding r;

    if (to->pointer && !may_become_pointer(v->type)) {
        error_at(l, a->span, E_CAST, val_type_text(l, v->type), val_type_text(l, to));
        hint_at(l, H_CAST_ELEMENT);
        return NULL;
    }
    if (to->pointer)
        return cast_with_type(l, OP_cast, v, to, ROUND_NEAREST);
    if (!rounding_argument(l, a, v->type, to, &r))
        return NULL;
    return ops_cast(l, v, to->dtype, r, a->span);
}

Val tile_cast(Lower *l, const Args *a)
{
    Value *v = arg_run(l, a, ARG_input);
    const Type *to;
    bool bitcast;

    if (!v || !arg_dtype(l, a, ARG_dtype, &to) || !arg_bool(l, a, ARG_bitcast, &bitcast))
        return val_unknown();
    if (type_element(l->module, v->type) == to)
        return val_run(v);
    return val_run(bitcast ? bitcast_value(l, v, to, a->span) : cast_value(l, a, v, to));
}
