/*
 * scalar_float.c - the fp32 and fp64 ops as loops
 *
 * scalar_float_ops.h says what each op means; this file turns its rows into loops.
 */
#include <math.h>

#include "scalar.h"

#define UNARY(op, e) SCALAR_LOOP(op, F, const F x = a[i], e)
#define BINARY(op, e) SCALAR_LOOP(op, F, const F x = a[i]; const F y = b[i], e)
#define TERNARY(op, e) SCALAR_LOOP(op, F, const F x = a[i]; const F y = b[i]; const F z = c[i], e)
#define TEST(op, e) SCALAR_LOOP(op, uint8_t, const F x = a[i], e)
#define COMPARE(op, e) SCALAR_LOOP(op, uint8_t, const F x = a[i]; const F y = b[i], e)
#define EXPONENT(op, e) SCALAR_LOOP(op, F, const F x = a[i]; const int k = exponent[i], e)
#define APPROX1(op, e) SCALAR_LOOP(op, F, const WIDER x = a[i], e)
#define APPROX2(op, e)                                                                             \
    SCALAR_LOOP(op, F, const WIDER x = quiet(a[i]); const WIDER y = quiet(b[i]), e)

/* A NaN is a NaN: to the C library pow(x, 0) is 1 and hypot(inf, x) inf for quiet ones alone. */
static double quiet(double x)
{
    return isnan(x) ? (double)NAN : x;
}

#define F float
#define WIDER double
#define EXACT(name) name##f
#define NEAR(name) name
static bool float_fp32(OpCode op, const void *const *src, void *dst, size_t n)
{
    const float *a = src[0], *b = src[1], *c = src[2];
    const int32_t *exponent = src[1];
    switch (op) {
#include "scalar_float_ops.h"
    default:
        return false;
    }
}
#undef F
#undef WIDER
#undef EXACT
#undef NEAR

#define F double
#define WIDER long double
#define EXACT(name) name
#define NEAR(name) name##l
static bool float_fp64(OpCode op, const void *const *src, void *dst, size_t n)
{
    const double *a = src[0], *b = src[1], *c = src[2];
    const int32_t *exponent = src[1];
    switch (op) {
#include "scalar_float_ops.h"
    default:
        return false;
    }
}

bool scalar_float(OpCode op, DType t, const void *const *src, void *dst, size_t n)
{
    return t == DT_FP32 ? float_fp32(op, src, dst, n) : float_fp64(op, src, dst, n);
}
