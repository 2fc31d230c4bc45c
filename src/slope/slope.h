/*
 * slope.h - is a claimed gradient right?  By differences of the function itself
 *
 * A function takes n numbers to nout results; the slope is that of their weighted sum.  slope.c has
 * the slope along one direction, probe.c which directions are looked along, and what is made of the
 * answers.  Everything is in double precision.
 */
#ifndef TILEC_SLOPE_SLOPE_H
#define TILEC_SLOPE_SLOPE_H

#include "../base/base.h"

typedef struct {
    int64_t n, nout;
    double *x;             /* where it is taken; changed meanwhile, as it was behind */
    const double *claimed; /* the gradient, an element of x each */
    const double *weights; /* of the results; 0: it is left out, as what is no number must be */
    void (*evaluate)(void *context, double *out); /* at the x of now */
    void *context;
    uint64_t seed;
} SlopeTask;

/* What is known of a point of x. */
typedef struct {
    int64_t at; /* an element */
    double claimed, found;
    double off; /* how far apart they are, by the usual size of the gradient */
} SlopeAt;

typedef struct {
    int directions; /* that were looked along, without those in which the slope jumps */
    int elements;   /* that were looked at */
    int wrong_directions, wrong_elements;
    int kinks;      /* elements in which the slope jumps: right is all between both sides of it */
    int rough;      /* elements of which differences say too little */
    double largest; /* `off` of those that are right */
    SlopeAt worst;  /* of the wrong ones; at < 0: no single element */
} SlopeReport;

/* probe.c: the claimed gradient beside finite differences, along random directions and, where they
 * differ, of single elements; room is in the arena. */
SlopeReport slope_check(const SlopeTask *t, Arena *a);

/* --- inside of this folder --- */

typedef enum { SLOPE_SMOOTH, SLOPE_KINK, SLOPE_ROUGH } SlopeKind;
typedef struct {
    SlopeKind kind;
    double value, error; /* of a smooth one; how far it may be off */
    double least, most;  /* of a kink: the slopes of its sides */
} Slope;

typedef struct {
    const SlopeTask *task;
    double *start;                /* x as it was */
    double *here, *above, *below; /* results */
    double *along;                /* the direction */
} SlopeWork;

#define SLOPE_BOUND 1e-6
/* slope.c: along w->along, to about `size` times SLOPE_BOUND. */
Slope slope_along(SlopeWork *w, double size);

#endif
