/*
 * run.c - `tilec run`: launch a kernel once, save and show what came out, time it
 */
#include "cli.h"

void command_run(Cli *c, int argc, char **argv)
{
    Options o = options_parse(c, COMMAND_RUN, argc, argv);
    Call k;

    call_init(&k, c, &o);
    call_open(&k);
    call_evaluate(&k);
    outputs_check(&k);
    call_launch(&k);
    outputs_write(&k);
    call_report(&k);
    call_close(&k);
}
