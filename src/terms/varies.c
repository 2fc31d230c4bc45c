/*
 * varies.c - what goes by the number of the program along an axis of the grid
 *
 * An element that each program stores, whatever its number is, is one that several store.
 */
#include "terms.h"

/* What may be another value in another program along that axis: by id. */
typedef struct {
    Map *varies;
    int axis;
    bool changed;
} Varying;

static bool varies(const Varying *v, const Value *x)
{
    return map_get(v->varies, MAP_KEY(x)) != NULL;
}

static void mark(Varying *v, const Value *x)
{
    v->changed |= !varies(v, x);
    map_put(v->varies, MAP_KEY(x), v);
}

/* Is an operand of the op, or of what stands in it? */
static bool takes_varying(const Varying *v, const Op *op)
{
    for (int i = 0; i < op->noperands; i++) {
        if (varies(v, op->operands[i]))
            return true;
    }
    for (int r = 0; r < COUNT(op->regions) && op->regions[r]; r++) {
        for (const Op *inner = op->regions[r]->first; inner; inner = inner->next) {
            if (takes_varying(v, inner))
                return true;
        }
    }
    return false;
}

static void look_at(Op *op, void *varying)
{
    Varying *v = varying;
    const bool is_number = op->code == OP_program_id && (int)attr_axis(op) == v->axis;
    const bool is_order = op->nresults > 0 && (ir_access(op).effect & WRITES) != 0;

    if (!is_number && !is_order && !takes_varying(v, op))
        return;
    for (int i = 0; i < op->nresults; i++)
        mark(v, op->results[i]);
    for (int r = 0; r < COUNT(op->regions) && op->regions[r]; r++) {
        for (int i = 0; i < op->regions[r]->nargs; i++)
            mark(v, op->regions[r]->args[i]);
    }
}

Map *terms_varying(const Func *f, int axis, Arena *a)
{
    Varying v = {.varies = map_new(a), .axis = axis, .changed = true};

    while (v.changed) {
        v.changed = false;
        ir_walk(f->body, look_at, &v);
    }
    return v.varies;
}

bool terms_goes_by(const Map *varying, const Op *store)
{
    const Varying of = {.varies = (Map *)varying}, *v = &of;
    const Value *mask = op_operand(store, ir_access(store).mask);

    if (varies(v, store->operands[STORE_PTR]) || (mask && varies(v, mask)))
        return true;
    for (const Op *o = store->block->owner; o; o = o->block->owner) {
        if (takes_varying(v, o))
            return true;
    }
    return false;
}
