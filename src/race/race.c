/*
 * race.c - two programs that touch one element of global memory, with nothing that orders them
 *
 * Each element of the launch's arrays has a cell: the last program that changed it, and two
 * programs that read it.  A plain access to what another
 * program has changed, or a plain write that changes what another one has read, is a race, unless
 * the two are in order.  Atomics race with nobody, and neither does a write of what is there
 * already.
 *
 * What orders programs are atomics with fences around them, as acquire and release become.  A fence
 * gets a number from one clock; an atomic behind it leaves that number in its cell.  A program that
 * finds it there and comes to a fence takes it as its horizon: whatever happened before, in
 * programs that have released since, counts as seen.  That is more than it has seen: no race is
 * told where there is none, and some are missed in kernels that order their programs.
 * docs/simulator.md tells users so.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "race.h"

/* Programs are numbers from 1; 0: none. */
typedef struct {
    uint32_t program, time, place;
} Touch;
typedef struct {
    Touch written, read[2];
    uint32_t releaser, stamp; /* of the last atomic behind a fence */
} Cell;

typedef struct {
    uint64_t start, end;
    uint32_t unit; /* bytes of a cell */
    Cell *cells;
} Region;

enum { LOCKS = 64, LOCK_SHIFT = 12 };
struct Races {
    Region *regions; /* by address, apart */
    int count;
    _Atomic uint32_t clock;
    _Atomic uint32_t *released; /* by program: its last number that an atomic has left */
    pthread_mutex_t locks[LOCKS];
};

/* --- cells --- */

static int compare_regions(const void *a, const void *b)
{
    const Region *x = a, *y = b;

    return (x->start > y->start) - (x->start < y->start);
}

/* Those that overlap become one. */
static int merge_regions(Region *r, int n)
{
    int kept = 0;

    if (n > 0)
        qsort(r, (size_t)n, sizeof *r, compare_regions);
    for (int i = 0; i < n; i++) {
        Region *last = kept > 0 ? &r[kept - 1] : NULL;

        if (last && r[i].start < last->end) {
            last->end = MAX(last->end, r[i].end);
            last->unit = MIN(last->unit, r[i].unit);
        } else {
            r[kept++] = r[i];
        }
    }
    return kept;
}

/* False: memory is out. */
static bool make_cells(Races *r, const RaceRange *ranges, int n)
{
    for (int i = 0; i < n; i++) {
        const RaceRange *range = &ranges[i];

        if (range->unit > 0 && range->bytes > 0)
            r->regions[r->count++] = (Region){
                .start = range->address, .end = range->address + range->bytes, .unit = range->unit};
    }
    r->count = merge_regions(r->regions, r->count);
    for (int i = 0; i < r->count; i++) {
        Region *region = &r->regions[i];

        region->cells = calloc((region->end - region->start) / region->unit + 1, sizeof(Cell));
        if (!region->cells)
            return false;
    }
    return true;
}

Races *races_new(const RaceRange *ranges, int n, int64_t programs)
{
    Races *r = calloc(1, sizeof *r);

    if (!r)
        return NULL;
    for (int i = 0; i < LOCKS; i++)
        pthread_mutex_init(&r->locks[i], NULL);
    r->regions = calloc((size_t)MAX(n, 0) + 1, sizeof *r->regions);
    r->released = calloc((size_t)programs + 1, sizeof *r->released);
    if (r->regions && r->released && make_cells(r, ranges, n))
        return r;
    races_free(r);
    return NULL;
}

void races_put_need(char *out, size_t room, const RaceRange *ranges, int n)
{
    double elements = 0;

    for (int i = 0; i < n; i++)
        elements += ranges[i].unit ? (double)(ranges[i].bytes / ranges[i].unit) : 0;
    snprintf(
        out, room,
        "out of memory: to look for races takes %zu bytes for each of the %.0f elements of the "
        "arrays, %.3g GB in all: give it smaller arrays, or run it without the check",
        sizeof(Cell), elements, elements * sizeof(Cell) / 1e9);
}

void races_free(Races *r)
{
    if (!r)
        return;
    for (int i = 0; i < r->count; i++)
        free(r->regions[i].cells);
    for (int i = 0; i < LOCKS; i++)
        pthread_mutex_destroy(&r->locks[i]);
    free(r->regions);
    free(r->released);
    free(r);
}

/* Cells that an access touches; count 0: it is in no array. */
typedef struct {
    Cell *first;
    int count;
    uint64_t start; /* address of the first */
    uint32_t unit;
    pthread_mutex_t *lock;
} Cells;

static Cells cells_of(Races *r, const void *host, uint32_t bytes)
{
    uint64_t address = (uint64_t)(uintptr_t)host;

    for (int i = 0; i < r->count; i++) {
        const Region *g = &r->regions[i];

        if (address < g->start || address >= g->end)
            continue;
        uint64_t first = (address - g->start) / g->unit;
        uint64_t last = (MIN(address + bytes, g->end) - 1 - g->start) / g->unit;
        return (Cells){.first = g->cells + first,
                       .count = (int)(last - first) + 1,
                       .start = g->start + first * g->unit,
                       .unit = g->unit,
                       .lock = &r->locks[address >> LOCK_SHIFT & (LOCKS - 1)]};
    }
    return (Cells){.count = 0};
}

static Touch touch_now(Races *r, const RaceProgram *p, uint32_t place)
{
    return (Touch){p->number, atomic_load_explicit(&r->clock, memory_order_relaxed), place};
}

/* --- races --- */

/* Did another program do that, not in order before now? */
static bool is_loose(Races *r, const RaceProgram *p, const Touch *t)
{
    if (t->program == 0 || t->program == p->number)
        return false;
    return t->time >= p->horizon || atomic_load(&r->released[t->program]) <= t->time;
}

static Race race_with(const Touch *other, bool other_stores, uint64_t address)
{
    return (Race){address, other_stores, (int64_t)other->program - 1, other->place};
}

static void note_read(Cell *c, Touch now)
{
    int slot = c->read[0].program == 0 || c->read[0].program == now.program ? 0 : 1;

    c->read[slot] = now;
}

bool race_load(Races *r, const RaceProgram *p, uint32_t place, const void *host, uint32_t bytes,
               Race *out)
{
    Cells cells = cells_of(r, host, bytes);
    Touch now;
    int i = 0;

    if (cells.count == 0)
        return true;
    now = touch_now(r, p, place);
    pthread_mutex_lock(cells.lock);
    for (; i < cells.count && !is_loose(r, p, &cells.first[i].written); i++)
        note_read(&cells.first[i], now);
    if (i < cells.count)
        *out = race_with(&cells.first[i].written, true, cells.start + (uint64_t)i * cells.unit);
    pthread_mutex_unlock(cells.lock);
    return i == cells.count;
}

/* Do these bytes, the first of which is for `host`, change cell `i`? */
static bool changes(const Cells *cells, int i, const char *host, const char *bytes, uint32_t n)
{
    uint64_t at = (uint64_t)(uintptr_t)host, from = cells->start + (uint64_t)i * cells->unit;
    uint64_t first = MAX(at, from), last = MIN(at + n, from + cells->unit);

    return memcmp((const char *)(uintptr_t)first, bytes + (first - at), last - first) != 0;
}

/* False for a race. */
static bool change_cell(Races *r, const RaceProgram *p, Cell *c, uint64_t address, Touch now,
                        Race *out)
{
    if (is_loose(r, p, &c->written)) {
        *out = race_with(&c->written, true, address);
        return false;
    }
    for (int i = 0; i < COUNT(c->read); i++) {
        if (is_loose(r, p, &c->read[i])) {
            *out = race_with(&c->read[i], false, address);
            return false;
        }
        c->read[i] = (Touch){0};
    }
    c->written = now;
    return true;
}

bool race_store(Races *r, const RaceProgram *p, uint32_t place, void *host, const void *bytes,
                uint32_t n, Race *out)
{
    Cells cells = cells_of(r, host, n);
    bool ok = true;

    if (cells.count > 0)
        pthread_mutex_lock(cells.lock);
    for (int i = 0; i < cells.count && ok; i++) {
        if (changes(&cells, i, host, bytes, n))
            ok = change_cell(r, p, &cells.first[i], cells.start + (uint64_t)i * cells.unit,
                             touch_now(r, p, place), out);
    }
    if (ok)
        memcpy(host, bytes, n);
    if (cells.count > 0)
        pthread_mutex_unlock(cells.lock);
    return ok;
}

/* --- order --- */

RaceProgram race_begin(int64_t program)
{
    return (RaceProgram){.number = (uint32_t)program + 1};
}

void race_fence(Races *r, RaceProgram *p)
{
    p->horizon = MAX(p->horizon, p->observed);
    p->fenced = atomic_fetch_add(&r->clock, 1) + 1;
}

static void observe(RaceProgram *p, const Cell *c)
{
    if (c->releaser != p->number)
        p->observed = MAX(p->observed, c->stamp);
}

void race_observe(Races *r, RaceProgram *p, const void *host, uint32_t bytes)
{
    Cells cells = cells_of(r, host, bytes);

    if (cells.count == 0)
        return;
    pthread_mutex_lock(cells.lock);
    for (int i = 0; i < cells.count; i++)
        observe(p, &cells.first[i]);
    pthread_mutex_unlock(cells.lock);
    p->horizon = MAX(p->horizon, p->observed);
}

void race_atomic(Races *r, RaceProgram *p, const void *host, uint32_t bytes)
{
    Cells cells = cells_of(r, host, bytes);

    if (cells.count == 0)
        return;
    pthread_mutex_lock(cells.lock);
    for (int i = 0; i < cells.count; i++) {
        Cell *c = &cells.first[i];

        observe(p, c);
        if (p->fenced == 0)
            continue;
        c->releaser = p->number;
        c->stamp = p->fenced;
        atomic_store(&r->released[p->number], p->fenced);
    }
    pthread_mutex_unlock(cells.lock);
}
