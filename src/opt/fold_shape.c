/*
 * fold_shape.c - splat, broadcast, expand, reshape, permute, and reductions of one element
 *
 * A tile of one value stays one through every change of shape: it ends up as a constant tile, or
 * as a splat straight from its scalar.  Chains of one kind of op become one op, and ops that only
 * insert dimensions of 1 become expands, which the analyses understand best.
 */
#include "fold.h"

/* The constant x in the shape of the op's result. */
static Value *same_constant(Op *op, const Value *x, uint64_t bits)
{
    Value *v = fold_const(op, op->results[0]->type, bits);

    v->number = x->number;
    v->extents = op->results[0]->extents;
    return v;
}

/* A uniform tile, or a scalar, in another shape. */
static Value *reshape_uniform(Op *op)
{
    Value *x = op->operands[0];
    const Type *t = op->results[0]->type;
    uint64_t bits;

    if (type_is_tile(x->type) && !opt_is_uniform(x))
        return NULL;
    if (opt_made_by(x, OP_const) && value_constant(x, &bits))
        return same_constant(op, x, bits);
    if (!type_is_tile(t))
        return x->def->operands[0]; /* a splat back to its scalar */
    if (op->code == OP_splat)
        return NULL;
    return fold_unary(op, OP_splat, type_is_tile(x->type) ? x->def->operands[0] : x, t);
}

static Value *fold_broadcast(Op *op)
{
    const Op *inner = opt_made_by(op->operands[0], OP_broadcast);

    return inner ? fold_unary(op, OP_broadcast, inner->operands[0], op->results[0]->type) : NULL;
}

/* Where b has a dimension of 1 more than a, else -1. */
static int inserted_axis(const Type *a, const Type *b)
{
    int axis = 0;

    if (b->rank != a->rank + 1)
        return -1;
    while (axis < a->rank && a->dims[axis] == b->dims[axis])
        axis++;
    for (int i = axis; i < a->rank; i++) {
        if (a->dims[i] != b->dims[i + 1])
            return -1;
    }
    return b->dims[axis] == 1 ? axis : -1;
}

static Value *fold_reshape(Op *op)
{
    Value *x = op->operands[0];
    const Type *t = op->results[0]->type;

    if (opt_made_by(x, OP_reshape) || opt_made_by(x, OP_expand))
        return fold_unary(op, OP_reshape, x->def->operands[0], t);
    int axis = inserted_axis(x->type, t);
    if (axis < 0)
        return NULL;
    return fold_new(op, OP_expand, 1, &x, 1, (int64_t[]){axis}, t);
}

static Value *fold_permute(Op *op)
{
    Value *x = op->operands[0];
    const Op *inner = opt_made_by(x, OP_permute);
    int64_t dims[MAX_RANK];
    int n;

    if (op_keeps_order(op))
        return fold_unary(op, OP_reshape, x, op->results[0]->type);
    if (!inner)
        return NULL;
    const int64_t *outer = attr_dims(op, &n), *first = attr_dims(inner, &n);
    for (int i = 0; i < n; i++)
        dims[i] = first[outer[i]];
    return fold_new(op, OP_permute, 1, inner->operands, n, dims, op->results[0]->type);
}

/* The first of one value is that value. */
static Value *fold_arange(Op *op)
{
    const Type *t = op->results[0]->type;

    return t->dims[0] == 1 ? fold_const(op, t, (uint32_t)attr_start(op)) : NULL;
}

static Value *fold_by_code(Op *op)
{
    switch (op->code) {
    case OP_arange:
        return fold_arange(op);
    case OP_broadcast:
        return fold_broadcast(op);
    case OP_reshape:
        return fold_reshape(op);
    case OP_permute:
        return fold_permute(op);
    default:
        return NULL;
    }
}

Value *fold_shape(Op *op)
{
    if (!op_has(op, MOVES))
        return fold_by_code(op);
    if (op->results[0]->type == op->operands[0]->type && op_keeps_order(op))
        return op->operands[0];
    Value *v = reshape_uniform(op);
    return v ? v : fold_by_code(op);
}

bool fold_reduction(Op *op)
{
    if (!op_has(op, COMBINES) || op->operands[0]->type->dims[attr_axis(op)] != 1)
        return false;
    for (int i = 0; i < op->nresults; i++) {
        const Type *t = op->results[i]->type;
        Value *x = op->operands[i];
        op->results[i]->repl = t == x->type ? x : fold_unary(op, OP_reshape, x, t);
    }
    return true;
}
