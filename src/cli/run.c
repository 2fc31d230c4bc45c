/*
 * run.c - `tilec run`: launch a kernel once, save and show what came out, time it
 */
#include "cli.h"

#include <stdio.h>

void command_run(Cli *c, int argc, char **argv)
{
    Options o = options_parse(c, COMMAND_RUN, argc, argv);
    Comparisons compared;
    Call k;

    if (o.sweep) {
        sweep_run(c, &o);
        return;
    }
    if (o.csv || o.plot)
        stop(c, CLI_USAGE, "--csv and --plot are for --sweep");
    range_refuse(c, &o);
    call_init(&k, c, &o);
    call_open(&k);
    call_evaluate(&k);
    outputs_check(&k);
    compared = compare_prepare(&k);
    call_launch(&k);
    outputs_write(&k);
    if (!compare_finish(&k, &compared))
        c->code = CLI_REFUSED;
    if (o.json && compared.len > 0)
        k.timing.compared = compare_json(c, &compared);
    else
        fputs(compare_text(c, &compared), c->tells);
    call_report(&k);
    call_close(&k);
}
