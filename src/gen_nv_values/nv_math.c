/*
 * nv_math.c - functions that the GPU has instructions for
 *
 * In fp32, which is also what smaller floats compute in; everything else is expanded by the passes
 * (src/math/math.c).  The errors are those of docs/accuracy.md: an instruction of which the bound
 * there does not hold is not used alone.
 *
 * b^x for b = e and 10: with n the integer nearest to x log2(b), b^x = 2^n 2^r, |r| <= 1/2, where
 * r = x log2(b) - n takes log2(b) in two parts; each of its roundings is at most 2^-26.  2^r is the
 * instruction's, and 2^n is put together from its bits.  n is kept within [-126, 127], where that
 * is a normal number, by saturating (x log2(b) + 126) / 253 to [0, 1]: r then has what is missing,
 * so that 2^r goes to infinity or to 0, and the product rounds once into the subnormals.  A NaN
 * saturates to 0, and is in r.
 *
 * tanh and erf are odd; with a = |x|, below an edge each is a + a s P(s), s = a^2, and above
 *
 *   tanh a = 1 - 2/(e^(2a) + 1)        erf a = 1 - e^-G(a)
 *
 * where what is subtracted is at most 1/2 and 0.18, so that a few units of the two instructions
 * are less of the result.  G is as in math_erf.c, in units of log 2.
 */
#include "nv_values.h"
#include "../math/single.h"

#include <math.h>
#include <string.h>

const bool nv_native_math[OP_COUNT] = {
    [OP_exp] = true,        [OP_exp2] = true,       [OP_exp10] = true,      [OP_rsqrt] = true,
    [OP_tanh] = true,       [OP_erf] = true,        [OP_add_toward] = true, [OP_mul_toward] = true,
    [OP_div_toward] = true, [OP_fma_toward] = true, [OP_sqrt_toward] = true};

static Val fp32_constant(const Nv *n, double v)
{
    return llvm_real(n->l->f32, v);
}

/* An instruction with so many operands of fp32. */
static Val instruct(Nv *n, const char *text, int nargs, const Val *args)
{
    static const char *const constraints[] = {"=f", "=f,f", "=f,f,f", "=f,f,f,f"};

    return nv_pure_asm(n, n->l->f32, text, constraints[nargs], args, nargs);
}

/* Of -y the constants take the sign. */
static Val power_by_exp2(Nv *n, Val x, double log2_of_base)
{
    enum { LEAST = -126, MOST = 127, SPAN = MOST - LEAST, BIAS = 127 };

    if (LLVMIsAInstruction(x) && LLVMGetInstructionOpcode(x) == LLVMFNeg) {
        x = LLVMGetOperand(x, 0);
        log2_of_base = -log2_of_base;
    }
    const double magic = 0x1.8p23; /* to it fp32 adds integers in its low bits */
    const float hi = (float)log2_of_base;
    const double lo = log2_of_base - hi;
    Val scale = fp32_constant(n, log2_of_base / SPAN);
    Val y = instruct(n, "fma.rn.sat.f32 $0, $1, $2, $3;", 3,
                     (Val[]){x, scale, fp32_constant(n, -(double)LEAST / SPAN)});
    /* SPAN y is n - LEAST, and n + BIAS shall be in the low bits */
    Val sum =
        llvm_fma(n->l, n->b, y, fp32_constant(n, SPAN), fp32_constant(n, magic + LEAST + BIAS));
    Val whole = LLVMBuildFSub(n->b, sum, fp32_constant(n, magic + BIAS), "");
    Val r = llvm_fma(n->l, n->b, x, fp32_constant(n, hi), LLVMBuildFNeg(n->b, whole, ""));
    r = llvm_fma(n->l, n->b, x, fp32_constant(n, lo), r);
    Val fraction = instruct(n, "ex2.approx.ftz.f32 $0, $1;", 1, &r);
    Val bits = LLVMBuildShl(n->b, llvm_bits(n->l, n->b, sum), llvm_int(n->l->i32, 23), "");

    return LLVMBuildFMul(n->b, fraction, llvm_from_bits(n->l, n->b, bits), "");
}

/* The instruction is right to 2^-22.9, and one step of Newton's squares that.  For 0 and infinity
 * the step would give a NaN; they are right already. */
static Val rsqrt(Nv *n, Val x)
{
    Val y = instruct(n, "rsqrt.approx.f32 $0, $1;", 1, &x);
    Val minus = LLVMBuildFNeg(n->b, LLVMBuildFMul(n->b, x, y, ""), "");
    Val error = llvm_fma(n->l, n->b, minus, y, fp32_constant(n, 1));
    Val half = LLVMBuildFMul(n->b, y, fp32_constant(n, 0.5), "");
    Val better = llvm_fma(n->l, n->b, half, error, y);
    Val ordered = LLVMBuildFCmp(n->b, LLVMRealORD, error, error, "");

    return LLVMBuildSelect(n->b, ordered, better, y, "");
}

/* --- tanh and erf --- */

/* Below the edges; of tanh (f(a)/a - 1)/s, of erf f(a)/a - 1. */
static const double tanh_low[] = {TANH_LOW}, erf_low[] = {ERF_LOW};
static const double erf_high[] = {ERF_HIGH}; /* G */

/* c[0] + c[1] x + ..., times `unit` */
static Val polynomial(Nv *n, Val x, const double *c, int count, double unit)
{
    Val y = fp32_constant(n, c[count - 1] * unit);

    for (int i = count - 2; i >= 0; i--)
        y = llvm_fma(n->l, n->b, y, x, fp32_constant(n, c[i] * unit));
    return y;
}

/* `low` below the edge, else `high`, with the sign of x. */
static Val odd_function(Nv *n, Val x, Val a, double edge, Val low, Val high)
{
    Val below = LLVMBuildFCmp(n->b, LLVMRealOLT, a, fp32_constant(n, edge), "");

    return llvm_call2(n->l, n->b, "llvm.copysign", LLVMBuildSelect(n->b, below, low, high, ""), x);
}

static Val native_tanh(Nv *n, Val x)
{
    Val one = fp32_constant(n, 1), a = llvm_call1(n->l, n->b, "llvm.fabs", x);
    Val twice = LLVMBuildFMul(n->b, a, fp32_constant(n, 2 * M_LOG2E), "");
    Val sum = LLVMBuildFAdd(n->b, instruct(n, "ex2.approx.ftz.f32 $0, $1;", 1, &twice), one, "");
    Val inverse = instruct(n, "rcp.approx.ftz.f32 $0, $1;", 1, &sum);
    Val high = llvm_fma(n->l, n->b, inverse, fp32_constant(n, -2), one);
    Val s = LLVMBuildFMul(n->b, x, x, "");
    Val p = polynomial(n, s, tanh_low, COUNT(tanh_low), 1);
    Val low = llvm_fma(n->l, n->b, LLVMBuildFMul(n->b, a, s, ""), p, a);

    return odd_function(n, x, a, TANH_EDGE, low, high);
}

static Val native_erf(Nv *n, Val x)
{
    Val a = llvm_call1(n->l, n->b, "llvm.fabs", x);
    Val s = LLVMBuildFMul(n->b, x, x, "");
    Val low = llvm_fma(n->l, n->b, a, polynomial(n, s, erf_low, COUNT(erf_low), 1), a);
    Val bounded = instruct(n, "min.NaN.f32 $0, $1, $2;", 2, (Val[]){a, fp32_constant(n, ERF_TOP)});
    Val exponent = polynomial(n, bounded, erf_high, COUNT(erf_high), -M_LOG2E);
    Val rest = instruct(n, "ex2.approx.ftz.f32 $0, $1;", 1, &exponent);
    Val high = LLVMBuildFSub(n->b, fp32_constant(n, 1), rest, "");

    return odd_function(n, x, a, ERF_EDGE, low, high);
}

/* add.rz.f32 and its kin */
Val nv_toward(Nv *n, const Op *op, const Val *in)
{
    static const char *const sides[] = {
        [ROUND_NEAREST] = "rn", [ROUND_TO_ZERO] = "rz", [ROUND_DOWN] = "rm", [ROUND_UP] = "rp"};
    static const char *const places[] = {"", "$0, $1;", "$0, $1, $2;", "$0, $1, $2, $3;"};
    static const char *const singles[] = {"", "=f,f", "=f,f,f", "=f,f,f,f"};
    static const char *const doubles[] = {"", "=d,d", "=d,d,d", "=d,d,d,d"};
    bool single = op->operands[0]->type->dtype == DT_FP32;
    int count = op->noperands, length = (int)strcspn(op_info(op->code)->name, "_");
    const char *text =
        arena_printf(n->arena, "%.*s.%s.%s %s", length, op_info(op->code)->name,
                     sides[attr_rounding(op)], single ? "f32" : "f64", places[count]);

    return nv_pure_asm(n, single ? n->l->f32 : n->l->f64, text, (single ? singles : doubles)[count],
                       in, count);
}

/*
 * The instruction for 2^x is right to 2^-22; e^x is as if x was rounded once more.  A divisor that
 * is not tiny may be infinite, or so large that its reciprocal would be flushed to 0: a sixteenth
 * of it is taken of both.
 */
Val nv_loose_math(Nv *n, const Op *op, const Val *in)
{
    Val x = in[0], sixteenth = fp32_constant(n, 0.0625);

    if (op->code == OP_div) {
        if (!nv_knows(n->plan, op->operands[1], NUMBER_LARGE))
            return NULL;
        Val s = LLVMBuildFMul(n->b, in[1], sixteenth, "");
        Val r = instruct(n, "rcp.approx.ftz.f32 $0, $1;", 1, &s);
        return LLVMBuildFMul(n->b, LLVMBuildFMul(n->b, x, sixteenth, ""), r, "");
    }
    if (op->code == OP_exp)
        x = LLVMBuildFMul(n->b, x, fp32_constant(n, M_LOG2E), "");
    return instruct(n, "ex2.approx.ftz.f32 $0, $1;", 1, &x);
}

Val nv_round_cut(Nv *n, const Op *op, Val x)
{
    bool rounds =
        op->code == OP_floor || op->code == OP_ceil || op->code == OP_trunc || op->code == OP_rint;

    return rounds && nv_knows(n->plan, op->results[0], NUMBER_CUT) ? x : NULL;
}

/* How a conversion to an integer rounds. */
static const char *rounding_of(const Nv *n, const Op *op)
{
    bool cut = nv_knows(n->plan, op->operands[0], NUMBER_CUT);

    switch (cut ? axis_cut_rounding(op) : OP_trunc) {
    case OP_floor:
        return "rmi";
    case OP_ceil:
        return "rpi";
    case OP_rint:
        return "rni";
    default:
        return "rzi";
    }
}

/* It saturates, and makes 0 of a NaN, as its PTX is defined; LLVM would compare for both. */
Val nv_truncate(Nv *n, const Op *op, Val x)
{
    DType from = op->operands[0]->type->dtype, to = op->results[0]->type->dtype;
    int bits = dtype_bits(to);

    if (op->operands[0]->type->pointer || !dtype_is_float(from) || from == DT_FP64 ||
        !dtype_is_int(to) || to == DT_I1 || bits > 32)
        return NULL;
    x = emit_cast(&n->e, n->b, x, from, DT_FP32, ROUND_NEAREST);
    const char *text = arena_printf(n->arena, "cvt.%s.%c%d.f32 $0, $1;", rounding_of(n, op),
                                    dtype_is_signed(to) ? 's' : 'u', bits);
    if (bits == 16)
        return nv_pure_asm(n, n->l->i16, text, "=h,f", &x, 1);
    Val v = nv_pure_asm(n, n->l->i32, text, "=r,f", &x, 1);
    return bits == 8 ? LLVMBuildTrunc(n->b, v, n->l->i8, "") : v;
}

Val nv_math(Nv *n, OpCode code, Val x)
{
    switch (code) {
    case OP_exp:
        return power_by_exp2(n, x, M_LOG2E);
    case OP_exp10:
        return power_by_exp2(n, x, M_LN10 * M_LOG2E);
    case OP_exp2:
        return instruct(n, "ex2.approx.f32 $0, $1;", 1, &x);
    case OP_rsqrt:
        return rsqrt(n, x);
    case OP_tanh:
        return native_tanh(n, x);
    case OP_erf:
        return native_erf(n, x);
    default:
        bug("nv_math: %s has no instruction", op_info(code)->name);
    }
}
