/*
 * suspect_gaps.c - rounds of a loop that leave out elements between their tiles, or look at the
 * first tile alone
 *
 *   - range(0, n, 2 * BLOCK) with j + tl.arange(0, BLOCK): every other tile of a row is left out,
 *     where nothing else is made of the counter j;
 *   - tl.arange(0, BLOCK) < n as a mask in range(0, n, BLOCK), or in tl.cdiv(n, BLOCK) rounds: it
 *     says how long the first tile is, and says the same of all others.
 */
#include "suspect.h"

enum { DEEPEST = 12, SAME_DEPTH = 12 };

static bool is_arange(const Value *v)
{
    return v->def && v->def->code == OP_arange && v->type->rank == 1;
}

/* --- tiles that are shorter than the steps --- */

typedef struct {
    const Suspect *s;
    int64_t step;
    int extent; /* of the longest tile */
    bool others;
    const Op *at;
} Gaps;

/* What is made of the counter: sums with tl.arange alone? */
static void look_at_uses(Gaps *g, const Value *v, int depth)
{
    const UseLists *uses = tell_uses(g->s);

    for (int i = 0; i < uses_count(uses, v) && !g->others; i++) {
        const Op *op = uses_of(uses, v)[i].op;
        const Value *other =
            op->code == OP_add ? ir_bare(op->operands[1 - uses_of(uses, v)[i].operand]) : NULL;
        if (other && is_arange(other)) {
            g->extent = MAX(g->extent, other->type->dims[0]);
            g->at = op;
        } else if (depth > 0 && (op_has(op, MOVES) || op->code == OP_cast)) {
            look_at_uses(g, op->results[0], depth - 1);
        } else {
            g->others = true;
        }
    }
}

static void look_at_steps(const Suspect *s, const Op *loop)
{
    Gaps g = {.s = s};
    int64_t first;

    if (!value_const_signed(loop->operands[FOR_STEP], &g.step) || g.step < 2 ||
        !value_const_signed(loop->operands[FOR_LO], &first) || first != 0 ||
        value_const_signed(loop->operands[FOR_HI], &first))
        return;
    look_at_uses(&g, loop->regions[0]->args[0], DEEPEST);
    if (g.others || !g.at || g.extent < 2 || g.step <= g.extent || g.step % g.extent != 0)
        return;
    /* i + j * 2 + .., of an outer loop or of programs that take turns */
    for (const Op *outer = loop->block->owner; outer; outer = outer->block->owner) {
        if (outer->code == OP_for)
            return;
    }
    tell_warn(s, g.at, "rounds as far apart as the tile is long: range(0, n, BLOCK)",
              "rounds are %lld elements apart, and each looks at %d: what lies between is left out",
              (long long)g.step, g.extent);
}

/* --- a mask that stays where the first tile is --- */

/* n, or how many tiles of so many elements it has. */
static const Value *count_of(const Op *loop, int64_t *tile)
{
    const Value *end = ir_bare(loop->operands[FOR_HI]);
    const Op *op = end->def;
    int64_t step, first, more;

    if (!value_const_signed(loop->operands[FOR_LO], &first) || first != 0 ||
        !value_const_signed(loop->operands[FOR_STEP], &step) || step < 1)
        return NULL;
    *tile = step;
    if (step > 1)
        return end;
    if (!op || op->code != OP_div || !value_const_int(ir_bare(op->operands[1]), tile) || *tile < 2)
        return NULL;
    const Op *sum = ir_bare(op->operands[0])->def;
    if (sum && sum->code == OP_add && value_const_int(ir_bare(sum->operands[1]), &more) &&
        more == *tile - 1)
        return ir_bare(sum->operands[0]);
    return ir_bare(op->operands[0]);
}

typedef struct {
    const Suspect *s;
    const Op *loop;
    const Value *n;
    int64_t tile;
    const Value *index; /* what the loop does not move */
} Stale;

/* tl.arange(0, BLOCK) < n, the same in all rounds, that is all there is of a mask along it. */
static bool finds_stale(Stale *t, const Value *mask, int depth)
{
    const Op *op = mask->def;

    if (!op || depth == 0)
        return false;
    if (op->code == OP_lt) {
        const Value *index = ir_bare(op->operands[0]);
        if (!is_arange(index) || index->type->dims[0] != t->tile ||
            !ir_same(ir_bare(op->operands[1]), t->n, SAME_DEPTH))
            return false;
        t->index = index;
        return true;
    }
    for (int i = 0; i < op->noperands && (op->code == OP_and || op_has(op, MOVES)); i++) {
        if (finds_stale(t, op->operands[i], depth - 1))
            return true;
    }
    return false;
}

static void look_at_mask(Op *op, void *stale)
{
    Stale *t = stale;
    int at = op->code == OP_select ? 0 : op_has(op, READS | WRITES) ? ir_access(op).mask : -1;
    const Value *mask = op_operand(op, at);

    if (!t->n || !mask || mask->type->rank == 0 || tell_loop_around(op) != t->loop ||
        !finds_stale(t, mask, DEEPEST))
        return;
    const Value *p = op->code == OP_select ? NULL : op->operands[ir_access(op).pointer];
    if (p && axis_march(p, t->loop) != t->index)
        return;
    if (op->code == OP_select && !tell_is_moved(op->operands[1], t->loop, DEEPEST))
        return;
    tell_warn(t->s, op, "i < n - k * BLOCK, or k * BLOCK + i < n, of the round k",
              "this mask compares places in the tile with the length of what all rounds go "
              "through, so that it is the same in each");
    t->n = NULL;
}

static void look_at(Op *op, void *suspect)
{
    const Suspect *s = suspect;

    if (op->code != OP_for)
        return;
    look_at_steps(s, op);
    Stale t = {.s = s, .loop = op};
    t.n = count_of(op, &t.tile);
    if (t.n && !value_const_int(t.n, &(int64_t){0}))
        ir_walk(op->regions[0], look_at_mask, &t);
}

void suspect_gaps(const Suspect *s)
{
    ir_walk(s->func->body, look_at, (void *)s);
}
