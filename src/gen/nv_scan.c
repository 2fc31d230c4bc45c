/*
 * nv_scan.c - scans
 */
#include "nv.h"

void nv_choose_scan(NvPlan *p, const Op *op)
{
    for (int i = 0; i < op->nresults; i++)
        nv_set_home(p, op->results[i], nv_need_home(p, op->operands[0]), NV_PLAIN);
}

void nv_list_scan(NvPlan *p, const Op *op)
{
    nv_refuse(p, op, "scan");
}

void nv_scan(Nv *n, const NvStep *s)
{
    (void)n;
    (void)s;
}
