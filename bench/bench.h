/*
 * bench.h - what the files of the benchmark share
 *
 * Machines differ from each other and from minute to minute, so a time alone says little: every
 * measurement is interleaved with a probe that does nothing but the bottleneck (a stream through
 * memory, or fused multiply-adds), and the ratio of the two is what is reported and held to a
 * floor.
 */
#ifndef TILEC_BENCH_H
#define TILEC_BENCH_H

#include "tilec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* util.c */
double now(void);                     /* seconds, monotonic */
double cpu_now(void);                 /* seconds that the CPU took for this process */
int cpu_count(void);                  /* CPUs that this process may run on */
void *pages(size_t bytes);            /* 64-byte aligned and touched; leaves when memory is out */
double median(double *values, int n); /* sorts them */
/* Run fn(ctx, part) for every part below `parts` on so many threads, each taking the next part
 * when it is done with one, as kernels do: a busy CPU then slows both alike. */
void on_threads(int threads, int parts, void (*fn)(void *ctx, int part), void *ctx);
void bench_stop(const char *what, char *error); /* print and exit with 1 */

/* stream.c: a[i] = b[i] + 3 c[i] with stores that bypass the cache */
typedef struct {
    float *a, *b, *c;
    size_t n; /* floats in each */
} Stream;
Stream stream_new(size_t bytes);                  /* in each array */
double stream_rate(const Stream *s, int threads); /* bytes a second, two reads and a write */
double stream_rate_by(const Stream *s, int threads, double (*clock)(void)); /* in its seconds */

/* fma.c: independent chains of fused multiply-adds in registers */
double fma_rate(int threads); /* fp32 operations a second, two a multiply-add */
double fma_rate_by(int threads, double (*clock)(void)); /* .. in its seconds */

/* cases.c: kernels, their arguments, and references in C */
enum { MAX_LAUNCH_ARGS = 40 };
typedef struct {
    tilec_arg args[MAX_LAUNCH_ARGS];
    int nargs;
    int32_t grid[3];
    int64_t shapes[MAX_LAUNCH_ARGS][3];
} Launch;
typedef enum { MEMORY_BOUND, COMPUTE_BOUND } Bound;
typedef struct Case Case;
struct Case {
    const char *name, *file, *kernel;
    int64_t rows, columns; /* in the case's own words, see cases.c */
    Bound bound;
    double floor; /* of the probe's rate */
    void (*prepare)(const Case *c, Launch *l);
    /* the largest error of the output, relative to the size of the values */
    double (*error)(const Case *c, const Launch *l);
};
extern const Case cases[];
extern const int case_count;
void case_release(Launch *l);

/* start.c: whole processes, and compile time against the tile's extent */
int bench_start(const char *command, const char *kernels); /* gives how many floors were missed */
int bench_extent(const char *kernels);
int bench_configurations(const char *kernels);

/* cost.c: of launches, beside the kernel */
/* Launch add or giou of the folder on a GPU, the first launch of this process, which began at
 * `born` of now()'s clock; prints where the milliseconds went: "PART MILLISECONDS" on
 * a line each. */
int bench_first(const char *kernels, const char *name, double born);
int bench_launches(void); /* print what the host spends on one, on every device */

/* products.c */
/* Measure products by the kernels of a file, those whose rows' names have all of the words. */
int bench_products(const char *file, char **words, int nwords);

#endif
