/*
 * int.c - arithmetic on integers
 *
 * A division by zero gives all ones, for the quotient and for the remainder, as GPUs do; PTX leaves
 * it open.  Everything else wraps, clamps or shifts as PTX says.
 */
#include "../base/base.h"
VECTOR_LOOPS /* in front of the functions of headers, too: they are inlined */

#include "lanes.h"

#define FOR_WIDTHS(F)                                                                              \
    F(16, uint16_t, int16_t)                                                                       \
    F(32, uint32_t, int32_t)                                                                       \
    F(64, uint64_t, int64_t)

#define ARITHMETIC(bits, U, S)                                                                     \
    EACH2(int_add_##bits, U, U, U, x + y)                                                          \
    EACH2(int_sub_##bits, U, U, U, x - y)                                                          \
    EACH2(int_mul_##bits, U, U, U, (uint64_t)x *y)                                                 \
    EACH3(int_mad_##bits, U, U, U, U, (uint64_t)x *y + z)                                          \
    EACH2(int_and_##bits, U, U, U, x &y)                                                           \
    EACH2(int_or_##bits, U, U, U, x | y)                                                           \
    EACH2(int_xor_##bits, U, U, U, x ^ y)                                                          \
    EACH1(int_not_##bits, U, U, ~x)                                                                \
    EACH1(int_cnot_##bits, U, U, x == 0)                                                           \
    EACH1(int_neg_##bits, U, U, 0 - x)                                                             \
    EACH1(int_abs_##bits, U, S, x < 0 ? (U)0 - (U)x : (U)x)                                        \
    EACH2(int_min_u##bits, U, U, U, x < y ? x : y)                                                 \
    EACH2(int_max_u##bits, U, U, U, x > y ? x : y)                                                 \
    EACH2(int_min_s##bits, S, S, S, x < y ? x : y)                                                 \
    EACH2(int_max_s##bits, S, S, S, x > y ? x : y)                                                 \
    EACH2(int_div_u##bits, U, U, U, y ? x / y : (U)~0)                                             \
    EACH2(int_rem_u##bits, U, U, U, y ? x % y : (U)-1)                                             \
    EACH2(int_div_s##bits, U, S, S, y == 0 ? (U)~0 : y == -1 ? (U)0 - (U)x : (U)(x / y))           \
    EACH2(int_rem_s##bits, U, S, S, y == 0 ? (U)-1 : y == -1 ? 0 : (U)(x % y))                     \
    EACH2(int_shl_##bits, U, U, uint32_t, y < bits ? (U)(x << y) : 0)                              \
    EACH2(int_shr_u##bits, U, U, uint32_t, y < bits ? (U)(x >> y) : 0)                             \
    EACH2(int_shr_s##bits, S, S, uint32_t, (int64_t)x >> MIN(y, 63))                               \
    EACH3(int_sad_u##bits, U, U, U, U, z + (x < y ? y - x : x - y))                                \
    EACH3(int_sad_s##bits, U, S, S, U, z + (x < y ? (U)y - (U)x : (U)x - (U)y))
FOR_WIDTHS(ARITHMETIC)

/* twice the width */
EACH2(int_wide_u16, uint32_t, uint16_t, uint16_t, (uint32_t)x *y)
EACH2(int_wide_s16, int32_t, int16_t, int16_t, (int32_t)x *y)
EACH2(int_wide_u32, uint64_t, uint32_t, uint32_t, (uint64_t)x *y)
EACH2(int_wide_s32, int64_t, int32_t, int32_t, (int64_t)x *y)
EACH3(int_mad_wide_u16, uint32_t, uint16_t, uint16_t, uint32_t, (uint32_t)x *y + z)
EACH3(int_mad_wide_s16, uint32_t, int16_t, int16_t, uint32_t, (uint32_t)((int32_t)x *y) + z)
EACH3(int_mad_wide_u32, uint64_t, uint32_t, uint32_t, uint64_t, (uint64_t)x *y + z)
EACH3(int_mad_wide_s32, uint64_t, int32_t, int32_t, uint64_t, (uint64_t)((int64_t)x *y) + z)

/* the high half */
EACH2(int_hi_u16, uint16_t, uint16_t, uint16_t, ((uint32_t)x * y) >> 16)
EACH2(int_hi_s16, int16_t, int16_t, int16_t, ((int32_t)x * y) >> 16)
EACH2(int_hi_u32, uint32_t, uint32_t, uint32_t, ((uint64_t)x * y) >> 32)
EACH2(int_hi_s32, int32_t, int32_t, int32_t, ((int64_t)x * y) >> 32)
EACH2(int_hi_u64, uint64_t, uint64_t, uint64_t, ((unsigned __int128)x * y) >> 64)
EACH2(int_hi_s64, int64_t, int64_t, int64_t, ((__int128)x * y) >> 64)
EACH3(int_mad_hi_u16, uint16_t, uint16_t, uint16_t, uint16_t,
      (uint16_t)((((uint32_t)x * y) >> 16) + z))
EACH3(int_mad_hi_s16, uint16_t, int16_t, int16_t, uint16_t,
      (uint16_t)((((int32_t)x * y) >> 16) + z))
EACH3(int_mad_hi_u32, uint32_t, uint32_t, uint32_t, uint32_t, (((uint64_t)x * y) >> 32) + z)
EACH3(int_mad_hi_s32, uint32_t, int32_t, int32_t, uint32_t, (uint32_t)(((int64_t)x * y) >> 32) + z)
EACH3(int_mad_hi_u64, uint64_t, uint64_t, uint64_t, uint64_t,
      (uint64_t)(((unsigned __int128)x * y) >> 64) + z)
EACH3(int_mad_hi_s64, uint64_t, int64_t, int64_t, uint64_t, (uint64_t)(((__int128)x * y) >> 64) + z)

/* of 24 bits */
static int32_t low24(int32_t x)
{
    return (int32_t)((uint32_t)x << 8) >> 8;
}
#define U24 UINT32_C(0xffffff)
EACH2(int_mul24_u, uint32_t, uint32_t, uint32_t, (x & U24) * (y & U24))
EACH2(int_mul24_s, uint32_t, int32_t, int32_t, (uint32_t)low24(x) * (uint32_t)low24(y))
EACH3(int_mad24_u, uint32_t, uint32_t, uint32_t, uint32_t, (x & U24) * (y & U24) + z)
EACH3(int_mad24_s, uint32_t, int32_t, int32_t, uint32_t,
      (uint32_t)low24(x) * (uint32_t)low24(y) + z)

/* saturating */
static int32_t clamp32(int64_t x)
{
    return (int32_t)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x);
}
EACH2(int_add_sat, int32_t, int32_t, int32_t, clamp32((int64_t)x + y))
EACH2(int_sub_sat, int32_t, int32_t, int32_t, clamp32((int64_t)x - y))

/* two of 16 bits in a register */
#define PAIRS(name, T, expr)                                                                       \
    void name(Warp *w, const Inst *in, uint32_t mask)                                              \
    {                                                                                              \
        T *d = OPERAND(w, in, 0, T);                                                               \
        const T *xs = OPERAND(w, in, 1, T), *ys = OPERAND(w, in, 2, T);                            \
                                                                                                   \
        FOR_LANES(lane, mask)                                                                      \
        {                                                                                          \
            for (uint32_t i = 2 * lane; i < 2 * lane + 2; i++) {                                   \
                T x = xs[i], y = ys[i];                                                            \
                                                                                                   \
                d[i] = (T)(expr);                                                                  \
            }                                                                                      \
        }                                                                                          \
    }
PAIRS(int_add_x2, uint16_t, x + y)
PAIRS(int_sub_x2, uint16_t, x - y)
PAIRS(int_min_u16x2, uint16_t, x < y ? x : y)
PAIRS(int_max_u16x2, uint16_t, x > y ? x : y)
PAIRS(int_min_s16x2, int16_t, x < y ? x : y)
PAIRS(int_max_s16x2, int16_t, x > y ? x : y)
PAIRS(int_min_relu_x2, int16_t, MAX(MIN(x, y), 0))
PAIRS(int_max_relu_x2, int16_t, MAX(MAX(x, y), 0))
EACH2(int_min_relu, int32_t, int32_t, int32_t, MAX(MIN(x, y), 0))
EACH2(int_max_relu, int32_t, int32_t, int32_t, MAX(MAX(x, y), 0))

/* with a carry, which the warp keeps for its lanes */
#define CARRYING(bits, T)                                                                          \
    static void add_##bits(Warp *w, const Inst *in, uint32_t mask, uint32_t carries, bool minus)   \
    {                                                                                              \
        T *d = OPERAND(w, in, 0, T);                                                               \
        const T *a = OPERAND(w, in, 1, T), *b = OPERAND(w, in, 2, T);                              \
        uint32_t out = 0;                                                                          \
                                                                                                   \
        FOR_LANES(i, mask)                                                                         \
        {                                                                                          \
            T x = a[i], y = b[i], carry = carries >> i & 1;                                        \
            T half = minus ? x - y : x + y, whole = minus ? half - carry : half + carry;           \
            bool over = minus ? x < y || half < carry : half < x || whole < half;                  \
                                                                                                   \
            d[i] = whole;                                                                          \
            out |= (uint32_t)over << i;                                                            \
        }                                                                                          \
        if (has(in, MOD_CC))                                                                       \
            w->carry = (w->carry & ~mask) | out;                                                   \
    }                                                                                              \
    void int_add_cc_##bits(Warp *w, const Inst *in, uint32_t mask)                                 \
    {                                                                                              \
        add_##bits(w, in, mask, 0, false);                                                         \
    }                                                                                              \
    void int_addc_##bits(Warp *w, const Inst *in, uint32_t mask)                                   \
    {                                                                                              \
        add_##bits(w, in, mask, w->carry, false);                                                  \
    }                                                                                              \
    void int_sub_cc_##bits(Warp *w, const Inst *in, uint32_t mask)                                 \
    {                                                                                              \
        add_##bits(w, in, mask, 0, true);                                                          \
    }                                                                                              \
    void int_subc_##bits(Warp *w, const Inst *in, uint32_t mask)                                   \
    {                                                                                              \
        add_##bits(w, in, mask, w->carry, true);                                                   \
    }
CARRYING(32, uint32_t)
CARRYING(64, uint64_t)

/* four products of bytes, and their sum */
static uint32_t dot4(uint32_t x, uint32_t y, uint32_t z, bool x_signed, bool y_signed)
{
    for (int i = 0; i < 32; i += 8) {
        uint8_t a = (uint8_t)(x >> i), b = (uint8_t)(y >> i);

        z += (uint32_t)((x_signed ? (int8_t)a : (int)a) * (y_signed ? (int8_t)b : (int)b));
    }
    return z;
}
EACH3(int_dp4a, uint32_t, uint32_t, uint32_t, uint32_t,
      dot4(x, y, z, ptx_is_signed((PtxType)in->type[0]), ptx_is_signed((PtxType)in->type[1])))
