/*
 * assert.c - assertions and checks as the code that finds where they fail
 *
 * Takes and gives verified IR; no target has `assert` or `check` behind it.  Both become one look,
 * whether any element fails, and an `if` that is hardly ever taken: there the rest is found out,
 * and `record` says it.
 *
 *     %wrong = reduce %bad                         by or, over all dimensions
 *     if %wrong {
 *         %far = select %bad, %index, %none        a tile's numbers where it fails
 *         %first = reduce %far                     by min, over all dimensions
 *         record %first, %count, %offset kind=check ..
 *     }
 *
 * What has been asked before is not asked again: of two quotients by one divisor the second one's
 * cannot be zero.  Assertions of one shape that have only arithmetic between them share the last
 * one's look.  Behind it they come in their order, each asked whether it failed but for the last
 * one: the first that did ends the program, and one of them did.
 */
#include "opt.h"

enum { TOGETHER = 4 }; /* assertions that share a look: what they found is alive until then */

/* Has it been asked, wherever the program comes here, whether that holds?  Then it does. */
static void drop_asked(Op *op, void *asked)
{
    if (op->code != OP_assert && op->code != OP_check)
        return;
    Value *condition = op->operands[ASSERT_CONDITION];
    const Op *before = map_get(asked, MAP_KEY(condition));
    bool all = before && before->noperands <= ASSERT_MASK;
    bool alike = before && !all && op->noperands > ASSERT_MASK &&
                 before->operands[ASSERT_MASK] == op->operands[ASSERT_MASK];

    if ((all || alike) && block_encloses(before->block, op->block))
        op_remove(op);
    else
        map_put(asked, MAP_KEY(condition), op);
}

typedef struct {
    Builder b;  /* in front of the op */
    Value *bad; /* i1, in the shape of the condition */
} Expansion;

/* What may fail; what is masked does not. */
static Expansion expand_condition(Op *op)
{
    Expansion e = {.b = builder_before(op)};

    e.bad = build_unary(&e.b, OP_not, op->operands[ASSERT_CONDITION]);
    if (op->noperands > ASSERT_MASK)
        e.bad = build_binary(&e.b, OP_and, op->operands[ASSERT_MASK], e.bad);
    return e;
}

static bool may_share(const Op *a, const Op *b)
{
    return a->code == OP_assert && b->code == OP_assert &&
           type_same_shape(a->operands[ASSERT_CONDITION]->type,
                           b->operands[ASSERT_CONDITION]->type);
}

/* The next or the last assertion that may share a look with this one; NULL: there is none. */
static Op *neighbour(const Op *op, bool next)
{
    Op *other = next ? op->next : op->prev;

    while (other && op_has(other, PURE) && !op_has_effects(other))
        other = next ? other->next : other->prev;
    return other && may_share(op, other) ? other : NULL;
}

/* That op and those in front of it that share its look, in their order; how many.  Of assertions
 * that have been expanded an `if` is left, which lets nothing pass. */
static int find_sharers(Op *op, Op *out[TOGETHER])
{
    int n = 0, first = TOGETHER - 1;

    for (out[first] = op; first > 0; first--) {
        out[first - 1] = neighbour(out[first], false);
        if (!out[first - 1])
            break;
    }
    for (; first < TOGETHER; first++)
        out[n++] = out[first];
    return n;
}

static void visit_assertion(Op *op, void *unused)
{
    Op *ops[TOGETHER];
    Expansion all[TOGETHER];
    Value *wrong = NULL;

    (void)unused;
    if (op->code != OP_assert && op->code != OP_check)
        return;
    int n = find_sharers(op, ops);
    if (n < TOGETHER && neighbour(op, true))
        return;
    for (int i = 0; i < n; i++) {
        all[i] = expand_condition(ops[i]);
        wrong = wrong ? build_binary(&all[i].b, OP_or, wrong, all[i].bad) : all[i].bad;
    }
    Builder *b = &all[n - 1].b;
    Builder branch = build_branch(b, build_reduce_all(b, OP_or, wrong));
    for (int i = 0; i < n; i++) {
        Builder in = all[i].b;
        in.block = branch.block;
        in.before = branch.before;
        build_failure(&in, ops[i], all[i].bad, i < n - 1);
        op_remove(ops[i]);
    }
}

static void count_assertions(Op *op, void *n)
{
    *(int *)n += op->code == OP_assert || op->code == OP_check;
}

void opt_assert(Func *f)
{
    int n = 0;

    ir_walk(f->body, count_assertions, &n);
    if (n > 1) {
        opt_cse(f); /* conditions that are equal are one */
        ir_walk(f->body, drop_asked, map_new(f->module->arena));
    }
    ir_walk(f->body, visit_assertion, NULL);
}
