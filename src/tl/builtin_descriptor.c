/*
 * builtin_descriptor.c - tensor descriptors (semantics R240 to R245)
 *
 * Loads and stores of one tile are ops; rows by their indices and atomics are accesses through
 * pointers, which are made of the descriptor's parts here.
 */
#include "tl.h"

#include <string.h>

enum { LEAST_BYTES = 16 };

/* --- tiles --- */

/* Strides as they are given, of which the last must be 1. */
static bool unit_stride(Lower *l, const Args *a, const Value *last)
{
    int64_t n;

    if (value_const_int(last, &n) && n == 1)
        return true;
    const Tuple *t = arg(a, ARG_strides).tuple;
    const Node *given = arg_node(a, ARG_strides);
    bool display =
        given && (given->kind == N_TUPLE || given->kind == N_LIST) && given->nitems == t->n;

    error_at(l, display ? given->items[t->n - 1]->span : arg_span(a, ARG_strides),
             E_DESCRIPTOR_STRIDE, val_text(l, t->items[t->n - 1]));
    hint_at(l, H_DESCRIPTOR_STRIDE);
    return false;
}

/* R240: of the last dimension of a tile. */
static bool wide_enough(Lower *l, const Args *a, const Type *t)
{
    int bytes = t->dims[t->rank - 1] * dtype_size(t->dtype);

    if (bytes >= LEAST_BYTES)
        return true;
    error_at(l, arg_span(a, ARG_block_shape), E_DESCRIPTOR_BYTES, LEAST_BYTES, bytes);
    return false;
}

Val descriptor_make(Lower *l, const Args *a)
{
    Type t = {.handle = HANDLE_DESCRIPTOR};
    Value *v[1 + 2 * MAX_RANK];
    int64_t padding;

    if (!block_parts(l, a, &t, v) || !unit_stride(l, a, v[2 * t.rank]) ||
        !block_padding(l, a, t.dtype, &padding))
        return val_unknown();
    t.padding = (int8_t)padding;
    if (!wide_enough(l, a, &t))
        return val_unknown();
    const Type *type = type_of(l->module, t);
    Op *op = build_op(&l->b, OP_make_descriptor, 1 + 2 * t.rank, v, 0, NULL, 1, &type);
    arg_name_extents(l, a, ARG_block_shape, op->results[0]);
    return val_run(op->results[0]);
}

static bool is_descriptor(Lower *l, const Args *a)
{
    if (val_is_handle(arg(a, ARG_desc)) && arg(a, ARG_desc).run->type->handle == HANDLE_DESCRIPTOR)
        return true;
    error_at(l, arg_span(a, ARG_desc), E_NOT_DESCRIPTOR, a->builtin->name,
             val_text(l, arg(a, ARG_desc)));
    return false;
}

Val descriptor_load(Lower *l, const Args *a)
{
    Value *v[1 + MAX_RANK] = {[BLOCK_HANDLE] = arg(a, ARG_desc).run};

    if (!is_descriptor(l, a) || !block_i64_parts(l, a, ARG_offsets, v[0]->type->rank, v + 1))
        return val_unknown();
    return val_run(
        build_op(&l->b, OP_load_block, 1 + v[0]->type->rank, v, 0, NULL, 0, NULL)->results[0]);
}

Val descriptor_store(Lower *l, const Args *a)
{
    Value *v[2 + MAX_RANK] = {[BLOCK_HANDLE] = arg(a, ARG_desc).run};

    if (!is_descriptor(l, a) || !block_i64_parts(l, a, ARG_offsets, v[0]->type->rank, v + 2))
        return val_unknown();
    if (v[0]->type->is_const)
        return fail_val(l, arg_span(a, ARG_desc), E_CONST_POINTER, val_text(l, arg(a, ARG_desc)));
    v[BLOCK_DATA] = block_data(l, a, ARG_value, arg(a, ARG_desc));
    if (!v[BLOCK_DATA])
        return val_unknown();
    build_op(&l->b, OP_store_block, 2 + v[0]->type->rank, v, 0, NULL, 0, NULL);
    return val_none(l);
}

/* --- through pointers --- */

/* Where an access goes: pointers, and which of them are inside of the array. */
typedef struct {
    Value *pointers, *inside;
} Reach;

static Value *handle_part(Lower *l, Value *handle, int64_t part, const Type *t)
{
    return build_op(&l->b, OP_handle_part, 1, &handle, 1, &part, 1, &t)->results[0];
}

/* at[d]: the coordinates along dimension d, i64, in a shape that can be broadcast to `shape`. */
static Reach reach_of(Lower *l, Value *desc, Value *const *at, const Type *shape)
{
    const Type *t = desc->type, *i64 = type_scalar(l->module, DT_I64);
    const Type *pointer = type_pointer(l->module, t->dtype, t->is_const);
    const Type *wide = type_with_dtype(l->module, shape, DT_I64);
    Reach r = {build_splat(&l->b, handle_part(l, desc, 2 * t->rank, pointer), shape), NULL};

    for (int d = 0; d < t->rank; d++) {
        Value *c = build_broadcast(&l->b, at[d], wide);
        Value *extent = build_splat(&l->b, handle_part(l, desc, d, i64), wide);
        Value *stride = build_splat(&l->b, handle_part(l, desc, t->rank + d, i64), wide);
        Value *low = build_binary(&l->b, OP_ge, c, build_const(&l->b, wide, 0));
        Value *in = build_binary(&l->b, OP_and, low, build_binary(&l->b, OP_lt, c, extent));

        r.pointers = build_addptr(&l->b, r.pointers, build_binary(&l->b, OP_mul, c, stride));
        r.inside = r.inside ? build_binary(&l->b, OP_and, r.inside, in) : in;
    }
    return r;
}

/* v[0], v[1]...: as an int64 tile along one dimension of `rank`. */
static Value *along(Lower *l, Value *v, int d, int rank)
{
    v = build_cast(&l->b, v, DT_I64, ROUND_NEAREST);
    for (int i = 0; i < rank; i++) {
        if (i != d)
            v = build_expand(&l->b, v, i);
    }
    return v;
}

static Value *counted(Lower *l, Value *offset, int n)
{
    Value *v = build_cast(&l->b, build_arange(&l->b, 0, n), DT_I64, ROUND_NEAREST);

    return build_binary(&l->b, OP_add, v, build_splat(&l->b, offset, v->type));
}

/* R243: rows of a descriptor whose tiles are one row; false after an error. */
static bool rows_of(Lower *l, const Args *a, Reach *out)
{
    Value *desc = arg(a, ARG_desc).run, *at[2], *rows, *first;
    const Type *t;

    if (!is_descriptor(l, a))
        return false;
    t = desc->type;
    if (t->rank != 2 || t->dims[0] != 1) {
        error_at(l, arg_span(a, ARG_desc), E_DESCRIPTOR_ROW, val_text(l, arg(a, ARG_desc)));
        return false;
    }
    rows = arg_run(l, a, ARG_x_offsets);
    first = rows ? arg_run(l, a, ARG_y_offset) : NULL;
    if (!first)
        return false;
    bool good = rows->type->rank == 1 && !rows->type->pointer && dtype_is_int(rows->type->dtype) &&
                first->type->rank == 0 && !first->type->pointer && dtype_is_int(first->type->dtype);
    if (!good) {
        error_at(l, a->span, E_DESCRIPTOR_ROWS, val_type_text(l, rows->type),
                 val_type_text(l, first->type));
        return false;
    }
    first = build_cast(&l->b, first, DT_I64, ROUND_NEAREST);
    at[0] = along(l, rows, 0, 2);
    at[1] = along(l, counted(l, first, t->dims[1]), 1, 2);
    Type shape = {.dtype = t->dtype, .rank = 2, .dims = {rows->type->dims[0], t->dims[1]}};
    *out = reach_of(l, desc, at, type_of(l->module, shape));
    return true;
}

Val descriptor_gather(Lower *l, const Args *a)
{
    Reach r;

    if (!rows_of(l, a, &r))
        return val_unknown();
    const Type *t = type_with_dtype(l->module, r.inside->type, r.pointers->type->dtype);
    bool nan = arg(a, ARG_desc).run->type->padding == PAD_NAN;
    Value *other =
        build_splat(&l->b,
                    nan ? build_float(&l->b, type_scalar(l->module, t->dtype), __builtin_nan(""))
                        : build_const(&l->b, type_scalar(l->module, t->dtype), 0),
                    t);
    return val_run(build_load(&l->b, r.pointers, r.inside, other)->results[0]);
}

/* The value in the element type, in the shape of the pointers; NULL after an error. */
static Value *data_for(Lower *l, const Args *a, const Value *pointers)
{
    Value *v = arg_run(l, a, ARG_value);

    if (v)
        stored_warn(l, v, pointers->type->dtype, arg_span(a, ARG_value));
    v = v ? ops_cast(l, v, pointers->type->dtype, ROUND_NEAREST, arg_span(a, ARG_value)) : NULL;
    if (!v || type_same_shape(v->type, pointers->type))
        return v;
    error_at(l, arg_span(a, ARG_value), E_BLOCK_PTR_SHAPE, val_type_text(l, v->type),
             val_text(l, arg(a, ARG_desc)));
    return NULL;
}

static bool may_store(Lower *l, const Args *a)
{
    if (!arg(a, ARG_desc).run->type->is_const)
        return true;
    error_at(l, arg_span(a, ARG_desc), E_CONST_POINTER, val_text(l, arg(a, ARG_desc)));
    return false;
}

Val descriptor_scatter(Lower *l, const Args *a)
{
    Value *v[3];
    Reach r;

    if (!rows_of(l, a, &r) || !may_store(l, a) || !(v[STORE_DATA] = data_for(l, a, r.pointers)))
        return val_unknown();
    v[STORE_PTR] = r.pointers;
    v[STORE_MASK] = r.inside;
    build_op(&l->b, OP_store, 3, v, 0, NULL, 0, NULL);
    return val_none(l);
}

/* Minima and maxima are of floats of 16 bits, too. */
static bool tile_atomic_takes(RmwKind kind, DType t)
{
    bool is_extreme = kind == RMW_MAX || kind == RMW_MIN;

    return atomic_takes(kind, t) || (is_extreme && (t == DT_FP16 || t == DT_BF16));
}

/* R244: no result, and nothing outside of the array. */
Val descriptor_atomic(Lower *l, const Args *a)
{
    Value *desc = arg(a, ARG_desc).run, *offsets[MAX_RANK], *at[MAX_RANK], *v[3];

    if (!is_descriptor(l, a) || !may_store(l, a) ||
        !block_i64_parts(l, a, ARG_offsets, desc->type->rank, offsets))
        return val_unknown();
    if (!tile_atomic_takes((RmwKind)a->builtin->data, desc->type->dtype))
        return fail_val(l, arg_span(a, ARG_desc), E_ATOMIC_TYPE, a->builtin->name,
                        dtype_triton_name(desc->type->dtype));
    const Type *t = desc->type;
    for (int d = 0; d < t->rank; d++)
        at[d] = along(l, counted(l, offsets[d], t->dims[d]), d, t->rank);
    Type shape = {.dtype = t->dtype, .rank = t->rank};
    memcpy(shape.dims, t->dims, sizeof shape.dims);
    Reach r = reach_of(l, desc, at, type_of(l->module, shape));
    v[RMW_PTR] = r.pointers;
    v[RMW_MASK] = r.inside;
    v[RMW_DATA] = data_for(l, a, r.pointers);
    if (!v[RMW_DATA])
        return val_unknown();
    Op *op = build_op(&l->b, OP_atomic_rmw, 3, v, 0, NULL, 0, NULL);
    attr_set(op, ATTR_rmw_kind, a->builtin->data);
    attr_set(op, ATTR_sem, SEM_RELAXED);
    attr_set(op, ATTR_scope, SCOPE_GPU);
    return val_none(l);
}
