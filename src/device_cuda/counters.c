/*
 * counters.c - what the chip counted in one launch, by CUPTI's range profiler
 *
 * CUPTI runs the kernel as often as its counters take, each time with memory as it was.  The
 * library is not part of the driver, and the system may keep counters from users: either is said,
 * and nothing has run then.  One launch at a time is counted.
 */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cupti.h"
#include "device_cuda.h"

/* Those that a chip does not have are left out. */
static const char *const metrics[] = {
    "gpu__time_duration.sum",
    "smsp__inst_executed.sum",
    "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "sm__inst_executed_pipe_tensor.sum",
    "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "lts__t_sectors.sum",
    "lts__t_sector_hit_rate.pct",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
};
enum { METRICS = COUNT(metrics) };

static struct {
    pthread_once_t once;
    Cupti entries;
    char missing[256]; /* "": nothing is */
} cupti = {.once = PTHREAD_ONCE_INIT};
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;

typedef struct {
    const CudaScope *scope;
    const Cupti *by;
    CuptiHost *host;
    CuptiRanges *ranges;
    uint8_t *availability, *config, *counts;
    size_t config_bytes, counts_bytes;
    const char *names[METRICS];
    int count;
    char **error;
} Counted;

/* --- the library --- */

/* Where there is none, what the system says of the first name: its text ends with the next try. */
static void *open_library(void)
{
    static const char *const names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so",
                                        "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so",
                                        "/usr/local/cuda/lib64/libcupti.so"};
    const char *path = os_env("TILEC_LIBCUPTI"), *why;
    void *lib = os_load_library(path ? path : names[0], &why);

    if (!lib)
        snprintf(cupti.missing, sizeof cupti.missing, "there is no CUPTI: %s", why);
    for (int i = 1; !path && !lib && i < COUNT(names); i++)
        lib = os_load_library(names[i], &why);
    if (lib)
        cupti.missing[0] = '\0';
    return lib;
}

static bool find_entry(void *lib, const char *symbol, void *entry)
{
    void *found = os_library_symbol(lib, symbol);

    memcpy(entry, &found, sizeof found);
    if (!found)
        snprintf(cupti.missing, sizeof cupti.missing,
                 "CUPTI is too old: it has no %s; that of CUDA 12.6 has", symbol);
    return found;
}

static void open_cupti(void)
{
    void *lib = open_library();

    if (!lib)
        return;
#define FIND_ENTRY(name, symbol, params)                                                           \
    if (!find_entry(lib, symbol, &cupti.entries.name))                                             \
        return;
    CUPTI_ENTRIES(FIND_ENTRY)
#undef FIND_ENTRY
}

/* --- one launch --- */

static RunStatus refuse(char **error, const char *why, const char *hint)
{
    if (asprintf(error, "error: the chip's counters: %s\n%s", why, hint) < 0)
        *error = NULL;
    return RUN_FAILED;
}

static RunStatus check(const Counted *c, int result, const char *doing)
{
    const char *text = NULL, *why;
    char said[256];

    if (result == 0)
        return RUN_OK;
    why = c->by->result_text(result, &text) == 0 && text ? text : "an unknown error";
    snprintf(said, sizeof said, "CUPTI fails in %s: %s (%d)", doing, why, result);
    return refuse(c->error, said,
                  result == CUPTI_NO_PRIVILEGES
                      ? "hint: the system keeps them from users; an administrator can allow them: "
                        "NVreg_RestrictProfilingToAdminUsers=0 of the module nvidia\n"
                      : "");
}
/* Ends the function, where that did not work. */
#define TRY(c, name, params)                                                                       \
    do {                                                                                           \
        RunStatus tried = check(c, (c)->by->name(params), #name);                                  \
        if (tried != RUN_OK)                                                                       \
            return tried;                                                                          \
    } while (0)

/* Chips that are newer than CUPTI are described by what they say; others may do without. */
static void find_availability(Counted *c)
{
    CuptiAvailability p = {.size = CUPTI_SIZE(CuptiAvailability, image),
                           .context = c->scope->context};

    if (c->by->availability(&p) != 0 || !(c->availability = malloc(p.image_size)))
        return;
    p.image = c->availability;
    if (c->by->availability(&p) == 0)
        return;
    free(c->availability);
    c->availability = NULL;
}

static RunStatus open_host(Counted *c)
{
    CuptiInitialize all = {.size = CUPTI_SIZE(CuptiInitialize, unused)};
    CuptiChip chip = {.size = CUPTI_SIZE(CuptiChip, name), .device = (size_t)c->scope->id};
    CuptiHostOpen host = {.size = CUPTI_SIZE(CuptiHostOpen, host), .kind = CUPTI_RANGES};

    TRY(c, initialize, &all);
    TRY(c, chip, &chip);
    find_availability(c);
    host.chip = chip.name;
    host.availability = c->availability;
    TRY(c, host_open, &host);
    c->host = host.host;
    return RUN_OK;
}

static RunStatus choose_metrics(Counted *c)
{
    CuptiConfigSize size = {.size = CUPTI_SIZE(CuptiConfigSize, bytes), .host = c->host};
    CuptiConfig config = {.size = CUPTI_SIZE(CuptiConfig, config), .host = c->host};

    for (int i = 0; i < METRICS; i++) {
        c->names[c->count] = metrics[i];
        CuptiAdd add = {.size = CUPTI_SIZE(CuptiAdd, count),
                        .host = c->host,
                        .names = &c->names[c->count],
                        .count = 1};
        int result = c->by->add(&add);
        if (result != 0 && result != CUPTI_NO_METRIC)
            return check(c, result, "choosing counters");
        c->count += result == 0;
    }
    TRY(c, config_size, &size);
    c->config_bytes = config.bytes = size.bytes;
    c->config = config.config = malloc(size.bytes);
    if (!c->config)
        return RUN_NO_MEMORY;
    TRY(c, config, &config);
    return RUN_OK;
}

static RunStatus start(Counted *c)
{
    CuptiEnable enable = {.size = CUPTI_SIZE(CuptiEnable, ranges), .context = c->scope->context};

    TRY(c, enable, &enable);
    c->ranges = enable.ranges;
    CuptiCountsSize size = {.size = CUPTI_SIZE(CuptiCountsSize, bytes),
                            .ranges = c->ranges,
                            .names = c->names,
                            .count = (size_t)c->count,
                            .most_ranges = 1,
                            .most_nodes = 1};
    TRY(c, counts_size, &size);
    c->counts_bytes = size.bytes;
    if (!(c->counts = malloc(size.bytes)))
        return RUN_NO_MEMORY;
    CuptiCountsInit init = {.size = CUPTI_SIZE(CuptiCountsInit, counts),
                            .ranges = c->ranges,
                            .bytes = size.bytes,
                            .counts = c->counts};
    TRY(c, counts_init, &init);
    CuptiSetConfig set = {.size = CUPTI_SIZE(CuptiSetConfig, level),
                          .ranges = c->ranges,
                          .config_bytes = c->config_bytes,
                          .config = c->config,
                          .counts_bytes = c->counts_bytes,
                          .counts = c->counts,
                          .range = CUPTI_EACH_KERNEL,
                          .replay = CUPTI_REPLAY_KERNEL,
                          .most_ranges = 1,
                          .levels = 1,
                          .first_level = 1};
    TRY(c, set_config, &set);
    CuptiOfRanges begin = {.size = CUPTI_SIZE(CuptiOfRanges, ranges), .ranges = c->ranges};
    TRY(c, start, &begin);
    return RUN_OK;
}

static RunStatus stop(Counted *c, double values[METRICS])
{
    CuptiStop end = {.size = CUPTI_SIZE(CuptiStop, is_all_passes), .ranges = c->ranges};
    CuptiDecode decode = {.size = CUPTI_SIZE(CuptiDecode, dropped), .ranges = c->ranges};
    CuptiEvaluate of = {.size = CUPTI_SIZE(CuptiEvaluate, values),
                        .host = c->host,
                        .counts = c->counts,
                        .bytes = c->counts_bytes,
                        .names = c->names,
                        .count = (size_t)c->count,
                        .values = values};

    TRY(c, stop, &end);
    TRY(c, decode, &decode);
    TRY(c, evaluate, &of);
    return RUN_OK;
}

static RunStatus count(Counted *c, const CudaCounted *what, double values[METRICS])
{
    RunStatus status = open_host(c);

    if (status == RUN_OK)
        status = choose_metrics(c);
    if (status == RUN_OK)
        status = start(c);
    if (status == RUN_OK)
        status = what->launch(what->ctx, c->error);
    return status == RUN_OK ? stop(c, values) : status;
}

static void close_all(Counted *c)
{
    CuptiOfRanges ranges = {.size = CUPTI_SIZE(CuptiOfRanges, ranges), .ranges = c->ranges};
    CuptiHostClose host = {.size = CUPTI_SIZE(CuptiHostClose, host), .host = c->host};

    if (c->ranges)
        c->by->disable(&ranges);
    if (c->host)
        c->by->host_close(&host);
    free(c->availability);
    free(c->config);
    free(c->counts);
}

RunStatus cuda_count_launch(const CudaScope *s, const CudaCounted *what, char **error)
{
    Counted c = {.scope = s, .by = &cupti.entries, .error = error};
    double values[METRICS];

    pthread_once(&cupti.once, open_cupti);
    if (cupti.missing[0])
        return refuse(error, cupti.missing,
                      "hint: it comes with the CUDA toolkit; TILEC_LIBCUPTI says where it is\n");
    pthread_mutex_lock(&counting);
    RunStatus status = count(&c, what, values);
    close_all(&c);
    pthread_mutex_unlock(&counting);
    for (int i = 0; status == RUN_OK && i < c.count; i++) {
        if (isfinite(values[i])) /* else it was not counted */
            what->on_counter(what->user, c.names[i], values[i]);
    }
    return status;
}
