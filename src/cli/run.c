/*
 * run.c - `tilec run`: launch a kernel once, save and show what came out, time it
 */
#include "cli.h"

#include <stdio.h>

void call_run(Call *k)
{
    call_open(k);
    call_evaluate(k);
    call_run_evaluated(k);
}

void call_run_evaluated(Call *k)
{
    Cli *c = k->cli;
    Comparisons compared;
    const char *warning;

    outputs_check(k);
    compared = compare_prepare(k);
    k->unwritten.wanted = true;
    call_launch(k);
    unwritten_find(k);
    outputs_write(k);
    if (!compare_finish(k, &compared))
        c->code = CLI_REFUSED;
    if (k->options.json && compared.len > 0)
        c->compared = k->timing.compared = compare_json(c, &compared);
    else
        fputs(compare_text(c, &compared), c->tells);
    unwritten_tell(k);
    warning = compare_warning(k, &compared);
    if (warning)
        call_warn(k, warning);
    else
        undefined_tell(k);
}

/* Options that are for a way of running which was not asked for, or for another one. */
static void refuse_mixtures(Cli *c, const Options *o)
{
    if (!o->sweep && (o->csv || o->plot))
        stop(c, CLI_USAGE, "--csv and --plot are for --sweep");
    if (o->compress && o->saves.len == 0)
        stop(c, CLI_USAGE, "--compress is about files that --save writes");
    if (o->skip_existing && (o->eaches.len == 0 || o->saves.len == 0))
        stop(c, CLI_USAGE, "--skip-existing is about what --save writes for the files of --each");
    if (o->batch && o->eaches.len == 0)
        stop(c, CLI_USAGE, "--batch N is about the files of --each 'PATTERN'");
    if (o->sweep + o->tune + (o->eaches.len > 0) + (o->against.text != NULL) > 1)
        stop(c, CLI_USAGE,
             "--sweep, --tune, --against and --each all make many calls: one of them at a time");
}

void command_run(Cli *c, int argc, char **argv)
{
    Options o = options_parse(c, COMMAND_RUN, argc, argv);
    Call k;

    refuse_mixtures(c, &o);
    o.uses_tuned = true;
    if (o.tune) {
        tune_run(c, &o);
        return;
    }
    if (o.sweep) {
        sweep_run(c, &o);
        return;
    }
    range_refuse(c, &o);
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
