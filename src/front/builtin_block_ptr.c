/*
 * builtin_block_ptr.c - block pointers (semantics R230 to R232)
 *
 * A block pointer is a compile-time bundle of scalars; loads and stores through one build the tile
 * of pointers and the mask that it stands for:
 *     pointers = base + sum(offset_d * stride_d) + sum(arange_d * stride_d)
 *     mask     = for checked d: 0 <= offset_d + arange_d < shape_d
 */
#include "lower.h"

#include <string.h>

/* --- making --- */

/* n int64 scalars from a tuple of ints; false after an error. */
static bool i64_parts(Lower *l, const Args *a, int i, int n, Value **out)
{
    const Tuple *t = a->v[i].tuple;

    if (a->v[i].kind != VAL_TUPLE || t->n != n) {
        error_at(l, arg_span(a, i), E_SAME_LENGTH, a->builtin->name, val_text(l, a->v[i]), n);
        return false;
    }
    for (int d = 0; d < n; d++) {
        Val v = t->items[d];
        if (v.kind == VAL_CONST && const_is_integral(v.c)) {
            out[d] = literal_cast(l, v.c, DT_I64, arg_span(a, i));
            if (!out[d])
                return false;
            continue;
        }
        bool scalar = v.kind == VAL_RUN && !v.run->type->pointer && v.run->type->rank == 0 &&
                      dtype_is_int(v.run->type->dtype);
        if (!scalar) {
            error_at(l, arg_span(a, i), E_BLOCK_PTR_INT, val_text(l, v));
            return false;
        }
        out[d] = build_cast(&l->b, v.run, DT_I64, ROUND_NEAREST);
    }
    return true;
}

/* order is only checked: it has no effect on results. */
static bool check_order(Lower *l, const Args *a, int rank)
{
    int64_t order[MAX_RANK];
    unsigned used = 0;
    int n;

    if (!arg_ints(l, a, 5, MAX_RANK, order, &n))
        return false;
    for (int i = 0; i < n; i++)
        if (order[i] >= 0 && order[i] < rank)
            used |= 1u << order[i];
    if (n == rank && used == (1u << rank) - 1)
        return true;
    error_at(l, arg_span(a, 5), E_ORDER, rank - 1);
    return false;
}

Val block_ptr_make(Lower *l, const Args *a)
{
    BlockPtr *p = NEW(l->arena, BlockPtr);
    Val base = a->v[0];

    if (base.kind != VAL_RUN || !base.run->type->pointer || base.run->type->rank > 0)
        return fail_val(l, arg_span(a, 0), E_BLOCK_PTR_BASE, val_text(l, base));
    p->base = base.run;
    if (!arg_shape(l, a, 4, &p->rank, p->block) || !i64_parts(l, a, 1, p->rank, p->shape) ||
        !i64_parts(l, a, 2, p->rank, p->strides) || !i64_parts(l, a, 3, p->rank, p->offsets) ||
        !check_order(l, a, p->rank))
        return val_unknown();
    return (Val){.kind = VAL_BLOCK_PTR, .block_ptr = p};
}

Val block_ptr_advance(Lower *l, const Args *a)
{
    BlockPtr *p = NEW(l->arena, BlockPtr);
    Value *deltas[MAX_RANK];

    if (a->v[0].kind != VAL_BLOCK_PTR)
        return fail_val(l, arg_span(a, 0), E_NOT_BLOCK_PTR, val_text(l, a->v[0]));
    *p = *a->v[0].block_ptr;
    if (!i64_parts(l, a, 1, p->rank, deltas))
        return val_unknown();
    for (int d = 0; d < p->rank; d++) {
        int64_t zero;
        bool same = value_const_int(deltas[d], &zero) && zero == 0;
        if (!same)
            p->offsets[d] = build_binary(&l->b, OP_add, p->offsets[d], deltas[d]);
    }
    return (Val){.kind = VAL_BLOCK_PTR, .block_ptr = p};
}

/* --- what it stands for --- */

/* 0..block_d-1 as int64 along dimension d, 1 elsewhere. */
static Value *coordinate(Lower *l, const BlockPtr *p, int d)
{
    Value *v = build_arange(&l->b, 0, p->block[d]);

    v = build_cast(&l->b, v, DT_I64, ROUND_NEAREST);
    for (int i = 0; i < p->rank; i++)
        if (i != d)
            v = build_expand(&l->b, v, i);
    return v;
}

static Value *spread(Lower *l, OpCode code, Value *tile, Value *scalar)
{
    return build_binary(&l->b, code, tile, build_splat(&l->b, scalar, tile->type));
}

/* A whole tile of the block's shape, for its dimensions. */
static Type block_shape(const BlockPtr *p)
{
    Type t = {.rank = (int8_t)p->rank};

    memcpy(t.dims, p->block, sizeof p->block);
    return t;
}

static Value *pointers(Lower *l, const BlockPtr *p)
{
    Type shape = block_shape(p);
    Value *base = p->base, *tile;

    for (int d = 0; d < p->rank; d++) {
        Value *start = build_binary(&l->b, OP_mul, p->offsets[d], p->strides[d]);
        base = build_addptr(&l->b, base, start);
    }
    tile = build_splat(&l->b, base, &shape);
    for (int d = 0; d < p->rank; d++) {
        Value *step = spread(l, OP_mul, coordinate(l, p, d), p->strides[d]);
        tile = build_addptr(&l->b, tile, ops_to_shape(l, step, &shape));
    }
    return tile;
}

/* Which lanes of dimension d are inside; negative coordinates are out too (R231). */
static Value *inside(Lower *l, const BlockPtr *p, int d)
{
    Value *at = spread(l, OP_add, coordinate(l, p, d), p->offsets[d]);
    Value *zero = build_const(&l->b, at->type, 0);
    Value *low = build_binary(&l->b, OP_ge, at, zero);

    return build_binary(&l->b, OP_and, low, spread(l, OP_lt, at, p->shape[d]));
}

/* The mask of the checked dimensions, NULL where none is; false after an error. */
static bool boundary_mask(Lower *l, const Args *a, int i, const BlockPtr *p, Value **out)
{
    Type shape = block_shape(p);
    int64_t dims[MAX_RANK];
    unsigned used = 0;
    int n;

    *out = NULL;
    if (!arg_given(a, i))
        return true;
    if (!arg_ints(l, a, i, MAX_RANK, dims, &n))
        return false;
    for (int k = 0; k < n; k++) {
        bool valid = dims[k] >= 0 && dims[k] < p->rank;
        if (!valid || (used & 1u << dims[k])) {
            error_at(l, arg_span(a, i), valid ? E_BOUNDARY_TWICE : E_BOUNDARY_DIM,
                     (long long)dims[k]);
            return false;
        }
        used |= 1u << dims[k];
        Value *m = ops_to_shape(l, inside(l, p, (int)dims[k]), &shape);
        *out = *out ? build_binary(&l->b, OP_and, *out, m) : m;
    }
    return true;
}

/* --- load and store --- */

enum { PAD_UNDEFINED, PAD_ZERO, PAD_NAN };

static bool padding_argument(Lower *l, const Args *a, DType t, int64_t *out)
{
    static const char *const names[] = {"", "zero", "nan"};
    static const int values[] = {PAD_UNDEFINED, PAD_ZERO, PAD_NAN};

    if (!arg_choice(l, a, 4, names, values, COUNT(names), E_PADDING, out))
        return false;
    if (*out != PAD_NAN || dtype_is_float(t))
        return true;
    error_at(l, arg_span(a, 4), E_PADDING_NAN, dtype_triton_name(t));
    return false;
}

Val load_block_ptr(Lower *l, const Args *a)
{
    const BlockPtr *p = a->v[0].block_ptr;
    DType t = p->base->type->dtype;
    AccessHints hints;
    int64_t padding;
    Value *v[3];

    if (arg_given(a, 1) || arg_given(a, 2))
        return fail_val(l, arg_span(a, arg_given(a, 1) ? 1 : 2), E_BLOCK_PTR_MASK, "loading");
    if (!padding_argument(l, a, t, &padding) || !load_hints(l, a, &hints) ||
        !boundary_mask(l, a, 3, p, &v[LOAD_MASK]))
        return val_unknown();
    v[LOAD_PTR] = pointers(l, p);
    int n = v[LOAD_MASK] ? 2 : 1;
    if (v[LOAD_MASK] && padding == PAD_NAN) {
        const Const nan = const_float(__builtin_nan(""));
        v[LOAD_OTHER] = build_splat(&l->b, literal_cast(l, &nan, t, a->span), v[LOAD_PTR]->type);
        n = 3;
    }
    Op *load = build_op(&l->b, OP_load, n, v, 0, NULL, 0, NULL);
    access_hints_put(load, &hints);
    return val_run(load->results[0]);
}

Val store_block_ptr(Lower *l, const Args *a)
{
    const BlockPtr *p = a->v[0].block_ptr;
    Type shape = block_shape(p);
    DType t = p->base->type->dtype;
    AccessHints hints;
    Value *v[3];

    if (arg_given(a, 2))
        return fail_val(l, arg_span(a, 2), E_BLOCK_PTR_MASK, "storing");
    if (p->base->type->is_const)
        return fail_val(l, arg_span(a, 0), E_CONST_POINTER, val_text(l, a->v[0]));
    v[STORE_DATA] =
        val_is_number(a->v[1]) ? literal_cast(l, a->v[1].c, t, arg_span(a, 1)) : arg_run(l, a, 1);
    v[STORE_DATA] =
        v[STORE_DATA] ? ops_cast(l, v[STORE_DATA], t, ROUND_NEAREST, arg_span(a, 1)) : NULL;
    if (!v[STORE_DATA] || !store_hints(l, a, &hints) || !boundary_mask(l, a, 3, p, &v[STORE_MASK]))
        return val_unknown();
    if (v[STORE_DATA]->type->rank > 0 && !type_same_shape(v[STORE_DATA]->type, &shape))
        return fail_val(l, arg_span(a, 1), E_BLOCK_PTR_SHAPE, val_type_text(l, v[STORE_DATA]->type),
                        val_text(l, a->v[0]));
    v[STORE_PTR] = pointers(l, p);
    v[STORE_DATA] = ops_to_shape(l, v[STORE_DATA], &shape);
    int n = v[STORE_MASK] ? 3 : 2;
    access_hints_put(build_op(&l->b, OP_store, n, v, 0, NULL, 0, NULL), &hints);
    return val_none(l);
}
