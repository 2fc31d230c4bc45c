/*
 * stints.c - which steps each worker did when, for whoever draws that
 *
 * Room is taken before the work; workers take places by counting up, and what finds none left is
 * only counted.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "base.h"

Stints *stints_new(int64_t most)
{
    Stints *s = malloc(sizeof *s + (size_t)most * sizeof(Stint));

    if (!s)
        return NULL;
    s->most = most;
    atomic_init(&s->taken, 0);
    return s;
}

void stints_free(Stints *s)
{
    free(s);
}

double stints_begin(const Stints *s)
{
    return s ? os_seconds() : 0;
}

void stints_add(Stints *s, const Stint *stint)
{
    int64_t i = atomic_fetch_add_explicit(&s->taken, 1, memory_order_relaxed);

    if (i < s->most)
        s->at[i] = *stint;
}

void stints_end(Stints *s, int worker, int64_t first, int64_t last, double start)
{
    if (s)
        stints_add(s, &(Stint){first, last, start, os_seconds(), worker});
}

int64_t stints_count(const Stints *s)
{
    return MIN(atomic_load_explicit(&s->taken, memory_order_relaxed), s->most);
}
