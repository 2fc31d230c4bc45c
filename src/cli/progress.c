/*
 * progress.c - one line on the terminal while long work goes on
 *
 * Nothing is written unless stderr is a terminal and the work has taken half a second; then at
 * most ten times a second.  The line is wiped at the end, so the output of a command is the same
 * with it and without it.
 */
#include "cli.h"

#include <stdio.h>

Progress progress_start(const char *what)
{
    Progress p = {what, os_seconds(), 0};

    return p;
}

void progress_at(Progress *p, double share)
{
    double now = os_seconds();

    if (now - p->started < 0.5 || now - p->shown < 0.1 || !os_is_terminal(2))
        return;
    fprintf(stderr, "\r%s: %3.0f%%  %.1f s", p->what, 100 * share, now - p->started);
    fflush(stderr);
    p->shown = now;
}

void progress_end(Progress *p)
{
    if (p->shown > 0)
        fputs("\r\033[K", stderr);
}
