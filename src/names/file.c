/*
 * file.c - the kernels of a file, and what names in it mean
 *
 * front_parse() scans the file (scan.c), decides by their decorators which functions are kernels
 * (R1) and parses those.  A syntax error inside a kernel stays with that kernel until somebody
 * needs it; in host code it is never noticed.
 */
#include <string.h>

#include "../python/python.h"
#include "decorators.h"
#include "../syntax/parse.h"
#include "../syntax/messages.h"

/* Names that stand for names that stand for names; bounds cycles.  Nodes that tuning.c may
 * evaluate. */
enum { MAX_ALIASES = 8, MAX_EVALUATIONS = 1 << 19 };

/* --- names --- */

const AstImport *file_import(const FrontFile *f, Sym name)
{
    return map_get(f->import_of, MAP_KEY(name));
}

const AstGlobal *file_global(const FrontFile *f, Sym name)
{
    const AstGlobal *given = define_find(f, name);

    return given ? given : map_get(f->global_of, MAP_KEY(name));
}

const AstGlobal *file_assigned(const FrontFile *f, const AstScope *scope, Sym name, uint32_t before)
{
    Map *names = map_get(f->scopes, MAP_KEY(scope));
    const AstGlobal *g = names ? map_get(names, MAP_KEY(name)) : NULL;
    const AstGlobal *given = scope ? NULL : define_find(f, name);

    if (given)
        return given;
    while (g && g->start >= before)
        g = g->earlier;
    return g;
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
    return 4 * fn->is_jit + 2 * (fn->scope == NULL) + !fn->in_except;
}

const AstFunc *file_find(const FrontFile *f, Sym name)
{
    const AstFunc *found = map_get(f->func_of, MAP_KEY(name));

    if (found || !strchr(name, '.'))
        return found;
    for (int i = 0; i < f->nfuncs; i++) {
        if (qualified_as(f->funcs[i], name, strlen(name)) &&
            (!found || func_rank(f->funcs[i]) >= func_rank(found)))
            found = f->funcs[i];
    }
    return found;
}

const AstFunc *file_member_function(const FrontFile *f, Sym name)
{
    const AstFunc *fn = map_get(f->func_of, MAP_KEY(name));

    return fn && fn->scope == NULL ? fn : NULL;
}

const AstFunc *file_find_in(const FrontFile *f, const AstScope *scope, Sym name)
{
    for (int i = f->nfuncs - 1; i >= 0; i--) {
        if (f->funcs[i]->scope == scope && f->funcs[i]->name == name)
            return f->funcs[i];
    }
    return NULL;
}

const AstFunc *file_find_from(const FrontFile *f, const AstFunc *inside, Sym name)
{
    for (const AstScope *s = inside->scope; s; s = s->outer) {
        const AstFunc *fn = s->is_class ? NULL : file_find_in(f, s, name);

        if (fn)
            return fn;
    }
    return file_find(f, name);
}

const char *dotted_text(Arena *a, const Node *n)
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
const char *file_full_path(const FrontFile *f, const char *path)
{
    for (int i = 0; i < MAX_ALIASES; i++) {
        size_t n = strcspn(path, ".");
        Sym first = intern_n(f->interner, path, n);
        const AstImport *import = file_import(f, first);
        const AstGlobal *global = file_global(f, first);
        const char *target = global ? dotted_text(f->arena, global->value) : NULL;

        if (import && import->full)
            return arena_printf(f->arena, "%s%s", import->full, path + n);
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

static const char *full_name(const FrontFile *f, const Node *n, int aliases, Arena *a);

/* Of what an import brings from another file. */
static const char *full_name_there(const AstImport *import, int aliases, Arena *a)
{
    const AstGlobal *g = file_global(import->file, import->target);
    const char *name = g ? full_name(import->file, g->value, aliases, a) : NULL;

    return name ? name : arena_printf(a, "%s.%s", import->module, import->target);
}

/* As file_full_path(); `aliases` may still be followed. */
static const char *full_name(const FrontFile *f, const Node *n, int aliases, Arena *a)
{
    const AstImport *import = n->kind == N_NAME ? file_import(f, n->name) : NULL;
    const AstGlobal *global = n->kind == N_NAME ? file_global(f, n->name) : NULL;
    const char *left = NULL;

    if (n->kind == N_ATTRIBUTE) {
        left = full_name(f, n->left, aliases, a);
        return left ? arena_printf(a, "%s.%s", left, n->name) : NULL;
    }
    if (import && import->full)
        return import->full;
    if (import && import->file && import->target && aliases > 0)
        return full_name_there(import, aliases - 1, a);
    if (import)
        return import->member ? arena_printf(a, "%s.%s", import->module, import->member)
                              : import->module;
    if (global && aliases > 0)
        left = full_name(f, global->value, aliases - 1, a);
    return left ? left : n->kind == N_NAME ? n->name : NULL;
}

const char *file_full_name_in(const FrontFile *f, const Node *n, Arena *a)
{
    return full_name(f, n, MAX_ALIASES, a);
}

const char *file_full_name(const FrontFile *f, const Node *n)
{
    return file_full_name_in(f, n, f->arena);
}

/* --- bindings: of several for one name, the one that counts --- */

static void bind_name(Map *m, Sym name, void *value, bool better)
{
    if (better || !map_get(m, MAP_KEY(name)))
        map_put(m, MAP_KEY(name), value);
}

static void bind_import(FrontFile *f, AstImport *import)
{
    import->other = map_get(f->import_of, MAP_KEY(import->name));
    map_put(f->import_of, MAP_KEY(import->name), import);
}

/* The last one counts, then those before it, then those that go last, in the order of the file. */
static void bind_imports(FrontFile *f)
{
    for (int i = f->nimports - 1; i >= 0; i--) {
        if (f->imports[i].goes_last)
            bind_import(f, &f->imports[i]);
    }
    for (int i = 0; i < f->nimports; i++) {
        if (!f->imports[i].goes_last)
            bind_import(f, &f->imports[i]);
    }
}

/* What an `except` block assigns counts only where nothing else does. */
static void chain_assignment(FrontFile *f, AstGlobal *g)
{
    Map *names = map_get(f->scopes, MAP_KEY(g->scope));
    AstGlobal *last;

    if (!names)
        map_put(f->scopes, MAP_KEY(g->scope), names = map_new(f->arena));
    last = map_get(names, MAP_KEY(g->name));
    if (last && g->in_except && !last->in_except) {
        while (last->instead)
            last = (AstGlobal *)last->instead;
        last->instead = g;
        return;
    }
    if (last && g->in_except == last->in_except)
        g->earlier = last;
    map_put(names, MAP_KEY(g->name), g);
}

static void bind_globals(FrontFile *f)
{
    for (int i = 0; i < f->nglobals; i++) {
        AstGlobal *g = &f->globals[i];

        g->file = f;
        if (!g->is_augmented)
            bind_name(f->global_of, g->name, g, !g->in_except);
        chain_assignment(f, g);
    }
}

/* Functions and classes with a kernel inside. */
static Map *scopes_around_kernels(const FrontFile *f)
{
    Map *around = map_new(f->arena);

    for (int i = 0; i < f->nfuncs; i++) {
        for (const AstScope *s = f->funcs[i]->scope; s; s = s->outer) {
            if (f->funcs[i]->is_jit || f->funcs[i]->is_constexpr_function)
                map_put(around, MAP_KEY(s), around);
        }
    }
    return around;
}

static void bind_locals(FrontFile *f, const Scan *scan)
{
    Map *around = scopes_around_kernels(f);
    AstGlobals locals = {0};

    for (int i = 0; i < scan->defs.len; i++) {
        if (map_get(around, MAP_KEY(scan->defs.at[i].body)))
            scan_parameters(f->arena, f->interner, f->source, &scan->defs.at[i], &locals);
    }
    for (int i = 0; i < scan->locals.len; i++) {
        if (map_get(around, MAP_KEY(scan->locals.at[i].scope)) ||
            class_is_body(f, scan->locals.at[i].scope))
            scan_assignments(f->arena, f->interner, f->source, &scan->locals.at[i], &locals);
    }
    for (int i = 0; i < locals.len; i++) {
        locals.at[i].file = f;
        chain_assignment(f, &locals.at[i]);
    }
}

void file_bind_functions(FrontFile *f)
{
    for (int i = 0; i < f->nfuncs; i++) {
        AstFunc *fn = f->funcs[i];
        const AstFunc *other = map_get(f->func_of, MAP_KEY(fn->name));

        bind_name(f->func_of, fn->name, fn, other && func_rank(fn) >= func_rank(other));
    }
}

/* --- functions --- */

static void read_name(const FrontFile *f, AstFunc *fn)
{
    Lexer lx;
    Token t;

    lex_init(&lx, f->interner, f->source, fn->extent);
    lex_next(&lx); /* def */
    t = lex_next(&lx);
    fn->name = t.kind == T_NAME ? t.name : intern(f->interner, "");
    fn->span = (Span){fn->extent.start, t.span.end};
}

static AstFunc *new_function(FrontFile *f, const ScanDef *def, bool in_kernel)
{
    AstFunc *fn = NEW(f->arena, AstFunc);

    fn->file = f;
    fn->scope = def->scope;
    fn->extent = def->extent;
    fn->in_except = def->in_except;
    fn->choice = def->choice;
    for (int i = 0; i < def->ndecorators && !in_kernel; i++) {
        Decorator kind = decorator_at(f, def->decorators[i]);

        fn->is_jit |= kind == DECO_JIT;
        fn->is_constexpr_function |= kind == DECO_CONSTEXPR;
        fn->is_static |= kind == DECO_STATIC;
        fn->is_property |= kind == DECO_PROPERTY;
    }
    if (!fn->is_jit && !fn->is_constexpr_function) {
        read_name(f, fn);
        fn->is_decorated = def->ndecorators > 0;
        return fn;
    }
    parse_function(f->arena, f->interner, f->source, fn);
    decorators_read(f, fn, def);
    return fn;
}

/* Nothing inside a kernel is a kernel, so that all that is parsed is parsed once. */
static void read_functions(FrontFile *f, const Scan *scan)
{
    int most = scan->defs.len + f->nglobals; /* an assignment may make one more */
    bool *in_kernel = NEW_N(f->arena, bool, MAX(scan->defs.len, 1));

    f->nfuncs = scan->defs.len;
    f->defs = scan->defs.at;
    f->ndefs = scan->defs.len;
    f->funcs = NEW_N(f->arena, AstFunc *, MAX(most, 1));
    f->kernels = NEW_N(f->arena, AstFunc *, MAX(most, 1));
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

bool file_report_errors(const AstFunc *fn, Diags *d)
{
    for (int i = 0; i < fn->nerrors; i++)
        diag(d, DIAG_ERROR, fn->errors[i].span, "%s", fn->errors[i].message);
    return fn->nerrors > 0;
}

/* --- the file --- */

static bool is_text(const Source *src, Diags *d)
{
    static const char little[] = "\xff\xfe", big[] = "\xfe\xff"; /* byte order marks */
    const char *nul = memchr(src->text, '\0', src->len);

    if (!nul)
        return true;
    diag(d, DIAG_ERROR, source_whole(src), E_FILE_NOT_TEXT, (long)(nul - src->text));
    if (src->len >= 2 && (memcmp(src->text, little, 2) == 0 || memcmp(src->text, big, 2) == 0))
        diag(d, DIAG_HINT, source_whole(src), H_FILE_UTF16);
    return false;
}

/* Does the decorator's name end in `jit`, though it is not Triton's? */
static bool is_foreign_jit(const FrontFile *f, Span decorator)
{
    const char *text = source_at(f->source, decorator.start);
    uint32_t n = decorator.end - decorator.start;

    for (uint32_t i = 0; i < n; i++) {
        if (!is_name_char(text[i]) && text[i] != '.')
            n = i;
    }
    return n >= 3 && memcmp(text + n - 3, "jit", 3) == 0;
}

static void note_foreign_jit(const FrontFile *f, Diags *d)
{
    for (int i = 0; i < f->ndefs; i++) {
        for (int k = 0; k < f->defs[i].ndecorators; k++) {
            if (is_foreign_jit(f, f->defs[i].decorators[k]))
                diag(d, DIAG_NOTE, f->defs[i].decorators[k], NOTE_FOREIGN_JIT);
        }
    }
}

/* Is there a string that takes in all that stands behind it? */
static bool note_endless_string(const FrontFile *f, Diags *d)
{
    const Source *src = f->source;
    uint32_t end = (uint32_t)src->len, pos = 0;
    Line line = {0};
    Lexer lx;
    Token t;

    while (line_next(src->text, pos, end, &line))
        pos = line.end;
    lex_init_inside(&lx, f->interner, src, source_span(src, line.start, line.end));
    do
        t = lex_next(&lx);
    while (t.kind != T_END && t.kind != T_ERROR);
    bool found = t.kind == T_ERROR && strcmp(t.message, E_TRIPLE_STRING_END) == 0;
    if (found)
        diag(d, DIAG_NOTE, (Span){t.span.start, t.span.start + 3}, NOTE_ENDLESS_STRING);
    return found;
}

static void report_no_kernel(const FrontFile *f, Diags *d)
{
    enum { MOST = 5 };
    Text list = text_new(f->arena);
    int n = 0;

    for (int i = 0; i < f->nfuncs && n < MOST; i++) {
        if (!f->funcs[i]->scope)
            text_printf(&list, "%s`%s`", n++ ? ", " : "", f->funcs[i]->name);
    }
    diag(d, DIAG_ERROR, source_whole(f->source), E_FILE_NO_KERNEL);
    if (f->source->len == 0)
        diag(d, DIAG_HINT, source_whole(f->source), H_FILE_EMPTY);
    else if (!memchr(f->source->text, '\n', f->source->len))
        diag(d, DIAG_HINT, source_whole(f->source), H_FILE_ONE_LINE, (int)f->source->len);
    note_foreign_jit(f, d);
    bool endless = note_endless_string(f, d);
    if (n > 0)
        diag(d, DIAG_HINT, source_whole(f->source), H_FILE_HAS, list.s);
    else if (!endless && memchr(f->source->text, '\n', f->source->len))
        diag(d, DIAG_HINT, source_whole(f->source), H_FILE_NOTHING);
}

static bool is_package(const char *path)
{
    const char *slash = strrchr(path, '/');

    return strcmp(slash ? slash + 1 : path, "__init__.py") == 0;
}

FrontFile *file_read(FileSet *s, const Source *src, const char *folder)
{
    FrontFile *f = NEW(s->arena, FrontFile);
    Scan scan = {0};

    *f = (FrontFile){.arena = s->arena,
                     .interner = s->interner,
                     .set = s,
                     .source = src,
                     .folder = folder,
                     .is_package = is_package(src->path),
                     .eval_budget = MAX_EVALUATIONS};
    f->func_of = map_new(s->arena);
    f->import_of = map_new(s->arena);
    f->global_of = map_new(s->arena);
    f->scopes = map_new(s->arena);
    f->members = map_new(s->arena);
    f->submodules = map_new(s->arena);
    f->stars = map_new(s->arena);
    f->modules = map_new(s->arena);
    f->roots = NEW(s->arena, Folders);
    scan_file(s->arena, s->interner, src, &scan);
    f->imports = scan.imports.at;
    f->nimports = scan.imports.len;
    f->globals = scan.globals.at;
    f->nglobals = scan.globals.len;
    f->changed = map_new(s->arena);
    for (int i = 0; i < scan.changed.len; i++)
        map_put(f->changed, MAP_KEY(scan.changed.at[i]), f);
    bind_imports(f);
    bind_globals(f);
    classes_read(f, &scan);
    read_functions(f, &scan);
    file_bind_functions(f);
    bind_locals(f, &scan);
    decorators_finish(f);
    return f;
}

FrontFile *front_parse(Arena *a, Interner *interner, const Language *language, const Source *src,
                       const FrontOptions *options, Diags *d)
{
    FileSet *s = NEW(a, FileSet);
    const char *folder = path_folder(a, src->path);
    FrontFile *f;

    if (!is_text(src, d))
        return NULL;
    *s = (FileSet){
        .arena = a, .interner = interner, .language = language, .sources = diags_sources(d)};
    if (options)
        s->options = *options;
    if (s->options.host.find)
        s->answers = map_new(a);
    if (!define_read(s, d))
        return NULL;
    f = file_read(s, src, s->options.in_memory && !*folder ? NULL : folder);
    f->in_memory = s->options.in_memory;
    s->first = f;
    vec_push(a, &s->files, f);
    if (s->options.kernel) {
        host_function(f, s->options.kernel, "");
        decorators_collect(f);
    }
    decorators_follow(f);
    f->values = NEW_N(f->arena, PyFunction, f->nkernels + 1);
    for (int i = 0; i < f->nkernels; i++) {
        tuning_read(f, f->kernels[i]);
        f->values[i].def = f->kernels[i];
    }
    f->only_kernel = file_only_kernel(f);
    if (f->nkernels > 0)
        return f;
    report_no_kernel(f, d);
    return NULL;
}

int front_kernel_count(const FrontFile *f)
{
    return f->nkernels;
}

int front_only_kernel(const FrontFile *f)
{
    return f->only_kernel;
}

/* One that its bare name does not find goes by the names of what it is nested in. */
const char *front_kernel_name(const FrontFile *f, int i)
{
    const AstFunc *fn = f->kernels[i];

    return file_find(f, fn->name) == fn ? fn->name : front_kernel_full_name(f, i);
}

const char *file_qualified_name(const AstFunc *fn)
{
    const char *name = fn->name;

    for (const AstScope *s = fn->scope; s; s = s->outer)
        name = arena_printf(fn->file->arena, "%s.%s", s->name, name);
    return name;
}

const char *front_kernel_full_name(const FrontFile *f, int i)
{
    return file_qualified_name(f->kernels[i]);
}

const FrontTuning *front_tuning(const FrontFile *f, const char *kernel)
{
    const AstFunc *fn = file_find(f, intern(f->interner, kernel));

    return fn && fn->is_jit ? fn->tuning : NULL;
}

const char *front_print_ast(const FrontFile *f, const char *kernel, Arena *a)
{
    const AstFunc *fn = file_find(f, intern(f->interner, kernel));
    Text out = text_new(a);

    text_put(&out, "");
    if (fn && (fn->is_jit || fn->is_constexpr_function))
        ast_print(&out, fn);
    return out.s;
}

bool front_function(const FrontFile *f, const char *name, Const *out)
{
    for (int i = f->nkernels - 1; i >= 0; i--) { /* of several, the last one counts */
        if (strcmp(f->kernels[i]->name, name) != 0)
            continue;
        *out = (Const){.kind = CONST_FUNCTION, .function = &f->values[i]};
        return true;
    }
    return host_added_function(f, name, out);
}
