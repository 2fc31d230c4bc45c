/*
 * heuristic.c - the functions of @triton.heuristics, and what they may ask about a launch (R346)
 *
 * The function is called with a dictionary from names to arguments.  Numbers, texts and dtypes are
 * plain values; arrays and types are objects with properties.
 */
#include <string.h>

#include "file_python.h"
#include "messages.h"

/* --- arrays and types --- */

typedef struct {
    const char *name; /* of the argument */
    FrontGiven given;
} Given;

/* Properties of arrays, under the names that PyTorch and NumPy have for them. */
typedef enum {
    ASK_DTYPE,
    ASK_ITEMSIZE,
    ASK_NDIM,
    ASK_NUMEL,
    ASK_SHAPE,
    ASK_STRIDE,
    ASK_ADDRESS
} Ask;

typedef struct {
    const char *name;
    bool is_method;
    Ask ask;
} Property;

/* clang-format off */
static const Property properties[] = {
    {"dtype",        false, ASK_DTYPE},
    {"element_size", true,  ASK_ITEMSIZE},
    {"itemsize",     false, ASK_ITEMSIZE},
    {"ndim",         false, ASK_NDIM},
    {"dim",          true,  ASK_NDIM},
    {"numel",        true,  ASK_NUMEL},
    {"shape",        false, ASK_SHAPE},
    {"size",         true,  ASK_SHAPE},
    {"stride",       true,  ASK_STRIDE},
    {"data_ptr",     true,  ASK_ADDRESS},
};
/* clang-format on */

/* A method before it is called. */
typedef struct {
    const Given *of;
    const Property *property;
} Method;

/* The product of the extents from dimension `from` on; false when nothing is that large. */
static bool elements(const FrontGiven *g, int from, __int128 *out)
{
    *out = 1;
    for (int i = from; i < g->ndim; i++) {
        if (__builtin_mul_overflow(*out, (__int128)g->shape[i], out))
            return false;
    }
    return true;
}

/* In elements; without strides, rows follow each other. */
static bool stride(const FrontGiven *g, int i, __int128 *out)
{
    if (!g->strides)
        return elements(g, i + 1, out);
    *out = g->strides[i];
    return true;
}

static bool extent(const FrontGiven *g, int i, __int128 *out)
{
    *out = g->shape[i];
    return true;
}

/* All of them, or the one that the argument says. */
static bool one_or_all(Py *p, const FrontGiven *g, Ask ask, const PyArgs *args, Span at, Const *out)
{
    Const *all = NEW_N(p->arena, Const, MAX(g->ndim, 1));
    __int128 one, i;

    for (int k = 0; k < g->ndim; k++) {
        if (!(ask == ASK_SHAPE ? extent(g, k, &one) : stride(g, k, &one)))
            return false;
        all[k] = const_int(one);
    }
    *out = const_tuple(all, g->ndim);
    if (!args || args->len == 0)
        return true;
    i = args->at[0].value.integer;
    if (args->len != 1 || args->at[0].value.kind != CONST_INT)
        return false;
    if (i < -g->ndim || i >= g->ndim)
        return py_fail(p, at, E_GIVEN_DIMENSION, g->ndim);
    *out = all[i < 0 ? i + g->ndim : i];
    return true;
}

static bool property_of(Py *p, const FrontGiven *g, Ask ask, const PyArgs *args, Span at,
                        Const *out)
{
    __int128 count;

    switch (ask) {
    case ASK_DTYPE:
        *out = const_dtype(g->dtype);
        return true;
    case ASK_ITEMSIZE:
        *out = const_int(dtype_size(g->dtype));
        return true;
    default:
        break;
    }
    if (g->kind == GIVEN_TYPE)
        return py_fail(p, at, E_GIVEN_ONLY_TYPE);
    if (ask == ASK_ADDRESS) {
        *out = const_int(g->address);
        return true;
    }
    if (g->ndim < 0)
        return py_fail(p, at, E_GIVEN_NO_SHAPE);
    if (ask == ASK_SHAPE || ask == ASK_STRIDE)
        return one_or_all(p, g, ask, args, at, out);
    if (!elements(g, 0, &count))
        return false;
    *out = const_int(ask == ASK_NDIM ? g->ndim : count);
    return true;
}

static bool call_method(Py *p, const Const *self, const PyArgs *args, Span at, Const *out)
{
    const Method *m = self->object;

    return property_of(p, &m->of->given, m->property->ask, args, at, out) ||
           py_fail(p, at, E_GIVEN_TOO_LARGE);
}

static const PyClass method_class = {.name = "a method of an array", .call = call_method};

static bool array_attribute(Py *p, const Const *self, const char *name, Span at, Const *out)
{
    const Given *g = self->object;
    Method *m;

    for (int i = 0; i < COUNT(properties); i++) {
        const Property *property = &properties[i];

        if (strcmp(property->name, name) != 0)
            continue;
        if (!property->is_method)
            return property_of(p, &g->given, property->ask, NULL, at, out);
        m = NEW(p->arena, Method);
        *m = (Method){g, property};
        *out = (Const){.kind = CONST_OBJECT, .class = &method_class, .object = m};
        return true;
    }
    return py_fail(p, at, E_GIVEN_PROPERTY, name);
}

/* --- what has no value to compute with --- */

static bool no_value(Py *p, const Const *c, Span at)
{
    const Given *g = c->object;

    return py_fail(p, at, g->given.kind == GIVEN_TENSOR ? E_GIVEN_ARRAY : E_GIVEN_TYPE, g->name);
}

static bool no_binary(Py *p, BinaryOp op, const Const *x, const Const *y, Span at, Const *out)
{
    (void)op;
    *out = const_none();
    return no_value(p, x->kind == CONST_OBJECT ? x : y, at);
}

static bool no_unary(Py *p, UnaryOp op, const Const *x, Span at, Const *out)
{
    (void)op;
    *out = const_none();
    return no_value(p, x, at);
}

/* `is` and `==` with None: all that can be asked about something without a value. */
static bool compare_none(Py *p, CompareOp op, const Const *x, const Const *y, Span at, Const *out)
{
    const Const *other = x->kind == CONST_OBJECT ? y : x;

    if ((op != CMP_EQ && op != CMP_NE) || other->kind != CONST_NONE)
        return no_value(p, x->kind == CONST_OBJECT ? x : y, at);
    *out = const_bool(op == CMP_NE);
    return true;
}

static bool no_truth(Py *p, const Const *c, Span at, bool *out)
{
    *out = false;
    return no_value(p, c, at);
}

static const PyClass array_class = {.name = "an array",
                                    .attribute = array_attribute,
                                    .binary = no_binary,
                                    .unary = no_unary,
                                    .compare = compare_none,
                                    .truth = no_truth};

static bool type_attribute(Py *p, const Const *self, const char *name, Span at, Const *out)
{
    const Given *g = self->object;

    if (g->given.pointer)
        return array_attribute(p, self, name, at, out);
    return no_value(p, self, at);
}

static const PyClass type_class = {.name = "a type",
                                   .attribute = type_attribute,
                                   .binary = no_binary,
                                   .unary = no_unary,
                                   .compare = compare_none,
                                   .truth = no_truth};

/* --- torch.Tensor --- */

static bool is_tensor(Py *p, const Const *value, const Const *self, Span at, bool *out)
{
    const Given *g = value->object;

    (void)p;
    (void)self;
    (void)at;
    *out = value->kind == CONST_OBJECT &&
           (value->class == &array_class || (value->class == &type_class && g->given.pointer));
    return true;
}

static const PyClass tensor_class = {.name = "torch.Tensor", .is_instance = is_tensor};

Const file_tensor_class(void)
{
    return (Const){.kind = CONST_OBJECT, .class = &tensor_class};
}

/* --- the dictionary --- */

/* The value of an argument; false in *given when there is none. */
static Const find_argument(Py *p, const FrontArguments *arguments, const Const *key, bool *given)
{
    FrontGiven found = {.kind = GIVEN_NOT};
    Given *g;

    if (key->kind == CONST_STRING && key->ntext == strlen(key->text))
        found = arguments->find(arguments->context, key->text);
    *given = found.kind != GIVEN_NOT;
    if (found.kind == GIVEN_VALUE || found.kind == GIVEN_NOT)
        return found.value;
    g = NEW(p->arena, Given);
    *g = (Given){key->text, found};
    return (Const){.kind = CONST_OBJECT,
                   .class = found.kind == GIVEN_TENSOR ? &array_class : &type_class,
                   .object = g};
}

static bool subscript_arguments(Py *p, const Const *self, const Const *key, Span at, Const *out)
{
    FilePython *context = p->context;
    bool given;

    *out = find_argument(p, self->object, key, &given);
    if (given)
        return true;
    if (key->kind != CONST_STRING)
        return py_fail(p, at, E_GIVEN_KEY);
    if (!p->failed)
        context->missing = key->text;
    return py_fail(p, at, E_GIVEN_NOT, key->text);
}

static bool arguments_contain(Py *p, const Const *self, const Const *key, Span at, bool *out)
{
    (void)at;
    find_argument(p, self->object, key, out);
    return true;
}

/* args.get(NAME[, default]) */
static bool get_argument(Py *p, const Const *self, const PyArgs *args, Span at, Const *out)
{
    bool given;

    (void)at;
    if (args->len < 1 || args->len > 2)
        return false;
    *out = find_argument(p, self->object, &args->at[0].value, &given);
    if (!given)
        *out = args->len > 1 ? args->at[1].value : const_none();
    return true;
}

static const PyClass get_class = {.name = "args.get", .call = get_argument};

static bool arguments_attribute(Py *p, const Const *self, const char *name, Span at, Const *out)
{
    *out = (Const){.kind = CONST_OBJECT, .class = &get_class, .object = self->object};
    return strcmp(name, "get") == 0 || py_fail(p, at, E_GIVEN_METHOD, name);
}

static const PyClass arguments_class = {.name = "the arguments",
                                        .attribute = arguments_attribute,
                                        .subscript = subscript_arguments,
                                        .contains = arguments_contain};

/* --- a heuristic --- */

static bool call_heuristic(Py *p, const FrontBinding *h, const FrontArguments *args, Const *out)
{
    PyArgs list = {0};
    PyArg one = {.value = {.kind = CONST_OBJECT, .class = &arguments_class, .object = args}};
    Const function = h->value;

    if (strcmp(h->name, "**") == 0)
        return py_fail(p, h->node->span, E_HEURISTIC_UNREAD);
    if (function.kind != CONST_FUNCTION && !py_eval(p, h->node, &function))
        return false;
    vec_push(p->arena, &list, one);
    return py_call(p, &function, &list, h->node->span, out);
}

bool front_heuristic(const FrontFile *f, const FrontBinding *h, const FrontArguments *args,
                     Arena *a, Const *out, FrontTrouble *trouble)
{
    enum { BUDGET = 10000 }; /* a launch waits for it */
    FilePython context = {.file = f, .is_strict = true};
    Py p = file_python(&context, a, BUDGET);
    Const result;
    bool known;

    p.is_silent = !trouble;
    known = call_heuristic(&p, h, args, &result);
    if (known && result.kind == CONST_OBJECT && result.class == &array_class)
        known = no_value(&p, &result, h->node->span);
    else if (known && !const_freeze(a, &result, out))
        known = py_fail(&p, h->node->span, E_HEURISTIC_RESULT, const_kind_name(&result));
    if (!known && trouble && !trouble->why)
        *trouble = (FrontTrouble){p.trouble.where, p.trouble.why, context.missing};
    return known;
}
