/*
 * written.c - what programs write: how it was before, and who writes to an element that is watched
 *
 * In front of each access the bytes that it will write to are kept, neighbours together; to go back
 * they are put back, the last first.  That costs memory as the launch writes, and a launch that
 * writes to an element many times keeps it as often.
 */
#include <stdlib.h>
#include <string.h>

#include "inside.h"

/* Room for one more; false: memory is out. */
static bool grow(void *at, size_t *room, size_t n, size_t size)
{
    void **array = at;

    if (n <= *room)
        return true;
    size_t more = MAX(n, *room * 2 + 64);
    void *bigger = realloc(*array, more * size);
    if (!bigger)
        return false;
    *array = bigger;
    *room = more;
    return true;
}

static void keep(Debugger *d, uint64_t address, size_t bytes, size_t size)
{
    Journal *j = &d->journal;
    bool fits = !j->is_full &&
                grow(&j->written, &j->written_room, j->nwritten + 1, sizeof *j->written) &&
                grow(&j->data, &j->byte_room, j->nbytes + bytes, 1);

    j->is_full |= !fits;
    if (!fits)
        return;
    j->written[j->nwritten++] = (Written){address, j->nbytes, bytes, size, d->now.step};
    memcpy(j->data + j->nbytes, (const void *)(uintptr_t)address, bytes);
    j->nbytes += bytes;
}

static uint64_t bits_at(uint64_t address, size_t size)
{
    uint64_t bits = 0;

    memcpy(&bits, (const void *)(uintptr_t)address, size);
    return bits;
}

static void note_watched(Debugger *d, uint64_t address, size_t bytes)
{
    for (int i = 0; i < d->watches.len; i++) {
        const DebugWatch *w = &d->watches.at[i];
        size_t size = tilec_dtype_size(w->dtype);

        if (w->address + size > address && w->address < address + bytes)
            d->writing = (Writing){w->number, bits_at(w->address, size)};
    }
}

void written_note(Debugger *d, const InterpAccess *a)
{
    uint64_t from = 0;
    size_t bytes = 0, size = (size_t)a->size;

    for (int64_t i = 0; i <= a->lanes; i++) {
        bool is_more = i < a->lanes && (!a->mask || a->mask[i]);

        if (is_more && bytes > 0 && a->addresses[i] == from + bytes) {
            bytes += size;
            continue;
        }
        if (bytes > 0) {
            keep(d, from, bytes, size);
            note_watched(d, from, bytes);
        }
        from = is_more ? a->addresses[i] : 0;
        bytes = is_more ? size : 0;
    }
}

void written_begin_program(Journal *j, int64_t program)
{
    if (!grow(&j->programs, &j->program_room, j->nprograms + 1, sizeof *j->programs)) {
        j->is_full = true;
        return;
    }
    j->programs[j->nprograms++] = (ProgramMark){program, j->nwritten, j->nbytes};
}

void written_undo(Journal *j, int64_t program)
{
    ProgramMark to = {0};

    while (j->nprograms > 0 && j->programs[j->nprograms - 1].program >= program)
        to = j->programs[--j->nprograms];
    if (to.program < program)
        return; /* it has not begun */
    while (j->nwritten > to.nwritten) {
        const Written *w = &j->written[--j->nwritten];
        memcpy((void *)(uintptr_t)w->address, j->data + w->at, w->bytes);
    }
    j->nbytes = to.nbytes;
}

void written_free(Journal *j)
{
    free(j->written);
    free(j->data);
    free(j->programs);
}

/* --- who wrote last --- */

/* Behind the op, of which the next moment is the first that sees it. */
static void look_at_write(const Written *w, int64_t program, const Map *among, Map *seen,
                          DebugWrite *first)
{
    for (uint64_t at = w->address + w->bytes; at > w->address;) {
        at -= w->size;
        const DebugElement *element = map_get(among, at);

        if (!element || map_get(seen, at))
            continue;
        map_put(seen, at, (void *)element);
        *first = (DebugWrite){element, at, {program, w->step + 1}};
    }
}

bool debug_first_of_last(const Debugger *d, const Map *among, DebugWrite *out)
{
    const Journal *j = &d->journal;
    Map *seen = map_new(d->client->arena);
    size_t p = j->nprograms;

    *out = (DebugWrite){0};
    for (size_t i = j->nwritten; i > 0; i--) {
        while (p > 1 && j->programs[p - 1].nwritten >= i)
            p--;
        look_at_write(&j->written[i - 1], j->programs[p - 1].program, among, seen, out);
    }
    return out->element != NULL;
}

static const DebugWatch *find_watch(const Debugger *d, int number)
{
    for (int i = 0; i < d->watches.len; i++) {
        if (d->watches.at[i].number == number)
            return &d->watches.at[i];
    }
    return NULL;
}

const char *written_tell(Debugger *d, int *number, Arena *a)
{
    const DebugWatch *w = find_watch(d, d->writing.number);
    char before[ELEMENT_TEXT], now[ELEMENT_TEXT];

    if (!w)
        return NULL;
    *number = w->number;
    uint64_t bits = bits_at(w->address, tilec_dtype_size(w->dtype));
    element_format(before, w->dtype, d->writing.before,
                   element_wants_exponent(w->dtype, d->writing.before));
    element_format(now, w->dtype, bits, element_wants_exponent(w->dtype, bits));
    return arena_printf(a, "%s was %s, now %s", w->name, before, now);
}
