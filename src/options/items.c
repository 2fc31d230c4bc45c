/*
 * items.c - lines of a file as the words of a command line
 *
 * A line holds items: `--option VALUE`, `NAME=VALUE`, NAME:TYPE or `@file`.  No shell reads them,
 * so nothing needs quotes: a value goes on, over spaces too, up to where the next item begins, `#`
 * begins a comment, or the line ends.  What is in brackets or in quotes begins nothing.
 */
#include "options.h"
#include "../syntax/lex.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

static bool is_blank(char ch)
{
    return ch == ' ' || ch == '\t' || ch == '\r';
}

static const char *skip_blanks(const char *s)
{
    while (is_blank(*s))
        s++;
    return s;
}

/* item := '--' name | '@' | NAME ':' | NAME {blank} '=', but not '==' */
static bool begins_item(const char *s)
{
    size_t n = name_length(s);
    const char *behind = skip_blanks(s + n);

    if (s[0] == '@' || (s[0] == '-' && s[1] == '-' && isalpha((unsigned char)s[2])))
        return true;
    return n > 0 && (s[n] == ':' || (behind[0] == '=' && behind[1] != '='));
}

static const char *copy(Client *c, const char *from, const char *to)
{
    return arena_strndup(c->arena, from, (size_t)(to - from));
}

/* Where the value that begins at `s` ends. */
static const char *end_of_value(const char *s)
{
    int depth = 0;

    while (*s) {
        if (*s == '\'' || *s == '"') {
            s = value_end_of_quotes(s);
            continue;
        }
        depth += (strchr("([{", *s) != NULL) - (strchr(")]}", *s) != NULL);
        if (is_blank(*s) && depth <= 0) {
            const char *next = skip_blanks(s);

            if (!*next || *next == '#' || begins_item(next))
                return s;
            s = next;
            continue;
        }
        s++;
    }
    while (s[-1] == '\r')
        s--;
    return s;
}

/* A value that is in quotes as a whole, as a shell would have taken them off. */
static const char *unquoted(Client *c, const char *from, const char *to)
{
    bool quoted = (*from == '\'' || *from == '"') && to - from >= 2 && to[-1] == *from &&
                  value_end_of_quotes(from) == to;

    return quoted ? copy(c, from + 1, to - 1) : copy(c, from, to);
}

/* --name, --name=VALUE or --name VALUE; gives the place behind it */
static const char *read_option(Client *c, const char *s, Item *out)
{
    const char *end = s + strcspn(s, "= \t\r"), *value = skip_blanks(end);

    if (*end == '=') {
        end = end_of_value(end + 1);
        out->words[out->n++] = copy(c, s, end);
        return end;
    }
    out->words[out->n++] = copy(c, s, end);
    if (!*value || *value == '#')
        return end;
    const char *behind = end_of_value(value), *word = unquoted(c, value, behind);
    if (!option_takes(out->words[0], word))
        return end;
    out->words[out->n++] = word;
    return behind;
}

/* All else, without the blanks around the `=` of an argument. */
static const char *read_word(Client *c, const char *s, Item *out)
{
    size_t n = name_length(s);
    const char *equals = skip_blanks(s + n), *end;
    const char *value = *equals == '=' ? skip_blanks(equals + 1) : equals;

    if (n == 0 || *equals != '=' || !*value) {
        end = end_of_value(s);
        out->words[out->n++] = copy(c, s, end);
        return end;
    }
    end = end_of_value(value);
    out->words[out->n++] =
        arena_printf(c->arena, "%.*s=%.*s", (int)n, s, (int)(end - value), value);
    return end;
}

void items_of_line(Client *c, const char *text, int line, Items *out)
{
    for (const char *s = skip_blanks(text); *s && *s != '#'; s = skip_blanks(s)) {
        Item item = {.line = line};

        s = s[0] == '-' && s[1] == '-' ? read_option(c, s, &item) : read_word(c, s, &item);
        vec_push(c->arena, out, item);
    }
}

/* What some editors begin a text in UTF-8 with. */
static const char byte_order_mark[] = "\xef\xbb\xbf";

Items items_of_file(Client *c, const char *path)
{
    enum { LARGEST = 1 << 20 };
    Items out = {0};
    char *text, *end;
    size_t n;
    int error = os_read_file(c->arena, path, LARGEST, &text, &n), line = 1;

    if (error)
        client_stop_at_file(c, path,
                            arena_printf(c->arena, "%s%s", strerror(error),
                                         error == ENOENT ? os_missing(c->arena, path) : ""));
    if (strlen(text) != n)
        client_stop_at_file(c, path, "this is no text");
    if (strncmp(text, byte_order_mark, strlen(byte_order_mark)) == 0)
        text += strlen(byte_order_mark);
    for (char *s = text; *s; s = end, line++) {
        end = s + strcspn(s, "\n");
        if (*end)
            *end++ = '\0';
        items_of_line(c, s, line, &out);
    }
    return out;
}
