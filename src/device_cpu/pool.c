/*
 * pool.c - threads that stay, and hand out ranges of work among themselves
 *
 * A launch opens a gate, rings a bell, and starts to work itself.  A helper that hears the bell
 * goes in if the gate is still open, takes chunks of [0, n) until none is left, and goes out.  When
 * the caller finds no more chunks it shuts the gate and waits for those inside.  So nobody ever
 * waits for a helper that has not come yet: a late one finds the gate shut, a busy machine costs
 * parallelism but never latency, and after fork(), where the helpers are gone, the caller quietly
 * does everything.
 *
 *   1. The job's fields change only while the gate is shut and nobody is inside.
 *   2. Whoever is inside entered by a compare-and-swap that saw the gate open, hence sees the job.
 *   3. The caller returns only after the last one inside has left, hence sees their results.
 *
 * Each worker has a share of [0, n), a run of chunks with a counter of its own, and begins with
 * that: the next job of the same size finds in a CPU's own cache what this one left there.  Once
 * its share is taken it goes on with those of others, whose workers may be late or slow.  Where
 * chunks have to begin in order, as those that may wait for earlier ones, there is one share.
 *
 * Helpers start with the first job that can use them.  They listen for the bell for a while before
 * they sleep, so that a run of short launches wakes nobody.  Waking a thread costs the waker a
 * microsecond, so the caller wakes only a few, and the first of them that comes wakes the rest.
 * The same helpers are woken first each time: their CPUs have slept least.  Jobs take turns on one
 * mutex.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "device_cpu.h"

enum {
    LINE = 128, /* bytes that two CPUs should not share: a pair of cache lines */
    MAX_THREADS = 1024,
    SPINS_PER_LOOK = 32, /* at the clock */
    WAKE_FIRST = 8,      /* by the caller, before it starts to work */
    SMALLEST_SCRATCH = 64 << 10
};
static const double listen_seconds = 100e-6;

/* The gate: how many are inside, how many more may enter, whether it is open at all, and whether
 * the caller sleeps until all are out. */
#define GATE_INSIDE UINT32_C(0xfff)
#define GATE_PLACE (GATE_INSIDE + 1)
#define GATE_PLACES (GATE_INSIDE * GATE_PLACE)
#define GATE_AWAITED (UINT32_C(1) << 30)
#define GATE_OPEN (UINT32_C(1) << 31)
_Static_assert(MAX_THREADS <= GATE_INSIDE, "all threads must fit through the gate");

/* Keeps a share's counter from wrapping when every thread goes past its end. */
static const int64_t MAX_CHUNK = INT64_C(1) << 50;

typedef struct {
    _Alignas(LINE) _Atomic int64_t next; /* first program that nobody has taken */
    int64_t end;
} PoolShare;

typedef struct {
    _Alignas(LINE) pthread_t thread;
    Pool *pool;
    int index;
    _Atomic uint32_t asleep; /* 1: it is, or is about to be; whoever clears it wakes it */
    void *scratch;
    size_t scratch_bytes;
    PoolShare share;
} Worker;

struct Pool {
    int most;            /* threads; the caller counts as one */
    _Atomic int threads; /* that there are: 1 before a job that can use more */
    pid_t owner;         /* the process that has the helpers; 0: they have not started */
    bool listens;        /* there is a CPU for every thread, so waiting may use it */
    pthread_mutex_t turn;
    PoolJob job;
    int shares; /* of the job, with the first workers */

    _Alignas(LINE) _Atomic uint32_t gate;
    _Alignas(LINE) _Atomic uint32_t bell; /* rung by counting up */
    _Atomic int sleepers;                 /* helpers with `asleep` set */
    _Atomic int to_wake; /* how many of them this job still wants; may fall below 0 */
    _Atomic int next_to_look_at;
    _Atomic bool stop;
    Worker workers[];
};

static void futex_wait(_Atomic uint32_t *word, uint32_t expected)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void pause_briefly(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

/* Deal the chunks out: [0, n) in as many shares, which differ by a chunk at most. */
static void deal(Pool *p, int shares)
{
    int64_t n = p->job.n, chunk = p->job.chunk, chunks = (n - 1) / chunk + 1;
    int64_t each = chunks / shares, more = chunks % shares, at = 0;

    p->shares = shares;
    for (int i = 0; i < shares; i++) {
        PoolShare *s = &p->workers[i].share;
        atomic_store_explicit(&s->next, at, memory_order_relaxed);
        at += (each + (i < more)) * chunk;
        s->end = MIN(at, n);
    }
}

/* Take chunks of a share until there are no more. */
static void work_on_share(const PoolJob *job, PoolShare *s, int worker, void *scratch)
{
    while (atomic_load_explicit(&s->next, memory_order_relaxed) < s->end) {
        int64_t first = atomic_fetch_add_explicit(&s->next, job->chunk, memory_order_relaxed);

        if (first < s->end)
            job->fn(job->ctx, first, MIN(s->end, first + job->chunk), worker, scratch);
    }
}

/* Of all shares, its own first. */
static void work_on_launch(Pool *p, int worker)
{
    const PoolJob *job = &p->job;
    void *scratch = job->scratch > 0 ? p->workers[worker].scratch : NULL;

    if (scratch)
        memset(scratch, 0, MIN(job->scratch, (size_t)GEN_CLEARED));
    for (int i = 0; i < p->shares; i++)
        work_on_share(job, &p->workers[(worker + i) % p->shares].share, worker, scratch);
}

/* --- the helpers --- */

static bool enter(Pool *p)
{
    uint32_t gate = atomic_load_explicit(&p->gate, memory_order_relaxed);

    while ((gate & GATE_OPEN) != 0 && (gate & GATE_PLACES) != 0) {
        if (atomic_compare_exchange_weak_explicit(&p->gate, &gate, gate - GATE_PLACE + 1,
                                                  memory_order_acquire, memory_order_relaxed))
            return true;
    }
    return false;
}

static void leave(Pool *p)
{
    uint32_t gate = atomic_fetch_sub_explicit(&p->gate, 1, memory_order_release);

    if (gate == (GATE_AWAITED | 1))
        futex_wake(&p->gate);
}

/* Wake one that sleeps; false when there is none behind those that were looked at before. */
static bool wake_one(Pool *p)
{
    for (;;) {
        int i = atomic_fetch_add_explicit(&p->next_to_look_at, 1, memory_order_relaxed);

        if (i >= p->threads)
            return false;
        if (atomic_exchange(&p->workers[i].asleep, 0) == 0)
            continue;
        futex_wake(&p->workers[i].asleep);
        return true;
    }
}

/* Wake those that the job still wants, but no more than `most`. */
static void wake_some(Pool *p, int most)
{
    while (most-- > 0) {
        if (atomic_fetch_sub_explicit(&p->to_wake, 1, memory_order_relaxed) <= 0 || !wake_one(p))
            return;
    }
}

/* Spin until `*word` is no longer `old`, for as long as that is worth it.  Gives what it is. */
static uint32_t await_change(const Pool *p, _Atomic uint32_t *word, uint32_t old)
{
    double end = p->listens ? os_seconds() + listen_seconds : 0;
    uint32_t now = atomic_load_explicit(word, memory_order_acquire);

    for (int i = 1; now == old; i++) {
        if (!p->listens || (i % SPINS_PER_LOOK == 0 && os_seconds() > end))
            return now;
        pause_briefly();
        now = atomic_load_explicit(word, memory_order_acquire);
    }
    return now;
}

/* Sleep until somebody clears w->asleep, but not if the bell has rung since it was `heard`. */
static void sleep_until_woken(Worker *w, uint32_t heard)
{
    Pool *p = w->pool;

    atomic_fetch_add(&p->sleepers, 1);
    atomic_store(&w->asleep, 1);
    if (atomic_load(&p->bell) != heard)
        atomic_store(&w->asleep, 0);
    while (atomic_load(&w->asleep) != 0)
        futex_wait(&w->asleep, 1);
    atomic_fetch_sub(&p->sleepers, 1);
}

/* Give the bell's count once it is no longer `heard`. */
static uint32_t wait_for_bell(Worker *w, uint32_t heard)
{
    Pool *p = w->pool;
    uint32_t now = await_change(p, &p->bell, heard);

    while (now == heard) {
        sleep_until_woken(w, heard);
        wake_some(p, p->threads);
        now = atomic_load(&p->bell);
    }
    return now;
}

static void *helper(void *arg)
{
    Worker *w = arg;
    Pool *p = w->pool;
    uint32_t heard = 0;

    for (;;) {
        heard = wait_for_bell(w, heard);
        if (atomic_load(&p->stop))
            return NULL;
        if (!enter(p))
            continue;
        work_on_launch(p, w->index);
        leave(p);
    }
}

/* --- the caller --- */

/* Let `helpers` of them in, and wake those that do not listen. */
static void call_helpers(Pool *p, int helpers)
{
    atomic_store_explicit(&p->gate, GATE_OPEN | (uint32_t)helpers * GATE_PLACE,
                          memory_order_release);
    atomic_fetch_add(&p->bell, 1);
    int sleepers = atomic_load(&p->sleepers), listening = p->threads - 1 - sleepers;
    if (sleepers == 0 || helpers <= listening)
        return;
    atomic_store_explicit(&p->next_to_look_at, 1, memory_order_relaxed);
    atomic_store_explicit(&p->to_wake, helpers - listening, memory_order_relaxed);
    wake_some(p, WAKE_FIRST);
}

/* Shut the gate and wait until nobody is inside. */
static void shut(Pool *p)
{
    uint32_t gate = atomic_fetch_and_explicit(&p->gate, GATE_INSIDE, memory_order_acquire);
    uint32_t before;

    atomic_store_explicit(&p->to_wake, 0, memory_order_relaxed);
    gate &= GATE_INSIDE;
    do { /* as long as somebody leaves now and then */
        before = gate;
        gate = before == 0 ? 0 : await_change(p, &p->gate, before);
    } while (gate != before);
    if (gate == 0)
        return;
    gate = atomic_fetch_or(&p->gate, GATE_AWAITED) | GATE_AWAITED;
    while (gate != GATE_AWAITED) {
        futex_wait(&p->gate, gate);
        gate = atomic_load_explicit(&p->gate, memory_order_acquire);
    }
}

/* Give every worker that much scratch memory; what is there is used again.  Pages that nobody
 * touches cost nothing. */
static bool provide_scratch(Pool *p, size_t bytes)
{
    for (int i = 0; i < p->threads; i++) {
        Worker *w = &p->workers[i];

        if (w->scratch_bytes >= bytes)
            continue;
        os_free_pages(w->scratch, w->scratch_bytes);
        w->scratch_bytes = MAX(bytes, (size_t)SMALLEST_SCRATCH);
        w->scratch = os_alloc_pages(w->scratch_bytes);
        if (!w->scratch) {
            w->scratch_bytes = 0;
            return false;
        }
    }
    return true;
}

/* Start the helpers; the pool has as many threads as could be had. */
static void start_helpers(Pool *p)
{
    int i = 1;

    p->owner = getpid();
    for (; i < p->most; i++) {
        Worker *w = &p->workers[i];

        w->pool = p;
        w->index = i;
        if (os_thread_start(&w->thread, NULL, helper, w) != 0)
            break;
    }
    p->threads = i;
}

static RunStatus run_in_turn(Pool *p, const PoolJob *job)
{
    int threads = job->threads <= 0 ? p->most : MIN(job->threads, p->most);

    p->job = *job;
    p->job.chunk = MIN(MAX(job->chunk, 1), MAX_CHUNK);
    if (job->n <= p->job.chunk)
        threads = 1;
    if (threads > 1 && p->owner == 0)
        start_helpers(p);
    if (!provide_scratch(p, job->scratch))
        return RUN_NO_MEMORY;
    threads = MIN(threads, p->threads);
    deal(p, job->in_order ? 1 : threads);
    if (threads == 1) {
        work_on_launch(p, 0);
        return RUN_OK;
    }
    call_helpers(p, threads - 1);
    work_on_launch(p, 0);
    shut(p);
    return RUN_OK;
}

RunStatus pool_run(Pool *p, const PoolJob *job)
{
    if (job->n <= 0)
        return RUN_OK;
    pthread_mutex_lock(&p->turn);
    RunStatus status = run_in_turn(p, job);
    pthread_mutex_unlock(&p->turn);
    return status;
}

int pool_threads(const Pool *p)
{
    return p->most;
}

int pool_listening(const Pool *p)
{
    int sleepers = atomic_load_explicit(&p->sleepers, memory_order_relaxed);

    return p->listens ? atomic_load_explicit(&p->threads, memory_order_relaxed) - 1 - sleepers : 0;
}

/* --- making and ending --- */

RunStatus pool_new(int threads, Pool **out)
{
    int cpus = os_cpu_count();
    int wanted = MIN(threads > 0 ? threads : cpus, (int)MAX_THREADS);
    size_t bytes = sizeof(Pool) + (size_t)wanted * sizeof(Worker);
    Pool *p = aligned_alloc(LINE, (bytes + LINE - 1) / LINE * LINE);

    if (!p)
        return RUN_NO_MEMORY;
    *p = (Pool){.most = wanted, .threads = 1, .listens = wanted <= cpus};
    for (int i = 0; i < wanted; i++)
        p->workers[i] = (Worker){0};
    if (pthread_mutex_init(&p->turn, NULL) != 0) {
        free(p);
        return RUN_NO_THREADS;
    }
    *out = p;
    return RUN_OK;
}

void pool_free(Pool *p)
{
    if (!p)
        return;
    if (p->owner == getpid()) {
        atomic_store(&p->stop, true);
        atomic_fetch_add(&p->bell, 1);
        atomic_store(&p->next_to_look_at, 1);
        while (wake_one(p))
            continue;
        for (int i = 1; i < p->threads; i++)
            pthread_join(p->workers[i].thread, NULL);
    }
    for (int i = 0; i < p->threads; i++)
        os_free_pages(p->workers[i].scratch, p->workers[i].scratch_bytes);
    pthread_mutex_destroy(&p->turn);
    free(p);
}
