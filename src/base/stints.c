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

void stints_end(Stints *s, int worker, int64_t first, int64_t last, double start)
{
    int64_t i = s ? atomic_fetch_add_explicit(&s->taken, 1, memory_order_relaxed) : 0;

    if (s && i < s->most)
        s->at[i] = (Stint){first, last, start, os_seconds(), worker};
}

int64_t stints_count(const Stints *s)
{
    return MIN(atomic_load_explicit(&s->taken, memory_order_relaxed), s->most);
}
