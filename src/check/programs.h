/*
 * programs.h - what a kernel makes of its grid, its arrays and its numbers, for the launch to look
 * at
 *
 * Found when a kernel is lowered, in its own statements; src/api compares it with what a launch
 * gives, and says what does not go together.
 */
#ifndef TILEC_CHECK_PROGRAMS_H
#define TILEC_CHECK_PROGRAMS_H

#include "../ir/ir.h"

/* A number of the launch that an index of an array is multiplied with, both by slot. */
typedef struct {
    int8_t array, number;
} Stride;
/* How a kernel goes through its arrays, where its addresses show that */
enum { MOST_STEPS = 16 };
typedef struct {
    uint64_t runs;   /* bit i: lanes next to each other touch elements of slot i that are, too */
    uint64_t stores; /* bit i: plain stores reach slot i */
    Stride steps[MOST_STEPS];
    int nsteps;
} Steps;

/* An access of the tile that begins at a program's number times `step`, or times a number of the
 * launch, as rows do */
typedef struct {
    int axis, array, limit; /* of the grid; slots of the array and of what a mask compares the index
                             * with, -1: there is no mask */
    DType type;             /* of the limit */
    int32_t step, lanes;
    int rows;      /* slot of that number; -1: it is `step` */
    bool includes; /* the mask lets through the element at the limit, too */
    bool stores;
    bool is_all; /* no other mask counts */
} Reach;
enum { MOST_REACHES = 8 };
typedef struct {
    Reach at[MOST_REACHES];
    int n;
} Reaches;

/* Where a mask compares all lanes of a tile from 0 on with a number */
typedef struct {
    int array, limit; /* slots; a limit of -1 is `number` */
    DType type;       /* of the limit */
    int64_t number;
    int32_t lanes;
    bool stores;
} RowTile;
enum { MOST_ROW_TILES = 16 };
typedef struct {
    RowTile at[MOST_ROW_TILES];
    int n;
} RowTiles;

/* A store of all programs along an axis to the same elements */
typedef struct {
    unsigned axes; /* bit i: along axis i; 0: there is none */
    bool adds;     /* to what was there: what is stored is made of it */
    Span span;
} Shared;

/* Arrays of which elements are taken by one index */
enum { MOST_TOGETHER = 16 };
typedef struct {
    uint64_t arrays[MOST_TOGETHER]; /* by slot, as bits */
    int n;
} Together;

/* What a kernel's programs make of the grid. */
typedef struct {
    unsigned axes;   /* bit i: it asks for tl.program_id(i) */
    bool has_tiles;  /* of more than one element */
    bool has_loops;  /* .. which take several elements, one behind the other */
    bool has_stores; /* plain ones */
    bool has_atomics;
    bool takes_tickets;    /* what an atomic found is used */
    uint64_t loads_first;  /* bits as in MemoryUse: what is there before the launch is asked for */
    bool speaks;           /* prints, asserts, or runs text that nobody understands here */
    bool waits;            /* one may wait for another */
    bool indexed_by_data;  /* an address follows from what was loaded, */
    uint64_t indexed;      /* .. in these arrays, bits as in MemoryUse */
    bool bounded_by_data;  /* what was loaded ends a loop, or is what a mask compares with */
    bool looks_back;       /* one looks at what those in front of it have, t - 1 where t > 0 */
    bool own_nan, own_inf; /* among its constants, or what it pads with */
    Steps steps;
    Reaches reaches;
    RowTiles rows;
    Shared shared;
    Together together;
} Programs;

Programs programs_of(const Func *f); /* of a kernel as it was lowered */
/* Programs.bounded_by_data, in front of check_records(), whose checks compare what was loaded, too
 */
bool programs_bounded_by_data(const Module *m);
/* strides.c: how it goes through its arrays; which parameter a value is, or -1 */
Steps strides_of(const Func *f);
int strides_slot_of(const Func *f, const Value *v);
Reaches reaches_of(const Func *f);   /* reach.c: the tiles that programs touch by their numbers */
RowTiles rows_of(const Func *f);     /* rows.c: tiles that masks take for whole rows */
Together together_of(const Func *f); /* together.c: arrays whose elements meet */
/* shared.c: the first store of all programs along one of these axes to one place */
Shared shared_of(const Func *f, unsigned axes);

#endif
