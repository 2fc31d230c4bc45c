/*
 * listing.c - put the lines of the source between the instructions that come from them
 *
 * Takes assembly as LLVM prints it, for any machine: a .loc directive names the place of what
 * follows in its comment, `k.py:7:12 @[ k.py:16:9 ]`, from the innermost call outwards.  Behind
 * each that changes the line goes a comment with its text, and one for each call around it.
 *
 * Or takes what nvdisasm makes of machine code, which has a comment for each line, and one more for
 * each call around it: `//## File "k.py", line 7 inlined at "k.py", line 16`.
 */
#include <stdlib.h>
#include <string.h>

#include "api.h"

typedef struct {
    Text out;
    const SourceMap *sources;
    const char *shown; /* the place of the last one, without columns; "" */
    bool calls;        /* the next comment of nvdisasm's is the call around the last one */
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

static const char called_at[] = "    called at ";

static void put_source_line(Text *to, const Listing *l, const char *mark, const char *before,
                            const char *path, int line)
{
    Place p = source_line(l->sources, path, line);
    int blank = 0;

    while (blank < p.length && (p.text[blank] == ' ' || p.text[blank] == '\t'))
        blank++;
    text_printf(to, "%s %s%s:%d:  ", mark, before, path, line);
    if (p.source && p.length > blank)
        text_put_printable(to,
                           arena_strndup(to->arena, p.text + blank, (size_t)(p.length - blank)));
    text_put(to, "\n");
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
        put_source_line(&lines, l, mark, first ? "" : called_at, path, line);
        const char *call = strstr(places, " @[ ");
        places = call && call < end ? call + strlen(" @[ ") : NULL;
    }
    if (strcmp(lines.s, l->shown) == 0)
        return;
    text_put(&l->out, lines.s);
    l->shown = lines.s;
}

/* What follows on a .loc directive of LLVM's. */
static void put_directive(Listing *l, const char *directive)
{
    const char *hash = strstr(directive, " # "), *slashes = strstr(directive, " // ");

    if (hash)
        put_places(l, "#", hash + strlen(" # "));
    else if (slashes)
        put_places(l, "//", slashes + strlen(" // "));
}

/* `path` begins the name of a file, up to a quote. */
static void put_disassembled(Listing *l, const char *path)
{
    static const char behind[] = "\", line ";
    const char *end = strstr(path, behind);

    if (!end)
        return;
    put_source_line(&l->out, l, "\t//", l->calls ? called_at : "",
                    arena_strndup(l->out.arena, path, (size_t)(end - path)),
                    atoi(end + strlen(behind)));
    l->calls = strstr(end, " inlined at \"") != NULL;
}

/* Digits in front of `end`, and a colon in front of them; NULL: there are none. */
static const char *line_before(const char *begin, const char *end)
{
    const char *at = end;

    while (at > begin && at[-1] >= '0' && at[-1] <= '9')
        at--;
    return at < end && at - 1 > begin && at[-1] == ':' ? at : NULL;
}

int listing_place(const char *text, size_t n, const char **path, size_t *len)
{
    const char *end = text + n, *at = text + strspn(text, "\t");

    at += *at == '#' ? 1 : strncmp(at, "//", 2) == 0 ? 2 : n + 1;
    if (at >= end || *at++ != ' ')
        return 0;
    if ((size_t)(end - at) > strlen(called_at) && memcmp(at, called_at, strlen(called_at)) == 0)
        at += strlen(called_at);
    for (const char *colon = at; colon + 2 < end; colon++) {
        const char *line = memcmp(colon, ":  ", 3) == 0 ? line_before(at, colon) : NULL;
        if (!line)
            continue;
        *path = at;
        *len = (size_t)(line - 1 - at);
        return atoi(line);
    }
    return 0;
}

const char *listing_with_source(const char *assembly, const SourceMap *sources, Arena *a)
{
    static const char loc[] = "\t.loc\t", file[] = "\t//## File \"";
    Listing l = {.out = text_new(a), .sources = sources, .shown = ""};

    for (const char *at = assembly, *end; *at; at = end) {
        end = at + strcspn(at, "\n");
        end += *end == '\n';
        text_putn(&l.out, at, (size_t)(end - at));
        const char *line = arena_strndup(a, at, (size_t)(end - at));
        if (strncmp(line, loc, strlen(loc)) == 0)
            put_directive(&l, line);
        else if (strncmp(line, file, strlen(file)) == 0)
            put_disassembled(&l, line + strlen(file));
    }
    return l.out.s ? l.out.s : assembly;
}
