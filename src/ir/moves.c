/*
 * moves.c - where the ops with MOVES find the elements of their results
 *
 * Every element of such a result is some element of operand 0.  Most of these ops work dimension by
 * dimension, and op_move() says how; a reshape that regroups dimensions only keeps the row-major
 * order.  Planner, interpreter and passes ask here, so that a new op of this kind is a row of
 * ops.h, a rule for the verifier, and a case below.
 */
#include "analysis.h"

/* Shapes that differ only in dimensions of 1 keep their elements in place.  False when they differ
 * in more. */
static bool unit_reshape(const Type *from, const Type *to, Move *out)
{
    int d = 0;

    for (int s = 0; s < from->rank; s++) {
        out->follows[s] = -1;
        if (from->dims[s] == 1)
            continue;
        while (d < to->rank && to->dims[d] == 1)
            d++;
        if (d == to->rank || to->dims[d] != from->dims[s])
            return false;
        out->follows[s] = (int8_t)d++;
    }
    while (d < to->rank && to->dims[d] == 1)
        d++;
    return d == to->rank;
}

bool op_move(const Op *op, Move *out)
{
    const Type *from = op->operands[0]->type, *to = op->results[0]->type;
    const int64_t *dims;
    int n;

    *out = (Move){0};
    switch (op->code) {
    case OP_splat:
        return true;
    case OP_broadcast:
        for (int d = 0; d < from->rank; d++)
            out->follows[d] = from->dims[d] == to->dims[d] ? (int8_t)d : -1;
        return true;
    case OP_expand:
        for (int d = 0; d < from->rank; d++)
            out->follows[d] = (int8_t)(d < attr_axis(op) ? d : d + 1);
        return true;
    case OP_permute:
        dims = attr_dims(op, &n);
        for (int d = 0; d < n; d++)
            out->follows[dims[d]] = (int8_t)d;
        return true;
    case OP_slice:
        dims = attr_starts(op, &n);
        for (int d = 0; d < n; d++) {
            out->follows[d] = (int8_t)d;
            out->start[d] = (int32_t)dims[d];
        }
        return true;
    case OP_reshape:
        return unit_reshape(from, to, out);
    default:
        bug("%s has no rule for where its elements come from", op_info(op->code)->name);
    }
}

bool op_renames(const Op *op, Move *out)
{
    if (!op_move(op, out))
        return false;
    for (int d = 0; d < op->operands[0]->type->rank; d++) {
        if (out->start[d] != 0)
            return false;
    }
    return true;
}

bool op_keeps_order(const Op *op)
{
    const Type *from = op->operands[0]->type, *to = op->results[0]->type;
    int last = -1;
    Move m;

    if (type_numel(from) != type_numel(to))
        return false;
    if (!op_move(op, &m))
        return true;
    for (int d = 0; d < from->rank; d++) {
        if (from->dims[d] == 1)
            continue;
        if (m.follows[d] < last)
            return false;
        last = m.follows[d];
    }
    return true;
}

bool op_crosses_lanes(const Op *op)
{
    switch (op->code) {
    case OP_dot:
    case OP_gather:
    case OP_histogram:
    case OP_sort:
        return true;
    case OP_splat:
    case OP_expand:
    case OP_broadcast:
        return false;
    default:
        return op_has(op, MOVES | COMBINES);
    }
}

static const Value *without(const Value *v, bool moves, bool casts)
{
    while (v->def && ((moves && op_has(v->def, MOVES)) || (casts && v->def->code == OP_cast)))
        v = v->def->operands[0];
    return v;
}

const Value *ir_unmoved(const Value *v)
{
    return without(v, true, false);
}

const Value *ir_uncast(const Value *v)
{
    return without(v, false, true);
}

const Value *ir_bare(const Value *v)
{
    return without(v, true, true);
}
