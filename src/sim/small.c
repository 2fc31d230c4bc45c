/*
 * small.c - formats with fewer bits than a double
 */
#include <fenv.h>
#include <math.h>

#include "../base/base.h"
VECTOR_LOOPS /* in front of the functions of headers, too: they are inlined */

#include "small.h"

Rounding rounding_of(const Inst *in)
{
    if (has(in, MOD_RZ) || has(in, MOD_RZI))
        return ROUND_ZERO;
    if (has(in, MOD_RM) || has(in, MOD_RMI))
        return ROUND_DOWN;
    if (has(in, MOD_RP) || has(in, MOD_RPI))
        return ROUND_UP;
    return has(in, MOD_RNA) ? ROUND_AWAY : ROUND_NEAREST;
}

int host_rounding(Rounding r)
{
    static const int modes[] = {[ROUND_NEAREST] = FE_TONEAREST,
                                [ROUND_ZERO] = FE_TOWARDZERO,
                                [ROUND_DOWN] = FE_DOWNWARD,
                                [ROUND_UP] = FE_UPWARD,
                                [ROUND_AWAY] = FE_TONEAREST};

    return modes[r];
}

/* A rounded sum whose error is known: its last bit odd unless the error is zero. */
static double make_odd(double sum, double error)
{
    uint64_t bits = bits_of_double(sum);

    if (error == 0 || !isfinite(sum) || (bits & 1))
        return sum;
    bool grow = (error > 0) == (sum > 0);
    return double_of(grow ? bits + 1 : bits - 1);
}

double odd_add(double a, double b)
{
    double sum = a + b;
    double part = sum - a;
    double error = (a - (sum - part)) + (b - part);

    return make_odd(sum, error);
}

double odd_fma(double a, double b, double c)
{
    return odd_add(a * b, c);
}

double odd_from_int(uint64_t magnitude, bool negative)
{
    int extra = magnitude ? 11 - __builtin_clzll(magnitude) : 0;
    double x;

    if (extra > 0) {
        uint64_t lost = magnitude & ((UINT64_C(1) << extra) - 1);

        magnitude >>= extra;
        magnitude |= lost != 0;
        x = ldexp((double)magnitude, extra);
    } else {
        x = (double)magnitude;
    }
    return negative ? -x : x;
}

/* exponent and mantissa bits, and what the highest exponent means */
typedef struct {
    int exponent, mantissa;
    bool has_infinity; /* e4m3 has only one NaN there, and goes on with numbers */
    uint32_t nan;
} Format;

static Format format_of(PtxType t)
{
    switch (t) {
    case PTX_F16:
    case PTX_F16X2:
        return (Format){5, 10, true, NAN_16};
    case PTX_BF16:
    case PTX_BF16X2:
        return (Format){8, 7, true, NAN_16};
    case PTX_E4M3:
    case PTX_E4M3X2:
        return (Format){4, 3, false, 0x7f};
    case PTX_E5M2:
    case PTX_E5M2X2:
        return (Format){5, 2, true, 0x7f};
    case PTX_TF32:
        return (Format){8, 10, true, NAN_F32};
    default:
        return (Format){8, 23, true, NAN_F32};
    }
}

/* tf32 lies in the upper bits of a float. */
static int low_bits(PtxType t)
{
    return t == PTX_TF32 ? 13 : 0;
}

/* Those that are used most go by way of a float.  The exponent moves up by the distance of the
 * biases; for infinity and NaN twice, to the highest.  A denormal gets a leading bit, which is
 * taken away again, so that no float here is one: hosts are slow with them. */
static inline float from_f16(uint32_t bits)
{
    const uint32_t up = UINT32_C(112) << 23, one = UINT32_C(1) << 23;
    uint32_t size = (bits & 0x7fff) << 13, exponent = size & UINT32_C(0x0f800000);
    uint32_t moved = size + up + (exponent == UINT32_C(0x0f800000) ? up : 0);
    uint32_t small = bits_of(float_of(size + up + one) - float_of(up + one));

    return float_of((exponent ? moved : small) | (bits & 0x8000) << 16);
}

double small_to_double(PtxType t, uint32_t bits)
{
    Format f;

    if (t == PTX_F16)
        return from_f16(bits);
    if (t == PTX_BF16)
        return float_of(bits << 16);
    if (t == PTX_TF32)
        return float_of(bits & UINT32_C(0xffffe000));
    f = format_of(t);
    int most = (1 << f.exponent) - 1, bias = most >> 1;
    int exponent = (int)(bits >> f.mantissa) & most;
    uint32_t mantissa = bits & ((1u << f.mantissa) - 1);
    bool negative = bits >> (f.exponent + f.mantissa) & 1;
    double x;

    if (exponent == most && f.has_infinity)
        x = mantissa ? NAN : INFINITY;
    else if (!f.has_infinity && (bits & 0x7f) == f.nan)
        x = NAN;
    else if (exponent == 0)
        x = ldexp(mantissa, 1 - bias - f.mantissa);
    else
        x = ldexp(mantissa | 1u << f.mantissa, exponent - bias - f.mantissa);
    return negative ? -x : x;
}

/* The largest number, or infinity where rounding goes there. */
static uint32_t overflow(Format f, Rounding r, bool negative, bool finite)
{
    uint32_t infinity = ((1u << f.exponent) - 1) << f.mantissa;
    uint32_t largest = f.has_infinity ? infinity - 1 : f.nan - 1;
    bool stays = r == ROUND_ZERO || (r == ROUND_DOWN && !negative) || (r == ROUND_UP && negative);

    if (finite || stays)
        return largest;
    return f.has_infinity ? infinity : f.nan;
}

/* Does the part of a number that is cut off count as one more?  `lost` has `bits` bits. */
static bool rounds_up(uint64_t kept, uint64_t lost, int bits, Rounding r, bool negative)
{
    uint64_t half = UINT64_C(1) << (bits - 1);

    switch (r) {
    case ROUND_NEAREST:
        return lost > half || (lost == half && (kept & 1));
    case ROUND_AWAY:
        return lost >= half;
    case ROUND_DOWN:
        return negative && lost;
    case ROUND_UP:
        return !negative && lost;
    default:
        return false;
    }
}

enum { DOUBLE_MANTISSA = 52, DOUBLE_BIAS = 1023, DOUBLE_MOST = 2047 };

/* The magnitude of a finite number in that format, before it is seen whether it fits. */
static uint64_t magnitude(Format f, uint64_t x, Rounding r, bool negative)
{
    int bias = ((1 << f.exponent) - 1) >> 1;
    int exponent = (int)(x >> DOUBLE_MANTISSA) - DOUBLE_BIAS + bias;
    uint64_t mantissa = x & ((UINT64_C(1) << DOUBLE_MANTISSA) - 1);
    int cut = DOUBLE_MANTISSA - f.mantissa;

    if (x >> DOUBLE_MANTISSA) /* but for denormals, which are too small for all formats */
        mantissa |= UINT64_C(1) << DOUBLE_MANTISSA;
    if (exponent <
        1) { /* a denormal of the format, or nothing of it is left but that it was there */
        cut = MIN(cut + 1 - exponent, DOUBLE_MANTISSA + 2);
        exponent = 1;
    }
    uint64_t kept = mantissa >> cut, lost = mantissa & ((UINT64_C(1) << cut) - 1);
    /* the leading bit of `kept`, and a carry, count the exponent up */
    return kept + ((uint64_t)(exponent - 1) << f.mantissa) +
           rounds_up(kept, lost, cut, r, negative);
}

uint32_t small_from_double(PtxType t, double x, Rounding r, bool finite)
{
    Format f = format_of(t);
    uint64_t all = bits_of_double(x), size = all & INT64_MAX;
    bool negative = all >> 63;
    uint32_t sign = (uint32_t)negative << (f.exponent + f.mantissa), bits;

    if (isnan(x))
        return f.nan;
    if (size >> DOUBLE_MANTISSA == DOUBLE_MOST) {
        bits = overflow(f, ROUND_NEAREST, negative, finite);
    } else {
        uint64_t m = magnitude(f, size, r, negative);

        bits = m > overflow(f, ROUND_ZERO, negative, true) ? overflow(f, r, negative, finite)
                                                           : (uint32_t)m;
    }
    return (bits | sign) << low_bits(t);
}

WIDE_LOOPS void small_widen_loops(PtxType t, const void *from, int n, double *to)
{
    const uint16_t *half = from;

    if (t == PTX_F16) {
        for (int i = 0; i < n; i++)
            to[i] = from_f16(half[i]);
    } else if (t == PTX_BF16) {
        for (int i = 0; i < n; i++)
            to[i] = float_of((uint32_t)half[i] << 16);
    } else if (t == PTX_TF32) {
        for (int i = 0; i < n; i++)
            to[i] = float_of(((const uint32_t *)from)[i] & UINT32_C(0xffffe000));
    } else {
        for (int i = 0; i < n; i++)
            to[i] = small_to_double(t, ((const uint8_t *)from)[i]);
    }
}
WIDE(, small_widen, (PtxType t, const void *from, int n, double *to), (t, from, n, to))
