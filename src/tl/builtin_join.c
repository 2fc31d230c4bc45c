/*
 * builtin_join.c - tiles put together, taken apart and put in another order (semantics R158 to
 * R160, R255)
 *
 * gather, flip and histogram are ops.  The others say in which place each element is wanted: a tile
 * gets one more dimension, a comparison of indices marks one element along it, and a reduction by
 * `or` of the bits gives that one: one step an element.
 */
#include "tl.h"

#include <string.h>

/* --- one more dimension --- */

/* n copies of v along a new dimension at `axis`; NULL after an error. */
static Value *spread_along(Lower *l, Value *v, int axis, int64_t n, Span span)
{
    Type shape = *v->type;
    int64_t dims[MAX_RANK + 1];

    if (shape.rank == MAX_RANK) {
        error_at(l, span, E_RANK, MAX_RANK);
        return NULL;
    }
    for (int d = 0; d <= shape.rank; d++)
        dims[d] = d == axis ? n : shape.dims[d - (d > axis)];
    shape.rank++;
    if (!ops_check_tile(l, shape.rank, dims, span))
        return NULL;
    for (int d = 0; d < shape.rank; d++)
        shape.dims[d] = (int32_t)dims[d];
    return ops_to_shape(l, v->type->rank == 0 ? v : build_expand(&l->b, v, axis), &shape);
}

/* i1 in the shape of v: is the index along `axis` this one? */
static Value *index_is(Lower *l, const Value *v, int axis, int64_t i)
{
    Value *index = indices_along(l, v, axis);

    return build_binary(&l->b, OP_eq, index, build_int(&l->b, index->type, i));
}

static DType bits_dtype(DType t)
{
    if (!dtype_is_float(t))
        return t;
    return dtype_bits(t) == 8    ? DT_U8
           : dtype_bits(t) == 16 ? DT_U16
           : dtype_bits(t) == 32 ? DT_U32
                                 : DT_U64;
}

/* The element along `axis` where `chosen` holds, which is one at most; 0 where none is. */
static Value *chosen_element(Lower *l, Value *v, Value *chosen, int axis)
{
    DType t = v->type->dtype;
    Value *bits = build_bitcast(&l->b, v, bits_dtype(t));
    Value *zero = build_const(&l->b, bits->type, 0);

    bits = reduce_values(l, OP_or, build_select(&l->b, chosen, bits, zero), axis);
    return build_bitcast(&l->b, bits, t);
}

/* --- arguments --- */

/* A tile; NULL after an error. */
static Value *any_tile(Lower *l, const Args *a, ArgName name)
{
    Value *v = arg_run(l, a, name);

    if (!v || v->type->rank > 0)
        return v;
    error_at(l, arg_span(a, name), E_NEEDS_TILE, a->builtin->name, val_type_text(l, v->type));
    return NULL;
}

Value *arg_numbers(Lower *l, const Args *a, ArgName name)
{
    Value *v = any_tile(l, a, name);

    if (!v || !v->type->pointer)
        return v;
    error_at(l, arg_span(a, name), E_NEEDS_TILE, a->builtin->name, val_type_text(l, v->type));
    return NULL;
}

/* Two values of one dtype and shape; false after an error. */
static bool two_alike(Lower *l, const Args *a, Value **x, Value **y)
{
    *x = arg_run(l, a, ARG_a);
    *y = arg_run(l, a, ARG_b);
    if (!*x || !*y || !ops_broadcast(l, x, y, a->span))
        return false;
    if ((*x)->type == (*y)->type)
        return true;
    error_at(l, a->span, E_JOIN_TYPES, a->builtin->name, val_type_text(l, (*x)->type),
             val_type_text(l, (*y)->type));
    hint_at(l, H_CAST_ONE);
    return false;
}

/* --- together, and apart --- */

/* x, then y, along a new dimension of 2 at `axis`. */
static Value *stack(Lower *l, Value *x, Value *y, int axis, Span span)
{
    x = spread_along(l, x, axis, 2, span);
    y = x ? spread_along(l, y, axis, 2, span) : NULL;
    return y ? build_select(&l->b, index_is(l, x, axis, 0), x, y) : NULL;
}

Val tile_join(Lower *l, const Args *a)
{
    Value *x, *y, *both;

    if (!two_alike(l, a, &x, &y))
        return val_unknown();
    both = stack(l, x, y, x->type->rank, a->span);
    return both ? val_run(both) : val_unknown();
}

/* The extent at `axis` and the one behind it as one. */
static Value *merge_dims(Lower *l, Value *v, int axis)
{
    Type t = *v->type;

    t.dims[axis] *= t.dims[axis + 1];
    memmove(t.dims + axis + 1, t.dims + axis + 2, sizeof t.dims[0] * (size_t)(t.rank - axis - 2));
    return build_reshape(&l->b, v, t.rank - 1, t.dims);
}

Value *interleave_along(Lower *l, Value *x, Value *y, int axis, Span span)
{
    Value *both = stack(l, x, y, axis + 1, span);

    return both ? merge_dims(l, both, axis) : NULL;
}

Val tile_interleave(Lower *l, const Args *a)
{
    Value *x, *y, *both;

    if (!two_alike(l, a, &x, &y))
        return val_unknown();
    int rank = x->type->rank;
    both = stack(l, x, y, rank, a->span);
    if (!both)
        return val_unknown();
    return val_run(rank == 0 ? both : merge_dims(l, both, rank - 1));
}

Val tile_cat(Lower *l, const Args *a)
{
    Value *x = any_tile(l, a, ARG_input), *y = x ? any_tile(l, a, ARG_other) : NULL, *both;
    int axis;

    if (!y || !arg_axis(l, a, ARG_dim, x->type->rank, &axis))
        return val_unknown();
    if (x->type != y->type) {
        error_at(l, a->span, E_JOIN_TYPES, a->builtin->name, val_type_text(l, x->type),
                 val_type_text(l, y->type));
        hint_at(l, H_JOIN_TYPES);
        return val_unknown();
    }
    both = stack(l, x, y, axis, a->span);
    return both ? val_run(merge_dims(l, both, axis)) : val_unknown();
}

Val tile_split(Lower *l, const Args *a)
{
    Value *v = arg_numbers(l, a, ARG_a);
    int last = v ? v->type->rank - 1 : 0;
    Val half[2];

    if (!v)
        return val_unknown();
    if (v->type->dims[last] != 2) {
        error_at(l, a->span, E_SPLIT, val_type_text(l, v->type));
        hint_at(l, H_SPLIT);
        return val_unknown();
    }
    for (int i = 0; i < 2; i++)
        half[i] = val_run(chosen_element(l, v, index_is(l, v, last, i), last));
    return val_pair(l, half[0], half[1]);
}

/* --- elsewhere --- */

static bool gather_shapes_fit(const Type *source, const Type *index, int axis)
{
    bool fits = source->rank == index->rank;

    for (int d = 0; fits && d < source->rank; d++)
        fits = d == axis || source->dims[d] == index->dims[d];
    return fits;
}

Val tile_gather(Lower *l, const Args *a)
{
    Value *v = arg_numbers(l, a, ARG_src), *index = v ? arg_numbers(l, a, ARG_index) : NULL;
    int axis;

    if (!index || !arg_axis(l, a, ARG_axis, v->type->rank, &axis))
        return val_unknown();
    if (!dtype_is_int(index->type->dtype))
        return fail_val(l, arg_span(a, ARG_index), E_GATHER_INDEX, val_type_text(l, index->type));
    if (!gather_shapes_fit(v->type, index->type, axis))
        return fail_val(l, a->span, E_GATHER_SHAPE, val_type_text(l, index->type),
                        val_type_text(l, v->type), axis);
    return val_run(elements_at(l, v, index, axis));
}

Val tile_flip(Lower *l, const Args *a)
{
    Value *v = arg_numbers(l, a, ARG_x);
    int axis = v ? v->type->rank - 1 : 0;

    if (!v || (arg_given(a, ARG_dim) && !arg_axis(l, a, ARG_dim, v->type->rank, &axis)))
        return val_unknown();
    Value *index = indices_along(l, v, axis);
    Value *last = build_int(&l->b, index->type, v->type->dims[axis] - 1);
    return val_run(elements_at(l, v, build_binary(&l->b, OP_sub, last, index), axis));
}

/* --- counts --- */

/* The mask in the shape of `like`; NULL after an error. */
static Value *histogram_mask(Lower *l, const Args *a, const Value *like)
{
    Value *mask = arg_run(l, a, ARG_mask);

    if (!mask)
        return NULL;
    if (mask->type->dtype == DT_I1 && !mask->type->pointer &&
        (mask->type->rank == 0 || type_same_shape(mask->type, like->type)))
        return ops_to_shape(l, mask, like->type);
    error_at(l, arg_span(a, ARG_mask), E_MASK, val_type_text(l, mask->type));
    return NULL;
}

Val tile_histogram(Lower *l, const Args *a)
{
    Value *v = arg_numbers(l, a, ARG_input), *mask = NULL;
    int64_t bins;

    if (!v || !arg_int(l, a, ARG_num_bins, &bins))
        return val_unknown();
    if (v->type->rank != 1)
        return fail_val(l, arg_span(a, ARG_input), E_HISTOGRAM_RANK, val_type_text(l, v->type));
    if (!dtype_is_int(v->type->dtype))
        return fail_hint(l, arg_span(a, ARG_input), H_TO_INTEGERS, E_HISTOGRAM_INT,
                         val_type_text(l, v->type));
    if (arg_given(a, ARG_mask) && !(mask = histogram_mask(l, a, v)))
        return val_unknown();
    if (!ops_check_tile(l, 1, &bins, arg_span(a, ARG_num_bins)))
        return val_unknown();
    if (!mask)
        unread_warn_of_count(l, a, v, (int32_t)bins);
    Value *operands[] = {[HISTOGRAM_VALUES] = v, [HISTOGRAM_MASK] = mask};
    const Type *t = type_tile(l->module, DT_I32, 1, &(int32_t){(int32_t)bins});
    Op *op = build_op(&l->b, OP_histogram, mask ? 2 : 1, operands, 0, NULL, 1, &t);
    arg_name_extents(l, a, ARG_num_bins, op->results[0]);
    return val_run(op->results[0]);
}
