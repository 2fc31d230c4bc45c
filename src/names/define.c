/*
 * define.c - globals whose values the user gives: --define NAME=VALUE
 *
 * Each becomes an assignment in a text of its own, so that messages can show it, and stands before
 * all that the files say about the name.  MODULE.NAME is a global of another file, whose path ends
 * with that module.
 */
#include <string.h>

#include "../syntax/parse.h"
#include "file.h"
#include "messages.h"

static const char names_of_values[] = "import math\n"
                                      "import triton\n"
                                      "import triton.language as tl\n"
                                      "from triton.language import *\n";

/* The assignment that a define is; NULL after an error. */
static const Node *parse_define(FileSet *s, const FrontDefine *given, Diags *d)
{
    const char *text = arena_printf(s->arena, "%s = %s", given->name, given->value);
    const Source *src = source_add(s->sources, "--define", text, strlen(text));
    Parser p;
    const Node *n;

    if (!src) {
        diag(d, DIAG_ERROR, (Span){0}, E_DEFINE, given->name);
        return NULL;
    }
    parser_init(&p, s->arena, s->interner, src, source_span(src, 0, (uint32_t)src->len));
    n = parse_simple_statement(&p);
    if (p.tok.kind == T_NEWLINE)
        advance(&p);
    if (p.tok.kind == T_END && n->kind == N_ASSIGN && n->nitems == 1 &&
        dotted_text(s->arena, n->items[0]))
        return n;
    diag(d, DIAG_ERROR, source_span(src, 0, (uint32_t)src->len), E_DEFINE, given->name);
    diag(d, DIAG_HINT, (Span){0}, H_DEFINE);
    return NULL;
}

static void add_define(FileSet *s, FrontFile *file, const Node *assignment)
{
    FileDefine *define = NEW(s->arena, FileDefine);
    const Node *target = assignment->items[0];

    define->module = target->left ? dotted_text(s->arena, target->left) : NULL;
    define->global = (AstGlobal){.name = target->name,
                                 .file = file,
                                 .value = assignment->right,
                                 .span = target->span,
                                 .start = UINT32_MAX};
    define->next = map_get(s->defines, MAP_KEY(target->name));
    map_put(s->defines, MAP_KEY(target->name), define);
    vec_push(s->arena, &s->given, define);
}

bool define_read(FileSet *s, Diags *d)
{
    const Source *src;
    FrontFile *file;

    if (s->options.ndefines == 0)
        return true;
    src = source_add(s->sources, "--define", names_of_values, sizeof names_of_values - 1);
    file = src ? file_read(s, src, NULL) : NULL;
    if (!file)
        return false;
    file->is_given = file->in_memory = true;
    s->defines = map_new(s->arena);
    for (int i = 0; i < s->options.ndefines; i++) {
        const Node *n = parse_define(s, &s->options.defines[i], d);

        if (!n)
            return false;
        add_define(s, file, n);
    }
    return true;
}

/* Is the file's path, with dots for its slashes, MODULE or something.MODULE? */
static bool is_module(const FrontFile *f, const char *module)
{
    const char *path = f->is_package && f->folder ? f->folder : f->source->path;
    size_t n = strlen(path), m = strlen(module);

    if (path != f->folder && n > 3 && strcmp(path + n - 3, ".py") == 0)
        n -= 3;
    if (n < m || (n > m && path[n - m - 1] != '/'))
        return false;
    for (size_t i = 0; i < m; i++) {
        if (path[n - m + i] != (module[i] == '.' ? '/' : module[i]))
            return false;
    }
    return true;
}

static bool is_for(const FileDefine *d, const FrontFile *f)
{
    return d->module ? is_module(f, d->module) : f == f->set->first;
}

const AstGlobal *define_find(const FrontFile *f, Sym name)
{
    const FileDefine *d = f->set->defines ? map_get(f->set->defines, MAP_KEY(name)) : NULL;

    for (; d; d = d->next) {
        if (is_for(d, f))
            return &d->global;
    }
    return NULL;
}

bool define_is_bound(const FileSet *s, const FileDefine *d)
{
    Sym name = d->global.name;

    for (int i = 0; i < s->files.len; i++) {
        const FrontFile *f = s->files.at[i];

        if (is_for(d, f) && (map_get(f->global_of, MAP_KEY(name)) || file_import(f, name) ||
                             file_member_function(f, name)))
            return true;
    }
    return false;
}
