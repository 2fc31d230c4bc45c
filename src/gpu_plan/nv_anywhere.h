/*
 * nv_anywhere.h - addresses that have no say in a layout
 */
#ifndef TILEC_GPU_PLAN_NV_ANYWHERE_H
#define TILEC_GPU_PLAN_NV_ANYWHERE_H

#include "nv_plan.h"

/* Is it the same for most neighbours along that dimension? */
bool nv_hardly_changes(const NvPlan *p, const Value *v, int dim);
/* Does it follow from what is loaded for each of them? */
bool nv_is_looked_up(const NvPlan *p, const Value *v, int dim);

#endif
