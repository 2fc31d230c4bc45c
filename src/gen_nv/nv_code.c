/*
 * nv_code.c - what all files of this target call: blocks of code, waiting, registers of the chip
 */
#include "nv.h"

#include <stdio.h>
#include <string.h>

LLVMBasicBlockRef nv_block(Nv *n)
{
    return LLVMAppendBasicBlockInContext(n->l->ctx, n->fn, "");
}

/* The first of two names that this LLVM has. */
static const char *intrinsic(const char *now, const char *before)
{
    return LLVMLookupIntrinsicID(now, strlen(now)) != 0 ? now : before;
}

void nv_wait_block(Nv *n)
{
    static const char now[] = "llvm.nvvm.barrier.cta.sync.aligned.all";
    const char *name = intrinsic(now, "llvm.nvvm.barrier0");
    Val which = llvm_int(n->l->i32, 0);

    llvm_call(n->l, n->b, name, 0, NULL, strcmp(name, now) == 0, &which);
}

void nv_wait_warp(Nv *n)
{
    Val all = llvm_int(n->l->i32, -1);

    llvm_call(n->l, n->b, "llvm.nvvm.bar.warp.sync", 0, NULL, 1, &all);
}

Val nv_special(Nv *n, const char *name)
{
    char whole[64];

    snprintf(whole, sizeof whole, "llvm.nvvm.read.ptx.sreg.%s", name);
    return llvm_call(n->l, n->b, whole, 0, NULL, 0, NULL);
}
