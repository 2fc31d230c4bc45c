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
typedef struct Mover Mover;

/* windows.c */
extern const int8_t window_sides[MAX_RANK]; /* of dimensions that are sides: 0, 1, .. */
bool window_is_counter(const Value *v);     /* of a `for` */
bool window_is_shifted(const Tap *t, int side);
/* Axes along which programs go on where lanes that are shifted end. */
unsigned window_axes(const Tap *t);

/* Along a side: of the element that the lane hands to, or for -1 of the lane itself, where it is
 * shifted. */
bool window_number(const Tap *t, int side, int64_t times, Poly *out);
PolyTerm window_lanes(Grad *g, const Side *s); /* how many there are, of all programs */

/* gathered.c */
typedef struct {
    Value *data, *mask; /* what a tap hands to a lane's own element, and where; NULL: everywhere */
    Mover *mover;
    /* Parts of the mask: along a side lanes are not too small, not too large; NULL: they are */
    Value *present[MOST_SIDES][2];
} Handed;
/* Their sum, and where there is any; NULL: everywhere.  False: masks have too many parts. */
bool window_sum(Grad *g, const Handed *taps, int n, Value **sum, Value **any);

/* moved.c */
/* Does a mask say by itself that lanes along a side are not too small, or too large? */
bool window_is_said(Mover *m, const Value *mask, const int8_t *sides, int side, bool large);
bool window_can_move(Grad *g, const Tap *t); /* can what it hands on be made for other lanes? */
/* Stores for each lane what its own element gets from all of them, in place of the atomics. */
void window_gather(Grad *g, GradArray *a, const Taps *taps);

#endif
