/*
 * record.c - collects what the programs of a launch say; see record.h
 *
 * put() runs on the threads of the launch.  It makes the text without a lock, and takes one to keep
 * it: whoever prints from a million programs waits for that, and nobody else does.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "record.h"

static const double patience = 2; /* seconds from the first check that fails to the last */
enum { MOST_TEXT = 8 << 20, MOST_PRINTS = 1 << 18 }; /* that are kept */

/* What is known of a place that found something wrong. */
typedef struct {
    Record first;
    Map *programs; /* that found it: their numbers / 64 to a bit for each */
} Fault;

struct Records {
    RecordPort port; /* first: put() is given its address */
    const RecordSite *sites;
    int nsites;
    int32_t grid[3];
    pthread_mutex_t lock; /* of what follows */
    Record *prints;
    int nprints, room;
    size_t bytes; /* of their texts */
    int64_t lost;
    double first_fault; /* when; 0: there was none */
    bool cut_short;
    RecordHear *hear; /* NULL: nobody is told at once */
    void *user;
    RecordValues values;
    Arena *arena;   /* of the faults; NULL before the first */
    Record *list;   /* what records_list() gave */
    Fault faults[]; /* by site */
};

static int64_t program_number(const Records *r, const int32_t at[3])
{
    return at[0] + (int64_t)r->grid[0] * (at[1] + (int64_t)r->grid[1] * at[2]);
}

/* Under the lock; false: there is no room. */
static bool make_room(Records *r)
{
    if (r->nprints < r->room)
        return true;
    int room = MAX(64, 2 * r->room);
    Record *more = room <= MOST_PRINTS ? realloc(r->prints, sizeof *more * (size_t)room) : NULL;

    if (!more)
        return false;
    r->prints = more;
    r->room = room;
    return true;
}

static void keep_print(Records *r, const Record *print)
{
    size_t bytes = print->text ? strlen(print->text) : 0;

    if (r->hear && print->text) {
        r->hear(r->user, print);
        free((char *)print->text);
        return;
    }
    pthread_mutex_lock(&r->lock);
    if (print->text && r->bytes + bytes <= MOST_TEXT && make_room(r)) {
        r->prints[r->nprints++] = *print;
        r->bytes += bytes;
    } else {
        free((char *)print->text);
        r->lost++;
    }
    pthread_mutex_unlock(&r->lock);
}

static bool join_programs(Records *r, Fault *f, int64_t program)
{
    uint64_t key = (uint64_t)program / 64, bit = UINT64_C(1) << (program % 64);

    if (!r->arena)
        return true;
    if (!f->programs)
        f->programs = map_new(r->arena);
    uint64_t seen = (uint64_t)(uintptr_t)map_get(f->programs, key);
    map_put(f->programs, key, (void *)(uintptr_t)(seen | bit));
    return (seen & bit) == 0;
}

/* Under the lock: is it the first time that this program fails here?  Without memory every time
 * counts. */
static bool is_new_program(Records *r, Fault *f, int64_t program)
{
    Guard guard = {0};
    bool is_new = true;

    if (!r->arena)
        r->arena = arena_new(NULL);
    if (r->arena)
        arena_set_guard(r->arena, &guard);
    if (setjmp(guard.env) == 0)
        is_new = join_programs(r, f, program);
    return is_new;
}

/* `values` of an op that failed: the first element, how many, and of a check its offset. */
static void count_fault(Records *r, Record *now, const void *const *values)
{
    Fault *fault = &r->faults[now->site];
    Record *old = &fault->first;
    int32_t element, failures;

    memcpy(&element, values[0], sizeof element);
    memcpy(&failures, values[1], sizeof failures);
    now->element = element;
    if (r->sites[now->site].kind == RECORD_CHECK)
        memcpy(&now->offset, values[2], sizeof now->offset);
    pthread_mutex_lock(&r->lock);
    now->failures = old->failures + failures;
    now->programs = old->programs + is_new_program(r, fault, now->program);
    if (old->programs == 0 || now->program < old->program) {
        *old = *now;
    } else {
        old->failures = now->failures;
        old->programs = now->programs;
    }
    pthread_mutex_unlock(&r->lock);
}

/* Behind a check that failed: programs go on to be looked at, but a grid may have a great many. */
static void mind_time(Records *r)
{
    double now = os_seconds();

    pthread_mutex_lock(&r->lock);
    if (r->first_fault == 0)
        r->first_fault = now;
    r->cut_short |= now - r->first_fault > patience;
    if (r->cut_short)
        r->port.stop = 1;
    pthread_mutex_unlock(&r->lock);
}

bool records_cut_short(const Records *r)
{
    return r->cut_short;
}

static void tell_value(Records *r, const RecordSite *s, int64_t program, const void *data)
{
    const RecordValues *w = &r->values;
    const RecordedValue value = {.name = s->text,
                                 .type = s->types,
                                 .program = program,
                                 .data = data,
                                 .wide_floats = r->port.wide_floats};

    if (!w->value || program < w->first || program >= w->last)
        return;
    pthread_mutex_lock(&r->lock);
    w->value(w->user, &value);
    pthread_mutex_unlock(&r->lock);
}

static void put(RecordPort *port, int64_t site, const int32_t program[3], const void *const *values)
{
    Records *r = (Records *)port;
    Record now = {.site = (int)site,
                  .program = program_number(r, program),
                  .at = {program[0], program[1], program[2]}};

    if (site < 0 || site >= r->nsites)
        return;
    const RecordSite *s = &r->sites[site];
    if (s->kind == RECORD_VALUE) {
        tell_value(r, s, now.program, values[0]);
        return;
    }
    if (s->kind == RECORD_PRINT) {
        now.text = record_text(s, program, values, port->wide_floats);
        keep_print(r, &now);
        return;
    }
    count_fault(r, &now, values);
    if (r->hear)
        r->hear(r->user, &now);
    if (s->kind == RECORD_ASSERT)
        port->stop = 1;
    else
        mind_time(r);
}

Records *records_new(const RecordSite *sites, int nsites, const int32_t grid[3])
{
    Records *r = calloc(1, sizeof *r + sizeof r->faults[0] * (size_t)nsites);

    if (!r)
        return NULL;
    r->port.put = put;
    r->sites = sites;
    r->nsites = nsites;
    memcpy(r->grid, grid, sizeof r->grid);
    pthread_mutex_init(&r->lock, NULL);
    return r;
}

void records_free(Records *r)
{
    if (!r)
        return;
    for (int i = 0; i < r->nprints; i++)
        free((char *)r->prints[i].text);
    pthread_mutex_destroy(&r->lock);
    arena_free(r->arena);
    free(r->prints);
    free(r->list);
    free(r);
}

void records_hear(Records *r, RecordHear *hear, void *user)
{
    r->hear = hear;
    r->user = user;
}

void records_want(Records *r, const RecordValues *values)
{
    r->values = *values;
}

RecordPort *records_port(Records *r)
{
    return &r->port;
}

/* By program, and as they came within one. */
static int compare(const void *x, const void *y)
{
    const Record *a = x, *b = y;

    if (a->program != b->program)
        return a->program < b->program ? -1 : 1;
    return a->element < b->element ? -1 : a->element > b->element;
}

const Record *records_list(Records *r, int *n)
{
    int faults = 0;

    for (int i = 0; i < r->nsites; i++)
        faults += r->faults[i].first.programs > 0;
    *n = r->nprints + faults;
    free(r->list);
    r->list = calloc((size_t)*n + 1, sizeof *r->list);
    if (!r->list) {
        *n = 0;
        return NULL;
    }
    for (int i = 0; i < r->nprints; i++) {
        r->list[i] = r->prints[i];
        r->list[i].element = i;
    }
    qsort(r->list, (size_t)r->nprints, sizeof *r->list, compare);
    for (int i = 0, at = r->nprints; i < r->nsites; i++) {
        if (r->faults[i].first.programs > 0)
            r->list[at++] = r->faults[i].first;
    }
    return r->list;
}

int64_t records_lost(const Records *r)
{
    return r->lost;
}

void records_lose(RecordPort *port, int64_t n)
{
    Records *r = (Records *)port;

    pthread_mutex_lock(&r->lock);
    r->lost += n;
    pthread_mutex_unlock(&r->lock);
}
