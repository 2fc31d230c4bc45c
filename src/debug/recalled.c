/*
 * recalled.c - what costly ops gave, so that going back does not compute it again
 *
 * To go back is to run a program again up to an earlier moment, and most of that time are products
 * of tiles and functions such as exp, whose results are the same each time.  They are kept by the
 * moment of their op, as many as there is room for; when that is full, all are forgotten.
 */
#include <stdlib.h>
#include <string.h>

#include "inside.h"

enum { MOST_RECALLED_BYTES = 256 << 20 };

/* Where that moment is among those that are kept, or should be. */
static size_t place_of(const Recalled *r, DebugMoment moment)
{
    size_t low = 0, high = r->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (moment_is_before(r->at[middle].moment, moment))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_at(const Recalled *r, size_t i, DebugMoment moment)
{
    return i < r->n && !moment_is_before(moment, r->at[i].moment);
}

void recalled_forget(Recalled *r)
{
    for (size_t i = 0; i < r->n; i++)
        free(r->at[i].data);
    r->n = r->bytes = 0;
}

void recalled_free(Recalled *r)
{
    recalled_forget(r);
    free(r->at);
}

/* Room in front of the i-th; false: memory is out. */
static bool make_room(Recalled *r, size_t i)
{
    if (r->n == r->room) {
        size_t room = MAX(256, 2 * r->room);
        RecalledResult *more = realloc(r->at, room * sizeof *more);

        if (!more)
            return false;
        r->at = more;
        r->room = room;
    }
    memmove(r->at + i + 1, r->at + i, (r->n - i) * sizeof *r->at);
    r->n++;
    return true;
}

void *recalled_room(void *debugger, size_t bytes, bool *is_there)
{
    Debugger *d = debugger;
    Recalled *r = &d->recalled;
    size_t i = place_of(r, d->now);

    *is_there = is_at(r, i, d->now);
    if (*is_there)
        return r->at[i].data;
    if (bytes > MOST_RECALLED_BYTES)
        return NULL;
    if (r->bytes + bytes > MOST_RECALLED_BYTES) {
        recalled_forget(r);
        i = 0;
    }
    void *data = malloc(bytes);
    if (!data || !make_room(r, i)) {
        free(data);
        return NULL;
    }
    r->at[i] = (RecalledResult){d->now, data};
    r->bytes += bytes;
    return data;
}
