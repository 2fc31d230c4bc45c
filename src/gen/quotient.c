/*
 * quotient.c - integers of at most 32 bits by one number, without a division of vectors
 *
 * With l = ceil(log2 |s|) and
 *
 *     m = floor(2^32 (2^l - |s|) / |s|) + 1,   |x / s| = (floor(|x| m / 2^32) + |x|) / 2^l
 *
 * rounded down (Granlund and Montgomery, "Division by invariant integers using multiplication",
 * 1994, figure 4.1), in lanes of 64 bits, where nothing overflows; the sign is put on behind.
 */
#include "llvm.h"

Val llvm_magnitude(Llvm *l, Bld b, Val x, bool is_signed)
{
    LLVMTypeRef t = LLVMTypeOf(x);

    return is_signed ? llvm_call(l, b, "llvm.abs", 1, &t, 2, (Val[]){x, llvm_int(l->i1, 0)}) : x;
}

LlvmReciprocal llvm_reciprocal(Llvm *l, Bld b, Val s, bool is_signed, bool remainder)
{
    LLVMTypeRef t = LLVMTypeOf(s), i64 = l->i64;
    Val one = llvm_int(i64, 1), none = LLVMBuildICmp(b, LLVMIntEQ, s, LLVMConstNull(t), "");
    LlvmReciprocal r = {.divisor = LLVMBuildSelect(b, none, llvm_int(t, 1), s, "")};
    Val d = LLVMBuildZExt(b, llvm_magnitude(l, b, r.divisor, is_signed), i64, "");
    Val before[] = {LLVMBuildSub(b, d, one, ""), llvm_int(l->i1, 0)};
    Val zeros = llvm_call(l, b, "llvm.ctlz", 1, &i64, 2, before);
    Val bits = LLVMBuildSub(b, llvm_int(i64, 64), zeros, "");
    Val above = LLVMBuildSub(b, LLVMBuildShl(b, one, bits, ""), d, "");

    r.factor = LLVMBuildUDiv(b, LLVMBuildShl(b, above, llvm_int(i64, 32), ""), d, "");
    r.factor = LLVMBuildAdd(b, r.factor, one, "");
    r.shift = remainder ? bits : LLVMBuildSelect(b, none, llvm_int(i64, 63), bits, "");
    return r;
}

/* The mask tells LLVM that 32 bits are multiplied. */
Val llvm_quotients(Llvm *l, Bld b, Val x, const LlvmReciprocal *r)
{
    int lanes = llvm_lanes(x);
    LLVMTypeRef wide = llvm_vector(l->i64, lanes);
    Val half = llvm_int(wide, 32), low = llvm_int(wide, UINT32_MAX);
    Val factor = LLVMBuildAnd(b, llvm_splat(b, r->factor, lanes), low, "");

    x = LLVMBuildZExt(b, x, wide, "");
    Val above = LLVMBuildLShr(b, LLVMBuildMul(b, x, factor, ""), half, "");
    Val shift = llvm_splat(b, r->shift, lanes);
    return LLVMBuildLShr(b, LLVMBuildAdd(b, above, x, ""), shift, "");
}
