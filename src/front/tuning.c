/*
 * tuning.c - what @triton.autotune and @triton.heuristics say (R340-R346)
 *
 * Configurations are read out of literal lists, comprehensions, names for them and functions of one
 * `return` that give them.  What cannot be read is kept as source text, so that a tool can say what
 * it does not know:
 *   - a value: its binding has known = false and the text of the value;
 *   - a whole configuration, or list of them: one configuration whose only binding is called "**".
 */
#include <string.h>

#include "decorators.h"
#include "pyeval.h"

/* Dicts of dicts and lists of lists may name each other in a circle. */
enum { TUNING_MAX_DEPTH = 32, MAX_FUNCTION_BUDGET = 50000 };

typedef VEC(FrontBinding) Bindings;

typedef struct {
    PyEval eval;
    Arena *arena;
    VEC(FrontConfig) configs;
    Bindings heuristics;
    int depth; /* of lists in lists, dicts in dicts */
} Tuning;

static bool too_deep(Tuning *t)
{
    return t->depth >= TUNING_MAX_DEPTH || --t->eval.budget < 0;
}

static const char *source_text(const Tuning *t, const Node *n)
{
    const char *text = source_at(t->eval.file->source, n->span.start);

    return arena_strndup(t->arena, text, n->span.end - n->span.start);
}

static FrontBinding unknown(const Tuning *t, const char *name, const Node *value)
{
    return (FrontBinding){.name = name, .text = source_text(t, value), .node = value};
}

static void push_value(Tuning *t, Bindings *list, const char *name, const Node *value)
{
    FrontBinding b = unknown(t, name, value);

    b.known = pyeval(&t->eval, value, &b.value);
    vec_push(t->arena, list, b);
}

static bool is_call_of(const FrontFile *f, const Node *n, const char *name)
{
    const char *full = n->kind == N_CALL ? file_full_name(f, n->left) : NULL;
    const char *last = full ? strrchr(full, '.') : NULL;

    return full && strcmp(last ? last + 1 : full, name) == 0;
}

typedef void PushValue(Tuning *t, Bindings *list, const char *name, const Node *value);
static void push_dict(Tuning *t, Bindings *list, const Node *n, PushValue *push);

/* `{'NAME': value, **other}` */
static void push_display(Tuning *t, Bindings *list, const Node *dict, PushValue *push)
{
    Const key;

    for (int i = 0; i + 1 < dict->nitems; i += 2) {
        const Node *k = dict->items[i], *value = dict->items[i + 1];

        if (!value)
            push_dict(t, list, k->left, push);
        else if (pyeval(&t->eval, k, &key) && key.kind == CONST_STRING)
            push(t, list, key.text, value);
        else
            vec_push(t->arena, list, unknown(t, "**", k));
    }
}

/* `dict(NAME=value, **other)` */
static void push_keywords(Tuning *t, Bindings *list, const Node *call, PushValue *push)
{
    for (int i = 0; i < call->nitems; i++) {
        const Node *arg = call->items[i];

        if (arg->kind == N_KEYWORD)
            push(t, list, arg->name, arg->left);
        else
            push_dict(t, list, arg->kind == N_DOUBLE_STARRED ? arg->left : arg, push);
    }
}

/* The bindings of a dict, which may be a name for one. */
static void push_dict(Tuning *t, Bindings *list, const Node *n, PushValue *push)
{
    const Node *dict = pyeval_alias(&t->eval, n);
    bool deep = too_deep(t);

    t->depth++;
    if (!deep && dict->kind == N_UNSUPPORTED_EXPR && strcmp(dict->name, "Dict") == 0)
        push_display(t, list, dict, push);
    else if (!deep && is_call_of(t->eval.file, dict, "dict"))
        push_keywords(t, list, dict, push);
    else
        vec_push(t->arena, list, unknown(t, "**", n));
    t->depth--;
}

/* Configurations. */

static void push_config(Tuning *t, const Bindings *b)
{
    FrontConfig c = {.bindings = b->at, .nbindings = b->len};

    vec_push(t->arena, &t->configs, c);
}

static void push_unknown_config(Tuning *t, const Node *n)
{
    Bindings list = {0};

    vec_push(t->arena, &list, unknown(t, "**", n));
    push_config(t, &list);
}

/* Config({...}, num_warps=4, ...) */
static void read_config_call(Tuning *t, const Node *n)
{
    Bindings list = {0};

    for (int i = 0; i < n->nitems; i++) {
        const Node *arg = n->items[i];

        if (i == 0 && arg->kind != N_KEYWORD)
            push_dict(t, &list, arg, push_value);
        else if (arg->kind == N_KEYWORD && strcmp(arg->name, "kwargs") == 0)
            push_dict(t, &list, arg->left, push_value);
        else if (arg->kind == N_KEYWORD)
            push_value(t, &list, arg->name, arg->left);
        else
            vec_push(t->arena, &list, unknown(t, "**", arg));
    }
    push_config(t, &list);
}

/* A configuration, a name for one, or a function of the file that gives one. */
static bool read_config(PyEval *e, const Node *n, void *ctx)
{
    Tuning *t = ctx;
    const Node *config = pyeval_alias(e, n), *result = NULL;
    bool deep = too_deep(t), is_config = is_call_of(e->file, config, "Config");
    PyScope outer;

    t->depth++;
    if (!deep && !is_config)
        result = pyeval_enter(e, config, &outer);
    if (is_config)
        read_config_call(t, config);
    else if (result)
        read_config(e, result, t);
    else
        push_unknown_config(t, config);
    if (result)
        pyeval_leave(e, outer);
    t->depth--;
    return true;
}

static void read_configs(Tuning *t, const Node *n);

static void read_items(Tuning *t, const Node *n)
{
    for (int i = 0; i < n->nitems; i++) {
        const Node *item = n->items[i];

        if (item->kind == N_STARRED)
            read_configs(t, item->left);
        else
            read_config(&t->eval, item, t);
    }
}

static bool any_known(const Tuning *t, int from)
{
    for (int i = from; i < t->configs.len; i++)
        for (int k = 0; k < t->configs.at[i].nbindings; k++)
            if (t->configs.at[i].bindings[k].known)
                return true;
    return false;
}

/* False when nothing is known of what the comprehension gives.  Of lists that cannot be read, such
 * as the numbers of warps that a project's settings name, one unknown element stands for all. */
static bool read_comprehension(Tuning *t, const Node *n)
{
    int before = t->configs.len;
    bool ok = pyeval_some(&t->eval, n, read_config, t) && any_known(t, before);

    if (!ok)
        t->configs.len = before;
    return ok;
}

/* The list that a function of the file gives; false when there is no such function. */
static bool read_returned(Tuning *t, const Node *call)
{
    PyScope outer;
    const Node *result = pyeval_enter(&t->eval, call, &outer);

    if (!result)
        return false;
    read_configs(t, result);
    pyeval_leave(&t->eval, outer);
    return true;
}

/* A list of configurations, the sum of several, a name for one, or a function that gives one. */
static void read_configs(Tuning *t, const Node *n)
{
    const Node *list = pyeval_alias(&t->eval, n);
    bool deep = too_deep(t);

    t->depth++;
    if (!deep && (list->kind == N_LIST || list->kind == N_TUPLE)) {
        read_items(t, list);
    } else if (!deep && list->kind == N_BINARY && list->op == BIN_ADD) {
        read_configs(t, list->left);
        read_configs(t, list->right);
    } else if (!deep && is_call_of(t->eval.file, list, "list") && list->nitems == 1) {
        read_configs(t, list->items[0]);
    } else if (deep || !(read_returned(t, list) || read_comprehension(t, list))) {
        push_unknown_config(t, n);
    }
    t->depth--;
}

static void push_text(Tuning *t, Bindings *list, const char *name, const Node *value)
{
    vec_push(t->arena, list, unknown(t, name, value));
}

/* Decorators. */

/* An argument by its keyword, or else by its position; NULL when absent. */
static const Node *argument(const Node *call, const char *keyword, int position)
{
    for (int i = 0; i < call->nitems; i++)
        if (call->items[i]->kind == N_KEYWORD && strcmp(call->items[i]->name, keyword) == 0)
            return call->items[i]->left;
    return position < call->nitems && call->items[position]->kind != N_KEYWORD
               ? call->items[position]
               : NULL;
}

/* The tuner under any name: wrappers keep its `configs` argument. */
static bool is_autotune(const FrontFile *f, const Node *n)
{
    return is_call_of(f, n, "autotune") || (n->kind == N_CALL && argument(n, "configs", 1 << 30));
}

bool tuning_is_decorator(const FrontFile *f, const Node *n)
{
    return is_autotune(f, n) || is_call_of(f, n, "heuristics");
}

static void read_decorator(Tuning *t, const Node *n)
{
    const FrontFile *f = t->eval.file;

    if (is_autotune(f, n)) {
        const Node *configs = argument(n, "configs", 0);

        if (configs)
            read_configs(t, configs);
    } else if (is_call_of(f, n, "heuristics")) {
        const Node *values = argument(n, "values", 0);

        if (values)
            push_dict(t, &t->heuristics, values, push_text);
    }
}

void tuning_read(FrontFile *f, AstFunc *fn)
{
    for (int i = 0; i < fn->ndecorators; i++)
        if (tuning_is_decorator(f, fn->decorators[i]))
            pyeval_parse_callees(f, fn->decorators[i]);

    int budget = MIN(f->eval_budget, MAX_FUNCTION_BUDGET);
    Tuning t = {.eval = {.file = f, .arena = f->arena, .budget = budget}, .arena = f->arena};

    for (int i = 0; i < fn->ndecorators; i++)
        read_decorator(&t, fn->decorators[i]);
    f->eval_budget -= budget - MAX(t.eval.budget, 0);
    FrontTuning *tuning = NEW(f->arena, FrontTuning);
    *tuning = (FrontTuning){
        .configs = t.configs.at,
        .nconfigs = t.configs.len,
        .heuristics = t.heuristics.at,
        .nheuristics = t.heuristics.len,
    };
    fn->tuning = tuning;
}
