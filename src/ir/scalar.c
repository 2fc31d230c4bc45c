/*
 * scalar.c - the way to what each op with FOLDS means, on each dtype, once
 *
 * The constant folder calls scalar_apply with one element and the interpreter with whole tiles, so
 * no second meaning can creep in.  This file only chooses: scalar_int_ops.h and
 * scalar_float_ops.h hold the meanings, scalar_small.c the formats of 16 bits and less,
 * scalar_cast.c the conversions.
 */
#include <string.h>

#include "scalar.h"

/* How many operands the table gives `op`: its words, separated by one blank each. */
static int operand_count(OpCode op)
{
    int n = 1;

    for (const char *s = op_info(op)->operands; *s; s++)
        n += *s == ' ';
    return n;
}

/* Both sides are read in every lane, so that the choice needs no branch. */
#define SELECT(T)                                                                                  \
    {                                                                                              \
        const T *x = src[1], *y = src[2];                                                          \
        T *d = dst;                                                                                \
        EACH_LANE for (size_t i = 0; i < n; i++)                                                   \
        {                                                                                          \
            const T yes = x[i], no = y[i];                                                         \
            d[i] = c[i] ? yes : no;                                                                \
        }                                                                                          \
        break;                                                                                     \
    }

static void select_lanes(int size, const void *const *src, void *dst, size_t n)
{
    const uint8_t *c = src[0];

    switch (size) {
    case 1:
        SELECT(uint8_t)
    case 2:
        SELECT(uint16_t)
    case 4:
        SELECT(uint32_t)
    default:
        SELECT(uint64_t)
    }
}

#define LOOKUP(T)                                                                                  \
    {                                                                                              \
        const T *x = src;                                                                          \
        T *d = dst;                                                                                \
        EACH_LANE for (size_t i = 0; i < n; i++) d[i] = (T)table[x[i] & 7];                        \
        break;                                                                                     \
    }

static void lookup_lanes(int size, const int64_t *table, const void *src, void *dst, size_t n)
{
    switch (size) {
    case 1:
        LOOKUP(uint8_t)
    case 2:
        LOOKUP(uint16_t)
    case 4:
        LOOKUP(uint32_t)
    default:
        LOOKUP(uint64_t)
    }
}

bool scalar_apply(OpCode op, const int64_t *attrs, DType in, DType out, const void *const *src,
                  void *dst, size_t n)
{
    const void *operands[MAX_ELEMENTWISE_OPERANDS] = {0};

    switch (op) {
    case OP_cast:
        scalar_cast((Rounding)attrs[0], in, out, src[0], dst, n);
        return true;
    case OP_bitcast:
        memmove(dst, src[0], n * (size_t)dtype_size(in));
        return dtype_bits(in) == dtype_bits(out);
    case OP_select:
        select_lanes(dtype_size(in), src, dst, n);
        return true;
    case OP_lookup8:
        if (dtype_is_int(in))
            lookup_lanes(dtype_size(in), attrs, src[0], dst, n);
        return dtype_is_int(in);
    default:
        break;
    }
    if (!(op_info(op)->flags & FOLDS))
        return false;
    if (op_info(op)->flags & TOWARD)
        return scalar_toward(op, (Rounding)attrs[0], in, src, dst, n);
    for (int i = operand_count(op) - 1; i >= 0; i--)
        operands[i] = src[i];
    if (dtype_is_int(in))
        return scalar_int(op, in, operands, dst, n);
    if (dtype_is_small_float(in))
        return scalar_small(op, in, operands, dst, n);
    return scalar_float(op, in, operands, dst, n);
}

double scalar_to_double(DType t, uint64_t bits)
{
    double v;

    scalar_cast(ROUND_NEAREST, t, DT_FP64, &bits, &v, 1);
    return v;
}

uint64_t scalar_from_double(DType t, double v)
{
    uint64_t bits = 0;

    scalar_cast(ROUND_NEAREST, DT_FP64, t, &v, &bits, 1);
    return bits;
}

void scalar_put_shortest(Text *t, DType d, double v)
{
    size_t start = t->len;
    const char *end;
    int digits = 0;

    do {
        t->len = start;
        text_put_double(t, v, ++digits);
    } while (digits < 17 && scalar_from_double(d, double_from_text(t->s + start, &end)) !=
                                scalar_from_double(d, v));
}

int64_t scalar_to_int(DType t, uint64_t bits)
{
    int64_t v;

    scalar_cast(ROUND_NEAREST, t, DT_I64, &bits, &v, 1);
    return v;
}

uint64_t scalar_truncate(DType t, uint64_t bits)
{
    if (t == DT_I1)
        return bits != 0;
    return dtype_bits(t) == 64 ? bits : bits & (((uint64_t)1 << dtype_bits(t)) - 1);
}
