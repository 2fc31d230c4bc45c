/*
 * warn.h - what is told of a launch whose grid, arrays and numbers do not go with its kernel
 *
 * src/check/programs.h is what a kernel makes of these, found when it was lowered; here it is
 * compared with what a launch gives.  Nothing here stops a launch, and each kind is said once of
 * a launch, and once of each array, for a kernel with one set of types.  A warning on a launch that
 * is right is a defect.
 */
#ifndef TILEC_WARN_H
#define TILEC_WARN_H

#include <stdatomic.h>

#include "tilec.h"
#include "../check/programs.h"
#include "../lower/lowering.h"

typedef enum {
    TOLD_AXES,
    TOLD_SCALARS,
    TOLD_SHARED,
    TOLD_STRIDES,
    TOLD_PLACES,  /* of strides: elements share them */
    TOLD_REST,    /* of a grid's reach: it leaves elements out, .. */
    TOLD_THREADS, /* .. or most programs have nothing to do, .. */
    TOLD_OUTSIDE, /* .. or it goes beyond the array */
    TOLD_ROWS,
    TOLD_RUN,
    TOLD_KINDS
} Told;

/* A launch, as far as warnings look at it. */
typedef struct Launch {
    const char *kernel;           /* its name */
    const FrontKernel *signature; /* and its parameters */
    const tilec_arg *args;        /* as they were given */
    int nargs;
    const uint64_t *slots;              /* run-time arguments and parts, in order */
    const tilec_tensor *const *tensors; /* by slot; NULL where there is none */
    int nslots;
    const int32_t *grid;
    const Programs *programs;
    bool checks;            /* its accesses are looked at while it runs */
    _Atomic uint64_t *told; /* by kind above: bits of the arrays of which it was said before */
    unsigned *said;         /* bits of the kinds that were said of this launch */
    void (*say)(void *user, const char *text);
    /* A warning at a place of the kernel, and what to do about it. */
    void (*say_at)(void *user, Span span, const char *what, const char *hint);
    void *user;
} Launch;

/* warn.c: in front of a launch, of all that follows */
void warn_of_launch(const Launch *l);
/* Launching nothing may be meant, or a dimension was forgotten. */
void warn_of_none(const Launch *l);
/* loaded.c: behind a launch that changed nothing of this tensor, where read[i] is whether element i
 * of its memory was loaded, from the lowest address on: of a part that most likely should be all.
 */
void warn_of_loaded(const Launch *l, const tilec_tensor *t, const unsigned char *read);
/* runs.c: .. while it runs: at `span` a program takes elements of the tensor one behind the other
 * in memory: of rows that begin within one of the array.  *cut is 0 at first, and keeps of which
 * arrays a run was seen that says so only where there are more. */
typedef struct {
    int64_t first, lanes;
    bool is_cut; /* by a mask */
} RowRun;
void warn_of_run(const Launch *l, const tilec_tensor *t, Span span, const RowRun *run,
                 uint64_t *cut);

/* --- for the files here --- */

/* Is it the first for this kernel to tell this of the array in a slot?  0 where it is of none. */
bool warn_claim(const Launch *l, Told kind, int slot);
void warn_say(const Launch *l, const char *text); /* as it is, with its hint */
void warn_say_of(const Launch *l, const tilec_tensor *t, const char *what, const char *hint);
const char *warn_name_of(const Launch *l, const tilec_tensor *t); /* never NULL */

void warn_of_arrays(const Launch *l); /* strides.c: arrays that lie otherwise than it is gone by */
void warn_of_reach(const Launch *l);  /* reach.c: grids that reach too far, or not all */
void warn_of_rows(const Launch *l);   /* rows.c: tiles that are shorter than their rows */
void warn_of_shared(const Launch *l); /* shared.c: what all programs store to the same elements */

#endif
