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
 * DOT_FMA takes operands as they are in their buffers, small floats mostly widened to fp32 when
 * these were filled.  Sums run over k in order with fused multiply-adds, then the accumulator is
 * rounded to its dtype.
 *
 * A step of the others is several elements along k, of b in panels (cpu_dot_pack.c).  DOT_VNNI
 * multiplies unsigned bytes by signed ones: a + 128 by b, and what that adds to a sum is taken from
 * it at the beginning; all is modulo 2^32.  Behind the end of a row of a stands the next one, whose
 * bytes are multiplied by zeros.  DOT_PAIRS takes both operands in 16 bits.
 *
 * Blocks of DOT_AMX are in cpu_dot_tiles.c.  Where there are subnormal numbers, all is done as
 * DOT_FMA does it, in blocks that are no longer than such a detour deserves.
 */
#include "cpu_dot.h"

#include <string.h>

enum { K_UNROLL = 4, RARE_ROWS = 4 };

/* The element at a row and a column, and so much further in both. */
static Val at(Dot *d, int which, Val row, int64_t row_offset, Val column, int64_t offset)
{
    Cpu *c = d->c;
    LLVMTypeRef e = cpu_buffer_type(c, d->buffer[which], 0), i64 = c->l->i64;
    int64_t down = d->down[which], across = d->across[which];

    if (d->pitch[which])
        return cpu_place_at(d, which, LLVMBuildAdd(c->b, row, llvm_int(i64, row_offset), ""),
                            column, offset);
    Val index = LLVMBuildMul(c->b, row, llvm_int(i64, down), "");

    if (across != 1)
        column = LLVMBuildMul(c->b, column, llvm_int(i64, across), "");
    index = LLVMBuildAdd(c->b, index, column, "");
    Val p = LLVMBuildGEP2(c->b, e, d->base[which], &index, 1, "");
    Val rest = llvm_int(i64, row_offset * down + offset * across);
    return LLVMBuildGEP2(c->b, e, p, &rest, 1, "");
}

/* What a buffer holds, in the dtype of sums. */
static Val as_operand(Dot *d, int buffer, Val v)
{
    Cpu *c = d->c;

    v = cpu_from_buffer(c, c->b, buffer, v);
    return emit_cast(&c->e, c->b, v, d->in, d->out, ROUND_NEAREST);
}

static Val load_as(Dot *d, int which, Val p, int lanes)
{
    Cpu *c = d->c;
    int buffer = d->buffer[which];
    Val v = llvm_load(c->b, cpu_buffer_type(c, buffer, lanes), p, cpu_buffer_size(c, buffer));

    return as_operand(d, buffer, v);
}

static Val multiply_add(Dot *d, Val a, Val b, Val acc)
{
    Cpu *c = d->c;

    if (dtype_is_float(d->out) && c->machine->fma)
        return llvm_fma(c->l, c->b, a, b, acc);
    if (dtype_is_float(d->out))
        return LLVMBuildFAdd(c->b, acc, LLVMBuildFMul(c->b, a, b, ""), "");
    return LLVMBuildAdd(c->b, acc, LLVMBuildMul(c->b, a, b, ""), "");
}

/* --- bytes --- */

Val cpu_dot_bytes(Cpu *c, Val sums, Val a, Val b)
{
    static const char name[] = "llvm.x86.avx512.vpdpbusd.512";
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMTypeRef types[3];
    Val args[] = {sums, a, b};

    LLVMGetParamTypes(LLVMIntrinsicGetType(c->l->ctx, id, NULL, 0), types);
    for (int i = 1; i < COUNT(args); i++) /* bytes, or by an older LLVM words of four */
        args[i] = LLVMBuildBitCast(c->b, args[i], types[i], "");
    return llvm_call(c->l, c->b, name, 0, NULL, COUNT(args), args);
}

/* Elements from column j and row k on of the panels. */
static Val load_panel(Dot *d, Val j, Val k, int64_t ahead, int vector)
{
    Cpu *c = d->c;
    const DotPlan *p = &d->plan;
    int64_t depth = cpu_dot_depth(d);
    int bytes = cpu_buffer_size(c, p->packed);
    LLVMTypeRef i64 = c->l->i64, element = cpu_buffer_type(c, p->packed, 0);
    Val index = LLVMBuildMul(c->b, j, llvm_int(i64, depth), "");

    index = LLVMBuildAdd(c->b, index, LLVMBuildMul(c->b, k, llvm_int(i64, p->lanes), ""), "");
    Val at = LLVMBuildGEP2(c->b, element, cpu_buffer(c, c->b, p->packed), &index, 1, "");
    Val rest = llvm_int(i64, (vector * depth + ahead) * p->lanes);
    return llvm_load(c->b, llvm_vector(element, p->lanes * p->group),
                     LLVMBuildGEP2(c->b, element, at, &rest, 1, ""), bytes);
}

/* A group of a, in all lanes, each byte 128 more, as it may be in the buffer. */
static Val load_bytes(Dot *d, Val i, int row, Val k, int ahead)
{
    Cpu *c = d->c;
    Val word = llvm_load(c->b, c->l->i32, at(d, DOT_A, i, row, k, ahead), 1);
    Val all = llvm_splat(c->b, word, d->plan.lanes);

    if (c->plan->buffers.at[d->buffer[DOT_A]].biased)
        return all;
    return LLVMBuildXor(c->b, all, llvm_int(LLVMTypeOf(all), INT32_C(-0x7f7f7f80)), "");
}

static void bytes_step(Dot *d, int rows, int vectors, Val i, Val j, Val k, int ahead,
                       Val (*acc)[DOT_MAX_VECTORS])
{
    Val b[DOT_MAX_VECTORS];

    for (int v = 0; v < vectors; v++)
        b[v] = load_panel(d, j, k, ahead, v);
    for (int r = 0; r < rows; r++) {
        Val a = load_bytes(d, i, r, k, ahead);
        for (int v = 0; v < vectors; v++)
            acc[r][v] = cpu_dot_bytes(d->c, acc[r][v], a, b[v]);
    }
}

/* What making a unsigned adds. */
static void take_sums(Dot *d, int rows, int vectors, Val j, Val (*acc)[DOT_MAX_VECTORS])
{
    Cpu *c = d->c;
    int sums = d->plan.sums;

    for (int v = 0; v < vectors; v++) {
        Val index = LLVMBuildAdd(c->b, j, llvm_int(c->l->i64, v * d->plan.lanes), "");
        Val p = LLVMBuildGEP2(c->b, c->l->i32, cpu_buffer(c, c->b, sums), &index, 1, "");
        Val more = llvm_load(c->b, cpu_buffer_type(c, sums, d->plan.lanes), p, 4);
        for (int r = 0; r < rows; r++)
            acc[r][v] = LLVMBuildSub(c->b, acc[r][v], more, "");
    }
}

/* --- pairs of 16 bits --- */

static Val add_pairs(Cpu *c, Val sums, Val a, Val b)
{
    const char *how = llvm_lanes(sums) == 16  ? "llvm.x86.avx512.pmaddw.d.512"
                      : llvm_lanes(sums) == 8 ? "llvm.x86.avx2.pmadd.wd"
                                              : "llvm.x86.sse2.pmadd.wd";
    Val pairs = llvm_call(c->l, c->b, how, 0, NULL, 2, (Val[]){a, b});

    return LLVMBuildAdd(c->b, sums, pairs, "");
}

/* A pair of a in all lanes. */
static Val load_pair(Dot *d, Val i, int row, Val k, int ahead)
{
    Cpu *c = d->c;
    int64_t width = cpu_dot_depth(d);
    LLVMTypeRef i64 = c->l->i64;
    Val index = LLVMBuildMul(c->b, i, llvm_int(i64, width), "");

    index = LLVMBuildAdd(c->b, index, k, "");
    index = LLVMBuildAdd(c->b, index, llvm_int(i64, row * width + ahead), "");
    Val at = LLVMBuildGEP2(c->b, c->l->i16, cpu_buffer(c, c->b, d->plan.widened), &index, 1, "");
    Val word = llvm_splat(c->b, llvm_load(c->b, c->l->i32, at, 4), d->plan.lanes);
    return LLVMBuildBitCast(c->b, word, llvm_vector(c->l->i16, 2 * d->plan.lanes), "");
}

static void pairs_step(Dot *d, int rows, int vectors, Val i, Val j, Val k, int ahead,
                       Val (*acc)[DOT_MAX_VECTORS])
{
    Val b[DOT_MAX_VECTORS];

    for (int v = 0; v < vectors; v++)
        b[v] = load_panel(d, j, k, ahead, v);
    for (int r = 0; r < rows; r++) {
        Val a = load_pair(d, i, r, k, ahead);
        for (int v = 0; v < vectors; v++)
            acc[r][v] = add_pairs(d->c, acc[r][v], a, b[v]);
    }
}

/* --- blocks of vectors --- */

/* A vector of b as it lies, or of its panels. */
static Val load_b(Dot *d, Val j, Val k, int ahead, int vector)
{
    if (d->plan.packed != NO_BUFFER && d->plan.unit == DOT_FMA)
        return as_operand(d, d->plan.packed, load_panel(d, j, k, ahead, vector));
    return load_as(d, DOT_B, at(d, DOT_B, k, ahead, j, vector * d->plan.lanes), d->plan.lanes);
}

/* One step of k for the whole block. */
static void dot_step(Dot *d, int rows, int vectors, Val i, Val j, Val k, int ahead,
                     Val (*acc)[DOT_MAX_VECTORS])
{
    Val b[DOT_MAX_VECTORS];

    if (d->plan.unit == DOT_VNNI) {
        bytes_step(d, rows, vectors, i, j, k, ahead, acc);
        return;
    }
    if (d->plan.unit == DOT_PAIRS) {
        pairs_step(d, rows, vectors, i, j, k, ahead, acc);
        return;
    }
    for (int v = 0; v < vectors; v++)
        b[v] = load_b(d, j, k, ahead, v);
    for (int r = 0; r < rows; r++) {
        Val a = load_as(d, DOT_A, at(d, DOT_A, i, r, k, ahead), 0);
        Val wide = llvm_splat(d->c->b, a, d->plan.lanes);
        for (int v = 0; v < vectors; v++)
            acc[r][v] = multiply_add(d, wide, b[v], acc[r][v]);
    }
}

/* Sums of integers may be reordered: copies of a step for which registers are just enough, with one
 * for a product, would be mixed until they are not.  So would elements of a row of a in place,
 * whose address takes a register as long as any of them is to come. */
static int copies_of_step(const Dot *d)
{
    bool tight = d->plan.unit == DOT_PAIRS && !d->c->machine->avx512f;

    return tight || d->pitch[DOT_A] ? 1 : K_UNROLL;
}

/* Where a sum ends, in whole steps: of one round, which has so many elements, or of several.  What
 * is behind the last round's is zero. */
static Val depth_of(Dot *d, int64_t whole, int64_t step)
{
    Cpu *c = d->c;
    LLVMTypeRef i64 = c->l->i64;
    Val all = d->plan.rounds > 1 ? d->along : llvm_int(i64, whole);

    if (!d->live[LIVE_DEPTH])
        return all;
    Val dead = LLVMBuildSub(c->b, llvm_int(i64, MIN(d->k, whole)), d->live[LIVE_DEPTH], "");
    dead = llvm_extreme(c->l, c->b, true, true, dead, llvm_int(i64, 0));
    Val steps = LLVMBuildUDiv(c->b, dead, llvm_int(i64, step), "");
    return LLVMBuildSub(c->b, all, LLVMBuildMul(c->b, steps, llvm_int(i64, step), ""), "");
}

static void k_loop(Dot *d, int rows, int vectors, Val i, Val j, Val (*acc)[DOT_MAX_VECTORS])
{
    Cpu *c = d->c;
    int group = d->plan.group;
    int64_t groups = (d->k + group - 1) / group; /* of a round */
    int most = copies_of_step(d);
    bool divides = d->plan.rounds > 1 ? groups % most == 0 : groups >= most;
    int unroll = divides ? most : 1;
    int64_t whole = groups / unroll * unroll;
    Val limit = depth_of(d, whole * group, unroll * group);
    Val phi[DOT_MAX_ROWS][DOT_MAX_VECTORS];
    Loop l = cpu_loop_begin(c);

    for (int r = 0; r < rows; r++) {
        for (int v = 0; v < vectors; v++) {
            Val start = acc[r][v];
            phi[r][v] = acc[r][v] = LLVMBuildPhi(c->b, LLVMTypeOf(start), "");
            LLVMAddIncoming(phi[r][v], &start, &l.before, 1);
        }
    }
    cpu_dot_ahead_step(d);
    for (int u = 0; u < unroll; u++)
        dot_step(d, rows, vectors, i, j, l.index, u * group, acc);
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(c->b);
    for (int r = 0; r < rows; r++) {
        for (int v = 0; v < vectors; v++)
            LLVMAddIncoming(phi[r][v], &acc[r][v], &latch, 1);
    }
    cpu_loop_end_at(c, &l, limit, (int64_t)unroll * group);
    for (int64_t g = whole; g < groups; g++)
        dot_step(d, rows, vectors, i, j, llvm_int(c->l->i64, g * group), 0, acc);
}

/* acc rows i.., columns j..; `last` lanes of the last vector exist. */
static void block(Dot *d, int rows, int vectors, int last, Val i, Val j)
{
    Cpu *c = d->c;
    int lanes = d->plan.lanes;

    if (d->plan.unit == DOT_AMX) {
        cpu_dot_tiles(d, rows, vectors, i, j);
        return;
    }
    Val place[DOT_MAX_ROWS][DOT_MAX_VECTORS];
    DotBlock sum = {.rows = rows, .vectors = vectors, .last = last, .row = i, .column = j};

    cpu_dot_ahead_block(d);
    for (int r = 0; r < rows; r++) {
        for (int v = 0; v < vectors; v++)
            place[r][v] = at(d, DOT_ACC, i, r, j, v * lanes);
    }
    cpu_dot_begin(d, &sum, place);
    if (d->plan.unit == DOT_VNNI)
        take_sums(d, rows, vectors, j, sum.sums);
    k_loop(d, rows, vectors, i, j, sum.sums);
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
    block(d, rows, vectors, last, i, j);
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

    cpu_dot_ahead_begin(d, blocks_of(d), MAX(d->most_k / d->plan.group / copies_of_step(d), 1));
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

void cpu_dot(Cpu *c, const Op *op, DotPlan plan, const BlockCode *code)
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
    int64_t batches = 1;
    for (int i = 0; i < rank - 2; i++)
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
