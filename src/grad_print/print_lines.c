/*
 * print_lines.c - behind a derived statement, as a comment, the line of the forward that it comes
 * from
 *
 *     d_area = 2 * d_total * area  # line 12: total = area * area
 *
 * Statements of one line that follow each other have one comment, behind the first.  What does not
 * fit into LINE columns is cut, or stands in front where too little of it would be left.
 */
#include <ctype.h>
#include <string.h>

#include "print.h"

enum { FEWEST = 24 }; /* columns of a text that is cut */

/* In the kernel's file: of the op, or else of the innermost call there that it came through. */
static Place place_of(const Writer *p, const Op *op)
{
    const Module *m = p->g->func->module;
    const Source *own = m->sources ? source_of(m->sources, p->g->func->span.start) : NULL;
    const CallSite *through = call_site(m, op->site);

    for (Span at = op->span; own;) {
        const Source *file = at.end > 0 ? source_of(m->sources, at.start) : NULL;
        if (file && strcmp(file->path, own->path) == 0)
            return source_place(m->sources, at.start);
        if (!through)
            break;
        at = through->call;
        through = call_site(m, through->parent);
    }
    return (Place){0};
}

/* The line without what indents it, and without a comment. */
static const char *code_of(Arena *a, const Place *place)
{
    const char *s = place->text, *stop = s + place->length, *end;
    Text shown = text_new(a);
    char quote = 0;

    while (s < stop && isspace((unsigned char)*s))
        s++;
    for (end = s; end < stop && (quote || *end != '#'); end++) {
        if (*end == '\\' && end + 1 < stop)
            end++;
        else if (quote ? *end == quote : *end == '"' || *end == '\'')
            quote = quote ? 0 : *end;
    }
    while (end > s && isspace((unsigned char)end[-1]))
        end--;
    text_put_name(&shown, arena_strndup(a, s, (size_t)(end - s)));
    return shown.s ? shown.s : "";
}

static const char *cut(Arena *a, const char *code, int room)
{
    int n = room - 3;

    if ((int)strlen(code) <= room)
        return code;
    while (n > 0 && ((code[n] & 0xC0) == 0x80 || code[n - 1] == ' ')) /* within a character */
        n--;
    return arena_printf(a, "%.*s...", n, code);
}

static int columns_used(const Writer *p)
{
    const char *line = p->text.s + p->began, *newline = strrchr(line, '\n');

    return (int)strlen(newline ? newline + 1 : line);
}

static void put_in_front(Writer *p, const char *head, const char *code)
{
    const char *statement = p->text.s + p->began;
    int margin = 4 * p->indent;

    statement = arena_strndup(p->arena, statement, strlen(statement));
    p->text.len = p->began;
    code = cut(p->arena, code, LINE - margin - (int)strlen(head));
    text_printf(&p->text, "%*s%s%s\n%s", margin, "", head, code, statement);
}

static void put_comment(Writer *p, const Place *place)
{
    const char *code = code_of(p->arena, place);
    const char *head = arena_printf(p->arena, "# line %d: ", place->line);
    int room = LINE - columns_used(p) - (int)strlen(head) - 2;

    if (strcmp(code, p->text.s + p->began + (ptrdiff_t)4 * p->indent) == 0)
        text_printf(&p->text, "  # line %d", place->line);
    else if ((int)strlen(code) <= room || room >= FEWEST)
        text_printf(&p->text, "  %s%s", head, cut(p->arena, code, room));
    else
        put_in_front(p, head, code);
}

int print_line_of(const Writer *p, const Op *op, const char **code)
{
    const Module *m = p->g->func->module;
    Span at = op->span;

    for (const CallSite *s = call_site(m, op->site); s; s = call_site(m, s->parent))
        at = s->call;
    const Place place = m->sources && at.end > 0 ? source_place(m->sources, at.start) : (Place){0};

    *code = place.line > 0 ? code_of(p->arena, &place) : "";
    return place.line;
}

void put_end(Writer *p, const Op *from)
{
    const Place place = from ? place_of(p, from) : (Place){0};

    if (place.line > 0 && place.line != p->line)
        put_comment(p, &place);
    p->line = place.line;
    text_put(&p->text, "\n");
}
