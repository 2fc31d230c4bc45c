/*
 * fold_control.c - `if` on a constant, loops that run never or once, carries that do not change
 */
#include "fold.h"

/* Put the ops of a region where `op` is and give op's results the terminator's operands from
 * `first` on.  Gives the first op that was moved, or the one after. */
static Op *replace_by_region(Op *op, Block *region, int first)
{
    Op *next = op->next, *moved = opt_splice(region, op);
    const Op *end = opt_last(region);

    for (int i = 0; i < op->nresults; i++)
        op->results[i]->repl = end->operands[first + i];
    op_remove(op);
    return moved == op ? next : moved;
}

static void bind_arguments(Block *region, int first, Value *const *values)
{
    for (int i = first; i < region->nargs; i++)
        region->args[i]->repl = values[i - first];
}

/* A carried value that is handed on as it came is what it was in front of the loop. */
static void free_constant_carries(Op *loop)
{
    Block *body = loop->regions[0];

    for (int i = 0; i < loop->nresults; i++) {
        Value *init = loop->operands[FOR_BOUNDS + i], *arg = body->args[1 + i];
        Value *next = ir_resolve(opt_last(body)->operands[i]);
        if (next != arg && next != init)
            continue;
        arg->repl = init;
        loop->results[i]->repl = init;
    }
}

static Op *fold_for(Op *loop)
{
    Value *const *inits = loop->operands + FOR_BOUNDS;
    Op *next = loop->next;
    uint64_t trips;

    if (!opt_trip_count(loop, &trips) || trips > 1) {
        free_constant_carries(loop);
        return loop;
    }
    if (trips == 1) {
        loop->regions[0]->args[0]->repl = loop->operands[0];
        bind_arguments(loop->regions[0], 1, inits);
        return replace_by_region(loop, loop->regions[0], 0);
    }
    for (int i = 0; i < loop->nresults; i++)
        loop->results[i]->repl = inits[i];
    op_remove(loop);
    return next;
}

Op *fold_control_before(Op *op)
{
    if (op->code == OP_for)
        return fold_for(op);
    if (op->code == OP_if && fold_is_const(op->operands[0], 1))
        return replace_by_region(op, op->regions[0], 0);
    if (op->code == OP_if && fold_is_const(op->operands[0], 0))
        return replace_by_region(op, op->regions[1], 0);
    return op;
}

static Value *choose_region(Op *at, Value *flag, Value *yes, Value *no)
{
    if (yes == no)
        return yes;
    if (type_is_tile(yes->type))
        flag = fold_unary(at, OP_splat, flag,
                          type_with_dtype(at->block->func->module, yes->type, DT_I1));
    return fold_new(at, OP_select, 3, (Value *[]){flag, yes, no}, 0, NULL, NULL);
}

static bool is_idle(const Block *arm)
{
    for (const Op *op = arm->first; op != opt_last(arm); op = op->next) {
        if (op->code != OP_const && op->code != OP_splat)
            return false;
    }
    return true;
}

/* Arms without work: what is left of the `if` is a choice of values. */
static bool fold_idle_if(Op *op)
{
    const Op *yes = opt_last(op->regions[0]), *no = opt_last(op->regions[1]);
    bool idle = is_idle(op->regions[0]) && is_idle(op->regions[1]);

    for (int r = 0; idle && r < COUNT(op->regions); r++)
        opt_splice(op->regions[r], op);
    for (int i = 0; i < op->nresults; i++) {
        if (idle || yes->operands[i] == no->operands[i])
            op->results[i]->repl =
                choose_region(op, op->operands[0], yes->operands[i], no->operands[i]);
    }
    return idle;
}

/* A `while` whose condition is false runs its first region once. */
static bool fold_false_while(Op *op)
{
    const Op *condition = opt_last(op->regions[0]);

    if (!fold_is_const(condition->operands[0], 0))
        return false;
    bind_arguments(op->regions[0], 0, op->operands);
    opt_resolve_all(op->regions[0]);
    opt_splice(op->regions[0], op);
    for (int i = 0; i < op->nresults; i++)
        op->results[i]->repl = condition->operands[1 + i];
    return true;
}

bool fold_control_after(Op *op)
{
    if (op->code == OP_if)
        return fold_idle_if(op);
    return op->code == OP_while && fold_false_while(op);
}
