/*
 * window.h - what is asked of values that may be one another's shifts; only window.c,
 * window_shift.c, window_loop.c and unroll.c include it
 */
#ifndef TILEC_OPT_TARGET_WINDOW_H
#define TILEC_OPT_TARGET_WINDOW_H

#include "opt_target.h"

enum { WINDOW_MOST_WORK = 2000 }; /* values looked at for one question */

/* What is added to each index of a tile. */
typedef struct {
    int64_t by[MAX_RANK];
} Shift;

/* One question. */
typedef struct {
    const Map *loads;     /* that may happen where the result is made */
    const Value *counter; /* of a loop: the first value is that of the next round; NULL */
    int64_t step;
    int work; /* values looked at so far */
} Shifted;

/* What all of a tile's elements are, read at `map`, without an op that only moves or promises;
 * NULL: there is none. */
const Value *window_moved(const Value *v, const int8_t *map, int8_t *in);
/* Does an op compute each element from those of its operands, and may it be done later? */
bool window_is_pointwise(const Shifted *s, const Op *op);
/* Is each element of a, at the indices of a tile, that of b at larger ones?  *shift says by how
 * much, where it is. */
bool window_shifted(const Map *loads, const Value *a, const Value *b, Shift *shift);
/* The same of v in the next round of the loop that has this counter, and in this one. */
bool window_follows(const Map *loads, const Value *v, const Value *counter, int64_t step,
                    Shift *shift);

/* window.c: may windows be made of this op? */
bool window_is_chained(const Op *op);

/* window_loop.c: does a `for` with constant bounds go through a window, and do nothing else? */
bool window_loop(const Op *loop, Arena *a);

#endif
