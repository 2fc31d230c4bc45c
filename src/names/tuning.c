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
#include "messages.h"

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

/* The same with the reason that an evaluation gave for it. */
static FrontBinding unknown_for(const Tuning *t, const char *name, const Node *value,
                                const PyTrouble *trouble)
{
    FrontBinding b = unknown(t, name, value);

    if (trouble) {
        b.where = trouble->where;
        b.why = trouble->why;
    }
    return b;
}

/* One entry of a dict: `value` may have no value, and then `at` is its place if it has none. */
static FrontBinding binding_of(const Tuning *t, const Const *key, const Const *value,
                               const Node *at)
{
    const PyTrouble *trouble = value->kind == CONST_UNKNOWN ? value->trouble : NULL;
    FrontBinding b = {.name = key->text, .known = true};

    if (key->kind != CONST_STRING)
        return unknown_for(t, "**", key->kind == CONST_UNKNOWN ? key->node : at, trouble);
    if (value->kind == CONST_UNKNOWN)
        return unknown_for(t, key->text, value->node, trouble);
    if (!const_freeze(t->arena, value, &b.value))
        return unknown(t, key->text, at);
    return b;
}

static void push_unknown_config(Tuning *t, const Node *n, const PyTrouble *trouble)
{
    FrontConfig c = {.bindings = NEW(t->arena, FrontBinding), .nbindings = 1};

    *c.bindings = unknown_for(t, "**", n, trouble);
    vec_push(t->arena, &t->configs, c);
}

/* Something else stands where a list of configurations, or one of them, belongs. */
static void push_no_config(Tuning *t, const Const *c, const Node *n, bool is_list)
{
    PyTrouble trouble = {.where = n->span};

    if (c->kind == CONST_UNKNOWN) {
        push_unknown_config(t, c->node, c->trouble);
        return;
    }
    const char *kind = file_is_config(c) ? "one triton.Config" : const_kind_name(c);

    trouble.why = is_list ? arena_printf(t->arena, E_CONFIG_LIST, kind)
                          : arena_printf(t->arena, E_CONFIG_ITEM, kind);
    push_unknown_config(t, n, &trouble);
}

/* What a hook is called, or else its text. */
static const char *hook_text(const Tuning *t, const Const *hook, const Node *at)
{
    const PyFunction *f = hook->kind == CONST_FUNCTION ? hook->function : NULL;
    const Node *n = hook->kind == CONST_UNKNOWN ? hook->node : f && f->lambda ? f->lambda : at;

    if (hook->kind == CONST_NONE)
        return NULL;
    return f && !f->lambda ? py_function_name(f) : source_text(t, n->span);
}

static void push_bindings(Tuning *t, FrontConfig *config, Bindings *out, const ConstList *dict,
                          const Node *at)
{
    for (int i = 0; i < dict->len; i += 2) {
        FrontBinding b = binding_of(t, &dict->at[i], &dict->at[i + 1], at);

        if (strcmp(b.name, "pre_hook") == 0)
            config->hook = hook_text(t, &dict->at[i + 1], at);
        else
            vec_push(t->arena, out, b);
    }
}

static void push_config(Tuning *t, const Const *config, const Node *at)
{
    FrontConfig c = {0};
    Bindings list = {0};

    if (!file_is_config(config)) {
        push_no_config(t, config, at, false);
        return;
    }
    push_bindings(t, &c, &list, config->items[0].list, at);
    push_bindings(t, &c, &list, config->items[1].list, at);
    c.bindings = list.at;
    c.nbindings = list.len;
    vec_push(t->arena, &t->configs, c);
}

/* What an `if` that cannot be decided may change: said behind what is known. */
static void push_open(Tuning *t, const Node *n)
{
    const AstGlobal *open = t->context.open;
    const char *why = arena_printf(t->arena, E_CONFIG_OPEN, open->name);

    push_unknown_config(t, n, &(PyTrouble){.where = open->span, .why = why});
}

static void read_configs(Tuning *t, const Node *n)
{
    const Const *items;
    Const configs;
    int count;

    if (!py_eval(&t->python, n, &configs)) {
        push_unknown_config(t, n, &t->python.trouble);
        return;
    }
    if (file_is_config(&configs) || !const_items(&configs, &items, &count)) {
        push_no_config(t, &configs, n, true);
        return;
    }
    if (count == 0)
        push_unknown_config(t, n, &(PyTrouble){.where = n->span, .why = E_CONFIG_NONE});
    for (int i = 0; i < count; i++)
        push_config(t, &items[i], n);
    if (t->context.open)
        push_open(t, n);
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
