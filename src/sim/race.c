/*
 * race.c - two programs that touch one element of global memory, with nothing that orders them
 *
 * Looked for where the launch asks for it.  Each element of the launch's arrays has a cell: the
 * last program that changed it, and two programs that read it.  A plain access to what another
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

#include "execute.h"

/* Programs are numbers from 1; 0: none. */
typedef struct {
    uint32_t program, time, place; /* place: of PtxPlace */
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
static bool make_cells(Races *r, const SimLaunch *asked)
{
    for (int i = 0; i < asked->nranges; i++) {
        const SimRange *range = &asked->ranges[i];

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

Races *races_new(const SimLaunch *asked, int64_t programs)
{
    Races *r = calloc(1, sizeof *r);

    if (!r)
        return NULL;
    for (int i = 0; i < LOCKS; i++)
        pthread_mutex_init(&r->locks[i], NULL);
    r->regions = calloc((size_t)MAX(asked->nranges, 0) + 1, sizeof *r->regions);
    r->released = calloc((size_t)programs + 1, sizeof *r->released);
    if (r->regions && r->released && make_cells(r, asked))
        return r;
    races_free(r);
    return NULL;
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

static Cells cells_of(Races *r, const char *host, uint32_t bytes)
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

static Races *races_of(const Warp *w)
{
    return w->worker->launch->races;
}

static uint32_t now_of(const Warp *w)
{
    return atomic_load_explicit(&races_of(w)->clock, memory_order_relaxed);
}

static Touch touch_now(const Warp *w)
{
    return (Touch){w->block->number, now_of(w), w->inst ? w->inst->place : 0};
}

/* --- races --- */

/* Did another program do that, not in order before now? */
static bool is_loose(const Warp *w, const Touch *t)
{
    if (t->program == 0 || t->program == w->block->number)
        return false;
    return t->time >= w->block->horizon ||
           atomic_load(&races_of(w)->released[t->program]) <= t->time;
}

static void report(Warp *w, int lane, const char *does, const char *access, const char *did,
                   const Touch *other, uint64_t address)
{
    const Launch *l = w->worker->launch;
    const int32_t *grid = l->asked->grid;
    const PtxPlace *place = &w->module->places.at[other->place];
    int64_t n = (int64_t)other->program - 1;
    int64_t at[] = {n % grid[0], n / grid[0] % grid[1], n / grid[0] / grid[1]};
    SimError *e = &w->worker->error;

    if (w->worker->status != SIM_OK)
        return;
    fault(w, lane, "a race: it %s memory that program (%d, %d, %d) %s, and nothing orders the two",
          does, (int)at[0], (int)at[1], (int)at[2], did);
    e->access = access;
    e->address = address;
    e->range = access_range(l, address);
    e->race = did;
    for (int i = 0; i < 3; i++)
        e->other[i] = (int)at[i];
    if (other->place > 0 && place->file) {
        snprintf(e->other_file, sizeof e->other_file, "%s", place->file);
        e->other_line = place->line;
        e->other_column = place->column;
    }
}

static void note_read(Cell *c, Touch now)
{
    int slot = c->read[0].program == 0 || c->read[0].program == now.program ? 0 : 1;

    c->read[slot] = now;
}

bool race_load(Warp *w, int lane, const char *host, uint32_t bytes)
{
    Races *r = races_of(w);
    Cells cells = r ? cells_of(r, host, bytes) : (Cells){.count = 0};
    Touch now;
    int i = 0;

    if (cells.count == 0)
        return true;
    now = touch_now(w);
    pthread_mutex_lock(cells.lock);
    for (; i < cells.count && !is_loose(w, &cells.first[i].written); i++)
        note_read(&cells.first[i], now);
    if (i < cells.count)
        report(w, lane, "reads", "load of", "changes", &cells.first[i].written,
               cells.start + (uint64_t)i * cells.unit);
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

/* False behind a report. */
static bool change_cell(Warp *w, int lane, Cell *c, uint64_t address, Touch now)
{
    if (is_loose(w, &c->written)) {
        report(w, lane, "writes", "store to", "changes", &c->written, address);
        return false;
    }
    for (int i = 0; i < COUNT(c->read); i++) {
        if (is_loose(w, &c->read[i])) {
            report(w, lane, "writes", "store to", "loads", &c->read[i], address);
            return false;
        }
        c->read[i] = (Touch){0};
    }
    c->written = now;
    return true;
}

void race_store(Warp *w, int lane, char *host, const void *bytes, uint32_t n)
{
    Races *r = races_of(w);
    Cells cells = r ? cells_of(r, host, n) : (Cells){.count = 0};
    bool ok = true;

    if (cells.count > 0)
        pthread_mutex_lock(cells.lock);
    for (int i = 0; i < cells.count && ok; i++) {
        if (changes(&cells, i, host, bytes, n))
            ok = change_cell(w, lane, &cells.first[i], cells.start + (uint64_t)i * cells.unit,
                             touch_now(w));
    }
    if (ok)
        memcpy(host, bytes, n);
    if (cells.count > 0)
        pthread_mutex_unlock(cells.lock);
}

/* --- order --- */

void race_start_block(Block *b, int64_t program)
{
    b->number = (uint32_t)program + 1;
    b->horizon = b->observed = b->fenced = 0;
}

void race_fence(Warp *w)
{
    Races *r = races_of(w);
    Block *b = w->block;

    if (!r)
        return;
    b->horizon = MAX(b->horizon, b->observed);
    b->fenced = atomic_fetch_add(&r->clock, 1) + 1;
}

static void observe(Block *b, const Cell *c)
{
    if (c->releaser != b->number)
        b->observed = MAX(b->observed, c->stamp);
}

void race_observe(Warp *w, const char *host, uint32_t bytes)
{
    Races *r = races_of(w);
    Cells cells = r ? cells_of(r, host, bytes) : (Cells){.count = 0};

    if (cells.count == 0)
        return;
    pthread_mutex_lock(cells.lock);
    for (int i = 0; i < cells.count; i++)
        observe(w->block, &cells.first[i]);
    pthread_mutex_unlock(cells.lock);
    w->block->horizon = MAX(w->block->horizon, w->block->observed);
}

void race_atomic(Warp *w, const char *host, uint32_t bytes)
{
    Races *r = races_of(w);
    Cells cells = r ? cells_of(r, host, bytes) : (Cells){.count = 0};
    Block *b = w->block;

    if (cells.count == 0)
        return;
    pthread_mutex_lock(cells.lock);
    for (int i = 0; i < cells.count; i++) {
        Cell *c = &cells.first[i];

        observe(b, c);
        if (b->fenced == 0)
            continue;
        c->releaser = b->number;
        c->stamp = b->fenced;
        atomic_store(&r->released[b->number], b->fenced);
    }
    pthread_mutex_unlock(cells.lock);
}
