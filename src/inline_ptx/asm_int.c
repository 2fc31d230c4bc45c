/*
 * asm_int.c - PTX instructions of integers and bits (asm_rows.c)
 */
#include "asm.h"

Value *asm_int_op(Asm *a, const AsmInst *in, Value **v)
{
    return asm_op(a, in->row->op, v[0], in->row->operands[1] ? v[1] : NULL);
}

static DType twice(DType t)
{
    bool is_signed = dtype_is_signed(t);

    return dtype_bits(t) == 16 ? (is_signed ? DT_I32 : DT_U32) : is_signed ? DT_I64 : DT_U64;
}

/* A sum that stops at the ends of s32. */
Value *asm_sat_int(Asm *a, const AsmInst *in, Value **v)
{
    Value *y = asm_cast(a, v[1], DT_I64);
    Value *sum = asm_op(a, in->row->op, asm_cast(a, v[0], DT_I64), y);

    sum = asm_op(a, OP_max, sum, asm_int(a, DT_I64, INT32_MIN));
    return asm_cast(a, asm_op(a, OP_min, sum, asm_int(a, DT_I64, INT32_MAX)), DT_I32);
}

Value *asm_wide(Asm *a, const AsmInst *in, Value **v)
{
    DType wide = twice(in->type[0]->dtype);
    Value *y = asm_cast(a, v[1], wide);

    return asm_op(a, OP_mul, asm_cast(a, v[0], wide), y);
}

/* The high half of the product: of 64 bits the unsigned one, less what sign bits added. */
Value *asm_high(Asm *a, const AsmInst *in, Value **v)
{
    DType t = in->type[0]->dtype;
    Value *zero = asm_int(a, t, 0);

    if (dtype_bits(t) < 64) {
        Value *both = asm_wide(a, in, v);
        return asm_cast(a, asm_op(a, OP_shr, both, asm_int(a, both->type->dtype, dtype_bits(t))),
                        t);
    }
    Value *high = asm_op(a, OP_mulhi, v[0], v[1]);
    for (int i = 0; i < 2 && dtype_is_signed(t); i++) {
        Value *negative = asm_op(a, OP_lt, v[i], zero);
        high = asm_op(a, OP_sub, high, build_select(&a->b, negative, v[1 - i], zero));
    }
    return high;
}

Value *asm_mad(Asm *a, const AsmInst *in, Value **v)
{
    (void)in;
    return asm_op(a, OP_add, asm_op(a, OP_mul, v[0], v[1]), v[2]);
}

Value *asm_mad_high(Asm *a, const AsmInst *in, Value **v)
{
    return asm_op(a, OP_add, asm_high(a, in, v), v[2]);
}

Value *asm_mad_wide(Asm *a, const AsmInst *in, Value **v)
{
    Value *product = asm_wide(a, in, v);

    return asm_op(a, OP_add, product, asm_bitcast(a, v[2], product->type->dtype));
}

/* |x - y| + z */
Value *asm_sad(Asm *a, const AsmInst *in, Value **v)
{
    Value *least = asm_op(a, OP_min, v[0], v[1]);
    Value *apart = asm_op(a, OP_sub, asm_op(a, OP_max, v[0], v[1]), least);

    (void)in;
    return asm_op(a, OP_add, apart, v[2]);
}

/* The sum of products of four bytes. */
Value *asm_dot4(Asm *a, const AsmInst *in, Value **v)
{
    Value *sum = v[2];

    for (int i = 0; i < 4; i++) {
        Value *byte[2];
        for (int k = 0; k < 2; k++) {
            Value *up = asm_op(a, OP_shl, v[k], asm_int(a, v[k]->type->dtype, 24 - 8 * i));
            byte[k] = asm_bits(a, asm_op(a, OP_shr, up, asm_int(a, v[k]->type->dtype, 24)));
        }
        sum = asm_op(a, OP_add, sum, asm_op(a, OP_mul, byte[0], byte[1]));
    }
    (void)in;
    return sum;
}

Value *asm_cnot(Asm *a, const AsmInst *in, Value **v)
{
    DType t = in->type[0]->dtype;
    Value *zero = asm_int(a, t, 0);
    Value *one = asm_int(a, t, 1);

    return build_select(&a->b, asm_op(a, OP_eq, v[0], zero), one, zero);
}

/* --- shifts and fields --- */

/* Of 32 bits in any width: in 16 bits what is beyond 64 shifts as 64 does. */
static Value *amount_in(Asm *a, Value *n, DType t)
{
    if (dtype_bits(t) < 32)
        n = asm_op(a, OP_min, n, asm_int(a, DT_U32, 64));
    return asm_cast(a, n, t);
}

Value *asm_shift(Asm *a, const AsmInst *in, Value **v)
{
    return asm_op(a, in->row->op, v[0], amount_in(a, v[1], v[0]->type->dtype));
}

/* 32 of the 64 bits of both operands, the second one high. */
Value *asm_funnel(Asm *a, const AsmInst *in, Value **v)
{
    Value *most = asm_int(a, DT_U32, 32), *n = v[2];

    if (asm_has(in, "wrap") == asm_has(in, "clamp"))
        return NULL;
    n = asm_has(in, "wrap") ? asm_op(a, OP_and, n, asm_int(a, DT_U32, 31))
                            : asm_op(a, OP_min, n, most);
    Value *rest = asm_op(a, OP_sub, most, n);
    bool left = in->row->op == OP_shl;
    Value *high = asm_op(a, OP_shl, v[1], left ? n : rest),
          *low = asm_op(a, OP_shr, v[0], left ? rest : n);
    return asm_op(a, OP_or, high, low);
}

static Value *low_byte(Asm *a, Value *v)
{
    return asm_op(a, OP_and, v, asm_int(a, DT_U32, 255));
}

/* Up to the highest bit that is wanted, and down again with copies of it above. */
Value *asm_extract(Asm *a, const AsmInst *in, Value **v)
{
    DType t = in->type[0]->dtype;
    Value *most = asm_int(a, DT_U32, dtype_bits(t));
    Value *at = low_byte(a, v[1]), *n = asm_op(a, OP_min, low_byte(a, v[2]), most);
    Value *x = asm_op(a, OP_shr, v[0], amount_in(a, at, t));
    Value *unused = asm_cast(a, asm_op(a, OP_sub, most, n), t);

    return asm_op(a, OP_shr, asm_op(a, OP_shl, x, unused), unused);
}

Value *asm_insert(Asm *a, const AsmInst *in, Value **v)
{
    DType t = in->type[0]->dtype;
    Value *at = amount_in(a, low_byte(a, v[2]), t), *n = amount_in(a, low_byte(a, v[3]), t);
    Value *one = asm_int(a, t, 1);
    Value *mask = asm_op(a, OP_shl, asm_op(a, OP_sub, asm_op(a, OP_shl, one, n), one), at);
    Value *kept = asm_op(a, OP_and, v[1], asm_op(a, OP_not, mask, NULL));

    return asm_op(a, OP_or, kept, asm_op(a, OP_and, asm_op(a, OP_shl, v[0], at), mask));
}

/* --- bits --- */

/* The function of n values that a table has for all of their bits, the first one's the highest of
 * the place in it. */
static Value *looked_up(Asm *a, Value **v, int n, uint32_t table)
{
    uint32_t half = n > 0 ? 1u << (n - 1) : 0, ones = (1u << half) - 1;
    uint32_t low = table & ones, high = table >> half & ones;

    if (n == 0)
        return asm_int(a, DT_U32, table & 1 ? -1 : 0);
    if (low == high)
        return looked_up(a, v + 1, n - 1, low);
    if (low == (high ^ ones))
        return asm_op(a, OP_xor, v[0], looked_up(a, v + 1, n - 1, low));
    Value *not_first = asm_op(a, OP_not, v[0], NULL);
    if (low == 0)
        return asm_op(a, OP_and, v[0], looked_up(a, v + 1, n - 1, high));
    if (high == 0)
        return asm_op(a, OP_and, not_first, looked_up(a, v + 1, n - 1, low));
    if (high == ones)
        return asm_op(a, OP_or, v[0], looked_up(a, v + 1, n - 1, low));
    if (low == ones)
        return asm_op(a, OP_or, not_first, looked_up(a, v + 1, n - 1, high));
    Value *rest = asm_op(a, OP_and, not_first, looked_up(a, v + 1, n - 1, low));
    return asm_op(a, OP_or, asm_op(a, OP_and, v[0], looked_up(a, v + 1, n - 1, high)), rest);
}

Value *asm_lop3(Asm *a, const AsmInst *in, Value **v)
{
    return in->number > 255 ? NULL : looked_up(a, v, 3, in->number);
}

/* What the low two bits of the selector mean, in each mode. */
static const struct {
    const char *name;
    uint16_t selector[4];
} modes[] = {
    {"f4e", {0x3210, 0x4321, 0x5432, 0x6543}}, {"b4e", {0x5670, 0x6701, 0x7012, 0x0123}},
    {"rc8", {0x0000, 0x1111, 0x2222, 0x3333}}, {"ecl", {0x3210, 0x3211, 0x3222, 0x3333}},
    {"ecr", {0x0000, 0x1110, 0x2210, 0x3210}}, {"rc16", {0x1010, 0x3232, 0x1010, 0x3232}},
};

static Value *selector_of(Asm *a, const AsmInst *in, Value *v)
{
    for (int i = 0; i < COUNT(modes); i++) {
        if (!asm_has(in, modes[i].name))
            continue;
        Value *which = asm_op(a, OP_and, v, asm_int(a, DT_U32, 3));
        Value *out = asm_int(a, DT_U32, modes[i].selector[3]);
        for (int k = 2; k >= 0; k--) {
            Value *is = asm_op(a, OP_eq, which, asm_int(a, DT_U32, k));
            out = build_select(&a->b, is, asm_int(a, DT_U32, modes[i].selector[k]), out);
        }
        return out;
    }
    return v;
}

/* Four of the eight bytes of the first two, by the digits of the selector; with bit 3 of the digit
 * only the byte's sign, in all of its bits. */
Value *asm_prmt(Asm *a, const AsmInst *in, Value **v)
{
    Value *places = asm_int(a, DT_U64, 32);
    Value *high = asm_op(a, OP_shl, asm_cast(a, v[1], DT_U64), places);
    Value *bytes = asm_op(a, OP_or, asm_cast(a, v[0], DT_U64), high);
    Value *selector = selector_of(a, in, v[2]), *out = NULL;

    for (int i = 0; i < 4; i++) {
        Value *digit = asm_op(a, OP_shr, selector, asm_int(a, DT_U32, 4 * i));
        Value *place = asm_op(a, OP_and, digit, asm_int(a, DT_U32, 7));
        Value *amount = asm_cast(a, asm_op(a, OP_shl, place, asm_int(a, DT_U32, 3)), DT_U64);
        Value *byte = asm_cast(a, asm_op(a, OP_shr, bytes, amount), DT_U8);
        Value *top = asm_int(a, DT_I8, 7);
        Value *sign = asm_op(a, OP_shr, asm_bitcast(a, byte, DT_I8), top);
        Value *zero = asm_int(a, DT_U32, 0);
        Value *plain = asm_op(a, OP_eq, asm_op(a, OP_and, digit, asm_int(a, DT_U32, 8)), zero);

        byte = asm_cast(a, build_select(&a->b, plain, byte, asm_bits(a, sign)), DT_U32);
        byte = asm_op(a, OP_shl, byte, asm_int(a, DT_U32, 8 * i));
        out = out ? asm_op(a, OP_or, out, byte) : byte;
    }
    return out;
}

Value *asm_count(Asm *a, const AsmInst *in, Value **v)
{
    return asm_cast(a, asm_op(a, in->row->op, v[0], NULL), DT_U32);
}

Value *asm_reverse(Asm *a, const AsmInst *in, Value **v)
{
    static const uint64_t masks[] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
                                     0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff};
    DType t = in->type[0]->dtype;
    Value *x = v[0];

    for (int i = 0; 1 << i < dtype_bits(t); i++) {
        Value *mask = asm_int(a, t, (int64_t)masks[i]), *n = asm_int(a, t, 1 << i);
        Value *up = asm_op(a, OP_shl, asm_op(a, OP_and, x, mask), n);
        x = asm_op(a, OP_or, up, asm_op(a, OP_and, asm_op(a, OP_shr, x, n), mask));
    }
    return x;
}

/* The highest bit that is not as the sign, from 0 on, or with .shiftamt how far it is from the top;
 * where there is none all ones. */
Value *asm_find(Asm *a, const AsmInst *in, Value **v)
{
    DType t = in->type[0]->dtype;
    Value *x = v[0];

    if (dtype_is_signed(t))
        x = asm_op(a, OP_xor, x, asm_op(a, OP_shr, x, asm_int(a, t, dtype_bits(t) - 1)));
    Value *n = asm_cast(a, asm_op(a, OP_clz, x, NULL), DT_U32),
          *most = asm_int(a, DT_U32, dtype_bits(t));
    if (!asm_has(in, "shiftamt"))
        return asm_op(a, OP_sub, asm_int(a, DT_U32, dtype_bits(t) - 1), n);
    Value *none = asm_int(a, DT_U32, -1);
    return build_select(&a->b, asm_op(a, OP_eq, n, most), none, n);
}
