/*
 * run.c - `tilec run`: launch a kernel once, save and show what came out, time it
 */
#include "commands.h"
#include "../guess/guess.h"

#include <string.h>

/* Options that are for a way of running which was not asked for, or for another one. */
static void refuse_mixtures(Cli *c, const Options *o)
{
    if (!o->sweep && (o->csv || o->plot))
        cli_stop(c, CLI_USAGE, "--csv and --plot are for --sweep");
    if (o->csv && o->json)
        cli_stop(c, CLI_USAGE, "--csv and --json: stdout has one of them");
    if (o->compress && o->saves.len == 0)
        cli_stop(c, CLI_USAGE, "--compress is about files that --save writes");
    if (o->skip_existing && (o->eaches.len == 0 || o->saves.len == 0))
        cli_stop(c, CLI_USAGE,
                 "--skip-existing is about what --save writes for the files of --each");
    if (o->batch && o->eaches.len == 0)
        cli_stop(c, CLI_USAGE, "--batch N is about the files of --each 'PATTERN'");
    if (o->sweep + o->tune + (o->eaches.len > 0) + (o->against.text != NULL) > 1)
        cli_stop(
            c, CLI_USAGE,
            "--sweep, --tune, --against and --each all make many calls: one of them at a time");
}

/* One value is meant. */
static void refuse_ranges(Cli *c, const Options *o)
{
    for (int i = 0; i < o->args.len; i++) {
        const ArgText *arg = &o->args.at[i];

        c->client.origin = arg->origin;
        if (range_has_dots(arg->text))
            cli_stop(c, CLI_USAGE, "%s=%s is a range: --sweep runs all of its values", arg->name,
                     arg->text);
    }
    c->client.origin = NULL;
}

/* Do all devices that run leave out what --num-warps says? */
static bool is_on_host(const Options *o)
{
    for (int i = 0; i < o->compares.len; i++) {
        const char *with = o->compares.at[i].with;

        if (strncmp(with, "cuda", 4) == 0 || strncmp(with, "sim", 3) == 0)
            return false;
    }
    return !o->launch.device || strcmp(o->launch.device, "cpu") == 0 ||
           strcmp(o->launch.device, "interp") == 0;
}

/* Does the grid, or anything in the file, ask for the number?  More than does no harm. */
static bool is_read(Cli *c, const Options *o, const char *name)
{
    const Source *source = functions_once_read(&c->client, o->file).source;

    return (o->grid && strstr(o->grid, name)) || !source || strstr(source->text, name);
}

/* What was typed and does nothing there; a call that the file names may be for several devices. */
static void tell_idle_hints(Cli *c, const Options *o)
{
    static const char *const names[] = {"num_warps", "num_stages"};
    static const char *const options[] = {"--num-warps", "--num-stages"};

    for (int i = 0; i < COUNT(names); i++) {
        if (options_typed(o, options[i]) && is_on_host(o) && !is_read(c, o, names[i]))
            cli_warn(c,
                     "%s is a hint for GPUs, without effect on the device `%s`; --threads N says "
                     "how many CPUs run it",
                     options[i], o->launch.device ? o->launch.device : "cpu");
    }
}

void command_run(Cli *c, int argc, char **argv)
{
    Options o = cli_options(c, COMMAND_RUN, argc, argv);
    Call k;

    refuse_mixtures(c, &o);
    repro_refuse(c, &o);
    o.uses_tuned = true;
    tell_idle_hints(c, &o);
    if (o.tune) {
        tune_run(c, &o);
        return;
    }
    if (o.sweep) {
        sweep_run(c, &o);
        return;
    }
    refuse_ranges(c, &o);
    if (o.against.text) {
        against_run(c, &o);
        return;
    }
    if (o.eaches.len > 0) {
        each_run(c, &o);
        return;
    }
    call_init(&k, c, &o);
    call_run(&k);
    call_report(&k);
    call_close(&k);
}
