/*
 * bits.c - libdevice's functions of bits and integers (semantics R304)
 *
 * brev, mulhi, mul24, averages, sums of differences, permuted bytes; sign, infinity and halves of
 * floats.
 */
#include "formula.h"

static DType unsigned_like(const Value *x)
{
    static const DType by_bytes[] = {[1] = DT_U8, [2] = DT_U16, [4] = DT_U32, [8] = DT_U64};

    return by_bytes[dtype_size(x->type->dtype)];
}

static Value *like_int(const Formula *f, const Value *x, int64_t v)
{
    return f_int(f, x->type->dtype, v);
}

/* --- integers --- */

/* Swap the bits under the mask with those `amount` above. */
static Value *swapped(const Formula *f, Value *x, uint64_t mask, int amount)
{
    Value *m = like_int(f, x, (int64_t)mask), *n = like_int(f, x, amount);
    Value *up = f_shl(f, f_and(f, x, m), n);

    return f_or(f, up, f_and(f, f_shr(f, x, n), m));
}

Value *libdevice_brev(const Formula *f, const Recipe *r, Value *const *v)
{
    static const uint64_t masks[] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
                                     0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff};
    DType t = v[0]->type->dtype;
    Value *x;

    (void)r;
    if (t == DT_I1)
        return v[0];
    x = f_bits(f, v[0], unsigned_like(v[0]));
    for (int i = 0; 1 << i < dtype_bits(t); i++)
        x = swapped(f, x, masks[i], 1 << i);
    return f_bits(f, x, t);
}

/* The high half of the product: of signed numbers, the unsigned one less what their sign bits
 * added. */
Value *libdevice_mulhi(const Formula *f, const Recipe *r, Value *const *v)
{
    Value *x = v[0], *y = v[1], *zero = like_int(f, x, 0);
    Value *high = f_mulhi(f, x, y);

    (void)r;
    if (!dtype_is_signed(x->type->dtype))
        return high;
    high = f_sub(f, high, f_select(f, f_lt(f, x, zero), y, zero));
    return f_sub(f, high, f_select(f, f_lt(f, y, zero), x, zero));
}

/* The low 24 bits as a number, by the sign of the dtype. */
static Value *low_24(const Formula *f, Value *x)
{
    Value *eight = like_int(f, x, 8);

    return f_shr(f, f_shl(f, x, eight), eight);
}

Value *libdevice_mul24(const Formula *f, const Recipe *r, Value *const *v)
{
    (void)r;
    return f_mul(f, low_24(f, v[0]), low_24(f, v[1]));
}

/* Half of the sum, rounded down: what both have, and half of what one has. */
Value *libdevice_hadd(const Formula *f, const Recipe *r, Value *const *v)
{
    Value *half = f_shr(f, f_xor(f, v[0], v[1]), like_int(f, v[0], 1));

    (void)r;
    return f_add(f, f_and(f, v[0], v[1]), half);
}

/* Half of the sum, rounded up. */
Value *libdevice_rhadd(const Formula *f, const Recipe *r, Value *const *v)
{
    Value *half = f_shr(f, f_xor(f, v[0], v[1]), like_int(f, v[0], 1));

    (void)r;
    return f_sub(f, f_or(f, v[0], v[1]), half);
}

/* |x - y| + z */
Value *libdevice_sad(const Formula *f, const Recipe *r, Value *const *v)
{
    Value *difference = f_sub(f, f_max(f, v[0], v[1]), f_min(f, v[0], v[1]));

    (void)r;
    return f_add(f, difference, f_cast(f, v[2], v[0]->type->dtype));
}

/* Four of the eight bytes of x and y; the low three bits of each digit of the selector say which.
 */
Value *libdevice_byte_perm(const Formula *f, const Recipe *r, Value *const *v)
{
    Value *low = f_cast(f, f_cast(f, v[0], DT_U32), DT_U64);
    Value *high = f_cast(f, f_cast(f, v[1], DT_U32), DT_U64);
    Value *bytes = f_or(f, low, f_shl(f, high, f_int(f, DT_U64, 32)));
    Value *selector = f_cast(f, f_cast(f, v[2], DT_U32), DT_U64);
    Value *result = f_int(f, DT_U64, 0);

    (void)r;
    for (int i = 0; i < 4; i++) {
        Value *digit = f_shr(f, selector, f_int(f, DT_U64, 4 * i));
        Value *amount = f_shl(f, f_and(f, digit, f_int(f, DT_U64, 7)), f_int(f, DT_U64, 3));
        Value *byte = f_and(f, f_shr(f, bytes, amount), f_int(f, DT_U64, 255));
        result = f_or(f, result, f_shl(f, byte, f_int(f, DT_U64, 8 * i)));
    }
    return f_cast(f, result, DT_I32);
}

/* --- floats as bits --- */

Value *libdevice_finite(const Formula *f, const Recipe *r, Value *const *v)
{
    (void)r;
    return f_lt(f, f_abs(f, v[0]), f_number(f, v[0]->type->dtype, __builtin_inf()));
}

/* As int32. */
Value *libdevice_signbit(const Formula *f, const Recipe *r, Value *const *v)
{
    Value *bits = f_bits(f, v[0], unsigned_like(v[0]));
    Value *sign = f_shr(f, bits, like_int(f, bits, dtype_bits(bits->type->dtype) - 1));

    (void)r;
    return f_cast(f, sign, DT_I32);
}

Value *libdevice_from_halves(const Formula *f, const Recipe *r, Value *const *v)
{
    Value *high = f_shl(f, f_cast(f, v[0], DT_U64), f_int(f, DT_U64, 32));
    Value *low = f_cast(f, f_bits(f, v[1], DT_U32), DT_U64);

    (void)r;
    return f_bits(f, f_or(f, high, low), DT_FP64);
}

Value *libdevice_low_half(const Formula *f, const Recipe *r, Value *const *v)
{
    (void)r;
    return f_cast(f, f_bits(f, f_cast(f, v[0], DT_FP64), DT_U64), DT_I32);
}

Value *libdevice_high_half(const Formula *f, const Recipe *r, Value *const *v)
{
    Value *bits = f_bits(f, f_cast(f, v[0], DT_FP64), DT_U64);

    (void)r;
    return f_cast(f, f_shr(f, bits, f_int(f, DT_U64, 32)), DT_I32);
}

/* 1/x cut to the bits of its high half. */
Value *libdevice_rcp64h(const Formula *f, const Recipe *r, Value *const *v)
{
    Value *bits = f_bits(f, f_div(f, K(1), f_cast(f, v[0], DT_FP64)), DT_U64);

    (void)r;
    return f_bits(f, f_and(f, bits, f_int(f, DT_U64, (int64_t)0xffffffff00000000)), DT_FP64);
}
