/*
 * slice.c - which ops does a value depend on?
 *
 * From a value the walk goes back to operands, through what loops carry and arms give, and to what
 * decides how often a loop goes round and which arm is taken.  It does not follow memory: a load
 * depends on its address, not on the stores to it; nor calls, which depend on their operands.
 */
#include "ir.h"
#include "analysis.h"

typedef struct {
    Arena *arena;
    bool *seen; /* by value id */
    VEC(const Value *) todo;
} Walk;

static void need(Walk *w, const Value *v)
{
    if (w->seen[v->id])
        return;
    w->seen[v->id] = true;
    vec_push(w->arena, &w->todo, v);
}

static void need_bounds(Walk *w, const Op *loop)
{
    for (int i = 0; i < FOR_BOUNDS; i++)
        need(w, loop->operands[i]);
}

static void need_result(Walk *w, const Op *op, int i)
{
    switch (op->code) {
    case OP_for:
        need_bounds(w, op);
        need(w, op->operands[FOR_BOUNDS + i]);
        need(w, op->regions[0]->last->operands[i]);
        break;
    case OP_while:
        need(w, op->regions[0]->last->operands[0]);
        need(w, op->regions[0]->last->operands[1 + i]);
        break;
    case OP_if:
        need(w, op->operands[0]);
        need(w, op->regions[0]->last->operands[i]);
        need(w, op->regions[1]->last->operands[i]);
        break;
    default:
        for (int k = 0; k < op->noperands; k++)
            need(w, op->operands[k]);
    }
}

static void need_argument(Walk *w, const Block *b, int i)
{
    const Op *op = b->owner;

    if (!op || (op->code != OP_for && op->code != OP_while))
        return;
    if (op->code == OP_for && i == 0) {
        need_bounds(w, op);
    } else if (op->code == OP_for) {
        need_result(w, op, i - 1);
    } else if (b == op->regions[0]) {
        need(w, op->operands[i]);
        need(w, op->regions[1]->last->operands[i]);
    } else {
        need_result(w, op, i);
    }
}

bool ir_slice(const Func *f, Arena *a, const Value *const *values, int n, SliceVisit *visit,
              void *ctx)
{
    Walk w = {.arena = a, .seen = NEW_N(a, bool, f->nvalues + 1)};

    for (int i = 0; i < n; i++)
        need(&w, values[i]);
    while (w.todo.len > 0) {
        const Value *v = w.todo.at[--w.todo.len];
        if (!v->def)
            need_argument(&w, v->block, v->index);
        else if (!visit(v->def, ctx))
            return false;
        else
            need_result(&w, v->def, v->index);
    }
    return true;
}
