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
                 older};
    atomic_store_explicit(&m->newest, e, memory_order_release);
    return &e->source;
}

const Source *source_of(const SourceMap *m, uint32_t offset)
{
    const Entry *e = atomic_load_explicit(&m->newest, memory_order_acquire);

    if (e && offset > e->source.base + e->source.len)
        return NULL;
    while (e && offset < e->source.base)
        e = e->older;
    return e ? &e->source : NULL;
}

Place source_place(const SourceMap *m, uint32_t offset)
{
    const Source *src = source_of(m, offset);

    if (!src)
        return (Place){0};
    const char *p = src->text, *end = src->text + src->len, *stop = source_at(src, offset);
    Place place = {.source = src, .line = src->line};

    for (const char *nl; (nl = memchr(p, '\n', (size_t)(stop - p))); p = nl + 1)
        place.line++;
    place.text = p;
    place.column = (int)(stop - p) + 1;

    const char *nl = memchr(p, '\n', (size_t)(end - p));
    place.length = (int)((nl ? nl : end) - p);
    if (place.length > 0 && p[place.length - 1] == '\r')
        place.length--;
    return place;
}

/* Where line `line` of a text begins; past its end when it has no such. */
static uint32_t line_offset(const Source *src, int line)
{
    const char *p = src->text, *end = src->text + src->len;

    for (int n = src->line; n < line && p <= end; n++) {
        const char *nl = memchr(p, '\n', (size_t)(end - p));
        p = nl ? nl + 1 : end + 1;
    }
    return src->base + (uint32_t)(p - src->text);
}

Place source_line(const SourceMap *m, const char *path, int line)
{
    const Entry *e = atomic_load_explicit(&m->newest, memory_order_acquire);

    for (; e; e = e->older) {
        const Source *src = &e->source;
        uint32_t at = line_offset(src, line);
        if (strcmp(src->path, path) == 0 && line >= src->line && at <= src->base + src->len)
            return source_place(m, at);
    }
    return (Place){0};
}
