/*
 * combine.c - what a reduce or scan combines with: is it a sum, a maximum, ..., and from where does
 * that begin?
 */
#include "ir.h"
#include "analysis.h"

/* The region's one op on the region's own arguments, whatever their order; NULL when it is more. */
static const Op *only_op(const Op *op)
{
    const Block *region = op->regions[0];
    const Op *only = region->first;

    if (op->noperands != 1 || !op_has(only, FOLDS) || only->noperands != 2)
        return NULL;
    for (int i = 0; i < 2; i++) {
        if (only->operands[i]->block != region || only->operands[i]->def)
            return NULL;
    }
    return only->next == region->last && region->last->operands[0] == only->results[0] ? only
                                                                                       : NULL;
}

static uint64_t extreme(DType t, bool highest)
{
    uint64_t all = scalar_truncate(t, UINT64_MAX);
    uint64_t top = (uint64_t)1 << (dtype_bits(t) - 1);

    if (dtype_is_unsigned(t))
        return highest ? all : 0;
    return highest ? all & ~top : top;
}

static double neutral_float(OpCode code)
{
    switch (code) {
    case OP_add:
        return -0.0;
    case OP_mul:
        return 1;
    case OP_maxnan:
        return -__builtin_inf();
    case OP_minnan:
        return __builtin_inf();
    default: /* min and max ignore it */
        return __builtin_nan("");
    }
}

static uint64_t neutral_int(OpCode code, DType t)
{
    switch (code) {
    case OP_min:
        return extreme(t, true);
    case OP_max:
        return extreme(t, false);
    case OP_and:
        return scalar_truncate(t, UINT64_MAX);
    case OP_mul:
        return 1;
    default:
        return 0;
    }
}

static bool has_neutral(OpCode code)
{
    switch (code) {
    case OP_add:
    case OP_mul:
    case OP_min:
    case OP_max:
    case OP_minnan:
    case OP_maxnan:
    case OP_and:
    case OP_or:
    case OP_xor:
        return true;
    default:
        return false;
    }
}

CombineKind ir_combine_kind(const Op *op)
{
    CombineKind k = {.only = only_op(op), .neutral = OP_COUNT};

    if (!k.only || k.only->operands[0]->index != 0 || k.only->operands[1]->index != 1 ||
        !has_neutral(k.only->code))
        return k;
    DType t = op->operands[0]->type->dtype;
    k.neutral = k.only->code;
    if (dtype_is_float(t))
        k.real = neutral_float(k.neutral);
    else
        k.bits = neutral_int(k.neutral, t);
    return k;
}
