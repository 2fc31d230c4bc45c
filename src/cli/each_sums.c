/*
 * each_sums.c - the last line of `run --each`: how many files are done, and what of the others
 */
#include "each.h"

#include <errno.h>

/* On stderr for people; --json has the same on stdout. */
static void tell_sums(const Each *e, double seconds)
{
    Text t = text_new(e->cli->arena);

    if (interrupt_noted()) {
        terminal_say("tilec: stopped: %d of %d files are done; %d left\n", e->done - e->failed,
                     e->files.len, e->left);
        return;
    }
    text_printf(&t, "tilec: %d of %d files in %.2f s, %.0f files/s", e->done - e->failed,
                e->files.len, seconds, e->files.len / seconds);
    if (e->options->skip_existing)
        text_printf(&t, "; %d skipped%s", e->skipped,
                    e->files.len > 0 ? ""
                                     : ": all outputs are there, and not older than their files");
    if (e->replaced)
        text_printf(&t, "; %d older output%s replaced", e->replaced, e->replaced > 1 ? "s" : "");
    if (e->failed)
        text_printf(&t, "; %d failed", e->failed);
    if (e->stale)
        text_printf(&t, ", of which %d %s outputs of an earlier run", e->stale,
                    e->stale == 1 ? "has" : "have");
    if (e->left)
        text_printf(&t, "; %d left, which would fail alike", e->left);
    if (e->options->compares.len > 0)
        text_printf(&t, "; compared: %d agree, %d differ%s", e->done - e->failed, e->differ,
                    e->differ == 1 ? "s" : "");
    terminal_say("%s\n", t.s);
    if (e->halted == EMFILE || e->halted == ENFILE)
        terminal_say("hint: `ulimit -n N` lets a process have N files open\n");
}

void each_sum_up(Each *e)
{
    double seconds = os_seconds() - e->started;

    progress_end(&e->progress);
    if (!e->options->quiet)
        tell_sums(e, seconds);
    if (e->options->json)
        each_json_print(e, seconds);
}
