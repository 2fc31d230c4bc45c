/*
 * fill.c - text with holes: `$NAME`, of capitals with `_` between them
 *
 * A hole at the end of a line takes any number of lines: each begins with what stands in front of
 * the hole, so that code is indented and a comment stays one; the first one's own blanks are taken
 * from all of them.  Other holes take a word or more, and an empty one the blank behind it.
 */
#include "aot.h"

#include <ctype.h>
#include <string.h>

/* The length of the name that `s`, behind a `$`, begins with. */
static size_t name_length(const char *s)
{
    size_t n = 0;

    while (isupper((unsigned char)s[n]) || (s[n] == '_' && isupper((unsigned char)s[n + 1])))
        n++;
    return n;
}

static const char *text_of(const AotHole *holes, int n, const char *name, size_t length)
{
    for (int i = 0; i < n; i++) {
        if (strlen(holes[i].name) == length && strncmp(holes[i].name, name, length) == 0)
            return holes[i].text;
    }
    bug("a template has a hole that nobody fills: $%.*s", (int)length, name);
}

/* The lines of `text`, each behind the `length` bytes of `before`. */
static void put_lines(Text *t, const char *before, size_t length, const char *text)
{
    size_t blanks = strspn(text, " ");

    while (*text) {
        size_t n = strcspn(text, "\n"), own = MIN(strspn(text, " "), blanks);

        text_putn(t, before, length);
        text_putn(t, text + own, n - own);
        text_put(t, "\n");
        text += n + (text[n] == '\n');
    }
}

/* One line, which ends at `end`. */
static void put_line(Text *t, const char *line, const char *end, const AotHole *holes, int n)
{
    const char *hole = memchr(line, '$', (size_t)(end - line));

    if (hole && hole + 1 + name_length(hole + 1) == end) {
        put_lines(t, line, (size_t)(hole - line),
                  text_of(holes, n, hole + 1, name_length(hole + 1)));
        return;
    }
    for (; hole; hole = memchr(line, '$', (size_t)(end - line))) {
        size_t length = name_length(hole + 1);
        const char *text = text_of(holes, n, hole + 1, length);

        text_putn(t, line, (size_t)(hole - line));
        text_put(t, text);
        line = hole + 1 + length;
        line += !*text && *line == ' ';
    }
    text_putn(t, line, (size_t)(end - line));
    text_put(t, "\n");
}

void aot_fill(Text *t, const char *part, const AotHole *holes, int n)
{
    while (*part) {
        const char *end = part + strcspn(part, "\n");

        put_line(t, part, end, holes, n);
        part = *end ? end + 1 : end;
    }
}
