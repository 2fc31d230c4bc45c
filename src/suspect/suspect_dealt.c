/*
 * suspect_dealt.c - totals that go on from one piece of work to the next
 *
 * for t in range(tl.program_id(0), tiles, tl.num_programs(0)) deals tiles out to programs, and each
 * round stores what it has made of one.  Where acc = tl.zeros(..) stands in front of the loop, a
 * round goes on with what the tiles before it have added up, which depend on how many programs
 * there are.  So it does where the loop begins at the program's number, and goes on by a constant
 * number of programs.
 *
 * Told where what a loop carries is made of itself in each round, a number with fractions, by
 * sums, products and maxima alone, and is stored in the round at a place of the round's.
 */
#include "suspect.h"

enum { DEEPEST = 24 };

static bool is_made_of(const Value *v, OpCode code, int depth)
{
    const Op *op = ir_bare(v)->def;

    if (!op || depth == 0)
        return false;
    if (op->code == code)
        return true;
    for (int i = 0; i < op->noperands && op_has(op, FOLDS); i++) {
        if (is_made_of(op->operands[i], code, depth - 1))
            return true;
    }
    return false;
}

static bool deals_out(const Op *loop)
{
    const Op *low = ir_bare(loop->operands[FOR_LO])->def;
    int64_t step;

    if (is_made_of(loop->operands[FOR_STEP], OP_num_programs, DEEPEST))
        return is_made_of(loop->operands[FOR_LO], OP_program_id, DEEPEST);
    return low && low->code == OP_program_id &&
           value_const_signed(loop->operands[FOR_STEP], &step) && step > 1;
}

/* Does it go on with `from`, by what no condition begins anew? */
static bool goes_on(const Value *v, const Value *from, int depth)
{
    const Op *op = v->def;

    if (v == from)
        return true;
    if (!op || depth == 0 || op->code == OP_select)
        return false;
    if (op->code == OP_for) {
        const Block *body = op->regions[0];
        return goes_on(op->operands[FOR_BOUNDS + v->index], from, depth - 1) &&
               goes_on(body->last->operands[v->index], body->args[1 + v->index], depth - 1);
    }
    if (op->code == OP_dot)
        return goes_on(op->operands[2], from, depth - 1);
    for (int i = 0; i < op->noperands; i++) {
        bool flows = op_has(op, FOLDS) || op_has(op, MOVES) || ir_reduces(op);
        if (flows && goes_on(op->operands[i], from, depth - 1))
            return true;
    }
    return false;
}

typedef struct {
    const Op *loop;
    const Value *was;
    const Op *store; /* the first one that is found */
} Search;

static void note_store(Op *op, void *search)
{
    Search *s = search;

    if (!s->store && op->code == OP_store && goes_on(op->operands[STORE_DATA], s->was, DEEPEST) &&
        tell_is_moved(op->operands[STORE_PTR], s->loop, DEEPEST))
        s->store = op;
}

static void look_at(Op *op, void *suspect)
{
    if (op->code != OP_for || !deals_out(op) || !op->regions[0]->last)
        return;
    for (int i = 0; i < op->nresults; i++) {
        const Value *was = op->regions[0]->args[1 + i];
        const Value *next = op->regions[0]->last->operands[i];
        Search s = {.loop = op, .was = was};

        if (next == was || !dtype_is_float(was->type->dtype) || !goes_on(next, was, DEEPEST))
            continue;
        ir_walk(op->regions[0], note_store, &s);
        if (!s.store)
            continue;
        tell_warn(suspect, s.store,
                  "begin it in the loop, in front of what the round adds: acc = tl.zeros(..)",
                  "this goes on with what the rounds before have added up, and which those were "
                  "depends on how many programs there are");
        return;
    }
}

static bool is_for(const Op *op)
{
    return op->code == OP_for;
}

void suspect_dealt(const Suspect *s)
{
    if (tell_any(s, is_for))
        ir_walk(s->func->body, look_at, (void *)s);
}
