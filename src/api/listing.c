/*
 * listing.c - put the lines of the source between the instructions that come from them
 *
 * Takes assembly as LLVM prints it, for any machine: a .loc directive names the place of what
 * follows in its comment, `k.py:7:12 @[ k.py:16:9 ]`, from the innermost call outwards.  Behind
 * each that changes the line goes a comment with its text, and one for each call around it.
 */
#include <stdlib.h>
#include <string.h>

#include "api.h"

typedef struct {
    Text out;
    const SourceMap *sources;
    const char *shown; /* the place of the last one, without columns; "" */
} Listing;

/* "PATH:LINE:COLUMN" at the beginning of `text`, up to a space; the line is 0 where it is none. */
static int parse_place(Arena *a, const char *text, const char **path)
{
    size_t len = strcspn(text, " \n");
    char *place = arena_strndup(a, text, len);
    char *column = strrchr(place, ':');

    if (!column)
        return 0;
    *column = '\0';
    char *line = strrchr(place, ':');
    if (!line)
        return 0;
    *line = '\0';
    *path = place;
    return atoi(line + 1);
}

static void put_source_line(Text *to, const Listing *l, const char *mark, const char *before,
                            const char *path, int line)
{
    Place p = source_line(l->sources, path, line);
    int blank = 0;

    while (blank < p.length && (p.text[blank] == ' ' || p.text[blank] == '\t'))
        blank++;
    text_printf(to, "%s %s%s:%d:  %.*s\n", mark, before, path, line, p.length - blank,
                p.source ? p.text + blank : "");
}

/* What follows the mark of a comment on a .loc directive. */
static void put_places(Listing *l, const char *mark, const char *places)
{
    Arena *a = l->out.arena;
    Text lines = text_new(a);
    const char *path = "", *end = places + strcspn(places, "\n");

    text_put(&lines, "");
    for (bool first = true; places && places < end; first = false) {
        int line = parse_place(a, places, &path);
        if (line == 0)
            return; /* code of no line: what was shown goes on */
        put_source_line(&lines, l, mark, first ? "" : "    called at ", path, line);
        const char *call = strstr(places, " @[ ");
        places = call && call < end ? call + strlen(" @[ ") : NULL;
    }
    if (strcmp(lines.s, l->shown) == 0)
        return;
    text_put(&l->out, lines.s);
    l->shown = lines.s;
}

const char *listing_with_source(const char *assembly, const SourceMap *sources, Arena *a)
{
    Listing l = {.out = text_new(a), .sources = sources, .shown = ""};

    for (const char *at = assembly, *end; *at; at = end) {
        end = at + strcspn(at, "\n");
        end += *end == '\n';
        text_putn(&l.out, at, (size_t)(end - at));
        if (strncmp(at, "\t.loc\t", strlen("\t.loc\t")) != 0)
            continue;
        char *line = arena_strndup(a, at, (size_t)(end - at));
        const char *hash = strstr(line, " # "), *slashes = strstr(line, " // ");
        if (hash)
            put_places(&l, "#", hash + strlen(" # "));
        else if (slashes)
            put_places(&l, "//", slashes + strlen(" // "));
    }
    return l.out.s ? l.out.s : assembly;
}
