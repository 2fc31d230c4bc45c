/*
 * nv_anywhere.c - addresses that say nothing about which lane should have which element
 *
 * A layout is asked for by accesses that move neighbours together (nv_access.c).  Addresses that
 * hardly change from one element to the next, or that follow from what was loaded for each of
 * them, take as long in any layout, so these have no say in it.
 */
#include "nv_anywhere.h"

enum { FEW_STEPS = 8 };

/* Is it the same for most neighbours along `dim`?  So are quotients by what is not small, and what
 * is computed of such in a few steps. */
static bool hardly_changes(const NvPlan *p, const Value *v, int dim, int steps)
{
    enum { SMALL_SHIFT = 3 };
    const Op *op = v->def;
    int64_t by;

    if (axis_of(p->axis, v)->constancy[dim] == v->type->dims[dim])
        return true;
    if (!op || steps == 0)
        return false;
    switch (op->code) {
    case OP_div:
    case OP_shr:
        if (!hardly_changes(p, op->operands[1], dim, steps - 1))
            return false;
        if (!value_const_int(op->operands[1], &by))
            return true;
        return by >= (op->code == OP_shr ? SMALL_SHIFT : 1 << SMALL_SHIFT);
    case OP_add:
    case OP_sub:
    case OP_mul:
    case OP_rem:
    case OP_cast:
    case OP_addptr:
        for (int i = 0; i < op->noperands; i++) {
            if (!hardly_changes(p, op->operands[i], dim, steps - 1))
                return false;
        }
        return true;
    default:
        return false;
    }
}

bool nv_hardly_changes(const NvPlan *p, const Value *v, int dim)
{
    return hardly_changes(p, v, dim, FEW_STEPS);
}

static bool is_looked_up(const NvPlan *p, const Value *v, int dim, int steps);

/* What a loop carries at `i`: do its rounds find it so, as those of a bisection do? */
static bool is_found(const NvPlan *p, const Op *loop, int i, int dim, int steps)
{
    return is_looked_up(p, loop->regions[0]->last->operands[i], dim, steps) ||
           is_looked_up(p, loop->operands[FOR_BOUNDS + i], dim, steps);
}

static bool is_looked_up(const NvPlan *p, const Value *v, int dim, int steps)
{
    const Op *op = v->def, *loop = op ? op : v->block->owner;

    if (!type_is_tile(v->type) || axis_of(p->axis, v)->constancy[dim] == v->type->dims[dim])
        return false;
    if (op && op->code == OP_load)
        return true;
    if (loop && loop->code == OP_for && steps > 0)
        return is_found(p, loop, op ? v->index : v->index - 1, dim, steps - 1);
    for (int i = 0; op && op_is_elementwise(op) && steps > 0 && i < op->noperands; i++) {
        if (is_looked_up(p, op->operands[i], dim, steps - 1))
            return true;
    }
    return false;
}

bool nv_is_looked_up(const NvPlan *p, const Value *v, int dim)
{
    return is_looked_up(p, v, dim, FEW_STEPS);
}
