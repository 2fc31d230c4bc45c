/*
 * unread.h - lanes that the mask of a load leaves out, and that count all the same
 *
 * An analysis of IR as it stands, which changes nothing: src/tl warns of what it finds while a
 * kernel is lowered, src/check of what only products of matrices show.
 */
#ifndef TILEC_UNREAD_UNREAD_H
#define TILEC_UNREAD_UNREAD_H

#include "../ir/ir.h"

/* unread.c: lanes that the mask of a load leaves out, and that count; NULL: none are known to. */
/* The load whose lanes count in the reduction of `v` by OP_add, OP_mul, OP_max or OP_min along an
 * axis, -1: all of them.  `*of` is v, or what a loop adds to it in each round. */
const Op *unread_in_reduction(Arena *a, OpCode code, const Value *v, int axis, const Value **of);
/* In a sum by atomics without a mask, p and data in one shape: all of them at element `*at`. */
const Op *unread_in_atomic(Arena *a, const Value *p, const Value *data, int64_t *at);
/* In a histogram without a mask of numbers below `bins`: each as `*number`. */
const Op *unread_in_count(Arena *a, const Value *v, int64_t bins, int64_t *number);

/* Loads that a value is made of, element by element, and whose masks leave out lanes. */
enum { UNREAD_MOST_LOADS = 8 };
typedef struct {
    const Op *load;
    bool multiplied; /* by a matrix, on the way */
} MaskedLoad;
typedef struct {
    MaskedLoad at[UNREAD_MOST_LOADS];
    int n;
} MaskedLoads;
/* filled: those that fill them with a constant, too; products: through products of matrices. */
MaskedLoads unread_loads(Arena *a, const Value *v, bool filled, bool products);
/* Do lanes that the load leaves out count in a reduction of `v` by `code`, along `axis` or along
 * all (-1)? */
bool unread_counts(Arena *a, const Op *load, OpCode code, const Value *v, int axis);

#endif
