/*
 * formula_log.c - logarithms of what exp has made
 *
 *   - tl.log(tl.exp(x - m) / s), the logarithm of a softmax: exp is 0 from 104 below the greatest
 *     on, and its logarithm -inf, where x - m - tl.log(s) is the number itself;
 *   - tl.log(tl.sum(tl.exp(x - m))) that is stored as it is, where m, the greatest of x, is used
 *     for nothing else: it has to be added again; so of a sum that a loop keeps, and its m;
 *   - x - tl.log(tl.sum(tl.exp(x - m))), which lacks an m;
 *   - x - tl.sum(tl.exp(x)), where the logarithm of the sum was meant;
 *   - tl.sum(tl.exp(x)) beside x - m, where m is the greatest of x;
 *   - tl.exp(x - tl.max(y)), of two arrays that were loaded;
 *   - m + tl.sum(tl.exp(x - m)), which lacks the logarithm.
 *
 * Nothing is said of a quotient that something is added to, or that is held above a bound.
 */
#include "formula.h"

enum { DEEPEST = 8, MOST_VISITS = 500 };

static bool is_log(const Op *op)
{
    return op->code == OP_log || op->code == OP_log2 || op->code == OP_log10;
}

static bool is_exp(const Value *v)
{
    const Op *op = ir_bare(v)->def;

    return op && (op->code == OP_exp || op->code == OP_exp2);
}

/* The tile that is summed along an axis; NULL: it is no sum. */
static const Value *summed(const Value *v)
{
    const Op *op = ir_bare(v)->def, *inner;

    if (!op || !ir_reduces(op) || op->noperands != 1)
        return NULL;
    inner = opt_last(op->regions[0])->operands[0]->def;
    return inner && inner->code == OP_add ? op->operands[0] : NULL;
}

/* Is it a sum of what exp has made, or was one carried by a loop? */
static bool is_sum_of_exp(const Value *v, int depth)
{
    const Value *bare = ir_bare(v), *tile = summed(v);
    const Op *op = bare->def;

    if (tile)
        return is_exp(tile) || (ir_bare(tile)->def && ir_bare(tile)->def->code == OP_select &&
                                is_exp(ir_bare(tile)->def->operands[1]));
    if (!op || depth == 0)
        return false;
    if (op->code == OP_add || op->code == OP_fma)
        return is_sum_of_exp(op->operands[0], depth - 1) ||
               is_sum_of_exp(op->operands[op->noperands - 1], depth - 1);
    for (int i = 0; op->code == OP_for && i < op->nresults; i++) {
        if (op->results[i] == bare)
            return is_sum_of_exp(opt_last(op->regions[0])->operands[i], depth - 1);
    }
    return false;
}

static void look_for_quotient(const Suspect *s, const Op *log)
{
    const Op *quotient = ir_bare(log->operands[0])->def;

    if (!quotient || quotient->code != OP_div || !is_exp(quotient->operands[0]) ||
        !is_sum_of_exp(quotient->operands[1], DEEPEST))
        return;
    tell_warn(s, log, "x - m - tl.log(s) of exp(x - m) / s is the same, and keeps small ones",
              "exp is 0 of what is far below 0, and this is -inf there");
}

/* --- the greatest is not added again --- */

/* Does it go nowhere but into stores, as it is or times a constant? */
static bool is_only_stored(const Suspect *s, const Value *v, int depth)
{
    const UseLists *uses = tell_uses(s);
    bool stored = false;

    for (int i = 0; i < uses_count(uses, v); i++) {
        const Op *user = uses_of(uses, v)[i].op;
        bool stores = user->code == OP_store && user->operands[ir_access(user).data] == v;
        if (!stores &&
            (depth == 0 || user->nresults != 1 || (user->code != OP_cast && !op_has(user, MOVES)) ||
             !is_only_stored(s, user->results[0], depth - 1)))
            return false;
        stored = true;
    }
    return stored;
}

/* Is all that comes of the greatest value the difference? */
static bool is_only_subtracted(const Suspect *s, const Value *v, const Op *difference, int depth)
{
    const UseLists *uses = tell_uses(s);

    for (int i = 0; i < uses_count(uses, v); i++) {
        const Op *user = uses_of(uses, v)[i].op;
        if (user != difference && (depth == 0 || user->nresults != 1 || !op_has(user, MOVES) ||
                                   !is_only_subtracted(s, user->results[0], difference, depth - 1)))
            return false;
    }
    return true;
}

static void look_for_greatest(const Suspect *s, const Op *log)
{
    const Value *tile = summed(log->operands[0]);
    const Op *difference = tile && is_exp(tile) ? ir_bare(tile)->def->operands[0]->def : NULL;
    const Op *greatest;

    if (!difference || difference->code != OP_sub)
        return;
    greatest = ir_bare(difference->operands[1])->def;
    if (!greatest || !ir_reduces(greatest) ||
        !is_only_subtracted(s, greatest->results[0], difference, DEEPEST) ||
        !is_only_stored(s, log->results[0], DEEPEST))
        return;
    tell_warn(s, log, "m + tl.log(tl.sum(tl.exp(x - m)))",
              "this is less than the logarithm of the sum by what was subtracted in exp, and "
              "nobody adds it again");
}

/* The loop's result that is the greatest value which its total of exp is scaled to; NULL. */
static const Value *greatest_of_total(const Op *loop, int total)
{
    const Op *end = opt_last(loop->regions[0]), *sum = ir_bare(end->operands[total])->def;
    const Value *found = NULL;

    for (int i = 0; sum && sum->code == OP_add && i < 2; i++) {
        const Value *tile = summed(sum->operands[i]);
        const Op *difference =
            tile && is_exp(tile) ? ir_bare(ir_bare(tile)->def->operands[0])->def : NULL;
        for (int k = 0; difference && difference->code == OP_sub && k < loop->nresults; k++) {
            if (k != total && ir_bare(end->operands[k]) == ir_bare(difference->operands[1]))
                found = loop->results[k];
        }
    }
    return found;
}

/* tl.log(total) of exp(x - m), in a loop that carries m, which nobody looks at behind it */
static void look_for_lost(const Suspect *s, const Op *log)
{
    const Value *total = ir_bare(log->operands[0]);
    const Op *loop = total->def;

    if (!loop || loop->code != OP_for)
        return;
    const Value *m = greatest_of_total(loop, total->index);
    if (m && m->def && m != total && uses_count(tell_uses(s), m) == 0)
        tell_warn(s, log, "m + tl.log(total)",
                  "this is less than the logarithm of the sum by what was subtracted in exp, and "
                  "nobody adds it again");
}

/* --- the logarithm of a shifted sum, beside what is not shifted --- */

/* Is the greatest value added or subtracted somewhere on the way from it? */
static bool meets(const Suspect *s, const Value *v, const Value *greatest, int depth, int *left)
{
    const UseLists *uses = tell_uses(s);

    if (--*left < 0)
        return true;
    for (int i = 0; i < uses_count(uses, v) && depth > 0; i++) {
        const Op *user = uses_of(uses, v)[i].op;
        bool sums = user->code == OP_add || user->code == OP_sub || user->code == OP_fma;
        for (int k = 0; k < user->noperands; k++) {
            if (sums && ir_bare(user->operands[k]) == greatest)
                return true;
        }
        if (user->nresults == 1 && (sums || op_has(user, FOLDS) || op_has(user, MOVES)) &&
            meets(s, user->results[0], greatest, depth - 1, left))
            return true;
    }
    return false;
}

/* x - tl.log(tl.sum(tl.exp(x - m))), for which tl.log(..) + m was meant, or x - m */
static void look_for_shift(const Suspect *s, const Op *op)
{
    const Op *log = ir_bare(op->operands[1])->def;
    const Value *tile = log && is_log(log) ? summed(log->operands[0]) : NULL;
    const Op *difference =
        tile && is_exp(tile) ? ir_bare(ir_bare(tile)->def->operands[0])->def : NULL;

    if (!difference || difference->code != OP_sub ||
        ir_bare(difference->operands[0]) != ir_bare(op->operands[0]))
        return;
    const Op *greatest = ir_bare(difference->operands[1])->def;
    if (!greatest || !ir_reduces(greatest) || op->results[0]->type->rank == 0 ||
        meets(s, op->results[0], greatest->results[0], DEEPEST, &(int){MOST_VISITS}))
        return;
    tell_warn(s, op, "x - m - tl.log(tl.sum(tl.exp(x - m)))",
              "what exp is taken of here was shifted by the greatest, and what its logarithm is "
              "subtracted from was not");
}

/* --- the sum itself is subtracted --- */

static void look_for_sum(const Suspect *s, const Op *op)
{
    const Value *tile = summed(op->operands[1]), *x = ir_bare(op->operands[0]);

    if (tile && x->type->rank > 0 && is_exp(tile) && ir_bare(ir_bare(tile)->def->operands[0]) == x)
        tell_warn(s, op, "x - tl.log(tl.sum(tl.exp(x)))",
                  "this subtracts a sum of exponentials from what they are of, and not its "
                  "logarithm");
}

/* --- the greatest is subtracted elsewhere --- */

static bool is_greatest_of(const Value *v, const Value *x)
{
    const Op *op = ir_bare(v)->def;

    if (!op || !ir_reduces(op) || op->noperands != 1 || ir_bare(op->operands[0]) != x)
        return false;
    OpCode by = ir_combine_code(op);
    return by == OP_max || by == OP_maxnan;
}

/* tl.sum(tl.exp(x)), and x - tl.max(x) for something else */
static void look_for_unshifted(const Suspect *s, const Op *sum)
{
    const UseLists *uses = tell_uses(s);
    const Value *tile = summed(sum->results[0]);
    const Op *exp = tile && is_exp(tile) ? ir_bare(tile)->def : NULL;
    const Value *x = exp ? exp->operands[0] : NULL;

    for (int i = 0; x && i < uses_count(uses, x); i++) {
        const Op *op = uses_of(uses, x)[i].op;
        if (op->code != OP_sub || op->operands[0] != x || !is_greatest_of(op->operands[1], x))
            continue;
        tell_warn(s, exp, "tl.exp(x - m) here, too",
                  "what is summed up here was not shifted by the greatest, which is subtracted "
                  "from the same values elsewhere");
        return;
    }
}

/* --- the greatest of others --- */

static const Value *loaded(const Value *v)
{
    const Op *op = ir_bare(v)->def;

    return op && op->code == OP_load && op->results[0]->type->rank > 0 ? op->results[0] : NULL;
}

/* tl.exp(x - tl.max(y)), of two arrays */
static void look_for_others(const Suspect *s, const Op *exp)
{
    const Op *difference = ir_bare(exp->operands[0])->def;
    const Op *greatest =
        difference && difference->code == OP_sub ? ir_bare(difference->operands[1])->def : NULL;

    if (!greatest || !ir_reduces(greatest) || greatest->noperands != 1 ||
        (ir_combine_code(greatest) != OP_max && ir_combine_code(greatest) != OP_maxnan))
        return;
    const Value *x = loaded(difference->operands[0]), *y = loaded(greatest->operands[0]);
    const PointerBases *bases = ir_pointer_bases(s->func, s->arena);
    if (x && y && x != y && x->type == y->type &&
        (ir_bases_of(bases, x->def->operands[LOAD_PTR]) &
         ir_bases_of(bases, y->def->operands[LOAD_PTR])) == 0)
        tell_warn(s, difference, "x - tl.max(x), of the same",
                  "this subtracts the greatest of another array than the one that exp is taken of");
}

/* --- the logarithm is missing --- */

/* m + tl.sum(tl.exp(x - m)) */
static void look_for_no_log(const Suspect *s, const Op *op)
{
    for (int i = 0; i < 2; i++) {
        const Value *m = ir_bare(op->operands[i]), *tile = summed(op->operands[1 - i]);
        const Op *difference =
            tile && is_exp(tile) ? ir_bare(ir_bare(tile)->def->operands[0])->def : NULL;
        if (difference && difference->code == OP_sub && ir_reduces(m->def) &&
            ir_bare(difference->operands[1]) == m)
            tell_warn(s, op, "m + tl.log(tl.sum(tl.exp(x - m)))",
                      "this adds the greatest to a sum of exponentials, and not to its logarithm");
    }
}

static void look_at(Op *op, void *suspect)
{
    if (op->code == OP_reduce)
        look_for_unshifted(suspect, op);
    if (op->code == OP_exp || op->code == OP_exp2)
        look_for_others(suspect, op);
    if (op->code == OP_add)
        look_for_no_log(suspect, op);
    if (op->code == OP_sub) {
        look_for_sum(suspect, op);
        look_for_shift(suspect, op);
    }
    if (!is_log(op))
        return;
    look_for_quotient(suspect, op);
    look_for_lost(suspect, op);
    look_for_greatest(suspect, op);
}

static bool is_log_or_exp(const Op *op)
{
    return is_log(op) || op->code == OP_exp || op->code == OP_exp2;
}

void formula_log(const Suspect *s)
{
    if (tell_any(s, is_log_or_exp))
        ir_walk(s->func->body, look_at, (void *)s);
}
