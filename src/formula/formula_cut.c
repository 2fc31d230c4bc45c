/*
 * formula_cut.c - what is done to a total in each round, and belongs behind the loop
 *
 * acc = tl.maximum(tl.dot(a, b, acc), 0.0) in each round cuts off what the rounds so far have
 * added, which later ones may make positive again: it belongs behind the loop.  Told of products
 * whose operands do not follow from the total, as those of a recurrence do.
 *
 * So does acc = (acc + x) * s, of an s that each round loads from the same elements, and
 * acc = (acc + x) / (k + 1), which divides again what the rounds before have divided.  Told
 * where the divisor follows from the loop's counter, and x not from the total.
 */
#include "formula.h"

enum { DEEPEST = 24 };

/* Does it follow from what the loop carries there? */
static bool follows(const Value *v, const Value *carried, const Op *loop, int depth)
{
    if (v == carried || depth == 0)
        return true;
    if (!v->def || !tell_is_inside(v, loop))
        return false;
    for (int i = 0; i < v->def->noperands; i++) {
        if (follows(v->def->operands[i], carried, loop, depth - 1))
            return true;
    }
    return v->def->regions[0] != NULL && !op_has(v->def, COMBINES);
}

/* The product that is added to the total; NULL: it is another sum. */
static const Op *added_product(const Value *v, const Value *total)
{
    const Op *op = v->def;

    if (op && op->code == OP_dot)
        return op->operands[2] == total ? op : NULL;
    for (int i = 0; op && op->code == OP_add && i < 2; i++) {
        const Op *dot = op->operands[1 - i]->def;
        if (op->operands[i] == total && dot && dot->code == OP_dot)
            return dot;
    }
    return NULL;
}

/* What is kept above or below a constant; NULL: nothing is. */
static const Value *cut(const Op *op)
{
    uint64_t bits;
    bool cuts = op && (op->code == OP_max || op->code == OP_maxnan || op->code == OP_min ||
                       op->code == OP_minnan);

    for (int i = 0; cuts && i < 2; i++) {
        if (value_constant(op->operands[i], &bits))
            return op->operands[1 - i];
    }
    return NULL;
}

/* The summand beside the total in a sum that a number divides which the counter gives; NULL. */
static const Value *divided_summand(const Op *last, const Value *total, const Op *loop)
{
    const Op *quotient = last && last->code == OP_cast ? last->operands[0]->def : last;
    const Op *sum = quotient && quotient->code == OP_div ? quotient->operands[0]->def : NULL;

    if (!sum || sum->code != OP_add || !dtype_is_float(total->type->dtype) ||
        !follows(quotient->operands[1], loop->regions[0]->args[0], loop, DEEPEST))
        return NULL;
    for (int i = 0; i < 2; i++) {
        if (sum->operands[i] == total)
            return sum->operands[1 - i];
    }
    return NULL;
}

/* (total + x) * s, of an s that the round loads from the same elements as all others; NULL. */
static const Op *scaled_again(const Value *v, const Value *total, const Op *loop)
{
    const Op *op = v->def;

    for (int i = 0; op && op->code == OP_mul && i < 2; i++) {
        const Op *load = ir_bare(op->operands[i])->def;
        const Op *sum = op->operands[1 - i]->def;
        bool adds =
            sum &&
            ((sum->code == OP_dot && sum->operands[2] == total) ||
             (sum->code == OP_add && (sum->operands[0] == total || sum->operands[1] == total)));
        if (adds && load && load->code == OP_load && !op_is_volatile(load) &&
            tell_is_inside(load->results[0], loop) &&
            !tell_is_moved(load->operands[LOAD_PTR], loop, DEEPEST))
            return load;
    }
    return NULL;
}

static void look_at(Op *loop, void *suspect)
{
    for (int i = 0; loop->code == OP_for && i < loop->nresults; i++) {
        const Value *total = loop->regions[0]->args[1 + i];
        const Value *summand =
            divided_summand(opt_last(loop->regions[0])->operands[i]->def, total, loop);
        if (summand && !follows(summand, total, loop, DEEPEST))
            tell_warn(suspect, opt_last(loop->regions[0])->operands[i]->def,
                      "a running mean is acc += (x - acc) / (k + 1); a mean divides behind the "
                      "loop",
                      "each round divides what those before it have added up and divided");
        const Op *last = opt_last(loop->regions[0])->operands[i]->def;
        if (scaled_again(opt_last(loop->regions[0])->operands[i], total, loop))
            tell_warn(suspect, last, "behind the loop, of the whole sum",
                      "each round multiplies what those before it have added up, and multiplied, "
                      "by the same");
        const Value *sum = cut(last);
        const Op *dot = sum ? added_product(sum, total) : NULL;
        if (dot && !follows(dot->operands[0], total, loop, DEEPEST) &&
            !follows(dot->operands[1], total, loop, DEEPEST))
            tell_warn(suspect, last, "behind the loop, of the whole sum",
                      "each round cuts off what those before it have added up");
    }
}

void formula_cut(const Suspect *s)
{
    ir_walk(s->func->body, look_at, (void *)s);
}
