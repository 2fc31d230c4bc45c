/*
 * interp.h - run a kernel's IR on host arrays, op by op, whole tiles at a time
 *
 * The oracle for every other target.  Takes IR in any stage (calls are followed).
 */
#ifndef TILEC_INTERP_H
#define TILEC_INTERP_H

#include "../ir/ir.h"
#include "../race/race.h"

typedef struct {
    const uint64_t *args; /* one slot a parameter: pointer, or the value's bits zero-extended */
    int32_t grid[3];
    int64_t first, last; /* linear program ids [first, last); x fastest */
    Watch *watch;        /* NULL, or is told of each program, as worker 0 */
    RecordPort *records; /* takes what the programs say; NULL: an assertion that fails is an error,
                          * and nothing else is said */
    void (*on_op)(void *ctx, const Op *op); /* NULL, or called in front of each op; must not fail */
    void *ctx;
    Races *races; /* NULL, or look for races there, */
    /* .. which are told of this element of an array: "x[3]" */
    const char *(*describe)(void *user, Arena *a, uint64_t address);
    void *describe_user;
} InterpLaunch;

/* With a diagnostic unless OK, or stopped by an assertion that `records` took.  STOPPED: by that,
 * by who watches, an assumption that does not hold, or calls that nest too deep; programs have run
 * then.  RACE: the same, by a race.
 */
typedef enum { INTERP_OK, INTERP_STOPPED, INTERP_RACE, INTERP_NO_MEMORY } InterpStatus;
/* On the calling thread alone, with memory of its own, which is gone at the end.  Addresses are
 * taken as they come: what checks them are ops (opt_records()). */
InterpStatus interp_run(const Func *f, const InterpLaunch *launch, Diags *d);

/* count.c: what a launch does (its slots may end with the user's parameters), by running only the
 * scalar part of the kernel for up to `sample` programs spread over the grid and scaling up. flops:
 * float operations on tile elements, masked lanes included, fma and dot 2 each, approximated
 * functions 1.  int_ops: those on integers that make what is stored, not addresses and masks. */
typedef struct {
    double flops, int_ops;
    bool known; /* false: control depends on tile data */
} InterpCounts;
/* The same of one op, in all programs; bytes: of elements that it reads and writes, each time,
 * those that a mask leaves out not counted, unless it depends on tile data. */
typedef struct {
    double flops, int_ops, bytes;
} InterpWork;
typedef void InterpOpFn(void *ctx, const Op *op, const InterpWork *work);
/* OK or NO_MEMORY, without a diagnostic; *out is set when OK.  `fn`, if not NULL, is told of each
 * op that does something, in the order of the module, if all is known; it must not fail. */
InterpStatus interp_count(const Func *f, const InterpLaunch *launch, int sample, InterpCounts *out,
                          InterpOpFn *fn, void *ctx);

#endif
