/*
 * fold_cast.c - conversions that do nothing, and chains of two that are one
 *
 * A chain A -> B -> C is A -> C when the first step keeps every value, or when both steps are
 * between integers and C keeps no more bits than B did.  From integer over float to integer, C
 * must hold all of A too: a float that C does not hold saturates (R81), an integer is cut off.
 * Conversions to fp8 stay as written: their rules differ with the source format (R84).
 */
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
    if (op->code == OP_cast)
        return merge_casts(op);
    return fold_unary(op, OP_bitcast, x->def->operands[0], op->results[0]->type);
}
