/*
 * call_run.c - one call with all that `tilec run` does around it: comparing, saving, showing
 */
#include "call.h"

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
    rehearsal_start(k);
    repro_write(k);
    compared = compare_prepare(k);
    k->unwritten.wanted = true;
    call_launch(k);
    unwritten_find(k);
    outputs_write(k);
    if (!compare_finish(k, &compared))
        c->code = CLI_REFUSED;
    if (k->options.json && compared.len > 0)
        c->compared = k->timing.compared = comparison_json(&c->store, &compared);
    else
        fputs(comparison_text(&c->store, &compared), c->tells);
    unwritten_tell(k);
    warning = compare_warning(k, &compared);
    if (warning)
        call_warn(k, warning);
    else
        undefined_tell(k);
    if (!c->warned)
        overwritten_tell(k);
    rehearsal_tell(k);
}
