/*
 * asm_float.c - PTX instructions of floats, comparisons and moves (asm_rows.c)
 *
 * Each takes and gives values in the dtype of its type; pairs come lane by lane.
 */
#include <string.h>

#include "asm.h"

Value *asm_clamped(Asm *a, const AsmInst *in, Value *v)
{
    DType t = v->type->dtype;

    if (asm_has(in, "sat")) { /* max() prefers the number */
        Value *one = asm_float(a, t, 1);
        v = asm_op(a, OP_min, asm_op(a, OP_max, v, asm_float(a, t, 0)), one);
    }
    if (asm_has(in, "relu"))
        v = asm_op(a, OP_maxnan, v, asm_float(a, t, 0));
    return v;
}

static Value *of_operands(Asm *a, OpCode op, int n, Value **v, Rounding r)
{
    int64_t side = r;

    return build_op(&a->b, op, n, v, r != ROUND_NEAREST, &side, 0, NULL)->results[0];
}

Value *asm_float_op(Asm *a, const AsmInst *in, Value **v)
{
    int n = (int)strlen(in->row->operands);

    return asm_clamped(a, in, of_operands(a, in->row->op, n, v, ROUND_NEAREST));
}

/* An op that rounds to a side, as the one that rounds to nearest where it should. */
static OpCode to_nearest(OpCode op)
{
    switch (op) {
    case OP_add_toward:
        return OP_add;
    case OP_mul_toward:
        return OP_mul;
    case OP_div_toward:
        return OP_div;
    case OP_fma_toward:
        return OP_fma;
    default:
        return OP_sqrt;
    }
}

static Value *rounded(Asm *a, OpCode op, int n, Value **v, Rounding r)
{
    return of_operands(a, r == ROUND_NEAREST ? to_nearest(op) : op, n, v, r);
}

Value *asm_toward(Asm *a, const AsmInst *in, Value **v)
{
    Rounding r = asm_rounding(in);
    OpCode op = in->row->op;
    int n = (int)strlen(in->row->operands);

    if (op == OP_sub && r == ROUND_NEAREST)
        return asm_clamped(a, in, asm_op(a, OP_sub, v[0], v[1]));
    if (op == OP_sub) {
        op = OP_add_toward;
        v[1] = asm_op(a, OP_neg, v[1], NULL);
    }
    return asm_clamped(a, in, rounded(a, op, n, v, r));
}

Value *asm_reciprocal(Asm *a, const AsmInst *in, Value **v)
{
    Value *both[] = {asm_float(a, v[0]->type->dtype, 1), v[0]};

    return rounded(a, OP_div_toward, 2, both, asm_rounding(in));
}

/* In fp32 where there is nothing smaller. */
Value *asm_approx(Asm *a, const AsmInst *in, Value **v)
{
    DType t = v[0]->type->dtype;
    Value *x = dtype_is_small_float(t) ? asm_cast(a, v[0], DT_FP32) : v[0];

    return asm_cast(a, asm_op(a, in->row->op, x, NULL), t);
}

/* The sum in fp32 with its lowest bit set where it is not exact: from there it is rounded once. */
static Value *odd_sum(Asm *a, Value **v)
{
    Value *side[3];

    for (int64_t r = ROUND_TO_ZERO; r <= ROUND_UP; r++)
        side[r - ROUND_TO_ZERO] = of_operands(a, OP_fma_toward, 3, v, (Rounding)r);
    Value *bits = asm_bits(a, side[0]), *inexact = asm_op(a, OP_ne, side[1], side[2]);
    bits = asm_op(a, OP_or, bits, asm_cast(a, inexact, DT_U32));
    return asm_bitcast(a, bits, DT_FP32);
}

/* Rounded once: fp64 holds all of a sum of fp16 that can decide how, but not one of bf16, whose
 * exponents go as far as those of fp32. */
Value *asm_fma(Asm *a, const AsmInst *in, Value **v)
{
    DType t = v[0]->type->dtype;
    Value *wide[3], *sum;

    for (int i = 0; i < 3; i++)
        wide[i] = asm_cast(a, v[i], t == DT_FP16 ? DT_FP64 : DT_FP32);
    sum = t == DT_FP16 ? of_operands(a, OP_fma, 3, wide, ROUND_NEAREST) : odd_sum(a, wide);
    return asm_clamped(a, in, asm_cast(a, sum, t));
}

Value *asm_least(Asm *a, const AsmInst *in, Value **v)
{
    OpCode with_nan = in->row->op == OP_min ? OP_minnan : OP_maxnan;

    return asm_op(a, asm_has(in, "NaN") ? with_nan : in->row->op, v[0], v[1]);
}

/* The sign of the first operand. */
Value *asm_copysign(Asm *a, const AsmInst *in, Value **v)
{
    (void)in;
    return asm_op(a, OP_copysign, v[1], v[0]);
}

static Value *negation(Asm *a, Value *v)
{
    return asm_op(a, OP_not, v, NULL);
}

/* Zero is a normal number. */
Value *asm_testp(Asm *a, const AsmInst *in, Value **v)
{
    DType t = v[0]->type->dtype;
    Value *x = asm_op(a, OP_abs, v[0], NULL),
          *least = asm_float(a, t, t == DT_FP32 ? 0x1p-126 : 0x1p-1022);
    Value *finite = asm_op(a, OP_lt, x, asm_float(a, t, __builtin_inf()));
    Value *is_small = asm_op(a, OP_lt, x, least);

    if (asm_has(in, "finite"))
        return finite;
    if (asm_has(in, "infinite"))
        return asm_op(a, OP_isinf, v[0], NULL);
    if (asm_has(in, "number"))
        return negation(a, asm_op(a, OP_isnan, v[0], NULL));
    if (asm_has(in, "notanumber"))
        return asm_op(a, OP_isnan, v[0], NULL);
    is_small = asm_op(a, OP_and, is_small, asm_op(a, OP_gt, x, asm_float(a, t, 0)));
    if (asm_has(in, "subnormal"))
        return is_small;
    return asm_has(in, "normal") ? asm_op(a, OP_and, finite, negation(a, is_small)) : NULL;
}

/* --- comparisons and moves --- */

static const struct {
    const char *name;
    OpCode op;
} tests[] = {
    {"eq", OP_eq}, {"ne", OP_ne}, {"lt", OP_lt}, {"le", OP_le}, {"gt", OP_gt},
    {"ge", OP_ge}, {"lo", OP_lt}, {"ls", OP_le}, {"hi", OP_gt}, {"hs", OP_ge},
};

/* ..u is true of NaN, too; `ne` is not, though the op is. */
static Value *test_of(Asm *a, const AsmInst *in, Value **v)
{
    bool is_float = dtype_is_float(v[0]->type->dtype);

    Value *nan = is_float ? asm_op(a, OP_isnan, v[1], NULL) : NULL;
    if (is_float)
        nan = asm_op(a, OP_or, asm_op(a, OP_isnan, v[0], NULL), nan);
    if (asm_has(in, "num") || asm_has(in, "nan"))
        return !nan || asm_has(in, "nan") ? nan : negation(a, nan);
    for (int i = 0; i < COUNT(tests); i++) {
        char with_nan[4] = {tests[i].name[0], tests[i].name[1], 'u', 0};
        bool named = asm_has(in, tests[i].name), unordered = asm_has(in, with_nan);

        if ((!named && !unordered) || (unordered && !is_float))
            continue;
        Value *yes = asm_op(a, tests[i].op, v[0], v[1]);
        if (unordered)
            return asm_op(a, OP_or, yes, nan);
        return nan && tests[i].op == OP_ne ? asm_op(a, OP_and, yes, negation(a, nan)) : yes;
    }
    return NULL;
}

Value *asm_compare(Asm *a, const AsmInst *in, Value **v)
{
    Value *yes = test_of(a, in, v);

    if (!yes || !in->row->operands[2])
        return asm_has(in, "and") || asm_has(in, "or") || asm_has(in, "xor") ? NULL : yes;
    return asm_has(in, "and")   ? asm_op(a, OP_and, yes, v[2])
           : asm_has(in, "or")  ? asm_op(a, OP_or, yes, v[2])
           : asm_has(in, "xor") ? asm_op(a, OP_xor, yes, v[2])
                                : NULL;
}

/* All bits, or of a float 1. */
Value *asm_set(Asm *a, const AsmInst *in, Value **v)
{
    Value *yes = test_of(a, in, v);
    DType t = in->type[0]->dtype;

    if (!yes)
        return NULL;
    Value *no = t == DT_FP32 ? asm_float(a, t, 0) : asm_int(a, t, 0);
    return build_select(&a->b, yes, t == DT_FP32 ? asm_float(a, t, 1) : asm_int(a, t, -1), no);
}

Value *asm_select(Asm *a, const AsmInst *in, Value **v)
{
    (void)in;
    return build_select(&a->b, v[2], v[0], v[1]);
}

Value *asm_move(Asm *a, const AsmInst *in, Value **v)
{
    (void)a;
    (void)in;
    return v[0];
}
