/*
 * suspect_rounds.c - what the rounds of a loop do not add up
 *
 * Slips, most of which leave a plausible number behind:
 *   - a total begins anew in each round, acc = tl.zeros(..) in the loop instead of in front of it,
 *     or acc = tl.dot(a, b): what the round begins with is not looked at, and only the last round
 *     counts;
 *   - a bias that is the same in all rounds is added in each: acc += tl.dot(a, b) + bias;
 *   - a greatest value is never kept, tl.maximum(m, x) where m stays -inf in all rounds;
 *   - each round adds what the one before it has added, acc += tl.dot(tl.load(pa), tl.load(pb)),
 *     since nobody moves the pointers;
 *   - or one of the two alone is moved;
 *   - a total that is multiplied in each round, a * s + x, and never given what comes of it, so
 *     that it is 0 in all of them;
 *   - a scan goes on with the sum of the round before alone, tl.cumsum(v) + carry and carry =
 *     tl.sum(v), and not with that of all;
 *   - each of n rounds loads the first element of a row of n: x + row * n, without the counter;
 *   - a greatest value that begins with -inf, for which a load gives 0 where its mask, another one
 *     in each round, leaves lanes out: 0 wins against all that is negative; and one that begins
 *     with 0, for which a load gives -inf there.
 *
 * Nothing is said of a recurrence, h += tl.dot(w, h) + b, whose rounds are steps in time, nor of
 * what is added from memory alone; nor of rounds that store, which may change what is loaded.
 */
#include "suspect.h"

#include <math.h>

enum { DEEPEST = 24, MOST_SUMMANDS = 16 };

/* Does v follow from `from`, within the loop?  Where that is not known, yes. */
static bool follows_from(const Value *v, const Value *from, const Op *loop, int depth)
{
    if (v == from)
        return true;
    if (!tell_is_inside(v, loop) || !v->def)
        return false;
    if (depth == 0 || (v->def->regions[0] && !op_has(v->def, COMBINES)))
        return true;
    for (int i = 0; i < v->def->noperands; i++) {
        if (follows_from(v->def->operands[i], from, loop, depth - 1))
            return true;
    }
    return false;
}

static bool is_loaded(const Value *v, int depth)
{
    const Op *op = v->def;

    if (!op || depth == 0)
        return false;
    if (op_only_reads(op))
        return true;
    for (int i = 0; i < op->noperands; i++) {
        if ((op_has(op, FOLDS) || op_has(op, MOVES) || op_has(op, COMBINES) ||
             op->code == OP_dot) &&
            is_loaded(op->operands[i], depth - 1))
            return true;
    }
    return false;
}

/* --- a total that begins anew --- */

/* tl.zeros(..), or a number less than all others, in the round. */
static bool begins_anew(const Value *v, const Op *loop, int depth)
{
    const Op *op = v->def;
    uint64_t bits;

    if (!op || depth == 0 || !tell_is_inside(v, loop) ||
        (op->code != OP_add && op->code != OP_max && op->code != OP_maxnan && op->code != OP_min &&
         op->code != OP_minnan))
        return false;
    for (int i = 0; i < 2; i++) {
        const Value *begun = op->operands[i];
        if (value_constant(begun, &bits) && tell_is_inside(begun, loop) &&
            is_loaded(op->operands[1 - i], DEEPEST))
            return true;
        if (begins_anew(begun, loop, depth - 1))
            return true;
    }
    return false;
}

/* acc = tl.zeros(..) in front of a loop within the loop, which adds to it. */
static bool begins_anew_inside(const Value *v, const Op *loop)
{
    const Op *inner = v->def;
    uint64_t bits;

    for (int i = 0; inner && inner->code == OP_for && i < inner->nresults; i++) {
        const Value *begun = inner->operands[FOR_BOUNDS + i];
        const Op *sum = opt_last(inner->regions[0])->operands[i]->def;
        if (inner->results[i] != v || !tell_is_inside(v, loop) || !tell_is_inside(begun, loop) ||
            !value_constant(begun, &bits))
            continue;
        const Value *was = inner->regions[0]->args[1 + i];
        for (int k = 0; sum && sum->code == OP_add && k < 2; k++) {
            if (sum->operands[k] == was && is_loaded(sum->operands[1 - k], DEEPEST))
                return true;
        }
    }
    return false;
}

static bool is_looked_at(const Suspect *s, const Value *arg)
{
    return uses_count(tell_uses(s), arg) > 0;
}

static void look_for_anew(const Suspect *s, const Op *loop, int i)
{
    const Op *end = opt_last(loop->regions[0]);
    uint64_t bits;

    if (is_looked_at(s, loop->regions[0]->args[1 + i]) ||
        uses_count(tell_uses(s), loop->results[i]) == 0 ||
        !value_constant(loop->operands[FOR_BOUNDS + i], &bits) ||
        (!begins_anew(end->operands[i], loop, DEEPEST) &&
         !begins_anew_inside(end->operands[i], loop)))
        return;
    tell_warn(s, end->operands[i]->def,
              "begin it in front of the loop; where only the last round is meant, give it "
              "another name there",
              "each round begins this anew, and only that of the last one is left behind the "
              "loop");
}

/* --- a product that is not added --- */

/* acc = tl.dot(a, b) of tiles that the round has loaded, where acc begins with 0. */
static void look_for_product(const Suspect *s, const Op *loop, int i)
{
    const Op *dot = ir_bare(opt_last(loop->regions[0])->operands[i])->def;
    uint64_t bits;

    if (!dot || dot->code != OP_dot || is_looked_at(s, loop->regions[0]->args[1 + i]) ||
        uses_count(tell_uses(s), loop->results[i]) == 0 ||
        !value_constant(loop->operands[FOR_BOUNDS + i], &bits) ||
        !value_constant(dot->operands[2], &bits) ||
        (!tell_is_moved(dot->operands[0], loop, DEEPEST) &&
         !tell_is_moved(dot->operands[1], loop, DEEPEST)))
        return;
    tell_warn(s, dot, "acc += tl.dot(a, b), or acc = tl.dot(a, b, acc)",
              "each round makes this product anew, and only that of the last one is left behind "
              "the loop");
}

/* --- a total that is not one --- */

/* acc = tl.load(..), another tile in each round, where acc begins with 0 and nobody looks at it in
 * the loop. */
static void look_for_last(const Suspect *s, const Op *loop, int i)
{
    const Value *v = opt_last(loop->regions[0])->operands[i];
    uint64_t bits;

    if (v->type->rank == 0 || !v->def || is_looked_at(s, loop->regions[0]->args[1 + i]) ||
        uses_count(tell_uses(s), loop->results[i]) == 0 || uses_count(tell_uses(s), v) != 1 ||
        !value_constant(loop->operands[FOR_BOUNDS + i], &bits) || !tell_is_inside(v, loop) ||
        !is_loaded(v, DEEPEST) || !tell_is_moved(v, loop, DEEPEST) ||
        diag_warned(s->diags, v->def->span))
        return;
    tell_warn(s, v->def, "acc += .. adds them up; only the last one needs no loop",
              "each round loads this anew, and only that of the last one is left behind the "
              "loop");
}

/* --- a bias in each round --- */

typedef struct {
    const Value *at[MOST_SUMMANDS];
    int n;
} Summands;

static void find_summands(Summands *all, const Value *v, const Op *loop, int depth)
{
    const Op *op = v->def;

    if (op && tell_is_inside(v, loop) && depth > 0 && op->code == OP_add) {
        find_summands(all, op->operands[0], loop, depth - 1);
        find_summands(all, op->operands[1], loop, depth - 1);
        return;
    }
    if (all->n < MOST_SUMMANDS)
        all->at[all->n++] = v;
    if (op && tell_is_inside(v, loop) && depth > 0 && op->code == OP_dot)
        find_summands(all, op->operands[2], loop, depth - 1);
}

static bool is_summed(const Value *v, const Value *total, const Op *loop)
{
    const Value *b = ir_bare(v);

    return b->def && (b->def->code == OP_dot || ir_reduces(b->def)) &&
           tell_is_moved(b, loop, DEEPEST) && is_loaded(b, DEEPEST) &&
           !follows_from(b, total, loop, DEEPEST);
}

static bool is_same_loaded(const Value *v, const Op *loop)
{
    const Value *b = ir_bare(v);

    return b->def && op_only_reads(b->def) && !tell_is_moved(b, loop, DEEPEST);
}

static void look_for_bias(const Suspect *s, const Op *loop, int i)
{
    const Op *end = opt_last(loop->regions[0]);
    const Value *total = loop->regions[0]->args[1 + i], *bias = NULL;
    bool kept = false, summed = false;
    Summands all = {.n = 0};

    if (total->type->pointer || !dtype_is_float(total->type->dtype))
        return;
    find_summands(&all, end->operands[i], loop, DEEPEST);
    for (int k = 0; k < all.n; k++) {
        const Op *op = all.at[k]->def;
        bool is_dot_of_total = op && op->code == OP_dot && op->operands[2] == total;
        kept |= all.at[k] == total || is_dot_of_total;
        summed |= is_summed(all.at[k], total, loop) || is_dot_of_total;
        if (is_same_loaded(all.at[k], loop))
            bias = all.at[k];
    }
    if (kept && summed && bias)
        tell_warn(s, ir_bare(bias)->def, "add it behind the loop",
                  "this is the same in all rounds of the loop, and each adds it to the total");
}

/* --- rounds that load the same --- */

static void note_effect(Op *op, void *found)
{
    *(bool *)found |= op_has(op, WRITES | EFFECT) || op_is_volatile(op);
}

/* Is it another one in each round?  Masks choose only how much is loaded. */
static bool is_new(const Value *v, const Op *loop, int depth)
{
    const Op *op = v->def;

    if (!tell_is_inside(v, loop))
        return false;
    if (!op || depth == 0 || (op->regions[0] && !op_has(op, COMBINES)))
        return true;
    int mask = op_only_reads(op) ? ir_access(op).mask : -1;
    for (int i = 0; i < op->noperands; i++) {
        if (i != mask && is_new(op->operands[i], loop, depth - 1))
            return true;
    }
    return false;
}

static bool loads_inside(const Value *v, const Op *loop, int depth)
{
    const Op *op = v->def;

    if (!op || depth == 0 || !tell_is_inside(v, loop))
        return false;
    for (int i = 0; i < op->noperands && !op_only_reads(op); i++) {
        if (loads_inside(op->operands[i], loop, depth - 1))
            return true;
    }
    return op_only_reads(op);
}

/* Of two tiles that are loaded in each round one is another one each time. */
static const Value *same_factor(const Op *dot, const Op *loop)
{
    bool first = is_new(dot->operands[0], loop, DEEPEST);
    bool second = is_new(dot->operands[1], loop, DEEPEST);

    if (first == second || !loads_inside(dot->operands[0], loop, DEEPEST) ||
        !loads_inside(dot->operands[1], loop, DEEPEST))
        return NULL;
    return dot->operands[first ? 1 : 0];
}

static void tell_same_factor(const Suspect *s, const Op *loop, const Op *dot)
{
    const Value *same = same_factor(dot, loop);
    bool effects = false;

    ir_walk(loop->regions[0], note_effect, &effects);
    if (same && !effects)
        tell_warn(s, dot,
                  "move both pointers at the end of the round, or load in front of the loop what "
                  "is the same in all",
                  "each round loads the %s operand of this product from the same addresses, and "
                  "the other one from others",
                  same == dot->operands[0] ? "first" : "second");
}

static void look_for_same(const Suspect *s, const Op *loop, int i)
{
    const Op *end = opt_last(loop->regions[0]);
    const Value *total = loop->regions[0]->args[1 + i];
    bool kept = false, loaded = false, effects = false;
    Summands all = {.n = 0};

    if (total->type->pointer)
        return;
    find_summands(&all, end->operands[i], loop, DEEPEST);
    for (int k = 0; k < all.n; k++) {
        if (all.at[k]->def && all.at[k]->def->code == OP_dot)
            tell_same_factor(s, loop, all.at[k]->def);
    }
    for (int k = 0; k < all.n; k++) {
        const Op *op = all.at[k]->def;
        int factors = op && op->code == OP_dot ? 2 : 0; /* and what it adds to is a summand, too */
        bool other = all.at[k] != total && !factors && is_new(all.at[k], loop, DEEPEST);
        for (int f = 0; f < factors; f++)
            other |= is_new(op->operands[f], loop, DEEPEST);
        if (other)
            return;
        kept |= all.at[k] == total;
        loaded |= loads_inside(factors ? op->operands[0] : all.at[k], loop, DEEPEST);
    }
    ir_walk(loop->regions[0], note_effect, &effects);
    if (kept && loaded && !effects)
        tell_warn(s, end->operands[i]->def,
                  "move the pointers at the end of the round, p += BLOCK * stride, or add the "
                  "loop's counter to the offsets",
                  "each round loads from the same addresses, and adds the same as the one "
                  "before it");
}

/* tl.maximum(m, x) of an x that is loaded from the same addresses in each round */
static void look_for_same_extreme(const Suspect *s, const Op *loop, int i)
{
    const Op *op = opt_last(loop->regions[0])->operands[i]->def;
    const Value *total = loop->regions[0]->args[1 + i];
    bool is_extreme = op && (op->code == OP_max || op->code == OP_maxnan || op->code == OP_min ||
                             op->code == OP_minnan);
    bool effects = false;

    for (int k = 0; is_extreme && k < 2; k++) {
        const Value *x = op->operands[1 - k];
        if (op->operands[k] != total || is_new(x, loop, DEEPEST) || !loads_inside(x, loop, DEEPEST))
            continue;
        ir_walk(loop->regions[0], note_effect, &effects);
        if (!effects)
            tell_warn(s, op,
                      "move the pointers at the end of the round, p += BLOCK * stride, or add "
                      "the loop's counter to the offsets",
                      "each round loads from the same addresses, and looks at the same as the "
                      "one before it");
    }
}

/* --- a greatest value that is not kept --- */

static bool is_infinite(const Value *v, double sign)
{
    uint64_t bits;

    return !v->type->pointer && dtype_is_float(v->type->dtype) && value_constant(v, &bits) &&
           isinf(scalar_to_double(v->type->dtype, bits)) &&
           scalar_to_double(v->type->dtype, bits) * sign > 0;
}

static const Op *loop_around(const Block *b)
{
    while (b->owner && b->owner->code != OP_for)
        b = b->owner->block;
    return b->owner;
}

static void look_for_greatest(const Suspect *s, const Op *op)
{
    bool greatest = op->code == OP_max || op->code == OP_maxnan;
    const Op *loop = loop_around(op->block);

    if ((!greatest && op->code != OP_min && op->code != OP_minnan) || !loop ||
        op->results[0]->type->rank == 0)
        return;
    for (int i = 0; i < 2; i++) {
        const Value *v = op->operands[i];
        if (is_infinite(v, greatest ? -1 : 1) && !tell_is_inside(v, loop) &&
            tell_is_moved(op->operands[1 - i], loop, DEEPEST))
            tell_warn(s, op,
                      "keep it at the end of the round: m = new, where new is tl.maximum(m, x)",
                      "this is the other operand in all rounds: one is %sinf, and no round "
                      "changes it",
                      greatest ? "-" : "");
    }
}

/* --- a greatest value among which are zeros of masks --- */

/* What a value of a loop's round, or of those around it, begins with. */
static const Value *begun_with(const Value *v)
{
    v = ir_bare(v);
    while (!v->def && v->block->owner && v->block->owner->code == OP_for && v->index > 0)
        v = ir_bare(v->block->owner->operands[FOR_BOUNDS + v->index - 1]);
    return v;
}

static bool is_zero(const Value *v)
{
    uint64_t bits;

    return !v->type->pointer && value_constant(v, &bits) &&
           scalar_to_double(v->type->dtype, bits) == 0;
}

/* The load that an operand of a maximum is, or is the maximum of; NULL. */
static const Op *load_of_greatest(const Value *v, OpCode code)
{
    const Op *op = ir_bare(v)->def;

    bool is_winner = op && ir_reduces(op) && op->noperands == 2 &&
                     ir_combine_kind(op).winner == (code == OP_maxnan   ? OP_max
                                                    : code == OP_minnan ? OP_min
                                                                        : code);
    if (op && ir_reduces(op) && (is_winner || (op->noperands == 1 && ir_combine_code(op) == code)))
        op = ir_bare(op->operands[0])->def;
    return op && op->code == OP_load ? op : NULL;
}

/* For exp(x - m) any m near the greatest will do. */
static bool is_power(const Op *op)
{
    return op->code == OP_exp || op->code == OP_exp2;
}

/* tl.where(mask, tl.maximum(acc, x), acc): lanes that are left out keep what they were. */
static bool is_chosen(const Suspect *s, const Op *op, const Value *carried)
{
    const Value *v = op->results[0];
    const Use *use = uses_of(tell_uses(s), v);

    for (int i = 0; i < uses_count(tell_uses(s), v); i++) {
        const Op *by = use[i].op;
        if (by->code != OP_select ||
            (ir_bare(by->operands[1]) != carried && ir_bare(by->operands[2]) != carried))
            return false;
    }
    return true;
}

static void look_for_padding(const Suspect *s, const Op *op)
{
    bool greatest = op->code == OP_max || op->code == OP_maxnan;
    int least = greatest ? -1 : 1;
    const Op *loop = loop_around(op->block);

    if ((!greatest && op->code != OP_min && op->code != OP_minnan) || !loop)
        return;
    for (int i = 0; i < 2; i++) {
        const Op *load = load_of_greatest(op->operands[i], op->code);
        const Value *mask = load ? op_operand(load, LOAD_MASK) : NULL;
        const Value *other = mask ? op_operand(load, LOAD_OTHER) : NULL;
        const Value *start = begun_with(op->operands[1 - i]);
        if (!other || is_chosen(s, op, ir_bare(op->operands[1 - i])))
            continue;
        if (load == ir_bare(op->operands[i])->def && is_zero(ir_bare(other)) &&
            tell_is_moved(mask, loop, DEEPEST) && is_infinite(start, least))
            tell_warn(s, op,
                      greatest ? "other=-float(\"inf\") loses against all numbers"
                               : "other=float(\"inf\") loses against all numbers",
                      "this begins with %sinf, and is 0 where a mask leaves lanes of the load "
                      "out and all others are %s than 0",
                      greatest ? "-" : "", greatest ? "less" : "greater");
        if (is_zero(start) && start != ir_bare(op->operands[1 - i]) &&
            is_infinite(ir_bare(other), least) && !tell_any(s, is_power))
            tell_warn(s, op, "begin with what `other` is, too",
                      "this begins with 0, which wins against all that is %s; lanes that a mask "
                      "leaves out are %sinf",
                      greatest ? "less" : "greater", greatest ? "-" : "");
    }
}

/* --- a scan that goes on with the last round's sum --- */

static void look_for_carry(const Suspect *s, const Op *loop, int i)
{
    const UseLists *uses = tell_uses(s);
    const Op *sum = ir_bare(opt_last(loop->regions[0])->operands[i])->def;
    const Value *was = loop->regions[0]->args[1 + i];

    if (!ir_reduces(sum) || sum->noperands != 1 || ir_combine_code(sum) != OP_add ||
        !tell_is_inside(sum->results[0], loop) || uses_count(uses, was) != 1)
        return;
    const Op *user = uses_of(uses, was)[0].op;
    if (op_has(user, MOVES) && uses_count(uses, user->results[0]) == 1)
        user = uses_of(uses, user->results[0])[0].op;
    for (int k = 0; user->code == OP_add && k < 2; k++) {
        const Op *scan = ir_bare(user->operands[k])->def;
        if (scan && scan->code == OP_scan && scan->noperands == 1 &&
            ir_bare(scan->operands[0]) == ir_bare(sum->operands[0]))
            tell_warn(s, sum, "carry += tl.sum(v), of all rounds so far",
                      "what this scan goes on with is the sum of the round before alone");
    }
}

/* --- the first of a row in all rounds --- */

/* Array, rows by products, one of which is by `n`: how many of these, or -1 where there is more. */
static int rows_by(const Value *p, const Value *n, int depth)
{
    const Op *op = ir_bare(p)->def;
    int rows = 0;

    if (!op || depth == 0)
        return p->type->pointer && depth > 0 ? 0 : -1;
    if (op->code == OP_mul)
        return ir_same(ir_bare(op->operands[0]), n, DEEPEST) ||
               ir_same(ir_bare(op->operands[1]), n, DEEPEST);
    for (int i = 0; i < 2; i++) {
        int more = op->code == OP_add || op->code == OP_addptr
                       ? rows_by(op->operands[i], n, depth - 1)
                       : -1;
        if (more < 0)
            return -1;
        rows += more;
    }
    return rows;
}

static void look_for_first(const Suspect *s, const Op *load)
{
    const Op *loop = op_only_reads(load) ? loop_around(load->block) : NULL;
    const Value *n = loop ? ir_bare(loop->operands[FOR_HI]) : NULL;
    uint64_t low, step;

    if (!loop || n->type->rank > 0 || value_constant(n, &low) ||
        !value_constant(loop->operands[FOR_LO], &low) || low != 0 ||
        !value_constant(loop->operands[FOR_STEP], &step) || step != 1)
        return;
    const Value *p = load->operands[ir_access(load).pointer];
    if (!tell_is_moved(p, loop, DEEPEST) && rows_by(p, n, DEEPEST) == 1)
        tell_warn(s, load, "x + row * n + k, of the counter k",
                  "each round loads the first element of a row that has as many as there are "
                  "rounds");
}

/* a * s + x, where s begins with 0 in front of the loop, and another name gets what comes of it. */
static void look_for_unchanged(const Suspect *s, const Op *op)
{
    const Op *loop = op->code == OP_mul ? loop_around(op->block) : NULL;

    for (int i = 0; loop && i < 2; i++) {
        const Value *v = op->operands[i];
        if (v->type->rank == 0 || v->type->pointer || !dtype_is_float(v->type->dtype) ||
            !is_zero(v) || tell_is_inside(ir_unmoved(v), loop))
            continue;
        tell_warn(s, op, "is what comes of it given to another name than the next round uses?",
                  "this is a product with 0 in all rounds: it begins as 0 in front of the loop, "
                  "and no round changes it");
        return;
    }
}

/* --- all of it --- */

static void look_at(Op *op, void *suspect)
{
    const Suspect *s = suspect;

    for (int i = 0; op->code == OP_for && i < op->nresults; i++) {
        look_for_anew(s, op, i);
        look_for_product(s, op, i);
        look_for_last(s, op, i);
        look_for_bias(s, op, i);
        look_for_same(s, op, i);
        look_for_same_extreme(s, op, i);
        look_for_carry(s, op, i);
    }
    look_for_greatest(s, op);
    look_for_padding(s, op);
    look_for_unchanged(s, op);
    look_for_first(s, op);
}

static bool is_for(const Op *op)
{
    return op->code == OP_for;
}

void suspect_rounds(const Suspect *s)
{
    if (tell_any(s, is_for))
        ir_walk(s->func->body, look_at, (void *)s);
}
