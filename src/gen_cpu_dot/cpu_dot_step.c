/*
 * cpu_dot_step.c - the steps along k of a block of a product
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
 * A block walks along k: one address for each operand, found in front of the loop, from which all
 * that a step reads is a constant away, or whole rows of memory.  LLVM looks for no better ones
 * (hide_counters() in llvm.c).
 */
#include "cpu_dot.h"

#include <string.h>

enum { K_UNROLL = 4, LINE = 64, LEVEL = 2 };

Val cpu_dot_at(Dot *d, int which, Val row, int64_t row_offset, Val column, int64_t offset)
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

/* The element so many rows and columns further than that at p. */
static Val beside(Dot *d, int which, Val p, int64_t rows, int64_t columns)
{
    Cpu *c = d->c;
    LLVMTypeRef e = cpu_buffer_type(c, d->buffer[which], 0), i64 = c->l->i64;
    int64_t skip = rows * d->down[which] + columns * d->across[which];

    if (d->pitch[which]) {
        Val down = LLVMBuildMul(c->b, llvm_int(i64, rows), d->pitch[which], "");
        p = rows == 0 ? p : LLVMBuildGEP2(c->b, e, p, &down, 1, "");
        skip = columns;
    }
    Val rest = llvm_int(i64, skip);
    return LLVMBuildGEP2(c->b, e, p, &rest, 1, "");
}

/* --- rows of a in place --- */

static const int place_rows[DOT_PLACES] = {0, 3, 5, 10};

static int places_of(int rows)
{
    return rows > 9 ? 4 : rows > 6 ? 3 : rows > 3 ? 2 : 1;
}

/* An address has a register, another one times 1, 2, 4 or 8, and a constant: so no row takes an
 * instruction of its own. */
static Val in_row(Dot *d, int row, int64_t ahead)
{
    Cpu *c = d->c;

    for (int i = 0; i < DOT_PLACES; i++) {
        int from = row - place_rows[i];
        if (from < 0 || (from & (from - 1)) != 0 || from > 8)
            continue;
        Val down = LLVMBuildMul(c->b, d->down_bytes, llvm_int(c->l->i64, from), "");
        Val p = LLVMBuildGEP2(c->b, c->l->i8, d->place[i], &down, 1, "");
        Val more = llvm_int(c->l->i64, ahead);
        return LLVMBuildGEP2(c->b, cpu_buffer_type(c, d->buffer[DOT_A], 0), p, &more, 1, "");
    }
    bug("row %d of a product is near none that is kept", row);
}

/* The rows of a block that begins at that address; LLVM must not see that they are evenly apart, or
 * it keeps the first one alone. */
static void begin_places(Dot *d, Val first)
{
    Cpu *c = d->c;
    Val size = llvm_int(c->l->i64, cpu_buffer_size(c, d->buffer[DOT_A]));

    d->down_bytes = LLVMBuildFreeze(c->b, LLVMBuildMul(c->b, d->pitch[DOT_A], size, ""), "");
    for (int i = 0; i < DOT_PLACES; i++) {
        Val skip = LLVMBuildMul(c->b, d->down_bytes, llvm_int(c->l->i64, place_rows[i]), "");
        d->place[i] = LLVMBuildGEP2(c->b, c->l->i8, first, &skip, 1, "");
    }
}

/* What a buffer holds, in the dtype of sums. */
static Val as_operand(Dot *d, int buffer, Val v)
{
    Cpu *c = d->c;

    v = cpu_from_buffer(c, c->b, buffer, v);
    return emit_cast(&c->e, c->b, v, d->in, d->out, ROUND_NEAREST);
}

Val cpu_dot_load(Dot *d, int which, Val p, int lanes)
{
    Cpu *c = d->c;
    int buffer = d->buffer[which], size = cpu_buffer_size(c, buffer);
    LLVMTypeRef t = cpu_buffer_type(c, buffer, lanes);
    Val v = d->mask && lanes > 0
                ? llvm_masked_load(c->l, c->b, t, p, size, d->mask, LLVMConstNull(t))
                : llvm_load(c->b, t, p, size);

    return as_operand(d, buffer, v);
}

Val cpu_dot_multiply_add(Dot *d, Val a, Val b, Val acc)
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

/* Where the panels of column j begin. */
static Val panels_from(Dot *d, Val j)
{
    Cpu *c = d->c;
    int packed = d->plan.packed;
    Val index = LLVMBuildMul(c->b, j, llvm_int(c->l->i64, cpu_dot_depth(d)), "");

    return LLVMBuildGEP2(c->b, cpu_buffer_type(c, packed, 0), cpu_buffer(c, c->b, packed), &index,
                         1, "");
}

/* So many vectors, and elements along k, further in the panels. */
static Val in_panels(Dot *d, Val p, int vector, int64_t ahead)
{
    Cpu *c = d->c;
    Val skip = llvm_int(c->l->i64, (vector * cpu_dot_depth(d) + ahead) * d->plan.lanes);

    return LLVMBuildGEP2(c->b, cpu_buffer_type(c, d->plan.packed, 0), p, &skip, 1, "");
}

static Val load_panel(Dot *d, int64_t ahead, int vector)
{
    Cpu *c = d->c;
    const DotPlan *p = &d->plan;
    LLVMTypeRef element = cpu_buffer_type(c, p->packed, 0);

    return llvm_load(c->b, llvm_vector(element, p->lanes * p->group),
                     in_panels(d, d->walk[DOT_B], vector, ahead), cpu_buffer_size(c, p->packed));
}

/* A group of a, in all lanes, each byte 128 more, as it may be in the buffer. */
static Val load_bytes(Dot *d, int row, int64_t ahead)
{
    Cpu *c = d->c;
    Val word = llvm_load(c->b, c->l->i32, beside(d, DOT_A, d->walk[DOT_A], row, ahead), 1);
    Val all = llvm_splat(c->b, word, d->plan.lanes);

    if (c->plan->buffers.at[d->buffer[DOT_A]].biased)
        return all;
    return LLVMBuildXor(c->b, all, llvm_int(LLVMTypeOf(all), INT32_C(-0x7f7f7f80)), "");
}

static void bytes_step(Dot *d, int rows, int vectors, int64_t ahead, Val (*acc)[DOT_MOST_VECTORS])
{
    Val b[DOT_MOST_VECTORS];

    for (int v = 0; v < vectors; v++)
        b[v] = load_panel(d, ahead, v);
    for (int r = 0; r < rows; r++) {
        Val a = load_bytes(d, r, ahead);
        for (int v = 0; v < vectors; v++)
            acc[r][v] = cpu_dot_bytes(d->c, acc[r][v], a, b[v]);
    }
}

/* What making a unsigned adds. */
static void take_sums(Dot *d, int rows, int vectors, Val j, Val (*acc)[DOT_MOST_VECTORS])
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

/* The first pair of row i of a. */
static Val pairs_from(Dot *d, Val i)
{
    Cpu *c = d->c;
    Val index = LLVMBuildMul(c->b, i, llvm_int(c->l->i64, cpu_dot_depth(d)), "");

    return LLVMBuildGEP2(c->b, c->l->i16, cpu_buffer(c, c->b, d->plan.widened), &index, 1, "");
}

/* A pair of a in all lanes. */
static Val load_pair(Dot *d, int row, int64_t ahead)
{
    Cpu *c = d->c;
    Val skip = llvm_int(c->l->i64, row * cpu_dot_depth(d) + ahead);
    Val at = LLVMBuildGEP2(c->b, c->l->i16, d->walk[DOT_A], &skip, 1, "");
    Val word = llvm_splat(c->b, llvm_load(c->b, c->l->i32, at, 4), d->plan.lanes);
    return LLVMBuildBitCast(c->b, word, llvm_vector(c->l->i16, 2 * d->plan.lanes), "");
}

static void pairs_step(Dot *d, int rows, int vectors, int64_t ahead, Val (*acc)[DOT_MOST_VECTORS])
{
    Val b[DOT_MOST_VECTORS];

    for (int v = 0; v < vectors; v++)
        b[v] = load_panel(d, ahead, v);
    for (int r = 0; r < rows; r++) {
        Val a = load_pair(d, r, ahead);
        for (int v = 0; v < vectors; v++)
            acc[r][v] = add_pairs(d->c, acc[r][v], a, b[v]);
    }
}

/* --- blocks of vectors --- */

/* Find where the block at row i and column j begins to read its operands. */
static void begin_walk(Dot *d, Val i, Val j)
{
    Val zero = llvm_int(d->c->l->i64, 0);

    d->walk[DOT_A] =
        d->plan.unit == DOT_PAIRS ? pairs_from(d, i) : cpu_dot_at(d, DOT_A, i, 0, zero, 0);
    if (d->pitch[DOT_A])
        begin_places(d, d->walk[DOT_A]);
    d->walk[DOT_B] =
        d->plan.packed != NO_BUFFER ? panels_from(d, j) : cpu_dot_at(d, DOT_B, zero, 0, j, 0);
}

/* Do elements along k lie side by side in rows of a? */
static bool a_lies_along(const Dot *d)
{
    return d->plan.unit == DOT_PAIRS || d->pitch[DOT_A] || d->across[DOT_A] == 1;
}

/* So many elements along k further on. */
static Val walk_on(Dot *d, int which, int64_t elements)
{
    if (which == DOT_A)
        return beside(d, DOT_A, d->walk[DOT_A], 0, elements);
    return d->plan.packed != NO_BUFFER ? in_panels(d, d->walk[DOT_B], 0, elements)
                                       : beside(d, DOT_B, d->walk[DOT_B], elements, 0);
}

/* Where a loop is whose counter (i64) counts elements along k, in a row of a. */
static Val counted(Dot *d, Val counter)
{
    Cpu *c = d->c;
    bool pairs = d->plan.unit == DOT_PAIRS;
    LLVMTypeRef e = pairs ? c->l->i16 : cpu_buffer_type(c, d->buffer[DOT_A], 0);

    return LLVMBuildGEP2(c->b, e, d->walk[DOT_A], &counter, 1, "");
}

/* A vector of b as it lies, or of its panels. */
static Val load_b(Dot *d, int64_t ahead, int vector)
{
    int lanes = d->plan.lanes;

    if (d->plan.packed != NO_BUFFER && d->plan.unit == DOT_FMA)
        return as_operand(d, d->plan.packed, load_panel(d, ahead, vector));
    return cpu_dot_load(d, DOT_B, beside(d, DOT_B, d->walk[DOT_B], ahead, vector * lanes), lanes);
}

/* Ask for the same vectors of a later row of b, where that is in memory. */
static void ask_ahead(Dot *d, int vectors, int64_t ahead)
{
    Cpu *c = d->c;
    int bytes = vectors * d->plan.lanes * cpu_buffer_size(c, d->buffer[DOT_B]);

    if (!d->ahead)
        return;
    Val row = beside(d, DOT_B, d->walk[DOT_B], ahead, 0);
    row = LLVMBuildGEP2(c->b, c->l->i8, row, &d->ahead, 1, "");
    for (int at = 0; at < bytes; at += LINE)
        cpu_prefetch_line(c, c->b, row, at, LEVEL);
}

/* One step of k for the whole block, so many elements behind where the walk is. */
static void dot_step(Dot *d, int rows, int vectors, int64_t ahead, Val (*acc)[DOT_MOST_VECTORS])
{
    Val b[DOT_MOST_VECTORS];

    if (d->plan.unit == DOT_VNNI) {
        bytes_step(d, rows, vectors, ahead, acc);
        return;
    }
    if (d->plan.unit == DOT_PAIRS) {
        pairs_step(d, rows, vectors, ahead, acc);
        return;
    }
    ask_ahead(d, vectors, ahead);
    for (int v = 0; v < vectors; v++)
        b[v] = load_b(d, ahead, v);
    for (int r = 0; r < rows; r++) {
        Val a = cpu_dot_load(
            d, DOT_A,
            d->pitch[DOT_A] ? in_row(d, r, ahead) : beside(d, DOT_A, d->walk[DOT_A], r, ahead), 0);
        Val wide = llvm_splat(d->c->b, a, d->plan.lanes);
        for (int v = 0; v < vectors; v++)
            acc[r][v] = cpu_dot_multiply_add(d, wide, b[v], acc[r][v]);
    }
}

/* Sums of integers may be reordered: copies of a step for which registers are just enough, with one
 * for a product, would be mixed until they are not.  So would elements of a row of a in place,
 * whose address takes a register as long as any of them is to come. */
int cpu_dot_copies(const Dot *d)
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
    Val all = d->plan.rounds > 1 || d->whole ? d->along : llvm_int(i64, whole);

    if (!d->live[LIVE_DEPTH])
        return all;
    Val dead = LLVMBuildSub(c->b, llvm_int(i64, MIN(d->k, whole)), d->live[LIVE_DEPTH], "");
    dead = llvm_extreme(c->l, c->b, true, true, dead, llvm_int(i64, 0));
    Val steps = LLVMBuildUDiv(c->b, dead, llvm_int(i64, step), "");
    return LLVMBuildSub(c->b, all, LLVMBuildMul(c->b, steps, llvm_int(i64, step), ""), "");
}

static void k_loop(Dot *d, int rows, int vectors, Val (*acc)[DOT_MOST_VECTORS])
{
    Cpu *c = d->c;
    int group = d->plan.group;
    int64_t groups = (d->k + group - 1) / group; /* of a round */
    int most = cpu_dot_copies(d);
    bool divides = d->plan.rounds > 1 ? groups % most == 0 : groups >= most;
    int unroll = divides ? most : 1;
    int64_t whole = groups / unroll * unroll;
    Val limit = depth_of(d, whole * group, unroll * group);
    Val phi[DOT_MAX_ROWS][DOT_MOST_VECTORS], first[] = {d->walk[DOT_A], d->walk[DOT_B]};
    int walks =
        a_lies_along(d) ? DOT_B : DOT_A; /* from this operand on: the counter says it of a */
    int places = d->pitch[DOT_A] ? places_of(rows) : 0;
    Loop l = cpu_loop_begin(c);

    for (int i = 0; i < places; i++) {
        Val from = d->place[i];
        d->place[i] = LLVMBuildPhi(c->b, c->l->ptr, "");
        LLVMAddIncoming(d->place[i], &from, &l.before, 1);
    }
    for (int w = walks; w < COUNT(first); w++) {
        d->walk[w] = LLVMBuildPhi(c->b, c->l->ptr, "");
        LLVMAddIncoming(d->walk[w], &first[w], &l.before, 1);
    }
    for (int r = 0; r < rows; r++) {
        for (int v = 0; v < vectors; v++) {
            Val start = acc[r][v];
            phi[r][v] = acc[r][v] = LLVMBuildPhi(c->b, LLVMTypeOf(start), "");
            LLVMAddIncoming(phi[r][v], &start, &l.before, 1);
        }
    }
    cpu_dot_ahead_step(d);
    if (walks > DOT_A)
        d->walk[DOT_A] = counted(d, l.index);
    for (int u = 0; u < unroll; u++)
        dot_step(d, rows, vectors, u * group, acc);
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(c->b);
    for (int r = 0; r < rows; r++) {
        for (int v = 0; v < vectors; v++)
            LLVMAddIncoming(phi[r][v], &acc[r][v], &latch, 1);
    }
    for (int w = walks; w < COUNT(first); w++) {
        Val next = walk_on(d, w, (int64_t)unroll * group);
        LLVMAddIncoming(d->walk[w], &next, &latch, 1);
    }
    for (int i = 0; i < places; i++) {
        Val step = llvm_int(c->l->i64, (int64_t)unroll * group);
        Val next =
            LLVMBuildGEP2(c->b, cpu_buffer_type(c, d->buffer[DOT_A], 0), d->place[i], &step, 1, "");
        LLVMAddIncoming(d->place[i], &next, &latch, 1);
    }
    memcpy(d->walk, first, sizeof first);
    cpu_loop_end_at(c, &l, limit, (int64_t)unroll * group);
    for (int64_t g = whole; g < groups; g++)
        dot_step(d, rows, vectors, g * group, acc);
}

void cpu_dot_multiply(Dot *d, DotBlock *b)
{
    if (d->plan.unit == DOT_VNNI)
        take_sums(d, b->rows, b->vectors, b->column, b->sums);
    begin_walk(d, b->row, b->column);
    k_loop(d, b->rows, b->vectors, b->sums);
}
