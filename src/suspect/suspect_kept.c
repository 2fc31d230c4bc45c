/*
 * suspect_kept.c - loops of which only the last round counts, and those that have none
 *
 *   - each round stores to the same elements, tl.store(out + i, v * k), what nobody reads in
 *     between: the offset of the round was forgotten, unless there is one round at most;
 *   - nothing in a `while` changes its condition: it ends at once, or never.
 */
#include "suspect.h"

enum { DEEPEST = 24, MOST_ASKED = 64 };

/* --- stores of all rounds to one place --- */

typedef struct {
    const Suspect *s;
    const PointerBases *bases; /* NULL: not asked for */
    int asked;                 /* how often it was looked for who reads what is stored */
} Search;

typedef struct {
    const PointerBases *bases;
    uint64_t stored; /* the arrays that it may be */
    bool reads;
} Readers;

static void note_reader(Op *op, void *readers)
{
    Readers *r = readers;

    if (op->code == OP_call || op->code == OP_inline_asm || op->code == OP_inline_asm_volatile)
        r->reads = true;
    else if (op_has(op, READS) && op->noperands > 0)
        r->reads |= (ir_bases_of(r->bases, op->operands[0]) & r->stored) != 0;
    else if (op->code == OP_barrier || op->code == OP_while)
        r->reads = true; /* another program, or lane, may be waited for */
}

static bool is_read_in(Search *search, const Op *loop, const Op *store)
{
    if (!search->bases)
        search->bases = ir_pointer_bases(search->s->func, search->s->arena);
    Readers r = {.bases = search->bases};
    r.stored = ir_bases_of(r.bases, store->operands[STORE_PTR]);
    ir_walk(loop->regions[0], note_reader, &r);
    return r.reads;
}

/* for _ in range(0, tl.where(c, 1, 0)) is an `if`. */
static bool is_of_one_round(const Suspect *s, const Op *loop)
{
    const Axis *end = axis_of(tell_axis(s), loop->operands[FOR_HI]);
    int64_t begin, step;

    return end->has_range && value_const_signed(loop->operands[FOR_LO], &begin) &&
           value_const_signed(loop->operands[FOR_STEP], &step) && step > 0 &&
           end->hi <= INT32_MAX && begin >= INT32_MIN && end->hi - begin <= step;
}

static bool is_overwritten(Search *search, const Op *store)
{
    const Op *loop = store->block->owner;
    const Value *mask = op_operand(store, STORE_MASK);
    uint64_t trips;

    if (!loop || loop->code != OP_for || (opt_trip_count(loop, &trips) && trips < 2))
        return false;
    return !tell_is_moved(store->operands[STORE_PTR], loop, DEEPEST) &&
           !(mask && tell_is_moved(mask, loop, DEEPEST)) &&
           tell_is_moved(store->operands[STORE_DATA], loop, DEEPEST) &&
           ++search->asked <= MOST_ASKED && !is_read_in(search, loop, store) &&
           !is_of_one_round(search->s, loop);
}

/* --- loops without an end --- */

static bool is_within(const Op *op, const Op *loop)
{
    while (op && op != loop)
        op = op->block->owner;
    return op == loop;
}

static bool stays(const Op *op, void *loop)
{
    bool asks = ir_access(op).effect != 0 || op->code == OP_call || op->code == OP_inline_asm ||
                op->code == OP_inline_asm_volatile || op->code == OP_while || op->code == OP_for;

    return !asks || !is_within(op, loop);
}

/* Does it follow from what the loop carries?  Where that is not known, yes. */
static bool follows_from_carried(const Value *v, const Op *loop, int depth)
{
    if (!tell_is_inside(v, loop))
        return false;
    if (!v->def || depth == 0)
        return true;
    for (int i = 0; i < v->def->noperands; i++) {
        if (follows_from_carried(v->def->operands[i], loop, depth - 1))
            return true;
    }
    return false;
}

static bool has_no_end(const Suspect *s, const Op *loop)
{
    const Value *condition = loop->regions[0]->last->operands[0];

    return !follows_from_carried(condition, loop, DEEPEST) &&
           ir_slice(s->func, s->arena, &condition, 1, stays, (void *)loop);
}

/* --- */

static void look_at(Op *op, void *search)
{
    const Suspect *s = ((Search *)search)->s;

    if (op->code == OP_store && is_overwritten(search, op))
        tell_warn(s, op, "add the round's offset to the pointer, or store once behind the loop",
                  "each round of the loop stores to the same elements: what is left is the last "
                  "one's");
    if (op->code == OP_while && has_no_end(s, op))
        tell_warn(s, op, "count in it, as by i += 1",
                  "nothing in this loop changes its condition: it ends at once, or never");
}

static bool is_looked_at(const Op *op)
{
    return op->code == OP_store || op->code == OP_while;
}

void suspect_kept(const Suspect *s)
{
    Search x = {.s = s};

    if (tell_any(s, is_looked_at))
        ir_walk(s->func->body, look_at, &x);
}
