/*
 * fused.c - forward and backward in one kernel, which is launched in place of the forward
 *
 *     loss = ..                          of the forward, with what it stores
 *     tl.store(out + at, loss, mask)
 *     ..                                 d_out is read, and d_x stored
 *
 * The backward computes the forward again in any case: here what that stores stays, too.  So it is
 * where each program stores the gradients of what it reads, alone: else programs would hand on
 * what only a second launch, or one of more programs, adds up.
 */
#include "grad.h"

/* Is it done as it stands, once, by the derived kernel, too? */
static bool is_kept(const Op *op)
{
    return op->code == OP_store || op->code == OP_barrier || grad_puts_in_memory(op);
}

static void check_effect(Op *op, void *grad)
{
    const OpAccess access = ir_access(op);

    if ((access.effect & WRITES) && !is_kept(op))
        grad_refuse(grad, op,
                    "of what the forward does to memory one kernel of both has stores and "
                    "tl.atomic_add alone: derive without --fused");
}

static bool fits(const Grad *g, const GradArray *a)
{
    return g->wish->atomics || a->fill == GRAD_STORED || a->in_order;
}

bool grad_check_fused(Grad *g)
{
    if (!g->wish->fused)
        return true;
    for (int i = 0; i < g->nwrt && !g->failed; i++) {
        const GradArray *a = &g->wrt[i];
        if (fits(g, a))
            continue;
        grad_refuse(g, a->loads.at[0],
                    "programs hand gradients to the same elements of `%s`, which takes more than "
                    "one kernel: derive without --fused, or with --atomics",
                    g->func->params[a->array->index].name);
    }
    return !g->failed;
}

void grad_drop_effects(Grad *g, const GradOps *effects)
{
    for (int i = 0; i < effects->len && g->wish->fused && !g->failed; i++)
        check_effect(effects->at[i], g);
    for (int i = 0; i < effects->len && !g->failed; i++) {
        if (!g->wish->fused || !is_kept(effects->at[i]))
            op_remove(effects->at[i]);
    }
}
