/*
 * launch.c - run a compiled CPU kernel over its grid
 *
 * Decides how many threads a launch deserves and how the programs are dealt out.  Waking helpers
 * costs a few microseconds, so a launch whose programs are known to be short stays on the calling
 * thread; what is known comes from a clock around earlier launches of the same kernel.  Programs
 * that wait for others get all threads, one at a time, however short they were: with fewer, one
 * that waits for a higher number might keep that from beginning.
 *
 * Atomics of a launch on one thread need no locks, if no other launch has any at that time.  Such a
 * launch keeps others that have some out until it ends; where one runs already, it takes the locks
 * instead.  Memory may be the same whichever context the launches are of, so this is one lock for
 * the process; who launches out of a launch, on its thread, finds it taken and goes on.  Several
 * threads that add to the same places wait for each other, so one that needs no locks may well be
 * done before them: that is tried with one launch that does not take long, and costs of both ways
 * are kept.
 *
 * Where there are fewer programs than threads, and the code allows it (src/split/split.c), each
 * program is run in parts.  The results do not depend on how many there are.
 */
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "device_cpu.h"

/* Measured on two CPUs of a Xeon (Sapphire Rapids, virtual), 2026-11-29.  To take a chunk: 8 ns by
 * one thread, 40 to 60 ns while another one takes some, and that from one thread to the next, so of
 * many threads each waits for all others.  A helper that listens begins 1.3 us behind the call; to
 * wake one takes 1 us of the caller's time, and it comes 5 us later at best, 27 to 48 us where CPUs
 * are busy.  To run a program in 16 parts takes 20 to 60 ns a part. */
enum {
    CHUNKS_PER_THREAD = 32, /* the last chunk leaves at most 1/32 of a thread's share idle, .. */
    TAKE_NANOS = 50,        /* .. but to take one .. */
    TAKES_PER_CHUNK = 16,   /* .. is a sixteenth of its work, and no more than all threads do */
    WAKE_NANOS = 20000,     /* work that is worth a thread that sleeps, */
    CALL_NANOS = 4000,      /* and one that listens */
    PARTS_PER_THREAD = 4,   /* of programs: threads are not all as fast, or there at once */
    PART_NANOS = 2000,      /* but not less work than that */
    LOOK_EVERY = 8,         /* launch of less work than that looks at the clock, twice 28 ns */
    TRY_NANOS = 100000000,  /* a launch that takes longer is not tried on one thread */
    STACK_SCRATCH = 4096    /* scratch up to here lies on the stack of the caller */
};

static int64_t nanos(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* How many threads so much work is worth. */
static int threads_worth(const Pool *p, double work)
{
    if (work < CALL_NANOS)
        return 1;
    double called = MIN(work / CALL_NANOS, pool_listening(p));

    return (int)MIN(1 + MAX(work / WAKE_NANOS, called), pool_threads(p));
}

/* How many threads to use; a cost of 0 is not known. */
static int threads_for(const Pool *p, const CpuLaunch *l, int64_t programs, uint32_t cost)
{
    int threads = p ? pool_threads(p) : 1, parts = l->waits ? 1 : MAX(l->parts, 1);

    if (l->threads > 0)
        threads = MIN(threads, l->threads);
    if (programs < threads)
        threads = (int)MIN(threads, programs * parts);
    if (threads > 1 && !l->waits && cost > 0)
        threads = MIN(threads, threads_worth(p, (double)programs * cost));
    return threads;
}

/* In how many parts each program is run. */
static int64_t parts_for(const CpuLaunch *l, int64_t programs, int threads, uint32_t cost)
{
    int64_t wanted = cost == 0 ? threads : (int64_t)threads * PARTS_PER_THREAD;

    if (threads == 1 || programs >= threads || l->parts < 2 || l->waits)
        return 1;
    if (cost > 0)
        wanted = MAX(MIN(wanted, programs * cost / PART_NANOS), threads);
    return MIN((wanted + programs - 1) / programs, l->parts);
}

static uint32_t known(_Atomic uint32_t *cost)
{
    return cost ? atomic_load_explicit(cost, memory_order_relaxed) : 0;
}

/* Will one thread that needs no locks be done earlier than those which do? */
static bool is_better_alone(const CpuLaunch *l, int64_t programs, int threads, uint32_t cost)
{
    uint32_t alone = known(l->alone_cost);

    if (!l->atomics || l->waits || !l->alone_cost || threads == 1 || cost == 0)
        return false;
    return alone > 0 ? alone < cost / (uint32_t)threads
                     : (double)programs * cost / threads < TRY_NANOS;
}

/* Programs that a thread takes at once.  One alone takes all: code begins anew with each chunk. */
static int64_t chunk_for(int64_t programs, int threads, int64_t cost)
{
    if (threads == 1)
        return programs;
    int64_t chunk = programs / ((int64_t)threads * CHUNKS_PER_THREAD);
    int64_t takes = TAKES_PER_CHUNK + 2 * (int64_t)threads;
    int64_t least = cost > 0 ? TAKE_NANOS * takes / cost : 1;
    int64_t most = (programs + threads - 1) / threads;

    return MIN(MAX(MAX(chunk, least), 1), most);
}

/* Is this one of those that say what a program costs?  A clock takes longer than a short launch is
 * worth, and its time changes nothing while it stays short. */
static bool is_timed(const CpuLaunch *l, int64_t programs, uint32_t cost)
{
    if (!l->cost || (programs <= 1 && l->parts <= 1))
        return false;
    if (!l->short_launches || cost == 0 || (double)programs * cost >= CALL_NANOS)
        return true;
    return atomic_fetch_add_explicit(l->short_launches, 1, memory_order_relaxed) % LOOK_EVERY == 0;
}

enum { PARTS = GEN_PARTS / sizeof(int32_t) }; /* in Run.grid */

/* One launch; what worker 0 sees tells what a program costs. */
typedef struct {
    const CpuLaunch *launch;
    Watch *watch;    /* of the launch; NULL where it ends before anybody looks */
    int32_t grid[4]; /* as CpuKernel takes it */
    bool timed;
    bool alone;         /* GEN_ALONE */
    int64_t start, end; /* of the chunks of worker 0, on the clock */
    int64_t programs;   /* that it has run, or parts of these */
} Run;

/* Some programs on one thread. */
typedef struct {
    const Run *run;
    void *scratch;
} Share;

static void run_piece(void *ctx, int64_t first, int64_t last)
{
    const Share *s = ctx;

    s->run->launch->entry(s->run->launch->args, s->run->grid, first, last, s->scratch);
}

static void run_watched(const Run *r, int64_t first, int64_t last, int worker, void *scratch)
{
    Share share = {r, scratch};

    watch_run(r->watch, worker, first, last, run_piece, &share);
}

static void run_chunk(void *ctx, int64_t first, int64_t last, int worker, void *scratch)
{
    Run *r = ctx;
    const CpuLaunch *l = r->launch;
    bool timed = r->timed && worker == 0;

    double start = stints_begin(l->stints);

    if (r->alone)
        *(int64_t *)((char *)scratch + GEN_ALONE) = 1;
    sampler_join();
    if (timed && r->programs == 0)
        r->start = nanos();
    if (r->watch)
        run_watched(r, first, last, worker, scratch);
    else
        l->entry(l->args, r->grid, first, last, scratch);
    if (timed) {
        r->end = nanos();
        r->programs += last - first;
    }
    stints_end(l->stints, worker, first / r->grid[PARTS], (last - 1) / r->grid[PARTS] + 1, start);
}

/* What one program cost, rounded up: 0 means that nobody knows. */
static void remember_cost(const Run *r)
{
    if (r->programs == 0)
        return;
    int64_t each = (r->end - r->start) * r->grid[PARTS] / r->programs + 1;
    const CpuLaunch *l = r->launch;
    atomic_store_explicit(r->alone && l->alone_cost ? l->alone_cost : l->cost,
                          (uint32_t)MIN(each, (int64_t)UINT32_MAX), memory_order_relaxed);
}

/* The calling thread alone, with scratch that needs no pool. */
static void run_here(Run *r, int64_t programs)
{
    _Alignas(64) char scratch[STACK_SCRATCH];

    memset(scratch, 0, GEN_CLEARED);
    run_chunk(r, 0, programs, 0, r->launch->scratch > 0 ? scratch : NULL);
}

static RunStatus run_without_pool(Run *r, int64_t programs)
{
    void *scratch = os_alloc_pages(r->launch->scratch);

    if (!scratch)
        return RUN_NO_MEMORY;
    run_chunk(r, 0, programs, 0, scratch);
    os_free_pages(scratch, r->launch->scratch);
    return RUN_OK;
}

static pthread_rwlock_t atomics = PTHREAD_RWLOCK_INITIALIZER;

/* What end_turn() needs to know: is anything held? */
static bool take_turn(Run *r, int threads)
{
    const CpuLaunch *l = r->launch;

    if (!l->atomics)
        return false;
    r->alone = threads == 1 && !l->waits && l->scratch >= GEN_CLEARED &&
               pthread_rwlock_trywrlock(&atomics) == 0;
    return r->alone || pthread_rwlock_rdlock(&atomics) == 0;
}

static void end_turn(bool held)
{
    if (held)
        pthread_rwlock_unlock(&atomics);
}

static RunStatus run_programs(Pool *p, Run *r, int64_t programs, int threads, uint32_t cost)
{
    const CpuLaunch *l = r->launch;

    if (threads == 1 && l->scratch <= STACK_SCRATCH) {
        run_here(r, programs);
        return RUN_OK;
    }
    if (!p)
        return run_without_pool(r, programs);
    int parts = r->grid[PARTS];
    PoolJob job = {.n = programs * parts,
                   .chunk = l->waits ? 1 : chunk_for(programs * parts, threads, cost / parts),
                   .threads = threads,
                   .scratch = l->scratch,
                   .fn = run_chunk,
                   .ctx = r,
                   .in_order = l->waits};
    return pool_run(p, &job);
}

RunStatus cpu_launch(Pool *p, const CpuLaunch *l)
{
    int64_t programs = grid_programs(l->grid);
    uint32_t cost = known(l->cost);
    bool is_brief = !l->waits && cost > 0 && (double)programs * cost < WATCH_SECONDS * 1e9;
    Run run = {.launch = l,
               .watch = is_brief ? NULL : l->watch,
               .grid = {l->grid[0], l->grid[1], l->grid[2], 1},
               .timed = is_timed(l, programs, cost)};

    if (programs <= 0)
        return programs < 0 ? RUN_BAD_GRID : RUN_OK;
    int threads = threads_for(p, l, programs, cost);
    if (is_better_alone(l, programs, threads, cost))
        threads = 1;
    run.grid[PARTS] = (int32_t)parts_for(l, programs, threads, cost);
    if (run.watch)
        watch_in_parts(run.watch, run.grid[PARTS]);
    bool held = take_turn(&run, threads);
    RunStatus status = run_programs(p, &run, programs, threads, cost);
    end_turn(held);
    if (status == RUN_OK && watch_cut_short(run.watch))
        return RUN_CANCELLED;
    if (run.timed)
        remember_cost(&run);
    return status;
}
