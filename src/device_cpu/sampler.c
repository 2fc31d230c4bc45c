/*
 * sampler.c - where the threads that run programs are, looked at in even steps of their CPU time
 *
 * Each thread that runs programs while the sampler runs joins it in front of them.  Where the
 * system allows that, the kernel then samples it (perf_event.c): at so many cycles, instructions
 * and cache misses of the processor's counters, or of a clock where a machine shows no counters.  A
 * thread of the sampler reads these out.
 *
 * Else the thread gets a timer on its own CPU clock, whose signal SIGPROF goes to it alone.  Its
 * handler does nothing but put the interrupted address into the next place of a buffer, which async
 * signals may.  Timers belong to the process, since signals do: one sampler runs at a time.  A
 * signal may come behind the end, so the handler stays; where SIGPROF had none before it is ignored
 * from then on.
 *
 * Addresses become lines when the sampler stops.
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
    STEP_NANOS = 997000,       /* no multiple of what kernels do in even steps themselves */
    READ_NANOS = 50 * 1000000, /* between the times when the kernel's samples are read out */
    MOST_SAMPLED = 1024,       /* threads */
    MOST_SAMPLES = 1 << 20     /* later ones are dropped: minutes of one thread */
};
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

_Atomic bool sampler_runs;

/* A thread. */
typedef struct {
    timer_t timer;
    PerfRing rings[SAMPLE_KINDS];
    int nrings; /* 0: it has the timer */
} Sampled;

typedef struct {
    uint64_t *at;
    _Atomic size_t n;
} Samples;

static struct {
    pthread_mutex_t lock; /* of starting, joining, reading and stopping */
    bool taken;
    unsigned starts; /* so far */
    pid_t owner;     /* the process that started it: a forked child has no reader */
    const char *clock;
    PerfChoice choice; /* of no events: timers */
    Sampled threads[MOST_SAMPLED];
    int nthreads;
    bool paused; /* `heard` is for timers what this is for perf's events */
    _Atomic bool heard;
    Samples samples[SAMPLE_KINDS];
    struct sigaction before; /* of timers */
    pthread_t reader;        /* of perf's events */
    pthread_cond_t stopping;
} sampler = {.lock = PTHREAD_MUTEX_INITIALIZER, .stopping = PTHREAD_COND_INITIALIZER};

static _Thread_local unsigned joined; /* of `starts`: the last one that this thread takes part in */

static void add_address(void *samples, uint64_t address)
{
    Samples *s = samples;
    size_t i = atomic_fetch_add_explicit(&s->n, 1, memory_order_relaxed);

    if (i < MOST_SAMPLES)
        s->at[i] = address;
}

static size_t sample_count(Samples *s)
{
    return MIN(atomic_load(&s->n), (size_t)MOST_SAMPLES);
}

/* --- timers --- */

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
    (void)number;
    (void)info;
    if (atomic_load_explicit(&sampler.heard, memory_order_acquire))
        add_address(&sampler.samples[SAMPLE_TIME], interrupted_at(context));
}

static bool listen_to_timers(void)
{
    struct sigaction action = {.sa_sigaction = take_sample, .sa_flags = SA_SIGINFO | SA_RESTART};

    sigemptyset(&action.sa_mask);
    return sigaction(SIGPROF, &action, &sampler.before) == 0;
}

static void ignore_timers(void)
{
    struct sigaction *before = &sampler.before;

    if (!(before->sa_flags & SA_SIGINFO) && before->sa_handler == SIG_DFL)
        before->sa_handler = SIG_IGN;
    sigaction(SIGPROF, before, NULL);
}

/* False: the system has no such timer. */
static bool start_timer(Sampled *t)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF};
    const struct itimerspec step = {{0, STEP_NANOS}, {0, STEP_NANOS}};
    sigset_t ours;

    sigemptyset(&ours);
    sigaddset(&ours, SIGPROF);
    pthread_sigmask(SIG_UNBLOCK, &ours, NULL); /* threads of a pool take no signals else */
    event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &t->timer) != 0)
        return false;
    if (timer_settime(t->timer, 0, &step, NULL) == 0)
        return true;
    timer_delete(t->timer);
    return false;
}

/* --- perf's events --- */

static void read_rings(void)
{
    for (int i = 0; i < sampler.nthreads; i++) {
        Sampled *t = &sampler.threads[i];
        for (int k = 0; k < t->nrings; k++)
            perf_ring_read(&t->rings[k], add_address, &sampler.samples[t->rings[k].kind]);
    }
}

static void *read_until_stopped(void *unused)
{
    struct timespec next;

    pthread_mutex_lock(&sampler.lock);
    while (atomic_load(&sampler_runs)) {
        clock_gettime(CLOCK_REALTIME, &next);
        next.tv_nsec += READ_NANOS;
        next.tv_sec += next.tv_nsec / 1000000000;
        next.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&sampler.stopping, &sampler.lock, &next);
        read_rings();
    }
    pthread_mutex_unlock(&sampler.lock);
    return unused;
}

static bool start_reader(void)
{
    return os_thread_start(&sampler.reader, NULL, read_until_stopped, NULL) == 0;
}

/* All that was chosen, or nothing: a thread that has time alone would be in no proportion. */
static bool start_rings(Sampled *t)
{
    const PerfChoice *c = &sampler.choice;

    for (; t->nrings < c->n; t->nrings++) {
        if (!perf_ring_open(&t->rings[t->nrings], &c->events[t->nrings], c->precise))
            break;
    }
    bool all = t->nrings == c->n;
    for (int i = 0; i < t->nrings; i++) {
        if (!all)
            perf_ring_close(&t->rings[i]);
        else if (!sampler.paused)
            perf_ring_count(&t->rings[i], true);
    }
    return all;
}

/* --- choosing --- */

/* In perf's words: a p for each step of precision. */
static const char *cycles_text(int precise)
{
    static const char *const texts[] = {"cycles", "cycles:p", "cycles:pp", "cycles:ppp"};

    return texts[precise];
}

/* "" or NULL: any. */
static const char *wanted_clock(void)
{
    return os_env("TILEC_SAMPLES");
}

static bool is_wanted(const char *clock)
{
    const char *wanted = wanted_clock();

    return !wanted || !wanted[0] || strcmp(wanted, clock) == 0;
}

static RunStatus choose_clock(const char **why)
{
    if (is_wanted("cycles") && perf_choose_counters(&sampler.choice)) {
        sampler.clock = cycles_text(sampler.choice.precise);
        return RUN_OK;
    }
    if (is_wanted("cpu-clock") && perf_choose_clock(&sampler.choice)) {
        sampler.clock = "cpu-clock";
        return RUN_OK;
    }
    sampler.choice.n = 0;
    sampler.clock = "timer";
    if (is_wanted("timer"))
        return RUN_OK;
    bool is_known = is_wanted("cycles") || is_wanted("cpu-clock");
    *why = is_known ? "the system gives no samples of the kind that TILEC_SAMPLES names; without "
                      "that variable there are others"
                    : "TILEC_SAMPLES is none of cycles, cpu-clock and timer";
    return RUN_FAILED;
}

/* --- from start to stop --- */

/* The buffers are for good: a handler may be at them for longer than we know. */
static bool clear_samples(void)
{
    for (int i = 0; i < SAMPLE_KINDS; i++) {
        Samples *s = &sampler.samples[i];
        if (!s->at)
            s->at = calloc(MOST_SAMPLES, sizeof *s->at);
        if (!s->at)
            return false;
        atomic_store(&s->n, 0);
    }
    return true;
}

static RunStatus start_sampling(const char **why)
{
    RunStatus status = choose_clock(why);

    if (status != RUN_OK)
        return status;
    if (!clear_samples())
        return RUN_NO_MEMORY;
    sampler.nthreads = 0;
    sampler.paused = false;
    atomic_store(&sampler_runs, true);
    bool uses_timers = sampler.choice.n == 0;
    if (uses_timers ? !listen_to_timers() : !start_reader()) {
        atomic_store(&sampler_runs, false);
        *why = uses_timers ? "the signal SIGPROF cannot be had" : run_status_text(RUN_NO_THREADS);
        return RUN_FAILED;
    }
    atomic_store(&sampler.heard, uses_timers);
    sampler.taken = true;
    sampler.owner = getpid();
    sampler.starts++;
    return RUN_OK;
}

RunStatus sampler_start(const char **why)
{
    pthread_mutex_lock(&sampler.lock);
    *why = "samples are being taken already";
    RunStatus status = sampler.taken ? RUN_FAILED : start_sampling(why);
    pthread_mutex_unlock(&sampler.lock);
    return status;
}

/* A thread that cannot be sampled is left out: others do the same work. */
void sampler_join_now(void)
{
    if (joined == sampler.starts)
        return;
    pthread_mutex_lock(&sampler.lock);
    if (sampler.taken && sampler.nthreads < MOST_SAMPLED) {
        Sampled *t = &sampler.threads[sampler.nthreads];
        *t = (Sampled){0};
        if (sampler.choice.n > 0 ? start_rings(t) : start_timer(t))
            sampler.nthreads++;
    }
    joined = sampler.starts;
    pthread_mutex_unlock(&sampler.lock);
}

/* A forked child shares the events, which are its parent's. */
static bool is_ours(void)
{
    return sampler.owner == getpid();
}

static void count_on_threads(bool on)
{
    for (int i = 0; i < sampler.nthreads; i++) {
        for (int k = 0; k < sampler.threads[i].nrings; k++)
            perf_ring_count(&sampler.threads[i].rings[k], on);
    }
}

void sampler_pause(bool paused)
{
    pthread_mutex_lock(&sampler.lock);
    if (sampler.taken && is_ours() && paused != sampler.paused) {
        sampler.paused = paused;
        if (sampler.choice.n > 0)
            count_on_threads(!paused);
        else
            atomic_store(&sampler.heard, !paused);
    }
    pthread_mutex_unlock(&sampler.lock);
}

static void release_threads(void)
{
    for (int i = 0; i < sampler.nthreads; i++) {
        Sampled *t = &sampler.threads[i];
        for (int k = 0; k < t->nrings; k++)
            perf_ring_close(&t->rings[k]);
        if (t->nrings == 0)
            timer_delete(t->timer);
    }
}

typedef struct {
    DeviceSample sample;
    void (*fn)(void *ctx, const DeviceSample *sample);
    void *ctx;
} SampleTelling;

static void tell_sample(void *telling, const char *file, int line)
{
    SampleTelling *t = telling;

    t->sample.file = file;
    t->sample.line = line;
    t->fn(t->ctx, &t->sample);
}

/* What a sample of the kind stands for. */
static DeviceSample sample_of(SampleKind kind)
{
    DeviceSample s = {.clock = sampler.clock, .steps = kind == SAMPLE_TIME};
    const PerfChoice *c = &sampler.choice;

    for (int i = 0; c->n > 1 && i < c->n; i++) { /* one alone has nothing to be compared with */
        if (c->events[i].kind == kind)
            *(kind == SAMPLE_TIME           ? &s.cycles
              : kind == SAMPLE_INSTRUCTIONS ? &s.instructions
                                            : &s.misses) = (double)c->events[i].period;
    }
    return s;
}

static void tell_samples(void (*fn)(void *ctx, const DeviceSample *sample), void *ctx)
{
    for (int i = 0; i < SAMPLE_KINDS; i++) {
        SampleTelling t = {sample_of((SampleKind)i), fn, ctx};
        debugger_lines(sampler.samples[i].at, sample_count(&sampler.samples[i]), tell_sample, &t);
    }
}

static void end_sampling(void)
{
    atomic_store(&sampler.heard, false);
    if (is_ours()) {
        count_on_threads(false);
        read_rings();
    }
    release_threads();
    if (sampler.choice.n == 0)
        ignore_timers();
}

void sampler_stop(void (*fn)(void *ctx, const DeviceSample *sample), void *ctx)
{
    pthread_mutex_lock(&sampler.lock);
    bool stops = sampler.taken && atomic_exchange(&sampler_runs, false);
    bool has_reader = stops && sampler.choice.n > 0 && is_ours();
    pthread_mutex_unlock(&sampler.lock);
    if (has_reader) {
        pthread_cond_signal(&sampler.stopping);
        pthread_join(sampler.reader, NULL);
    }
    if (!stops)
        return;
    pthread_mutex_lock(&sampler.lock);
    end_sampling();
    tell_samples(fn, ctx);
    sampler.taken = false;
    pthread_mutex_unlock(&sampler.lock);
}
