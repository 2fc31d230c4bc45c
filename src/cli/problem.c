/*
 * problem.c - what stopped a command, as one JSON object for programs
 *
 * A diagnostic of the compiler is taken apart at its first error: "FILE:LINE:COLUMN: error: TEXT",
 * the source line, and further down "hint: TEXT".  What the command itself says is its text, and
 * behind a line break a hint.
 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *message, *file, *hint; /* NULL: there is none */
    int line, column;                  /* 0: unknown */
} Problem;

/* The words for what is wrong, by what the library says or by the exit code. */
static const char *kind_of(const Cli *c)
{
    static const char *const by_status[] = {
        [TILEC_REFUSED] = "refused",  [TILEC_NOT_FOUND] = "usage",    [TILEC_IO] = "file",
        [TILEC_NO_MEMORY] = "memory", [TILEC_BAD_ARGUMENT] = "usage", [TILEC_FAILED] = "machine",
        [TILEC_FAULT] = "fault"};
    static const char *const by_code[] = {[CLI_DONE] = "done",
                                          [CLI_REFUSED] = "refused",
                                          [CLI_USAGE] = "usage",
                                          [CLI_FILES] = "file"};

    return c->status != TILEC_OK ? by_status[c->status] : by_code[c->code];
}

static const char *line_at(Arena *a, const char *s)
{
    return arena_strndup(a, s, strcspn(s, "\n"));
}

/* Cut ":NUMBER" off the end of `text`; 0 when there is none. */
static int cut_number(char *text)
{
    char *colon = strrchr(text, ':'), *end;
    long n = colon ? strtol(colon + 1, &end, 10) : 0;

    if (n <= 0 || *end || n > INT32_MAX)
        return 0;
    *colon = '\0';
    return (int)n;
}

static void find_place(Arena *a, const char *from, const char *to, Problem *p)
{
    char *place = arena_strndup(a, from, (size_t)(to - from));

    p->column = cut_number(place);
    p->line = cut_number(place);
    p->file = place;
}

/* Where `what` stands at the start of a line; NULL. */
static const char *line_with(const char *text, const char *what)
{
    const char *at = text;

    while (at && strncmp(at, what, strlen(what)) != 0) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    return at;
}

/* The first error of a diagnostic, with its place if it has one. */
static void take_apart(Arena *a, const char *text, Problem *p)
{
    static const char error[] = "error: ";
    const char *found = strstr(text, error), *start = found;

    if (!found)
        return;
    while (start > text && start[-1] != '\n')
        start--;
    p->message = line_at(a, found + strlen(error));
    if (found > start + 2) /* the place, and ": " */
        find_place(a, start, found - 2, p);
}

/* What stop() has put in front of a text of ours. */
static void take_origin(Arena *a, const char *text, const Origin *at, Problem *p)
{
    size_t prefix = strlen(arena_printf(a, "%s:%d: ", at->file, at->line));

    p->file = at->file;
    p->line = at->line;
    p->message = line_at(a, text + MIN(prefix, strlen(text)));
}

static Problem problem_of(const Cli *c)
{
    const char *hint = line_with(c->trouble, "hint: ");
    Problem p = {.message = line_at(c->arena, c->trouble)};

    if (hint)
        p.hint = line_at(c->arena, hint + strlen("hint: "));
    if (c->status != TILEC_OK)
        take_apart(c->arena, c->trouble, &p);
    else if (c->trouble_at)
        take_origin(c->arena, c->trouble, c->trouble_at, &p);
    const char *guess = strstr(p.message, "; did you mean ");
    if (guess && !p.hint) {
        p.hint = guess + strlen("; ");
        p.message = arena_strndup(c->arena, p.message, (size_t)(guess - p.message));
    }
    return p;
}

static void put_key(Text *t, const char *key, const char *value)
{
    text_printf(t, ", \"%s\": ", key);
    if (value)
        put_json_text(t, value);
    else
        text_put(t, "null");
}

/* null for what is unknown. */
static void put_number(Text *t, const char *key, int value)
{
    if (value > 0)
        text_printf(t, ", \"%s\": %d", key, value);
    else
        put_key(t, key, NULL);
}

const char *problem_json(const Cli *c)
{
    Text t = text_new(c->arena);
    Problem p = problem_of(c);

    text_put(&t, "{\"kind\": ");
    put_json_text(&t, kind_of(c));
    put_key(&t, "message", p.message);
    put_key(&t, "file", p.file);
    put_number(&t, "line", p.line);
    put_number(&t, "column", p.column);
    put_key(&t, "hint", p.hint);
    put_key(&t, "text", c->trouble);
    text_printf(&t, ", \"exit\": %d}\n", (int)c->code);
    return t.s;
}
