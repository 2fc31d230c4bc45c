/*
 * cpu_dot_sum.c - sums of products that begin in registers, and end in memory
 *
 * The plan (plan_sum.c) says for which the buffer has nothing yet when the first product is added.
 * Then it is not read: to do so, and to clear it, takes as long as a few steps along k.  Nor does
 * a nest fill it with what is made for each block instead (plan_start.c).  Where the
 * last product stores the result (plan_result.c), a block is made what the nest would make of it,
 * and stored, once its sums are there; in another round they go back to the buffer.
 */
#include "cpu_dot.h"

Val cpu_dot_begins(const Dot *d, const Op *product)
{
    Cpu *c = d->c;
    const Op *begins = c->plan->buffers.at[d->buffer[DOT_ACC]].begins;
    Val n = llvm_int(c->l->i64, 0);

    if (!begins || begins == product)
        return begins ? llvm_int(c->l->i1, 1) : NULL;
    if (d->plan.rounds > 1)
        n = cpu_place_round(c, d->buffer[DOT_A], d->plan.rounds);
    return LLVMBuildICmp(c->b, LLVMIntEQ, c->round, n, "");
}

/* From the buffer. */
static void read_sums(Dot *d, DotBlock *b, Val (*place)[DOT_MOST_VECTORS])
{
    Cpu *c = d->c;
    int buffer = d->buffer[DOT_ACC], size = cpu_buffer_size(c, buffer);
    LLVMTypeRef t = cpu_buffer_type(c, buffer, d->plan.lanes);

    for (int r = 0; r < b->rows; r++) {
        for (int v = 0; v < b->vectors; v++)
            b->sums[r][v] = llvm_load(c->b, t, place[r][v], size);
    }
}

/* As they were read, or zero, from `ways` on. */
static void meet_sums(Dot *d, DotBlock *b, LLVMBasicBlockRef *ways)
{
    Bld at = d->c->b;
    LLVMTypeRef t = cpu_buffer_type(d->c, d->buffer[DOT_ACC], d->plan.lanes);

    for (int r = 0; r < b->rows; r++) {
        for (int v = 0; v < b->vectors; v++) {
            Val in[] = {LLVMConstNull(t), b->sums[r][v]};
            b->sums[r][v] = ways ? LLVMBuildPhi(at, t, "") : in[0];
            if (ways)
                LLVMAddIncoming(b->sums[r][v], in, ways, COUNT(in));
        }
    }
}

void cpu_dot_begin(Dot *d, DotBlock *b, Val (*place)[DOT_MOST_VECTORS])
{
    Cpu *c = d->c;

    if (!d->begins) {
        read_sums(d, b, place);
        if (d->plan.start)
            d->code->start(c, d->plan.start, b);
        return;
    }
    if (LLVMIsConstant(d->begins)) {
        meet_sums(d, b, NULL);
        return;
    }
    LLVMBasicBlockRef before = LLVMGetInsertBlock(c->b), read = cpu_block(c), after = cpu_block(c);
    LLVMBasicBlockRef ways[] = {before, read};

    LLVMBuildCondBr(c->b, d->begins, after, read);
    LLVMPositionBuilderAtEnd(c->b, read);
    read_sums(d, b, place);
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, after);
    meet_sums(d, b, ways);
}

Val cpu_dot_lanes(Cpu *c, const DotBlock *b, int vector, int lanes)
{
    if (b->mask)
        return b->mask;
    if (vector < b->vectors - 1 || b->last == lanes)
        return NULL;
    Val lane = llvm_iota(c->l->i32, lanes);
    return LLVMBuildICmp(c->b, LLVMIntSLT, lane, llvm_int(LLVMTypeOf(lane), b->last), "");
}

/* To the buffer. */
static void keep_sums(Dot *d, const DotBlock *b, Val (*place)[DOT_MOST_VECTORS])
{
    Cpu *c = d->c;
    int size = cpu_buffer_size(c, d->buffer[DOT_ACC]);

    for (int r = 0; r < b->rows; r++) {
        for (int v = 0; v < b->vectors; v++) {
            Val mask = cpu_dot_lanes(c, b, v, d->plan.lanes);
            if (mask)
                llvm_masked_store(c->l, c->b, b->sums[r][v], place[r][v], size, mask);
            else
                llvm_store(c->b, b->sums[r][v], place[r][v], size);
        }
    }
}

void cpu_dot_end(Dot *d, const DotBlock *b, Val (*place)[DOT_MOST_VECTORS])
{
    Cpu *c = d->c;

    if (!d->ends) {
        keep_sums(d, b, place);
        return;
    }
    if (LLVMIsConstant(d->ends)) {
        d->code->store(c, d->buffer[DOT_ACC], b);
        return;
    }
    LLVMBasicBlockRef store = cpu_block(c), keep = cpu_block(c), after = cpu_block(c);
    LLVMBuildCondBr(c->b, d->ends, store, keep);
    LLVMPositionBuilderAtEnd(c->b, store);
    d->code->store(c, d->buffer[DOT_ACC], b);
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, keep);
    keep_sums(d, b, place);
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, after);
}
