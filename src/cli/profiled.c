/*
 * profiled.c - the samples of `run --profile`, taken while a kernel is timed, and whether there are
 * any on its device
 */
#include "call.h"

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
    static const struct {
        const char *device, *instead;
    } others[] = {
        {"sim", "--count says what each line does there"},
        {"cuda",
         "--time measures the kernel there; --device sim --count counts what each line does "
         "on such a GPU, and ncu of the CUDA toolkit, with --debug, measures it"}};
    const char *device = profiled_device(o), *hint = "";

    if (profiled_is_on(o, "cpu") || profiled_is_on(o, "interp"))
        return;
    for (int i = 0; i < COUNT(others); i++) {
        if (strcmp(device, others[i].device) == 0)
            hint = arena_printf(c->arena, "\nhint: %s", others[i].instead);
    }
    cli_stop(
        c, CLI_USAGE,
        "--profile measures what runs on the CPU, by 'cpu' and 'interp', not on the device '%s'%s",
        device, hint);
}

void profile_start(Call *k)
{
    char *error = NULL;

    cli_check(k->cli, tilec_profile_start(k->cli->tilec, k->options.launch.device, &error), &error);
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
 * times a second. */
static void sample_more(Call *k, ProfileLines *p)
{
    double end = os_seconds() + most_seconds;
    Progress progress = progress_start(k->cli->quiet, "taking samples");

    while (profile_samples(p) < ENOUGH_SAMPLES && os_seconds() < end) {
        double pause = os_seconds() + seconds_between;
        profile_start(k);
        do {
            fresh_restore(k, &k->kept);
            call_again(k);
        } while (os_seconds() < pause);
        take_samples(k, p);
        progress_at(&progress, (double)profile_samples(p) / ENOUGH_SAMPLES);
    }
    progress_end(&progress);
}

static void show_progress(void *progress, double share)
{
    progress_at(progress, share);
}

static Peaks find_peaks(Call *k)
{
    Progress progress = progress_start(k->cli->quiet, "measuring what the machine can do");
    const Peaks peaks = peaks_find(&(PeaksOf){.context = k->cli->tilec,
                                              .store = &k->cli->store,
                                              .threads = k->options.launch.threads,
                                              .bytes = k->timing.stats.bytes,
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
    take_samples(k, lines);
    sample_more(k, lines);
    cli_check(k->cli,
              tilec_launch_lines(k->cli->file, o->kernel, k->timing.grid, k->there, k->args.count,
                                 &o->launch, profile_add, lines, &error),
              &error);
    if (!profiled_is_on(o, "cpu"))
        return profile_of(&k->timing, NULL, lines);
    const Peaks peaks = find_peaks(k);
    return profile_of(&k->timing, &peaks, lines);
}
