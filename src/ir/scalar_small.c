/*
 * scalar_small.c - fp16, bf16 and the fp8 formats: to fp32, from fp32, and computing by way of it
 *
 * Both directions are integer code without branches, specialised per format by inlining, so that
 * the loops become vector code.  Widening is exact.  Narrowing rounds once (semantics R82-R85):
 * to nearest even or toward zero; fp16 and bf16 overflow to infinity, fp8 saturates.
 */
#include <string.h>

#include "scalar.h"

#define INLINE static inline __attribute__((always_inline))

/* What exponent and mantissa fields of all ones, and minus zero, stand for. */
typedef enum {
    WITH_INF,    /* IEEE: all-ones exponents are infinity and NaN */
    ONE_NAN,     /* e4nv: only the largest code of each sign is NaN */
    NAN_AT_ZERO, /* FNUZ: the code of minus zero is the NaN, all others are numbers */
    NO_NAN       /* e4b15: every code is a number */
} Special;

typedef struct {
    int e, m, bias; /* of dtypes.h */
    Special special;
    bool saturates;
} Format;

static const Format FP16 = {5, 10, 15, WITH_INF, false};
static const Format BF16 = {8, 7, 127, WITH_INF, false};
static const Format E4NV = {4, 3, 7, ONE_NAN, true};
static const Format E5 = {5, 2, 15, WITH_INF, true};
static const Format E4B8 = {4, 3, 8, NAN_AT_ZERO, true};
static const Format E5B16 = {5, 2, 16, NAN_AT_ZERO, true};
static const Format E4B15 = {4, 3, 15, NO_NAN, true};

/* The fields of fp32. */
enum { F32_BIAS = 127, F32_MANTISSA = 23, F32_INF = 0x7f800000, F32_QUIET = 0x00400000 };

INLINE float as_float(int32_t bits)
{
    float f;

    memcpy(&f, &bits, sizeof f);
    return f;
}

INLINE int32_t as_bits(float f)
{
    int32_t bits;

    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* 2^e as an fp32, for exponents that are normal there. */
INLINE float power_of_two(int e)
{
    return as_float((e + F32_BIAS) << F32_MANTISSA);
}

INLINE int32_t code_of_inf(Format t)
{
    return ((1 << t.e) - 1) << t.m;
}

INLINE int32_t largest_finite(Format t)
{
    int32_t all = (1 << (t.e + t.m)) - 1;

    switch (t.special) {
    case WITH_INF:
        return code_of_inf(t) - 1;
    case ONE_NAN:
    case NO_NAN: /* R84: 1.75, though the last code could be read */
        return all - 1;
    case NAN_AT_ZERO:
        return all;
    }
    return all;
}

/* --- widening --- */

INLINE int32_t widen(int32_t x, Format t)
{
    const int up = F32_MANTISSA - t.m;
    int32_t magnitude = x & ((1 << (t.e + t.m)) - 1);
    int32_t sign = (int32_t)((uint32_t)x >> (t.e + t.m) << 31);
    int32_t r = (magnitude << up) + ((F32_BIAS - t.bias) << F32_MANTISSA);

    if (t.bias != F32_BIAS) { /* bf16's subnormals are fp32's, cut short */
        int32_t subnormal = as_bits((float)magnitude * power_of_two(1 - t.bias - t.m));
        r = magnitude < 1 << t.m ? subnormal : r;
    }
    if (t.special == WITH_INF) {
        int32_t mantissa = (magnitude << up) & (F32_QUIET * 2 - 1);
        int32_t not_number = F32_INF | mantissa | (mantissa != 0 ? F32_QUIET : 0);
        r = magnitude >= code_of_inf(t) ? not_number : r;
    }
    if (t.special == ONE_NAN)
        r = magnitude == (1 << (t.e + t.m)) - 1 ? F32_INF | F32_QUIET : r;
    if (t.special == NAN_AT_ZERO) {
        bool nan = x == 1 << (t.e + t.m);
        r = nan ? F32_INF | F32_QUIET : r;
        sign = nan ? 0 : sign;
    }
    return r | sign;
}

#define WIDEN(T, format)                                                                           \
    {                                                                                              \
        const T *s = src;                                                                          \
        int32_t *d = (int32_t *)dst;                                                               \
        EACH_LANE for (size_t i = 0; i < n; i++) d[i] = widen(s[i], format);                       \
        return;                                                                                    \
    }

void scalar_widen(DType t, const void *src, float *dst, size_t n)
{
    switch (t) {
    case DT_FP16:
        WIDEN(uint16_t, FP16)
    case DT_BF16:
        WIDEN(uint16_t, BF16)
    case DT_FP8E4NV:
        WIDEN(uint8_t, E4NV)
    case DT_FP8E5:
        WIDEN(uint8_t, E5)
    case DT_FP8E4B8:
        WIDEN(uint8_t, E4B8)
    case DT_FP8E5B16:
        WIDEN(uint8_t, E5B16)
    case DT_FP8E4B15:
        WIDEN(uint8_t, E4B15)
    default:
        bug("no small float: %s", dtype_name(t));
    }
}

/* --- narrowing --- */

/* The rounded magnitude of a number below the format's smallest normal, as a code.  Nearest lets
 * the hardware round at the right bit by adding a number whose last place is that bit. */
INLINE int32_t narrow_subnormal(int32_t magnitude, Format t, Rounding rounding)
{
    int32_t last_place = 1 - t.bias - t.m; /* exponent of the smallest subnormal */
    float anchor = power_of_two(last_place + F32_MANTISSA);

    if (rounding == ROUND_TO_ZERO)
        return (int32_t)(as_float(magnitude) * power_of_two(-last_place));
    return as_bits(as_float(magnitude) + anchor) - as_bits(anchor);
}

/* Above the subnormals, moving the exponent and rounding is one addition and one shift; a carry
 * out of the mantissa goes where it should. */
INLINE int32_t narrow(int32_t x, Format t, Rounding rounding)
{
    const int drop = F32_MANTISSA - t.m;
    const int32_t rebase = (F32_BIAS - t.bias) * (1 << F32_MANTISSA);
    const int32_t smallest_normal = rebase + (1 << F32_MANTISSA);
    const int32_t sign_bit = 1 << (t.e + t.m);
    const int32_t quiet = 1 << (t.m - 1);
    int32_t magnitude = x & INT32_MAX;
    int32_t sign = x < 0 ? sign_bit : 0;
    int32_t half = rounding == ROUND_TO_ZERO ? 0 : (1 << (drop - 1)) - 1 + (magnitude >> drop & 1);
    int32_t r = (int32_t)(((uint32_t)magnitude - (uint32_t)rebase + (uint32_t)half) >> drop);
    int32_t limit = t.saturates ? largest_finite(t) : code_of_inf(t);

    if (rebase != 0) { /* bf16's subnormals are fp32's, cut short */
        bool below = magnitude < smallest_normal;
        r = below ? narrow_subnormal(below ? magnitude : 0, t, rounding) : r;
    }
    if (rounding == ROUND_TO_ZERO && !t.saturates && magnitude < F32_INF)
        limit = largest_finite(t);
    r = r > limit || magnitude >= F32_INF ? limit : r;
    if (t.special == WITH_INF)
        r = magnitude > F32_INF ? code_of_inf(t) | quiet | (magnitude >> drop & (quiet - 1)) : r;
    if (t.special == ONE_NAN)
        r = magnitude > F32_INF ? sign_bit - 1 : r;
    if (t.special == NAN_AT_ZERO) {
        sign = r == 0 ? 0 : sign;
        r = magnitude > F32_INF ? 0 : r;
        sign = magnitude > F32_INF ? sign_bit : sign;
    }
    return r | sign;
}

/* R84: fp8e4b15 is fp16 cut short: fp32 to fp16 toward zero, magnitudes (NaN too) clamped to
 * 1.75, then half-up to 3 mantissa bits. */
INLINE int32_t narrow_e4b15(int32_t x)
{
    int32_t half = narrow(x, FP16, ROUND_TO_ZERO);
    int32_t magnitude = half & 0x7fff;

    magnitude = magnitude > 0x3f00 ? 0x3f00 : magnitude;
    return (half >> 8 & 0x80) | (magnitude + 0x40) >> 7;
}

#define NARROW_LOOP(T, e)                                                                          \
    {                                                                                              \
        const int32_t *s = (const int32_t *)src;                                                   \
        T *d = dst;                                                                                \
        EACH_LANE for (size_t i = 0; i < n; i++) d[i] = (T)(e);                                    \
        return;                                                                                    \
    }
#define NARROW(T, format)                                                                          \
    {                                                                                              \
        if (rounding == ROUND_TO_ZERO)                                                             \
            NARROW_LOOP(T, narrow(s[i], format, ROUND_TO_ZERO))                                    \
        NARROW_LOOP(T, narrow(s[i], format, ROUND_NEAREST))                                        \
    }

void scalar_narrow(DType t, Rounding rounding, const float *src, void *dst, size_t n)
{
    switch (t) {
    case DT_FP16:
        NARROW(uint16_t, FP16)
    case DT_BF16:
        NARROW(uint16_t, BF16)
    case DT_FP8E4NV:
        NARROW(uint8_t, E4NV)
    case DT_FP8E5:
        NARROW(uint8_t, E5)
    case DT_FP8E4B8:
        NARROW(uint8_t, E4B8)
    case DT_FP8E5B16:
        NARROW(uint8_t, E5B16)
    case DT_FP8E4B15:
        NARROW_LOOP(uint8_t, narrow_e4b15(s[i]))
    default:
        bug("no small float: %s", dtype_name(t));
    }
}

/* --- computing --- */

/* neg, abs and copysign move the sign bit and nothing else (R56, R57).  Narrowing again would
 * saturate the infinities of fp8e5. */
#define SIGN_LOOP(op, T, e)                                                                        \
    case OP_##op: {                                                                                \
        const T *x = src[0], *y = src[1];                                                          \
        T *d = dst;                                                                                \
        (void)y;                                                                                   \
        EACH_LANE for (size_t i = 0; i < n; i++) d[i] = (T)(e);                                    \
        return true;                                                                               \
    }
#define SIGN_OPS(T, sign)                                                                          \
    switch (op) {                                                                                  \
        SIGN_LOOP(neg, T, x[i] ^ (sign))                                                           \
        SIGN_LOOP(abs, T, x[i] & ~(sign))                                                          \
        SIGN_LOOP(copysign, T, (x[i] & ~(sign)) | (y[i] & (sign)))                                 \
    default:                                                                                       \
        return false;                                                                              \
    }

static bool sign_op(OpCode op, DType t, const void *const *src, void *dst, size_t n)
{
    if (t == DT_FP8E4B8 || t == DT_FP8E5B16)
        return false; /* no minus zero: a bare sign bit would be the NaN */
    if (dtype_size(t) == 1)
        SIGN_OPS(uint8_t, 0x80)
    SIGN_OPS(uint16_t, 0x8000)
}

/* At most SCALAR_BLOCK elements: to fp32, the op there, and one rounding of its result. */
static bool by_way_of_fp32(OpCode op, DType t, const void *const *src, void *dst, size_t n)
{
    float wide[MAX_ELEMENTWISE_OPERANDS][SCALAR_BLOCK];
    const void *operands[MAX_ELEMENTWISE_OPERANDS] = {0};
    bool gives_bool = strcmp(op_info(op)->result, "bool") == 0;

    for (int i = 0; i < MAX_ELEMENTWISE_OPERANDS && src[i]; i++) {
        operands[i] = wide[i];
        if (op == OP_ldexp && i == 1)
            operands[i] = src[i]; /* the exponents are i32 */
        else
            scalar_widen(t, src[i], wide[i], n);
    }
    if (!scalar_float(op, DT_FP32, operands, gives_bool ? dst : wide[0], n))
        return false;
    if (!gives_bool)
        scalar_narrow(t, ROUND_NEAREST, wide[0], dst, n);
    return true;
}

bool scalar_small(OpCode op, DType t, const void *const *src, void *dst, size_t n)
{
    const size_t size = (size_t)dtype_size(t);
    const size_t size_1 = op == OP_ldexp ? sizeof(int32_t) : size;
    const size_t size_out = strcmp(op_info(op)->result, "bool") == 0 ? 1 : size;

    if (sign_op(op, t, src, dst, n))
        return true;
    for (size_t at = 0; at < n; at += SCALAR_BLOCK) {
        const void *s[MAX_ELEMENTWISE_OPERANDS] = {
            (const char *)src[0] + at * size,
            src[1] ? (const char *)src[1] + at * size_1 : NULL,
            src[2] ? (const char *)src[2] + at * size : NULL,
        };
        if (!by_way_of_fp32(op, t, s, (char *)dst + at * size_out, MIN(n - at, SCALAR_BLOCK)))
            return false;
    }
    return true;
}
