/*
 * inside.h - what the rules of advice share
 */
#ifndef TILEC_REPORT_INSIDE_H
#define TILEC_REPORT_INSIDE_H

#include "report.h"

/* advice.c */
typedef struct Rule Rule;
typedef struct {
    const RunView *view;
    const Rule *rule; /* whose turn it is */
    tilec_count sum;
    Effort effort;
    bool has_effort;
    Advices found;
} Search;
struct Rule {
    const char *id, *title, *remedy;
    void (*look)(Search *s);
    bool gains; /* its weight is a share of the time that it may save */
};

/* Found, at a line or (NULL) in all of the kernel; what weighs too little is dropped. */
void advice_add(Search *s, const char *file, int line, double weight, const char *figure);
double advice_share(double part, double whole); /* 0 of nothing */
/* Of the time, 0..1, that a part of the GPU is busy; 1 where that is not known. */
double advice_busy(const Search *s, EffortPart part);
double advice_spare(const Search *s); /* of the time, in which the busiest part is idle */
const char *advice_bytes(const Search *s, double bytes); /* "1.5 MB", in the view's arena */

/* advice_counts.c: by counters; each looks for .. */
void advice_of_coalesced(Search *s);     /* bytes that move beside those that are used */
void advice_of_conflicts(Search *s);     /* turns of shared memory's banks */
void advice_of_divergent(Search *s);     /* branches that split a warp */
void advice_of_lanes(Search *s);         /* lanes without work */
void advice_of_memory_waits(Search *s);  /* .. for what is loaded */
void advice_of_shared_waits(Search *s);  /* .. for shared memory and special functions */
void advice_of_barrier_waits(Search *s); /* .. for other warps */
void advice_of_unit(Search *s);          /* a unit that is busy where others are not */
void advice_of_apart(Search *s);         /* additions of what was just multiplied */
void advice_of_tensor(Search *s);        /* products without tensor cores */

#endif
