/*
 * nv_combine.h - reductions and scans on GPUs: how elements along an axis come together
 *
 * A layout that layout_walk() takes has each bit of the index along the axis on one bit of the
 * number of a register, lane or warp.  So a reduction goes bit by bit: two halves that differ in
 * one bit are combined, in registers, by a shuffle, or through shared memory, until all bits are
 * done.  A *stage* is some bits of one kind.  Where the region is known to commute, registers come
 * first, which leaves the fewest shuffles; else bits go from the lowest to the highest, so that
 * each part is a run of neighbours and the earlier run is the region's first operand.
 *
 * A bit of each thread that all are to know, whether any or all have it set, takes no exchange: one
 * instruction asks a warp, or all warps where they wait for each other.
 *
 * nv_combine_plan.c decides on the stages, nv_combine.c has what both need to carry them out.
 */
#ifndef TILEC_GPU_PLAN_NV_COMBINE_H
#define TILEC_GPU_PLAN_NV_COMBINE_H

#include "nv_plan.h"
#include "../ir/analysis.h"

/* Bits of the index along the axis.  Of warps: the exchange through a buffer, in which each thread
 * of `writers` (bits of its number; the others hold copies) leaves what it has of `slots`
 * registers. */
typedef struct {
    StepKind kind;
    uint32_t bits;
    int buffer;
    uint32_t writers;
    int slots;
    bool neighbours; /* the parts of one element lie side by side, else slots, by vectors */
    int each;        /* parts that a thread reads: all, or some, and lanes combine the rest: */
    uint32_t lanes;  /* bits of the lane's number, which number these vectors of parts */
} NvStage;

/* Rows of a reduction's result, bits of the register's number, that go to one thread each where all
 * would have copies of all of them: at what is read last from the buffer. */
typedef struct {
    uint32_t rows;                     /* bits of the register's number, of the operands */
    uint32_t each[LAYOUT_THREAD_BITS]; /* which of them a bit of the thread's number chooses; 0 */
    Layout result;
} NvDeal;

/* What NvStep.detail is for reduce and scan. */
typedef struct {
    const Layout *layout; /* of the operands */
    int axis;
    AxisWalk walk;
    CombineKind kind;
    bool any_order;
    bool uses_memory; /* the region does: it runs for what exists alone */
    bool once;        /* each combination is done by one thread, and all learn the end from it */
    bool votes;  /* of one bit: behind the registers' there is one stage, in which threads vote */
    NvDeal deal; /* of no rows: each thread has all that it held a part of */
    int nstages;
    NvStage stages[LAYOUT_MAX_BITS + 1];
} NvCombine;

enum { NV_WORD = 4 }; /* elements are exchanged as one or two words of so many bytes */
static inline int nv_combined_words(const Type *t)
{
    return type_size(t) > NV_WORD ? 2 : 1;
}
/* The number of threads that leave different things, and of the parts that come together. */
static inline int nv_stage_threads(const NvStage *g)
{
    return 1 << __builtin_popcount(g->writers);
}
static inline int nv_stage_parts(const NvStage *g)
{
    return 1 << __builtin_popcount(g->bits);
}

/* Parts of an operand that a thread reads at once, side by side. */
int nv_stage_vector(const NvStage *g, const Type *t);
/* Slots that lie side by side, and are written and read at once; 1 where parts do. */
int nv_stage_slots(const NvStage *g, const Type *t);
/* Where in the buffer the parts of operand k begin, in bytes, aligned for that; of the one behind
 * the last: how many bytes all of them take. */
int64_t nv_stage_start(const NvStage *g, const Op *op, int k);

/* Bits of the thread's number that still make a difference to the values when these bits of the
 * index are combined. */
uint32_t nv_telling_bits(const NvCombine *c, uint32_t done);

#endif
