/*
 * intern.c - equal strings become one pointer
 *
 * Strings are compared by length and bytes, so one may hold NUL bytes.
 */
#include <string.h>

#include "base.h"

typedef struct {
    Sym text; /* NULL: free */
    size_t len;
    uint64_t hash;
} Slot;

struct Interner {
    Arena *arena;
    Slot *slots;
    uint32_t count, cap; /* cap: a power of two, at most 3/4 in use */
};

Interner *interner_new(Arena *a)
{
    Interner *in = NEW(a, Interner);

    in->arena = a;
    in->cap = 64;
    in->slots = NEW_N(a, Slot, in->cap);
    return in;
}

static Slot *find_text(const Interner *in, const char *s, size_t n, uint64_t hash)
{
    for (uint64_t i = hash;; i++) {
        Slot *slot = &in->slots[i & (in->cap - 1)];

        if (!slot->text)
            return slot;
        if (slot->hash == hash && slot->len == n && memcmp(slot->text, s, n) == 0)
            return slot;
    }
}

static void grow_table(Interner *in)
{
    Interner bigger = {in->arena, NULL, in->count, 2 * in->cap};

    bigger.slots = NEW_N(in->arena, Slot, bigger.cap);
    for (uint32_t i = 0; i < in->cap; i++) {
        const Slot *old = &in->slots[i];

        if (old->text)
            *find_text(&bigger, old->text, old->len, old->hash) = *old;
    }
    *in = bigger;
}

Sym intern_n(Interner *in, const char *s, size_t n)
{
    uint64_t hash = hash_bytes(s, n, 0);
    Slot *slot = find_text(in, s, n, hash);

    if (slot->text)
        return slot->text;
    if (4 * (in->count + 1) > 3 * in->cap) {
        grow_table(in);
        slot = find_text(in, s, n, hash);
    }
    *slot = (Slot){arena_strndup(in->arena, s, n), n, hash};
    in->count++;
    return slot->text;
}

Sym intern(Interner *in, const char *s)
{
    return intern_n(in, s, strlen(s));
}
