/*
 * call.c - what a value can be asked: functions, methods of arrays, subscripts
 *
 * One table of functions and one of methods; value.c has parsed the arguments already.  Each
 * entry gives NULL, or in a few words why it cannot be.
 */
#include "cli.h"

#include <string.h>

static CliValue int_value(WideInt v)
{
    return (CliValue){.kind = VALUE_INT, .integer = v};
}

static CliValue array_value(Array a)
{
    return (CliValue){.kind = VALUE_ARRAY, .array = a};
}

static bool is_int(const CliValue *v)
{
    return v->kind == VALUE_INT || v->kind == VALUE_BOOL;
}

static double as_real(const CliValue *v)
{
    return v->kind == VALUE_FLOAT ? v->real : (double)v->integer;
}

/* A shape is an integer, or a tuple of them. */
static const char *new_array(Cli *c, const CliValue *dtype, const CliValue *shape, Array *out)
{
    int64_t dims[CLI_MAX_DIMS];
    const CliValue *items = shape->kind == VALUE_TUPLE ? shape->items : shape;
    int n = shape->kind == VALUE_TUPLE ? shape->count : 1;

    if (dtype->kind != VALUE_DTYPE)
        return "the first argument must be a dtype, such as fp32";
    if (n > CLI_MAX_DIMS)
        return "more than 8 dimensions";
    for (int i = 0; i < n; i++) {
        if (!is_int(&items[i]))
            return "a shape is an integer, 4096x781, or a tuple of integers";
        if (items[i].integer < 0 || items[i].integer > INT64_MAX)
            return "an extent must not be negative, nor beyond 64 bits";
        dims[i] = (int64_t)items[i].integer;
    }
    *out = array_new(c, dtype->dtype, n, dims);
    return NULL;
}

static const char *fill_with(Array *a, const CliValue *v)
{
    bool whole = a->dtype < TILEC_FP8E4NV;

    if (!is_int(v) && v->kind != VALUE_FLOAT)
        return "the value to fill with must be a number";
    if (whole && !is_int(v))
        return "an integer array needs an integer value";
    if (whole)
        array_fill_int(a, (uint64_t)v->integer);
    else
        array_fill(a, as_real(v));
    return NULL;
}

static const char *make_zeros(Cli *c, const CliValue *args, int n, CliValue *out)
{
    (void)n;
    *out = array_value((Array){0});
    return new_array(c, &args[0], &args[1], &out->array);
}

static const char *make_ones(Cli *c, const CliValue *args, int n, CliValue *out)
{
    const char *error = make_zeros(c, args, n, out);
    CliValue one = int_value(1);

    return error ? error : fill_with(&out->array, &one);
}

static const char *make_full(Cli *c, const CliValue *args, int n, CliValue *out)
{
    const char *error = make_zeros(c, args, n, out);

    return error ? error : fill_with(&out->array, &args[2]);
}

static const char *make_empty(Cli *c, const CliValue *args, int n, CliValue *out)
{
    const char *error = make_zeros(c, args, n, out);

    if (!error)
        array_fill_unwritten(&out->array);
    return error;
}

static const char *make_arange(Cli *c, const CliValue *args, int n, CliValue *out)
{
    const char *error = make_zeros(c, args, n, out);

    if (!error)
        array_count_up(&out->array);
    return error;
}

/* The seed that was given, or the number of random arrays before this one. */
static const char *seed_of(Cli *c, const CliValue *args, int n, uint64_t *seed)
{
    *seed = (uint64_t)c->random_arrays++;
    if (n < 3)
        return NULL;
    if (!is_int(&args[2]))
        return "the seed must be an integer";
    *seed = (uint64_t)args[2].integer;
    return NULL;
}

static const char *make_rand(Cli *c, const CliValue *args, int n, CliValue *out)
{
    uint64_t seed;
    const char *error = seed_of(c, args, n, &seed);

    if (!error)
        error = make_zeros(c, args, n, out);
    if (!error)
        array_randomise(&out->array, seed);
    return error;
}

static const char *make_randn(Cli *c, const CliValue *args, int n, CliValue *out)
{
    uint64_t seed;
    const char *error = seed_of(c, args, n, &seed);

    if (!error && args[0].kind == VALUE_DTYPE && args[0].dtype < TILEC_FP8E4NV)
        return "randn makes floats; use rand for integers";
    if (!error)
        error = make_zeros(c, args, n, out);
    if (!error)
        array_randomise_normal(&out->array, seed);
    return error;
}

static const char *compute_cdiv(Cli *c, const CliValue *args, int n, CliValue *out)
{
    (void)c;
    (void)n;
    if (!is_int(&args[0]) || !is_int(&args[1]) || args[1].integer <= 0 || args[0].integer < 0)
        return "cdiv needs an integer of 0 or more and one above 0";
    *out = int_value(args[0].integer / args[1].integer + (args[0].integer % args[1].integer != 0));
    return NULL;
}

/* Triton's, which gives 0 for 0. */
static const char *compute_power_of_2(Cli *c, const CliValue *args, int n, CliValue *out)
{
    WideInt v = 1;

    (void)c;
    (void)n;
    if (!is_int(&args[0]) || args[0].integer < 0 || args[0].integer > (WideInt)1 << 63)
        return "next_power_of_2 needs a 64-bit integer of 0 or more";
    while (v < args[0].integer)
        v *= 2;
    *out = int_value(args[0].integer == 0 ? 0 : v);
    return NULL;
}

/* The least (sign 1) or the greatest (sign -1) of all. */
static const char *pick(const CliValue *args, int n, int sign, CliValue *out)
{
    *out = args[0];
    for (int i = 0; i < n; i++) {
        if (!is_int(&args[i]) && args[i].kind != VALUE_FLOAT)
            return "min and max need numbers";
        if (sign > 0 ? value_less(&args[i], out) : value_less(out, &args[i]))
            *out = args[i];
    }
    return NULL;
}

static const char *compute_min(Cli *c, const CliValue *args, int n, CliValue *out)
{
    (void)c;
    return pick(args, n, 1, out);
}

static const char *compute_max(Cli *c, const CliValue *args, int n, CliValue *out)
{
    (void)c;
    return pick(args, n, -1, out);
}

/* clang-format off */
static const struct {
    const char *name, *usage;
    int least, most; /* arguments */
    int shape_at;    /* which of them is a shape; -1 = none */
    const char *(*call)(Cli *c, const CliValue *args, int n, CliValue *out);
} functions[] = {
    {"zeros",           "zeros(DTYPE, SHAPE)",        2, 2,   1, make_zeros},
    {"ones",            "ones(DTYPE, SHAPE)",         2, 2,   1, make_ones},
    {"full",            "full(DTYPE, SHAPE, VALUE)",  3, 3,   1, make_full},
    {"empty",           "empty(DTYPE, SHAPE)",        2, 2,   1, make_empty},
    {"arange",          "arange(DTYPE, SHAPE)",       2, 2,   1, make_arange},
    {"rand",            "rand(DTYPE, SHAPE[, SEED])", 2, 3,   1, make_rand},
    {"randn",           "randn(DTYPE, SHAPE[, SEED])",2, 3,   1, make_randn},
    {"cdiv",            "cdiv(A, B)",                 2, 2,  -1, compute_cdiv},
    {"next_power_of_2", "next_power_of_2(N)",         1, 1,  -1, compute_power_of_2},
    {"min",             "min(A, B, ...)",             1, 16, -1, compute_min},
    {"max",             "max(A, B, ...)",             1, 16, -1, compute_max},
};
/* clang-format on */

static int find_function(const char *name)
{
    for (int i = 0; i < COUNT(functions); i++)
        if (strcmp(functions[i].name, name) == 0)
            return i;
    return -1;
}

bool call_is_function(const char *name)
{
    return find_function(name) >= 0;
}

const char *call_nearest_function(Arena *a, const char *name)
{
    const char *names[COUNT(functions)];

    for (int i = 0; i < COUNT(functions); i++)
        names[i] = functions[i].name;
    return hint_text(a, name, names, COUNT(names));
}

bool call_takes_shape(const char *name, int position)
{
    int i = find_function(name);

    return i >= 0 && functions[i].shape_at == position;
}

const char *value_call(Cli *c, const char *name, const CliValue *args, int n, CliValue *out)
{
    int i = find_function(name);

    if (n < functions[i].least || n > functions[i].most)
        return arena_printf(c->arena, "it is %s", functions[i].usage);
    return functions[i].call(c, args, n, out);
}

/* A dimension's number, negative ones counted from the end. */
static bool dimension(const Array *a, const CliValue *v, int *out)
{
    if (!is_int(v) || v->integer < -a->ndim || v->integer >= a->ndim)
        return false;
    *out = (int)(v->integer < 0 ? v->integer + a->ndim : v->integer);
    return true;
}

static CliValue tuple_of(Cli *c, const int64_t *v, int n)
{
    CliValue t = {.kind = VALUE_TUPLE, .count = n, .items = NEW_N(c->arena, CliValue, n + 1)};

    for (int i = 0; i < n; i++)
        t.items[i] = int_value(v[i]);
    return t;
}

/* x.shape, x.shape(i), x.stride(i): all of them, or one */
static const char *extent_or_all(Cli *c, const Array *a, const int64_t *v, const CliValue *args,
                                 int n, CliValue *out)
{
    int i;

    if (n <= 0) {
        *out = tuple_of(c, v, a->ndim);
        return NULL;
    }
    if (n > 1 || !dimension(a, &args[0], &i))
        return arena_printf(c->arena, "the array has dimensions 0 to %d", a->ndim - 1);
    *out = int_value(v[i]);
    return NULL;
}

const char *call_method(Cli *c, const char *name, const CliValue *self, const CliValue *args, int n,
                        CliValue *out)
{
    static const char *const names[] = {"numel", "shape", "size", "stride", "dtype", "ndim"};
    const Array *a = &self->array;

    if (self->kind != VALUE_ARRAY)
        return arena_printf(c->arena, "only arrays have properties; this is %s",
                            value_kind_name(self->kind));
    if (strcmp(name, "shape") == 0 || strcmp(name, "size") == 0)
        return extent_or_all(c, a, a->shape, args, n, out);
    if (strcmp(name, "stride") == 0 || strcmp(name, "strides") == 0)
        return extent_or_all(c, a, a->strides, args, n, out);
    if (n > 0)
        return "this takes no argument";
    if (strcmp(name, "numel") == 0)
        *out = int_value(array_numel(a));
    else if (strcmp(name, "ndim") == 0 || strcmp(name, "dim") == 0)
        *out = int_value(a->ndim);
    else if (strcmp(name, "dtype") == 0)
        *out = (CliValue){.kind = VALUE_DTYPE, .dtype = a->dtype};
    else
        return arena_printf(c->arena, "an array has no '%s'%s", name,
                            hint_text(c->arena, name, names, COUNT(names)));
    return NULL;
}

/* Python's slice bounds: negative ones count from the end, all are clipped to the array. */
static int64_t clip(int64_t v, int64_t extent, int64_t low, int64_t high)
{
    if (v < 0)
        v = v < -extent ? -1 : v + extent;
    return MAX(low, MIN(v, high));
}

/* Narrow dimension `d` of `a` to the slice. */
static void slice(Array *a, int d, const Subscript *s)
{
    int64_t extent = a->shape[d], start, stop, count;

    if (s->step > 0) {
        start = s->has_start ? clip(s->start, extent, 0, extent) : 0;
        stop = s->has_stop ? clip(s->stop, extent, 0, extent) : extent;
        count = stop > start ? (stop - start - 1) / s->step + 1 : 0;
    } else {
        start = s->has_start ? clip(s->start, extent, -1, extent - 1) : extent - 1;
        stop = s->has_stop ? clip(s->stop, extent, -1, extent - 1) : -1;
        count = start > stop ? (start - stop - 1) / -s->step + 1 : 0;
    }
    if (count > 0)
        a->data = (char *)a->data + start * a->strides[d] * (int64_t)tilec_dtype_size(a->dtype);
    a->shape[d] = count;
    a->strides[d] = count > 1 ? a->strides[d] * s->step : a->strides[d];
}

/* Take element `index` of dimension `d`, which then is no more. */
static bool take(Array *a, int d, int64_t index)
{
    Subscript one = {.start = index, .has_start = true, .step = 1};

    if (index < -a->shape[d] || index >= a->shape[d])
        return false;
    slice(a, d, &one);
    for (int i = d; i + 1 < a->ndim; i++) {
        a->shape[i] = a->shape[i + 1];
        a->strides[i] = a->strides[i + 1];
    }
    a->ndim--;
    return true;
}

static const char *item_of_tuple(const CliValue *t, const Subscript *s, int n, CliValue *out)
{
    if (n != 1 || !s->is_index || s->start < -t->count || s->start >= t->count)
        return "a tuple takes one index within its length";
    *out = t->items[s->start < 0 ? s->start + t->count : s->start];
    return NULL;
}

const char *call_subscript(Cli *c, const CliValue *self, const Subscript *subs, int n,
                           CliValue *out)
{
    int d = 0;

    if (self->kind == VALUE_TUPLE)
        return item_of_tuple(self, subs, n, out);
    if (self->kind != VALUE_ARRAY)
        return "only arrays and tuples have elements";
    if (n > self->array.ndim)
        return arena_printf(c->arena, "the array has only %d dimensions", self->array.ndim);
    *out = *self;
    for (int i = 0; i < n; i++) {
        Subscript sub = subs[i];

        if (sub.step == 0)
            return "the step of a slice must not be 0";
        sub.step = MAX(sub.step, -INT64_MAX); /* so that it can be negated; no array is as long */
        if (!sub.is_index)
            slice(&out->array, d++, &sub);
        else if (!take(&out->array, d, sub.start))
            return arena_printf(c->arena, "index %lld is outside dimension %d of extent %lld",
                                (long long)sub.start, i, (long long)self->array.shape[i]);
    }
    return NULL;
}
