/*
 * race.c - two programs, or two lanes of one, that touch one element of global memory, with nothing
 * that orders them
 *
 * Each element of the launch's arrays has a cell: the last program that changed it, and two
 * programs that read it.  A plain access to what another
 * program has changed, or a plain write that changes what another one has read, is a race, unless
 * the two are in order.  Atomics race with nobody, and neither does a write of what is there
 * already.
 *
 * The same holds for the lanes of one program, which on a GPU are in warps that run apart: they are
 * in order behind a barrier (race_meet).  What a lane changes behind a sum of all lanes is in order
 * behind what the others have loaded before, too: the sum had to wait for that (race_cross).
 *
 * Of blank memory it is known which elements were ever written: a load of another is told.
 *
 * What orders programs are atomics with fences around them, as acquire and release become.  A fence
 * gets a number from one clock, and so does an atomic behind it, which leaves its own in its cell
 * before the memory changes.  A program that finds it there, behind an atomic or a read of its own,
 * and comes to a fence takes it as its horizon: whatever happened before, in
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
    uint32_t program, time, place, lane;
} Touch;
#define SEVERAL_LANES (RACE_ANY_LANE - 1) /* have read it: whichever writes it, another one has */

typedef struct {
    Touch written, read[2];
    uint32_t releaser, stamp; /* of the last atomic behind a fence */
} Cell;

typedef struct {
    uint64_t start, end;
    uint32_t unit; /* bytes of a cell */
    Cell *cells;
    bool is_blank;
    bool *blank; /* by cell: nobody has written it; NULL where the region is not blank */
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
            last->is_blank &= r[i].is_blank;
        } else {
            r[kept++] = r[i];
        }
    }
    return kept;
}

/* False: memory is out. */
static bool fill_region(Region *g)
{
    size_t n = (g->end - g->start) / g->unit + 1;

    g->cells = calloc(n, sizeof(Cell));
    g->blank = g->is_blank ? malloc(n) : NULL;
    if (g->blank)
        memset(g->blank, true, n);
    return g->cells && (g->blank || !g->is_blank);
}

/* False: memory is out. */
static bool make_cells(Races *r, const RaceRange *ranges, int n)
{
    for (int i = 0; i < n; i++) {
        const RaceRange *range = &ranges[i];

        if (range->unit > 0 && range->bytes > 0)
            r->regions[r->count++] = (Region){.start = range->address,
                                              .end = range->address + range->bytes,
                                              .unit = range->unit,
                                              .is_blank = range->blank};
    }
    r->count = merge_regions(r->regions, r->count);
    for (int i = 0; i < r->count; i++) {
        if (!fill_region(&r->regions[i]))
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
    for (int i = 0; i < r->count; i++) {
        free(r->regions[i].cells);
        free(r->regions[i].blank);
    }
    for (int i = 0; i < LOCKS; i++)
        pthread_mutex_destroy(&r->locks[i]);
    free(r->regions);
    free(r->released);
    free(r);
}

/* Cells that an access touches; count 0: it is in no array. */
typedef struct {
    Cell *first;
    bool *blank; /* of the first, or NULL */
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
                       .blank = g->blank ? g->blank + first : NULL,
                       .count = (int)(last - first) + 1,
                       .start = g->start + first * g->unit,
                       .unit = g->unit,
                       .lock = &r->locks[address >> LOCK_SHIFT & (LOCKS - 1)]};
    }
    return (Cells){.count = 0};
}

static uint64_t address_of(const Cells *cells, int i)
{
    return cells->start + (uint64_t)i * cells->unit;
}

static Touch touch_now(Races *r, const RaceProgram *p, RaceAt at)
{
    uint32_t now = atomic_load_explicit(&r->clock, memory_order_relaxed);

    return (Touch){p->number, now, at.place, at.lane};
}

/* All touches from now on are later than those before. */
static uint32_t next_time(Races *r)
{
    return atomic_fetch_add(&r->clock, 1) + 1;
}

/* --- races --- */

/* Did another program do that, not in order before now? */
static bool is_loose(Races *r, const RaceProgram *p, const Touch *t)
{
    if (t->program == 0 || t->program == p->number)
        return false;
    return t->time >= p->horizon || atomic_load(&r->released[t->program]) <= t->time;
}

/* Did another lane of the program do that, at that time or behind it? */
static bool is_of_other_lane(const Touch *now, const Touch *t, uint32_t since)
{
    return t->program == now->program && t->lane != now->lane && t->time >= since &&
           t->lane != RACE_ANY_LANE && now->lane != RACE_ANY_LANE;
}

static Race race_with(RaceKind kind, const Touch *other, bool other_stores, uint64_t address)
{
    return (Race){kind, address, other_stores, (int64_t)other->program - 1, other->place};
}

static void note_read(const RaceProgram *p, Cell *c, Touch now)
{
    int slot = c->read[0].program == 0 || c->read[0].program == now.program ? 0 : 1;

    if (is_of_other_lane(&now, &c->read[slot], p->crossed)) {
        c->read[slot].time = now.time;
        c->read[slot].lane = SEVERAL_LANES;
        return;
    }
    c->read[slot] = now;
}

/* False for a race. */
static bool load_cell(Races *r, const RaceProgram *p, const Cells *cells, int i, Touch now,
                      Race *out)
{
    Cell *c = &cells->first[i];

    if (cells->blank && cells->blank[i])
        *out = (Race){.kind = RACE_BLANK, .address = address_of(cells, i)};
    else if (is_loose(r, p, &c->written))
        *out = race_with(RACE_PROGRAMS, &c->written, true, address_of(cells, i));
    else if (is_of_other_lane(&now, &c->written, p->met))
        *out = race_with(RACE_LANES, &c->written, true, address_of(cells, i));
    else {
        note_read(p, c, now);
        return true;
    }
    return false;
}

bool race_load(Races *r, RaceProgram *p, RaceAt at, const void *host, uint32_t bytes, Race *out)
{
    Cells cells = cells_of(r, host, bytes);
    Touch now;
    int i = 0;

    if (cells.count == 0)
        return true;
    now = touch_now(r, p, at);
    p->has_read = true;
    pthread_mutex_lock(cells.lock);
    while (i < cells.count && load_cell(r, p, &cells, i, now, out))
        i++;
    pthread_mutex_unlock(cells.lock);
    return i == cells.count;
}

/* Do these bytes, the first of which is for `host`, change cell `i`? */
static bool changes(const Cells *cells, int i, const char *host, const char *bytes, uint32_t n)
{
    uint64_t at = (uint64_t)(uintptr_t)host, from = address_of(cells, i);
    uint64_t first = MAX(at, from), last = MIN(at + n, from + cells->unit);

    return memcmp((const char *)(uintptr_t)first, bytes + (first - at), last - first) != 0;
}

/* False for a race. */
static bool change_cell(Races *r, const RaceProgram *p, Cell *c, uint64_t address, Touch now,
                        Race *out)
{
    if (is_loose(r, p, &c->written)) {
        *out = race_with(RACE_PROGRAMS, &c->written, true, address);
        return false;
    }
    for (int i = 0; i < COUNT(c->read); i++) {
        bool loose = is_loose(r, p, &c->read[i]);
        if (loose || is_of_other_lane(&now, &c->read[i], p->crossed)) {
            *out = race_with(loose ? RACE_PROGRAMS : RACE_LANES, &c->read[i], false, address);
            return false;
        }
        c->read[i] = (Touch){0};
    }
    c->written = now;
    return true;
}

bool race_store(Races *r, const RaceProgram *p, RaceAt at, void *host, const void *bytes,
                uint32_t n, Race *out)
{
    Cells cells = cells_of(r, host, n);
    bool ok = true;

    if (cells.count > 0)
        pthread_mutex_lock(cells.lock);
    for (int i = 0; i < cells.count && ok; i++) {
        if (changes(&cells, i, host, bytes, n))
            ok =
                change_cell(r, p, &cells.first[i], address_of(&cells, i), touch_now(r, p, at), out);
        if (cells.blank)
            cells.blank[i] = false;
    }
    if (ok)
        memcpy(host, bytes, n);
    if (cells.count > 0)
        pthread_mutex_unlock(cells.lock);
    return ok;
}

/* --- what was loaded --- */

static bool was_read(const Cell *c)
{
    return c->read[0].program > 0;
}

bool races_part_read(const Races *r, const RaceRange *range, unsigned char *read)
{
    const Region *g = r->regions, *end = r->regions + r->count;
    int64_t loaded = 0, n;

    while (g < end && g->start != range->address)
        g++;
    if (g == end || g->end - g->start != range->bytes || g->unit != range->unit)
        return false;
    n = (int64_t)(range->bytes / range->unit);
    for (int64_t i = 0; i < n; i++) {
        if (g->cells[i].written.program > 0)
            return false;
        read[i] = was_read(&g->cells[i]);
        loaded += read[i];
    }
    return loaded > 0 && loaded < n;
}

/* --- order --- */

RaceProgram race_begin(int64_t program)
{
    return (RaceProgram){.number = (uint32_t)program + 1};
}

void race_fence(Races *r, RaceProgram *p)
{
    p->horizon = MAX(p->horizon, p->observed);
    p->fenced = next_time(r);
}

void race_meet(Races *r, RaceProgram *p)
{
    p->met = p->crossed = next_time(r);
}

void race_cross(Races *r, RaceProgram *p)
{
    if (p->has_read)
        p->crossed = next_time(r);
    p->has_read = false;
}

static void observe(RaceProgram *p, const Cell *c)
{
    if (c->releaser != p->number)
        p->observed = MAX(p->observed, c->stamp);
}

void race_seen(Races *r, RaceProgram *p, const void *host, uint32_t bytes)
{
    Cells cells = cells_of(r, host, bytes);

    if (cells.count == 0)
        return;
    pthread_mutex_lock(cells.lock);
    for (int i = 0; i < cells.count; i++)
        observe(p, &cells.first[i]);
    pthread_mutex_unlock(cells.lock);
}

void race_observe(Races *r, RaceProgram *p, const void *host, uint32_t bytes)
{
    race_seen(r, p, host, bytes);
    p->horizon = MAX(p->horizon, p->observed);
}

/* The stamp of the last one is the greatest, whichever fenced first. */
static void note_atomic(Races *r, RaceProgram *p, Cell *c)
{
    observe(p, c);
    if (p->fenced == 0)
        return;
    c->releaser = p->number;
    c->stamp = next_time(r);
    atomic_store(&r->released[p->number], p->fenced);
}

bool race_atomic(Races *r, RaceProgram *p, const void *host, uint32_t bytes, bool reads, Race *out)
{
    Cells cells = cells_of(r, host, bytes);
    bool ok = true;

    if (cells.count == 0)
        return true;
    pthread_mutex_lock(cells.lock);
    for (int i = 0; i < cells.count && ok; i++) {
        note_atomic(r, p, &cells.first[i]);
        ok = !reads || !cells.blank || !cells.blank[i];
        if (!ok)
            *out = (Race){.kind = RACE_BLANK, .address = address_of(&cells, i)};
        else if (cells.blank)
            cells.blank[i] = false;
    }
    pthread_mutex_unlock(cells.lock);
    return ok;
}
