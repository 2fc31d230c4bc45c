/*
 * plan_make.c - the plan of a kernel, from its nests to where in scratch memory everything lies
 *
 * Takes the nests and their shapes from plan.c, has each one's code listed, and then finds what
 * need not be laid out, filled or stored, since a product or a scan does it.
 */
#include "plan_schedule_internal.h"

static int64_t lay_out_buffers(Plan *p, int64_t at, bool kept)
{
    for (int i = 0; i < p->buffers.len; i++) {
        Buffer *b = &p->buffers.at[i];
        if ((b->keep != 0) != kept || b->bytes == 0)
            continue;
        b->offset = at;
        at += (b->bytes + PLAN_WIDEST + 63) / 64 * 64;
    }
    return at;
}

/* Buffers, and behind them what programs have for themselves: a thread runs one at a time.  What
 * stays from one to the next comes last. */
static void lay_out_scratch(Plan *p)
{
    int64_t at = lay_out_buffers(p, PLAN_SINK, false);

    p->workspaces = NEW_N(p->arena, int64_t, p->func->nparams + 1);
    for (int i = 0; i < p->func->nparams; i++)
        p->workspaces[i] = at + ir_workspace_at(p->func, i);
    p->front = at + ir_workspace_at(p->func, p->func->nparams);
    p->scratch = lay_out_buffers(p, (p->front + 63) / 64 * 64, true);
    if (p->keeps.len == 0)
        p->scratch = p->front;
}

Plan *plan_make(const Func *f, const GenOptions *o, Machine m, Arena *a)
{
    Plan *p = plan_nests(f, o, m, a);

    if (!p->beyond) {
        plan_schedule(p);
        plan_full(p);
        plan_place(p);
        plan_sums(p);
        plan_starts(p);
        plan_results(p);
        plan_whole(p);
        plan_scan_results(p);
    }
    lay_out_scratch(p);
    return p;
}
