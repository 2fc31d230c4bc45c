/*
 * interrupt.c - Ctrl-C ends the command at once, whatever it is doing, and leaves a clean line
 *
 * The process dies by the signal itself, so that a shell's loop ends with it and $? is 130. Nothing
 * is left to tidy up: files that are not complete have no name where the system can do that, and
 * else, as in the moment in which one replaces another, they are waited for (base/os_file.c).
 */
#include "cli.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_WAITS = 2000 };
static const struct timespec a_while = {.tv_nsec = 1000000};
static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
static volatile sig_atomic_t line_shown;

/* What is said last, in one of two places by turns: the other one may be being read. */
enum { LONGEST = 120 };
static char says[2][LONGEST];
static volatile sig_atomic_t said = -1; /* -1: nothing */

void interrupt_settle(void)
{
    static const char wipe[] = "\r\033[K";

    for (int i = 0; i < MOST_WAITS && os_unfinished_files() > 0; i++)
        nanosleep(&a_while, NULL);
    if (line_shown && write(STDERR_FILENO, wipe, sizeof wipe - 1) < 0)
        line_shown = 0;
}

void interrupt_tell(void)
{
    if (said >= 0 && write(STDERR_FILENO, says[said], strlen(says[said])) < 0)
        said = -1;
}

static void end(int number)
{
    interrupt_settle();
    if (number == SIGINT)
        interrupt_tell();
    signal(number, SIG_DFL); /* only now: a second signal must not end it sooner */
    raise(number);           /* when this returns */
}

void interrupt_watch(void)
{
    struct sigaction action = {.sa_handler = end}, before;

    for (int i = 0; i < COUNT(signals); i++) {
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(signals[i], &action, NULL);
    }
}

void interrupt_says(const char *fmt, ...)
{
    int next = said == 0;
    va_list ap;

    va_start(ap, fmt);
    int n = snprintf(says[next], LONGEST, "tilec: stopped: ");
    vsnprintf(says[next] + n, (size_t)(LONGEST - n - 1), fmt, ap);
    va_end(ap);
    strcat(says[next], "\n");
    said = next;
}

void interrupt_wipes(bool shown)
{
    line_shown = shown;
}
