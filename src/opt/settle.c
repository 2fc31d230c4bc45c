/*
 * settle.c - comparisons in masks whose outcome is known: indices that are not below 0, a tile as
 * wide as its row
 *
 * Behind the passes that look for accesses a few places apart (window.c), whose masks are alike
 * only as long as all of them are asked.  Tiles alone: a scalar costs nothing, and may be what
 * tl.assume() is told, from which the ranges come.
 */
#include "../axis/axis.h"
#include "opt.h"

/* 1, 0, or -1 where it is not the same for all of lo to hi. */
static int outcome(OpCode code, const Axis *x, int64_t c)
{
    switch (code) {
    case OP_lt:
        return x->hi < c ? 1 : x->lo >= c ? 0 : -1;
    case OP_le:
        return x->hi <= c ? 1 : x->lo > c ? 0 : -1;
    case OP_gt:
        return x->lo > c ? 1 : x->hi <= c ? 0 : -1;
    case OP_ge:
        return x->lo >= c ? 1 : x->hi < c ? 0 : -1;
    default:
        return -1;
    }
}

static void settle(Op *op, void *facts)
{
    int64_t c;

    if (!op_has(op, COMPARES) || op->results[0]->type->rank == 0 ||
        op->operands[0]->type->pointer || op->operands[0]->type->dtype == DT_U64 ||
        !opt_is_int(op->operands[0]) || !value_const_int(op->operands[1], &c))
        return;
    const Axis *x = axis_of(facts, op->operands[0]);
    int same = x && x->has_range ? outcome(op->code, x, c) : -1;
    if (same < 0)
        return;
    Builder b = builder_before(op);
    op->results[0]->repl = build_const(&b, op->results[0]->type, (uint64_t)same);
}

void opt_settle(Func *f)
{
    ir_walk(f->body, settle, axis_analyse(f, f->module->arena));
}
