/*
 * main.c - tilec-inspect: find a template in grey images, shift and crop them, look for defects
 *
 * The whole program in the order in which it happens; inspect.h says which file does what.
 */
#include "inspect.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_THREADS = 1024, BATCH = 16, GPU_BATCH = 256 };

static int cpus(void)
{
    const long n = sysconf(_SC_NPROCESSORS_ONLN);

    return n < 1 ? 1 : n > MOST_THREADS ? MOST_THREADS : (int)n;
}

static int at_least_1(int n)
{
    return n < 1 ? 1 : n;
}

/* How the images are spread: each worker several batches, so that all end at about the same time,
 * and where there are fewer workers than threads these are for the launches. */
static Job plan(const Options *o, const Inputs *inputs)
{
    const int threads = o->threads ? o->threads : cpus(), n = inputs->n;
    const int most = strcmp(o->device, "cuda") == 0 ? GPU_BATCH : BATCH;
    const int fair = at_least_1(n / (4 * threads));
    Job job = {.options = o, .inputs = inputs, .stop = &progress_signal};

    job.batch = o->batch ? o->batch : fair < most ? fair : most;
    job.workers = (n + job.batch - 1) / job.batch;
    job.workers = job.workers < threads ? job.workers : threads;
    job.launch_threads = at_least_1(threads / job.workers);
    return job;
}

static void tell(const Options *o, const Summary *s, int all)
{
    Text line = {0};

    if (o->quiet)
        return;
    text_add(&line, "%d of %d images in %.2f s, %.0f images/s; ", s->done, all, s->seconds,
             s->seconds > 0 ? s->done / s->seconds : 0);
    text_add(&line, "%lld defects in %d of them", (long long)s->defects, s->with_defects);
    if (s->failed)
        text_add(&line, "; %d failed", s->failed);
    if (all - s->done - s->failed)
        text_add(&line, "; %d left", all - s->done - s->failed);
    say("%s", line.at);
    text_free(&line);
}

/* A file that could not be written: the program ends with 3. */
static void hear(Summary *s, char *why)
{
    if (!why)
        return;
    say("%s", why);
    s->code = EXIT_FILES;
    free(why);
}

/* All images, from the folder that is made to its last file. */
static Summary inspect(const Job *job, Worker *first)
{
    const Options *o = job->options;
    Outputs outputs;
    Sheet sheet = {.n = 0};
    Summary summary;
    char *path = format("%s/sheet.png", o->out);

    outputs_open(&outputs, o, job->inputs);
    progress_watch();
    summary = crew_run(job, first, &outputs, &sheet);
    hear(&summary, sheet_write(&sheet, path));
    hear(&summary, outputs_close(&outputs));
    progress_wipe();
    tell(o, &summary, job->inputs->n);
    free(path);
    sheet_free(&sheet);
    return summary;
}

int main(int argc, char **argv)
{
    Options options;
    Inputs inputs;
    Result trouble = {0};
    Worker *worker;
    int code;

    options_read(&options, argc, argv);
    inputs_find(&inputs, &options);
    const Job job = plan(&options, &inputs);
    worker = worker_open(&job, 0, &trouble); /* what is wrong with the call shows here */
    if (worker) {
        code = inspect(&job, worker).code;
    } else {
        say("%s", trouble.fatal);
        code = trouble.code;
    }
    result_free(&trouble);
    inputs_free(&inputs);
    free(options.images);
    if (progress_signal)
        progress_end();
    return code;
}
