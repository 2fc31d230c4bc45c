/*
 * plan_verify.h - is a plan for a CPU whole, before code is made of it?
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

#endif
