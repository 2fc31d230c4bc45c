/*
 * decorators.c - which functions are kernels, and with what options (R1, R29)
 *
 * A function is a kernel when one of its decorators is triton.jit under any name; others around it
 * (tuners, caches) do not matter here, but stay in the list for tuning.c.  Wrapping by assignment,
 * `k = triton.autotune(...)(triton.jit(k))`, means the same as decorating, and so does what takes
 * triton.jit for its first argument, `functools.partial(triton.jit, noinline=True)`.
 */
#include <string.h>

#include "decorators.h"
#include "../syntax/parse.h"

/* Imports and aliases, one behind the other; bounds cycles. */
enum { MAX_NAMES_FOLLOWED = 16 };

/* By the full name: anything of Triton, or of a dialect named after it, that is called `jit`. */
static Decorator decorator_named(const FrontFile *f, const char *full)
{
    const char *last = strrchr(full, '.');
    const AstImport *star = file_import(f, intern(f->interner, "*"));
    bool ours = strstr(full, "triton") || strncmp(full, "tl.", 3) == 0 ||
                (!last && star && strstr(star->module, "triton"));

    last = last ? last + 1 : full;
    if (strcmp(full, "staticmethod") == 0)
        return DECO_STATIC;
    if (strcmp(full, "property") == 0)
        return DECO_PROPERTY;
    if (ours && (strcmp(last, "aggregate") == 0 || strcmp(last, "_aggregate") == 0))
        return DECO_AGGREGATE;
    if (ours && strcmp(last, "jit") == 0)
        return DECO_JIT;
    if (ours && strcmp(last, "must_use_result") == 0)
        return DECO_MUST_USE;
    /* @tl.constexpr makes a constant of a function, and a call of that runs it. */
    bool is_constexpr = strcmp(last, "constexpr_function") == 0 || strcmp(last, "constexpr") == 0;
    return ours && is_constexpr ? DECO_CONSTEXPR : DECO_OTHER;
}

/* A global that is a call: `quick = functools.partial(triton.jit, noinline=True)`. */
static const Node *aliased_call(const FrontFile *f, Sym name)
{
    const AstGlobal *g = file_global(f, name);

    return g && g->value->kind == N_CALL && g->value->nitems > 0 ? g->value : NULL;
}

/* Read NAME.NAME...; the token behind it is in *next. */
static const char *dotted_name(const FrontFile *f, Lexer *lx, Token *next)
{
    const char *path = "";

    for (;;) {
        *next = lex_next(lx);
        if (next->kind != T_NAME && next->kind != T_DOT)
            return path;
        path = arena_printf(f->arena, "%s%s", path, next->kind == T_NAME ? next->name : ".");
    }
}

/* One step of a dotted path into the file that an import leads to: gives that file, and in *path
 * what the path is there; NULL when it leads to no file, or to the file itself. */
static const FrontFile *file_behind(const FrontFile *f, const AstImport *import, const char **path)
{
    const char *rest = *path + strcspn(*path, ".");
    const FrontFile *file = import_module(f, import->module)->file;

    if (!import->member && !*rest)
        return NULL;
    *path = import->member ? arena_printf(f->arena, "%s%s", import->member, rest) : rest + 1;
    return file;
}

/* As file_full_path(), but into the files that imports lead to. */
static const char *far_full_path(const FrontFile *f, const char *path)
{
    const char *full = path;

    for (int i = 0; i < MAX_NAMES_FOLLOWED && f; i++) {
        size_t n = strcspn(path, ".");
        Sym first = intern_n(f->interner, path, n);
        const AstGlobal *g = file_global(f, first);
        const char *alias = g ? dotted_text(f->arena, g->value) : NULL;

        if (file_import(f, first)) {
            full = file_full_path(f, path);
            f = file_behind(f, file_import(f, first), &path);
        } else if (alias) {
            path = arena_printf(f->arena, "%s%s", alias, path + n);
        } else if (path[n]) {
            f = import_submodule(f, first);
            path += n + 1;
        } else {
            break;
        }
    }
    return full;
}

static Decorator decorator_of_path(const FrontFile *f, const char *path)
{
    Decorator kind = decorator_named(f, file_full_path(f, path));

    return kind == DECO_OTHER && f->is_known ? decorator_named(f, far_full_path(f, path)) : kind;
}

Decorator decorator_at(const FrontFile *f, Span where)
{
    const char *path, *full = NULL;
    const Node *call;
    Decorator kind;
    Token next;
    Lexer lx;

    lex_init_inside(&lx, f->interner, f->source, where);
    path = dotted_name(f, &lx, &next);
    kind = decorator_of_path(f, path);
    if (kind != DECO_OTHER)
        return kind;
    call = aliased_call(f, intern(f->interner, path));
    if (call)
        full = file_full_name(f, call->items[0]);
    else if (next.kind == T_LPAREN)
        full = file_full_path(f, dotted_name(f, &lx, &next));
    return full && (call || next.kind == T_COMMA || next.kind == T_RPAREN)
               ? decorator_named(f, full)
               : kind;
}

/* --- options of triton.jit --- */

/* A parameter by its name or number; NULL for anything else. */
static Sym parameter_name(const AstFunc *fn, const Node *n, Interner *interner)
{
    if (n->kind == N_STRING)
        return intern_n(interner, n->text, n->ntext);
    if (n->kind == N_INT && n->integer < fn->nparams)
        return fn->params[n->integer].name;
    return NULL;
}

static void read_listed(const FrontFile *f, const AstFunc *fn, const Node *list, AstNames *out)
{
    const AstGlobal *g = list->kind == N_NAME ? file_global(f, list->name) : NULL;

    list = g ? g->value : list;
    if (list->kind != N_LIST && list->kind != N_TUPLE)
        return;
    *out = (AstNames){.at = NEW_N(f->arena, Sym, MAX(list->nitems, 1))};
    for (int i = 0; i < list->nitems; i++) {
        Sym name = parameter_name(fn, list->items[i], f->interner);

        if (name)
            out->at[out->n++] = name;
    }
}

static void read_options(const FrontFile *f, AstFunc *fn, const Node *call)
{
    for (int i = 0; i < call->nitems; i++) {
        const Node *option = call->items[i];

        if (option->kind != N_KEYWORD)
            continue;
        if (strcmp(option->name, "noinline") == 0)
            fn->noinline = option->left->kind == N_TRUE;
        if (strcmp(option->name, "do_not_specialize") == 0)
            read_listed(f, fn, option->left, &fn->do_not_specialize);
        if (strcmp(option->name, "do_not_specialize_on_alignment") == 0)
            read_listed(f, fn, option->left, &fn->do_not_specialize_on_alignment);
    }
}

/* "" when the decorator gives none. */
static const char *must_use_hint(const Node *n)
{
    bool given = n->kind == N_CALL && n->nitems == 1 && n->items[0]->kind == N_STRING;

    return given ? n->items[0]->text : "";
}

/* Take in what the parsed decorators say. */
static void apply(FrontFile *f, AstFunc *fn)
{
    for (int i = 0; i < fn->ndecorators; i++) {
        const Node *n = fn->decorators[i];
        const Node *alias = n->kind == N_NAME ? aliased_call(f, n->name) : NULL;

        Decorator kind = decorator_at(f, n->span);

        if (kind == DECO_MUST_USE)
            fn->must_use = must_use_hint(n);
        if (kind != DECO_JIT)
            continue;
        if (n->kind == N_CALL)
            read_options(f, fn, n);
        if (alias)
            read_options(f, fn, alias);
    }
}

void decorators_read(FrontFile *f, AstFunc *fn, const ScanDef *def)
{
    fn->decorators = NEW_N(f->arena, Node *, MAX(def->ndecorators, 1));
    for (int i = 0; i < def->ndecorators; i++) {
        Parser p;
        Node *n;

        parser_init(&p, f->arena, f->interner, f->source, def->decorators[i]);
        n = parse_named(&p);
        if (p.tok.kind == T_NEWLINE || p.tok.kind == T_END)
            fn->decorators[fn->ndecorators++] = n;
    }
    apply(f, fn);
}

/* --- decorators of other files --- */

/* A function that was plain so far. */
static void follow_decorators(FrontFile *f, AstFunc *fn, const ScanDef *def)
{
    bool is_jit = false;

    for (int i = 0; i < def->ndecorators && !is_jit; i++)
        is_jit = decorator_at(f, def->decorators[i]) == DECO_JIT;
    if (!is_jit)
        return;
    fn->is_jit = true;
    fn->is_decorated = false;
    parse_function(f->arena, f->interner, f->source, fn);
    decorators_read(f, fn, def);
}

void decorators_collect(FrontFile *f)
{
    f->nkernels = 0;
    for (int i = 0; i < f->nfuncs; i++) {
        if (f->funcs[i]->is_jit)
            f->kernels[f->nkernels++] = f->funcs[i];
    }
}

void decorators_follow(FrontFile *f)
{
    bool *in_kernel = NEW_N(f->arena, bool, MAX(f->ndefs, 1));
    bool any = false;

    f->is_known = true;
    for (int i = 0; i < f->ndefs; i++) {
        AstFunc *fn = f->funcs[i];
        const ScanDef *def = &f->defs[i];

        in_kernel[i] = def->inside >= 0 && in_kernel[def->inside];
        if (!in_kernel[i] && !fn->is_jit && !fn->is_constexpr_function) {
            follow_decorators(f, fn, def);
            any |= fn->is_jit;
        }
        in_kernel[i] |= fn->is_jit || fn->is_constexpr_function;
    }
    if (!any)
        return;
    decorators_collect(f);
    file_bind_functions(f);
}

/* --- wrapping by assignment --- */

enum { MAX_WRAPPERS = 32 };

typedef struct {
    Node *at[MAX_WRAPPERS]; /* outermost first */
    int n;
} Wrappers;

/* The name inside `wrap(options)(wrap(NAME, option=...))`; NULL when there is none. */
static Sym unwrap(Node *n, Wrappers *w)
{
    while (n->kind == N_CALL && n->nitems > 0 && w->n < MAX_WRAPPERS) {
        w->at[w->n++] = n->left->kind == N_CALL ? n->left : n;
        n = n->items[0];
    }
    return n->kind == N_NAME && w->n > 0 ? n->name : NULL;
}

/* Do the wrappers make a kernel of a function, or tune one that is a kernel? */
static bool makes_kernel(const FrontFile *f, const AstFunc *fn, const Wrappers *w)
{
    bool tunes = false;

    for (int i = 0; i < w->n; i++) {
        if (decorator_at(f, w->at[i]->span) == DECO_JIT)
            return true;
        tunes |= tuning_is_decorator(f, w->at[i]);
    }
    return fn->is_jit && tunes;
}

static void add_kernel(FrontFile *f, AstFunc *fn)
{
    if (!fn->is_jit)
        f->kernels[f->nkernels++] = fn;
    fn->is_jit = true;
}

/* The function that the assignment gives its name to: `fn` itself, or one that shares its body. */
static AstFunc *assigned_function(FrontFile *f, AstFunc *fn, Sym name)
{
    AstFunc *copy;

    if (fn->nbody == 0 && fn->nerrors == 0)
        parse_function(f->arena, f->interner, f->source, fn);
    if (fn->name == name)
        return fn;
    copy = NEW(f->arena, AstFunc);
    *copy = *fn;
    copy->name = name;
    copy->is_jit = false;
    f->funcs[f->nfuncs++] = copy;
    return copy;
}

static void wrap_assigned(FrontFile *f, const AstGlobal *g)
{
    Wrappers w = {.n = 0};
    Sym inner = unwrap(g->value, &w);
    AstFunc *fn = inner ? map_get(f->func_of, MAP_KEY(inner)) : NULL;
    Node **all;

    if (!fn || fn->scope || !makes_kernel(f, fn, &w) || fn->ndecorators > MAX_WRAPPERS)
        return;
    fn = assigned_function(f, fn, g->name);
    all = NEW_N(f->arena, Node *, w.n + fn->ndecorators);
    memcpy(all, w.at, sizeof(Node *) * (size_t)w.n);
    if (fn->ndecorators > 0)
        memcpy(all + w.n, fn->decorators, sizeof(Node *) * (size_t)fn->ndecorators);
    fn->decorators = all;
    fn->ndecorators += w.n;
    add_kernel(f, fn);
    apply(f, fn);
    map_put(f->func_of, MAP_KEY(fn->name), fn);
}

void decorators_finish(FrontFile *f)
{
    for (int i = 0; i < f->nglobals; i++)
        wrap_assigned(f, &f->globals[i]);
}
