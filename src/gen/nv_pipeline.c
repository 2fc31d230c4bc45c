/*
 * nv_pipeline.c - loads ahead of the round that needs them
 */
#include "nv_plan.h"

void nv_pipeline(NvPlan *p)
{
    (void)p;
}
