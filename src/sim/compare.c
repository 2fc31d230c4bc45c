/*
 * compare.c - comparisons, and choices between two values
 */
#include <math.h>

#include "../base/base.h"
VECTOR_LOOPS /* in front of the functions of headers, too: they are inlined */

#include "lanes.h"
#include "small.h"

/* What lies in a and b: less, equal, greater, or neither for a NaN. */
#define COLLECT(expr)                                                                              \
    for (int i = 0; i < LANES; i++)                                                                \
        bits |= (uint32_t)(expr) << i;                                                             \
    return bits;

/* The lanes where the comparison holds, for integers and all that has an order. */
#define COMPARE_INTS(name, T)                                                                      \
    static uint32_t name(PtxModifier how, const void *x, const void *y)                            \
    {                                                                                              \
        const T *a = x, *b = y;                                                                    \
        uint32_t bits = 0;                                                                         \
                                                                                                   \
        switch (how) {                                                                             \
        case MOD_EQ:                                                                               \
            COLLECT(a[i] == b[i])                                                                  \
        case MOD_NE:                                                                               \
            COLLECT(a[i] != b[i])                                                                  \
        case MOD_LT:                                                                               \
        case MOD_LO:                                                                               \
            COLLECT(a[i] < b[i])                                                                   \
        case MOD_LE:                                                                               \
        case MOD_LS:                                                                               \
            COLLECT(a[i] <= b[i])                                                                  \
        case MOD_GT:                                                                               \
        case MOD_HI:                                                                               \
            COLLECT(a[i] > b[i])                                                                   \
        default:                                                                                   \
            COLLECT(a[i] >= b[i])                                                                  \
        }                                                                                          \
    }
COMPARE_INTS(compare_u16, uint16_t)
COMPARE_INTS(compare_s16, int16_t)
COMPARE_INTS(compare_u32, uint32_t)
COMPARE_INTS(compare_s32, int32_t)
COMPARE_INTS(compare_u64, uint64_t)
COMPARE_INTS(compare_s64, int64_t)

#define COMPARE_FLOATS(name, T)                                                                    \
    static uint32_t name(PtxModifier how, const T *a, const T *b)                                  \
    {                                                                                              \
        uint32_t bits = 0;                                                                         \
                                                                                                   \
        switch (how) {                                                                             \
        case MOD_EQ:                                                                               \
            COLLECT(a[i] == b[i])                                                                  \
        case MOD_NE:                                                                               \
            COLLECT(a[i]<b[i] || a[i]> b[i])                                                       \
        case MOD_LT:                                                                               \
            COLLECT(a[i] < b[i])                                                                   \
        case MOD_LE:                                                                               \
            COLLECT(a[i] <= b[i])                                                                  \
        case MOD_GT:                                                                               \
            COLLECT(a[i] > b[i])                                                                   \
        case MOD_GE:                                                                               \
            COLLECT(a[i] >= b[i])                                                                  \
        case MOD_EQU:                                                                              \
            COLLECT(!(a[i] < b[i] || a[i] > b[i]))                                                 \
        case MOD_NEU:                                                                              \
            COLLECT(a[i] != b[i])                                                                  \
        case MOD_LTU:                                                                              \
            COLLECT(!(a[i] >= b[i]))                                                               \
        case MOD_LEU:                                                                              \
            COLLECT(!(a[i] > b[i]))                                                                \
        case MOD_GTU:                                                                              \
            COLLECT(!(a[i] <= b[i]))                                                               \
        case MOD_GEU:                                                                              \
            COLLECT(!(a[i] < b[i]))                                                                \
        case MOD_NUM:                                                                              \
            COLLECT(a[i] == a[i] && b[i] == b[i])                                                  \
        default:                                                                                   \
            COLLECT(a[i] != a[i] || b[i] != b[i])                                                  \
        }                                                                                          \
    }
COMPARE_FLOATS(compare_floats, float)
COMPARE_FLOATS(compare_doubles, double)

static uint32_t compare_f32(const Inst *in, const void *x, const void *y)
{
    uint32_t flushed[2][LANES];

    if (!has(in, MOD_FTZ))
        return compare_floats((PtxModifier)in->compare, x, y);
    for (int i = 0; i < LANES; i++) {
        flushed[0][i] = flush32(((const uint32_t *)x)[i]);
        flushed[1][i] = flush32(((const uint32_t *)y)[i]);
    }
    return compare_floats((PtxModifier)in->compare, (const float *)flushed[0],
                          (const float *)flushed[1]);
}

/* Every `step`-th of the 16-bit numbers, from `first` on. */
static uint32_t compare_half(const Inst *in, PtxType t, const void *x, const void *y, int step,
                             int first)
{
    const uint16_t *a = x, *b = y;
    double wide[2][LANES];

    for (int i = 0; i < LANES; i++) {
        wide[0][i] = small_to_double(t, a[step * i + first]);
        wide[1][i] = small_to_double(t, b[step * i + first]);
    }
    return compare_doubles((PtxModifier)in->compare, wide[0], wide[1]);
}

static uint32_t compare_as(const Inst *in, PtxType t, const void *x, const void *y)
{
    PtxModifier how = (PtxModifier)in->compare;

    switch (t) {
    case PTX_S16:
        return compare_s16(how, x, y);
    case PTX_U16:
    case PTX_B16:
        return compare_u16(how, x, y);
    case PTX_S32:
        return compare_s32(how, x, y);
    case PTX_U32:
    case PTX_B32:
        return compare_u32(how, x, y);
    case PTX_S64:
        return compare_s64(how, x, y);
    case PTX_U64:
    case PTX_B64:
        return compare_u64(how, x, y);
    case PTX_F32:
        return compare_f32(in, x, y);
    case PTX_F64:
        return compare_doubles(how, x, y);
    default:
        return compare_half(in, t, x, y, 1, 0);
    }
}

/* The comparison together with a third operand. */
static uint32_t combine_predicates(Warp *w, const Inst *in, uint32_t bits, int operand)
{
    uint32_t other;

    if (in->nops <= operand || in->op[operand] == NO_OPERAND)
        return bits;
    other = *OPERAND(w, in, operand, uint32_t);
    if (in->not_op)
        other = ~other;
    if (has(in, MOD_AND))
        return bits & other;
    return has(in, MOD_OR) ? bits | other : bits ^ other;
}

/* setp: ops p, q or none, a, b, c or none */
void compare_setp(Warp *w, const Inst *in, uint32_t mask)
{
    uint32_t bits =
        compare_as(in, (PtxType)in->type[0], OPERAND(w, in, 2, char), OPERAND(w, in, 3, char));
    uint32_t p = combine_predicates(w, in, bits, 4);

    if (in->op[1] != NO_OPERAND)
        write_predicate(w, in->op[1], combine_predicates(w, in, ~bits, 4), mask);
    write_predicate(w, in->op[0], p, mask);
}

/* setp of pairs: the low halves give p, the high ones q */
void compare_setp_x2(Warp *w, const Inst *in, uint32_t mask)
{
    const void *x = OPERAND(w, in, 2, char), *y = OPERAND(w, in, 3, char);
    PtxType t = in->type[0] == PTX_F16X2 ? PTX_F16 : PTX_BF16;
    uint32_t low = compare_half(in, t, x, y, 2, 0), high = compare_half(in, t, x, y, 2, 1);

    if (in->op[1] != NO_OPERAND)
        write_predicate(w, in->op[1], combine_predicates(w, in, high, 4), mask);
    write_predicate(w, in->op[0], combine_predicates(w, in, low, 4), mask);
}

/* set: ones, or 1.0 for floats, where it holds: ops d, a, b, c or none */
void compare_set(Warp *w, const Inst *in, uint32_t mask)
{
    uint32_t bits =
        compare_as(in, (PtxType)in->type[1], OPERAND(w, in, 1, char), OPERAND(w, in, 2, char));
    PtxType t = (PtxType)in->type[0];
    uint32_t yes = t == PTX_F32 ? bits_of(1) : t == PTX_F16 ? 0x3c00 : t == PTX_BF16 ? 0x3f80 : ~0u;

    bits = combine_predicates(w, in, bits, 3);
    FOR_LANES(i, mask)
    {
        uint32_t value = bits >> i & 1 ? yes : 0;

        if (ptx_type_bits[t] == 16)
            OPERAND(w, in, 0, uint16_t)
        [i] = (uint16_t)value;
        else OPERAND(w, in, 0, uint32_t)[i] = value;
    }
}

/* set of pairs: ones or 1.0 in each half */
void compare_set_x2(Warp *w, const Inst *in, uint32_t mask)
{
    const void *x = OPERAND(w, in, 1, char), *y = OPERAND(w, in, 2, char);
    PtxType t = in->type[1] == PTX_F16X2 ? PTX_F16 : PTX_BF16;
    uint32_t half[2] = {compare_half(in, t, x, y, 2, 0), compare_half(in, t, x, y, 2, 1)};
    uint16_t yes = in->type[0] == PTX_F16X2 ? 0x3c00 : in->type[0] == PTX_BF16X2 ? 0x3f80 : 0xffff;

    FOR_LANES(i, mask)
    {
        for (int k = 0; k < 2; k++)
            OPERAND(w, in, 0, uint16_t)
        [2 * i + (uint32_t) k] = half[k] >> i & 1 ? yes : 0;
    }
}

#define SELECT(bits, T)                                                                            \
    void select_##bits(Warp *w, const Inst *in, uint32_t mask)                                     \
    {                                                                                              \
        T *d = OPERAND(w, in, 0, T);                                                               \
        const T *a = OPERAND(w, in, 1, T), *b = OPERAND(w, in, 2, T);                              \
        uint32_t p = *OPERAND(w, in, 3, uint32_t);                                                 \
                                                                                                   \
        if (in->not_op)                                                                            \
            p = ~p;                                                                                \
        LOOP_LANES(mask, d[i] = p >> i & 1 ? a[i] : b[i];)                                         \
    }                                                                                              \
    EACH3(slct_##bits, T, T, T, int32_t, z >= 0 ? x : y)                                           \
    EACH3(slct_float_##bits, T, T, T, float, z >= 0 ? x : y)
SELECT(16, uint16_t)
SELECT(32, uint32_t)
SELECT(64, uint64_t)

void select_predicate(Warp *w, const Inst *in, uint32_t mask)
{
    uint32_t a = *OPERAND(w, in, 1, uint32_t), b = *OPERAND(w, in, 2, uint32_t),
             p = *OPERAND(w, in, 3, uint32_t);

    if (in->not_op)
        p = ~p;
    write_predicate(w, in->op[0], (a & p) | (b & ~p), mask);
}

/* testp */
static bool tests(const Inst *in, double x, bool is_normal)
{
    if (has(in, MOD_FINITE))
        return isfinite(x);
    if (has(in, MOD_INFINITE))
        return isinf(x);
    if (has(in, MOD_NUMBER))
        return !isnan(x);
    if (has(in, MOD_NOTANUMBER))
        return isnan(x);
    bool full = x == 0 || is_normal; /* a zero is .normal for GPUs */
    return isfinite(x) && (has(in, MOD_NORMAL) ? full : !full);
}

void compare_testp_f32(Warp *w, const Inst *in, uint32_t mask)
{
    const uint32_t *x = OPERAND(w, in, 1, uint32_t);
    uint32_t bits = 0;

    FOR_LANES(i, mask)
    bits |= (uint32_t)tests(in, float_of(x[i]), flush32(x[i]) == x[i]) << i;
    write_predicate(w, in->op[0], bits, mask);
}

void compare_testp_f64(Warp *w, const Inst *in, uint32_t mask)
{
    const double *x = OPERAND(w, in, 1, double);
    uint32_t bits = 0;

    FOR_LANES(i, mask)
    bits |= (uint32_t)tests(in, x[i], isnormal(x[i])) << i;
    write_predicate(w, in->op[0], bits, mask);
}
