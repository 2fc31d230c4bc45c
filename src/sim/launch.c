/*
 * launch.c - run a kernel over its grid
 *
 * Workers, one on each thread, take programs from one counter.  A worker has the memory of one
 * block: the register files of its warps with the constants in them, shared memory and its shadow,
 * local memory.  The first fault stops all.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "execute.h"

enum { PARAM_ALIGN = 128, MOST_THREADS = 64, MOST_SHARED = 1 << 24 };

static void set_lanes(Warp *w, PtxSpecial which, uint32_t (*value)(int thread), int first)
{
    uint32_t *lanes = REG(w, (uint32_t)which * SPECIAL_BYTES, uint32_t);

    for (int i = 0; i < LANES; i++)
        lanes[i] = value(first + i);
}

static uint32_t as_is(int i)
{
    return (uint32_t)i;
}
static uint32_t mask_eq(int i)
{
    return UINT32_C(1) << i;
}
static uint32_t mask_lt(int i)
{
    return (UINT32_C(1) << i) - 1;
}
static uint32_t mask_le(int i)
{
    return (UINT32_C(2) << i) - 1;
}
static uint32_t mask_gt(int i)
{
    return ~mask_le(i);
}
static uint32_t mask_ge(int i)
{
    return ~mask_lt(i);
}

static void set_all(Warp *w, PtxSpecial which, uint32_t value)
{
    uint32_t *lanes = REG(w, (uint32_t)which * SPECIAL_BYTES, uint32_t);

    for (int i = 0; i < LANES; i++)
        lanes[i] = value;
}

/* The special registers that are the same for all blocks. */
static void set_specials(Warp *w, const Launch *l)
{
    const SimLaunch *asked = l->asked;

    set_lanes(w, SPECIAL_TID_X, as_is, w->index * LANES);
    set_lanes(w, SPECIAL_LANEID, as_is, 0);
    set_lanes(w, SPECIAL_LANEMASK_EQ, mask_eq, 0);
    set_lanes(w, SPECIAL_LANEMASK_LT, mask_lt, 0);
    set_lanes(w, SPECIAL_LANEMASK_LE, mask_le, 0);
    set_lanes(w, SPECIAL_LANEMASK_GT, mask_gt, 0);
    set_lanes(w, SPECIAL_LANEMASK_GE, mask_ge, 0);
    set_all(w, SPECIAL_NTID_X, (uint32_t)asked->warps * LANES);
    set_all(w, SPECIAL_NTID_Y, 1);
    set_all(w, SPECIAL_NTID_Z, 1);
    for (int axis = 0; axis < 3; axis++)
        set_all(w, (PtxSpecial)(SPECIAL_NCTAID_X + axis), (uint32_t)asked->grid[axis]);
    set_all(w, SPECIAL_WARPID, (uint32_t)w->index);
    set_all(w, SPECIAL_NWARPID, (uint32_t)asked->warps);
    set_all(w, SPECIAL_NSMID, 1);
    set_all(w, SPECIAL_DYNAMIC_SMEM, (uint32_t)asked->shared);
    set_all(w, SPECIAL_TOTAL_SMEM, w->block->shared_bytes);
}

static void set_const(Warp *w, const PtxConst *c)
{
    for (int i = 0; i < LANES; i++) {
        switch (c->bits) {
        case 1:
            *REG(w, c->place, uint32_t) = c->value ? ALL_LANES : 0;
            break;
        case 8:
            REG(w, c->place, uint8_t)[i] = (uint8_t)c->value;
            break;
        case 16:
            REG(w, c->place, uint16_t)[i] = (uint16_t)c->value;
            break;
        case 32:
            REG(w, c->place, uint32_t)[i] = (uint32_t)c->value;
            break;
        default:
            REG(w, c->place, uint64_t)[i] = c->value;
        }
    }
}

static bool open_warp(Worker *worker, Warp *w, int index)
{
    const SimModule *m = worker->launch->module;
    size_t file = (m->file_bytes + FILE_ALIGN - 1) / FILE_ALIGN * FILE_ALIGN;

    *w = (Warp){.index = index, .block = &worker->block, .worker = worker, .module = m};
    w->regs = aligned_alloc(FILE_ALIGN, file);
    w->local = calloc(LANES, (size_t)m->local_bytes + 1);
    if (!w->regs || !w->local)
        return false;
    memset(w->regs, 0, file);
    for (int i = 0; i < m->consts.len; i++)
        set_const(w, &m->consts.at[i]);
    set_specials(w, worker->launch);
    return wgmma_open(w) && (!worker->launch->asked->counts || pace_open(w));
}

static void close_worker(Worker *worker)
{
    Block *b = &worker->block;

    for (int i = 0; b->warps && i < b->nwarps; i++) {
        free(b->warps[i].regs);
        free(b->warps[i].local);
        free(b->warps[i].copies.at);
        free(b->warps[i].stores.at);
        pace_close(&b->warps[i]);
    }
    wgmma_close(b);
    tcgen05_close(b);
    free(b->warps);
    free(b->mbarriers.at);
    free(b->loads.at);
    free(b->shared);
    shadow_free(b->shadow);
    free(b->fetched);
}

/* False when memory is out. */
static bool open_worker(Worker *worker)
{
    const Launch *l = worker->launch;
    Block *b = &worker->block;

    b->nwarps = l->asked->warps;
    b->shared_bytes = (uint32_t)(l->module->dynamic_at + l->asked->shared);
    b->warps = calloc((size_t)b->nwarps, sizeof *b->warps);
    b->shared = aligned_alloc(1024, (b->shared_bytes / 1024 + 1) * 1024);
    b->shadow = shadow_new(b->shared_bytes);
    if (!b->warps || !b->shared || !b->shadow)
        return false;
    for (int i = 0; i < b->nwarps; i++) {
        if (!open_warp(worker, &b->warps[i], i))
            return false;
    }
    if (!l->asked->counts)
        return true;
    worker->counts = calloc((size_t)l->module->code.len, sizeof *worker->counts);
    return worker->counts != NULL;
}

static void *run_worker(void *arg)
{
    Worker *worker = arg;
    Launch *l = (Launch *)worker->launch;

    if (!open_worker(worker)) {
        worker->status = SIM_NO_MEMORY;
        atomic_store(&l->stopped, true);
    }
    while (!atomic_load_explicit(&l->stopped, memory_order_relaxed)) {
        int64_t program = atomic_fetch_add_explicit(&l->next, 1, memory_order_relaxed);

        if (program >= l->programs ||
            !watch_begin(l->asked->watch, worker->index, program, program + 1))
            break;
        double start = stints_begin(l->asked->stints);
        if (!block_run(worker, program))
            atomic_store(&l->stopped, true);
        stints_end(l->asked->stints, worker->index, program, program + 1, start);
        watch_end(l->asked->watch, worker->index);
    }
    close_worker(worker);
    return NULL;
}

/* What the workers counted, together, in the first one's. */
static SimStatus merge_counts(Worker *workers, int n, SimCounts *out)
{
    const SimModule *m = workers->launch->module;

    for (int i = 1; i < n; i++)
        count_add(workers[0].counts, workers[i].counts, m->code.len);
    return count_lines(m, workers[0].counts, out) ? SIM_OK : SIM_NO_MEMORY;
}

static SimStatus run_workers(Launch *l, int n, Worker *workers, SimError *error)
{
    pthread_t threads[MOST_THREADS];
    int started = 1;
    SimStatus status = SIM_OK;

    workers[0].launch = l;
    for (; started < n; started++) {
        workers[started].launch = l;
        workers[started].index = started;
        if (os_thread_start(&threads[started], NULL, run_worker, &workers[started]) != 0)
            break;
    }
    run_worker(&workers[0]);
    for (int i = 1; i < started; i++)
        pthread_join(threads[i], NULL);
    for (int i = started - 1; i >= 0; i--) {
        if (workers[i].status == SIM_OK)
            continue;
        status = workers[i].status;
        *error = workers[i].error;
    }
    if (status == SIM_OK && watch_cut_short(l->asked->watch))
        status = SIM_CANCELLED;
    if (status == SIM_OK && l->asked->counts)
        status = merge_counts(workers, started, l->asked->counts);
    for (int i = 0; i < started; i++)
        free(workers[i].counts);
    return status;
}

static SimStatus refuse_launch(SimError *error, const char *fmt, ...) PRINTF(2, 3);
static SimStatus refuse_launch(SimError *error, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(error->text, sizeof error->text, fmt, ap);
    va_end(ap);
    return SIM_BAD_LAUNCH;
}

static SimStatus check_launch(const SimKernel *k, const SimLaunch *asked, SimError *error)
{
    int threads;

    if (asked->warps < 1 || asked->warps > MAX_WARPS)
        return refuse_launch(error, "%d warps a block; there may be 1 to %d", asked->warps,
                             MAX_WARPS);
    threads = asked->warps * LANES;
    if (k->func->threads > 0 && threads > k->func->threads)
        return refuse_launch(error, "%d threads a block, where the kernel is made for %d", threads,
                             k->func->threads);
    if (asked->shared > MOST_SHARED || k->module->dynamic_at > MOST_SHARED - asked->shared)
        return refuse_launch(error, "%zu bytes of shared memory", asked->shared);
    for (int i = 0; i < 3; i++) {
        if (asked->grid[i] < 0)
            return refuse_launch(error, "a negative grid");
    }
    if ((int64_t)asked->grid[0] * asked->grid[1] > INT64_MAX / MAX(asked->grid[2], 1))
        return refuse_launch(error, "too many programs");
    return SIM_OK;
}

/* NULL: memory is out, and *error says for what. */
static Races *look_for_races(const SimLaunch *asked, int64_t programs, SimError *error)
{
    int n = MAX(asked->nranges, 0);
    RaceRange *ranges = calloc((size_t)n + 1, sizeof *ranges);
    Races *out = NULL;

    for (int i = 0; ranges && i < n; i++) {
        const SimRange *r = &asked->ranges[i];
        ranges[i] = (RaceRange){r->address, r->bytes, r->unit, r->blank};
    }
    if (ranges)
        out = races_new(ranges, n, programs);
    if (ranges && !out) {
        error->kind = SIM_ACCESS;
        races_put_need(error->text, sizeof error->text, ranges, n);
    }
    free(ranges);
    return out;
}

/* The parameters as they lie in their space: what the launch has, or, where some need more room,
 * memory for free() in *own.  NULL: memory is out. */
static const char *place_params(const PtxFunc *f, const uint64_t *args, char **own)
{
    size_t bytes = (size_t)(f->param_bytes / PARAM_ALIGN + 1) * PARAM_ALIGN;

    *own = NULL;
    if (!f->has_large)
        return args ? (const char *)args : "";
    *own = aligned_alloc(PARAM_ALIGN, bytes);
    for (int i = 0; *own && i < f->params.len; i++) {
        const PtxVar *v = f->params.at[i];
        const void *from = v->bytes > 8 ? (const void *)(uintptr_t)args[i] : &args[i];

        memcpy(*own + v->address, from, (size_t)MAX(v->bytes, 8));
    }
    return *own;
}

/* For free(); NULL: memory is out. */
static SimRange *globals_of(const SimModule *m)
{
    SimRange *out = calloc((size_t)MAX(m->globals.len, 1), sizeof *out);

    for (int i = 0; out && i < m->globals.len; i++) {
        const PtxGlobal *g = &m->globals.at[i];
        out[i] = (SimRange){.address = g->address, .bytes = g->bytes, .read_only = g->read_only};
    }
    return out;
}

SimStatus sim_launch(const SimKernel *k, const SimLaunch *asked, SimError *error)
{
    Launch l = {.module = k->module, .kernel = k, .asked = asked};
    SimStatus status;

    *error = (SimError){.lane = -1, .warp = -1};
    status = check_launch(k, asked, error);
    if (status != SIM_OK)
        return status;
    l.programs = (int64_t)asked->grid[0] * asked->grid[1] * asked->grid[2];
    if (asked->counts)
        *asked->counts = (SimCounts){0};
    if (l.programs == 0)
        return SIM_OK;
    int n = (int)MIN(MIN(MAX(asked->threads, 1), (int)MOST_THREADS), l.programs);
    Worker *workers = calloc((size_t)n, sizeof *workers);
    if (!workers)
        return SIM_NO_MEMORY;
    char *params;
    l.params = place_params(k->func, asked->args, &params);
    SimRange *globals = globals_of(k->module);
    l.globals = globals;
    bool looks = asked->races && l.programs < UINT32_MAX;
    l.races = looks ? look_for_races(asked, l.programs, error) : NULL;
    l.own = asked->roams ? own_memory_new() : NULL;
    bool is_ready = l.params && globals && (l.races || !looks) && (l.own || !asked->roams);
    status = is_ready ? run_workers(&l, n, workers, error) : SIM_NO_MEMORY;
    races_free(l.races);
    own_memory_free(l.own);
    free(params);
    free(globals);
    free(workers);
    return status;
}
