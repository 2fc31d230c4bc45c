/*
 * tuning.c - what @triton.autotune and @triton.heuristics say (R340-R346)
 *
 * Their arguments are evaluated as Python would do it, as far as the file tells: lists of
 * triton.Config, dicts of functions.  What cannot be read is kept as source text, so that a tool
 * can say what it does not know:
 *   - a value: its binding has known = false and the text of the value;
 *   - a whole configuration, or list of them: one configuration whose only binding is called "**".
 */
#include <string.h>

#include "decorators.h"
#include "file_python.h"

enum { MAX_FUNCTION_BUDGET = 50000 };

typedef VEC(FrontBinding) Bindings;

typedef struct {
    const FrontFile *file;
    Arena *arena;
    Py python;
    FilePython context;
    VEC(FrontConfig) configs;
    Bindings heuristics;
    VEC(const char *) keys;
} Tuning;

static const char *source_text(const Tuning *t, Span span)
{
    return arena_strndup(t->arena, source_at(t->file->source, span.start), span.end - span.start);
}

static FrontBinding unknown(const Tuning *t, const char *name, const Node *value)
{
    return (FrontBinding){.name = name, .text = source_text(t, value->span), .node = value};
}

/* One entry of a dict: `value` may have no value, and then `at` is its place if it has none. */
static FrontBinding binding_of(const Tuning *t, const Const *key, const Const *value,
                               const Node *at)
{
    FrontBinding b = {.name = key->text, .known = true};

    if (key->kind != CONST_STRING)
        return unknown(t, "**", key->kind == CONST_UNKNOWN ? key->node : at);
    if (value->kind == CONST_UNKNOWN)
        return unknown(t, key->text, value->node);
    if (!const_freeze(t->arena, value, &b.value))
        return unknown(t, key->text, at);
    return b;
}

static void push_unknown_config(Tuning *t, const Node *n)
{
    FrontConfig c = {.bindings = NEW(t->arena, FrontBinding), .nbindings = 1};

    *c.bindings = unknown(t, "**", n);
    vec_push(t->arena, &t->configs, c);
}

static void push_config(Tuning *t, const Const *config, const Node *at)
{
    Bindings list = {0};

    if (!file_is_config(config)) {
        push_unknown_config(t, config->kind == CONST_UNKNOWN ? config->node : at);
        return;
    }
    for (int i = 0; i < config->list->len; i += 2) {
        FrontBinding b = binding_of(t, &config->list->at[i], &config->list->at[i + 1], at);

        vec_push(t->arena, &list, b);
    }
    vec_push(t->arena, &t->configs, ((FrontConfig){list.at, list.len}));
}

static void read_configs(Tuning *t, const Node *n)
{
    const Const *items;
    Const configs;
    int count;

    if (!py_eval(&t->python, n, &configs) || !const_items(&configs, &items, &count)) {
        push_unknown_config(t, n);
        return;
    }
    for (int i = 0; i < count; i++)
        push_config(t, &items[i], n);
}

/* A list of names; what is none tells nothing. */
static void read_keys(Tuning *t, const Node *n)
{
    const Const *items;
    Const keys;
    int count;

    if (!py_eval(&t->python, n, &keys) || !const_items(&keys, &items, &count))
        return;
    for (int i = 0; i < count; i++) {
        if (items[i].kind != CONST_STRING)
            continue;
        const char *name = arena_strndup(t->arena, items[i].text, items[i].ntext);
        vec_push(t->arena, &t->keys, name);
    }
}

/* --- heuristics --- */

/* A function that a name stands for is told by that name. */
static FrontBinding heuristic_of(const Tuning *t, const Const *key, const Const *value,
                                 const Node *at)
{
    const PyFunction *f = value->kind == CONST_FUNCTION ? value->function : NULL;
    FrontBinding b;

    if (key->kind != CONST_STRING || !f)
        return binding_of(t, key, value, at);
    b = unknown(t, key->text, f->lambda ? f->lambda : at);
    b.value = *value;
    if (!f->lambda)
        b.text = py_function_name(f);
    return b;
}

static void read_heuristics(Tuning *t, const Node *n)
{
    Const dict;

    if (!py_eval(&t->python, n, &dict) || dict.kind != CONST_DICT) {
        vec_push(t->arena, &t->heuristics, unknown(t, "**", n));
        return;
    }
    for (int i = 0; i < dict.list->len; i += 2) {
        FrontBinding b = heuristic_of(t, &dict.list->at[i], &dict.list->at[i + 1], n);

        vec_push(t->arena, &t->heuristics, b);
    }
}

/* --- decorators --- */

static bool is_call_of(const FrontFile *f, const Node *n, const char *name)
{
    const char *full = n->kind == N_CALL ? file_full_name(f, n->left) : NULL;
    const char *last = full ? strrchr(full, '.') : NULL;

    return full && strcmp(last ? last + 1 : full, name) == 0;
}

/* An argument by its keyword, or else by its position; NULL when absent. */
static const Node *decorator_argument(const Node *call, const char *keyword, int position)
{
    for (int i = 0; i < call->nitems; i++) {
        if (call->items[i]->kind == N_KEYWORD && strcmp(call->items[i]->name, keyword) == 0)
            return call->items[i]->left;
    }
    return position < call->nitems && call->items[position]->kind != N_KEYWORD
               ? call->items[position]
               : NULL;
}

/* The tuner under any name: wrappers keep its `configs` argument. */
bool tuning_is_autotune(const FrontFile *f, const Node *n)
{
    return is_call_of(f, n, "autotune") ||
           (n->kind == N_CALL && decorator_argument(n, "configs", 1 << 30));
}

bool tuning_is_decorator(const FrontFile *f, const Node *n)
{
    return tuning_is_autotune(f, n) || is_call_of(f, n, "heuristics");
}

static void read_decorator(Tuning *t, const Node *n)
{
    if (tuning_is_autotune(t->file, n)) {
        const Node *configs = decorator_argument(n, "configs", 0);

        const Node *key = decorator_argument(n, "key", 1);

        if (configs)
            read_configs(t, configs);
        if (key)
            read_keys(t, key);
    } else if (is_call_of(t->file, n, "heuristics")) {
        const Node *values = decorator_argument(n, "values", 0);

        if (values)
            read_heuristics(t, values);
    }
}

void tuning_read(FrontFile *f, AstFunc *fn)
{
    int budget = MIN(f->eval_budget, MAX_FUNCTION_BUDGET);
    Tuning t = {.file = f, .arena = f->arena, .context = {.file = f}};
    FrontTuning *tuning = NEW(f->arena, FrontTuning);

    for (int i = 0; i < fn->ndecorators; i++) {
        if (tuning_is_decorator(f, fn->decorators[i]))
            file_parse_callees(f, fn->decorators[i]);
    }
    t.python = file_python(&t.context, f->arena, budget);
    t.python.tolerant = true;
    for (int i = 0; i < fn->ndecorators; i++)
        read_decorator(&t, fn->decorators[i]);
    f->eval_budget -= budget - (int)MAX(t.python.budget, 0);
    *tuning = (FrontTuning){
        .configs = t.configs.at,
        .nconfigs = t.configs.len,
        .heuristics = t.heuristics.at,
        .nheuristics = t.heuristics.len,
        .keys = t.keys.at,
        .nkeys = t.keys.len,
    };
    tuning_check(f, fn, tuning);
    fn->tuning = tuning;
}
