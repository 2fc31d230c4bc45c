/*
 * file_python.c - Python that stands in a file outside of kernels: what its names mean
 *
 * Names are those of the module: assignments, functions, imports.  Evaluating changes nothing in
 * the file, so launches on several threads may evaluate at once; what they may call is parsed
 * ahead.
 */
#include <string.h>

#include "../syntax/parse.h"
#include "file_python.h"

enum { MAX_DEPTH = 64 };

/* --- triton.Config --- */

static bool make_config(Py *p, const Const *self, const PyArgs *args, Span at, Const *out);

static const PyClass config_class = {
    .name = "triton.Config", .call = make_config, .takes_unknown = true};

bool file_is_config(const Const *c)
{
    return c->kind == CONST_DICT && c->class == &config_class;
}

static void put_all(Const *config, const Const *dict)
{
    for (int i = 0; dict->kind == CONST_DICT && i < dict->list->len; i += 2)
        const_dict_put(config->list, &dict->list->at[i], &dict->list->at[i + 1]);
    if (dict->kind != CONST_DICT)
        const_dict_put(config->list, dict, dict);
}

/* Config({...}, num_warps=4, ...) */
static bool make_config(Py *p, const Const *self, const PyArgs *args, Span at, Const *out)
{
    Const config = const_new_dict(p->arena);

    (void)self;
    (void)at;
    for (int i = 0; i < args->len; i++) {
        const PyArg *a = &args->at[i];
        Const key = {.kind = CONST_UNKNOWN, .node = a->node};

        if ((i == 0 && !a->keyword) || (a->keyword && strcmp(a->keyword, "kwargs") == 0)) {
            put_all(&config, &a->value);
            continue;
        }
        if (a->keyword && strcmp(a->keyword, "**") != 0)
            key = const_string(a->keyword, strlen(a->keyword));
        const_dict_put(config.list, &key, &a->value);
    }
    config.class = &config_class;
    *out = config;
    return true;
}

/* --- names --- */

/* May the name hold something else than what is read for it?  Of configurations any one will do,
 * but a heuristic's value is what the kernel computes with. */
static bool is_uncertain(const FrontFile *f, Sym name)
{
    const AstGlobal *last = file_assigned(f, NULL, name, UINT32_MAX);

    return last && (last->is_augmented || (last->is_choice && last->earlier != NULL));
}

/* Of what is assigned to a name at module level. */
static bool eval_global(Py *p, const AstGlobal *g, Span at, Const *out)
{
    PyFrame *inside = p->frame, *frame = NEW(p->arena, PyFrame);
    bool good;

    *frame = (PyFrame){.caller = inside, .call = at, .before = UINT32_MAX};
    p->frame = frame;
    good = py_eval(p, g->value, out);
    p->frame = inside;
    return good && out->kind != CONST_UNKNOWN;
}

static bool find_name(Py *p, const Node *n, Const *out, bool *found)
{
    const FilePython *context = p->context;
    const FrontFile *f = context->file;
    const AstGlobal *g = file_global(f, n->name);
    const AstFunc *fn = g ? NULL : file_find(f, n->name);
    PyFunction *function;

    *found = true;
    if (context->is_strict && is_uncertain(f, n->name))
        return py_fail(p, n->span, "what `%s` holds depends on more than its assignment", n->name);
    if (g)
        return eval_global(p, g, n->span, out);
    *found = fn && !fn->is_jit;
    if (!*found)
        return true;
    function = NEW(p->arena, PyFunction);
    function->def = fn;
    *out = (Const){.kind = CONST_FUNCTION, .function = function};
    return true;
}

static bool is_config_path(const char *name)
{
    const char *last = strrchr(name, '.');

    return strcmp(last ? last + 1 : name, "Config") == 0;
}

/* A dotted name through imports.  What other modules have is not known, and that is worth saying
 * of the whole name: `os.cpu_count`, not `os`. */
static bool find_path(Py *p, const Node *n, Const *out, bool *found)
{
    const FilePython *context = p->context;
    const char *name = file_full_name_in(context->file, n, p->arena);
    size_t root = name ? strcspn(name, ".") : 0;

    *found = name && py_full_name(p, name, out);
    if (*found || !name)
        return true;
    if (is_config_path(name)) {
        *out = (Const){.kind = CONST_OBJECT, .class = &config_class};
        *found = true;
        return true;
    }
    return !name[root] || py_fail(p, n->span, "what `%s` is cannot be known here", name);
}

/* All that may be called is parsed; see file_parse_callees(). */
static const AstFunc *find_body(Py *p, const AstFunc *fn, Span at)
{
    if (fn->nerrors == 0 && fn->nbody > 0)
        return fn;
    py_fail(p, at, "`%s` cannot be read", fn->name);
    return NULL;
}

Py file_python(FilePython *context, Arena *a, long budget)
{
    static const PyHost host = {find_name, find_path, find_body};

    return py_new(a, &host, context, budget, MAX_DEPTH);
}

/* --- parsing ahead: a launch must not --- */

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
    if (!n || depth > MAX_DEPTH || --w->file->eval_budget < 0)
        return;
    if (n->kind == N_NAME)
        parse_function_named(w, n->name, depth + 1);
    parse_callees(w, n->left, depth + 1);
    parse_callees(w, n->right, depth + 1);
    parse_callees(w, n->extra, depth + 1);
    parse_list(w, n->items, n->nitems, depth + 1);
    parse_list(w, n->body, n->nbody, depth + 1);
    parse_list(w, n->orelse, n->norelse, depth + 1);
}

void file_parse_callees(FrontFile *f, const Node *n)
{
    Walk w = {f, map_new(f->arena)};

    parse_callees(&w, n, 0);
}
