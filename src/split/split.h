/*
 * split.h - how one program of a plan may be run in parts, each by another thread
 *
 * A part is a program by itself: it goes through all steps, and takes some of the work.  See Split
 * in plan.h, which is what this decides.
 */
#ifndef TILEC_SPLIT_SPLIT_H
#define TILEC_SPLIT_SPLIT_H

#include "../plan/plan.h"

/* split.c */
/* Set plan->split and what nests have of it, of a plan that is made. */
void split_programs(Plan *p);
/* An op that a part would not have what it reads for, or all of whose parts would store; NULL:
 * there is none. */
const Op *split_wrong(const Plan *p);

#endif
