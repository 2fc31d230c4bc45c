/*
 * plan_size.c - how much code a plan comes to, before any is made
 *
 * LLVM's time for one function grows faster than the function: what is unrolled to 20,000 loads
 * would take minutes.  So the size decides how LLVM is asked (cpu.c), and whether at all.  It is
 * counted in ops: each value counts once for every nest that computes it, and three times where
 * masks cut the nest's inner loop into segments.
 */
#include "plan_internal.h"

enum {
    NEST_SIZE = 30, /* what the loops of a nest come to, about */
    SEGMENTS = 3
};

typedef struct {
    int64_t size;
    const Op *op; /* the first that is beyond what may be, or NULL */
} Count;

static bool is_masked(const Nest *n)
{
    for (int i = 0; i < n->leaves.len; i++) {
        if (n->leaves.at[i].load && plan_operand(n->leaves.at[i].value->def, LOAD_MASK))
            return true;
    }
    for (int i = 0; i < n->roots.len; i++) {
        if (plan_root_mask(&n->roots.at[i]))
            return true;
    }
    return false;
}

static int64_t nest_size(const Nest *n)
{
    return NEST_SIZE + (int64_t)n->values * (is_masked(n) && !n->serial ? SEGMENTS : 1);
}

static const Op *nest_op(const Nest *n)
{
    const Root *r = &n->roots.at[n->roots.len - 1];

    return r->op ? r->op : r->value->def;
}

static void count_block_plan(Count *c, const BlockPlan *b)
{
    for (int i = 0; b && i < b->steps.len; i++) {
        const Step *s = &b->steps.at[i];
        c->size += s->kind == STEP_NEST ? nest_size(s->nest) : 1;
        if (c->size > PLAN_MOST_OPS && !c->op)
            c->op = s->kind == STEP_NEST ? nest_op(s->nest) : s->op;
        count_block_plan(c, s->body[0]);
        count_block_plan(c, s->body[1]);
    }
}

void plan_measure(Plan *p)
{
    Count c = {0};

    count_block_plan(&c, p->body);
    p->size = c.size;
    p->beyond = c.op;
}
