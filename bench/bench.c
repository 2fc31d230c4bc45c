/*
 * bench.c - measure the kernels against the machine's own limits
 *
 *     tilec-bench [--quick] [KERNELS [COMMAND]]
 *     tilec-bench --launches
 *     tilec-bench --first add|giou KERNELS [BORN]
 *     tilec-bench --products FILE [WORD...]
 *
 * KERNELS is the folder of the kernels ("kernels" when not given).  With COMMAND, the path of
 * `tilec`, whole processes are timed too.  --quick measures fewer rounds, compiling only where
 * there is a COMMAND, and holds nothing to a floor.  --launches shows what a launch costs the host;
 * --first what the first one of a process does on a GPU, of a process that began at BORN seconds of
 * the monotonic clock.  The exit code is 1 when a floor was missed or a result is wrong.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ROUNDS = 31 };
static const double most_error = 1e-5; /* of a result, as cases.c measures it */
static const double most_checked = 5;  /* times the plain launch, of kernels bound by memory */

typedef struct {
    tilec_context *tilec;
    const char *kernels;
    Stream stream;
    int rounds, threads;
    bool quick;
} Bench;

typedef struct {
    double seconds;     /* median of a launch */
    double rate, probe; /* medians of both, bytes or operations a second */
    double ratio;       /* median of the ratios, each of two neighbours in time */
    double checked;     /* the same of a launch whose accesses are checked, to a plain one */
} Measured;

static tilec_file *open_file(const Bench *b, const char *name)
{
    tilec_file *file;
    char path[4096], *error;

    snprintf(path, sizeof path, "%s/%s", b->kernels, name);
    if (tilec_load_file(b->tilec, path, &file, &error) != TILEC_OK)
        bench_stop(path, error);
    return file;
}

/* Gives the seconds that it took. */
static double launch(tilec_file *file, const Case *c, const Launch *l, bool check)
{
    const tilec_launch_options options = {.check = check};
    double start = now();
    char *error;

    if (tilec_launch(file, c->kernel, l->grid, l->args, l->nargs, &options, &error) != TILEC_OK)
        bench_stop(c->name, error);
    return now() - start;
}

/* What one launch does: bytes or operations, whichever bounds it. */
static double work_of(tilec_file *file, const Case *c, const Launch *l)
{
    tilec_stats stats;
    char *error;

    if (tilec_launch_stats(file, c->kernel, l->grid, l->args, l->nargs, NULL, &stats, &error) !=
        TILEC_OK)
        bench_stop(c->name, error);
    return c->bound == MEMORY_BOUND ? stats.bytes : stats.flops;
}

static Measured measure(const Bench *b, tilec_file *file, const Case *c, const Launch *l)
{
    double seconds[MAX_ROUNDS], rates[MAX_ROUNDS], probes[MAX_ROUNDS], ratios[MAX_ROUNDS];
    double checked[MAX_ROUNDS];
    double work = work_of(file, c, l);
    Measured m;

    launch(file, c, l, true); /* compiles */
    for (int i = 0; i < b->rounds; i++) {
        probes[i] =
            c->bound == MEMORY_BOUND ? stream_rate(&b->stream, b->threads) : fma_rate(b->threads);
        seconds[i] = launch(file, c, l, false);
        rates[i] = work / seconds[i];
        ratios[i] = rates[i] / probes[i];
        checked[i] = launch(file, c, l, true) / seconds[i];
    }
    m.seconds = median(seconds, b->rounds);
    m.rate = median(rates, b->rounds);
    m.probe = median(probes, b->rounds);
    m.ratio = median(ratios, b->rounds);
    m.checked = median(checked, b->rounds);
    return m;
}

static bool run_case(const Bench *b, const Case *c)
{
    tilec_file *file = open_file(b, c->file);
    Launch l = {0};
    Measured m;
    char shape[32];
    double error;
    bool slow, dear;

    c->prepare(c, &l);
    launch(file, c, &l, false);
    error = c->error(c, &l);
    m = measure(b, file, c, &l);
    slow = !b->quick && m.ratio < c->floor;
    dear = !b->quick && c->bound == MEMORY_BOUND && m.checked > most_checked;
    snprintf(shape, sizeof shape, "%lldx%lld", (long long)c->rows, (long long)c->columns);
    printf("%-13s %11s %9.2f ms %8.1f %-8s %5.2f of %6.1f %8.1e %6.2fx%s\n", c->name, shape,
           1e3 * m.seconds, m.rate / 1e9, c->bound == MEMORY_BOUND ? "GB/s" : "GFLOP/s", m.ratio,
           m.probe / 1e9, error, m.checked,
           error > most_error ? "  WRONG"
           : slow             ? "  below its floor"
           : dear             ? "  checks cost too much"
                              : "");
    fflush(stdout);
    case_release(&l);
    tilec_unload(file);
    return error <= most_error && !slow && !dear;
}

static int run_cases(const char *kernels, bool quick)
{
    Bench b = {.kernels = kernels, .quick = quick};
    int missed = 0;
    char *error;

    if (tilec_open(NULL, &b.tilec, &error) != TILEC_OK)
        bench_stop("no context", error);
    b.threads = cpu_count();
    b.rounds = quick ? 5 : MAX_ROUNDS;
    b.stream = stream_new((size_t)128 << 20);
    stream_rate(&b.stream, b.threads);
    printf("fp32, %d threads; the share is of a probe run before each launch: a non-temporal\n"
           "stream for GB/s, fused multiply-adds for GFLOP/s; the error is relative;\n"
           "`checked` is the time of a launch whose accesses are checked to that of a plain one\n\n"
           "%-13s %11s %12s %17s %15s %8s %7s\n",
           b.threads, "kernel", "shape", "time", "rate", "share", "error", "checked");
    for (int i = 0; i < case_count; i++)
        missed += !run_case(&b, &cases[i]);
    tilec_close(b.tilec);
    return missed;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--launches") == 0)
        return bench_launches();
    if (argc >= 4 && strcmp(argv[1], "--first") == 0)
        return bench_first(argv[3], argv[2], argc > 4 ? atof(argv[4]) : now());
    if (argc >= 3 && strcmp(argv[1], "--products") == 0)
        return bench_products(argv[2], argv + 3, argc - 3);
    bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    const char *kernels = argc > 1 + quick ? argv[1 + quick] : "kernels";
    const char *command = argc > 2 + quick ? argv[2 + quick] : NULL;
    int missed = run_cases(kernels, quick), slow = 0;

    if (!quick || command) {
        slow += bench_extent(kernels);
        slow += bench_configurations(kernels);
        if (command)
            slow += bench_start(command, kernels);
    }
    missed += quick ? 0 : slow;
    if (missed > 0)
        printf("\n%d floors missed\n", missed);
    return missed > 0;
}
