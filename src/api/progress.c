/*
 * progress.c - tell the caller of a launch how far it is, and let it be cancelled
 *
 * While the launch runs a thread wakes ten times a second, adds up what the device's workers have
 * told the Watch, and calls on_progress.  Nothing of this exists for launches that did not ask.
 */
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "api.h"

enum { MOST_RANGES = 64, TICK_NANOS = 100000000, SECOND_NANOS = 1000000000 };

typedef struct {
    const Request *request;
    Watch *watch; /* NULL: the device tells nothing */
    tilec_progress told;
    double started, moved; /* when the launch began, and when a program last began or ended */
    bool over;
    pthread_mutex_t lock; /* of `over` */
    pthread_cond_t ends;
} Reporter;

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
        while (!p->over && pthread_cond_timedwait(&p->ends, &p->lock, &next) == 0)
            continue;
        if (p->over)
            break;
        pthread_mutex_unlock(&p->lock);
        report(p);
        pthread_mutex_lock(&p->lock);
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
    bool made = pthread_cond_init(&p->ends, &clock) == 0;
    pthread_condattr_destroy(&clock);
    if (made && pthread_mutex_init(&p->lock, NULL) == 0)
        return true;
    if (made)
        pthread_cond_destroy(&p->ends);
    return false;
}

/* Signals stay with the threads of the program that we are part of. */
static bool start_reporter(Reporter *p, pthread_t *thread)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(thread, NULL, run_reporter, p) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static void end_reporter(Reporter *p, pthread_t thread)
{
    pthread_mutex_lock(&p->lock);
    p->over = true;
    pthread_cond_signal(&p->ends);
    pthread_mutex_unlock(&p->lock);
    pthread_join(thread, NULL);
}

static RunStatus launch_with(Reporter *p, void *state, DeviceLaunch *launch, char **text)
{
    const Device *device = device_at(p->request->device);
    pthread_t thread;

    if (!prepare_reporter(p))
        return RUN_NO_THREADS;
    p->started = p->moved = os_seconds();
    RunStatus status = RUN_NO_THREADS;
    if (start_reporter(p, &thread)) {
        launch->watch = p->watch;
        status = device->launch(state, p->request->variant->code, launch, text);
        end_reporter(p, thread);
    }
    pthread_cond_destroy(&p->ends);
    pthread_mutex_destroy(&p->lock);
    return status;
}

RunStatus progress_launch(const Request *r, void *state, DeviceLaunch *launch, char **text)
{
    const Device *device = device_at(r->device);

    if (!r->options.on_progress) /* and nothing is asked of the system for it */
        return device->launch(state, r->variant->code, launch, text);
    int64_t programs = grid_programs(launch->grid);
    int workers = MAX(MAX(launch->threads, device->threads()), 1);
    Reporter p = {.request = r, .told = {.programs = programs}};
    if (!device->arrays && !(p.watch = watch_new(programs, workers)))
        return RUN_NO_MEMORY;
    RunStatus status = launch_with(&p, state, launch, text);
    watch_free(p.watch);
    return status;
}
