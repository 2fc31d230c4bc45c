/*
 * tune_measure.c - time candidates in turns, and say which differences are more than noise
 *
 * A round visits every candidate, forwards and backwards by turns; a visit is some runs, of which
 * the fastest counts: what else the machine does makes runs slower, and never faster.  Candidates
 * that are far behind after a few rounds are left out of the rest.  Two are compared round by
 * round: one is slower that loses so many of them as chance would in one of a hundred cases, and is
 * slower by a hundredth.
 */
#include "call.h"

enum { ROUNDS = 20, FIRST_ROUNDS = 3, MOST_RUNS_A_VISIT = 200 };
static const double visit_seconds = 4e-3, far_behind = 1.5, least_difference = 0.01, noise = 0.01;

static double run_fresh(const Tuner *t, Candidate *k)
{
    if (k->call.timing.stats.in_place)
        fresh_restore(&k->call, &t->kept);
    return call_again(&k->call);
}

static void visit(const Tuner *t, Candidate *k)
{
    double least = run_fresh(t, k);

    for (int n = 1; n < MOST_RUNS_A_VISIT && n * least < visit_seconds; n++) {
        double seconds = run_fresh(t, k);
        least = MIN(least, seconds);
    }
    k->rounds[k->nrounds++] = least;
}

static void find_best(Tuner *t)
{
    t->best = -1;
    for (int i = 0; i < t->candidates.len; i++) {
        Candidate *k = &t->candidates.at[i];

        if (!k->is_in)
            continue;
        k->times = times_of(t->cli->arena, k->rounds, k->nrounds);
        if (t->best < 0 || k->times.median < t->candidates.at[t->best].times.median)
            t->best = i;
    }
}

/* The fastest of its rounds: something else may have run beside all the others. */
static double least_of(const Candidate *k)
{
    double least = k->rounds[0];

    for (int i = 1; i < k->nrounds; i++)
        least = MIN(least, k->rounds[i]);
    return least;
}

static void drop_slow_ones(Tuner *t)
{
    find_best(t);
    for (int i = 0; i < t->candidates.len; i++) {
        Candidate *k = &t->candidates.at[i];
        k->is_dropped =
            k->is_in && least_of(k) > far_behind * t->candidates.at[t->best].times.median;
    }
}

static bool is_slower(const Candidate *k, const Candidate *best)
{
    int n = MIN(k->nrounds, best->nrounds), wins = 0;

    for (int i = 0; i < n; i++)
        wins += best->rounds[i] < k->rounds[i];
    return k->is_dropped || (times_chance(wins, n) < noise &&
                             k->times.median > (1 + least_difference) * best->times.median);
}

void tune_measure(Tuner *t, int rounds)
{
    int n = t->candidates.len, wanted = rounds > 0 ? rounds : ROUNDS;
    Progress p = progress_start(t->cli, "tuning");

    for (int i = 0; i < n; i++)
        t->candidates.at[i].rounds = NEW_N(t->cli->arena, double, wanted);
    for (int round = 0; round < wanted; round++) {
        for (int i = 0; i < n; i++) {
            Candidate *k = &t->candidates.at[round % 2 ? n - 1 - i : i];
            if (k->is_in && !k->is_dropped)
                visit(t, k);
            progress_at(&p, (double)(round * n + i) / (wanted * n));
        }
        if (round + 1 == FIRST_ROUNDS)
            drop_slow_ones(t);
    }
    progress_end(&p);
    find_best(t);
    for (int i = 0; i < n; i++) {
        Candidate *k = &t->candidates.at[i];
        k->is_slower = k->is_in && i != t->best && is_slower(k, &t->candidates.at[t->best]);
    }
}
