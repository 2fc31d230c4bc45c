/*
 * plan_schedule.h - what the code of each nest computes, and what need not be laid out for it
 *
 * Takes nests in their shapes (../plan/plan.h), and gives the plan that code is made of: a schedule
 * for each nest (plan_entry.h), and, since schedules say what is there in front of a nest, which
 * operands of products are read in place, which sums begin and end in registers, which loops are
 * one product, and which results of scans are at hand.
 */
#ifndef TILEC_PLAN_SCHEDULE_PLAN_SCHEDULE_H
#define TILEC_PLAN_SCHEDULE_PLAN_SCHEDULE_H

#include "../plan/plan.h"

/* plan_make.c */
/* Never fails: a plan that is too large has `beyond` set, and is not to be carried out.  Lives in
 * the arena; `f` and `o` must outlive it. */
Plan *plan_make(const Func *f, const GenOptions *o, Machine m, Arena *a);
/* plan_full.c: does finding where each row ends take as long as what is done in it? */
bool plan_has_short_rows(const Nest *n);
/* plan_place.c: what a tile of an address in place has from another one, which is read at the
 * indices that `in` gets */
const Value *plan_place_behind(const Value *v, const int8_t *map, int8_t *in);

#endif
