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

void advice_add(Search *s, const char *file, int line, double weight, const char *figure);
double advice_share(double part, double whole); /* 0 of nothing */
double advice_busy(const Search *s, EffortPart part);
double advice_spare(const Search *s);
const char *advice_bytes(const Search *s, double bytes);

/* advice_counts.c: by counters */
void advice_of_coalesced(Search *s);
void advice_of_conflicts(Search *s);
void advice_of_divergent(Search *s);
void advice_of_lanes(Search *s);
void advice_of_memory_waits(Search *s);
void advice_of_shared_waits(Search *s);
void advice_of_barrier_waits(Search *s);
void advice_of_unit(Search *s);
void advice_of_apart(Search *s);
void advice_of_tensor(Search *s);

#endif
