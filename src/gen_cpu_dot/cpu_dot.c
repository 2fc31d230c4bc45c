/*
 * cpu_dot.c - matrix products of buffered tiles
 *
 * acc[M,N] += a[M,K] b[K,N], batch dimensions in front.  All three are row-major buffers in
 * scratch, or a and b column by column, where DOT_FMA multiplies them.  A block of acc, some rows
 * by some vectors, stays in registers while k runs; each step loads as many vectors of b and
 * broadcasts an element of a for each row.  What M and N leave over gets blocks of its own of just
 * that size; only the last vector of a row is masked.
 *
 * Blocks without a row or column that lives (cpu_dot_live.c) are left out.
 *
 * The steps of a block are in cpu_dot_step.c, blocks of DOT_AMX are in cpu_dot_tiles.c.  Where
 * there are subnormal numbers, all is done as DOT_FMA does it, in blocks that are no longer than
 * such a detour deserves.
 */
#include "cpu_dot.h"

enum { RARE_ROWS = 4 };

void cpu_dot_block(Dot *d, int rows, int vectors, int last, Val row, Val column)
{
    Cpu *c = d->c;
    int lanes = d->plan.lanes;

    if (d->plan.unit == DOT_AMX) {
        cpu_dot_tiles(d, rows, vectors, row, column);
        return;
    }
    Val place[DOT_MAX_ROWS][DOT_MOST_VECTORS];
    DotBlock sum = {.rows = rows, .vectors = vectors, .last = last};

    sum.row = row;
    sum.column = column;
    sum.mask = d->mask;
    cpu_dot_ahead_block(d);
    for (int r = 0; r < rows; r++) {
        for (int v = 0; v < vectors; v++)
            place[r][v] = cpu_dot_at(d, DOT_ACC, row, r, column, v * lanes);
    }
    cpu_dot_begin(d, &sum, place);
    if (d->column || d->dense_columns)
        cpu_dot_column(d, &sum);
    else
        cpu_dot_multiply(d, &sum);
    for (int r = 0; r < rows; r++) {
        for (int v = 0; v < vectors; v++)
            sum.sums[r][v] = emit_round(&c->e, c->b, sum.sums[r][v], d->rounded);
    }
    cpu_dot_end(d, &sum, place);
}

/* What follows is for those from `first` on, if there are any: up to the block that this gives. */
static LLVMBasicBlockRef begin_live(Dot *d, int which, int64_t first)
{
    Cpu *c = d->c;

    if (!d->live[which])
        return NULL;
    LLVMBasicBlockRef some = cpu_block(c), after = cpu_block(c);
    Val lives = LLVMBuildICmp(c->b, LLVMIntSGT, d->live[which], llvm_int(c->l->i64, first), "");
    LLVMBuildCondBr(c->b, lives, some, after);
    LLVMPositionBuilderAtEnd(c->b, some);
    return after;
}

static void end_live(Dot *d, LLVMBasicBlockRef after)
{
    if (!after)
        return;
    LLVMBuildBr(d->c->b, after);
    LLVMPositionBuilderAtEnd(d->c->b, after);
}

/* Rows from `first` to `end`, in blocks of so many, for the columns from j. */
static void rows_of_blocks(Dot *d, int64_t first, int64_t end, int rows, int vectors, int last,
                           Val j)
{
    Cpu *c = d->c;
    Val i = llvm_int(c->l->i64, first);
    Loop l = {0};

    if (first == end)
        return;
    LLVMBasicBlockRef after = begin_live(d, LIVE_ROWS, first);
    if (end - first > rows) {
        l = cpu_loop_begin(c);
        i = LLVMBuildAdd(c->b, i, l.index, "");
    }
    cpu_dot_block(d, rows, vectors, last, i, j);
    if (end - first > rows)
        cpu_loop_end_at(
            c, &l,
            LLVMBuildSub(c->b, cpu_dot_live_end(d, LIVE_ROWS, end), llvm_int(c->l->i64, first), ""),
            rows);
    end_live(d, after);
}

/* Rows of whole blocks, in front of those that have fewer. */
static int64_t whole_rows(const Dot *d)
{
    int64_t whole = d->m;

    while (whole % d->plan.rows != 0)
        whole -= d->plan.rest;
    return whole;
}

/* All rows for the columns from j. */
static void columns(Dot *d, int vectors, int last, Val j)
{
    int64_t whole = whole_rows(d);

    rows_of_blocks(d, 0, whole, d->plan.rows, vectors, last, j);
    rows_of_blocks(d, whole, d->m, d->plan.rest, vectors, last, j);
}

static int64_t blocks_of(const Dot *d)
{
    int64_t width = (int64_t)d->plan.vectors * d->plan.lanes, whole = whole_rows(d);
    int64_t rest = whole < d->m ? (d->m - whole) / d->plan.rest : 0;

    return (d->n + width - 1) / width * (whole / d->plan.rows + rest);
}

static void product(Dot *d)
{
    Cpu *c = d->c;
    int lanes = d->plan.lanes;
    int64_t width = (int64_t)d->plan.vectors * lanes, whole = d->n / width * width;

    cpu_dot_ahead_begin(d, blocks_of(d), MAX(d->most_k / d->plan.group / cpu_dot_copies(d), 1));
    if (whole > 0) {
        LLVMBasicBlockRef after = begin_live(d, LIVE_COLUMNS, 0);
        Loop l = cpu_loop_begin(c);
        columns(d, d->plan.vectors, lanes, l.index);
        cpu_loop_end_at(c, &l, cpu_dot_live_end(d, LIVE_COLUMNS, whole), width);
        end_live(d, after);
    }
    int64_t rest = d->n - whole;
    if (rest > 0) {
        LLVMBasicBlockRef after = begin_live(d, LIVE_COLUMNS, whole);
        int vectors = (int)((rest + lanes - 1) / lanes);
        columns(d, vectors, (int)(rest - (int64_t)(vectors - 1) * lanes),
                llvm_int(c->l->i64, whole));
        end_live(d, after);
    }
}

/* --- units --- */

static void product_by_tiles(Dot *d)
{
    cpu_dot_tiles_begin(d);
    product(d);
    cpu_dot_tiles_end(d);
}

static void product_of_subnormals(const Dot *d)
{
    Dot rare = *d;

    rare.plan.unit = DOT_FMA;
    rare.plan.group = 1;
    rare.plan.packed = NO_BUFFER;
    rare.plan.rows = (int)MIN(d->m, RARE_ROWS);
    rare.plan.rest = (int)(d->m % rare.plan.rows);
    rare.plan.vectors = 1;
    product(&rare);
}

static void product_of_bf16(Dot *d)
{
    Cpu *c = d->c;
    LLVMBasicBlockRef rare = cpu_block(c), usual = cpu_block(c), after = cpu_block(c);

    Val none = LLVMBuildNot(c->b, cpu_dot_has_subnormals(d), "");
    llvm_likely(c->l, LLVMBuildCondBr(c->b, none, usual, rare));
    LLVMPositionBuilderAtEnd(c->b, rare);
    product_of_subnormals(d);
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, usual);
    product_by_tiles(d);
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, after);
}

static void pack(Dot *d)
{
    cpu_dot_pack_begin(d);
    if (d->plan.keep != 0)
        cpu_keep_pack(d);
    else
        cpu_dot_pack(d);
}

static void multiply(Dot *d)
{
    cpu_dot_live(d);
    if (d->plan.packed != NO_BUFFER)
        pack(d);
    if (d->plan.widened != NO_BUFFER)
        cpu_dot_widen(d);
    if (d->plan.unit != DOT_AMX)
        product(d);
    else if (dtype_is_float(d->out))
        product_of_bf16(d);
    else
        product_by_tiles(d);
}

/* Once the last tiles of those that are multiplied together are there. */
static void multiply_rounds(Dot *d)
{
    Cpu *c = d->c;
    LLVMTypeRef i64 = c->l->i64;
    Val last = llvm_int(i64, d->plan.rounds - 1);
    Val n = cpu_place_round(c, d->buffer[DOT_A], d->plan.rounds);
    Val due = LLVMBuildOr(c->b, LLVMBuildICmp(c->b, LLVMIntEQ, n, last, ""), c->is_last, "");

    due = LLVMBuildOr(c->b, due, cpu_place_each(c, d->buffer[DOT_A]), "");
    LLVMBasicBlockRef now = cpu_block(c), after = cpu_block(c);

    d->along =
        LLVMBuildMul(c->b, LLVMBuildAdd(c->b, n, llvm_int(i64, 1), ""), llvm_int(i64, d->k), "");
    LLVMBuildCondBr(c->b, due, now, after);
    LLVMPositionBuilderAtEnd(c->b, now);
    multiply(d);
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, after);
}

/* As the buffer has them; its tile is dense where it says nothing. */
static void set_pitches(Dot *d, int which)
{
    const Buffer *b = &d->c->plan->buffers.at[d->buffer[which]];

    d->across[which] = b->turned ? b->row : 1;
    if (b->turned)
        d->down[which] = 1;
    else if (b->row != 0)
        d->down[which] = b->row;
}

static void multiply_as_planned(Dot *d)
{
    if (d->plan.rounds > 1)
        multiply_rounds(d);
    else
        multiply(d);
}

/* Where an operand is in place, this round's tiles by themselves. */
static void multiply_either(Dot *d)
{
    Cpu *c = d->c;
    Val when = cpu_place_any(d);

    if (!when) {
        multiply_as_planned(d);
        return;
    }
    LLVMBasicBlockRef placed = cpu_block(c), usual = cpu_block(c), after = cpu_block(c);
    LLVMBuildCondBr(c->b, when, placed, usual);
    LLVMPositionBuilderAtEnd(c->b, placed);
    Dot one = cpu_place_take(d);
    multiply(&one);
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, usual);
    multiply_as_planned(d);
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, after);
}

Dot cpu_dot_of(Cpu *c, const Op *op, DotPlan plan, const BlockCode *code)
{
    const Type *a = op->operands[DOT_A]->type, *b = op->operands[DOT_B]->type;
    const Type *acc = op->results[0]->type;
    int rank = a->rank;
    Dot d = {.c = c,
             .plan = plan,
             .code = code,
             .m = a->dims[rank - 2],
             .k = a->dims[rank - 1],
             .n = b->dims[rank - 1]};

    d.most_k = d.k * plan.rounds;
    d.down[DOT_A] = d.most_k;
    d.down[DOT_B] = d.down[DOT_ACC] = d.n;
    d.along = llvm_int(c->l->i64, d.k);
    d.in = plan_register_dtype(a->dtype);
    d.rounded = acc->dtype;
    d.out = plan_register_dtype(acc->dtype);
    d.buffer[DOT_A] = plan_buffer(c->plan, op->operands[DOT_A]);
    d.buffer[DOT_B] = plan_buffer(c->plan, op->operands[DOT_B]);
    d.buffer[DOT_ACC] = plan_buffer(c->plan, op->results[0]);
    for (int i = 0; i < 3; i++)
        set_pitches(&d, i);
    return d;
}

void cpu_dot(Cpu *c, const Op *op, DotPlan plan, const BlockCode *code)
{
    const Type *a = op->operands[DOT_A]->type;
    Dot d = cpu_dot_of(c, op, plan, code);
    int64_t batches = 1;

    for (int i = 0; i < a->rank - 2; i++)
        batches *= a->dims[i];
    const int64_t sizes[3] = {d.m * d.k, d.k * d.n, d.m * d.n};
    Loop l = {0};
    if (batches > 1)
        l = cpu_loop_begin(c);
    for (int i = 0; i < 3; i++) {
        d.base[i] = cpu_buffer_start(c, c->b, d.buffer[i]);
        if (batches == 1)
            continue;
        Val skip = LLVMBuildMul(c->b, l.index, llvm_int(c->l->i64, sizes[i]), "");
        d.base[i] =
            LLVMBuildGEP2(c->b, cpu_buffer_type(c, d.buffer[i], 0), d.base[i], &skip, 1, "");
    }
    d.begins = cpu_dot_begins(&d, op);
    cpu_place_result(&d, op);
    multiply_either(&d);
    if (batches > 1)
        cpu_loop_end(c, &l, batches, 1);
}
