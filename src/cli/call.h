/*
 * call.h - one call of a kernel and what is done around it: comparing, saving, timing, tuning
 */
#ifndef TILEC_CLI_CALL_H
#define TILEC_CLI_CALL_H

#include "command.h"
#include "../report/report.h"

/* A block as it was before the first run. */
typedef struct {
    int block;
    void *copy; /* in a block of its own */
} KeptBlock;
typedef VEC(KeptBlock) KeptBlocks;

/* An array among the arguments, as a launch is given it. */
typedef struct {
    const char *name; /* "x", or "x[0]" in a tuple */
    Array array;
    int block;            /* -1: it is none of ours */
    int uses;             /* bits of tilec_use */
    int64_t count, first; /* elements that are not written, and the first of them, row-major */
} MaybeUnwritten;
typedef struct {
    bool wanted; /* look for them, and behind unwritten_find(): there are some */
    VEC(MaybeUnwritten) arrays;
    KeptBlocks before;      /* what the launch both reads and writes, as it was */
    const char *why_unsure; /* why the launch was not made a second time; NULL: it was */
} Unwritten;

/* A child process that works beside the command. */
typedef struct {
    int child, pipe;
} Aside;

/* call.c: one call of a kernel, from open to report.  `run` makes one; a command that makes several
 * makes a Call of each, with options of its own.  A thread that makes calls beside others needs a
 * Cli of its own, which may have the library and the file of another one. */
typedef struct {
    Cli *cli;
    Options options; /* behind call_open() with the kernel's name */
    Arguments args;
    const tilec_arg *there; /* these as launches take them, from call_launch() on */
    bool silent;            /* nobody hears what the kernel says */
    bool again;             /* what the compiler says was heard before */
    Timing timing;          /* with the grid, from call_evaluate() on */
    Counting counting;
    ChipCounters *counters; /* while a run is counted */
    Trace trace;
    KeptBlocks kept;
    Progress progress;    /* of the first run */
    double seconds;       /* of the last launch, by the device's clock if it has one */
    double first_seconds; /* of the first one, without compiling, by ours */
    Unwritten unwritten;
    KeptBlocks drawn;     /* see overwritten.c: as they were */
    Aside rehearsal;      /* without a child: there is none */
    LastWords last_words; /* if the kernel ends the process */
    int first_block;      /* its arrays are those of cli->store.blocks from here on .. */
    int end_block;        /* .. in front of this one, from call_evaluate() on */
} Call;
/* The options are copied.  `k` must stay where it is, and calls that overlap end in the order that
 * is the reverse of their begin. */
void call_init(Call *k, Cli *c, const Options *o);
void call_open(Call *k);                     /* as args_open_kernel() */
void call_evaluate(Call *k);                 /* arguments, those not given too, and the grid */
void call_evaluate_grid(Cli *c, void *call); /* into its timing; of the arguments that it has */
/* Compiles, runs once and says what the kernel says; results are in the host's arrays behind it. */
void call_launch(Call *k);
void call_count(Call *k); /* into timing.stats; compiles what call_launch() has not */

/* timed.c: runs until the number or the time is used up, or the median is sure */
void timing_measure(Call *k);
double call_again(Call *k); /* one more run, in silence: seconds */
void call_close(Call *k);   /* frees its arrays, here and there */

/* report.c */
void call_report(Call *k);                       /* what --time, --json and --count say */
void call_warn(const Call *k, const char *text); /* now, or with --each beside the file's path */

/* hint.c: NULL, or which block size should take less than half the time; behind timed runs */
const char *shape_hint(const Call *k);

/* checked.c */
bool checked_races(Cli *c, const char *device); /* does it look for them? NULL: the CPU */
/* With --check: does the device not, for more than one program? */
bool checked_in_part(const Call *k);
void checked_tell(bool in_part); /* where it is so: a line on stderr, for the end of the command */

/* unwritten.c: elements of arrays by `empty` that the launch leaves as they were; each does nothing
 * unless unwritten.wanted, and the second turns that off where there are none */

/* unwritten_arrays.c */
void unwritten_find_arrays(Call *k); /* fills unwritten.arrays, unless that was done */
void unwritten_watch(Call *k);       /* compiled, in front of the first run */
/* What the launch does with the storage of an array, under whatever names. */
int unwritten_uses(const Unwritten *u, int block);
bool unwritten_is_suspect(const Call *k, const MaybeUnwritten *m); /* by `empty`, and only stored */
extern const char unwritten_no_memory[];                           /* why nothing is made again */

/* unwritten.c */
void unwritten_find(Call *k); /* behind it, with results on the host; may make the launch again */
/* What was found out about an argument; NULL: nothing was looked for, or there is none. */

/* undefined.c: warn of what the launch read from arrays of `empty`, which with --check stops, and
 * of results that are NaN or infinite; behind unwritten_find() */
void undefined_tell(Call *k);
const MaybeUnwritten *unwritten_array(const Call *k, const char *name);
/* What there is to say, a warning, or with --check what stops the command; NULL: nothing. */
const char *unwritten_text(const Call *k);
bool unwritten_refuses(const Call *k); /* which of them? */
void unwritten_tell(Call *k);          /* that */

/* overwritten.c: what `rand` has made and a launch replaces without reading it */
void overwritten_watch(Call *k); /* compiled, in front of the first run: keeps copies */
void overwritten_tell(Call *k);  /* behind it: a warning of the first such array */

/* fresh.c: arrays that a kernel both reads and writes, as they were */
bool fresh_has(const KeptBlocks *all, int block);
KeptBlock fresh_copy_of(Cli *c, int block);           /* as it is on the host */
void fresh_put(const Call *k, const KeptBlock *kept); /* where launches find it: on the device if it
                                                       * was moved there, else on the host */
void fresh_copy(Call *k, int end);                    /* of all its blocks in front of that one */
void fresh_keep(Call *k);   /* in front of the first run, with timing.stats for a result */
void fresh_settle(Call *k); /* behind it, with the results on the host */
/* In front of each run that must find what the first one found: these. */
void fresh_restore(const Call *k, const KeptBlocks *kept);

/* grad.c */
typedef VEC(const char *) GradNames;
const tilec_derived *grad_derived(Cli *c, const Options *o, const GradNames *wrt,
                                  const Arguments *a); /* kept until the command ends */

/* tune.c: --tune */
typedef struct {
    const char *name;
    Array array;
} Result;
typedef struct {
    TunedRow row;
    int config; /* of @triton.autotune: its number */
    Options options;
    Call call;
    VEC(Result) outputs; /* of one that others are compared with */
    int group;           /* the first candidate that gives the same */
    int64_t left;        /* elements by `empty` that it does not write, .. */
    const char *left_in; /* .. and an array of them; NULL: there are none */
    double seconds;      /* of the last run */
} Candidate;
typedef struct {
    Cli *cli;
    VEC(Candidate) candidates;
    Values names; /* of what is tuned */
    bool is_autotune;
    int right; /* the first that gives what most give */
    int best, first_block;
    KeptBlocks kept; /* all arrays as they were */
    Progress progress;
} Tuner;
void tune_list(Tuner *t, const Options *o); /* tune_list.c: fills in the candidates, one or more */
/* Instead of one call: try, compare, time in turns, and say which is fastest. */
void tune_run(Cli *c, const Options *o);

/* against.c: --against: the call and another version of it, compared, and timed in turns */
void against_run(Cli *c, const Options *o);
typedef struct Against Against;
/* Both run, and a warning where their results differ; timed in turns, if so. */
Against *against_both(Cli *c, const Options *o, bool timed);
/* The call, which is 0, or the other version, 1: arrays are as each run must find them, and
 * cli->file is its file until the next one. */
Call *against_call(Against *g, int i);
const char *against_name(const Against *g, int i);
const char *
against_sentence(const Against *g); /* how fast the one is by the other; NULL: not timed */

/* tuned.c: what --tune found for @triton.autotune, in the folder of the cache */
void tuned_use(Call *k); /* adds to the arguments what is kept for this call, and says so */

/* sweep.c: --sweep */
/* Instead of one call: all that the values of arguments make, timed, and printed together. */
void sweep_run(Cli *c, const Options *o);

/* profiled.c */
void profiled_check(Cli *c, const Options *o); /* stops where there are no samples */

bool profiled_is_on(const Options *o, const char *device); /* is that where the launch is? */
void profile_start(Call *k);                               /* in front of timed runs */
Profile profile_stop(Call *k);                             /* behind them, of k->timing */

/* outputs.c: --save and --show */
Saving saving_of(Cli *c, const Options *o); /* which must stay where they are */
/* The array of an argument, `x`, or in one, `x[0]`; stops on anything else. */
const Array *outputs_find(Cli *c, const Names *names, const char *option, const char *text);
void outputs_check(const Call *k); /* names and files; before anything runs */
void outputs_write(const Call *k);

/* repro.c: --repro */
void repro_refuse(Cli *c, const Options *o); /* where many calls are made */
void repro_write(const Call *k); /* in front of the first run, whose arrays are on the host */

/* compare.c: --compare */
/* Behind call_evaluate() and before call_launch(): finds what the arrays will be compared with, for
 * which the kernel may run on other devices. */
Comparisons compare_prepare(Call *k);
/* The device whose results these are to be; false: it is something else. */
bool compare_device(Cli *c, const CompareText *t, const char **device, int *id);
/* Stop where one of these, with commas between, is no device. */
void compare_check_devices(Cli *c, const char *names);
/* against.c: the same of --against: runs the other version on the arrays of the call, which are put
 * back. Then `run`, if not NULL, may do so again by a call of it, which is called `name`. */
typedef void AgainstRun(void *what, const Call *other, const char *name);
Comparisons against_prepare(Call *k, AgainstRun *run, void *what);
/* Behind a launch of `other`, with its results in the host's arrays: the same with what it made of
 * the arrays that both calls have, which were `before` it. */
Comparisons compare_with_call(Call *k, const Call *other, const CompareText *t,
                              const KeptBlocks *before);
bool compare_finish(Call *k, Comparisons *all); /* behind the launch: is all within tolerance? */
/* What to warn of, behind unwritten_find(): devices that agree in nothing but NaN; NULL. */
const char *compare_warning(const Call *k, const Comparisons *all);

/* trial.c: work in a child process, with what it has to say */
typedef const char *Trial(Cli *c, void *context);
/* For so many seconds of the CPU at most, if not 0.  *text is what it said, NULL: nothing; when it
 * gives false the trial did not come to its end, and *text is why. */
bool trial_run(Cli *c, unsigned seconds, Trial *trial, void *context, const char **text);
/* Where a kernel that reaches memory outside of its arrays ends the process that launches it, a
 * command that makes several calls makes them in trials.  Behind a launch of its own it must not:
 * threads are not in the child. */
bool trial_is_needed(const Options *o);
/* In a trial, on any of its threads: end it, and `text` is why.  Elsewhere it does nothing. */
void trial_stop(const char *text);

/* .. while the command goes on; *over is 1 from half of its time on. */
typedef const char *AsideTrial(Cli *c, void *context, const volatile int *over);
/* For so many microseconds of the CPU at most.  Without a child where the system gives none. */
Aside aside_start(Cli *c, long micros, AsideTrial *trial, void *context);
const char *aside_end(Cli *c, const Aside *a); /* what it said; NULL: nothing */

/* rehearsal.c: a small launch is checked, too, where nobody asked for that */
void rehearsal_start(Call *k); /* evaluated, in front of all launches */
void rehearsal_tell(Call *k);  /* behind all else that is told: what was found, a warning */

/* timeout.c: does the launch take longer than --timeout allows?  Then the command ends here, or the
 * trial that it is in.  From any thread. */
void timeout_check(const Call *k, const tilec_progress *t);

/* move.c: a call's arrays in the memory of its device */
/* Sets k->there. */
bool move_there(Call *k);               /* false: it works on the host's, and they stay */
tilec_place move_place(const Moved *m); /* of its copy */
void move_back(const Call *k);       /* what a launch has written, to the arrays of the command */
int64_t move_bytes(const Call *k);   /* of the arrays that came there for it */
void move_release(Cli *c, int kept); /* all copies of blocks behind the first `kept` */

/* call_run.c: from open to what --save, --show and --compare say, which may leave an exit code */
void call_run(Call *k);
void call_run_evaluated(Call *k); /* the same from the arguments on */

/* each.c: --each */
void each_run(Cli *c, const Options *o); /* a call for each of the files */
typedef struct {
    const char *why;      /* lines about some files that failed, and warnings; NULL: none */
    const char *compared; /* with --json what --compare found, as objects with commas; or NULL */
} EachTest;
/* The same in silence, with an open kernel: do all files pass? */
bool each_test(Cli *c, const Options *o, EachTest *out);
bool each_is_read(const Options *o); /* does an argument ask which file it is? */

#endif
