/*
 * nv_atomic.c - atomics
 */
#include "nv.h"

void nv_choose_atomic(NvPlan *p, const Op *op)
{
    *nv_value(p, op->results[0]) = (NvValue){0};
    if (nv_is_tile(op->results[0]))
        nv_set_home(p, op->results[0], nv_coalesced(p, op), NV_PLAIN);
}

void nv_list_atomic(NvPlan *p, const Op *op)
{
    nv_refuse(p, op, "atomics");
}

void nv_atomic(Nv *n, const NvStep *s)
{
    (void)n;
    (void)s;
}
