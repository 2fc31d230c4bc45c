/*
 * builtins.c - THE table of Python's functions and methods, and how they get their arguments
 *
 * A row names its parameters; those that are left out are not handed on.  A function of triton also
 * goes by the name that triton.language has for it.
 */
#include <math.h>
#include <string.h>

#include "functions.h"
#include "messages.h"

/* clang-format off */
static const PyBuiltin builtins[] = {
    /* name                  parameters            least  */
    {"abs",                  "x",                  1, py_abs},
    {"all",                  "values",             1, py_all},
    {"any",                  "values",             1, py_any},
    {"bool",                 "x",                  0, py_bool},
    {"dict",                 "values **items",     0, py_dict},
    {"divmod",               "x y",                2, py_divmod},
    {"enumerate",            "values start",       1, py_enumerate},
    {"filter",               "function values",    2, py_filter},
    {"float",                "x",                  0, py_float},
    {"getattr",              "obj name default",   2, py_getattr},
    {"hasattr",              "obj name",           2, py_hasattr},
    {"int",                  "x base",             0, py_int},
    {"isinstance",           "obj class",          2, py_isinstance},
    {"len",                  "obj",                1, py_len},
    {"list",                 "values",             0, py_list},
    {"map",                  "*values",            2, py_map},
    {"max",                  "*values",            1, py_max},
    {"min",                  "*values",            1, py_min},
    {"pow",                  "x y",                2, py_pow},
    {"range",                "start stop step",    1, py_range},
    {"reversed",             "values",             1, py_reversed},
    {"round",                "x digits",           1, py_round},
    {"sorted",               "values",             1, py_sorted},
    {"str",                  "x",                  0, py_str},
    {"sum",                  "values start",       1, py_sum},
    {"tuple",                "values",             0, py_tuple},
    {"zip",                  "*values",            0, py_zip},
    {"itertools.product",    "*values",            0, py_product},
    {"os.environ.get",       "key default",        1, py_getenv},
    {"os.getenv",            "key default",        1, py_getenv},
    {"triton.cdiv",          "x y",                2, py_cdiv},
    {"triton.next_power_of_2", "n",                1, py_next_power_of_2},
    {"math.ceil",            "x",                  1, py_ceil},
    {"math.cos",             "x",                  1, py_cos},
    {"math.exp",             "x",                  1, py_exp},
    {"math.exp2",            "x",                  1, py_exp2},
    {"math.fabs",            "x",                  1, py_fabs},
    {"math.floor",           "x",                  1, py_floor},
    {"math.gcd",             "x y",                2, py_gcd},
    {"math.isfinite",        "x",                  1, py_isfinite},
    {"math.isinf",           "x",                  1, py_isinf},
    {"math.isnan",           "x",                  1, py_isnan},
    {"math.isqrt",           "n",                  1, py_isqrt},
    {"math.log",             "x base",             1, py_log},
    {"math.log10",           "x",                  1, py_log10},
    {"math.log2",            "x",                  1, py_log2},
    {"math.pow",             "x y",                2, py_math_pow},
    {"math.prod",            "values start",       1, py_prod},
    {"math.sin",             "x",                  1, py_sin},
    {"math.sqrt",            "x",                  1, py_sqrt},
    {"math.tan",             "x",                  1, py_tan},
    {"math.tanh",            "x",                  1, py_tanh},
    {"math.trunc",           "x",                  1, py_trunc},
    {"torch.finfo",          "dtype",              0, py_finfo},
    {"torch.iinfo",          "dtype",              1, py_iinfo},
    {"numpy.finfo",          "dtype",              1, py_finfo},
    {"numpy.iinfo",          "dtype",              1, py_iinfo},
    /* methods */
    {"int.bit_length",       "self",               1, py_bit_length},
    {"float.is_integer",     "self",               1, py_is_integer},
    {"str.endswith",         "self end",           2, py_endswith},
    {"str.lower",            "self",               1, py_lower},
    {"str.startswith",       "self start",         2, py_startswith},
    {"str.strip",            "self",               1, py_strip},
    {"str.upper",            "self",               1, py_upper},
    {"tuple.count",          "self value",         2, py_count},
    {"tuple.index",          "self value",         2, py_find_index},
    {"list.append",          "self value",         2, py_append},
    {"list.count",           "self value",         2, py_count},
    {"list.extend",          "self values",        2, py_extend},
    {"list.index",           "self value",         2, py_find_index},
    {"dict.get",             "self key default",   2, py_get},
    {"dict.items",           "self",               1, py_dict_items},
    {"dict.keys",            "self",               1, py_dict_keys},
    {"dict.values",          "self",               1, py_dict_values},
    {"dtype.is_*",           "self",               1, py_dtype_is},
};
/* clang-format on */

/* --- finding --- */

static bool is_named(const char *a, const char *b)
{
    return a[0] == b[0] && strcmp(a, b) == 0; /* most differ in their first letter */
}

const PyBuiltin *py_builtin(const char *name)
{
    static const char language[] = "triton.language.", triton[] = "triton.";

    for (int i = 0; i < COUNT(builtins); i++) {
        if (is_named(builtins[i].name, name))
            return &builtins[i];
    }
    if (strncmp(name, language, sizeof language - 1) == 0)
        name += sizeof language - 1;
    for (int i = 0; i < COUNT(builtins); i++) {
        if (strncmp(builtins[i].name, triton, sizeof triton - 1) == 0 &&
            is_named(builtins[i].name + sizeof triton - 1, name))
            return &builtins[i];
    }
    return NULL;
}

const PyBuiltin *py_method(const char *type, const char *name)
{
    size_t n = strlen(type);

    for (int i = 0; i < COUNT(builtins); i++) {
        if (strncmp(builtins[i].name, type, n) == 0 && builtins[i].name[n] == '.' &&
            strcmp(builtins[i].name + n + 1, name) == 0)
            return &builtins[i];
    }
    return NULL;
}

const char *py_near_builtin(const char *name)
{
    const char *names[COUNT(builtins)];
    int n = 0;

    for (int i = 0; i < COUNT(builtins); i++) {
        if (!strchr(builtins[i].name, '.'))
            names[n++] = builtins[i].name;
    }
    return near_name(name, names, n);
}

Const py_builtin_value(Py *p, const PyBuiltin *b)
{
    PyFunction *f = NEW(p->arena, PyFunction);

    f->builtin = b;
    return (Const){.kind = CONST_FUNCTION, .function = f};
}

/* Names of torch that the language spells otherwise (R25). */
static bool dtype_of_torch(const char *name, DType *out)
{
    static const struct {
        const char *name;
        DType dtype;
    } names[] = {
        {"float8_e4m3fn", DT_FP8E4NV},
        {"float8_e5m2", DT_FP8E5},
        {"float8_e4m3fnuz", DT_FP8E4B8},
        {"float8_e5m2fnuz", DT_FP8E5B16},
        {"bool", DT_I1},
        {"half", DT_FP16},
        {"float", DT_FP32},
        {"double", DT_FP64},
        {"short", DT_I16},
        {"int", DT_I32},
        {"long", DT_I64},
    };

    for (int i = 0; i < COUNT(names); i++) {
        *out = names[i].dtype;
        if (strcmp(names[i].name, name) == 0)
            return true;
    }
    return false;
}

/* torch.float16, numpy.float16, triton.language.float16: most dtypes have the same names everywhere
 * (R25). */
static bool dtype_constant(const char *name, Const *out)
{
    const char *last = strrchr(name, '.');
    bool torch = strncmp(name, "torch.", 6) == 0;
    bool numpy = strncmp(name, "numpy.", 6) == 0;
    bool ours = numpy || strncmp(name, "triton", 6) == 0;

    *out = const_dtype(DT_I1);
    if (numpy && (strcmp(last, ".bool_") == 0 || strcmp(last, ".bool") == 0))
        return true;
    return last &&
           ((torch && dtype_of_torch(last + 1, &out->dtype)) ||
            ((torch || ours) && dtype_from_long_name(last + 1, strlen(last + 1), &out->dtype)));
}

static bool math_constant(const char *name, Const *out)
{
    static const struct {
        const char *name;
        double value;
    } constants[] = {
        {"math.pi", M_PI},      {"math.e", M_E},   {"math.tau", 2 * M_PI},
        {"math.inf", INFINITY}, {"math.nan", NAN},
    };

    for (int i = 0; i < COUNT(constants); i++) {
        *out = const_float(constants[i].value);
        if (strcmp(constants[i].name, name) == 0)
            return true;
    }
    return false;
}

/* No device here is one of HIP. */
static bool torch_constant(const char *name, Const *out)
{
    *out = const_none();
    return strcmp(name, "torch.version.hip") == 0;
}

static bool os_constant(const char *name, Const *out)
{
    *out = py_environ();
    return strcmp(name, "os.environ") == 0;
}

static bool constant_of(const char *name, Const *out)
{
    return os_constant(name, out) || math_constant(name, out) || dtype_constant(name, out) ||
           torch_constant(name, out);
}

bool py_full_name(Py *p, const char *name, Const *out)
{
    const PyBuiltin *b = py_builtin(name);

    if (b)
        *out = py_builtin_value(p, b);
    return b || constant_of(name, out);
}

bool py_has_name(const char *name)
{
    Const ignored;

    return py_builtin(name) || constant_of(name, &ignored);
}

/* --- calling --- */

enum { MAX_PARAMS = 4 };

static const char *last_name(const PyBuiltin *b)
{
    const char *dot = strrchr(b->name, '.');

    return dot ? dot + 1 : b->name;
}

/* Those of a text of names; gives how many there are. */
static int params_of(Py *p, const PyBuiltin *b, PyParam *out)
{
    int n = 0;

    for (const char *at = b->params; *at; n++) {
        size_t len = strcspn(at, " ");

        out[n] = (PyParam){.name = arena_strndup(p->arena, at, len), .has_default = n >= b->least};
        at += len + strspn(at + len, " ");
    }
    return n;
}

/* All up to the last one that is given: there is no gap in what a function gets. */
static bool bind_builtin(Py *p, const PyBuiltin *b, const PyArgs *args, Span at, Const *out, int *n)
{
    PyParam params[MAX_PARAMS];
    int index[MAX_PARAMS], most = params_of(p, b, params);

    if (!py_bind_args(p, last_name(b), params, most, args, at, index))
        return false;
    for (*n = 0; *n < most && index[*n] >= 0; ++*n)
        out[*n] = args->at[index[*n]].value;
    return *n == most || *n == args->len ||
           py_fail(p, at, PY_E_MISSING, last_name(b), params[*n].name);
}

/* All arguments, which have no names here. */
static bool bind_star(Py *p, const PyBuiltin *b, const PyArgs *args, Span at, Const *out)
{
    for (int i = 0; i < args->len; i++) {
        if (args->at[i].keyword)
            return py_fail(p, at, PY_E_KEYWORD, last_name(b), args->at[i].keyword);
        out[i] = args->at[i].value;
    }
    return args->len >= b->least || py_fail(p, at, PY_E_MISSING, last_name(b), b->params + 1);
}

/* dict(values, NAME=value...): positions, and a dict of the rest behind them. */
static bool bind_items(Py *p, const PyBuiltin *b, const PyArgs *args, Span at, Const *out)
{
    Const items = const_new_dict(p->arena);
    int n = 0;

    for (int i = 0; i < args->len; i++) {
        const PyArg *a = &args->at[i];

        if (a->keyword)
            py_put_keyword(items.list, a);
        else if (n++ == 0)
            out[0] = a->value;
    }
    out[1] = items;
    return n <= 1 || py_fail(p, at, PY_E_TOO_MANY, last_name(b), 1, n);
}

bool py_call_builtin(Py *p, const PyBuiltin *b, const PyArgs *args, Span at, Const *out)
{
    Const few[MAX_PARAMS] = {0};
    Const *all = few;
    bool good;
    int n = 0;

    if (b->params[0] == '*') {
        all = NEW_N(p->arena, Const, args->len + 1);
        n = args->len;
        good = bind_star(p, b, args, at, all);
    } else if (strchr(b->params, '*')) {
        good = bind_items(p, b, args, at, all);
    } else {
        good = bind_builtin(p, b, args, at, all, &n);
    }
    p->at = at;
    p->callee = b;
    return good && (b->call(p, all, n, out) || py_fail(p, at, PY_E_VALUE, last_name(b)));
}
