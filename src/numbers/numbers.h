/*
 * numbers.h - what is known of the numbers in values of fp32
 *
 * An analysis of IR as it stands, which changes nothing: src/opt and the code for GPUs ask it.
 */
#ifndef TILEC_NUMBERS_NUMBERS_H
#define TILEC_NUMBERS_NUMBERS_H

#include "../ir/ir.h"

/* loose.c */
typedef enum {
    NUMBER_LOOSE = 1,    /* nobody sees a relative error of 2^-20, or one below 2^-126 become 0 */
    NUMBER_UNSIGNED = 2, /* none is below 0 */
    NUMBER_LARGE = 4,    /* none is below 2^-100 */
    NUMBER_RESTORED = 8, /* what it was lessened by is added again, and nobody sees more of it */
    NUMBER_CUT = 16      /* a conversion to an integer can round it: numbers_cut_rounding() */
} NumberFact;
/* NumberFacts, as bits, by the value's id; in the arena.  0 for values of other types. */
const uint8_t *numbers_facts(const Func *f, Arena *a);
/* OP_floor, OP_ceil, OP_trunc or OP_rint, by which a cast can round instead of them, if its operand
 * is NUMBER_CUT; OP_COUNT: by none. */
OpCode numbers_cut_rounding(const Op *cast);

#endif
