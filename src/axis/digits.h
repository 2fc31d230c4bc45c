/*
 * digits.h - integers and addresses as sums of digits of one index, times scalars
 *
 * `i // W % H` of a flat index i is a digit of it: i // from % size, where these are products of
 * scalars.  (i // W % H) * W + i % W is one digit again, i % (H * W).  It is taken for granted that
 * i is not negative, that what divides it is above 0, and that i32 does not wrap.
 */
#ifndef TILEC_AXIS_DIGITS_H
#define TILEC_AXIS_DIGITS_H

#include "../ir/ir.h"

enum { DIGIT_FACTORS = 6, DIGIT_TERMS = 8 };

/* number * of[0] * of[1] ..; scalars in the order of their ids. */
typedef struct {
    int64_t number;
    int count;
    const Value *of[DIGIT_FACTORS];
} Product;
/* i // from % size, or i // from. */
typedef struct {
    Product from, size;
    bool open; /* there is no size */
} Digit;
typedef struct {
    bool has_digit;
    Digit digit;
    Product scale;
} DigitTerm;
/* An integer, or what is added to a pointer. */
typedef struct {
    const Value *base; /* the scalar pointer, or NULL */
    bool wide;         /* of i64 */
    int count;
    DigitTerm terms[DIGIT_TERMS];
} DigitSum;

extern const Product product_one;
bool product_is(const Product *p, int64_t number);
bool product_same(const Product *a, const Product *b);
/* False: there are more factors than there is room for, or the number is too large. */
bool product_times(const Product *a, const Product *b, Product *out);
/* False: it does not divide by that, as far as the factors tell. */
bool product_quotient(const Product *a, const Product *b, Product *out);

/* Of the tiles of rank 1 in a block, by value: what they are of `index`; NULL: no such sum. */
DigitSum **digit_sums(const Func *f, const Block *b, const Value *index, Arena *a);

/* digit_places.c */
enum { DIGIT_CUTS = 8 };
typedef struct {
    int count;
    bool lost; /* there were more */
    Product at[DIGIT_CUTS];
} DigitCuts;
void digit_add_cuts(DigitCuts *c, const DigitSum *s); /* where its digits begin and end */
/* What the index is made of: at[0] is 1, and each divides the one behind it. */
enum { PLACE_COLUMN, PLACE_ROW, PLACE_SEVERAL, PLACES };
typedef struct {
    int count;
    Product at[PLACES];
} DigitPlaces;
/* The smallest cuts; false: none divides all others. */
bool digit_places_of(const DigitCuts *c, DigitPlaces *out);
/* Which places is a digit made of?  From *first on, and in front of *end. */
bool digit_spans(const DigitPlaces *x, const Digit *d, int *first, int *end);
/* By what a place is multiplied in a term whose digit has it. */
bool digit_scale(const DigitPlaces *x, const DigitTerm *t, int place, Product *out);
bool digit_is_placed(const DigitPlaces *x, const DigitSum *s); /* are all its digits? */
/* The one factor of a place in a sum that is.  False: there are several. */
bool digit_factor(const DigitPlaces *x, const DigitSum *s, int place, Product *out);

#endif
