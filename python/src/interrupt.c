/*
 * interrupt.c - Ctrl-C while a launch of the main thread runs
 *
 * Python's handler of SIGINT only notes the signal, and a launch that runs without the GIL does not
 * ask for it.  So a handler of ours stands in front, which hands the signal on and writes the
 * number that cancels the launch (tilec_launch_options.cancel): programs that have begun end, no
 * others begin, and Python raises what its handler says, a KeyboardInterrupt mostly.  Where a
 * second one comes and the launch is still there, its programs do not end; then the process does.
 *
 * Programs set handlers whenever they like, so that launches look whether ours still stands.
 */
#define _GNU_SOURCE /* syscall */
#include "core.h"

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct sigaction before;
static pthread_t main_thread;
static bool knows_main;
static volatile sig_atomic_t running; /* launches of the main thread, one inside the other */
static volatile int wish;             /* a signal came since the outermost one began */

static void end_process(int number)
{
    static const char text[] =
        "tilec: interrupted twice while a program of a kernel does not end: the process ends\n";
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigset_t it;

    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        return;
    sigaction(number, &plain, NULL);
    sigemptyset(&it);
    sigaddset(&it, number);
    pthread_sigmask(SIG_UNBLOCK, &it, NULL);
    raise(number);
}

static void handle(int number, siginfo_t *info, void *context)
{
    if (running > 0 && wish)
        end_process(number);
    if (running > 0)
        wish = 1;
    if (before.sa_flags & SA_SIGINFO)
        before.sa_sigaction(number, info, context);
    else
        before.sa_handler(number);
}

/* Asking the system who stands there takes as long as a fourth of a launch: it is done for the
 * first one of each hundredth of a second. */
static bool is_time_to_look(void)
{
    static struct timespec last;
    struct timespec now = {0};

    if (clock_gettime(CLOCK_MONOTONIC_COARSE, &now) != 0)
        return true;
    long passed = now.tv_nsec - last.tv_nsec;
    if (now.tv_sec == last.tv_sec && passed < 10000000)
        return false;
    last = now;
    return true;
}

/* Where the system's own way stands, which ends the process or ignores the signal, it stays. */
static void stand_in_front(void)
{
    struct sigaction now, ours = {.sa_sigaction = handle};

    if (sigaction(SIGINT, NULL, &now) != 0)
        return;
    bool is_plain = !(now.sa_flags & SA_SIGINFO);
    if (is_plain ? now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN
                 : now.sa_sigaction == handle)
        return;
    before = now;
    ours.sa_mask = now.sa_mask;
    ours.sa_flags = now.sa_flags | SA_SIGINFO;
    sigaction(SIGINT, &ours, NULL);
}

void interrupt_main(void)
{
    main_thread = pthread_self();
    knows_main = getpid() == (pid_t)syscall(SYS_gettid);
}

const volatile int *interrupt_begin(void)
{
    if (!knows_main || !pthread_equal(main_thread, pthread_self()))
        return NULL;
    if (is_time_to_look())
        stand_in_front();
    if (running == 0)
        wish = 0;
    running = running + 1;
    return &wish;
}

void interrupt_end(const volatile int *begun)
{
    if (begun)
        running = running - 1;
}
