/*
 * cpu_divide.c - dividing a row by one number, exactly and without the divider
 *
 * A vector division occupies the divider for 5 to 16 cycles.  When all lanes share the divisor s,
 * its correctly rounded reciprocal r is computed once, and each vector takes a product and two
 * corrections
 *
 *     q0 = x r,   q1 = q0 + (x - q0 s) r,   q2 = q1 + (x - q1 s) r
 *
 * with fused multiply-adds.  q1 is within one unit in the last place of x / s, and then q2 is x / s
 * correctly rounded (Markstein, "Computation of elementary functions on the IBM RISC System/6000
 * processor", 1990), as long as nothing under- or overflows on the way.  So s, and every lane of
 * x, must be of moderate size; a vector with any other lane, zeros too, is divided as usual.
 */
#include "cpu.h"

/* The format as an integer, and the moderate sizes: 2^-range to 2^range for x, 2/3 of it for s. */
typedef struct {
    LLVMTypeRef real, bits; /* with lanes, and their integers */
    int mantissa, bias, range;
} Format;

static Format format_of(Cpu *c, Val x)
{
    LLVMTypeRef element = LLVMTypeOf(x);
    if (llvm_lanes(x) > 0)
        element = LLVMGetElementType(element);
    if (element == c->l->f64)
        return (Format){LLVMTypeOf(x), llvm_like(c->l->i64, x), 52, 1023, 480};
    return (Format){LLVMTypeOf(x), llvm_like(c->l->i32, x), 23, 127, 60};
}

/* Lanes with 2^-range <= |x| < 2^range. */
static Val is_moderate(Cpu *c, Bld b, Val x, const Format *f, int range)
{
    int64_t low = (int64_t)(f->bias - range) << f->mantissa;
    int64_t width = (int64_t)(2 * range) << f->mantissa;
    Val bits = LLVMBuildBitCast(b, llvm_call1(c->l, b, "llvm.fabs", x), f->bits, "");
    Val above = LLVMBuildSub(b, bits, llvm_int(f->bits, low), "");
    return LLVMBuildICmp(b, LLVMIntULT, above, llvm_int(f->bits, width), "");
}

static Val multiply_add(Cpu *c, Bld b, Val x, Val y, Val z)
{
    LLVMTypeRef t = LLVMTypeOf(x);
    return llvm_call(c->l, b, "llvm.fma", 1, &t, 3, (Val[]){x, y, z});
}

static Val corrected_quotient(NestCg *n, Val x, Val r, Val minus_s)
{
    Bld b = n->at[n->rank];
    Val q = LLVMBuildFMul(b, x, r, "");
    for (int step = 0; step < 2; step++)
        q = multiply_add(n->c, b, multiply_add(n->c, b, q, minus_s, x), r, q);
    return q;
}

/* All lanes of x may take the short way. */
static Val all_moderate(NestCg *n, Val x)
{
    Cpu *c = n->c;
    Bld b = n->at[n->rank];
    Format f = format_of(c, x);
    Val fits = is_moderate(c, b, x, &f, f.range);
    LLVMTypeRef mask = LLVMIntTypeInContext(c->l->ctx, (unsigned)n->lanes);
    return LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildBitCast(b, fits, mask, ""), llvm_int(mask, -1), "");
}

Val cpu_divide(NestCg *n, Ev x, Ev s)
{
    Cpu *c = n->c;
    Bld b = n->at[n->rank], outer = n->at[s.level];
    Format f = format_of(c, s.v);
    Val one = llvm_real(f.real, 1);
    Val r = llvm_splat(outer, LLVMBuildFDiv(outer, one, s.v, ""), n->lanes);
    Val minus_s = llvm_splat(outer, LLVMBuildFNeg(outer, s.v, ""), n->lanes);
    Val whole_s = llvm_splat(outer, s.v, n->lanes);
    Val fit = is_moderate(c, outer, s.v, &f, f.range * 2 / 3);
    Val shortly = LLVMBuildAnd(b, fit, all_moderate(n, x.v), "");
    LLVMBasicBlockRef quick = LLVMAppendBasicBlockInContext(c->l->ctx, c->fn, ""),
                      full = LLVMAppendBasicBlockInContext(c->l->ctx, c->fn, ""),
                      after = LLVMAppendBasicBlockInContext(c->l->ctx, c->fn, "");
    LLVMBuildCondBr(b, shortly, quick, full);
    LLVMPositionBuilderAtEnd(b, quick);
    Val fast = corrected_quotient(n, x.v, r, minus_s);
    LLVMBuildBr(b, after);
    LLVMPositionBuilderAtEnd(b, full);
    Val slow = LLVMBuildFDiv(b, x.v, whole_s, "");
    LLVMBuildBr(b, after);
    LLVMPositionBuilderAtEnd(b, after);
    Val q = LLVMBuildPhi(b, LLVMTypeOf(x.v), "");
    LLVMAddIncoming(q, (Val[]){fast, slow}, (LLVMBasicBlockRef[]){quick, full}, 2);
    return q;
}
