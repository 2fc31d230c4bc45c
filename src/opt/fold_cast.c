/*
 * fold_cast.c - conversions that do nothing, and chains of two that are one
 *
 * A chain A -> B -> C is A -> C when the first step keeps every value, or when both steps are
 * between integers and C keeps no more bits than B did.  From integer over float to integer, C
 * must hold all of A too: a float that C does not hold saturates (R81), an integer is cut off.
 * Conversions to fp8 stay as written: their rules differ with the source format (R84).
 *
 * The low byte of a float's i64, which quantising to int8 by llrint() leaves, needs no i64.
 */
#include <math.h>

#include "fold.h"

static bool int_fits_int(DType a, DType b)
{
    if (b == DT_I1)
        return a == DT_I1;
    if (dtype_is_unsigned(a))
        return dtype_is_unsigned(b) ? dtype_bits(b) >= dtype_bits(a)
                                    : dtype_bits(b) > dtype_bits(a);
    return dtype_is_signed(b) && dtype_bits(b) >= dtype_bits(a);
}

/* Is every value of dtype a also one of dtype b? */
static bool keeps_values(DType a, DType b)
{
    if (a == b)
        return true;
    if (dtype_is_int(a) && dtype_is_int(b))
        return int_fits_int(a, b);
    if (dtype_is_int(a))
        return dtype_bits(a) - dtype_is_signed(a) <= dtype_mantissa_bits(b) + 1 && !dtype_is_fp8(b);
    return dtype_is_float(b) && dtype_bits(b) >= 32 && dtype_bits(b) > dtype_bits(a);
}

static Value *merge_casts(Op *op)
{
    const Op *inner = op->operands[0]->def;
    Value *x = inner->operands[0];
    const Type *t = op->results[0]->type;
    DType a = x->type->dtype, b = op->operands[0]->type->dtype, c = t->dtype;

    if (x->type->pointer || op->operands[0]->type->pointer || t->pointer || dtype_is_fp8(c))
        return NULL;
    if (!dtype_is_float(a) && attr_rounding(op) != ROUND_NEAREST)
        return NULL; /* only casts between floats may round otherwise (R82) */
    if (dtype_is_fp8(a) && !dtype_is_float(c))
        return NULL; /* no such cast (R80) */
    bool keeps_low_bits = dtype_is_int(a) && dtype_is_int(b) && dtype_is_int(c) && c != DT_I1 &&
                          dtype_bits(c) <= dtype_bits(b);
    bool may_saturate = dtype_is_int(a) && dtype_is_float(b) && dtype_is_int(c) && c != DT_I1 &&
                        !int_fits_int(a, c);
    if (may_saturate || (!keeps_values(a, b) && !keeps_low_bits))
        return NULL;
    return a == c ? x : fold_new(op, OP_cast, 1, &x, 1, op->attrs, t);
}

/* The same float, but 0 where it is in [2^31, 2^63): multiples of 256 there, which i32 does not
 * hold. Beyond that both i32 and i64 are the largest, or smallest, whose low bytes are alike. */
static Value *without_multiples(Op *op, Value *x)
{
    DType t = x->type->dtype;
    Value *from = fold_const(op, x->type, scalar_from_double(t, ldexp(1, 31)));
    Value *to = fold_const(op, x->type, scalar_from_double(t, ldexp(1, 63)));
    Value *behind = fold_binary(op, OP_ge, x, from), *below = fold_binary(op, OP_lt, x, to);
    Value *multiple = fold_binary(op, OP_and, behind, below);
    Value *in[] = {multiple, fold_const(op, x->type, 0), x};

    return fold_new(op, OP_select, COUNT(in), in, 0, NULL, NULL);
}

/* float -> i64 -> 8 bits, and of fp16, which ends in front of 2^31, 16 bits. */
static Value *low_byte(Op *op)
{
    Op *inner = op->operands[0]->def;
    Value *x = inner->operands[0];
    DType a = x->type->dtype;
    int bits = dtype_bits(op->results[0]->type->dtype);
    bool small = a == DT_FP16 && bits == 16, any = a == DT_FP16 || a == DT_BF16 || a == DT_FP32;

    if (x->type->pointer || inner->results[0]->type->dtype != DT_I64 ||
        !dtype_is_int(op->results[0]->type->dtype) || !(small || (any && bits == 8)))
        return NULL;
    if (a != DT_FP16)
        x = without_multiples(op, x);
    Builder b = builder_before(op);
    const Type *i32 = type_with_dtype(b.module, x->type, DT_I32);
    x = fold_new(op, OP_cast, 1, &x, 1, inner->attrs, i32);
    return fold_new(op, OP_cast, 1, &x, 1, op->attrs, op->results[0]->type);
}

Value *fold_cast(Op *op)
{
    Value *x;

    if (op->code != OP_cast && op->code != OP_bitcast)
        return NULL;
    x = op->operands[0];
    if (x->type == op->results[0]->type)
        return x;
    if (!x->def || x->def->code != op->code)
        return NULL;
    if (op->code == OP_cast) {
        Value *merged = merge_casts(op);
        return merged ? merged : low_byte(op);
    }
    return fold_unary(op, OP_bitcast, x->def->operands[0], op->results[0]->type);
}
