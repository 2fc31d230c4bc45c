/*
 * map.c - open-addressing hash map from a key of 64 or 127 bits to a pointer
 *
 * Linear probing in a table of a power of two, at most 3/4 full.  Nothing is ever taken out.
 */
#include "base.h"

typedef struct {
    uint64_t low;
    void *value;
    uint64_t used : 1, high : 63; /* of the key, so that a slot is no larger for wide ones */
} Slot;

struct Map {
    Arena *arena;
    Slot *slots;
    uint32_t count, cap; /* cap: 0 or a power of two */
};

Map *map_new(Arena *a)
{
    Map *m = NEW(a, Map);

    m->arena = a;
    return m;
}

/* The slot that holds the key, or the free one where it belongs. */
static Slot *find_slot(const Map *m, WideKey key)
{
    uint64_t h = key.low ^ key.low >> 32 ^ key.high * 0x9e3779b97f4a7c15;

    h *= 0x6a09e667f3bcc909;
    for (uint32_t i = (uint32_t)(h >> 32);; i++) {
        Slot *s = &m->slots[i & (m->cap - 1)];

        if (!s->used || (s->low == key.low && s->high == key.high))
            return s;
    }
}

static void grow_slots(Map *m)
{
    Map bigger = {.arena = m->arena, .count = m->count, .cap = m->cap ? 2 * m->cap : 16};

    bigger.slots = NEW_N(m->arena, Slot, bigger.cap);
    for (uint32_t i = 0; i < m->cap; i++) {
        const Slot *s = &m->slots[i];
        if (s->used)
            *find_slot(&bigger, (WideKey){s->low, s->high}) = *s;
    }
    *m = bigger;
}

void *map_get_wide(const Map *m, WideKey key)
{
    if (m->count == 0)
        return NULL;
    return find_slot(m, key)->value;
}

void map_put_wide(Map *m, WideKey key, void *value)
{
    if (4 * ((uint64_t)m->count + 1) > 3 * (uint64_t)m->cap)
        grow_slots(m);

    Slot *s = find_slot(m, key);
    if (!s->used)
        m->count++;
    *s = (Slot){.low = key.low, .value = value, .used = 1, .high = key.high & UINT64_MAX >> 1};
}

void *map_get(const Map *m, uint64_t key)
{
    return map_get_wide(m, (WideKey){key, 0});
}

void map_put(Map *m, uint64_t key, void *value)
{
    map_put_wide(m, (WideKey){key, 0}, value);
}
