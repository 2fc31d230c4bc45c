/*
 * math_bound.c - how large an argument may be, by what it is computed of
 *
 * Angles are often turns times 2 pi, with turns made of an integer: of a random number's bits, as
 * for normal numbers, or of an index and a constant.  The ops say how large such a value gets.
 */
#include "math.h"

#include <math.h>

enum { DEPTH = 16 };

/* More than an operation's rounding. */
static const double ROUNDED = 1 + 0x1p-20;

static double bound(const Value *v, int depth);

/* Of a number of that type, finite or not. */
static double bound_of_type(DType t)
{
    return dtype_is_float(t) ? INFINITY : ldexp(1, dtype_bits(t) - dtype_is_signed(t));
}

static double product(double a, double b)
{
    return isinf(a) || isinf(b) ? INFINITY : a * b * ROUNDED;
}

/* May it be what an unsigned type has for numbers below 0? */
static bool may_wrap_below(const Op *op)
{
    if (!dtype_is_unsigned(op->results[0]->type->dtype))
        return false;
    return op->code == OP_sub || op->code == OP_neg ||
           (op->code == OP_cast && !dtype_is_unsigned(op->operands[0]->type->dtype));
}

/* Without what overflows in the type of the result. */
static double bound_of_op(const Op *op, int depth)
{
    Value *const *v = op->operands;

    if (may_wrap_below(op))
        return INFINITY;
    switch (op->code) {
    case OP_cast:
    case OP_neg:
    case OP_abs:
    case OP_splat:
    case OP_expand:
    case OP_broadcast:
    case OP_reshape:
    case OP_permute:
        return bound(v[0], depth);
    case OP_arange:
        return (double)MAX(attr_start(op), -attr_start(op)) +
               (double)type_numel(op->results[0]->type);
    case OP_add:
    case OP_sub:
        return (bound(v[0], depth) + bound(v[1], depth)) * ROUNDED;
    case OP_mul:
        return product(bound(v[0], depth), bound(v[1], depth));
    case OP_select:
        return fmax(bound(v[1], depth), bound(v[2], depth));
    default:
        return INFINITY;
    }
}

/* Small floats overflow where others do not, and integers wrap. */
static double bound(const Value *v, int depth)
{
    DType t = v->type->dtype;
    double most = bound_of_type(t), found;
    uint64_t bits;
    int64_t n;

    v = ir_resolve((Value *)v);
    if (!v->def || depth == 0 || v->type->pointer || dtype_is_small_float(t))
        return most;
    if (value_constant(v, &bits) && dtype_is_float(t))
        return fabs(scalar_to_double(t, bits));
    if (value_const_int(v, &n))
        return fabs((double)n);
    found = bound_of_op(v->def, depth - 1);
    return found < most ? found : most;
}

bool m_is_bounded(const Value *x, double most)
{
    return bound(x, DEPTH) <= most;
}
