/*
 * split_internal.h - what split.c and split_memory.c share; only they include it
 */
#ifndef TILEC_SPLIT_SPLIT_INTERNAL_H
#define TILEC_SPLIT_SPLIT_INTERNAL_H

#include "split.h"

enum { UNSET = -2, ALL = SPLIT_NONE /* each part does all of it */ };

typedef struct {
    Nest *nest;
    double work; /* ops that it takes in one program, about */
    bool stores;
    int dim; /* UNSET, ALL, or the dimension that is split */
} SplitMember;

/* A load or store. */
typedef struct {
    const Op *op;
    Value *ptr;
    bool stores, same; /* of a load: at the very index of its nest */
    int place;         /* -1: of a scalar */
} SplitReach;

typedef struct {
    Plan *plan;
    const PointerBases *bases;
    VEC(SplitMember) places;
    VEC(SplitReach) reaches;
    VEC(int) whole;    /* buffers that steps other than nests read or make */
    int8_t *of_buffer; /* by buffer: as Member.dim */
    bool fails, has_products;
} Splitter;

/* split_memory.c: does no part load or store what another one stores?  Of parts that have
 * rounds of the loop, or with NULL elements of the members' nests.  What has to be known when
 * running is added to plan->split. */
bool split_apart(const Splitter *x, const Op *loop);

#endif
