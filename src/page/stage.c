/*
 * stage.c - the texts that the compiler gives of a kernel on its way, as lines that know which
 * lines of the source they are from
 *
 * Three forms say it.  Ops of the tile IR, and of plans, have their places behind them
 * (ir/print.c). LLVM's instructions have a number, of a table at the end.  In front of machine code
 * stand comments (api/listing.c), one for the line and one for each call around it.  None of these
 * is shown: the page has a column for them.
 */
#include "page.h"
#include "../api/listing.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    PageFiles *files;
    Arena *arena;
    StageLines out;
} Reader;

static void add_line(Reader *r, const char *text, size_t n, PageLines of)
{
    StageLine line = {arena_strndup(r->arena, text, n), of};

    for (int i = 0; i < of.len; i++) {
        const PageFile *file = &r->files->all.at[of.at[i].file];
        files_note(r->files, file->path, of.at[i].line);
    }
    vec_push(r->arena, &r->out, line);
}

static void add_place(Reader *r, PageLines *to, const char *path, int line)
{
    if (line > 0)
        vec_push(r->arena, to, ((PageLine){files_find(r->files, path), line}));
}

/* PATH:LINE, of n bytes. */
static void add_place_text(Reader *r, PageLines *to, const char *text, size_t n)
{
    char *path = arena_strndup(r->arena, text, n), *colon = strrchr(path, ':');

    if (!colon)
        return;
    *colon = '\0';
    add_place(r, to, path, atoi(colon + 1));
}

/* --- tile IR, plans --- */

static const char *last_in(const char *text, size_t n, const char *what)
{
    size_t k = strlen(what);

    for (size_t i = n; i >= k; i--) {
        if (memcmp(text + i - k, what, k) == 0)
            return text + i - k;
    }
    return NULL;
}

/* `  # k.py:7 @[ k.py:16 ]` */
static void read_op(Reader *r, const char *text, size_t n)
{
    static const char mark[] = "  # ", call[] = " @[ ", end[] = " ]";
    const char *places = last_in(text, n, mark);
    PageLines of = {0};

    if (!places) {
        add_line(r, text, n, of);
        return;
    }
    char *at =
        arena_strndup(r->arena, places + strlen(mark), (size_t)(text + n - places) - strlen(mark));
    for (char *next; at; at = next) {
        next = strstr(at, call);
        size_t len = next ? (size_t)(next - at) : strlen(at);
        next = next ? next + strlen(call) : NULL;
        if (len > strlen(end) && memcmp(at + len - strlen(end), end, strlen(end)) == 0)
            len -= strlen(end);
        add_place_text(r, &of, at, len);
    }
    add_line(r, text, (size_t)(places - text), of);
}

/* --- LLVM --- */

/* An entry of the table. */
typedef struct {
    int line, scope, file, called; /* called: the place of the call; -1 */
    const char *path;              /* of a file */
} Node;
typedef struct {
    VEC(Node) at;
} Nodes;

static int number_behind(const char *text, const char *field)
{
    const char *at = strstr(text, field);

    return at ? atoi(at + strlen(field)) : -1;
}

/* A text in quotes, in which \5C is a backslash. */
static const char *text_behind(Arena *a, const char *text, const char *field)
{
    const char *at = strstr(text, field);
    Text out = text_new(a);

    text_put(&out, "");
    for (at = at ? at + strlen(field) : ""; *at && *at != '"'; at++) {
        const char hex[] = {at[1], at[1] ? at[2] : '\0', '\0'};
        const char byte = *at == '\\' ? (char)strtol(hex, NULL, 16) : *at;
        text_putn(&out, &byte, 1);
        at += *at == '\\' && hex[1] ? 2 : 0;
    }
    return out.s;
}

static Nodes read_nodes(Arena *a, const char *text)
{
    Nodes nodes = {0};

    for (const char *at = text; at; at = (at = strchr(at, '\n')) ? at + 1 : NULL) {
        if (at[0] != '!' || at[1] < '0' || at[1] > '9')
            continue;
        const char *line = arena_strndup(a, at, strcspn(at, "\n"));
        Node n = {.line = number_behind(line, "line: "),
                  .scope = number_behind(line, "scope: !"),
                  .file = number_behind(line, "file: !"),
                  .called = number_behind(line, "inlinedAt: !"),
                  .path = strstr(line, "!DIFile(") ? text_behind(a, line, "filename: \"") : NULL};
        int number = atoi(at + 1);
        while (nodes.at.len <= number)
            vec_push(a, &nodes.at, ((Node){-1, -1, -1, -1, NULL}));
        if (number >= 0)
            nodes.at.at[number] = n;
    }
    return nodes;
}

static const Node *node_at(const Nodes *nodes, int i)
{
    return i >= 0 && i < nodes->at.len ? &nodes->at.at[i] : NULL;
}

static PageLines places_of_node(Reader *r, const Nodes *nodes, int i)
{
    PageLines of = {0};

    for (const Node *n; (n = node_at(nodes, i)) != NULL; i = n->called) {
        const Node *scope = node_at(nodes, n->scope);
        const Node *file = scope ? node_at(nodes, scope->file) : NULL;
        if (file && file->path)
            add_place(r, &of, file->path, n->line);
    }
    return of;
}

static void read_llvm(Reader *r, const Nodes *nodes, const char *text, size_t n)
{
    static const char mark[] = "!dbg !";
    const char *dbg = last_in(text, n, mark);

    if (text[0] == '!')
        return;
    if (!dbg) {
        add_line(r, text, n, (PageLines){0});
        return;
    }
    PageLines of = places_of_node(r, nodes, atoi(dbg + strlen(mark)));
    const char *rest = dbg + strlen(mark) + strspn(dbg + strlen(mark), "0123456789");
    Text line = text_new(r->arena);
    size_t head = (size_t)(dbg - text);

    while (head > 0 && (text[head - 1] == ' ' || text[head - 1] == ','))
        head--;
    text_putn(&line, text, head);
    text_putn(&line, rest, (size_t)(text + n - rest));
    if (strncmp(text, "define", strlen("define")) == 0)
        of = (PageLines){0};
    add_line(r, line.s, line.len, of);
}

/* --- machine code --- */

typedef struct {
    PageLines now;
    bool in_comments; /* the line before was one of a place */
} Assembly;

static bool read_comment(Reader *r, Assembly *s, const char *text, size_t n)
{
    const char *path;
    size_t len;
    int line = listing_place(text, n, &path, &len);

    if (line == 0)
        return false;
    if (!s->in_comments)
        s->now = (PageLines){0};
    s->in_comments = true;
    add_place(r, &s->now, arena_strndup(r->arena, path, len), line);
    return true;
}

static bool begins(const char *text, const char *const *starts, int n)
{
    for (int i = 0; i < n; i++) {
        if (strncmp(text, starts[i], strlen(starts[i])) == 0)
            return true;
    }
    return false;
}

static void read_assembly(Reader *r, Assembly *s, const char *text, size_t n)
{
    static const char *const ends[] = {".Lfunc_end", "\t.cfi_endproc", "\t.section", "}"},
                             *const noise[] = {"\t.loc\t", "\t.file\t",      "$L__tmp",
                                               ".Ltmp",    "\t//## File \"", "\t.cfi_"};

    if (read_comment(r, s, text, n))
        return;
    s->in_comments = false;
    if (begins(text, ends, COUNT(ends)))
        s->now = (PageLines){0};
    if (n > 0 && !begins(text, noise, COUNT(noise)))
        add_line(r, text, n, s->now);
}

StageLines stage_lines(PageFiles *f, const ViewStage *stage)
{
    Reader r = {.files = f, .arena = f->arena};
    Assembly assembly = {0};
    bool is_llvm = strcmp(stage->name, "llvm") == 0, is_ops = strchr(stage->name, ':') != NULL;
    const Nodes nodes = is_llvm ? read_nodes(r.arena, stage->text) : (Nodes){0};

    for (const char *at = stage->text; *at;) {
        size_t n = strcspn(at, "\n");
        if (is_ops)
            read_op(&r, at, n);
        else if (is_llvm)
            read_llvm(&r, &nodes, at, n);
        else
            read_assembly(&r, &assembly, at, n);
        at += n + (at[n] == '\n');
    }
    return r.out;
}
