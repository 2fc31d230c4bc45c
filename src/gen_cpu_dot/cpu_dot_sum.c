/*
 * cpu_dot_sum.c - sums of products that begin as zero in registers, and end in memory
 *
 * The plan (plan_sum.c) says for which the buffer has nothing yet when the first product is added.
 * What is read there is cleared bit by bit then: one instruction, and no branch.  Where the last
 * product stores the result (plan_result.c), its rows are somewhere else than they were.
 */
#include "cpu_dot.h"

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

Val cpu_dot_result_at(Dot *d, Val row, int64_t more, Val column, int64_t offset)
{
    Bld b = d->c->b;
    LLVMTypeRef i64 = d->c->l->i64, e = cpu_buffer_type(d->c, d->buffer[DOT_ACC], 0);
    Val down = LLVMBuildAdd(b, row, llvm_int(i64, more), "");
    Val at = LLVMBuildAdd(b, LLVMBuildMul(b, down, d->result_pitch, ""), column, "");
    Val rest = llvm_int(i64, offset);

    at = LLVMBuildGEP2(b, e, d->result, &at, 1, "");
    return LLVMBuildGEP2(b, e, at, &rest, 1, "");
}
