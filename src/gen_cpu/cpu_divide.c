/*
 * cpu_divide.c - dividing a row by one number, exactly and without the divider
 *
 * A vector division occupies the divider for 5 to 16 cycles.  When all lanes share the divisor s,
 * its reciprocal is computed once as a sum r + t, with r = 1/s correctly rounded and t what is
 * missing, and each vector takes
 *
 *     q = x r + x t,   x / s = q + (x - q s) r
 *
 * with fused multiply-adds.  x r + x t is off by about 2^-22 units in the last place before its
 * rounding, so q is one of the two neighbours of the quotient; then the correction is exact but for
 * its last rounding, and gives x / s correctly rounded (Markstein, "Computation of elementary
 * functions on the IBM RISC System/6000 processor", 1990), as long as nothing under- or overflows
 * on the way.  So s, and every lane of x, must be of moderate size; a vector with any other lane,
 * zeros too, is divided as usual.
 *
 * Integers of 32 bits and less have no division of vectors at all; they are multiplied by a
 * reciprocal (../gen/quotient.c).  Integers of 64 bits take that way, too, where all lanes, and the
 * divisor, fit 32.
 *
 * Where x steps along the row, as offsets do, not even that is needed: the first lane is divided as
 * one number, the others go on from its remainder, and come around once at most if the divisor is
 * no less than a vector's steps.  That is known for a row as a whole, and other rows take the way
 * above.
 */
#include "cpu.h"

/* The format as an integer, and the moderate sizes: 2^-range to 2^range. */
typedef struct {
    LLVMTypeRef real, bits; /* with lanes, and their integers */
    int mantissa, bias;
    int range_x, range_s; /* range_x: a quarter of all exponents, so that one bit tells */
} Format;

static Format format_of(Cpu *c, Val x)
{
    LLVMTypeRef element = LLVMTypeOf(x);

    if (llvm_lanes(x) > 0)
        element = LLVMGetElementType(element);
    if (element == c->l->f64)
        return (Format){LLVMTypeOf(x), llvm_like(c->l->i64, x), 52, 1023, 512, 320};
    return (Format){LLVMTypeOf(x), llvm_like(c->l->i32, x), 23, 127, 64, 40};
}

static Val bits_above(Bld b, Val x, const Format *f, int range)
{
    int64_t low = (int64_t)(f->bias + 1 - range) << f->mantissa;

    return LLVMBuildSub(b, LLVMBuildBitCast(b, x, f->bits, ""), llvm_int(f->bits, low), "");
}

/* 2^(1-range) <= |s| < 2^(range+1) */
static Val divisor_fits(Cpu *c, Bld b, Val s)
{
    Format f = format_of(c, s);
    Val above = bits_above(b, llvm_call1(c->l, b, "llvm.fabs", s), &f, f.range_s);
    Val width = llvm_int(f.bits, (int64_t)(2 * f.range_s) << f.mantissa);

    return LLVMBuildICmp(b, LLVMIntULT, above, width, "");
}

/* The same of every lane of x.  Counted from the lower end, half of the exponents have their
 * highest bit clear, and those are the moderate ones. */
static Val dividends_fit(NestCg *n, Val x)
{
    Bld b = n->at[n->rank];
    Format f = format_of(n->c, x);
    Val highest = llvm_int(f.bits, (int64_t)(2 * f.range_x) << f.mantissa);
    Val beyond = LLVMBuildAnd(b, bits_above(b, x, &f, f.range_x), highest, "");

    return cpu_all(n, LLVMBuildICmp(b, LLVMIntEQ, beyond, llvm_int(f.bits, 0), ""));
}

Val cpu_divide(NestCg *n, Ev x, Ev s)
{
    Cpu *c = n->c;
    Bld b = n->at[n->rank], outer = n->at[s.level];
    Val one = llvm_real(LLVMTypeOf(s.v), 1), minus_s = LLVMBuildFNeg(outer, s.v, "");
    Val r = LLVMBuildFDiv(outer, one, s.v, "");
    Val t = LLVMBuildFMul(outer, llvm_fma(c->l, outer, minus_s, r, one), r, "");
    Val fits = divisor_fits(c, outer, s.v);

    r = llvm_splat(outer, r, n->lanes);
    t = llvm_splat(outer, t, n->lanes);
    minus_s = llvm_splat(outer, minus_s, n->lanes);
    Val whole_s = llvm_splat(outer, s.v, n->lanes);

    Val q = llvm_fma(c->l, b, x.v, r, LLVMBuildFMul(b, x.v, t, ""));
    q = llvm_fma(c->l, b, llvm_fma(c->l, b, q, minus_s, x.v), r, q);
    Detour d = cpu_detour_begin(n, LLVMBuildAnd(b, fits, dividends_fit(n, x.v), ""), q);
    return cpu_detour_end(n, &d, LLVMBuildFDiv(b, x.v, whole_s, ""));
}

/* --- integers --- */

/* Of a vector that fits 32 bits. */
static Val divide_words(NestCg *n, const Op *op, Ev x, const LlvmReciprocal *r)
{
    Cpu *c = n->c;
    Bld b = n->at[n->rank];
    LLVMTypeRef t = LLVMTypeOf(x.v);
    DType dtype = op->results[0]->type->dtype;
    bool is_signed = dtype_is_signed(dtype);
    Val divisor = llvm_splat(b, r->divisor, n->lanes);
    Val q = LLVMBuildTrunc(b, llvm_quotients(c->l, b, llvm_magnitude(c->l, b, x.v, is_signed), r),
                           t, "");

    if (is_signed) {
        Val signs = LLVMBuildXor(b, x.v, divisor, "");
        signs = LLVMBuildAShr(b, signs, llvm_int(t, dtype_bits(dtype) - 1), "");
        q = LLVMBuildSub(b, LLVMBuildXor(b, q, signs, ""), signs, "");
    }
    return op->code == OP_rem ? LLVMBuildSub(b, x.v, LLVMBuildMul(b, q, divisor, ""), "") : q;
}

/* i1, or a vector of it: are the upper 32 bits of the magnitude 0? */
static Val is_word(Cpu *c, Bld b, Val x, bool is_signed)
{
    LLVMTypeRef t = LLVMTypeOf(x);
    Val above = LLVMBuildLShr(b, llvm_magnitude(c->l, b, x, is_signed), llvm_int(t, 32), "");

    return LLVMBuildICmp(b, LLVMIntEQ, above, llvm_int(t, 0), "");
}

/* `word`: the divisor fits 32 bits; NULL: so does everything of the type. */
static Val divide_vector(NestCg *n, const Op *op, Ev x, Ev s, const LlvmReciprocal *r, Val word)
{
    Bld b = n->at[n->rank];
    Val q = divide_words(n, op, x, r);

    if (!word)
        return q;
    Val all = cpu_all(n, is_word(n->c, b, x.v, dtype_is_signed(op->results[0]->type->dtype)));
    Detour d = cpu_detour_begin(n, LLVMBuildAnd(b, word, all, ""), q);
    Val in[] = {x.v, llvm_splat(b, s.v, n->lanes)};
    return cpu_detour_end(n, &d, emit_op(&n->c->e, b, op, in));
}

/* --- integers that step along the row --- */

/* i1: may all vectors of the row be divided as runs?  Nothing is negative, or exceeds its type or
 * 32 bits.  first, divisor: i64. */
static Val may_run(NestCg *n, Bld b, const Entry *e, Val first, Val divisor)
{
    DType t = e->value->type->dtype;
    LLVMTypeRef i64 = n->c->l->i64;
    int64_t vectors = (n->nest->dims[n->inner] + n->lanes - 1) / n->lanes;
    int64_t most = ((int64_t)1 << MIN(dtype_bits(t) - dtype_is_signed(t), 32)) - 1;
    int64_t reach = e->number * (vectors * n->lanes - 1), least = e->number * (n->lanes - 1) + 1;

    if (reach > most || least > most)
        return llvm_int(n->c->l->i1, 0);
    Val above = LLVMBuildSub(b, divisor, llvm_int(i64, least), "");
    Val is_near = LLVMBuildICmp(b, LLVMIntULE, above, llvm_int(i64, most - least), "");
    return LLVMBuildAnd(b, LLVMBuildICmp(b, LLVMIntULE, first, llvm_int(i64, most - reach), ""),
                        is_near, "");
}

/* The first lane's quotient and remainder, from which the others go on. */
static Val divide_run(NestCg *n, const Entry *e, Val first, Val divisor, const LlvmReciprocal *r)
{
    Llvm *l = n->c->l;
    Bld b = n->at[n->rank];
    LLVMTypeRef t = LLVMTypeOf(r->divisor), lanes = llvm_vector(t, n->lanes);
    Val i = LLVMBuildMul(b, n->index[n->inner], llvm_int(l->i64, e->number), "");
    Val x = LLVMBuildAdd(b, first, i, "");
    Val above = LLVMBuildLShr(b, LLVMBuildMul(b, x, r->factor, ""), llvm_int(l->i64, 32), "");
    Val q = LLVMBuildLShr(b, LLVMBuildAdd(b, above, x, ""), r->shift, "");
    Val rest = LLVMBuildSub(b, x, LLVMBuildMul(b, q, divisor, ""), "");
    Val steps = LLVMBuildMul(b, llvm_iota(t, n->lanes), llvm_int(lanes, e->number), "");
    Val all = llvm_splat(b, r->divisor, n->lanes);

    rest = llvm_splat(b, LLVMBuildIntCast2(b, rest, t, 0, ""), n->lanes);
    rest = LLVMBuildAdd(b, rest, steps, "");
    if (e->value->def->code == OP_rem)
        return llvm_call2(l, b, "llvm.umin", rest, LLVMBuildSub(b, rest, all, ""));
    q = llvm_splat(b, LLVMBuildIntCast2(b, q, t, 0, ""), n->lanes);
    Val next = LLVMBuildICmp(b, LLVMIntUGE, rest, all, "");
    return LLVMBuildSub(b, q, LLVMBuildSExt(b, next, lanes, ""), "");
}

Val cpu_divide_integers(NestCg *n, const Entry *e)
{
    const Op *op = e->value->def;
    Cpu *c = n->c;
    Ev x = cpu_made(n, e->in[0]), s = cpu_made(n, e->in[1]);
    DType t = e->value->type->dtype;
    bool is_signed = dtype_is_signed(t);
    Bld outer = n->at[s.level];
    Val word = NULL, by = s.v;

    if (dtype_bits(t) > 32) {
        word = is_word(c, outer, s.v, is_signed);
        by = LLVMBuildSelect(outer, word, s.v, llvm_int(c->l->i64, 1), "");
    }
    LlvmReciprocal r = llvm_reciprocal(c->l, outer, by, is_signed, op->code == OP_rem);
    if (e->in[DIVIDE_ROW] == NO_ENTRY)
        return divide_vector(n, op, x, s, &r, word);
    Ev row = cpu_made(n, e->in[DIVIDE_ROW]);
    Bld b = n->at[MAX(row.level, s.level)];
    Val first = LLVMBuildIntCast2(b, row.v, c->l->i64, is_signed, "");
    Val divisor = LLVMBuildIntCast2(b, s.v, c->l->i64, is_signed, "");
    Val run = divide_run(n, e, first, divisor, &r);
    Detour d = cpu_detour_begin(n, may_run(n, b, e, first, divisor), run);
    return cpu_detour_end(n, &d, divide_vector(n, op, x, s, &r, word));
}
