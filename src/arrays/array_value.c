/*
 * array_value.c - what the command line has beyond Python's values: arrays, functions of kernels
 *
 * An array has properties and views here; array_math.c has its operators.
 */
#include "value.h"
#include "../ir/ir.h"

#include <string.h>

static const PyClass array_class;

Const value_of_array(Store *store, Array a)
{
    Array *copy = NEW(store->arena, Array); /* outlives the call: shapes are pointed to */

    *copy = a;
    return (Const){.kind = CONST_OBJECT, .class = &array_class, .object = copy};
}

const Array *value_array(const Const *v)
{
    return v->kind == CONST_OBJECT && v->class == &array_class ? v->object : NULL;
}

/* --- functions of the kernel's file --- */

static bool refuse_call(Py *p, const Const *self, const PyArgs *args, Span at, Const *out)
{
    (void)args;
    (void)out;
    return py_fail(p, at,
                   "'%s' is a function of the kernel's file: it can be given to a parameter, "
                   "not called here",
                   (const char *)self->object);
}

static const char *function_text(const Const *self, Arena *a)
{
    (void)a;
    return self->object;
}

static bool same_function(const Const *a, const Const *b)
{
    return strcmp(a->object, b->object) == 0;
}

static const PyClass function_class = {
    .name = "a function", .call = refuse_call, .text = function_text, .equal = same_function};

Const value_of_function(const char *name)
{
    return (Const){.kind = CONST_OBJECT, .class = &function_class, .object = name};
}

const char *value_function(const Const *v)
{
    return v->kind == CONST_OBJECT && v->class == &function_class ? v->object : NULL;
}

/* --- properties --- */

static Const tuple_of(Py *p, const int64_t *v, int n)
{
    Const *items = NEW_N(p->arena, Const, n + 1);

    for (int i = 0; i < n; i++)
        items[i] = const_int(v[i]);
    return const_tuple(items, n);
}

/* A property may be called: x.numel() is x.numel, and x.shape(0) is x.shape[0]. */
static bool call_property(Py *p, const Const *self, const PyArgs *args, Span at, Const *out)
{
    const Const *i = args->len > 0 ? &args->at[0].value : NULL;

    *out = *self;
    out->class = NULL;
    if (args->len == 0)
        return true;
    if (self->kind != CONST_TUPLE)
        return py_fail(p, at, "this takes no argument");
    if (args->len != 1 || !const_is_integral(i) || i->integer < -self->nitems ||
        i->integer >= self->nitems)
        return py_fail(p, at, "the array has dimensions 0 to %d", self->nitems - 1);
    *out = self->items[(int)i->integer + (i->integer < 0 ? self->nitems : 0)];
    return true;
}

/* x.to(DTYPE) */
static bool call_to(Py *p, const Const *self, const PyArgs *args, Span at, Const *out)
{
    if (args->len != 1 || args->at[0].value.kind != CONST_DTYPE)
        return py_fail(p, at, "it is to(DTYPE)");
    *out = value_of_array(value_store(p), array_cast(value_store(p), self->object,
                                                     (tilec_dtype)args->at[0].value.dtype));
    return true;
}

static bool is_one_of(const char *name, const char *a, const char *b)
{
    return strcmp(name, a) == 0 || strcmp(name, b) == 0;
}

/* What NumPy's arrays have, and how it is said here; NULL. */
static const char *advice_for_attribute(const char *name)
{
    static const char turned[] =
        "a kernel is given strides: turn those around, x.stride(1) in the place of x.stride(0); to "
        "compare with, strided(x, 8x4, (1, 8)) is a matrix of 4x8 so";
    static const char shaped[] =
        "an array is made with its shape: rand(fp32,8x8); a file has its own";
    static const char flat[] = "a kernel sees memory, and a dense array lies flat there as it is";
    static const char copied[] = "x.to(x.dtype) is a dense copy";
    static const char moved[] = "arrays are moved for the device that --device says: leave it out";
    static const char operators[] = "operators work element by element: x+y, x*y";
    static const char products[] =
        "no product of matrices is made here: a file may have it, @ref.npy";
    static const char counted[] = "x.shape(0) is its first extent, x.numel() counts its elements";
    static const WordText table[] = {
        {"T", turned},          {"transpose", turned}, {"permute", turned},
        {"swapaxes", turned},   {"moveaxis", turned},  {"reshape", shaped},
        {"view", shaped},       {"flatten", flat},     {"ravel", flat},
        {"copy", copied},       {"clone", copied},     {"contiguous", copied},
        {"cuda", moved},        {"cpu", moved},        {"float", "x.to(fp32)"},
        {"half", "x.to(fp16)"}, {"int", "x.to(i32)"},  {"add", operators},
        {"mul", operators},     {"matmul", products},  {"dot", products},
        {"len", counted},       {"length", counted},   {"nbytes", "x.numel()*x.itemsize()"},
    };

    return text_of_word(table, COUNT(table), name);
}

static bool array_attribute(Py *p, const Const *self, const char *name, Span at, Const *out)
{
    static const PyClass property = {.name = "a property", .call = call_property};
    static const PyClass to = {.name = "a method of an array", .call = call_to};
    static const char *const names[] = {
        "numel", "shape", "size", "stride", "dtype",  "ndim", "to",  "itemsize", "sum", "mean",
        "max",   "min",   "prod", "argmax", "argmin", "any",  "all", "var",      "std"};
    const Array *a = self->object;
    const char *near;

    if (is_one_of(name, "shape", "size"))
        *out = tuple_of(p, a->shape, a->ndim);
    else if (is_one_of(name, "stride", "strides"))
        *out = tuple_of(p, a->strides, a->ndim);
    else if (is_one_of(name, "numel", "numel"))
        *out = const_int(array_numel(a));
    else if (is_one_of(name, "ndim", "dim"))
        *out = const_int(a->ndim);
    else if (is_one_of(name, "itemsize", "element_size"))
        *out = const_int((int64_t)tilec_dtype_size(a->dtype));
    else if (is_one_of(name, "dtype", "dtype"))
        *out = const_dtype((DType)a->dtype);
    else if (is_one_of(name, "to", "astype"))
        *out = (Const){.kind = CONST_OBJECT, .class = &to, .object = a};
    else if (!array_reduction(p, a, name, out)) {
        near = near_name(name, names, COUNT(names));
        py_report(p, at, "an array has no '%s'", name);
        if (advice_for_attribute(name))
            py_hint(p, "%s", advice_for_attribute(name));
        else if (near)
            py_hint(p, "did you mean '%s'?", near);
        return false;
    }
    if (out->kind != CONST_OBJECT)
        out->class = &property;
    return true;
}

/* --- views --- */

/* Python's slice bounds: negative ones count from the end, all are clipped to the array. */
static int64_t clip(__int128 v, int64_t extent, int64_t low, int64_t high)
{
    if (v < 0)
        v = v < -(__int128)extent ? -1 : v + extent;
    return v < low ? low : v > high ? high : (int64_t)v;
}

static int64_t bound(const Const *c, int64_t extent, int64_t low, int64_t high, int64_t otherwise)
{
    return c->kind == CONST_NONE ? otherwise : clip(c->integer, extent, low, high);
}

/* Narrow dimension `d` of `a` to start, start + step, ... before `stop`. */
static void narrow(Array *a, int d, int64_t start, int64_t stop, int64_t step)
{
    int64_t count = step > 0 ? (stop > start ? (stop - start - 1) / step + 1 : 0)
                             : (start > stop ? (start - stop - 1) / -step + 1 : 0);

    if (count > 0)
        a->data = (char *)a->data + start * a->strides[d] * (int64_t)tilec_dtype_size(a->dtype);
    a->shape[d] = count;
    a->strides[d] = count > 1 ? a->strides[d] * step : a->strides[d];
}

static bool is_index(const Const *c)
{
    return c->kind == CONST_NONE || const_is_integral(c);
}

static bool slice(Py *p, Array *a, int d, const Const *s, Span at)
{
    int64_t extent = a->shape[d], step;

    if (!is_index(&s->items[0]) || !is_index(&s->items[1]) || !is_index(&s->items[2]))
        return py_fail(p, at, "an index must be an integer");
    if (s->items[2].kind != CONST_NONE && s->items[2].integer == 0)
        return py_fail(p, at, "the step of a slice must not be 0");
    step = bound(&s->items[2], 0, -INT64_MAX, INT64_MAX, 1);
    if (s->items[2].kind != CONST_NONE && s->items[2].integer < 0) /* can be negated */
        step = (int64_t)MAX(s->items[2].integer, -(__int128)INT64_MAX);
    if (step > 0)
        narrow(a, d, bound(&s->items[0], extent, 0, extent, 0),
               bound(&s->items[1], extent, 0, extent, extent), step);
    else
        narrow(a, d, bound(&s->items[0], extent, -1, extent - 1, extent - 1),
               bound(&s->items[1], extent, -1, extent - 1, -1), step);
    return true;
}

/* Take element `index` of dimension `d`, which then is no more. */
static bool take(Py *p, Array *a, int d, int number, const Const *index, Span at)
{
    __int128 i = index->integer;

    if (!const_is_integral(index))
        return py_fail(p, at, "an index must be an integer, not %s", const_kind_name(index));
    if (i < -(__int128)a->shape[d] || i >= a->shape[d])
        return py_fail(p, at, "index %s is outside dimension %d of extent %lld",
                       const_brief(index, p->arena), number, (long long)a->shape[d]);
    i += i < 0 ? a->shape[d] : 0;
    narrow(a, d, (int64_t)i, (int64_t)i + 1, 1);
    for (int k = d; k + 1 < a->ndim; k++) {
        a->shape[k] = a->shape[k + 1];
        a->strides[k] = a->strides[k + 1];
    }
    a->ndim--;
    return true;
}

/* An axis of extent 1 in front of dimension `d`, as None among indices makes one. */
static void add_axis(Array *a, int d)
{
    for (int k = a->ndim++; k > d; k--) {
        a->shape[k] = a->shape[k - 1];
        a->strides[k] = a->strides[k - 1];
    }
    a->shape[d] = a->strides[d] = 1;
}

static bool array_subscript(Py *p, const Const *self, const Const *index, Span at, Const *out)
{
    const Array *of = self->object;
    Array view = *of;
    const Const *items = index;
    int n = 1, d = 0, number = 0, added = 0;

    if (index->kind == CONST_TUPLE)
        const_items(index, &items, &n);
    for (int i = 0; i < n; i++)
        added += items[i].kind == CONST_NONE;
    if (n - added > of->ndim)
        return py_fail(p, at, "the array has only %d dimension%s", of->ndim,
                       of->ndim == 1 ? "" : "s");
    if (of->ndim + added > ARRAY_MAX_DIMS)
        return py_fail(p, at, "an array has at most %d dimensions", ARRAY_MAX_DIMS);
    for (int i = 0; i < n; i++) {
        if (items[i].kind == CONST_NONE)
            add_axis(&view, d++);
        else if (items[i].kind == CONST_SLICE ? !slice(p, &view, d++, &items[i], at)
                                              : !take(p, &view, d, number, &items[i], at))
            return false;
        number += items[i].kind != CONST_NONE;
    }
    *out = value_of_array(value_store(p), view);
    return true;
}

static bool array_truth(Py *p, const Const *self, Span at, bool *out)
{
    (void)self;
    *out = false;
    return py_fail(p, at, "an array is neither true nor false");
}

static const char *array_text(const Const *self, Arena *arena)
{
    const Array *a = self->object;
    Text t = text_new(arena);

    text_printf(&t, "%s[", tilec_dtype_name(a->dtype));
    for (int i = 0; i < a->ndim; i++)
        text_printf(&t, "%s%lld", i ? "," : "", (long long)a->shape[i]);
    text_put(&t, "]");
    return t.s;
}

static const PyClass array_class = {
    .name = "an array",
    .attribute = array_attribute,
    .subscript = array_subscript,
    .binary = array_binary,
    .unary = array_unary,
    .compare = array_compare,
    .truth = array_truth,
    .reduce = array_reduce,
    .text = array_text,
};
