/*
 * poly.h - integers and addresses as polynomials of scalars and of the indices of a tile
 *
 * `rows[:, None] * stride + k * 64` of a tile [128, 64] is index 0 * stride + 64 * k.  What makes
 * no sum or product is an atom: a parameter, a loop's counter, a quotient.  A value that a loop
 * carries and adds the same to in every round is what it began with and so much times the round.
 *
 * Arithmetic on i32 is taken not to wrap, as in access.c.
 */
#ifndef TILEC_AXIS_POLY_H
#define TILEC_AXIS_POLY_H

#include "access.h"

enum { POLY_FACTORS = 4, POLY_TERMS = 12 };

/* A scalar, an index of the tile, or, where that is asked for, a quotient or remainder of a tile by
 * what is the same for all of it. */
typedef struct {
    const Value *value; /* NULL: an index */
    int key;            /* of an index its dimension, else MAX_RANK and more */
} PolyAtom;
int poly_key_of_part(int dim); /* beside what that of an atom is that is no part of a tile */
int poly_dim_of_part(const PolyAtom *part); /* the dimension of the tile that it lies along, or 0 */

typedef struct {
    int64_t scale; /* not 0 */
    int count;     /* 0: a constant */
    PolyAtom of[POLY_FACTORS];
} PolyTerm;

/* Terms in order, no two with the same atoms: equal polynomials look alike. */
typedef struct {
    int count; /* 0: zero */
    PolyTerm terms[POLY_TERMS];
} Poly;

/* *to += scale * p; false: it has no room for that, and is lost. */
bool poly_add(Poly *to, const Poly *p, int64_t scale);
bool poly_product(const Poly *a, const Poly *b, Poly *out); /* false: as above */
bool poly_equal(const Poly *a, const Poly *b);
bool poly_is_constant(const Poly *p, int64_t *constant);
/* Is a term's product a multiple of that of `by`?  Then *out is the quotient. */
bool poly_divide(const PolyTerm *t, const PolyTerm *by, PolyTerm *out);
bool poly_push(Poly *to, const PolyTerm *t); /* += */
/* The polynomial's index atoms of dimension `from` become those of `to`. */
bool poly_turn(const Poly *p, int from, int to, Poly *out);
bool poly_has_index(const Poly *p, int dim); /* dim -1: any */

/* An index that is kept below what is the same for all of the tile, taken to be that index: by a
 * remainder, or by a choice of, or a minimum with, another one where it is not below. */
typedef struct {
    const Op *op;
    int dim; /* along which it goes */
    Poly index, bound;
    bool from_zero; /* and, of a remainder, not to be negative */
} PolyWrap;
enum { POLY_WRAPS = 4 };

/* One question.  Fields that are not named stay zero. */
typedef struct {
    PolyWrap *wraps; /* what keeps below a bound becomes these, POLY_WRAPS at most; NULL: it is no
                      * polynomial */
    int nwraps;
    bool parts; /* quotients and remainders of tiles are atoms */
    int work;   /* values looked at so far */
} PolyScope;
/* A value whose dimension d is read at index map[d], -1 for 0; of a pointer in elements, its
 * parameter being an atom.  False: it is no such polynomial. */
bool poly_of(PolyScope *s, const Value *v, const int8_t *map, Poly *out);

/* A part of a condition: the polynomial is less than 0. */
enum { POLY_BOUNDS = 8 };
typedef struct {
    int count;
    bool others; /* the condition has parts that are no polynomials */
    Poly below[POLY_BOUNDS];
} PolyBounds;
void poly_bounds(PolyScope *s, const Value *mask, const int8_t *map, PolyBounds *out);

#endif
