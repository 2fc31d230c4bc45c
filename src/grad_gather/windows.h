/*
 * windows.h - a load of a window as the atomic that hands its gradient on: windows.c finds where
 * the lanes that do are, moved.c computes what they hand on
 */
#ifndef TILEC_GRAD_WINDOWS_H
#define TILEC_GRAD_WINDOWS_H

#include "../axis/poly.h"
#include "../grad/grad.h"

/* A dimension of the tile. */
typedef struct {
    int64_t by;         /* an element's distance to the next */
    PolyTerm unit;      /* .. times this, of scale 1 */
    int axis;           /* of the grid, if programs go on where lanes end; else -1 */
    int count;          /* of lanes */
    const Op *division; /* the element's number is this quotient; NULL: it is the lane's, shifted */
    Poly step;          /* .. times this, a term; of no terms: 1, and no mask says it */
} Side;
typedef struct {
    int64_t by;
    PolyTerm unit;
    const Op *division; /* of programs that are rows themselves, as of a side */
} Programs;
typedef struct {
    Op *op;               /* the atomic */
    Poly place;           /* its address */
    Side sides[MAX_RANK]; /* of dimensions, and behind these of programs that are rows themselves */
    int nsides;
    Programs programs[AXES];
    Poly base;             /* what is left of the address */
    Poly shifts[MAX_RANK]; /* of constants and counters; of what is divided of arguments, too */
} Tap;
typedef VEC(Tap *) Taps;

enum { MOST_SIDES = 4 }; /* of a tile that is shifted */
/* Values of the backward for one tap, where the builder of g is.  Without `builds` it is only asked
 * whether they can be made: a value that is not NULL. */
typedef struct {
    Grad *g;
    const Tap *tap;
    bool builds;
    unsigned axes;            /* that programs are shifted along, too */
    unsigned rows;            /* .. of these, those that have no lanes along them */
    Value *shifts[MAX_RANK];  /* what is added to the number of a lane; NULL: nothing */
    Value *numbers[MAX_RANK]; /* of the lanes that these stand for: i32[count] */
    Value *own[MAX_RANK];     /* .. and their own, where elements are quotients, or stepped over */
    Value *phases[MAX_RANK];  /* which of the elements that a lane steps over */
    bool places;              /* only the own elements are looked at */
    bool alone;               /* .. and nothing else along shifted sides */
    Value *ends[MAX_RANK];    /* how many lanes there are, of all programs */
    bool asks[MAX_RANK][2];   /* may the number be too small, or too large? */
    Value *spread[MOST_SIDES][2]; /* that it is not, as it was said last */
    Map *inside;                  /* MAP_KEY of what stands in the tap's loops: the value here */
    Map *moved;                   /* by value and the sides of its dimensions */
    Map *know_axes, *know_rows; /* by value: does it depend on which program it is, along these? */
} Mover;

/* windows.c */
extern const int8_t window_sides[MAX_RANK]; /* of dimensions that are sides: 0, 1, .. */
bool window_is_counter(const Value *v);     /* of a `for` */
bool window_is_shifted(const Tap *t, int side);
/* Axes along which programs go on where lanes that are shifted end. */
unsigned window_axes(const Tap *t);
unsigned window_rows(const Tap *t); /* of these, those of programs that are rows themselves */
Value *window_program(const Tap *t, int side); /* its number, along the side's axis; NULL */
const Value *window_program_in(const Poly *p, int axis);
bool window_lane(const Tap *t, int side, Poly *out); /* program * count + lane */

/* Along a side: of the element that the lane hands to, or for -1 of the lane itself, where it is
 * shifted. */
bool window_number(const Tap *t, int side, int64_t times, Poly *out);
bool window_counts_from_zero(const Value *v);  /* a counter, which is never less */
PolyTerm window_lanes(Grad *g, const Side *s); /* how many there are, of all programs */

/* divided.c */
const Op *window_division(const PolyAtom *atom); /* that it is the quotient of; NULL: none */
/* The number of a lane, or of a program that is a row, in the quotient that a term is a multiple
 * of, as a side. */
bool window_take_division(Tap *t, const PolyAtom *quotient, int64_t by, const PolyTerm *unit);
/* What is divided, as the shift of side d, which is known already. */
bool window_shift_division(Tap *t, int d);
bool window_leaves_nothing(const Value *mask, const Op *division);
/* For lanes that hand to their own elements: quotient, rest, and that what is divided is not
 * negative; NULL: it is something else. */
Value *window_known_of_division(Mover *m, const Op *op);
/* .. the number of the lane that hands on, where v is that of a lane, and what is added to it;
 * NULL: it is not. */
Value *window_number_of_division(Mover *m, const Value *v, const int8_t *sides);

/* steps.c */
/* Sides along which masks number elements that lanes step over, or are shifted from by arguments.
 */
unsigned window_numbered(Grad *g, const Tap *t);
/* Elements of these sides as masks number them; *left: the address without these.  False: they do
 * not. */
bool window_take_numbers(Grad *g, Tap *t, unsigned sides, Poly *left);
/* Do its lanes step over elements, by more than 1 or by an argument? */
bool window_steps(const Side *s);
bool window_elements(Grad *g, const Side *s, PolyTerm *out);       /* how many lanes have them */
Value *window_own_number(Mover *m, Value *v, const int8_t *sides); /* if v is it; else NULL */
/* That an own element's number is at least 0; NULL: the op asks something else. */
Value *window_known_of_steps(Mover *m, const Op *op, const int8_t *sides);
/* How far off the lanes are that hand to the own elements of the phase; *divides: the condition
 * that they are there, NULL: they are.  False: they are not. */
bool window_find_steps(Mover *m, int side, Value **divides);
/* Stores for each lane all of its elements, phase by phase. */
void window_gather_phases(Grad *g, const Taps *taps);

/* There are as many lanes as the mask says: then it says of those that are shifted that they are
 * there. */
bool window_need_all_lanes(Grad *g, const GradArray *a, const Tap *t, int side,
                           const PolyBounds *bounds);
/* n for n - 2 * dilation: an end that is farther, if the argument is positive, as is needed then.
 */
bool window_without_taken_off(Grad *g, const GradArray *a, Poly *end);

/* row_parts.c */
/* With number - quotient * divisor for remainders of programs' numbers. */
bool window_without_remainders(Grad *g, Poly *p);
/* With the most that a quotient of a program's number times its divisor may be, or, where it is
 * taken off, the least, which is 0. */
bool window_most_of_quotients(Grad *g, Poly *p);

/* gathered.c */
typedef struct {
    Value *data, *mask; /* what a tap hands to a lane's own element, and where; NULL: everywhere */
    Mover *mover;
    Value
        *where; /* that the own elements are there, which the store says; NULL: nothing is known */
    /* Parts of the mask: along a side lanes are not too small, not too large; NULL: they are */
    Value *present[MOST_SIDES][2];
} Handed;
/* What is handed where nothing else is, and where it is; NULL: everywhere. */
bool window_choose(Grad *g, const Handed *h, Value **data, Value **mask);
/* Their sum, and where there is any; NULL: everywhere.  False: masks have too many parts. */
bool window_sum(Grad *g, const Handed *taps, int n, Value **sum, Value **any);

/* The parts of masks that speak of nothing but own elements, where they are the same for all taps,
 * and say where elements that lanes step over end; with `all`, where masks have no other parts,
 * and say where all that are shifted end; NULL: they do not. */
Value *window_own_elements(Grad *g, Mover *movers, int n, bool all);

/* present.c */
/* Which lanes there are along a side, m->shifts being set. */
void window_find_lanes(Mover *m, int side);
/* Does a mask say by itself that lanes along a side are not too small, or too large? */
bool window_is_said(Mover *m, const Value *mask, const int8_t *sides, int side, bool large);
/* The mask, and are the lanes there, of all the sides that it has, and the row, if it is `of_row`?
 * NULL: they are. */
Value *window_where_present(Mover *m, Value *mask, const Type *shape, const int8_t *sides,
                            bool of_row);

/* moved.c */
enum { MOST_LOOPS = 4 };
Mover window_mover(Grad *g, const Tap *t, bool builds);
Value *window_here(Mover *m, Value *v); /* as it is, for any lane; NULL: it stands in a loop */
/* The loops around the tap, outermost first; -1: something else stands around it. */
int window_loops(const Op *op, const Op **out, int room);
Value *window_scalar(Mover *m, const Poly *p, int64_t times); /* made of arguments and counters */
/* For the lanes that hand on; NULL: it cannot be. */
Value *window_for_lanes(Mover *m, Value *v, const int8_t *sides, bool whole);
bool window_can_move(Grad *g, const Tap *t); /* can what it hands on be made for other lanes? */

/* handed.c */
/* Stores for each lane what its own element of these phases gets from all of them. */
void window_gather_phase(Grad *g, const Taps *taps, Value *const *phases);
/* .. of all phases, in place of the atomics. */
void window_gather(Grad *g, GradArray *a, const Taps *taps);

#endif
