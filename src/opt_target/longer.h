/*
 * longer.h - rounds that become longer: what the files of this pass know of one another
 */
#ifndef TILEC_OPT_TARGET_LONGER_H
#define TILEC_OPT_TARGET_LONGER_H

#include "opt_target.h"
#include "../axis/axis.h"
#include "../ir/analysis.h"

enum { LONGER_MOST_BACK = 40 /* ops, from a reduction to where its operand comes from */ };

typedef struct {
    Func *func;
    UseLists uses;
    const AxisFacts *facts;
    Op *loop;
    int64_t lanes, step;      /* of a round */
    int64_t rounds;           /* that become one */
    Builder b;                /* into the new round */
    bool cut;                 /* what loads are masked by leaves out rounds that are no more */
    Value *inside;            /* i1 of its lanes: there is such a round; NULL: always */
    Map *made[MAX_RANK + 1];  /* by the dimension that is longer, from 1 on; 0: none is */
    Map *along[MAX_RANK + 1]; /* by that, too: what is known of values */
    Map *uncut, *zeros;       /* masks that do not cut, and values that are 0 where others do */
} Longer;

/* longer.c */
/* What a round adds to carried value number i, and nothing else looks at; NULL. */
Op *longer_reduced(const Longer *x, int i);

/* longer_cut.c */
/* Is it counter + lanes < hi? */
bool longer_is_before_end(const Longer *x, const Op *op);
/* Nothing is loaded in rounds that are no more, and what is added to sums there is 0, which began
 * as 0. */
bool longer_is_cut(const Longer *x);

#endif
