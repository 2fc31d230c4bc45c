/*
 * measure.c - time versions in turns, and say which differences are more than noise
 *
 * A round visits every version, forwards and backwards by turns; a visit is some runs, of which
 * the fastest counts: what else the machine does makes runs slower, and never faster.  Versions
 * that are far behind after a few rounds are left out of the rest.  Two are compared round by
 * round: one is slower that loses so many of them as chance would in one of a hundred cases, and is
 * slower by a hundredth.
 */
#include "tuning.h"

enum { ROUNDS = 20, FIRST_ROUNDS = 3, MOST_RUNS_A_VISIT = 200 };
static const double visit_seconds = 4e-3, far_behind = 1.5, least_difference = 0.01, noise = 0.01;

static bool visit(const Measuring *m, int i, Measured *v)
{
    double least, seconds;

    if (!m->run(m->user, i, &least))
        return false;
    for (int n = 1; n < MOST_RUNS_A_VISIT && n * least < visit_seconds; n++) {
        if (!m->run(m->user, i, &seconds))
            return false;
        least = MIN(least, seconds);
    }
    v->rounds[v->nrounds++] = least;
    return true;
}

static int find_best(Arena *a, Measured *all, int n)
{
    int best = -1;

    for (int i = 0; i < n; i++) {
        if (!all[i].is_in || all[i].nrounds == 0)
            continue;
        all[i].times = times_of(a, all[i].rounds, all[i].nrounds);
        if (best < 0 || all[i].times.median < all[best].times.median)
            best = i;
    }
    return best;
}

/* The fastest of its rounds: something else may have run beside all the others. */
static double least_of(const Measured *v)
{
    double least = v->rounds[0];

    for (int i = 1; i < v->nrounds; i++)
        least = MIN(least, v->rounds[i]);
    return least;
}

static void drop_slow_ones(Arena *a, Measured *all, int n)
{
    int best = find_best(a, all, n);

    for (int i = 0; i < n; i++)
        all[i].is_dropped = all[i].is_in && least_of(&all[i]) > far_behind * all[best].times.median;
}

/* Of rounds of both. */
static bool is_slower(const Measured *v, const Measured *best)
{
    int n = MIN(v->nrounds, best->nrounds), wins = 0;

    for (int i = 0; i < n; i++)
        wins += best->rounds[i] < v->rounds[i];
    return v->is_dropped || (times_chance(wins, n) < noise &&
                             v->times.median > (1 + least_difference) * best->times.median);
}

static bool run_round(const Measuring *m, int round, int wanted, Measured *all, int n)
{
    for (int i = 0; i < n; i++) {
        int at = round % 2 ? n - 1 - i : i;

        if (all[at].is_in && !all[at].is_dropped && !visit(m, at, &all[at]))
            return false;
        if (!m->progress(m->user, (double)(round * n + i) / ((double)wanted * n)))
            return false;
    }
    return true;
}

bool measure_in_turns(const Measuring *m, Arena *a, Measured *all, int n)
{
    int wanted = m->rounds > 0 ? m->rounds : ROUNDS, best;
    bool goes_on = true;
    double start = os_seconds();

    for (int i = 0; i < n; i++)
        all[i].rounds = NEW_N(a, double, wanted);
    for (int round = 0; round < wanted && goes_on; round++) {
        if (round > 0 && m->seconds > 0 && os_seconds() - start > m->seconds)
            break;
        goes_on = run_round(m, round, wanted, all, n);
        if (goes_on && round + 1 == FIRST_ROUNDS)
            drop_slow_ones(a, all, n);
    }
    best = find_best(a, all, n);
    for (int i = 0; i < n; i++)
        all[i].is_slower =
            all[i].is_in && all[i].nrounds > 0 && i != best && is_slower(&all[i], &all[best]);
    return goes_on;
}
