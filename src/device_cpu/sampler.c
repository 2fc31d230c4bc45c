/*
 * sampler.c - where the threads that run programs are, looked at in even steps of their CPU time
 *
 * Each thread that runs programs while the sampler runs gets a timer on its own CPU clock, whose
 * signal SIGPROF goes to that thread alone.  Its handler does nothing but put the interrupted
 * address into the next place of a buffer, which async signals may; addresses become lines when
 * the sampler stops.  Timers belong to the process, since signals do: one sampler runs at a time.
 *
 * A signal may come behind the end, so the handler stays; where SIGPROF had none before it is
 * ignored from then on.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "device_cpu.h"

enum {
    STEP_NANOS = 997000, /* no multiple of what kernels do in even steps themselves */
    MOST_TIMERS = 1024,
    MOST_SAMPLES = 1 << 20 /* later ones are dropped: a quarter of an hour of one thread */
};
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

_Atomic bool sampler_runs;

static struct {
    pthread_mutex_t lock; /* of starting, joining and stopping */
    bool taken;
    unsigned starts; /* so far */
    timer_t timers[MOST_TIMERS];
    int ntimers;
    uint64_t *samples;
    _Atomic(uint64_t *) writable; /* `samples` while the sampler runs */
    _Atomic size_t n;
    struct sigaction before;
} sampler = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local unsigned
    joined; /* of `starts`: the last one that this thread has a timer of */

static uint64_t interrupted_at(const void *context)
{
    const ucontext_t *c = context;

#if defined(__x86_64__)
    return (uint64_t)c->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (uint64_t)c->uc_mcontext.pc;
#else
    (void)c;
    return 0;
#endif
}

static void take_sample(int number, siginfo_t *info, void *context)
{
    uint64_t *samples = atomic_load_explicit(&sampler.writable, memory_order_acquire);

    (void)number;
    (void)info;
    if (!samples)
        return;
    size_t i = atomic_fetch_add_explicit(&sampler.n, 1, memory_order_relaxed);
    if (i < MOST_SAMPLES)
        samples[i] = interrupted_at(context);
}

static RunStatus start_sampling(void)
{
    struct sigaction action = {.sa_sigaction = take_sample, .sa_flags = SA_SIGINFO | SA_RESTART};

    if (!sampler.samples) /* for good: a handler may be at it for longer than we know */
        sampler.samples = calloc(MOST_SAMPLES, sizeof *sampler.samples);
    if (!sampler.samples)
        return RUN_NO_MEMORY;
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGPROF, &action, &sampler.before) != 0)
        return RUN_NO_THREADS;
    sampler.taken = true;
    sampler.starts++;
    sampler.ntimers = 0;
    atomic_store(&sampler.n, 0);
    atomic_store(&sampler.writable, sampler.samples);
    atomic_store(&sampler_runs, true);
    return RUN_OK;
}

RunStatus sampler_start(void)
{
    pthread_mutex_lock(&sampler.lock);
    RunStatus status = sampler.taken ? RUN_NO_THREADS : start_sampling();
    pthread_mutex_unlock(&sampler.lock);
    return status;
}

/* False: the system has no such timer. */
static bool start_timer(timer_t *timer)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF};
    const struct itimerspec step = {{0, STEP_NANOS}, {0, STEP_NANOS}};

    event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, timer) != 0)
        return false;
    if (timer_settime(*timer, 0, &step, NULL) == 0)
        return true;
    timer_delete(*timer);
    return false;
}

void sampler_join_now(void)
{
    sigset_t ours;

    if (joined == sampler.starts)
        return;
    pthread_mutex_lock(&sampler.lock);
    if (sampler.taken && sampler.ntimers < MOST_TIMERS) {
        sigemptyset(&ours);
        sigaddset(&ours, SIGPROF);
        pthread_sigmask(SIG_UNBLOCK, &ours, NULL); /* threads of a pool take no signals else */
        if (start_timer(&sampler.timers[sampler.ntimers]))
            sampler.ntimers++;
    }
    joined = sampler.starts;
    pthread_mutex_unlock(&sampler.lock);
}

void sampler_stop(void (*fn)(void *ctx, const char *file, int line), void *ctx)
{
    pthread_mutex_lock(&sampler.lock);
    if (sampler.taken) {
        atomic_store(&sampler_runs, false);
        for (int i = 0; i < sampler.ntimers; i++)
            timer_delete(sampler.timers[i]);
        atomic_store(&sampler.writable, NULL);
        debugger_lines(sampler.samples, MIN(atomic_load(&sampler.n), (size_t)MOST_SAMPLES), fn,
                       ctx);
        bool unhandled =
            !(sampler.before.sa_flags & SA_SIGINFO) && sampler.before.sa_handler == SIG_DFL;
        if (unhandled)
            sampler.before.sa_handler = SIG_IGN;
        sigaction(SIGPROF, &sampler.before, NULL);
        sampler.taken = false;
    }
    pthread_mutex_unlock(&sampler.lock);
}
