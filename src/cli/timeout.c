/*
 * timeout.c - `--timeout`: end the command when a launch takes too long
 *
 * A program that waits for ever cannot be stopped, so the process ends; what is done for other
 * files of --each stays done.  Who makes calls in child processes, as `tilec test` does, tells of
 * it and goes on.
 */
#include "call.h"

#include <stdio.h>
#include <stdlib.h>

static void put_trouble(char *out, size_t room, const Call *k, const tilec_progress *t)
{
    static const char hint[] =
        "\nhint: a program that waits for one that has not begun waits for ever";
    bool hangs =
        progress_may_wait(k->timing.grid) && (t->ended <= 0 || 2 * t->still_seconds > t->seconds);
    char programs[PROGRAMS_TEXT];

    progress_put_programs(programs, k->timing.grid, t);
    snprintf(out, room, "kernel '%s' has run for %.3g s, and --timeout allows %.3g: %s%s",
             k->timing.kernel, t->seconds, k->options.timeout, programs, hangs ? hint : "");
}

/* Nothing here uses the call's arena, which belongs to another thread. */
static NORETURN void end_command(const Cli *c, const char *trouble)
{
    char *json = c->json ? problem_json_of_fault(c, trouble, CLI_REFUSED) : NULL;

    interrupt_settle();
    terminal_say_trouble("tilec: %s\n", trouble);
    crash_say_files();
    if (json)
        printf("%s\n", json);
    fflush(stdout);
    _Exit(CLI_REFUSED);
}

void timeout_check(const Call *k, const tilec_progress *t)
{
    char trouble[PROGRAMS_TEXT + 400];

    if (k->options.timeout == 0 || t->seconds < k->options.timeout)
        return;
    put_trouble(trouble, sizeof trouble, k, t);
    trial_stop(trouble);
    end_command(k->cli, trouble);
}
