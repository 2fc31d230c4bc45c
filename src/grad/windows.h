/*
 * windows.h - a load of a window as the atomic that hands its gradient on: windows.c finds where
 * the lanes that do are, moved.c computes what they hand on
 */
#ifndef TILEC_GRAD_WINDOWS_H
#define TILEC_GRAD_WINDOWS_H

#include "../opt/poly.h"
#include "grad.h"

/* A dimension of the tile. */
typedef struct {
    int64_t by;    /* an element's distance to the next */
    PolyTerm unit; /* .. times this, of scale 1 */
    int axis;      /* of the grid, if programs go on where lanes end; else -1 */
    int count;     /* of lanes */
} Side;
typedef struct {
    int64_t by;
    PolyTerm unit;
} Programs;
typedef struct {
    Op *op;     /* the atomic */
    Poly place; /* its address */
    Side sides[MAX_RANK];
    Programs programs[AXES];
    Poly base;             /* what is left of the address */
    Poly shifts[MAX_RANK]; /* of constants and counters */
} Tap;
typedef VEC(Tap *) Taps;

enum { MOST_SIDES = 4 }; /* of a tile that is shifted */

/* windows.c */
extern const int8_t window_sides[MAX_RANK]; /* of dimensions that are sides: 0, 1, .. */
bool window_is_counter(const Value *v);     /* of a `for` */
bool window_is_shifted(const Tap *t, int side);
/* Axes along which programs go on where lanes that are shifted end. */
unsigned window_axes(const Tap *t);

/* moved.c */
bool window_can_move(Grad *g, const Tap *t); /* can what it hands on be made for other lanes? */
/* Stores for each lane what its own element gets from all of them, in place of the atomics. */
void window_gather(Grad *g, GradArray *a, const Taps *taps);

#endif
