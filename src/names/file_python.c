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
#include "messages.h"

enum { MAX_DEPTH = 64 };

/* --- triton.Config --- */

static bool make_config(Py *p, const Const *self, const PyArgs *args, Span at, Const *out);

static const PyClass config_class = {
    .name = "triton.Config", .call = make_config, .takes_unknown = true};

bool file_is_config(const Const *c)
{
    return c->kind == CONST_DICT && c->class == &config_class;
}

/* Config({...}, num_warps=4, ...) */
static bool make_config(Py *p, const Const *self, const PyArgs *args, Span at, Const *out)
{
    Const config = const_new_dict(p->arena);

    (void)self;
    (void)at;
    for (int i = 0; i < args->len; i++) {
        const PyArg *a = &args->at[i];
        const Const unknown = {.kind = CONST_UNKNOWN, .node = a->node};

        if ((i == 0 && !a->keyword) || (a->keyword && strcmp(a->keyword, "kwargs") == 0))
            py_put_entries(config.list, &a->value);
        else if (a->keyword)
            py_put_keyword(config.list, a);
        else
            const_dict_put(config.list, &unknown, &a->value);
    }
    config.class = &config_class;
    *out = config;
    return true;
}

/* --- names --- */

/* The file whose names the running code sees: that of its function, or of the module. */
static const FrontFile *file_of(const Py *p)
{
    const FilePython *context = p->context;

    for (const PyFrame *f = p->frame; f; f = f->outer) {
        if (f->fn)
            return f->fn->file;
        if (f->host)
            return f->host;
    }
    return context->file;
}

/* May the name hold something else than what is read for it?  Of configurations any one will do,
 * but a heuristic's value is what the kernel computes with. */
static bool is_uncertain(const FrontFile *f, Sym name)
{
    const AstGlobal *last = file_assigned(f, NULL, name, UINT32_MAX);

    return last && (last->is_augmented || (last->choice && last->earlier != NULL) ||
                    map_get(f->changed, MAP_KEY(name)));
}

/* Of what is assigned to a name at module level. */
static bool eval_global(Py *p, const AstGlobal *g, Span at, Const *out)
{
    PyFrame *inside = p->frame, *frame = NEW(p->arena, PyFrame);
    bool good;

    *frame = (PyFrame){.caller = inside, .call = at, .before = UINT32_MAX, .host = (void *)g->file};
    p->frame = frame;
    good = py_eval(p, g->value, out);
    p->frame = inside;
    return good && out->kind != CONST_UNKNOWN;
}

static bool name_in(Py *p, const FrontFile *f, Sym name, Span at, Const *out, bool *found);

/* Names that stand in a file are symbols of it; one that was put together is not found. */
static bool module_attribute(Py *p, const Const *self, const char *name, Span at, Const *out)
{
    const FrontFile *f = self->object;
    bool found = false;

    if (!name_in(p, f, name, at, out, &found))
        return false;
    return found || py_fail(p, at, "%s has no `%s` that is known here", f->source->path, name);
}

static const PyClass module_class = {.name = "a module", .attribute = module_attribute};

/* What an import brings that was followed ahead. */
static bool imported(Py *p, const AstImport *i, Span at, Const *out, bool *found)
{
    if (!i->file)
        return true;
    if (i->target)
        return name_in(p, i->file, i->target, at, out, found);
    *found = true;
    *out = (Const){.kind = CONST_OBJECT, .class = &module_class, .object = i->file};
    return true;
}

static bool name_in(Py *p, const FrontFile *f, Sym name, Span at, Const *out, bool *found)
{
    const FilePython *context = p->context;
    const AstImport *import = import_goes_first(f, name) ? file_import(f, name) : NULL;
    const AstGlobal *g = file_global(f, name);
    const AstFunc *fn = g ? NULL : file_find(f, name);
    PyFunction *function;

    if (import && (import->file || import->full))
        return imported(p, import, at, out, found);
    *found = true;
    if (context->is_strict && is_uncertain(f, name))
        return py_fail(p, at, E_UNCERTAIN, name);
    if (g)
        return eval_global(p, g, at, out);
    *found = fn && !fn->is_jit;
    if (!*found)
        return true;
    function = NEW(p->arena, PyFunction);
    function->def = fn;
    *out = (Const){.kind = CONST_FUNCTION, .function = function};
    return true;
}

static bool find_module_name(Py *p, const Node *n, Const *out, bool *found)
{
    return name_in(p, file_of(p), n->name, n->span, out, found);
}

/* Is a part of the chain of names something by itself: a value of the file, a module that is a
 * file, or what Python has under that name, as in `tl.float32.itemsize`? */
static bool has_known_part(Py *p, const FrontFile *f, const Node *n)
{
    const AstImport *i;
    const char *name;

    for (n = n->left; n && n->kind == N_ATTRIBUTE; n = n->left) {
        name = file_full_name_in(f, n, p->arena);
        if (name && py_has_name(name))
            return true;
    }
    i = n && n->kind == N_NAME ? file_import(f, n->name) : NULL;
    return !i || i->file;
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
    const FrontFile *f = file_of(p);
    const char *name = file_full_name_in(f, n, p->arena);
    size_t root = name ? strcspn(name, ".") : 0;

    *found = name && py_full_name(p, name, out);
    if (*found || !name)
        return true;
    if (strcmp(name, "torch.Tensor") == 0) {
        *out = file_tensor_class();
        *found = true;
        return true;
    }
    if (is_config_path(name)) {
        *out = (Const){.kind = CONST_OBJECT, .class = &config_class};
        *found = true;
        return true;
    }
    return !name[root] || has_known_part(p, f, n) || py_fail(p, n->span, E_NOT_KNOWN, name);
}

/* All that may be called is parsed; see file_parse_callees(). */
static const AstFunc *find_body(Py *p, const AstFunc *fn, Span at)
{
    if (fn->nerrors == 0 && fn->nbody > 0)
        return fn;
    py_report(p, at, E_NOT_READ, fn->name);
    return NULL;
}

Py file_python(FilePython *context, Arena *a, long budget)
{
    static const PyHost host = {find_module_name, find_path, find_body};

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

static void parse_bound(Walk *w, FrontFile *f, Sym name, int depth)
{
    FrontFile *outer = w->file;
    AstFunc *fn = map_get(f->func_of, MAP_KEY(name));
    const AstGlobal *g = file_global(f, name);
    const AstImport *import = import_follow(f, name);

    if (import && import->file && import->target && is_new(w, import))
        parse_bound(w, import->file, import->target, depth + 1);
    w->file = f;
    if (is_new(w, g))
        parse_callees(w, g->value, depth);
    if (fn && !fn->is_jit && is_new(w, fn)) {
        if (fn->nbody == 0 && fn->nerrors == 0)
            parse_function(f->arena, f->interner, f->source, fn);
        for (int i = 0; i < fn->nparams; i++)
            parse_callees(w, fn->params[i].default_value, depth);
        parse_list(w, fn->body, fn->nbody, depth);
    }
    w->file = outer;
}

/* NAME of a module that is a file. */
static void parse_member(Walk *w, const Node *n, int depth)
{
    const AstImport *import = n->left->kind == N_NAME ? file_import(w->file, n->left->name) : NULL;

    if (import && import->file && !import->target)
        parse_bound(w, import->file, n->name, depth);
}

static void parse_callees(Walk *w, const Node *n, int depth)
{
    if (!n || depth > MAX_DEPTH || --w->file->eval_budget < 0)
        return;
    if (n->kind == N_NAME)
        parse_bound(w, w->file, n->name, depth + 1);
    parse_callees(w, n->left, depth + 1);
    if (n->kind == N_ATTRIBUTE)
        parse_member(w, n, depth + 1);
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
