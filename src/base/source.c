/*
 * source.c - the texts of a compilation, and from offsets to files, lines and columns
 *
 * Every text has a range of offsets of its own, the next one behind the last, so that a place of 32
 * bits names its file.  The range goes one past the last byte: that is where a text ends.
 *
 * The list of texts only grows, at its front, and what is in it never changes: whoever looks up a
 * place needs no lock, also while another thread adds a text.  Those who add one take turns.
 */
#include <stdatomic.h>
#include <string.h>

#include "base.h"

typedef struct Entry Entry;
struct Entry {
    Source source;
    const uint32_t *lines; /* where each begins in the text; the first is at 0 */
    int nlines;
    const Entry *older;
};

struct SourceMap {
    Arena *arena;
    _Atomic(const Entry *) newest;
};

SourceMap *source_map_new(Arena *a)
{
    SourceMap *m = NEW(a, SourceMap);

    m->arena = a;
    atomic_init(&m->newest, NULL);
    return m;
}

/* Of messages and of code that tells lines every op asks for its place. */
static void find_lines(Entry *e, Arena *a)
{
    const char *text = e->source.text, *end = text + e->source.len, *nl;
    uint32_t *lines;
    int n = 1;

    for (const char *p = text; (nl = memchr(p, '\n', (size_t)(end - p))); p = nl + 1)
        n++;
    lines = NEW_N(a, uint32_t, n);
    n = 1;
    for (const char *p = text; (nl = memchr(p, '\n', (size_t)(end - p))); p = nl + 1)
        lines[n++] = (uint32_t)(nl + 1 - text);
    e->lines = lines;
    e->nlines = n;
}

const Source *source_add(SourceMap *m, const char *path, const char *text, size_t len)
{
    return source_add_part(m, path, 1, text, len);
}

const Source *source_add_part(SourceMap *m, const char *path, int line, const char *text,
                              size_t len)
{
    const Entry *older = atomic_load_explicit(&m->newest, memory_order_relaxed);
    uint32_t base = older ? older->source.base + (uint32_t)older->source.len + 1 : 1;
    Entry *e;

    if (base > SOURCE_MOST_BYTES || len > SOURCE_MOST_BYTES - base)
        return NULL;
    e = NEW(m->arena, Entry);
    *e = (Entry){{.path = arena_strndup(m->arena, path, strlen(path)),
                  .text = text,
                  .len = len,
                  .base = base,
                  .line = line,
                  .shown = shown_name(m->arena, path)},
                 .older = older};
    find_lines(e, m->arena);
    atomic_store_explicit(&m->newest, e, memory_order_release);
    return &e->source;
}

static const Entry *entry_of(const SourceMap *m, uint32_t offset)
{
    const Entry *e = atomic_load_explicit(&m->newest, memory_order_acquire);

    if (e && offset > e->source.base + e->source.len)
        return NULL;
    while (e && offset < e->source.base)
        e = e->older;
    return e;
}

const Source *source_of(const SourceMap *m, uint32_t offset)
{
    const Entry *e = entry_of(m, offset);

    return e ? &e->source : NULL;
}

/* The line, from 0, on which a byte of the text is. */
static int line_of(const Entry *e, uint32_t at)
{
    int low = 0, high = e->nlines;

    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        *(e->lines[middle] <= at ? &low : &high) = middle;
    }
    return low;
}

Place source_place(const SourceMap *m, uint32_t offset)
{
    const Entry *e = entry_of(m, offset);

    if (!e)
        return (Place){0};
    const Source *src = &e->source;
    int line = line_of(e, offset - src->base);
    const char *text = src->text + e->lines[line], *end = src->text + src->len;
    Place place = {.source = src, .text = text, .line = src->line + line};

    if (line + 1 < e->nlines)
        end = src->text + e->lines[line + 1] - 1;
    place.column = (int)(source_at(src, offset) - text) + 1;
    place.length = (int)(end - text);
    if (place.length > 0 && text[place.length - 1] == '\r')
        place.length--;
    return place;
}

Place source_line(const SourceMap *m, const char *path, int line)
{
    const Entry *e = atomic_load_explicit(&m->newest, memory_order_acquire);

    for (; e; e = e->older) {
        int64_t at = (int64_t)line - e->source.line;
        if (at >= 0 && at < e->nlines && strcmp(e->source.path, path) == 0)
            return source_place(m, e->source.base + e->lines[at]);
    }
    return (Place){0};
}
