/*
 * nv_record_plan.c - what a record needs: its tiles in some layout, and a place where all threads
 * learn where it goes
 */
#include "nv_plan.h"

static const Layout *layout_of(NvPlan *p, const Value *v)
{
    return nv_home(p, v) ? nv_home(p, v) : nv_default_layout(p, v->type);
}

void nv_list_record(NvPlan *p, const Op *op)
{
    NvStep *s = nv_step(p, NV_RECORD, op);

    for (int i = 0; i < op->noperands; i++) {
        const Value *v = op->operands[i];
        nv_want(p, s, i, nv_is_tile(v) ? layout_of(p, v) : NULL);
        if (nv_is_tile(v))
            s->within = nv_wait_warps(p);
    }
    if (nv_meets(&s->within)) {
        int buffer = nv_buffer(p, sizeof(uint64_t));
        nv_use(p, s, buffer, true, false);
        nv_use(p, s, buffer, false, true);
    }
    nv_list(p, s);
}
