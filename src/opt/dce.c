/*
 * dce.c - drop what nothing needs
 *
 * Takes and gives verified IR.  Everything is dead until an effect needs it: stores, atomics,
 * volatile loads, effects beyond memory and returns are the roots; an op keeps its operands and the
 * ops around it alive.  Values that loops carry and ifs give are followed slot by slot, so a carry
 * that only feeds itself goes, and a loop or `if` that is left without a live part goes whole.
 * (A `while` that would never end goes too when nothing can tell.)
 *
 * Slots of a `for`: initial value, body argument, yielded value and result live and die together.
 * A `while` has two sets: (initial value, first region's argument, second region's yield), and
 * (condition's operand, second region's argument, result).
 */
#include "opt.h"
#include "../ir/analysis.h"

typedef struct {
    Arena *arena;
    int nvalues;
    bool *live;        /* by value id */
    Map *live_ops;     /* ops that stay */
    VEC(Value *) todo; /* live values whose needs are not yet marked */
} Dce;

static bool is_root(const Op *op)
{
    return op_has(op, WRITES | EFFECT) || op_is_volatile(op) || op->code == OP_return;
}

static void need(Dce *c, Value *v)
{
    if (c->live[v->id])
        return;
    c->live[v->id] = true;
    vec_push(c->arena, &c->todo, v);
}

static void need_all(Dce *c, Value *const *values, int n)
{
    for (int i = 0; i < n; i++)
        need(c, values[i]);
}

/* How many leading operands an op needs however few of its slots are live. */
static int own_operands(const Op *op)
{
    switch (op->code) {
    case OP_for:
        return FOR_BOUNDS;
    case OP_if:
    case OP_condition:
        return 1;
    case OP_while:
        return 0;
    case OP_yield: /* of a reduce or scan everything counts */
        return opt_is_loop(op->block->owner) || op->block->owner->code == OP_if ? 0 : op->noperands;
    default:
        return op->noperands;
    }
}

static void need_op(Dce *c, Op *op)
{
    if (map_get(c->live_ops, MAP_KEY(op)))
        return;
    map_put(c->live_ops, MAP_KEY(op), op);
    need_all(c, op->operands, own_operands(op));
    if (op->block->owner)
        need_op(c, op->block->owner);
    bool combines = op_has(op, COMBINES); /* all of its region is needed */
    for (int r = 0; r < COUNT(op->regions); r++) {
        Block *b = op->regions[r];
        for (Op *o = !b ? NULL : combines ? b->first : opt_last(b); o; o = o->next)
            need_op(c, o);
    }
}

static void need_for_slot(Dce *c, Op *loop, int i)
{
    need(c, loop->operands[FOR_BOUNDS + i]);
    need(c, loop->regions[0]->args[1 + i]);
    need(c, opt_last(loop->regions[0])->operands[i]);
    need(c, loop->results[i]);
}

static void need_while_state(Dce *c, Op *loop, int i)
{
    need(c, loop->operands[i]);
    need(c, loop->regions[0]->args[i]);
    need(c, opt_last(loop->regions[1])->operands[i]);
}

static void need_while_result(Dce *c, Op *loop, int i)
{
    need(c, opt_last(loop->regions[0])->operands[1 + i]);
    need(c, loop->regions[1]->args[i]);
    need(c, loop->results[i]);
}

static void need_result(Dce *c, Op *op, int i)
{
    need_op(c, op);
    if (op->code == OP_for)
        need_for_slot(c, op, i);
    else if (op->code == OP_while)
        need_while_result(c, op, i);
    else if (op->code == OP_if) {
        need(c, opt_last(op->regions[0])->operands[i]);
        need(c, opt_last(op->regions[1])->operands[i]);
    }
}

static void need_argument(Dce *c, Block *b, int i)
{
    Op *owner = b->owner;

    if (!owner)
        return;
    if (owner->code == OP_for && i > 0)
        need_for_slot(c, owner, i - 1);
    else if (owner->code == OP_while && b == owner->regions[0])
        need_while_state(c, owner, i);
    else if (owner->code == OP_while)
        need_while_result(c, owner, i);
}

static void mark_root(Op *op, void *ctx)
{
    if (is_root(op))
        need_op(ctx, op);
}

static void mark(Dce *c, Func *f)
{
    ir_walk(f->body, mark_root, c);
    while (c->todo.len > 0) {
        Value *v = c->todo.at[--c->todo.len];
        if (v->def)
            need_result(c, v->def, v->index);
        else
            need_argument(c, v->block, v->index);
    }
}

/* Keep of list[first..] what keep[] says, and give the new length. */
static int compact(Value **list, int n, int first, const bool *keep)
{
    int kept = first;

    for (int i = first; i < n; i++) {
        if (keep[i - first])
            list[kept++] = list[i];
    }
    return kept;
}

static void drop_operands(Op *op, int first, const bool *keep)
{
    op->noperands = compact(op->operands, op->noperands, first, keep);
}

static void drop_results(Op *op, const bool *keep)
{
    op->nresults = compact(op->results, op->nresults, 0, keep);
    for (int i = 0; i < op->nresults; i++)
        op->results[i]->index = i;
}

static void drop_arguments(Block *b, int first, const bool *keep)
{
    b->nargs = compact(b->args, b->nargs, first, keep);
    for (int i = first; i < b->nargs; i++)
        b->args[i]->index = i;
}

/* Which of n values are live; true when not all are. */
static bool some_dead(const Dce *c, Value *const *values, int n, bool *keep)
{
    bool dead = false;

    for (int i = 0; i < n; i++) {
        keep[i] = c->live[values[i]->id];
        dead = dead || !keep[i];
    }
    return dead;
}

static void drop_slots(Dce *c, Op *op)
{
    bool *keep = NEW_N(c->arena, bool, op->nresults + op->noperands + 1);
    bool dead = some_dead(c, op->results, op->nresults, keep);

    if (dead && op->code == OP_for) {
        drop_operands(op, FOR_BOUNDS, keep);
        drop_arguments(op->regions[0], 1, keep);
        drop_operands(opt_last(op->regions[0]), 0, keep);
        drop_results(op, keep);
    } else if (dead && op->code == OP_if) {
        drop_operands(opt_last(op->regions[0]), 0, keep);
        drop_operands(opt_last(op->regions[1]), 0, keep);
        drop_results(op, keep);
    } else if (dead && op->code == OP_while) {
        drop_operands(opt_last(op->regions[0]), 1, keep);
        drop_arguments(op->regions[1], 0, keep);
        drop_results(op, keep);
    }
    if (op->code != OP_while || !some_dead(c, op->regions[0]->args, op->noperands, keep))
        return;
    drop_operands(op, 0, keep);
    drop_arguments(op->regions[0], 0, keep);
    drop_operands(opt_last(op->regions[1]), 0, keep);
}

static void sweep(Op *op, void *ctx)
{
    Dce *c = ctx;

    if (!map_get(c->live_ops, MAP_KEY(op))) {
        op_remove(op);
    } else if (opt_is_loop(op) || op->code == OP_if) {
        drop_slots(c, op);
    }
}

void opt_dce(Func *f)
{
    Arena *a = f->module->arena;
    Dce c = {.arena = a, .live = NEW_N(a, bool, f->nvalues), .live_ops = map_new(a)};

    mark(&c, f);
    ir_walk(f->body, sweep, &c);
}
