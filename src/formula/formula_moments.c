/*
 * formula_moments.c - means and variances of one row that do not go with each other
 *
 *   - tl.sum(x - mean), of the mean of the same x, which is 0 but for rounding: the square of the
 *     difference was meant;
 *   - rounds of a loop that add up the deviations of each from its own mean;
 *   - mean of x * x plus mean * mean, for less;
 *   - tl.sum(x) / columns beside tl.sum(x * x) / (rows * columns): both are of the same elements,
 *     and are divided by two numbers.  Nothing is said where these are a constant apart, n and
 *     n - 1;
 *   - x * (1 / tl.sum(x * x)) without a root, and x divided by the inverse of its norm;
 *   - tl.rsqrt(tl.sqrt(..)) of a mean of squares, whose fourth root nobody asks for.
 */
#include "formula.h"

enum { SAME_DEPTH = 12, MOST_MEANS = 16 };

/* --- deviations from their own mean --- */

/* Who corrects a variance by the rounding of a mean asks for their squares, too. */
static bool is_squared_too(const Suspect *s, const Value *v)
{
    const UseLists *uses = tell_uses(s);

    for (int i = 0; i < uses_count(uses, v); i++) {
        const Op *user = uses_of(uses, v)[i].op;
        if (user->code == OP_mul && norm_squared(user->results[0]))
            return true;
    }
    return false;
}

static void look_at_deviations(const Suspect *s, const Op *sum)
{
    const Op *difference = norm_element(sum->operands[0])->def;
    bool part = false;

    if (sum->noperands != 1 || ir_combine_code(sum) != OP_add || !difference ||
        difference->code != OP_sub)
        return;
    const Value *mean = norm_sum_of(difference->operands[1], &part);
    const Value *of = mean && part ? norm_summed(mean) : NULL;
    const Value *x = norm_element(difference->operands[0]);
    if (of && x->type->rank > 0 && norm_is_same(x, of) && ir_reduces(mean->def) &&
        attr_axis(mean->def) == attr_axis(sum) && !is_squared_too(s, difference->results[0]) &&
        !is_squared_too(s, sum->operands[0]))
        tell_warn(s, sum, "d = x - mean, and tl.sum(d * d) / n for a variance",
                  "this is 0 but for rounding: it is a sum of differences to their own mean");
}

/* --- deviations from the mean of a round --- */

/* Is it (v - m) * (v - m), where m is the mean of that tile v alone? */
static bool is_own_deviation(const Value *squares, const Op *loop)
{
    const Value *d = squares ? norm_squared(squares) : NULL;
    const Op *difference = d ? d->def : NULL;
    const Op *mean =
        difference && difference->code == OP_sub ? ir_bare(difference->operands[1])->def : NULL;

    if (!mean || mean->code != OP_div || !tell_is_inside(mean->results[0], loop))
        return false;
    const Op *sum = ir_bare(mean->operands[0])->def;
    const Value *of = ir_reduces(sum) ? norm_summed(sum->results[0]) : NULL;
    return of && norm_is_same(of, difference->operands[0]) && tell_is_moved(of, loop, SAME_DEPTH);
}

/* m2 += tl.sum((v - m) * (v - m)) in each round */
static void look_at_rounds(const Suspect *s, const Op *loop)
{
    const Op *end = opt_last(loop->regions[0]);

    for (int i = 0; i < loop->nresults; i++) {
        const Op *sum = ir_bare(end->operands[i])->def;
        for (int k = 0; sum && sum->code == OP_add && k < 2; k++) {
            const Op *added = ir_bare(sum->operands[1 - k])->def;
            if (ir_bare(sum->operands[k]) != loop->regions[0]->args[1 + i] || !ir_reduces(added) ||
                !is_own_deviation(norm_summed(added->results[0]), loop))
                continue;
            tell_warn(s, sum, "+ d * d * n_before * n / (n_before + n), of d = m - mean_before",
                      "this adds up deviations of each round from its own mean: how far these "
                      "means lie apart is missing");
        }
    }
}

/* --- squares that are added --- */

static void look_at_variance(const Suspect *s, const Op *op)
{
    for (int i = 0; i < 2; i++) {
        bool of_squares = false, of_elements = false;
        const Value *squares = norm_sum_of(op->operands[i], &of_squares);
        const Value *x = squares && of_squares ? norm_squared(norm_summed(squares)) : NULL;
        const Value *mean = x ? norm_squared(op->operands[1 - i]) : NULL;
        const Value *sum = mean ? norm_sum_of(mean, &of_elements) : NULL;
        if (!sum || !of_elements || !norm_is_same(x, norm_summed(sum)))
            continue;
        tell_warn(s, op, "mean of x * x - mean * mean",
                  "this adds the square of a mean to the mean of squares, of which a variance is "
                  "the difference");
        return;
    }
}

/* --- two divisors --- */

typedef struct {
    const Suspect *s;
    const Op *at[MOST_MEANS]; /* quotients of sums by numbers of elements */
    int n;
} Means;

static void note_mean(Op *op, void *means)
{
    Means *m = means;
    bool part = false;

    if (op->code == OP_div && m->n < MOST_MEANS && op->nresults == 1 &&
        !op->results[0]->type->pointer && dtype_is_float(op->results[0]->type->dtype) &&
        norm_is_given(op->operands[1]) && opt_is_int(ir_bare(op->operands[1])) &&
        norm_sum_of(op->operands[0], &part) && !part)
        m->at[m->n++] = op;
}

/* n, or n - 1, or the greater of that and 1: without constants. */
static const Value *without_constants(const Value *v)
{
    const Op *op = ir_bare(v)->def;
    int64_t c;

    if (op && (op->code == OP_add || op->code == OP_sub || op->code == OP_max)) {
        for (int i = 0; i < 2; i++) {
            if (value_const_int(ir_bare(op->operands[1 - i]), &c))
                return without_constants(op->operands[i]);
        }
    }
    return ir_bare(v);
}

static bool has_other_divisor(const Op *a, const Op *b)
{
    const Value *m = without_constants(a->operands[1]), *n = without_constants(b->operands[1]);
    int64_t c;

    return !value_const_int(m, &c) && !value_const_int(n, &c) && !ir_same(m, n, SAME_DEPTH);
}

/* tl.sum(x) / m beside tl.sum(x * x) / n, of the same sums' shape */
static void look_at_divisors(const Suspect *s, const Op *a, const Op *b)
{
    const Value *x = norm_summed(a->operands[0]);
    const Value *squares = norm_summed(b->operands[0]);
    const Value *of = squares ? norm_squared(squares) : NULL;

    if (!x || !of || a->results[0]->type != b->results[0]->type || !norm_is_same(x, of) ||
        !has_other_divisor(a, b))
        return;
    tell_warn(s, b, "one number of elements for both",
              "this mean of squares and the mean of the same elements are divided by two numbers");
}

/* --- the root of a root --- */

static void look_at_root(const Suspect *s, const Op *op)
{
    const Op *inner = ir_bare(norm_without_eps(op->operands[0]))->def;
    bool part = false;

    if (!inner || (inner->code != OP_sqrt && inner->code != OP_rsqrt))
        return;
    const Value *v = norm_without_eps(inner->operands[0]);
    const Op *difference = ir_bare(v)->def;
    if (difference && difference->code == OP_sub) /* mean of x * x - mean * mean */
        v = difference->operands[0];
    const Value *sum = norm_sum_of(v, &part);
    if (sum && norm_squared(norm_summed(sum)))
        tell_warn(s, op, "tl.rsqrt(x + eps), or 1 / tl.sqrt(x + eps)",
                  "this is the root of a root of a mean of squares");
}

/* --- the inverse of a norm --- */

static const Value *divided_by(const Value *v)
{
    const Op *op = ir_bare(v)->def;
    uint64_t bits;

    return op && op->code == OP_div && value_constant(op->operands[0], &bits) &&
                   scalar_to_double(ir_bare(op->operands[0])->type->dtype, bits) == 1
               ? op->operands[1]
               : NULL;
}

/* The elements whose squares it is a sum of, or the root of that where that is asked for; NULL. */
static const Value *norm_of(const Value *v, bool root)
{
    const Op *op = ir_bare(norm_without_eps(v))->def;
    bool part = false;

    if (root && (!op || op->code != OP_sqrt))
        return NULL;
    const Value *sum = norm_sum_of(norm_without_eps(root ? op->operands[0] : v), &part);
    return sum ? norm_squared(norm_summed(sum)) : NULL;
}

static bool is_of_array(const Suspect *s, const Value *a, const Value *b)
{
    const PointerBases *bases = ir_pointer_bases(s->func, s->arena);
    const Op *x = norm_element(a)->def, *y = norm_element(b)->def;

    return x && y && x->code == OP_load && y->code == OP_load && x->results[0]->type->rank > 0 &&
           x->results[0]->type == y->results[0]->type &&
           ir_bases_of(bases, x->operands[LOAD_PTR]) == ir_bases_of(bases, y->operands[LOAD_PTR]);
}

/* x * (1 / tl.sum(x * x)), and x / (1 / tl.sqrt(tl.sum(x * x))), in loops of their own */
static void look_at_inverse(const Suspect *s, const Op *op)
{
    for (int i = op->code == OP_div; i < 2; i++) {
        const Value *norm = divided_by(op->operands[i]), *x = op->operands[1 - i];
        const Value *of = norm ? norm_of(norm, op->code == OP_div) : NULL;
        if (!of || !is_of_array(s, x, of))
            continue;
        if (op->code == OP_div)
            tell_warn(s, op, "x * inverse",
                      "this divides by the inverse of a norm, which multiplies by the norm");
        else
            tell_warn(s, op, "x / tl.sqrt(tl.sum(x * x)), or x * tl.rsqrt(..)",
                      "this divides by a sum of squares, and not by its root");
        return;
    }
}

static void look_at(Op *op, void *suspect)
{
    const Suspect *s = suspect;

    if (op->code == OP_for)
        look_at_rounds(s, op);
    if (op->nresults != 1 || op->results[0]->type->pointer ||
        !dtype_is_float(op->results[0]->type->dtype))
        return;
    if (ir_reduces(op))
        look_at_deviations(s, op);
    if (op->code == OP_add)
        look_at_variance(s, op);
    if (op->code == OP_rsqrt || op->code == OP_sqrt)
        look_at_root(s, op);
    if (op->code == OP_mul || op->code == OP_div)
        look_at_inverse(s, op);
}

void formula_moments(const Suspect *s)
{
    Means means = {.s = s};

    ir_walk(s->func->body, look_at, (void *)s);
    ir_walk(s->func->body, note_mean, &means);
    for (int i = 0; i < means.n; i++) {
        for (int k = 0; k < means.n; k++)
            look_at_divisors(s, means.at[i], means.at[k]);
    }
}
