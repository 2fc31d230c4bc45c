/*
 * call.c - calls: arguments, functions of the file
 *
 * A `def` runs in a frame of its own and sees its parameters, what it assigns, and what the host
 * says of its scope; a lambda also sees the names around it.
 */
#include <string.h>

#include "functions.h"
#include "messages.h"
#include "python.h"

const char *py_function_name(const PyFunction *f)
{
    const char *dot;

    if (!f->builtin)
        return f->def ? f->def->name : "lambda";
    dot = strrchr(f->builtin->name, '.');
    return dot ? dot + 1 : f->builtin->name;
}

bool py_function_equal(const PyFunction *a, const PyFunction *b)
{
    bool same_self = a->self == b->self || (a->self && b->self && const_equal(a->self, b->self));

    return a == b || (a->builtin == b->builtin && a->def == b->def && a->lambda == b->lambda &&
                      a->frame == b->frame && same_self);
}

/* --- arguments --- */

static bool push_all(Py *p, PyArgs *args, const Node *n)
{
    const Const *items;
    Const c;
    int count;

    if (!py_eval(p, n->left, &c))
        return false;
    if (c.kind == CONST_UNKNOWN)
        return py_fail_unknown(p, &c, n->span);
    if (!py_iterate(p, &c, n->span, &items, &count) || !py_spend(p, count, n->span))
        return false;
    for (int i = 0; i < count; i++)
        vec_push(p->arena, args, ((PyArg){items[i], NULL, n->left}));
    return true;
}

/* How an argument whose name is not known is called. */
#define UNKNOWN_NAME "**"

/* `**dict`: each entry is an argument, what is not known one without a name. */
static bool push_dict(Py *p, PyArgs *args, const Node *n)
{
    Const dict = const_new_dict(p->arena);

    if (!py_spread_dict(p, dict.list, n))
        return false;
    for (int i = 0; i < dict.list->len; i += 2) {
        const Const *key = &dict.list->at[i];

        if (key->kind != CONST_STRING && key->kind != CONST_UNKNOWN)
            return py_fail(p, n->span, PY_E_KEY, const_brief(key, p->arena));
        vec_push(p->arena, args,
                 ((PyArg){dict.list->at[i + 1],
                          key->kind == CONST_STRING ? key->text : UNKNOWN_NAME, n->left}));
    }
    return true;
}

void py_put_keyword(ConstList *dict, const PyArg *a)
{
    bool known = strcmp(a->keyword, UNKNOWN_NAME) != 0;
    Const key = known ? const_string(a->keyword, strlen(a->keyword))
                      : (Const){.kind = CONST_UNKNOWN, .node = a->node};

    const_dict_put(dict, &key, &a->value);
}

static bool eval_arguments(Py *p, const Node *call, PyArgs *args)
{
    for (int i = 0; i < call->nitems; i++) {
        const Node *n = call->items[i];
        PyArg arg = {.node = n};
        bool good;

        if (n->kind == N_STARRED) {
            good = push_all(p, args, n);
        } else if (n->kind == N_DOUBLE_STARRED) {
            good = push_dict(p, args, n);
        } else {
            arg.node = n->kind == N_KEYWORD ? n->left : n;
            arg.keyword = n->kind == N_KEYWORD ? n->name : NULL;
            good = py_eval(p, arg.node, &arg.value);
            vec_push(p->arena, args, arg);
        }
        if (!good)
            return false;
    }
    return true;
}

/* --- binding --- */

static int param_count(const PyFunction *f)
{
    return f->def ? f->def->nparams : f->lambda->nitems;
}

static const Node *default_of(const PyFunction *f, int i)
{
    const Node *n = f->def ? NULL : f->lambda->items[i];

    return f->def ? f->def->params[i].default_value : n->kind == N_KEYWORD ? n->left : NULL;
}

static PyParam param_at(const PyFunction *f, int i)
{
    PyParam param = {.has_default = default_of(f, i) != NULL};

    if (f->def) {
        param.name = f->def->params[i].name;
        param.star = f->def->params[i].is_star;
        param.by_name = f->def->params[i].by_name;
        return param;
    }
    param.name = f->lambda->items[i]->name;
    param.star = f->lambda->items[i]->kind == N_STARRED;
    param.dict = f->lambda->items[i]->kind == N_DOUBLE_STARRED;
    return param;
}

typedef struct {
    Py *p;
    const char *name; /* of the function */
    const PyParam *params;
    const PyArgs *args;
    Span at;
} BoundCall;

static bool report_binding(void *context, PyBindError e, int n)
{
    const BoundCall *b = context;
    int given = 0;

    switch (e) {
    case PY_BIND_TOO_MANY:
        for (int i = 0; i < b->args->len; i++)
            given += b->args->at[i].keyword == NULL;
        return py_fail(b->p, b->at, PY_E_TOO_MANY, b->name, n, given);
    case PY_BIND_UNEXPECTED:
        return py_fail(b->p, b->at, PY_E_KEYWORD, b->name, b->args->at[n].keyword);
    case PY_BIND_TWICE:
        return py_fail(b->p, b->at, PY_E_TWICE, b->name, b->args->at[n].keyword);
    default:
        return py_fail(b->p, b->at, PY_E_MISSING, b->name, b->params[n].name);
    }
}

bool py_bind_args(Py *p, const char *name, const PyParam *params, int n, const PyArgs *args,
                  Span at, int *out)
{
    const char **words = NEW_N(p->arena, const char *, args->len + 1);
    BoundCall call = {p, name, params, args, at};
    const PyBindReport report = {report_binding, &call};

    for (int i = 0; i < args->len; i++)
        words[i] = args->at[i].keyword;
    return py_bind(params, n, words, args->len, out, &report);
}

/* What `*rest` holds: the positional arguments from this one on; -1: none. */
static Const rest_of(Py *p, const PyArgs *args, int first)
{
    ConstList rest = {0};

    for (int i = first; first >= 0 && i < args->len; i++) {
        if (!args->at[i].keyword)
            vec_push(p->arena, &rest, args->at[i].value);
    }
    return const_tuple(rest.at, rest.len);
}

/* What `**rest` holds: the keywords that no parameter was bound to. */
static Const keywords_of(Py *p, const PyArgs *args, const int *bound, int n)
{
    Const rest = const_new_dict(p->arena);

    for (int i = 0; i < args->len; i++) {
        bool taken = !args->at[i].keyword;

        for (int k = 0; k < n; k++)
            taken = taken || bound[k] == i;
        if (!taken)
            py_put_keyword(rest.list, &args->at[i]);
    }
    return rest;
}

/* A default is evaluated where the `def` stands, and a lambda's around it. */
static bool eval_default(Py *p, const PyFunction *f, const Node *n, Span at, Const *out)
{
    PyFrame *inside = p->frame, *frame = NEW(p->arena, PyFrame);
    bool good;

    if (f->lambda) {
        p->frame = f->frame;
    } else {
        *frame = (PyFrame){.caller = inside, .call = at, .fn = f->def, .scope = f->def->scope};
        frame->before = f->def->extent.start;
        p->frame = frame;
    }
    good = py_eval(p, n, out);
    p->frame = inside;
    return good;
}

static bool bind_values(Py *p, const PyFunction *f, const PyArgs *args, Span at, Const *values)
{
    int n = param_count(f);
    PyParam *params = NEW_N(p->arena, PyParam, n + 1);
    int *index = NEW_N(p->arena, int, n + 1);

    for (int i = 0; i < n; i++)
        params[i] = param_at(f, i);
    if (!py_bind_args(p, py_function_name(f), params, n, args, at, index))
        return false;
    for (int i = 0; i < n; i++) {
        if (params[i].star)
            values[i] = rest_of(p, args, index[i]);
        else if (params[i].dict)
            values[i] = keywords_of(p, args, index, n);
        else if (index[i] >= 0)
            values[i] = args->at[index[i]].value;
        else if (!eval_default(p, f, default_of(f, i), at, &values[i]))
            return false;
    }
    return true;
}

/* --- functions of the file --- */

static PyFrame *new_frame(Py *p, const PyFunction *f, const Const *values, Span at)
{
    PyFrame *frame = NEW(p->arena, PyFrame);

    if (f->lambda)
        *frame = (PyFrame){.outer = f->frame, .fn = f->frame->fn, .scope = f->frame->scope};
    else
        *frame = (PyFrame){.fn = f->def, .scope = f->def->scope};
    frame->before = f->lambda ? f->frame->before : UINT32_MAX;
    frame->caller = p->frame;
    frame->call = at;
    for (int i = 0; i < param_count(f); i++) {
        PyVariable v = {param_at(f, i).name, values[i]};

        vec_push(p->arena, &frame->variables, v);
    }
    return frame;
}

static bool enter_function(Py *p, const PyFunction *f, const Const *values, Span at, Const *out)
{
    PyFrame *outside = p->frame;
    bool good;

    if (p->calls >= PY_MAX_CALLS)
        return py_fail(p, at, PY_E_CALLS, py_function_name(f), PY_MAX_CALLS);
    p->calls++;
    p->frame = new_frame(p, f, values, at);
    good = f->lambda ? py_eval(p, f->lambda->left, out) : py_run_body(p, f->def, out);
    p->frame = outside;
    p->calls--;
    return good;
}

bool py_run(Py *p, const AstFunc *fn, const Const *args, Span call, Const *out)
{
    PyFunction f = {.def = fn};

    return enter_function(p, &f, args, call, out);
}

static bool call_user(Py *p, const PyFunction *f, const PyArgs *args, Span at, Const *out)
{
    Const *values;
    PyFunction with_body = *f;

    if (f->def && f->def->is_decorated)
        return py_fail(p, at, PY_E_DECORATED, f->def->name);
    if (f->def && p->host->body)
        with_body.def = p->host->body(p, f->def, at);
    if (f->def && !with_body.def)
        return false;
    values = NEW_N(p->arena, Const, param_count(&with_body) + 1);
    return bind_values(p, &with_body, args, at, values) &&
           enter_function(p, &with_body, values, at, out);
}

/* --- calls --- */

static const Const *first_unknown(const PyArgs *args)
{
    for (int i = 0; i < args->len; i++) {
        if (args->at[i].value.kind == CONST_UNKNOWN)
            return &args->at[i].value;
    }
    return NULL;
}

/* Functions of the file hand on what they are given; all others need to know it. */
static bool takes_unknown(const Const *callee)
{
    return callee->kind == CONST_OBJECT ? callee->class->takes_unknown
                                        : callee->kind == CONST_FUNCTION &&
                                              (!callee->function->builtin ||
                                               !strcmp(callee->function->builtin->name, "dict"));
}

bool py_call(Py *p, const Const *callee, const PyArgs *args, Span at, Const *out)
{
    const PyFunction *f = callee->kind == CONST_FUNCTION ? callee->function : NULL;
    PyArgs all = {0};

    if (first_unknown(args) && !takes_unknown(callee))
        return py_fail_unknown(p, first_unknown(args), at);
    if (callee->class && callee->class->call)
        return callee->class->call(p, callee, args, at, out);
    if (callee->kind == CONST_DTYPE)
        return py_scalar(p, callee->dtype, args, at, out);
    if (!f)
        return py_fail(p, at, PY_E_CALLABLE, const_brief(callee, p->arena));
    if (!f->builtin)
        return call_user(p, f, args, at, out);
    if (!f->self)
        return py_call_builtin(p, f->builtin, args, at, out);
    vec_push(p->arena, &all, ((PyArg){.value = *f->self}));
    for (int i = 0; i < args->len; i++)
        vec_push(p->arena, &all, args->at[i]);
    return py_call_builtin(p, f->builtin, &all, at, out);
}

bool py_eval_call(Py *p, const Node *n, Const *out)
{
    PyArgs args = {0};
    Const callee;

    if (!py_eval(p, n->left, &callee))
        return false;
    if (callee.kind == CONST_UNKNOWN)
        return py_fail_unknown(p, &callee, n->left->span);
    return eval_arguments(p, n, &args) && py_call(p, &callee, &args, n->span, out);
}
