/*
 * colour.c - what is said on stderr, in colours where there is somebody to see them
 *
 * The text is the same with and without: a line is known by how it begins, as in problem.c, and
 * the codes are put around parts of it.  The colours are those of gcc and clang:
 *
 *     add.py:7:12: error: cannot add        the place bold, the word red
 *         y = x + z
 *             ^~~~~                          green
 *     hint: broadcast one of them            the word green; a warning's magenta, a note's cyan
 *
 * Lines of a source and what kernels print begin with blanks or lack these words, and stay as
 * they are.  The debugger's tables go to stdout: rows begin with their index.
 */
#define _GNU_SOURCE /* vasprintf */
#include "terminal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BOLD "\033[1m"
#define RED "\033[1;31m"
#define GREEN "\033[1;32m"
#define MAGENTA "\033[1;35m"
#define CYAN "\033[1;36m"
#define FAINT "\033[2m"
#define PLAIN "\033[0m"

static const char tilec_word[] = "tilec:";

static const struct {
    const char *word, *colour;
} kinds[] = {{"error:", RED},
             {"warning:", MAGENTA},
             {"static_print:", CYAN},
             {"note:", CYAN},
             {"hint:", GREEN}};

static bool is_on;

/* --- when --- */

static bool is_set(const char *name)
{
    const char *value = os_env(name);

    return value && value[0];
}

static bool wants_colours(void)
{
    if (is_set("NO_COLOR"))
        return false;
    if (is_set("CLICOLOR_FORCE") && strcmp(os_env("CLICOLOR_FORCE"), "0") != 0)
        return true;
    return os_terminal_draws(2);
}

bool colour_choose(const char *when)
{
    bool is_always = strcmp(when, "always") == 0, is_auto = strcmp(when, "auto") == 0;

    if (!is_always && !is_auto && strcmp(when, "never") != 0)
        return false;
    is_on = is_always || (is_auto && wants_colours());
    return true;
}

void colour_find(int nwords, char *const *words)
{
    static const char option[] = "--color";
    const size_t n = sizeof option - 1;

    colour_choose("auto");
    for (int i = 0; i < nwords && strcmp(words[i], "--") != 0; i++) {
        bool is_it = strncmp(words[i], option, n) == 0;

        if (is_it && words[i][n] == '=')
            colour_choose(words[i] + n + 1);
        else if (is_it && !words[i][n] && i + 1 < nwords)
            colour_choose(words[i + 1]);
    }
}

/* --- what --- */

static void put(Text *t, const char *colour, const char *s, size_t n)
{
    text_put(t, colour);
    text_putn(t, s, n);
    text_put(t, PLAIN);
}

/* Which kind of message a line says it is, and where the word for it stands; -1: none. */
static int kind_of(const char *line, size_t n, size_t *at)
{
    for (size_t i = 0; i < n; i++) {
        bool may_begin = i == 0 || (i > 1 && line[i - 2] == ':' && line[i - 1] == ' ');

        for (int k = 0; may_begin && k < COUNT(kinds); k++) {
            size_t length = strlen(kinds[k].word);

            *at = i;
            if (i + length <= n && strncmp(line + i, kinds[k].word, length) == 0)
                return k;
        }
    }
    return -1;
}

/* Of a line that begins with blanks: under which characters of the line before are marks? */
static void put_source(Text *t, const char *line, size_t n)
{
    size_t blanks = strspn(line, " \t"), marks = strspn(line + blanks, "^~");

    if (line[blanks] == '^' && blanks + marks == n) {
        text_putn(t, line, blanks);
        put(t, GREEN, line + blanks, marks);
    } else {
        text_putn(t, line, n);
    }
}

static void put_line(Text *t, const char *line, size_t n, const char *front)
{
    size_t word = sizeof tilec_word - 1, at = 0;
    int kind = line[0] == ' ' ? -1 : kind_of(line, n, &at);

    if (kind >= 0) {
        size_t length = strlen(kinds[kind].word);

        if (at > 0)
            put(t, BOLD, line, at);
        put(t, kinds[kind].colour, line + at, length);
        text_putn(t, line + at + length, n - at - length);
    } else if (n >= word && strncmp(line, tilec_word, word) == 0) {
        put(t, front, line, word);
        text_putn(t, line + word, n - word);
    } else {
        put_source(t, line, n);
    }
}

static const char *painted(Arena *a, const char *text, const char *front)
{
    Text t = text_new(a);

    text_put(&t, "");
    while (is_on && *text) {
        size_t n = strcspn(text, "\n");

        put_line(&t, text, n, front);
        text_putn(&t, text + n, text[n] == '\n');
        text += n + (text[n] == '\n');
    }
    return is_on ? t.s : text;
}

const char *colour_trouble(Arena *a, const char *text)
{
    return painted(a, text, RED);
}

/* An element: no finite number, or one that was not loaded and stands in parentheses. */
static const char *colour_of_element(const char *word, size_t n)
{
    static const char *const odd[] = {"nan", "inf", "-inf"};

    if (n > 2 && word[0] == '(' && word[n - 1] == ')')
        return FAINT;
    for (int i = 0; i < COUNT(odd); i++) {
        if (strlen(odd[i]) == n && memcmp(odd[i], word, n) == 0)
            return RED;
    }
    return NULL;
}

static void put_row(Text *t, const char *row, size_t n)
{
    for (size_t i = 0, len; i < n; i += len) {
        bool is_blank = row[i] == ' ';
        len = MIN(is_blank ? strspn(row + i, " ") : strcspn(row + i, " \n"), n - i);
        const char *colour = is_blank ? NULL : colour_of_element(row + i, len);

        if (colour)
            put(t, colour, row + i, len);
        else
            text_putn(t, row + i, len);
    }
}

const char *colour_tables(Arena *a, const char *text)
{
    Text t = text_new(a);

    if (!is_on || !os_terminal_draws(STDOUT_FILENO))
        return text;
    text_put(&t, "");
    while (*text) {
        size_t n = strcspn(text, "\n");

        if (isdigit((unsigned char)*text))
            put_row(&t, text, n);
        else
            text_putn(&t, text, n);
        text_putn(&t, text + n, text[n] == '\n');
        text += n + (text[n] == '\n');
    }
    return t.s;
}

const char *colour_name(void)
{
    return is_on ? BOLD "tilec:" PLAIN : tilec_word;
}

/* --- saying it --- */

/* The arena is one of its own: what says this may be another thread, or be out of memory. */
static void print(const char *text, const char *front)
{
    Guard guard;
    Arena *volatile arena = NULL;

    if (setjmp(guard.env) == 0) {
        arena = arena_new(&guard);
        fputs(painted(arena, text, front), stderr);
    } else {
        fputs(text, stderr);
    }
    arena_free(arena);
}

static void print_v(const char *front, const char *fmt, va_list ap)
{
    char *text = NULL;
    va_list again;

    va_copy(again, ap);
    if (vasprintf(&text, fmt, ap) < 0)
        vfprintf(stderr, fmt, again);
    else
        print(text, front), free(text);
    va_end(again);
}

void terminal_say(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    print_v(BOLD, fmt, ap);
    va_end(ap);
}

void terminal_say_trouble(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    print_v(RED, fmt, ap);
    va_end(ap);
}

void terminal_line(FILE *out, const char *text)
{
    Guard guard;
    Arena *volatile arena = NULL;

    if (setjmp(guard.env) == 0) {
        arena = arena_new(&guard);
        Text t = text_new(arena);
        text_put_printable(&t, text);
        fprintf(out, "%s\n", t.s);
    }
    arena_free(arena);
}
