/*
 * cpu_dot_live.c - how many rows, columns and elements along k of a product count
 *
 * The plan (plan_live.c) has comparisons `x < limit`: x steps by one from its first element on, so
 * as many hold as limit is larger than that.  Where x would wrap on the way, all are taken to hold.
 */
#include "cpu_dot.h"

/* The first element of a tile, or a scalar. */
Val cpu_dot_first(Cpu *c, const Value *v)
{
    const Op *op = v->def;
    LLVMTypeRef t = emit_register_type(&c->e, v->type->dtype, 0);
    Val in[MAX_ELEMENTWISE_OPERANDS] = {NULL};

    if (op && op->code == OP_const)
        return llvm_int(t, attr_bits(op));
    if (v->type->rank == 0)
        return c->scalars[v->id];
    if (op->code == OP_arange)
        return llvm_int(t, attr_start(op));
    for (int i = 0; i < op->noperands; i++)
        in[i] = cpu_dot_first(c, op->operands[i]);
    return op_has(op, MOVES) ? in[0] : emit_op(&c->e, c->b, op, in);
}

/* Of a tile that steps by one, or is one number. */
static Val last_of(Cpu *c, const Value *v, Val first, Val *wraps)
{
    Val steps = llvm_int(LLVMTypeOf(first), plan_steps(c->plan, v));
    Val last = LLVMBuildAdd(c->b, first, steps, "");

    *wraps = LLVMBuildOr(c->b, *wraps, LLVMBuildICmp(c->b, LLVMIntSLT, last, first, ""), "");
    return last;
}

/* Of a comparison of what goes up, without wrapping, with one number: where it has to hold. */
typedef enum { AT_BOTH_ENDS, AT_FIRST, AT_LAST } DecidingEnd;
static DecidingEnd deciding_end(const Plan *p, const Op *op)
{
    bool left = plan_steps(p, op->operands[0]) > 0, right = plan_steps(p, op->operands[1]) > 0;
    bool less = op->code == OP_lt || op->code == OP_le;

    if (left == right || !dtype_is_signed(op->operands[0]->type->dtype))
        return AT_BOTH_ENDS;
    return less == left ? AT_LAST : AT_FIRST;
}

static Val holds_throughout(Cpu *c, const Value *v)
{
    const Op *op = v->def;
    DecidingEnd end = deciding_end(c->plan, op);
    Val wraps = llvm_int(c->l->i1, 0), first[2], last[2];

    for (int i = 0; i < 2; i++) {
        first[i] = cpu_dot_first(c, op->operands[i]);
        last[i] = last_of(c, op->operands[i], first[i], &wraps);
    }
    Val holds = LLVMBuildNot(c->b, wraps, "");
    if (end != AT_LAST)
        holds = LLVMBuildAnd(c->b, emit_op(&c->e, c->b, op, first), holds, "");
    if (end != AT_FIRST)
        holds = LLVMBuildAnd(c->b, emit_op(&c->e, c->b, op, last), holds, "");
    return holds;
}

Val cpu_all_hold(Cpu *c, const Nest *n)
{
    Val all = llvm_int(c->l->i1, 1);

    for (int i = 0; i < n->full.len; i++)
        all = LLVMBuildAnd(c->b, all, holds_throughout(c, n->full.at[i]), "");
    return all;
}

Val cpu_dot_count(Cpu *c, const Value *v, int64_t extent)
{
    LLVMTypeRef i64 = c->l->i64;
    Val x = cpu_dot_first(c, plan_counted(v)), limit = cpu_dot_first(c, plan_limit(v));
    Val step = llvm_int(LLVMTypeOf(x), extent - 1), all = llvm_int(i64, extent);
    Val last = LLVMBuildAdd(c->b, x, step, "");
    Val wraps = LLVMBuildICmp(c->b, LLVMIntSLT, last, x, "");
    Val some = LLVMBuildICmp(c->b, LLVMIntSGT, limit, x, "");

    /* where limit is larger, the difference is right without a sign */
    Val n = LLVMBuildZExtOrBitCast(c->b, LLVMBuildSub(c->b, limit, x, ""), i64, "");
    n = LLVMBuildSelect(c->b, some, n, llvm_int(i64, 0), "");
    return LLVMBuildSelect(c->b, wraps, all, llvm_extreme(c->l, c->b, false, false, n, all), "");
}

void cpu_dot_live(Dot *d)
{
    const int64_t extents[] = {[LIVE_ROWS] = d->m, [LIVE_COLUMNS] = d->n, [LIVE_DEPTH] = d->k};

    for (int i = 0; i < LIVES; i++) {
        if (d->plan.live[i])
            d->live[i] = cpu_dot_count(d->c, d->plan.live[i], extents[i]);
    }
}

Val cpu_dot_live_end(Dot *d, int which, int64_t end)
{
    Cpu *c = d->c;
    Val all = llvm_int(c->l->i64, end);

    return d->live[which] ? llvm_extreme(c->l, c->b, false, false, d->live[which], all) : all;
}
