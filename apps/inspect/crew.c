/*
 * crew.c - all images on all threads, and what comes out in the order of the images
 *
 * A thread takes the next batch, does all of it, from reading to writing pictures, and hands over
 * the rows; while one waits for a file or the device others decode, label and write.  Rows wait
 * here for those in front of them, so that the tables do not depend on who is done first.
 */
#define _POSIX_C_SOURCE 200809L
#include "inspect.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    const Job *job;
    Outputs *outputs;
    Sheet *sheet;
    Result **waiting; /* by batch; those that are done and not written */
    int nbatches;
    int next, written; /* the first batch that nobody has; that is not written */
    int seen;          /* images that are done or have failed, for progress */
    int working;       /* threads */
    bool halted;
    Summary summary;
} Crew;
typedef struct {
    Crew *crew;
    Worker *worker; /* NULL: it opens its own */
    int number;
} Member;

/* Ends the run, with what the program will say; the first trouble counts. */
static void halt(Crew *c, const char *why, int code)
{
    if (!c->halted)
        say("%s", why);
    if (!c->halted)
        c->summary.code = code;
    c->halted = true;
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
        halt(c, strerror(errno), EXIT_FILES);
    for (int i = 0; i < r->nthumbs; i++)
        sheet_add(c->sheet, &r->thumbs[i]);
    c->summary.done += r->done;
    c->summary.failed += r->failed;
    c->summary.with_defects += r->with_defects;
    c->summary.defects += r->defects;
    if (r->fatal)
        halt(c, r->fatal, r->code);
    result_free(r);
    free(r);
}

static void take_result(Crew *c, Result *r)
{
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

static void do_batches(Crew *c, Worker *worker)
{
    const int all = c->job->inputs->n;

    while (!c->halted && !*c->job->stop && c->next < c->nbatches) {
        const int first = c->next++ * c->job->batch, left = all - first;
        Result *r = more(NULL, sizeof *r);

        pthread_mutex_unlock(&c->lock);
        worker_do(worker, first, left < c->job->batch ? left : c->job->batch, r);
        pthread_mutex_lock(&c->lock);
        if (r->fatal) /* now, whatever is in front of it */
            halt(c, r->fatal, r->code);
        take_result(c, r);
    }
}

static void *work(void *arg)
{
    Member *m = arg;
    Crew *c = m->crew;
    Result trouble = {0};

    if (!m->worker)
        m->worker = worker_open(c->job, m->number, &trouble);
    pthread_mutex_lock(&c->lock);
    if (m->worker)
        do_batches(c, m->worker);
    else
        halt(c, trouble.fatal, trouble.code);
    c->working--;
    pthread_cond_signal(&c->changed);
    pthread_mutex_unlock(&c->lock);
    worker_close(m->worker);
    result_free(&trouble);
    return NULL;
}

/* Waits for the threads, and shows how far they are. */
static void watch(Crew *c, double started)
{
    while (c->working) {
        struct timespec until;
        const double passed = progress_now() - started;

        if (!c->job->options->quiet && passed > 0.5)
            progress_show(c->seen, c->job->inputs->n, passed);
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 200000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&c->changed, &c->lock, &until);
    }
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
              .job = job,
              .outputs = outputs,
              .sheet = sheet,
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
