/*
 * plan_verify.h - is a plan for a CPU whole, before code is made of it?  And as text
 */
#ifndef TILEC_PLAN_VERIFY_PLAN_VERIFY_H
#define TILEC_PLAN_VERIFY_PLAN_VERIFY_H

#include "../plan/plan.h"

/* plan_verify.c: is all made that the plan reads?  False: a diagnostic says what is not, and where.
 * Of a plan that is not `beyond`; takes time that grows with its length alone. */
bool plan_verify(const Plan *p, Diags *d);

/* plan_verify_dot.c, for it */
/* What is wrong with a product, or NULL. */
const char *plan_product_fault(const Plan *p, const Step *s, IsThere *is_made, const void *ctx);
bool plan_buffer_is_there(const Plan *p, int buffer); /* one of some bytes */
/* Is it there, and what is kept in it that of this number? */
bool plan_is_kept(const Plan *p, int buffer, int keep);
/* Is there room for so many elements, in each of its slots, where it has some? */
bool plan_has_room(const Plan *p, int buffer, DType t, int64_t elements);

/* plan_hint.c */
typedef struct {
    int row, vector; /* elements of a row that lie side by side; lanes of a vector */
} PlanHint;
/* Would longer rows take less than half the time for each element of most of the work? */
bool plan_hint(const Plan *p, PlanHint *out);

/* plan_print.c, plan_print_schedule.c */
const char *plan_text(const Plan *p, Arena *a); /* for --stage plan and the tests; in the arena */
const char *plan_schedule_text(const Plan *p, Arena *a); /* the same for --stage schedule */

#endif
