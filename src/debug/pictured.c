/*
 * pictured.c - what people ask for in words of who reads and writes what: `x access now`, and the
 * picture of it
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

enum { LETTERS = 96, LETTER_ROWS = 48 };

static const char *behind_blanks(const char *s)
{
    return s + strspn(s, " \t");
}

/* --- words --- */

void debug_program_named(const Debugger *d, const char **text, bool stars, int32_t out[3])
{
    const int32_t *grid = d->launch.grid;
    const char *s = *text, *whole = s;

    for (int i = 0; i < 3; i++) {
        char *end = (char *)s;

        out[i] = stars ? -1 : 0;
        if (i > 0 && *s != ',')
            continue;
        s = i > 0 ? behind_blanks(s + 1) : s;
        bool is_star = stars && *s == '*';
        long n = is_star ? -1 : strtol(s, &end, 10);
        if (!*whole)
            client_stop(d->client, CLIENT_USAGE, "program which? X,Y,Z of the grid %dx%dx%d%s",
                        grid[0], grid[1], grid[2], stars ? ", `*` for any" : "");
        if (!is_star && (end == s || n < 0 || n >= grid[i]))
            client_stop(d->client, CLIENT_USAGE,
                        "`%s` is no program of the grid %dx%dx%d: write X,Y,Z from 0 on%s", whole,
                        grid[0], grid[1], grid[2], stars ? ", `*` for any" : "");
        out[i] = (int32_t)n;
        s = behind_blanks(is_star ? s + 1 : end);
    }
    *text = s;
}

/* Does the text end with that word?  It is cut off then. */
static bool take_last_word(Arena *a, const char **text, const char *word)
{
    size_t n = strlen(*text), m = strlen(word);

    if (n <= m || strcmp(*text + n - m, word) != 0 || !strchr(" \t", (*text)[n - m - 1]))
        return false;
    for (n -= m; n > 0 && strchr(" \t", (*text)[n - 1]);)
        n--;
    *text = arena_strndup(a, *text, n);
    return true;
}

/* `.. program 3,0`: its number, `.. program`: of the one where the run stands; -1: of all. */
static int64_t take_program(const Debugger *d, const char **text)
{
    const char *at = NULL, *rest;
    int32_t program[3];

    if (take_last_word(d->client->arena, text, "program"))
        return d->now.program;
    for (const char *s = *text; (s = strstr(s, " program ")) != NULL; s++)
        at = s;
    if (!at)
        return -1;
    rest = behind_blanks(at + strlen(" program "));
    debug_program_named(d, &rest, false, program);
    if (*rest)
        client_stop(d->client, CLIENT_USAGE, "`%s` is more than a program", rest);
    *text = arena_strndup(d->client->arena, *text, (size_t)(at - *text));
    return debug_program_number(d, program);
}

/* An array's name with words behind it that are none of ours, nor of an expression. */
static void refuse_other_words(const Debugger *d, const char *text)
{
    static const char *const operators[] = {"if", "and", "or", "in", "is", "not"};
    const DebugValues none = {0};
    const char *word = behind_blanks(text + strcspn(text, " \t"));
    size_t n = strcspn(word, " \t");
    const char *name = arena_strndup(d->client->arena, text, strcspn(text, " \t"));

    for (int i = 0; i < COUNT(operators); i++) {
        if (strlen(operators[i]) == n && memcmp(operators[i], word, n) == 0)
            return;
    }
    if (isalpha((unsigned char)*word) && debug_array_named(d, name, &none))
        client_stop(d->client, CLIENT_USAGE,
                    "`%s`: behind an array stands `access` or `programs`, and behind that `now` "
                    "and `program X,Y,Z`",
                    word);
}

bool debug_picture_named(const Debugger *d, const char *text, DebugPicture *out)
{
    Arena *a = d->client->arena;

    *out = (DebugPicture){.program = -1};
    if (strstr(text, " access") || strstr(text, " programs"))
        out->program = take_program(d, &text);
    out->until_now = take_last_word(a, &text, "now");
    out->by_program = take_last_word(a, &text, "programs");
    if (!out->by_program && !take_last_word(a, &text, "access")) {
        refuse_other_words(d, text);
        return false;
    }
    out->name = text;
    return true;
}

/* --- the picture --- */

static const Accessed *accessed_named(const Debugger *d, const DebugAccesses *all, const char *name)
{
    Arena *a = d->client->arena;
    const char **names = NEW_N(a, const char *, all->len + 1);

    for (int i = 0; i < all->len; i++) {
        names[i] = all->at[i].name;
        if (strcmp(names[i], name) == 0)
            return &all->at[i];
    }
    client_stop(d->client, CLIENT_USAGE, "`%s` is no array of the launch%s", name,
                hint_text(a, name, names, all->len));
}

const Accessed *debug_picture_take(const Debugger *d, const DebugPicture *w, DebugAccessWish wish,
                                   const char **ended)
{
    wish.program = w->program;
    wish.until = w->until_now ? d : NULL;
    const DebugAccesses all = debug_accesses(&wish, d->client->arena, ended);
    return accessed_named(d, &all, w->name);
}

void debug_put_picture(const Debugger *d, Text *t, const DebugPicture *w, const Accessed *x,
                       int terminal)
{
    bool drawn = picture_is_drawn(terminal);
    const AccessCells c = accesses_cells(t->arena, x, drawn ? DEBUG_PICTURE_PIXELS : LETTERS,
                                         drawn ? DEBUG_PICTURE_PIXELS : LETTER_ROWS);

    text_printf(t, "%s: %s %s%s\n", x->name, tilec_dtype_name(x->array.dtype),
                summary_shape(t->arena, &x->array), w->until_now ? ", up to here" : "");
    if (drawn) {
        const Array image = accesses_image(d->launch.store, &c, w->by_program);
        picture_put(t, &image, SHOW_PICTURE, terminal);
    } else {
        accesses_put_letters(t, &c, w->by_program);
    }
    if (!w->by_program)
        accesses_put_legend(t, &c, !drawn);
    else if (!drawn)
        accesses_put_programs(t, x, &c);
    accesses_put(t, x);
}
