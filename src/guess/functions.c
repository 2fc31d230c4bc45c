/*
 * functions.c - the functions that a kernel's file defines, as syntax trees
 *
 * What `tilec list` shows and guesses from: the library says which of them are kernels, and what
 * their parameters take, but not what is written.  The front end's own scan finds them.
 */
#include "guess.h"
#include "../syntax/parse.h"
#include "../syntax/scan.h"

#include <errno.h>
#include <string.h>

/* On one line, with a space for what is white. */
static void put_line(Text *out, const Source *src, Span span)
{
    const char *text = source_at(src, span.start);
    bool space = false;

    for (size_t i = 0; i < span.end - span.start; i++) {
        bool is_white = strchr(" \t\r\n", text[i]) != NULL;

        if (!is_white && space && out->len > 0 && !strchr("([{", out->s[out->len - 1]))
            text_put(out, " ");
        if (!is_white)
            text_putn(out, text + i, 1);
        space = is_white;
    }
}

static const char *decorators_text(Client *c, const Source *src, const ScanDef *d)
{
    Text t = text_new(c->arena);

    for (int i = 0; i < d->ndecorators; i++) {
        text_put(&t, i > 0 ? " @" : "@");
        put_line(&t, src, d->decorators[i]);
    }
    return t.len > 0 ? t.s : NULL;
}

static void read_function(Client *c, const ScanDef *d, Functions *out)
{
    FileFunction f = {.decorators = decorators_text(c, out->source, d),
                      .start = d->extent.start,
                      .indent = d->indent};

    f.is_jit = f.decorators && strstr(f.decorators, "jit");
    f.syntax.name = d->body->name;
    f.syntax.extent = d->extent;
    vec_push(c->arena, &out->all, f);
}

static void read_body(Client *c, Functions *all, FileFunction *f)
{
    parse_function(c->arena, c->words, all->source, &f->syntax);
    f->line = source_place(all->map, f->start).line;
}

/* The name inside `wrap(options)(wrap(NAME, option=...))`; NULL: there is none. */
static const char *wrapped_name(const Node *n)
{
    while (n->kind == N_CALL && n->nitems > 0)
        n = n->items[0];
    return n->kind == N_NAME ? n->name : NULL;
}

/* `NAME = wrap(FUNCTION)` at module level: the function under that name, too. */
static void read_wrapped(Client *c, const AstGlobal *g, Functions *out)
{
    const char *name = g->is_augmented ? NULL : wrapped_name(g->value);
    const FileFunction *inner = name ? functions_find(out, name) : NULL;
    Text statement = text_new(c->arena);
    FileFunction f;

    if (!inner)
        return;
    f = *inner;
    put_line(&statement, out->source, (Span){g->start, g->value->span.end});
    f.decorators = statement.s;
    f.syntax.name = g->name;
    f.is_jit = true;
    f.start = g->start;
    f.line = f.line ? source_place(out->map, g->start).line : 0;
    f.indent = 0;
    vec_push(c->arena, &out->all, f);
}

static const char *read_source(Client *c, const char *path, size_t *n)
{
    char *text;
    int error;

    if (strcmp(path, "-") == 0)
        client_stop(c, CLIENT_USAGE,
                    "the kernel's file is read twice here: it cannot come from stdin");
    error = os_read_file(c->arena, path, LARGEST_SOURCE, &text, n);
    if (error == EISDIR)
        client_stop_at_file(c, path, "this is a folder; a kernel's file stands here, FILE.py");
    if (error)
        client_stop_at_file(c, path,
                            arena_printf(c->arena, "%s%s", strerror(error),
                                         error == ENOENT ? os_missing(c->arena, path) : ""));
    return text;
}

static Functions read_file(Client *c, const char *path, bool bodies)
{
    size_t n;
    const char *text = read_source(c, path, &n);
    SourceMap *map = source_map_new(c->arena);
    Functions out = {.map = map, .source = source_add(map, path, text, n)};
    Scan file = {0};

    scan_file(c->arena, c->words, out.source, &file);
    for (int i = 0; i < file.defs.len; i++)
        read_function(c, &file.defs.at[i], &out);
    for (int i = 0; bodies && i < file.defs.len; i++)
        read_body(c, &out, &out.all.at[i]);
    for (int i = 0; i < file.globals.len; i++)
        read_wrapped(c, &file.globals.at[i], &out);
    return out;
}

Functions functions_of_file(Client *c, const char *path)
{
    return read_file(c, path, true);
}

Functions functions_named(Client *c, const char *path)
{
    return read_file(c, path, false);
}

Functions functions_once_read(Client *c, const char *path)
{
    Functions none = {0};

    return strcmp(path, "-") == 0 ? none : functions_of_file(c, path);
}

const FileFunction *functions_find(const Functions *all, const char *name)
{
    const char *dot = strrchr(name, '.'); /* the full name of one that is nested */

    for (int i = all->all.len - 1; i >= 0; i--) {
        if (strcmp(all->all.at[i].syntax.name, dot ? dot + 1 : name) == 0)
            return &all->all.at[i];
    }
    return NULL;
}

static bool holds(const Node *n, NodeKind kind, const char *name)
{
    bool found = n && n->kind == kind && (name ? strcmp(n->name, name) == 0 : n->left != NULL);

    if (!n)
        return false;
    for (int i = 0; i < n->nitems && !found; i++)
        found = holds(n->items[i], kind, name);
    for (int i = 0; i < n->nbody && !found; i++)
        found = holds(n->body[i], kind, name);
    for (int i = 0; i < n->norelse && !found; i++)
        found = holds(n->orelse[i], kind, name);
    return found || holds(n->left, kind, name) || holds(n->right, kind, name) ||
           holds(n->extra, kind, name);
}

static bool body_holds(const AstFunc *f, NodeKind kind, const char *name)
{
    for (int i = 0; i < f->nbody; i++) {
        if (holds(f->body[i], kind, name))
            return true;
    }
    return false;
}

/* Called by way of an object, with that as its first argument. */
static bool is_method(const FileFunction *f)
{
    return f->indent > 0 && f->syntax.nparams > 0 && f->syntax.params[0].name &&
           strcmp(f->syntax.params[0].name, "self") == 0;
}

bool functions_is_helper(const Functions *all, const char *name)
{
    const FileFunction *own = functions_find(all, name);

    if (own && is_method(own))
        return true;
    for (int i = 0; i < all->all.len; i++) {
        const FileFunction *f = &all->all.at[i];

        if (f->is_jit && f != own && body_holds(&f->syntax, N_NAME, name))
            return true;
    }
    return own && body_holds(&own->syntax, N_RETURN, NULL);
}

const char *functions_text(Client *c, const Functions *all, const Node *n)
{
    const char *text = source_at(all->source, n->span.start);

    return arena_strndup(c->arena, text, n->span.end - n->span.start);
}
