/*
 * cpu_dot_sum.c - sums of products that begin as zero in registers
 *
 * The plan (plan_sum.c) says for which the buffer has nothing yet when the first product is added.
 * What is read there is cleared bit by bit then: one instruction, and no branch.
 */
#include "cpu.h"

enum { WORD = 4 };

Val cpu_dot_keeps(const Dot *d, const Op *product)
{
    Cpu *c = d->c;
    const Op *begins = c->plan->buffers.at[d->buffer[DOT_ACC]].begins;
    LLVMTypeRef i32 = c->l->i32, i64 = c->l->i64;
    Val n = llvm_int(i64, 0);

    if (!begins)
        return NULL;
    if (begins == product)
        return llvm_int(i32, 0);
    if (d->plan.rounds > 1)
        n = cpu_place_round(c, d->buffer[DOT_A], d->plan.rounds);
    Val first = LLVMBuildICmp(c->b, LLVMIntEQ, c->round, n, "");
    return LLVMBuildSelect(c->b, first, llvm_int(i32, 0), llvm_int(i32, -1), "");
}

Val cpu_dot_sum(Dot *d, Val v)
{
    Bld b = d->c->b;
    LLVMTypeRef t = LLVMTypeOf(v);

    if (!d->keeps)
        return v;
    int lanes = cpu_buffer_size(d->c, d->buffer[DOT_ACC]) / WORD * d->plan.lanes;
    Val bits = LLVMBuildBitCast(b, v, llvm_vector(d->c->l->i32, lanes), "");
    bits = LLVMBuildAnd(b, bits, llvm_splat(b, d->keeps, lanes), "");
    return LLVMBuildBitCast(b, bits, t, "");
}
