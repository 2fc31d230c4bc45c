/* util.c - time, threads and memory for the benchmark */
#define _GNU_SOURCE
#include "bench.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double cpu_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int cpu_count(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

void bench_stop(const char *what, char *error)
{
    fprintf(stderr, "tilec-bench: %s%s%s\n", what, error ? ": " : "", error ? error : "");
    exit(1);
}

void *pages(size_t bytes)
{
    size_t huge = 2 << 20; /* whole huge pages, where the system has them */
    size_t size = (bytes + huge - 1) / huge * huge;
    void *p = aligned_alloc(huge, size);

    if (!p)
        bench_stop("out of memory", NULL);
    madvise(p, size, MADV_HUGEPAGE);
    memset(p, 0, bytes);
    return p;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, by_value);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

typedef struct {
    void (*fn)(void *ctx, int part);
    void *ctx;
    int parts;
    atomic_int next;
} Work;

static void *take_parts(void *p)
{
    Work *w = p;
    int part;

    while ((part = atomic_fetch_add(&w->next, 1)) < w->parts)
        w->fn(w->ctx, part);
    return NULL;
}

void on_threads(int threads, int parts, void (*fn)(void *ctx, int part), void *ctx)
{
    enum { MOST = 256 };
    pthread_t others[MOST];
    Work w = {fn, ctx, parts, 0};
    int started = 0;

    while (started < threads - 1 && started < MOST) {
        if (pthread_create(&others[started++], NULL, take_parts, &w) != 0)
            bench_stop("no thread could be started", NULL);
    }
    take_parts(&w);
    for (int i = 0; i < started; i++)
        pthread_join(others[i], NULL);
}
