/*
 * nv_copies.h - a loop whose loads are to run ahead of it, while it gets its new form
 *
 * nv_copies.c finds the loads, nv_pipeline.c rewrites the loop.
 */
#ifndef TILEC_NV_COPIES_H
#define TILEC_NV_COPIES_H

#include "nv_ring.h"

enum { STAGE_ALIGN = 1024 }; /* of the parts of a stage */

/* What is known of a loop while its loads are looked at. */
typedef struct {
    NvPlan *plan;
    NvStep *loop;
    NvBlock *body;
    int ntiles;           /* of the plan before copies have some of their own */
    const NvStep **maker; /* by tile: the step of the body that makes it; NULL: none does */
    int *argument;    /* by tile: of which argument of the body it is; 0: of none that is carried */
    const int *users; /* by tile, in the whole plan */
    bool *needed;     /* by tile: the steps ahead compute it */
    bool *carried;    /* by argument: those have it too */
    bool *kept;       /* by argument: the rounds of the body still read it, or who comes behind */
    const NvTile **ahead; /* by tile of the body: that of the steps ahead; NULL: they have none */
    VEC(NvStep *) copies; /* and in the same order */
    VEC(const NvStep *) loads;
    VEC(const NvStep *) puts;
    int commons; /* the last ones of these are of tiles that all threads take (nv_common.c) */
    VEC(NvStep *) takes; /* in place of loads that threads copy for themselves; NULL: of others */
} LoopView;

/* Can the steps ahead do it: does it compute, or load indices that each thread reads for itself? */
bool nv_can_run_ahead(const NvStep *s);
/* The loads that only feed products, as copies. */
void nv_find_copies(LoopView *v);
/* And what rounds load for the next one, and what factors of products are computed of, as copies
 * that each thread makes for itself: of each kind all or none, where all have so many stages. */
void nv_find_own_copies(LoopView *v, int stages);
/* What rounds hand on that is not for copies alone, which are asked for elsewhere. */
void nv_find_kept(LoopView *v);
int64_t nv_stage_part(const NvPlan *p, const NvStep *copy); /* bytes of its tile in a stage */
/* At most as many as wanted. */
int nv_stages_of_copies(const LoopView *v, int wanted);
bool nv_rather_beside(const LoopView *v, int stages); /* programs than stages */

#endif
