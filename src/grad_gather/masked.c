/*
 * masked.c - what a store leaves out, or a choice, need not be 0
 *
 *     tl.store(d_x + at, tl.where(inside, a, 0.0) + b, mask=inside)
 *     tl.store(d_x + at, a + b, mask=inside)
 *
 *     tl.where(inside, tl.where(inside, a, 0.0) * b, 0.0)
 *     tl.where(inside, a * b, 0.0)
 */
#include "../opt/opt.h"
#include "gather.h"

static bool is_part(const Value *mask, const Value *condition)
{
    const Op *op = mask->def;

    return mask == condition ||
           (op && op->code == OP_and &&
            (is_part(op->operands[0], condition) || is_part(op->operands[1], condition)));
}

/* The value in lanes of the mask, of what nobody else reads. */
static Value *within(const UseLists *uses, Value *v, const Value *mask)
{
    Op *op = v->def;

    if (!op || uses_count(uses, v) != 1 || !op_is_elementwise(op) || !op_has(op, PURE))
        return v;
    if (op->code == OP_select && is_part(mask, op->operands[0]))
        return within(uses, op->operands[1], mask);
    for (int i = 0; i < op->noperands; i++)
        op->operands[i] = within(uses, op->operands[i], mask);
    return v;
}

static void look_at(Op *op, void *uses)
{
    const Value *mask = op_operand(op, ir_access(op).mask);

    if (mask && (op->code == OP_store || op->code == OP_atomic_rmw))
        op->operands[STORE_DATA] = within(uses, op->operands[STORE_DATA], mask);
    if (op->code == OP_select)
        op->operands[1] = within(uses, op->operands[1], op->operands[0]);
}

void gather_without_masks(Grad *g)
{
    UseLists uses = ir_uses(g->func, g->arena);

    ir_walk(g->func->body, look_at, &uses);
}
