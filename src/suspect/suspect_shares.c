/*
 * suspect_shares.c - what every program adds, though it is the same in all of them
 *
 * Programs along an axis that each add a part of a sum, tl.atomic_add(out + columns, part), add the
 * bias as often as there are parts where `part` has it, too.  Told of a float that an atomic adds
 * at a place which is the same in all programs along the axis, where one of its summands was loaded
 * from a place that is, and another one follows from the program's number.
 */
#include "suspect.h"

enum { MOST_SUMMANDS = 16, AXES = 3 };

typedef struct {
    const Value *at[MOST_SUMMANDS];
    int n;
} Summands;

static void note_summands(Summands *s, const Value *v)
{
    const Op *op = ir_bare(v)->def;

    if (op && op->code == OP_add) {
        note_summands(s, op->operands[0]);
        note_summands(s, op->operands[1]);
    } else if (s->n < MOST_SUMMANDS) {
        s->at[s->n++] = ir_bare(v);
    }
}

static bool is_of_other_axes(const Op *op, void *axis)
{
    return op->code != OP_program_id || attr_axis(op) != *(const int64_t *)axis;
}

static bool is_same_along(const Suspect *s, const Value *v, int64_t axis)
{
    return ir_slice(s->func, s->arena, &v, 1, is_of_other_axes, &axis);
}

/* Some programs along the axis do not come here, or come more often. */
static bool is_conditional(const Suspect *s, const Op *op, int64_t axis)
{
    for (const Op *owner = op->block->owner; owner; owner = owner->block->owner) {
        for (int i = 0; i < owner->noperands; i++) {
            if (!is_same_along(s, owner->operands[i], axis))
                return true;
        }
    }
    return false;
}

static bool is_loaded(const Value *v)
{
    return v->def && op_only_reads(v->def) && dtype_is_float(v->type->dtype);
}

static bool look_along(const Suspect *s, const Op *op, const Summands *all, int64_t axis)
{
    const Op *shared = NULL;
    bool parts = false;

    for (int i = 0; i < all->n; i++) {
        bool same = is_same_along(s, all->at[i], axis);
        if (same && is_loaded(all->at[i]))
            shared = all->at[i]->def;
        parts = parts || !same;
    }
    if (!shared || !parts || is_conditional(s, op, axis) || is_conditional(s, shared, axis))
        return false;
    tell_warn(s, shared,
              "add it in one of them, as tl.where(tl.program_id(axis) == 0, bias, 0.0), or in "
              "front of them all",
              "every program along axis %d adds this to the same elements, and it is the same "
              "in all of them: it counts as often as there are programs",
              (int)axis);
    return true;
}

static void look_at(Op *op, void *suspect)
{
    const Suspect *s = suspect;
    Summands all = {.n = 0};

    if (op->code != OP_atomic_rmw || attr_rmw_kind(op) != RMW_ADD)
        return;
    note_summands(&all, op->operands[RMW_DATA]);
    for (int64_t axis = 0; axis < AXES && all.n > 1; axis++) {
        if (is_same_along(s, op->operands[RMW_PTR], axis) && look_along(s, op, &all, axis))
            return;
    }
}

static bool is_atomic(const Op *op)
{
    return op->code == OP_atomic_rmw;
}

void suspect_shares(const Suspect *s)
{
    if (s->func->is_kernel && tell_any(s, is_atomic))
        ir_walk(s->func->body, look_at, (void *)s);
}
