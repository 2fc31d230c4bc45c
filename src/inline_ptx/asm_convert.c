/*
 * asm_convert.c - PTX's cvt: between integers and floats, and to and from pairs of small floats
 *
 * Floats become integers as PTX has it: out of range the nearest that there is, NaN 0, but where
 * either side has 64 bits the highest bit alone.
 */
#include "asm.h"

static const OpCode whole_ops[] = {[ROUND_NEAREST] = OP_rint,
                                   [ROUND_TO_ZERO] = OP_trunc,
                                   [ROUND_DOWN] = OP_floor,
                                   [ROUND_UP] = OP_ceil};

static bool rounds_to_whole(const AsmInst *in)
{
    return asm_has(in, "rni") || asm_has(in, "rzi") || asm_has(in, "rmi") || asm_has(in, "rpi");
}

static Value *between(Asm *a, Value *v, DType in, int64_t least, int64_t most)
{
    v = asm_op(a, OP_max, v, asm_int(a, in, least));
    return asm_op(a, OP_min, v, asm_int(a, in, most));
}

/* .sat: the nearest that the dtype holds. */
static Value *int_to_int(Asm *a, const AsmInst *in, Value *v)
{
    DType to = in->type[0]->dtype, from = in->type[1]->dtype;
    int bits = dtype_bits(to) - dtype_is_signed(to);
    int64_t most = (int64_t)(UINT64_MAX >> (64 - bits)),
            least = dtype_is_signed(to) ? -most - 1 : 0;

    if (!asm_has(in, "sat") || to == from)
        return asm_cast(a, v, to);
    if (from == DT_U64)
        return asm_cast(a, asm_op(a, OP_min, v, asm_int(a, DT_U64, most)), to);
    v = asm_cast(a, v, DT_I64);
    if (to == DT_U64)
        return asm_cast(a, asm_op(a, OP_max, v, asm_int(a, DT_I64, 0)), to);
    return asm_cast(a, between(a, v, DT_I64, least, most), to);
}

static Value *float_to_int(Asm *a, const AsmInst *in, Value *v)
{
    DType to = in->type[0]->dtype, from = in->type[1]->dtype;
    int bits = dtype_bits(to);

    if (!rounds_to_whole(in))
        return NULL;
    Value *x = dtype_is_small_float(from) ? asm_cast(a, v, DT_FP32) : v;
    Value *out = asm_cast(a, asm_op(a, whole_ops[asm_rounding(in)], x, NULL), to);
    if (from != DT_FP64 && bits < 64)
        return out;
    Value *of_nan = asm_int(a, to, (int64_t)(UINT64_C(1) << (bits - 1)));
    return build_select(&a->b, asm_op(a, OP_isnan, x, NULL), of_nan, out);
}

/* A cast, where casts to that side are ops. */
static Value *cast_toward(Asm *a, Value *v, DType to, Rounding r)
{
    DType from = v->type->dtype;

    if (from == to)
        return v;
    if (dtype_bits(from) < dtype_bits(to))
        r = ROUND_NEAREST; /* it is exact */
    if (dtype_is_small_float(to) && (r == ROUND_DOWN || r == ROUND_UP))
        return NULL;
    return build_cast(&a->b, v, to, r);
}

static Value *int_to_float(Asm *a, const AsmInst *in, Value *v)
{
    DType to = in->type[0]->dtype;
    Rounding r = asm_rounding(in);

    if (r != ROUND_NEAREST && dtype_is_small_float(to))
        return NULL;
    return asm_clamped(a, in, build_cast(&a->b, v, to, r));
}

static Value *float_to_float(Asm *a, const AsmInst *in, Value *v)
{
    DType to = in->type[0]->dtype, from = in->type[1]->dtype;
    Rounding r = asm_rounding(in);

    if (!rounds_to_whole(in)) {
        v = cast_toward(a, v, to, r);
        return v ? asm_clamped(a, in, v) : NULL;
    }
    v = dtype_is_small_float(from) ? asm_cast(a, v, DT_FP32) : v;
    return asm_clamped(a, in, asm_cast(a, asm_op(a, whole_ops[r], v, NULL), to));
}

Value *asm_convert(Asm *a, const AsmInst *in, Value **v)
{
    DType to = in->type[0]->dtype, from = in->type[1]->dtype;

    if (dtype_is_float(to))
        return dtype_is_float(from) ? float_to_float(a, in, v[0]) : int_to_float(a, in, v[0]);
    return dtype_is_float(from) ? float_to_int(a, in, v[0]) : int_to_int(a, in, v[0]);
}

/* To 10 bits of mantissa, ties away from zero; infinities and NaN only lose their low bits. */
Value *asm_convert_tf32(Asm *a, const AsmInst *in, Value **v)
{
    Value *bits = asm_bits(a, v[0]), *mask = asm_int(a, DT_U32, 0xffffe000);
    Value *more = asm_op(a, OP_add, bits, asm_int(a, DT_U32, 0x1000));
    Value *x = asm_op(a, OP_abs, v[0], NULL);
    Value *finite = asm_op(a, OP_lt, x, asm_float(a, DT_FP32, __builtin_inf()));

    (void)in;
    return asm_op(a, OP_and, build_select(&a->b, finite, more, bits), mask);
}

/* --- pairs --- */

/* Two halves of a register; the first is the high one. */
static Value *pair_of(Asm *a, Value *high, Value *low)
{
    int bits = dtype_bits(high->type->dtype);
    DType whole = bits == 16 ? DT_U32 : DT_U16;
    Value *places = asm_int(a, whole, bits);

    high = asm_op(a, OP_shl, asm_cast(a, asm_bits(a, high), whole), places);
    return asm_op(a, OP_or, high, asm_cast(a, asm_bits(a, low), whole));
}

static Value *half_of(Asm *a, const AsmType *t, Value *pair, int which)
{
    Value *bits = asm_bits(a, pair);
    int half = t->bits / 2;
    Value *part = asm_op(a, OP_shr, bits, asm_int(a, bits->type->dtype, which * half));

    return asm_bitcast(a, asm_cast(a, part, half == 16 ? DT_U16 : DT_U8), t->dtype);
}

static Value *narrowed(Asm *a, const AsmInst *in, Value *v)
{
    DType to = in->type[0]->dtype;
    DType from = v->type->dtype;

    if (asm_has(in, "relu"))
        v = asm_op(a, OP_maxnan, v, asm_float(a, from, 0));
    Value *out = build_cast(&a->b, v, to, asm_rounding(in));
    if (!dtype_is_fp8(to))
        return out;
    Value *nan = asm_bitcast(a, asm_int(a, DT_U8, 0x7f), to); /* the only one, without a sign */
    return build_select(&a->b, asm_op(a, OP_isnan, v, NULL), nan, out);
}

Value *asm_convert_pair(Asm *a, const AsmInst *in, Value **v)
{
    Value *low = narrowed(a, in, v[1]);

    return pair_of(a, narrowed(a, in, v[0]), low);
}

Value *asm_from_pair(Asm *a, const AsmInst *in, Value **v)
{
    Value *low = half_of(a, in->type[1], v[0], 0), *high = half_of(a, in->type[1], v[0], 1);

    bool is_wide = in->type[1]->bits == 32;
    low = is_wide ? narrowed(a, in, low) : asm_clamped(a, in, asm_cast(a, low, DT_FP16));
    high = is_wide ? narrowed(a, in, high) : asm_clamped(a, in, asm_cast(a, high, DT_FP16));
    return pair_of(a, high, low);
}

/* The code 0 to 7 of |x| in e2m1, whose values are 0 .5 1 1.5 2 3 4 6: how many of the limits
 * between them it is beyond; where it lies on one the even code is nearest.  NaN is the largest
 * number. */
static Value *fp4_code(Asm *a, const AsmInst *in, Value *x)
{
    static const double limits[] = {0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5};
    Value *size = asm_op(a, OP_abs, x, NULL), *code = asm_int(a, DT_U8, 0);
    Value *nan = asm_op(a, OP_isnan, x, NULL);
    Value *places = asm_int(a, DT_U32, 31);
    Value *sign = asm_op(a, OP_shr, asm_bits(a, x), places);

    for (int i = 0; i < COUNT(limits); i++) {
        OpCode beyond = i % 2 ? OP_ge : OP_gt;
        Value *yes = asm_op(a, beyond, size, asm_float(a, DT_FP32, limits[i]));
        code = asm_op(a, OP_add, code, asm_cast(a, yes, DT_U8));
    }
    Value *top = asm_int(a, DT_U8, 3);
    sign = asm_op(a, OP_shl, asm_cast(a, sign, DT_U8), top);
    Value *signed_code = asm_op(a, OP_or, code, sign);
    code = build_select(&a->b, nan, asm_int(a, DT_U8, 7), signed_code);
    if (!asm_has(in, "relu"))
        return code;
    Value *below = asm_op(a, OP_ge, code, asm_int(a, DT_U8, 8));
    return build_select(&a->b, below, asm_int(a, DT_U8, 0), code);
}

Value *asm_to_fp4(Asm *a, const AsmInst *in, Value **v)
{
    Value *places = asm_int(a, DT_U8, 4);
    Value *high = asm_op(a, OP_shl, fp4_code(a, in, v[0]), places);

    return asm_op(a, OP_or, high, fp4_code(a, in, v[1]));
}

static Value *fp4_value(Asm *a, const AsmInst *in, Value *code)
{
    static const int64_t table[] = {0x0000, 0x3800, 0x3c00, 0x3e00, 0x4000, 0x4200, 0x4400, 0x4600};
    Value *wide = asm_cast(a, code, DT_U16);
    Value *sign = asm_op(a, OP_and, wide, asm_int(a, DT_U16, 8));
    Value *bits = build_op(&a->b, OP_lookup8, 1, &wide, 8, table, 0, NULL)->results[0];

    sign = asm_op(a, OP_shl, sign, asm_int(a, DT_U16, 12));
    return asm_clamped(a, in, asm_bitcast(a, asm_op(a, OP_or, bits, sign), DT_FP16));
}

Value *asm_from_fp4(Asm *a, const AsmInst *in, Value **v)
{
    Value *high = asm_op(a, OP_shr, v[0], asm_int(a, DT_U8, 4));
    Value *low = fp4_value(a, in, v[0]);

    return pair_of(a, fp4_value(a, in, high), low);
}
