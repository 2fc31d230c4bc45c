/*
 * cpu_dot_sum.c - sums of products that begin as zero in registers, and end in memory
 *
 * The plan (plan_sum.c) says for which the buffer has nothing yet when the first product is added.
 * What is read there is cleared bit by bit then: one instruction, and no branch.  Where the last
 * product stores the result (plan_result.c), a block is made what the nest would make of it, and
 * stored, once its sums are there; in another round they go back to the buffer.
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

/* To the buffer. */
static void keep_sums(Dot *d, const DotBlock *b, Val (*place)[DOT_MAX_VECTORS])
{
    Cpu *c = d->c;
    int size = cpu_buffer_size(c, d->buffer[DOT_ACC]), lanes = d->plan.lanes;
    Val lane = llvm_iota(c->l->i32, lanes);
    Val mask = LLVMBuildICmp(c->b, LLVMIntSLT, lane, llvm_int(LLVMTypeOf(lane), b->last), "");

    for (int r = 0; r < b->rows; r++) {
        for (int v = 0; v < b->vectors; v++) {
            if (v == b->vectors - 1 && b->last < lanes)
                llvm_masked_store(c->l, c->b, b->sums[r][v], place[r][v], size, mask);
            else
                llvm_store(c->b, b->sums[r][v], place[r][v], size);
        }
    }
}

void cpu_dot_end(Dot *d, const DotBlock *b, Val (*place)[DOT_MAX_VECTORS])
{
    Cpu *c = d->c;

    if (!d->ends) {
        keep_sums(d, b, place);
        return;
    }
    LLVMBasicBlockRef store = cpu_block(c), keep = cpu_block(c), after = cpu_block(c);
    LLVMBuildCondBr(c->b, d->ends, store, keep);
    LLVMPositionBuilderAtEnd(c->b, store);
    d->store(c, d->buffer[DOT_ACC], b);
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, keep);
    keep_sums(d, b, place);
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, after);
}
