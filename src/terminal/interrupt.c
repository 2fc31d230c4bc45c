/*
 * interrupt.c - Ctrl-C ends the command at once, whatever it is doing, and leaves a clean line
 *
 * The process dies by the signal itself, so that a shell's loop ends with it and $? is 130. Nothing
 * is left to tidy up: files that are not complete have no name where the system can do that, and
 * else, as in the moment in which one replaces another, they are waited for (base/os_file.c).
 */
#include "terminal.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_WAITS = 2000 };
static const struct timespec a_while = {.tv_nsec = 1000000};
static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
static volatile sig_atomic_t line_shown;

/* What goes to stdout for signals[i]: made in front of them, and there as long as the process. */
static const char *objects[COUNT(signals)];
static volatile sig_atomic_t tells_json;
static volatile sig_atomic_t defers_first, reads;
static volatile int noted;       /* the signal; as an int, for launches to look at */
static volatile double noted_at; /* in seconds */

/* What is said last, in one of two places by turns: the other one may be being read. */
enum { LONGEST = 120 };
static char says[2][LONGEST];
static volatile sig_atomic_t said = -1; /* -1: nothing */

static void put(int stream, const char *text)
{
    if (write(stream, text, strlen(text)) < 0)
        return;
}

void interrupt_tell(void)
{
    if (said >= 0)
        put(STDERR_FILENO, says[said]);
}

void interrupt_settle(void)
{
    rescue_write();
    for (int i = 0; i < MOST_WAITS && os_unfinished_files() > 0; i++)
        nanosleep(&a_while, NULL);
    if (line_shown)
        put(STDERR_FILENO, "\r\033[K");
}

static void end_now(int number)
{
    interrupt_settle();
    if (number == SIGINT)
        interrupt_tell();
    for (int i = 0; i < COUNT(signals) && tells_json; i++) {
        if (number != signals[i] || !objects[i])
            continue;
        put(STDOUT_FILENO, objects[i]);
        put(STDOUT_FILENO, "\n");
    }
    signal(number, SIG_DFL); /* only now: a second signal must not end it sooner */
    raise(number);           /* when this returns */
}

/* Seconds on a clock, for a handler. */
static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* What sends a signal to a process and to its group sends two at once. */
static void end(int number)
{
    static const double apart = 0.5;

    if (!defers_first || (noted && now() > noted_at + apart)) {
        end_now(number);
    } else if (!noted) {
        noted_at = now();
        noted = number;
        if (reads)
            alarm(1);
    }
}

static void wake(int number)
{
    (void)number;
    if (reads && noted)
        alarm(1);
}

void interrupt_reads(bool reading)
{
    /* one that another thread has set by then may still come, and must not end the process */
    struct sigaction action = {.sa_handler = wake, .sa_flags = reading ? 0 : SA_RESTART};

    reads = reading;
    if (!reading)
        alarm(0);
    sigaction(SIGALRM, &action, NULL);
    if (reading && noted)
        alarm(1);
}

void interrupt_defer(bool defers)
{
    defers_first = defers;
}

int interrupt_noted(void)
{
    return noted;
}

const volatile int *interrupt_flag(void)
{
    return &noted;
}

int interrupt_take(void)
{
    int number = noted;

    noted = 0;
    return number;
}

void interrupt_end(void)
{
    said = -1;
    tells_json = false;
    end_now(noted);
    _exit(EXIT_FAILURE); /* where the signal is blocked */
}

void interrupt_tells_json(char *(*object)(int number))
{
    for (int i = 0; i < COUNT(signals) && object; i++) {
        if (!objects[i])
            objects[i] = object(signals[i]);
    }
    tells_json = object != NULL;
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
    int n = snprintf(says[next], LONGEST, "%s stopped: ", colour_name());
    vsnprintf(says[next] + n, (size_t)(LONGEST - n - 1), fmt, ap);
    va_end(ap);
    strcat(says[next], "\n");
    said = next;
}

void interrupt_be_quiet(void)
{
    said = -1;
    defers_first = tells_json = false;
}

void interrupt_wipes(bool shown)
{
    line_shown = shown;
}
