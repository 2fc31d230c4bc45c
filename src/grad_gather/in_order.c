/*
 * in_order.c - several accesses of a program meet at an element, but no two programs do: each adds
 * to what is there without atomics, in the order in which they stand
 *
 *     tl.debug_barrier()
 *     tl.store(d_x + at, tl.load(d_x + at, mask) + d_a, mask)
 *
 * As of rows that are read in several passes, first for their mean.  Other threads of the program
 * may have added before, so a barrier stands between.
 */
#include "gather.h"

typedef struct {
    Grad *g;
    const GradArray *array;
    GradOps atomics; /* in the order of the program */
} Search;

static void find_atomic(Op *op, void *search)
{
    Search *s = search;

    if (op->code == OP_atomic_rmw &&
        grad_array_of(s->g, op->operands[0]) == s->array->gradient->index)
        vec_push(s->g->arena, &s->atomics, op);
}

static const Op *outermost(const Op *op)
{
    while (op->block->owner)
        op = op->block->owner;
    return op;
}

/* Does none stand before it, nor run in the same loop? */
static bool is_first(const GradOps *atomics, int i)
{
    return i == 0 && (atomics->len == 1 || outermost(atomics->at[0]) != outermost(atomics->at[1]));
}

void gather_in_order(Grad *g, GradArray *a)
{
    Search s = {.g = g, .array = a};
    const Builder end = g->b;
    bool again;

    if (a->fill != GRAD_ADDED ||
        !grad_in_order(g, a, a->adds.len > 0 ? &a->adds : &a->loads, g->asked, &again))
        return;
    ir_walk(g->func->body, find_atomic, &s);
    for (int i = 0; i < s.atomics.len; i++) {
        grad_add_in_memory(g, s.atomics.at[i], again || !is_first(&s.atomics, i));
        op_remove(s.atomics.at[i]);
    }
    g->b = end;
    a->in_order = true;
}
