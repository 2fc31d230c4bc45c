/*
 * nv_inline_plan.c - the user's own instructions (inline_asm): one layout for all that they touch
 *
 * nv_inline.c runs them for each few elements of a thread.
 */
#include "nv_plan.h"
#include "../inline_ptx/inline_ptx.h"

/* The registers of a thread must be the same for all: in the home of one of them. */
void nv_choose_inline(NvPlan *p, const Op *op)
{
    const Layout *home = NULL;

    for (int i = 0; i < op->noperands && !home; i++)
        home = nv_home(p, op->operands[i]);
    if (!home && nv_is_tile(op->results[0]))
        home = nv_default_layout(p, op->results[0]->type);
    for (int i = 0; i < op->nresults; i++) {
        *nv_value(p, op->results[i]) = (NvValue){0};
        nv_set_home(p, op->results[i], home, NV_PLAIN);
    }
}

void nv_list_inline(NvPlan *p, const Op *op)
{
    AsmConstraints *c = NEW(p->arena, AsmConstraints);
    NvStep *s = nv_step(p, NV_INLINE, op);

    if (!nv_is_wanted(p, op))
        return;
    if (!asm_constraints(p->arena, op, c)) {
        ir_diag(p->diags, DIAG_ERROR, op,
                "the constraints \"%s\" do not fit %d results and %d operands",
                attr_constraints(op), op->nresults, op->noperands);
        p->refused = true;
        return;
    }
    s->detail = c;
    for (int i = 0; i < op->nresults; i++) {
        NvTile *t = nv_tile(p, op->results[i], nv_home(p, op->results[i]));
        nv_list_conversions(p, t);
        s->out[i] = t;
    }
    for (int i = 0; i < op->noperands; i++)
        nv_want(p, s, i, s->out[0]->layout);
    nv_list(p, s);
}
