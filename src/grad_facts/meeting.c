/*
 * meeting.c - which lanes and rounds of one program meet at an element that a load reads
 *
 * Lanes meet along an axis that the address is the same along, as it is made; rounds where address
 * and mask come from in front of the loop (licm has moved them there).
 */
#include "../opt/opt.h"
#include "facts.h"

/* --- the same along some of their axes --- */

unsigned grad_axes_before_expand(const Op *op, unsigned axes)
{
    int at = (int)attr_axis(op);
    unsigned low = (1u << at) - 1;

    return (axes & low) | (axes >> 1 & ~low);
}

unsigned grad_axes_before_permute(const Op *op, unsigned axes)
{
    int n;
    const int64_t *dims = attr_dims(op, &n);
    unsigned before = 0;

    for (int i = 0; i < n; i++)
        before |= (axes >> i & 1) << dims[i];
    return before;
}

static bool are_of_one(const Value *v, unsigned axes)
{
    for (int d = 0; d < v->type->rank; d++) {
        if (axes >> d & 1 && v->type->dims[d] != 1)
            return false;
    }
    return true;
}

bool grad_can_drop(const Value *v, unsigned axes)
{
    const Op *op = v->def;

    if (axes == 0)
        return true;
    if (!op)
        return false;
    switch (op->code) {
    case OP_splat:
    case OP_const:
        return true;
    case OP_broadcast:
    case OP_hint:
        return are_of_one(op->operands[0], axes) || grad_can_drop(op->operands[0], axes);
    case OP_expand:
        return grad_can_drop(op->operands[0],
                             grad_axes_before_expand(op, axes & ~(1u << attr_axis(op))));
    case OP_permute:
        return grad_can_drop(op->operands[0], grad_axes_before_permute(op, axes));
    default:
        if (op->code != OP_addptr && !op_is_elementwise(op))
            return are_of_one(v, axes);
        for (int i = 0; i < op->noperands; i++) {
            if (!grad_can_drop(op->operands[i], axes))
                return false;
        }
        return true;
    }
}

/* --- what is found --- */

bool grad_runs_once(const Op *loop)
{
    uint64_t trips;

    return opt_trip_count(loop, &trips) && trips > 0;
}

static bool comes_from_outside(const Op *op, const Op *loop)
{
    for (int i = 0; i < op->noperands; i++) {
        if (opt_inside(op->operands[i]->block, loop))
            return false;
    }
    return true;
}

/* Is it known outside of `loop` whether this one, in it, runs? */
static bool is_known_to_run(const Op *in, const Op *loop)
{
    int64_t step;

    return grad_runs_once(in) || (value_const_int(in->operands[FOR_STEP], &step) && step > 0 &&
                                  !opt_inside(in->operands[FOR_LO]->block, loop) &&
                                  !opt_inside(in->operands[FOR_HI]->block, loop));
}

/* The outermost loop whose rounds all read the same elements. */
static const Op *rounds_of(const Grad *g, const Op *load)
{
    const Value *other = op_operand(load, LOAD_OTHER);
    const Op *found = NULL;

    if (other && grad_is_active(g, other))
        return NULL;
    for (const Op *loop = load->block->owner; loop; loop = loop->block->owner) {
        if (loop->code != OP_for || !comes_from_outside(load, loop))
            break;
        for (const Op *in = load->block->owner;; in = in->block->owner) {
            if (!is_known_to_run(in, loop))
                return found;
            if (in == loop)
                break;
        }
        found = loop;
    }
    return found;
}

const GradMeeting *grad_meeting(const Grad *g, const Op *load)
{
    return map_get(g->meetings, MAP_KEY(load));
}

void grad_find_meeting(Grad *g, const Op *load)
{
    const Value *pointer = load->operands[LOAD_PTR];
    GradMeeting *m = NEW(g->arena, GradMeeting);

    m->load = load;
    m->rounds = rounds_of(g, load);
    for (int d = 0; d < pointer->type->rank; d++) {
        if (pointer->type->dims[d] > 1 && grad_can_drop(pointer, 1u << d))
            m->lanes |= 1u << d;
    }
    if (!grad_can_drop(pointer, m->lanes))
        m->lanes = 0;
    map_put(g->meetings, MAP_KEY(load), m);
}
