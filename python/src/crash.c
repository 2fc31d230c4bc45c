/*
 * crash.c - what is said when a kernel ends the process
 *
 * On the CPU a kernel that computes a wrong address reaches whatever is there, and where nothing is
 * a signal ends the process.  While launches run, that is said first; then the signal goes to
 * whoever took it before: Python's faulthandler, which is there as it would be, or the system.
 * Warnings about the launch, which are shown behind it, are said then, too: what a kernel wrote
 * behind its arrays may be Python's own memory, so a launch has ended when they are shown. Nothing
 * but write() is safe in a handler, so the name of the kernel is all that it looks up.
 */
#include "core.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static const int signals[] = {SIGSEGV, SIGBUS};
enum { SIGNALS = sizeof signals / sizeof signals[0] };
static struct sigaction before[SIGNALS];
static atomic_int running; /* launches */
static char kernel[128]; /* of the last one that began; a copy, since kernels overwrite the heap */
static char said[2048];  /* warnings that nobody has seen yet; a copy, too */
static pthread_mutex_t saying = PTHREAD_MUTEX_INITIALIZER;
static atomic_flag spoken = ATOMIC_FLAG_INIT;

static void say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return;
}

/* Threads fault side by side: the first one speaks, and while it and whoever comes behind it end
 * the process, the others wait. */
static void speak(void)
{
    enum { STEP = 10000, STEPS = 200 }; /* microseconds; 2 seconds in all */
    if (atomic_flag_test_and_set(&spoken)) {
        for (int i = 0; i < STEPS; i++)
            usleep(STEP);
        return;
    }
    say(said);
    say("tilec: the process crashed while the kernel ");
    say(kernel);
    say(" ran, which may have reached memory outside of its arrays: check=True, or "
        "TILEC_CHECK=1 in the environment, says where\n");
}

/* What faulted runs again behind it, and faults for whoever was there before. */
static void handle(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (atomic_load(&running) > 0)
        speak();
    for (int i = 0; i < SIGNALS; i++) {
        if (signals[i] == number)
            sigaction(number, &before[i], NULL);
    }
    if (info->si_code <= 0)
        raise(number); /* it was sent */
}

/* Once, under the GIL. */
static void install(void)
{
    static bool is_done;
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    if (is_done)
        return;
    is_done = true;
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &action, &before[i]);
}

void crash_says(const char *text)
{
    pthread_mutex_lock(&saying); /* threads launch side by side */
    strncpy(said, text ? text : "", sizeof said - 1);
    pthread_mutex_unlock(&saying);
}

void crash_begin(const char *name)
{
    install();
    strncpy(kernel, name, sizeof kernel - 1);
    atomic_fetch_add(&running, 1);
}

void crash_end(void)
{
    atomic_fetch_sub(&running, 1);
}
