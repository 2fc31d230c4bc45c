/*
 * cpu_result.c - what products begin with, and what becomes of their results, in registers
 *
 * A nest takes the result from its buffer, computes something of each element, and stores that.
 * The plan (plan_result.c) says where the product does so itself, block by block: the entries of
 * the nest's main part are computed for each vector of the block, whose sum stands for what is read
 * of the buffer.  All bounds of the nest hold then, and its rows are apart.  All of a block is
 * computed before any of it is stored, so that what is the same for all of its rows, as a bias, is
 * loaded once.
 *
 * A nest that fills what a product begins with (plan_start.c) is done in the same way.
 */
#include "cpu.h"

/* The entry of the one root. */
static const Entry *root_of(const Nest *n)
{
    const Schedule *s = n->schedule;

    for (int i = 0; i < s->part[PART_MAIN].len; i++) {
        const Entry *e = &s->entries.at[s->part[PART_MAIN].at[i]];
        if (e->kind == MAKE_ROOT)
            return e;
    }
    bug("a nest of a product has no root");
}

static Val further(Cpu *c, Val v, int64_t n)
{
    return n == 0 ? v : LLVMBuildAdd(c->b, v, llvm_int(c->l->i64, n), "");
}

/* Stands in front of the tile. */
static NestCg begin(Cpu *c, const Nest *nest, int lanes)
{
    NestCg n = {.c = c, .nest = nest, .rank = nest->rank, .inner = nest->order[nest->rank - 1]};

    n.lanes = lanes;
    n.unroll = n.times = n.planes = 1;
    n.front = nest->rank - 1;
    n.full = true;
    n.split = SPLIT_NONE;
    n.made = NEW_N(c->arena, Made, nest->schedule->entries.len + 1);
    for (int level = 0; level <= n.rank; level++)
        n.at[level] = c->b;
    return n;
}

/* All that the nest makes of a vector of the block. */
static void make(NestCg *n, const DotBlock *b, int row, int vector)
{
    n->sum = b->sums[row][vector];
    n->index[n->inner] = further(n->c, b->column, (int64_t)vector * n->lanes);
    n->lane_ok = cpu_dot_lanes(n->c, b, vector, n->lanes);
    cpu_values(n, PART_MAIN, ANY_LEVEL);
}

/* What is stored of a vector, as it lies in memory. */
static Val result_of(NestCg *n, const DotBlock *b, int row, int vector)
{
    DType t = n->nest->roots.at[0].op->operands[STORE_PTR]->type->dtype;

    make(n, b, row, vector);
    return cpu_to_memory(n, cpu_made(n, root_of(n->nest)->in[IN_DATA]), t);
}

/* Where the block begins in memory.  LLVM does not look behind it: it would weigh the addresses of
 * all rows against one another, which takes it long and gives no better ones. */
static Val first_row(const NestCg *n, const Placed *p, const DotBlock *b)
{
    Cpu *c = n->c;
    DType t = n->nest->roots.at[0].op->operands[STORE_PTR]->type->dtype;
    Val at = LLVMBuildAdd(c->b, LLVMBuildMul(c->b, b->row, p->pitch, ""), b->column, "");
    Val first = LLVMBuildGEP2(c->b, emit_memory_type(&c->e, t), p->base, &at, 1, "");

    return LLVMBuildFreeze(c->b, first, "");
}

static void store(NestCg *n, Val first, const DotBlock *b, const Val *results)
{
    Cpu *c = n->c;
    DType t = n->nest->roots.at[0].op->operands[STORE_PTR]->type->dtype;

    for (int v = 0; v < b->vectors; v++) {
        Val offset = llvm_int(c->l->i64, (int64_t)v * n->lanes);
        Val ptr = LLVMBuildGEP2(c->b, emit_memory_type(&c->e, t), first, &offset, 1, "");
        Val mask = cpu_dot_lanes(c, b, v, n->lanes);
        if (mask)
            cpu_masked_store(c, c->b, results[v], ptr, dtype_size(t), mask);
        else
            llvm_store(c->b, results[v], ptr, dtype_size(t));
    }
}

static void store_block(Cpu *c, int buffer, const DotBlock *b)
{
    NestCg n = begin(c, c->plan->buffers.at[buffer].stored, llvm_lanes(b->sums[0][0]));
    Val results[DOT_MAX_ROWS][DOT_MOST_VECTORS];

    n.result = 1 + buffer;
    cpu_values(&n, PART_ROWS, 0);
    for (int r = 0; r < b->rows; r++) {
        n.index[n.nest->order[0]] = further(c, b->row, r);
        cpu_values(&n, PART_ROWS, 1);
        for (int v = 0; v < b->vectors; v++)
            results[r][v] = result_of(&n, b, r, v);
    }
    const Placed *p = &c->placed[buffer];
    DType t = n.nest->roots.at[0].op->operands[STORE_PTR]->type->dtype;
    Val row = first_row(&n, p, b);
    for (int r = 0; r < b->rows; r++) {
        store(&n, row, b, results[r]);
        row = LLVMBuildGEP2(c->b, emit_memory_type(&c->e, t), row, (Val[]){p->pitch}, 1, "");
    }
}

static void start_block(Cpu *c, const Nest *nest, DotBlock *b)
{
    NestCg n = begin(c, nest, llvm_lanes(b->sums[0][0]));
    int buffer = nest->roots.at[0].buffer;

    n.result = 1 + buffer;
    cpu_values(&n, PART_ROWS, 0);
    for (int r = 0; r < b->rows; r++) {
        n.index[nest->order[0]] = further(c, b->row, r);
        cpu_values(&n, PART_ROWS, 1);
        for (int v = 0; v < b->vectors; v++) {
            make(&n, b, r, v);
            Val x = cpu_vectorise(&n, cpu_made(&n, root_of(nest)->in[0]));
            b->sums[r][v] = cpu_to_buffer(c, c->b, buffer, x);
        }
    }
}

const BlockCode cpu_block_code = {start_block, store_block};
