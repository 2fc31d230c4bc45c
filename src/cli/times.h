/*
 * times.h - times, counts and traces of runs, and tables of them
 */
#ifndef TILEC_CLI_TIMES_H
#define TILEC_CLI_TIMES_H

#include "cli.h"
#include "../show/show.h"
#include "../tune/tune.h"

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
