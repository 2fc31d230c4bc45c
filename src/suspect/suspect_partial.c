/*
 * suspect_partial.c - partial results of lanes that are put together by another operation
 *
 * acc += v in each round leaves in a lane the sum of every E-th element of a row, of a tile of E.
 * That is of use only as a part of the sum of all: tl.max(acc) depends on how long the tile is, and
 * so does tl.sum of products, or of maxima.  Told where the loop marches (src/axis/march.c) along
 * the dimension that is reduced.
 */
#include "suspect.h"

enum { DEEPEST = 24 };

/* Sums, products, maxima, minima: with which others' parts go. */
static OpCode kind_of(OpCode code)
{
    switch (code) {
    case OP_maxnan:
        return OP_max;
    case OP_minnan:
        return OP_min;
    case OP_add:
    case OP_mul:
    case OP_max:
    case OP_min:
        return code;
    default:
        return OP_COUNT;
    }
}

/* What the rounds make of one result of their loop. */
typedef struct {
    const Op *loop;
    OpCode code;
    const Value *next; /* the other operand of the round's own op */
} Rounds;

static bool find_rounds(const Value *v, Rounds *r)
{
    const Op *loop = ir_uncast(v)->def;

    if (!loop || loop->code != OP_for)
        return false;
    int i = ir_uncast(v)->index;
    const Op *op = ir_uncast(opt_last(loop->regions[0])->operands[i])->def;
    const Value *was = loop->regions[0]->args[1 + i];
    for (int k = 0; op && op->noperands == 2 && kind_of(op->code) != OP_COUNT && k < 2; k++) {
        if (ir_uncast(op->operands[k]) != was)
            continue;
        *r = (Rounds){loop, kind_of(op->code), op->operands[1 - k]};
        return true;
    }
    return false;
}

/* Is it made, element by element, of what a load has along the tile's dimension where the loop
 * marches? */
static bool marches(const Value *v, int dim, const Op *loop, int depth)
{
    const Op *op = v->def;

    if (!op || depth == 0 || !tell_is_inside(v, loop))
        return false;
    if (op_only_reads(op)) {
        const Value *p = op->operands[ir_access(op).pointer];
        const Value *index = tell_loop_around(op) == loop ? axis_march(p, loop) : NULL;
        return index && tell_is_along(p, dim, index, DEEPEST);
    }
    if (op_has(op, MOVES)) {
        int before = tell_dimension_before(op, dim);
        return before >= 0 && marches(op->operands[0], before, loop, depth - 1);
    }
    for (int i = 0; i < op->noperands && op_has(op, FOLDS); i++) {
        if (marches(op->operands[i], dim, loop, depth - 1))
            return true;
    }
    return false;
}

static const char *name_of(OpCode code)
{
    return code == OP_add   ? "sums"
           : code == OP_mul ? "products"
           : code == OP_max ? "maxima"
                            : "minima";
}

static void look_at(Op *op, void *suspect)
{
    OpCode how = ir_reduces(op) && op->noperands == 1 ? kind_of(ir_combine_code(op)) : OP_COUNT;
    Rounds r;

    if (how == OP_COUNT || !find_rounds(op->operands[0], &r) || r.code == how ||
        !marches(r.next, (int)attr_axis(op), r.loop, DEEPEST))
        return;
    tell_warn(suspect, op,
              r.code == OP_add   ? "tl.sum(..) of what rounds have added up"
              : r.code == OP_mul ? "a product of what rounds have multiplied"
              : r.code == OP_max ? "tl.max(..) of the greatest of each lane"
                                 : "tl.min(..) of the least of each lane",
              "each lane has its part of a row, and this takes %s of what are %s: it depends on "
              "how long the tile is",
              name_of(how), name_of(r.code));
}

void suspect_partial(const Suspect *s)
{
    ir_walk(s->func->body, look_at, (void *)s);
}
