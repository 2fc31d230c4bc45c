/*
 * outside.h - lanes that the mask of a load leaves out; only outside.c and unread.c include it
 */
#ifndef TILEC_UNREAD_OUTSIDE_H
#define TILEC_UNREAD_OUTSIDE_H

#include "unread.h"
#include "../ir/analysis.h"

enum { OUTSIDE_DEEPEST = 100, OUTSIDE_SAME_DEPTH = 8 };

typedef enum { LANE_UNKNOWN, LANE_SOME, LANE_NUMBER } LaneKind;
typedef struct {
    LaneKind kind;
    uint64_t bits; /* of a number */
} Lane;

/* One question: lanes outside of the mask of one load. */
typedef struct {
    Arena *arena;
    const Value *mask;
    Map *known;     /* by value id + 1 and `along`: Lane* */
    unsigned along; /* a bit for each dimension of the value along which lanes are outside; 0: of
                     * any that a reduction keeps */
    int depth;
} Outside;

Outside outside_of(Arena *arena, const Op *load, unsigned along); /* of a load with a mask */
Lane outside_lane(Outside *o, const Value *v);                    /* what they hold in v */
bool outside_is_zero(const Lane *x, DType t);

/* The same elements, or some of them, at fewer places. */
const Value *outside_unmoved(const Value *v);
/* Does v differ along a dimension?  OUTSIDE_DEEPEST ops behind it, it may. */
bool outside_varies(Arena *arena, const Value *v, int dim);
/* May elements of a reshape that differ along a dimension be ones that differ along dimension
 * `from` of what is reshaped? */
bool outside_reshape_follows(const Op *op, int dim, int from);

#endif
