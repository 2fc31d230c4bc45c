/*
 * fold_compare.c - comparisons of widened integers
 *
 * Block pointers and descriptors ask in i64 whether a coordinate is below the end of its array, of
 * numbers that were i32.  The same is asked of these, as a mask beside it does.  So it is of a
 * number and a constant that the narrower type holds: compilers that write kernels ask in i64
 * whether a neighbour lies in a picture.
 */
#include "fold.h"

static bool only_moves(const Op *op)
{
    return op->code == OP_expand || op->code == OP_broadcast || op->code == OP_reshape ||
           op->code == OP_splat;
}

static bool widens(const Op *op)
{
    const Value *x = op->operands[0];

    return op->code == OP_cast && opt_is_int(x) && opt_is_int(op->results[0]) &&
           dtype_is_signed(x->type->dtype) && dtype_is_signed(op->results[0]->type->dtype) &&
           dtype_bits(x->type->dtype) < dtype_bits(op->results[0]->type->dtype);
}

/* The dtype that it was widened from. */
static bool widened_from(const Value *v, DType *t)
{
    while (v->def && only_moves(v->def))
        v = v->def->operands[0];
    if (!v->def || !widens(v->def))
        return false;
    *t = v->def->operands[0]->type->dtype;
    return true;
}

/* The same before it was. */
static Value *before_widening(Op *at, const Value *v)
{
    const Op *op = v->def;

    if (!only_moves(op))
        return op->operands[0];
    Value *x = before_widening(at, op->operands[0]);
    const Type *t = type_with_dtype(at->block->func->module, v->type, x->type->dtype);
    return fold_new(at, op->code, 1, &x, op->nattrs, op->attrs, t);
}

/* That operand in dtype t, from which it or the other one was widened, or NULL. */
static Value *narrowed(Op *at, Value *v, DType t)
{
    DType from;
    int64_t x;

    if (widened_from(v, &from))
        return from == t ? before_widening(at, v) : NULL;
    if (t != DT_I32 || !value_const_int(v, &x) || x != (int32_t)x)
        return NULL;
    return fold_const(at, type_with_dtype(at->block->func->module, v->type, t), (uint64_t)x);
}

Value *fold_compare(Op *op)
{
    DType t;

    if (!op_has(op, COMPARES) ||
        (!widened_from(op->operands[0], &t) && !widened_from(op->operands[1], &t)))
        return NULL;
    Value *x = narrowed(op, op->operands[0], t), *y = x ? narrowed(op, op->operands[1], t) : NULL;
    return y ? fold_binary(op, op->code, x, y) : NULL;
}
