/*
 * formula_turn.c - a rotation with both of its signs alike
 *
 * A rotation of (a, b) by (c, s) is a * c - b * s and b * c + a * s, back it is a * c + b * s and
 * b * c - a * s: of the two one is a sum.  So is the product of complex numbers.  Told is a pair of
 * differences of these four products, all of what was loaded: nothing turns (a, b) that way.  So is
 * a pair with three of the four products, of which one stands twice, a * c - b * s and b * c + b *
 * s.
 */
#include "formula.h"

enum { DEEPEST = 12, SAME_DEPTH = 12, MOST = 32 };

typedef struct {
    const Op *at[MOST]; /* sums and differences of products */
    int n;
} Pairs;

static bool is_same(const Value *a, const Value *b)
{
    return ir_same(ir_bare(a), ir_bare(b), SAME_DEPTH);
}

static bool is_loaded(const Value *v, int depth)
{
    const Op *op = ir_bare(v)->def;

    if (!op || depth == 0)
        return false;
    if (op_only_reads(op))
        return true;
    for (int i = 0; i < op->noperands && op_has(op, FOLDS); i++) {
        if (is_loaded(op->operands[i], depth - 1))
            return true;
    }
    return false;
}

/* A product of two that were loaded; NULL. */
static const Op *product(const Value *v)
{
    const Op *op = ir_bare(v)->def;

    return op && op->code == OP_mul && is_loaded(op->operands[0], DEEPEST) &&
                   is_loaded(op->operands[1], DEEPEST)
               ? op
               : NULL;
}

static void note(Op *op, void *pairs)
{
    Pairs *d = pairs;

    if ((op->code == OP_sub || op->code == OP_add) && d->n < MOST &&
        op->results[0]->type->rank > 0 && dtype_is_float(op->results[0]->type->dtype) &&
        product(op->operands[0]) && product(op->operands[1]))
        d->at[d->n++] = op;
}

/* Is the product one of x and y? */
static bool is_of(const Op *p, const Value *x, const Value *y)
{
    return (is_same(p->operands[0], x) && is_same(p->operands[1], y)) ||
           (is_same(p->operands[0], y) && is_same(p->operands[1], x));
}

/* a * c - b * s and b * c - a * s, each product and each difference in any order */
static bool are_crossed(const Op *one, const Op *two)
{
    const Op *ac = product(one->operands[0]), *bs = product(one->operands[1]);
    const Op *p = product(two->operands[0]), *q = product(two->operands[1]);

    for (int i = 0; i < 4; i++) {
        const Value *a = ac->operands[i / 2], *c = ac->operands[1 - i / 2];
        const Value *b = bs->operands[i % 2], *s = bs->operands[1 - i % 2];
        if (!is_same(a, b) && !is_same(c, s) && is_of(p, b, c) && is_of(q, a, s))
            return true;
    }
    return false;
}

/* The product of one factor of each; NULL: they have none in common. */
static const Value *common(const Op *p, const Op *q)
{
    for (int i = 0; i < 4; i++) {
        if (is_same(p->operands[i / 2], q->operands[i % 2]))
            return p->operands[i / 2];
    }
    return NULL;
}

/* The factor that is not this one. */
static const Value *other_factor(const Op *p, const Value *v)
{
    return p->operands[is_same(p->operands[0], v)];
}

/* Does `one` have two products, and `two` one of these, and a third of the four that their factors
 * have?  All of one are a * c and b * s, and of two b * c, or a * s, and one of the first two; or
 * one has a * c and a * s. */
static bool has_three(const Op *one, const Op *two)
{
    const Op *p = product(one->operands[0]), *q = product(one->operands[1]);
    const Op *r = product(two->operands[0]), *t = product(two->operands[1]);

    for (int i = 0; i < 2; i++) {
        const Op *again = i ? t : r, *third = i ? r : t;
        for (int k = 0; k < 2; k++) {
            const Op *first = k ? q : p, *second = k ? p : q;
            if (!is_of(again, first->operands[0], first->operands[1]) || common(first, second))
                continue;
            const Value *x = common(third, first), *y = common(third, second);
            if (x && y && is_of(third, x, y) && common(again, third))
                return !is_same(other_factor(first, x), other_factor(second, y));
        }
    }
    return false;
}

void formula_turn(const Suspect *s)
{
    Pairs d = {.n = 0};

    ir_walk(s->func->body, note, &d);
    for (int i = 0; i < d.n; i++) {
        for (int k = i + 1; k < d.n; k++) {
            const Op *one = d.at[i], *two = d.at[k];
            if (one->code == OP_sub && two->code == OP_sub && are_crossed(one, two))
                tell_warn(s, two, "a * c - b * s and b * c + a * s; with + and - it turns back",
                          "both of these are differences, and of a rotation, or a product of "
                          "complex numbers, one is a sum");
            if (one->code != two->code && (has_three(one, two) || has_three(two, one)))
                tell_warn(s, two, "a * c - b * s and b * c + a * s; with + and - it turns back",
                          "these have three of the four products of a rotation, and one of them "
                          "twice");
        }
    }
}
