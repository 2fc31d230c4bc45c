/*
 * nv_gather_plan.c - gathers and histograms: moves through shared memory whose way the data says
 *
 * The source of a gather is laid down, and each thread reads where its own indices say.  A
 * histogram is counted in shared memory, by all threads at once.
 */
#include "nv_plan.h"

static void choose_home(NvPlan *p, const Op *op, const Layout *l)
{
    if (l)
        nv_set_home(p, op->results[0], l, NV_PLAIN);
}

void nv_choose_gather(NvPlan *p, const Op *op)
{
    nv_need_home(p, op->operands[GATHER_SOURCE]);
    choose_home(p, op, nv_need_home(p, op->operands[GATHER_INDEX]));
}

void nv_choose_histogram(NvPlan *p, const Op *op)
{
    nv_need_home(p, op->operands[HISTOGRAM_VALUES]);
    choose_home(p, op, nv_default_layout(p, op->results[0]->type));
}

/* The step for a result that somebody wants, with a tile of that type in shared memory; NULL: it is
 * not to be. */
static NvStep *begin(NvPlan *p, const Op *op, const Type *laid_down)
{
    int64_t bytes = type_numel(laid_down) * nv_exchanged_bytes(p, laid_down);
    NvTile *t = nv_result(p, op, 0);

    if (!t)
        return NULL;
    if (bytes > p->chip->shared) {
        nv_refuse(p, op, "a tile of more than shared memory holds, which all threads look into");
        return NULL;
    }
    NvStep *s = nv_step(p, NV_MOVE, op);
    int buffer = nv_buffer(p, bytes);
    s->out[0] = t;
    s->within = nv_wait_warps(p);
    nv_use(p, s, buffer, true, false);
    nv_use(p, s, buffer, false, true);
    return s;
}

void nv_list_gather(NvPlan *p, const Op *op)
{
    const Value *source = op->operands[GATHER_SOURCE];
    NvStep *s = begin(p, op, source->type);

    if (!s)
        return;
    s->detail = nv_move_plan_put(p, source, nv_need_home(p, source));
    nv_want(p, s, GATHER_SOURCE, nv_need_home(p, source));
    nv_want(p, s, GATHER_INDEX, s->out[0]->layout);
    nv_list(p, s);
}

void nv_list_histogram(NvPlan *p, const Op *op)
{
    const Layout *l = nv_need_home(p, op->operands[HISTOGRAM_VALUES]);
    NvStep *s = begin(p, op, op->results[0]->type);

    if (!s)
        return;
    for (int i = 0; i < op->noperands; i++)
        nv_want(p, s, i, l);
    nv_list(p, s);
}
