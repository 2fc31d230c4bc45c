/*
 * check_range.h - what the files of the pass that checks accesses share
 */
#ifndef TILEC_CHECK_RANGE_H
#define TILEC_CHECK_RANGE_H

#include "check.h"

/* Every element of a tile of offsets that a mask lets through is in [lo, hi] where `sound` holds;
 * scalars, i64 and i1.  It is also a sum: of numbers in [rest_lo, rest_hi], and of multiples of
 * scalars, such as rows of a stride, which tells more where rows lie apart. */
enum { RANGE_TERMS = 4 };
typedef struct {
    Value *lo, *hi, *scale; /* scale times a number in [lo, hi] */
} RangeTerm;
typedef struct {
    Value *lo, *hi;
    Value *sound; /* NULL: always */
    Value *rest_lo, *rest_hi;
    RangeTerm terms[RANGE_TERMS];
    int nterms;
} OffsetRange;
/* Find it for an integer tile, by ops that are put at b.  `mask` is in the tile's shape, or NULL.
 * `facts` know the values whose number is below `known`.  False: it follows from data. */
bool check_range(Builder *b, const AxisFacts *facts, int known, const Value *v, const Value *mask,
                 OffsetRange *out);

#endif
