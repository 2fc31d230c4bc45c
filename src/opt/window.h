/*
 * window.h - what window.c asks of values that may be one another's shifts; only it and
 * window_shift.c include it
 */
#ifndef TILEC_OPT_WINDOW_H
#define TILEC_OPT_WINDOW_H

#include "opt.h"

enum { WINDOW_MOST_WORK = 2000 }; /* values looked at for one question */

/* What is added to each index of a tile. */
typedef struct {
    int64_t by[MAX_RANK];
} Shift;

/* One question. */
typedef struct {
    const Map *loads; /* that may happen where the result is made */
    int work;         /* values looked at so far */
} Shifted;

/* What all of a tile's elements are, read at `map`, without an op that only moves or promises;
 * NULL: there is none. */
const Value *window_moved(const Value *v, const int8_t *map, int8_t *in);
/* Does an op compute each element from those of its operands, and may it be done later? */
bool window_is_pointwise(const Shifted *s, const Op *op);
/* Is each element of a, at the indices of a tile, that of b at larger ones?  *shift says by how
 * much, where it is. */
bool window_shifted(const Map *loads, const Value *a, const Value *b, Shift *shift);

#endif
