/*
 * make.c - the functions of the command line that make arrays
 *
 * One table; each function takes its arguments by position or by name, as a function of Python
 * does.
 */
#include "value.h"

#include <string.h>

enum { MAX_PARAMS = 5 };

/* NumPy has them the other way round, and a dtype of its own where none is given. */
#define H_DTYPE_FIRST                                                                              \
    "the dtype stands first, and is never left out: zeros(fp32,4x8), zeros(u8,(h,w))"

/* NumPy has a start and a step, too. */
#define H_ARANGE "arange(i32,16) is 0 to 15; 3 + 2 * arange(i32,16) begins at 3, in steps of 2"

/* The arguments of one call, by parameter. */
typedef struct {
    Store *store;
    Py *p;
    Span at;
    const Const *v[MAX_PARAMS]; /* NULL: not given */
} Given;

/* Each gives false after py_fail(), and makes an array in *out. */
typedef bool Make(const Given *g, Array *out);

static bool is_whole_dtype(tilec_dtype t)
{
    return t < TILEC_FP8E4NV;
}

/* A shape is an integer, or a tuple of them. */
static bool shape_of(const Given *g, const Const *shape, int64_t *dims, int *n)
{
    const Const *items;

    if (!const_items(shape, &items, n)) {
        items = shape;
        *n = 1;
    }
    if (*n > ARRAY_MAX_DIMS)
        return py_fail(g->p, g->at, "more than 8 dimensions");
    for (int i = 0; i < *n; i++) {
        if (!const_is_integral(&items[i]))
            return py_fail(g->p, g->at, "a shape is an integer, 4096x781, or a tuple of integers");
        if (items[i].integer < 0 || items[i].integer > INT64_MAX)
            return py_fail(g->p, g->at, "an extent must not be negative, nor beyond 64 bits");
        dims[i] = (int64_t)items[i].integer;
    }
    return true;
}

static bool is_shape(const Const *v)
{
    return v && (v->kind == CONST_TUPLE || const_is_integral(v));
}

/* An array of the dtype and the shape that are the first two arguments. */
static bool new_array(const Given *g, Array *out)
{
    int64_t dims[ARRAY_MAX_DIMS];
    int n;

    if (g->v[0]->kind != CONST_DTYPE) {
        py_report(g->p, g->at, "the first argument must be a dtype, such as fp32");
        if (g->v[0]->kind == CONST_FUNCTION)
            py_hint(g->p, "float, int and bool are Python's: fp32 or fp64, i32 or i64, i1 say how "
                          "many bits");
        else if (is_shape(g->v[0]))
            py_hint(g->p, H_DTYPE_FIRST);
        return false;
    }
    if (!shape_of(g, g->v[1], dims, &n))
        return false;
    *out = array_new(g->store, (tilec_dtype)g->v[0]->dtype, n, dims);
    return true;
}

/* One like an array that the first argument is, of its dtype or that of the argument `dtype`. */
static bool new_like(const Given *g, int dtype, Array *out)
{
    const Array *like = value_array(g->v[0]);

    if (!like)
        return py_fail(g->p, g->at, "the first argument must be an array, not %s",
                       const_kind_name(g->v[0]));
    if (g->v[dtype] && g->v[dtype]->kind != CONST_DTYPE)
        return py_fail(g->p, g->at, "dtype must be a dtype, such as fp32");
    *out = array_new(g->store, g->v[dtype] ? (tilec_dtype)g->v[dtype]->dtype : like->dtype,
                     like->ndim, like->shape);
    return true;
}

/* The strides of an array without gaps, whatever the order of its dimensions; others have
 * row-major ones.  `a` is dense, and the same in any order. */
static void take_order(Array *a, const Array *like)
{
    int64_t step = 1;
    bool taken[ARRAY_MAX_DIMS] = {false};

    for (int k = 0; k < a->ndim; k++) {
        int next = -1;

        for (int i = 0; i < a->ndim && next < 0; i++) {
            if (!taken[i] && (like->shape[i] == 1 || like->strides[i] == step))
                next = i;
        }
        if (next < 0)
            return;
        taken[next] = true;
        step *= like->shape[next];
    }
    for (int i = 0; i < a->ndim; i++)
        a->strides[i] = like->strides[i];
}

static bool fill_with(const Given *g, Array *a, const Const *v)
{
    if (!const_is_number(v))
        return py_fail(g->p, g->at, "the value to fill with must be a number");
    if (is_whole_dtype(a->dtype) && !const_is_integral(v))
        return py_fail(g->p, g->at, "an integer array needs an integer value");
    if (is_whole_dtype(a->dtype))
        array_fill_int(a, (uint64_t)v->integer);
    else
        array_fill(a, const_to_double(v));
    return true;
}

static bool make_ones(const Given *g, Array *out)
{
    const Const one = const_int(1);

    return new_array(g, out) && fill_with(g, out, &one);
}

static bool make_full(const Given *g, Array *out)
{
    return new_array(g, out) && fill_with(g, out, g->v[2]);
}

static void leave_unwritten(const Given *g, Array *out)
{
    array_fill_unwritten(out);
    g->store->blocks.at[array_block(g->store, out->data)].is_empty = true;
}

static bool make_empty(const Given *g, Array *out)
{
    if (!new_array(g, out))
        return false;
    leave_unwritten(g, out);
    return true;
}

static bool make_arange(const Given *g, Array *out)
{
    if (!new_array(g, out))
        return false;
    array_count_up(out);
    return true;
}

/* With strides like those of the first argument; behind what fills it. */
static bool in_order(const Given *g, Array *out)
{
    take_order(out, value_array(g->v[0]));
    return true;
}

static bool make_zeros_like(const Given *g, Array *out)
{
    return new_like(g, 1, out) && in_order(g, out);
}

static bool make_ones_like(const Given *g, Array *out)
{
    const Const one = const_int(1);

    return new_like(g, 1, out) && fill_with(g, out, &one) && in_order(g, out);
}

static bool make_full_like(const Given *g, Array *out)
{
    return new_like(g, 2, out) && fill_with(g, out, g->v[1]) && in_order(g, out);
}

static bool make_empty_like(const Given *g, Array *out)
{
    if (!new_like(g, 1, out))
        return false;
    leave_unwritten(g, out);
    return in_order(g, out);
}

/* --- what a file of --repro says --- */

/* Of a digit of base64; -1: it is none. */
static int value_of_digit(char ch)
{
    if (ch >= 'A' && ch <= 'Z')
        return ch - 'A';
    if (ch >= 'a' && ch <= 'z')
        return ch - 'a' + 26;
    if (ch >= '0' && ch <= '9')
        return ch - '0' + 52;
    return ch == '+' ? 62 : ch == '/' ? 63 : -1;
}

/* Exactly n bytes, in base64? */
static bool decode(const char *text, size_t ntext, unsigned char *out, size_t n)
{
    unsigned bits = 0;
    size_t made = 0;

    while (ntext > 0 && text[ntext - 1] == '=')
        ntext--;
    for (size_t i = 0; i < ntext; i++) {
        int digit = value_of_digit(text[i]);

        if (digit < 0)
            return false;
        bits = bits << 6 | (unsigned)digit;
        if (i % 4 == 0)
            continue;
        if (made == n)
            return false;
        out[made++] = (unsigned char)(bits >> (6 - 2 * (i % 4)));
    }
    return made == n;
}

static bool make_data(const Given *g, Array *out)
{
    const Const *text = g->v[2];

    if (text->kind != CONST_STRING)
        return py_fail(g->p, g->at, "the elements are a text, in base64");
    if (!new_array(g, out))
        return false;
    return decode(text->text, text->ntext, out->data, array_bytes(out)) ||
           py_fail(g->p, g->at, "the text is not %zu bytes in base64", array_bytes(out));
}

/* Are all elements in the storage of `in`? */
static bool is_inside(const Store *store, const Array *in, const Array *a)
{
    const Storage *s = &store->blocks.at[array_block(store, in->data)];
    int64_t size = (int64_t)tilec_dtype_size(a->dtype);
    int64_t first = (const char *)a->data - (const char *)s->memory, last = first;

    for (int i = 0; i < a->ndim; i++) {
        int64_t step;

        if (a->shape[i] == 0)
            return first >= 0 && first <= (int64_t)s->bytes;
        if (__builtin_mul_overflow(a->strides[i], (a->shape[i] - 1) * size, &step) ||
            __builtin_add_overflow(step < 0 ? first : last, step, step < 0 ? &first : &last))
            return false;
    }
    return first >= 0 && last + size <= (int64_t)s->bytes;
}

static bool make_strided(const Given *g, Array *out)
{
    const Array *from = value_array(g->v[0]);
    const Const *strides, first = const_int(0), *at = g->v[3] ? g->v[3] : &first;
    int n;

    if (!from || array_block(g->store, from->data) < 0)
        return py_fail(g->p, g->at, "the first argument must be an array");
    *out = *from;
    if (!shape_of(g, g->v[1], out->shape, &out->ndim))
        return false;
    if (!const_items(g->v[2], &strides, &n))
        strides = g->v[2], n = 1;
    if (n != out->ndim || !const_is_integral(at) || at->integer >> 48 != at->integer >> 127)
        return py_fail(g->p, g->at, "there is a stride for each extent, and FIRST is an integer");
    for (int i = 0; i < n; i++) {
        if (!const_is_integral(&strides[i]) || strides[i].integer != (int64_t)strides[i].integer)
            return py_fail(g->p, g->at, "strides are integers");
        out->strides[i] = (int64_t)strides[i].integer;
    }
    out->data = (char *)from->data + (int64_t)at->integer * (int64_t)tilec_dtype_size(out->dtype);
    return is_inside(g->store, from, out) ||
           py_fail(g->p, g->at, "some of its elements are outside of that array's memory");
}

/* --- random numbers --- */

/* The seed that was given, or the number of random arrays before this one. */
static bool seed_of(const Given *g, int param, uint64_t *seed)
{
    *seed = (uint64_t)g->store->random_arrays++;
    if (!g->v[param])
        return true;
    *seed = (uint64_t)g->v[param]->integer;
    return const_is_integral(g->v[param]) || py_fail(g->p, g->at, "the seed must be an integer");
}

static void note_drawn(const Given *g, const Array *a)
{
    g->store->blocks.at[array_block(g->store, a->data)].is_drawn = true;
}

static bool make_rand(const Given *g, Array *out)
{
    uint64_t seed;

    if (!seed_of(g, 2, &seed) || !new_array(g, out))
        return false;
    array_randomise(out, seed);
    note_drawn(g, out);
    return true;
}

static bool make_randn(const Given *g, Array *out)
{
    uint64_t seed;

    if (g->v[0]->kind == CONST_DTYPE && is_whole_dtype((tilec_dtype)g->v[0]->dtype))
        return py_fail(g->p, g->at, "randn makes floats; use rand or randint for integers");
    if (!seed_of(g, 2, &seed) || !new_array(g, out))
        return false;
    array_randomise_normal(out, seed);
    note_drawn(g, out);
    return true;
}

/* Can the dtype hold it? */
static bool fits(tilec_dtype t, __int128 v)
{
    int bits = dtype_bits((DType)t);
    bool is_signed = dtype_is_signed((DType)t);
    __int128 limit = (__int128)1 << (bits - is_signed);

    if (!is_whole_dtype(t))
        return v >= INT64_MIN && v <= INT64_MAX;
    return v < limit && v >= (is_signed ? -limit : 0);
}

/* LO to HI - 1, as NumPy has it. */
static bool make_randint(const Given *g, Array *out)
{
    const Const *low = g->v[2], *high = g->v[3];
    uint64_t seed;

    if (!const_is_integral(low) || !const_is_integral(high))
        return py_fail(g->p, g->at, "the bounds of randint are integers");
    if (low->integer >= high->integer)
        return py_fail(g->p, g->at, "randint needs bounds with a number between them: LO < HI");
    if (!seed_of(g, 4, &seed) || !new_array(g, out))
        return false;
    if (!fits(out->dtype, low->integer) || !fits(out->dtype, high->integer - 1))
        return py_fail(g->p, g->at, "%s does not hold all numbers from %s to %s - 1",
                       tilec_dtype_name(out->dtype), const_brief(low, g->p->arena),
                       const_brief(high, g->p->arena));
    array_randomise_between(out, seed, (uint64_t)low->integer, (uint64_t)(high->integer - 1));
    return true;
}

/* --- the table --- */

/* clang-format off */
typedef struct {
    const char *name, *usage;
    const char *params; /* names, in order; those behind `*` only by name */
    int least;
    Make *make;
} Function;
static const Function functions[] = {
    {"zeros",      "zeros(DTYPE, SHAPE)",               "dtype shape",                2, new_array},
    {"ones",       "ones(DTYPE, SHAPE)",                "dtype shape",                2, make_ones},
    {"full",       "full(DTYPE, SHAPE, VALUE)",         "dtype shape value",          3, make_full},
    {"empty",      "empty(DTYPE, SHAPE)",               "dtype shape",                2, make_empty},
    {"arange",     "arange(DTYPE, SHAPE)",              "dtype shape",                2, make_arange},
    {"rand",       "rand(DTYPE, SHAPE[, seed=N])",      "dtype shape * seed",         2, make_rand},
    {"randn",      "randn(DTYPE, SHAPE[, seed=N])",     "dtype shape * seed",         2, make_randn},
    {"randint",    "randint(DTYPE, SHAPE, LO, HI[, seed=N])", "dtype shape low high * seed", 4, make_randint},
    {"data",       "data(DTYPE, SHAPE, TEXT)",          "dtype shape text",           3, make_data},
    {"strided",    "strided(X, SHAPE, STRIDES[, FIRST])", "x shape strides first",    3, make_strided},
    {"zeros_like", "zeros_like(X[, DTYPE])",            "x dtype",                    1, make_zeros_like},
    {"ones_like",  "ones_like(X[, DTYPE])",             "x dtype",                    1, make_ones_like},
    {"full_like",  "full_like(X, VALUE[, DTYPE])",      "x value dtype",              2, make_full_like},
    {"empty_like", "empty_like(X[, DTYPE])",            "x dtype",                    1, make_empty_like},
};
/* clang-format on */

int make_count(void)
{
    return COUNT(functions);
}

const char *make_name(int i)
{
    return functions[i].name;
}

static const Function *find_function(const char *name)
{
    for (int i = 0; i < COUNT(functions); i++) {
        if (strcmp(functions[i].name, name) == 0)
            return &functions[i];
    }
    return NULL;
}

bool make_is_function(const char *name)
{
    return find_function(name) != NULL;
}

/* The index of the parameter of this name; -1: there is none.  *positional: how many may be given
 * without their names. */
static int find_param(const char *params, const char *name, int *positional)
{
    int i = 0, found = -1;

    *positional = -1;
    for (const char *s = params; *s; s += strcspn(s, " "), s += strspn(s, " ")) {
        size_t n = strcspn(s, " ");

        if (*s == '*') {
            *positional = i;
            continue;
        }
        if (name && strlen(name) == n && memcmp(name, s, n) == 0)
            found = i;
        i++;
    }
    *positional = *positional < 0 ? i : *positional;
    return found;
}

static bool refuse_count(const Given *g, const Function *f, int given, int positional)
{
    bool has_shape = strncmp(f->params, "dtype", 5) == 0;

    py_report(g->p, g->at, "it is %s", f->usage);
    if (f->make == make_arange && given > positional)
        py_hint(g->p, H_ARANGE);
    else if (has_shape && is_shape(g->v[0]))
        py_hint(g->p, H_DTYPE_FIRST);
    else if (has_shape && !g->v[1])
        py_hint(g->p, "behind the dtype stands the shape: zeros(fp32,4x8), arange(fp32,16)");
    else if (has_shape && given > positional)
        py_hint(g->p, "a shape of several extents is 10x100 or (10,100), or (h,w) of arguments%s",
                strchr(f->params, '*') ? "; a seed is written seed=N" : "");
    return false;
}

static bool bind(Given *g, const Function *f, const PyArgs *args)
{
    int positional, n = 0;

    find_param(f->params, NULL, &positional);
    for (int i = 0; i < args->len; i++) {
        const PyArg *a = &args->at[i];
        int k = a->keyword ? find_param(f->params, a->keyword, &positional) : n++;

        if (k < 0 || g->v[k])
            return refuse_count(g, f, 0, 1);
        if (!a->keyword && k >= positional)
            return refuse_count(g, f, args->len, positional);
        g->v[k] = &a->value;
    }
    for (int k = 0; k < f->least; k++) {
        if (!g->v[k])
            return refuse_count(g, f, 0, 1);
    }
    return true;
}

static bool call_function(Py *p, const Const *self, const PyArgs *args, Span at, Const *out)
{
    Given g = {.store = value_store(p), .p = p, .at = at};
    const Function *f = self->object;
    Array made;

    if (!bind(&g, f, args) || !f->make(&g, &made))
        return false;
    *out = value_of_array(g.store, made);
    return true;
}

bool make_function(const char *name, Const *out)
{
    static const PyClass class = {.name = "a function", .call = call_function};

    *out = (Const){.kind = CONST_OBJECT, .class = &class, .object = find_function(name)};
    return out->object != NULL;
}
