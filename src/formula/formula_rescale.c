/*
 * formula_rescale.c - sums of exp(x - m) that stay as they are when m changes
 *
 * A softmax in rounds keeps the greatest value so far, m, and the sum of exp(x - m).  A round with
 * a greater m has to multiply what was summed before by exp(m_old - m_new); where that was
 * forgotten, early rounds count for too much.  Told where a loop carries both, and adds to the sum
 * as it was; so of tl.dot(p, v) for p = exp(x - m).
 */
#include "formula.h"

enum { DEEPEST = 12 };

/* The greatest value of which the difference is taken, where v is exp(x - m), or made of it. */
static const Value *subtracted(const Value *v, bool powered, int depth)
{
    const Op *op = ir_bare(v)->def;

    if (!op || depth == 0)
        return NULL;
    if (powered && op->code == OP_sub)
        return ir_bare(op->operands[1]);
    powered |= op->code == OP_exp || op->code == OP_exp2;
    for (int i = 0; i < op->noperands && op_has(op, FOLDS); i++) {
        const Value *m = subtracted(op->operands[i], powered, depth - 1);
        if (m)
            return m;
    }
    return NULL;
}

/* What is added to `total` as it is, in a round; NULL: something else becomes of it. */
static const Value *added_to(const Value *next, const Value *total)
{
    const Op *op = next->def;

    if (op && op->code == OP_dot)
        return op->operands[2] == total ? op->operands[0] : NULL;
    for (int i = 0; op && op->code == OP_add && i < 2; i++) {
        const Op *sum = ir_bare(op->operands[1 - i])->def;
        if (op->operands[i] != total || !sum)
            continue;
        if (sum->code == OP_dot || (ir_reduces(sum) && ir_combine_code(sum) == OP_add))
            return sum->operands[0];
    }
    return NULL;
}

/* Does the loop carry this maximum, and make it of what it was? */
static bool is_kept_maximum(const Op *loop, const Value *m)
{
    const Op *end = opt_last(loop->regions[0]), *op = m->def;

    if (!op || (op->code != OP_max && op->code != OP_maxnan))
        return false;
    for (int i = 0; i < loop->nresults; i++) {
        const Value *was = loop->regions[0]->args[1 + i];
        if (ir_bare(end->operands[i]) == m &&
            (ir_bare(op->operands[0]) == was || ir_bare(op->operands[1]) == was))
            return true;
    }
    return false;
}

static void look_at(Op *loop, void *suspect)
{
    const Op *end = opt_last(loop->regions[0] ? loop->regions[0] : loop->block);

    for (int i = 0; loop->code == OP_for && i < loop->nresults; i++) {
        const Value *x = added_to(end->operands[i], loop->regions[0]->args[1 + i]);
        const Value *m = x ? subtracted(x, false, DEEPEST) : NULL;
        if (m && is_kept_maximum(loop, m))
            tell_warn(suspect, end->operands[i]->def,
                      "multiply what was there: total * tl.exp(m - new), where m is the maximum "
                      "of the round before",
                      "what this adds is exp of a difference to a maximum that rounds change, "
                      "and what was added before stays as it was");
    }
}

static bool is_power(const Op *op)
{
    return op->code == OP_exp || op->code == OP_exp2;
}

void formula_rescale(const Suspect *s)
{
    if (tell_any(s, is_power))
        ir_walk(s->func->body, look_at, (void *)s);
}
