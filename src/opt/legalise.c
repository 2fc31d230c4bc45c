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
        m->funcs[i]->num_warps = m->funcs[i]->num_stages = m->funcs[i]->maxnreg = 0;
        ir_walk(m->funcs[i]->body, drop_wishes, NULL);
    }
}

typedef struct {
    OptTakes takes;
    bool handles, handed_over; /* some are not taken; some go to a helper or come from one */
} Found;

static void find_handles(Op *op, void *found)
{
    Found *f = found;
    bool here = false;

    for (int i = 0; i < op->noperands; i++)
        here = here || op->operands[i]->type->handle != HANDLE_NONE;
    for (int i = 0; i < op->nresults; i++)
        here = here || op->results[i]->type->handle != HANDLE_NONE;
    f->handles = f->handles || (here && !(f->takes && f->takes(op)));
    f->handed_over = f->handed_over || (here && op->code == OP_call);
}

/* What helpers take and give is taken apart where they are called. */
static void legalise_handles(Module *m, OptTakes takes, Diags *d)
{
    int errors = diag_errors(d);
    Found found = {takes, false, false};

    for (int i = 0; i < m->nfuncs; i++)
        ir_walk(m->funcs[i]->body, find_handles, &found);
    if (found.handles && found.handed_over)
        opt_inline(m, d);
    if (found.handles && diag_errors(d) == errors)
        opt_expand_blocks(m);
}

void opt_legalise(Module *m, const OptOptions *o, Diags *d)
{
    if (!o->schedules)
        opt_drop_schedule(m);
    legalise_handles(m, o->takes, d);
    opt_translate_asm(m, o->takes);
}
