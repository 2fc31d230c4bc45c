/*
 * limits.c - torch.finfo and torch.iinfo, and NumPy's: the limits of dtypes
 *
 * Kernels get them as constants of their file, most of all as what a masked element holds.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "functions.h"
#include "messages.h"

static DType limits_dtype(const Const *self)
{
    return *(const DType *)self->object;
}

static double greatest_float(DType t)
{
    int m = dtype_mantissa_bits(t), e = dtype_exponent_bits(t);

    if (dtype_is_fp8(t)) /* each has a rule of its own for the top exponent, and saturates */
        return scalar_to_double(t, scalar_from_double(t, DBL_MAX));
    return ldexp(2 - ldexp(1, -m), (1 << e) - 2 - dtype_bias(t));
}

static bool float_limit(DType t, const char *name, Const *out)
{
    if (strcmp(name, "max") == 0)
        *out = const_float(greatest_float(t));
    else if (strcmp(name, "min") == 0)
        *out = const_float(-greatest_float(t));
    else if (strcmp(name, "eps") == 0)
        *out = const_float(ldexp(1, -dtype_mantissa_bits(t)));
    else if (strcmp(name, "tiny") == 0 || strcmp(name, "smallest_normal") == 0)
        *out = const_float(ldexp(1, 1 - dtype_bias(t)));
    else
        return false;
    return true;
}

static bool int_limit(DType t, const char *name, Const *out)
{
    int bits = dtype_bits(t) - dtype_is_signed(t);

    if (strcmp(name, "max") == 0)
        *out = const_int(((__int128)1 << bits) - 1);
    else if (strcmp(name, "min") == 0)
        *out = const_int(dtype_is_signed(t) ? -((__int128)1 << bits) : 0);
    else
        return false;
    return true;
}

static bool limits_attribute(Py *p, const Const *self, const char *name, Span at, Const *out)
{
    DType t = limits_dtype(self);

    if (strcmp(name, "bits") == 0) {
        *out = const_int(dtype_bits(t));
        return true;
    }
    return (dtype_is_float(t) ? float_limit : int_limit)(t, name, out) ||
           py_fail(p, at, PY_E_ATTRIBUTE, self->class->text(self, p->arena), name);
}

static const char *limits_text(const Const *self, Arena *a)
{
    DType t = limits_dtype(self);

    return arena_printf(a, "%s(%s)", dtype_is_float(t) ? "finfo" : "iinfo", dtype_long_name(t));
}

static bool limits_equal(const Const *a, const Const *b)
{
    return limits_dtype(a) == limits_dtype(b);
}

static const PyClass limits_class = {
    .name = "limits", .attribute = limits_attribute, .text = limits_text, .equal = limits_equal};

static bool make_limits(Py *p, const Const *dtype, bool of_floats, Const *out)
{
    DType *t = NEW(p->arena, DType);

    if (dtype->kind != CONST_DTYPE || dtype_is_float(dtype->dtype) != of_floats)
        return false;
    *t = dtype->dtype;
    *out = (Const){.kind = CONST_OBJECT, .class = &limits_class, .object = t};
    return true;
}

bool py_finfo(Py *p, const Const *args, int n, Const *out)
{
    const Const usual = const_dtype(DT_FP32);

    return make_limits(p, n > 0 ? &args[0] : &usual, true, out);
}

bool py_iinfo(Py *p, const Const *args, int n, Const *out)
{
    (void)n;
    return make_limits(p, &args[0], false, out);
}
