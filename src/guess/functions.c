/*
 * functions.c - the functions that a kernel's file defines, as syntax trees
 *
 * What `tilec list` shows and guesses from: the library says which of them are kernels, and what
 * their parameters take, but not what is written.
 */
#include "guess.h"
#include "../syntax/parse.h"

#include <string.h>

/* `def`, at the first character of a logical line. */
static bool is_def(const char *text, const Line *line)
{
    return line->end - line->start > 4 && strncmp(text + line->start, "def ", 4) == 0;
}

/* Where the body of the function ends whose first line this is. */
static uint32_t end_of_function(const Source *src, const Line *def)
{
    uint32_t end = (uint32_t)src->len;
    Line line;

    for (uint32_t at = def->end; line_next(src->text, at, end, &line); at = line.end) {
        if (line.indent <= def->indent)
            return line.start;
    }
    return end;
}

/* On one line, with a space for what is white. */
static void add_decorator(Text *out, const char *text, size_t n)
{
    bool space = out->len > 0;

    for (size_t i = 0; i < n; i++) {
        bool is_white = strchr(" \t\r\n", text[i]) != NULL;

        if (!is_white && space && out->len > 0 && !strchr("([{", out->s[out->len - 1]))
            text_put(out, " ");
        if (!is_white)
            text_putn(out, text + i, 1);
        space = is_white;
    }
}

static FileFunction read_function(Client *c, const SourceMap *map, const Source *src,
                                  const Line *def, const char *decorators)
{
    FileFunction out = {.decorators = decorators,
                        .is_jit = decorators && strstr(decorators, "jit")};
    AstFunc *f = &out.syntax;

    f->extent = source_span(src, def->start, end_of_function(src, def));
    parse_function(c->arena, c->words, src, f);
    out.line = source_place(map, f->extent.start).line;
    return out;
}

/* The name inside `wrap(options)(wrap(NAME, option=...))`; NULL: there is none. */
static const char *wrapped_name(const Node *n)
{
    while (n->kind == N_CALL && n->nitems > 0)
        n = n->items[0];
    return n->kind == N_NAME ? n->name : NULL;
}

/* `NAME = wrap(FUNCTION)` at module level: the function under that name, too. */
static void read_wrapped(Client *c, const SourceMap *map, const Line *line, Functions *out)
{
    const char *text = out->source->text;
    uint32_t end = line->start, value;
    const FileFunction *inner;
    const char *name;
    Parser p;

    while (is_name_char(text[end]))
        end++;
    value = end + (uint32_t)strspn(text + end, " \t");
    if (line->indent > 0 || end == line->start || text[value] != '=' || text[value + 1] == '=')
        return;
    parser_init(&p, c->arena, c->words, out->source,
                source_span(out->source, value + 1, line->end));
    name = wrapped_name(parse_expression(&p));
    inner = name ? functions_find(out, name) : NULL;
    if (!inner)
        return;
    FileFunction f = *inner;
    Text decorators = text_new(c->arena);
    add_decorator(&decorators, text + line->start, line->end - line->start);
    f.syntax.name = intern_n(c->words, text + line->start, end - line->start);
    f.decorators = decorators.s;
    f.is_jit = true;
    f.line = source_place(map, out->source->base + line->start).line;
    vec_push(c->arena, &out->all, f);
}

const char *functions_read_source(Client *c, const char *path, size_t *n)
{
    char *text;
    int error;

    if (strcmp(path, "-") == 0)
        client_stop(c, CLIENT_USAGE,
                    "the kernel's file is read twice here: it cannot come from stdin");
    error = os_read_file(c->arena, path, LARGEST_SOURCE, &text, n);
    if (error)
        client_stop_at_file(c, path, strerror(error));
    return text;
}

Functions functions_of_file(Client *c, const char *path)
{
    size_t n;
    const char *text = functions_read_source(c, path, &n);
    SourceMap *map = source_map_new(c->arena);
    Text decorators = text_new(c->arena);
    Functions out = {0};
    Line line;

    out.source = source_add(map, path, text, n);
    for (uint32_t at = 0; line_next(text, at, (uint32_t)n, &line); at = line.end) {
        if (text[line.start] == '@')
            add_decorator(&decorators, text + line.start, line.end - line.start);
        else if (is_def(text, &line))
            vec_push(c->arena, &out.all, read_function(c, map, out.source, &line, decorators.s));
        else
            read_wrapped(c, map, &line, &out);
        if (text[line.start] != '@')
            decorators = text_new(c->arena);
    }
    return out;
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

bool functions_is_helper(const Functions *all, const char *name)
{
    const FileFunction *own = functions_find(all, name);

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
