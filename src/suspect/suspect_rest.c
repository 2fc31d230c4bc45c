/*
 * suspect_rest.c - loops over whole tiles of a row whose mask knows of a part of one
 *
 * for k in range(0, n // BLOCK) leaves out what n has beyond whole tiles.  Where it has nothing
 * beyond, no mask has to compare with n: told where the loads of the loop do.  Nothing is said
 * where something else of the kernel, as a part behind the loop, uses what is left of n.
 */
#include "suspect.h"

enum { DEEPEST = 24 };

/* The n of n // BLOCK, of the launch or loaded as the length of a sequence; NULL. */
static const Value *divided(const Value *v)
{
    const Op *op = ir_bare(v)->def;
    int64_t by;

    if (!op || op->code != OP_div || !value_const_int(ir_bare(op->operands[1]), &by) || by < 2)
        return NULL;
    const Value *n = ir_bare(op->operands[0]);
    bool is_given = n->def ? n->def->code == OP_load : n->block->owner == NULL;
    return is_given && n->type->rank == 0 ? n : NULL;
}

typedef struct {
    const Op *loop;
    const Value *n;
    bool masked, rest;
} Rounds;

static bool compares_with(const Value *v, const Value *n, int depth)
{
    const Op *op = v->def;

    if (v == n)
        return true;
    for (int i = 0; op && depth > 0 && i < op->noperands; i++) {
        if ((op_has(op, FOLDS) || op_has(op, MOVES)) && op->code != OP_div &&
            compares_with(op->operands[i], n, depth - 1))
            return true;
    }
    return false;
}

/* A comparison with n, of what each round moves, in the mask. */
static bool limits(const Value *mask, const Rounds *r, int depth)
{
    const Op *op = mask->def;

    if (!op || depth == 0)
        return false;
    if (op->code == OP_lt)
        return tell_is_moved(mask, r->loop, DEEPEST) &&
               compares_with(op->operands[1], r->n, DEEPEST);
    for (int i = 0; i < op->noperands && (op->code == OP_and || op_has(op, MOVES)); i++) {
        if (limits(op->operands[i], r, depth - 1))
            return true;
    }
    return false;
}

static void note_mask(Op *op, void *rounds)
{
    Rounds *r = rounds;
    const Value *mask = op_only_reads(op) ? op_operand(op, ir_access(op).mask) : NULL;

    r->masked |= mask && limits(mask, r, DEEPEST);
}

/* n % BLOCK, or another loop that begins or ends by n */
static void note_rest(Op *op, void *rounds)
{
    Rounds *r = rounds;

    r->rest |= op->code == OP_rem && ir_bare(op->operands[0]) == r->n;
    r->rest |= op->code == OP_for && op != r->loop &&
               (compares_with(op->operands[FOR_LO], r->n, DEEPEST) ||
                ir_bare(op->operands[FOR_HI]) == r->n);
}

static void look_at(Op *loop, void *suspect)
{
    const Suspect *s = suspect;
    Rounds r = {.loop = loop};
    int64_t first, step;

    if (loop->code != OP_for || !value_const_int(loop->operands[FOR_LO], &first) || first != 0 ||
        !value_const_int(loop->operands[FOR_STEP], &step) || step != 1 ||
        !(r.n = divided(loop->operands[FOR_HI])))
        return;
    ir_walk(loop->regions[0], note_mask, &r);
    ir_walk(s->func->body, note_rest, &r);
    if (r.masked && !r.rest)
        tell_warn(s, loop, "tl.cdiv(n, BLOCK) rounds reach all",
                  "this has a round for each whole tile, and a mask for one that is not: what is "
                  "left over is not reached");
}

void suspect_rest(const Suspect *s)
{
    ir_walk(s->func->body, look_at, (void *)s);
}
