/*
 * job.c - the boundary that fail() and a lack of memory leave to
 *
 * Whatever allocates in an arena runs as a step of a job.  Three more places have a boundary each:
 * to the interpreter a lack of memory is a result (interp.c, count.c, the device's launch), a
 * target must give LLVM's memory back (gen_cpu/cpu.c), and the command ends with an exit code
 * (commands/commands.c).
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

/* What lowering, the passes and LLVM have needed for the largest kernels, several times over. */
enum { STACK_NEEDED = 4 << 20 };

static tilec_status begin_job(Job *job, void *sources)
{
    job->arena = arena_new(&job->guard);
    job->diags = diags_new(job->arena, sources);
    return TILEC_OK;
}

/* Run `fn`; when it is left early, the guard says how. */
static tilec_status run_step(Job *job, JobFn *fn, void *what)
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
    bool rendered = job->diags && run_step(job, render, &text) == TILEC_OK;

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

/* One call of job_run() or job_run_on_file(). */
typedef struct {
    tilec_file *file; /* NULL: none */
    const FileJob *steps;
    void *what;
    char **error, **message;
    tilec_status status;
} Call;

static void run_alone(void *call)
{
    Call *c = call;
    Job job = {0};

    c->status = run_step(&job, begin_job, NULL);
    if (c->status == TILEC_OK)
        c->status = run_step(&job, c->steps->unlocked, c->what);
    end(&job, c->status, c->error, c->message);
}

static void run_on_file(void *call)
{
    Call *c = call;
    tilec_file *f = c->file;
    Job job = {0};

    c->status = run_step(&job, begin_job, f->sources);
    pthread_mutex_lock(&f->lock);
    arena_set_guard(f->arena, &job.guard);
    if (c->status == TILEC_OK)
        c->status = run_step(&job, c->steps->locked, c->what);
    if (c->status == TILEC_OK && c->steps->unlocked) {
        pthread_mutex_unlock(&f->lock);
        c->status = run_step(&job, c->steps->unlocked, c->what);
        pthread_mutex_lock(&f->lock);
    }
    if (c->steps->finish)
        c->steps->finish(&job, c->what, c->status);
    pthread_mutex_unlock(&f->lock);
    end(&job, c->status, c->error, c->message);
}

/* What it does may recurse, and call LLVM. */
static tilec_status run_with_stack(Call *c)
{
    int problem = os_with_stack(STACK_NEEDED, c->file ? run_on_file : run_alone, c);

    if (problem == 0)
        return c->status;
    if (c->error &&
        asprintf(c->error, "error: no thread with a stack of %d MiB can be started: %s\n",
                 OS_STACK_ROOM * STACK_NEEDED >> 20, strerror(problem)) < 0)
        *c->error = NULL;
    return TILEC_FAILED;
}

tilec_status job_run(JobFn *fn, void *what, char **error, char **message)
{
    const FileJob steps = {.unlocked = fn};
    Call call = {NULL, &steps, what, error, message, TILEC_FAILED};

    return run_with_stack(&call);
}

tilec_status job_run_with_places(tilec_file *f, JobFn *fn, void *what, char **error)
{
    Job job = {0};
    tilec_status status = run_step(&job, begin_job, f->sources);

    if (status == TILEC_OK)
        status = run_step(&job, fn, what);
    end(&job, status, error, NULL);
    return status;
}

tilec_status job_run_on_file(tilec_file *f, const FileJob *steps, void *what, char **error,
                             char **message)
{
    Call call = {f, steps, what, error, message, TILEC_FAILED};

    return run_with_stack(&call);
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

/* One line of a diagnostic: what it is, and where its text begins. */
static DiagKind line_kind(const char **line)
{
    static const struct {
        const char *prefix;
        DiagKind kind;
    } prefixes[] = {{"error: ", DIAG_ERROR}, {"hint: ", DIAG_HINT}, {"note: ", DIAG_NOTE}};

    for (int i = 0; i < COUNT(prefixes); i++) {
        size_t n = strlen(prefixes[i].prefix);

        if (strncmp(*line, prefixes[i].prefix, n) == 0) {
            *line += n;
            return prefixes[i].kind;
        }
    }
    return DIAG_NOTE;
}

static void report_lines(Job *job, char *text)
{
    for (char *at = text, *next; at && *at; at = next) {
        const char *line = at;
        next = strchr(at, '\n');
        if (next)
            *next++ = '\0';
        DiagKind kind = line_kind(&line);
        diag(job->diags, kind, (Span){0}, "%s", line);
    }
}

tilec_status job_device_status(Job *job, RunStatus status, char *text)
{
    if (status == RUN_OK)
        return TILEC_OK;
    if (!text)
        return job_refuse(job, api_status(status), "%s", run_status_text(status));
    char *copy = arena_try_alloc(job->arena, strlen(text) + 1);
    if (copy)
        memcpy(copy, text, strlen(text) + 1);
    free(text);
    if (!copy)
        return TILEC_NO_MEMORY;
    report_lines(job, copy);
    return api_status(status);
}
