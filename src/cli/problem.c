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

    if (c->status != TILEC_OK)
        return by_status[c->status];
    return c->code < COUNT(by_code) ? by_code[c->code] : "interrupted";
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

static const char error_word[] = "error: ", hint_word[] = "hint: ";

/* Where `word` stands in a line: at its start, or behind a place; NULL.  Lines of the source, which
 * may say anything, begin with blanks. */
static const char *word_in_line(const char *line, const char *word)
{
    size_t length = strcspn(line, "\n"), n = strlen(word);

    for (size_t i = 0; *line != ' ' && i + n <= length; i++) {
        if (strncmp(line + i, word, n) == 0 && (i == 0 || (i > 2 && line[i - 2] == ':')))
            return line + i;
    }
    return NULL;
}

/* The rest of a line behind the word that it has. */
static const char *text_behind(Arena *a, const char *line, const char *word)
{
    return line_at(a, word_in_line(line, word) + strlen(word));
}

static const char *next_line(const char *s)
{
    s = strchr(s, '\n');
    return s ? s + 1 : NULL;
}

/* The line from `text` on that has the word; NULL. */
static const char *line_with(const char *text, const char *word)
{
    while (text && !word_in_line(text, word))
        text = next_line(text);
    return text;
}

/* The first error of a diagnostic, with its place if it has one, and the hint behind it. */
static void take_apart(Arena *a, const char *text, Problem *p)
{
    const char *line = line_with(text, error_word),
               *found = line ? word_in_line(line, error_word) : NULL;

    if (!found)
        return;
    const char *next = next_line(line) ? line_with(next_line(line), error_word) : NULL;
    const char *hint = line_with(line, hint_word);
    p->hint = hint && (!next || hint < next) ? text_behind(a, hint, hint_word) : NULL;
    p->message = line_at(a, found + strlen(error_word));
    if (found > line + 2) /* the place, and ": " */
        find_place(a, line, found - 2, p);
}

/* What cli_stop() has put in front of a text of ours. */
static void take_origin(Arena *a, const char *text, const Origin *at, Problem *p)
{
    size_t prefix = strlen(arena_printf(a, "%s:%d: ", at->file, at->line));

    p->file = at->file;
    p->line = at->line;
    p->message = line_at(a, text + MIN(prefix, strlen(text)));
}

static Problem problem_of(Arena *a, const Cli *c)
{
    const char *hint = line_with(c->trouble, hint_word);
    Problem p = {.message = line_at(a, c->trouble)};

    if (hint)
        p.hint = text_behind(a, hint, hint_word);
    if (c->status != TILEC_OK)
        take_apart(a, c->diagnosis ? c->diagnosis : c->trouble, &p);
    else if (c->trouble_at)
        take_origin(a, c->trouble, c->trouble_at, &p);
    if (!p.file)
        p.file = c->trouble_file;
    const char *guess = strstr(p.message, "; did you mean ");
    if (guess && !p.hint) {
        p.hint = guess + strlen("; ");
        p.message = arena_strndup(a, p.message, (size_t)(guess - p.message));
    }
    return p;
}

/* null for what is unknown. */
static void put_number(Text *t, const char *key, int value)
{
    if (value > 0)
        json_int(t, key, value);
    else
        json_text(t, key, NULL);
}

static const char *object_of(Arena *a, const Cli *c)
{
    Text t = text_new(a);
    Problem p = problem_of(a, c);

    json_object(&t, NULL);
    json_text(&t, "kind", kind_of(c));
    json_text(&t, "message", p.message);
    json_text(&t, "file", p.file);
    put_number(&t, "line", p.line);
    put_number(&t, "column", p.column);
    json_text(&t, "hint", p.hint);
    json_text(&t, "text", c->trouble);
    json_int(&t, "exit", (int)c->code);
    json_object_end(&t);
    return t.s;
}

/* In an arena of its own: that of the command may be what is full. */
char *problem_json(const Cli *c)
{
    Guard guard;
    Arena *volatile arena = NULL;
    char *volatile out = NULL;

    if (setjmp(guard.env) == 0) {
        arena = arena_new(&guard);
        out = strdup(object_of(arena, c));
    }
    arena_free(arena);
    return out;
}

/* In the arena; frees what it is given. */
static const char *keep(Cli *c, char *json)
{
    const char *kept = json ? arena_strndup(c->arena, json, strlen(json)) : "null";

    free(json);
    return kept;
}

const char *problem_kept(Cli *c)
{
    return keep(c, problem_json(c));
}

char *problem_json_of_fault(const Cli *c, const char *text, int exit_code)
{
    Cli ended = *c;

    ended.trouble = text;
    ended.trouble_at = NULL;
    ended.trouble_file = NULL;
    ended.diagnosis = NULL;
    ended.status = TILEC_FAULT;
    ended.code = (CliCode)exit_code;
    return problem_json(&ended);
}

const char *problem_of_fault(Cli *c, const char *text, int exit_code)
{
    return keep(c, problem_json_of_fault(c, text, exit_code));
}

char *problem_json_of_signal(int number)
{
    enum { OF_SIGNALS = 128 }; /* a shell's exit codes */
    const Cli ended = {.trouble = "a signal ended the command",
                       .code = (CliCode)(OF_SIGNALS + number)};

    return problem_json(&ended);
}

void problem_put_all(Text *t, const Cli *c)
{
    if (c->problems.len == 0)
        return;
    json_array(t, "problems");
    for (int i = 0; i < c->problems.len; i++)
        json_value(t, NULL, c->problems.at[i]);
    json_array_end(t);
}

LastWords crash_words(Cli *c, const char *kernel, bool checked)
{
    enum { OF_SIGNALS = 128 }; /* a shell's exit codes */
    Text t = text_new(c->arena);
    LastWords out = {.json = {"", ""}};

    text_put(&t, "kernel '");
    text_put_printable(&t, kernel);
    text_put(&t, "' reached memory outside of its arrays");
    text_put(&t, checked
                     ? ", which --check does not see of pointers that are themselves loaded, nor "
                       "of inline assembly"
                     : ": --check says where");
    out.text = colour_trouble(c->arena, arena_printf(c->arena, "tilec: %s\n", t.s));
    for (int i = 0; i < CRASH_SIGNALS && c->json; i++)
        out.json[i] =
            arena_printf(c->arena, "%s\n", problem_of_fault(c, t.s, OF_SIGNALS + crash_signal(i)));
    return out;
}
