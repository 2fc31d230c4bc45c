/*
 * formula.c - constants, conversions and series for the functions of libdevice
 *
 * formula.h says what a formula is.
 */
#include "formula.h"

Value *f_number(const Formula *f, DType t, double v)
{
    return build_float(&f->l->b, type_with_dtype(f->l->module, f->shape, t), v);
}

Value *f_int(const Formula *f, DType t, int64_t v)
{
    return build_int(&f->l->b, type_with_dtype(f->l->module, f->shape, t), v);
}

Value *f_cast(const Formula *f, Value *x, DType t)
{
    return x->type->dtype == t ? x : build_cast(&f->l->b, x, t, ROUND_NEAREST);
}

Value *f_bits(const Formula *f, Value *x, DType t)
{
    return build_bitcast(&f->l->b, x, t);
}

/* --- series --- */

#define SERIES(name, ...) static const double name##_terms[] = {__VA_ARGS__};
#include "series.h"

static const struct {
    const double *terms;
    int n;
} all_series[] = {
#define SERIES(name, ...) {name##_terms, COUNT(name##_terms)},
#include "series.h"
};

double series_term(SeriesName s, int i)
{
    return all_series[s].terms[i];
}

/* Clenshaw's recurrence. */
Value *f_series(const Formula *f, SeriesName s, Value *y)
{
    int n = all_series[s].n;
    Value *twice = f_add(f, y, y);
    Value *above = K(0);
    Value *sum = K(series_term(s, n - 1));

    for (int k = n - 2; k >= 0; k--) {
        Value *rest = f_sub(f, K(series_term(s, k)), above);

        above = sum;
        sum = f_fma(f, k > 0 ? twice : y, above, rest);
    }
    return sum;
}

/* --- loops --- */

Value *f_largest(const Formula *f, Value *x)
{
    int32_t all = (int32_t)type_numel(x->type);

    if (x->type->rank == 0)
        return x;
    return reduce_values(f->l, OP_max, build_reshape(&f->l->b, x, 1, &all), 0);
}

void f_repeat(const Formula *f, Value *rounds, Step *step, Value **v, int n, void *context)
{
    Builder *b = &f->l->b;
    const Type *i32 = type_scalar(f->l->module, DT_I32), *types[MOST_CARRIED];
    Value *zero = build_int(b, i32, 0);
    Value *operands[3 + MOST_CARRIED] = {zero, rounds, build_int(b, i32, 1)};

    for (int i = 0; i < n; i++) {
        operands[3 + i] = v[i];
        types[i] = v[i]->type;
    }
    Op *op = build_op(b, OP_for, 3 + n, operands, 0, NULL, n, types);
    Builder after = *b;
    Value *count = block_add_arg(op->regions[0], i32);
    for (int i = 0; i < n; i++)
        v[i] = block_add_arg(op->regions[0], types[i]);
    b->block = op->regions[0];
    b->before = NULL;
    step(f, build_splat(b, count, f->shape), v, context);
    build_yield(b, OP_yield, n, v);
    *b = after;
    for (int i = 0; i < n; i++)
        v[i] = op->results[i];
}
