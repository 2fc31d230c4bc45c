/*
 * progress.c - one line on the terminal while long work goes on, and a word when nothing moves
 *
 * No line is written unless stderr is a terminal, one that can wipe it, and the work has taken half
 * a second; then at most ten times a second, as much of it as there are columns for: a line that
 * wraps is not wiped.  It is wiped at the end, so the output of a command is the same with it
 * and without it.  A launch that seems to hang is told anywhere.
 */
#include "terminal.h"

#include <stdio.h>
#include <string.h>

static const double first_warning = 5; /* seconds without a program that begins or ends */

enum { MOST_RANGES_TOLD = 4, WARNINGS_APART = 10 /* times the last one */ };

Progress progress_start(bool quiet, const char *what)
{
    Progress p = {
        .what = what, .started = os_seconds(), .next_warning = first_warning, .quiet = quiet};

    return p;
}

/* Is it time for the line? */
static bool is_due(Progress *p, double now)
{
    if (p->quiet || now - p->started < 0.5 || now - p->shown < 0.1 || !os_terminal_draws(2))
        return false;
    p->shown = now;
    interrupt_wipes(true);
    return true;
}

static int columns_of_terminal(void)
{
    int columns = 80, rows = 24;

    os_terminal_size(2, &columns, &rows);
    return columns;
}

/* In the place of the line before. */
PRINTF(1, 2) static void show_line(const char *fmt, ...)
{
    char line[400];
    va_list ap;
    int n;

    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    n = MIN((int)strlen(line), columns_of_terminal() - 1);
    while (n > 0 && ((unsigned char)line[n] & 0xC0) == 0x80) /* not within a character */
        n--;
    fprintf(stderr, "\r%.*s\033[K", MAX(n, 0), line);
    fflush(stderr);
}

void progress_at(Progress *p, double share)
{
    double now = os_seconds();

    if (is_due(p, now))
        show_line("%s: %3.0f%%  %.1f s", p->what, 100 * share, now - p->started);
}

void progress_files(Progress *p, double done, int all)
{
    enum { BAR = 24, FRAME = 3, LEAST_BAR = 4 };
    static const char full[] = "########################", empty[] = "........................";
    double now = os_seconds(), rate = done / (now - p->started);
    char words[120];

    if (done <= 0 || !is_due(p, now))
        return;
    snprintf(words, sizeof words, "%d of %d %s, %.*f/s, %.0f s left", (int)done, all, p->what,
             rate < 10, rate, (all - done) / rate);
    int room = columns_of_terminal() - 1;
    int bar = MIN(BAR, room - (int)strlen(words) - FRAME), filled = (int)(done / all * bar);
    if (bar >= LEAST_BAR)
        show_line("[%.*s%.*s] %s", filled, full, bar - filled, empty, words);
    else if ((int)strlen(words) <= room)
        show_line("%s", words);
    else
        show_line("%.0f%%, %.0f s left", 100 * done / all, (all - done) / rate);
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

static bool has_one(const tilec_progress *t)
{
    return t->nrunning == 1 && t->running[0].last - t->running[0].first == 1;
}

void progress_put_programs(char out[PROGRAMS_TEXT], const int32_t grid[3], const tilec_progress *t)
{
    char running[600];

    name_running(running, sizeof running, grid, t);
    if (t->ended < 0)
        snprintf(out, PROGRAMS_TEXT, "the device does not tell how far it is");
    else if (t->nrunning == 0)
        snprintf(out, PROGRAMS_TEXT, "%lld of %lld programs have ended", (long long)t->ended,
                 (long long)t->programs);
    else
        snprintf(out, PROGRAMS_TEXT,
                 "%lld of %lld programs have ended, and %s %s begun and not ended",
                 (long long)t->ended, (long long)t->programs, running, has_one(t) ? "has" : "have");
}

bool progress_may_wait(const int32_t grid[3])
{
    return grid[0] > 1 || grid[1] > 1 || grid[2] > 1;
}

static void warn_of_standstill(Progress *p, const int32_t grid[3], const tilec_progress *t)
{
    char programs[PROGRAMS_TEXT];

    wipe(p);
    progress_put_programs(programs, grid, t);
    if (t->ended < 0)
        terminal_say(
            "tilec: warning: kernel '%s': the device has been at work on it for %.0f s: %s\n",
            p->what, t->seconds, programs);
    else
        terminal_say("tilec: warning: kernel '%s': nothing has moved for %.0f s: %s\n", p->what,
                     t->still_seconds, programs);
    terminal_say("hint: %sCtrl-C ends the run\n",
                 progress_may_wait(grid)
                     ? "a program that waits for one that has not begun waits for ever; "
                     : "");
    p->next_warning *= WARNINGS_APART;
}

void progress_warn_of_launch(Progress *p, const int32_t grid[3], const tilec_progress *t)
{
    double still = t->ended < 0 ? t->seconds : t->still_seconds;

    if (p->quiet)
        return;
    if (still < first_warning)
        p->next_warning = first_warning;
    else if (still >= p->next_warning && (t->ended < 0 || t->nrunning > 0))
        warn_of_standstill(p, grid, t);
}

void progress_of_launch(Progress *p, const int32_t grid[3], const tilec_progress *t)
{
    double now = os_seconds();

    progress_warn_of_launch(p, grid, t);
    if (!is_due(p, now))
        return;
    if (t->ended < 0) {
        show_line("%s: %.1f s on the device", p->what, t->seconds);
        return;
    }
    char left[40] = "";
    if (t->ended > 0)
        snprintf(left, sizeof left, ", %.1f s left",
                 t->seconds * (double)(t->programs - t->ended) / (double)t->ended);
    show_line("%s: %3.0f%%  %lld of %lld programs  %.1f s%s", p->what,
              100 * (double)t->ended / (double)t->programs, (long long)t->ended,
              (long long)t->programs, t->seconds, left);
}
