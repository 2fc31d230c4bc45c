/*
 * gather.c - from a kernel the kernel of its gradients, with as few atomics as can be
 */
#include "gather.h"

#include "../opt_target/opt_target.h"

static bool tidy(Module *m, Diags *d)
{
    static const char *const last[] = {"fold", "cse", "dce"};

    for (int i = 0; i < COUNT(last); i++) {
        if (!opt_run_pass(m, last[i], d))
            return false;
    }
    return true;
}

/* Of n <= stride, 2 * n <= stride and n + 1 <= stride the later ones say all. */
static bool is_implied(const GradNeed *n, const GradNeed *by)
{
    Poly less = n->least;
    int64_t apart;
    const bool is_times = n->least.count == 1 && by->least.count == 1 &&
                          terms_same_unit(&n->least.terms[0], &by->least.terms[0]) &&
                          n->least.terms[0].scale < by->least.terms[0].scale;

    return n->array == by->array && poly_equal(&n->most, &by->most) &&
           (is_times ||
            (poly_add(&less, &by->least, -1) && poly_is_constant(&less, &apart) && apart < 0));
}

/* What is differentiated by itself, and is stored once, is loaded once. */
static bool is_of_stores(const Grad *g, const GradNeed *n, const GradNeed *by)
{
    return by->array == &g->of && n->array->array == g->of.array &&
           poly_equal(&n->least, &by->least) && poly_equal(&n->most, &by->most);
}

static void drop_implied_needs(Grad *g)
{
    int left = 0;

    for (int i = 0; i < g->needs.len; i++) {
        bool implied = false;
        for (int k = 0; k < g->needs.len && !implied; k++)
            implied = is_implied(&g->needs.at[i], &g->needs.at[k]) ||
                      (i != k && is_of_stores(g, &g->needs.at[i], &g->needs.at[k]));
        if (!implied)
            g->needs.at[left++] = g->needs.at[i];
    }
    g->needs.len = left;
}

/* All but how it is written. */
static bool finish(Grad *g, bool is_loaded)
{
    Module *m = g->func->module;

    if (!is_loaded)
        grad_load_saved(g);
    if (!g->failed)
        grad_walk_programs(g);
    grad_put_forward(g);
    if (g->failed || !tidy(m, g->diags) || (grad_share_loads(g) && !tidy(m, g->diags)))
        return false;
    grad_drop_tapes(g);
    drop_implied_needs(g);
    return opt_run_pass(m, "dce", g->diags) && grad_check_in_place(g);
}

/* Are there atomics that may be exchanged?  What they add may be made of what the forward stored.
 */
static bool adds_in_loops(const Grad *g)
{
    bool any = false;

    for (int i = 0; i < g->nwrt; i++)
        any |=
            g->wrt[i].fill == GRAD_ADDED && !g->wrt[i].in_order && !grad_by_atomics(g, &g->wrt[i]);
    return any && !g->wish->fused && !g->walk.axes;
}

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
    const bool is_loaded = adds_in_loops(out);
    if (is_loaded) {
        grad_load_saved(out);
        if (!opt_run_pass(m, "fold", d) || !opt_run_pass(m, "cse", d))
            return false;
        gather_blocks(out);
    }
    for (int i = 0; i < out->nwrt; i++) {
        const bool missed = out->wrt[i].may_be_known && out->wrt[i].fill == GRAD_ADDED;
        out->missed |= missed ? 1u << i : 0;
    }
    if (out->missed)
        return true;
    for (int i = 0; i < out->nwrt; i++)
        gather_zeros(out, &out->wrt[i]);
    gather_find_covers(out);
    if (!grad_check_fused(out) || !finish(out, is_loaded))
        return false;
    gather_without_masks(out);
    if (!opt_run_pass(m, "dce", d) || !gather_join_ties(out, d) || !gather_write_plainly(out, d) ||
        !gather_share_inverses(out, d))
        return false;
    grad_store_sums_last(out);
    return true;
}
