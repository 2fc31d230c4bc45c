/*
 * crew.c - many like pieces of work on several threads, each for a client of its own
 *
 * A piece that is stopped is a result like others.  Threads live for one crew_run(); the thread
 * that called it waits and watches.  Where no thread can be had it works itself.  A piece
 * that could not open a file, since the process has too many open, is put back unless its thread
 * was alone all the while; where it is not alone now, it ends: in the end there are as many threads
 * as there are handles for.
 */
#define _GNU_SOURCE
#include "batch.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void crew_rows_free(char **rows, int n)
{
    for (int i = 0; i < n; i++)
        free(rows[i]);
    free(rows);
}

void crew_result_free(CrewResult *r)
{
    free(r->told);
    free(r->trouble);
    free(r->problem);
    free(r->compared);
    free(r->warning);
    free(r->unwritten);
    crew_rows_free(r->rows, r->nrows);
    r->rows = NULL;
    r->nrows = 0;
    r->compared = r->warning = r->unwritten = NULL;
    r->told = r->trouble = r->problem = NULL;
}

CrewResult crew_do(const Crew *w, const CrewTask *task, int i)
{
    return w->perform(w->workers[0], task, i);
}

/* What the threads share. */
typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t all_done;
    const Crew *crew;
    const CrewTask *task;
    int n, next;
    int *again, nagain; /* pieces that were put back; at most one for each thread */
    int workers;        /* threads at work */
    int begun;          /* threads that were started, ever */
    int left;           /* .. that have ended for want of handles */
    bool halted;        /* settle() wants no more */
} Shift;
typedef struct {
    Shift *shift;
    Client *client;
} Worker;

/* One that was put back, -1: there is none. */
static int take_again(Shift *s)
{
    return s->nagain > 0 && !s->halted ? s->again[--s->nagain] : -1;
}

/* The next piece, -1: there is none. */
static int take_piece(Shift *s)
{
    int i = take_again(s);

    if (i >= 0 || s->halted)
        return i;
    if (!s->task->next)
        return s->next < s->n ? s->next++ : -1;
    pthread_mutex_unlock(&s->lock); /* it may have to wait */
    i = s->task->next(s->task->context);
    pthread_mutex_lock(&s->lock);
    return i >= 0 ? i : take_again(s);
}

static bool lacks_handles(const CrewResult *r)
{
    return r->reason == EMFILE || r->reason == ENFILE;
}

static void *work_shift(void *worker)
{
    Shift *s = ((Worker *)worker)->shift;
    bool stays = true;

    pthread_mutex_lock(&s->lock);
    for (int i; stays && (i = take_piece(s)) >= 0;) {
        bool is_alone = s->workers == 1;
        int begun = s->begun;
        CrewResult r;

        pthread_mutex_unlock(&s->lock);
        r = s->crew->perform(((Worker *)worker)->client, s->task, i);
        pthread_mutex_lock(&s->lock);
        if (lacks_handles(&r) && !(is_alone && begun == s->begun)) {
            crew_result_free(&r);
            s->again[s->nagain++] = i;
            stays = s->workers == 1; /* those who had the handles may have ended */
            s->left += !stays;
        } else if (!s->task->settle(s->task->context, i, &r))
            s->halted = true;
    }
    if (--s->workers == 0) /* what happens before can wait for the next look */
        pthread_cond_signal(&s->all_done);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

static struct timespec soon(void)
{
    enum { STEP_NS = 100 * 1000 * 1000, SECOND = 1000 * 1000 * 1000 };
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += STEP_NS;
    t.tv_sec += t.tv_nsec / SECOND;
    t.tv_nsec %= SECOND;
    return t;
}

static void wait_for_all(Shift *s)
{
    pthread_mutex_lock(&s->lock);
    do {
        const struct timespec until = soon();

        while (s->workers > 0 && pthread_cond_timedwait(&s->all_done, &s->lock, &until) == 0)
            ;
        s->task->watch(s->task->context);
    } while (s->workers > 0);
    pthread_mutex_unlock(&s->lock);
}

/* One more thread; false: there is none to be had. */
static bool start_worker(Shift *s, pthread_t *thread, Worker *worker)
{
    int error;

    pthread_mutex_lock(&s->lock);
    error = os_thread_start(thread, NULL, work_shift, worker);
    s->workers += error == 0;
    s->begun += error == 0;
    pthread_mutex_unlock(&s->lock);
    return error == 0;
}

void crew_run(Crew *w, int n, const CrewTask *task)
{
    pthread_t *threads = calloc((size_t)w->n, sizeof *threads);
    Worker *workers = calloc((size_t)w->n, sizeof *workers);
    int *again = calloc((size_t)w->n, sizeof *again);
    Shift s = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, w, task, n, .again = again};
    int started = 0;

    while (threads && workers && again && started < MIN(n, w->n)) {
        workers[started] = (Worker){&s, w->workers[started]};
        if (!start_worker(&s, &threads[started], &workers[started]))
            break;
        started++;
    }
    if (started == 0) {
        s.workers = 1;
        work_shift(&(Worker){&s, w->workers[0]});
    }
    wait_for_all(&s);
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    w->n -= s.left;
    free(threads);
    free(workers);
    free(again);
}
