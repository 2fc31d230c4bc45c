/*
 * nv_code.c - what all files of this target call: blocks of code, waiting, registers of the chip
 */
#include "nv_mma.h"

#include <stdio.h>
#include <string.h>

/* The first of two names that this LLVM has. */
static const char *intrinsic(const char *now, const char *before)
{
    return LLVMLookupIntrinsicID(now, strlen(now)) != 0 ? now : before;
}

/* But for the producer. */
static void wait_some(Nv *n, Val which)
{
    static const char now[] = "llvm.nvvm.barrier.cta.sync.aligned.count";
    Val args[] = {which, llvm_int(n->l->i32, nv_thread_count(n->plan))};

    llvm_call(n->l, n->b, intrinsic(now, "llvm.nvvm.barrier"), 0, NULL, COUNT(args), args);
}

/* At the one barrier that programs use yet, by all of their threads. */
static void wait_warps(Nv *n, const NvWait *w)
{
    static const char now[] = "llvm.nvvm.barrier.cta.sync.aligned.all";
    const char *name = intrinsic(now, "llvm.nvvm.barrier0");
    Val which = llvm_int(n->l->i32, w->barrier);

    if (w->who.count != n->plan->warps || w->barrier != 0)
        bug("no code for a barrier of some warps");
    if (n->plan->ring)
        wait_some(n, which);
    else
        llvm_call(n->l, n->b, name, 0, NULL, strcmp(name, now) == 0, &which);
}

void nv_wait_all(Nv *n)
{
    nv_asm(n, n->l->none, "bar.sync 0;", "~{memory}", NULL, 0);
}

Val nv_vote(Nv *n, bool any, Val own)
{
    const char *text = arena_printf(n->arena, "bar.red.%s.pred $0, 0, %d, $1;", any ? "or" : "and",
                                    nv_thread_count(n->plan));

    return nv_asm(n, n->l->i1, text, "=b,b,~{memory}", &own, 1);
}

void nv_fence_unit(Nv *n)
{
    nv_asm(n, n->l->none, "fence.proxy.async.shared::cta;", "~{memory}", NULL, 0);
}

static void wait_lanes(Nv *n)
{
    Val all = llvm_int(n->l->i32, -1);

    llvm_call(n->l, n->b, "llvm.nvvm.bar.warp.sync", 0, NULL, 1, &all);
}

void nv_wait(Nv *n, const NvWait *w)
{
    switch (w->kind) {
    case NV_WAIT_NONE:
        break;
    case NV_WAIT_LANES:
        wait_lanes(n);
        break;
    case NV_WAIT_WARPS: /* of one its lanes do, in a tenth of the time */
        if (w->who.count == 1 && !n->plan->ring)
            wait_lanes(n);
        else
            wait_warps(n, w);
        break;
    case NV_WAIT_COPIES:
        nv_asm(n, n->l->none, arena_printf(n->arena, "cp.async.wait_group %d;", w->in_flight),
               "~{memory}", NULL, 0);
        if (w->fence)
            nv_fence_unit(n);
        break;
    case NV_WAIT_PRODUCTS:
        if (n->plan->sum_columns > 0) {
            nv_sums_wait(n, w->in_flight);
            break;
        }
        nv_asm(n, n->l->none,
               arena_printf(n->arena, "wgmma.wait_group.sync.aligned %d;", w->in_flight),
               "~{memory}", NULL, 0);
        break;
    case NV_WAIT_SENT:
        nv_asm(n, n->l->none,
               arena_printf(n->arena, "cp.async.bulk.wait_group%s %d;", w->read ? ".read" : "",
                            w->in_flight),
               "~{memory}", NULL, 0);
        break;
    }
}

void nv_wait_phase(Nv *n, Val barrier, Val parity)
{
    LLVMBasicBlockRef again = nv_block(n), behind = nv_block(n);
    Val args[] = {barrier, parity};

    LLVMBuildBr(n->b, again);
    LLVMPositionBuilderAtEnd(n->b, again);
    Val over = nv_asm(n, n->l->i1, "mbarrier.try_wait.parity.shared::cta.b64 $0, [$1], $2;",
                      "=b,r,r,~{memory}", args, COUNT(args));
    LLVMBuildCondBr(n->b, over, behind, again);
    LLVMPositionBuilderAtEnd(n->b, behind);
}

Val nv_new_cell(Nv *n)
{
    LLVMBasicBlockRef now = nv_at_head(n);
    Val cell = LLVMBuildAlloca(n->b, n->l->i32, "");

    LLVMBuildStore(n->b, llvm_int(n->l->i32, 0), cell);
    nv_leave_head(n, now);
    return cell;
}

Val nv_special(Nv *n, const char *name)
{
    char whole[64];

    snprintf(whole, sizeof whole, "llvm.nvvm.read.ptx.sreg.%s", name);
    return llvm_call(n->l, n->b, whole, 0, NULL, 0, NULL);
}

Val nv_never(Nv *n)
{
    unsigned i = 0;

    while (i < LLVMCountParams(n->fn) &&
           LLVMGetTypeKind(LLVMTypeOf(LLVMGetParam(n->fn, i))) != LLVMPointerTypeKind)
        i++;
    if (i == LLVMCountParams(n->fn))
        return NULL;
    LLVMBasicBlockRef now = nv_at_head(n);
    Val v = LLVMBuildPtrToInt(n->b, LLVMGetParam(n->fn, i), n->l->i64, "");
    v = LLVMBuildLShr(n->b, v, LLVMConstInt(n->l->i64, 63, 0), "");
    v = LLVMBuildTrunc(n->b, v, n->l->i32, "");
    nv_leave_head(n, now);
    return v;
}
