/*
 * nv_quotient.c - integers by one number, without a division each
 *
 * Signed: with l = floor(log2 |d|), S = 32 + l and m the largest number below 2^S / |d|, which has
 * 32 bits as it is less than 2^32 even where |d| is a power of two,
 *
 *     |x / d| = floor((|x| + 1) m / 2^S)
 *
 * rounded down (after A. D. Robison, "N-bit unsigned division via N-bit multiply-add", 2005): with
 * e = 2^S - m |d|, 1 <= e <= |d|, |x| = q |d| + r, the right side is q + (r + 1) / |d| less
 * (|x| + 1) e / (2^S |d|), which takes something away where r + 1 = |d|, and no more than 1 / |d|
 * as |x| + 1 <= 2^31 + 1 and e < 2^(l + 1), or e = 2^31 where |d| is.  So a quotient is one
 * multiply-add of 64 bits and a shift of its upper half.  What d needs is computed once for all
 * registers: 2^S / |d| goes by a reciprocal of fp64 that is too small by 2^-35 of itself, or nearly
 * so much, and what is below that is m or m - 1, of which the low bits of e tell.
 *
 * Unsigned: with l = ceil(log2 d) and
 *
 *     m = floor(2^32 (2^l - d) / d) + 1,   x / d = (floor(x m / 2^32) + x) / 2^l
 *
 * (Granlund and Montgomery, "Division by invariant integers using multiplication", 1994, figure
 * 4.1).  Here the reciprocal is too large by 2^-35, so m may exceed the one above by 1, where the
 * quotient Q in it lies so little below an integer; then m d - 2^32 (2^l - d) <= d + 2^-32 d Q =
 * 2^l, which is all that figure 4.1 asks for.
 *
 * By 0 a quotient is 0, which a shift by 32 gives, and so is a remainder, by 1 then.
 *
 * Numbers of 64 bits, as indices of long arrays, are mostly of 31: then all of a thread's are
 * divided so, and else one by one.
 */
#include "nv_values.h"

#include <math.h>

enum { LEAST = 3, BITS = 32, MANTISSA = 52 };

/* What multiplies, how far is shifted behind it, where 0 divides (`all`), too; by what a remainder
 * becomes less for each, below 0; the divisor's sign as in Parts (NULL: 0, and 1). */
typedef struct {
    Val factor, shift, all, less, sign, unit;
} Reciprocal;

static Val constant(const Nv *n, int64_t v)
{
    return llvm_int(n->l->i32, v);
}

/* q where the sign, 0 or -1, is 0, and -q. */
static Val with_sign(Nv *n, Val q, Val sign)
{
    return LLVMBuildSub(n->b, LLVMBuildXor(n->b, q, sign, ""), sign, "");
}

/* A number as a magnitude and a sign, 0 or -1; where that is one for many numbers, also 1 or -1 for
 * the same (else NULL), by which one instruction multiplies. */
typedef struct {
    Val magnitude, sign, unit;
} Parts;

/* Those of a quotient are at hand. */
static Parts parts_of(Nv *n, Val x)
{
    LLVMTypeRef t = LLVMTypeOf(x);
    const Parts *known = map_get(n->quotients, (uintptr_t)x);

    if (known)
        return *known;
    Val size = llvm_call(n->l, n->b, "llvm.abs", 1, &t, 2, (Val[]){x, llvm_int(n->l->i1, 0)});
    return (Parts){.magnitude = size, .sign = LLVMBuildAShr(n->b, x, constant(n, BITS - 1), "")};
}

static Val number_of(Nv *n, const Parts *p)
{
    if (!p->sign)
        return p->magnitude;
    return p->unit ? LLVMBuildMul(n->b, p->magnitude, p->unit, "")
                   : with_sign(n, p->magnitude, p->sign);
}

static Val quotient_of(Nv *n, Parts parts)
{
    Val q = number_of(n, &parts);
    Parts *p = NEW(n->arena, Parts);

    *p = parts;
    if (LLVMIsAInstruction(q))
        map_put(n->quotients, (uintptr_t)q, p);
    return q;
}

/* 1/d, off by 2^-35 of itself to that side: a step of Newton's behind the chip's own. */
static Val inverse(Nv *n, Val d, int side)
{
    LLVMTypeRef f64 = n->l->f64;
    Val single = LLVMBuildUIToFP(n->b, d, n->l->f32, ""), whole = LLVMBuildUIToFP(n->b, d, f64, "");
    Val guess = nv_pure_asm(n, n->l->f32, "rcp.approx.ftz.f32 $0, $1;", "=f,f", &single, 1);
    Val r = LLVMBuildFPExt(n->b, guess, f64, "");
    Val error = llvm_fma(n->l, n->b, LLVMBuildFNeg(n->b, whole, ""), r,
                         llvm_real(f64, 1 + side * ldexp(1, -35)));

    return llvm_fma(n->l, n->b, r, error, r);
}

/* x 2^power, of what stays a normal number. */
static Val scaled(Nv *n, Val x, Val power)
{
    Llvm *l = n->l;
    Val up =
        LLVMBuildShl(n->b, LLVMBuildZExt(n->b, power, l->i64, ""), llvm_int(l->i64, MANTISSA), "");

    return LLVMBuildBitCast(n->b, LLVMBuildAdd(n->b, LLVMBuildBitCast(n->b, x, l->i64, ""), up, ""),
                            l->f64, "");
}

static Reciprocal reciprocal_signed(Nv *n, Val by, bool positive)
{
    Bld b = n->b;
    Val none = LLVMBuildICmp(b, LLVMIntEQ, by, constant(n, 0), "");
    Parts d = {.magnitude = by};

    if (!positive)
        d = parts_of(n, by);
    Val divisor = llvm_call2(n->l, b, "llvm.umax", d.magnitude, constant(n, 1));
    Reciprocal r = {.less = LLVMBuildNeg(b, divisor, ""), .sign = d.sign};
    r.unit = d.sign ? LLVMBuildOr(b, d.sign, constant(n, 1), "") : NULL;
    r.shift = nv_pure_asm(n, n->l->i32, "bfind.u32 $0, $1;", "=r,r", &divisor, 1);
    r.all = LLVMBuildSelect(b, none, constant(n, BITS), r.shift, "");
    Val places = LLVMBuildAdd(b, r.shift, constant(n, BITS), "");
    Val q = scaled(n, inverse(n, divisor, -1), places);
    Val m = nv_pure_asm(n, n->l->i32, "cvt.rzi.u32.f64 $0, $1;", "=r,d", &q, 1);
    Val rest = LLVMBuildMul(b, m, r.less, "");
    Val more = LLVMBuildICmp(b, LLVMIntUGT, rest, divisor, "");
    r.factor = LLVMBuildAdd(b, m, LLVMBuildZExt(b, more, n->l->i32, ""), "");
    return r;
}

static Reciprocal reciprocal_unsigned(Nv *n, Val by)
{
    Llvm *l = n->l;
    Bld b = n->b;
    Val none = LLVMBuildICmp(b, LLVMIntEQ, by, constant(n, 0), "");
    Val d = llvm_call2(l, b, "llvm.umax", by, constant(n, 1));
    Val below[] = {LLVMBuildSub(b, d, constant(n, 1), ""), llvm_int(l->i1, 0)};
    Val zeros = llvm_call(l, b, "llvm.ctlz", 1, &l->i32, 2, below);
    Val bits = LLVMBuildSub(b, constant(n, BITS), zeros, "");
    Val power = LLVMBuildShl(b, llvm_int(l->i64, 1), LLVMBuildZExt(b, bits, l->i64, ""), "");
    Val above = LLVMBuildSub(b, LLVMBuildTrunc(b, power, l->i32, ""), d, "");
    Val inverted = inverse(n, d, 1);
    Val q = LLVMBuildFMul(b, LLVMBuildUIToFP(b, above, l->f64, ""), inverted, "");

    q = LLVMBuildFMul(b, q, llvm_real(l->f64, ldexp(1, BITS)), "");
    Val factor = LLVMBuildAdd(b, LLVMBuildFPToUI(b, q, l->i32, ""), constant(n, 1), "");
    Val all = LLVMBuildSelect(b, none, constant(n, BITS), bits, "");
    Val less = LLVMBuildNeg(b, d, "");
    return (Reciprocal){.factor = factor, .shift = bits, .all = all, .less = less};
}

static Val shifted(Nv *n, Val x, Val by)
{
    return nv_pure_asm(n, n->l->i32, "shr.u32 $0, $1, $2;", "=r,r,r", (Val[]){x, by}, 2);
}

/* The quotient of numbers below 2^31, or of 2^31. */
static Val quotient(Nv *n, Val x, const Reciprocal *r, Val shift)
{
    Bld b = n->b;
    LLVMTypeRef i64 = n->l->i64;
    Val factor = LLVMBuildZExt(b, r->factor, i64, "");
    Val product = LLVMBuildMul(b, LLVMBuildZExt(b, x, i64, ""), factor, "");
    Val sum = LLVMBuildLShr(b, LLVMBuildAdd(b, product, factor, ""), llvm_int(i64, BITS), "");

    return shifted(n, LLVMBuildTrunc(b, sum, n->l->i32, ""), shift);
}

/* Of all numbers: the sum is halved as it is made. */
static Val quotient_of_any(Nv *n, Val x, const Reciprocal *r, Val shift)
{
    Bld b = n->b;
    Val in[] = {x, r->factor, constant(n, 0)};
    Val part = nv_pure_asm(n, n->l->i32, "mad.hi.u32 $0, $1, $2, $3;", "=r,r,r,r", in, 3);
    Val first = llvm_call2(n->l, b, "llvm.umin", shift, constant(n, 1));
    Val rest = LLVMBuildSub(b, shift, first, "");
    Val half = LLVMBuildLShr(b, LLVMBuildSub(b, x, part, ""), first, "");

    return shifted(n, LLVMBuildAdd(b, half, part, ""), rest);
}

static Val divide(Nv *n, const NvQuotients *d, const Reciprocal *r, Val x)
{
    Bld b = n->b;
    Val shift = d->remainder ? r->shift : r->all;
    Parts p = {.magnitude = x};

    if (d->is_signed && !d->dividend_positive)
        p = parts_of(n, x);
    Val q = d->is_signed ? quotient(n, p.magnitude, r, shift) : quotient_of_any(n, x, r, shift);
    if (d->remainder) {
        Val rest = LLVMBuildAdd(b, LLVMBuildMul(b, q, r->less, ""), p.magnitude, "");
        return number_of(n, &(Parts){rest, p.sign, p.unit});
    }
    if (!p.sign && !r->sign)
        return q;
    if (p.sign && r->sign)
        return quotient_of(n, (Parts){q, LLVMBuildXor(b, p.sign, r->sign, ""), NULL});
    return quotient_of(n, p.sign ? (Parts){q, p.sign, p.unit} : (Parts){q, r->sign, r->unit});
}

/* Those registers that are divided by the same number as the first that is divided by one. */
static Val shared_divisor(const NvQuotients *d, int count, bool constants)
{
    Val by = NULL;
    int alike = 0;

    for (int i = 0; i < count; i++) {
        if (!d->x[i] || (LLVMIsConstant(d->s[i]) && !constants) || (by && d->s[i] != by))
            continue;
        by = d->s[i];
        alike++;
    }
    return alike < LEAST ? NULL : by;
}

/* What is known of a divisor where the block is made that it was found in. */
typedef struct {
    LLVMBasicBlockRef block;
    bool is_signed, positive;
    Reciprocal r;
} Known;

/* Quotients and remainders by one number share it. */
static Reciprocal reciprocal(Nv *n, Val by, bool is_signed, bool positive)
{
    LLVMBasicBlockRef block = LLVMGetInsertBlock(n->b);
    Known *k = map_get(n->reciprocals, (uintptr_t)by);

    if (k && k->block == block && k->is_signed == is_signed && k->positive == positive)
        return k->r;
    k = NEW(n->arena, Known);
    *k = (Known){block, is_signed, positive, {0}};
    k->r = is_signed ? reciprocal_signed(n, by, positive) : reciprocal_unsigned(n, by);
    map_put(n->reciprocals, (uintptr_t)by, k);
    return k->r;
}

static void divide_words(Nv *n, const NvQuotients *d, Val by, int count, Val *out)
{
    Reciprocal r = reciprocal(n, by, d->is_signed, d->divisor_positive);

    for (int i = 0; i < count; i++) {
        if (d->x[i] && d->s[i] == by)
            out[i] = divide(n, d, &r, d->x[i]);
    }
}

/* --- of 64 bits --- */

/* i1: all are numbers of 31 bits, and the divisor is not 0. */
static Val are_small(Nv *n, const NvQuotients *d, Val by, int count)
{
    Bld b = n->b;
    LLVMTypeRef i64 = n->l->i64;
    Val any = by;

    for (int i = 0; i < count; i++) {
        if (d->x[i] && d->s[i] == by)
            any = LLVMBuildOr(b, any, d->x[i], "");
    }
    Val high = LLVMBuildLShr(b, any, llvm_int(i64, BITS - 1), "");
    Val small = LLVMBuildICmp(b, LLVMIntEQ, high, llvm_int(i64, 0), "");
    Val some = LLVMBuildICmp(b, LLVMIntNE, by, llvm_int(i64, 0), "");
    return LLVMBuildAnd(b, small, some, "");
}

static void divide_small(Nv *n, const NvQuotients *d, Val by, int count, Val *out)
{
    Bld b = n->b;
    LLVMTypeRef i32 = n->l->i32;
    Val words[count], divisors[count], short_by = LLVMBuildTrunc(b, by, i32, "");
    NvQuotients short_d = {.x = words,
                           .s = divisors,
                           .remainder = d->remainder,
                           .is_signed = true,
                           .dividend_positive = true,
                           .divisor_positive = true};

    for (int i = 0; i < count; i++) {
        bool here = d->x[i] && d->s[i] == by;
        words[i] = here ? LLVMBuildTrunc(b, d->x[i], i32, "") : NULL;
        divisors[i] = here ? short_by : NULL;
    }
    if (!LLVMIsConstant(by))
        divide_words(n, &short_d, short_by, count, out);
    for (int i = 0; i < count; i++) {
        if (words[i] && LLVMIsConstant(by))
            out[i] = d->remainder ? LLVMBuildURem(b, words[i], short_by, "")
                                  : LLVMBuildUDiv(b, words[i], short_by, "");
        if (words[i])
            out[i] = LLVMBuildZExt(b, out[i], n->l->i64, "");
    }
}

/* As words where all fit, which is nearly always; else one by one. */
static void divide_wide(Nv *n, const NvQuotients *d, Val by, int count, Val *out)
{
    Bld b = n->b;
    Val made[2][count];
    LLVMBasicBlockRef first = nv_block(n), way[2] = {first, nv_block(n)}, after = nv_block(n);

    LLVMBuildCondBr(b, are_small(n, d, by, count), way[0], way[1]);
    LLVMPositionBuilderAtEnd(b, way[0]);
    divide_small(n, d, by, count, made[0]);
    LLVMBuildBr(b, after);
    LLVMPositionBuilderAtEnd(b, way[1]);
    for (int i = 0; i < count; i++) {
        if (d->x[i] && d->s[i] == by)
            made[1][i] = emit_op(&n->e, b, d->op, (Val[]){d->x[i], by});
    }
    LLVMBuildBr(b, after);
    LLVMPositionBuilderAtEnd(b, after);
    for (int i = 0; i < count; i++) {
        if (!d->x[i] || d->s[i] != by)
            continue;
        out[i] = LLVMBuildPhi(b, n->l->i64, "");
        LLVMAddIncoming(out[i], (Val[]){made[0][i], made[1][i]}, way, COUNT(way));
    }
}

static bool is_small_constant(Val by)
{
    return LLVMIsAConstantInt(by) && LLVMConstIntGetSExtValue(by) > 0 &&
           LLVMConstIntGetSExtValue(by) <= INT32_MAX;
}

void nv_divide_by_one(Nv *n, const NvQuotients *d, int count, Val *out)
{
    bool wide = dtype_bits(d->op->operands[0]->type->dtype) > BITS;
    Val by = shared_divisor(d, count, wide);

    if (by && !wide)
        divide_words(n, d, by, count, out);
    else if (by && (!LLVMIsConstant(by) || is_small_constant(by)))
        divide_wide(n, d, by, count, out);
}
