/*
 * nv_fma.c - products by multiply-adds, for what no instruction for matrices is exact enough
 *
 * Both operands are tiles in shared memory, which a loop's copies may have brought.  All threads
 * walk along K: each reads the elements of its rows and of its columns, in vectors along K or
 * across it, as they lie, and multiplies each row's by each column's.  Sums run over k in order.
 */
#include "nv.h"
#include "../gpu_plan/nv_dot.h"

#include <string.h>

/* One side of the product: rows of A or columns of B, with their batch. */
typedef struct {
    const NvTile *tile;
    const Layout *layout; /* K on the lowest registers */
    const NvOperand *how;
    uint32_t own; /* bits of the number of a register of the sum that say which row or column */
    NvMoved moved;
    Val *value; /* by register, since the last round began; NULL: not read yet */
} Side;

typedef struct {
    Nv *n;
    const NvStep *step;
    const NvDot *dot;
    Side side[2];
    int k_bits;
} Fma;

static void begin_side(Fma *x, MmaPart part)
{
    Side *s = &x->side[part];
    const Layout *sum = x->dot->layout[MMA_ACC];
    int without = part == MMA_A ? sum->rank - 1 : sum->rank - 2;
    uint32_t other = ((1u << sum->bits[without]) - 1) << layout_shift(sum, without);

    *s = (Side){.tile = x->step->in[part], .layout = x->dot->layout[part]};
    s->how = &x->dot->operand[part];
    s->value = NEW_N(x->n->arena, Val, layout_registers(s->layout));
    for (int i = 0; i < sum->nreg; i++)
        s->own |= (sum->reg[i] & ~other) != 0 ? 1u << i : 0;
}

/* --- reading --- */

static void read_beside(Fma *x, Side *s, uint32_t reg)
{
    Nv *n = x->n;
    int count = 1 << s->how->nvector, bytes = s->tile->memory.bytes;
    uint32_t threads[LAYOUT_THREAD_BITS];
    Val words[NV_MOST_WORDS], elements[NV_ACCESS_BYTES];
    NvPlace p = {.how = "ld.shared", .bytes = bytes * count};

    reg &= ~(uint32_t)nv_vector_register(s->how->vector, 0, count - 1);
    nv_threads_of(s->layout, threads);
    nv_shared_place_by(n, s->tile, threads, layout_at(s->layout, (Holder){.reg = reg}), &s->moved,
                       &p);
    nv_read(n, &p, NULL, words);
    nv_unpack(n, words, count, bytes, elements);
    for (int i = 0; i < count; i++)
        s->value[nv_vector_register(s->how->vector, (int)reg, i)] =
            nv_from_bits(n, s->tile->value->type, elements[i]);
}

/* What register r of the sum multiplies in step k of the round. */
static Val factor(Fma *x, MmaPart part, int r, int32_t k)
{
    Side *s = &x->side[part];
    uint32_t reg = layout_extract((uint32_t)r, s->own) << x->k_bits | (uint32_t)k;

    if (!s->value[reg])
        read_beside(x, s, reg);
    return s->value[reg];
}

/* Nothing has been read of the round that begins with step k0, an i32 whose lowest bits are 0;
 * NULL: all are. */
static void begin_round(Fma *x, Val k0, int zeros)
{
    Nv *n = x->n;

    for (int part = MMA_A; part <= MMA_B; part++) {
        Side *s = &x->side[part];
        s->moved = (NvMoved){0};
        memset(s->value, 0, (size_t)layout_registers(s->layout) * sizeof(Val));
        for (int i = zeros; k0 && i < x->k_bits; i++)
            nv_move_by_bit(n, &s->tile->memory, s->layout->reg[i], k0, i, &s->moved);
    }
}

/* --- along K --- */

static void multiply_add_step(Fma *x, Val *sum, int32_t k)
{
    Nv *n = x->n;

    for (int r = 0; r < nv_count(x->step->out[0]); r++) {
        if (!sum[r])
            continue;
        Val b = factor(x, MMA_B, r, k);
        sum[r] = llvm_fma(n->l, n->b, factor(x, MMA_A, r, k), b, sum[r]);
    }
}

/* The first `whole` steps, in rounds. */
static void multiply_add_loop(Fma *x, Val *sum, int32_t whole, int32_t round)
{
    Nv *n = x->n;
    int count = nv_count(x->step->out[0]);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(n->b), body = nv_block(n), after = nv_block(n);
    Val *phis = NEW_N(n->arena, Val, count), zero = llvm_int(n->l->i32, 0);

    LLVMBuildBr(n->b, body);
    LLVMPositionBuilderAtEnd(n->b, body);
    Val k = LLVMBuildPhi(n->b, n->l->i32, "");
    LLVMAddIncoming(k, &zero, &before, 1);
    for (int r = 0; r < count; r++) {
        if (!sum[r])
            continue;
        phis[r] = LLVMBuildPhi(n->b, LLVMTypeOf(sum[r]), "");
        LLVMAddIncoming(phis[r], &sum[r], &before, 1);
        sum[r] = phis[r];
    }
    begin_round(x, k, layout_bits_of(round));
    for (int32_t i = 0; i < round; i++)
        multiply_add_step(x, sum, i);
    Val next = LLVMBuildAdd(n->b, k, llvm_int(n->l->i32, round), "");
    LLVMAddIncoming(k, &next, &body, 1);
    for (int r = 0; r < count; r++) {
        if (sum[r])
            LLVMAddIncoming(phis[r], &sum[r], &body, 1);
    }
    Val more = LLVMBuildICmp(n->b, LLVMIntULT, next, llvm_int(n->l->i32, whole), "");
    LLVMBuildCondBr(n->b, more, body, after);
    LLVMPositionBuilderAtEnd(n->b, after);
}

/* Steps of a round, a power of two: as many as make code of a reasonable length, but those that a
 * vector along K brings. */
static int32_t steps_of_round(int sums)
{
    enum { LEAST = 1 << NV_ROUND_BITS, MOST = 16, LONG = 1024 };
    int32_t round = MOST;

    while (round > LEAST && round * sums > LONG)
        round /= 2;
    return round;
}

void nv_fma(Nv *n, const NvStep *s)
{
    enum { ALL_AT_ONCE = 2048 }; /* multiply-adds that need no loop */
    const NvTile *out = s->out[0];
    const Val *acc = nv_get(n, s->in[MMA_ACC]);
    Fma x = {.n = n, .step = s, .dot = s->detail};
    int32_t k = x.dot->k, round = steps_of_round(nv_count(out));
    int32_t whole = (int64_t)k * nv_count(out) <= ALL_AT_ONCE ? 0 : k / round * round;

    x.k_bits = layout_bits_of(k);
    Val *sum = nv_set(n, out);
    for (int r = 0; r < nv_count(out); r++)
        sum[r] = nv_live(out, r) ? acc[r] : NULL;
    begin_side(&x, MMA_A);
    begin_side(&x, MMA_B);
    if (whole > 0)
        multiply_add_loop(&x, sum, whole, round);
    begin_round(&x, NULL, 0);
    for (int32_t i = whole; i < k; i++)
        multiply_add_step(&x, sum, i);
}
