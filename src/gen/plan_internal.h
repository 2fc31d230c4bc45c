/*
 * plan_internal.h - what the planner's files share; see plan.h for the vocabulary
 */
#ifndef TILEC_GEN_PLAN_INTERNAL_H
#define TILEC_GEN_PLAN_INTERNAL_H

#include "plan.h"

/* An effect on memory in the block being planned. */
typedef struct {
    const Value *ptr; /* NULL: anything */
    int order;
} Write;

/* The state of one block while its steps are listed. */
typedef struct {
    BlockPlan *out;
    Nest *open; /* takes more roots until flushed */
    VEC(Write) writes;
} BlockState;

typedef struct {
    Plan *plan;
    Map *nest_of_op; /* op -> nest id + 1 */
    int next_nest;
    int order;
    bool changed; /* a mark was added: another round is needed */
} Planner;

/* plan_block.c.  `carried` holds the buffers that the block's yield fills, one for each operand
 * (NO_BUFFER for scalars), or NULL. */
BlockPlan *plan_block(Planner *pl, Block *b, const int *carried);

/* plan.c */
int plan_op_cost(const Op *op); /* of one element, about in instructions */

/* plan_order.c */
/* Fill in leaves, work and branches of `into`, a nest of the root's shape that has no roots yet: a
 * candidate, which becomes the open nest, or is added to it, or is only looked at. */
void plan_leaves(Planner *pl, const Root *root, Nest *into);
/* Mark loads that would move past a write to memory they may reach. */
void plan_pin_loads(Planner *pl, const BlockState *st, const Root *root, const Nest *candidate,
                    int now);
/* May the root join the open nest?  Of equal dimensions, and neither reads what the other writes,
 * but for an element's own. */
bool plan_can_fuse(const Planner *pl, const Nest *open, const Root *root, const Nest *candidate);
/* The inner dimension is the one along which most accesses are contiguous; the rest keep their
 * order. */
void plan_choose_order(const Planner *pl, Nest *n);
/* plan_access.c: set forms and bounds of a nest that has its shape */
void plan_accesses(Plan *p, Nest *n);
/* plan_shape.c: set lanes, copies and blocks */
void plan_shape(Plan *p);
/* plan_size.c: set size and `beyond` */
void plan_measure(Plan *p);
/* plan_ahead.c: choose what each nest prefetches for the next program. */
void plan_look_ahead(Plan *p);

const Type *plan_root_shape(const Root *r); /* the type whose dimensions its nest runs over */

#endif
