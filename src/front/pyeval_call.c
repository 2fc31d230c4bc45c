/*
 * pyeval_call.c - calls in the simple Python of decorators
 *
 * Two kinds of functions can be called: those of the table below, which are Python's, Triton's and
 * math's, and functions of the file: lambdas, and a `def` that is one `return` statement.
 */
#include <math.h>
#include <string.h>

#include "lower.h"
#include "../syntax/parse.h"
#include "pyeval.h"

/* Functions of the table.  `args` has as many elements as the table allows. */

static bool call_range(PyEval *e, const Const *args, int n, Const *out)
{
    __int128 bounds[3] = {0, 0, 1};
    PyList list = {0};

    for (int i = 0; i < n; i++)
        if (args[i].kind != CONST_INT)
            return false;
    bounds[1] = args[0].integer;
    for (int i = 0; i < n && n > 1; i++)
        bounds[i] = args[i].integer;
    if (bounds[2] == 0)
        return false;
    for (__int128 i = bounds[0]; bounds[2] > 0 ? i < bounds[1] : i > bounds[1];) {
        if (!pyeval_push(e, &list, const_int(i)))
            return false;
        if (__builtin_add_overflow(i, bounds[2], &i))
            break;
    }
    *out = pyeval_tuple(&list);
    return true;
}

static bool call_list(PyEval *e, const Const *args, int n, Const *out)
{
    (void)e;
    *out = n > 0 ? args[0] : (Const){.kind = CONST_TUPLE};
    return out->kind == CONST_TUPLE;
}

/* All tuples with one element of each argument, the last changing fastest. */
static bool call_product(PyEval *e, const Const *args, int n, Const *out)
{
    Const none = {.kind = CONST_TUPLE};
    PyList list = {0};

    pyeval_push(e, &list, none);
    for (int i = 0; i < n; i++) {
        PyList longer = {0};

        if (args[i].kind != CONST_TUPLE)
            return false;
        for (int k = 0; k < list.len; k++) {
            for (int j = 0; j < args[i].nitems; j++) {
                PyList one = {0};

                if (!pyeval_push_all(e, &one, &list.at[k]) ||
                    !pyeval_push(e, &one, args[i].items[j]))
                    return false;
                pyeval_push(e, &longer, pyeval_tuple(&one));
            }
        }
        list = longer;
    }
    *out = pyeval_tuple(&list);
    return true;
}

/* The tuple of element `i` of each argument. */
static bool push_column(PyEval *e, PyList *list, const Const *args, int n, int i)
{
    PyList one = {0};

    for (int k = 0; k < n; k++)
        if (!pyeval_push(e, &one, args[k].items[i]))
            return false;
    return pyeval_push(e, list, pyeval_tuple(&one));
}

/* As many as the shortest argument has elements. */
static bool call_zip(PyEval *e, const Const *args, int n, Const *out)
{
    PyList list = {0};
    int length = args[0].nitems;

    for (int k = 0; k < n; k++) {
        length = MIN(length, args[k].nitems);
        if (args[k].kind != CONST_TUPLE)
            return false;
    }
    for (int i = 0; i < length; i++)
        if (!push_column(e, &list, args, n, i))
            return false;
    *out = pyeval_tuple(&list);
    return true;
}

static bool call_enumerate(PyEval *e, const Const *args, int n, Const *out)
{
    PyList list = {0};

    (void)n;
    for (int i = 0; i < args[0].nitems; i++) {
        const Const pair[] = {const_int(i), args[0].items[i]};
        PyList one = {0};

        if (!pyeval_push(e, &one, pair[0]) || !pyeval_push(e, &one, pair[1]) ||
            !pyeval_push(e, &list, pyeval_tuple(&one)))
            return false;
    }
    *out = pyeval_tuple(&list);
    return args[0].kind == CONST_TUPLE;
}

static bool call_len(PyEval *e, const Const *args, int n, Const *out)
{
    (void)e;
    (void)n;
    *out = const_int(args[0].kind == CONST_STRING ? (__int128)args[0].ntext : args[0].nitems);
    return args[0].kind == CONST_STRING || args[0].kind == CONST_TUPLE;
}

/* The first that no other one is before, in an order; one argument is the list of them. */
static bool pick(const Const *args, int n, CompareOp before, Const *out)
{
    bool better;

    if (n == 1 && args[0].kind == CONST_TUPLE)
        return args[0].nitems > 0 &&
               (args[0].nitems == 1 ? (*out = args[0].items[0], true)
                                    : pick(args[0].items, args[0].nitems, before, out));
    *out = args[0];
    for (int i = 1; i < n; i++) {
        if (const_compare(before, &args[i], out, &better))
            return false;
        if (better)
            *out = args[i];
    }
    return n > 1;
}

static bool call_min(PyEval *e, const Const *args, int n, Const *out)
{
    (void)e;
    return pick(args, n, CMP_LT, out);
}

static bool call_max(PyEval *e, const Const *args, int n, Const *out)
{
    (void)e;
    return pick(args, n, CMP_GT, out);
}

static bool call_abs(PyEval *e, const Const *args, int n, Const *out)
{
    bool negative = args[0].kind == CONST_FLOAT ? args[0].real < 0 : args[0].integer < 0;

    (void)e;
    (void)n;
    return const_is_number(&args[0]) && !const_unary(negative ? UN_MINUS : UN_PLUS, &args[0], out);
}

static bool call_bool(PyEval *e, const Const *args, int n, Const *out)
{
    (void)e;
    (void)n;
    *out = const_bool(const_truth(&args[0]));
    return true;
}

/* Of a float, its integer part; the range is far beyond what a kernel takes. */
static bool whole(double v, Const *out)
{
    if (!(fabs(v) < 0x1p100))
        return false;
    *out = const_int((__int128)v);
    return true;
}

static bool call_int(PyEval *e, const Const *args, int n, Const *out)
{
    (void)e;
    (void)n;
    if (args[0].kind == CONST_FLOAT)
        return whole(args[0].real, out);
    *out = const_int(args[0].integer);
    return const_is_integral(&args[0]);
}

static bool call_ceil(PyEval *e, const Const *args, int n, Const *out)
{
    (void)e;
    (void)n;
    return const_is_number(&args[0]) && whole(ceil(const_to_double(&args[0])), out);
}

static bool call_floor(PyEval *e, const Const *args, int n, Const *out)
{
    (void)e;
    (void)n;
    return const_is_number(&args[0]) && whole(floor(const_to_double(&args[0])), out);
}

static bool call_log2(PyEval *e, const Const *args, int n, Const *out)
{
    (void)e;
    (void)n;
    *out = const_float(log2(const_to_double(&args[0])));
    return const_is_number(&args[0]) && const_to_double(&args[0]) > 0;
}

/* (x + y - 1) // y, as Triton has it. */
static bool call_cdiv(PyEval *e, const Const *args, int n, Const *out)
{
    const Const one = const_int(1);
    Const sum, above;

    (void)n;
    return !const_binary(e->arena, BIN_ADD, &args[0], &args[1], &sum) &&
           !const_binary(e->arena, BIN_SUB, &sum, &one, &above) &&
           !const_binary(e->arena, BIN_FLOORDIV, &above, &args[1], out);
}

/* Triton's, which works on 64 bits: 0 gives 0. */
static bool call_next_power_of_2(PyEval *e, const Const *args, int n, Const *out)
{
    __int128 power = 1;

    (void)e;
    (void)n;
    if (!const_is_integral(&args[0]) || args[0].integer < 0 || args[0].integer >> 64 != 0)
        return false;
    while (power < args[0].integer)
        power *= 2;
    *out = const_int(args[0].integer == 0 ? 0 : power);
    return true;
}

/* clang-format off */
static const struct {
    const char *name; /* in full */
    int least, most;  /* arguments */
    bool (*call)(PyEval *e, const Const *args, int n, Const *out);
} functions[] = {
    {"abs",                    1, 1,  call_abs},
    {"bool",                   1, 1,  call_bool},
    {"enumerate",              1, 1,  call_enumerate},
    {"int",                    1, 1,  call_int},
    {"len",                    1, 1,  call_len},
    {"list",                   0, 1,  call_list},
    {"max",                    1, 99, call_max},
    {"min",                    1, 99, call_min},
    {"range",                  1, 3,  call_range},
    {"tuple",                  0, 1,  call_list},
    {"zip",                    1, 99, call_zip},
    {"itertools.product",      0, 99, call_product},
    {"math.ceil",              1, 1,  call_ceil},
    {"math.floor",             1, 1,  call_floor},
    {"math.log2",              1, 1,  call_log2},
    {"triton.cdiv",            2, 2,  call_cdiv},
    {"triton.next_power_of_2", 1, 1,  call_next_power_of_2},
};
/* clang-format on */

/* The name that the table has, or has under `triton.` where `import *` may have brought it in. */
static int find_function(const char *name)
{
    for (int i = 0; i < COUNT(functions); i++)
        if (strcmp(functions[i].name, name) == 0 ||
            (strncmp(functions[i].name, "triton.", 7) == 0 &&
             strcmp(functions[i].name + 7, name) == 0))
            return i;
    return -1;
}

static bool call_function(PyEval *e, const Node *n, int function, Const *out)
{
    Node items = {.kind = N_TUPLE, .items = n->items, .nitems = n->nitems};
    Const args;

    if (!pyeval_display(e, &items, &args))
        return false;
    if (args.nitems < functions[function].least || args.nitems > functions[function].most)
        return pyeval_fail(e, n, "`%s` does not take %d arguments", functions[function].name,
                           args.nitems);
    return functions[function].call(e, args.items, args.nitems, out) ||
           pyeval_fail(e, n, "`%s` has no value for these arguments", functions[function].name);
}

/* Functions of the file. */

typedef struct {
    const Node *lambda; /* or else */
    const AstFunc *def;
} Callee;

static bool is_lambda(const Node *n)
{
    return n->kind == N_UNSUPPORTED_EXPR && strcmp(n->name, "Lambda") == 0;
}

static bool find_callee(const PyEval *e, const Node *n, Callee *out)
{
    const Node *value = pyeval_alias(e, n);

    *out = (Callee){.lambda = is_lambda(value) ? value : NULL};
    if (value->kind == N_NAME && !pyeval_variable(e, value->name))
        out->def = file_find(e->file, value->name);
    return out->lambda || (out->def && !out->def->is_jit);
}

/* What `return` gives, when that and a text in front of it are all; else NULL. */
static const Node *result_of_def(const AstFunc *fn)
{
    int first = fn->nbody > 0 && fn->body[0]->kind == N_EXPR && fn->body[0]->left->kind == N_STRING;

    if (fn->nerrors > 0 || fn->nbody != first + 1 || fn->body[first]->kind != N_RETURN)
        return NULL;
    return fn->body[first]->left;
}

static int param_count(const Callee *c)
{
    return c->def ? c->def->nparams : c->lambda->nitems;
}

/* NULL: it takes more than one argument. */
static Sym param_name(const Callee *c, int i)
{
    if (c->def)
        return c->def->params[i].is_star ? NULL : c->def->params[i].name;
    return c->lambda->items[i]->kind == N_NAME || c->lambda->items[i]->kind == N_KEYWORD
               ? c->lambda->items[i]->name
               : NULL;
}

static const Node *param_default(const Callee *c, int i)
{
    return c->def ? c->def->params[i].default_value : c->lambda->items[i]->left;
}

/* Give the parameters their values, which nothing sees before e->scope does. */
static bool bind_params(PyEval *e, const Node *at, const Callee *c, const PyVariable *args, int n)
{
    if (n > param_count(c))
        return pyeval_fail(e, at, "it takes %d arguments, not %d", param_count(c), n);
    for (int i = 0; i < param_count(c); i++) {
        const Node *default_value = i < n ? NULL : param_default(c, i);
        PyVariable v = {0};

        e->scope = e->variables.len;
        if (!param_name(c, i) || (i >= n && !default_value))
            return pyeval_fail(e, at, "it cannot be called with %d arguments", n);
        if (default_value && !pyeval(e, default_value, &v.value))
            return false;
        v = i < n ? args[i] : v;
        v.name = param_name(c, i);
        vec_push(e->arena, &e->variables, v);
    }
    return true;
}

static const Node *enter_function(PyEval *e, const Node *callee, const PyVariable *args, int n,
                                  PyScope *outer)
{
    const Node *result;
    Callee c;

    *outer = (PyScope){e->scope, e->variables.len};
    if (!find_callee(e, callee, &c)) {
        pyeval_fail(e, callee, "this is no function of this file");
        return NULL;
    }
    result = c.lambda ? c.lambda->left : result_of_def(c.def);
    if (!result)
        pyeval_fail(e, callee, "only functions of one `return` statement can be evaluated");
    else if (!bind_params(e, callee, &c, args, n))
        result = NULL;
    e->scope = outer->mark;
    if (!result)
        pyeval_leave(e, *outer);
    return result;
}

void pyeval_leave(PyEval *e, PyScope outer)
{
    e->scope = outer.scope;
    e->variables.len = outer.mark;
}

bool pyeval_apply(PyEval *e, const Node *callee, const PyVariable *args, int n, Const *out)
{
    PyScope outer;
    const Node *result = enter_function(e, callee, args, n, &outer);
    bool known = result && pyeval(e, result, out);

    if (result)
        pyeval_leave(e, outer);
    return known;
}

typedef VEC(PyVariable) Variables;

static bool eval_arguments(PyEval *e, const Node *call, Variables *args)
{
    for (int i = 0; i < call->nitems; i++) {
        PyVariable v = {.is_arguments = pyeval_is_arguments(e, call->items[i])};

        if (!v.is_arguments && !pyeval(e, call->items[i], &v.value))
            return false;
        vec_push(e->arena, args, v);
    }
    return true;
}

const Node *pyeval_enter(PyEval *e, const Node *call, PyScope *outer)
{
    Variables args = {0};
    Callee c;

    if (call->kind != N_CALL || !find_callee(e, call->left, &c) || !eval_arguments(e, call, &args))
        return NULL;
    return enter_function(e, call->left, args.at, args.len, outer);
}

static bool call_of_file(PyEval *e, const Node *n, Const *out)
{
    Variables args = {0};

    return eval_arguments(e, n, &args) && pyeval_apply(e, n->left, args.at, args.len, out);
}

bool pyeval_call(PyEval *e, const Node *n, Const *out)
{
    const char *name;
    int function;
    Callee c;

    if (find_callee(e, n->left, &c))
        return call_of_file(e, n, out);
    name = file_full_name_in(e->file, n->left, e->arena);
    function = name ? find_function(name) : -1;
    if (function >= 0)
        return call_function(e, n, function, out);
    return pyeval_fail(e, n->left, "`%s` cannot be called here", name ? name : "this");
}

/* Parsing them ahead: a launch must not. */

enum { MAX_WALK = 64 }; /* evaluation goes no deeper */

typedef struct {
    FrontFile *file;
    Map *seen; /* globals and functions; each is walked once */
} Walk;

static void parse_callees(Walk *w, const Node *n, int depth);

static void parse_list(Walk *w, Node *const *list, int n, int depth)
{
    for (int i = 0; i < n; i++)
        parse_callees(w, list[i], depth);
}

static bool is_new(Walk *w, const void *p)
{
    bool seen = !p || map_get(w->seen, MAP_KEY(p));

    if (!seen)
        map_put(w->seen, MAP_KEY(p), w);
    return !seen;
}

static void parse_function_named(Walk *w, Sym name, int depth)
{
    FrontFile *f = w->file;
    AstFunc *fn = map_get(f->func_of, MAP_KEY(name));
    const AstGlobal *g = file_global(f, name);

    if (is_new(w, g))
        parse_callees(w, g->value, depth);
    if (!fn || fn->is_jit || !is_new(w, fn))
        return;
    if (fn->nbody == 0 && fn->nerrors == 0)
        parse_function(f->arena, f->interner, f->source, fn);
    for (int i = 0; i < fn->nparams; i++)
        parse_callees(w, fn->params[i].default_value, depth);
    parse_list(w, fn->body, fn->nbody, depth);
}

static void parse_callees(Walk *w, const Node *n, int depth)
{
    if (!n || depth > MAX_WALK || --w->file->eval_budget < 0)
        return;
    if (n->kind == N_NAME)
        parse_function_named(w, n->name, depth + 1);
    parse_callees(w, n->left, depth + 1);
    parse_callees(w, n->right, depth + 1);
    parse_callees(w, n->extra, depth + 1);
    parse_list(w, n->items, n->nitems, depth + 1);
}

void pyeval_parse_callees(FrontFile *f, const Node *n)
{
    Walk w = {f, map_new(f->arena)};

    parse_callees(&w, n, 0);
}
