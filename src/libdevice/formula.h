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
const char *libdevice_name(const Libdevice *d);    /* as in the table */
/* As many arguments as it has; an error for those that are NOT_YET. */
Val call_libdevice(Lower *l, const Libdevice *d, const ArgList *args);

typedef struct {
    Lower *l;
    const Type *shape; /* its dtype does not matter */
} Formula;

/* formula.c */
Value *f_number(const Formula *f, DType t, double v);         /* of a float dtype, in the shape */
Value *f_int(const Formula *f, DType t, int64_t v);           /* of an integer dtype */
Value *f_fma(const Formula *f, Value *x, Value *y, Value *z); /* x y + z, rounded once */
Value *f_cast(const Formula *f, Value *x, DType t);           /* rounds to nearest */
Value *f_bits(const Formula *f, Value *x, DType t);           /* the same bits as another dtype */
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
#define BINARY(op)                                                                                 \
    static inline Value *f_##op(const Formula *f, Value *x, Value *y)                              \
    {                                                                                              \
        return build_binary(&f->l->b, OP_##op, x, y);                                              \
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
BINARY(add)
BINARY(sub)
BINARY(mul)
BINARY(div)
BINARY(rem)
BINARY(mulhi)
BINARY(and)
BINARY(or)
BINARY(xor)
BINARY(shl)
BINARY(shr)
BINARY(eq)
BINARY(ne)
BINARY(lt)
BINARY(le)
BINARY(gt)
BINARY(ge)
BINARY(min)
BINARY(max)
BINARY(minnan)
BINARY(maxnan)
BINARY(copysign)
BINARY(pow)
BINARY(hypot)
#undef UNARY
#undef BINARY
static inline Value *f_select(const Formula *f, Value *c, Value *x, Value *y)
{
    return build_select(&f->l->b, c, x, y);
}

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
