/*
 * nv_divide.c - dividing many registers of fp32, exactly
 *
 * A correctly rounded division of two numbers takes some ten instructions and a branch.  Where
 * registers share the divisor s, as a row does, r = 1/s is found once, correctly rounded.  Each x
 * takes
 *
 *     q = x r,   e = x - q s,   x / s = q + e r
 *
 * with fused multiply-adds.  q is off by less than 1.5 units in the last place, so before its last
 * rounding the sum is off by less than 7 / s parts of 2^24 of a unit, with s and x as numbers in
 * [1, 2).  A quotient of two numbers of 24 bits is c / s such parts away from the middle between
 * two numbers, with an integer c that is not 0.  test_divide tries all with |c| <= 14, so the sum
 * is right where nothing underflows or overflows: for x from 2^-90 to 2^64 and divisors from 2^-62
 * to 2^24.  Zeros go, too: e is rounded down, so that it is -0 and takes no sign away.
 *
 * To tell whether x is one of those takes one subtraction from its bits, without the sign, and half
 * an instruction to find the largest of several differences.  Zeros fail that, and are told from
 * what is small by the same differences behind a branch: theirs lies above infinity's and below
 * those of what is small; NaN, whose difference is between these, is right to be multiplied.  If
 * there is anything else they are all divided as usual, behind a branch that is hardly ever taken.
 *
 * Of numbers without a sign, as powers, the least and the largest of their bits tell, half an
 * instruction each; of parts of their divisor, as in x / sum(x), the least alone; zeros by the bits
 * before theirs, which wrap around.
 *
 * So are a few by one divisor and a few by another, as of two rows, behind one branch for all.
 *
 * Halves are never that small, and integers nothing of the kind, so one comparison of the largest
 * of several, or none, tells.
 *
 * Where a quotient may be off by a little (src/axis/loose.c) it is x (r f), whatever x is: f is the
 * power of two that was taken out of s, which may be anything from 2^-126 on.
 *
 * Registers that each have a divisor of their own go by the same steps, and take their sign at the
 * front, so that -0 stays; that is right while both are between 2^-62 and 2^62, or x is 0.  A
 * divisor of which it is known that it is not below 2^-100 needs no test for that where x is at
 * most 2^27.  One branch for several, and not one each, lets them be divided side by side.  So do
 * integers and halves by one divisor.
 *
 * 1/s is r, from 2^-126 to 2^126; of numbers that are not tiny, as in a sigmoid, only the latter
 * has to be told.  2/s, or by another power of two, is that times the power.
 */
#include "nv.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    LEAST = 4,     /* registers whose divisors are shared, or reciprocals are not worth a branch */
    TOGETHER = 4,  /* that one call divides as usual, or one branch if each has its divisor */
    INVERTED = 16, /* that one branch inverts, side by side */
    MOST = 64,     /* of one branch by one divisor, */
    FEW = 16,      /* .. by several, */
    DIVISORS = 4,  /* .. and how many these are */
    WINDOW = 64,   /* how far to look for them */
};

/* Where registers share one, dividends and divisors; of moderate ones these are at most LARGEST. */
static const double LEAST_SHARED = 0x1p-90, LARGEST_SHARED = 0x1p64, MOST_DIVISOR = 1 << 24;

/* Both where each has its own, which are at least 1 by it; dividends of what is not tiny. */
static const double LARGEST = 0x1p62, LARGEST_BY_LARGE = 0x1p27;

/* Their product with f, and whether that goes. */
typedef struct {
    Val factor;
    Val fits; /* i1 */
} Loosely;

/* 1/s, nearly. */
static Val guess_of(Nv *n, Val s)
{
    return nv_pure_asm(n, n->l->f32, "rcp.approx.ftz.f32 $0, $1;", "=f,f", &s, 1);
}

/* One step of Newton's behind the instruction rounds correctly where s is at home, as the
 * assembler's own rcp.rn does. */
static Val refined(Nv *n, Val s, Val guess)
{
    Val error = llvm_fma(n->l, n->b, LLVMBuildFNeg(n->b, s, ""), guess, llvm_real(n->l->f32, 1));

    return llvm_fma(n->l, n->b, guess, error, guess);
}

static Val reciprocal(Nv *n, Val s)
{
    return refined(n, s, guess_of(n, s));
}

/* Is it a constant; which one? */
static bool is_constant(Val v, double *out)
{
    LLVMBool loses;

    if (!LLVMIsAConstantFP(v))
        return false;
    *out = LLVMConstRealGetDouble(v, &loses);
    return true;
}

/* By which dividends are multiplied that may be off by a little. */
static Loosely loose_divisor(Nv *n, Val whole)
{
    enum { EXPONENT = 0x7f800000, TWICE_ONE = 0x7f000000 }; /* bits of the exponent; of 1, twice */
    LLVMTypeRef f32 = n->l->f32, i32 = n->l->i32;
    Val least = llvm_real(f32, 0x1p-126), most = llvm_real(f32, MOST_DIVISOR);
    Val exponent = LLVMBuildAnd(n->b, llvm_bits(n->l, n->b, whole), llvm_int(i32, EXPONENT), "");
    Val f = LLVMBuildSub(n->b, llvm_int(i32, TWICE_ONE), exponent, "");
    f = LLVMBuildBitCast(n->b, f, f32, "");
    Val s = LLVMBuildFMul(n->b, whole, f, "");
    Loosely d = {.factor = LLVMBuildFMul(n->b, reciprocal(n, s), f, "")};

    Val below = LLVMBuildFCmp(n->b, LLVMRealOLE, whole, most, "");
    d.fits = LLVMBuildAnd(n->b, LLVMBuildFCmp(n->b, LLVMRealOGE, whole, least, ""), below, "");
    return d;
}

/* 1/s, correctly rounded, by what is nearly that. */
static Val inverse(Nv *n, Val s, Val guess)
{
    double known;

    return is_constant(s, &known) ? llvm_real(n->l->f32, (double)(1 / (float)known))
                                  : refined(n, s, guess);
}

/* r is 1/s. */
static Val quotient_by(Nv *n, Val s, Val r, Val x)
{
    Val q = LLVMBuildFMul(n->b, x, r, "");
    Val in[] = {LLVMBuildFNeg(n->b, q, ""), s, x};
    Val e = llvm_call(n->l, n->b, "llvm.nvvm.fma.rm.f", 0, NULL, 3, in);

    return llvm_fma(n->l, n->b, e, r, q);
}

/* --- what fits --- */

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

/* Of of[]; NaN does not count. */
static Val extreme(Nv *n, const char *of_two, Val *of, int count)
{
    for (int rest = count; rest > 1;
         rest = (rest + 1) / 2) { /* pairs, so that none is waited for */
        for (int i = 0; i < rest / 2; i++)
            of[i] = llvm_call2(n->l, n->b, of_two, of[2 * i], of[2 * i + 1]);
        if (rest % 2)
            of[rest / 2] = of[rest - 1];
    }
    return of[0];
}

/* The largest, without a sign where that is said. */
static Val largest(Nv *n, const Val *x, const int *regs, int count, bool magnitude)
{
    Val of[MOST] = {NULL};

    for (int i = 0; i < count; i++)
        of[i] = magnitude ? llvm_call1(n->l, n->b, "llvm.fabs", x[regs[i]]) : x[regs[i]];
    return extreme(n, "llvm.maxnum", of, count);
}

/* i1: is none of them, without a sign, beyond that? */
static Val none_above(Nv *n, const Val *x, const int *regs, int count, double most)
{
    return LLVMBuildFCmp(n->b, LLVMRealOLE, largest(n, x, regs, count, true),
                         llvm_real(n->l->f32, most), "");
}

static uint32_t bits_of(double v)
{
    float f = (float)v;
    uint32_t bits;

    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* An i32: the largest of the distances from `least` up to them, of bits, without a sign where that
 * is said.  Above are infinity and NaN, above these 0, and above that what is below `least`. */
static Val farthest(Nv *n, const Val *x, const int *regs, int count, bool magnitude, double least)
{
    LLVMTypeRef i32 = n->l->i32;
    Val of[MOST] = {NULL}, low = llvm_int(i32, bits_of(least) << magnitude);

    for (int i = 0; i < count; i++) {
        Val bits = llvm_bits(n->l, n->b, x[regs[i]]);
        bits = magnitude ? LLVMBuildShl(n->b, bits, llvm_int(i32, 1), "") : bits;
        of[i] = LLVMBuildSub(n->b, bits, low, "");
    }
    return extreme(n, "llvm.umax", of, count);
}

/* i1: are all of them within these?  Neither 0 nor NaN is. */
static Val all_within(Nv *n, const Val *x, const int *regs, int count, bool magnitude, double least,
                      double most)
{
    uint32_t range = (bits_of(most) - bits_of(least)) << magnitude;

    return LLVMBuildICmp(n->b, LLVMIntULE, farthest(n, x, regs, count, magnitude, least),
                         llvm_int(n->l->i32, range), "");
}

/* i1: is none of them, but for 0, below that? */
static Val none_below(Nv *n, const Val *x, const int *regs, int count, double least)
{
    uint32_t zero = 0 - (bits_of(least) << 1);

    return LLVMBuildICmp(n->b, LLVMIntULE, farthest(n, x, regs, count, true, least),
                         llvm_int(n->l->i32, zero), "");
}

/* Registers x[regs[]], each to be divided by s[regs[]]; those that share one stand together. */
typedef struct {
    const Val *x, *s;
    const int *regs;
    int count;
    bool no_signs, parts; /* as in NvDivision */
} Group;

/* A function that divides so many numbers as usual, by one that follows them.  Where it is called
 * the code stays short, and the assembler puts its own behind that of the kernel. */
static Val long_way(Nv *n, LLVMTypeRef *type)
{
    static const char attribute[] = "noinline", name[] = "tilec_divide";
    LLVMTypeRef f32 = n->l->f32, params[] = {f32, f32, f32, f32, f32};
    LLVMTypeRef results = LLVMStructTypeInContext(n->l->ctx, params, TOGETHER, 0);

    *type = LLVMFunctionType(results, params, TOGETHER + 1, 0);
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
        Val q = LLVMBuildFDiv(b, LLVMGetParam(fn, i), LLVMGetParam(fn, TOGETHER), "");
        all = LLVMBuildInsertValue(b, all, q, i, "");
    }
    LLVMBuildRet(b, all);
    return fn;
}

/* How many share the divisor of the i-th, from there on. */
static int alike(const Group *g, int i)
{
    int end = i + 1;

    while (end < g->count && g->s[g->regs[end]] == g->s[g->regs[i]])
        end++;
    return end - i;
}

/* Few of them in place, and what shares nothing: a call takes registers from all that is alive. */
static void divide_as_usual(Nv *n, const Group *g, Val *out)
{
    LLVMTypeRef type;

    bool in_place = g->count <= TOGETHER || alike(g, 0) == 1;

    for (int i = 0; i < g->count && in_place; i++)
        out[i] = LLVMBuildFDiv(n->b, g->x[g->regs[i]], g->s[g->regs[i]], "");
    for (int i = 0, some; i < g->count && !in_place; i += some) {
        Val args[TOGETHER + 1], fn = long_way(n, &type);
        some = MIN(alike(g, i), TOGETHER);
        for (int k = 0; k < TOGETHER; k++)
            args[k] = g->x[g->regs[i + MIN(k, some - 1)]];
        args[TOGETHER] = g->s[g->regs[i]];
        Val all = LLVMBuildCall2(n->b, type, fn, args, TOGETHER + 1, "");
        for (int k = 0; k < some; k++)
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
    LLVMBasicBlockRef first = nv_block(n), second = nv_block(n);
    Ways w = {first, second, nv_block(n)};

    llvm_likely(n->l, LLVMBuildCondBr(n->b, good, w.way, w.detour));
    LLVMPositionBuilderAtEnd(n->b, w.way);
    return w;
}

static void ways_end(Nv *n, Ways w, const Group *g, const Val *usual, Val *out)
{
    Val rare[MOST];

    LLVMBuildBr(n->b, w.after);
    LLVMPositionBuilderAtEnd(n->b, w.detour);
    divide_as_usual(n, g, rare);
    LLVMBuildBr(n->b, w.after);
    LLVMPositionBuilderAtEnd(n->b, w.after);
    for (int i = 0; i < g->count; i++) {
        Val *to = &out[g->regs[i]];
        *to = LLVMBuildPhi(n->b, n->l->f32, "");
        LLVMAddIncoming(*to, (Val[]){usual[i], rare[i]}, (LLVMBasicBlockRef[]){w.way, w.detour}, 2);
    }
}

/* Integers and halves, which are never that small and large that an f would be needed. */
static bool all_moderate(const Group *g)
{
    return all_from(g->x, g->regs, g->count, LLVMSIToFP, LLVMUIToFP) ||
           all_from(g->x, g->regs, g->count, LLVMFPExt, LLVMFPExt);
}

/* i1: are all of these numbers? */
static Val moderate_fit(Nv *n, const Group *g)
{
    if (all_from(g->x, g->regs, g->count, LLVMSIToFP, LLVMUIToFP))
        return llvm_int(n->l->i1, 1);
    return none_above(n, g->x, g->regs, g->count, FLT_MAX);
}

/* i1: the same of dividends that have no sign, of which some may be 0.  Parts of a divisor are not
 * above it, and that is asked for.  Of what has a sign after all, as -0, this says no, or it makes
 * no difference. */
static Val unsigned_within(Nv *n, const Group *g, bool zeros, double least, double most)
{
    Val of[MOST] = {NULL}, low = llvm_int(n->l->i32, bits_of(least) - zeros), top;
    Val before = llvm_int(n->l->i32, -(int)zeros); /* which wraps around */

    for (int i = 0; i < g->count; i++) {
        Val bits = llvm_bits(n->l, n->b, g->x[g->regs[i]]);
        of[i] = LLVMBuildAdd(n->b, bits, before, "");
    }
    Val lowest = LLVMBuildICmp(n->b, LLVMIntUGE, extreme(n, "llvm.umin", of, g->count), low, "");
    if (g->parts)
        return lowest;
    for (int i = 0; i < g->count; i++)
        of[i] = llvm_bits(n->l, n->b, g->x[g->regs[i]]);
    top = llvm_int(n->l->i32, bits_of(most));
    Val highest = LLVMBuildICmp(n->b, LLVMIntULE, extreme(n, "llvm.umax", of, g->count), top, "");
    return LLVMBuildAnd(n->b, lowest, highest, "");
}

static Val zero_or_within(Nv *n, const Group *g, double least, double most)
{
    Val fit = none_below(n, g->x, g->regs, g->count, least);

    return LLVMBuildAnd(n->b, fit, none_above(n, g->x, g->regs, g->count, most), "");
}

/* Where all dividends are 0 or within these, and that is so, too.  Zeros are told from what is
 * small behind a branch, whose threads come back to the others before any of them divides: LLVM
 * must not see that these have nothing left to ask, or they would go ahead by themselves. */
static Ways begin_within(Nv *n, const Group *g, Val too, double least, double most)
{
    LLVMTypeRef i32 = n->l->i32;
    Val within = g->no_signs ? unsigned_within(n, g, false, least, most)
                             : all_within(n, g->x, g->regs, g->count, true, least, most);
    Val yes = nv_pure_asm(n, i32, "mov.b32 $0, 1;", "=r", NULL, 0);
    LLVMBasicBlockRef asked = nv_block(n), known = nv_block(n), from[2];

    llvm_likely(n->l, LLVMBuildCondBr(n->b, LLVMBuildAnd(n->b, within, too, ""), known, asked));
    from[0] = LLVMGetInsertBlock(n->b);
    LLVMPositionBuilderAtEnd(n->b, asked);
    Val fit =
        g->no_signs ? unsigned_within(n, g, true, least, most) : zero_or_within(n, g, least, most);
    fit = LLVMBuildZExt(n->b, LLVMBuildAnd(n->b, fit, too, ""), i32, "");
    LLVMBuildBr(n->b, known);
    from[1] = LLVMGetInsertBlock(n->b);
    LLVMPositionBuilderAtEnd(n->b, known);
    Val good = LLVMBuildPhi(n->b, i32, "");
    LLVMAddIncoming(good, (Val[]){yes, fit}, from, 2);
    return ways_begin(n, LLVMBuildICmp(n->b, LLVMIntNE, good, llvm_int(i32, 0), ""));
}

/* The registers that have the first of those that share a divisor; how many. */
static int divisors_of(const Group *g, int regs[DIVISORS])
{
    int n = 0;

    for (int i = 0; i < g->count; i += alike(g, i))
        regs[n++] = g->regs[i];
    return n;
}

/* i1: are divisors, which are no constants, where they belong? */
static Val divisors_fit(Nv *n, const Group *g, double most)
{
    int all[DIVISORS], count = divisors_of(g, all), asked = 0;

    for (int i = 0; i < count; i++) {
        if (!LLVMIsConstant(g->s[all[i]]))
            all[asked++] = all[i];
    }
    return asked > 0 ? all_within(n, g->s, all, asked, false, 1 / LARGEST, most)
                     : llvm_int(n->l->i1, 1);
}

/* By one s or a few.  Which way is known before anything is divided: at no time are dividends and
 * quotients alive together. */
static void divide_shared(Nv *n, const Group *g, Val *out)
{
    bool moderate = all_moderate(g);
    int first[DIVISORS], divisors = divisors_of(g, first);
    Val usual[MOST], r[DIVISORS];
    Val good = divisors_fit(n, g, moderate ? LARGEST : MOST_DIVISOR);

    for (int k = 0; k < divisors; k++)
        r[k] = guess_of(n, g->s[first[k]]);
    Ways w = moderate ? ways_begin(n, LLVMBuildAnd(n->b, good, moderate_fit(n, g), ""))
                      : begin_within(n, g, good, LEAST_SHARED, LARGEST_SHARED);
    for (int k = 0; k < divisors; k++)
        r[k] = inverse(n, g->s[first[k]], r[k]);
    for (int i = 0, k = -1; i < g->count; i++) {
        Val s = g->s[g->regs[i]];
        k += i == 0 || s != g->s[g->regs[i - 1]];
        usual[i] = quotient_by(n, s, r[k], g->x[g->regs[i]]);
    }
    ways_end(n, w, g, usual, out);
}

/* The same where quotients may be off by a little. */
static void divide_loosely(Nv *n, const Group *g, Val *out)
{
    int first[DIVISORS], divisors = divisors_of(g, first);
    Val usual[MOST], good = NULL;
    Loosely d[DIVISORS];

    for (int k = 0; k < divisors; k++) {
        d[k] = loose_divisor(n, g->s[first[k]]);
        good = nv_both(n, good, d[k].fits);
    }
    Ways w = ways_begin(n, good);
    for (int i = 0, k = -1; i < g->count; i++) {
        k += i == 0 || g->s[g->regs[i]] != g->s[g->regs[i - 1]];
        usual[i] = LLVMBuildFMul(n->b, g->x[g->regs[i]], d[k].factor, "");
    }
    ways_end(n, w, g, usual, out);
}

/* A power of two by s: 1/s, which is two instructions behind the chip's own, times that power. */
static void invert_group(Nv *n, const Group *g, const NvDivision *d, Val *out)
{
    double least = 0x1p-126 * fmax(fabs(d->power), 1), most = 0x1p126 * fmin(fabs(d->power), 1);
    LLVMTypeRef f32 = n->l->f32;
    Val power = llvm_real(f32, d->power), usual[MOST];
    Val good = d->large
                   ? LLVMBuildFCmp(n->b, LLVMRealOLT, largest(n, g->s, g->regs, g->count, false),
                                   llvm_real(f32, most), "")
                   : all_within(n, g->s, g->regs, g->count, true, least,
                                (double)nextafterf((float)most, 0));
    Ways w = ways_begin(n, good);

    for (int i = 0; i < g->count; i++) {
        Val r = reciprocal(n, g->s[g->regs[i]]);
        usual[i] = d->power == 1 ? r : LLVMBuildFMul(n->b, r, power, "");
    }
    ways_end(n, w, g, usual, out);
}

/* x with its sign changed where s is below 0. */
static Val with_sign_of(Nv *n, Val x, Val s)
{
    Val sign = LLVMBuildAnd(n->b, llvm_bits(n->l, n->b, s), llvm_int(n->l->i32, INT32_MIN), "");
    Val both = LLVMBuildXor(n->b, llvm_bits(n->l, n->b, x), sign, "");

    return LLVMBuildBitCast(n->b, both, n->l->f32, "");
}

/* Each by its own. */
static void divide_each(Nv *n, const Group *g, const NvDivision *d, Val *out)
{
    const double least = 1 / LARGEST, most = d->large ? LARGEST_BY_LARGE : LARGEST;
    Val usual[MOST], good = d->large ? none_above(n, g->s, g->regs, g->count, LARGEST)
                                     : all_within(n, g->s, g->regs, g->count, true, least, LARGEST);
    Ways w =
        g->no_signs
            ? ways_begin(n, LLVMBuildAnd(n->b, good, unsigned_within(n, g, true, least, most), ""))
            : begin_within(n, g, good, least, most);

    for (int i = 0; i < g->count; i++) {
        Val s = g->s[g->regs[i]], x = g->x[g->regs[i]];
        Val size = d->positive ? s : llvm_call1(n->l, n->b, "llvm.fabs", s);
        Val r = inverse(n, size, guess_of(n, size));
        usual[i] = quotient_by(n, size, r, d->positive ? x : with_sign_of(n, x, s));
    }
    ways_end(n, w, g, usual, out);
}

/* How many registers a divisor has to be shared by.  LLVM multiplies by the inverse of a power of
 * two, and what does not fit is left to it. */
static int least_of(const NvDivision *d, Val s)
{
    double known;
    int exponent;

    if (!is_constant(s, &known))
        return d->loose ? LEAST : 2;
    bool fits = known >= 1 / LARGEST && known <= MOST_DIVISOR; /* NaN: no */
    return fits && frexp(known, &exponent) != 0.5 ? 2 : INT32_MAX;
}

/* Those that share the divisor of register r, from there on; how many. */
static int sharing(const NvDivision *d, int count, int r, const bool *done, int regs[MOST])
{
    int found = 0;

    for (int i = r; i < MIN(count, r + WINDOW) && found < MOST; i++) {
        if (!done[i] && d->x[i] && d->s[i] == d->s[r])
            regs[found++] = i;
    }
    return found;
}

/* How many one branch has to be for.  Of a constant everything is known, so two are enough. */
static int least_together(const NvDivision *d, const int *regs, int count)
{
    for (int i = 0; i < count; i++) {
        if (!LLVMIsConstant(d->s[regs[i]]))
            return d->loose ? LEAST : 2;
    }
    return 2;
}

/* Those that share a divisor; a few of another one go with them. */
static void divide_alike(Nv *n, const NvDivision *d, int count, Val *out)
{
    bool *done = NEW_N(n->arena, bool, count);
    int regs[MOST], own[MOST], found = 0, divisors = 0;

    for (int r = 0; r <= count; r++) {
        bool asks = r < count && !done[r] && d->x[r] && d->s[r];
        int more = asks ? sharing(d, count, r, done, own) : 0;
        int least = asks ? least_of(d, d->s[r]) : INT32_MAX;
        if (found > 0 &&
            (r == count || (more >= least && (divisors == DIVISORS || found + more > FEW)))) {
            Group g = {d->x, d->s, regs, found, d->no_signs, d->parts};
            if (d->loose)
                divide_loosely(n, &g, out);
            else if (found >= least_together(d, regs, found))
                divide_shared(n, &g, out);
            found = divisors = 0;
        }
        if (more < least)
            continue;
        for (int i = 0; i < more; i++) {
            regs[found++] = own[i];
            done[own[i]] = true;
        }
        divisors++;
    }
}

/* The others; a constant is left to LLVM. */
static void divide_others(Nv *n, const NvDivision *d, int count, Val *out)
{
    for (int r = 0; r < count;) {
        int regs[MOST], found = 0, most = d->power != 0 ? INVERTED : TOGETHER;
        for (; r < count && found < most; r++) {
            if (!out[r] && d->x[r] && d->s[r] && !LLVMIsConstant(d->s[r]))
                regs[found++] = r;
        }
        Group g = {d->x, d->s, regs, found, d->no_signs, d->parts};
        if (found > 0 && d->power != 0)
            invert_group(n, &g, d, out);
        else if (found > 1)
            divide_each(n, &g, d, out);
    }
}

void nv_divide(Nv *n, const NvDivision *d, int count, Val *out)
{
    divide_alike(n, d, count, out);
    if (!d->loose)
        divide_others(n, d, count, out);
}
