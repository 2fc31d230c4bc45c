/*
 * nv_reduce.c - reductions
 */
#include "nv.h"

/* The result lies where the operands do, without the axis; threads along it have copies. */
void nv_choose_reduce(NvPlan *p, const Op *op)
{
    const Layout *home = nv_need_home(p, op->operands[0]);
    AxisWalk walk;

    if (!home || !layout_walk(home, (int)attr_axis(op), &walk))
        return;
    for (int i = 0; i < op->nresults; i++) {
        *nv_value(p, op->results[i]) = (NvValue){0};
        if (nv_is_tile(op->results[i]))
            nv_set_home(p, op->results[i], &walk.result, NV_PLAIN);
    }
}

void nv_list_reduce(NvPlan *p, const Op *op)
{
    nv_refuse(p, op, "reduce");
}

void nv_reduce(Nv *n, const NvStep *s)
{
    (void)n;
    (void)s;
}
