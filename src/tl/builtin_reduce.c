/*
 * builtin_reduce.c - reductions and scans (semantics R250 to R254)
 *
 * The combine region of a reduce or scan works on scalars: (a1..an, b1..bn) yields n, where a is
 * the earlier element.
 */
#include "tl.h"
#include "../ir/analysis.h"

#include <string.h>

/* --- the ops --- */

/* Its region holds its arguments and nothing else yet. */
static Op *open_reduction(Lower *l, OpCode code, int n, Value *const *v, int axis, bool reverse)
{
    return code == OP_scan ? build_scan(&l->b, n, v, axis, reverse)
                           : build_reduce(&l->b, n, v, axis);
}

static Builder enter_region(Lower *l, const Op *op)
{
    Builder old = l->b;

    l->b.block = op->regions[0];
    l->b.before = NULL;
    return old;
}

static Value *combine_by(Lower *l, OpCode code, OpCode how, Value *v, int axis, bool reverse)
{
    Op *op = open_reduction(l, code, 1, &v, axis, reverse);
    Value *const *args = op->regions[0]->args;
    Builder old = enter_region(l, op);
    Value *r = build_binary(&l->b, how, args[0], args[1]);

    build_yield(&l->b, OP_yield, 1, &r);
    l->b = old;
    return op->results[0];
}

Value *reduce_values(Lower *l, OpCode code, Value *v, int axis)
{
    return combine_by(l, OP_reduce, code, v, axis, false);
}

/* --- operands --- */

/* What is reduced, along which axis, and how the result's dimensions come back. */
typedef struct {
    Value *v;
    int axis;
    bool keep;
    int rank; /* of the operand */
    bool all; /* axis None: everything, as one row */
} ReduceArgs;

/* A scan's; false after an error, as the next. */
static bool scan_args(Lower *l, const Args *a, Value *v, ReduceArgs *out)
{
    *out = (ReduceArgs){.v = v, .rank = v->type->rank, .all = !arg_given(a, ARG_axis)};
    if (out->all)
        return true;
    if (v->type->rank > 0)
        return arg_axis(l, a, ARG_axis, v->type->rank, &out->axis);
    error_at(l, arg_span(a, ARG_input), E_NEEDS_TILE, a->builtin->name, val_type_text(l, v->type));
    return false;
}

static bool reduce_args(Lower *l, const Args *a, Value *v, ReduceArgs *out)
{
    bool keep;

    if (!arg_bool(l, a, ARG_keep_dims, &keep) || !scan_args(l, a, v, out))
        return false;
    out->keep = keep;
    return true;
}

static Value *flat(Lower *l, Value *v)
{
    int32_t n = (int32_t)type_numel(v->type);

    return build_reshape(&l->b, v, 1, &n);
}

static Value *prepared(Lower *l, const ReduceArgs *r, Value *v)
{
    return r->all && v->type->rank != 1 ? flat(l, v) : v;
}

static Val finished(Lower *l, const ReduceArgs *r, Value *v)
{
    int n = r->all ? r->rank : 1;

    for (int i = 0; r->keep && i < n; i++)
        v = build_expand(&l->b, v, r->all ? 0 : r->axis);
    return val_run(v);
}

static Value *tile_operand(Lower *l, const Args *a)
{
    Value *v = arg_run(l, a, ARG_input);

    if (v && v->type->pointer) {
        error_at(l, arg_span(a, ARG_input), E_NEEDS_TILE, a->builtin->name,
                 val_type_text(l, v->type));
        return NULL;
    }
    return v;
}

/* --- which dtype accumulates (R251) --- */

static DType sum_dtype(DType t)
{
    if (!dtype_is_int(t) || dtype_bits(t) >= 32)
        return t;
    return dtype_is_unsigned(t) ? DT_U32 : DT_I32;
}

DType extremum_dtype(DType t)
{
    if (dtype_is_float(t))
        return dtype_is_small_float(t) ? DT_FP32 : t;
    return dtype_bits(t) < 32 ? DT_I32 : t;
}

static DType widened(DType t)
{
    return t == DT_BF16 ? DT_FP32 : t;
}

/* The operand in its accumulation type, or in the one asked for by `dtype`. */
static Value *to_accumulator(Lower *l, const Args *a, Value *v, DType t)
{
    const Type *asked;

    if (!arg_given(a, ARG_dtype))
        return ops_cast(l, v, t, ROUND_NEAREST, a->span);
    if (!arg_dtype(l, a, ARG_dtype, &asked))
        return NULL;
    return ops_cast(l, v, asked->dtype, ROUND_NEAREST, arg_span(a, ARG_dtype));
}

/* --- sum, max, min, xor_sum, reduce_or --- */

static Val reduce_by(Lower *l, const ReduceArgs *r, OpCode code)
{
    return finished(l, r, reduce_values(l, code, prepared(l, r, r->v), r->axis));
}

Val reduce_sum(Lower *l, const Args *a)
{
    Value *given = tile_operand(l, a), *v = given;
    ReduceArgs r;

    v = v ? to_accumulator(l, a, v, sum_dtype(v->type->dtype)) : NULL;
    if (!v || !reduce_args(l, a, v, &r))
        return val_unknown();
    unread_warn(l, a, ARG_input, OP_add, given, r.all ? -1 : r.axis);
    return reduce_by(l, &r, OP_add);
}

Val reduce_bits(Lower *l, const Args *a)
{
    Value *v = tile_operand(l, a);
    ReduceArgs r;

    if (!v || !reduce_args(l, a, v, &r))
        return val_unknown();
    if (!dtype_is_int(v->type->dtype))
        return fail_val(l, arg_span(a, ARG_input), E_INTEGERS_ONLY, a->builtin->name,
                        val_type_text(l, v->type));
    return reduce_by(l, &r, (OpCode)a->builtin->data);
}

/* --- argmax, argmin --- */

Value *indices_along(Lower *l, const Value *v, int axis)
{
    Value *i = build_arange(&l->b, 0, v->type->dims[axis]);

    for (int d = 0; d < v->type->rank; d++) {
        if (d != axis)
            i = build_expand(&l->b, i, d);
    }
    return ops_to_shape(l, i, v->type);
}

/* Does the left (value, index) win?  Greater (or less), or equal with the lower index; NaN loses
 * against numbers (R252). */
static Value *left_wins(Lower *l, OpCode code, Value *const *args)
{
    Value *x = args[0], *i = args[1], *y = args[2], *j = args[3];
    Value *wins = build_binary(&l->b, code == OP_max ? OP_gt : OP_lt, x, y);
    Value *first = build_binary(&l->b, OP_lt, i, j);
    Value *tie = build_binary(&l->b, OP_eq, x, y);

    wins = build_binary(&l->b, OP_or, wins, build_binary(&l->b, OP_and, tie, first));
    if (!dtype_is_float(x->type->dtype))
        return wins;
    Value *number = build_unary(&l->b, OP_not, build_unary(&l->b, OP_isnan, x));
    Value *takes = build_binary(&l->b, OP_or, number, first);
    Value *y_nan = build_unary(&l->b, OP_isnan, y);
    return build_binary(&l->b, OP_or, wins, build_binary(&l->b, OP_and, y_nan, takes));
}

/* (value, index) of the extremum. */
static Op *reduce_indexed(Lower *l, OpCode code, Value *v, int axis)
{
    Value *both[2] = {v, indices_along(l, v, axis)}, *r[2];
    Op *op = open_reduction(l, OP_reduce, 2, both, axis, false);
    Value *const *args = op->regions[0]->args;
    Builder old = enter_region(l, op);
    Value *left = left_wins(l, code, args);

    r[0] = build_select(&l->b, left, args[0], args[2]);
    r[1] = build_select(&l->b, left, args[1], args[3]);
    build_yield(&l->b, OP_yield, 2, r);
    l->b = old;
    return op;
}

static bool indexed_args(Lower *l, const Args *a, ReduceArgs *out)
{
    Value *v = tile_operand(l, a);

    v = v ? build_cast(&l->b, v, widened(v->type->dtype), ROUND_NEAREST) : NULL;
    if (!v || !reduce_args(l, a, v, out))
        return false;
    if (!out->all)
        return true;
    error_at(l, a->span, E_AXIS_NONE, a->builtin->name);
    return false;
}

static Val extremum_with_index(Lower *l, const Args *a, bool index_alone)
{
    ReduceArgs r;

    if (!indexed_args(l, a, &r))
        return val_unknown();
    unread_warn(l, a, ARG_input, (OpCode)a->builtin->data, r.v, r.axis);
    Op *op = reduce_indexed(l, (OpCode)a->builtin->data, r.v, r.axis);
    if (index_alone)
        return finished(l, &r, op->results[1]);
    Val index = finished(l, &r, op->results[1]);
    return val_pair(l, finished(l, &r, op->results[0]), index);
}

Val reduce_arg(Lower *l, const Args *a)
{
    return extremum_with_index(l, a, true);
}

/* tl.max(x, y) and tl.max(x, 0.0), of two. */
static bool takes_two(Lower *l, const Args *a)
{
    Val axis = arg(a, ARG_axis);
    bool largest = strncmp(a->builtin->name, "max", 3) == 0;
    bool tile =
        axis.kind == VAL_RUN && (axis.run->type->rank > 0 || dtype_is_float(axis.run->type->dtype));

    if (!tile && !val_is_const(axis, CONST_FLOAT))
        return false;
    error_at(l, arg_span(a, ARG_axis), E_EXTREMUM_AXIS, a->builtin->name, val_text(l, axis));
    hint_at(l, H_EXTREMUM_AXIS, largest ? "larger" : "smaller", largest ? "max" : "min");
    return true;
}

Val reduce_extremum(Lower *l, const Args *a)
{
    Value *v, *given;
    bool indices;
    ReduceArgs r;

    if (takes_two(l, a) || !arg_bool(l, a, ARG_return_indices, &indices))
        return val_unknown();
    if (indices)
        return extremum_with_index(l, a, false);
    given = v = tile_operand(l, a);
    v = v ? ops_cast(l, v, extremum_dtype(v->type->dtype), ROUND_NEAREST, a->span) : NULL;
    if (!v || !reduce_args(l, a, v, &r))
        return val_unknown();
    unread_warn(l, a, ARG_input, (OpCode)a->builtin->data, given, r.all ? -1 : r.axis);
    return reduce_by(l, &r, (OpCode)a->builtin->data);
}

/* --- own combine functions (R253, R254) --- */

/* One tile or a tuple of at most MAX_COMBINED, all of one shape; false after an error. */
static bool tile_operands(Lower *l, const Args *a, Values *out)
{
    Val v = arg(a, ARG_input);
    int n = v.kind == VAL_TUPLE ? v.tuple->n : 1;

    if (n > MAX_COMBINED) {
        error_at(l, arg_span(a, ARG_input), E_COMBINE_MANY, MAX_COMBINED, n);
        return false;
    }
    for (int i = 0; i < n; i++) {
        Value *x =
            val_to_run(l, v.kind == VAL_TUPLE ? v.tuple->items[i] : v, arg_span(a, ARG_input));
        if (!x)
            return false;
        vec_push(l->arena, out, x);
        if (type_same_shape(x->type, out->at[0]->type))
            continue;
        error_at(l, arg_span(a, ARG_input), E_REDUCE_SHAPES, val_type_text(l, out->at[0]->type),
                 val_type_text(l, x->type));
        return false;
    }
    if (n > 0)
        return true;
    error_at(l, arg_span(a, ARG_input), E_NEEDS_TILE, a->builtin->name, "()");
    return false;
}

/* What the function gave must be n scalars of the operands' types. */
static bool check_combined(Lower *l, const Args *a, Val r, const Values *v, Values *out)
{
    Val given = r;
    int n = r.kind == VAL_TUPLE ? r.tuple->n : 1;

    if (n != v->len) {
        error_at(l, arg_span(a, ARG_combine_fn), E_COMBINE_COUNT, v->len, val_text(l, given));
        return false;
    }
    for (int i = 0; i < n; i++) {
        Val item = r.kind == VAL_TUPLE ? r.tuple->items[i] : r;
        const Type *want = type_element(l->module, v->at[i]->type);
        Value *x = val_is_number(item)
                       ? literal_cast(l, item.c, want->dtype, arg_span(a, ARG_combine_fn))
                       : val_to_run(l, item, arg_span(a, ARG_combine_fn));
        if (!x)
            return false;
        vec_push(l->arena, out, x);
        if (x->type == want)
            continue;
        error_at(l, arg_span(a, ARG_combine_fn), E_COMBINE_TYPE, val_type_text(l, x->type),
                 val_type_text(l, want));
        return false;
    }
    return true;
}

static bool fill_region(Lower *l, const Args *a, Op *op, const Values *v)
{
    const Block *region = op->regions[0];
    Builder old = enter_region(l, op);
    bool finds_overflow = l->finds_overflow;
    ArgList list = {NEW_N(l->arena, Arg, region->nargs + 1), region->nargs, a->span};
    Values out = {0};
    Val r;

    l->finds_overflow = false; /* what combines elements says nothing */
    for (int i = 0; i < region->nargs; i++)
        list.at[i].v = val_run(region->args[i]);
    r = call_value(l, arg(a, ARG_combine_fn), &list, arg_span(a, ARG_combine_fn));
    bool good = r.kind != VAL_UNKNOWN && check_combined(l, a, r, v, &out);
    for (const Op *inner = region->first; good && inner; inner = inner->next)
        good = !inner->callee || combine_works_on_elements(l, inner->callee);
    l->finds_overflow = finds_overflow;
    if (good)
        build_yield(&l->b, OP_yield, out.len, out.at);
    l->b = old;
    return good;
}

static void warn_of_combined(Lower *l, const Args *a, const ReduceArgs *r, const Op *op)
{
    OpCode code = ir_combine_code(op);

    if (op->noperands == 1 &&
        (code == OP_add || code == OP_mul || code == OP_max || code == OP_min))
        unread_warn(l, a, ARG_input, code, op->operands[0], r->axis);
}

static Val results_of(Lower *l, const Args *a, const ReduceArgs *r, const Op *op)
{
    Val items[MAX_COMBINED];

    if (arg(a, ARG_input).kind != VAL_TUPLE)
        return finished(l, r, op->results[0]);
    for (int i = 0; i < op->nresults; i++)
        items[i] = finished(l, r, op->results[i]);
    return val_tuple(l, op->nresults, items);
}

Val reduce_user(Lower *l, const Args *a)
{
    Values v = {0};
    ReduceArgs r;

    if (!tile_operands(l, a, &v) || !reduce_args(l, a, v.at[0], &r))
        return val_unknown();
    for (int i = 0; i < v.len; i++)
        v.at[i] = prepared(l, &r, v.at[i]);
    Op *op = open_reduction(l, OP_reduce, v.len, v.at, r.axis, false);
    if (!fill_region(l, a, op, &v))
        return val_unknown();
    warn_of_combined(l, a, &r, op);
    return results_of(l, a, &r, op);
}

Val scan_user(Lower *l, const Args *a)
{
    Values v = {0};
    bool reverse;
    ReduceArgs r;

    if (!tile_operands(l, a, &v) || !arg_bool(l, a, ARG_reverse, &reverse) ||
        !scan_args(l, a, v.at[0], &r))
        return val_unknown();
    if (r.all)
        return fail_val(l, a->span, E_AXIS_NONE, a->builtin->name);
    Op *op = open_reduction(l, OP_scan, v.len, v.at, r.axis, reverse);
    return fill_region(l, a, op, &v) ? results_of(l, a, &r, op) : val_unknown();
}

/* --- cumsum, cumprod --- */

Val scan_cumulative(Lower *l, const Args *a)
{
    OpCode code = (OpCode)a->builtin->data;
    Value *v = tile_operand(l, a);
    bool reverse;
    ReduceArgs r;

    if (!v || !arg_bool(l, a, ARG_reverse, &reverse))
        return val_unknown();
    DType t = widened(v->type->dtype);
    v = to_accumulator(l, a, v, code == OP_add ? sum_dtype(t) : t);
    if (!v || !scan_args(l, a, v, &r))
        return val_unknown();
    if (r.all)
        return fail_val(l, a->span, E_AXIS_NONE, a->builtin->name);
    return val_run(combine_by(l, OP_scan, code, v, r.axis, reverse));
}
