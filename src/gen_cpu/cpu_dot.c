/*
 * cpu_dot.c - matrix products of buffered tiles
 *
 * acc[M,N] += a[M,K] b[K,N], batch dimensions in front.  All three are dense row-major buffers in
 * scratch, small floats widened to fp32 when they were filled, so the product needs no packing of
 * its own: a block of acc, some rows by some vectors, stays in registers while k runs; each step
 * loads as many vectors of b and broadcasts an element of a for each row.  What M and N leave over
 * gets blocks of its own of just that size; only the last vector of a row is masked.
 *
 * Sums run over k in order with fused multiply-adds, then the accumulator is rounded to its dtype.
 */
#include "cpu.h"

enum { K_UNROLL = 4 };

typedef struct {
    Cpu *c;
    int64_t m, n, k;
    int lanes, rows, vectors; /* of a full block, see DotShape */
    DType in, out;            /* register dtypes of operands and accumulator */
    DType rounded;            /* what the accumulator's values must fit */
    int buffer[3];            /* by operand; that of the accumulator is the result's */
    Val base[3];              /* of this batch */
} Dot;

static Val at(Dot *d, int which, Val row, int64_t row_offset, int64_t pitch, Val column,
              int64_t offset)
{
    Cpu *c = d->c;
    LLVMTypeRef e = cpu_buffer_type(c, d->buffer[which], 0), i64 = c->l->i64;
    Val index = LLVMBuildMul(c->b, row, llvm_int(i64, pitch), "");

    if (column)
        index = LLVMBuildAdd(c->b, index, column, "");
    Val p = LLVMBuildGEP2(c->b, e, d->base[which], &index, 1, "");
    Val rest = llvm_int(i64, row_offset * pitch + offset);
    return LLVMBuildGEP2(c->b, e, p, &rest, 1, "");
}

static Val load_as(Dot *d, int which, Val p, int lanes)
{
    Cpu *c = d->c;
    int buffer = d->buffer[which];
    Val v = llvm_load(c->b, cpu_buffer_type(c, buffer, lanes), p, cpu_buffer_size(c, buffer));

    return which == DOT_ACC ? v : emit_cast(&c->e, c->b, v, d->in, d->out, ROUND_NEAREST);
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

/* One step of k for the whole block. */
static void dot_step(Dot *d, int rows, int vectors, Val i, Val j, Val k, int ahead,
                     Val (*acc)[DOT_MAX_VECTORS])
{
    Val b[DOT_MAX_VECTORS];

    for (int v = 0; v < vectors; v++)
        b[v] = load_as(d, DOT_B, at(d, DOT_B, k, ahead, d->n, j, v * d->lanes), d->lanes);
    for (int r = 0; r < rows; r++) {
        Val a = load_as(d, DOT_A, at(d, DOT_A, i, r, d->k, k, ahead), 0);
        Val wide = llvm_splat(d->c->b, a, d->lanes);
        for (int v = 0; v < vectors; v++)
            acc[r][v] = multiply_add(d, wide, b[v], acc[r][v]);
    }
}

static void k_loop(Dot *d, int rows, int vectors, Val i, Val j, Val (*acc)[DOT_MAX_VECTORS])
{
    Cpu *c = d->c;
    int unroll = d->k >= K_UNROLL ? K_UNROLL : 1;
    int64_t whole = d->k / unroll * unroll;
    Val phi[DOT_MAX_ROWS][DOT_MAX_VECTORS];
    Loop l = cpu_loop_begin(c);

    for (int r = 0; r < rows; r++) {
        for (int v = 0; v < vectors; v++) {
            Val start = acc[r][v];
            phi[r][v] = acc[r][v] = LLVMBuildPhi(c->b, LLVMTypeOf(start), "");
            LLVMAddIncoming(phi[r][v], &start, &l.before, 1);
        }
    }
    for (int u = 0; u < unroll; u++)
        dot_step(d, rows, vectors, i, j, l.index, u, acc);
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(c->b);
    for (int r = 0; r < rows; r++) {
        for (int v = 0; v < vectors; v++)
            LLVMAddIncoming(phi[r][v], &acc[r][v], &latch, 1);
    }
    cpu_loop_end(c, &l, whole, unroll);
    for (int64_t k = whole; k < d->k; k++)
        dot_step(d, rows, vectors, i, j, llvm_int(c->l->i64, k), 0, acc);
}

/* acc rows i.., columns j..; `last` lanes of the last vector exist. */
static void block(Dot *d, int rows, int vectors, int last, Val i, Val j)
{
    Cpu *c = d->c;
    Val acc[DOT_MAX_ROWS][DOT_MAX_VECTORS], place[DOT_MAX_ROWS][DOT_MAX_VECTORS];

    for (int r = 0; r < rows; r++) {
        for (int v = 0; v < vectors; v++) {
            place[r][v] = at(d, DOT_ACC, i, r, d->n, j, v * d->lanes);
            acc[r][v] = load_as(d, DOT_ACC, place[r][v], d->lanes);
        }
    }
    k_loop(d, rows, vectors, i, j, acc);
    int size = cpu_buffer_size(c, d->buffer[DOT_ACC]);
    Val lane = llvm_iota(c->l->i32, d->lanes);
    Val mask = LLVMBuildICmp(c->b, LLVMIntSLT, lane, llvm_int(LLVMTypeOf(lane), last), "");
    for (int r = 0; r < rows; r++) {
        for (int v = 0; v < vectors; v++) {
            Val x = emit_round(&c->e, c->b, acc[r][v], d->rounded);
            if (v == vectors - 1 && last < d->lanes)
                llvm_masked_store(c->l, c->b, x, place[r][v], size, mask);
            else
                llvm_store(c->b, x, place[r][v], size);
        }
    }
}

/* All rows for the columns from j. */
static void columns(Dot *d, int vectors, int last, Val j)
{
    Cpu *c = d->c;
    int64_t whole = d->m / d->rows * d->rows;

    if (whole > 0) {
        Loop l = cpu_loop_begin(c);
        block(d, d->rows, vectors, last, l.index, j);
        cpu_loop_end(c, &l, whole, d->rows);
    }
    if (whole < d->m)
        block(d, (int)(d->m - whole), vectors, last, llvm_int(c->l->i64, whole), j);
}

static void product(Dot *d)
{
    Cpu *c = d->c;
    int64_t width = (int64_t)d->vectors * d->lanes, whole = d->n / width * width;

    if (whole > 0) {
        Loop l = cpu_loop_begin(c);
        columns(d, d->vectors, d->lanes, l.index);
        cpu_loop_end(c, &l, whole, width);
    }
    int64_t rest = d->n - whole;
    if (rest > 0) {
        int vectors = (int)((rest + d->lanes - 1) / d->lanes);
        columns(d, vectors, (int)(rest - (int64_t)(vectors - 1) * d->lanes),
                llvm_int(c->l->i64, whole));
    }
}

void cpu_dot(Cpu *c, const Op *op, DotShape shape)
{
    const Type *a = op->operands[DOT_A]->type, *b = op->operands[DOT_B]->type;
    const Type *acc = op->results[0]->type;
    int rank = a->rank;
    Dot d = {.c = c, .m = a->dims[rank - 2], .k = a->dims[rank - 1], .n = b->dims[rank - 1]};

    d.in = plan_register_dtype(a->dtype);
    d.rounded = acc->dtype;
    d.out = plan_register_dtype(acc->dtype);
    d.buffer[DOT_A] = plan_buffer(c->plan, op->operands[DOT_A]);
    d.buffer[DOT_B] = plan_buffer(c->plan, op->operands[DOT_B]);
    d.buffer[DOT_ACC] = plan_buffer(c->plan, op->results[0]);
    d.lanes = shape.lanes;
    d.rows = shape.rows;
    d.vectors = shape.vectors;
    int64_t batches = 1;
    for (int i = 0; i < rank - 2; i++)
        batches *= a->dims[i];
    const int64_t sizes[3] = {d.m * d.k, d.k * d.n, d.m * d.n};
    Loop l = {0};
    if (batches > 1)
        l = cpu_loop_begin(c);
    for (int i = 0; i < 3; i++) {
        d.base[i] = cpu_buffer(c, c->b, d.buffer[i]);
        if (batches == 1)
            continue;
        Val skip = LLVMBuildMul(c->b, l.index, llvm_int(c->l->i64, sizes[i]), "");
        d.base[i] =
            LLVMBuildGEP2(c->b, cpu_buffer_type(c, d.buffer[i], 0), d.base[i], &skip, 1, "");
    }
    product(&d);
    if (batches > 1)
        cpu_loop_end(c, &l, batches, 1);
}
