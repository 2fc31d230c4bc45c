/*
 * nv_divide.c - dividing many registers of fp32 by one number, exactly
 *
 * A correctly rounded division of two numbers takes some ten instructions and a branch.  Where
 * registers share the divisor, as a row does, s is that as a number in [1, 2), f the power of two
 * that was taken out, and r = 1/s is found once, correctly rounded.  Each x takes
 *
 *     q = x r,   e = x - q s,   x / (s / f) = (q + e r) f
 *
 * with fused multiply-adds.  q is off by less than 1.5 units in the last place, so before its last
 * rounding the sum is off by less than 7 / s parts of 2^24 of a unit.  A quotient of two numbers of
 * 24 bits is c / s such parts away from the middle between two numbers, with an integer c that is
 * not 0.  test_divide tries all with |c| <= 14, so the sum is right for x from 2^-90 on, so that
 * nothing underflows; nor does the product with f for divisors up to 2^24, and it may overflow.
 * Zeros go, too: e is rounded down, so that it is -0 and takes no sign away.
 *
 * To tell whether x may: x 2^-36 with small results flushed to zero, times 2^36, is x again unless
 * x is below 2^-90, infinite or NaN.  What differs is collected for a few registers, and if
 * anything does, they are all divided as usual, behind a branch that is hardly ever taken.
 *
 * Halves are never that small, and integers nothing of the kind, so one comparison of the largest
 * of several, or none, tells.
 *
 * Where a quotient may be off by a little (loose.c) it is x (r f), whatever x is.
 *
 * 1/s of numbers that are not tiny, as in a sigmoid, is r without an f; what has to be told of them
 * is that none is beyond 2^126.
 */
#include "nv.h"

#include <math.h>
#include <string.h>

enum {
    LEAST = 4,    /* registers that share a divisor, or the reciprocal is not worth it */
    TOGETHER = 4, /* that one call divides as usual */
    MOST = 64,    /* of one branch */
    WINDOW = 64,  /* how far to look for them */
};

typedef struct {
    Val s, r, f;
    Val fits; /* i1 */
} Divisor;

/* One step of Newton's behind the instruction rounds correctly where s is at home, as the
 * assembler's own rcp.rn does. */
static Val reciprocal(Nv *n, Val s, Val one)
{
    Val guess = nv_pure_asm(n, n->l->f32, "rcp.approx.ftz.f32 $0, $1;", "=f,f", &s, 1);
    Val error = llvm_fma(n->l, n->b, LLVMBuildFNeg(n->b, s, ""), guess, one);

    return llvm_fma(n->l, n->b, guess, error, guess);
}

static Divisor divisor(Nv *n, Val whole)
{
    enum { EXPONENT = 0x7f800000, TWICE_ONE = 0x7f000000 }; /* bits of the exponent; of 1, twice */
    LLVMTypeRef f32 = n->l->f32, i32 = n->l->i32;
    Val one = llvm_real(f32, 1), least = llvm_real(f32, 0x1p-126), most = llvm_real(f32, 1 << 24);
    Val exponent = LLVMBuildAnd(n->b, llvm_bits(n->l, n->b, whole), llvm_int(i32, EXPONENT), "");
    Val f = LLVMBuildSub(n->b, llvm_int(i32, TWICE_ONE), exponent, "");
    f = LLVMBuildBitCast(n->b, f, f32, "");
    Val s = LLVMBuildFMul(n->b, whole, f, "");
    Divisor d = {.s = s, .r = reciprocal(n, s, one), .f = f};

    d.fits = LLVMBuildAnd(n->b, LLVMBuildFCmp(n->b, LLVMRealOGE, whole, least, ""),
                          LLVMBuildFCmp(n->b, LLVMRealOLE, whole, most, ""), "");
    return d;
}

static Val quotient_by(Nv *n, const Divisor *d, Val x)
{
    Val q = LLVMBuildFMul(n->b, x, d->r, "");
    Val in[] = {LLVMBuildFNeg(n->b, q, ""), d->s, x};
    Val e = llvm_call(n->l, n->b, "llvm.nvvm.fma.rm.f", 0, NULL, 3, in);

    return LLVMBuildFMul(n->b, llvm_fma(n->l, n->b, e, d->r, q), d->f, "");
}

/* An i32: 0 if x may be divided by quotient_by(). */
static Val unfit(Nv *n, Val x)
{
    Val in[] = {x, llvm_real(n->l->f32, 0x1p-36)};
    Val small = llvm_call(n->l, n->b, "llvm.nvvm.mul.rn.ftz.f", 0, NULL, 2, in);
    Val lost = llvm_fma(n->l, n->b, small, llvm_real(n->l->f32, -0x1p36), x);

    return llvm_bits(n->l, n->b, lost);
}

/* Are all of them made of such elements? */
static bool all_from(const Val *x, const int *regs, int count, LLVMOpcode a, LLVMOpcode b)
{
    for (int i = 0; i < count; i++) {
        Val v = x[regs[i]];
        if (!LLVMIsAInstruction(v) ||
            (LLVMGetInstructionOpcode(v) != a && LLVMGetInstructionOpcode(v) != b))
            return false;
    }
    return true;
}

/* The largest of several, without a sign or as they are; NaN does not count. */
static Val largest(Nv *n, const Val *x, const int *regs, int count, bool magnitude)
{
    Val top = NULL;

    for (int i = 0; i < count; i++) {
        Val v = magnitude ? llvm_call1(n->l, n->b, "llvm.fabs", x[regs[i]]) : x[regs[i]];
        top = top ? llvm_call2(n->l, n->b, "llvm.maxnum", top, v) : v;
    }
    return top;
}

/* i1: may all of them be divided by quotient_by()? */
static Val all_fit(Nv *n, const Val *x, const int *regs, int count)
{
    Val bad = llvm_int(n->l->i32, 0);

    if (all_from(x, regs, count, LLVMSIToFP, LLVMUIToFP))
        return llvm_int(n->l->i1, 1);
    if (all_from(x, regs, count, LLVMFPExt, LLVMFPExt)) /* of halves */
        return LLVMBuildFCmp(n->b, LLVMRealOLT, largest(n, x, regs, count, true),
                             llvm_real(n->l->f32, INFINITY), "");
    for (int i = 0; i < count; i++)
        bad = LLVMBuildOr(n->b, bad, unfit(n, x[regs[i]]), "");
    return LLVMBuildICmp(n->b, LLVMIntEQ, bad, llvm_int(n->l->i32, 0), "");
}

/* A function that divides so many numbers as usual, by one that follows them, or 1 by each.  Where
 * it is called the code stays short, and the assembler puts its own behind that of the kernel. */
static Val long_way(Nv *n, bool reciprocals, LLVMTypeRef *type)
{
    static const char attribute[] = "noinline";
    const char *name = reciprocals ? "tilec_reciprocal" : "tilec_divide";
    LLVMTypeRef f32 = n->l->f32, params[] = {f32, f32, f32, f32, f32};
    LLVMTypeRef results = LLVMStructTypeInContext(n->l->ctx, params, TOGETHER, 0);

    *type = LLVMFunctionType(results, params, TOGETHER + !reciprocals, 0);
    Val fn = LLVMGetNamedFunction(n->l->module, name);
    if (fn)
        return fn;
    fn = llvm_function(n->l, name, *type);
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    unsigned kind = LLVMGetEnumAttributeKindForName(attribute, strlen(attribute));
    LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(n->l->ctx, kind, 0));
    Bld b = llvm_builder(n->l, LLVMAppendBasicBlockInContext(n->l->ctx, fn, ""));
    Val all = LLVMGetPoison(results);
    for (unsigned i = 0; i < TOGETHER; i++) {
        Val q = reciprocals ? LLVMBuildFDiv(b, llvm_real(f32, 1), LLVMGetParam(fn, i), "")
                            : LLVMBuildFDiv(b, LLVMGetParam(fn, i), LLVMGetParam(fn, TOGETHER), "");
        all = LLVMBuildInsertValue(b, all, q, i, "");
    }
    LLVMBuildRet(b, all);
    return fn;
}

/* s: NULL for reciprocals. */
static void divide_long_way(Nv *n, const Val *x, Val s, const int *regs, int count, Val *out)
{
    LLVMTypeRef type;
    Val fn = long_way(n, !s, &type);

    for (int i = 0; i < count; i += TOGETHER) {
        Val args[TOGETHER + 1];
        for (int k = 0; k < TOGETHER; k++)
            args[k] = x[regs[MIN(i + k, count - 1)]];
        args[TOGETHER] = s;
        Val all = LLVMBuildCall2(n->b, type, fn, args, TOGETHER + (s != NULL), "");
        for (int k = 0; k < MIN(TOGETHER, count - i); k++)
            out[i + k] = LLVMBuildExtractValue(n->b, all, (unsigned)k, "");
    }
}

/* Two ways to out[regs[]], of which the second one is hardly ever taken: where `good`, an i1, is
 * not so. */
typedef struct {
    LLVMBasicBlockRef way, detour, after;
} Ways;

static Ways ways_begin(Nv *n, Val good)
{
    Ways w = {nv_block(n), nv_block(n), nv_block(n)};

    llvm_likely(n->l, LLVMBuildCondBr(n->b, good, w.way, w.detour));
    LLVMPositionBuilderAtEnd(n->b, w.way);
    return w;
}

static void ways_end(Nv *n, Ways w, const Val *usual, const Val *x, Val s, const int *regs,
                     int count, Val *out)
{
    Val rare[MOST];

    LLVMBuildBr(n->b, w.after);
    LLVMPositionBuilderAtEnd(n->b, w.detour);
    divide_long_way(n, x, s, regs, count, rare);
    LLVMBuildBr(n->b, w.after);
    LLVMPositionBuilderAtEnd(n->b, w.after);
    for (int i = 0; i < count; i++) {
        out[regs[i]] = LLVMBuildPhi(n->b, n->l->f32, "");
        LLVMAddIncoming(out[regs[i]], (Val[]){usual[i], rare[i]},
                        (LLVMBasicBlockRef[]){w.way, w.detour}, 2);
    }
}

/* Registers regs[] of x by one s.  Which way is known before anything is divided: at no time are
 * dividends and quotients alive together. */
static void divide_group(Nv *n, const Val *x, Val s, const int *regs, int count, bool loose,
                         Val *out)
{
    Divisor d = divisor(n, s);
    Val factor = LLVMBuildFMul(n->b, d.r, d.f, ""), usual[MOST];
    Val fit = loose ? llvm_int(n->l->i1, 1) : all_fit(n, x, regs, count);
    Ways w = ways_begin(n, LLVMBuildAnd(n->b, d.fits, fit, ""));

    for (int i = 0; i < count; i++)
        usual[i] =
            loose ? LLVMBuildFMul(n->b, x[regs[i]], factor, "") : quotient_by(n, &d, x[regs[i]]);
    ways_end(n, w, usual, x, s, regs, count, out);
}

/* 1/s: two instructions behind the chip's own. */
static void invert_group(Nv *n, const Val *s, const int *regs, int count, Val *out)
{
    Val one = llvm_real(n->l->f32, 1), most = llvm_real(n->l->f32, 0x1p126), usual[MOST];
    Val good = LLVMBuildFCmp(n->b, LLVMRealOLT, largest(n, s, regs, count, false), most, "");
    Ways w = ways_begin(n, good);

    for (int i = 0; i < count; i++)
        usual[i] = reciprocal(n, s[regs[i]], one);
    ways_end(n, w, usual, s, NULL, regs, count, out);
}

/* LLVM multiplies by what is exact. */
static bool is_power_of_two(Val s)
{
    LLVMBool loses;
    int exponent;

    return LLVMIsAConstantFP(s) &&
           fabs(frexp(LLVMConstRealGetDouble(s, &loses), &exponent)) == 0.5; /* NaN: no */
}

void nv_divide_shared(Nv *n, const Val *x, const Val *s, int count, bool loose, Val *out)
{
    for (int r = 0; r < count; r++) {
        int regs[MOST], found = 0;
        if (out[r] || !x[r] || !s[r] || is_power_of_two(s[r]))
            continue;
        for (int i = r; i < MIN(count, r + WINDOW) && found < MOST; i++) {
            if (!out[i] && x[i] && s[i] == s[r])
                regs[found++] = i;
        }
        if (found >= LEAST)
            divide_group(n, x, s[r], regs, found, loose, out);
    }
}

void nv_invert(Nv *n, const Val *s, int count, Val *out)
{
    for (int r = 0; r < count;) {
        int regs[MOST], found = 0;
        for (; r < count && found < MOST; r++) {
            if (!out[r] && s[r])
                regs[found++] = r;
        }
        if (found > 0)
            invert_group(n, s, regs, found, out);
    }
}
