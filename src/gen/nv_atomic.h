/*
 * nv_atomic.h - what the plan of an atomic says beside its tiles: NvStep.detail
 */
#ifndef TILEC_GEN_NV_ATOMIC_H
#define TILEC_GEN_NV_ATOMIC_H

#include "nv_plan.h"

enum { NV_OLD_BYTES = 8 }; /* for one value on its way to those who hold copies */

typedef struct {
    uint32_t copies; /* bits of the thread's number: who has one set does nothing */
    bool used;       /* somebody wants to know what memory held */
    int buffer;      /* through which copies get that; NV_NO_BUFFER: there are none */
    bool releases, acquires;
    bool meets; /* all threads wait for each other behind it */
} NvAtomic;

#endif
