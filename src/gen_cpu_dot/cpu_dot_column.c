/*
 * cpu_dot_column.c - blocks of a product of one column, whose elements lie one behind the other
 *
 * Of a vector of columns one would count.  So vectors go along k, in rows of a and in the column of
 * b alike, each row has a vector of sums, and these are added up in the end.  What K leaves over
 * goes first, masked, so that all else is whole vectors.  Both operands lie in memory
 * (cpu_dot_whole.c).
 */
#include "cpu_dot.h"

/* What a step reads: the column, and each row. */
typedef struct {
    Val b, a[DOT_MAX_ROWS];
} Reading;

static Val element(Dot *d, int which, Val line, Val at)
{
    return LLVMBuildGEP2(d->c->b, cpu_buffer_type(d->c, d->buffer[which], 0), line, &at, 1, "");
}

static void add_step(Dot *d, const DotBlock *block, const Reading *from, Val at, Val *sums)
{
    Val b = cpu_dot_load(d, DOT_B, element(d, DOT_B, from->b, at), d->plan.lanes);

    for (int r = 0; r < block->rows; r++) {
        Val a = cpu_dot_load(d, DOT_A, element(d, DOT_A, from->a[r], at), d->plan.lanes);
        sums[r] = cpu_dot_multiply_add(d, a, b, sums[r]);
    }
}

/* Elements that fill no vector, or one; gives how many there were. */
static Val add_first(Dot *d, const DotBlock *block, const Reading *from, Val *sums)
{
    Cpu *c = d->c;
    int lanes = d->plan.lanes;
    Val last = LLVMBuildSub(c->b, d->along, llvm_int(c->l->i64, 1), "");
    Val n = LLVMBuildAnd(c->b, last, llvm_int(c->l->i64, lanes - 1), ""), mask = d->mask;

    Val most = llvm_splat(c->b, LLVMBuildTrunc(c->b, n, c->l->i32, ""), lanes);
    d->mask = LLVMBuildICmp(c->b, LLVMIntULE, llvm_iota(c->l->i32, lanes), most, "");
    add_step(d, block, from, llvm_int(c->l->i64, 0), sums);
    d->mask = mask;
    return LLVMBuildAdd(c->b, n, llvm_int(c->l->i64, 1), "");
}

static void add_rest(Dot *d, const DotBlock *block, const Reading *from, Val first, Val *sums)
{
    Cpu *c = d->c;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(c->b), some = cpu_block(c), after = cpu_block(c);
    Val rest = LLVMBuildSub(c->b, d->along, first, ""), begun[DOT_MAX_ROWS], mask = d->mask;

    LLVMBuildCondBr(c->b, LLVMBuildIsNull(c->b, rest, ""), after, some);
    LLVMPositionBuilderAtEnd(c->b, some);
    Loop l = cpu_loop_begin(c);
    for (int r = 0; r < block->rows; r++) {
        begun[r] = sums[r];
        sums[r] = LLVMBuildPhi(c->b, LLVMTypeOf(begun[r]), "");
        LLVMAddIncoming(sums[r], &begun[r], &l.before, 1);
    }
    Val phi[DOT_MAX_ROWS];
    for (int r = 0; r < block->rows; r++)
        phi[r] = sums[r];
    d->mask = NULL;
    add_step(d, block, from, LLVMBuildAdd(c->b, first, l.index, ""), sums);
    d->mask = mask;
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(c->b);
    for (int r = 0; r < block->rows; r++)
        LLVMAddIncoming(phi[r], &sums[r], &latch, 1);
    cpu_loop_end_at(c, &l, rest, d->plan.lanes);
    LLVMBasicBlockRef ends[] = {before, LLVMGetInsertBlock(c->b)};
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, after);
    for (int r = 0; r < block->rows; r++) {
        Val of[] = {begun[r], sums[r]};
        sums[r] = LLVMBuildPhi(c->b, LLVMTypeOf(begun[r]), "");
        LLVMAddIncoming(sums[r], of, ends, COUNT(of));
    }
}

static Val added_up(Cpu *c, Val v)
{
    for (int n = llvm_lanes(v) / 2; n > 0; n /= 2) {
        Val low = llvm_slice(c->l, c->b, v, 0, n);
        Val high = llvm_slice(c->l, c->b, v, n, n);
        v = LLVMBuildFAdd(c->b, low, high, "");
    }
    return v;
}

void cpu_dot_column(Dot *d, DotBlock *block)
{
    Cpu *c = d->c;
    Val zero = llvm_int(c->l->i64, 0), sums[DOT_MAX_ROWS];
    Reading from = {.b = cpu_dot_at(d, DOT_B, zero, 0, zero, 0)};

    for (int r = 0; r < block->rows; r++) {
        from.a[r] = cpu_dot_at(d, DOT_A, block->row, r, zero, 0);
        sums[r] = LLVMConstNull(LLVMTypeOf(block->sums[r][0]));
    }
    Val first = add_first(d, block, &from, sums);
    add_rest(d, block, &from, first, sums);
    for (int r = 0; r < block->rows; r++)
        block->sums[r][0] = LLVMBuildInsertElement(c->b, block->sums[r][0], added_up(c, sums[r]),
                                                   llvm_int(c->l->i32, 0), "");
}
