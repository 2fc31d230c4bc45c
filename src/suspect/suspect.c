/*
 * suspect.c - the mistakes that are looked for in a kernel that is right to the compiler
 *
 * One list; each row is one file.  It runs on what was lowered, in front of all passes, where every
 * op still stands for what somebody wrote.
 */
#include "suspect.h"

static Suspicion *const suspicions[] = {
    suspect_narrow,  suspect_totals,   suspect_lanes,   suspect_nothing, suspect_exchange,
    suspect_mean,    suspect_axes,     suspect_crossed, suspect_rounds,  suspect_limit,
    suspect_scores,  suspect_truth,    suspect_wrap,    suspect_power,   suspect_kept,
    suspect_mask,    suspect_programs, suspect_drawn,   suspect_begun,   suspect_rescale,
    suspect_log,     suspect_bits,     suspect_never,   suspect_local,   suspect_again,
    suspect_softmax, suspect_norm,     suspect_radix,   suspect_cut,     suspect_quant,
    suspect_causal,  suspect_scan,     suspect_state,   suspect_carried, suspect_dealt,
    suspect_shares,  suspect_twice,    suspect_combine, suspect_whole,   suspect_early};

void suspect_warn_of_all(const Module *m, Diags *d)
{
    Arena *arena = m->arena;

    for (int i = 0; i < m->nfuncs; i++) {
        SuspectFacts facts = {0};
        const Suspect s = {m->funcs[i], arena, d, &facts};
        for (int k = 0; k < COUNT(suspicions); k++)
            suspicions[k](&s);
    }
}
