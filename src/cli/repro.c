/*
 * repro.c - `--repro`: the launch as a file that needs no other, as it is before it runs
 */
#include "call.h"

#include <string.h>

void repro_refuse(Cli *c, const Options *o)
{
    if (o->repro && (o->sweep || o->tune || o->eaches.len > 0 || o->against.text))
        cli_stop(c, CLI_USAGE, "--repro is about one call, and %s makes many",
                 o->sweep            ? "--sweep"
                 : o->tune           ? "--tune"
                 : o->eaches.len > 0 ? "--each"
                                     : "--against");
}

void repro_write(const Call *k)
{
    Cli *c = k->cli;
    const Options *o = &k->options;
    char *text = NULL, *error = NULL;

    if (!o->repro)
        return;
    cli_check(c,
              tilec_reproduce(c->file, o->kernel, k->timing.grid, k->args.args, k->args.count,
                              &o->launch, &text, &error),
              &error);
    int problem = os_write_file(o->repro, text, strlen(text));
    tilec_free(text);
    if (problem)
        cli_stop_at_file(c, o->repro, os_error_text(problem));
}
