/*
 * licm.c - move what a loop does not change in front of it
 *
 * Takes and gives verified IR.  Needs nothing; keeps dominance; breaks use counts.
 * Pure ops move whenever their operands are defined outside the loop, out of as many loops as
 * that holds for; ops in an arm of an `if` stay in it, since the arm may never run.  Loads move
 * only if no op in the loop may write memory or end the program, and only when they would have run
 * anyway: a load that was never executed must not fault because of us.  That is so in the first
 * region of a `while`, and in a `for` whose constant bounds give at least one iteration.
 */
#include "opt.h"
#include "../ir/analysis.h"

typedef struct {
    int *levels; /* by value id: how many regions are around the definition */
} Licm;

/* The ops whose regions are around a block. */
typedef struct Around {
    const Op *op;
    struct Around *outer; /* NULL: of the function's body */
    enum { UNKNOWN, WRITES_NOTHING, MAY_WRITE } effect;
} Around;

static int deepest_operand(const Licm *c, const Op *op, const Op *root)
{
    int level = 0;

    for (int i = 0; i < op->noperands; i++) {
        const Value *v = op->operands[i];
        if (op == root || !opt_inside(v->block, root))
            level = MAX(level, c->levels[v->id]);
    }
    for (int r = 0; r < COUNT(op->regions); r++) {
        for (const Op *o = op->regions[r] ? op->regions[r]->first : NULL; o; o = o->next)
            level = MAX(level, deepest_operand(c, o, root));
    }
    return level;
}

static bool runs_at_least_once(const Op *op, const Op *loop)
{
    uint64_t trips;

    if (loop->code == OP_while)
        return op->block == loop->regions[0];
    return opt_trip_count(loop, &trips) && trips > 0;
}

/* Looked for once, not for each load: what moves between loops writes nothing. */
static bool may_write(Around *a)
{
    if (a->effect == UNKNOWN)
        a->effect = op_contains(a->op, WRITES | EFFECT) ? MAY_WRITE : WRITES_NOTHING;
    return a->effect == MAY_WRITE;
}

/* May op move out of the loop around it, as far as its own nature goes? */
static bool may_leave(const Op *op, Around *loop)
{
    if (op_has(op, PURE))
        return !op_has_effects(op); /* a reduction whose region reads or writes memory stays */
    return op_only_reads(op) && !op_is_volatile(op) && runs_at_least_once(op, loop->op) &&
           !may_write(loop);
}

/* Gives the level of the block where op now is. */
static int hoist(Licm *c, Op *op, int level, Around *around)
{
    if (!op_has(op, PURE) && !op_only_reads(op))
        return level;
    int needed = deepest_operand(c, op, op);

    for (; needed < level && around && opt_is_loop(around->op); around = around->outer) {
        Op *loop = op->block->owner;

        if (!may_leave(op, around))
            break;
        op_insert_before(op, loop);
        level--;
    }
    return level;
}

static void visit_block(Licm *c, Block *b, int level, Around *around)
{
    for (int i = 0; i < b->nargs; i++)
        c->levels[b->args[i]->id] = level;
    for (Op *op = b->first, *next; op; op = next) {
        Around inside = {.op = op, .outer = around};

        next = op->next;
        for (int r = 0; r < COUNT(op->regions); r++) {
            if (op->regions[r])
                visit_block(c, op->regions[r], level + 1, &inside);
        }
        int now = hoist(c, op, level, around);
        for (int i = 0; i < op->nresults; i++)
            c->levels[op->results[i]->id] = now;
    }
}

void opt_licm(Func *f)
{
    Licm c = {.levels = NEW_N(f->module->arena, int, f->nvalues)};

    visit_block(&c, f->body, 0, NULL);
}
