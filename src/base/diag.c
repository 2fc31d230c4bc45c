/*
 * diag.c - collects diagnostics and renders them with the source line and a caret
 *
 *     add.py:7:12: error: cannot add fp32[64] and fp32[128]
 *         y = x + z
 *             ^~~~~
 *     hint: broadcast one of them
 *
 * Whatever the source holds, the output is printable UTF-8: control characters (those that
 * reorder text included) and bytes that are not UTF-8 appear as \xNN (printable.c).  Tabs are kept,
 * in the caret line too, and lines of any length are cut around the caret.
 */
#include <string.h>

#include "base.h"

enum { MAX_ERRORS = 20, LINE_BEFORE = 60, LINE_WIDTH = 110 };

typedef struct {
    DiagKind kind;
    Span span;
    const char *text;
} Diag;

struct Diags {
    Arena *arena;
    SourceMap *sources;
    VEC(Diag) list;
    int errors;    /* reported, kept or not */
    int repeated;  /* of these: said before, of the same place */
    bool dropping; /* the last error was not kept: its notes are not either */
};

Diags *diags_new(Arena *a, SourceMap *sources)
{
    Diags *d = NEW(a, Diags);

    d->arena = a;
    d->sources = sources ? sources : source_map_new(a);
    return d;
}

SourceMap *diags_sources(const Diags *d)
{
    return d->sources;
}

/* A helper that is called twice is wrong twice, in the same place: once is enough, and so it is for
 * what a warning is about. */
static bool said_before(const Diags *d, const Diag *item)
{
    for (int i = 0; item->span.end > 0 && i < d->list.len; i++) {
        const Diag *old = &d->list.at[i];

        if (old->kind == item->kind && old->span.start == item->span.start &&
            old->span.end == item->span.end && strcmp(old->text, item->text) == 0)
            return true;
    }
    return false;
}

void diag_v(Diags *d, DiagKind kind, Span span, const char *fmt, va_list ap)
{
    Diag item = {kind, span, arena_vprintf(d->arena, fmt, ap)};

    if (kind == DIAG_ERROR) {
        bool again = said_before(d, &item);
        d->errors++;
        d->repeated += again;
        d->dropping = again || d->errors - d->repeated > MAX_ERRORS;
    } else if (kind == DIAG_WARNING || kind == DIAG_PRINT) {
        bool again = kind == DIAG_WARNING && said_before(d, &item);
        d->dropping = again || d->errors - d->repeated > MAX_ERRORS;
    }
    if (!d->dropping)
        vec_push(d->arena, &d->list, item);
}

void diag(Diags *d, DiagKind kind, Span span, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    diag_v(d, kind, span, fmt, ap);
    va_end(ap);
}

void diag_call(Diags *d, Span call, const char *callee)
{
    diag(d, DIAG_NOTE, call, "in `%s`, called from here", callee);
}

bool diag_warned(const Diags *d, Span span)
{
    for (int i = 0; span.end > 0 && i < d->list.len; i++) {
        const Diag *old = &d->list.at[i];
        if (old->kind == DIAG_WARNING && old->span.start == span.start && old->span.end == span.end)
            return true;
    }
    return false;
}

int diag_errors(const Diags *d)
{
    return d->errors;
}

bool diag_kept(const Diags *d)
{
    return !d->dropping;
}

/* Put what stands at p, at most n bytes, in printable form.  Gives the number of bytes taken;
 * *width is the number of columns it covers, -1 for a tab. */
static int put_character(Text *t, const char *p, size_t n, int *width)
{
    char shown[PRINTABLE_BYTES];
    size_t taken = 1;

    if (*p == '\t') {
        *width = -1;
        text_putn(t, p, 1);
        return 1;
    }
    size_t len = printable_character(p, n, shown, &taken);
    *width = shown[0] == '\\' && *p != '\\' ? (int)len : 1;
    text_putn(t, shown, len);
    return (int)taken;
}

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* The part of the line that is shown: all of it, or what is around the caret. */
static void cut_line(const Place *at, int *from, int *to)
{
    int caret = MIN(at->column - 1, at->length);

    *from = 0;
    *to = at->length;
    if (at->length <= LINE_WIDTH)
        return;
    *from = MAX(0, MIN(caret - LINE_BEFORE, at->length - LINE_WIDTH));
    *to = MIN(at->length, *from + LINE_WIDTH);
    for (int i = 0; i < 3 && *from > 0 && is_continuation(at->text[*from]); i++)
        --*from;
    for (int i = 0; i < 3 && *to < at->length && is_continuation(at->text[*to]); i++)
        ++*to;
}

/* The source line, and under it `^~~~` from the place on for `length` bytes or to the line's end.
 */
static void put_source_line(Text *t, const Place *at, uint32_t length)
{
    int from, to, width;
    int start = MIN(at->column - 1, at->length);
    int64_t end = (int64_t)start + MAX(length, 1u);
    Text carets = text_new(t->arena);

    cut_line(at, &from, &to);
    text_put(t, from > 0 ? "    ..." : "    ");
    text_put(&carets, from > 0 ? "       " : "    ");
    for (int i = from; i < to;) {
        int first = i;

        i += put_character(t, at->text + i, (size_t)(to - i), &width);
        if (first >= end)
            continue;
        if (first < start)
            text_printf(&carets, "%*s", MAX(width, 0), "");
        if (first < start && width < 0)
            text_put(&carets, "\t");
        for (int k = 0; first >= start && k < MAX(width, 1); k++)
            text_put(&carets, first == start && k == 0 ? "^" : "~");
    }
    if (start >= to)
        text_put(&carets, "^");
    text_printf(t, "%s\n%s\n", to < at->length ? "..." : "", carets.s);
}

static void put_diag(const Diags *d, Text *t, const Diag *item)
{
    static const char *const kinds[] = {"error", "warning", "static_print", "note", "hint"};
    Place at = source_place(d->sources, item->span.start);
    bool whole =
        at.source && item->span.start == at.source->base && item->span.end <= at.source->base;

    if (at.source)
        text_put(t, at.source->shown);
    if (at.source && !whole)
        text_printf(t, ":%d:%d", at.line, at.column);
    text_printf(t, "%s%s: ", at.source ? ": " : "", kinds[item->kind]);
    text_put_printable(t, item->text);
    text_put(t, "\n");
    if (at.source && !whole)
        put_source_line(t, &at, MAX(item->span.end, item->span.start) - item->span.start);
}

const char *diags_text(const Diags *d, Arena *a)
{
    Text t = text_new(a);

    text_put(&t, "");
    for (int i = 0; i < d->list.len; i++)
        put_diag(d, &t, &d->list.at[i]);
    int distinct = d->errors - d->repeated;
    if (distinct > MAX_ERRORS)
        text_printf(&t, "... and %d more errors\n", distinct - MAX_ERRORS);
    return t.s;
}
