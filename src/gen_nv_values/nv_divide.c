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
 * Whether x is one of those nv_dividends.c tells.  If there is anything else they are all divided
 * as usual, behind a branch that is hardly ever taken.
 *
 * A few by one divisor and a few by another, as of two rows, go behind one branch for all.
 *
 * What a mask left out is often infinite: of infinity and NaN e is NaN, which a minimum makes the
 * largest number, and e r changes nothing of an infinite q.  Where there are some beside what may
 * go, their threads take a way with that minimum.
 *
 * Halves are neither that small nor that large, so they all go that way, and nothing is asked;
 * integers go without the minimum.  Numbers of bf16 that lie in words are asked two at a time.
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
#include "nv_divide.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    LEAST = 4,     /* registers whose divisors are shared, or reciprocals are not worth a branch */
    TOGETHER = 4,  /* that one call divides as usual, or one branch if each has its divisor */
    INVERTED = 16, /* that one branch inverts, side by side */
    FEW = 16,      /* of one branch by several divisors, */
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

/* r is 1/s; infinite: x may be infinite, or NaN. */
static Val quotient_by(Nv *n, Val s, Val r, Val x, bool infinite)
{
    Val q = LLVMBuildFMul(n->b, x, r, "");
    Val in[] = {LLVMBuildFNeg(n->b, q, ""), s, x};
    Val e = llvm_call(n->l, n->b, "llvm.nvvm.fma.rm.f", 0, NULL, 3, in);

    if (infinite)
        e = llvm_call2(n->l, n->b, "llvm.minnum", e, llvm_real(n->l->f32, FLT_MAX));
    return llvm_fma(n->l, n->b, e, r, q);
}

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
static int alike(const NvDividends *g, int i)
{
    int end = i + 1;

    while (end < g->count && g->s[g->regs[end]] == g->s[g->regs[i]])
        end++;
    return end - i;
}

/* Few of them in place, and what shares nothing: a call takes registers from all that is alive. */
static void divide_as_usual(Nv *n, const NvDividends *g, Val *out)
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

/* Ways to out[regs[]], of which all but the first one are hardly ever taken. */
typedef struct {
    LLVMBasicBlockRef to[NV_WAYS], after; /* NV_INFINITE may be NULL */
    LLVMBasicBlockRef from[NV_WAYS];      /* where they end */
} Ways;

static void go(Nv *n, Ways *w, int which)
{
    LLVMPositionBuilderAtEnd(n->b, w->to[which]);
}

static void arrive(Nv *n, Ways *w, int which)
{
    LLVMBuildBr(n->b, w->after);
    w->from[which] = LLVMGetInsertBlock(n->b);
}

/* In the order in which the code shall stand: the detour last. */
static Ways ways_new(Nv *n, bool infinite)
{
    Ways w = {.after = NULL};

    w.to[NV_USUAL] = nv_block(n);
    w.to[NV_INFINITE] = infinite ? nv_block(n) : NULL;
    w.to[NV_DETOUR] = nv_block(n);
    w.after = nv_block(n);
    return w;
}

/* The usual one where `good`, an i1, is so. */
static Ways ways_begin(Nv *n, Val good)
{
    Ways w = ways_new(n, false);

    llvm_likely(n->l, LLVMBuildCondBr(n->b, good, w.to[NV_USUAL], w.to[NV_DETOUR]));
    go(n, &w, NV_USUAL);
    return w;
}

/* The one that `which`, an i32, says. */
static Ways ways_of(Nv *n, Val which)
{
    LLVMTypeRef i32 = n->l->i32;
    LLVMBasicBlockRef rare = nv_block(n);
    Ways w = ways_new(n, true);
    Val usual = LLVMBuildICmp(n->b, LLVMIntEQ, which, llvm_int(i32, NV_USUAL), "");

    llvm_likely(n->l, LLVMBuildCondBr(n->b, usual, w.to[NV_USUAL], rare));
    LLVMPositionBuilderAtEnd(n->b, rare);
    Val infinite = LLVMBuildICmp(n->b, LLVMIntEQ, which, llvm_int(i32, NV_INFINITE), "");
    LLVMBuildCondBr(n->b, infinite, w.to[NV_INFINITE], w.to[NV_DETOUR]);
    go(n, &w, NV_USUAL);
    return w;
}

/* made[]: what each way but the detour has made. */
static void ways_end(Nv *n, Ways *w, const NvDividends *g, Val made[NV_WAYS][NV_MOST_DIVIDENDS],
                     Val *out)
{
    go(n, w, NV_DETOUR);
    divide_as_usual(n, g, made[NV_DETOUR]);
    arrive(n, w, NV_DETOUR);
    LLVMPositionBuilderAtEnd(n->b, w->after);
    for (int i = 0; i < g->count; i++) {
        Val *to = &out[g->regs[i]];
        *to = LLVMBuildPhi(n->b, n->l->f32, "");
        for (int k = 0; k < NV_WAYS; k++) {
            if (w->from[k])
                LLVMAddIncoming(*to, &made[k][i], &w->from[k], 1);
        }
    }
}

/* Where all dividends are 0 or within these, and that is so, too.  Zeros are told from what is
 * small behind a branch, whose threads come back to the others before any of them divides: LLVM
 * must not see that these have nothing left to ask, or they would go ahead by themselves. */
static Ways begin_within(Nv *n, const NvDividends *g, Val too, double least, double most,
                         bool infinite)
{
    LLVMTypeRef i32 = n->l->i32;
    Val within = nv_dividends_within(n, g, least, most);
    Val yes = nv_pure_asm(n, i32, "mov.b32 $0, 1;", "=r", NULL, 0);
    LLVMBasicBlockRef asked = nv_block(n), known = nv_block(n), from[2];

    llvm_likely(n->l, LLVMBuildCondBr(n->b, LLVMBuildAnd(n->b, within, too, ""), known, asked));
    from[0] = LLVMGetInsertBlock(n->b);
    LLVMPositionBuilderAtEnd(n->b, asked);
    Val way = nv_rare_way(n, g, too, yes, least, most, infinite);
    LLVMBuildBr(n->b, known);
    from[1] = LLVMGetInsertBlock(n->b);
    LLVMPositionBuilderAtEnd(n->b, known);
    Val which = LLVMBuildPhi(n->b, i32, "");
    LLVMAddIncoming(which, (Val[]){yes, way}, from, 2);
    if (infinite)
        return ways_of(n, which);
    return ways_begin(n, LLVMBuildICmp(n->b, LLVMIntNE, which, llvm_int(i32, NV_DETOUR), ""));
}

/* The registers that have the first of those that share a divisor; how many. */
static int divisors_of(const NvDividends *g, int regs[DIVISORS])
{
    int n = 0;

    for (int i = 0; i < g->count; i += alike(g, i))
        regs[n++] = g->regs[i];
    return n;
}

/* i1: are divisors, which are no constants, where they belong? */
static Val divisors_fit(Nv *n, const NvDividends *g, double most)
{
    int all[DIVISORS], count = divisors_of(g, all), asked = 0;

    for (int i = 0; i < count; i++) {
        if (!LLVMIsConstant(g->s[all[i]]))
            all[asked++] = all[i];
    }
    return asked > 0 ? nv_all_within(n, g->s, all, asked, false, 1 / LARGEST, most)
                     : llvm_int(n->l->i1, 1);
}

/* By one s or a few. */
static void divide_group(Nv *n, const NvDividends *g, bool infinite, Val *made)
{
    int first[DIVISORS], divisors = divisors_of(g, first);
    Val r[DIVISORS];

    for (int k = 0; k < divisors; k++)
        r[k] = inverse(n, g->s[first[k]], guess_of(n, g->s[first[k]]));
    for (int i = 0, k = -1; i < g->count; i++) {
        Val s = g->s[g->regs[i]];
        k += i == 0 || s != g->s[g->regs[i - 1]];
        made[i] = quotient_by(n, s, r[k], g->x[g->regs[i]], infinite);
    }
}

/* The same; which way is known before anything is divided: at no time are dividends and quotients
 * alive together. */
static void divide_shared(Nv *n, const NvDividends *g, Val *out)
{
    bool halves = nv_all_halves(g), moderate = halves || nv_all_integers(g);
    Val made[NV_WAYS][NV_MOST_DIVIDENDS],
        good = divisors_fit(n, g, moderate ? LARGEST : MOST_DIVISOR);
    Ways w = moderate ? ways_begin(n, good)
                      : begin_within(n, g, good, LEAST_SHARED, LARGEST_SHARED, !g->no_signs);

    divide_group(n, g, halves, made[NV_USUAL]);
    arrive(n, &w, NV_USUAL);
    if (w.to[NV_INFINITE]) {
        go(n, &w, NV_INFINITE);
        divide_group(n, g, true, made[NV_INFINITE]);
        arrive(n, &w, NV_INFINITE);
    }
    ways_end(n, &w, g, made, out);
}

/* The same where quotients may be off by a little. */
static void divide_loosely(Nv *n, const NvDividends *g, Val *out)
{
    int first[DIVISORS], divisors = divisors_of(g, first);
    Val made[NV_WAYS][NV_MOST_DIVIDENDS], good = NULL;
    Loosely d[DIVISORS];

    for (int k = 0; k < divisors; k++) {
        d[k] = loose_divisor(n, g->s[first[k]]);
        good = nv_both(n, good, d[k].fits);
    }
    Ways w = ways_begin(n, good);
    for (int i = 0, k = -1; i < g->count; i++) {
        k += i == 0 || g->s[g->regs[i]] != g->s[g->regs[i - 1]];
        made[NV_USUAL][i] = LLVMBuildFMul(n->b, g->x[g->regs[i]], d[k].factor, "");
    }
    arrive(n, &w, NV_USUAL);
    ways_end(n, &w, g, made, out);
}

/* A power of two by s: 1/s, which is two instructions behind the chip's own, times that power. */
static void invert_group(Nv *n, const NvDividends *g, const NvDivision *d, Val *out)
{
    double least = 0x1p-126 * fmax(fabs(d->power), 1), most = 0x1p126 * fmin(fabs(d->power), 1);
    LLVMTypeRef f32 = n->l->f32;
    Val power = llvm_real(f32, d->power), made[NV_WAYS][NV_MOST_DIVIDENDS];
    Val good = d->large
                   ? LLVMBuildFCmp(n->b, LLVMRealOLT, nv_largest(n, g->s, g->regs, g->count, false),
                                   llvm_real(f32, most), "")
                   : nv_all_within(n, g->s, g->regs, g->count, true, least,
                                   (double)nextafterf((float)most, 0));
    Ways w = ways_begin(n, good);

    for (int i = 0; i < g->count; i++) {
        Val r = reciprocal(n, g->s[g->regs[i]]);
        made[NV_USUAL][i] = d->power == 1 ? r : LLVMBuildFMul(n->b, r, power, "");
    }
    arrive(n, &w, NV_USUAL);
    ways_end(n, &w, g, made, out);
}

/* x with its sign changed where s is below 0. */
static Val with_sign_of(Nv *n, Val x, Val s)
{
    Val sign = LLVMBuildAnd(n->b, llvm_bits(n->l, n->b, s), llvm_int(n->l->i32, INT32_MIN), "");
    Val both = LLVMBuildXor(n->b, llvm_bits(n->l, n->b, x), sign, "");

    return LLVMBuildBitCast(n->b, both, n->l->f32, "");
}

/* Each by its own. */
static void divide_each(Nv *n, const NvDividends *g, const NvDivision *d, Val *out)
{
    const double least = 1 / LARGEST, most = d->large ? LARGEST_BY_LARGE : LARGEST;
    Val made[NV_WAYS][NV_MOST_DIVIDENDS],
        good = d->large ? nv_none_above(n, g->s, g->regs, g->count, LARGEST)
                        : nv_all_within(n, g->s, g->regs, g->count, true, least, LARGEST);
    Ways w = g->no_signs
                 ? ways_begin(
                       n, LLVMBuildAnd(n->b, good, nv_unsigned_within(n, g, true, least, most), ""))
                 : begin_within(n, g, good, least, most, false);

    for (int i = 0; i < g->count; i++) {
        Val s = g->s[g->regs[i]], x = g->x[g->regs[i]];
        Val size = d->positive ? s : llvm_call1(n->l, n->b, "llvm.fabs", s);
        Val r = inverse(n, size, guess_of(n, size));
        made[NV_USUAL][i] = quotient_by(n, size, r, d->positive ? x : with_sign_of(n, x, s), false);
    }
    arrive(n, &w, NV_USUAL);
    ways_end(n, &w, g, made, out);
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
static int sharing(const NvDivision *d, int count, int r, const bool *done,
                   int regs[NV_MOST_DIVIDENDS])
{
    int found = 0;

    for (int i = r; i < MIN(count, r + WINDOW) && found < NV_MOST_DIVIDENDS; i++) {
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
    int regs[NV_MOST_DIVIDENDS], own[NV_MOST_DIVIDENDS], found = 0, divisors = 0;

    for (int r = 0; r <= count; r++) {
        bool asks = r < count && !done[r] && d->x[r] && d->s[r];
        int more = asks ? sharing(d, count, r, done, own) : 0;
        int least = asks ? least_of(d, d->s[r]) : INT32_MAX;
        if (found > 0 &&
            (r == count || (more >= least && (divisors == DIVISORS || found + more > FEW)))) {
            NvDividends g = {d->x, d->s, regs, found, d->no_signs, d->parts};
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
        int regs[NV_MOST_DIVIDENDS], found = 0, most = d->power != 0 ? INVERTED : TOGETHER;
        for (; r < count && found < most; r++) {
            if (!out[r] && d->x[r] && d->s[r] && !LLVMIsConstant(d->s[r]))
                regs[found++] = r;
        }
        NvDividends g = {d->x, d->s, regs, found, d->no_signs, d->parts};
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
