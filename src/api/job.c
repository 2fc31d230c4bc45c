/*
 * job.c - the boundary that fail() and a lack of memory leave to
 *
 * Whatever allocates in an arena runs as a step of a job.  Three more places have a boundary each:
 * to the interpreter a lack of memory is a result (interp.c, count.c, the device's launch), a
 * target must give LLVM's memory back (gen/cpu.c), and the command ends with an exit code
 * (cli/main.c).
 *
 * A job on a file has up to two steps.  The first holds the file's lock, under which the front end
 * works: it allocates in the file's arena, which leaves through the guard of the job that holds the
 * lock.  The second, which may take long, runs without it.  Diagnostics are rendered under the
 * lock, since they show sources.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"

static tilec_status begin(Job *job, void *sources)
{
    job->arena = arena_new(&job->guard);
    job->diags = diags_new(job->arena, sources);
    return TILEC_OK;
}

/* Run `fn`; when it is left early, the guard says how. */
static tilec_status step(Job *job, JobFn *fn, void *what)
{
    if (setjmp(job->guard.env) == 0)
        return fn(job, what);
    return job->guard.why == GUARD_NO_MEMORY ? TILEC_NO_MEMORY : TILEC_REFUSED;
}

static tilec_status render(Job *job, void *text)
{
    *(const char **)text = diags_text(job->diags, job->arena);
    return TILEC_OK;
}

/* What the job reported, for tilec_free(); NULL when that is nothing. */
static char *report_text(Job *job)
{
    const char *text = "";
    bool rendered = job->diags && step(job, render, &text) == TILEC_OK;

    return rendered && text[0] != '\0' ? strdup(text) : NULL;
}

static char *error_text(Job *job, tilec_status status)
{
    char *text = report_text(job);

    if (text)
        return text;
    return asprintf(&text, "error: %s\n", tilec_status_text(status)) < 0 ? NULL : text;
}

/* What it reported becomes *error after a failure and else *message; its memory goes. */
static void end(Job *job, tilec_status status, char **error, char **message)
{
    if (status != TILEC_OK && error)
        *error = error_text(job, status);
    if (status == TILEC_OK && message)
        *message = job->repeats ? NULL : report_text(job);
    arena_free(job->arena);
}

tilec_status job_run(JobFn *fn, void *what, char **error, char **message)
{
    Job job = {0};
    tilec_status status = step(&job, begin, NULL);

    if (status == TILEC_OK)
        status = step(&job, fn, what);
    end(&job, status, error, message);
    return status;
}

tilec_status job_run_on_file(tilec_file *f, const FileJob *steps, void *what, char **error,
                             char **message)
{
    Job job = {0};
    tilec_status status = step(&job, begin, f->sources);

    pthread_mutex_lock(&f->lock);
    arena_set_guard(f->arena, &job.guard);
    if (status == TILEC_OK)
        status = step(&job, steps->locked, what);
    if (status == TILEC_OK && steps->unlocked) {
        pthread_mutex_unlock(&f->lock);
        status = step(&job, steps->unlocked, what);
        pthread_mutex_lock(&f->lock);
    }
    if (steps->finish)
        steps->finish(&job, what, status);
    pthread_mutex_unlock(&f->lock);
    end(&job, status, error, message);
    return status;
}

void job_wait(Job *job, tilec_file *f)
{
    pthread_cond_wait(&f->made, &f->lock);
    arena_set_guard(f->arena, &job->guard);
}

tilec_status job_refuse(Job *job, tilec_status status, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    diag_v(job->diags, DIAG_ERROR, (Span){0}, fmt, ap);
    va_end(ap);
    return status;
}
