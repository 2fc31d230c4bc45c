/*
 * tune_measure.c - time candidates in turns, and say which differences are more than noise
 *
 * A round visits every candidate, forwards and backwards by turns; a visit is some runs, of which
 * the fastest counts: what else the machine does makes runs slower, and never faster.  Candidates
 * that are far behind after a few rounds are left out of the rest. Two are compared round by round:
 * the mean of the logarithms of their ratios must be three times its standard error, and a
 * hundredth.
 */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 20, FIRST_ROUNDS = 3, MOST_RUNS_A_VISIT = 200 };
static const double visit_seconds = 4e-3, far_behind = 1.5, least_difference = 0.01, noise = 0.01;

static int by_seconds(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, by_seconds);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

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
    k->min = k->nrounds == 0 ? least : MIN(k->min, least);
    k->rounds[k->nrounds++] = least;
}

static double median_of_rounds(const Candidate *k)
{
    double copy[k->nrounds + 1];

    memcpy(copy, k->rounds, sizeof *copy * (size_t)k->nrounds);
    return median(copy, k->nrounds);
}

static void find_best(Tuner *t)
{
    t->best = -1;
    for (int i = 0; i < t->candidates.len; i++) {
        Candidate *k = &t->candidates.at[i];

        if (!k->is_in)
            continue;
        k->median = median_of_rounds(k);
        if (t->best < 0 || k->median < t->candidates.at[t->best].median)
            t->best = i;
    }
}

static void drop_slow_ones(Tuner *t)
{
    find_best(t);
    for (int i = 0; i < t->candidates.len; i++) {
        Candidate *k = &t->candidates.at[i];
        k->is_dropped = k->is_in && k->median > far_behind * t->candidates.at[t->best].median;
    }
}

/* How probable it is that a fair coin shows at least `wins` of `n` heads. */
static double chance_of(int wins, int n)
{
    double sum = 0;

    for (int i = wins; i <= n; i++)
        sum += exp(lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1) - n * log(2));
    return sum;
}

static bool is_slower(const Candidate *k, const Candidate *best)
{
    int n = MIN(k->nrounds, best->nrounds), wins = 0;

    for (int i = 0; i < n; i++)
        wins += best->rounds[i] < k->rounds[i];
    return k->is_dropped ||
           (chance_of(wins, n) < noise && k->median > (1 + least_difference) * best->median);
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
