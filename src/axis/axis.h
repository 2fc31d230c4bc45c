/*
 * axis.h - how the numbers and addresses in tiles follow their indices
 *
 * What is known of the element values of int and pointer tiles, for whoever chooses vectors,
 * layouts and loops by it; and of floats, for whoever computes them.
 */
#ifndef TILEC_AXIS_H
#define TILEC_AXIS_H

#include "../ir/ir.h"

/* Per value and dimension, what is known.  Along dim d, starting from any multiple of the run
 * length, elements come in runs (the last one may be cut short by the end of the tile):
 *   contiguity[d]   runs of n values that step by exactly 1 (pointers: by one element)
 *   constancy[d]    runs of n equal values (of any type: masks and floats too)
 *   divisibility    what the first value of every contiguous run along every dimension with
 *                   contiguity above 1 is a multiple of, the other indices being whatever they
 *                   are; of every element where no dimension has such runs; for scalars of the
 *                   value itself.  Pointers: in bytes.
 * All at least 1 and at most the extent (divisibility at most 2^30).  Integers may wrap, and no
 * fact on divisibility or range is lost to that; only where i32 is extended to an address or to
 * i64, a contiguous run is taken not to cross the largest i32. */
typedef struct {
    int64_t contiguity[MAX_RANK], constancy[MAX_RANK];
    int64_t divisibility;
    bool has_range; /* ints: lo <= every element <= hi */
    int64_t lo, hi;
} Axis;
typedef struct AxisFacts AxisFacts;
/* From the operands to the results, loops until nothing changes; the facts live in the arena and
 * know the values that there were.  One made later needs another analysis. */
AxisFacts *axis_analyse(const Func *f, Arena *a);
/* The same under the assumption that Triton makes, too: of x % y x is not negative, and y positive,
 * so aligned groups of neighbours stay neighbours.  Without it `offsets % n`, the usual way to keep
 * addresses inside, would be read element by element.  And the number of a program times a block's
 * extent, and what is added to that, does not wrap: `offsets // 2` goes by groups, too. */
AxisFacts *axis_analyse_trusting(const Func *f, Arena *a);
/* Lives as long as the facts; a bug() for a value made after them. */
const Axis *axis_of(const AxisFacts *x, const Value *v);
const char *axis_text(const AxisFacts *x, const Func *f,
                      Arena *a); /* one line a value, for tests */
/* Of what is not negative; with 0, the other. */
int64_t axis_gcd(int64_t a, int64_t b);

/* loose.c: what is known of the numbers in values of fp32. */
typedef enum {
    NUMBER_LOOSE = 1,    /* nobody sees a relative error of 2^-20, or one below 2^-126 become 0 */
    NUMBER_UNSIGNED = 2, /* none is below 0 */
    NUMBER_LARGE = 4,    /* none is below 2^-100 */
    NUMBER_RESTORED = 8, /* what it was lessened by is added again, and nobody sees more of it */
    NUMBER_CUT = 16      /* a conversion to an integer can round it: axis_cut_rounding() */
} NumberFact;
/* NumberFacts, as bits, by the value's id; in the arena.  0 for values of other types. */
const uint8_t *axis_number_facts(const Func *f, Arena *a);
/* OP_floor, OP_ceil, OP_trunc or OP_rint, by which a cast can round instead of them, if its operand
 * is NUMBER_CUT; OP_COUNT: by none. */
OpCode axis_cut_rounding(const Op *cast);

#endif
