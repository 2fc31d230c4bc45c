/*
 * uses.c - what a kernel uses of its file and of others: functions, classes, globals, imports
 *
 * Names are followed as Python would: what the host says goes first, then what stands in the file,
 * then imports.  A chain such as `helpers.square` ends at what it names in that other file.  Code
 * that a static `if` leaves out counts too.
 */
#define _GNU_SOURCE /* memrchr */
#include <string.h>

#include "../syntax/parse.h"
#include "../syntax/scan.h"
#include "inside.h"

enum { BUDGET = 1 << 20 };

/* What a name, or a chain, stands for: a part, or a file whose members are asked for. */
typedef struct {
    Part *part;
    const FrontFile *file;
    Span span;
} Found;

/* The function that is walked. */
typedef struct {
    Uses *uses;
    Part *part;
    const FrontFile *file;
    const AstFunc *inside;
} Walk;

static void walk(Walk *w, const Node *n);
static void walk_function(Uses *u, Part *part, const AstFunc *fn);

/* --- parts --- */

/* The part of this object; *is_new: it was made now. */
static Part *part_of(Uses *u, const void *object, PartKind kind, const FrontFile *file, Sym wish,
                     bool *is_new)
{
    Part *part = map_get(u->known, MAP_KEY(object));

    *is_new = !part;
    if (part)
        return part;
    part = NEW(u->arena, Part);
    part->kind = kind;
    part->file = file;
    part->wish = wish;
    part->own = map_new(u->arena);
    map_put(u->known, MAP_KEY(object), part);
    vec_push(u->arena, &u->parts, part);
    return part;
}

static Part *function_part(Uses *u, const AstFunc *fn)
{
    bool is_new;
    Part *part = part_of(u, fn, PART_FUNCTION, fn->file, fn->name, &is_new);

    if (is_new) {
        part->fn = fn;
        walk_function(u, part, fn);
    }
    return part;
}

/* What the class is derived from: of a kind that has a meaning, the library's; else as it is. */
static void add_base(Walk *w, const AstClass *c, const Node *base)
{
    const char *full = c->kind == CLASS_NAMED_TUPLE ? "typing.NamedTuple"
                       : c->kind == CLASS_ENUM && base->name
                           ? arena_printf(w->uses->arena, "enum.%s", base->name)
                           : NULL;

    if (!full) {
        walk(w, base);
        return;
    }
    Use use = {base->span, uses_add_import(w->uses, full, base->name ? base->name : c->name)};
    vec_push(w->uses->arena, &w->part->uses, use);
}

/* `@package.jit` of a method means Triton's, under whatever name the class's file has it. */
static void add_decorators(Walk *w, const struct ScanDef *def)
{
    const Source *src = w->file->source;

    for (int i = 0; i < def->ndecorators; i++) {
        const Span span = def->decorators[i];
        const char *text =
            arena_strndup(w->uses->arena, source_at(src, span.start), span.end - span.start);
        size_t n = strcspn(text, "( \t\r\n#");
        const char *dot = memrchr(text, '.', n), *last = dot ? dot + 1 : text;

        if ((size_t)(text + n - last) != strlen("jit") || strncmp(last, "jit", 3) != 0)
            continue;
        Use use = {{span.start, span.start + (uint32_t)n},
                   uses_add_import(w->uses, "triton.jit", intern(w->uses->interner, "jit"))};
        vec_push(w->uses->arena, &w->part->uses, use);
    }
}

static Part *class_part(Uses *u, const AstClass *c)
{
    bool is_new;
    Part *part = part_of(u, c, PART_CLASS, c->file, c->name, &is_new);
    Walk w = {u, part, c->file, NULL};

    if (!is_new)
        return part;
    part->class = c;
    for (int i = 0; i < c->nbases; i++)
        add_base(&w, c, c->bases[i]);
    for (int i = 0; i < c->nfields; i++) {
        walk(&w, c->fields[i].annotation);
        walk(&w, c->fields[i].value);
    }
    for (int i = 0; i < c->file->nfuncs; i++) {
        AstFunc *fn = c->file->funcs[i];

        if (fn->scope != c->body)
            continue;
        walk_function(u, part, fn);
        if (i < c->file->ndefs)
            add_decorators(&w, &c->file->defs[i]);
    }
    return part;
}

/* What the name holds when Python has run the file; false: it cannot be told. */
static bool global_value(const Uses *u, const AstGlobal *g, const AstScope *scope, Const *out)
{
    FilePython context = {.file = g->file->is_given ? u->file : g->file};
    Py p = file_python(&context, u->arena, BUDGET);
    const Node name = {.kind = N_NAME, .name = g->name, .span = g->span};
    Const value;

    p.is_silent = true;
    p.frame->scope = scope;
    p.frame->before = UINT32_MAX;
    return (g->file->is_given ? py_eval(&p, g->value, &value) : py_eval(&p, &name, &value)) &&
           const_freeze(u->arena, &value, out);
}

static Part *global_part(Uses *u, const AstGlobal *g)
{
    bool is_new;
    Part *part = part_of(u, g, PART_GLOBAL, g->file, g->name, &is_new);
    Walk w = {u, part, g->file, NULL};
    Text ignored = text_new(u->arena);

    if (!is_new)
        return part;
    part->global = g;
    part->has_value =
        global_value(u, g, g->scope, &part->value) && cut_literal(u, &part->value, &ignored);
    if (!part->has_value)
        walk(&w, g->value);
    return part;
}

Part *uses_add_import(Uses *u, const char *full, Sym wish)
{
    bool is_new;
    Part *part = part_of(u, intern(u->interner, full), PART_IMPORT, NULL, wish, &is_new);

    part->full = full;
    return part;
}

/* --- names --- */

static Found found_name(Uses *u, const FrontFile *f, const AstFunc *inside, Sym name);

static Found found_import(Uses *u, const FrontFile *f, const AstImport *i)
{
    const char *full =
        i->member ? arena_printf(u->arena, "%s.%s", i->module, i->member) : i->module;
    FrontFile *file;
    Found member;

    if (f->set->language->module_is_known(i->module))
        return (Found){.part = uses_add_import(u, full, i->name)};
    file = import_module(f, i->module)->file;
    if (!file)
        return (Found){.part = uses_add_import(u, full, i->name)};
    if (!i->member)
        return (Found){.file = file};
    member = found_name(u, file, NULL, i->member);
    if (!member.part && !member.file)
        member.file = import_submodule(file, i->member);
    return member;
}

static Found found_host(Uses *u, const FrontFile *f, const HostName *h, Sym name)
{
    bool is_new;
    Part *part;

    switch (h->kind) {
    case HOST_FUNCTION:
        return (Found){.part = function_part(u, h->func)};
    case HOST_CLASS:
        return (Found){.part = class_part(u, h->class)};
    case HOST_MODULE:
    case HOST_OBJECT:
        return (Found){.file = h->file};
    case HOST_LANGUAGE:
    case HOST_LIBRARY:
        return (Found){.part = uses_add_import(u, h->language, name)};
    case HOST_VALUE:
        part = part_of(u, h, PART_VALUE, f, name, &is_new);
        part->has_value = const_freeze(u->arena, &h->value, &part->value);
        part->is_constexpr = h->is_constexpr;
        return (Found){.part = part};
    case HOST_UNKNOWN:
        break;
    }
    return (Found){0};
}

/* In the functions around `inside`. */
static Found found_around(Uses *u, const FrontFile *f, const AstFunc *inside, Sym name)
{
    for (const AstScope *s = inside ? inside->scope : NULL; s; s = s->outer) {
        const AstFunc *fn = s->is_class ? NULL : file_find_in(f, s, name);
        const AstGlobal *g = s->is_class ? NULL : file_assigned(f, s, name, UINT32_MAX);

        if (fn)
            return (Found){.part = function_part(u, fn)};
        if (g)
            return (Found){.part = global_part(u, g)};
    }
    return (Found){0};
}

static Found found_name(Uses *u, const FrontFile *f, const AstFunc *inside, Sym name)
{
    const HostName *host = host_find(f, inside, name);
    const AstImport *import;
    Found found;

    if (host)
        return found_host(u, f, host, name);
    found = found_around(u, f, inside, name);
    if (found.part)
        return found;
    if (!import_goes_first(f, name)) {
        const AstFunc *fn = inside ? file_find_from(f, inside, name) : file_find(f, name);
        const AstClass *c = file_class(f, NULL, name);
        const AstGlobal *g = file_assigned(f, NULL, name, UINT32_MAX);

        if (fn)
            return (Found){.part = function_part(u, fn)};
        if (c)
            return (Found){.part = class_part(u, c)};
        if (g)
            return (Found){.part = global_part(u, g)};
    }
    import = import_that_resolves(f, file_import(f, name));
    if (!import)
        import = import_star(f, name);
    if (!import)
        import = file_import(f, name);
    return import ? found_import(u, f, import) : (Found){0};
}

/* Of NAME, and of as much of NAME.NAME.. as leads through files. */
static Found found_chain(Walk *w, const Node *n)
{
    Found found;

    if (n->kind == N_NAME && map_get(w->part->own, MAP_KEY(n->name)))
        return (Found){0};
    if (n->kind == N_NAME) {
        found = found_name(w->uses, w->file, w->inside, n->name);
        found.span = n->span;
        return found;
    }
    if (n->kind != N_ATTRIBUTE)
        return (Found){0};
    found = found_chain(w, n->left);
    if (!found.file)
        return found;
    const FrontFile *file = found.file;
    found = found_name(w->uses, file, NULL, n->name);
    if (!found.part && !found.file)
        found.file = import_submodule(file, n->name);
    found.span = n->span;
    return found;
}

/* --- walking --- */

static void walk_list(Walk *w, Node *const *at, int n)
{
    for (int i = 0; i < n; i++)
        walk(w, at[i]);
}

static void walk(Walk *w, const Node *n)
{
    if (!n)
        return;
    if (n->kind == N_NAME || n->kind == N_ATTRIBUTE) {
        const Found found = found_chain(w, n);
        const Use use = {found.span, found.part};

        if (found.part)
            vec_push(w->uses->arena, &w->part->uses, use);
        if (found.part || n->kind == N_NAME)
            return;
    }
    walk(w, n->left);
    walk(w, n->right);
    walk(w, n->extra);
    walk_list(w, n->items, n->nitems);
    walk_list(w, n->body, n->nbody);
    walk_list(w, n->orelse, n->norelse);
}

/* `x`, or the names in `(x, *y)`. */
static void own_target(Map *own, const Node *target)
{
    if (!target)
        return;
    if (target->kind == N_NAME)
        map_put(own, MAP_KEY(target->name), own);
    if (target->kind == N_STARRED)
        own_target(own, target->left);
    for (int i = 0; (target->kind == N_TUPLE || target->kind == N_LIST) && i < target->nitems; i++)
        own_target(own, target->items[i]);
}

static bool is_lambda(const Node *n)
{
    return n->kind == N_UNSUPPORTED_EXPR && n->name && strcmp(n->name, "Lambda") == 0;
}

/* Names that the statements and expressions bind. */
static void own_names(Map *own, const Node *n)
{
    if (!n)
        return;
    if (n->kind == N_WALRUS)
        map_put(own, MAP_KEY(n->name), own);
    if (n->kind == N_FOR || n->kind == N_AUGMENTED || n->kind == N_ANNOTATED)
        own_target(own, n->left);
    if (n->kind == N_COMPREHENSION)
        own_target(own, n->right);
    for (int i = 0; i < n->nitems; i++) {
        if (n->kind == N_ASSIGN || is_lambda(n))
            own_target(own, n->items[i]);
        own_names(own, n->items[i]);
    }
    own_names(own, n->left);
    own_names(own, n->right);
    own_names(own, n->extra);
    for (int i = 0; i < n->nbody; i++)
        own_names(own, n->body[i]);
    for (int i = 0; i < n->norelse; i++)
        own_names(own, n->orelse[i]);
}

static void walk_function(Uses *u, Part *part, const AstFunc *fn)
{
    FrontFile *file = (FrontFile *)fn->file;
    Walk w = {u, part, file, fn};

    if (fn->nbody == 0 && fn->nerrors == 0) /* one that is for Python is not parsed yet */
        parse_function(file->arena, file->interner, file->source, (AstFunc *)fn);
    u->failed |= file_report_errors(fn, u->diags);
    for (int i = 0; i < fn->nparams; i++) {
        walk(&w, fn->params[i].annotation);
        walk(&w, fn->params[i].default_value);
    }
    for (int i = 0; i < fn->nparams; i++)
        map_put(part->own, MAP_KEY(fn->params[i].name), part);
    for (int i = 0; i < fn->nbody; i++)
        own_names(part->own, fn->body[i]);
    walk_list(&w, fn->body, fn->nbody);
}

Part *uses_add_function(Uses *u, const char *name)
{
    Sym sym = intern(u->interner, name);
    const AstFunc *fn = file_find(u->file, sym);
    Const known;

    if (fn)
        return function_part(u, fn);
    if (!front_function(u->file, name, &known) || known.kind != CONST_FUNCTION ||
        !known.function->def)
        return NULL;
    return function_part(u, known.function->def);
}
