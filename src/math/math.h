/*
 * math.h - functions as polynomials, for targets that do not have them; and what these files share
 *
 * An expansion is a C function that builds the ops computing one function, through the m_...
 * makers below: each adds one op and gives its value.  All values of an expansion have one shape,
 * that of the operand; floats are fp32 or fp64 and integers are unsigned of the same width,
 * because only their bits matter and because logical shifts exist on every machine.
 */
#ifndef TILEC_MATH_H
#define TILEC_MATH_H

#include "../ir/ir.h"

/* math.c: every APPROX op (exp, log, ...) becomes ops that all targets have, but for those of fp32
 * with native[code], where `native` is not NULL.  straight: without tables, and without parts that
 * are rarely needed: a select computes both.  large, by the id of a value (or NULL): no element of
 * it lies below the least normal number, so functions need no care for those, nor for their poles.
 * docs/accuracy.md says how near the results are. */
void math_expand(Func *f, const bool *native, bool straight, const bool *large);

/* Tables of constants have one entry for each. */
typedef enum { SINGLE, DOUBLE, PRECISIONS } Precise;

typedef struct {
    Builder b;
    const Type *shape; /* of the operand; its dtype does not matter */
    Precise precise;
    bool straight; /* for a target on which tables and branches cost more than arithmetic */
    bool large;    /* the operand of one is a normal number above 0, infinite or NaN */
} Math;

/* A polynomial, lowest degree first. */
typedef struct {
    const double *c;
    int n;
} Poly;
#define POLY(...)                                                                                  \
    {                                                                                              \
        (const double[]){__VA_ARGS__}, (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double))     \
    }

/* A constant as the nearest value of the precision and what is missing from it. */
typedef struct {
    double hi, lo;
} Split;

/* A number as an unrounded sum: the nearest value, and the rest. */
typedef struct {
    Value *hi, *lo;
} Pair;

/* How the bits of a precision lie. */
typedef struct {
    DType real, bits;
    int mantissa;    /* stored bits */
    int bias;        /* of the exponent */
    uint64_t one;    /* the bits of 1.0 */
    uint64_t fields; /* the bits of sign and exponent */
    double smallest; /* normal number */
    double integers; /* from here to twice this, floats are the integers */
    double tiny;     /* below it 1 + x/2 is 1 */
    double raise;    /* what makes a subnormal normal: 2^(mantissa + 1) */
} Format;

/* math.c: constants, conversions, and ops whose meaning needs a word */
const Format *m_format(const Math *m);    /* of its precision */
Value *m_num(Math *m, double v);          /* a float */
Value *m_int(Math *m, uint64_t v);        /* an unsigned integer */
Value *m_to_bits(Math *m, Value *x);      /* float to the unsigned integer of its width */
Value *m_from_bits(Math *m, Value *bits); /* back */
/* p(x), each step a fma; from nine coefficients on in two chains, for half the latency. */
Value *m_poly(Math *m, Value *x, const Poly *p);
/* Keep NaN; else the nearest value in [low, high]. */
Value *m_clamp(Math *m, Value *x, double low, double high);
/* v where it is +inf or NaN, else y: for functions with f(inf) = inf. */
Value *m_keep_unbounded(Math *m, Value *v, Value *y);
/* x where |x| is so small that f(x) = x to the last bit, else y. */
Value *m_keep_tiny(Math *m, Value *x, Value *y);
/* math_bound.c: is |x| no more than that, or NaN, by what it is computed of? */
bool m_is_bounded(const Value *x, double most);
Math m_double(const Math *m);     /* the same place, computing in fp64 */
Value *m_cast(Math *m, Value *x); /* a float of any dtype in the precision of m */

#define UNARY(op)                                                                                  \
    static inline Value *m_##op(Math *m, Value *x)                                                 \
    {                                                                                              \
        return build_unary(&m->b, OP_##op, x);                                                     \
    }
UNARY(neg)
UNARY(abs)
UNARY(sqrt)
UNARY(rint)
#undef UNARY
/* Operands are made from the last one on, see build_hold(). */
static inline Value *m_two(Math *m, OpCode code, Value *x)
{
    Value *y = build_held(&m->b);

    return build_binary(&m->b, code, x, y);
}
static inline Value *m_three(Math *m, OpCode code, Value *x)
{
    Value *y = build_held(&m->b), *z = build_held(&m->b);

    return build_op(&m->b, code, 3, (Value *[]){x, y, z}, 0, NULL, 1, NULL)->results[0];
}
#define M_TWO(m, op, x, y) m_two(m, OP_##op, (build_hold(&(m)->b, y), x))
#define m_add(m, x, y) M_TWO(m, add, x, y)
#define m_sub(m, x, y) M_TWO(m, sub, x, y)
#define m_mul(m, x, y) M_TWO(m, mul, x, y)
#define m_div(m, x, y) M_TWO(m, div, x, y)
#define m_and(m, x, y) M_TWO(m, and, x, y)
#define m_or(m, x, y) M_TWO(m, or, x, y)
#define m_xor(m, x, y) M_TWO(m, xor, x, y)
#define m_shl(m, x, y) M_TWO(m, shl, x, y)
#define m_shr(m, x, y) M_TWO(m, shr, x, y)
#define m_eq(m, x, y) M_TWO(m, eq, x, y)
#define m_ne(m, x, y) M_TWO(m, ne, x, y)
#define m_lt(m, x, y) M_TWO(m, lt, x, y)
#define m_le(m, x, y) M_TWO(m, le, x, y)
#define m_gt(m, x, y) M_TWO(m, gt, x, y)
#define m_ge(m, x, y) M_TWO(m, ge, x, y)
#define m_minnan(m, x, y) M_TWO(m, minnan, x, y)
#define m_maxnan(m, x, y) M_TWO(m, maxnan, x, y)
#define m_copysign(m, x, y) M_TWO(m, copysign, x, y)
#define m_fma(m, x, y, z) m_three(m, OP_fma, (build_hold(&(m)->b, z), build_hold(&(m)->b, y), x))
static inline Value *m_lookup8(Math *m, Value *x, const int64_t *table)
{
    return build_op(&m->b, OP_lookup8, 1, &x, 8, table, 0, NULL)->results[0];
}
static inline Value *m_chosen(Math *m, Value *c)
{
    Value *x = build_held(&m->b), *y = build_held(&m->b);

    return build_select(&m->b, c, x, y);
}
#define m_select(m, c, x, y) m_chosen(m, (build_hold(&(m)->b, y), build_hold(&(m)->b, x), c))

/* x where c is true, which is nearly everywhere; y is right everywhere, and may cost more. */
Value *m_usually(Math *m, Value *c, Value *x, Value *y);

/* Inside an expansion the context is always called m. */
#define K(v) m_num(m, (v))
#define U(v) m_int(m, (v))

/* math_exp.c */
/* The integer nearest to x * scale: as a float, and with `bias` added in the low bits of an
 * integer whose other bits the shift to the exponent's place drops. */
typedef struct {
    Value *whole, *bits;
} Nearest;
/* |x * scale| must stay below 2^(mantissa - 1) less `bias`. */
Nearest m_nearest(Math *m, Value *x, double scale, int bias);
Value *m_exponent(Math *m, Value *bits);  /* the float with these exponent bits */
Value *m_is_below_two(Math *m, Value *x); /* |x| < 2, by a single bit; false on NaN */
/* e^x = 2^k h (1 + q), h a power of two, q in [-0.3, 0.42]; so k > 0 holds off overflow of h. */
typedef struct {
    Value *h, *q;
} Growth;
Growth m_growth(Math *m, Value *x, int k); /* the caller keeps x within the bounds of exp */
/* e^(x + x_low) (factor + factor_low), and in fp64 2^(x + x_low), for x within the bounds of exp */
Value *m_exp_times(Math *m, Value *x, Value *x_low, Value *factor, Value *factor_low);
Value *m_exp2_sum(Math *m, Value *x, Value *x_low); /* fp64 only; x_low is small beside x */
Value *math_exp(Math *m, Value *x);   /* inf above the largest that has one, 0 below the smallest */
Value *math_exp2(Math *m, Value *x);  /* exact for whole x */
Value *math_exp10(Math *m, Value *x); /* inf and 0 outside as exp */
Value *math_expm1(Math *m, Value *x); /* e^x - 1 without cancelling near 0; -0 stays */

/* math_log.c */
Value *math_log(Math *m, Value *x);   /* -inf for 0, NaN below */
Value *math_log2(Math *m, Value *x);  /* exact for powers of two */
Value *math_log10(Math *m, Value *x); /* special cases as log */
/* log(1 + x) without rounding the sum; -inf for -1; -0 stays. */
Value *math_log1p(Math *m, Value *x);

/* math_trig.c */
Value *math_sin(Math *m, Value *x); /* any finite x; NaN for inf */
Value *math_cos(Math *m, Value *x); /* any finite x; NaN for inf */
Value *math_tan(Math *m, Value *x); /* any finite x; NaN for inf */

/* math_arc.c */
Value *math_atan(Math *m, Value *x); /* in [-pi/2, pi/2] */
/* In [-pi, pi]: the angle of the point (x, y), by the signs of zeros too, as C17 F.10.1.4 has
 * it. */
Value *math_atan2(Math *m, Value *y, Value *x);
Value *math_asin(Math *m, Value *x); /* NaN for |x| > 1 */
Value *math_acos(Math *m, Value *x); /* in [0, pi]; NaN for |x| > 1 */

/* math_hyper.c */
Value *math_sinh(Math *m, Value *x);  /* odd, also for -0; inf where it overflows */
Value *math_cosh(Math *m, Value *x);  /* at least 1; inf where it overflows */
Value *math_tanh(Math *m, Value *x);  /* odd; at most 1 */
Value *math_asinh(Math *m, Value *x); /* odd; finite wherever x is */
Value *math_acosh(Math *m, Value *x); /* NaN for x < 1 */
Value *math_atanh(Math *m, Value *x); /* inf for 1, NaN above; odd */

/* math_erf.c */
Value *math_erf(Math *m, Value *x);  /* odd; at most 1 */
Value *math_erfc(Math *m, Value *x); /* 1 - erf x without cancelling, down to where it underflows */

/* math_toward.c */
Value *math_toward(Math *m, const Op *op);      /* arithmetic that rounds to a side */
Value *math_cast_toward(Math *m, const Op *op); /* to fp32 or fp64, of integers too */

/* math_pow.c, math_root.c */
/* Special cases as in C17 F.10.4.4: 1 for y = 0 or x = 1, NaN for finite x < 0 and a y that is no
 * integer. */
Value *math_pow(Math *m, Value *x, Value *y);
Value *math_rsqrt(Math *m, Value *x);           /* 1 / sqrt(x), both rounded; inf for 0 */
Value *math_cbrt(Math *m, Value *x);            /* odd; subnormals too */
Value *math_hypot(Math *m, Value *x, Value *y); /* no overflow on the way; inf beats NaN */

#endif
