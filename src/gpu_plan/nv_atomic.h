/*
 * nv_atomic.h - what the plan of an atomic says beside its tiles: NvStep.detail
 */
#ifndef TILEC_GPU_PLAN_NV_ATOMIC_H
#define TILEC_GPU_PLAN_NV_ATOMIC_H

#include "nv_plan.h"

typedef struct {
    bool used; /* somebody wants to know what memory held */
    bool releases, acquires;
} NvAtomic;

#endif
