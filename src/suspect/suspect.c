/*
 * suspect.c - the mistakes that are looked for in a kernel that is right to the compiler
 *
 * One list; each row is one file.  It runs on what was lowered, in front of all passes, where every
 * op still stands for what somebody wrote.
 */
#include "suspect.h"

static Suspicion *const suspicions[] = {
    formula_narrow,  formula_totals,   suspect_lanes,   formula_nothing, suspect_exchange,
    suspect_mean,    suspect_axes,     suspect_crossed, suspect_rounds,  suspect_limit,
    formula_scores,  formula_truth,    suspect_wrap,    formula_power,   suspect_kept,
    suspect_mask,    suspect_programs, suspect_drawn,   suspect_begun,   formula_rescale,
    formula_log,     formula_bits,     suspect_never,   suspect_local,   suspect_again,
    formula_softmax, formula_norm,     suspect_radix,   formula_cut,     formula_quant,
    suspect_causal,  suspect_scan,     formula_state,   suspect_carried, suspect_dealt,
    suspect_shares,  formula_turn,     formula_twice,   formula_combine, suspect_whole,
    suspect_rest,    suspect_turned,   formula_early,   formula_moments, suspect_partial,
    suspect_gaps,    suspect_border,   suspect_unmoved, suspect_start,   suspect_unrolled,
    suspect_counted, suspect_stored,   suspect_named};

void suspect_warn_of_all(const Module *m, Diags *d)
{
    Arena *arena = m->arena;

    for (int i = 0; i < m->nfuncs; i++) {
        SuspectFacts facts = {0};
        const Suspect s = {m->funcs[i], arena, d, &facts};
        if (tell_is_tangled(s.func, arena))
            continue;
        for (int k = 0; k < COUNT(suspicions); k++)
            suspicions[k](&s);
    }
}
