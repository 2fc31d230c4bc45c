/*
 * convert.c - cvt
 *
 * The usual conversions have loops of their own; convert_int and its kin take the rest through
 * 64-bit integers and doubles, which hold every source exactly.
 */
#include <fenv.h>
#include <math.h>

#include "../base/base.h"
VECTOR_LOOPS /* in front of the functions of headers, too: they are inlined */

#include "lanes.h"
#include "small.h"

EACH1(convert_32_u16, uint32_t, uint16_t, x)
EACH1(convert_64_u32, uint64_t, uint32_t, x)
EACH1(convert_64_s32, int64_t, int32_t, x)
EACH1(convert_32_64, uint32_t, uint64_t, x)
EACH1(convert_f32_s32, float, int32_t, x)
EACH1(convert_f64_f32, double, float, x)
EACH1(convert_f32_bf16, uint32_t, uint16_t, (uint32_t)x << 16) /* NaNs stay */

/* A NaN of f64 in a smaller format becomes quiet, and keeps its sign and the upper bits. */
static uint32_t nan_from_f64(PtxType to, double x)
{
    int mantissa = to == PTX_F32 ? 23 : to == PTX_F16 ? 10 : 7, sign = ptx_type_bits[to] - 1;
    uint64_t bits = bits_of_double(x), quiet = bits | UINT64_C(1) << 51;
    uint32_t low = (uint32_t)(quiet >> (52 - mantissa)) & ((UINT32_C(1) << sign) - 1);

    return low | (uint32_t)(bits >> 63) << sign;
}

void convert_f32_f64(Warp *w, const Inst *in, uint32_t mask)
{
    const double *x = OPERAND(w, in, 1, double);
    float *d = OPERAND(w, in, 0, float);

    FOR_LANES(i, mask)
    d[i] = isnan(x[i]) ? float_of(nan_from_f64(PTX_F32, x[i])) : (float)x[i];
}

static uint64_t read_bits(const Warp *w, uint32_t place, int bytes, uint32_t lane)
{
    if (bytes == 2)
        return REG(w, place, uint16_t)[lane];
    return bytes == 4 ? REG(w, place, uint32_t)[lane] : REG(w, place, uint64_t)[lane];
}

/* The low bits of an integer, extended to 64. */
static uint64_t extended(uint64_t x, PtxType t)
{
    int up = 64 - ptx_type_bits[t];

    return ptx_is_signed(t) ? (uint64_t)((int64_t)(x << up) >> up) : x << up >> up;
}

/* Into a register that may be wider than its type, which is extended then. */
static void write_int(Warp *w, uint32_t place, int bytes, uint32_t lane, uint64_t x, PtxType t)
{
    x = extended(x, t);
    if (bytes == 2)
        REG(w, place, uint16_t)[lane] = (uint16_t)x;
    else if (bytes == 4)
        REG(w, place, uint32_t)[lane] = (uint32_t)x;
    else
        REG(w, place, uint64_t)[lane] = x;
}

static int64_t least_of(PtxType t)
{
    return ptx_is_signed(t) ? INT64_MIN >> (64 - ptx_type_bits[t]) : 0;
}

static uint64_t most_of(PtxType t)
{
    return UINT64_MAX >> (64 - ptx_type_bits[t] + ptx_is_signed(t));
}

static uint64_t saturated(uint64_t x, PtxType from, PtxType to)
{
    bool negative = ptx_is_signed(from) && (int64_t)x < 0;

    if (negative)
        return (int64_t)x < least_of(to) ? (uint64_t)least_of(to) : x;
    return x > most_of(to) ? most_of(to) : x;
}

void convert_int(Warp *w, const Inst *in, uint32_t mask)
{
    PtxType to = (PtxType)in->type[0], from = (PtxType)in->type[1];
    bool sat = has(in, MOD_SAT);

    FOR_LANES(i, mask)
    {
        uint64_t x = extended(read_bits(w, in->op[1], in->bytes[1], i), from);

        write_int(w, in->op[0], in->bytes[0], i, sat ? saturated(x, from, to) : x, to);
    }
}

/* A float of any format as a double. */
static double read_float(const Warp *w, const Inst *in, int operand, PtxType t, uint32_t lane)
{
    uint32_t bits;

    if (t == PTX_F64)
        return OPERAND(w, in, operand, double)[lane];
    if (ptx_type_bits[t] == 16)
        return small_to_double(t, OPERAND(w, in, operand, uint16_t)[lane]);
    bits = OPERAND(w, in, operand, uint32_t)[lane];
    return float_of(has(in, MOD_FTZ) ? flush32(bits) : bits);
}

/* .relu: neither a number below 0 nor -0 */
static double rectified(double x)
{
    return x <= 0 ? 0 : x;
}

static void write_float(Warp *w, const Inst *in, PtxType t, uint32_t lane, double x, Rounding r)
{
    uint32_t bits;

    if (has(in, MOD_SAT))
        x = x > 0 ? MIN(x, 1.0) : 0;
    if (has(in, MOD_RELU))
        x = rectified(x);
    if (t == PTX_F64) {
        OPERAND(w, in, 0, double)
        [lane] = x;
        return;
    }
    if (isnan(x) && in->type[1] == PTX_F64)
        bits = nan_from_f64(t, x);
    else
        bits = small_from_double(t, x, r, has(in, MOD_SATFINITE));
    if (ptx_type_bits[t] == 16)
        OPERAND(w, in, 0, uint16_t)
    [lane] = (uint16_t)bits;
    else OPERAND(w, in, 0, uint32_t)[lane] = has(in, MOD_FTZ) ? flush32(bits) : bits;
}

/* To f64 an integer of 64 bits is rounded here, by the host; to all others once, at the end. */
void convert_to_float(Warp *w, const Inst *in, uint32_t mask)
{
    PtxType to = (PtxType)in->type[0], from = (PtxType)in->type[1];
    Rounding r = rounding_of(in);

    FOR_LANES(i, mask)
    {
        uint64_t x = extended(read_bits(w, in->op[1], in->bytes[1], i), from);
        bool negative = ptx_is_signed(from) && (int64_t)x < 0;
        double wide;

        if (to == PTX_F64) {
            fesetround(host_rounding(r));
            wide = negative ? (double)(int64_t)x : (double)x;
            fesetround(FE_TONEAREST);
        } else {
            wide = odd_from_int(negative ? -x : x, negative);
        }
        write_float(w, in, to, i, wide, r);
    }
}

static double round_whole(double x, Rounding r)
{
    switch (r) {
    case ROUND_ZERO:
        return trunc(x);
    case ROUND_DOWN:
        return floor(x);
    case ROUND_UP:
        return ceil(x);
    default:
        return nearbyint(x);
    }
}

static bool rounds_to_whole(const Inst *in)
{
    return has(in, MOD_RNI) || has(in, MOD_RZI) || has(in, MOD_RMI) || has(in, MOD_RPI);
}

/* What does not fit becomes the nearest that does; what a NaN becomes depends on the types. */
static uint64_t whole_from(double x, PtxType to, PtxType from, Rounding r)
{
    int bits = ptx_type_bits[to];

    if (isnan(x))
        return from == PTX_F64 || bits == 64 ? UINT64_C(1) << (bits - 1) : 0;
    x = round_whole(x, r);
    if (x <= (double)least_of(to))
        return (uint64_t)least_of(to);
    if (x >= (double)most_of(to))
        return most_of(to);
    return x < 0 ? (uint64_t)(int64_t)x : (uint64_t)x;
}

void convert_from_float(Warp *w, const Inst *in, uint32_t mask)
{
    PtxType to = (PtxType)in->type[0], from = (PtxType)in->type[1];
    Rounding r = rounding_of(in);

    FOR_LANES(i, mask)
    {
        double x = read_float(w, in, 1, from, i);

        write_int(w, in->op[0], in->bytes[0], i, whole_from(x, to, from, r), to);
    }
}

void convert_float(Warp *w, const Inst *in, uint32_t mask)
{
    PtxType to = (PtxType)in->type[0], from = (PtxType)in->type[1];
    Rounding r = rounding_of(in);
    bool whole = rounds_to_whole(in);

    FOR_LANES(i, mask)
    {
        double x = read_float(w, in, 1, from, i);

        write_float(w, in, to, i, whole ? round_whole(x, r) : x, r);
    }
}

/* With .rna a NaN only loses its low bits, and is an infinity where it had no others. */
void convert_tf32(Warp *w, const Inst *in, uint32_t mask)
{
    const uint32_t *x = OPERAND(w, in, 1, uint32_t);
    uint32_t *d = OPERAND(w, in, 0, uint32_t);
    Rounding r = rounding_of(in);

    FOR_LANES(i, mask)
    {
        if (r == ROUND_AWAY && isnan(float_of(x[i])))
            d[i] = x[i] & UINT32_C(0xffffe000);
        else
            write_float(w, in, PTX_TF32, i, float_of(x[i]), r);
    }
}

/* Two of a smaller format beside each other: the first operand lies in the upper half. */
void convert_pair(Warp *w, const Inst *in, uint32_t mask)
{
    PtxType to = (PtxType)in->type[0];
    int bits = ptx_type_bits[to] / 2;
    bool finite = has(in, MOD_SATFINITE), relu = has(in, MOD_RELU);
    Rounding r = rounding_of(in);

    FOR_LANES(i, mask)
    {
        uint32_t both = 0;

        for (int k = 0; k < 2; k++) {
            double x = OPERAND(w, in, 2 - k, float)[i];

            x = relu ? rectified(x) : x;
            both |= small_from_double(to, x, r, finite) << (k * bits);
        }
        if (bits == 8)
            OPERAND(w, in, 0, uint16_t)
        [i] = (uint16_t)both;
        else OPERAND(w, in, 0, uint32_t)[i] = both;
    }
}

void convert_to_fp8(Warp *w, const Inst *in, uint32_t mask)
{
    bool relu = has(in, MOD_RELU);

    FOR_LANES(i, mask)
    {
        uint32_t pair = OPERAND(w, in, 1, uint32_t)[i], both = 0;

        for (int k = 0; k < 2; k++) {
            double x = small_to_double(PTX_F16, pair >> (16 * k) & 0xffff);

            x = relu ? rectified(x) : x;
            both |= small_from_double((PtxType)in->type[0], x, ROUND_NEAREST, true) << (8 * k);
        }
        OPERAND(w, in, 0, uint16_t)
        [i] = (uint16_t)both;
    }
}

void convert_from_fp8(Warp *w, const Inst *in, uint32_t mask)
{
    bool relu = has(in, MOD_RELU);

    FOR_LANES(i, mask)
    {
        uint32_t pair = OPERAND(w, in, 1, uint16_t)[i], both = 0;

        for (int k = 0; k < 2; k++) {
            double x = small_to_double((PtxType)in->type[1], pair >> (8 * k) & 0xff);

            x = relu ? rectified(x) : x;
            both |= small_from_double(PTX_F16, x, ROUND_NEAREST, false) << (16 * k);
        }
        OPERAND(w, in, 0, uint32_t)
        [i] = both;
    }
}

/* --- e2m1: four bits, without infinity and NaN --- */

/* How many of the limits between its values |x| is beyond; on one the even code is nearest. */
static uint32_t fp4_from(double x, bool relu)
{
    static const double limits[] = {0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5};
    uint32_t code = 0;

    if (isnan(x))
        return 7;
    if (relu && signbit(x))
        return 0;
    for (int i = 0; i < COUNT(limits); i++)
        code += i % 2 ? fabs(x) >= limits[i] : fabs(x) > limits[i];
    return code | (signbit(x) ? 8 : 0);
}

void convert_to_fp4(Warp *w, const Inst *in, uint32_t mask)
{
    bool relu = has(in, MOD_RELU);

    FOR_LANES(i, mask)
    {
        uint32_t high = fp4_from(OPERAND(w, in, 1, float)[i], relu);

        OPERAND(w, in, 0, uint8_t)
        [i] = (uint8_t)(high << 4 | fp4_from(OPERAND(w, in, 2, float)[i], relu));
    }
}

/* Of a code the value as f16. */
static uint32_t half_of_fp4(uint32_t code, bool relu)
{
    static const uint16_t values[] = {0, 0x3800, 0x3c00, 0x3e00, 0x4000, 0x4200, 0x4400, 0x4600};
    bool negative = code & 8;

    return relu && negative ? 0 : values[code & 7] | (negative ? 0x8000u : 0);
}

void convert_from_fp4(Warp *w, const Inst *in, uint32_t mask)
{
    bool relu = has(in, MOD_RELU);

    FOR_LANES(i, mask)
    {
        uint32_t both = OPERAND(w, in, 1, uint8_t)[i];

        OPERAND(w, in, 0, uint32_t)
        [i] = half_of_fp4(both >> 4, relu) << 16 | half_of_fp4(both & 15, relu);
    }
}

/* cvt.pack: two integers, saturated, in the low bits; what was there moves up. */
void convert_pack(Warp *w, const Inst *in, uint32_t mask)
{
    PtxType to = (PtxType)in->type[0];
    int bits = ptx_type_bits[to];
    uint32_t ones = (uint32_t)most_of(bits == 8 ? PTX_U8 : PTX_U16);

    FOR_LANES(i, mask)
    {
        uint64_t a = (uint64_t)OPERAND(w, in, 1, int32_t)[i],
                 b = (uint64_t)OPERAND(w, in, 2, int32_t)[i];
        uint32_t high = (uint32_t)saturated(a, PTX_S32, to) & ones;
        uint32_t low = (uint32_t)saturated(b, PTX_S32, to) & ones;
        uint32_t above = in->nops > 3 ? OPERAND(w, in, 3, uint32_t)[i] << (2 * bits) : 0;

        OPERAND(w, in, 0, uint32_t)
        [i] = above | high << bits | low;
    }
}
