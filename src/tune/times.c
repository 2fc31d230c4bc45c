/*
 * times.c - what the times of some runs of one thing say, and how sure that is
 *
 * Times of a machine that does other work too are not spread evenly around a mean: most lie close
 * together, and some far above.  So everything here goes by ranks, and no distribution is supposed.
 *
 * The interval of a median runs between two of the sorted times, so many from each end that a fair
 * coin would hardly show as few heads.  That holds for runs that know nothing of one another;
 * a machine that is slower for a while makes neighbours alike.  So the medians of consecutive parts
 * have an interval of their own, and the wider ends count.
 *
 * Two versions are compared round by round, since what the machine does to one of a round it does
 * to the other: the ratio is the median of the means (of logarithms) of all pairs of rounds, by
 * Hodges and Lehmann, its interval that of Wilcoxon's signed ranks.
 */
#include "tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double one_side = (1 - TIMES_CONFIDENCE) / 2; /* of what an interval leaves out */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void sort(double *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, by_value);
}

static double *copy_of(Arena *a, const double *v, int n)
{
    double *out = NEW_N(a, double, n + 1);

    memcpy(out, v, sizeof *v * (size_t)n);
    return out;
}

static double median_of_sorted(const double *v, int n)
{
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

double times_median(Arena *a, const double *v, int n)
{
    double *sorted = copy_of(a, v, n);

    sort(sorted, n);
    return median_of_sorted(sorted, n);
}

double times_quantile(Arena *a, const double *v, int n, double share)
{
    double *sorted = copy_of(a, v, n), at = share * (n - 1);
    int i = (int)at;

    sort(sorted, n);
    return i + 1 < n ? sorted[i] + (at - i) * (sorted[i + 1] - sorted[i]) : sorted[n - 1];
}

/* How probable exactly `heads` of `n` tosses of a fair coin are. */
static double coin(int heads, int n)
{
    return exp(lgamma(n + 1.0) - lgamma(heads + 1.0) - lgamma(n - heads + 1.0) - n * log(2));
}

double times_chance(int wins, int n)
{
    double sum = 0;

    for (int i = wins; i <= n; i++)
        sum += coin(i, n);
    return sum;
}

/* How many of `n` sorted values an interval of their median leaves out at each end, and with
 * which probability it then has the true one. */
static int left_out_of(int n, double *confidence)
{
    double below = coin(0, n), next; /* the median is less than all of them */
    int out = 0;

    while (2 * (out + 1) < n && (next = below + coin(out + 1, n)) <= one_side) {
        below = next;
        out++;
    }
    *confidence = below <= one_side ? TIMES_CONFIDENCE : 1 - 2 * below;
    return out;
}

/* Widen the interval to that of the medians of parts. */
static void widen_by_parts(Arena *a, const double *seconds, Times *t)
{
    enum { PARTS = 10, LEAST_A_PART = 3 };
    double medians[PARTS], confidence;
    int size = t->n / PARTS, out = left_out_of(PARTS, &confidence);

    if (size < LEAST_A_PART)
        return;
    for (int i = 0; i < PARTS; i++)
        medians[i] = times_median(a, seconds + i * size, size);
    sort(medians, PARTS);
    t->low = MIN(t->low, medians[out]);
    t->high = MAX(t->high, medians[PARTS - 1 - out]);
}

Times times_of(Arena *a, const double *seconds, int n)
{
    double *sorted = copy_of(a, seconds, n);
    Times t = {.n = n};

    sort(sorted, n);
    t.median = median_of_sorted(sorted, n);
    t.min = sorted[0];
    t.max = sorted[n - 1];
    t.lower_quarter = sorted[n / 4];
    t.upper_quarter = sorted[n - 1 - n / 4];
    int out = left_out_of(n, &t.confidence);
    t.low = sorted[out];
    t.high = sorted[n - 1 - out];
    widen_by_parts(a, seconds, &t);
    return t;
}

double times_unsure(const Times *t)
{
    return t->median > 0 ? MAX(t->median - t->low, t->high - t->median) / t->median : 0;
}

const char *times_unsure_text(Arena *a, const Times *t)
{
    double percents = 100 * times_unsure(t);

    return arena_printf(a, percents < 10 ? "%.1f%%" : "%.0f%%", MAX(ceil(10 * percents) / 10, 0.1));
}

bool times_disagree(const Times *t)
{
    static const double much = 0.1;

    return t->n >= 2 && t->upper_quarter - t->lower_quarter > much * t->median;
}

/* --- ratios --- */

/* The same for means of pairs of `n` values: so many are left out at each end.  Each of the ranks
 * 1 .. n is added or not, with equal chances; `p` is the probability of each sum. */
static int left_out_of_pairs(Arena *a, int n, double *confidence)
{
    int sums = n * (n + 1) / 2, out = 0;
    double *p = NEW_N(a, double, sums + 1), below, next;

    memset(p, 0, sizeof *p * (size_t)(sums + 1));
    p[0] = 1;
    for (int rank = 1, most = 0; rank <= n; most += rank++) {
        for (int s = most + rank; s >= 0; s--)
            p[s] = ((s <= most ? p[s] : 0) + (s >= rank ? p[s - rank] : 0)) / 2;
    }
    below = p[0];
    while (2 * (out + 1) < sums && (next = below + p[out + 1]) <= one_side) {
        below = next;
        out++;
    }
    *confidence = below <= one_side ? TIMES_CONFIDENCE : 1 - 2 * below;
    return out;
}

TimesRatio times_ratio(Arena *a, const double *over, const double *under, int n)
{
    int pairs = n * (n + 1) / 2, k = 0;
    double *means = NEW_N(a, double, pairs + 1);
    TimesRatio r = {.n = n};

    for (int i = 0; i < n; i++) {
        for (int j = i; j < n; j++)
            means[k++] = (log(over[i] / under[i]) + log(over[j] / under[j])) / 2;
    }
    sort(means, pairs);
    int out = left_out_of_pairs(a, n, &r.confidence);
    r.ratio = exp(median_of_sorted(means, pairs));
    r.low = exp(means[out]);
    r.high = exp(means[pairs - 1 - out]);
    return r;
}
