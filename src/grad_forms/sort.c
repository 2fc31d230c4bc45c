/*
 * sort.c - sorting, which the lowering does on the bits of floats, as a permutation, which has a
 * gradient
 *
 *     from_keys(sort(to_keys(x)))    by its integers (tl/builtin_sort.c)
 *     gather(x, order)               where order[k] is the element that k others stand in front of
 *
 * Who stands in front of whom is told by comparing all with all: with NaN greater than every
 * number, and equal elements in the order that they have.
 */
#include "forms.h"

enum { MOST_ELEMENTS = 1 << 20, DEEPEST = 32 };

/* Made by the call of `sort`, as the op itself? */
static bool is_of_call(const Op *op, const Op *sort)
{
    return op->span.start == sort->span.start && op->span.end == sort->span.end &&
           op->site == sort->site;
}

/* The one sort that these bits come from; NULL: none, or more is done to them. */
static Op *sort_behind(const Value *v, const Op *last, int depth)
{
    Op *op = v->def, *found = NULL;

    if (!op || depth == 0 || !is_of_call(op, last))
        return NULL;
    if (op->code == OP_sort)
        return op;
    for (int i = 0; i < op->noperands; i++) {
        Op *sort = sort_behind(op->operands[i], last, depth - 1);
        if (found && sort && found != sort)
            return NULL;
        found = sort ? sort : found;
    }
    return found;
}

/* The one tile of floats whose bits were sorted; NULL. */
static Value *floats_before(const Value *v, const Op *sort, int depth)
{
    const Op *op = v->def;
    Value *found = NULL;

    if (!op || depth == 0 || !is_of_call(op, sort))
        return NULL;
    if (op->code == OP_bitcast && dtype_is_float(op->operands[0]->type->dtype))
        return op->operands[0];
    for (int i = 0; i < op->noperands; i++) {
        Value *x = floats_before(op->operands[i], sort, depth - 1);
        if (found && x && found != x)
            return NULL;
        found = x ? x : found;
    }
    return found;
}

/* With one more dimension, of which every element is the same, or which is all it goes along. */
static Value *spread(Builder *b, Value *v, int rank, int along, const Type *shape)
{
    if (v->type->rank == 1 && rank > 2) {
        for (int d = 0; d < rank; d++)
            v = d == along ? v : build_expand(b, v, d);
    } else {
        v = build_expand(b, v, along == rank - 1 ? rank - 2 : rank - 1);
    }
    const Type *type = type_with_shape(b->module, type_element(b->module, v->type), shape);
    return build_broadcast(b, v, type);
}

static Value *is_nan(Builder *b, Value *x)
{
    return build_binary(b, OP_ne, x, x);
}

/* Does j stand in front of i?  x by element i, and by element j, of the last two dimensions. */
static Value *stands_in_front(Builder *b, Value *of_i, Value *of_j, Value *j_is_first,
                              bool descending)
{
    Value *nan = is_nan(b, descending ? of_j : of_i);
    Value *number = build_binary(b, OP_eq, descending ? of_i : of_j, descending ? of_i : of_j);
    Value *strict = build_binary(b, descending ? OP_gt : OP_lt, of_j, of_i);
    Value *loose = build_binary(b, descending ? OP_ge : OP_le, of_j, of_i);

    strict = build_binary(b, OP_or, strict, build_binary(b, OP_and, nan, number));
    loose = build_binary(b, OP_or, loose, nan);
    return build_select(b, j_is_first, loose, strict);
}

static const Type *with_last(Module *m, const Type *t, int count, DType dtype)
{
    Type wide = *t;

    wide.dtype = dtype;
    wide.dims[wide.rank++] = count;
    return type_of(m, wide);
}

/* order[k], for the first `wanted` of each row. */
static Value *order_of(Builder *b, Value *x, int wanted, bool descending)
{
    const int rank = x->type->rank, n = x->type->dims[rank - 1];
    const Type *pairs = with_last(b->module, x->type, n, DT_I32);
    const Type *places = with_last(b->module, x->type, wanted, DT_I32);
    Value *numbers = build_arange(b, 0, n), *wish = build_arange(b, 0, wanted);
    Value *i = spread(b, numbers, rank + 1, rank - 1, pairs);
    Value *j = spread(b, numbers, rank + 1, rank, pairs);
    Value *earlier = build_binary(b, OP_lt, j, i);
    Value *other = spread(b, x, rank + 1, rank, pairs);
    Value *front =
        stands_in_front(b, spread(b, x, rank + 1, rank - 1, pairs), other, earlier, descending);
    Value *place = build_reduce_along(b, OP_add, build_cast(b, front, DT_I32, ROUND_NEAREST), rank);
    Value *wished = spread(b, wish, rank + 1, rank, places);
    Value *here = build_binary(b, OP_eq, spread(b, place, rank + 1, rank - 1, places), wished);
    Value *index = spread(b, numbers, rank + 1, rank - 1, places);
    index = build_select(b, here, index, build_int(b, index->type, 0));
    return build_reduce_along(b, OP_add, index, rank - 1);
}

static void replace(Op *op, void *unused)
{
    (void)unused;
    Op *sort = op->code == OP_bitcast ? sort_behind(op->operands[0], op, DEEPEST) : NULL;
    Value *x = sort ? floats_before(sort->operands[0], sort, DEEPEST) : NULL;
    int rank = x ? x->type->rank : 0;

    if (!x || rank == MAX_RANK || x->type->dtype != op->results[0]->type->dtype ||
        type_numel(x->type) * x->type->dims[rank - 1] > MOST_ELEMENTS)
        return;
    const int64_t axis = rank - 1;
    Builder b = builder_before(op);
    Value *order = order_of(&b, x, op->results[0]->type->dims[axis], attr_descending(sort) != 0);
    Value *operands[2] = {x, order};
    const Type *type = op->results[0]->type;
    Op *gather = build_op(&b, OP_gather, 2, operands, 1, &axis, 1, &type);
    op->results[0]->repl = gather->results[0];
    gather->results[0]->name = op->results[0]->name;
}

void forms_permute_sorted(Func *f)
{
    ir_walk(f->body, replace, NULL);
    opt_resolve_all(f->body);
}
