/*
 * math_toward.c - arithmetic and conversions that round to a side, from those that round to nearest
 *
 * The nearest result s is off by an error of which the sign can be known; where it is on the wrong
 * side, the next number is the result.  Its own sign, and that of zero, are right already, but for
 * an exact sum of zero, which is -0 when rounding down.
 *
 * fp32 is computed in fp64, where sums, products and roots are exact or off by a known error, and
 * nothing overflows or underflows.  fp64 has to find its errors itself (T. J. Dekker 1971; of the
 * fma S. Boldo and J.-M. Muller 2011).  They are numbers of fp64 but where exponents are extreme;
 * so the operands are scaled by powers of two first.
 */
#include "math.h"

/* What a result is, rounded to nearest, and the rest: of the sign of what is missing. */
typedef struct {
    Value *near, *rest;
} Near;

static Value *is_finite(Math *m, Value *x)
{
    return m_lt(m, m_abs(m, x), K(__builtin_inf()));
}

static Value *shift_by(Math *m, Value *x, Value *n)
{
    return build_binary(&m->b, OP_ldexp, x, n);
}

/* --- the last step --- */

/* The number behind x on its side: away from zero or towards it. */
static Value *neighbour(Math *m, Value *x, Value *away)
{
    Value *bits = m_to_bits(m, x);
    Value *step = m_select(m, away, U(1), U(~(uint64_t)0));

    return m_from_bits(m, build_binary(&m->b, OP_add, bits, step));
}

/* Step to the side that is asked for where the rest lies there. */
static Value *stepped(Math *m, Rounding r, Near n, Value *above, Value *below)
{
    Value *negative = m_lt(m, n.near, K(0)), *positive = m_gt(m, n.near, K(0));
    Value *wrong, *away;

    if (r == ROUND_TO_ZERO) {
        wrong = m_or(m, m_and(m, positive, below), m_and(m, negative, above));
        away = build_const(&m->b, wrong->type, 0);
    } else {
        wrong = r == ROUND_UP ? above : below;
        away = m_eq(m, r == ROUND_UP ? negative : positive, build_const(&m->b, wrong->type, 0));
    }
    return m_select(m, wrong, neighbour(m, n.near, away), n.near);
}

/* `n` is of fp64; the result is of m's precision. */
static Value *finished(Math *m, Rounding r, Near n)
{
    Math wide = m_double(m);

    if (m->precise == SINGLE) {
        Value *narrow = m_cast(m, n.near);
        Value *cut = m_sub(&wide, n.near, m_cast(&wide, narrow));
        n.rest = m_select(m, m_ne(&wide, cut, m_num(&wide, 0)), cut, n.rest);
        n.near = narrow;
    }
    Value *below = m_lt(&wide, n.rest, m_num(&wide, 0));
    return stepped(m, r, n, m_gt(&wide, n.rest, m_num(&wide, 0)), below);
}

/* Rounding down, where x + y is exactly zero: positive only if both are. */
static Value *zero_sum(Math *m, Rounding r, Near n, Value *sum, Value *x, Value *y)
{
    Value *exact = m_and(m, m_eq(m, sum, K(0)), m_eq(m, n.rest, K(0)));
    Value *either = m_from_bits(m, m_or(m, m_to_bits(m, x), m_to_bits(m, y)));

    return r == ROUND_DOWN ? m_select(m, exact, m_copysign(m, K(0), either), sum) : sum;
}

/* --- errors of fp64 --- */

/* x + y, and what its rounding loses, exactly: the smaller one is added to the larger. */
static Near two_sum(Math *m, Value *x, Value *y)
{
    Value *larger = m_ge(m, m_abs(m, x), m_abs(m, y));
    Value *a = m_select(m, larger, x, y), *b = m_select(m, larger, y, x);
    Value *sum = m_add(m, x, y);

    return (Near){sum, m_sub(m, b, m_sub(m, sum, a))};
}

/* A sum that overflows is too large. */
static Value *less_overflow(Math *m, Near n, Value *finite)
{
    Value *over = m_and(m, finite, m_eq(m, m_abs(m, n.near), K(__builtin_inf())));

    return m_select(m, over, m_neg(m, n.near), n.rest);
}

static Near sum_toward(Math *m, Value *x, Value *y)
{
    Near n = two_sum(m, x, y);

    n.rest = less_overflow(m, n, m_and(m, is_finite(m, x), is_finite(m, y)));
    return n;
}

/* The smaller factor of a small product is scaled, and so the product. */
static Near product_toward(Math *m, Value *x, Value *y)
{
    Value *product = m_mul(m, x, y);
    Value *less = m_lt(m, m_abs(m, x), m_abs(m, y));
    Value *low = m_select(m, less, x, y), *high = m_select(m, less, y, x);
    Value *small = m_lt(m, m_abs(m, product), K(0x1p-900));
    Value *scale = m_select(m, small, K(0x1p600), K(1));
    Value *minus = m_neg(m, m_mul(m, product, scale));
    Value *rest = m_fma(m, m_mul(m, low, scale), high, minus);
    Value *none = m_eq(m, low, K(0)), *lost = m_eq(m, product, K(0));

    rest = m_select(m, lost, m_select(m, none, K(0), m_copysign(m, K(1), product)), rest);
    return (Near){product, rest};
}

/* 2^-600 for large numbers, 2^600 for small ones, 1 for the others; or the inverse. */
static Value *scale_of(Math *m, Value *x, bool inverse)
{
    Value *a = m_abs(m, x), *large = K(inverse ? 0x1p600 : 0x1p-600),
          *small = K(inverse ? 0x1p-600 : 0x1p600);

    return m_select(m, m_gt(m, a, K(0x1p500)), large,
                    m_select(m, m_lt(m, a, K(0x1p-500)), small, K(1)));
}

/* x - q y with x and y scaled, and q by the quotient of both scales. */
static Near quotient_toward(Math *m, Value *x, Value *y)
{
    Value *q = m_div(m, x, y);
    Value *scale_x = scale_of(m, x, false), *scale_y = scale_of(m, y, false);
    Value *same = m_eq(m, scale_x, scale_y);
    Value *scaled = m_mul(m, q, m_select(m, same, K(1), scale_x));

    scaled = m_mul(m, scaled, m_select(m, same, K(1), scale_of(m, y, true)));
    Value *rest = m_fma(m, m_neg(m, scaled), m_mul(m, y, scale_y), m_mul(m, x, scale_x));
    return (Near){q, m_mul(m, rest, m_copysign(m, K(1), y))};
}

static Near root_toward(Math *m, Value *x)
{
    Value *root = m_sqrt(m, x), *small = m_lt(m, x, K(0x1p-800));
    Value *scaled = m_mul(m, root, m_select(m, small, K(0x1p200), K(1)));
    Value *square = m_mul(m, x, m_select(m, small, K(0x1p400), K(1)));

    return (Near){root, m_fma(m, m_neg(m, scaled), scaled, square)};
}

/* The exponent as i32: x 2^-e is in [1, 2) for finite x but 0. */
static Value *exponent_of(Math *m, Value *x)
{
    Value *a = m_abs(m, x), *tiny = m_lt(m, a, K(0x1p-1022));
    Value *bits = m_to_bits(m, m_select(m, tiny, m_mul(m, a, K(0x1p54)), a));
    Value *field = build_cast(&m->b, m_shr(m, bits, U(52)), DT_I32, ROUND_NEAREST);
    const Type *t = field->type;
    Value *bias = m_select(m, tiny, build_int(&m->b, t, 1023 + 54), build_int(&m->b, t, 1023));

    return m_sub(m, field, bias);
}

/* x y + z, with both factors scaled to [1, 2), and z and the result likewise.  Of a z that is tiny
 * beside the product the sign matters; one that is huge is the result, and what is missing is the
 * product. */
static Near fma_toward(Math *m, Value *x, Value *y, Value *z)
{
    Value *result = m_fma(m, x, y, z);
    Value *at_x = exponent_of(m, x), *at_y = exponent_of(m, y);
    Value *zero = build_int(&m->b, at_x->type, 0);
    Value *down = m_sub(m, zero, build_binary(&m->b, OP_add, at_x, at_y));
    Value *unit_x = shift_by(m, x, m_sub(m, zero, at_x));
    Value *unit_y = shift_by(m, y, m_sub(m, zero, at_y));
    Value *third = shift_by(m, z, down), *scaled = shift_by(m, result, down);
    Value *product = m_mul(m, unit_x, unit_y);
    Value *tiny = m_and(m, m_lt(m, m_abs(m, third), K(0x1p-200)), m_ne(m, z, K(0)));
    Value *huge = m_gt(m, m_abs(m, third), K(0x1p200));
    tiny = m_and(m, tiny, m_ne(m, product, K(0)));
    third = m_select(m, tiny, m_copysign(m, K(0x1p-200), z), third);

    Value *lost = m_fma(m, unit_x, unit_y, m_neg(m, product));
    Near low = two_sum(m, third, lost), high = two_sum(m, product, low.near);
    Value *rest = m_add(m, m_sub(m, high.near, scaled), high.rest);
    rest = m_add(m, rest, low.rest);
    rest = m_select(m, huge, product, rest);

    Value *finite = m_and(m, m_and(m, is_finite(m, x), is_finite(m, y)), is_finite(m, z));
    rest = less_overflow(m, (Near){result, rest}, finite);
    return (Near){result, m_select(m, finite, rest, K(0))};
}

/* --- the functions --- */

/* Of fp32, in fp64: products are exact there, and so are the rests of quotients and roots. */
static Near wide_near(Math *m, OpCode code, Value *const *v)
{
    Value *near, *rest = K(0);

    switch (code) {
    case OP_add_toward:
        return two_sum(m, v[0], v[1]);
    case OP_mul_toward:
        return (Near){m_mul(m, v[0], v[1]), rest};
    case OP_fma_toward:
        return two_sum(m, m_mul(m, v[0], v[1]), v[2]);
    case OP_div_toward:
        near = m_div(m, v[0], v[1]);
        rest = m_fma(m, m_neg(m, near), v[1], v[0]);
        return (Near){near, m_mul(m, rest, m_copysign(m, K(1), v[1]))};
    default:
        near = m_sqrt(m, v[0]);
        return (Near){near, m_fma(m, m_neg(m, near), near, v[0])};
    }
}

static Near double_near(Math *m, OpCode code, Value *const *v)
{
    switch (code) {
    case OP_add_toward:
        return sum_toward(m, v[0], v[1]);
    case OP_mul_toward:
        return product_toward(m, v[0], v[1]);
    case OP_fma_toward:
        return fma_toward(m, v[0], v[1], v[2]);
    case OP_div_toward:
        return quotient_toward(m, v[0], v[1]);
    default:
        return root_toward(m, v[0]);
    }
}

Value *math_toward(Math *m, const Op *op)
{
    Math wide = m_double(m);
    Value *v[3] = {NULL};
    Rounding r = attr_rounding(op);

    for (int i = 0; i < op->noperands; i++)
        v[i] = m_cast(&wide, op->operands[i]);
    Near n = (m->precise == SINGLE ? wide_near : double_near)(&wide, op->code, v);
    if (op->code == OP_add_toward)
        n.near = zero_sum(&wide, r, n, n.near, v[0], v[1]);
    if (op->code == OP_fma_toward)
        n.near = zero_sum(&wide, r, n, n.near, m_mul(&wide, v[0], v[1]), v[2]);
    return finished(m, r, n);
}

/* An integer of 64 bits is the sum of its halves, which fp64 holds. */
static Near of_integer(Math *m, Value *x)
{
    const Type *t = x->type;
    Value *high = m_shr(m, x, build_int(&m->b, t, 32));
    Value *low = m_and(m, x, build_int(&m->b, t, 0xffffffff));
    Value *rest = m_cast(m, low);

    return two_sum(m, m_mul(m, m_cast(m, high), K(0x1p32)), rest);
}

/* A float that the precision of m holds. */
static Near exactly(Math *m, Value *x)
{
    Value *near = m_cast(m, x);

    return (Near){near, m_num(m, 0)};
}

Value *math_cast_toward(Math *m, const Op *op)
{
    Math wide = m_double(m);
    Value *x = op->operands[0];
    bool whole = dtype_is_int(x->type->dtype) && dtype_bits(x->type->dtype) == 64;
    Near n = {NULL};

    if (whole)
        n = of_integer(&wide, x);
    else
        n = exactly(&wide, x);
    return finished(m, attr_rounding(op), n);
}
