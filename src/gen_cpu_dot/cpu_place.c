/*
 * cpu_place.c - operands of products that are read where memory has them
 *
 * The plan (plan_place.c) says which may be.  In front of the nest that would lay such a tile out
 * it is found whether few programs have the same one, all masks hold, and rows follow one another
 * as evenly and closely as they should; then the nest is left out, and the product takes the first
 * row's address and the distance to the next.  Rows are as far apart in 64 bits as their addresses
 * say, so that numbers of 32 bits which come around between two rows are seen at the last one.
 *
 * So is it found, in front of a loop, where the last product may store its result (plan_result.c).
 */
#include "../plan_schedule/plan_schedule.h"
#include "cpu_dot.h"

#include <string.h>

/* Of a sum of what steps, or what remains of it: the element so far (i64) along a dimension, and
 * the first one along others. */
static Val at(Cpu *c, const Value *v, const int8_t *map, int dim, Val index)
{
    const Op *op = v->def;
    Val in[MAX_ELEMENTWISE_OPERANDS] = {NULL};
    int8_t inner[MAX_RANK];

    if (op && op->code == OP_const)
        return llvm_int(emit_register_type(&c->e, v->type->dtype, 0), attr_bits(op));
    if (v->type->rank == 0)
        return c->scalars[v->id];
    if (op->code == OP_arange) {
        LLVMTypeRef t = emit_register_type(&c->e, v->type->dtype, 0);
        Val start = llvm_int(t, attr_start(op));
        return map[0] == dim
                   ? LLVMBuildAdd(c->b, start, LLVMBuildIntCast2(c->b, index, t, 1, ""), "")
                   : start;
    }
    if (op_has(op, MOVES))
        return at(c, plan_place_behind(v, map, inner), inner, dim, index);
    for (int i = 0; i < op->noperands; i++)
        in[i] = at(c, op->operands[i], map, dim, index);
    return emit_op(&c->e, c->b, op, in);
}

/* i1: does no remainder that v is made of come around, up to that element along a dimension?  What
 * is divided goes up by one, so one that does is less by then than it would be. */
static Val no_remainder_ends(Cpu *c, const Value *v, const int8_t *map, int dim, Val last)
{
    const Op *op = v->def;
    Val all = llvm_int(c->l->i1, 1), zero = llvm_int(c->l->i64, 0);
    int8_t inner[MAX_RANK];

    if (v->type->rank == 0 || op->code == OP_const || op->code == OP_arange)
        return all;
    if (op_has(op, MOVES))
        return no_remainder_ends(c, plan_place_behind(v, map, inner), inner, dim, last);
    for (int i = 0; i < op->noperands; i++)
        all = LLVMBuildAnd(c->b, all, no_remainder_ends(c, op->operands[i], map, dim, last), "");
    if (op->code != OP_rem)
        return all;
    const Value *whole = op->operands[0];
    Val from = at(c, whole, map, dim, zero), to = at(c, whole, map, dim, last);
    Val first = at(c, v, map, dim, zero), end = at(c, v, map, dim, last);
    Val up = LLVMBuildICmp(c->b, LLVMIntSGE, to, from, "");
    Val steps = LLVMBuildSub(c->b, to, from, ""), there = LLVMBuildSub(c->b, end, first, "");
    Val alike = LLVMBuildICmp(c->b, LLVMIntEQ, there, steps, "");
    return LLVMBuildAnd(c->b, all, LLVMBuildAnd(c->b, up, alike, ""), "");
}

static Val number_of(Cpu *c, Val address)
{
    return LLVMBuildPtrToInt(c->b, address, c->l->i64, "");
}

/* i1: do few programs have the same tile? */
static Val is_for_few(Cpu *c, int same)
{
    LLVMTypeRef i64 = c->l->i64;
    Val programs = llvm_int(i64, 1);

    if (same < 0)
        return llvm_int(c->l->i1, 0);
    for (int axis = 0; axis < COUNT(c->programs); axis++) {
        Val n = LLVMBuildZExt(c->b, c->programs[axis], i64, "");
        if ((same >> axis & 1) != 0)
            programs = LLVMBuildMul(c->b, programs, n, "");
    }
    return LLVMBuildICmp(c->b, LLVMIntULE, programs, llvm_int(i64, PLACE_PROGRAMS), "");
}

/* Where that is so of a, and of b: does the product rather wait for several rounds? */
static Val is_waited(Cpu *c, const Buffer *buffer, Val a, Val b)
{
    Val all[] = {a, b}, of = llvm_int(c->l->i1, 0);
    Val one = LLVMBuildNot(c->b, LLVMBuildAnd(c->b, a, b, ""), "");
    Val several = LLVMBuildICmp(c->b, LLVMIntUGT, c->trips, llvm_int(c->l->i64, 1), "");

    if (buffer->waits >> PLACE_BOTH & 1)
        return several;
    for (int i = DOT_A; i <= DOT_B; i++) {
        if (buffer->waits >> i & 1)
            of = LLVMBuildOr(c->b, of, all[i], "");
    }
    return LLVMBuildAnd(c->b, several, LLVMBuildAnd(c->b, one, of, ""), "");
}

Val cpu_place_each(Cpu *c, int buffer)
{
    const Buffer *b = &c->plan->buffers.at[buffer];
    Val one = is_for_few(c, b->same[DOT_A]), other = is_for_few(c, b->same[DOT_B]);
    Val each = LLVMBuildOr(c->b, one, other, "");

    if (b->waits == 0)
        return each;
    Val waits = is_waited(c, b, one, other);
    return LLVMBuildAnd(c->b, each, LLVMBuildNot(c->b, waits, ""), "");
}

Val cpu_place_round(Cpu *c, int buffer, int rounds)
{
    const Buffer *b = &c->plan->buffers.at[buffer];
    Val zero = llvm_int(c->l->i64, 0);
    Val n = LLVMBuildAnd(c->b, c->round, llvm_int(c->l->i64, rounds - 1), "");

    if (b->same[DOT_A] < 0 && b->same[DOT_B] < 0)
        return n;
    return LLVMBuildSelect(c->b, cpu_place_each(c, buffer), zero, n, "");
}

Val cpu_place_goes_on(Cpu *c, const Value *address, int dim, Val last)
{
    return no_remainder_ends(c, address, plan_identity, dim, last);
}

Placed cpu_place_along(Cpu *c, const Value *address, int dim, Val last)
{
    Val base = at(c, address, plan_identity, dim, llvm_int(c->l->i64, 0));
    Val first = number_of(c, base);
    Val second = number_of(c, at(c, address, plan_identity, dim, llvm_int(c->l->i64, 1)));
    Val end = number_of(c, at(c, address, plan_identity, dim, last));
    Val pitch = LLVMBuildSub(c->b, second, first, "");
    Val all = LLVMBuildAdd(c->b, first, LLVMBuildMul(c->b, pitch, last, ""), "");
    Val even = LLVMBuildICmp(c->b, LLVMIntEQ, end, all, "");

    even = LLVMBuildAnd(c->b, even, cpu_place_goes_on(c, address, dim, last), "");
    return (Placed){even, base, pitch};
}

static Placed place_rows(Cpu *c, const Nest *n, const Value *address)
{
    return cpu_place_along(c, address, 0, llvm_int(c->l->i64, n->dims[0] - 1));
}

/* It is one if that holds, too, and its rows, of elements of `size`, are so far apart, in bytes, as
 * `p` says they are. */
static Val keep_place(Cpu *c, int buffer, Placed p, int size, Val when, LLVMIntPredicate are,
                      int64_t bytes)
{
    LLVMTypeRef i64 = c->l->i64;
    Val fits = LLVMBuildICmp(c->b, are, p.pitch, llvm_int(i64, bytes), "");

    p.when = LLVMBuildAnd(c->b, when, LLVMBuildAnd(c->b, fits, p.when, ""), "");
    p.pitch = LLVMBuildUDiv(c->b, p.pitch, llvm_int(i64, size), "");
    c->placed[buffer] = p;
    return p.when;
}

Val cpu_place_wanted(Cpu *c, int buffer)
{
    return is_for_few(c, c->plan->buffers.at[buffer].alike);
}

Val cpu_place_find(Cpu *c, const Nest *n, int buffer)
{
    const Buffer *b = &c->plan->buffers.at[buffer];
    int operand = uses_of(&c->plan->uses, b->in_place->results[0])->operand;
    Val when = is_for_few(c, b->same[operand]);

    if (b->waits != 0)
        when = LLVMBuildAnd(c->b, when, cpu_place_each(c, buffer), "");
    when = LLVMBuildAnd(c->b, when, cpu_all_hold(c, n), "");
    Placed p = place_rows(c, n, b->in_place->operands[LOAD_PTR]);
    return keep_place(c, buffer, p, cpu_buffer_size(c, buffer), when, LLVMIntULT, PLACE_PITCH);
}

void cpu_place_find_result(Cpu *c, int buffer, Val when)
{
    const Nest *n = c->plan->buffers.at[buffer].stored;
    const Value *address = n->roots.at[0].op->operands[STORE_PTR];
    int size = dtype_size(address->type->dtype);
    Val all = LLVMBuildAnd(c->b, when, cpu_all_hold(c, n), "");

    Placed p = place_rows(c, n, address);
    keep_place(c, buffer, p, size, all, LLVMIntSGE, (int64_t)n->dims[1] * size);
}

/* --- the product --- */

static const Placed *place_of(const Dot *d, int which)
{
    return &d->c->placed[d->buffer[which]];
}

void cpu_place_result(Dot *d, const Op *product)
{
    Cpu *c = d->c;
    int buffer = d->buffer[DOT_ACC];
    const Buffer *sum = &c->plan->buffers.at[buffer];

    if (!sum->stored)
        return;
    const Placed *p = &c->placed[buffer];
    d->ends = sum->last == product ? p->when : LLVMBuildAnd(c->b, p->when, c->is_last, "");
}

Val cpu_place_any(const Dot *d)
{
    Val a = place_of(d, DOT_A)->when, b = place_of(d, DOT_B)->when;

    return a && b ? LLVMBuildOr(d->c->b, a, b, "") : a ? a : b;
}

Dot cpu_place_take(const Dot *d)
{
    Dot one = *d;
    Bld b = d->c->b;

    one.plan.rounds = 1;
    one.most_k = d->k;
    memset(one.plan.asks, 0, sizeof one.plan.asks);
    memset(one.plan.from, 0, sizeof one.plan.from);
    for (int i = DOT_A; i <= DOT_B; i++) {
        const Placed *p = place_of(d, i);
        if (!p->when)
            continue;
        Val usual = llvm_int(d->c->l->i64, d->down[i]);
        one.base[i] = LLVMBuildSelect(b, p->when, p->base, d->base[i], "");
        one.pitch[i] = LLVMBuildSelect(b, p->when, p->pitch, usual, "");
    }
    return one;
}

/* The row first, which stays along k. */
Val cpu_place_at(Dot *d, int which, Val row, Val column, int64_t offset)
{
    Cpu *c = d->c;
    LLVMTypeRef e = cpu_buffer_type(c, d->buffer[which], 0);
    Val more = llvm_int(c->l->i64, offset), skip = LLVMBuildMul(c->b, row, d->pitch[which], "");
    Val p = LLVMBuildGEP2(c->b, e, d->base[which], &skip, 1, "");

    p = LLVMBuildGEP2(c->b, e, p, &column, 1, "");
    return LLVMBuildGEP2(c->b, e, p, &more, 1, "");
}
