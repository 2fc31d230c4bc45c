/*
 * measure.c - time versions in turns, and say which differences are more than noise
 *
 * A round visits every version, forwards and backwards by turns; a visit is some runs, of which
 * the fastest counts: what else the machine does makes runs slower, and never faster.  Versions
 * that are behind are left out of the rest, the sooner the farther they are, and once one is left
 * nothing more is to be found out.  Two are compared round by round: one is slower that loses so
 * many of them as chance would in one of a hundred cases, and is slower by a hundredth.
 */
#include "tuning.h"

enum { ROUNDS = 20, MOST_RUNS_A_VISIT = 200 };
/* Of a visit: as the runs take, and with what stands around them, by the clock. */
static const double visit_seconds = 4e-3, visit_wall_seconds = 12e-3;
static const double least_difference = 0.01, noise = 0.01;

/* Whose fastest run takes so many times the median of the best is left out behind so many rounds:
 * more rounds give more chances of a run that nothing disturbs. */
static const struct {
    int rounds;
    double behind;
} left_out[] = {{3, 1.5}, {5, 1.2}, {8, 1.1}, {12, 1.05}};

static bool visit(const Measuring *m, int i, Measured *v)
{
    double least, seconds, start = os_seconds();

    if (!m->run(m->user, i, &least))
        return false;
    for (int n = 1; n < MOST_RUNS_A_VISIT && n * least < visit_seconds &&
                    os_seconds() - start < visit_wall_seconds;
         n++) {
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

static void drop_slow_ones(Arena *a, Measured *all, int n, double behind)
{
    int best = find_best(a, all, n);

    for (int i = 0; i < n; i++)
        all[i].is_dropped = all[i].is_dropped ||
                            (all[i].is_in && least_of(&all[i]) > behind * all[best].times.median);
}

/* Behind so many rounds; are there several left? */
static bool leave_out(Arena *a, Measured *all, int n, int rounds)
{
    int left = 0;

    for (int k = 0; k < COUNT(left_out); k++) {
        if (left_out[k].rounds == rounds)
            drop_slow_ones(a, all, n, left_out[k].behind);
    }
    for (int i = 0; i < n; i++)
        left += all[i].is_in && !all[i].is_dropped;
    return left > 1 || rounds < left_out[0].rounds;
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
        if (goes_on && !leave_out(a, all, n, round + 1) && m->rounds == 0)
            break;
    }
    best = find_best(a, all, n);
    for (int i = 0; i < n; i++)
        all[i].is_slower =
            all[i].is_in && all[i].nrounds > 0 && i != best && is_slower(&all[i], &all[best]);
    return goes_on;
}
