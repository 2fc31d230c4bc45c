/*
 * device.c - the device "cpu": this machine's own processor
 *
 * Objects come from the target "cpu" of the plugin as ELF; loader.c makes them runnable, launch.c
 * spreads the programs over the threads of pool.c.
 */
#include <stdlib.h>
#include <string.h>

#include "../device/device.h"
#include "device_cpu.h"

/* Launches that move less are never worth a look at the last-level cache. */
enum { SMALLEST_CACHE = 1 << 20 };

/* One kernel, ready to run. */
typedef struct {
    Code *code;
    CpuKernel *entry;
    size_t scratch;
    int parts;                         /* see CpuLaunch */
    _Atomic uint32_t cost, alone_cost; /* see CpuLaunch */
    _Atomic uint32_t short_launches;   /* the same */
} CpuCode;

/* The threads, and the scratch memory that they keep. */
static void *open_pool(void)
{
    Pool *pool;

    return pool_new(0, &pool) == RUN_OK ? pool : NULL;
}

static void close_pool(void *pool)
{
    pool_free(pool);
}

/* What of the last-level cache a launch may count on.  Asking the system takes longer than one. */
static size_t cache_bytes(void)
{
    static _Atomic size_t known; /* 0: not asked yet */
    size_t bytes = atomic_load_explicit(&known, memory_order_relaxed);

    if (bytes == 0) {
        bytes = os_last_level_cache_bytes();
        atomic_store_explicit(&known, bytes, memory_order_relaxed);
    }
    return bytes;
}

/* Threads that a launch may have.  The pool asked once, too. */
static int threads_of(const LaunchFacts *facts)
{
    static _Atomic int known; /* 0: not asked yet */
    int cpus = atomic_load_explicit(&known, memory_order_relaxed);

    if (cpus == 0) {
        cpus = os_cpu_count();
        atomic_store_explicit(&known, cpus, memory_order_relaxed);
    }
    return facts->threads > 0 ? MIN(facts->threads, cpus) : cpus;
}

/* -1: there is no such level. */
static int find_level(const char *name)
{
    for (int i = 0; host_level(i); i++) {
        if (strcmp(host_level(i)->name, name) == 0)
            return i;
    }
    return -1;
}

static const char *refuse_arch(const char *arch, bool runs)
{
    int i = find_level(arch);

    if (i < 0)
        return "it is none of the levels of this architecture: x86-64, x86-64-v2 to x86-64-v4";
    return !runs || host_has_level(i) ? NULL : "this machine's CPU lacks something of it";
}

static GenOptions options_for_cpu(const LaunchFacts *facts)
{
    const GenLevel *level = facts->arch ? host_level(find_level(facts->arch)) : NULL;
    double bytes = facts->bytes;

    return (GenOptions){.cpu = level ? level->name : host_cpu_name(),
                        .features = level ? level->features : host_cpu_features(),
                        .disjoint = facts->disjoint,
                        .few_programs = facts->few_programs,
                        .lines = facts->lines,
                        .debug = facts->debug,
                        .parts =
                            facts->programs > 0 &&
                            facts->programs<threads_of(facts), .streaming = bytes> SMALLEST_CACHE &&
                            bytes > (double)cache_bytes()};
}

static void unload_for_cpu(void *code)
{
    CpuCode *c = code;

    code_free(c->code);
    free(c);
}

static RunStatus load_for_cpu(const DeviceObject *object, void **code, const char **why)
{
    CpuCode *c = calloc(1, sizeof *c);

    *why = run_status_text(RUN_NO_MEMORY);
    if (!c)
        return RUN_NO_MEMORY;
    RunStatus status = code_load(object->output->data, object->output->len, &c->code, why);
    if (status == RUN_OK)
        c->entry = (CpuKernel *)code_symbol(c->code, "tilec_kernel");
    if (c->entry) {
        c->scratch = object->output->scratch;
        c->parts = object->output->parts;
        perf_note(object->func ? object->func->name : "kernel", (void *)(uintptr_t)c->entry,
                  code_lines(c->code));
        *code = c;
        return RUN_OK;
    }
    unload_for_cpu(c);
    if (status != RUN_OK)
        return status;
    *why = "it has no entry";
    return RUN_BAD_OBJECT;
}

static RunStatus launch_on_cpu(void *pool, void *code, const DeviceLaunch *l, char **error)
{
    CpuCode *c = code;
    CpuLaunch launch = {.entry = c->entry,
                        .scratch = c->scratch,
                        .args = l->args,
                        .grid = {l->grid[0], l->grid[1], l->grid[2]},
                        .threads = l->threads,
                        .parts = c->parts,
                        .waits = l->waits,
                        .atomics = l->atomics,
                        .watch = l->watch,
                        .stints = l->stints,
                        .cost = &c->cost,
                        .alone_cost = &c->alone_cost,
                        .short_launches = &c->short_launches};

    *error = NULL;
    if (l->records)
        l->records->wide_floats = true;
    return cpu_launch(pool, &launch);
}

const Device cpu_device = {
    .name = "cpu",
    .target_name = "cpu",
    .has_archs = true,
    .refuse_arch = refuse_arch,
    .level = host_level,
    .describe = host_cpu_text,
    .threads = os_cpu_count,
    .open = open_pool,
    .close = close_pool,
    .options = options_for_cpu,
    .load = load_for_cpu,
    .unload = unload_for_cpu,
    .profile_start = sampler_start,
    .profile_pause = sampler_pause,
    .profile_stop = sampler_stop,
    .launch = launch_on_cpu,
};
