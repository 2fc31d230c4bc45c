/*
 * emit_float.c - small float formats and conversions between all dtypes
 *
 * fp16 uses the machine's conversions; bf16 and the fp8 formats are integer arithmetic on the bits
 * of fp32, the same for scalars and vectors.  Every conversion rounds once: a source with more
 * bits than fp32 goes through fp32 rounded to odd, which keeps what the last rounding needs to
 * know (Boldo & Melquiond, "Emulation of a FMA and correctly rounded sums: proved algorithms using
 * rounding to odd").  Meanings: semantics R80-R85.
 */
#include "emit.h"

#include <math.h>

/* --- numbers --- */

enum { MOST_LOOKED_AT = 100 };

/* work: values that may still be looked at. */
static bool is_number(const Value *v, int *work)
{
    uint64_t bits;

    if (--*work < 0)
        return false;
    if (value_constant(v, &bits)) {
        double x = scalar_to_double(v->type->dtype, bits);
        return x == x;
    }
    if (!v->def)
        return false;
    const Value *first = v->def->noperands > 0 ? v->def->operands[0] : NULL;
    if (v->def->code == OP_max || v->def->code == OP_min)
        return is_number(v->def->operands[1], work) || is_number(first, work);
    return op_has(v->def, MOVES) && is_number(first, work);
}

bool emit_is_number(const Value *v)
{
    int work = MOST_LOOKED_AT;

    return is_number(v, &work);
}

static bool is_small(DType t)
{
    return dtype_is_float(t) && dtype_bits(t) < 32;
}

LLVMTypeRef emit_memory_type(const Emit *e, DType t)
{
    switch (dtype_bits(t)) {
    case 1:
    case 8:
        return e->l->i8;
    case 16:
        return t == DT_FP16 ? e->l->f16 : e->l->i16;
    case 32:
        return t == DT_FP32 ? e->l->f32 : e->l->i32;
    default:
        return t == DT_FP64 ? e->l->f64 : e->l->i64;
    }
}

LLVMTypeRef emit_register_type(const Emit *e, DType t, int lanes)
{
    LLVMTypeRef one = t == DT_I1 ? e->l->i1 : is_small(t) ? e->l->f32 : emit_memory_type(e, t);

    return llvm_vector(one, lanes);
}

LLVMTypeRef emit_type(const Emit *e, const Type *t, int lanes)
{
    return t->pointer ? llvm_vector(e->l->ptr, lanes) : emit_register_type(e, t->dtype, lanes);
}

/* --- helpers on fp32 bits --- */

static Val int_like(const Emit *e, Val x, int64_t v)
{
    return llvm_int(llvm_like(e->l->i32, x), v);
}

/* Add half a unit of the bits below `drop`, ties to even; the caller cuts them off. */
static Val add_half(const Emit *e, Bld b, Val bits, int drop)
{
    Val odd = LLVMBuildLShr(b, bits, int_like(e, bits, drop), "");

    odd = LLVMBuildAnd(b, odd, int_like(e, bits, 1), "");
    Val half = int_like(e, bits, ((int64_t)1 << (drop - 1)) - 1);
    return LLVMBuildAdd(b, bits, LLVMBuildAdd(b, odd, half, ""), "");
}

/* --- x * y + z --- */

/* What adding p and z to s has lost, exactly (Knuth's TwoSum). */
static Val lost(Bld b, Val p, Val z, Val s)
{
    Val z_part = LLVMBuildFSub(b, s, p, ""), p_part = LLVMBuildFSub(b, s, z_part, "");
    Val z_rest = LLVMBuildFSub(b, z, z_part, "");

    return LLVMBuildFAdd(b, LLVMBuildFSub(b, p, p_part, ""), z_rest, "");
}

/* s, a sum of fp64 that was rounded to nearest and lost `rest`, rounded to odd: where something was
 * lost and s is even, its neighbour on that side. */
static Val to_odd(const Emit *e, Bld b, Val s, Val rest)
{
    LLVMTypeRef t = llvm_like(e->l->i64, s);
    Val bits = llvm_bits(e->l, b, s), zero = llvm_real(LLVMTypeOf(s), 0);
    Val is_even =
        LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildAnd(b, bits, llvm_int(t, 1), ""), llvm_int(t, 0), "");
    Val is_inexact = LLVMBuildFCmp(b, LLVMRealONE, rest, zero, "");
    Val inward = LLVMBuildICmp(b, LLVMIntSLT, LLVMBuildXor(b, bits, llvm_bits(e->l, b, rest), ""),
                               llvm_int(t, 0), "");
    Val step = LLVMBuildSelect(b, inward, llvm_int(t, -1), llvm_int(t, 1), "");
    Val moved = LLVMBuildAdd(b, bits, step, "");

    bits = LLVMBuildSelect(b, LLVMBuildAnd(b, is_even, is_inexact, ""), moved, bits, "");
    return llvm_from_bits(e->l, b, bits);
}

/* A product of fp32 is exact in fp64, and their sum rounded to odd has all that rounding it once
 * more needs. */
Val emit_fma(const Emit *e, Bld b, Val x, Val y, Val z)
{
    LLVMTypeRef t = LLVMTypeOf(x), wide = llvm_like(e->l->f64, x);

    if (!e->no_fma || t != llvm_like(e->l->f32, x))
        return llvm_fma(e->l, b, x, y, z);
    x = LLVMBuildFPExt(b, x, wide, "");
    y = LLVMBuildFPExt(b, y, wide, "");
    z = LLVMBuildFPExt(b, z, wide, "");
    Val p = LLVMBuildFMul(b, x, y, ""), s = LLVMBuildFAdd(b, p, z, "");
    return LLVMBuildFPTrunc(b, to_odd(e, b, s, lost(b, p, z, s)), t, "");
}

/* --- bf16, fp16 --- */

static Val round_bf16(const Emit *e, Bld b, Val x, Rounding r)
{
    if (e->small.round_bf16 && r == ROUND_NEAREST)
        return e->small.round_bf16(e->small.target, x);
    Val bits = llvm_bits(e->l, b, x);
    Val up = r == ROUND_NEAREST ? add_half(e, b, bits, 16) : bits;
    Val quiet = LLVMBuildOr(b, bits, int_like(e, bits, 0x400000), "");

    bits = LLVMBuildSelect(b, llvm_is_nan(b, x), quiet, up, "");
    bits = LLVMBuildAnd(b, bits, int_like(e, bits, (int32_t)0xffff0000), "");
    return llvm_from_bits(e->l, b, bits);
}

static Val half_to_float(const Emit *e, Bld b, Val h)
{
    return LLVMBuildFPExt(b, h, llvm_like(e->l->f32, h), "");
}

static Val float_to_half(const Emit *e, Bld b, Val x, Rounding r)
{
    Val h = LLVMBuildFPTrunc(b, x, llvm_like(e->l->f16, x), "");

    if (r == ROUND_NEAREST)
        return h;
    Val back = llvm_call1(e->l, b, "llvm.fabs", half_to_float(e, b, h));
    Val above = LLVMBuildFCmp(b, LLVMRealOGT, back, llvm_call1(e->l, b, "llvm.fabs", x), "");
    Val bits = llvm_bits(e->l, b, h);
    Val less = LLVMBuildSub(b, bits, llvm_int(LLVMTypeOf(bits), 1), "");
    return llvm_from_bits(e->l, b, LLVMBuildSelect(b, above, less, bits, ""));
}

/* --- fp8 --- */

typedef struct {
    int e, m, bias;
    double max; /* largest finite */
    int nan;    /* code of NaN */
    bool fnuz;  /* 0x80 is NaN, no negative zero */
} Fp8;

static Fp8 fp8_format(DType t)
{
    Fp8 f = {dtype_exponent_bits(t), dtype_mantissa_bits(t), dtype_bias(t), 448, 0x7f, false};

    if (t == DT_FP8E5 || t == DT_FP8E5B16)
        f.max = 57344;
    if (t == DT_FP8E4B8)
        f.max = 240;
    f.fnuz = t == DT_FP8E4B8 || t == DT_FP8E5B16;
    f.nan = f.fnuz ? 0x80 : 0x7f;
    return f;
}

/* Magnitude bits of a finite fp32, at most max, to the format's: rounding at mantissa bit m for
 * normal results; small ones are rounded by adding a number whose last bit is their unit. */
static Val fp8_encode_finite(const Emit *e, Bld b, Val x, const Fp8 *f, Rounding r)
{
    int drop = 23 - f->m;
    Val bits = llvm_bits(e->l, b, x);
    Val normal = r == ROUND_NEAREST ? add_half(e, b, bits, drop) : bits;

    normal = LLVMBuildLShr(b, normal, int_like(e, bits, drop), "");
    normal = LLVMBuildSub(b, normal, int_like(e, bits, (int64_t)(127 - f->bias) << f->m), "");
    double unit = 1.0; /* 2^(1 - bias - m) */
    for (int i = 0; i < f->bias - 1 + f->m; i++)
        unit /= 2;
    LLVMTypeRef ft = LLVMTypeOf(x);
    Val scaled = LLVMBuildFMul(b, x, llvm_real(ft, 1 / unit), ""); /* exact */
    scaled = llvm_call1(e->l, b, r == ROUND_NEAREST ? "llvm.rint" : "llvm.trunc", scaled);
    Val small = LLVMBuildFPToSI(b, scaled, LLVMTypeOf(bits), "");
    double smallest = unit * (1 << f->m);
    Val tiny = LLVMBuildFCmp(b, LLVMRealOLT, x, llvm_real(ft, smallest), "");
    return LLVMBuildSelect(b, tiny, small, normal, "");
}

static Val fp8_encode(const Emit *e, Bld b, Val x, DType t, Rounding r)
{
    Fp8 f = fp8_format(t);
    Val own = e->small.encode && r == ROUND_NEAREST ? e->small.encode(e->small.target, x, t) : NULL;
    if (own)
        return own;
    Val bits = llvm_bits(e->l, b, x);
    Val abs = llvm_call1(e->l, b, "llvm.fabs", x);
    Val max = llvm_real(LLVMTypeOf(x), f.max);
    Val low = LLVMBuildFCmp(b, LLVMRealOLT, abs, max, ""); /* NaN is replaced below */
    Val code = fp8_encode_finite(e, b, LLVMBuildSelect(b, low, abs, max, ""), &f, r);
    Val sign = LLVMBuildLShr(b, bits, int_like(e, bits, 24), "");

    sign = LLVMBuildAnd(b, sign, int_like(e, bits, 0x80), "");
    Val whole = LLVMBuildOr(b, code, sign, "");
    if (f.fnuz) {
        Val zero = LLVMBuildICmp(b, LLVMIntEQ, code, int_like(e, bits, 0), "");
        whole = LLVMBuildSelect(b, zero, code, whole, "");
    }
    Val nan =
        f.fnuz ? int_like(e, bits, f.nan) : LLVMBuildOr(b, sign, int_like(e, bits, f.nan), "");
    whole = LLVMBuildSelect(b, llvm_is_nan(b, x), nan, whole, "");
    return LLVMBuildTrunc(b, whole, llvm_like(e->l->i8, x), "");
}

static Val fp8_decode(const Emit *e, Bld b, Val code, DType t)
{
    Fp8 f = fp8_format(t);
    Val own = e->small.decode ? e->small.decode(e->small.target, code, t) : NULL;
    if (own)
        return own;
    Val wide = LLVMBuildZExt(b, code, llvm_like(e->l->i32, code), "");
    Val mag = LLVMBuildAnd(b, wide, int_like(e, wide, 0x7f), "");
    Val placed = LLVMBuildShl(b, mag, int_like(e, wide, 23 - f.m), "");
    Val x = llvm_from_bits(e->l, b, placed);
    double scale = 1.0; /* 2^(127 - bias) */

    for (int i = 0; i < 127 - f.bias; i++)
        scale *= 2;
    x = LLVMBuildFMul(b, x, llvm_real(LLVMTypeOf(x), scale), "");
    Val sign = LLVMBuildAnd(b, wide, int_like(e, wide, 0x80), "");
    sign = LLVMBuildShl(b, sign, int_like(e, wide, 24), "");
    Val bits = LLVMBuildOr(b, llvm_bits(e->l, b, x), sign, "");
    if (t == DT_FP8E5) { /* infinities, and NaNs with their payload: a bitcast may look at it */
        Val special = LLVMBuildICmp(b, LLVMIntUGE, mag, int_like(e, wide, 0x7c), "");
        Val big = LLVMBuildOr(b, placed, int_like(e, wide, 0x7f800000), "");
        bits = LLVMBuildSelect(b, special, LLVMBuildOr(b, big, sign, ""), bits, "");
    } else if (f.fnuz) {
        Val special = LLVMBuildICmp(b, LLVMIntEQ, wide, int_like(e, wide, f.nan), "");
        bits = LLVMBuildSelect(b, special, int_like(e, wide, 0x7fc00000), bits, "");
    } else if (t == DT_FP8E4NV) {
        Val special = LLVMBuildICmp(b, LLVMIntEQ, mag, int_like(e, wide, f.nan), "");
        Val nan = LLVMBuildOr(b, sign, int_like(e, wide, 0x7fc00000), "");
        bits = LLVMBuildSelect(b, special, nan, bits, "");
    }
    return llvm_from_bits(e->l, b, bits);
}

/* A value that the format holds, infinities of fp8e5 and 1.875 of fp8e4b15 included, which rounding
 * would clamp: the way back from fp8_decode. */
static Val fp8_exact(const Emit *e, Bld b, Val x, DType t)
{
    Fp8 f = fp8_format(t);
    double scale = 1.0; /* 2^(bias - 127) */
    Val own = e->small.encode_held ? e->small.encode_held(e->small.target, x, t) : NULL;

    if (own)
        return own;
    for (int i = 0; i < 127 - f.bias; i++)
        scale /= 2;
    Val bits = llvm_bits(e->l, b, x), nan = llvm_is_nan(b, x);
    Val placed = LLVMBuildFMul(b, x, llvm_real(LLVMTypeOf(x), scale), "");
    Val mag = LLVMBuildSelect(b, nan, bits, llvm_bits(e->l, b, placed), "");
    mag = LLVMBuildLShr(b, mag, int_like(e, bits, 23 - f.m), "");
    mag = LLVMBuildAnd(b, mag, int_like(e, bits, 0x7f), "");
    if (t == DT_FP8E4NV || f.fnuz)
        mag = LLVMBuildSelect(b, nan, int_like(e, bits, f.nan), mag, "");
    Val sign = LLVMBuildLShr(b, bits, int_like(e, bits, 24), "");
    sign = LLVMBuildAnd(b, sign, int_like(e, bits, 0x80), "");
    return LLVMBuildTrunc(b, LLVMBuildOr(b, mag, sign, ""), llvm_like(e->l->i8, x), "");
}

/* fp8e4b15 is cut from fp16: clamp to 1.75, then round half up at mantissa bit 3 (R84). */
static Val e4b15_encode(const Emit *e, Bld b, Val x)
{
    Val bits = llvm_bits(e->l, b, float_to_half(e, b, x, ROUND_TO_ZERO));
    LLVMTypeRef t = LLVMTypeOf(bits);
    Val mag = LLVMBuildAnd(b, bits, llvm_int(t, 0x7fff), "");

    mag = llvm_call2(e->l, b, "llvm.umin", mag, llvm_int(t, 0x3f00));
    Val code = LLVMBuildLShr(b, LLVMBuildAdd(b, mag, llvm_int(t, 0x40), ""), llvm_int(t, 7), "");
    Val sign = LLVMBuildLShr(b, llvm_bits(e->l, b, x), int_like(e, x, 24), ""); /* of NaN, too */
    sign = LLVMBuildAnd(b, sign, int_like(e, x, 0x80), "");
    code = LLVMBuildZExt(b, code, LLVMTypeOf(sign), "");
    return LLVMBuildTrunc(b, LLVMBuildOr(b, code, sign, ""), llvm_like(e->l->i8, x), "");
}

/* --- memory form --- */

static Val encode(const Emit *e, Bld b, Val x, DType t, Rounding r)
{
    if (t == DT_FP16)
        return float_to_half(e, b, x, r);
    if (t == DT_FP8E4B15)
        return e4b15_encode(e, b, x);
    if (dtype_is_fp8(t))
        return fp8_encode(e, b, x, t, r);
    Val bits = llvm_bits(e->l, b, round_bf16(e, b, x, r));
    bits = LLVMBuildLShr(b, bits, int_like(e, bits, 16), "");
    return LLVMBuildTrunc(b, bits, llvm_like(e->l->i16, x), "");
}

static Val bf16_to_memory(const Emit *e, Bld b, Val x)
{
    Val bits = llvm_bits(e->l, b, x); /* the low half is zero already */

    bits = LLVMBuildLShr(b, bits, int_like(e, bits, 16), "");
    return LLVMBuildTrunc(b, bits, llvm_like(e->l->i16, x), "");
}

Val emit_to_memory(const Emit *e, Bld b, Val x, DType t)
{
    if (t == DT_I1)
        return LLVMBuildZExt(b, x, llvm_like(e->l->i8, x), "");
    if (!is_small(t))
        return x;
    if (dtype_is_fp8(t))
        return fp8_exact(e, b, x, t);
    return t == DT_BF16 ? bf16_to_memory(e, b, x) : float_to_half(e, b, x, ROUND_NEAREST);
}

Val emit_from_memory(const Emit *e, Bld b, Val x, DType t)
{
    if (t == DT_I1)
        return LLVMBuildICmp(b, LLVMIntNE, x, llvm_int(LLVMTypeOf(x), 0), "");
    if (!is_small(t))
        return x;
    if (t == DT_FP16)
        return half_to_float(e, b, x);
    if (dtype_is_fp8(t))
        return fp8_decode(e, b, x, t);
    Val bits = LLVMBuildZExt(b, x, llvm_like(e->l->i32, x), "");
    return llvm_from_bits(e->l, b, LLVMBuildShl(b, bits, int_like(e, bits, 16), ""));
}

static Val round_small(const Emit *e, Bld b, Val x, DType t, Rounding r)
{
    if (t == DT_BF16)
        return round_bf16(e, b, x, r);
    return emit_from_memory(e, b, encode(e, b, x, t, r), t);
}

Val emit_round(const Emit *e, Bld b, Val x, DType t)
{
    return is_small(t) ? round_small(e, b, x, t, ROUND_NEAREST) : x;
}

/* --- casts --- */

/* fp64 to fp32 toward zero; with `odd`, the last bit is set when anything was lost. */
static Val narrow_exactly(const Emit *e, Bld b, Val x, bool odd)
{
    LLVMTypeRef f32 = llvm_like(e->l->f32, x);
    Val y = LLVMBuildFPTrunc(b, x, f32, "");
    Val back = LLVMBuildFPExt(b, y, LLVMTypeOf(x), "");
    Val size = llvm_call1(e->l, b, "llvm.fabs", x);
    Val above = LLVMBuildFCmp(b, LLVMRealOGT, llvm_call1(e->l, b, "llvm.fabs", back), size, "");
    Val bits = llvm_bits(e->l, b, y);
    Val less = LLVMBuildSub(b, bits, int_like(e, bits, 1), "");

    bits = LLVMBuildSelect(b, above, less, bits, "");
    if (odd) {
        Val lost = LLVMBuildFCmp(b, LLVMRealONE, back, x, "");
        Val bit = LLVMBuildZExt(b, lost, LLVMTypeOf(bits), "");
        bits = LLVMBuildOr(b, bits, bit, "");
    }
    return llvm_from_bits(e->l, b, bits);
}

static Val cast_float(const Emit *e, Bld b, Val x, DType from, DType to, Rounding r)
{
    if (to == DT_FP64)
        return from == DT_FP64 ? x : LLVMBuildFPExt(b, x, llvm_like(e->l->f64, x), "");
    if (from == DT_FP64 && to == DT_FP32)
        return r == ROUND_NEAREST ? LLVMBuildFPTrunc(b, x, llvm_like(e->l->f32, x), "")
                                  : narrow_exactly(e, b, x, false);
    if (from == DT_FP64)
        x = narrow_exactly(e, b, x, r == ROUND_NEAREST);
    return is_small(to) ? round_small(e, b, x, to, r) : x;
}

static Val int_to_fp(Bld b, Val x, LLVMTypeRef t, bool is_signed)
{
    return is_signed ? LLVMBuildSIToFP(b, x, t, "") : LLVMBuildUIToFP(b, x, t, "");
}

/* An integer whose low bits are gathered into one, so that a float of `digits` bits holds the rest
 * exactly. */
static Val keep_sticky(Bld b, Val x, int bits, int digits)
{
    LLVMTypeRef t = LLVMTypeOf(x);
    int64_t above = (int64_t)1 << (bits - digits); /* the least bit that is kept */
    Val low = LLVMBuildAnd(b, x, llvm_int(t, above - 1), "");
    Val high = LLVMBuildAnd(b, x, llvm_int(t, -above), "");
    Val lost = LLVMBuildICmp(b, LLVMIntNE, low, llvm_int(t, 0), "");
    Val sticky = LLVMBuildSelect(b, lost, llvm_int(t, above), llvm_int(t, 0), "");
    Val big = LLVMBuildOr(b, high, sticky, "");
    Val top = LLVMBuildAShr(b, x, llvm_int(t, digits - 1), "");
    Val next = LLVMBuildAdd(b, top, llvm_int(t, 1), "");
    Val fits = LLVMBuildICmp(b, LLVMIntULT, next, llvm_int(t, 2), ""); /* |x| < 2^(digits - 1) */

    return LLVMBuildSelect(b, fits, x, big, "");
}

/* What fp32 does not hold is beyond all numbers of a type with at most 5 bits of exponent, so only
 * to bf16 a second rounding may show. */
static Val cast_from_int(const Emit *e, Bld b, Val x, DType from, DType to)
{
    enum { FP32_DIGITS = 24, FP64_DIGITS = 53 };
    bool is_signed = dtype_is_signed(from);
    int bits = dtype_bits(from);

    if (!is_small(to))
        return int_to_fp(b, x, emit_register_type(e, to, llvm_lanes(x)), is_signed);
    if (bits == 64 && to == DT_BF16) {
        x = int_to_fp(b, keep_sticky(b, x, bits, FP64_DIGITS), llvm_like(e->l->f64, x), is_signed);
        return cast_float(e, b, x, DT_FP64, to, ROUND_NEAREST);
    }
    if (bits == 32 && to == DT_BF16)
        x = keep_sticky(b, x, bits, FP32_DIGITS);
    return emit_round(e, b, int_to_fp(b, x, llvm_like(e->l->f32, x), is_signed), to);
}

/* What a type of at most 32 bits holds is converted by way of i32, from between its bounds.  fp32
 * has not the largest i32, which stands for all that is no less than 2^31. */
static Val saturate_lanes(const Emit *e, Bld b, Val x, DType to)
{
    LLVMTypeRef t = LLVMTypeOf(x), i32 = llvm_like(e->l->i32, x);
    int bits = dtype_bits(to) - dtype_is_signed(to);
    bool rounds = bits == 31 && LLVMGetElementType(t) == e->l->f32;
    double end = ldexp(1, bits);
    Val low = llvm_real(t, dtype_is_signed(to) ? -end : 0);
    Val high = llvm_real(t, rounds ? end - 128 : end - 1);
    Val is_number = LLVMBuildFCmp(b, LLVMRealORD, x, x, "");
    Val v = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOGT, x, low, ""), x, low, "");

    v = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOLT, v, high, ""), v, high, "");
    v = LLVMBuildFPToSI(b, v, i32, "");
    if (rounds) {
        Val beyond = LLVMBuildFCmp(b, LLVMRealOGE, x, llvm_real(t, end), "");
        v = LLVMBuildSelect(b, beyond, llvm_int(i32, INT32_MAX), v, "");
    }
    v = LLVMBuildSelect(b, is_number, v, LLVMConstNull(i32), "");
    return LLVMBuildTruncOrBitCast(b, v, llvm_like(emit_memory_type(e, to), x), "");
}

static Val cast_to_int(const Emit *e, Bld b, Val x, DType to)
{
    if (to == DT_I1)
        return LLVMBuildFCmp(b, LLVMRealUNE, x, llvm_real(LLVMTypeOf(x), 0), "");
    if (e->no_saturation && llvm_lanes(x) > 0 && dtype_bits(to) <= 32 && to != DT_U32)
        return saturate_lanes(e, b, x, to);
    LLVMTypeRef types[2] = {llvm_like(emit_memory_type(e, to), x), LLVMTypeOf(x)};
    const char *name = dtype_is_signed(to) ? "llvm.fptosi.sat" : "llvm.fptoui.sat";
    return llvm_call(e->l, b, name, 2, types, 1, &x);
}

static Val cast_int(const Emit *e, Bld b, Val x, DType from, DType to)
{
    LLVMTypeRef t = llvm_like(to == DT_I1 ? e->l->i1 : emit_memory_type(e, to), x);

    if (to == DT_I1)
        return from == DT_I1 ? x : LLVMBuildICmp(b, LLVMIntNE, x, llvm_int(LLVMTypeOf(x), 0), "");
    if (dtype_bits(to) <= dtype_bits(from))
        return dtype_bits(to) == dtype_bits(from) ? x : LLVMBuildTrunc(b, x, t, "");
    return dtype_is_signed(from) ? LLVMBuildSExt(b, x, t, "") : LLVMBuildZExt(b, x, t, "");
}

Val emit_cast(const Emit *e, Bld b, Val x, DType from, DType to, Rounding r)
{
    if (from == to)
        return x;
    if (dtype_is_float(from) && dtype_is_float(to))
        return cast_float(e, b, x, from, to, r);
    if (dtype_is_float(from))
        return cast_to_int(e, b, x, to);
    return dtype_is_float(to) ? cast_from_int(e, b, x, from, to) : cast_int(e, b, x, from, to);
}
