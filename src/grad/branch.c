/*
 * branch.c - an `if` by its condition: the gradients of an arm stand in the same arm of another one
 *
 * The condition is the forward's.  An arm is computed once more, and hands gradients on; those of
 * values from in front of the `if` are what the new one gives, from either arm.
 */
#include "grad.h"

static void collect(Grad *g, const Op *owner, const Block *b, GradValues *out)
{
    for (const Op *op = b->first; op; op = op->next) {
        for (int i = 0; i < op->noperands; i++) {
            Value *v = op->operands[i];
            bool known = false;

            for (int k = 0; k < out->len; k++)
                known |= out->at[k] == v;
            for (int r = 0; r < COUNT(owner->regions) && owner->regions[r]; r++)
                known |= block_encloses(owner->regions[r], v->block);
            if (!known && grad_is_active(g, v))
                vec_push(g->arena, out, v);
        }
        for (int r = 0; r < COUNT(op->regions) && op->regions[r]; r++)
            collect(g, owner, op->regions[r], out);
    }
}

GradValues grad_from_outside(Grad *g, const Op *op)
{
    GradValues all = {0};

    for (int r = 0; r < COUNT(op->regions) && op->regions[r]; r++)
        collect(g, op, op->regions[r], &all);
    return all;
}

/* Nothing that is computed again stores: the arrays are apart from all that is read. */
static void drop_effect(Op *op, void *unused)
{
    (void)unused;
    if (grad_is_effect(op))
        op_remove(op);
}

void grad_without_effects(Grad *g, const Op *op, Op *copy)
{
    for (int r = 0; r < COUNT(copy->regions) && copy->regions[r]; r++)
        ir_walk(copy->regions[r], drop_effect, NULL);
    if (op_contains(copy, WRITES | EFFECT))
        grad_refuse(g, op, "what has an effect in a loop or branch cannot be computed again");
}

void grad_compute_again(Grad *g, const Block *b)
{
    for (Op *op = b->first; op && !g->failed; op = op->next) {
        if (op_has(op, ENDS) || (!op->regions[0] && op_contains(op, WRITES | EFFECT)))
            continue;
        grad_without_effects(g, op, op_clone(&g->b, op, g->again));
    }
}

static void arm(Grad *g, const Op *op, Block *from, Block *to, const GradValues *outside,
                Value *const *before)
{
    Value **after = NEW_N(g->arena, Value *, outside->len + 1);
    Builder back = g->b;

    for (int i = 0; i < outside->len; i++)
        grad_set_adjoint(g, outside->at[i], before[i]);
    g->b = builder_into(&g->b, to);
    grad_compute_again(g, from);
    for (int i = 0; i < op->nresults; i++)
        grad_add(g, from->last->operands[i], grad_adjoint(g, op->results[i]));
    grad_block(g, from);
    for (int i = 0; i < outside->len; i++)
        after[i] = grad_adjoint(g, outside->at[i]);
    build_yield(&g->b, OP_yield, outside->len, after);
    g->b = back;
}

void grad_branch(Grad *g, Op *op)
{
    const GradValues outside = grad_from_outside(g, op);
    Value **before = NEW_N(g->arena, Value *, outside.len + 1);
    const Type **types = NEW_N(g->arena, const Type *, outside.len + 1);
    Value *condition = grad_value(g, op->operands[0]);

    for (int i = 0; i < outside.len; i++) {
        Value *d = grad_adjoint(g, outside.at[i]);
        before[i] = d ? d : grad_number(g, outside.at[i], 0);
        types[i] = before[i]->type;
    }
    Op *made = build_op(&g->b, OP_if, 1, &condition, 0, NULL, outside.len, types);
    for (int r = 0; r < COUNT(op->regions) && !g->failed; r++)
        arm(g, op, op->regions[r], made->regions[r], &outside, before);
    for (int i = 0; i < outside.len && !g->failed; i++) {
        grad_set_adjoint(g, outside.at[i], made->results[i]);
        value_shaped_like(g->func->module, made->results[i], outside.at[i]);
        grad_name(g, outside.at[i], made->results[i]);
    }
}
