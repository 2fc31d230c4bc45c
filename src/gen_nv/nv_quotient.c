/*
 * nv_quotient.c - integers of 32 bits by one number, without a division each
 *
 * With l = ceil(log2 |d|) and
 *
 *     m = floor(2^32 (2^l - |d|) / |d|) + 1,   |x / d| = (floor(|x| m / 2^32) + |x|) / 2^l
 *
 * rounded down (Granlund and Montgomery, "Division by invariant integers using multiplication",
 * 1994, figure 4.1): a multiply-add of upper halves and a shift, where dividends are known not to
 * be below 0.  What d needs is computed once for all registers.
 *
 * The quotient q in m goes by a reciprocal of fp64 that is too large by 2^-35 of itself, or a
 * little less.  So m may exceed the one above by 1, where q lies so little below an integer; then
 * m |d| - 2^32 (2^l - |d|) <= |d| + 2^-32 |d| q = 2^l, which is all that figure 4.1 asks for.
 *
 * By 0 a quotient is 0, which a shift by 32 gives, and so is a remainder.
 */
#include "nv.h"

#include <math.h>

enum { LEAST = 3, BITS = 32 };

/* What multiplies, how far is shifted behind it; the divisor's sign, 0 or -1 (NULL: 0); what a
 * remainder keeps: all of its bits, or none. */
typedef struct {
    Val factor, shift, divisor, sign, kept;
} Reciprocal;

static Val constant(const Nv *n, int64_t v)
{
    return llvm_int(n->l->i32, v);
}

static Val magnitude(Nv *n, Val x)
{
    LLVMTypeRef t = LLVMTypeOf(x);

    return llvm_call(n->l, n->b, "llvm.abs", 1, &t, 2, (Val[]){x, llvm_int(n->l->i1, 0)});
}

/* 1/d, too large by 2^-35 of itself: a step of Newton's behind the chip's own. */
static Val inverse(Nv *n, Val d)
{
    LLVMTypeRef f64 = n->l->f64;
    Val single = LLVMBuildUIToFP(n->b, d, n->l->f32, ""), whole = LLVMBuildUIToFP(n->b, d, f64, "");
    Val guess = nv_pure_asm(n, n->l->f32, "rcp.approx.ftz.f32 $0, $1;", "=f,f", &single, 1);
    Val r = LLVMBuildFPExt(n->b, guess, f64, "");
    Val error =
        llvm_fma(n->l, n->b, LLVMBuildFNeg(n->b, whole, ""), r, llvm_real(f64, 1 + ldexp(1, -35)));

    return llvm_fma(n->l, n->b, r, error, r);
}

static Reciprocal reciprocal_of(Nv *n, Val by, bool is_signed, bool positive)
{
    Llvm *l = n->l;
    Bld b = n->b;
    Val none = LLVMBuildICmp(b, LLVMIntEQ, by, constant(n, 0), "");
    Val d = is_signed && !positive ? magnitude(n, by) : by;
    Reciprocal r = {.divisor = by};

    d = LLVMBuildSelect(b, none, constant(n, 1), d, "");
    Val below[] = {LLVMBuildSub(b, d, constant(n, 1), ""), llvm_int(l->i1, 0)};
    Val zeros = llvm_call(l, b, "llvm.ctlz", 1, &l->i32, 2, below);
    Val bits = LLVMBuildSub(b, constant(n, BITS), zeros, "");
    Val power = LLVMBuildShl(b, llvm_int(l->i64, 1), LLVMBuildZExt(b, bits, l->i64, ""), "");
    Val above = LLVMBuildSub(b, LLVMBuildTrunc(b, power, l->i32, ""), d, "");
    Val q = LLVMBuildFMul(b, LLVMBuildUIToFP(b, above, l->f64, ""), inverse(n, d), "");
    q = LLVMBuildFMul(b, q, llvm_real(l->f64, ldexp(1, BITS)), "");
    r.factor = LLVMBuildAdd(b, LLVMBuildFPToUI(b, q, l->i32, ""), constant(n, 1), "");
    r.shift = LLVMBuildSelect(b, none, constant(n, BITS), bits, "");
    r.kept = LLVMBuildSExt(b, LLVMBuildNot(b, none, ""), l->i32, "");
    if (is_signed && !positive)
        r.sign = LLVMBuildAShr(b, by, constant(n, BITS - 1), "");
    return r;
}

static Val shifted(Nv *n, Val x, Val by)
{
    return nv_pure_asm(n, n->l->i32, "shr.u32 $0, $1, $2;", "=r,r,r", (Val[]){x, by}, 2);
}

/* The quotient of numbers below 2^31, or of 2^31. */
static Val quotient(Nv *n, Val x, const Reciprocal *r)
{
    Val in[] = {x, r->factor, x};
    Val sum = nv_pure_asm(n, n->l->i32, "mad.hi.u32 $0, $1, $2, $3;", "=r,r,r,r", in, 3);

    return shifted(n, sum, r->shift);
}

/* Of all numbers: the sum above is halved as it is made. */
static Val quotient_of_any(Nv *n, Val x, const Reciprocal *r)
{
    Bld b = n->b;
    Val in[] = {x, r->factor, constant(n, 0)};
    Val part = nv_pure_asm(n, n->l->i32, "mad.hi.u32 $0, $1, $2, $3;", "=r,r,r,r", in, 3);
    Val first = llvm_call2(n->l, b, "llvm.umin", r->shift, constant(n, 1));
    Val rest = LLVMBuildSub(b, r->shift, first, "");
    Val half = LLVMBuildLShr(b, LLVMBuildSub(b, x, part, ""), first, "");

    return shifted(n, LLVMBuildAdd(b, half, part, ""), rest);
}

/* q where the sign, 0 or -1, is 0, and -q. */
static Val with_sign(Nv *n, Val q, Val sign)
{
    return LLVMBuildSub(n->b, LLVMBuildXor(n->b, q, sign, ""), sign, "");
}

static Val divide(Nv *n, const NvQuotients *d, const Reciprocal *r, Val x)
{
    Bld b = n->b;
    Val q, sign = r->sign;

    if (!d->is_signed) {
        q = quotient_of_any(n, x, r);
    } else if (d->dividend_positive) {
        q = quotient(n, x, r);
    } else {
        q = quotient(n, magnitude(n, x), r);
        Val own = LLVMBuildAShr(b, x, constant(n, BITS - 1), "");
        sign = sign ? LLVMBuildXor(b, sign, own, "") : own;
    }
    if (sign)
        q = with_sign(n, q, sign);
    if (!d->remainder)
        return q;
    Val rest = LLVMBuildSub(b, x, LLVMBuildMul(b, q, r->divisor, ""), "");
    return LLVMBuildAnd(b, rest, r->kept, "");
}

void nv_divide_by_one(Nv *n, const NvQuotients *d, int count, Val *out)
{
    Val by = NULL;
    int alike = 0;

    for (int i = 0; i < count; i++) {
        if (!d->x[i] || LLVMIsConstant(d->s[i]) || (by && d->s[i] != by))
            continue;
        by = d->s[i];
        alike++;
    }
    if (alike < LEAST)
        return;
    Reciprocal r = reciprocal_of(n, by, d->is_signed, d->divisor_positive);
    for (int i = 0; i < count; i++) {
        if (d->x[i] && d->s[i] == by)
            out[i] = divide(n, d, &r, d->x[i]);
    }
}
