/*
 * stints.c - which programs each thread of a launch ran when, for whoever draws that
 *
 * Room is taken before the launch; threads take places by counting up, and what finds none left is
 * only counted.
 */
#include <stdlib.h>

#include "run.h"

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

void stints_add(Stints *s, const Stint *stint)
{
    int64_t i = atomic_fetch_add_explicit(&s->taken, 1, memory_order_relaxed);

    if (i < s->most)
        s->at[i] = *stint;
}

int64_t stints_count(const Stints *s)
{
    return MIN(atomic_load_explicit(&s->taken, memory_order_relaxed), s->most);
}
