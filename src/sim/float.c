/*
 * float.c - arithmetic on f32 and f64
 *
 * The host rounds as IEEE 754 says, in the direction that the instruction names.  What a chip only
 * approximates (ex2, lg2, sin, cos, tanh, rsqrt, and rcp, sqrt and div where .approx or .full is
 * asked for) is computed in double and rounded once, so it is at least as near to the truth;
 * docs/simulator.md has the chips' own bounds.  A NaN of f32 comes out as 0x7fffffff.
 */
#include <fenv.h>
#include <math.h>

#include "../base/base.h"
VECTOR_LOOPS /* in front of the functions of headers, too: they are inlined */

#include "lanes.h"
#include "small.h"

/* What comes out: one NaN for all. */
static inline float one_nan(float x)
{
    return x == x ? x : float_of(NAN_F32);
}

EACH2(add_f32, float, float, float, one_nan(x + y))
EACH2(sub_f32, float, float, float, one_nan(x - y))
EACH2(mul_f32, float, float, float, one_nan(x *y))
EACH3(fma_f32, float, float, float, float, one_nan(fmaf(x, y, z)))

/* With f16 or bf16 in front, for chips from sm_100 on. */
static float widened_half(const Inst *in, uint16_t bits)
{
    return (float)small_to_double((PtxType)in->type[1], bits);
}

EACH2(add_mixed, float, uint16_t, float, one_nan(widened_half(in, x) + y))
EACH2(sub_mixed, float, uint16_t, float, one_nan(widened_half(in, x) - y))
EACH3(fma_mixed, float, uint16_t, uint16_t, float,
      one_nan(fmaf(widened_half(in, x), widened_half(in, y), z)))

/* --- with all modifiers --- */

static float flushed(const Inst *in, float x)
{
    return has(in, MOD_FTZ) ? float_of(flush32(bits_of(x))) : x;
}

static float finished(const Inst *in, float x)
{
    if (has(in, MOD_SAT))
        x = x > 0 ? MIN(x, 1.0f) : 0.0f; /* a NaN becomes 0 */
    return one_nan(flushed(in, x));
}

/* Switch the host to the instruction's rounding; gives whether it must go back. */
static bool enter_rounding(const Inst *in)
{
    Rounding r = rounding_of(in);

    if (r != ROUND_NEAREST)
        fesetround(host_rounding(r));
    return r != ROUND_NEAREST;
}

static void leave_rounding(bool changed)
{
    if (changed)
        fesetround(FE_TONEAREST);
}

#define FULL1(name, expr)                                                                          \
    void name(Warp *w, const Inst *in, uint32_t mask)                                              \
    {                                                                                              \
        float *d = OPERAND(w, in, 0, float);                                                       \
        const float *xs = OPERAND(w, in, 1, float);                                                \
        bool changed = enter_rounding(in);                                                         \
                                                                                                   \
        FOR_LANES(i, mask)                                                                         \
        {                                                                                          \
            float x = flushed(in, xs[i]);                                                          \
                                                                                                   \
            d[i] = finished(in, expr);                                                             \
        }                                                                                          \
        leave_rounding(changed);                                                                   \
    }
#define FULL2(name, expr)                                                                          \
    void name(Warp *w, const Inst *in, uint32_t mask)                                              \
    {                                                                                              \
        float *d = OPERAND(w, in, 0, float);                                                       \
        const float *xs = OPERAND(w, in, 1, float), *ys = OPERAND(w, in, 2, float);                \
        bool changed = enter_rounding(in);                                                         \
                                                                                                   \
        FOR_LANES(i, mask)                                                                         \
        {                                                                                          \
            float x = flushed(in, xs[i]), y = flushed(in, ys[i]);                                  \
                                                                                                   \
            d[i] = finished(in, expr);                                                             \
        }                                                                                          \
        leave_rounding(changed);                                                                   \
    }
FULL2(add_f32_full, x + y)
FULL2(sub_f32_full, x - y)
FULL2(mul_f32_full, x *y)

void fma_f32_full(Warp *w, const Inst *in, uint32_t mask)
{
    float *d = OPERAND(w, in, 0, float);
    const float *xs = OPERAND(w, in, 1, float), *ys = OPERAND(w, in, 2, float),
                *zs = OPERAND(w, in, 3, float);
    bool changed = enter_rounding(in);

    FOR_LANES(i, mask)
    d[i] = finished(in, fmaf(flushed(in, xs[i]), flushed(in, ys[i]), flushed(in, zs[i])));
    leave_rounding(changed);
}

FULL2(div_f32, x / y)
FULL1(rcp_f32, 1 / x)
FULL1(sqrt_f32, sqrtf(x))
FULL1(rsqrt_f32, (float)(1 / sqrt((double)x)))
FULL1(ex2_f32, (float)exp2((double)x))
FULL1(lg2_f32, (float)log2((double)x))
FULL1(sin_f32, (float)sin((double)x))
FULL1(cos_f32, (float)cos((double)x))
FULL1(tanh_f32, (float)tanh((double)x))

/* The number where the other is a NaN; -0 is less than 0. */
static float lesser(float x, float y)
{
    if (x != x || y != y)
        return x == x ? x : y;
    return x < y || (x == y && signbit(x)) ? x : y;
}

static float greater(float x, float y)
{
    if (x != x || y != y)
        return x == x ? x : y;
    return x > y || (x == y && !signbit(x)) ? x : y;
}

/* .NaN lets a NaN win; .xorsign.abs compares without signs and gives the product of both. */
static float choose_float(const Inst *in, float x, float y, float (*pick)(float, float))
{
    if (has(in, MOD_NAN_) && (x != x || y != y))
        return NAN;
    if (!has(in, MOD_XORSIGN))
        return pick(x, y);
    float size = pick(fabsf(x), fabsf(y));
    return size == size ? copysignf(size, signbit(x) != signbit(y) ? -1.0f : 1.0f) : size;
}
FULL2(min_f32, choose_float(in, x, y, lesser))
FULL2(max_f32, choose_float(in, x, y, greater))

EACH1(neg_f32, float, float, one_nan(-flushed(in, x)))
EACH1(abs_f32, float, float, one_nan(fabsf(flushed(in, x))))

/* This moves bits: a NaN stays what it is. */
EACH2(copysign_f32, uint32_t, uint32_t, uint32_t,
      (y & UINT32_C(0x7fffffff)) | (x & UINT32_C(0x80000000)))

/* --- f64 --- */

#define DOUBLE1(name, expr)                                                                        \
    void name(Warp *w, const Inst *in, uint32_t mask)                                              \
    {                                                                                              \
        double *d = OPERAND(w, in, 0, double);                                                     \
        const double *xs = OPERAND(w, in, 1, double);                                              \
        bool changed = enter_rounding(in);                                                         \
                                                                                                   \
        LOOP_LANES(mask, double x = xs[i]; d[i] = (expr);)                                         \
        leave_rounding(changed);                                                                   \
    }
#define DOUBLE2(name, expr)                                                                        \
    void name(Warp *w, const Inst *in, uint32_t mask)                                              \
    {                                                                                              \
        double *d = OPERAND(w, in, 0, double);                                                     \
        const double *xs = OPERAND(w, in, 1, double), *ys = OPERAND(w, in, 2, double);             \
        bool changed = enter_rounding(in);                                                         \
                                                                                                   \
        LOOP_LANES(mask, double x = xs[i], y = ys[i]; d[i] = (expr);)                              \
        leave_rounding(changed);                                                                   \
    }
DOUBLE2(add_f64, x + y)
DOUBLE2(sub_f64, x - y)
DOUBLE2(mul_f64, x *y)
DOUBLE2(div_f64, x / y)
DOUBLE1(rcp_f64, 1 / x)
DOUBLE1(sqrt_f64, sqrt(x))
DOUBLE1(rsqrt_f64, 1 / sqrt(x))
DOUBLE1(neg_f64, double_of(bits_of_double(x) ^ UINT64_C(1) << 63))
DOUBLE1(abs_f64, double_of(bits_of_double(x) & ~(UINT64_C(1) << 63)))
DOUBLE2(copysign_f64, copysign(y, x))

void fma_f64(Warp *w, const Inst *in, uint32_t mask)
{
    double *d = OPERAND(w, in, 0, double);
    const double *x = OPERAND(w, in, 1, double), *y = OPERAND(w, in, 2, double),
                 *z = OPERAND(w, in, 3, double);
    bool changed = enter_rounding(in);

    FOR_LANES(i, mask)
    d[i] = fma(x[i], y[i], z[i]);
    leave_rounding(changed);
}

static double lesser64(double x, double y)
{
    if (x != x || y != y)
        return x == x ? x : y;
    return x < y || (x == y && signbit(x)) ? x : y;
}

static double greater64(double x, double y)
{
    if (x != x || y != y)
        return x == x ? x : y;
    return x > y || (x == y && !signbit(x)) ? x : y;
}
DOUBLE2(min_f64, lesser64(x, y))
DOUBLE2(max_f64, greater64(x, y))
