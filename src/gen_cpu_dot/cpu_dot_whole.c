/*
 * cpu_dot_whole.c - all rounds of a loop as one product of what lies in memory
 *
 * The plan (plan_whole.c) says which loops may be, and cpu_whole.c how many rows, columns and
 * elements along k there are; no other ones are read or stored.  Columns go by whole blocks, and
 * what these leave over vector by vector, the last one masked.  Rows go by blocks of one of a few
 * heights: what whole ones leave over by the lowest that has as many, which begins in the one
 * before.  Its first rows are multiplied twice, and come to the same.
 *
 * Rows of b that one block of rows reads were in no cache before, and are far apart: a step asks
 * for those of a later one.  Of one row, or a few, blocks have more vectors, so that it asks for
 * more.
 *
 * Operands of the next program are as far from these as these are from those of the program before,
 * mostly, as in a batch: a block asks the second cache for what lies there in its place.
 */
#include "cpu_dot.h"

#include <string.h>

/* Lower blocks have too few sums side by side to be worth having, but for a product of few rows:
 * these have more vectors. */
enum { HEIGHTS = 4, MIDDLE = 8, LOW = 4, FEW = 2 };

enum { STEPS_AHEAD = 16 };

enum { LINE = 64, LEVEL = 2 };

static Val i64(Dot *d, int64_t n)
{
    return llvm_int(d->c->l->i64, n);
}

static Val smaller(Dot *d, Val x, Val y)
{
    return llvm_extreme(d->c->l, d->c->b, false, true, x, y);
}

/* --- the next program --- */

/* The first program has its own operands for those of the next one. */
static Val next_of(Dot *d, int operand)
{
    Cpu *c = d->c;
    Val slot = cpu_slot(c, c->l->i64), none = i64(d, 0);

    LLVMBuildStore(c->entry, none, slot);
    Val at = LLVMBuildPtrToInt(c->b, d->base[operand], c->l->i64, "");
    Val before = LLVMBuildLoad2(c->b, c->l->i64, slot, "");
    LLVMBuildStore(c->b, at, slot);
    Val step = LLVMBuildSub(c->b, at, before, "");
    step = LLVMBuildSelect(c->b, LLVMBuildIsNull(c->b, before, ""), none, step, "");
    return LLVMBuildGEP2(c->b, c->l->i8, d->base[operand], &step, 1, "");
}

static void ask_for_next(Dot *d, int operand, int rows, int vectors, Val row, Val column)
{
    Cpu *c = d->c;
    int size = cpu_buffer_size(c, d->buffer[operand]);
    Val down = LLVMBuildMul(c->b, d->pitch[operand], i64(d, size), "");
    Val skip = LLVMBuildMul(c->b, row, down, "");

    skip = LLVMBuildAdd(c->b, skip, LLVMBuildMul(c->b, column, i64(d, size), ""), "");
    Val line = LLVMBuildGEP2(c->b, c->l->i8, d->next[operand], &skip, 1, "");
    for (int r = 0; r < rows; r++) {
        for (int at = 0; at < vectors * d->plan.lanes * size; at += LINE)
            cpu_prefetch_line(c, c->b, line, at, LEVEL);
        line = LLVMBuildGEP2(c->b, c->l->i8, line, &down, 1, "");
    }
}

/* --- blocks --- */

/* A block of `rows` rows for row i, of `end`, which may begin further up; gives the row behind. */
static Val rows_from(Dot *d, int rows, int vectors, Val i, Val end, Val column)
{
    Bld b = d->c->b;
    Val last = LLVMBuildSub(b, end, i64(d, rows), "");
    Val at = rows == 1 ? i : smaller(d, i, last);

    for (int operand = DOT_A; operand <= DOT_B && rows > LOW; operand++)
        ask_for_next(d, operand, rows, vectors, at, column);
    cpu_dot_block(d, rows, vectors, d->plan.lanes, at, column);
    return LLVMBuildAdd(b, at, i64(d, rows), "");
}

/* i1: is a block of that height the one for row i?  Those asked before are higher.  Two of the next
 * height rather have what they can than one of this height and another one. */
static Val is_height(Dot *d, int rows, int lower, Val i, Val end)
{
    Bld b = d->c->b;
    Val left = LLVMBuildSub(b, end, i, "");
    Val fits = LLVMBuildICmp(b, LLVMIntSGE, left, i64(d, rows), "");
    Val needs = LLVMBuildICmp(b, LLVMIntSGT, left, i64(d, lower), "");
    Val has = LLVMBuildICmp(b, LLVMIntSGE, end, i64(d, rows), "");
    Val is = LLVMBuildOr(b, fits, LLVMBuildAnd(b, needs, has, ""), "");

    if (2 * lower <= rows)
        return is;
    Val beyond = LLVMBuildSub(b, left, i64(d, rows + 1), "");
    Val two = LLVMBuildICmp(b, LLVMIntULT, beyond, i64(d, 2 * lower - rows), "");
    return LLVMBuildAnd(b, is, LLVMBuildNot(b, two, ""), "");
}

/* Of blocks, the highest first. */
static int heights_of(const Dot *d, int *heights)
{
    static const int lower[] = {MIDDLE, LOW, FEW, 1};
    int n = 1;

    heights[0] = d->plan.rows;
    for (int i = 0; i < COUNT(lower); i++) {
        if (lower[i] < heights[n - 1] && (lower[i] != FEW || d->plan.rows <= LOW))
            heights[n++] = lower[i];
    }
    return n;
}

/* All rows, for as many vectors from a column on. */
static void all_rows(Dot *d, int vectors, Val column)
{
    Cpu *c = d->c;
    int heights[HEIGHTS], n = heights_of(d, heights);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(c->b), head = cpu_block(c), exit = cpu_block(c);
    LLVMBasicBlockRef latch = cpu_block(c), ends[HEIGHTS];
    Val next[HEIGHTS], end = d->live[LIVE_ROWS], zero = i64(d, 0);

    LLVMBuildBr(c->b, head);
    LLVMPositionBuilderAtEnd(c->b, head);
    Val i = LLVMBuildPhi(c->b, c->l->i64, "");
    LLVMAddIncoming(i, &zero, &before, 1);
    for (int h = 0; h < n; h++) {
        LLVMBasicBlockRef run = cpu_block(c), other = h + 1 < n ? cpu_block(c) : NULL;
        if (other)
            LLVMBuildCondBr(c->b, is_height(d, heights[h], heights[h + 1], i, end), run, other);
        else
            LLVMBuildBr(c->b, run);
        LLVMPositionBuilderAtEnd(c->b, run);
        next[h] = rows_from(d, heights[h], vectors, i, end, column);
        LLVMBuildBr(c->b, latch);
        ends[h] = LLVMGetInsertBlock(c->b);
        if (other)
            LLVMPositionBuilderAtEnd(c->b, other);
    }
    LLVMPositionBuilderAtEnd(c->b, latch);
    Val behind = LLVMBuildPhi(c->b, c->l->i64, "");
    LLVMAddIncoming(behind, next, ends, n);
    LLVMAddIncoming(i, &behind, &latch, 1);
    LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntSLT, behind, end, ""), head, exit);
    LLVMPositionBuilderAtEnd(c->b, exit);
}

/* Blocks of so many vectors, from a column on while whole ones fit, or vectors up to the end;
 * gives the column behind. */
static Val columns_from(Dot *d, int vectors, Val from)
{
    Cpu *c = d->c;
    int lanes = d->plan.lanes, width = vectors * lanes;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(c->b), head = cpu_block(c);
    LLVMBasicBlockRef run = cpu_block(c), exit = cpu_block(c);

    LLVMBuildBr(c->b, head);
    LLVMPositionBuilderAtEnd(c->b, head);
    Val j = LLVMBuildPhi(c->b, c->l->i64, "");
    LLVMAddIncoming(j, &from, &before, 1);
    Val left = LLVMBuildSub(c->b, d->live[LIVE_COLUMNS], j, "");
    Val more = LLVMBuildICmp(c->b, LLVMIntSGT, left, i64(d, vectors > 1 ? width - 1 : 0), "");
    LLVMBuildCondBr(c->b, more, run, exit);
    LLVMPositionBuilderAtEnd(c->b, run);
    if (vectors == 1) {
        Val lane = llvm_iota(c->l->i32, lanes);
        Val n = LLVMBuildTrunc(c->b, smaller(d, left, i64(d, lanes)), c->l->i32, "");
        d->mask = LLVMBuildICmp(c->b, LLVMIntSLT, lane, llvm_splat(c->b, n, lanes), "");
    }
    all_rows(d, vectors, j);
    d->mask = NULL;
    Val next = LLVMBuildAdd(c->b, j, i64(d, width), "");
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(c->b);
    LLVMAddIncoming(j, &next, &latch, 1);
    LLVMBuildBr(c->b, head);
    LLVMPositionBuilderAtEnd(c->b, exit);
    return j;
}

/* i1: are there no more rows than those? */
static Val has_rows(Dot *d, int rows)
{
    return LLVMBuildICmp(d->c->b, LLVMIntSLE, d->live[LIVE_ROWS], i64(d, rows), "");
}

/* Where there are no more than `most` rows, as many columns from one on as fill blocks of so many
 * rows and vectors; gives the column behind. */
static Val columns_of_few_rows(const Dot *all, int rows, int most, int vectors, Val from)
{
    Dot d = *all;
    Cpu *c = d.c;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(c->b), run = cpu_block(c), after = cpu_block(c);

    d.plan.rows = rows;
    d.plan.vectors = vectors;
    int64_t bytes = (int64_t)STEPS_AHEAD * cpu_buffer_size(c, d.buffer[DOT_B]);
    d.ahead = LLVMBuildMul(c->b, d.pitch[DOT_B], i64(&d, bytes), "");
    LLVMBuildCondBr(c->b, has_rows(&d, most), run, after);
    LLVMPositionBuilderAtEnd(c->b, run);
    Val behind[] = {from, columns_from(&d, vectors, from)};
    LLVMBasicBlockRef ends[] = {before, LLVMGetInsertBlock(c->b)};
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, after);
    Val j = LLVMBuildPhi(c->b, c->l->i64, "");
    LLVMAddIncoming(j, behind, ends, COUNT(ends));
    return j;
}

/* The one column, where it is dense; code for all else goes in front of the block that this gives.
 */
static LLVMBasicBlockRef dense_column(const Dot *all)
{
    Dot d = *all;
    Cpu *c = d.c;
    LLVMBasicBlockRef dense = cpu_block(c), other = cpu_block(c), after = cpu_block(c);

    d.column = true;
    d.plan.rows = MIN(d.plan.rows, MIDDLE);
    Val is_dense = LLVMBuildICmp(c->b, LLVMIntEQ, d.pitch[DOT_B], i64(&d, 1), "");
    Val is_one = LLVMBuildICmp(c->b, LLVMIntEQ, d.live[LIVE_COLUMNS], i64(&d, 1), "");
    LLVMBuildCondBr(c->b, LLVMBuildAnd(c->b, is_dense, is_one, ""), dense, other);
    LLVMPositionBuilderAtEnd(c->b, dense);
    columns_from(&d, 1, i64(&d, 0));
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, other);
    return after;
}

void cpu_dot_whole(Cpu *c, const Op *op, DotPlan plan, const BlockCode *code, const WholeAt *at)
{
    plan.rounds = 1;
    memset(plan.asks, 0, sizeof plan.asks);
    memset(plan.from, 0, sizeof plan.from);
    plan.start = NULL;
    Dot d = cpu_dot_of(c, op, plan, code);

    d.whole = true;
    d.base[DOT_ACC] = cpu_buffer_start(c, c->b, d.buffer[DOT_ACC]);
    d.along = at->live[LIVE_DEPTH];
    d.begins = llvm_int(c->l->i1, 1);
    d.ends = at->stores ? llvm_int(c->l->i1, 1) : NULL;
    for (int i = DOT_A; i <= DOT_B; i++) {
        d.base[i] = at->of[i].base;
        d.pitch[i] =
            LLVMBuildUDiv(c->b, at->of[i].pitch, i64(&d, cpu_buffer_size(c, d.buffer[i])), "");
        d.next[i] = next_of(&d, i);
    }
    d.live[LIVE_ROWS] = at->live[LIVE_ROWS];
    d.live[LIVE_COLUMNS] = at->live[LIVE_COLUMNS];
    Val j = i64(&d, 0);
    if (at->dense_columns) {
        d.dense_columns = true;
        d.plan.rows = at->few;
        columns_from(&d, 1, j);
        return;
    }
    LLVMBasicBlockRef after = at->column ? dense_column(&d) : NULL;
    if (at->few > 0 && d.n >= (int64_t)DOT_MOST_VECTORS * plan.lanes)
        j = columns_of_few_rows(&d, 1, 1, DOT_MOST_VECTORS, j);
    if (at->few > 0)
        j = columns_of_few_rows(&d, at->few, at->most, DOT_MAX_VECTORS, j);
    if (at->thin)
        d.plan.rows = at->few;
    else if (plan.vectors > 1 && d.n >= (int64_t)plan.vectors * plan.lanes)
        j = columns_from(&d, plan.vectors, j);
    columns_from(&d, 1, j);
    if (after) {
        LLVMBuildBr(c->b, after);
        LLVMPositionBuilderAtEnd(c->b, after);
    }
}
