/*
 * nv_dot.c - matrix products
 */
#include "nv.h"

void nv_choose_dot(NvPlan *p, const Op *op)
{
    nv_set_home(p, op->results[0], nv_default_layout(p, op->results[0]->type), NV_DOT_RESULT);
}

void nv_list_dot(NvPlan *p, const Op *op)
{
    nv_refuse(p, op, "dot");
}

void nv_dot(Nv *n, const NvStep *s)
{
    (void)n;
    (void)s;
}
