/*
 * suspect_programs.c - loops that share out the work by the wrong axis of the grid, or not at all
 *
 * for t in range(tl.program_id(0), tiles, tl.num_programs(1)): each program begins at its own
 * number, and goes on by how many there are along another axis, mostly 1, so that all of them do
 * nearly all of the work.  The results are right where nothing is added up.
 *
 * Told of a loop whose start has the number along one axis alone, and whose step the programs along
 * another one alone.
 *
 * for at in range(tl.program_id(0) * BLOCK, n, BLOCK) goes on by one tile: the first program does
 * all, and what others do is done again.  Told where the loop stores, by its counter alone.  So
 * it is where the step is tl.num_programs(0), without the BLOCK.
 */
#include "suspect.h"

enum { DEEPEST = 8, FURTHEST = 24 };

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

/* Is it made of the number of a program, other than by the counter of a loop? */
static bool has_program(const Value *v, int depth)
{
    const Op *op = v->def;

    if (!op || depth == 0)
        return false;
    if (op->code == OP_program_id)
        return true;
    for (int i = 0; i < op->noperands; i++) {
        if (has_program(op->operands[i], depth - 1))
            return true;
    }
    return false;
}

/* pid * step, or pid where the step is 1 */
static bool is_own_tile(const Value *low, const Value *step)
{
    const Op *op = ir_bare(low)->def;
    int64_t one;

    if (op && op->code == OP_program_id)
        return value_const_int(step, &one) && one == 1;
    for (int i = 0; op && op->code == OP_mul && i < 2; i++) {
        const Op *id = ir_bare(op->operands[i])->def;
        if (id && id->code == OP_program_id && ir_same(op->operands[1 - i], step, DEEPEST))
            return true;
    }
    return false;
}

/* Stores of a loop: all that they say of programs is the round. */
typedef struct {
    const Op *loop;
    bool stores, others;
} Stored;

static void note_store(Op *op, void *stored)
{
    Stored *x = stored;

    if (op->code != OP_store) {
        x->others |= op_has(op, WRITES | EFFECT);
        return;
    }
    x->stores = true;
    for (int i = 0; i < op->noperands; i++)
        x->others |= has_program(op->operands[i], FURTHEST);
    x->others |= !suspect_is_moved(op->operands[STORE_PTR], x->loop, FURTHEST);
}

static void look_at_step(const Suspect *s, const Op *op)
{
    Stored x = {.loop = op};

    if (!is_own_tile(op->operands[FOR_LO], op->operands[FOR_STEP]) ||
        has_program(op->operands[FOR_HI], FURTHEST))
        return;
    ir_walk(op->regions[0], note_store, &x);
    if (x.stores && !x.others)
        suspect_warn(s, op, "go on by those of all programs: tl.num_programs(0) * BLOCK",
                     "each program begins with its own tile, and goes on with the tiles of those "
                     "behind it: they do them again");
}

/* for at in range(pid * BLOCK, n, tl.num_programs(0)) */
static void look_at_width(const Suspect *s, const Op *op)
{
    const Op *low = ir_bare(op->operands[FOR_LO])->def;
    const Op *step = ir_bare(op->operands[FOR_STEP])->def;
    int64_t width;

    if (!low || low->code != OP_mul || !step || step->code != OP_num_programs)
        return;
    for (int i = 0; i < 2; i++) {
        const Op *id = ir_bare(low->operands[i])->def;
        if (id && id->code == OP_program_id && value_const_int(low->operands[1 - i], &width) &&
            width > 1)
            suspect_warn(s, op, "go on by those of all programs: tl.num_programs(0) * BLOCK",
                         "each program begins with a tile of %lld of its own, and goes on by how "
                         "many programs there are: their tiles overlap",
                         (long long)width);
    }
}

static void look_at(Op *op, void *suspect)
{
    const Suspect *s = suspect;

    if (op->code != OP_for)
        return;
    look_at_step(s, op);
    look_at_width(s, op);
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

static bool is_for(const Op *op)
{
    return op->code == OP_for;
}

void suspect_programs(const Suspect *s)
{
    if (suspect_any(s, is_for))
        ir_walk(s->func->body, look_at, (void *)s);
}
