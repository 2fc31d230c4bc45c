/*
 * suspect.c - the mistakes that are looked for in a kernel that is right to the compiler
 *
 * One list; each row is one file.  It runs on what was lowered, in front of all passes, where every
 * op still stands for what somebody wrote.
 *
 * Who looks follows operands along each way there is, some tens of ops far.  That is a few thousand
 * ways in what people write; y = y * (y + 1), twenty times over, is a million.  Of a function with
 * so many nothing is told.
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

enum { FURTHEST = 40 /* ops, of all who look */, MOST_WAYS = 1 << 16 /* of one value */ };

typedef struct {
    const uint64_t *before; /* by value id: ways back that are an op shorter */
    uint64_t *now, most;
} Ways;

static void count_ways(Op *op, void *ways)
{
    Ways *w = ways;
    uint64_t n = 1;

    for (int i = 0; i < op->noperands; i++)
        n += w->before[op->operands[i]->id];
    for (int i = 0; i < op->nresults; i++)
        w->now[op->results[i]->id] = n;
    w->most = MAX(w->most, n);
}

static bool is_tangled(const Func *f, Arena *a)
{
    uint64_t *counts[2];

    for (int i = 0; i < COUNT(counts); i++)
        counts[i] = NEW_N(a, uint64_t, f->nvalues);
    for (int depth = 0; depth < FURTHEST; depth++) {
        Ways w = {.before = counts[depth % 2], .now = counts[1 - depth % 2]};

        ir_walk(f->body, count_ways, &w);
        if (w.most > MOST_WAYS)
            return true;
    }
    return false;
}

void suspect_warn_of_all(const Module *m, Diags *d)
{
    Arena *arena = m->arena;

    for (int i = 0; i < m->nfuncs; i++) {
        SuspectFacts facts = {0};
        const Suspect s = {m->funcs[i], arena, d, &facts};
        if (is_tangled(s.func, arena))
            continue;
        for (int k = 0; k < COUNT(suspicions); k++)
            suspicions[k](&s);
    }
}
