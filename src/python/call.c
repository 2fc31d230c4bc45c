/*
 * call.c - calls: arguments, their binding to parameters, functions of the file
 *
 * A `def` runs in a frame of its own and sees its parameters, what it assigns, and what the host
 * says of its scope; a lambda also sees the names around it.
 */
#include <string.h>

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
        return py_fail(p, n->span, PY_E_EXPRESSION);
    if (!py_iterate(p, &c, n->span, &items, &count) || !py_spend(p, count, n->span))
        return false;
    for (int i = 0; i < count; i++)
        vec_push(p->arena, args, ((PyArg){items[i], NULL, n->left}));
    return true;
}

/* `**dict`; in a tolerant evaluation one that is unknown is one argument without a name. */
static bool push_dict(Py *p, PyArgs *args, const Node *n)
{
    Const c;

    if (!py_eval(p, n->left, &c))
        return false;
    if (c.kind == CONST_UNKNOWN)
        vec_push(p->arena, args, ((PyArg){c, "**", n->left}));
    else if (c.kind != CONST_DICT)
        return py_fail(p, n->span, PY_E_ITERABLE, const_brief(&c, p->arena));
    for (int i = 0; c.kind == CONST_DICT && i < c.list->len; i += 2) {
        const Const *key = &c.list->at[i];

        if (key->kind != CONST_STRING && key->kind != CONST_UNKNOWN)
            return py_fail(p, n->span, PY_E_KEY, const_brief(key, p->arena));
        vec_push(
            p->arena, args,
            ((PyArg){c.list->at[i + 1], key->kind == CONST_STRING ? key->text : "**", n->left}));
    }
    return true;
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

static int count_positional(const PyArgs *args)
{
    int n = 0;

    for (int i = 0; i < args->len; i++)
        n += args->at[i].keyword == NULL;
    return n;
}

/* --- binding --- */

/* One parameter of a `def` or a lambda. */
typedef struct {
    const char *name;
    const Node *default_value;
    bool is_star, is_dict;
} PyParam;

static int param_count(const PyFunction *f)
{
    return f->def ? f->def->nparams : f->lambda->nitems;
}

static PyParam param_at(const PyFunction *f, int i)
{
    const Node *n;

    if (f->def) {
        const AstParam *a = &f->def->params[i];
        return (PyParam){a->name, a->default_value, a->is_star, false};
    }
    n = f->lambda->items[i];
    return (PyParam){n->name, n->kind == N_KEYWORD ? n->left : NULL, n->kind == N_STARRED,
                     n->kind == N_DOUBLE_STARRED};
}

/* The argument that a parameter gets: by its keyword, or the next one by position. */
static const PyArg *find_argument(const PyArgs *args, const PyParam *param, int position)
{
    for (int i = 0; i < args->len; i++) {
        if (args->at[i].keyword ? strcmp(args->at[i].keyword, param->name) == 0 : position-- == 0)
            return &args->at[i];
    }
    return NULL;
}

/* Is a parameter called `keyword`, and not `*keyword` or `**keyword`? */
static bool has_param(const PyFunction *f, const char *keyword)
{
    for (int i = 0; i < param_count(f); i++) {
        PyParam param = param_at(f, i);

        if (!param.is_dict && !param.is_star && strcmp(param.name, keyword) == 0)
            return true;
    }
    return false;
}

static bool takes_keyword(const PyFunction *f, const char *keyword)
{
    int last = param_count(f) - 1;

    return has_param(f, keyword) || (last >= 0 && param_at(f, last).is_dict);
}

/* Is every argument taken by a parameter, and by one only? */
static bool check_arguments(Py *p, const PyFunction *f, const PyArgs *args, Span at)
{
    int given = count_positional(args), most = 0;

    for (int i = 0; i < param_count(f); i++) {
        PyParam param = param_at(f, i);

        if (param.is_star) {
            most = *param.name ? args->len : most; /* `*` alone takes nothing */
            break;
        }
        most += !param.is_dict;
    }
    if (given > most)
        return py_fail(p, at, PY_E_TOO_MANY, py_function_name(f), most, given);
    for (int i = 0; i < args->len; i++) {
        const char *word = args->at[i].keyword;

        if (word && !takes_keyword(f, word))
            return py_fail(p, at, PY_E_KEYWORD, py_function_name(f), word);
        for (int k = 0; word && k < MIN(given, param_count(f)) && !param_at(f, k).is_star; k++) {
            if (!param_at(f, k).is_dict && strcmp(param_at(f, k).name, word) == 0)
                return py_fail(p, at, PY_E_TWICE, py_function_name(f), word);
        }
    }
    return true;
}

/* What `*rest` holds from position `first` on. */
static Const rest_of(Py *p, const PyArgs *args, int first)
{
    ConstList rest = {0};

    for (int i = 0; i < args->len; i++) {
        if (!args->at[i].keyword && first-- <= 0)
            vec_push(p->arena, &rest, args->at[i].value);
    }
    return const_tuple(rest.at, rest.len);
}

/* What `**rest` holds: the keywords that no parameter is called. */
static Const keywords_of(Py *p, const PyFunction *f, const PyArgs *args)
{
    Const rest = const_new_dict(p->arena);

    for (int i = 0; i < args->len; i++) {
        const char *word = args->at[i].keyword;

        if (word && !has_param(f, word)) {
            bool known = strcmp(word, "**") != 0; /* push_dict()'s name for what is not known */
            Const key = known ? const_string(word, strlen(word)) : (Const){.kind = CONST_UNKNOWN};

            const_dict_put(rest.list, &key, &args->at[i].value);
        }
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

static bool bind(Py *p, const PyFunction *f, const PyArgs *args, Span at, Const *values)
{
    int position = 0;

    if (!check_arguments(p, f, args, at))
        return false;
    for (int i = 0; i < param_count(f); i++) {
        PyParam param = param_at(f, i);
        const PyArg *given = find_argument(args, &param, position);

        if (param.is_star)
            values[i] = rest_of(p, args, position);
        else if (param.is_dict)
            values[i] = keywords_of(p, f, args);
        else if (given)
            values[i] = given->value;
        else if (!param.default_value)
            return py_fail(p, at, PY_E_MISSING, py_function_name(f), param.name);
        else if (!eval_default(p, f, param.default_value, at, &values[i]))
            return false;
        position = param.is_star ? args->len : position + 1; /* behind *rest only by keyword */
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

static bool enter(Py *p, const PyFunction *f, const Const *values, Span at, Const *out)
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

    return enter(p, &f, args, call, out);
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
    return bind(p, &with_body, args, at, values) && enter(p, &with_body, values, at, out);
}

/* --- calls --- */

static bool any_unknown(const PyArgs *args)
{
    for (int i = 0; i < args->len; i++) {
        if (args->at[i].value.kind == CONST_UNKNOWN)
            return true;
    }
    return false;
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

    if (any_unknown(args) && !takes_unknown(callee))
        return py_fail(p, at, PY_E_EXPRESSION);
    if (callee->class && callee->class->call)
        return callee->class->call(p, callee, args, at, out);
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
        return py_fail(p, n->left->span, PY_E_EXPRESSION);
    return eval_arguments(p, n, &args) && py_call(p, &callee, &args, n->span, out);
}
