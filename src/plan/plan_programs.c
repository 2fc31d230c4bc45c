/*
 * plan_programs.c - along which axis of the grid programs come one behind the other
 *
 * Where a program has a tile of a matrix, as tl.program_id(0) * 16 + rows and tl.program_id(1) *
 * 128
 * + columns, the next tile of the same rows goes on in the lines of the cache, and pages, where
 * this one ends.  So programs go along the axis on which all accesses that follow one go on in
 * memory, where it is not the first one anyway.
 *
 * Programs may come in any order.  It stays that of the grid where it can be seen: by records and
 * waiting programs, atomics and whatever else is no load or store; and for products, which keep
 * tiles for programs that come next (plan_keep.c).
 */
#include "plan_internal.h"
#include "../axis/poly.h"

enum { GRID_AXES = 3 };

typedef struct {
    int follow[GRID_AXES]; /* accesses that go on in memory from one program to the next */
    bool fixed;
} Order;

/* The axis of tl.program_id, or -1. */
static int axis_of_atom(const PolyAtom *a)
{
    const Op *op = a->value ? a->value->def : NULL;

    return op && op->code == OP_program_id ? attr_axis(op) : -1;
}

/* In a sum of one index, at elements side by side, and a program's number times its extent. */
static void see_pointer(Order *along, const Value *ptr)
{
    PolyScope scope = {0};
    Poly p;

    if (ptr->type->rank == 0 || !poly_of(&scope, ptr, plan_identity, &p))
        return;
    for (int i = 0; i < p.count; i++) {
        const PolyTerm *t = &p.terms[i];
        if (t->count != 1 || t->of[0].value || t->scale != 1)
            continue;
        int64_t extent = ptr->type->dims[t->of[0].key];
        for (int k = 0; k < p.count; k++) {
            const PolyTerm *other = &p.terms[k];
            int axis = other->count == 1 ? axis_of_atom(&other->of[0]) : -1;
            if (axis >= 0 && other->scale == extent)
                along->follow[axis]++;
        }
    }
}

static void see_op(Op *op, void *ctx)
{
    Order *along = ctx;

    if (op->code == OP_load || op->code == OP_store)
        see_pointer(along, op->operands[op->code == OP_load ? LOAD_PTR : STORE_PTR]);
    else
        along->fixed |=
            (op_has(op, WRITES | EFFECT) && op->code != OP_assume) || op->code == OP_dot;
}

void plan_programs(Plan *p)
{
    Order along = {.fixed = p->options->debug || plan_wants_order(p->func)};

    if (!along.fixed)
        ir_walk(p->func->body, see_op, &along);
    if (along.fixed || along.follow[0] > 0 || (along.follow[1] > 0) == (along.follow[2] > 0))
        return;
    p->first_axis = along.follow[1] > 0 ? 1 : 2;
}
