/*
 * masked.c - lanes under a mask, where a machine has no instruction for it
 *
 * Masked moves are of 4 and 8 bytes, gathers of words of 4.  Smaller elements are copied one by
 * one, or come out of the words that they lie in.
 */
#include "llvm.h"

#include <stdio.h>

enum { PAGE = 4096 /* bytes: the smallest page; all of one may be read, or nothing */ };

/* tilec_masked_copy_N(to, from, bits): copy the N-byte elements whose bit is set.  One a CPU: a
 * module may have code for several. */
static Val masked_copy(Llvm *l, LLVMTypeRef element, int size, LLVMTypeRef *type)
{
    char name[96];
    LLVMTypeRef params[3] = {l->ptr, l->ptr, l->i64};

    snprintf(name, sizeof name, "tilec_masked_copy_%d_%s", size, l->cpu);
    *type = LLVMFunctionType(l->none, params, 3, 0);
    Val fn = LLVMGetNamedFunction(l->module, name);
    if (fn)
        return fn;
    fn = llvm_function(l, name, *type);
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    LLVMBasicBlockRef start = LLVMAppendBasicBlockInContext(l->ctx, fn, ""),
                      head = LLVMAppendBasicBlockInContext(l->ctx, fn, ""),
                      body = LLVMAppendBasicBlockInContext(l->ctx, fn, ""),
                      done = LLVMAppendBasicBlockInContext(l->ctx, fn, "");
    Bld b = llvm_builder(l, start);
    LLVMBuildBr(b, head);
    LLVMPositionBuilderAtEnd(b, head);
    Val bits = LLVMBuildPhi(b, l->i64, ""), none = llvm_int(l->i64, 0);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, bits, none, ""), done, body);
    LLVMPositionBuilderAtEnd(b, body);
    Val i = llvm_call(l, b, "llvm.cttz", 1, &l->i64, 2, (Val[]){bits, llvm_int(l->i1, 1)});
    Val from = LLVMBuildGEP2(b, element, LLVMGetParam(fn, 1), &i, 1, "");
    Val to = LLVMBuildGEP2(b, element, LLVMGetParam(fn, 0), &i, 1, "");
    llvm_store(b, llvm_load(b, element, from, size), to, size);
    Val rest = LLVMBuildAnd(b, bits, LLVMBuildSub(b, bits, llvm_int(l->i64, 1), ""), "");
    LLVMBuildBr(b, head);
    LLVMAddIncoming(bits, (Val[]){LLVMGetParam(fn, 2), rest}, (LLVMBasicBlockRef[]){start, body},
                    2);
    LLVMPositionBuilderAtEnd(b, done);
    LLVMBuildRetVoid(b);
    return fn;
}

void llvm_copy_lanes(Llvm *l, Bld b, Val to, Val from, LLVMTypeRef element, int size, Val mask)
{
    LLVMTypeRef type, bits = LLVMIntTypeInContext(l->ctx, (unsigned)llvm_lanes(mask));
    Val fn = masked_copy(l, element, size, &type);
    Val set = LLVMBuildZExt(b, LLVMBuildBitCast(b, mask, bits, ""), l->i64, "");

    LLVMBuildCall2(b, type, fn, (Val[]){to, from, set}, 3, "");
}

Val llvm_may_read_whole(Llvm *l, Bld b, Val ptr, int bytes, Val mask)
{
    LLVMTypeRef i64 = l->i64, bits = LLVMIntTypeInContext(l->ctx, (unsigned)llvm_lanes(mask));
    Val in_page = LLVMBuildAnd(b, LLVMBuildPtrToInt(b, ptr, i64, ""), llvm_int(i64, PAGE - 1), "");
    Val fits = LLVMBuildICmp(b, LLVMIntULE, in_page, llvm_int(i64, PAGE - bytes), "");
    Val set = LLVMBuildBitCast(b, mask, bits, "");

    return LLVMBuildAnd(b, fits, LLVMBuildICmp(b, LLVMIntNE, set, llvm_int(bits, 0), ""), "");
}

Val llvm_gather_small(Llvm *l, Bld b, LLVMTypeRef vector, Val ptrs, int size, Val mask)
{
    int lanes = llvm_lanes(ptrs);
    LLVMTypeRef i64 = llvm_vector(l->i64, lanes), words = llvm_vector(l->i32, lanes);
    LLVMTypeRef bits = LLVMIntTypeInContext(l->ctx, 8 * (unsigned)size);
    Val at = LLVMBuildPtrToInt(b, ptrs, i64, ""), rest = llvm_int(i64, LLVM_WORD - 1);
    Val start = LLVMBuildAnd(b, at, llvm_int(i64, -LLVM_WORD), "");
    Val shift = LLVMBuildShl(b, LLVMBuildAnd(b, at, rest, ""), llvm_int(i64, 3), "");

    start = LLVMBuildIntToPtr(b, start, LLVMTypeOf(ptrs), "");
    Val word = llvm_gather(l, b, words, start, LLVM_WORD, mask, LLVMConstNull(words));
    word = LLVMBuildLShr(b, word, LLVMBuildTrunc(b, shift, words, ""), "");
    return LLVMBuildBitCast(b, LLVMBuildTrunc(b, word, llvm_vector(bits, lanes), ""), vector, "");
}
