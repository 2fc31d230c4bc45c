/*
 * nv_dividends.c - may all of these be divided the short way (nv_divide.c)?
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
 * Numbers of bf16 that lie in words are asked two at a time, by what becomes one instruction for
 * the difference and the largest.
 */
#include "nv_divide.h"

#include <float.h>
#include <string.h>

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
Val nv_largest(Nv *n, const Val *x, const int *regs, int count, bool magnitude)
{
    Val of[NV_MOST_DIVIDENDS] = {NULL};

    for (int i = 0; i < count; i++)
        of[i] = magnitude ? llvm_call1(n->l, n->b, "llvm.fabs", x[regs[i]]) : x[regs[i]];
    return extreme(n, "llvm.maxnum", of, count);
}

/* i1: is none of them, without a sign, beyond that? */
Val nv_none_above(Nv *n, const Val *x, const int *regs, int count, double most)
{
    return LLVMBuildFCmp(n->b, LLVMRealOLE, nv_largest(n, x, regs, count, true),
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
    Val of[NV_MOST_DIVIDENDS] = {NULL}, low = llvm_int(i32, bits_of(least) << magnitude);

    for (int i = 0; i < count; i++) {
        Val bits = llvm_bits(n->l, n->b, x[regs[i]]);
        bits = magnitude ? LLVMBuildShl(n->b, bits, llvm_int(i32, 1), "") : bits;
        of[i] = LLVMBuildSub(n->b, bits, low, "");
    }
    return extreme(n, "llvm.umax", of, count);
}

/* i1: are all of them within these?  Neither 0 nor NaN is. */
Val nv_all_within(Nv *n, const Val *x, const int *regs, int count, bool magnitude, double least,
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

bool nv_all_integers(const NvDividends *g)
{
    return all_from(g->x, g->regs, g->count, LLVMSIToFP, LLVMUIToFP);
}

/* Never too small or too large, but they may be infinite. */
bool nv_all_halves(const NvDividends *g)
{
    return all_from(g->x, g->regs, g->count, LLVMFPExt, LLVMFPExt);
}

/* i1: are all within these, of dividends that have no sign, of which some may be 0.  Parts of a
 * divisor are not above it, and that is asked for.  Of what has a sign after all, as -0, this says
 * no, or it makes no difference. */
Val nv_unsigned_within(Nv *n, const NvDividends *g, bool zeros, double least, double most)
{
    Val of[NV_MOST_DIVIDENDS] = {NULL}, low = llvm_int(n->l->i32, bits_of(least) - zeros), top;
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

/* i1: is none of them finite and beyond that? */
static Val no_finite_above(Nv *n, const NvDividends *g, double most)
{
    Val none = llvm_int(n->l->i1, 1), top = llvm_real(n->l->f32, most);

    for (int i = 0; i < g->count; i++) {
        Val x = llvm_call1(n->l, n->b, "llvm.fabs", g->x[g->regs[i]]);
        Val low = LLVMBuildFCmp(n->b, LLVMRealULE, x, top, "");
        Val finite = LLVMBuildFCmp(n->b, LLVMRealULE, x, llvm_real(n->l->f32, FLT_MAX), "");
        none = LLVMBuildAnd(n->b, none, LLVMBuildOr(n->b, low, LLVMBuildNot(n->b, finite, ""), ""),
                            "");
    }
    return none;
}

/* An i32: the way of some that are not all 0 or within these. */
static Val odd_way(Nv *n, const NvDividends *g, Val none_small, double most)
{
    LLVMTypeRef i32 = n->l->i32;
    Val infinite = LLVMBuildAnd(n->b, none_small, no_finite_above(n, g, most), "");

    return LLVMBuildSelect(n->b, infinite, llvm_int(i32, NV_INFINITE), llvm_int(i32, NV_DETOUR),
                           "");
}

/* An i32: the way of dividends that are not all within these; the usual one, which is `usual`, for
 * what a mask left out.  Only others are asked whether they are infinite. */
Val nv_rare_way(Nv *n, const NvDividends *g, Val too, Val usual, double least, double most,
                bool infinite)
{
    LLVMTypeRef i32 = n->l->i32;

    if (g->no_signs) {
        Val fit = nv_unsigned_within(n, g, true, least, most);
        return LLVMBuildZExt(n->b, LLVMBuildAnd(n->b, fit, too, ""), i32, "");
    }
    Val none_small = LLVMBuildAnd(n->b, none_below(n, g->x, g->regs, g->count, least), too, "");
    Val none_large = nv_none_above(n, g->x, g->regs, g->count, most);
    Val fit = LLVMBuildAnd(n->b, none_small, none_large, "");
    if (!infinite)
        return LLVMBuildZExt(n->b, fit, i32, "");
    LLVMBasicBlockRef odd = nv_block(n), known = nv_block(n), from[2];
    llvm_likely(n->l, LLVMBuildCondBr(n->b, fit, known, odd));
    from[0] = LLVMGetInsertBlock(n->b);
    LLVMPositionBuilderAtEnd(n->b, odd);
    Val way = odd_way(n, g, none_small, most);
    LLVMBuildBr(n->b, known);
    from[1] = odd;
    LLVMPositionBuilderAtEnd(n->b, known);
    Val which = LLVMBuildPhi(n->b, i32, "");
    LLVMAddIncoming(which, (Val[]){usual, way}, from, 2);
    return which;
}

/* The word of which nv_bf16_of_word() has made x; NULL: it has not. */
static Val word_of(const Nv *n, Val x)
{
    Val bits = LLVMIsAInstruction(x) && LLVMGetInstructionOpcode(x) == LLVMBitCast
                   ? LLVMGetOperand(x, 0)
                   : NULL;
    bool is_half =
        bits && LLVMTypeOf(bits) == n->l->i32 && LLVMIsAInstruction(bits) &&
        (LLVMGetInstructionOpcode(bits) == LLVMAnd || LLVMGetInstructionOpcode(bits) == LLVMShl) &&
        LLVMIsAConstantInt(LLVMGetOperand(bits, 1));
    int64_t by = is_half ? LLVMConstIntGetSExtValue(LLVMGetOperand(bits, 1)) : 0;

    return by == 16 || by == (int32_t)0xffff0000 ? LLVMGetOperand(bits, 0) : NULL;
}

/* The words that have dividends of bf16; how many, 0: some are in none. */
static int words_of(const Nv *n, const NvDividends *g, Val words[NV_MOST_DIVIDENDS])
{
    int found = 0;

    for (int i = 0; i < g->count; i++) {
        Val word = word_of(n, g->x[g->regs[i]]);
        if (!word)
            return 0;
        if (found == 0 || words[found - 1] != word)
            words[found++] = word;
    }
    return found;
}

/* i1: nv_all_within() of both halves of these words. */
static Val words_within(Nv *n, Val *words, int count, double least, double most)
{
    enum { HALF = 16, NO_SIGNS = 0x7fff7fff, LOW = 0xffff, TWO = 0x10001 };
    LLVMTypeRef i32 = n->l->i32;
    uint32_t low = bits_of(least) >> HALF, range = (bits_of(most) >> HALF) - low;
    Val from = llvm_int(i32, (0x10000 - low) * (uint32_t)TWO), most_of_all = NULL;

    for (int i = 0; i < count; i++) {
        Val in[] = {LLVMBuildAnd(n->b, words[i], llvm_int(i32, NO_SIGNS), ""), from};
        Val far = nv_pure_asm(n, i32, "add.u16x2 $0, $1, $2;", "=r,r,r", in, 2);
        Val both[] = {most_of_all, far};
        most_of_all =
            i == 0 ? far : nv_pure_asm(n, i32, "max.u16x2 $0, $1, $2;", "=r,r,r", both, 2);
    }
    Val below = LLVMBuildAnd(n->b, most_of_all, llvm_int(i32, LOW), "");
    Val above = LLVMBuildLShr(n->b, most_of_all, llvm_int(i32, HALF), "");
    Val farther = llvm_call2(n->l, n->b, "llvm.umax", below, above);
    return LLVMBuildICmp(n->b, LLVMIntULE, farther, llvm_int(i32, range), "");
}

/* i1: are all dividends within these? */
Val nv_dividends_within(Nv *n, const NvDividends *g, double least, double most)
{
    Val words[NV_MOST_DIVIDENDS];
    int count = chip_has(n->plan->chip, CHIP_PAIRS) ? words_of(n, g, words) : 0;

    if (g->no_signs)
        return nv_unsigned_within(n, g, false, least, most);
    return count > 0 ? words_within(n, words, count, least, most)
                     : nv_all_within(n, g->x, g->regs, g->count, true, least, most);
}
