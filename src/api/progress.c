/*
 * progress.c - tell the caller of a launch how far it is, and let it be cancelled
 *
 * While the launch runs a thread wakes ten times a second, adds up what the device's workers have
 * told the Watch, and calls on_progress.  Nothing of this exists for launches that did not ask; one
 * that only gave a number that cancels it has a Watch and no thread. A launch that is over waits
 * for a call that is under way, but not for the thread to end, which would cost a short one more
 * than itself: the next launch that asks, or the end of the context, finds it ended.
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "api.h"

enum { MOST_RANGES = 64, TICK_NANOS = 100000000, SECOND_NANOS = 1000000000 };

struct Reporter {
    const Request *request;
    Watch *watch; /* NULL: the device tells nothing */
    tilec_progress told;
    double started, moved; /* when the launch began, and when a program last began or ended */
    pthread_mutex_t lock;  /* of these two: */
    bool over, calling;    /* no more calls; one is under way */
    pthread_cond_t changed;
    pthread_t thread;
    Reporter *next; /* that is over */
};

static void look(Reporter *p, WatchRange *ranges)
{
    double now = os_seconds();
    tilec_progress *t = &p->told;
    int64_t begun = -1, ended = -1;

    t->nrunning = p->watch ? watch_look(p->watch, ranges, MOST_RANGES, &begun, &ended) : 0;
    if (begun != t->begun || ended != t->ended)
        p->moved = now;
    t->begun = begun;
    t->ended = ended;
    t->seconds = now - p->started;
    t->still_seconds = now - p->moved;
}

/* The caller's function is called without a lock. */
static void report(Reporter *p)
{
    WatchRange ranges[MOST_RANGES];
    tilec_programs running[MOST_RANGES];
    const tilec_launch_options *o = &p->request->options;

    look(p, ranges);
    for (int i = 0; i < p->told.nrunning; i++)
        running[i] = (tilec_programs){ranges[i].first, ranges[i].last};
    p->told.running = running;
    if (o->on_progress(o->user, &p->told) && p->watch)
        watch_cancel(p->watch);
}

static struct timespec tick_after(struct timespec t)
{
    t.tv_nsec += TICK_NANOS;
    if (t.tv_nsec >= SECOND_NANOS) {
        t.tv_nsec -= SECOND_NANOS;
        t.tv_sec++;
    }
    return t;
}

static void *run_reporter(void *reporter)
{
    Reporter *p = reporter;
    struct timespec next;

    pthread_mutex_lock(&p->lock);
    while (!p->over) {
        clock_gettime(CLOCK_MONOTONIC, &next);
        next = tick_after(next);
        while (!p->over && pthread_cond_timedwait(&p->changed, &p->lock, &next) == 0)
            continue;
        if (p->over)
            break;
        p->calling = true;
        pthread_mutex_unlock(&p->lock);
        report(p);
        pthread_mutex_lock(&p->lock);
        p->calling = false;
        pthread_cond_signal(&p->changed);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static bool prepare_reporter(Reporter *p)
{
    pthread_condattr_t clock;

    if (pthread_condattr_init(&clock) != 0)
        return false;
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    bool made = pthread_cond_init(&p->changed, &clock) == 0;
    pthread_condattr_destroy(&clock);
    if (made && pthread_mutex_init(&p->lock, NULL) == 0)
        return true;
    if (made)
        pthread_cond_destroy(&p->changed);
    return false;
}

static void destroy_reporter(Reporter *p)
{
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

/* NULL: there is no memory, or no thread. */
static Reporter *start_reporter(const Request *r, Watch *watch, int64_t programs)
{
    Reporter *p = calloc(1, sizeof *p);

    if (!p || !prepare_reporter(p)) {
        free(p);
        return NULL;
    }
    p->request = r;
    p->watch = watch;
    p->told.programs = programs;
    p->started = p->moved = os_seconds();
    if (os_thread_start(&p->thread, NULL, run_reporter, p) == 0)
        return p;
    destroy_reporter(p);
    return NULL;
}

/* Behind this nothing is called, and what the launch lent is not used. */
static void end_reporter(Reporter *p, tilec_context *ctx)
{
    pthread_mutex_lock(&p->lock);
    p->over = true;
    pthread_cond_signal(&p->changed);
    while (p->calling)
        pthread_cond_wait(&p->changed, &p->lock);
    pthread_mutex_unlock(&p->lock);
    p->next = atomic_load(&ctx->reporters);
    while (!atomic_compare_exchange_weak(&ctx->reporters, &p->next, p))
        continue;
}

void progress_join(tilec_context *ctx)
{
    Reporter *p = atomic_exchange(&ctx->reporters, NULL);

    while (p) {
        Reporter *next = p->next;
        pthread_join(p->thread, NULL);
        destroy_reporter(p);
        p = next;
    }
}

/* Where a process may have no more threads the launch goes on in silence. */
static RunStatus launch_unheard(const Request *r, void *state, DeviceLaunch *launch, char **text)
{
    static const char warning[] = "warning: no further thread can be started: the launch "
                                  "tells no progress, and nothing ends it early\n";

    if (r->options.on_message)
        r->options.on_message(r->options.user, warning);
    return device_at(r->device)->launch(state, r->variant->code, launch, text);
}

static RunStatus launch_told(const Request *r, void *state, DeviceLaunch *launch, char **text)
{
    progress_join(r->file->ctx);
    Reporter *p = start_reporter(r, launch->watch, grid_programs(launch->grid));
    if (!p)
        return launch_unheard(r, state, launch, text);
    RunStatus status = device_at(r->device)->launch(state, r->variant->code, launch, text);
    end_reporter(p, r->file->ctx);
    return status;
}

RunStatus progress_launch(const Request *r, void *state, DeviceLaunch *launch, char **text)
{
    const Device *device = device_at(r->device);
    const tilec_launch_options *o = &r->options;

    int64_t programs = grid_programs(launch->grid);
    WatchRoom room;
    Watch *made = NULL;

    if (o->on_progress && !device->arrays) {
        made = watch_new(programs, MAX(MAX(launch->threads, device->threads()), 1));
        if (!made)
            return RUN_NO_MEMORY;
        launch->watch = made;
    } else if (o->cancel && !device->arrays) {
        launch->watch = watch_in(&room, programs); /* who only cancels has no use for more places */
    }
    if (launch->watch)
        launch->watch->wish = o->cancel;
    RunStatus status = o->on_progress ? launch_told(r, state, launch, text)
                                      : device->launch(state, r->variant->code, launch, text);
    watch_free(made);
    launch->watch = NULL;
    return status;
}
