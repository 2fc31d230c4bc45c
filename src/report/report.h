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
const char *report_bytes(Arena *a, double bytes);      /* "1.25 MB", of 10^6 bytes */
/* A line that says what ran, titles, numbers, how sure they are, and what compiling took. */
const char *timing_table(Arena *a, const Timing *t);
/* Members of an object that is open; rates are absent where unknown. */
void timing_put_json(Text *out, const Timing *t);

/* peaks.c: bytes of arrays that have about `bytes` together (0: unknown), or that the nearest cache
 * holds, and operations of fp32, and of products of int8 and of bf16, that the CPU does in a
 * second, on so many threads (0: all); the best that was ever measured in this cache folder, and
 * now */
typedef struct {
    double read, copied, written;
} Bandwidth;
typedef struct {
    double bytes, near_bytes, flops, int8_flops, bf16_flops;
    Bandwidth
        all;     /* of arrays of that size; `bytes` is what they give where `written` is written */
    bool cached; /* a cache may keep them from run to run */
} Peaks;
typedef struct {
    tilec_context *context;
    Store *store;
    int threads;
    double bytes, written; /* all that is read and written; the share of it that is written */
    void (*progress)(void *user, double share); /* 0..1, now and then; NULL */
    void *user;
} PeaksOf;
Peaks peaks_find(const PeaksOf *of);

/* chip.c: what a GPU has counted in a launch */
typedef struct {
    Arena *arena;
    VEC(tilec_counter) all;
    const char *problem; /* why there are none; NULL */
} ChipCounters;
void chip_add(void *counters, const tilec_counter *told); /* on_counter, with `user` */
const tilec_counter *chip_counter(const ChipCounters *c, const char *name); /* NULL: not there */
typedef struct {
    const char *title, *about, *text; /* NULL: this chip has it not */
    double value;                     /* in bytes, seconds, percent */
} ChipNumber;
bool chip_told(const ChipCounters *c, int i, ChipNumber *out); /* false behind the last */
const char *chip_table(const ChipCounters *c);                 /* or a line: why there are none */
void chip_put_json(Text *out, const ChipCounters *c); /* members of an object that is open */
const char *report_count(Arena *a, double n);         /* "1.25 M" */

/* profile.c: what `run --profile` says: samples by line */
typedef struct {
    Arena *arena;
    VEC(tilec_line) lines;
} ProfileLines;
void profile_add(void *lines, const tilec_line *told); /* on_line of the library's functions */
uint64_t profile_samples(const ProfileLines *p);
typedef struct {
    Arena *arena;
    const Timing *timing; /* of the runs in which the samples were taken */
    ProfileLines *lines;  /* those with the most samples first */
    Peaks peaks;
    bool has_peaks; /* of compiled code; else those of the machine mean nothing */
    uint64_t samples;
    const char *clock;        /* of the samples */
    bool counted;             /* the processor's counters were */
    const ChipCounters *chip; /* of a GPU; NULL */
    double slowdown;          /* likewise: how much longer runs took that noted what lines take */
    const char *path, *text;  /* of the source that was read last */
} Profile;
/* Sorts the lines; `peaks` may be NULL. */
Profile profile_of(const Timing *timing, const Peaks *peaks, ProfileLines *lines);
double profile_share(const Profile *p, const tilec_line *l); /* of the samples: 0..1 */
double profile_time(const Profile *p, const tilec_line *l);
bool profile_is_sure(const tilec_line *l); /* of few samples no rate can be told */
/* With peaks, 0..1: of what memory can do, and of what the machine can, see profile.c. */
double profile_memory(const Profile *p);
const char *profile_source(const Profile *p); /* of its bytes: "memory", or "cache" */
double profile_roofline(const Profile *p);
/* The same of a line; negative: nobody knows, or it does nothing that counts. */
double profile_line_roofline(const Profile *p, const tilec_line *l);
const char *profile_text(Profile *p, bool json); /* a table of the lines, or an object */

/* trace.c: what `run --trace` writes */
enum { TRACE_COPY = TILEC_SPAN_DEVICE + 1 }; /* a kind of our own: between memories */
typedef struct {
    tilec_span span;
    int64_t bytes; /* of a copy */
    int row;       /* where it is drawn, once that is known */
} TraceEvent;
typedef struct {
    Arena *arena;
    const char *device; /* for trace_write() */
    int32_t grid[3];
    VEC(TraceEvent) events;
} Trace;
void trace_add(Trace *t, const tilec_span *span);                         /* which is copied */
void trace_copy(Trace *t, const char *name, double start, int64_t bytes); /* until now */
int trace_write(const Trace *t, const char *path); /* 0, or the error of os_write_file() */

/* counting.c: what `run --count` says */
typedef struct {
    Arena *arena;
    VEC(tilec_count) lines;
} Counting;
void counting_add(Counting *k, const tilec_count *count);    /* which is copied */
void counting_sum(tilec_count *to, const tilec_count *from); /* add what the lines did */
const char *counting_table(const Counting *k);               /* titles, and a line for each */
const char *counting_json(const Counting *k);                /* an array of objects */

/* occupancy.c: how programs fill a GPU */
typedef struct {
    const char *arch;                           /* of the code: "sm_90a" */
    int most_warps, most_programs, most_shared; /* that a multiprocessor has room for; bytes */
    int multiprocessors;
    const char *model;            /* "an H200", whose number it is; NULL: the machine's */
    int warps, shared, registers; /* of a program, and of a thread; registers 0: not known */
    int by_warps, by_slots, by_shared, by_registers; /* programs that each allows; -1: not known */
    int programs;                                    /* on a multiprocessor at once .. */
    const char *limit;   /* .. by what there is too little of for more */
    int spare_registers; /* a thread may have so many without costing a program */
    double flight;       /* bytes that must be on the way to a multiprocessor at once, for all that
                          * memory gives */
    double bandwidth;    /* that it gives to all; bytes a second */
    int64_t grid, wave;  /* programs of the launch, and of all multiprocessors at once */
    int64_t waves, last; /* of the grid; programs in the last one */
} Occupancy;
/* Of a launch of code for a chip; multiprocessors 0: those of a large GPU of that kind.  False:
 * nothing is known of the chip or the code. */
bool occupancy_find(const char *arch, const tilec_stats *stats, const int32_t grid[3],
                    int multiprocessors, Occupancy *out);
double occupancy_share(const Occupancy *o); /* of the warps that there is room for: 0..1 */
double occupancy_tail(const Occupancy *o);  /* of the time, lost in the last wave: 0..1 */
/* The name of a chip that is known, and some of its limits; NULL behind the last. */
const char *occupancy_chip(int i, int *warps, int *shared);

/* assembled.c: fills in the registers and the bytes that are spilled of a thread; NULL, or why not
 */
const char *assembled_find(Arena *a, const char *arch, const char *ptx, tilec_stats *stats);

/* view.c: what is known of one run of a kernel, for those who show it */
typedef struct {
    const char *name, *title, *about; /* of the stage: "ir:places", "Tile IR", what it is */
    const char *text;                 /* as tilec_dump() gave it */
} ViewStage;
typedef struct {
    const char *name, *type, *counts; /* "x", "fp32 3x6", lines for people */
    AccessCells cells;
} ViewAccess;
/* One access of a program to an array. */
typedef struct {
    int64_t program;
    const char *file; /* NULL: of no line */
    int line;
    bool reads, writes;
    int access;        /* its number among the accesses */
    const char *cells; /* "3+2r 10R": of its picture, 3 and 4, and 10, which are of these kinds by
                        * then, by their letters */
} ViewStep;
const ViewStage *view_stage(int i); /* one that is shown where there is it; NULL behind the last */
typedef struct {
    Arena *arena;
    const char *version;  /* what tells it from the one beside it; NULL: it is alone */
    const char *file;     /* the kernel's */
    const char *machine;  /* for people */
    int threads;          /* of a CPU, else 0 */
    Timing timing;        /* times.n 0: it is not timed */
    ProfileLines *lines;  /* what each line does, as far as that can be counted */
    Profile *profile;     /* their samples; NULL: there are none */
    Counting *counting;   /* NULL: nothing was counted */
    Occupancy *occupancy; /* NULL: it is no GPU's, or of a chip that is not known */
    VEC(ViewStage) stages;
    VEC(ViewAccess) accesses; /* of the arrays; none: nobody has looked */
    int64_t accesses_of;      /* of so many programs alone, the first ones; 0: of all */
    VEC(ViewStep) steps;      /* of the first programs, in their order */
    bool steps_in_part;       /* there were more */
} RunView;
tilec_count view_counted(const RunView *v); /* the sum of all lines */
double view_asked(const RunView *v);        /* bytes that loads and stores ask for; 0: not known */
double
view_moved(const RunView *v); /* that a GPU's memory moves for it, in sectors; 0: not known */
/* What is told of the line elsewhere; NULL: nothing. */
const tilec_line *view_line(const RunView *v, const char *file, int line);

/* effort.c: how long parts of a GPU are busy, by what was counted */
typedef enum {
    EFFORT_ISSUE,
    EFFORT_MEMORY,
    EFFORT_CACHE,
    EFFORT_SHARED,
    EFFORT_SPECIAL,
    EFFORT_TENSOR,
    EFFORT_PARTS
} EffortPart;
typedef struct {
    double cycles[EFFORT_PARTS]; /* of a multiprocessor that has work */
    double program, total;       /* of a program alone, and of the kernel */
    EffortPart most;             /* the busiest */
} Effort;
bool effort_find(const RunView *v, Effort *out);      /* false: too little is known */
double effort_busy(const Effort *e, EffortPart part); /* of the time of the kernel: 0..1 */
const char *effort_name(EffortPart part);             /* "the L2 is busy" */

/* advice.c: what to try, by what was measured */
typedef struct {
    const char *id, *title; /* of the rule: "uncoalesced", and in a few words */
    const char *figure;     /* what was measured */
    const char *remedy;     /* what may help */
    const char *file;       /* where; NULL: all of the kernel */
    int line;
    bool gains;    /* its weight is .. */
    double weight; /* 0..1: .. what it may save of the time, at most; else what it is about */
} Advice;
typedef VEC(Advice) Advices;
Advices advice_find(const RunView *v); /* the weightiest first */

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
    bool is_left;        /* so would it, but it was not timed before a signal came */
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
    bool is_interrupted; /* the best is so only by what was measured so far */
} Tuned;
const char *tuned_table(Arena *a, const Tuned *t);
const char *tuned_json(Arena *a, const Tuned *t); /* one object */

/* plot.c: what `run --plot` draws */
void plot_check(Client *c, const char *path); /* stops when it cannot be drawn or written */
void plot_sweep(Client *c, const Sweep *s, const char *path);

#endif
