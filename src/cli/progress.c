/*
 * progress.c - one line on the terminal while long work goes on, and a word when nothing moves
 *
 * No line is written unless stderr is a terminal and the work has taken half a second; then at
 * most ten times a second.  It is wiped at the end, so the output of a command is the same with it
 * and without it.  A launch that seems to hang is told anywhere.
 */
#include "cli.h"

#include <stdio.h>
#include <string.h>

static const double first_warning = 5; /* seconds without a program that begins or ends */

enum { MOST_RANGES_TOLD = 4, WARNINGS_APART = 10 /* times the last one */ };

Progress progress_start(const char *what)
{
    Progress p = {.what = what, .started = os_seconds(), .next_warning = first_warning};

    return p;
}

/* Is it time for the line? */
static bool is_due(Progress *p, double now)
{
    if (now - p->started < 0.5 || now - p->shown < 0.1 || !os_is_terminal(2))
        return false;
    p->shown = now;
    interrupt_wipes(true);
    return true;
}

void progress_at(Progress *p, double share)
{
    double now = os_seconds();

    if (!is_due(p, now))
        return;
    fprintf(stderr, "\r%s: %3.0f%%  %.1f s", p->what, 100 * share, now - p->started);
    fflush(stderr);
}

void progress_files(Progress *p, int done, int all)
{
    enum { BAR = 24 };
    static const char full[] = "########################", empty[] = "........................";
    double now = os_seconds(), rate = done / (now - p->started);
    int filled = (int)((double)done / all * BAR);

    if (!is_due(p, now) || done == 0)
        return;
    fprintf(stderr, "\r[%.*s%.*s] %d of %d %s, %.0f/s, %.0f s left\033[K", filled, full,
            BAR - filled, empty, done, all, p->what, rate, (all - done) / rate);
    fflush(stderr);
}

static void wipe(Progress *p)
{
    if (p->shown == 0)
        return;
    fputs("\r\033[K", stderr);
    p->shown = 0;
    interrupt_wipes(false);
}

void progress_end(Progress *p)
{
    wipe(p);
}

/* --- launches --- */

/* "(3, 0, 0)", the number of a program counted with x fastest. */
static int put_program(char *out, size_t room, const int32_t grid[3], int64_t program)
{
    int64_t x = grid[0], y = grid[1];

    return snprintf(out, room, "(%lld, %lld, %lld)", (long long)(program % x),
                    (long long)(program / x % y), (long long)(program / x / y));
}

/* The programs that have begun and not ended; memory of its own, as this is another thread. */
static void name_running(char *out, size_t room, const int32_t grid[3], const tilec_progress *t)
{
    size_t n = 0;

    out[0] = '\0';
    for (int i = 0; i < MIN(t->nrunning, (int)MOST_RANGES_TOLD); i++) {
        const tilec_programs *r = &t->running[i];

        n += (size_t)snprintf(out + n, room - n, "%s", i ? ", " : "");
        n += (size_t)put_program(out + n, room - n, grid, r->first);
        if (r->last - r->first > 1) {
            n += (size_t)snprintf(out + n, room - n, " to ");
            n += (size_t)put_program(out + n, room - n, grid, r->last - 1);
        }
    }
    if (t->nrunning > MOST_RANGES_TOLD)
        snprintf(out + n, room - n, " ...");
}

static void warn_of_standstill(Progress *p, const int32_t grid[3], const tilec_progress *t)
{
    char running[600];

    wipe(p);
    name_running(running, sizeof running, grid, t);
    fprintf(stderr,
            "tilec: warning: kernel '%s': nothing has moved for %.0f s: %lld of %lld programs have "
            "ended, and %s has begun and not ended\n"
            "hint: a program that waits for one that has not begun waits for ever; Ctrl-C ends the "
            "run\n",
            p->what, t->still_seconds, (long long)t->ended, (long long)t->programs, running);
    p->next_warning *= WARNINGS_APART;
}

void progress_of_launch(Progress *p, const int32_t grid[3], const tilec_progress *t)
{
    double now = os_seconds();

    if (t->ended < 0)
        return;
    if (t->still_seconds < first_warning)
        p->next_warning = first_warning;
    else if (t->still_seconds >= p->next_warning && t->nrunning > 0)
        warn_of_standstill(p, grid, t);
    if (!is_due(p, now))
        return;
    fprintf(stderr, "\r\033[K%s: %3.0f%%  %lld of %lld programs  %.1f s", p->what,
            100 * (double)t->ended / (double)t->programs, (long long)t->ended,
            (long long)t->programs, t->seconds);
    if (t->ended > 0)
        fprintf(stderr, ", %.1f s left",
                t->seconds * (double)(t->programs - t->ended) / (double)t->ended);
    fflush(stderr);
}
