/*
 * diag.c - collects diagnostics and renders them with the source line and a caret
 *
 *     add.py:7:12: error: cannot add fp32[64] and fp32[128]
 *         y = x + z
 *             ^~~~~
 *     hint: broadcast one of them
 *
 * Whatever the source holds, the output is printable UTF-8: control characters (those that
 * reorder text included) and bytes that are not UTF-8 appear as \xNN.  Tabs are kept, in the
 * caret line too, and lines of any length are cut around the caret.
 */
#include <stdio.h>
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

int diag_errors(const Diags *d)
{
    return d->errors;
}

bool diag_kept(const Diags *d)
{
    return !d->dropping;
}

/* The length of the well-formed UTF-8 sequence at p, at most n bytes; 0 when there is none. */
static int utf8_length(const unsigned char *p, size_t n)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    int len = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;

    if (p[0] > 0xf4 || (size_t)len > n)
        return 0;
    if (len <= 1)
        return len;
    uint32_t c = p[0] & (0x7fu >> len);
    for (int i = 1; i < len; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (p[i] & 0x3f);
    }
    bool surrogate = c >= 0xd800 && c < 0xe000;
    bool reorders = (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
    bool control = c < 0xa0;
    return c < smallest[len] || c > 0x10ffff || surrogate || reorders || control ? 0 : len;
}

/* Put what stands at p, at most n bytes, in printable form.  Gives the number of bytes taken;
 * *width is the number of columns it covers, -1 for a tab. */
static int put_character(Text *t, const char *p, size_t n, int *width)
{
    unsigned char c = (unsigned char)*p;
    int len = utf8_length((const unsigned char *)p, n);

    if (c == '\t') {
        *width = -1;
        text_putn(t, p, 1);
        return 1;
    }
    if (len == 0 || c < 0x20 || c == 0x7f) {
        text_printf(t, "\\x%02x", c);
        *width = 4;
        return 1;
    }
    text_putn(t, p, (size_t)len);
    *width = 1;
    return len;
}

/* A message or a path: one that has several lines keeps them. */
void text_put_printable(Text *t, const char *s)
{
    size_t n = strlen(s);
    int width;

    for (size_t i = 0; i < n;) {
        if (s[i] == '\n') {
            text_putn(t, s + i++, 1);
            continue;
        }
        i += (size_t)put_character(t, s + i, n - i, &width);
    }
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
        text_put_printable(t, at.source->path);
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
