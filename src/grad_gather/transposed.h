/*
 * transposed.h - sums over programs, made by the program that owns the element: domain.c says for
 * which rounds and lanes something is handed on, anew.c computes it for others, transposed.c puts
 * one in the place of the other
 */
#ifndef TILEC_GRAD_TRANSPOSED_H
#define TILEC_GRAD_TRANSPOSED_H

#include "../axis/poly.h"
#include "gather.h"

/* Dimensions of tiles have names, their sides: those of the tile that is handed on are 0, 1, ..,
 * and each that is summed up on the way has the next. */
enum { MOST_SIDES_ANEW = 8 };

/* --- domain.c --- */

/* Polynomials that are less than 0: of indices along sides, programs, counters, arguments. */
enum { MOST_LIMITS = 24 };
typedef struct {
    Poly at[MOST_LIMITS];
    int n;
    bool others; /* there is more that they do not say */
} Limits;
typedef struct {
    Grad *g;
    int32_t extents[MOST_SIDES_ANEW]; /* of sides */
    int8_t order[MOST_SIDES_ANEW];    /* of sides, as dimensions follow each other */
    int nsides;
    const Value *counter, *now; /* of a forward's loop, and of the new one: never negative */
} Domain;

/* Of a tile that is handed on in rounds of that counter, whose sides are 0, 1, .. */
Domain domain_of(Grad *g, const Type *tile, const Value *counter);
/* A new one, that is summed up along; the others of what is summed up are given. */
int domain_add_side(Domain *d, const Op *sum, const int8_t *sides);
void limits_add(Limits *l, const Poly *p); /* p is less than 0 */
/* What the condition says; the sides of its dimensions are given. */
void limits_of_mask(Limits *l, const Value *mask, const int8_t *sides);
/* Where the float may be anything but 0. */
void limits_of_nonzero(Domain *d, Limits *l, const Value *v, const int8_t *sides);
bool limits_say(const Limits *l, const Limits *wanted); /* each of them, as it is */
bool domain_is_not_negative(Domain *d, const Poly *p);  /* whichever lane, program and round */
bool domain_is_below_zero(Domain *d, const Poly *p);    /* whichever, too */
/* Do the limits, one or two of them, say that the polynomial is less than 0? */
bool domain_implies(Domain *d, const Limits *l, const Poly *p);
/* += the program's number along the axis, so many times. */
bool domain_add_program(Grad *g, int axis, int64_t times, Poly *to);
/* The same of how many there are. */
bool domain_add_programs(Grad *g, int axis, int64_t times, Poly *to);
/* Is the value made of the program's number along the axis, or of the counter? */
bool domain_knows(const Value *v, int axis, const Value *counter, Map *seen);
/* What the atom is multiplied by; false: by what is known at run time. */
bool domain_scale(const Poly *p, PolyAtom atom, int64_t *scale);
const Value *domain_program(const Grad *g, int axis); /* NULL: the forward does not ask for it */

/* --- anew.c --- */

/* A value, and which sides it has: bits; its dimensions are in their order. */
typedef struct {
    Value *v; /* NULL: it cannot be made */
    unsigned sides;
} Made;
/* What is true of all that the forward loads in rounds, by lanes, or in rounds by lanes, and is not
 * of all new ones: a limit in the forward's numbers, and what says the same of the new ones. */
typedef struct {
    Poly limit;
    bool of_lane, of_round;
    bool is_exact; /* a mask must say it as it is */
    Made holds;    /* no value: it cannot be said, unless a mask does */
} LoadGuard;
enum { MOST_GUARDS = 12 };
typedef struct {
    Domain domain;
    LoadGuard guards[MOST_GUARDS];
    int nguards;
    int axis, side;   /* programs along it go on where its lanes end */
    Made lane, round; /* what number of a lane among those of all programs, and what counter */
    Poly lane_is, round_is; /* of the new lanes and rounds; without: are_known is false */
    bool are_known;
    Limits facts; /* of those */
    Map *made, *seen;
} Anew;

Made anew_make(Anew *a, Value *v, const int8_t *sides);
void anew_know(Anew *a, const Value *v, const int8_t *sides, Made made); /* it is this */
/* With all of these sides. */
Value *anew_spread(Anew *a, Made m, unsigned sides);
/* In the new lanes and rounds. */
bool anew_substitute(const Anew *a, const Poly *p, Poly *out);
/* Is the polynomial, of lanes, one of program * count + lane alone? */
bool anew_is_whole(const Anew *a, const Poly *p);

/* --- taps.c --- */

extern const int8_t tap_sides[MAX_RANK]; /* of a tile's dimensions: 0, 1, .. */
enum { MOST_ENDS = 6 };

/* An atomic in a loop. */
typedef struct {
    Op *op;
    const Op *loop;
    Value *counter, *pointer, *mask, *data; /* data: before it was rounded */
    Value *lo, *ends[MOST_ENDS];            /* of the loop: less than all of these */
    int nends;
    Op *part; /* the atomic of another part of the loop; NULL */
} Tap;
/* In a loop that stands in no other; false: it does not. */
bool tap_in_loop(Op *op, Tap *t);
bool tap_of(Op *op, Tap *t); /* .. and steps by one */
/* Taps of the first parts of loops are those of the second ones then, and have no op any more. */
void tap_join_parts(Grad *g, Tap *all, int n);
bool tap_add_end_limit(const Tap *t, const Value *end, Limits *l); /* the counter is less */
bool tap_polynomial(const Value *v, Poly *out);                    /* false: it is none */
PolyAtom tap_atom(const Value *v);                                 /* that stands for it in those */
/* What the atom is multiplied by, in the one term that has it; false: there is not one. */
bool tap_factors_of(const Poly *p, PolyAtom atom, PolyTerm *out);

/* --- ways.c --- */

typedef struct {
    Grad *g;
    GradArray *array;
    const Tap *tap;
    Anew anew;
    int64_t count;      /* of lanes */
    Limits nonzero;     /* where it hands on anything: what it is made of, and its mask, say so */
    Value *begin, *end; /* of the new loop */
    Poly before;        /* numbers of lanes of all programs that hand on anything are less */
    Value *own;         /* the program's lanes, program * count + lane */
    bool is_full;       /* of guards */
} Way;
/* Along this side of the tile, and this axis of the grid; false: they are no such ones. */
bool way_begin(Grad *g, GradArray *array, const Tap *t, const Value *tile, int side, int axis,
               Way *w);
/* Lanes for the elements that the program owns, as many as the tile has along the side. */
void way_make_own_lanes(Way *w, const Value *tile);
void way_start_again(Way *w);                  /* behind the loop, where nothing of it is known */
Value *way_times_lanes(Way *w, Value *number); /* so many times, as they are called */
Value *way_own_begin(Way *w);                  /* the number of the first of them */
Value *way_all_lanes(Way *w);                  /* how many there are */
bool way_own_lanes(Way *w, Poly *out);         /* program * count + lane */
bool way_all_limits(Way *w, Limits *out);      /* with those of the forward's loop */
bool way_knows_program(const Way *w, const Value *v); /* is it made of its number? */
Value *way_argument_of(const Poly *p);                /* that it is; NULL: it is something else */
bool way_is_round_below(Way *w, const Value *end, Poly *limit);
void way_add_guard(Way *w, LoadGuard guard);
Value *way_as_counter(Way *w, Value *v);          /* in the type of the forward's counter */
Value *way_least(Builder *b, Value *x, Value *y); /* of which one may be NULL */
Value *way_both(Builder *b, Value *x, Value *y);  /* x may be NULL */
Value *way_zeros_like(Grad *g, const Value *like);
/* A loop from begin to end that carries the sum so far; the builder goes into it. */
Op *way_make_loop(Way *w, Value *sum, Builder *outside);
/* The sum goes on by d, under the condition; NULL: there is none.  Without d there is no loop. */
bool way_end_loop(Way *w, Op *loop, Value *d, Value *mask, const Builder *outside);
Op *way_put(Way *w, Value *pointer, Value *sum, Value *mask); /* stores the sum */

/* exchanged.c, common.c: what stores the sum that a program makes of it; NULL: it cannot */
Op *way_exchange(Grad *g, GradArray *array, const Tap *t, int axis);
Op *way_share(Grad *g, GradArray *array, const Tap *t, int side, int axis);

#endif
