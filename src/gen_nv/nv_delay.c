/*
 * nv_delay.c - loops that leave a product to their next round (src/gpu_schedule/nv_delay.c)
 *
 *     if there is a round: the first one, without that product
 *     for the others: the same, with the product of the round before
 *     if there was a round: the product of the last one
 *
 * What the product needs of its round goes along: its sum so far, and its rows as words that the
 * instruction takes.  Its columns are in the ring's stage before the one of the round, which is
 * empty when it has landed.
 */
#include "../gpu_schedule/nv_ring.h"
#include "nv_mma.h"

typedef struct {
    Nv *n;
    const NvStep *loop, *product;
    const NvBlock *body;
    int count; /* words of rows */
    Val *rows; /* phis */
    Val *sum;  /* phis */
    Val **carried;
} Delayed;

static bool is_sum(const Delayed *x, int end)
{
    return end == x->loop->ahead->delayed_end;
}

/* Values of this tile for that one: at least the latter's registers. */
static void copy_tile(Nv *n, const NvTile *to, const Val *from)
{
    Val *out = nv_set(n, to);

    for (int r = 0; r < nv_count(to); r++)
        out[r] = from[r];
}

/* --- turns --- */

/* At a barrier of the group that is to come: `sync` its own threads wait, or those of the one
 * before it say that it may.  Barrier 0 is that of all warps. */
static void meet(Nv *n, const char *how, Val group)
{
    int both = 2 << (WGMMA_WARP_BITS + NV_LANE_BITS);
    Val number = LLVMBuildAdd(n->b, group, llvm_int(n->l->i32, 1), "");

    nv_asm(n, n->l->none, arena_printf(n->arena, "bar.%s $0, %d;", how, both), "r,~{memory}",
           &number, 1);
}

static int groups_of(const Nv *n)
{
    return n->plan->warps >> WGMMA_WARP_BITS;
}

static Val own_group(Nv *n)
{
    return LLVMBuildLShr(n->b, n->warp, llvm_int(n->l->i32, WGMMA_WARP_BITS), "");
}

/* The last one lets the first one begin. */
void nv_begin_turns(Nv *n)
{
    LLVMBasicBlockRef last, behind;

    if (!n->plan->turns)
        return;
    last = nv_block(n);
    behind = nv_block(n);
    Val is_last =
        LLVMBuildICmp(n->b, LLVMIntEQ, own_group(n), llvm_int(n->l->i32, groups_of(n) - 1), "");
    LLVMBuildCondBr(n->b, is_last, last, behind);
    LLVMPositionBuilderAtEnd(n->b, last);
    meet(n, "arrive", llvm_int(n->l->i32, 0));
    LLVMBuildBr(n->b, behind);
    LLVMPositionBuilderAtEnd(n->b, behind);
}

void nv_end_turn(Nv *n)
{
    Val next;

    if (!n->turns)
        return;
    next = LLVMBuildAdd(n->b, own_group(n), llvm_int(n->l->i32, 1), "");
    next = LLVMBuildAnd(n->b, next, llvm_int(n->l->i32, groups_of(n) - 1), "");
    meet(n, "arrive", next);
}

/* --- rounds --- */

/* The ring's stage of the round before has been read by all, the one of this round, but for what it
 * leaves. */
static void give_back(Delayed *x, bool before, bool now)
{
    const NvRing *r = x->n->plan->ring;

    if (before)
        nv_ring_empty(x->n, true, r->parts - 1, NULL);
    if (now && r->parts > 1)
        nv_ring_empty(x->n, false, 0, NULL);
}

/* The steps of a round, whose arguments are there. */
static void make_round(Delayed *x, Val counter, Val *rows)
{
    Nv *n = x->n;
    const NvFill *fill = x->loop->ahead->fill;
    const NvStep *delayed = n->delayed;
    Val *given = n->delayed_rows;

    nv_set(n, x->body->args[0])[0] = counter;
    if (rows)
        nv_ring_left(n, fill);
    nv_ring_full(n, fill);
    n->turns = x->loop->ahead->turns;
    if (n->turns)
        meet(n, "sync", own_group(n));
    n->delayed = x->product;
    n->delayed_rows = rows;
    nv_steps(n, x->body);
    n->turns = false;
    n->delayed = delayed;
    n->delayed_rows = given;
    give_back(x, rows != NULL, true);
    nv_ring_next(n);
    n->stage[x->loop->ahead->buffer] = NULL;
}

static void first_round(Delayed *x, Val counter)
{
    Nv *n = x->n;
    const NvStep *s = x->loop;

    for (int i = 0; i < s->nout; i++) {
        const Val *in = nv_get(n, s->in[FOR_BOUNDS + i]);
        copy_tile(n, is_sum(x, i) ? x->product->out[0] : x->body->args[i + 1], in);
    }
    make_round(x, counter, NULL);
}

/* What a round has left for the next one, in a block that ends there. */
typedef struct {
    LLVMBasicBlockRef block;
    Val *rows;
    const Val *sum;
    const Val **ends;
} Left;

static Left what_is_left(Delayed *x)
{
    Nv *n = x->n;
    Left left = {.ends = NEW_N(n->arena, const Val *, x->loop->nout + 1)};

    left.rows = nv_wgmma_rows(n, x->product, &x->count);
    for (int i = 0; i < x->count; i++)
        left.rows[i] = nv_made_again(n, left.rows[i]);
    left.sum = nv_get(n, x->product->in[MMA_ACC]);
    for (int i = 0; i < x->loop->nout; i++)
        left.ends[i] = nv_get(n, x->body->ends[i]);
    left.block = LLVMGetInsertBlock(n->b);
    return left;
}

static void make_phis(Delayed *x, LLVMTypeRef word)
{
    Nv *n = x->n;

    x->rows = NEW_N(n->arena, Val, x->count);
    for (int i = 0; i < x->count; i++)
        x->rows[i] = LLVMBuildPhi(n->b, word, "");
    x->sum = nv_phis(n, x->product->in[MMA_ACC]);
    for (int i = 0; i < x->loop->nout; i++) {
        if (!is_sum(x, i))
            x->carried[i] = nv_phis(n, x->body->args[i + 1]);
    }
}

static void add_incoming(const Val *phis, const Val *values, int count, LLVMBasicBlockRef block)
{
    for (int r = 0; r < count; r++) {
        Val v = values[r];
        if (phis[r] && !v)
            v = LLVMGetUndef(LLVMTypeOf(phis[r]));
        if (phis[r])
            LLVMAddIncoming(phis[r], &v, &block, 1);
    }
}

static void add_left(const Delayed *x, const Left *left)
{
    add_incoming(x->rows, left->rows, x->count, left->block);
    add_incoming(x->sum, left->sum, nv_count(x->product->in[MMA_ACC]), left->block);
    for (int i = 0; i < x->loop->nout; i++) {
        if (!is_sum(x, i))
            add_incoming(x->carried[i], left->ends[i], nv_count(x->body->ends[i]), left->block);
    }
}

/* The product of the last round, which has its sum then. */
static void last_product(Delayed *x)
{
    Nv *n = x->n;
    const NvStep *delayed = n->delayed;
    const NvTile *out = x->product->out[0];
    const NvWait all = {.kind = NV_WAIT_PRODUCTS, .who = x->product->who};
    Val *given = n->delayed_rows;

    n->delayed = x->product;
    n->delayed_rows = x->rows;
    n->regs[x->product->in[MMA_ACC]->id] = x->sum;
    nv_ring_left(n, x->loop->ahead->fill);
    nv_wgmma(n, x->product);
    n->delayed = delayed;
    n->delayed_rows = given;
    nv_wgmma_land(n, &all, &(NvSum){n->regs[out->id], nv_count(out), x->product}, 1);
    give_back(x, !x->loop->ahead->fill->last, false);
    n->stage[x->loop->ahead->buffer] = NULL;
}

/* Of a loop without a round what it began with, else what there is now. */
static void make_results(Delayed *x, LLVMBasicBlockRef before, LLVMBasicBlockRef exit)
{
    Nv *n = x->n;
    const NvStep *s = x->loop;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(n->b);

    LLVMBuildBr(n->b, exit);
    LLVMPositionBuilderAtEnd(n->b, exit);
    for (int i = 0; i < s->nout; i++) {
        const Val *end = is_sum(x, i) ? nv_get(n, x->product->out[0]) : x->carried[i];
        const Val *begin = nv_get(n, s->in[FOR_BOUNDS + i]);
        Val *out = nv_phis(n, s->out[i]);
        add_incoming(out, begin, nv_count(s->out[i]), before);
        add_incoming(out, end, nv_count(s->out[i]), here);
    }
}

/* The rounds behind the first one, which has left that; the insertion point is behind them then. */
static void other_rounds(Delayed *x, Val lo, Val step, Val trips)
{
    Nv *n = x->n;
    LLVMTypeRef t = LLVMTypeOf(lo);
    Val one = llvm_int(t, 1);
    Left left = what_is_left(x);
    Val left_trips = LLVMBuildSub(n->b, trips, one, "");
    Val begin[] = {left_trips, LLVMBuildAdd(n->b, lo, step, "")};
    LLVMBasicBlockRef head = nv_block(n), in = nv_block(n), last = nv_block(n);

    LLVMBuildBr(n->b, head);
    LLVMPositionBuilderAtEnd(n->b, head);
    Val rest = LLVMBuildPhi(n->b, t, ""), counter = LLVMBuildPhi(n->b, t, "");
    make_phis(x, LLVMTypeOf(left.rows[0]));
    add_left(x, &left);
    add_incoming((Val[]){rest, counter}, begin, COUNT(begin), left.block);
    Val go = LLVMBuildICmp(n->b, LLVMIntNE, rest, llvm_int(t, 0), "");
    LLVMBuildCondBr(n->b, go, in, last);
    LLVMPositionBuilderAtEnd(n->b, in);
    make_round(x, counter, x->rows);
    left = what_is_left(x);
    Val rest_trips = LLVMBuildSub(n->b, rest, one, "");
    Val next[] = {rest_trips, LLVMBuildAdd(n->b, counter, step, "")};
    add_left(x, &left);
    add_incoming((Val[]){rest, counter}, next, COUNT(next), left.block);
    LLVMBuildBr(n->b, head);
    LLVMPositionBuilderAtEnd(n->b, last);
}

void nv_delayed_for(Nv *n, const NvStep *s)
{
    Delayed x = {.n = n, .loop = s, .product = s->ahead->delayed, .body = s->body[0]};
    Val lo = nv_scalar(n, s->in[FOR_LO]), step = nv_scalar(n, s->in[FOR_STEP]);
    Val trips = emit_trip_count(n->b, lo, nv_scalar(n, s->in[FOR_HI]), step);
    Val some = LLVMBuildICmp(n->b, LLVMIntNE, trips, llvm_int(LLVMTypeOf(lo), 0), "");
    LLVMBasicBlockRef before = LLVMGetInsertBlock(n->b), first = nv_block(n), exit = nv_block(n);

    x.carried = NEW_N(n->arena, Val *, s->nout + 1);
    LLVMBuildCondBr(n->b, some, first, exit);
    LLVMPositionBuilderAtEnd(n->b, first);
    first_round(&x, lo);
    other_rounds(&x, lo, step, trips);
    last_product(&x);
    make_results(&x, before, exit);
}
