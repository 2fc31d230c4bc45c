/*
 * shapes.c - tiles brought to one shape (semantics R47, R150), and warnings where that is chance
 */
#include "tl.h"
#include "../ir/analysis.h"

bool ops_check_tile(Lower *l, int rank, const int64_t *dims, Span span)
{
    int64_t n = 1;

    if (rank > MAX_RANK) {
        error_at(l, span, E_RANK, MAX_RANK);
        return false;
    }
    for (int i = 0; i < rank; i++) {
        if (dims[i] < 1) {
            error_at(l, span, E_EXTENT, i, (long long)dims[i]);
            if (dims[i] == -1)
                hint_at(l, H_INFERRED);
            return false;
        }
        n = n > MAX_TILE / dims[i] ? MAX_TILE + 1 : n * dims[i];
    }
    if (n <= MAX_TILE)
        return true;
    error_at(l, span, E_TILE_SIZE, (long long)MAX_TILE);
    hint_at(l, H_TILE_SIZE);
    return false;
}

/* The shape that both broadcast to: from the right, equal extents or 1 (R47). */
static bool common_shape(Lower *l, const Type *a, const Type *b, Type *out, Span span)
{
    int64_t dims[MAX_RANK];

    *out = a->rank >= b->rank ? *a : *b;
    for (int i = 0; i < out->rank; i++) {
        int ia = i - (out->rank - a->rank), ib = i - (out->rank - b->rank);
        int32_t da = ia < 0 ? 1 : a->dims[ia], db = ib < 0 ? 1 : b->dims[ib];
        if (da != db && da != 1 && db != 1) {
            error_at(l, span, E_BROADCAST, i, da, db);
            hint_at(l, H_BROADCAST, val_type_text(l, a), val_type_text(l, b));
            return false;
        }
        out->dims[i] = da == 1 ? db : da;
        dims[i] = out->dims[i];
    }
    return ops_check_tile(l, out->rank, dims, span);
}

/* What the dimensions of all of them in this shape, counted from the last, are called. */
static void name_shape(Lower *l, Value *v, Value *const *all, int n)
{
    for (int i = 0; i < n; i++) {
        const Symbol *names[MAX_RANK] = {NULL};
        int more = v->type->rank - all[i]->type->rank;

        for (int d = 0; all[i]->extents && d < all[i]->type->rank; d++)
            names[more + d] = value_extent(all[i], d);
        if (all[i]->extents)
            value_name_extents(l->module, v, names);
    }
}

Value *ops_to_shape(Lower *l, Value *v, const Type *shape)
{
    if (type_same_shape(v->type, shape))
        return v;
    if (v->type->rank == 0)
        return build_splat(&l->b, v, shape);
    while (v->type->rank < shape->rank)
        v = build_expand(&l->b, v, 0);
    return type_same_shape(v->type, shape) ? v : build_broadcast(&l->b, v, shape);
}

bool ops_broadcast_all(Lower *l, Value **v, int n, Span span)
{
    Type shape = *v[0]->type;

    for (int i = 1; i < n; i++) {
        Type a = shape;
        if (!common_shape(l, &a, v[i]->type, &shape, span))
            return false;
    }
    const Type *t = type_of(l->module, shape);
    for (int i = 0; i < n; i++) {
        Value *whole = ops_to_shape(l, v[i], t);
        if (whole != v[i])
            name_shape(l, whole, v, n);
        v[i] = whole;
    }
    return true;
}

/* The reduction that a value comes from, element by element; NULL: none. */
static const Op *reduction_of(const Value *v)
{
    const Op *op = v->def;

    for (int steps = 0; op && op_is_elementwise(op) && steps < 8; steps++)
        op = op->noperands > 0 ? op->operands[0]->def : NULL;
    return ir_reduces(op) ? op : NULL;
}

/* In a square tile, a row's sums fit its columns: that is never what was meant. */
static void warn_of_rows(Lower *l, const Value *x, const Type *whole, Span span)
{
    int rank = whole->rank, last = rank - 1;
    const Op *op = x->type->rank > 0 && x->type->rank == last ? reduction_of(x) : NULL;

    if (!op || attr_axis(op) != last || op->operands[0]->type->rank != rank ||
        whole->dims[last] == 1 || whole->dims[last] != whole->dims[last - 1])
        return;
    warn_at(l, span, W_ROWS);
    hint_at(l, H_ROWS);
}

static bool is_loaded(const Value *v)
{
    const Op *op = v->def;

    while (op && op_has(op, MOVES))
        op = op->operands[0]->def;
    return op && op_only_reads(op);
}

void ops_warn_of_wrap(Lower *l, const Value *v, Span span)
{
    enum { LARGEST = 64 };
    const Op *op = v->def;

    if (!dtype_is_unsigned(v->type->dtype) || !op || op->code != OP_sub ||
        !is_loaded(op->operands[0]) || !is_loaded(op->operands[1]))
        return;
    warn_at(l, span, W_UNSIGNED_SUB, val_type_text(l, v->type));
    hint_at(l, H_UNSIGNED_SUB, MIN(2 * dtype_bits(v->type->dtype), (int)LARGEST));
}

bool ops_broadcast(Lower *l, Value **x, Value **y, Span span)
{
    Value *both[2] = {*x, *y};

    if (!ops_broadcast_all(l, both, 2, span))
        return false;
    warn_of_rows(l, *x, both[0]->type, span);
    warn_of_rows(l, *y, both[0]->type, span);
    *x = both[0];
    *y = both[1];
    return true;
}

bool ops_shapes_fit(Lower *l, Val x, Val y, Span span)
{
    Type both;

    if (x.kind != VAL_RUN || y.kind != VAL_RUN)
        return true;
    return common_shape(l, x.run->type, y.run->type, &both, span);
}

bool ops_pair(Lower *l, PromoteRule rule, Val x, Val y, Value **vx, Value **vy, Span span)
{
    return ops_shapes_fit(l, x, y, span) && promote_pair(l, rule, x, y, vx, vy, span) &&
           ops_broadcast(l, vx, vy, span);
}
