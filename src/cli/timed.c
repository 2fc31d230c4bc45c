/*
 * timed.c - the runs of `--time`: as many as make the median sure, or as were asked for
 */
#include "call.h"

enum { LEAST_RUNS = 6, MOST_RUNS = 100000 }; /* fewer have no interval of the usual confidence */
static const double usual_seconds = 2, profile_seconds = 1; /* at most, without a number of runs */
static const double least_share = 0.125; /* of these; a machine is not the same all the time */
static const double narrow = 0.01;       /* an interval that needs no more runs */

/* A run that is timed. */
static double run_once(Call *k)
{
    fresh_restore(k, &k->kept);
    return call_again(k);
}

/* A tenth as many runs as will be timed. */
static void warm_up(Call *k, double budget)
{
    int wanted = k->options.runs;
    double started = os_seconds(), once = run_once(k);

    if (wanted == 0)
        wanted = (int)MIN(MOST_RUNS, budget / MAX(once, 1e-9));
    for (int i = 1; i <= wanted / 10; i++) {
        if (!k->options.runs && os_seconds() - started > budget * least_share / 2)
            return;
        run_once(k);
    }
}

/* How long to go on at most, when no number of runs is given. */
static double budget_of(const Options *o)
{
    if (o->seconds > 0)
        return o->seconds;
    return o->profile ? profile_seconds : usual_seconds;
}

/* Runs until their number or the time is used up, or the median is sure.  That is looked at now and
 * then: it sorts them all.  Samples of a profile want all the time. */
void timing_measure(Call *k)
{
    Arena *a = k->cli->arena;
    const Options *o = &k->options;
    double budget = budget_of(o), look = o->profile ? budget : budget * least_share, spent;
    int most = o->runs ? o->runs : MOST_RUNS, n = 0;
    double *seconds = NEW_N(a, double, most);
    Progress p = progress_start(k->cli->quiet, "timing");

    warm_up(k, budget);
    for (double started = os_seconds(); n < most; n++) {
        spent = os_seconds() - started;
        if (!o->runs && n >= LEAST_RUNS && spent >= look) {
            Times now = times_of(a, seconds, n);

            if (spent > budget || times_unsure(&now) <= narrow)
                break;
            look = 1.5 * spent;
        }
        seconds[n] = run_once(k);
        progress_at(&p, o->runs ? (double)n / most : MIN(spent / budget, 1));
    }
    progress_end(&p);
    k->timing.times = times_of(a, seconds, n);
}
