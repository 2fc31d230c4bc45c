/*
 * formula.h - the makers that functions of libdevice are written with
 *
 * A formula is a C function that builds the ops computing one function, through the f_... makers
 * below: each adds one op and gives its value.  All values of a formula have one shape.  Unless a
 * formula says otherwise its floats are fp64: fp32 is widened first, and rounded once at the end.
 */
#ifndef TILEC_LIBDEVICE_FORMULA_H
#define TILEC_LIBDEVICE_FORMULA_H

#include "../tl/tl.h"

/* libdevice.c */
const Libdevice *libdevice_find(const char *name); /* NULL: there is no such function */
const char *libdevice_near(const char *word);      /* the name that is near; NULL: none is */
const char *libdevice_name(const Libdevice *d);    /* as in the table */
/* As many arguments as it has; an error for those that are NOT_YET. */
Val call_libdevice(Lower *l, const Libdevice *d, const ArgList *args);

typedef struct {
    Lower *l;
    const Type *shape; /* its dtype does not matter */
} Formula;

/* formula.c */
Value *f_number(const Formula *f, DType t, double v); /* of a float dtype, in the shape */
Value *f_int(const Formula *f, DType t, int64_t v);   /* of an integer dtype */
Value *f_cast(const Formula *f, Value *x, DType t);   /* rounds to nearest */
Value *f_bits(const Formula *f, Value *x, DType t);   /* the same bits as another dtype */
/* The Chebyshev series of series.h. */
typedef enum {
#define SERIES(name, ...) SERIES_##name,
#include "series.h"
} SeriesName;
Value *f_series(const Formula *f, SeriesName s, Value *y); /* its sum at y in [-1, 1] */
double series_term(SeriesName s, int i); /* for the rows that are no series, but numbers */

#define UNARY(op)                                                                                  \
    static inline Value *f_##op(const Formula *f, Value *x)                                        \
    {                                                                                              \
        return build_unary(&f->l->b, OP_##op, x);                                                  \
    }
UNARY(neg)
UNARY(abs)
UNARY(sqrt)
UNARY(rint)
UNARY(floor)
UNARY(exp)
UNARY(log)
UNARY(sin)
UNARY(cos)
UNARY(erfc)
#undef UNARY
/* Operands are made from the last one on, see build_hold(). */
static inline Value *f_two(const Formula *f, OpCode code, Value *x)
{
    Value *y = build_held(&f->l->b);

    return build_binary(&f->l->b, code, x, y);
}
static inline Value *f_chosen(const Formula *f, Value *c)
{
    Value *x = build_held(&f->l->b), *y = build_held(&f->l->b);

    return build_select(&f->l->b, c, x, y);
}
static inline Value *f_multiplied(const Formula *f, Value *x)
{
    Value *y = build_held(&f->l->b), *z = build_held(&f->l->b);

    return build_op(&f->l->b, OP_fma, 3, (Value *[]){x, y, z}, 0, NULL, 1, NULL)->results[0];
}
#define F_TWO(f, op, x, y) f_two(f, OP_##op, (build_hold(&(f)->l->b, y), x))
#define f_add(f, x, y) F_TWO(f, add, x, y)
#define f_sub(f, x, y) F_TWO(f, sub, x, y)
#define f_mul(f, x, y) F_TWO(f, mul, x, y)
#define f_div(f, x, y) F_TWO(f, div, x, y)
#define f_rem(f, x, y) F_TWO(f, rem, x, y)
#define f_mulhi(f, x, y) F_TWO(f, mulhi, x, y)
#define f_and(f, x, y) F_TWO(f, and, x, y)
#define f_or(f, x, y) F_TWO(f, or, x, y)
#define f_xor(f, x, y) F_TWO(f, xor, x, y)
#define f_shl(f, x, y) F_TWO(f, shl, x, y)
#define f_shr(f, x, y) F_TWO(f, shr, x, y)
#define f_eq(f, x, y) F_TWO(f, eq, x, y)
#define f_ne(f, x, y) F_TWO(f, ne, x, y)
#define f_lt(f, x, y) F_TWO(f, lt, x, y)
#define f_le(f, x, y) F_TWO(f, le, x, y)
#define f_gt(f, x, y) F_TWO(f, gt, x, y)
#define f_ge(f, x, y) F_TWO(f, ge, x, y)
#define f_min(f, x, y) F_TWO(f, min, x, y)
#define f_max(f, x, y) F_TWO(f, max, x, y)
#define f_minnan(f, x, y) F_TWO(f, minnan, x, y)
#define f_maxnan(f, x, y) F_TWO(f, maxnan, x, y)
#define f_copysign(f, x, y) F_TWO(f, copysign, x, y)
#define f_pow(f, x, y) F_TWO(f, pow, x, y)
#define f_hypot(f, x, y) F_TWO(f, hypot, x, y)
#define f_select(f, c, x, y) f_chosen(f, (build_hold(&(f)->l->b, y), build_hold(&(f)->l->b, x), c))
/* x y + z, rounded once */
#define f_fma(f, x, y, z) f_multiplied(f, (build_hold(&(f)->l->b, z), build_hold(&(f)->l->b, y), x))

/* The largest of all elements, as a scalar. */
Value *f_largest(const Formula *f, Value *x);
/* `rounds` times, an i32 scalar: v[] becomes what the step makes of it; `i` counts from 0, in the
 * shape. */
typedef void Step(const Formula *f, Value *i, Value **v, void *context);
enum { MOST_CARRIED = 4 };
void f_repeat(const Formula *f, Value *rounds, Step *step, Value **v, int n, void *context);

/* Inside a formula the context is always called f. */
#define K(v) f_number(f, DT_FP64, (v))

/* What rows of libdevice.h name: v[] are the arguments, of one shape and of the dtypes that the row
 * asks for.  NULL after an error. */
typedef struct {
    OpCode op;
    int dtype;         /* DType */
    Rounding rounding; /* these three are the row's */
    Span span;         /* of the call */
    const char *name;
    int n; /* arguments */
} Recipe;
typedef Value *Make(const Formula *f, const Recipe *r, Value *const *v);
#define LIBDEVICE(name, takes, make, op, dtype, rounding) Make make;
#include "libdevice.h"

Value *f_sinpi(const Formula *f, Value *x); /* sin(pi x); near.c */

#endif
