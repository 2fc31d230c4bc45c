/*
 * tune.h - what times of runs mean, and configurations as texts: for tilec_tune(), and for commands
 * that tell of times
 */
#ifndef TILEC_TUNE_H
#define TILEC_TUNE_H

#include "tilec.h"
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
/* What a share of them, 0 .. 1, is less than; between two by how near it is to each. */
double times_quantile(Arena *a, const double *v, int n, double share);
/* How probable it is that a fair coin shows at least `wins` of `n` heads. */
double times_chance(int wins, int n);
typedef struct {
    int n;
    double ratio, low, high, confidence;
} TimesRatio;
/* How many times as long the first of each of `n` rounds took as the second; each more than 0. */
TimesRatio times_ratio(Arena *a, const double *over, const double *under, int n);

/* config.c: what configurations are called */
const char *config_value_text(Arena *a, const tilec_arg *v); /* as Python writes it */
const char *config_text(Arena *a, const tilec_config *c);    /* "BLOCK=64 num_warps=4" */

#endif
