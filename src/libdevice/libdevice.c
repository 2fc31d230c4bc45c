/*
 * libdevice.c - libdevice functions by name (semantics R304, R305)
 *
 * Takes the rows of libdevice.h: arguments are looked at here, then what the row names makes the
 * ops: a function of this file for one op or a conversion, else of the file of its theme. Arguments
 * are not promoted: floats must be fp32 or fp64 and agree; literals take the type beside them.
 */
#include "formula.h"

#include <string.h>

struct Libdevice {
    const char *name, *takes;
    Make *make;
    OpCode op;
    int dtype;
    Rounding rounding;
};

static const Libdevice functions[] = {
#define LIBDEVICE(name, takes, make, op, dtype, rounding) {name, takes, make, op, dtype, rounding},
#include "libdevice.h"
};

const Libdevice *libdevice_find(const char *name)
{
    for (int i = 0; i < COUNT(functions); i++) {
        if (strcmp(functions[i].name, name) == 0)
            return &functions[i];
    }
    return NULL;
}

const char *libdevice_near(const char *word)
{
    const char *names[COUNT(functions)];

    for (int i = 0; i < COUNT(functions); i++)
        names[i] = functions[i].name;
    return near_name(word, names, COUNT(functions));
}

const char *libdevice_name(const Libdevice *d)
{
    return d->name;
}

/* --- arguments --- */

static bool is_wide_float(const Value *v)
{
    return !v->type->pointer && (v->type->dtype == DT_FP32 || v->type->dtype == DT_FP64);
}

static bool is_integer(const Value *v)
{
    return !v->type->pointer && dtype_is_int(v->type->dtype);
}

/* Must all arguments with this letter have one dtype? */
static bool agrees(char letter)
{
    return letter == 'f' || letter == 'i' || letter == 'w';
}

static Span type_place(const ArgList *args, int i)
{
    return args->at[i].node ? args->at[i].node->span : args->span;
}

/* The dtype that literals take: that of the first run-time argument with this letter; DT_COUNT
 * where there is none. */
static DType dtype_beside(const Libdevice *d, const ArgList *args, char letter)
{
    for (int i = 0; i < args->n; i++) {
        Val v = args->at[i].v;
        if (d->takes[i] == letter && v.kind == VAL_RUN && !v.run->type->pointer)
            return v.run->type->dtype;
    }
    return letter == 'f' ? DT_FP32 : DT_COUNT;
}

static Value *refuse_float(Lower *l, const Libdevice *d, const Value *x, Span span)
{
    error_at(l, span, E_MATH_DTYPE, d->name, val_type_text(l, x->type));
    if (!x->type->pointer)
        hint_at(l, H_MATH_DTYPE);
    return NULL;
}

/* Is it of the kind that the letter names?  Reports it if not. */
static Value *looked_at(Lower *l, const Libdevice *d, char letter, Value *x, Span span)
{
    const char *text = val_type_text(l, x->type);

    if (letter == 'f')
        return is_wide_float(x) ? x : refuse_float(l, d, x, span);
    if (letter == 'x' || (is_integer(x) && (letter != 'w' || dtype_bits(x->type->dtype) == 32)))
        return x;
    if (is_integer(x))
        error_at(l, span, E_INTEGERS_OF_32_BITS, d->name, text);
    else
        error_at(l, span, E_INTEGERS_ONLY, d->name, text);
    return NULL;
}

static Value *libdevice_argument(Lower *l, const Libdevice *d, const ArgList *args, int i)
{
    char letter = d->takes[i];
    Val v = args->at[i].v;
    Span span = type_place(args, i);
    Value *x;

    if (letter == 'p') { /* an integer becomes what the others are */
        x = val_is_number(v) ? NULL : val_to_run(l, v, span);
        if (x && is_integer(x))
            return build_cast(&l->b, x, dtype_beside(d, args, 'f'), ROUND_NEAREST);
        letter = 'f';
    }
    if (agrees(letter) && val_is_number(v) && dtype_beside(d, args, letter) != DT_COUNT)
        return literal_cast(l, v.c, dtype_beside(d, args, letter), span);
    x = val_to_run(l, v, span);
    return x ? looked_at(l, d, letter, x, span) : NULL;
}

/* All arguments, in one shape; those that shall agree of one dtype. */
static bool all_arguments(Lower *l, const Libdevice *d, const ArgList *args, Value **v)
{
    int first = -1;

    for (int i = 0; i < args->n; i++) {
        v[i] = libdevice_argument(l, d, args, i);
        if (!v[i])
            return false;
        if (!agrees(d->takes[i]) && d->takes[i] != 'p')
            continue;
        if (first < 0)
            first = i;
        if (v[i]->type->dtype == v[first]->type->dtype)
            continue;
        error_at(l, args->span, E_LIBDEVICE_TYPES, d->name, val_type_text(l, v[first]->type),
                 val_type_text(l, v[i]->type));
        return false;
    }
    return ops_broadcast_all(l, v, args->n, args->span);
}

Val call_libdevice(Lower *l, const Libdevice *d, const ArgList *args)
{
    enum { MOST = 4 };
    int n = (int)strlen(d->takes);
    Value *v[MOST];

    if (args->n != n)
        return fail_val(l, args->span, args->n > n ? E_TOO_MANY : E_TOO_FEW, d->name, n, args->n);
    if (!all_arguments(l, d, args, v))
        return val_unknown();
    Formula f = {l, v[0]->type};
    Recipe recipe = {d->op, d->dtype, d->rounding, args->span, d->name, n};
    Value *made = d->make(&f, &recipe, v);
    return made ? val_run(made) : val_unknown();
}

/* --- one op, and conversions --- */

Value *libdevice_op(const Formula *f, const Recipe *r, Value *const *v)
{
    Value *operands[] = {v[0], r->n > 1 ? v[1] : NULL, r->n > 2 ? v[2] : NULL};

    return build_op(&f->l->b, r->op, r->n, operands, 0, NULL, 1, NULL)->results[0];
}

static Value *toward(const Formula *f, const Recipe *r, Value *x, Value *y, Value *z)
{
    int64_t side = r->rounding;

    return build_op(&f->l->b, r->op, r->n, (Value *[]){x, y, z}, 1, &side, 1, NULL)->results[0];
}

/* Arithmetic that rounds to a side. */
Value *libdevice_toward(const Formula *f, const Recipe *r, Value *const *v)
{
    return toward(f, r, v[0], r->n > 1 ? v[1] : NULL, r->n > 2 ? v[2] : NULL);
}

Value *libdevice_sub_toward(const Formula *f, const Recipe *r, Value *const *v)
{
    return toward(f, r, v[0], f_neg(f, v[1]), NULL);
}

/* 1/x */
Value *libdevice_rcp_toward(const Formula *f, const Recipe *r, Value *const *v)
{
    Recipe two = *r;

    two.n = 2;
    return toward(f, &two, f_number(f, v[0]->type->dtype, 1), v[0], NULL);
}

/* x 2^n */
Value *libdevice_ldexp(const Formula *f, const Recipe *r, Value *const *v)
{
    (void)r;
    return build_binary(&f->l->b, OP_ldexp, v[0], f_cast(f, v[1], DT_I32));
}

/* How many bits, or which one: int32, whatever is asked. */
Value *libdevice_count(const Formula *f, const Recipe *r, Value *const *v)
{
    return f_cast(f, build_unary(&f->l->b, r->op, v[0]), DT_I32);
}

Value *libdevice_abs(const Formula *f, const Recipe *r, Value *const *v)
{
    (void)r;
    return dtype_is_unsigned(v[0]->type->dtype) ? v[0] : f_abs(f, v[0]);
}

/* A float as an integer, whole by the op first; what is unsigned is given in a signed dtype. */
Value *libdevice_rounded(const Formula *f, const Recipe *r, Value *const *v)
{
    Value *x = f_cast(f, build_unary(&f->l->b, r->op, v[0]), (DType)r->dtype);

    return dtype_is_unsigned(x->type->dtype) ? f_bits(f, x, r->dtype == DT_U32 ? DT_I32 : DT_I64)
                                             : x;
}

/* The integer's low bits as those of an integer of the row's dtype, as a float. */
Value *libdevice_float(const Formula *f, const Recipe *r, Value *const *v)
{
    return build_cast(&f->l->b, f_cast(f, v[0], (DType)r->dtype), DT_FP32, r->rounding);
}

Value *libdevice_double(const Formula *f, const Recipe *r, Value *const *v)
{
    return build_cast(&f->l->b, f_cast(f, v[0], (DType)r->dtype), DT_FP64, r->rounding);
}

Value *libdevice_narrow(const Formula *f, const Recipe *r, Value *const *v)
{
    return build_cast(&f->l->b, v[0], DT_FP32, r->rounding);
}

Value *libdevice_bits(const Formula *f, const Recipe *r, Value *const *v)
{
    const Type *t = v[0]->type;
    int bits = t->pointer ? 64 : dtype_bits(t->dtype);

    if (!t->pointer && bits == dtype_bits((DType)r->dtype))
        return f_bits(f, v[0], (DType)r->dtype);
    error_at(f->l, r->span, E_BITCAST, bits, dtype_bits((DType)r->dtype));
    return NULL;
}
