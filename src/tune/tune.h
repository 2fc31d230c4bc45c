/*
 * tune.h - which of several versions of a kernel is fastest: measuring, and what measurements say
 *
 * measure.c times versions in turns, whatever they are: whoever asks runs them.  times.c says what
 * the times of some runs mean, and how sure that is.
 */
#ifndef TILEC_TUNE_H
#define TILEC_TUNE_H

#include "../base/base.h"

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

/* measure.c */
typedef struct {
    bool is_in;     /* it is timed: the caller's to say.  The rest is about these */
    double *rounds; /* seconds, one a round that it took part in */
    int nrounds;
    Times times;     /* of the rounds */
    bool is_dropped; /* far behind after a few rounds */
    bool is_slower;  /* than the fastest, by more than noise */
} Measured;
typedef struct {
    int rounds;     /* 0: the usual number */
    double seconds; /* no round begins so long after the first one has; 0: as long as it takes */
    /* Run number `i` once; false ends it all.  How long it took goes to *seconds. */
    bool (*run)(void *user, int i, double *seconds);
    /* The share of the rounds that is done, 0 .. 1; false ends it all. */
    bool (*progress)(void *user, double share);
    void *user;
} Measuring;
/* Times those of `n` that are in; memory is the arena's.  Gives the fastest; -1: none is in, or it
 * was ended. */
int measure_in_turns(const Measuring *m, Arena *a, Measured *all, int n);

#endif
