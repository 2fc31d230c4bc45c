/*
 * suspect_start.c - what the rounds of a loop begin with, and that decides all of them
 *
 *   - tl.minimum(best, v) of a best that begins with -inf, and stays it; tl.maximum and inf;
 *   - tl.where(m < best, i, who) of a best that is inf in all rounds, since none keeps m: it is
 *     always the last round's;
 *   - tl.where(m < best, i, at) beside best = tl.maximum(best, m): the one asks for the least;
 *   - m = 0 for the greatest of scores, of which some are -inf by a mask, where tl.exp(x - m) and
 *     its sum, which begins with 0, follow: of scores far below 0 all are 0, and 0 / 0 is NaN;
 *   - h = tl.zeros(..) in front of the loop for a state that no round looks at, where each round
 *     stores what it has made.
 */
#include "suspect.h"
#include <math.h>

enum { DEEPEST = 16 };

static bool read_float(const Value *v, double *out)
{
    uint64_t bits;

    v = ir_bare(v);
    if (v->type->pointer || v->type->handle || !dtype_is_float(v->type->dtype) ||
        !value_constant(v, &bits))
        return false;
    *out = scalar_to_double(v->type->dtype, bits);
    return true;
}

static bool is_greatest(const Op *op)
{
    return op->code == OP_max || op->code == OP_maxnan;
}

static bool is_least(const Op *op)
{
    return op->code == OP_min || op->code == OP_minnan;
}

/* --- the end of all numbers --- */

static void look_at_end(const Suspect *s, const Op *loop, int i)
{
    const Value *was = loop->regions[0]->args[1 + i];
    const Op *op = ir_bare(opt_last(loop->regions[0])->operands[i])->def;
    double start;

    if (!op || (!is_greatest(op) && !is_least(op)) ||
        (ir_bare(op->operands[0]) != was && ir_bare(op->operands[1]) != was) ||
        !read_float(loop->operands[FOR_BOUNDS + i], &start) || !isinf(start) ||
        (start > 0) != is_greatest(op))
        return;
    tell_warn(s, op,
              is_greatest(op) ? "a maximum begins with -float(\"inf\")"
                              : "a minimum begins with float(\"inf\")",
              "this begins with %sinf, and stays it: no number is %s", start < 0 ? "-" : "",
              start < 0 ? "less" : "greater");
}

/* --- a choice by what is not kept --- */

/* who = tl.where(m < inf, i, who) */
static void look_at_choice(const Suspect *s, const Op *loop, int i)
{
    const Op *choice = ir_bare(opt_last(loop->regions[0])->operands[i])->def;
    const Op *than =
        choice && choice->code == OP_select ? ir_unmoved(choice->operands[0])->def : NULL;
    double limit;

    if (!than || ir_bare(choice->operands[2]) != loop->regions[0]->args[1 + i] ||
        (than->code != OP_lt && than->code != OP_gt && than->code != OP_le && than->code != OP_ge))
        return;
    bool less = than->code == OP_lt || than->code == OP_le;
    for (int k = 0; k < 2; k++) {
        const Value *best = ir_unmoved(than->operands[1 - k]);
        bool wins = k == 0 ? less : !less;
        if (tell_is_inside(best, loop) || !read_float(best, &limit) || !isinf(limit) ||
            (limit > 0) != wins || !tell_is_moved(than->operands[k], loop, DEEPEST))
            continue;
        tell_warn(s, than, "best = tl.minimum(best, m), or tl.maximum, at the end of the round",
                  "this compares with %sinf in all rounds, which no round changes, so that the "
                  "last one is chosen",
                  limit < 0 ? "-" : "");
        return;
    }
}

/* at = tl.where(m < best, i, at) and best = tl.maximum(best, m) */
static void look_at_turned(const Suspect *s, const Op *loop, int i)
{
    const Op *end = opt_last(loop->regions[0]), *choice = ir_bare(end->operands[i])->def;
    const Op *than =
        choice && choice->code == OP_select ? ir_unmoved(choice->operands[0])->def : NULL;

    if (!than || ir_bare(choice->operands[2]) != loop->regions[0]->args[1 + i] ||
        (than->code != OP_lt && than->code != OP_gt))
        return;
    for (int k = 0; k < loop->nresults; k++) {
        const Value *best = loop->regions[0]->args[1 + k];
        const Op *kept = ir_bare(end->operands[k])->def;
        for (int j = 0; kept && (is_greatest(kept) || is_least(kept)) && k != i && j < 2; j++) {
            const Value *m = ir_bare(kept->operands[j]);
            bool is_first = ir_bare(than->operands[0]) == m && ir_bare(than->operands[1]) == best;
            bool is_second = ir_bare(than->operands[1]) == m && ir_bare(than->operands[0]) == best;
            if (ir_bare(kept->operands[1 - j]) != best || (!is_first && !is_second))
                continue;
            bool asks_for_less = is_first == (than->code == OP_lt);
            if (asks_for_less == is_least(kept))
                continue;
            tell_warn(s, than, is_greatest(kept) ? "m > best" : "m < best",
                      "this chooses where a value is %s than the %s so far, which is what is kept",
                      asks_for_less ? "less" : "greater", is_greatest(kept) ? "greatest" : "least");
            return;
        }
    }
}

/* --- zero for the greatest --- */

static bool begins_with_zero(const Op *loop, int i)
{
    double start;

    return read_float(loop->operands[FOR_BOUNDS + i], &start) && start == 0;
}

static bool has_power_of(const Value *v, const Value *m, const Op *loop, int depth)
{
    const Op *op = v->def;

    if (!op || depth == 0 || !tell_is_inside(v, loop))
        return false;
    if (op->code == OP_exp || op->code == OP_exp2) {
        const Op *difference = ir_bare(op->operands[0])->def;
        while (difference && difference->code == OP_mul)
            difference = ir_bare(difference->operands[0])->def;
        return difference && difference->code == OP_sub && ir_bare(difference->operands[1]) == m;
    }
    for (int i = 0; i < op->noperands; i++) {
        if (has_power_of(op->operands[i], m, loop, depth - 1))
            return true;
    }
    return false;
}

/* Do others of the loop's totals, which follow from exp(x - m), begin with 0? */
static bool sums_powers(const Op *loop, const Value *m, int depth)
{
    const Op *end = opt_last(loop->regions[0]);
    int zeros = 0;

    for (int i = 0; i < loop->nresults; i++) {
        const Value *next = end->operands[i];
        if (ir_bare(next) == m || next->type->pointer || !has_power_of(next, m, loop, depth))
            continue;
        if (!begins_with_zero(loop, i))
            return false;
        zeros++;
    }
    return zeros > 0;
}

/* Has the tile -inf for some of its elements? */
static bool is_marked(const Value *v, int depth)
{
    const Op *op = ir_bare(v)->def;
    double filling;

    if (!op || depth == 0)
        return false;
    const Value *other = op->code == OP_select ? op->operands[2]
                         : op->code == OP_load ? op_operand(op, LOAD_OTHER)
                                               : NULL;
    if (other && read_float(other, &filling) && filling < -1e4)
        return true;
    for (int i = 0; i < op->noperands && op_has(op, FOLDS); i++) {
        if (is_marked(op->operands[i], depth - 1))
            return true;
    }
    return false;
}

static void look_at_zero(const Suspect *s, const Op *loop, int i)
{
    const Value *was = loop->regions[0]->args[1 + i];
    const Value *m = ir_bare(opt_last(loop->regions[0])->operands[i]);
    const Op *op = m->def;

    if (!op || !is_greatest(op) || !begins_with_zero(loop, i) || !sums_powers(loop, m, DEEPEST))
        return;
    for (int k = 0; k < 2; k++) {
        const Op *greatest = ir_bare(op->operands[1 - k])->def;
        if (ir_bare(op->operands[k]) != was || !ir_reduces(greatest) || greatest->noperands != 1 ||
            !is_marked(greatest->operands[0], DEEPEST))
            continue;
        tell_warn(s, op, "begin with -float(\"inf\")",
                  "this greatest value begins with 0: where all scores are far below 0, what exp "
                  "makes of them is 0, and so is their sum");
        return;
    }
}

/* --- a state that nobody looks at --- */

static bool loads_in(const Value *v, const Op *loop, int depth)
{
    const Op *op = v->def;

    if (!op || depth == 0 || !tell_is_inside(v, loop))
        return false;
    if (op->code == OP_load)
        return true;
    for (int i = 0; i < op->noperands; i++) {
        if (loads_in(op->operands[i], loop, depth - 1))
            return true;
    }
    return false;
}

static void look_at_state(const Suspect *s, const Op *loop, int i)
{
    const UseLists *uses = tell_uses(s);
    const Value *now = opt_last(loop->regions[0])->operands[i];
    double start;

    if (now->type->rank == 0 || uses_count(uses, loop->regions[0]->args[1 + i]) > 0 ||
        uses_count(uses, loop->results[i]) > 0 || !now->def || now->def->code != OP_add ||
        uses_count(uses, now) < 2 || !read_float(loop->operands[FOR_BOUNDS + i], &start) ||
        start != 0 || loop->operands[FOR_BOUNDS + i]->def->block == loop->regions[0] ||
        !loads_in(now, loop, DEEPEST))
        return;
    tell_warn(s, now->def, "h = decay * h + x goes on from the round before",
              "this begins with 0 in front of the loop, and no round looks at what the one "
              "before it has left");
}

static void look_at(Op *op, void *suspect)
{
    for (int i = 0; op->code == OP_for && i < op->nresults; i++) {
        look_at_end(suspect, op, i);
        look_at_choice(suspect, op, i);
        look_at_turned(suspect, op, i);
        look_at_zero(suspect, op, i);
        look_at_state(suspect, op, i);
    }
}

static bool is_for(const Op *op)
{
    return op->code == OP_for;
}

void suspect_start(const Suspect *s)
{
    if (tell_any(s, is_for))
        ir_walk(s->func->body, look_at, (void *)s);
}
