/*
 * formula_twice.c - scores that are scaled in front of their product and behind it
 *
 * q * scale is taken to the scores by tl.dot(q, k), and tl.dot(q, k) * scale scales them again: the
 * softmax of that is flat, and looks like one.  Told where one of the two that are multiplied is,
 * and not both, as of two that share a square root.
 */
#include "formula.h"

enum { DEEPEST = 6 };

/* Is it a product with this number? */
static bool is_scaled(const Value *v, const Value *by, int depth)
{
    const Op *op = ir_bare(v)->def;

    if (!op || depth == 0 || op->code != OP_mul)
        return false;
    for (int i = 0; i < 2; i++) {
        if (ir_bare(op->operands[i]) == by || is_scaled(op->operands[i], by, depth - 1))
            return true;
    }
    return false;
}

/* A number of the launch, for all elements. */
static const Value *scale_of(const Value *v)
{
    v = ir_bare(v);
    return !v->def && v->type->rank == 0 && dtype_is_float(v->type->dtype) ? v : NULL;
}

/* tl.dot(q, k), or q * k of tl.sum(q * k, 1); NULL. */
static const Op *product_of(const Value *v)
{
    const Op *op = ir_bare(v)->def;

    if (!op || op->code == OP_dot)
        return op;
    if (!ir_reduces(op) || op->noperands != 1 || ir_combine_code(op) != OP_add)
        return NULL;
    const Op *product = ir_bare(op->operands[0])->def;
    return product && product->code == OP_mul && !scale_of(product->operands[0]) &&
                   !scale_of(product->operands[1])
               ? product
               : NULL;
}

static void look_at(Op *op, void *suspect)
{
    for (int i = 0; op->code == OP_mul && i < 2; i++) {
        const Value *scale = scale_of(op->operands[i]);
        const Op *dot = product_of(op->operands[1 - i]);
        if (!scale || !dot ||
            is_scaled(dot->operands[0], scale, DEEPEST) ==
                is_scaled(dot->operands[1], scale, DEEPEST))
            continue;
        tell_warn(suspect, op, "scale one of them: q * scale, or tl.dot(q, k) * scale",
                  "this scales a product by the number that one of its two was scaled by: it "
                  "counts twice");
    }
}

static bool is_product(const Op *op)
{
    return op->code == OP_dot || ir_reduces(op);
}

void formula_twice(const Suspect *s)
{
    if (tell_any(s, is_product))
        ir_walk(s->func->body, look_at, (void *)s);
}
