/*
 * formula_quant.c - scales that fit what is positive alone
 *
 * x / (tl.max(x) / 127) as an int8 lies between -127 and 127 where the greatest is also the one
 * that is farthest from 0: of what may be negative, tl.max(tl.abs(x)).  Told where the quotient
 * becomes a signed integer of 8 bits or fp8, and nothing shows that x is not below 0.
 *
 * So is x * scale, for which x / scale was meant, and a quotient that becomes an integer as it is:
 * that cuts off its fraction; and what is held between limits that the type does not have,
 * tl.clamp(x, -128, 127) as a uint8.
 */
#include <math.h>

#include "formula.h"

enum { DEEPEST = 10 };

static bool has_sign(DType t)
{
    return dtype_bits(t) == 8 && (dtype_is_float(t) || (dtype_is_int(t) && dtype_is_signed(t)));
}

/* The tile of whose elements it is the greatest, by a constant, and kept from 0; NULL: it is more.
 */
static const Value *scaled_greatest(const Value *v, int depth)
{
    const Op *op = ir_bare(v)->def;
    uint64_t bits;

    if (!op || depth == 0)
        return NULL;
    if (ir_reduces(op) && op->noperands == 1) {
        OpCode how = ir_combine_code(op);
        return how == OP_max || how == OP_maxnan ? op->operands[0] : NULL;
    }
    if (op->code == OP_div && value_constant(ir_bare(op->operands[1]), &bits))
        return scaled_greatest(op->operands[0], depth - 1);
    for (int i = 0; (op->code == OP_mul || op->code == OP_add || op->code == OP_max) && i < 2;
         i++) {
        if (value_constant(ir_bare(op->operands[i]), &bits))
            return scaled_greatest(op->operands[1 - i], depth - 1);
    }
    return NULL;
}

/* As it was loaded, or a product of matrices: either sign. */
static bool may_be_negative(const Value *v)
{
    const Op *op = ir_bare(v)->def;

    return op &&
           ((op_only_reads(op) && dtype_is_float(ir_bare(v)->type->dtype)) || op->code == OP_dot);
}

/* x / scale, or x * (1 / scale), of the greatest x; what rounds and cuts stands around it. */
static bool is_quotient(const Value *v, int depth)
{
    const Op *op = ir_bare(v)->def;
    const Value *tile = NULL, *x = NULL;
    uint64_t bits;

    if (!op || depth == 0 || op_only_reads(op))
        return false;
    if (op->code == OP_div) {
        tile = scaled_greatest(op->operands[1], DEEPEST);
        x = op->operands[0];
    }
    for (int i = 0; op->code == OP_mul && i < 2 && !tile; i++) {
        const Op *by = ir_bare(op->operands[i])->def;
        if (by && by->code == OP_div && value_constant(ir_bare(by->operands[0]), &bits)) {
            tile = scaled_greatest(by->operands[1], DEEPEST);
            x = op->operands[1 - i];
        }
    }
    if (tile)
        return ir_bare(tile) == ir_bare(x) && may_be_negative(x);
    for (int i = 0; i < op->noperands && op_has(op, FOLDS) && !op_has(op, COMPARES); i++) {
        if (is_quotient(op->operands[i], depth - 1))
            return true;
    }
    return false;
}

/* Without its sign. */
static const Value *magnitude(const Value *v)
{
    const Op *op = ir_bare(v)->def;

    return ir_bare(op && op->code == OP_abs ? op->operands[0] : v);
}

/* tl.max(..) / 127, kept from 0, and no maximum as it is */
static const Value *scaled_by_part(const Value *v)
{
    const Op *op = ir_bare(v)->def;

    return op && !ir_reduces(op) ? scaled_greatest(v, DEEPEST) : NULL;
}

/* x * scale of scale = tl.max(tl.abs(x)) / 127; what rounds and cuts stands around it. */
static bool is_multiplied(const Value *v, int depth)
{
    const Op *op = ir_bare(v)->def;

    if (!op || depth == 0 || op_only_reads(op))
        return false;
    for (int i = 0; op->code == OP_mul && i < 2; i++) {
        const Value *tile = scaled_by_part(op->operands[i]);
        if (tile && magnitude(tile) == ir_bare(op->operands[1 - i]))
            return true;
    }
    for (int i = 0; i < op->noperands && op_has(op, FOLDS) && !op_has(op, COMPARES); i++) {
        if (is_multiplied(op->operands[i], depth - 1))
            return true;
    }
    return false;
}

/* (x / scale).to(tl.int8), of scale = tl.max(tl.abs(x)) / 127; limits may stand in between. */
static bool is_cut_off(const Value *v, int depth)
{
    const Op *op = ir_bare(v)->def;
    uint64_t bits;

    if (!op || depth == 0)
        return false;
    if (op->code == OP_div)
        return scaled_by_part(op->operands[1]) != NULL;
    for (int i = 0; op->noperands == 2 && i < 2; i++) {
        const Op *inverse = ir_bare(op->operands[i])->def;
        bool limits = op->code == OP_min || op->code == OP_minnan || op->code == OP_max ||
                      op->code == OP_maxnan;
        if (limits && value_constant(ir_bare(op->operands[i]), &bits))
            return is_cut_off(op->operands[1 - i], depth - 1);
        if (op->code == OP_mul && inverse && inverse->code == OP_div &&
            scaled_greatest(inverse->operands[1], DEEPEST))
            return true;
    }
    return false;
}

/* --- limits of another type --- */

static bool is_stored(const Suspect *s, const Value *v)
{
    const UseLists *uses = tell_uses(s);

    for (int i = 0; i < uses_count(uses, v); i++) {
        if (op_has(uses_of(uses, v)[i].op, WRITES))
            return true;
    }
    return false;
}

/* tl.minimum(tl.maximum(x, low), high), or one of both, as an integer of 8 bits that is stored; who
 * adds to it may count modulo 256. */
static void look_at_limits(const Suspect *s, const Op *cast)
{
    enum { LIMITS = 2 };
    DType t = cast->results[0]->type->dtype;
    const Op *op = ir_unmoved(cast->operands[0])->def;
    int most = t == DT_U8 ? UINT8_MAX : INT8_MAX, least = t == DT_U8 ? 0 : INT8_MIN;
    uint64_t bits;

    for (int n = 0; n < LIMITS && is_stored(s, cast->results[0]) && op && op->noperands == 2; n++) {
        bool upper = op->code == OP_min || op->code == OP_minnan;
        const Value *limit = op->operands[!value_constant(op->operands[0], &bits)];
        if ((!upper && op->code != OP_max && op->code != OP_maxnan) ||
            !value_constant(limit, &bits))
            return;
        double x = scalar_to_double(limit->type->dtype, bits);
        if (isfinite(x) && (upper ? x >= most + 1.0 : x <= least - 1.0))
            tell_warn(s, op,
                      arena_printf(s->arena, "tl.clamp(x, %d, %d), or another type", least, most),
                      "this keeps numbers %s %g, and %s has none of these: they wrap around there",
                      upper ? "up to" : "down to", x, dtype_long_name(t));
        op = ir_unmoved(op->operands[limit == op->operands[0]])->def;
    }
}

static void look_at(Op *op, void *suspect)
{
    if (op->code == OP_cast &&
        (op->results[0]->type->dtype == DT_I8 || op->results[0]->type->dtype == DT_U8))
        look_at_limits(suspect, op);
    if (op->code == OP_cast && op->results[0]->type->dtype == DT_I8 &&
        dtype_is_float(op->operands[0]->type->dtype) && is_cut_off(op->operands[0], DEEPEST))
        tell_warn(suspect, op, "round it first: tl.floor(q + 0.5)",
                  "this cuts off the fraction of what was scaled to the whole of int8: all are "
                  "up to 1 too near to 0");
    if (op->code == OP_cast && has_sign(op->results[0]->type->dtype) &&
        dtype_is_float(op->operands[0]->type->dtype) && is_multiplied(op->operands[0], DEEPEST))
        tell_warn(suspect, op, "x / scale, and q * scale when it is read",
                  "this was multiplied by a scale that is a part of the greatest of all: "
                  "divided by it, all lie within the type");
    if (op->code == OP_cast && has_sign(op->results[0]->type->dtype) &&
        dtype_is_float(op->operands[0]->type->dtype) && is_quotient(op->operands[0], DEEPEST))
        tell_warn(suspect, op, "the scale is of tl.max(tl.abs(x))",
                  "this was scaled by the greatest of all, which may be less than the least is "
                  "below 0: what is negative does not fit");
}

void formula_quant(const Suspect *s)
{
    ir_walk(s->func->body, look_at, (void *)s);
}
