/*
 * arena.c - memory that is freed as a whole
 *
 * An arena is a list of chunks, each at least as large as all before it up to a limit, and blocks
 * are cut from the newest one.  Blocks are cleared one by one when they are cut, so that the pages
 * of a chunk that nobody needs are never touched.  A failed allocation leaves through the arena's
 * guard.
 *
 * In an AddressSanitizer build every block is a chunk of its own, so that a write past the end of
 * one is seen.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"

enum { ALIGNMENT = 16, FIRST_CHUNK = 16 << 10, LAST_CHUNK = 1 << 20 };
#define MOST_BYTES (SIZE_MAX / 4) /* keeps every sum of sizes below from wrapping */

#if defined(__SANITIZE_ADDRESS__)
#define CHUNK_PER_BLOCK true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CHUNK_PER_BLOCK true
#endif
#endif
#ifndef CHUNK_PER_BLOCK
#define CHUNK_PER_BLOCK false
#endif

typedef struct Chunk Chunk;
struct Chunk {
    _Alignas(ALIGNMENT) Chunk *older;
};

struct Arena {
    Chunk *newest;
    char *next, *end; /* what is left of the chunk that blocks are cut from */
    size_t chunk_bytes;
    size_t used;
    Guard *guard;
};

/* How many more system allocations may succeed; negative: all of them. */
static _Thread_local long allocations_left = -1;

void arena_inject_failure(long n)
{
    allocations_left = n > 0 ? n - 1 : n;
}

static bool may_allocate(void)
{
    if (allocations_left == 0)
        return false;
    if (allocations_left > 0)
        allocations_left--;
    return true;
}

NORETURN static void leave(Guard *guard, GuardCode why)
{
    if (!guard)
        bug("%s, and there is no guard", why == GUARD_NO_MEMORY ? "out of memory" : "failed");
    guard->why = why;
    longjmp(guard->env, 1);
}

void fail(Guard *guard)
{
    leave(guard, GUARD_FAILED);
}

Arena *arena_new(Guard *guard)
{
    Arena *a = may_allocate() ? calloc(1, sizeof(Arena)) : NULL;

    if (!a && guard)
        leave(guard, GUARD_NO_MEMORY);
    if (!a)
        return NULL;
    a->guard = guard;
    a->chunk_bytes = FIRST_CHUNK;
    return a;
}

void arena_free(Arena *a)
{
    if (!a)
        return;
    for (Chunk *c = a->newest, *older; c; c = older) {
        older = c->older;
        free(c);
    }
    free(a);
}

void arena_set_guard(Arena *a, Guard *guard)
{
    a->guard = guard;
}

static size_t round_up(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

/* A new chunk with room for `bytes`, zero where `clear`; gives its first byte, or NULL. */
static char *add_chunk(Arena *a, size_t bytes, bool clear)
{
    Chunk *c = NULL;

    if (may_allocate())
        c = clear ? calloc(1, sizeof(Chunk) + bytes) : malloc(sizeof(Chunk) + bytes);
    if (!c)
        return NULL;
    c->older = a->newest;
    a->newest = c;
    return (char *)(c + 1);
}

void *arena_try_alloc(Arena *a, size_t bytes)
{
    char *block;

    if (bytes > MOST_BYTES)
        return NULL;
    size_t exact = MAX(bytes, 1);
    bytes = round_up(exact);
    a->used += bytes;
    if (CHUNK_PER_BLOCK)
        return add_chunk(a, exact, true);
    if (bytes > (size_t)(a->end - a->next)) {
        if (bytes > a->chunk_bytes / 4) /* keep cutting small blocks from the present chunk */
            return add_chunk(a, bytes, true);
        block = add_chunk(a, a->chunk_bytes, false);
        if (!block)
            return NULL;
        a->next = block;
        a->end = block + a->chunk_bytes;
        a->chunk_bytes = MIN(2 * a->chunk_bytes, (size_t)LAST_CHUNK);
    }
    block = a->next;
    a->next += bytes;
    return memset(block, 0, bytes);
}

void *arena_alloc(Arena *a, size_t bytes)
{
    void *block = arena_try_alloc(a, bytes);

    if (!block)
        leave(a->guard, GUARD_NO_MEMORY);
    return block;
}

void *arena_grow(Arena *a, void *old, size_t n, size_t m)
{
    size_t have = round_up(n);

    /* the newest block grows in place while its chunk has room */
    if (old && !CHUNK_PER_BLOCK && (char *)old + have == a->next && m >= n && m <= MOST_BYTES &&
        round_up(m) - have <= (size_t)(a->end - a->next)) {
        a->used += round_up(m) - have;
        memset(a->next, 0, round_up(m) - have);
        a->next += round_up(m) - have;
        return old;
    }
    void *block = arena_alloc(a, m);
    if (old)
        memcpy(block, old, MIN(n, m));
    return block;
}

void *vec_more(Arena *a, void *at, size_t size, int *cap)
{
    size_t had = (size_t)*cap, have = had ? 2 * had : 8;

    if (have > INT_MAX)
        leave(a->guard, GUARD_NO_MEMORY);
    *cap = (int)have;
    return arena_grow(a, at, had * size, have * size);
}

char *arena_strndup(Arena *a, const char *s, size_t n)
{
    char *copy = arena_alloc(a, n + 1);

    if (n > 0)
        memcpy(copy, s, n);
    return copy;
}

char *arena_vprintf(Arena *a, const char *fmt, va_list ap)
{
    va_list again;

    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    if (n < 0)
        bug("bad format: %s", fmt);
    char *s = arena_alloc(a, (size_t)n + 1);
    vsnprintf(s, (size_t)n + 1, fmt, ap);
    return s;
}

char *arena_printf(Arena *a, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    char *s = arena_vprintf(a, fmt, ap);
    va_end(ap);
    return s;
}

size_t arena_used(const Arena *a)
{
    return a->used;
}
