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
static bool config_attribute(Py *p, const Const *self, const char *name, Span at, Const *out);
static bool is_config(Py *p, const Const *value, const Const *self, Span at, bool *out);

/* That of triton.Config itself, and the mark of what it makes. */
static const PyClass config_class = {.name = "triton.Config",
                                     .attribute = config_attribute,
                                     .call = make_config,
                                     .is_instance = is_config,
                                     .takes_unknown = true};

bool file_is_config(const Const *c)
{
    return c->kind == CONST_TUPLE && c->class == &config_class;
}

static bool is_config(Py *p, const Const *value, const Const *self, Span at, bool *out)
{
    (void)p;
    (void)self;
    (void)at;
    *out = file_is_config(value);
    return true;
}

static Const config_new(Py *p)
{
    Const *parts = NEW_N(p->arena, Const, 2), config;

    parts[0] = const_new_dict(p->arena);
    parts[1] = const_new_dict(p->arena);
    config = const_tuple(parts, 2);
    config.class = &config_class;
    return config;
}

/* Config(kwargs, num_warps=4, ...): the first is a dict of parameters, all others are options. */
static bool make_config(Py *p, const Const *self, const PyArgs *args, Span at, Const *out)
{
    static const char *const places[] = {"kwargs", "num_warps", "num_stages", "num_ctas"};

    (void)self;
    (void)at;
    *out = config_new(p);
    for (int i = 0; i < args->len; i++) {
        PyArg a = args->at[i];
        const Const unknown = {.kind = CONST_UNKNOWN, .node = a.node};

        if (!a.keyword && i < COUNT(places))
            a.keyword = places[i];
        if (a.keyword && strcmp(a.keyword, "kwargs") == 0)
            py_put_entries(out->items[0].list, &a.value);
        else if (a.keyword)
            py_put_keyword(out->items[1].list, &a);
        else
            const_dict_put(out->items[1].list, &unknown, &a.value);
    }
    return true;
}

/* What an option is that a configuration does not give. */
static bool option_default(const char *name, Const *out)
{
    static const struct {
        const char *name;
        int value; /* 0: None */
    } options[] = {
        {"num_warps", 4}, {"num_stages", 3}, {"num_ctas", 1},
        {"maxnreg", 0},   {"pre_hook", 0},   {"ir_override", 0},
    };

    for (int i = 0; i < COUNT(options); i++) {
        *out = options[i].value ? const_int(options[i].value) : const_none();
        if (strcmp(options[i].name, name) == 0)
            return true;
    }
    return false;
}

static bool config_attribute(Py *p, const Const *self, const char *name, Span at, Const *out)
{
    const Const key = const_string(name, strlen(name));
    const Const *given = file_is_config(self) ? const_lookup(self->items[1].list, &key) : NULL;

    if (file_is_config(self) && strcmp(name, "kwargs") == 0)
        *out = self->items[0];
    else if (given && given->kind == CONST_UNKNOWN)
        return py_fail_unknown(p, given, at);
    else if (given)
        *out = *given;
    else if (!file_is_config(self) || !option_default(name, out))
        return py_fail(p, at, E_CONFIG_ATTRIBUTE, name);
    return true;
}

/* --- the device --- */

/* Before a launch there is no device to ask, but the only GPUs here are NVIDIA's. */
static bool target_attribute(Py *p, const Const *self, const char *name, Span at, Const *out)
{
    (void)self;
    *out = const_string("cuda", strlen("cuda"));
    if (strcmp(name, "warp_size") == 0)
        *out = const_int(32);
    else if (strcmp(name, "backend") != 0)
        return py_fail(p, at, E_DEVICE, name);
    return true;
}

static const PyClass target_class = {.name = "the target", .attribute = target_attribute};

static bool current_target(Py *p, const Const *self, const PyArgs *args, Span at, Const *out)
{
    (void)p;
    (void)self;
    (void)args;
    (void)at;
    *out = (Const){.kind = CONST_OBJECT, .class = &target_class};
    return true;
}

static const PyClass current_target_class = {.name = "a method of the driver",
                                             .call = current_target};

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

/* A test that is being evaluated: it does not depend on itself. */
typedef struct Deciding {
    const AstChoice *choice;
    const struct Deciding *outer;
} Deciding;

static bool is_being_decided(const FilePython *context, const AstChoice *c)
{
    const Deciding *d = context->deciding;

    while (d && d->choice != c)
        d = d->outer;
    return d != NULL;
}

static ChoiceState decide(void *python, const FrontFile *f, const AstChoice *c)
{
    Py *p = python;
    FilePython *context = p->context;
    const Deciding this = {c, context->deciding};
    const Node *test;
    bool truth, known;
    Const value;

    if (is_being_decided(context, c) || !py_spend(p, c->header.end - c->header.start, c->header))
        return CHOICE_OPEN;
    test = choice_parse_test(p->arena, f, c);
    context->deciding = &this;
    known = test && py_eval(p, test, &value) && py_truth(p, &value, test->span, &truth);
    context->deciding = this.outer;
    p->failed = p->failed && p->budget <= 0;
    return !known ? CHOICE_OPEN : truth ? CHOICE_RUN : CHOICE_LEFT_OUT;
}

/* Does a loop change what the name holds, as often as it is run? */
static bool grows_in_loop(Py *p, const AstGlobal *g)
{
    const AstChoice *c = g->is_augmented ? g->choice : NULL;

    while (c && (c->has_test || c->before))
        c = c->outer;
    return c && choice_of(g->file, g->choice, decide, p) == CHOICE_OPEN;
}

/* The assignment that counts, of those in host `if`s and in front of them.  Where a test has no
 * value, what holds without it goes before what an `if` would change, and else the last one. */
static const AstGlobal *chosen_global(Py *p, const AstGlobal *g)
{
    FilePython *context = p->context;
    const AstGlobal *open = NULL;

    for (const AstGlobal *at = g; at; at = at->earlier) {
        ChoiceState state = choice_of(at->file, at->choice, decide, p);

        if (state == CHOICE_RUN || grows_in_loop(p, at))
            return open && !open->choice->has_test ? open : at;
        if (state == CHOICE_OPEN && !open)
            open = at;
        bool in_if = at->choice && (at->choice->has_test || at->choice->before);
        if (state == CHOICE_OPEN && in_if && !context->open)
            context->open = at;
    }
    return open ? open : g;
}

/* An assignment whose value is being evaluated: the same name means there what it held before. */
typedef struct Assigning {
    const AstGlobal *global;
    const struct Assigning *outer;
} Assigning;

/* The last assignment that has happened where the running code asks for the name. */
static const AstGlobal *last_global(const Py *p, const FrontFile *f, Sym name)
{
    const FilePython *context = p->context;

    for (const Assigning *a = context->assigning; a; a = a->outer) {
        if (a->global->file == f && strcmp(a->global->name, name) == 0)
            return a->global->earlier;
    }
    return p->tolerant ? file_assigned(f, NULL, name, UINT32_MAX) : file_global(f, name);
}

/* One assignment; of `NAME op= value` what that makes of *out. */
static bool eval_step(Py *p, const AstGlobal *g, Const *out)
{
    FilePython *context = p->context;
    const Assigning this = {g, context->assigning};
    const Const before = *out;
    Const value;
    bool good;

    context->assigning = &this;
    if (grows_in_loop(p, g))
        good = py_fail(p, g->span, E_IN_LOOP, g->name);
    else if (g->is_augmented)
        good = py_eval(p, g->value->right, &value) &&
               py_binary(p, g->value->op, &before, &value, g->value->span, out);
    else
        good = py_eval(p, g->value, out);
    context->assigning = this.outer;
    return good;
}

/* What stands in front of an assignment that adds to its name: another one, or an import. */
static bool eval_beginning(Py *p, const AstGlobal *g, Const *out)
{
    FilePython *context = p->context;
    const Assigning this = {g, context->assigning};
    bool good;

    context->assigning = &this;
    good = py_eval(p, g->value->left, out);
    context->assigning = this.outer;
    return good;
}

/* From the first assignment on, since a list may grow by many. */
static bool eval_assigned(Py *p, const AstGlobal *g, Const *out)
{
    VEC(const AstGlobal *) steps = {0};
    bool good = true;

    vec_push(p->arena, &steps, g);
    while (g->is_augmented && !grows_in_loop(p, g) && g->earlier) {
        g = p->tolerant ? chosen_global(p, g->earlier) : g->earlier;
        if (grows_in_loop(p, g))
            break;
        vec_push(p->arena, &steps, g);
    }
    g = steps.at[steps.len - 1];
    if (g->is_augmented && !grows_in_loop(p, g))
        good = eval_beginning(p, g, out);
    for (int i = steps.len - 1; i >= 0 && good; i--)
        good = eval_step(p, steps.at[i], out);
    return good;
}

/* Of what is assigned to a name at module level. */
static bool eval_global(Py *p, const AstGlobal *g, Span at, Const *out)
{
    PyFrame *inside = p->frame, *frame = NEW(p->arena, PyFrame);
    bool good;

    *frame = (PyFrame){.caller = inside, .call = at, .before = UINT32_MAX, .host = (void *)g->file};
    p->frame = frame;
    if (p->tolerant) /* a launch interns no names, so it cannot read tests: is_uncertain() */
        g = chosen_global(p, g);
    good = eval_assigned(p, g, out);
    p->frame = inside;
    return good && (out->kind != CONST_UNKNOWN || py_fail_unknown(p, out, at));
}

static bool name_in(Py *p, const FrontFile *f, Sym name, Span at, Const *out, bool *found);

/* Names that stand in a file are symbols of it; one that was put together is not found. */
static bool module_attribute(Py *p, const Const *self, const char *name, Span at, Const *out)
{
    const FrontFile *f = self->object;
    bool found = false;

    if (!name_in(p, f, name, at, out, &found))
        return false;
    return found || py_fail(p, at, "%s has no `%s` that is known here", f->source->shown, name);
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
    const AstGlobal *g = last_global(p, f, name);
    bool is_behind = !g && file_assigned(f, NULL, name, UINT32_MAX); /* it is added to */
    const AstImport *import = is_behind || import_goes_first(f, name) ? file_import(f, name) : NULL;
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

/* A value of a heuristic must not depend on a device that nobody has asked for yet. */
static bool object_named(Py *p, const char *name, Const *out)
{
    const FilePython *context = p->context;

    *out = (Const){.kind = CONST_OBJECT};
    if (strcmp(name, "torch.Tensor") == 0)
        *out = file_tensor_class();
    else if (is_config_path(name))
        out->class = &config_class;
    else if (!context->is_strict &&
             strcmp(name, "triton.runtime.driver.active.get_current_target") == 0)
        out->class = &current_target_class;
    return out->class != NULL;
}

/* A dotted name through imports.  What other modules have is not known, and that is worth saying
 * of the whole name: `os.cpu_count`, not `os`. */
static bool find_path(Py *p, const Node *n, Const *out, bool *found)
{
    const FrontFile *f = file_of(p);
    const char *name = file_full_name_in(f, n, p->arena);
    size_t root = name ? strcspn(name, ".") : 0;

    *found = name && (py_full_name(p, name, out) || object_named(p, name, out));
    if (*found || !name)
        return true;
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
    const AstGlobal *g = file_assigned(f, NULL, name, UINT32_MAX);
    const AstImport *import = import_follow(f, name);

    if (import && import->file && import->target && is_new(w, import))
        parse_bound(w, import->file, import->target, depth + 1);
    w->file = f;
    for (const AstGlobal *at = g; is_new(w, at); at = at->earlier) {
        parse_callees(w, at->value, depth);
        for (const AstChoice *c = at->choice; c; c = c->before ? c->before : c->outer) {
            if (c->has_test && is_new(w, c))
                parse_callees(w, choice_parse_test(f->arena, f, c), depth);
        }
    }
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
