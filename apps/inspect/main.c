/*
 * main.c - tilec-inspect: find a template in grey images, shift and crop them, look for defects
 *
 * The whole program in the order in which it happens; inspect.h says which file does what.
 */
#include "inspect.h"

#include <stdlib.h>
#include <string.h>

enum { BATCH = 16, GPU_BATCH = 256 };

static int at_least_1(int n)
{
    return n < 1 ? 1 : n;
}

/* How the images are spread: each worker several batches, so that all end at about the same time,
 * and where there are fewer workers than threads these are for the launches. */
static Job plan(const Options *o, const Inputs *inputs, const Ranks *ranks)
{
    const int threads = o->threads ? o->threads : ranks_cpus(ranks), n = inputs->n;
    const int most = strcmp(o->device, "cuda") == 0 ? GPU_BATCH : BATCH;
    const int fair = at_least_1(n / (ranks->size > 1 ? 8 * ranks->size : 4 * threads));
    Job job = {.options = o, .inputs = inputs, .ranks = ranks, .stop = &progress_signal};

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
    hear(&summary, outputs_close(&outputs));
    hear(&summary, sheet_write(&sheet, path));
    progress_wipe();
    tell(o, &summary, job->inputs->n);
    free(path);
    sheet_free(&sheet);
    return summary;
}

/* On another rank than the first: images that it is handed. */
static void assist(const Job *job, Worker *first)
{
    Outputs outputs = {.out = job->options->out};
    Sheet sheet = {.n = 0};

    progress_watch();
    crew_run(job, first, &outputs, &sheet);
}

/* With a worker that was opened. */
static int run(Job *job, Worker *worker, Ranks *ranks)
{
    int code = EXIT_DONE;
    char *why;

    if (!(job->share = share_open(ranks, &why))) {
        if (ranks->rank == 0)
            say("%s", why);
        free(why);
        worker_close(worker);
        return EXIT_SOME_FAILED;
    }
    if (ranks->rank == 0)
        code = inspect(job, worker).code;
    else
        assist(job, worker);
    if (progress_signal)
        progress_end(); /* others may not answer any more */
    if (share_trouble(job->share))
        code = EXIT_SOME_FAILED;
    share_close(job->share);
    return code;
}

int main(int argc, char **argv)
{
    Options options;
    Inputs inputs;
    Result trouble = {0};
    Ranks ranks = ranks_find();
    Worker *worker;
    int code;

    say_rank(ranks.rank);
    options_read(&options, argc, argv);
    inputs_find(&inputs, &options);
    Job job = plan(&options, &inputs, &ranks);
    worker = worker_open(&job, 0, &trouble); /* what is wrong with the call shows here */
    if (worker) {
        code = run(&job, worker, &ranks);
    } else {
        say("%s", trouble.fatal);
        code = trouble.code;
    }
    result_free(&trouble);
    inputs_free(&inputs);
    free(options.images);
    return code;
}
