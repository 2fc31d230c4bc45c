/*
 * crew.c - all images on all threads, of all ranks, and what comes out in the order of the images
 *
 * A thread takes the next batch, does all of it, from reading to writing pictures, and hands over
 * the rows; while one waits for a file or the device others decode, label and write.  Rows wait
 * here for those in front of them, so that the tables do not depend on who is done first.  On
 * another rank than the first rows go there as bytes.
 */
#define _POSIX_C_SOURCE 200809L
#include "inspect.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Everything here belongs to whoever holds the lock. */
typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* for the calling thread, which waits for the others */
    const Job *job;
    Outputs *outputs; /* of the first rank, as what follows */
    Sheet *sheet;
    Result **waiting; /* by batch; those that are done and not written */
    int nbatches;
    int written; /* the first batch that is not */
    int seen;    /* images that are done or have failed, for progress */
    int working; /* threads */
    bool halted;
    Summary summary;
} Crew;
typedef struct {
    Crew *crew;
    Worker *worker; /* NULL: it opens its own */
    int number;
} Member;

static bool is_first(const Crew *c)
{
    return c->job->ranks->rank == 0;
}

/* The first trouble counts.  Another rank only stops; the first one is told by what it sends. */
static void halt(Crew *c, const char *why, int code)
{
    if (!c->halted && is_first(c))
        say("%s", why);
    if (!c->halted)
        c->summary.code = code;
    c->halted = true;
    share_halt(c->job->share);
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
    result_free(r);
    free(r);
}

static void take(Crew *c, Result *r)
{
    if (r->fatal) /* now, whatever is in front of it */
        halt(c, r->fatal, r->code);
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

/* On another rank: for the first one. */
static void send_away(Crew *c, Result *r)
{
    Text bytes = {0};

    c->seen += r->done + r->failed;
    result_pack(r, &bytes);
    share_give(c->job->share, bytes.at, bytes.len);
    text_free(&bytes);
    result_free(r);
    free(r);
}

static void give(Crew *c, Result *r)
{
    if (is_first(c)) {
        take(c, r);
        return;
    }
    if (r->fatal)
        halt(c, r->fatal, r->code);
    send_away(c, r);
}

/* What other ranks have given. */
static void take_theirs(Crew *c)
{
    for (RanksMessage *m; (m = share_take(c->job->share));) {
        Result *r = more(NULL, sizeof *r);

        if (result_unpack(r, m->bytes, m->n)) {
            take(c, r);
        } else {
            halt(c, "a message between ranks is damaged: is it the same program on all of them?",
                 EXIT_SOME_FAILED);
            free(r);
        }
        free(m);
    }
    if (share_trouble(c->job->share))
        halt(c, share_trouble(c->job->share), EXIT_SOME_FAILED);
}

static void do_batches(Crew *c, Worker *worker)
{
    const int all = c->job->inputs->n, batch = c->job->batch;
    int i;

    while (!*c->job->stop && share_next(c->job->share, &i)) {
        Result *r = more(NULL, sizeof *r);
        const int first = i * batch;

        worker_do(worker, first, all - first < batch ? all - first : batch, r);
        pthread_mutex_lock(&c->lock);
        give(c, r);
        pthread_mutex_unlock(&c->lock);
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
    if (m->worker) {
        do_batches(c, m->worker);
        free(trouble);
    }
    pthread_mutex_lock(&c->lock);
    if (!m->worker)
        give(c, trouble);
    c->working--;
    pthread_cond_signal(&c->changed);
    pthread_mutex_unlock(&c->lock);
    worker_close(m->worker);
    return NULL;
}

enum { A_WHILE = 200000000 }; /* nanoseconds */

static void wait_for_threads(Crew *c)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += A_WHILE;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&c->changed, &c->lock, &until);
}

/* Waits for the threads, and for other ranks, and shows how far they are. */
static void watch(Crew *c, double started)
{
    const bool shows = !c->job->options->quiet && is_first(c);
    double shown = started + 0.3;

    while (c->working || (is_first(c) && !*c->job->stop && !share_is_over(c->job->share))) {
        const double now = progress_now();

        if (shows && now - shown > 0.2) {
            progress_show(c->seen, c->job->inputs->n, now - started);
            shown = now;
        }
        if (*c->job->stop)
            share_halt(c->job->share);
        if (c->working)
            wait_for_threads(c);
        else
            share_wait(c->job->share, A_WHILE / 1e9);
        take_theirs(c);
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

    if (is_first(&c)) {
        share_tell(job->share, c.nbatches, 1, NULL, 0);
        share_begin(job->share);
    } else {
        share_ask(job->share, n);
    }
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
