/*
 * formula_rescale.c - sums of exp(x - m) that do not follow m when it changes
 *
 * A softmax in rounds keeps the greatest value so far, m, and the sum of exp(x - m).  A round with
 * a greater m has to multiply what was summed before by exp(m_old - m_new); where that was
 * forgotten, early rounds count for too much.  Told where a loop carries both, and adds to the sum
 * as it was; so of tl.dot(p, v) for p = exp(x - m).  So is a factor that is exp(m_new - m_old), or
 * none of exp at all, or where the loop goes on with another maximum than the one that the sums
 * were scaled to.
 */
#include "formula.h"

enum { DEEPEST = 12 };

/* The difference x - m, where v is exp(x - m), or made of it; NULL: there is none. */
static const Op *powered_difference(const Value *v, bool powered, int depth)
{
    const Op *op = ir_bare(v)->def;

    if (!op || depth == 0)
        return NULL;
    if (powered && op->code == OP_sub)
        return op;
    powered |= op->code == OP_exp || op->code == OP_exp2;
    for (int i = 0; i < op->noperands && op_has(op, FOLDS); i++) {
        const Op *difference = powered_difference(op->operands[i], powered, depth - 1);
        if (difference)
            return difference;
    }
    return NULL;
}

/* Is the value the total of the round before, as it is, or times something?  Gives the factor. */
static bool is_total(const Value *v, const Value *total, const Value **factor)
{
    const Op *op = ir_bare(v)->def;

    *factor = NULL;
    for (int i = 0; op && op->code == OP_mul && i < 2; i++) {
        if (ir_bare(op->operands[i]) == total)
            *factor = op->operands[1 - i];
    }
    return *factor || v == total;
}

/* What is added to the total, and what the total is multiplied with before; NULL: something else
 * becomes of it. */
static const Value *added_to(const Value *next, const Value *total, const Value **factor)
{
    const Op *op = next->def;

    if (op && op->code == OP_dot)
        return is_total(op->operands[2], total, factor) ? op->operands[0] : NULL;
    for (int i = 0; op && op->code == OP_add && i < 2; i++) {
        const Op *sum = ir_bare(op->operands[1 - i])->def;
        if (!is_total(op->operands[i], total, factor) || !sum)
            continue;
        if (sum->code == OP_dot || (ir_reduces(sum) && ir_combine_code(sum) == OP_add))
            return sum->operands[0];
    }
    return NULL;
}

/* Is it made of arguments, numbers and what loops carry, and of no exp? */
static bool has_no_power(const Value *v, int depth)
{
    const Op *op = ir_bare(v)->def;

    if (!op)
        return true;
    if (depth == 0 || op->code == OP_exp || op->code == OP_exp2 ||
        (!op_has(op, FOLDS) && op->noperands > 0))
        return false;
    for (int i = 0; i < op->noperands; i++) {
        if (!has_no_power(op->operands[i], depth - 1))
            return false;
    }
    return true;
}

/* The maximum of the round before, where the loop makes m of it and carries that; NULL. */
static const Value *maximum_before(const Op *loop, const Value *m)
{
    const Op *end = opt_last(loop->regions[0]), *op = m->def;

    if (!op || (op->code != OP_max && op->code != OP_maxnan))
        return NULL;
    for (int i = 0; i < loop->nresults; i++) {
        const Value *was = loop->regions[0]->args[1 + i];
        if (ir_bare(end->operands[i]) == m &&
            (ir_bare(op->operands[0]) == was || ir_bare(op->operands[1]) == was))
            return was;
    }
    return NULL;
}

/* Is it the total that the loop keeps of something else? */
static bool is_other_total(const Op *loop, const Value *v)
{
    const Op *end = opt_last(loop->regions[0]), *op = ir_bare(v)->def;

    for (int i = 0; op && op->code == OP_add && i < loop->nresults; i++) {
        if (ir_bare(end->operands[i]) == ir_bare(v))
            return true;
    }
    return false;
}

static void look_at_factor(const Suspect *s, const Op *loop, const Op *at, const Value *factor,
                           const Value *m, const Value *was)
{
    const Op *difference = powered_difference(factor, false, DEEPEST);

    if (difference && ir_bare(difference->operands[0]) == m &&
        ir_bare(difference->operands[1]) == was)
        tell_warn(s, difference, "tl.exp(m - new), which is at most 1",
                  "this is the greater maximum less the one before it, where a sum of "
                  "exponentials is to become less");
    else if (has_no_power(factor, DEEPEST) || is_other_total(loop, factor))
        tell_warn(s, at, "multiply by tl.exp(m - new), where m is the maximum of the round before",
                  "what this adds is exp of a difference to a maximum that rounds change, and "
                  "what was added before is multiplied by another number");
}

/* Does it follow from the other value, as far as elements go? */
static bool follows_from(const Value *v, const Value *from, int depth)
{
    const Op *op = v->def;

    if (v == from || depth == 0)
        return true;
    for (int i = 0; op && i < op->noperands; i++) {
        if (follows_from(op->operands[i], from, depth - 1))
            return true;
    }
    return op && op->regions[0];
}

/* Which of the loop's carried values the maximum is made of; -1: of none, -2: of several. */
static int carried_in(const Op *loop, const Value *v, int depth)
{
    const Op *op = ir_bare(v)->def;
    int found = -1;

    if (!op && ir_bare(v)->block == loop->regions[0])
        return ir_bare(v)->index - 1;
    if (!op || depth == 0 || !tell_is_inside(ir_bare(v), loop))
        return -1;
    for (int i = 0; i < op->noperands && op_has(op, FOLDS); i++) {
        int other = carried_in(loop, op->operands[i], depth - 1);
        if (other >= 0 && found >= 0 && other != found)
            return -2;
        found = other == -2 ? other : MAX(found, other);
    }
    return found;
}

/* total * exp(was - m) + .. of an m that the next round does not get for `was` */
static void look_at_lost(const Suspect *s, const Op *loop, int i)
{
    const Op *end = opt_last(loop->regions[0]), *sum = end->operands[i]->def;
    const Value *factor = NULL;

    for (int k = 0; sum && sum->code == OP_add && k < 2 && !factor; k++)
        is_total(sum->operands[k], loop->regions[0]->args[1 + i], &factor);
    const Op *difference = factor ? powered_difference(factor, false, DEEPEST) : NULL;
    const Value *m = difference ? ir_bare(difference->operands[1]) : NULL;
    if (!m || !m->def || (m->def->code != OP_max && m->def->code != OP_maxnan) ||
        !tell_is_moved(m, loop, DEEPEST))
        return;
    int was = carried_in(loop, m, DEEPEST);
    for (int k = 0; k < loop->nresults; k++) {
        bool is_it = was == -1 ? k != i && ir_bare(end->operands[k]) == m : k == was;
        if (k == was && (follows_from(end->operands[k], m, DEEPEST) ||
                         ir_same(ir_bare(end->operands[k]), m, DEEPEST)))
            return;
        if (is_it && follows_from(end->operands[k], m, DEEPEST))
            return;
    }
    bool is_same = was == -1 ? !tell_is_inside(ir_bare(difference->operands[0]), loop)
                             : carried_in(loop, difference->operands[0], DEEPEST) == was;
    if (was >= -1 && is_same)
        tell_warn(s, m->def, "m = new at the end of the round",
                  "totals are scaled to this maximum, and the next round takes them for scaled to "
                  "another one");
}

static void look_at(Op *loop, void *suspect)
{
    const Op *end = opt_last(loop->regions[0] ? loop->regions[0] : loop->block);

    for (int i = 0; loop->code == OP_for && i < loop->nresults; i++) {
        const Value *factor = NULL;
        const Value *x = added_to(end->operands[i], loop->regions[0]->args[1 + i], &factor);
        const Op *difference = x ? powered_difference(x, false, DEEPEST) : NULL;
        const Value *m = difference ? ir_bare(difference->operands[1]) : NULL;
        const Value *was = m ? maximum_before(loop, m) : NULL;
        look_at_lost(suspect, loop, i);
        if (was && factor)
            look_at_factor(suspect, loop, end->operands[i]->def, factor, m, was);
        else if (was)
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
