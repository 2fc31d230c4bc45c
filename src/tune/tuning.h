/*
 * tuning.h - inside of tilec_tune(): which of several configurations of a kernel is fastest
 *
 * tune.c is the page that says what is done: candidates from a list of configurations (config.c),
 * what is known of them (store.c, under the name that key.c makes), else runs (launches.c, or the
 * caller's) in turns (measure.c), and what their times mean (times.c).
 */
#ifndef TILEC_TUNING_H
#define TILEC_TUNING_H

#include "../api/api.h"
#include "tune.h"

/* measure.c */
typedef struct {
    bool is_in;     /* it is timed: the caller's to say.  The rest is about these */
    double *rounds; /* seconds, one a round that it took part in */
    int nrounds;
    Times times;     /* of the rounds */
    bool is_dropped; /* it is behind, and takes part no longer */
    bool is_slower;  /* than the fastest, by more than noise */
} Measured;
typedef struct {
    int rounds;     /* 0: the usual number, or until one version is left */
    double seconds; /* no round begins so long after the first one has; 0: as long as it takes */
    /* Run number `i` once; false ends it all.  How long it took goes to *seconds. */
    bool (*run)(void *user, int i, double *seconds);
    /* The share of the rounds that is done, 0 .. 1; false ends it all. */
    bool (*progress)(void *user, double share);
    void *user;
} Measuring;
/* Times those of `n` that are in; memory is the arena's.  False: it was ended, and some may have
 * fewer rounds, or none. */
bool measure_in_turns(const Measuring *m, Arena *a, Measured *all, int n);

/* What is known of a configuration's time, in seconds. */
typedef struct {
    bool is_known;            /* the rest is of such */
    bool fails;               /* it has no times */
    double median, low, high; /* a fifth of its rounds took less than low, a fifth more than high */
} TunedTimes;

/* One configuration that may be measured. */
typedef struct {
    tilec_config config; /* of nvalues -1: its values are not known */
    const char *text;    /* what of it makes a difference: equal texts are equal code */
    int same_as;         /* the first of equal ones; -1: it is that */
    tilec_status status; /* of its first run; TILEC_CANCELLED: there was none */
    char *error;         /* why it does not run, for free(); NULL */
    TunedTimes times;
    Measured measured;
    /* launches.c: */
    tilec_arg *args;
    int nargs;
    int32_t grid[3];
    bool in_place; /* it writes memory that it also reads */
} Candidate;

/* launches.c: an array that launches change and read, as it was */
typedef struct {
    tilec_place place; /* its first byte */
    size_t bytes;
    void *copy; /* in the same memory */
} KeptArray;

/* One call of tilec_tune() or tilec_tuned(). */
typedef struct {
    Arena *arena;
    Guard guard;
    tilec_file *file;
    const Kernel *kernel;
    const int32_t *grid; /* NULL: options.grid says it */
    const tilec_arg *args;
    int nargs;
    tilec_launch_options launch; /* that hears nothing, but on_message of the first one */
    tilec_tune_options options;
    Candidate *all;
    int count;
    int best; /* -1: none yet */
    double started;
    KeptArray kept[MAX_PARAMS]; /* what is put back before runs of those that are in_place */
    int nkept;
    char **error; /* the caller's */
} Tuning;

/* tune.c */
bool tune_runs(const Candidate *k);               /* as far as is known of it */
bool tune_goes_on(const Tuning *t, double share); /* tells it; false: it is cancelled */
bool tune_is_late(const Tuning *t);               /* its seconds are used up */
tilec_status tune_refuse_cancelled(const Tuning *t);

/* config.c */
/* Fills in the candidates: TILEC_OK, or what is wrong. */
tilec_status config_list(Tuning *t);
/* Does a launch of the kernel take it, as a parameter or as a hint? */
bool config_takes(const Kernel *k, const char *name);

/* key.c: what the fastest configuration depends on, as a path in the folder of the cache; NULL: it
 * has none */
const char *key_path(const Tuning *t);

/* store.c: files of times.  One holds a line for each configuration; whatever cannot be read is not
 * known.  It is written under another name, and renamed. */
void store_read(Tuning *t, const char *path);
int store_write(const Tuning *t, const char *path); /* 0, or an errno */

/* launches.c: runs where the caller has no run() */
tilec_status launches_prepare(Tuning *t); /* compiles all, and keeps what runs change */
tilec_status launches_run(Tuning *t, int i, double *seconds, char **error);
void launches_restore(Tuning *t); /* arrays as they were */
void launches_close(Tuning *t);   /* gives back what it has kept */

#endif
