/*
 * scalar_cast.c - what `cast` means from every dtype to every dtype (semantics R80-R85)
 *
 * Every conversion rounds once.  Where the way leads through a format in between, that step
 * rounds to odd: the last bit kept is set when anything was lost, which any later and coarser
 * rounding then sees.
 */
#include <string.h>

#include "scalar.h"

/* --- through fp32 to the small formats --- */

/* fp64 to fp32, cut toward zero; the last bit then tells whether anything was cut. */
static inline float to_odd_fp32(double x)
{
    float f = (float)x;
    uint32_t bits;

    memcpy(&bits, &f, sizeof bits);
    if (x == x && (double)f != x) {
        bits -= __builtin_fabs((double)f) > __builtin_fabs(x);
        bits |= 1;
    }
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* fp64 to fp32 toward zero (R82): overflow stays finite. */
static inline float to_cut_fp32(double x)
{
    float f = (float)x;
    uint32_t bits;

    memcpy(&bits, &f, sizeof bits);
    bits -= __builtin_fabs((double)f) > __builtin_fabs(x);
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* An integer's magnitude cut to the 53 bits of fp64, rounded to odd. */
static inline double to_odd_fp64(uint64_t magnitude)
{
    uint64_t cut = magnitude >> 11 | ((magnitude & 0x7ff) != 0);

    return magnitude >> 53 ? (double)cut * 2048 : (double)magnitude;
}

static void ints_to_odd_fp32(DType in, const void *src, float *dst, size_t n)
{
    int64_t wide[SCALAR_BLOCK];
    bool negatives = dtype_is_signed(in);

    scalar_cast(ROUND_NEAREST, in, DT_I64, src, wide, n);
    for (size_t i = 0; i < n; i++) {
        bool negative = negatives && wide[i] < 0;
        uint64_t bits = (uint64_t)wide[i];
        float magnitude = to_odd_fp32(to_odd_fp64(negative ? 0 - bits : bits));
        dst[i] = negative ? -magnitude : magnitude;
    }
}

/* Any dtype but fp32 and the small floats; at most SCALAR_BLOCK elements. */
static void to_odd_fp32s(DType in, const void *src, float *dst, size_t n)
{
    const double *x = src;

    if (in != DT_FP64) {
        ints_to_odd_fp32(in, src, dst, n);
        return;
    }
    for (size_t i = 0; i < n; i++)
        dst[i] = to_odd_fp32(x[i]);
}

static void cast_to_small(Rounding r, DType in, DType out, const void *src, void *dst, size_t n)
{
    float wide[SCALAR_BLOCK];

    if (in == DT_FP32) {
        scalar_narrow(out, r, src, dst, n);
        return;
    }
    for (size_t at = 0; at < n; at += SCALAR_BLOCK) {
        size_t lanes = MIN(n - at, SCALAR_BLOCK);
        to_odd_fp32s(in, (const char *)src + at * (size_t)dtype_size(in), wide, lanes);
        scalar_narrow(out, r, wide, (char *)dst + at * (size_t)dtype_size(out), lanes);
    }
}

/* Widening to fp32 is exact, so what follows rounds once. */
static void cast_from_small(Rounding r, DType in, DType out, const void *src, void *dst, size_t n)
{
    float wide[SCALAR_BLOCK];

    if (out == DT_FP32) {
        scalar_widen(in, src, dst, n);
        return;
    }
    for (size_t at = 0; at < n; at += SCALAR_BLOCK) {
        size_t lanes = MIN(n - at, SCALAR_BLOCK);
        scalar_widen(in, (const char *)src + at * (size_t)dtype_size(in), wide, lanes);
        scalar_cast(r, DT_FP32, out, wide, (char *)dst + at * (size_t)dtype_size(out), lanes);
    }
}

/* --- between ints, fp32 and fp64 --- */

#define LOOP(From, To, e)                                                                          \
    {                                                                                              \
        const From *s = src;                                                                       \
        To *d = dst;                                                                               \
        EACH_LANE for (size_t i = 0; i < n; i++)                                                   \
        {                                                                                          \
            const From x = s[i];                                                                   \
            d[i] = (To)(e);                                                                        \
        }                                                                                          \
        return;                                                                                    \
    }

#define FROM_INTS(To, e)                                                                           \
    case DT_I1:                                                                                    \
    case DT_U8:                                                                                    \
        LOOP(uint8_t, To, e)                                                                       \
    case DT_I8:                                                                                    \
        LOOP(int8_t, To, e)                                                                        \
    case DT_I16:                                                                                   \
        LOOP(int16_t, To, e)                                                                       \
    case DT_U16:                                                                                   \
        LOOP(uint16_t, To, e)                                                                      \
    case DT_I32:                                                                                   \
        LOOP(int32_t, To, e)                                                                       \
    case DT_U32:                                                                                   \
        LOOP(uint32_t, To, e)                                                                      \
    case DT_I64:                                                                                   \
        LOOP(int64_t, To, e)                                                                       \
    case DT_U64:                                                                                   \
        LOOP(uint64_t, To, e)
#define FROM_FLOATS(To, e)                                                                         \
    case DT_FP32:                                                                                  \
        LOOP(float, To, e)                                                                         \
    case DT_FP64:                                                                                  \
        LOOP(double, To, e)

/* One function for each kind of result; `in` is an int, fp32 or fp64. */
#define TO(name, rows)                                                                             \
    static void name(DType in, const void *src, void *dst, size_t n)                               \
    {                                                                                              \
        switch (in) {                                                                              \
            rows default : bug("no way from %s", dtype_name(in));                                  \
        }                                                                                          \
    }

/* Toward zero; out of range goes to the nearer end, NaN to 0 (R81).  `low` and `past`, the first
 * number above the range, are exact in fp32, and C's conversion is defined between them. */
#define SATURATE(To, low, past, high) x >= (past) ? (high) : x > (low) ? (To)x : x != x ? 0 : (low)
/* Ints keep their low bits, or are extended by their own signedness. */
#define TO_INT(name, To, low, past, high)                                                          \
    TO(name, FROM_INTS(To, x) FROM_FLOATS(To, SATURATE(To, low, past, high)))

TO_INT(to_i8, int8_t, INT8_MIN, 0x1p7f, INT8_MAX)
TO_INT(to_i16, int16_t, INT16_MIN, 0x1p15f, INT16_MAX)
TO_INT(to_i32, int32_t, INT32_MIN, 0x1p31f, INT32_MAX)
TO_INT(to_i64, int64_t, INT64_MIN, 0x1p63f, INT64_MAX)
TO_INT(to_u8, uint8_t, 0, 0x1p8f, UINT8_MAX)
TO_INT(to_u16, uint16_t, 0, 0x1p16f, UINT16_MAX)
TO_INT(to_u32, uint32_t, 0, 0x1p32f, UINT32_MAX)
TO_INT(to_u64, uint64_t, 0, 0x1p64f, UINT64_MAX)
TO(to_i1, FROM_INTS(uint8_t, x != 0) FROM_FLOATS(uint8_t, x != 0)) /* NaN is true */
TO(to_fp32, FROM_INTS(float, x) FROM_FLOATS(float, x))
TO(to_fp64, FROM_INTS(double, x) FROM_FLOATS(double, x))

static void fp64_to_cut_fp32(const double *src, float *dst, size_t n)
{
    for (size_t i = 0; i < n; i++)
        dst[i] = to_cut_fp32(src[i]);
}

static void cast_wide(Rounding r, DType in, DType out, const void *src, void *dst, size_t n)
{
    switch (out) {
    case DT_I1:
        to_i1(in, src, dst, n);
        return;
    case DT_I8:
        to_i8(in, src, dst, n);
        return;
    case DT_I16:
        to_i16(in, src, dst, n);
        return;
    case DT_I32:
        to_i32(in, src, dst, n);
        return;
    case DT_I64:
        to_i64(in, src, dst, n);
        return;
    case DT_U8:
        to_u8(in, src, dst, n);
        return;
    case DT_U16:
        to_u16(in, src, dst, n);
        return;
    case DT_U32:
        to_u32(in, src, dst, n);
        return;
    case DT_U64:
        to_u64(in, src, dst, n);
        return;
    case DT_FP32:
        if (in == DT_FP64 && r == ROUND_TO_ZERO)
            fp64_to_cut_fp32(src, dst, n);
        else
            to_fp32(in, src, dst, n);
        return;
    case DT_FP64:
        to_fp64(in, src, dst, n);
        return;
    default:
        bug("no way to %s", dtype_name(out));
    }
}

/* Integers that a float may not hold, and fp64 to fp32, where no bits of fp32 are cut (above). */
static bool goes_toward(Rounding r, DType in, DType out)
{
    bool wide = out == DT_FP32 || out == DT_FP64;

    if (r == ROUND_NEAREST || !wide || dtype_is_small_float(in))
        return false;
    return dtype_is_int(in) ? dtype_bits(in) >= 32 : in == DT_FP64 && r != ROUND_TO_ZERO;
}

void scalar_cast(Rounding r, DType in, DType out, const void *src, void *dst, size_t n)
{
    if (in == out)
        memmove(dst, src, n * (size_t)dtype_size(in));
    else if (goes_toward(r, in, out))
        scalar_cast_toward(r, in, out, src, dst, n);
    else if (dtype_is_small_float(in))
        cast_from_small(r, in, out, src, dst, n);
    else if (dtype_is_small_float(out))
        cast_to_small(r, in, out, src, dst, n);
    else
        cast_wide(r, in, out, src, dst, n);
}
