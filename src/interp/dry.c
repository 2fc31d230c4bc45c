/*
 * dry.c - run what of a program follows from its arguments alone
 *
 * In a dry run no memory is touched.  Scalars that follow from the user's arguments and the
 * program's number are computed, what comes from memory or is made of tiles is not known, and where
 * control depends on that the run ends.  Of tiles, those are computed that make masks, if somebody
 * wants to count lanes; loops, arms and helpers give none back.  Control is the interpreter's own.
 *
 * It needs an observer (count.c), and slots that scalars keep; tiles get memory when they are
 * computed first.
 */
#include "machine.h"

enum { LONG_LOOP = 64 }; /* rounds that are run one by one, even if they are all alike */

static bool is_control(const Op *op)
{
    return op->callee || (op->regions[0] && !op_has(op, COMBINES));
}

bool dry_follows(const Op *op)
{
    switch (op->code) {
    case OP_const:
    case OP_program_id:
    case OP_num_programs:
    case OP_arange:
    case OP_hint:
        return true;
    default:
        return op_has(op, FOLDS | MOVES);
    }
}

bool dry_is_long(const Op *loop, uint64_t trips)
{
    bool alike = true;

    for (const Op *op = loop->regions[0]->first; op; op = op->next)
        alike &= !is_control(op);
    return alike && trips > LONG_LOOP;
}

/* Does the value have a place to be computed in?  A mask's tile costs some of the budget. */
static bool take_room(Frame *f, const Value *v)
{
    Machine *m = f->machine;

    if (v->type->rank == 0)
        return true;
    if (!m->masks || !map_get(m->masks, MAP_KEY(v)) || m->budget < 0)
        return false;
    m->budget -= (int64_t)value_numel(v);
    if (m->budget >= 0 && !f->slot[v->id])
        f->slot[v->id] = arena_alloc(m->arena, value_size(v) * value_numel(v));
    return m->budget >= 0;
}

void dry_op(Frame *f, const Op *op)
{
    bool known = dry_follows(op);

    if (is_control(op)) {
        exec_op(f, op);
        return;
    }
    for (int i = 0; known && i < op->noperands; i++)
        known = f->made[op->operands[i]->id];
    known = known && take_room(f, op->results[0]);
    if (known)
        exec_op(f, op);
    for (int i = 0; i < op->nresults; i++)
        f->made[op->results[i]->id] = known;
}
