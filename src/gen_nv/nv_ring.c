/*
 * nv_ring.c - tiles that a producer brings (nv_ring.h): mbarriers, and who waits for whom
 *
 * The PTX ISA, "mbarrier".  Producer and warps count the ring's stages each
 * for themselves: a number, and the parity of how often that has come around, which is the phase of
 * the mbarriers that they wait for.  A stage is full when its bytes have come, which the producer
 * says how many are; it is empty when each warp has said that it has read it, and at the beginning,
 * for which the parity that is not yet counts as over.
 */
#include "../gpu_plan/nv_dot.h"
#include "../gpu_schedule/nv_ring.h"
#include "nv.h"

enum { FULL, EMPTY, KINDS };

static Val load(Nv *n, Val cell)
{
    return LLVMBuildLoad2(n->b, n->l->i32, cell, "");
}

/* Where the mbarrier of that kind is of a part of a stage, an i32. */
static Val barrier_at(Nv *n, Val number, int part, int kind)
{
    const NvRing *r = n->plan->ring;
    int64_t kinds = (int64_t)(part * KINDS + kind) * r->stages * NV_MBARRIER_BYTES;
    Val offset = LLVMBuildMul(n->b, number, llvm_int(n->l->i32, NV_MBARRIER_BYTES), "");

    return nv_shared_at(n, r->barriers, LLVMBuildAdd(n->b, offset, llvm_int(n->l->i32, kinds), ""));
}

/* --- at the beginning --- */

static void init_barrier(Nv *n, int stage, int part, int kind, int arrivals)
{
    Val at = barrier_at(n, llvm_int(n->l->i32, stage), part, kind);

    nv_asm(n, n->l->none,
           arena_printf(n->arena, "mbarrier.init.shared::cta.b64 [$0], %d;", arrivals),
           "r,~{memory}", &at, 1);
}

/* One thread makes the mbarriers; behind that all warps, the producer's too, know them. */
static void init_barriers(Nv *n)
{
    LLVMBasicBlockRef first = nv_block(n), behind = nv_block(n);
    Val is_first = LLVMBuildICmp(n->b, LLVMIntEQ, n->thread, llvm_int(n->l->i32, 0), "");

    LLVMBuildCondBr(n->b, is_first, first, behind);
    LLVMPositionBuilderAtEnd(n->b, first);
    for (int i = 0; i < n->plan->ring->stages * n->plan->ring->parts; i++) {
        int stage = i / n->plan->ring->parts, part = i % n->plan->ring->parts;
        init_barrier(n, stage, part, FULL, 1);
        init_barrier(n, stage, part, EMPTY, n->plan->warps);
    }
    nv_asm(n, n->l->none, "fence.mbarrier_init.release.cluster;", "~{memory}", NULL, 0);
    LLVMBuildBr(n->b, behind);
    LLVMPositionBuilderAtEnd(n->b, behind);
    nv_wait_all(n);
}

/* Whoever has nothing to do ends here, the producer's warps too. */
static void leave(Nv *n)
{
    const NvStep *s = n->plan->ring->leaves;
    NvBlock front = *n->plan->producer;
    LLVMBasicBlockRef out = nv_block(n), stay = nv_block(n);
    bool yes = n->plan->ring->leaves_in == 0;

    front.steps.len--; /* all that is in front of the choice */
    nv_steps(n, &front);
    LLVMBuildCondBr(n->b, nv_scalar(n, s->in[0]), yes ? out : stay, yes ? stay : out);
    LLVMPositionBuilderAtEnd(n->b, out);
    nv_spans_end(n);
    LLVMBuildRetVoid(n->b);
    LLVMPositionBuilderAtEnd(n->b, stay);
}

void nv_ring_begin(Nv *n)
{
    if (!n->plan->ring)
        return;
    LLVMBasicBlockRef other = nv_block(n), producer = nv_block(n), end = nv_block(n),
                      warps = nv_block(n);
    int first = nv_thread_count(n->plan);

    n->ring_number = nv_new_cell(n);
    n->ring_parity = nv_new_cell(n);
    if (n->plan->ring->leaves)
        leave(n);
    init_barriers(n);
    Val is_other = LLVMBuildICmp(n->b, LLVMIntUGE, n->thread, llvm_int(n->l->i32, first), "");
    LLVMBuildCondBr(n->b, is_other, other, warps);
    LLVMPositionBuilderAtEnd(n->b, other);
    if (n->plan->ring->registers > 0)
        nv_set_registers(n, false, NV_PRODUCER_REGISTERS);
    Val is_producer = LLVMBuildICmp(n->b, LLVMIntEQ, n->thread, llvm_int(n->l->i32, first), "");
    LLVMBuildCondBr(n->b, is_producer, producer, end);
    LLVMPositionBuilderAtEnd(n->b, producer);
    nv_steps(n, n->plan->producer);
    LLVMBuildBr(n->b, end);
    LLVMPositionBuilderAtEnd(n->b, end);
    LLVMBuildRetVoid(n->b);
    LLVMPositionBuilderAtEnd(n->b, warps);
    if (n->plan->ring->registers > 0)
        nv_set_registers(n, true, n->plan->ring->registers);
}

/* --- both sides --- */

void nv_ring_next(Nv *n)
{
    Val one = llvm_int(n->l->i32, 1), zero = llvm_int(n->l->i32, 0);
    Val next = LLVMBuildAdd(n->b, load(n, n->ring_number), one, "");
    Val stages = llvm_int(n->l->i32, n->plan->ring->stages), parity = load(n, n->ring_parity);
    Val around = LLVMBuildICmp(n->b, LLVMIntEQ, next, stages, "");
    Val turned = LLVMBuildXor(n->b, parity, one, "");

    LLVMBuildStore(n->b, LLVMBuildSelect(n->b, around, zero, next, ""), n->ring_number);
    LLVMBuildStore(n->b, LLVMBuildSelect(n->b, around, turned, parity, ""), n->ring_parity);
}

/* Bytes from the beginning of the ring to the stage. */
static Val stage_at(Nv *n, Val number)
{
    return LLVMBuildMul(n->b, number, llvm_int(n->l->i32, n->plan->ring->bytes), "");
}

void nv_ring_full(Nv *n, const NvFill *fill)
{
    const NvRing *r = n->plan->ring;
    Val number = load(n, n->ring_number);

    for (int part = 0; part < r->parts; part++) {
        if (part == 0 || fill->soon) {
            Val parity = load(n, n->ring_parity);
            nv_wait_phase(n, barrier_at(n, number, part, FULL), parity);
        }
    }
    n->stage[r->buffer] = stage_at(n, number);
}

static Val is_first_stage(Nv *n)
{
    return LLVMBuildICmp(n->b, LLVMIntEQ, load(n, n->ring_number), llvm_int(n->l->i32, 0), "");
}

/* The stage before the next one; the last one before the first. */
static Val number_before(Nv *n)
{
    Val last = llvm_int(n->l->i32, n->plan->ring->stages - 1);
    Val less = LLVMBuildSub(n->b, load(n, n->ring_number), llvm_int(n->l->i32, 1), "");

    return LLVMBuildSelect(n->b, is_first_stage(n), last, less, "");
}

/* Its parity: that of the next one, but from the first one back to the last one. */
static Val parity_before(Nv *n)
{
    Val back = LLVMBuildZExt(n->b, is_first_stage(n), n->l->i32, "");

    return LLVMBuildXor(n->b, load(n, n->ring_parity), back, "");
}

void nv_ring_left(Nv *n, const NvFill *fill)
{
    int last = n->plan->ring->parts - 1;

    if (last == 0 || fill->soon)
        return;
    Val parity = parity_before(n);
    nv_wait_phase(n, barrier_at(n, number_before(n), last, FULL), parity);
}

void nv_ring_back(Nv *n)
{
    n->stage[n->plan->ring->buffer] = stage_at(n, number_before(n));
}

void nv_ring_empty(Nv *n, bool before, int part, Val predicate)
{
    Val number = before ? number_before(n) : load(n, n->ring_number);
    Val lane = LLVMBuildICmp(n->b, LLVMIntEQ, n->lane, llvm_int(n->l->i32, 0), "");
    Val barrier = barrier_at(n, number, part, EMPTY);
    Val args[] = {barrier, nv_both(n, lane, predicate)};

    nv_asm(n, n->l->none, "@$1 mbarrier.arrive.shared::cta.b64 _, [$0];", "r,b,~{memory}", args,
           COUNT(args));
}

/* --- the producer --- */

static void fill_part(Nv *n, const NvStep *s, int part)
{
    const NvFill *fill = s->detail;
    Val number = load(n, n->ring_number), one = llvm_int(n->l->i32, 1);
    Val full = barrier_at(n, number, part, FULL), stage = stage_at(n, number);
    Val parity = LLVMBuildXor(n->b, load(n, n->ring_parity), one, "");

    nv_wait_phase(n, barrier_at(n, number, part, EMPTY), parity);
    nv_asm(n, n->l->none,
           arena_printf(n->arena, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], %lld;",
                        (long long)fill->bytes[part]),
           "r,~{memory}", &full, 1);
    for (int i = 0; i < fill->tensors.len; i++) {
        if (fill->tensors.at[i].part != part)
            continue;
        const Op *around = llvm_at(n->l, fill->tensors.at[i].op);
        nv_copy_tensor(n, s, &fill->tensors.at[i], stage, full);
        llvm_at(n->l, around);
    }
}

void nv_fill(Nv *n, const NvStep *s)
{
    for (int part = 0; part < n->plan->ring->parts; part++)
        fill_part(n, s, part);
    nv_ring_next(n);
}
