/*
 * suspect_programs.c - loops that share out the work by the wrong axis of the grid
 *
 * for t in range(tl.program_id(0), tiles, tl.num_programs(1)): each program begins at its own
 * number, and goes on by how many there are along another axis, mostly 1, so that all of them do
 * nearly all of the work.  The results are right where nothing is added up.
 *
 * Told of a loop whose start has the number along one axis alone, and whose step the programs along
 * another one alone.
 */
#include "suspect.h"

enum { DEEPEST = 8 };

/* The axes, as bits, of such ops that an integer is made of. */
static unsigned axes_in(const Value *v, OpCode code, int depth)
{
    const Op *op = ir_bare(v)->def;
    unsigned axes = 0;

    if (!op || depth == 0)
        return 0;
    if (op->code == code)
        return 1U << attr_axis(op);
    for (int i = 0; i < op->noperands && op_has(op, FOLDS); i++)
        axes |= axes_in(op->operands[i], code, depth - 1);
    return axes;
}

static bool is_one(unsigned axes)
{
    return axes != 0 && (axes & (axes - 1)) == 0;
}

static void look_at(Op *op, void *suspect)
{
    const Suspect *s = suspect;

    if (op->code != OP_for)
        return;
    unsigned from = axes_in(op->operands[FOR_LO], OP_program_id, DEEPEST);
    unsigned by = axes_in(op->operands[FOR_STEP], OP_num_programs, DEEPEST);
    if (!is_one(from) || !is_one(by) || from == by)
        return;
    int axis = from >> 1, other = by >> 1;
    suspect_warn(s, op, arena_printf(s->arena, "tl.num_programs(%d)", axis),
                 "each program begins with its number along axis %d, and goes on by how many "
                 "programs there are along axis %d",
                 axis, other);
}

static bool counts_programs(const Op *op)
{
    return op->code == OP_num_programs;
}

void suspect_programs(const Suspect *s)
{
    if (suspect_any(s, counts_programs))
        ir_walk(s->func->body, look_at, (void *)s);
}
