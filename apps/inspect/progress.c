/*
 * progress.c - a line on a terminal while images are inspected, and what Ctrl-C does
 *
 * The first signal is noted: workers then finish the images in hand, and what is done is written
 * whole.  The second one ends the program at once, with tables under their hidden names.
 */
#define _POSIX_C_SOURCE 200809L
#include "inspect.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

volatile int progress_signal;

/* A line is there, to be wiped; a worker may say something at any time. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool shown;

static double first_at;

/* One Ctrl-C may come twice, from the terminal and from a program in front of this one. */
static void note(int number)
{
    static const char text[] = "\ntilec-inspect: ending with the images in hand\n";
    const double now = progress_now();

    if (!progress_signal) {
        progress_signal = number;
        first_at = now;
        if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
            return;
    } else if (now - first_at > 0.5) {
        signal(number, SIG_DFL);
        raise(number);
    }
}

static void handle(void (*handler)(int))
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, before;

    for (int i = 0; i < 3; i++) {
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
}

void progress_watch(void)
{
    handle(note);
}

void progress_end(void)
{
    handle(SIG_DFL);
    raise(progress_signal);
}

double progress_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void progress_show(int done, int all, double seconds)
{
    const double rate = seconds > 0 ? done / seconds : 0;

    if (!isatty(STDERR_FILENO))
        return;
    pthread_mutex_lock(&lock);
    fprintf(stderr, "\r\033[K%d of %d images, %.0f images/s, %.0f s left", done, all, rate,
            rate > 0 ? (all - done) / rate : 0);
    shown = true;
    pthread_mutex_unlock(&lock);
}

void progress_wipe(void)
{
    pthread_mutex_lock(&lock);
    if (shown)
        fputs("\r\033[K", stderr);
    shown = false;
    pthread_mutex_unlock(&lock);
}
