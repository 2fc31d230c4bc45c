/*
 * dot.c - sums of a product become its accumulator
 *
 * Takes and gives verified IR.  `x + dot(a, b, 0)`, when nobody else wants the product, is
 * dot(a, b, x): one walk over the result less, and in a loop the accumulator stays where it is.
 * The order in which a dot adds is unspecified (semantics R262), so this is no other result.
 */
#include "opt.h"
#include "../ir/analysis.h"

typedef struct {
    UseLists uses; /* of before the pass */
    Map *done;     /* dots that have an accumulator from it, and with it the uses of the add */
} Dots;

/* The dot behind one operand of an add: fresh (from zero), of the add's type, used once. */
static Op *fresh_product(const Dots *x, const Op *add, int i)
{
    Op *dot = add->operands[i]->def;
    uint64_t bits;

    if (!dot || dot->code != OP_dot || dot->block != add->block ||
        uses_count(&x->uses, add->operands[i]) != 1 || map_get(x->done, MAP_KEY(dot)) ||
        dot->results[0]->type != add->results[0]->type)
        return NULL;
    return value_constant(dot->operands[2], &bits) && bits == 0 ? dot : NULL;
}

static bool take_accumulator(const Dots *x, Op *add)
{
    for (int i = 0; i < 2; i++) {
        Op *dot = fresh_product(x, add, i);
        if (!dot)
            continue;
        op_insert_before(dot, add); /* the accumulator may be newer than the product */
        dot->operands[2] = add->operands[1 - i];
        add->results[0]->repl = dot->results[0];
        map_put(x->done, MAP_KEY(dot), dot);
        return true;
    }
    return false;
}

static void add_products(const Dots *x, Block *b)
{
    for (Op *op = b->first, *next; op; op = next) {
        next = op->next;
        ir_resolve_operands(op);
        for (int r = 0; r < 2; r++) {
            if (op->regions[r])
                add_products(x, op->regions[r]);
        }
        if (op->code == OP_add && take_accumulator(x, op))
            op_remove(op);
    }
}

void opt_dot(Func *f)
{
    Arena *a = f->module->arena;
    const Dots x = {.uses = ir_uses(f, a), .done = map_new(a)};

    add_products(&x, f->body);
}
