/*
 * legalise.c - take out of a module what its target does not have
 *
 * Takes and gives verified IR.  Needs nothing.  What a target has it says in OptOptions; the rest
 * is written in terms of ops that every target has, or, where it is only a wish, dropped.
 */
#include "opt.h"

static void drop_wishes(Op *op, void *ctx)
{
    static const AttrId wishes[] = {ATTR_num_stages, ATTR_flatten, ATTR_warp_specialize,
                                    ATTR_disallow_acc_multi_buffer, ATTR_disable_licm};

    (void)ctx;
    for (int i = 0; op->code == OP_for && i < COUNT(wishes); i++)
        attr_set(op, wishes[i], 0);
}

void opt_drop_schedule(Module *m)
{
    for (int i = 0; i < m->nfuncs; i++) {
        m->funcs[i]->num_warps = m->funcs[i]->num_stages = 0;
        ir_walk(m->funcs[i]->body, drop_wishes, NULL);
    }
}

void opt_legalise(Module *m, const OptOptions *o)
{
    if (!o->schedules)
        opt_drop_schedule(m);
}
