/*
 * profiled.c - the samples of `run --profile`, taken while a kernel is timed, and whether there are
 * any on its device
 *
 * On a GPU code that notes how long its lines took stands for samples, in runs of its own, and the
 * chip's counters come from one more.
 */
#include "call.h"

#include <math.h>
#include <string.h>

enum { ENOUGH_SAMPLES = 400 };
static const double most_seconds = 4, seconds_between = 0.25; /* of samples beside the timed runs */

static const char *profiled_device(const Options *o)
{
    return o->launch.device ? o->launch.device : "cpu";
}

bool profiled_is_on(const Options *o, const char *device)
{
    return strcmp(profiled_device(o), device) == 0;
}

void profiled_check(Cli *c, const Options *o)
{
    const char *device = profiled_device(o);

    if (profiled_is_on(o, "cpu") || profiled_is_on(o, "interp") || profiled_is_on(o, "cuda"))
        return;
    cli_stop(c, CLI_USAGE, "--profile measures where a kernel runs, not on the device '%s'%s",
             device,
             strcmp(device, "sim") == 0 ? "\nhint: --count says what each line does there" : "");
}

static void begin_samples(const Call *k)
{
    char *error = NULL;

    cli_check(k->cli, tilec_profile_start(k->cli->tilec, k->options.launch.device, &error), &error);
}

/* Code that notes its time on a GPU is slower, so that runs are timed without. */
void profile_start(Call *k)
{
    if (!profiled_is_on(&k->options, "cuda"))
        begin_samples(k);
}

/* What was sampled since the start. */
static void take_samples(Call *k, ProfileLines *p)
{
    char *error = NULL;

    cli_check(k->cli,
              tilec_profile_stop(k->cli->tilec, k->options.launch.device, profile_add, p, &error),
              &error);
}

/* The timed runs may have been short: systems look at clocks of threads as seldom as a hundred
 * times a second.  Gives the seconds of the fastest run. */
static double sample_more(Call *k, ProfileLines *p)
{
    double end = os_seconds() + most_seconds, fastest = INFINITY;
    Progress progress = progress_start(k->cli->quiet, "taking samples");

    while (profile_samples(p) < ENOUGH_SAMPLES && os_seconds() < end) {
        double pause = os_seconds() + seconds_between;
        begin_samples(k);
        do {
            fresh_restore(k, &k->kept);
            fastest = fmin(fastest, call_again(k));
        } while (os_seconds() < pause);
        take_samples(k, p);
        progress_at(&progress, (double)profile_samples(p) / ENOUGH_SAMPLES);
    }
    progress_end(&progress);
    return fastest;
}

static void add_counter(void *call, const tilec_counter *told)
{
    chip_add(((Call *)call)->counters, told);
}

/* A diagnostic without what stands around it. */
static const char *said_in(Arena *a, const char *error)
{
    static const char mark[] = "error: ";
    const char *text = strstr(error, mark);
    size_t len;

    text = text ? text + strlen(mark) : error;
    for (len = strlen(text); len > 0 && text[len - 1] == '\n'; len--)
        ;
    return arena_strndup(a, text, len);
}

/* Of one more run; without, what is why. */
static const ChipCounters *count_on_chip(Call *k)
{
    ChipCounters *c = NEW(k->cli->arena, ChipCounters);
    char *error = NULL;

    *c = (ChipCounters){.arena = k->cli->arena};
    k->counters = c;
    k->options.launch.on_counter = add_counter;
    fresh_restore(k, &k->kept);
    if (tilec_launch(k->cli->file, k->options.kernel, k->timing.grid, k->there, k->args.count,
                     &k->options.launch, &error) != TILEC_OK)
        c->problem = said_in(c->arena, error ? error : "out of memory");
    k->options.launch.on_counter = NULL;
    tilec_free(error);
    return c;
}

static void show_progress(void *progress, double share)
{
    progress_at(progress, share);
}

typedef struct {
    double read, written;
} BytesMoved;

static void add_moved(void *moved, const tilec_tensor *t, int uses)
{
    BytesMoved *m = moved;
    double bytes = (double)tilec_dtype_size(t->dtype);

    for (int i = 0; i < t->ndim; i++)
        bytes *= (double)t->shape[i];
    m->read += uses & TILEC_LOADS ? bytes : 0;
    m->written += uses & TILEC_STORES ? bytes : 0;
}

/* Of the bytes that a launch moves; half of them where that is not known. */
static double written_share(Call *k)
{
    tilec_launch_options silent = k->options.launch;
    BytesMoved m = {0};

    silent.on_message = NULL;
    tilec_launch_memory(k->cli->file, k->options.kernel, k->there, k->args.count, &silent,
                        add_moved, &m, NULL);
    return m.read + m.written > 0 ? m.written / (m.read + m.written) : 0.5;
}

static Peaks find_peaks(Call *k)
{
    Progress progress = progress_start(k->cli->quiet, "measuring what the machine can do");
    const Peaks peaks = peaks_find(&(PeaksOf){.context = k->cli->tilec,
                                              .store = &k->cli->store,
                                              .threads = k->options.launch.threads,
                                              .bytes = k->timing.stats.bytes,
                                              .written = written_share(k),
                                              .progress = show_progress,
                                              .user = &progress});

    progress_end(&progress);
    return peaks;
}

Profile profile_stop(Call *k)
{
    ProfileLines *lines = NEW(k->cli->arena, ProfileLines);
    const Options *o = &k->options;
    char *error = NULL;

    lines->arena = k->cli->arena;
    if (!profiled_is_on(o, "cuda"))
        take_samples(k, lines);
    double fastest = sample_more(k, lines);
    cli_check(k->cli,
              tilec_launch_lines(k->cli->file, o->kernel, k->timing.grid, k->there, k->args.count,
                                 &o->launch, profile_add, lines, &error),
              &error);
    if (!profiled_is_on(o, "cpu")) {
        Profile profile = profile_of(&k->timing, NULL, lines);
        profile.chip = profiled_is_on(o, "cuda") ? count_on_chip(k) : NULL;
        profile.slowdown = fastest / k->timing.times.min;
        return profile;
    }
    const Peaks peaks = find_peaks(k);
    return profile_of(&k->timing, &peaks, lines);
}
