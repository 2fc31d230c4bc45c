/*
 * file.c - the kernels of a file, and what names in it mean
 *
 * front_parse() scans the file (scan.c), decides by their decorators which functions are kernels
 * (R1) and parses those.  A syntax error inside a kernel stays with that kernel until somebody
 * needs it; in host code it is never noticed.
 */
#include <string.h>

#include "parse.h"
#include "scan.h"
#include "syntax.h"

/* Names that stand for names that stand for names; bounds cycles.  Nodes that tuning.c may
 * evaluate. */
enum { MAX_ALIASES = 8, MAX_EVALUATIONS = 1 << 20 };

/* Names. */

const AstImport *file_import(const FrontFile *f, Sym name)
{
    return map_get(f->import_of, MAP_KEY(name));
}

const AstGlobal *file_global(const FrontFile *f, Sym name)
{
    return map_get(f->global_of, MAP_KEY(name));
}

/* Is `path`, up to `n`, the name of `fn` behind the names of the scopes around it? */
static bool qualified_as(const AstFunc *fn, const char *path, size_t n)
{
    const AstScope *scope = fn->scope;
    Sym name = fn->name;

    for (;;) {
        size_t len = strlen(name);

        if (len > n || memcmp(path + n - len, name, len) != 0)
            return false;
        n -= len;
        if (n == 0)
            return true;
        if (path[--n] != '.' || !scope)
            return false;
        name = scope->name;
        scope = scope->outer;
    }
}

/* Of two functions of one name the higher rank counts, then the later one. */
static int func_rank(const AstFunc *fn)
{
    return 4 * fn->is_jit + 2 * (fn->scope == NULL) + !fn->is_fallback;
}

const AstFunc *file_find(const FrontFile *f, Sym name)
{
    const AstFunc *found = map_get(f->func_of, MAP_KEY(name));

    if (found || !strchr(name, '.'))
        return found;
    for (int i = 0; i < f->nfuncs; i++)
        if (qualified_as(f->funcs[i], name, strlen(name)) &&
            (!found || func_rank(f->funcs[i]) >= func_rank(found)))
            found = f->funcs[i];
    return found;
}

const AstFunc *file_find_from(const FrontFile *f, const AstFunc *inside, Sym name)
{
    for (const AstScope *s = inside->scope; s; s = s->outer)
        for (int i = f->nfuncs - 1; i >= 0 && !s->is_class; i--)
            if (f->funcs[i]->scope == s && f->funcs[i]->name == name)
                return f->funcs[i];
    return file_find(f, name);
}

/* The text of a chain NAME.NAME...; NULL for any other expression. */
static const char *dotted_text(Arena *a, const Node *n)
{
    const char *left;

    if (n->kind == N_NAME)
        return n->name;
    if (n->kind != N_ATTRIBUTE)
        return NULL;
    left = dotted_text(a, n->left);
    return left ? arena_printf(a, "%s.%s", left, n->name) : NULL;
}

/* What an import says is absolute; what a global says may begin with another name. */
static const char *full_name(const FrontFile *f, const char *path)
{
    for (int i = 0; i < MAX_ALIASES; i++) {
        size_t n = strcspn(path, ".");
        Sym first = intern_n(f->names, path, n);
        const AstImport *import = file_import(f, first);
        const AstGlobal *global = file_global(f, first);
        const char *target = global ? dotted_text(f->arena, global->value) : NULL;

        if (import && import->member)
            return arena_printf(f->arena, "%s.%s%s", import->module, import->member, path + n);
        if (import)
            return arena_printf(f->arena, "%s%s", import->module, path + n);
        if (!target)
            break;
        path = arena_printf(f->arena, "%s%s", target, path + n);
    }
    return path;
}

const char *file_full_name(const FrontFile *f, const Node *n)
{
    const char *path = dotted_text(f->arena, n);

    return path ? full_name(f, path) : NULL;
}

/* Bindings: of several for one name, the one that counts. */

static void bind(Map *m, Sym name, void *value, bool better)
{
    if (better || !map_get(m, MAP_KEY(name)))
        map_put(m, MAP_KEY(name), value);
}

static void bind_imports(FrontFile *f)
{
    for (int i = 0; i < f->nimports; i++)
        bind(f->import_of, f->imports[i].name, &f->imports[i], !f->imports[i].is_fallback);
}

static void bind_globals(FrontFile *f)
{
    for (int i = 0; i < f->nglobals; i++)
        bind(f->global_of, f->globals[i].name, &f->globals[i], !f->globals[i].is_fallback);
}

static void bind_functions(FrontFile *f)
{
    for (int i = 0; i < f->nfuncs; i++) {
        AstFunc *fn = f->funcs[i];
        const AstFunc *other = map_get(f->func_of, MAP_KEY(fn->name));

        bind(f->func_of, fn->name, fn, other && func_rank(fn) >= func_rank(other));
    }
}

/* Decorators. */

typedef enum { DECO_OTHER, DECO_JIT, DECO_CONSTEXPR } Decorator;

/* By the full name: anything of Triton, or of a dialect named after it, that is called `jit`. */
static Decorator decorator_named(const FrontFile *f, const char *path)
{
    const char *full = full_name(f, path);
    const char *last = strrchr(full, '.');
    const AstImport *star = file_import(f, intern(f->names, "*"));
    bool ours = strstr(full, "triton") || strncmp(full, "tl.", 3) == 0 ||
                (!last && star && strstr(star->module, "triton"));

    last = last ? last + 1 : full;
    if (ours && strcmp(last, "jit") == 0)
        return DECO_JIT;
    return ours && strcmp(last, "constexpr_function") == 0 ? DECO_CONSTEXPR : DECO_OTHER;
}

/* functools.partial(triton.jit, ...) is as good as triton.jit. */
static Decorator decorator_aliased(const FrontFile *f, const char *path)
{
    const AstGlobal *g = file_global(f, intern(f->names, path));
    const char *inner;

    if (!g || g->value->kind != N_CALL || g->value->nitems == 0)
        return DECO_OTHER;
    inner = dotted_text(f->arena, g->value->items[0]);
    return inner ? decorator_named(f, inner) : DECO_OTHER;
}

/* What the decorator text at `where` does, judged by the dotted name that it begins with. */
static Decorator decorator_kind(const FrontFile *f, Span where)
{
    const char *text = f->source->text, *path;
    uint32_t pos = where.start, n = 0;
    Decorator kind;

    line_indent(text, &pos, where.end);
    while (pos + n < where.end && (is_name_char(text[pos + n]) || text[pos + n] == '.'))
        n++;
    path = intern_n(f->names, text + pos, n);
    kind = decorator_named(f, path);
    return kind == DECO_OTHER ? decorator_aliased(f, path) : kind;
}

static void parse_decorators(const FrontFile *f, AstFunc *fn, const ScanDef *def)
{
    fn->decorators = NEW_N(f->arena, Node *, MAX(def->ndecorators, 1));
    for (int i = 0; i < def->ndecorators; i++) {
        Parser p;
        Node *n;

        parser_init(&p, f->arena, f->names, f->source->text, def->decorators[i]);
        n = parse_named(&p);
        if (p.tok.kind == T_NEWLINE || p.tok.kind == T_END)
            fn->decorators[fn->ndecorators++] = n;
    }
}

/* Options of @triton.jit(...). */

/* A parameter by its name or number; NULL for anything else. */
static Sym parameter_name(const AstFunc *fn, const Node *n, Interner *names)
{
    if (n->kind == N_STRING)
        return intern_n(names, n->text, n->ntext);
    if (n->kind == N_INT && n->integer < fn->nparams)
        return fn->params[n->integer].name;
    return NULL;
}

static void set_do_not_specialize(const FrontFile *f, AstFunc *fn, const Node *list)
{
    const AstGlobal *g = list->kind == N_NAME ? file_global(f, list->name) : NULL;

    list = g ? g->value : list;
    if (list->kind != N_LIST && list->kind != N_TUPLE)
        return;
    fn->do_not_specialize = NEW_N(f->arena, Sym, MAX(list->nitems, 1));
    for (int i = 0; i < list->nitems; i++) {
        Sym name = parameter_name(fn, list->items[i], f->names);

        if (name)
            fn->do_not_specialize[fn->ndo_not_specialize++] = name;
    }
}

static void read_jit_options(const FrontFile *f, AstFunc *fn)
{
    for (int i = 0; i < fn->ndecorators; i++) {
        const Node *call = fn->decorators[i];

        if (call->kind != N_CALL || decorator_kind(f, call->span) != DECO_JIT)
            continue;
        for (int k = 0; k < call->nitems; k++) {
            const Node *option = call->items[k];

            if (option->kind != N_KEYWORD)
                continue;
            if (strcmp(option->name, "noinline") == 0)
                fn->noinline = option->left->kind == N_TRUE;
            if (strcmp(option->name, "do_not_specialize") == 0)
                set_do_not_specialize(f, fn, option->left);
        }
    }
}

/* Functions. */

static void read_name(const FrontFile *f, AstFunc *fn)
{
    Lexer lx;
    Token t;

    lex_init(&lx, f->names, f->source->text, fn->extent.start, fn->extent.end);
    lex_next(&lx); /* def */
    t = lex_next(&lx);
    fn->name = t.kind == T_NAME ? t.name : intern(f->names, "");
    fn->span = (Span){fn->extent.start, t.span.end};
}

static void read_function(FrontFile *f, AstFunc *fn, const ScanDef *def)
{
    Parser p;

    parser_init(&p, f->arena, f->names, f->source->text, def->extent);
    parse_function(&p, fn);
    fn->extent = def->extent;
    parse_decorators(f, fn, def);
    read_jit_options(f, fn);
    fn->tuning = tuning_of(f, fn);
}

static AstFunc *new_function(FrontFile *f, const ScanDef *def, bool in_kernel)
{
    AstFunc *fn = NEW(f->arena, AstFunc);

    fn->scope = def->scope;
    fn->extent = def->extent;
    fn->is_fallback = def->is_fallback;
    for (int i = 0; i < def->ndecorators && !in_kernel; i++) {
        Decorator kind = decorator_kind(f, def->decorators[i]);

        fn->is_jit |= kind == DECO_JIT;
        fn->is_constexpr_function |= kind == DECO_CONSTEXPR;
    }
    if (fn->is_jit || fn->is_constexpr_function)
        read_function(f, fn, def);
    else
        read_name(f, fn);
    return fn;
}

/* Nothing inside a kernel is a kernel, so that all that is parsed is parsed once. */
static void read_functions(FrontFile *f, const Scan *scan)
{
    bool *in_kernel = NEW_N(f->arena, bool, MAX(scan->defs.len, 1));

    f->nfuncs = scan->defs.len;
    f->funcs = NEW_N(f->arena, AstFunc *, MAX(f->nfuncs, 1));
    f->kernels = NEW_N(f->arena, AstFunc *, MAX(f->nfuncs, 1));
    for (int i = 0; i < f->nfuncs; i++) {
        const ScanDef *def = &scan->defs.at[i];
        AstFunc *outer = def->inside < 0 ? NULL : f->funcs[def->inside];

        in_kernel[i] =
            outer && (outer->is_jit || outer->is_constexpr_function || in_kernel[def->inside]);
        f->funcs[i] = new_function(f, def, in_kernel[i]);
        if (f->funcs[i]->is_jit)
            f->kernels[f->nkernels++] = f->funcs[i];
    }
}

bool file_report_errors(const FrontFile *f, const AstFunc *fn, Diags *d)
{
    for (int i = 0; i < fn->nerrors; i++)
        diag(d, DIAG_ERROR, f->source, fn->errors[i].span, "%s", fn->errors[i].message);
    return fn->nerrors > 0;
}

/* The file. */

static bool is_text(const Source *src, Diags *d)
{
    const char *nul = memchr(src->text, '\0', src->len);

    if (src->len > INT32_MAX)
        diag(d, DIAG_ERROR, src, (Span){0, 0}, E_FILE_TOO_LONG);
    else if (nul)
        diag(d, DIAG_ERROR, src, (Span){0, 0}, E_FILE_NOT_TEXT, (long)(nul - src->text));
    return src->len <= INT32_MAX && !nul;
}

static void report_no_kernel(const FrontFile *f, Diags *d)
{
    enum { MOST = 5 };
    Text list = text_new(f->arena);
    int n = 0;

    for (int i = 0; i < f->nfuncs && n < MOST; i++)
        if (!f->funcs[i]->scope)
            text_printf(&list, "%s`%s`", n++ ? ", " : "", f->funcs[i]->name);
    diag(d, DIAG_ERROR, f->source, (Span){0, 0}, E_FILE_NO_KERNEL);
    if (n > 0)
        diag(d, DIAG_HINT, f->source, (Span){0, 0}, H_FILE_HAS, list.s);
}

FrontFile *front_parse(Arena *a, Interner *names, const Source *src, Diags *d)
{
    FrontFile *f = NEW(a, FrontFile);
    Scan scan = {0};

    if (!is_text(src, d))
        return NULL;
    *f = (FrontFile){.arena = a, .names = names, .source = src, .eval_budget = MAX_EVALUATIONS};
    f->func_of = map_new(a);
    f->import_of = map_new(a);
    f->global_of = map_new(a);
    scan_file(a, names, src, &scan);
    f->imports = scan.imports.at;
    f->nimports = scan.imports.len;
    f->globals = scan.globals.at;
    f->nglobals = scan.globals.len;
    bind_imports(f);
    bind_globals(f);
    read_functions(f, &scan);
    bind_functions(f);
    if (f->nkernels > 0)
        return f;
    report_no_kernel(f, d);
    return NULL;
}

int front_kernel_count(const FrontFile *f)
{
    return f->nkernels;
}

/* One that its bare name does not find goes by the names of what it is nested in. */
const char *front_kernel_name(const FrontFile *f, int i)
{
    const AstFunc *fn = f->kernels[i];
    const char *name = fn->name;

    if (file_find(f, fn->name) == fn)
        return name;
    for (const AstScope *s = fn->scope; s; s = s->outer)
        name = arena_printf(f->arena, "%s.%s", s->name, name);
    return name;
}

const FrontTuning *front_tuning(const FrontFile *f, const char *kernel)
{
    const AstFunc *fn = file_find(f, intern(f->names, kernel));

    return fn && fn->is_jit ? &fn->tuning : NULL;
}
