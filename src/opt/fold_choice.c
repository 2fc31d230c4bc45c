/*
 * fold_choice.c - what takes long of a choice between two numbers
 *
 * Where each element of a tile is one of two scalars, as a penalty or 1, a number divided by it or
 * a function of it has two results as well: both are computed once, and chosen between instead.
 * What it is divided by is one divisor for all, by whose reciprocal targets multiply; that stays.
 */
#include "fold.h"

static bool takes_long(const Op *op)
{
    const Type *t = op->results[0]->type;

    if (t->pointer || !dtype_is_float(t->dtype) || dtype_is_fp8(t->dtype))
        return false;
    return op->code == OP_div || op->code == OP_sqrt || op_has(op, APPROX);
}

/* The one operand that is no scalar in each element; -1: there is none, or more. */
static int varying(const Op *op)
{
    int at = -1;

    for (int i = 0; i < op->noperands; i++) {
        if (opt_is_uniform(op->operands[i]))
            continue;
        if (at >= 0)
            return -1;
        at = i;
    }
    return at;
}

Value *fold_choice(Op *op)
{
    enum { ARMS = 2 };
    Value *operands[MAX_ELEMENTWISE_OPERANDS], *arms[1 + ARMS];
    int at = takes_long(op) ? varying(op) : -1;
    bool divided = op->code == OP_div && at == 0;
    const Op *select = at >= 0 && !divided ? opt_made_by(op->operands[at], OP_select) : NULL;

    if (!select || !opt_is_uniform(select->operands[1]) || !opt_is_uniform(select->operands[2]))
        return NULL;
    arms[0] = select->operands[0];
    for (int k = 1; k <= ARMS; k++) {
        for (int i = 0; i < op->noperands; i++)
            operands[i] = i == at ? select->operands[k] : op->operands[i];
        arms[k] = fold_new(op, op->code, op->noperands, operands, op->nattrs, op->attrs,
                           op->results[0]->type);
    }
    return fold_new(op, OP_select, 1 + ARMS, arms, 0, NULL, NULL);
}
