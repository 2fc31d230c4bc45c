/*
 * host.c - what names stand for in the program that loaded a file
 *
 * A program that runs the Python of a package knows what the names of its modules hold, and answers
 * instead of the files: with a value, with the text of a function, with a module.  Each question is
 * asked once.  A function or class becomes a file of its own that holds nothing but its text, and a
 * module of which there is no file one without text; names inside of both are asked for again.
 */
#include <stdatomic.h>
#include <string.h>

#include "../python/python.h"
#include "../syntax/parse.h"
#include "file.h"

/* The answers of one function, or of what stands in none. */
static Map *answers_of(FileSet *s, const void *asker)
{
    Map *answers = map_get(s->answers, MAP_KEY(asker));

    if (!answers)
        map_put(s->answers, MAP_KEY(asker), answers = map_new(s->arena));
    return answers;
}

static Sym copied(FileSet *s, const char *text)
{
    return text ? intern(s->interner, text) : NULL;
}

static const Sym *copied_fields(FileSet *s, const Const *tuple)
{
    Sym *fields = NEW_N(s->arena, Sym, tuple->nitems + 1);

    for (int i = 0; tuple->fields && i < tuple->nitems; i++)
        fields[i] = copied(s, tuple->fields[i]);
    return tuple->fields ? fields : NULL;
}

static Const copied_value(FileSet *s, const Const *c)
{
    Const out = *c;
    Const *items;

    if (c->kind == CONST_STRING)
        out.text = arena_strndup(s->arena, c->text, c->ntext);
    if (c->kind != CONST_TUPLE)
        return out;
    items = NEW_N(s->arena, Const, c->nitems + 1);
    for (int i = 0; i < c->nitems; i++)
        items[i] = copied_value(s, &c->items[i]);
    out.items = items;
    out.fields = copied_fields(s, c);
    return out;
}

static void add_names(FrontFile *f, AstNames *list, const HostNames *more)
{
    Sym *names = NEW_N(f->arena, Sym, list->n + MAX(more->n, 0) + 1);

    for (int i = 0; i < list->n; i++)
        names[i] = list->at[i];
    list->at = names;
    for (int i = 0; i < more->n; i++)
        list->at[list->n++] = intern(f->interner, more->at[i]);
}

static void set_options(FrontFile *f, AstFunc *fn, const HostAnswer *a)
{
    add_names(f, &fn->do_not_specialize, &a->unspecialised);
    add_names(f, &fn->do_not_specialize_on_alignment, &a->unaligned);
    fn->noinline |= a->noinline;
}

/* Make of the function what the host says that it is, whatever stands around it. */
static void set_role(FrontFile *f, AstFunc *fn, const HostAnswer *a)
{
    if (a->role != HOST_PYTHON && fn->nbody == 0 && fn->nerrors == 0)
        parse_function(f->arena, f->interner, f->source, fn);
    fn->is_jit = a->role == HOST_JIT;
    fn->is_constexpr_function = a->role == HOST_CONSTEXPR_FUNCTION;
    fn->is_decorated = false;
    set_options(f, fn, a);
}

const AstFunc *host_function(FrontFile *f, const HostAnswer *a, const char *name)
{
    for (int i = 0; i < f->nfuncs; i++) {
        AstFunc *fn = f->funcs[i];

        if (strcmp(fn->name, a->function ? a->function : name) != 0)
            continue;
        f->in_memory = true;
        f->host_name = copied(f->set, a->module);
        set_role(f, fn, a);
        return fn;
    }
    return NULL;
}

/* The text of a function or class as a file; NULL: it is none. */
static FrontFile *read_text(FileSet *s, const HostAnswer *a)
{
    const char *path = a->path ? a->path : "<host>";
    const char *text = arena_strndup(s->arena, a->text, a->len);
    const Source *src = memchr(text, '\0', a->len)
                            ? NULL
                            : source_add_part(s->sources, path, a->line, text, a->len);
    return src ? file_read(s, src, NULL) : NULL;
}

/* The outermost function of that name; NULL: the text holds none. */
static const AstFunc *read_function(FileSet *s, const HostAnswer *a, const char *name)
{
    FrontFile *f = read_text(s, a);

    return f ? host_function(f, a, name) : NULL;
}

static const AstClass *read_class(FileSet *s, const HostAnswer *a, const char *name)
{
    FrontFile *f = read_text(s, a);

    if (!f)
        return NULL;
    f->in_memory = true;
    f->host_name = copied(s, a->module);
    return class_of_host(f, intern(s->interner, a->function ? a->function : name), a->role);
}

struct AddedFunction {
    const char *name;
    PyFunction value;
    const char *language; /* its full name, if it is one of the language */
    const AddedFunction *before;
};

bool host_added_function(const FrontFile *f, const char *name, Const *out)
{
    const AddedFunction *a = atomic_load_explicit(&f->added, memory_order_acquire);

    while (a && strcmp(a->name, name) != 0)
        a = a->before;
    if (a && a->language)
        *out = const_string(a->language, strlen(a->language));
    else if (a)
        *out = (Const){.kind = CONST_FUNCTION, .function = &a->value};
    return a != NULL;
}

static void add(FrontFile *f, const char *name, const AstFunc *def, const char *language)
{
    AddedFunction *a = NEW(f->arena, AddedFunction);

    *a = (AddedFunction){.name = copied(f->set, name), .value = {.def = def}, .language = language};
    a->before = atomic_load_explicit(&f->added, memory_order_relaxed);
    atomic_store_explicit(&f->added, a, memory_order_release);
}

bool front_import_function(FrontFile *f, const char *path)
{
    ImportedFunction found;
    Const known;

    if (front_function(f, path, &known))
        return true;
    if (!import_function(f, path, &found))
        return false;
    add(f, path, found.def, found.language);
    return true;
}

bool front_add_function(FrontFile *f, const char *name, const HostAnswer *function)
{
    const AstFunc *def;
    Const known;

    if (host_added_function(f, name, &known))
        return true;
    def = read_function(f->set, function, name);
    if (def)
        add(f, name, def, NULL);
    return def != NULL;
}

static FrontFile *read_host_module(FileSet *s, const HostAnswer *a)
{
    const char *name = a->module ? a->module : "<host>";
    FrontFile *f = a->path ? import_path(s, a->path) : NULL;

    if (!f) {
        const Source *src = source_add(s->sources, name, "", 0);

        f = src ? file_read(s, src, NULL) : NULL;
        if (f)
            f->in_memory = true;
    }
    if (f)
        f->host_name = copied(s, a->module);
    return f;
}

/* An object is a module of its attributes, which may be none. */
static const FrontFile *read_object(FileSet *s, const HostAnswer *a)
{
    const HostAnswer module = {.module = a->module};
    FrontFile *f = read_host_module(s, &module);

    if (f) {
        f->object = copied(s, a->text);
        f->advice = copied(s, a->hint);
    }
    return f;
}

static HostName *take_answer(FileSet *s, const HostAnswer *a, Sym name)
{
    HostName *out = NEW(s->arena, HostName);

    out->kind = a->kind;
    switch (a->kind) {
    case HOST_UNKNOWN:
        break;
    case HOST_VALUE:
        out->value = copied_value(s, &a->value);
        out->is_constexpr = a->is_constexpr;
        break;
    case HOST_FUNCTION:
        out->func = a->text ? read_function(s, a, name) : NULL;
        out->kind = out->func ? HOST_FUNCTION : HOST_UNKNOWN;
        break;
    case HOST_CLASS:
        out->class = a->text ? read_class(s, a, name) : NULL;
        out->kind = out->class ? HOST_CLASS : HOST_UNKNOWN;
        break;
    case HOST_MODULE:
        out->file = read_host_module(s, a);
        out->kind = out->file ? HOST_MODULE : HOST_UNKNOWN;
        break;
    case HOST_OBJECT:
        out->file = read_object(s, a);
        out->kind = out->file ? HOST_OBJECT : HOST_UNKNOWN;
        out->is_constexpr = a->is_constexpr;
        break;
    case HOST_LANGUAGE:
    case HOST_LIBRARY:
        out->language = copied(s, a->module ? a->module : "");
        break;
    }
    return out;
}

static HostName *ask_host(const FrontFile *f, const char *function, Sym name)
{
    const FrontHost *host = &f->set->options.host;
    const HostQuestion question = {
        .name = name,
        .function = function,
        .module = f->host_name,
        .path = f->is_folder || (f->in_memory && f->host_name) ? NULL : f->source->path};
    HostAnswer answer = {.kind = HOST_UNKNOWN, .line = 1};

    host->find(host->context, &question, &answer);
    return take_answer(f->set, &answer, name);
}

const HostName *host_find(const FrontFile *f, const AstFunc *inside, Sym name)
{
    FileSet *s = f->set;
    HostName *known;
    Map *answers;

    if (!s->options.host.find || f->is_given)
        return NULL;
    answers = answers_of(s, inside ? (const void *)inside : f);
    known = map_get(answers, MAP_KEY(name));
    if (!known) {
        known = ask_host(f, inside ? file_qualified_name(inside) : NULL, name);
        map_put(answers, MAP_KEY(name), known);
    }
    return known->kind == HOST_UNKNOWN ? NULL : known;
}
