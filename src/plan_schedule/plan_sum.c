/*
 * plan_sum.c - which sums of products begin as zero in registers
 *
 * A loop adds products to a sum that is zero in front of it.  To fill a buffer with zeros, and to
 * read them in the first round, takes as long as a short product: so that round's product begins
 * with zeros whatever lies in the buffer, and the nest that fills it runs where the loop has no
 * round.  It stands right in front of the loop then, where the loop's bounds are known.  For a
 * product that is added to zero alone there is no such nest at all.
 */
#include "plan_schedule_internal.h"

static bool is_zero(const Value *v)
{
    return v->def && v->def->code == OP_const && attr_bits(v->def) == 0;
}

/* Zero, which nobody keeps in a buffer, of whole words?  NULL: it is not. */
static const Value *virtual_zero(const Plan *p, const Value *v)
{
    bool words = dtype_size(plan_register_dtype(v->type->dtype)) % 4 == 0;

    return is_zero(v) && words && plan_buffer(p, v) == NO_BUFFER ? v : NULL;
}

/* What the sum is before the loop, if that is zero. */
static const Value *zero_before(const Plan *p, const Op *dot)
{
    const Value *acc = dot->operands[DOT_ACC];

    if (!plan_only_adds(p, dot) || plan_buffer(p, acc) != plan_buffer(p, dot->results[0]))
        return NULL;
    return virtual_zero(p, dot->block->owner->operands[FOR_BOUNDS + acc->index - 1]);
}

/* The number of the step in front of `end` that fills this buffer with that, and nothing else; -1.
 */
static int step_that_fills(const BlockPlan *b, int end, int buffer, const Value *v)
{
    for (int i = end - 1; i >= 0; i--) {
        const Nest *n = b->steps.at[i].nest;
        if (b->steps.at[i].kind == STEP_NEST && n->roots.len == 1 &&
            n->roots.at[0].kind == ROOT_FILL && n->roots.at[0].buffer == buffer)
            return n->roots.at[0].source == NO_BUFFER && n->roots.at[0].value == v ? i : -1;
    }
    return -1;
}

static void look_at_product(const Plan *p, BlockPlan *b, int loop, const Step *s)
{
    const Value *zero = s->dot.unit == DOT_AMX ? NULL : zero_before(p, s->op);
    int buffer = plan_buffer(p, s->op->results[0]);
    int fill = zero ? step_that_fills(b, loop, buffer, zero) : -1;

    if (fill < 0)
        return;
    Step moved = b->steps.at[fill];
    moved.nest->unless = b->steps.at[loop].op;
    p->buffers.at[buffer].begins = b->steps.at[loop].op;
    for (int i = fill; i < loop - 1; i++)
        b->steps.at[i] = b->steps.at[i + 1];
    b->steps.at[loop - 1] = moved;
}

/* A product by itself; gives how many steps in front of it are gone. */
static int look_at_single(const Plan *p, BlockPlan *b, int product)
{
    const Step *s = &b->steps.at[product];
    const Op *op = s->op;
    const Value *zero = s->dot.unit == DOT_AMX ? NULL : virtual_zero(p, op->operands[DOT_ACC]);
    int buffer = plan_buffer(p, op->results[0]);
    int fill = zero ? step_that_fills(b, product, buffer, zero) : -1;

    if (fill < 0)
        return 0;
    p->buffers.at[buffer].begins = op;
    for (int i = fill; i < b->steps.len - 1; i++)
        b->steps.at[i] = b->steps.at[i + 1];
    b->steps.len--;
    return 1;
}

static void look_at_block(const Plan *p, BlockPlan *b)
{
    for (int i = 0; b && i < b->steps.len; i++) {
        if (b->steps.at[i].kind == STEP_DOT)
            i -= look_at_single(p, b, i);
        const Step *s = &b->steps.at[i];
        const BlockPlan *body = s->kind == STEP_FOR ? s->body[0] : NULL;
        for (int k = 0; body && k < body->steps.len; k++) {
            if (body->steps.at[k].kind == STEP_DOT)
                look_at_product(p, b, i, &body->steps.at[k]);
        }
        look_at_block(p, s->body[0]);
        look_at_block(p, s->body[1]);
    }
}

void plan_sums(const Plan *p)
{
    if (!p->options->debug)
        look_at_block(p, p->body);
}
