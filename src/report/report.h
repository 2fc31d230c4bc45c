/*
 * report.h - times, counts, samples and traces of runs, and what they are as tables, JSON and plots
 *
 * Whoever measures fills these in; nothing is launched here but peaks.c's probes of the machine.
 */
#ifndef TILEC_REPORT_REPORT_H
#define TILEC_REPORT_REPORT_H

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
    const char *compared;  /* the same of comparison_json() */
    const char *profile;   /* .. and of profile_text() */
    const char *unwritten; /* .. and of unwritten_tell() */
    bool checked, races;   /* by --check: accesses, and races too */
    const char *hint;      /* NULL, or what would be faster */
} Timing;
/* In billions a second; "-" for what cannot be counted. */
const char *timing_rate(Arena *a, double amount, double seconds);
const char *timing_duration(Arena *a, double seconds); /* "1.25 ms" */
/* A line that says what ran, titles, numbers, how sure they are, and what compiling took. */
const char *timing_table(Arena *a, const Timing *t);
/* Members of an object that is open; rates are absent where unknown. */
void timing_put_json(Text *out, const Timing *t);

/* peaks.c: bytes of arrays that have about `bytes` together (0: unknown), or that the nearest cache
 * holds, and operations of fp32, and of products of int8 and of bf16, that the CPU does in a
 * second, on so many threads (0: all); the best that was ever measured in this cache folder, and
 * now */
typedef struct {
    double bytes, near_bytes, flops, int8_flops, bf16_flops;
} Peaks;
typedef struct {
    tilec_context *context;
    Store *store;
    int threads;
    double bytes;
    void (*progress)(void *user, double share); /* 0..1, now and then; NULL */
    void *user;
} PeaksOf;
Peaks peaks_find(const PeaksOf *of);

/* profile.c: what `run --profile` says: samples by line */
typedef struct {
    Arena *arena;
    VEC(tilec_line) lines;
} ProfileLines;
void profile_add(void *lines, const tilec_line *told); /* on_line of the library's functions */
uint64_t profile_samples(const ProfileLines *p);
/* A table of the lines, which it sorts, or an object; `peaks` NULL: the machine's mean nothing. */
const char *profile_text(const Timing *timing, const Peaks *peaks, const ProfileLines *lines,
                         bool json);

/* trace.c: what `run --trace` writes */
enum { TRACE_COPY = TILEC_SPAN_PROGRAMS + 1 }; /* a kind of our own: between memories */
typedef struct {
    Arena *arena;
    VEC(tilec_span) spans;
} Trace;
void trace_add(Trace *t, const tilec_span *span);          /* which is copied */
void trace_copy(Trace *t, const char *name, double start); /* until now */
int trace_write(const Trace *t, const char *path);         /* 0, or the error of os_write_file() */

/* counting.c: what `run --count` says */
typedef struct {
    Arena *arena;
    VEC(tilec_count) lines;
} Counting;
void counting_add(Counting *k, const tilec_count *count); /* which is copied */
const char *counting_table(const Counting *k);            /* titles, and a line for each */
const char *counting_json(const Counting *k);             /* an array of objects */

/* comparison.c: what `--compare` says */
typedef struct {
    const char *name, *with; /* an argument, and what it should be: a value or a device */
    bool is_named;           /* --compare named it */
    bool is_last;            /* of those that one --compare is about */
    const Array *got;        /* the argument, of any strides */
    Array want;              /* dense */
    bool is_changed;         /* by the device that `want` comes from, or that is not known */
    bool is_of_device;       /* `want` is */
    bool is_wide;            /* .. with all floats as fp64, which no fault of the kernel's is */
    Difference is;           /* between the two */
} Comparison;
typedef VEC(Comparison) Comparisons;
/* Arrays that nobody named and nothing happened to are not spoken of. */
bool comparison_is_told(const Comparison *m);
void comparison_put_nans(Text *t, const Comparison *m); /* "3 of 8 elements are NaN in both" */
const char *comparison_text(Store *s, const Comparisons *all); /* lines for people */
const char *comparison_json(Store *s, const Comparisons *all); /* an array of objects */

/* sweep.c: what `run --sweep` says */
typedef struct {
    const char **values; /* one for each name of the sweep */
    Timing timing;
    double of_best;      /* from sweep_rank() on: 0..1 */
    const char *problem; /* why it has no time; NULL */
    const char *problem_json;
} SweepRow;
enum { SWEEP_FLOPS_A_BYTE = 16 }; /* from here on arithmetic is what a kernel is about */
typedef enum { SWEEP_BY_TIME, SWEEP_BY_BYTES, SWEEP_BY_FLOPS } SweepBasis;
typedef struct {
    const char *kernel, *device;
    const char **names;
    int nnames, nrows;
    SweepRow *rows;
    SweepBasis basis; /* what the rows are compared by */
} Sweep;
void sweep_rank(Sweep *s);
double sweep_rate(const SweepRow *r, SweepBasis basis); /* the more the better; 0: it has none */
const char *sweep_table(Arena *a, const Sweep *s);
const char *sweep_csv(Arena *a, const Sweep *s);
const char *sweep_json(Arena *a, const Sweep *s); /* one object */

/* tuned.c: what `run --tune` says */
typedef struct {
    const char *text;    /* "BLOCK=64 num_warps=4" */
    const char *problem; /* why it does not run; NULL */
    const char *problem_json;
    bool is_in;          /* it runs, and gives what most give: the rest is about these */
    const char *differs; /* the array in which it gives something else */
    Times times;         /* of the rounds */
    tilec_stats stats;
    bool is_slower;      /* than the best, by more than noise */
    const char *same_as; /* an earlier one, of which the times are: it is the same code; NULL */
} TunedRow;
typedef struct {
    const char *kernel, *device;
    const TunedRow *rows;
    int nrows, best;
} Tuned;
const char *tuned_table(Arena *a, const Tuned *t);
const char *tuned_json(Arena *a, const Tuned *t); /* one object */

/* plot.c: what `run --plot` draws */
void plot_check(Client *c, const char *path); /* stops when it cannot be drawn or written */
void plot_sweep(Client *c, const Sweep *s, const char *path);

#endif
