/*
 * plan_size.c - how much code a plan comes to, before any is made
 *
 * LLVM takes about as long for every operation (cut.c), and what is unrolled to 100,000 loads would
 * take a minute.  So the size decides whether LLVM is asked at all.  It is counted in ops: each
 * value counts once for every nest that computes it, and three times where masks cut the nest's
 * inner loop into segments; what becomes many instructions counts as that many.
 */
#include "plan_internal.h"

enum {
    NEST_SIZE = 30, /* what the loops of a nest come to, about */
    SEGMENTS = 3,
    DIVISION_SIZE = 10, /* of integers */
    RECORD_SIZE = 12,   /* a call through the port of the launch */
    OPERAND_SIZE = 4,   /* of a record */
    MERGE_SIZE = 60     /* of rows that are sorted: of each bit of an index, for each merge */
};

typedef struct {
    int64_t size;
    const Op *op; /* the first that is beyond what may be, or NULL */
} Count;

static bool is_masked(const Nest *n)
{
    for (int i = 0; i < n->leaves.len; i++) {
        if (n->leaves.at[i].load && op_operand(n->leaves.at[i].value->def, LOAD_MASK))
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
    int64_t values = MAX(n->values, n->work / 2); /* where divisions count as twice DIVISION_SIZE */

    bool cut = is_masked(n) && (!n->serial || n->roots.at[0].kind == ROOT_ATOMIC);

    return NEST_SIZE + values * (cut ? SEGMENTS : 1) + (n->direct ? nest_size(n->direct) : 0) +
           (n->whole ? nest_size(n->whole) : 0);
}

static bool divides(const Op *op)
{
    return (op->code == OP_div || op->code == OP_rem) &&
           !dtype_is_float(op->results[0]->type->dtype);
}

static int64_t step_size(const Step *s)
{
    switch (s->kind) {
    case STEP_NEST:
        return nest_size(s->nest);
    case STEP_RECORD:
        return RECORD_SIZE + OPERAND_SIZE * s->op->noperands;
    case STEP_SORT: {
        int bits = s->sort.bits + __builtin_ctz((unsigned)s->sort.lanes);
        return MERGE_SIZE * bits * (bits + 1) / 2;
    }
    case STEP_SCALAR:
        return divides(s->op) ? DIVISION_SIZE : 1;
    default:
        return 1;
    }
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
        c->size += step_size(s);
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
