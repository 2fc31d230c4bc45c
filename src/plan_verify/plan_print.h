/*
 * plan_print.h - what the files share that print plans
 */
#ifndef TILEC_PLAN_VERIFY_PLAN_PRINT_H
#define TILEC_PLAN_VERIFY_PLAN_PRINT_H

#include "plan_verify.h"

typedef struct {
    Text out;
    const Plan *plan;
    Printer *ops;
} PlanText;

/* plan_print.c */
extern const char *const plan_root_names[], *const plan_form_names[]; /* by RootKind, AccessForm */
const char *plan_gather_form(const Entry *e);               /* of MAKE_GATHER: " contiguous" */
void plan_put_head(PlanText *p, const Nest *n, int indent); /* "nest [64,32] order 0 1 lanes 16" */
void plan_put_value(PlanText *p, const Value *v);           /* " %x" */

#endif
