/*
 * times.h - times, counts and traces of runs, and tables of them
 */
#ifndef TILEC_CLI_TIMES_H
#define TILEC_CLI_TIMES_H

#include "cli.h"
#include "../show/show.h"

/* times.c: what the times of some runs of one thing say */
#define TIMES_CONFIDENCE 0.95
typedef struct {
    int n;                               /* 0: nothing was timed */
    double median, min, max;             /* seconds, as all here but `confidence` */
    double lower_quarter, upper_quarter; /* half of the runs lie between these */
    double low, high;                    /* and the median of all such runs between these .. */
    double confidence; /* .. so surely: TIMES_CONFIDENCE, or less where there are too few runs */
} Times;
Times times_of(Arena *a, const double *seconds, int n); /* in the order of the runs; n at least 1 */
double times_unsure(const Times *t); /* the farther end of the interval, as a share of the median */
const char *times_unsure_text(Arena *a, const Times *t); /* that as "0.7%", rounded up */
bool times_disagree(const Times *t);                     /* is the middle half of them far apart? */
double times_median(Arena *a, const double *v, int n);
/* How probable it is that a fair coin shows at least `wins` of `n` heads. */
double times_chance(int wins, int n);
typedef struct {
    int n;
    double ratio, low, high, confidence;
} TimesRatio;
/* How many times as long the first of each of `n` rounds took as the second; each more than 0. */
TimesRatio times_ratio(Arena *a, const double *over, const double *under, int n);

/* timing.c: what --time says */
typedef struct {
    const char *kernel, *device;
    int32_t grid[3];
    Times times;
    double first; /* seconds, with compiling */
    tilec_stats stats;
    const char *tuned;     /* the configuration that --tune has found, or NULL */
    bool fresh;            /* each run began with the arrays that the first one found */
    const char *lines;     /* for JSON: what counting_json() gives, or NULL */
    const char *compared;  /* the same of compare_json() */
    const char *profile;   /* .. and of profile_stop() */
    const char *unwritten; /* .. and of unwritten_tell() */
    bool checked, races;   /* by --check: accesses, and races too */
    const char *hint;      /* NULL, or what would be faster */
} Timing;
/* In billions a second; "-" for what cannot be counted. */
const char *timing_rate(Arena *a, double amount, double seconds);
const char *timing_duration(Arena *a, double seconds); /* "1.25 ms" */
/* Lines that say how sure the median is. */
void put_sureness(Text *out, const Times *t);
/* A line that says what ran, titles, numbers, how sure they are, and what compiling took. */
const char *timing_table(Arena *a, const Timing *t);
/* Members of an object that is open; rates are absent where unknown. */
void timing_put_json(Text *out, const Timing *t);

/* peaks.c: bytes of arrays that have about `bytes` together (0: unknown), or that the nearest cache
 * holds, and fp32 operations, that the CPU does in a second, on so many threads (0: all); the best
 * that was ever measured in this cache folder, and now */
typedef struct {
    double bytes, near_bytes, flops;
} Peaks;
Peaks peaks_find(Cli *c, int threads, double bytes);

/* trace.c: what `run --trace` writes */
enum { TRACE_COPY = TILEC_SPAN_PROGRAMS + 1 }; /* a kind of our own: between memories */
typedef struct {
    Arena *arena;
    VEC(tilec_span) spans;
} Trace;
void trace_add(Trace *t, const tilec_span *span);          /* which is copied */
void trace_copy(Trace *t, const char *name, double start); /* until now */
void trace_write(Cli *c, const Trace *t, const char *path);

/* counting.c: what `run --count` says */
typedef struct {
    Arena *arena;
    VEC(tilec_count) lines;
} Counting;
void counting_add(Counting *k, const tilec_count *count); /* which is copied */
const char *counting_table(const Counting *k);            /* titles, and a line for each */
const char *counting_json(const Counting *k);             /* an array of objects */

#endif
