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
 * all, and what others do is done again.  Told where the loop stores, by its counter alone, and
 * where all programs add what theirs has loaded to one place; of a `while` that counts so, too.  So
 * it is where the step is tl.num_programs(0), without the BLOCK.
 *
 * for at in range(tl.program_id(0), n, ..), or range(n), with at * BLOCK + tl.arange(0, BLOCK) < n
 * as its mask, counts to n what are tiles: most rounds have nothing to do.
 *
 * s = tl.sum(tl.load(x + i)), and if tl.program_id(0) == 0: tl.store(out, s), stores what the first
 * program has made of its own tile.  Told where nothing else is done with it, so that all others
 * have made theirs for nothing.
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

/* The axes, as bits, of the programs that it is made of, other than by the counter of a loop. */
static unsigned axes_of(const Value *v, int depth)
{
    const Op *op = v->def;
    unsigned axes = 0;

    if (!op || depth == 0)
        return 0;
    if (op->code == OP_program_id)
        return 1U << attr_axis(op);
    for (int i = 0; i < op->noperands; i++)
        axes |= axes_of(op->operands[i], depth - 1);
    return axes;
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

/* A loop that counts. */
typedef struct {
    const Op *loop;
    const Value *low, *high, *step;
    const Block *body;
} Count;

/* while k < n: .. k += step */
static bool read_while(const Op *op, Count *c)
{
    const Op *end = opt_last(op->regions[0]), *compare = end->operands[0]->def;
    const Value *k = compare && compare->code == OP_lt ? compare->operands[0] : NULL;

    if (!k || k->def || k->block != op->regions[0] || k->index >= op->noperands)
        return false;
    const Op *next = opt_last(op->regions[1])->operands[k->index]->def;
    if (!next || next->code != OP_add || next->operands[0] != op->regions[1]->args[k->index])
        return false;
    *c = (Count){op, op->operands[k->index], compare->operands[1], next->operands[1],
                 op->regions[1]};
    return true;
}

static bool read_count(const Op *op, Count *c)
{
    if (op->code == OP_while)
        return read_while(op, c);
    *c = (Count){op, op->operands[FOR_LO], op->operands[FOR_HI], op->operands[FOR_STEP],
                 op->regions[0]};
    return true;
}

/* Accesses of a loop: all that they say of programs is the round. */
typedef struct {
    const Op *loop;
    unsigned axes; /* along which programs share out the rounds */
    bool stores, loads, others;
} Stored;

static void note_store(Op *op, void *stored)
{
    Stored *x = stored;

    if (op_only_reads(op)) {
        x->loads = true;
        x->others |= (axes_of(op->operands[ir_access(op).pointer], FURTHEST) & x->axes) != 0;
        return;
    }
    if (op->code != OP_store) {
        x->others |= op_has(op, WRITES | EFFECT);
        return;
    }
    x->stores = true;
    for (int i = 0; i < op->noperands; i++)
        x->others |= (axes_of(op->operands[i], FURTHEST) & x->axes) != 0;
    x->others |= !tell_is_moved(op->operands[STORE_PTR], x->loop, FURTHEST);
}

/* Do all programs along these axes add it, or what is made of it, to one place? */
static bool is_added_by_all(const Suspect *s, const Value *v, unsigned axes, int depth)
{
    const UseLists *uses = tell_uses(s);
    const Use *at = uses_of(uses, v);

    for (int i = 0; i < uses_count(uses, v) && depth > 0; i++) {
        const Op *op = at[i].op;
        if (op->code == OP_atomic_rmw && attr_rmw_kind(op) == RMW_ADD)
            return at[i].operand == ir_access(op).data &&
                   !(axes_of(op->operands[ir_access(op).pointer], FURTHEST) & axes);
        if ((op_has(op, FOLDS) || op_has(op, MOVES) || ir_reduces(op)) && op->nresults == 1 &&
            is_added_by_all(s, op->results[0], axes, depth - 1))
            return true;
    }
    return false;
}

static bool adds_up(const Suspect *s, const Op *loop, unsigned axes)
{
    for (int i = 0; i < loop->nresults; i++) {
        if (is_added_by_all(s, loop->results[i], axes, DEEPEST))
            return true;
    }
    return false;
}

static void look_at_step(const Suspect *s, const Op *op)
{
    Stored x = {.loop = op};
    Count c;

    if (!read_count(op, &c) || !is_own_tile(c.low, c.step) || has_program(c.high, FURTHEST))
        return;
    x.axes = axes_of(c.low, FURTHEST);
    ir_walk((Block *)c.body, note_store, &x);
    if (!x.others && (x.stores || (x.loads && adds_up(s, op, x.axes))))
        tell_warn(s, op, "go on by those of all programs: tl.num_programs(0) * BLOCK",
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
            tell_warn(s, op, "go on by those of all programs: tl.num_programs(0) * BLOCK",
                      "each program begins with a tile of %lld of its own, and goes on by how "
                      "many programs there are: their tiles overlap",
                      (long long)width);
    }
}

/* --- rounds that have nothing to do --- */

typedef struct {
    const Op *loop;
    const Op *found; /* the comparison; NULL: there is none */
    int64_t lanes;
} Rounds;

/* at * BLOCK + tl.arange(0, BLOCK); gives BLOCK, or 0 */
static int64_t tile_of_round(const Value *v, const Op *loop)
{
    const Op *sum = ir_bare(v)->def;
    int64_t lanes;

    for (int i = 0; sum && sum->code == OP_add && i < 2; i++) {
        const Op *begin = ir_bare(sum->operands[i])->def;
        const Op *range = ir_bare(sum->operands[1 - i])->def;
        if (!begin || begin->code != OP_mul || !range || range->code != OP_arange)
            continue;
        for (int k = 0; k < 2; k++) {
            if (ir_bare(begin->operands[k]) == loop->regions[0]->args[0] &&
                value_const_int(ir_bare(begin->operands[1 - k]), &lanes) && lanes > 1 &&
                lanes == range->results[0]->type->dims[0])
                return lanes;
        }
    }
    return 0;
}

static void note_mask(Op *op, void *rounds)
{
    Rounds *r = rounds;
    int64_t lanes = 0;

    if (op->code == OP_lt && ir_bare(op->operands[1]) == ir_bare(r->loop->operands[FOR_HI]))
        lanes = tile_of_round(op->operands[0], r->loop);
    if (lanes == 0 || r->found)
        return;
    r->found = op;
    r->lanes = lanes;
}

static void look_at_rounds(const Suspect *s, const Op *op)
{
    Rounds r = {.loop = op};
    uint64_t bits;

    if (value_constant(op->operands[FOR_HI], &bits))
        return;
    ir_walk(op->regions[0], note_mask, &r);
    if (r.found)
        tell_warn(s, op, "count tiles: range(.., tl.cdiv(n, BLOCK), ..)",
                  "this counts up to a number of elements, and each round takes %lld of these: "
                  "most rounds have nothing to do",
                  (long long)r.lanes);
}

/* --- what one program stores --- */

/* The axis of an `if` that asks for one program by its number; -1: it is another one. */
static int axis_of_one(const Op *branch)
{
    const Op *equal = branch && branch->code == OP_if ? branch->operands[0]->def : NULL;
    uint64_t bits;

    for (int i = 0; equal && equal->code == OP_eq && i < 2; i++) {
        const Op *id = ir_bare(equal->operands[i])->def;
        if (id && id->code == OP_program_id && value_constant(equal->operands[1 - i], &bits))
            return (int)attr_axis(id);
    }
    return -1;
}

static bool has_program_along(const Value *v, int axis, int depth)
{
    const Op *op = v->def;

    if (!op || depth == 0)
        return false;
    if (op->code == OP_program_id)
        return attr_axis(op) == axis;
    for (int i = 0; i < op->noperands; i++) {
        if (has_program_along(op->operands[i], axis, depth - 1))
            return true;
    }
    return false;
}

/* Is it made of what was loaded by the number of the program along that axis? */
static bool is_of_own_tile(const Value *v, int axis, int depth)
{
    const Op *op = v->def;

    if (!op || depth == 0)
        return false;
    if (op_only_reads(op))
        return has_program_along(op->operands[ir_access(op).pointer], axis, FURTHEST);
    for (int i = 0; i < op->noperands; i++) {
        if (is_of_own_tile(op->operands[i], axis, depth - 1))
            return true;
    }
    return false;
}

static void look_at_one(const Suspect *s, const Op *store)
{
    const Op *branch = store->block->owner;
    const Value *v = store->operands[STORE_DATA];
    int axis = axis_of_one(branch);

    if (axis < 0 || store->block != branch->regions[0] || !v->def ||
        v->def->block == store->block || uses_count(tell_uses(s), v) != 1 ||
        !is_of_own_tile(v, axis, FURTHEST))
        return;
    tell_warn(s, store,
              "tl.atomic_add(out, v) in all programs adds up what they have, out + "
              "tl.program_id(0) keeps each",
              "each program makes this of a tile of its own, and one stores it: what the others "
              "have made is lost");
}

static void look_at(Op *op, void *suspect)
{
    const Suspect *s = suspect;

    if (op->code == OP_store)
        look_at_one(s, op);
    if (!opt_is_loop(op))
        return;
    look_at_step(s, op);
    if (op->code != OP_for)
        return;
    look_at_width(s, op);
    look_at_rounds(s, op);
    unsigned from = axes_in(op->operands[FOR_LO], OP_program_id, DEEPEST);
    unsigned by = axes_in(op->operands[FOR_STEP], OP_num_programs, DEEPEST);
    if (!is_one(from) || !is_one(by) || from == by)
        return;
    int axis = from >> 1, other = by >> 1;
    tell_warn(s, op, arena_printf(s->arena, "tl.num_programs(%d)", axis),
              "each program begins with its number along axis %d, and goes on by how many "
              "programs there are along axis %d",
              axis, other);
}

static bool is_looked_at(const Op *op)
{
    return opt_is_loop(op) || op->code == OP_if;
}

void suspect_programs(const Suspect *s)
{
    if (tell_any(s, is_looked_at))
        ir_walk(s->func->body, look_at, (void *)s);
}
