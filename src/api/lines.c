/*
 * lines.c - of a text of the compiler's, what is of some lines of the kernel's file
 *
 * A stage may be asked for as "asm:7" or "ir:7-9"; as "ir:places" it is whole, and the IR's printer
 * names the lines.  Assembly has its lines from listing.c, as comments in front of instructions:
 * one for the line itself and one for each call around it, any of which may be meant.  Ops of the
 * IR know their places.  What is of none of these lines is left out; where all is, the error says
 * which lines have something.
 */
#include <stdlib.h>
#include <string.h>

#include "api.h"

bool lines_parse(const char *stage, LineRange *out)
{
    const char *colon = strchr(stage, ':');
    char *end;

    *out = (LineRange){.name_length = colon ? (size_t)(colon - stage) : strlen(stage)};
    if (!colon)
        return true;
    out->places = strcmp(colon + 1, "places") == 0;
    if (out->places)
        return true;
    out->first = out->last = strtol(colon + 1, &end, 10);
    if (end == colon + 1 || out->first < 1)
        return false;
    if (*end == '-') {
        const char *second = end + 1;
        out->last = strtol(second, &end, 10);
        if (end == second)
            return false;
    }
    return *end == '\0' && out->last >= out->first;
}

/* What is being picked. */
typedef struct {
    const LineRange *range;
    const Source *source;
    Arena *arena;
    Text out;
    bool *has; /* by line of the source: there is something */
    int nlines;
} Pick;

static int count_lines(const Source *s)
{
    int n = s->line;

    for (size_t i = 0; i < s->len; i++)
        n += s->text[i] == '\n';
    return n;
}

static Pick pick_begin(const LineRange *range, const Source *source, Arena *a)
{
    Pick p = {.range = range, .source = source, .arena = a, .out = text_new(a)};

    p.nlines = count_lines(source);
    p.has = NEW_N(a, bool, p.nlines + 1);
    text_put(&p.out, "");
    return p;
}

/* Is that line wanted?  It has something, in any case. */
static bool meets(Pick *p, long line)
{
    if (line < 1 || line > p->nlines)
        return false;
    p->has[line] = true;
    return line >= p->range->first && line <= p->range->last;
}

/* "7, 9 to 12" */
static const char *lines_with_code(const Pick *p)
{
    Text t = text_new(p->arena);

    text_put(&t, "");
    for (int i = 1, end; i <= p->nlines; i = end + 1) {
        for (end = i; end < p->nlines && p->has[i] && p->has[end + 1];)
            end++;
        if (p->has[i])
            text_printf(&t, end > i ? "%s%d to %d" : "%s%d", t.len > 0 ? ", " : "", i, end);
    }
    return t.len > 0 ? t.s : NULL;
}

/* The text; NULL: nothing is of these lines, which is said. */
static const char *pick_end(const Pick *p, Diags *d)
{
    const LineRange *r = p->range;
    const char *there = lines_with_code(p);

    if (there)
        there = arena_printf(p->arena, "lines that have something: %s", there);

    if (p->out.len > 0)
        return p->out.s;
    if (r->first == r->last)
        diag(d, DIAG_ERROR, (Span){0}, "nothing is left of %s:%ld here", p->source->shown,
             r->first);
    else
        diag(d, DIAG_ERROR, (Span){0}, "nothing is left of %s:%ld to %ld here", p->source->shown,
             r->first, r->last);
    diag(d, DIAG_HINT, (Span){0}, "%s", there ? there : "nor is of any other line");
    return NULL;
}

/* --- assembly --- */

/* The line of the source that a comment of listing.c names; 0: it is of another file, or none;
 * -1: this is no such comment. */
static long commented_line(const Pick *p, const char *text)
{
    const char *path;
    size_t len;
    int line = listing_place(text, strcspn(text, "\n"), &path, &len);

    if (line == 0)
        return -1;
    bool is_own = strlen(p->source->shown) == len && memcmp(path, p->source->shown, len) == 0;
    return is_own ? line : 0;
}

/* Behind the code of a function stand tables and other sections. */
static bool ends_code(const char *text)
{
    static const char *const ends[] = {".Lfunc_end", "\t.cfi_endproc", "\t.section", "}"};

    for (int i = 0; i < COUNT(ends); i++) {
        if (strncmp(text, ends[i], strlen(ends[i])) == 0)
            return true;
    }
    return false;
}

const char *lines_of_listing(const char *listing, const LineRange *range, const Source *source,
                             Arena *a, Diags *d)
{
    Pick p = pick_begin(range, source, a);
    Text places = text_new(a); /* the comments that stand together */
    bool wanted = false, in_places = false;

    for (const char *at = listing, *end; *at; at = end) {
        end = at + strcspn(at, "\n");
        end += *end == '\n';
        long line = commented_line(&p, at);
        if (line >= 0) {
            places.len = in_places ? places.len : 0;
            wanted = (in_places && wanted) | meets(&p, line);
            text_putn(&places, at, (size_t)(end - at));
            in_places = true;
            continue;
        }
        if (in_places && wanted)
            text_putn(&p.out, places.s, places.len);
        in_places = false;
        wanted = wanted && !ends_code(at);
        if (wanted && strncmp(at, "\t.loc\t", strlen("\t.loc\t")) != 0)
            text_putn(&p.out, at, (size_t)(end - at));
    }
    return pick_end(&p, d);
}

/* --- IR --- */

static bool op_meets(Pick *p, const Module *m, const Op *op)
{
    Place at = source_place(m->sources, op->span.start);
    bool wanted = at.source == p->source && meets(p, at.line);

    for (int site = op->site; site > 0; site = call_site(m, site)->parent) {
        at = source_place(m->sources, call_site(m, site)->call.start);
        wanted |= at.source == p->source && meets(p, at.line);
    }
    return wanted;
}

typedef struct {
    Pick pick;
    const Module *module;
    Printer *printer;
    const char *func; /* the line that names it, until it was put */
} IrPick;

static void pick_op(Op *op, void *ir)
{
    IrPick *p = ir;

    if (!op_meets(&p->pick, p->module, op))
        return;
    text_printf(&p->pick.out, "%s  %s\n", p->func, op_printer_text(p->printer, op));
    p->func = "";
}

const char *lines_of_module(const Module *m, const LineRange *range, const Source *source, Arena *a,
                            Diags *d)
{
    IrPick p = {.pick = pick_begin(range, source, a), .module = m};

    for (int i = 0; m->sources && i < m->nfuncs; i++) {
        const Func *f = m->funcs[i];
        p.func = arena_printf(a, "%s @%s\n", f->is_kernel ? "kernel" : "func", f->name);
        p.printer = op_printer_new(f, a);
        op_printer_show_symbols(p.printer);
        ir_walk(f->body, pick_op, &p);
    }
    return pick_end(&p.pick, d);
}
