/*
 * watch.c - how far work of many steps is, for whoever asks while threads are at it
 *
 * Every worker tells in a place of its own which steps it is in and how many it has ended, so that
 * telling costs next to nothing; who looks adds them up.  Anybody may cancel: then no more steps
 * begin, and those that have begun end.
 */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdlib.h>

#include "base.h"

static void begin(Watch *w, int64_t steps, int workers)
{
    *w = (Watch){.steps = steps, .workers = workers};
    for (int i = 0; i < workers; i++)
        w->at[i] = (WatchPlace){.piece = 1};
}

Watch *watch_new(int64_t steps, int workers)
{
    size_t bytes = sizeof(Watch) + (size_t)workers * sizeof(WatchPlace);
    Watch *w = aligned_alloc(_Alignof(Watch),
                             (bytes + _Alignof(Watch) - 1) / _Alignof(Watch) * _Alignof(Watch));

    if (w)
        begin(w, steps, workers);
    return w;
}

Watch *watch_in(WatchRoom *room, int64_t steps)
{
    begin(&room->watch, steps, 1);
    return &room->watch;
}

void watch_free(Watch *w)
{
    free(w);
}

/* Workers beyond the number that was expected share a place: what it tells is then less exact. */
static WatchPlace *place_of(Watch *w, int worker)
{
    return &w->at[worker % w->workers];
}

bool wish_is_there(const volatile int *wish)
{
    return wish && __atomic_load_n(wish, __ATOMIC_RELAXED) != 0;
}

bool watch_begin(Watch *w, int worker, int64_t first, int64_t last)
{
    if (!w)
        return true;
    if (wish_is_there(w->wish))
        watch_cancel(w);
    if (atomic_load_explicit(&w->cancelled, memory_order_relaxed))
        return false;
    WatchPlace *p = place_of(w, worker);
    atomic_store_explicit(&p->first, first, memory_order_relaxed);
    atomic_store_explicit(&p->last, last, memory_order_release);
    return true;
}

void watch_end(Watch *w, int worker)
{
    if (!w)
        return;
    WatchPlace *p = place_of(w, worker);
    int64_t first = atomic_load_explicit(&p->first, memory_order_relaxed);
    int64_t last = atomic_load_explicit(&p->last, memory_order_relaxed);
    atomic_store_explicit(&p->last, first, memory_order_relaxed);
    atomic_fetch_add_explicit(&p->ended, last - first, memory_order_release);
}

/* Steps go together so that a piece of them takes about WATCH_SECONDS. */
static int64_t next_piece(int64_t piece, int64_t steps, double took)
{
    if (took > 2 * WATCH_SECONDS)
        return MAX(piece / 2, 1);
    return took < WATCH_SECONDS / 2 && steps == piece ? piece * 2 : piece;
}

bool watch_run(Watch *w, int worker, int64_t first, int64_t last, WatchSteps *steps, void *ctx)
{
    WatchPlace *p = place_of(w, worker);

    while (first < last) {
        int64_t piece = atomic_load_explicit(&p->piece, memory_order_relaxed);
        int64_t next = MIN(last, first + piece);
        double start = last - first > 1 ? os_seconds() : 0; /* of one step there are no pieces */

        if (!watch_begin(w, worker, first, next))
            return false;
        steps(ctx, first, next);
        watch_end(w, worker);
        if (start > 0) {
            piece = next_piece(piece, next - first, os_seconds() - start);
            atomic_store_explicit(&p->piece, piece, memory_order_relaxed);
        }
        first = next;
    }
    return true;
}

void watch_cancel(Watch *w)
{
    atomic_store(&w->cancelled, true);
}

bool watch_cut_short(const Watch *w)
{
    int64_t begun, ended;

    if (!w || !atomic_load(&w->cancelled))
        return false;
    watch_look(w, NULL, 0, &begun, &ended);
    return ended < w->steps;
}

void watch_in_parts(Watch *w, int64_t parts)
{
    atomic_store(&w->parts, parts);
}

int watch_look(const Watch *w, WatchRange *ranges, int most, int64_t *begun, int64_t *ended)
{
    int64_t parts = MAX(atomic_load(&w->parts), 1);
    int n = 0;

    *begun = *ended = 0;
    for (int i = 0; i < w->workers; i++) {
        const WatchPlace *p = &w->at[i];
        int64_t done = atomic_load_explicit(&p->ended, memory_order_acquire);
        int64_t last = atomic_load_explicit(&p->last, memory_order_acquire);
        int64_t first = atomic_load_explicit(&p->first, memory_order_relaxed);

        *ended += done;
        *begun += done;
        if (first >= last)
            continue;
        *begun += last - first;
        if (n < most)
            ranges[n++] = (WatchRange){first / parts, (last + parts - 1) / parts};
    }
    *begun = (*begun + parts - 1) / parts;
    *ended /= parts;
    *begun = MIN(*begun, w->steps); /* one that ended just now may have counted twice */
    return n;
}
