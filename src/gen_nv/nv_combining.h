/*
 * nv_combining.h - code that reductions and scans share, in the course of one step
 *
 * A *part* is what some neighbours along the axis come to, one value for each of the combined
 * tiles. Parts lie by the number of a register; those of registers that hold nothing are full of
 * NULL.
 */
#ifndef TILEC_GEN_NV_NV_COMBINING_H
#define TILEC_GEN_NV_NV_COMBINING_H

#include "nv.h"
#include "../gpu_plan/nv_combine.h"

typedef struct {
    Val v[MAX_COMBINED];
} Part;

typedef struct {
    Nv *n;
    const NvStep *step;
    const NvCombine *plan;
    int count, registers;
    Part *x;              /* by register; at the start the operands */
    uint32_t done;        /* bits of the index along the axis that are combined */
    uint32_t thread_bits; /* bits of that index that threads move */
    bool filled;          /* what does not exist changes nothing */
    bool wide;            /* small floats, in fp32 until the end */
} Combining;

typedef enum { NEVER, SOMETIMES, ALWAYS } Certainty;
/* Does the element at that index exist, moved by what bits of the thread's number that are not done
 * add to it?  *when: an i1, where it is SOMETIMES. */
Certainty combining_exists(Combining *c, uint32_t index, Val *when);

/* Start on a reduce or scan: x[] are the operands' registers, and nothing is done yet. */
Combining combining_begin(Nv *n, const NvStep *s);
/* The index along the axis that a register stands for, without what the thread adds. */
uint32_t combining_index(const Combining *c, int r);
/* The register that is moved by these bits of the index, which registers do. */
int combining_register(const Combining *c, uint32_t index);
/* Is r the one of those registers, which differ in what is done, that the rest goes on with? */
bool combining_is_left(const Combining *c, int r);
/* The part that changes nothing; only where the parts are `filled`. */
void combining_neutral(const Combining *c, Part *out);
/* out = a o b, a the earlier one, of register r; out may be one of them.  `when`: an i1, where it
 * is `other` instead if that is not so; NULL: it is.  Where the region uses memory it does not run
 * then, nor for a row that does not exist, nor, where combinations are done once, in other threads.
 */
void combining_apply(Combining *c, int r, const Part *a, const Part *b, Val when, const Part *other,
                     Part *out);
/* The same where b may not exist: then out = a. */
void combining_append(Combining *c, int r, const Part *a, const Part *b, Certainty exists, Val when,
                      Part *out);
/* out = condition (an i1) ? a : b; out may be one of them. */
void combining_select(Combining *c, Val condition, const Part *a, const Part *b, Part *out);
/* The part that the lane has whose number differs in that bit. */
void combining_shuffle(Combining *c, const Part *part, int lane_bit, Part *out);
/* The one that a lane has, an i32. */
void combining_fetch(Combining *c, const Part *part, Val lane, Part *out);
/* i1: is that bit of the thread's number set, which moves a bit of the index? */
Val combining_bit(Combining *c, int index_bit);
/* Through shared memory: parts[r * g->each + i] is what the i-th of the warps has in register r, of
 * all that are left, or the i-th of those that this lane reads; in the arena. */
Part *combining_exchange(Combining *c, const NvStage *g);
/* Which of the parts is this thread's own: an i32. */
Val combining_own(Combining *c, const NvStage *g);

#endif
