/*
 * formula_softmax.c - what makes the weights of a softmax others than was meant
 *
 *   - tl.exp2(x * 0.693147), and tl.exp(x * 1.442695), which have the other one's constant;
 *   - tl.exp(x - m) and tl.exp2(y - m) of one m: the base is 2 in one of them, and e in the other;
 *   - exp(x - m) of the greatest of each row, summed up over columns: axis=1 of one, 0 of the
 * other;
 *   - tl.where(mask, scores, 0.0): exp(0 - m) is no less than that of other scores, and counts in
 *     the sum; what is to be left out is -inf.  So is scores * mask, of a mask of integers;
 *   - exp(x) / tl.sum(exp(x)) of what was loaded or multiplied, without a maximum: exp is infinite
 *     from 89 on, and their quotient NaN;
 *   - the weights of a column of which each program has some rows only, where it has whole rows;
 *   - tl.exp(b - tl.max(a)) beside tl.exp(a - tl.max(a)), and a quotient of which one part alone
 * has tl.exp(x - tl.max(x)).
 *
 * Of the weights by 0.0 nothing is said where something is added to the scores behind tl.where, as
 * to a bias, and where the weights are masked again before they are summed up.
 */
#include "formula.h"

#include <math.h>

enum { DEEPEST = 24, SAME_DEPTH = 12, MOST_POWERS = 32 };

/* --- two bases --- */

typedef struct {
    const Op *at[MOST_POWERS];
    int n;
} Powers;

/* The number that is subtracted in exp(x - m); NULL: it is another one. */
static const Value *subtracted(const Op *power)
{
    const Op *op = ir_bare(power->operands[0])->def;

    return op && op->code == OP_sub ? ir_bare(op->operands[1]) : NULL;
}

static void note_power(Op *op, void *powers)
{
    Powers *p = powers;
    uint64_t bits;

    if ((op->code == OP_exp || op->code == OP_exp2) && p->n < MOST_POWERS && subtracted(op) &&
        !value_constant(subtracted(op), &bits))
        p->at[p->n++] = op;
}

static void look_at_bases(const Suspect *s)
{
    Powers p = {.n = 0};

    ir_walk(s->func->body, note_power, &p);
    for (int i = 1; i < p.n; i++) {
        for (int k = 0; k < i; k++) {
            if (p.at[i]->code == p.at[k]->code || subtracted(p.at[i]) != subtracted(p.at[k]))
                continue;
            tell_warn(s, p.at[i],
                      "tl.exp in both, or tl.exp2 in both of what was multiplied by 1.44269504, "
                      "the logarithm of e",
                      "this is a power of %s, and another one of a difference to the same "
                      "number is one of %s",
                      p.at[i]->code == OP_exp ? "e" : "2", p.at[k]->code == OP_exp ? "e" : "2");
            return;
        }
    }
}

/* --- scores of 0 --- */

static bool has_op(const Value *v, bool (*is)(const Op *op), int depth)
{
    const Op *op = v->def;

    if (!op || depth == 0)
        return false;
    if (is(op))
        return true;
    for (int i = 0; i < op->noperands && !op_only_reads(op); i++) {
        if (has_op(op->operands[i], is, depth - 1))
            return true;
    }
    return false;
}

static bool is_arange(const Op *op)
{
    return op->code == OP_arange;
}

static bool is_score(const Op *op)
{
    return op->code == OP_dot || op_only_reads(op);
}

static bool is_zero(const Value *v)
{
    uint64_t bits;

    return value_constant(v, &bits) && scalar_to_double(v->type->dtype, bits) == 0;
}

/* Is it the greatest of the scores, or of these and what was before? */
static bool is_greatest_of(const Value *m, const Value *scores, int depth)
{
    const Op *op = ir_bare(m)->def;

    if (!op || depth == 0)
        return false;
    if (ir_reduces(op))
        return op->noperands == 1 && ir_bare(op->operands[0]) == scores;
    for (int i = 0; i < op->noperands && (op->code == OP_max || op->code == OP_maxnan); i++) {
        if (is_greatest_of(op->operands[i], scores, depth - 1))
            return true;
    }
    return false;
}

static bool is_product(const Op *op)
{
    return op->code == OP_dot;
}

/* scores * mask */
static void look_at_factor(const Suspect *s, const Op *product)
{
    for (int i = 0; product && product->code == OP_mul && i < 2; i++) {
        const Op *cast = ir_unmoved(product->operands[i])->def;
        const Op *load = cast && cast->code == OP_cast ? cast->operands[0]->def : NULL;
        if (load && op_only_reads(load) && load->results[0]->type->rank == 2 &&
            dtype_is_int(load->results[0]->type->dtype) &&
            has_op(product->operands[1 - i], is_product, DEEPEST))
            tell_warn(s, product, "tl.where(mask != 0, scores, -float(\"inf\"))",
                      "scores times a mask are 0 where it is, and exp of 0 counts in the sum of "
                      "the softmax");
    }
}

static void look_at_sum(Op *op, void *suspect)
{
    const Suspect *s = suspect;

    if (!ir_reduces(op) || op->noperands != 1 || ir_combine_code(op) != OP_add)
        return;
    const Op *power = ir_bare(op->operands[0])->def;
    if (!power || (power->code != OP_exp && power->code != OP_exp2))
        return;
    const Op *difference = ir_bare(power->operands[0])->def;
    if (!difference || difference->code != OP_sub)
        return;
    const Value *scores = ir_bare(difference->operands[0]);
    const Op *choice = scores->def, *greatest = ir_bare(difference->operands[1])->def;
    if (ir_reduces(greatest) && greatest->noperands == 1 && ir_combine_code(greatest) != OP_add &&
        ir_bare(greatest->operands[0]) == scores && op->operands[0]->type->rank == 2 &&
        type_same_shape(scores->type, op->operands[0]->type) &&
        attr_axis(greatest) != attr_axis(op))
        tell_warn(s, op, "the same axis in both",
                  "this sums along axis %d what was taken the greatest of along axis %d",
                  (int)attr_axis(op), (int)attr_axis(greatest));
    look_at_factor(s, choice);
    if (!choice || choice->code != OP_select || !has_op(choice->operands[0], is_arange, DEEPEST) ||
        !is_greatest_of(difference->operands[1], scores, DEEPEST))
        return;
    for (int i = 1; i <= 2; i++) {
        if (is_zero(choice->operands[i]) && has_op(choice->operands[3 - i], is_score, DEEPEST))
            tell_warn(s, choice, "tl.where(mask, scores, -float(\"inf\"))",
                      "where the mask says no this score is 0, and exp of it counts in the sum "
                      "of the softmax");
    }
}

/* --- constants of the other base --- */

/* The x of x - tl.max(x), or what it is. */
static const Value *without_greatest(const Value *v)
{
    const Op *op = ir_bare(v)->def;
    const Op *greatest = op && op->code == OP_sub ? ir_bare(op->operands[1])->def : NULL;

    if (greatest && ir_reduces(greatest) && greatest->noperands == 1 &&
        ir_bare(greatest->operands[0]) == ir_bare(op->operands[0]))
        return op->operands[0];
    return v;
}

static void look_at_constant(Op *op, void *suspect)
{
    const double wrong = op->code == OP_exp2 ? 0.69314718 : 1.44269504;
    const Op *product = ir_bare(without_greatest(op->operands[0]))->def;
    uint64_t bits;

    for (int i = 0; product && product->code == OP_mul && i < 2; i++) {
        const Value *c = ir_bare(product->operands[i]);
        if (value_constant(c, &bits) && dtype_is_float(c->type->dtype) &&
            fabs(scalar_to_double(c->type->dtype, bits) - wrong) < 1e-4)
            tell_warn(suspect, op, "e to the x is tl.exp(x), or tl.exp2(x * 1.442695)",
                      "this is neither a power of e nor one of 2: the constant belongs to the "
                      "other function");
    }
}

static void look_at_power(Op *op, void *suspect)
{
    if (op->code == OP_exp || op->code == OP_exp2)
        look_at_constant(op, suspect);
}

/* --- weights --- */

/* What was loaded, or a product, times something that is the same for all lanes, and -inf where a
 * mask says no. */
static bool is_unbounded(const Value *v, int depth)
{
    const Op *op = ir_bare(v)->def;
    uint64_t bits;

    if (!op || depth == 0)
        return false;
    if (op->code == OP_dot || op_only_reads(op))
        return ir_bare(v)->type->rank > 0;
    if (op->code == OP_select && value_constant(op->operands[2], &bits))
        return is_unbounded(op->operands[1], depth - 1);
    for (int i = 0; (op->code == OP_mul || (op->code == OP_div && i == 0)) && i < 2; i++) {
        if (ir_unmoved(op->operands[1 - i])->type->rank == 0)
            return is_unbounded(op->operands[i], depth - 1);
    }
    return false;
}

/* exp(x) / tl.sum(exp(x)) */
static void look_at_weights(Op *op, void *suspect)
{
    const Suspect *s = suspect;
    const Op *power = op->code == OP_div ? ir_bare(op->operands[0])->def : NULL;
    const Op *sum = power ? ir_bare(op->operands[1])->def : NULL;

    if (!sum || (power->code != OP_exp && power->code != OP_exp2) || !ir_reduces(sum) ||
        sum->noperands != 1 || ir_combine_code(sum) != OP_add ||
        ir_bare(sum->operands[0]) != power->results[0])
        return;
    if (is_unbounded(power->operands[0], DEEPEST))
        tell_warn(s, power, "tl.exp(x - tl.max(x, axis)) has the same quotients",
                  "exp of 89 is infinite, and by an infinite sum it is NaN: nothing keeps these "
                  "weights from that");
    if (tell_is_shared_out(s, sum))
        tell_warn(s, sum, "the other axis, or a loop over all rows",
                  "this sums up weights along axis %d, of which each program has a part only, "
                  "and divides that part by it",
                  (int)attr_axis(sum));
}

/* x - tl.log(tl.sum(exp(x))) */
static void look_at_logarithms(Op *op, void *suspect)
{
    const Op *log = op->code == OP_sub ? ir_bare(op->operands[1])->def : NULL;
    const Op *sum = log && log->code == OP_log ? ir_bare(log->operands[0])->def : NULL;
    const Op *power = sum && ir_reduces(sum) ? ir_bare(sum->operands[0])->def : NULL;

    if (!power || power->code != OP_exp || sum->noperands != 1 || ir_combine_code(sum) != OP_add ||
        ir_bare(op->operands[0])->type->rank != 2 || !tell_is_shared_out(suspect, sum))
        return;
    tell_warn(suspect, sum, "the other axis, or a loop over all rows",
              "this sums up weights along axis %d, of which each program has a part only, and "
              "takes its logarithm from that part",
              (int)attr_axis(sum));
}

static bool is_power(const Op *op)
{
    return op->code == OP_exp || op->code == OP_exp2;
}

/* --- the greatest of another tile --- */

/* The tile of which m, in exp(x - m), is the greatest; NULL. */
static const Value *tile_of_greatest(const Op *power, const Value **x, const Value **greatest)
{
    const Op *sub = ir_bare(power->operands[0])->def;
    const Op *m = sub && sub->code == OP_sub ? ir_bare(sub->operands[1])->def : NULL;

    if (!m || !ir_reduces(m) || m->noperands != 1 ||
        (ir_combine_code(m) != OP_max && ir_combine_code(m) != OP_maxnan))
        return NULL;
    *x = ir_bare(sub->operands[0]);
    *greatest = m->results[0];
    return ir_bare(m->operands[0]);
}

typedef struct {
    const Value *greatest;
    bool own; /* exp(x - m) of the tile whose greatest m is, and which is no factor only */
} OwnPower;

static void note_own(Op *op, void *powers)
{
    const Value *x = NULL, *greatest = NULL;
    OwnPower *p = powers;

    for (int i = 0; op->code != OP_mul && !op_has(op, MOVES) && i < op->noperands; i++) {
        const Op *power = op->operands[i] ? ir_bare(op->operands[i])->def : NULL;
        if (!power || !is_power(power))
            continue;
        const Value *tile = tile_of_greatest(power, &x, &greatest);
        p->own |= tile && greatest == p->greatest && tile == x;
    }
}

/* exp(b - tl.max(a)) beside exp(a - tl.max(a)), of two tiles that were loaded.  Where the latter
 * only scales something else, as sums, a is what was the greatest of each part of b. */
static void look_at_other(Op *op, void *suspect)
{
    const Suspect *s = suspect;
    const Value *x = NULL, *greatest = NULL;

    if (op->code != OP_exp && op->code != OP_exp2)
        return;
    const Value *tile = tile_of_greatest(op, &x, &greatest);
    OwnPower p = {greatest, false};
    if (!tile || tile == x || !tile->def || !x->def || !op_only_reads(tile->def) ||
        !op_only_reads(x->def) || ir_same(tile->def->operands[0], x->def->operands[0], DEEPEST))
        return;
    ir_walk(s->func->body, note_own, &p);
    if (p.own)
        tell_warn(s, op, "m = tl.maximum(tl.max(a), tl.max(b))",
                  "this is the greatest of another tile: where an element is larger by 89, exp "
                  "is infinite");
}

/* --- weights in one part of a quotient alone --- */

/* Is exp(x - tl.max(x)) a factor of it? */
static bool has_shifted_power(const Value *v, int depth)
{
    const Op *op = ir_bare(v)->def;
    const Value *x = NULL, *greatest = NULL;

    if (!op || depth == 0)
        return false;
    if (is_power(op))
        return tile_of_greatest(op, &x, &greatest) == x && x;
    for (int i = 0; op->code == OP_mul && i < 2; i++) {
        if (has_shifted_power(op->operands[i], depth - 1))
            return true;
    }
    return false;
}

static const Op *sum_of(const Value *v)
{
    const Op *op = ir_bare(v)->def;

    return op && ir_reduces(op) && op->noperands == 1 && ir_combine_code(op) == OP_add ? op : NULL;
}

/* tl.sum(tl.exp(x - tl.max(x)) * v) / tl.sum(l): what was subtracted from x does not cancel. */
static void look_at_quotient(Op *op, void *suspect)
{
    const Op *above = op->code == OP_div ? sum_of(op->operands[0]) : NULL;
    const Op *below = above ? sum_of(op->operands[1]) : NULL;
    const Op *loaded = below ? ir_bare(below->operands[0])->def : NULL;

    if (loaded && op_only_reads(loaded) && has_shifted_power(above->operands[0], DEEPEST))
        tell_warn(suspect, op, "the weights stand in both: tl.sum(w * l)",
                  "what is summed above was scaled by exp of a difference to the greatest, and "
                  "what is summed below was not: the greatest does not cancel");
}

void formula_softmax(const Suspect *s)
{
    if (!tell_any(s, is_power))
        return;
    look_at_bases(s);
    ir_walk(s->func->body, look_at_sum, (void *)s);
    ir_walk(s->func->body, look_at_weights, (void *)s);
    ir_walk(s->func->body, look_at_logarithms, (void *)s);
    ir_walk(s->func->body, look_at_power, (void *)s);
    ir_walk(s->func->body, look_at_other, (void *)s);
    ir_walk(s->func->body, look_at_quotient, (void *)s);
}
