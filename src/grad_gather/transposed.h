/*
 * transposed.h - sums over programs, made by the program that owns the element: domain.c says for
 * which rounds and lanes something is handed on, anew.c computes it for others, transposed.c puts
 * one in the place of the other
 */
#ifndef TILEC_GRAD_TRANSPOSED_H
#define TILEC_GRAD_TRANSPOSED_H

#include "../opt/poly.h"
#include "../grad/grad.h"

/* Dimensions of tiles have names, their sides: those of the tile that is handed on are 0, 1, .., and
 * each that is summed up on the way has the next. */
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

Domain domain_of(Grad *g, const Type *tile, const Value *counter);
/* A new one, that is summed up along; the others of what is summed up are given. */
int domain_add_side(Domain *d, const Op *sum, const int8_t *sides);
void limits_add(Limits *l, const Poly *p);
/* What the condition says; the sides of its dimensions are given. */
void limits_of_mask(Limits *l, const Value *mask, const int8_t *sides);
/* Where the float may be anything but 0. */
void limits_of_nonzero(Domain *d, Limits *l, const Value *v, const int8_t *sides);
bool limits_say(const Limits *l, const Limits *wanted); /* each of them, as it is */
bool domain_is_not_negative(Domain *d, const Poly *p); /* whichever lane, program and round */
bool domain_is_below_zero(Domain *d, const Poly *p);
/* Do the limits, one or two of them, say that the polynomial is less than 0? */
bool domain_implies(Domain *d, const Limits *l, const Poly *p);
/* += the program's number along the axis, or how many there are, so many times. */
bool domain_add_program(Grad *g, int axis, int64_t times, Poly *to);
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
typedef struct {
    Domain domain;
    const Op *loop; /* of the forward's rounds */
    int axis, side; /* programs along it go on where its lanes end */
    Made lane, round; /* what number of a lane among those of all programs, and what counter */
    Poly lane_is, round_is; /* of the new lanes and rounds; without: are_known is false */
    bool are_known;
    Limits facts; /* of those */
    Map *made, *seen;
} Anew;

void anew_operand_sides(const Op *op, const Value *x, const int8_t *sides, int8_t *out);
Made anew_make(Anew *a, Value *v, const int8_t *sides);
/* With all of these sides. */
Value *anew_spread(Anew *a, Made m, unsigned sides);
/* In the new lanes and rounds. */
bool anew_substitute(const Anew *a, const Poly *p, Poly *out);
/* Is the polynomial, of lanes, one of program * count + lane alone? */
bool anew_is_whole(const Anew *a, const Poly *p);

#endif
