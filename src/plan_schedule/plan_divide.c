/*
 * plan_divide.c - which divisions of vectors are by one number for the row, and how (cpu_divide.c)
 *
 * What such a number divides needs no division of each lane: floats are multiplied by its
 * reciprocal, integers by a factor, and integers that step along the row, as offsets do, go on from
 * the quotient and remainder of a vector's first lane.  In a piece of a row (plan_pieces.c) they
 * are what the piece has.
 */
#include "plan_schedule_internal.h"

enum {
    DIVIDED_LANES = 4,     /* for which a division by one number pays */
    LONGEST_STEP = 1 << 16 /* of what is divided from a row's first element on */
};

/* Is an integer division, or what remains of it, better done by multiplications?  LLVM does that
 * itself where the divisor is a constant. */
static bool divides_integers(const Op *op, const Entry *divisor)
{
    DType t = op->operands[0]->type->dtype;

    return !dtype_is_float(t) && t != DT_I1 && divisor->kind != MAKE_CONST;
}

bool plan_shares_divisor(const Scheduler *s, const Op *op, const Made *in)
{
    if (op->code != OP_div && op->code != OP_rem)
        return false;
    bool floats = op->code == OP_div && dtype_is_float(op->operands[0]->type->dtype);
    const Entry *x = plan_entry_of(s, in[0]), *y = plan_entry_of(s, in[1]);
    if (!(floats ? s->plan->machine.fma : divides_integers(op, y)))
        return false;
    return x->vector && !y->vector && y->level < s->nest->rank && s->nest->lanes >= DIVIDED_LANES;
}

bool plan_divide(Scheduler *s, const Ask *a, int *in, bool local, Made *out)
{
    Value *x = a->value->def->operands[0];
    int64_t step = a->role == AS_VALUE && !s->rare
                       ? plan_steps_up(s->plan, s->nest->space, x, a->map, LONGEST_STEP)
                       : 0;
    Made row;

    if (access_waits(s->nest->space, x, a->map))
        step = 0;
    if (step > 0 && !plan_get(s, AS_ROW, x, a->map, &row))
        return false;
    in[DIVIDE_ROW] = step > 0 ? row.entry : NO_ENTRY;
    Entry e = plan_vector_entry(s, MAKE_DIVIDE, a, in, DIVIDE_ROW + 1);
    e.number = step;
    *out = plan_entry(s, e, local);
    return true;
}

/* --- pieces of rows --- */

/* The same for all of the piece as for its first element. */
static bool compared_in_piece(Scheduler *s, const Ask *a, int number, Made *out)
{
    const Op *op = a->value->def;
    int moving = access_follows(s->nest->space, op->operands[0], a->map) ? 0 : 1;
    Made limit;

    if (!plan_get(s, AS_VALUE, op->operands[1 - moving], a->map, &limit))
        return false;
    int in[2] = {limit.entry, limit.entry};
    in[moving] = s->pieces[number];
    *out = plan_made_of(s, MAKE_OP, a, in, COUNT(in), false);
    return true;
}

/* A quotient that stays in this piece, or what is left of the dividend. */
bool plan_in_piece(Scheduler *s, const Ask *a, int number, Made *out)
{
    const Quotient *q = &s->nest->pieces.at[number];
    int in[REMAINDER_DIVISOR + 1];
    Made x, d;

    if (quotient_compares(q))
        return compared_in_piece(s, a, number, out);
    if (!op_is_remainder(a->value->def)) {
        *out = (Made){.entry = s->pieces[number]};
        return true;
    }
    if (!plan_get(s, a->role, q->dividend, q->map, &x) ||
        !plan_get(s, AS_VALUE, a->value->def->operands[1], a->map, &d))
        return false;
    in[REMAINDER_OF] = x.entry;
    in[REMAINDER_QUOTIENT] = s->pieces[number];
    in[REMAINDER_DIVISOR] = d.entry;
    *out = plan_made_of(s, MAKE_REMAINDER, a, in, COUNT(in), x.local);
    return true;
}
