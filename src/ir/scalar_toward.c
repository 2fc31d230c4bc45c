/*
 * scalar_toward.c - arithmetic and conversions that round to a side
 *
 * The host does it: its rounding is switched, and back.  Operands and results are volatile, so that
 * the compiler neither computes with them before nor after.
 */
#include <fenv.h>
#include <math.h>

#include "scalar.h"

static int host_side(Rounding r)
{
    switch (r) {
    case ROUND_TO_ZERO:
        return FE_TOWARDZERO;
    case ROUND_DOWN:
        return FE_DOWNWARD;
    case ROUND_UP:
        return FE_UPWARD;
    case ROUND_NEAREST:
        break;
    }
    return FE_TONEAREST;
}

#define ROW(op, e)                                                                                 \
    case OP_##op:                                                                                  \
        for (size_t i = 0; i < n; i++)                                                             \
            d[i] = (e);                                                                            \
        return;

#define ARITHMETIC(function, F, fma_of, sqrt_of)                                                   \
    static void function(OpCode op, const void *const *src, void *dst, size_t n)                   \
    {                                                                                              \
        const volatile F *x = src[0], *y = src[1], *z = src[2];                                    \
        volatile F *d = dst;                                                                       \
                                                                                                   \
        switch (op) {                                                                              \
            ROW(add_toward, x[i] + y[i])                                                           \
            ROW(mul_toward, x[i] * y[i])                                                           \
            ROW(div_toward, x[i] / y[i])                                                           \
            ROW(fma_toward, fma_of(x[i], y[i], z[i]))                                              \
            ROW(sqrt_toward, sqrt_of(x[i]))                                                        \
        default:                                                                                   \
            bug("%s does not round to a side", op_info(op)->name);                                 \
        }                                                                                          \
    }

ARITHMETIC(single_toward, float, fmaf, sqrtf)
ARITHMETIC(double_toward, double, fma, sqrt)

bool scalar_toward(OpCode op, Rounding r, DType t, const void *const *src, void *dst, size_t n)
{
    const void *operands[3] = {src[0]};

    if (t != DT_FP32 && t != DT_FP64)
        return false;
    for (int i = 1; op != OP_sqrt_toward && i < (op == OP_fma_toward ? 3 : 2); i++)
        operands[i] = src[i];
    fesetround(host_side(r));
    (t == DT_FP32 ? single_toward : double_toward)(op, operands, dst, n);
    fesetround(FE_TONEAREST);
    return true;
}

#define CONVERT(dtype, From, To)                                                                   \
    case dtype: {                                                                                  \
        const volatile From *s = src;                                                              \
        volatile To *d = dst;                                                                      \
        for (size_t i = 0; i < n; i++)                                                             \
            d[i] = (To)s[i];                                                                       \
        return;                                                                                    \
    }

static void to_single(DType in, const void *src, void *dst, size_t n)
{
    switch (in) {
        CONVERT(DT_I32, int32_t, float)
        CONVERT(DT_U32, uint32_t, float)
        CONVERT(DT_I64, int64_t, float)
        CONVERT(DT_U64, uint64_t, float)
        CONVERT(DT_FP64, double, float)
    default:
        bug("%s to fp32 does not round to a side", dtype_name(in));
    }
}

static void to_double(DType in, const void *src, void *dst, size_t n)
{
    switch (in) {
        CONVERT(DT_I32, int32_t, double)
        CONVERT(DT_U32, uint32_t, double)
        CONVERT(DT_I64, int64_t, double)
        CONVERT(DT_U64, uint64_t, double)
    default:
        bug("%s to fp64 does not round to a side", dtype_name(in));
    }
}

void scalar_cast_toward(Rounding r, DType in, DType out, const void *src, void *dst, size_t n)
{
    fesetround(host_side(r));
    (out == DT_FP32 ? to_single : to_double)(in, src, dst, n);
    fesetround(FE_TONEAREST);
}
