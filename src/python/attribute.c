/*
 * attribute.c - what can be asked of a value by `x.NAME`
 *
 * Methods are rows of builtins.c with the value as their first argument; objects of the host answer
 * for themselves.
 */
#include <string.h>

#include "messages.h"
#include "python.h"

bool py_dtype_attribute(DType t, const char *name, Const *out)
{
    if (strcmp(name, "itemsize") == 0)
        *out = const_int(dtype_size(t));
    else if (strcmp(name, "primitive_bitwidth") == 0 || strcmp(name, "int_bitwidth") == 0)
        *out = const_int(dtype_bits(t));
    else if (strcmp(name, "fp_mantissa_width") == 0)
        *out = const_int(dtype_mantissa_bits(t));
    else if (strcmp(name, "exponent_bias") == 0)
        *out = const_int(dtype_bias(t));
    else if (strcmp(name, "name") == 0)
        *out = const_string(dtype_triton_name(t), strlen(dtype_triton_name(t)));
    else if (strcmp(name, "scalar") == 0 || strcmp(name, "element_ty") == 0)
        *out = const_dtype(t);
    else
        return false;
    return true;
}

bool py_dtype_predicate(DType t, const char *name, bool *out)
{
    const char *rest = name + 3; /* behind is_ */
    DType named;

    if (strncmp(name, "is_", 3) != 0)
        return false;
    if (strcmp(rest, "floating") == 0)
        *out = dtype_is_float(t);
    else if (strcmp(rest, "standard_floating") == 0)
        *out = dtype_is_float(t) && !dtype_is_fp8(t);
    else if (strcmp(rest, "fp8") == 0)
        *out = dtype_is_fp8(t);
    else if (strcmp(rest, "int") == 0)
        *out = dtype_is_int(t);
    else if (strcmp(rest, "int_signed") == 0)
        *out = dtype_is_int(t) && dtype_is_signed(t);
    else if (strcmp(rest, "int_unsigned") == 0)
        *out = dtype_is_unsigned(t);
    else if (strcmp(rest, "bool") == 0)
        *out = t == DT_I1;
    else if (strcmp(rest, "void") == 0 || strcmp(rest, "ptr") == 0 || strcmp(rest, "const") == 0 ||
             strcmp(rest, "block") == 0)
        *out = false;
    else if (dtype_from_name(rest, strlen(rest), &named) ||
             dtype_from_long_name(rest, strlen(rest), &named))
        *out = t == named;
    else
        return false;
    return true;
}

static const char *type_name(const Const *c)
{
    switch (c->kind) {
    case CONST_BOOL:
    case CONST_INT:
        return "int";
    case CONST_FLOAT:
        return "float";
    case CONST_STRING:
        return "str";
    case CONST_TUPLE:
        return "tuple";
    case CONST_LIST:
        return "list";
    case CONST_DICT:
        return "dict";
    case CONST_DTYPE:
        return "dtype";
    default:
        return "";
    }
}

static const PyBuiltin *method_of(const Const *self, const char *name)
{
    return py_method(type_name(self), name);
}

/* is_floating and the like: the dtype and the name make one argument. */
static bool bind_predicate(Py *p, DType t, const char *name, Const *out)
{
    Const *both = NEW_N(p->arena, Const, 2);
    PyFunction *f = NEW(p->arena, PyFunction);
    Const *self = NEW(p->arena, Const);

    both[0] = const_dtype(t);
    both[1] = const_string(name, strlen(name));
    *self = const_tuple(both, 2);
    *f = (PyFunction){.builtin = py_method("dtype", "is_*"), .self = self};
    *out = (Const){.kind = CONST_FUNCTION, .function = f};
    return true;
}

static bool bind_method(Py *p, const Const *self, const PyBuiltin *method, Const *out)
{
    PyFunction *f = NEW(p->arena, PyFunction);
    Const *copy = NEW(p->arena, Const);

    *copy = *self;
    *f = (PyFunction){.builtin = method, .self = copy};
    *out = (Const){.kind = CONST_FUNCTION, .function = f};
    return true;
}

bool py_attribute(Py *p, const Const *self, const char *name, Span at, Const *out)
{
    const PyBuiltin *method;
    bool ignored;

    if (self->kind == CONST_UNKNOWN)
        return py_fail_unknown(p, self, at);
    if (self->class && self->class->attribute)
        return self->class->attribute(p, self, name, at, out);
    if (self->kind == CONST_TUPLE && const_field(self, name)) {
        *out = *const_field(self, name);
        return true;
    }
    method = method_of(self, name);
    if (method)
        return bind_method(p, self, method, out);
    if (self->kind == CONST_DTYPE && py_dtype_predicate(self->dtype, name, &ignored))
        return bind_predicate(p, self->dtype, name, out);
    if (self->kind == CONST_DTYPE && py_dtype_attribute(self->dtype, name, out))
        return true;
    if (self->is_scalar && strcmp(name, "dtype") == 0) {
        *out = const_dtype(self->dtype);
        return true;
    }
    *out = *self;
    if (strcmp(name, "value") == 0 && self->kind != CONST_OBJECT) /* of a tl.constexpr (R13) */
        return true;
    return py_fail(p, at, PY_E_ATTRIBUTE, const_brief(self, p->arena), name);
}

bool py_has_attribute(Py *p, const Const *self, const char *name, Span at)
{
    Py quiet = *p;
    Const ignored;
    bool has;

    quiet.is_silent = true;
    has = py_attribute(&quiet, self, name, at, &ignored);
    p->budget = quiet.budget;
    return has;
}
