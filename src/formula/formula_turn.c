/*
 * formula_turn.c - a rotation with both of its signs alike
 *
 * A rotation of (a, b) by (c, s) is a * c - b * s and b * c + a * s, back it is a * c + b * s and
 * b * c - a * s: of the two one is a sum.  So is the product of complex numbers.  Told is a pair of
 * differences of these four products, all of what was loaded: nothing turns (a, b) that way.
 */
#include "formula.h"

enum { DEEPEST = 12, SAME_DEPTH = 12, MOST = 32 };

typedef struct {
    const Suspect *s;
    const Op *at[MOST]; /* differences of products */
    int n;
} Differences;

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

static void note(Op *op, void *differences)
{
    Differences *d = differences;

    if (op->code == OP_sub && d->n < MOST && op->results[0]->type->rank > 0 &&
        dtype_is_float(op->results[0]->type->dtype) && product(op->operands[0]) &&
        product(op->operands[1]))
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

void formula_turn(const Suspect *s)
{
    Differences d = {.s = s};

    ir_walk(s->func->body, note, &d);
    for (int i = 0; i < d.n; i++) {
        for (int k = i + 1; k < d.n; k++) {
            if (are_crossed(d.at[i], d.at[k]))
                tell_warn(s, d.at[k], "a * c - b * s and b * c + a * s; with + and - it turns back",
                          "both of these are differences, and of a rotation, or a product of "
                          "complex numbers, one is a sum");
        }
    }
}
