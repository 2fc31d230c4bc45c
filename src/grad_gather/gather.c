/*
 * gather.c - from a kernel the kernel of its gradients, with as few atomics as can be
 */
#include "gather.h"

bool grad_derive(Module *m, const GradWish *wish, Arena *a, Diags *d, Grad *out)
{
    if (!grad_begin(m, wish, a, d, out))
        return false;
    for (int i = 0; i < out->nwrt; i++) {
        gather_passes(out, &out->wrt[i]);
        gather_picks(out, &out->wrt[i]);
        if (!wish->fused) /* they are gathered by more programs */
            gather_windows(out, &out->wrt[i]);
        if (!wish->fused)
            gather_transposed(out, &out->wrt[i]);
        gather_in_last_pass(out, &out->wrt[i]);
        gather_in_order(out, &out->wrt[i]);
    }
    for (int i = 0; i < out->nwrt; i++) {
        const bool missed = out->wrt[i].may_have_parts && out->wrt[i].fill == GRAD_ADDED;
        out->missed |= missed ? 1u << i : 0;
    }
    if (out->missed)
        return true;
    for (int i = 0; i < out->nwrt; i++)
        gather_zeros(out, &out->wrt[i]);
    gather_find_covers(out);
    if (!grad_check_fused(out) || !grad_finish(out))
        return false;
    gather_without_masks(out);
    return opt_run_pass(m, "dce", d) && gather_write_plainly(out, d);
}
