/*
 * nv_sort.h - rows of integers in order on GPUs: a network of comparisons, as data
 *
 * The network is Batcher's bitonic sorter ("Sorting networks and their applications", 1968), in the
 * form in which every comparison puts the less in front: sorted runs of 1 << s elements become one
 * of twice as many by comparing each element i of both with its mirror image, i ^ ((2 << s) - 1),
 * and then those that lie 1 << (s - 1), .. 2, 1 apart.
 *
 * Which element an index means is ours to choose while there is no order.  So the bits of the index
 * are first those of the registers' numbers, then lanes', then warps': the lowest ones are compared
 * most often.  Nothing has to move to get there.
 *
 * Where fewer elements are wanted, lists of so many are sorted; then of two lists the less of each
 * element and its mirror image are the least of both, in an order that is one merge away from
 * sorted.  Registers of the other list are done with, lanes and warps of it have copies.
 */
#ifndef TILEC_GPU_PLAN_NV_SORT_H
#define TILEC_GPU_PLAN_NV_SORT_H

#include "nv_plan.h"

/* Every element meets the one whose index differs in the bits of `mask`.  Of the two the one where
 * bit number `bit` is not set gets the lesser; with `halve` both do. */
typedef struct {
    uint32_t mask;
    int bit;
    bool halve;
} NvSortStep;

/* What NvStep.detail is for a sort. */
typedef struct {
    const Layout *layout;            /* of the operand */
    int bits;                        /* of the index */
    AxisStep place[LAYOUT_MAX_BITS]; /* what moves which of them in the network */
    uint32_t registers;    /* bits of the register's number that are left: those of the result */
    int nsteps, exchanges; /* of these, between warps */
    const NvSortStep *steps;
    int buffer; /* for the elements of all threads; NV_NO_BUFFER: they stay in their warps */
    int room;   /* elements of each thread that are there at once: others of it come behind them */
} NvSort;

/* Elements travel as words of 4 bytes, one or two of them. */
static inline int nv_sort_words(const Type *t)
{
    return type_size(t) > 4 ? 2 : 1;
}

/* Of what kind is such a step: the farthest thing that it crosses. */
static inline StepKind nv_sort_kind(const NvSort *s, uint32_t mask)
{
    StepKind kind = STEP_REGISTER;

    for (int i = 0; i < s->bits; i++) {
        if (mask >> i & 1 && s->place[i].kind > kind)
            kind = s->place[i].kind;
    }
    return kind;
}

/* The bits of the numbers of a register and of a thread that move the index by `mask`. */
static inline Holder nv_sort_moves(const NvSort *s, uint32_t mask)
{
    Holder h = {0};

    for (int i = 0; i < s->bits; i++) {
        uint32_t bit = mask >> i & 1 ? 1u << s->place[i].bit : 0;
        h.reg |= s->place[i].kind == STEP_REGISTER ? bit : 0;
        h.lane |= s->place[i].kind == STEP_LANE ? bit : 0;
        h.warp |= s->place[i].kind == STEP_WARP ? bit : 0;
    }
    return h;
}

#endif
