/*
 * flat.h - what flat.c and flat_tile.c share; only they include it
 */
#ifndef TILEC_OPT_TARGET_FLAT_H
#define TILEC_OPT_TARGET_FLAT_H

#include "opt_target.h"
#include "../axis/digits.h"

typedef struct {
    Func *func;
    Arena *arena;
    Op *program;       /* tl.program_id() */
    const Value *flat; /* i */
    int32_t block;     /* B */
    int nvalues;       /* that there were, of which .. */
    DigitSum **sums;   /* .. each is this sum of i's digits, or NULL */
    DigitPlaces places;
    int32_t rows, columns; /* of a tile */
    int32_t fields;        /* rows have so few columns: each is a tile [1,rows]; 0: one is of all */
    bool down;             /* tiles below one another come one after the other */
} Flat;

/* flat.c */
const DigitSum *flat_sum(const Flat *x, const Value *v); /* NULL: none, or it is new */
/* flat_tile.c: have whole rows go by tiles */
void flat_rewrite(const Flat *x);

#endif
