/*
 * start.c - compile time against the extent of a tile, several configurations at a time, and whole
 * processes from start to result
 *
 * A tile must not cost more to compile for being larger; two threads that compile configurations of
 * one kernel must not wait for each other; and a command that runs one kernel must feel immediate:
 * 50 ms when it compiles, 15 ms when the cache has the kernel.
 */
#define _GNU_SOURCE
#include "bench.h"

#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 9, CONFIGURATIONS = 16 };
static const double cold_limit = 50e-3, cached_limit = 15e-3, flat_limit = 1.5;
/* What two threads take of one's time, against what they take for multiply-adds: half on an idle
 * machine. */
static const double sharing_limit = 1.1;

extern char **environ;

/* Seconds to compile the add kernel with this BLOCK, in a context without a cache. */
static double compile_seconds(const char *path, int block)
{
    static const char *const arrays[] = {"x", "y", "out"};
    tilec_arg args[5] = {0};
    int64_t shape[] = {1 << 20};
    tilec_context *tilec;
    tilec_file *file;
    char *error;
    double start, seconds;

    for (int i = 0; i < 3; i++) {
        args[i] = (tilec_arg){.name = arrays[i], .kind = TILEC_ARG_TENSOR};
        args[i].tensor = (tilec_tensor){.data = (void *)(uintptr_t)((i + 1) << 24),
                                        .dtype = TILEC_FP32,
                                        .ndim = 1,
                                        .shape = shape}; /* never touched: nothing runs */
    }
    args[3] = (tilec_arg){.name = "n", .kind = TILEC_ARG_INT, .integer = shape[0]};
    args[4] = (tilec_arg){.name = "BLOCK", .kind = TILEC_ARG_INT, .integer = block};
    if (tilec_open("", &tilec, &error) != TILEC_OK ||
        tilec_load_file(tilec, path, &file, &error) != TILEC_OK)
        bench_stop(path, error);
    start = now();
    if (tilec_prepare(file, "add_kernel", args, 5, NULL, &error) != TILEC_OK)
        bench_stop(path, error);
    seconds = now() - start;
    tilec_unload(file);
    tilec_close(tilec);
    return seconds;
}

int bench_extent(const char *kernels)
{
    static const int blocks[] = {256, 1024, 4096, 16384, 65536};
    double best[sizeof blocks / sizeof *blocks], least = INFINITY, most = 0;
    const int n = sizeof blocks / sizeof *blocks;
    char path[4096];

    snprintf(path, sizeof path, "%s/add.py", kernels);
    compile_seconds(path, 128); /* loads the code generator */
    for (int k = 0; k < n; k++)
        best[k] = INFINITY;
    for (int i = 0; i < ROUNDS; i++) /* what disturbs only adds, and meets all of them */
        for (int k = 0; k < n; k++)
            best[k] = fmin(best[k], compile_seconds(path, blocks[k]));
    printf("\ncompiling add, by BLOCK:");
    for (int k = 0; k < n; k++) {
        least = fmin(least, best[k]);
        most = fmax(most, best[k]);
        printf("  %d: %.2f ms", blocks[k], 1e3 * best[k]);
    }
    printf("%s\n", most > flat_limit * least ? "  NOT FLAT" : "");
    return most > flat_limit * least;
}

/* Compile the GIoU kernel in its file for one of several numbers of boxes a program. */
static void compile_one(void *file, int part)
{
    static const int64_t shape[] = {1 << 20};
    static const char *const arrays[] = {"pred", "gt", "out"};
    tilec_arg args[6] = {{.name = "n_boxes", .kind = TILEC_ARG_INT, .integer = 1 << 18},
                         {.name = "eps", .kind = TILEC_ARG_FLOAT, .real = 1e-5},
                         {.name = "BLOCK", .kind = TILEC_ARG_INT, .integer = 64 + 16 * part}};
    char *error;

    for (int i = 0; i < 3; i++)
        args[3 + i] = (tilec_arg){.name = arrays[i],
                                  .kind = TILEC_ARG_TENSOR,
                                  .tensor = {.data = (void *)(uintptr_t)((i + 1) << 24),
                                             .dtype = TILEC_FP32,
                                             .ndim = 1,
                                             .shape = shape}};
    if (tilec_prepare(file, "giou_kernel", args, 6, NULL, &error) != TILEC_OK)
        bench_stop("giou.py", error);
}

/* Seconds to compile that many configurations of one file, on so many threads. */
static double configurations_seconds(const char *path, int configurations, int threads)
{
    tilec_context *tilec;
    tilec_file *file;
    char *error;

    if (tilec_open("", &tilec, &error) != TILEC_OK ||
        tilec_load_file(tilec, path, &file, &error) != TILEC_OK)
        bench_stop(path, error);
    double start = now();
    on_threads(threads, configurations, compile_one, file);
    double seconds = now() - start;
    tilec_unload(file);
    tilec_close(tilec);
    return seconds;
}

int bench_configurations(const char *kernels)
{
    double alone[ROUNDS], shared[ROUNDS], ratios[ROUNDS], probes[ROUNDS];
    char path[4096];

    snprintf(path, sizeof path, "%s/giou.py", kernels);
    configurations_seconds(path, 1, 1); /* loads the code generator */
    for (int i = 0; i < ROUNDS; i++) {
        alone[i] = configurations_seconds(path, CONFIGURATIONS, 1);
        shared[i] = configurations_seconds(path, CONFIGURATIONS, 2);
        ratios[i] = shared[i] / alone[i];
        probes[i] = fma_rate(1) / fma_rate(2);
    }
    double ratio = median(ratios, ROUNDS), probe = median(probes, ROUNDS);
    bool slow = ratio > sharing_limit * probe;
    printf("compiling %d configurations of giou: %.1f ms, on two threads %.1f ms: %.2f, "
           "multiply-adds %.2f%s\n",
           CONFIGURATIONS, 1e3 * median(alone, ROUNDS), 1e3 * median(shared, ROUNDS), ratio, probe,
           slow ? "  over its limit" : "");
    return slow;
}

/* Seconds of one `tilec run` of the GIoU kernel (about 60 operations) with this cache. */
static double process_seconds(const char *command, const char *kernel, const char *cache)
{
    char *argv[] = {(char *)command,
                    "run",
                    (char *)kernel,
                    "--grid",
                    "pred.shape(0)",
                    "pred=rand(fp32,4x64x4)",
                    "gt=rand(fp32,4x64x4)",
                    "out=zeros(fp32,4x64)",
                    "n_boxes=64",
                    "eps=1e-5",
                    "BLOCK=64",
                    NULL};
    double start;
    pid_t pid;
    int status;

    setenv("TILEC_CACHE_DIR", cache, 1);
    start = now();
    if (posix_spawn(&pid, command, NULL, NULL, argv, environ) != 0 ||
        waitpid(pid, &status, 0) != pid || status != 0)
        bench_stop(command, NULL);
    return now() - start;
}

static void remove_folder(const char *path)
{
    char command[4200];

    snprintf(command, sizeof command, "rm -rf '%s'", path);
    if (system(command) != 0)
        bench_stop(path, NULL);
}

static bool report(const char *what, double *seconds, double limit)
{
    double m = median(seconds, ROUNDS);

    printf("%s: %.1f ms%s\n", what, 1e3 * m, m > limit ? "  over its limit" : "");
    return m > limit;
}

int bench_start(const char *command, const char *kernels)
{
    double cold[ROUNDS], cached[ROUNDS];
    char kernel[4096], folder[] = "/tmp/tilec-bench-XXXXXX";

    snprintf(kernel, sizeof kernel, "%s/giou.py:giou_kernel", kernels);
    if (!mkdtemp(folder))
        bench_stop("no temporary folder", NULL);
    for (int i = 0; i < ROUNDS; i++) {
        remove_folder(folder);
        cold[i] = process_seconds(command, kernel, folder);
        cached[i] = process_seconds(command, kernel, folder);
    }
    remove_folder(folder);
    return report("process that compiles giou and runs it", cold, cold_limit) +
           report("the same with the kernel in the cache", cached, cached_limit);
}
