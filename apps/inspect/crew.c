/*
 * crew.c - all images on all threads, and what comes out in the order of the images
 *
 * A thread takes the next batch, does all of it, from reading to writing pictures, and hands over
 * the rows; while one waits for a file or the device others decode, label and write.  Rows wait
 * here for those in front of them, so that the tables do not depend on who is done first.
 */
#define _POSIX_C_SOURCE 200809L
#include "crew.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    Crew *crew;
    Worker *worker; /* NULL: it opens its own */
    int number;
} Member;

/* Another rank only stops; the first one is told by what it sends. */
void crew_halt(Crew *c, const char *why, int code)
{
    if (!c->halted && c->job->ranks->rank == 0)
        say("%s", why);
    if (!c->halted)
        c->summary.code = code;
    c->halted = true;
    pthread_cond_broadcast(&c->arrived);
}

static void say_lines(const char *text)
{
    for (const char *end; text && (end = strchr(text, '\n')); text = end + 1)
        say("%.*s", (int)(end - text), text);
}

/* The next batch in order. */
static void write_result(Crew *c, Result *r)
{
    say_lines(r->said.at);
    if (!outputs_add(c->outputs, r))
        crew_halt(c, strerror(errno), EXIT_FILES);
    for (int i = 0; i < r->nthumbs; i++)
        sheet_add(c->sheet, &r->thumbs[i]);
    c->summary.done += r->done;
    c->summary.failed += r->failed;
    c->summary.with_defects += r->with_defects;
    c->summary.defects += r->defects;
    result_free(r);
    free(r);
}

void crew_take(Crew *c, Result *r)
{
    if (r->fatal) /* now, whatever is in front of it */
        crew_halt(c, r->fatal, r->code);
    if (!r->n) { /* it is all that there is */
        result_free(r);
        free(r);
        return;
    }
    c->seen += r->done + r->failed;
    c->waiting[r->first / c->job->batch] = r;
    while (c->written < c->nbatches && c->waiting[c->written])
        write_result(c, c->waiting[c->written++]);
}

/* What was done behind a batch that was not, when the run ends early. */
static void write_rest(Crew *c)
{
    for (; c->written < c->nbatches; c->written++) {
        if (c->waiting[c->written])
            write_result(c, c->waiting[c->written]);
    }
}

bool crew_next(Crew *c, Batch *out)
{
    const int all = c->job->inputs->n, batch = c->job->batch;

    if (c->halted || *c->job->stop || c->next >= c->nbatches)
        return false;
    out->first = c->next++ * batch;
    out->n = all - out->first < batch ? all - out->first : batch;
    return true;
}

static void give(Crew *c, Result *r)
{
    if (c->job->ranks->rank == 0) {
        crew_take(c, r);
        return;
    }
    if (r->fatal)
        crew_halt(c, r->fatal, r->code);
    share_give(c, r);
}

static void do_batches(Crew *c, Worker *worker)
{
    Batch batch;

    while (c->job->ranks->rank ? share_next(c, &batch) : crew_next(c, &batch)) {
        Result *r = more(NULL, sizeof *r);

        pthread_mutex_unlock(&c->lock);
        worker_do(worker, batch.first, batch.n, r);
        pthread_mutex_lock(&c->lock);
        give(c, r);
    }
}

static void *work(void *arg)
{
    Member *m = arg;
    Crew *c = m->crew;
    Result *trouble = more(NULL, sizeof *trouble);

    *trouble = (Result){0};
    if (!m->worker)
        m->worker = worker_open(c->job, m->number, trouble);
    pthread_mutex_lock(&c->lock);
    if (m->worker) {
        do_batches(c, m->worker);
        free(trouble);
    } else {
        give(c, trouble);
    }
    c->working--;
    pthread_cond_signal(&c->changed);
    pthread_mutex_unlock(&c->lock);
    worker_close(m->worker);
    return NULL;
}

/* Nobody tells when a message comes. */
enum { WAIT = 200000000, WAIT_FOR_MESSAGES = 1000000 };

static void wait_for_change(Crew *c)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += c->job->ranks->messages ? WAIT_FOR_MESSAGES : WAIT;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&c->changed, &c->lock, &until);
}

/* Waits for the threads, and for other ranks, and shows how far they are. */
static void watch(Crew *c, double started)
{
    const bool shows = !c->job->options->quiet && c->job->ranks->rank == 0;
    double shown = started + 0.3;

    while (c->working || !share_is_over(c)) {
        const double now = progress_now();

        if (shows && now - shown > 0.2) {
            progress_show(c->seen, c->job->inputs->n, now - started);
            shown = now;
        }
        share_exchange(c);
        if (c->working || !share_is_over(c))
            wait_for_change(c);
    }
    share_leave(c);
}

/* As many threads as the system gives, the calling one where it gives none. */
static void run_members(Crew *c, Member *members, int n, double started)
{
    pthread_t *threads = more(NULL, (size_t)n * sizeof *threads);
    int running = 0;

    c->working = n;
    while (running < n && pthread_create(&threads[running], NULL, work, &members[running]) == 0)
        running++;
    pthread_mutex_lock(&c->lock);
    c->working -= n - running;
    if (!running) {
        c->working = 1;
        pthread_mutex_unlock(&c->lock);
        work(&members[0]);
        pthread_mutex_lock(&c->lock);
    }
    watch(c, started);
    pthread_mutex_unlock(&c->lock);
    for (int i = 0; i < running; i++)
        pthread_join(threads[i], NULL);
    free(threads);
}

Summary crew_run(const Job *job, Worker *first, Outputs *outputs, Sheet *sheet)
{
    const double started = progress_now();
    const int n = job->workers, images = job->inputs->n;
    Crew c = {.lock = PTHREAD_MUTEX_INITIALIZER,
              .changed = PTHREAD_COND_INITIALIZER,
              .arrived = PTHREAD_COND_INITIALIZER,
              .job = job,
              .outputs = outputs,
              .sheet = sheet,
              .away = job->ranks->size - 1,
              .nbatches = (images + job->batch - 1) / job->batch};
    Member *members = more(NULL, (size_t)n * sizeof *members);

    c.waiting = more(NULL, (size_t)c.nbatches * sizeof(Result *));
    memset(c.waiting, 0, (size_t)c.nbatches * sizeof(Result *));
    for (int i = 0; i < n; i++)
        members[i] = (Member){&c, i ? NULL : first, i};
    run_members(&c, members, n, started);
    write_rest(&c);
    c.summary.seconds = progress_now() - started;
    if (!c.summary.code && c.summary.failed)
        c.summary.code = EXIT_SOME_FAILED;
    free(members);
    free(c.waiting);
    return c.summary;
}
